"""``python -m skaucx.study`` names the command that took its place."""

from __future__ import annotations

if __name__ == "__main__":
    raise SystemExit("The commands of the study are called by: python -m skaucx study COMMAND")
