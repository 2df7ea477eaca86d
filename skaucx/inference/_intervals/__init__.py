"""Intervals of metrics: closed forms, influence curves, clusters, resampling."""
