"""Predictions counted or ranked once, from which any number of metrics is read."""
