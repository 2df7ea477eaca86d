"""Intervals of metrics, and what intervals and tests are made of."""
