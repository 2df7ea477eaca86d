"""Metrics as scorers: scikit-learn's own kind, and many in one pass."""
