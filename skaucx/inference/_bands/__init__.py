"""Bands of curves, reliability curves among them."""
