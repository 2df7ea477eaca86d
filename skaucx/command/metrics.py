"""``skaucx metrics``: list and explain the metrics."""

from __future__ import annotations

import argparse
import inspect
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .._options import unknown_name
from .._text.plain import paragraph
from ..metrics import list_metrics
from ..metrics._registry.bibliography import BIBLIOGRAPHY
from ..metrics._registry.declare import METRICS
from ..metrics._registry.names import SETS, members_of
from ..metrics._registry.row import Metric
from ._terminal import print_json

DESCRIPTION = """\
The sets and families of metrics; the metrics of one, or those that a word is about; or one metric
in full, by its name, also known as sensitivity, PPV and the like.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "word", nargs="?", metavar="WORD", help="such as recall, PPV, clinical or calibration"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(arguments: argparse.Namespace) -> None:
    """Print the metrics."""
    word = arguments.word
    if word is None and not arguments.json:
        print(_overview())
        return
    rows = {row.name: row for row in list_metrics()}
    if word in SETS:
        rows = {each.key: each.row for each in members_of(word)}
    elif word is not None:
        rows = {row.name: row for row in _found_by(word, list(rows.values()))}
    if arguments.json:
        print_json([_record(row) for row in rows.values()])
    elif len(rows) == 1:
        print(_in_full(*rows.values()))
    else:
        parts = [word, _listed(rows)]
        if word in SETS:
            source = BIBLIOGRAPHY.get(SETS[word].source, SETS[word].source)
            parts = [word, paragraph(SETS[word].when), _listed(rows)]
            parts += [paragraph(source, lead="source: ", hang=2)] if source else []
        print("\n\n".join(parts))


def _overview() -> str:
    """Return the sets, each with when to use it, and the families with the number of metrics."""
    width = max(map(len, SETS)) + 2
    sets = [paragraph(each.when, lead=f"{each.name:<{width}}") for each in SETS.values()]
    families = Counter(row.family for row in list_metrics())
    listed = ", ".join(f"{name} ({number})" for name, number in families.items())
    what = "metrics NAME explains a metric, or lists a set, a family or all that a word is about."
    head = "sets of metrics (evaluate --metrics NAME)"
    return "\n".join([head, *sets, "", "families", paragraph(listed), "", paragraph(what, hang=2)])


def _found_by(word: str, rows: list[Metric]) -> list[Metric]:
    """Return the one metric of a name, those of a family, or all that a word occurs in."""
    key = word.lower().replace(" ", "_").replace("-", "_")
    known = {row.name: [row.name, *row.aliases] for row in rows}
    own = [
        row
        for row in rows
        if key in map(str.lower, [*known[row.name], row.function, row.scorer_name or ""])
    ]
    about = [
        row for row in rows if word.lower() in " ".join([row.summary, *known[row.name]]).lower()
    ]
    found = own[:1] or [row for row in rows if row.family == word] or about
    if not found:
        raise unknown_name("metric", word, [name for names in known.values() for name in names])
    return found


def _listed(rows: Mapping[str, Metric]) -> str:
    width = max(map(len, rows)) + 2
    return "\n".join(paragraph(row.summary, lead=f"{name:<{width}}") for name, row in rows.items())


def _in_full(row: Metric) -> str:
    known = [f"Also known as {', '.join(row.aliases)}."] if row.aliases else []
    return "\n\n".join([row.name, *known, inspect.getdoc(METRICS[row.name]) or ""])


def _record(row: Metric) -> dict[str, Any]:
    return {
        "name": row.name, "function": row.function, "scorer": row.scorer_name,
        "summary": row.summary, "family": row.family, "aliases": list(row.aliases),
        "greater_is_better": row.greater_is_better, "bounds": row.bounds,
        "reads": "labels" if row.kind.counted else "scores", "source": row.source,
    }  # fmt: skip
