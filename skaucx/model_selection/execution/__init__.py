"""Fits of folds, run in one pool that loses none of their results."""
