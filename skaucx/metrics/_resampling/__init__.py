"""Draws of rows, and samples whose metrics are evaluated under many sets of weights."""
