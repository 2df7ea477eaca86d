"""Tables for a notebook: they take their colours from the page, light or dark, and run no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from .._text import parameters

_TABLE = "border-collapse: collapse; color: inherit; background: transparent; margin: 0.5em 0"
_CELL = "border-bottom: 1px solid currentColor; padding: 0.2em 0.7em; text-align: "


def html_tables(result: Any) -> dict[str, str]:
    """Return the tables of a NestedCVResult by what they show, without the empty ones."""
    tables = {
        "metrics": _metrics(result),
        "folds": _folds(result),
        "winners": _winners(result),
        "failures": _failures(result),
    }
    return {name: text for name, text in tables.items() if text}


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Return a table with a caption; numbers get four digits and stand to the right."""
    lines = ["".join(f'<th scope="col" style="{_CELL}left">{escape(name)}</th>' for name in head)]
    lines += ["".join(map(_cell, row)) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    title = f'<caption style="color: inherit; text-align: left">{escape(caption)}</caption>'
    return f'<table style="{_TABLE}">{title}{body}</table>'


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f'<td style="{_CELL}left">{escape(value)}</td>'
    text = str(value) if isinstance(value, int) else f"{value:.4f}"
    return f'<td style="{_CELL}right">{text}</td>'


def _metrics(result: Any) -> str:
    records = {name: result.statistics(name).record() for name in result.test_scores}
    return table(
        f"{result.header}. Low and high: 95 % interval of what the procedure scores on average.",
        ["metric", *next(iter(records.values()))],
        [[name, *record.values()] for name, record in records.items()],
    )


def _folds(result: Any) -> str:
    winners = zip(result.inner_means.tolist(), map(parameters, result.winning_params), strict=True)
    return table(
        "Outer folds",
        ["fold", *result.test_scores, f"inner {result.refit[0]}", "winner"],
        [
            [fold, *(float(scores[fold]) for scores in result.values()), mean, text]
            for fold, (mean, text) in enumerate(winners)
        ],
    )


def _winners(result: Any) -> str:
    counted = zip(result.candidates, result.winner_counts.tolist(), strict=True)
    chosen = [[parameters(params), times] for params, times in counted if times]
    return table("Winners", ["parameters", "outer folds"], chosen)


def _failures(result: Any) -> str:
    head = ["stage", "outer fold", "inner fold", "parameters", "error"]
    rows = [
        [f.stage, f"{f.outer_fold}", f"{f.inner_fold}", parameters(f.params), f.error]
        for f in result.failures
    ]
    return table("Failed fits", head, rows) if rows else ""
