"""What is chosen from inner predictions and laid over a model: calibration, threshold, rejection."""
