"""``python -m skaucx metrics``: list and explain the metrics."""

from __future__ import annotations

import argparse
import inspect
from collections import Counter
from typing import Any

from .._options import unknown_name
from .._text.plain import paragraph
from ..metrics import list_metrics
from ..metrics._registry.bibliography import BIBLIOGRAPHY
from ..metrics._registry.declare import METRICS
from ..metrics._registry.names import SETS, MetricSet, members_of
from ..metrics._registry.row import Metric
from ._terminal import print_json, strong

_READS = {True: "predicted labels (--pred)", False: "scores (--score)"}


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
    if word in SETS:
        _print_set(SETS[word], arguments.json)
        return
    families = {row.family for row in list_metrics()}
    if word is None and not arguments.json:
        print(_overview())
        return
    if word is None or word in families:
        rows = [row for row in list_metrics() if word in (None, row.family)]
    else:
        rows = found_by(word)
    if arguments.json:
        print_json([_record(row) for row in rows])
    elif len(rows) == 1:
        print(_in_full(rows[0]))
    else:
        print(_listed(rows))


def _overview() -> str:
    """Return the sets, each with when to use it, and the families with the number of metrics."""
    width = max(map(len, SETS)) + 2
    sets = [paragraph(each.when, lead=f"{each.name:<{width}}") for each in SETS.values()]
    families = Counter(row.family for row in list_metrics())
    return "\n".join(
        [
            strong("sets of metrics (evaluate --set NAME)"), *sets, "", strong("families"),
            paragraph(", ".join(f"{name} ({number})" for name, number in families.items())), "",
            paragraph("metrics NAME explains a metric, or lists a set, a family or all that a word is "
                      "about.", hang=2),
        ]
    )  # fmt: skip


def _print_set(found: MetricSet, as_json: bool) -> None:
    """Print the metrics of a set, when to use it, and its source."""
    named = members_of(found.name)
    source = BIBLIOGRAPHY.get(found.source, found.source)
    if as_json:
        print_json(
            {"name": found.name, "when": found.when, "source": source,
             "metrics": [each.key for each in named]}
        )  # fmt: skip
        return
    width = max(len(each.key) for each in named) + 2
    lines = [paragraph(each.row.summary, lead=f"{each.key:<{width}}") for each in named]
    print("\n".join([strong(found.name), paragraph(found.when), "", *lines]))
    if source:
        print("\n" + paragraph(source, lead="source: ", hang=2))


def found_by(word: str) -> list[Metric]:
    """Return the one metric of a name, or all that a word occurs in.

    Raises
    ------
    ValueError
        If there is none; the message suggests similar ones.
    """
    key = word.lower().replace(" ", "_").replace("-", "_")
    rows = list_metrics()
    for row in rows:
        known = {row.name, row.function, row.scorer_name, *row.aliases}
        if key in {name.lower() for name in known}:
            return [row]
    similar = [
        row
        for row in rows
        if any(word.lower() in text.lower() for text in (row.name, row.summary, *row.aliases))
    ]
    if not similar:
        raise unknown_name("metric", word, [n for row in rows for n in (row.name, *row.aliases)])
    return similar


def _listed(rows: list[Metric]) -> str:
    width = max(len(row.name) for row in rows) + 2
    families: dict[str, list[str]] = {}
    for row in rows:
        line = paragraph(row.summary, lead=f"{row.name:<{width}}")
        families.setdefault(row.family, []).append(line)
    return "\n\n".join("\n".join([strong(name), *lines]) for name, lines in families.items())


def _in_full(row: Metric) -> str:
    better = {True: "higher is better", False: "lower is better", None: "neither end is good"}
    low, high = row.bounds
    facts = {
        "range": f"{low:g} to {high:g}; {better[row.greater_is_better]}",
        "also known as": ", ".join(row.aliases),
        "reads": _READS[row.kind.counted],
        "function": f"{METRICS[row.name].__module__}.{row.function}",
        "scorer": row.scorer_name,
        "source": BIBLIOGRAPHY.get(row.source, row.source),
    }
    notes = inspect.getdoc(METRICS[row.name]) or ""
    lines = [paragraph(text, lead=f"{name + ':':<15}") for name, text in facts.items() if text]
    formula = notes.partition(".. math::")[2].partition("\n\n")[0].strip()
    if formula:
        lines.append(f"{'in LaTeX:':<15}{' '.join(formula.split())}")
    return "\n".join([strong(row.name), paragraph(row.summary), *lines])


def _record(row: Metric) -> dict[str, Any]:
    return {
        "name": row.name, "function": row.function, "scorer": row.scorer_name,
        "summary": row.summary, "family": row.family, "aliases": list(row.aliases),
        "greater_is_better": row.greater_is_better, "low": row.bounds[0], "high": row.bounds[1],
        "reads": "labels" if row.kind.counted else "scores", "source": row.source,
    }  # fmt: skip
