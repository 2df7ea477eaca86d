"""What nested cross-validation found, as numbers, text, tables and pictures."""
