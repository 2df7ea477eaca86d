"""Estimates from rounds of drawing with replacement."""
