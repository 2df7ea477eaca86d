"""Tables for a notebook: they take their colours from the page, light or dark, and run no script."""

from __future__ import annotations

from typing import Any

from ..._text.html import table
from ..._text.tables import parameters


def html_tables(result: Any) -> dict[str, str]:
    """Return the tables of a NestedCVResult by what they show, without the empty ones."""
    tables = {
        "metrics": _metrics(result),
        "folds": _folds(result),
        "winners": _winners(result),
        "failures": _failures(result),
    }
    return {name: text for name, text in tables.items() if text}


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
