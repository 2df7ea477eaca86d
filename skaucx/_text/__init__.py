"""Text: numbers by significance, paragraphs and tables for a terminal, tables for a notebook."""
