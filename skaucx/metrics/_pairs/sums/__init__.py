"""Sums of a function of the score difference over all pairs, in near-linear time."""
