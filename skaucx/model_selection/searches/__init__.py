"""Searches for parameters inside the outer folds."""
