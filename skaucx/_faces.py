"""Faces of packages: public names whose modules are imported when a name is first used.

The stub of a package (``__init__.pyi``) is the one list of its public names: type checkers and editors
read it, and :func:`face` resolves the same names at run time.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def stubbed_names(package: str) -> dict[str, str]:
    """Return the public names in the stub of a package, each with the module that holds it."""
    place = Path(str(sys.modules[package].__file__)).with_suffix(".pyi")
    return {
        alias.name: f"{'.' * node.level}{node.module or ''}"
        for node in ast.parse(place.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }


class Reportable:
    """A result that becomes a page and a verdict; the room of reports is imported when it does."""

    def report(self, path: Any, **options: Any) -> Path:
        """Write the result as one page of HTML or Markdown, which needs no network.

        Parameters
        ----------
        path : str or path
            File to write, replaced if it exists: .html, or .md without pictures.
        **options
            `title`; of a nested run `by`. See :func:`skaucx.reports.report`.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        ImportError
            If jinja2 or matplotlib is not installed (``skaucx[report]``).
        """
        return importlib.import_module(f"{__package__}.reports").report(path, self, **options)

    def verdict(self, **options: Any) -> Any:
        """Return in some sentences whether it is useful, and what is significantly wrong.

        Parameters
        ----------
        **options
            Of a nested run `by`: subgroups of the rows of X. See :func:`skaucx.reports.verdict`.

        Returns
        -------
        skaucx.reports.Verdict

        Raises
        ------
        ValueError
            If an evaluation has no intervals.
        """
        return importlib.import_module(f"{__package__}.reports").verdict(self, **options)


def face(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package with a stub."""
    held = stubbed_names(package)

    def resolve(name: str) -> Any:
        if name not in held:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(held[name], package)
        # A module of the package, as in `from . import rates`, is itself the name.
        found = getattr(module, name) if hasattr(module, name) else module
        setattr(sys.modules[package], name, found)
        return found

    return resolve, lambda: sorted(held), sorted(held)
