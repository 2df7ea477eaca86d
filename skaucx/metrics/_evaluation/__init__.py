"""Many metrics of saved predictions in one call."""
