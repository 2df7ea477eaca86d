"""Predictions that come in chunks: states that add up, and the forms in which chunks come."""
