"""``python -m skaucx study``: the commands of ``python -m skaucx.study`` under one roof."""

from __future__ import annotations

from typing import Any

from ..study._command_line import DESCRIPTION, add_commands


def add_parser(commands: Any) -> None:
    """Add the commands of the study to the subparsers of the program."""
    told = DESCRIPTION[0].lower() + DESCRIPTION[1:].rstrip(".")
    add_commands(commands.add_parser("study", help=told, description=DESCRIPTION))
