"""Scores sorted once, and the means over pairs of a positive and a negative."""
