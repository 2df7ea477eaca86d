"""The metrics themselves: one declared formula each."""
