"""Raw arrays and counts become checked, frozen records."""
