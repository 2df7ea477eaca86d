"""The registry of metrics, and the public functions made from declared formulas."""
