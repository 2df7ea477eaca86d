"""Mergeable counts of scores in cells, and the bounds that they give for every metric of scores."""
