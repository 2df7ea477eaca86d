"""Sample size and power."""
