"""Stability of the results of a nested run: winners, features, sizes of data, conclusions."""
