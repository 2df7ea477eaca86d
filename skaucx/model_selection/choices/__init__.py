"""Rules by which a search chooses among its candidates, beside the highest mean score."""
