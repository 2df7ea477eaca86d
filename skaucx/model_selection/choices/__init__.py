"""Rules by which a search chooses among its candidates, other than the highest mean score."""
