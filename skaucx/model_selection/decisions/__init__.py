"""Decisions chosen on inner predictions and applied to a model: calibration, threshold, rejection."""
