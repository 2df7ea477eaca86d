"""Tests between classifiers: on the same rows, on two samples, over many data sets."""
