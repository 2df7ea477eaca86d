"""What is chosen from inner predictions and laid over a model: a calibration and a threshold."""
