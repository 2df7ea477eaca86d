"""The command line: ``python -m skaucx``."""
