"""A slider of the decision threshold with the confusion table and its rates."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import numpy as np

from ..._text.numbers import counted
from ..curves import PrecisionRecallCurve

_STOPS = 200
_RATES = ("recall", "specificity", "precision", "npv", "f1", "accuracy")


def threshold_slider(curve: PrecisionRecallCurve, positive: Any, others: str) -> str:
    """Return a slider over the thresholds of a curve, which the script of the page moves."""
    counts, thresholds = curve.threshold_counts, np.append(np.inf, curve.thresholds[::-1])
    keep = np.unique(np.linspace(1, len(thresholds) - 1, _STOPS).round().astype(int))
    rows = [
        [float(thresholds[k]), *(_count(part[k]) for part in _parts(counts))]
        for k in keep[::-1].tolist()
    ]
    start = int(np.argmin([abs(row[0] - 0.5) for row in rows]))
    told = escape(json.dumps(rows, separators=(",", ":")), quote=True)
    cells = "".join(
        f"<tr><th>{escape(str(name))}</th><td data-of={a}></td><td data-of={b}></td></tr>"
        for name, a, b in ((positive, "tp", "fn"), (others, "fp", "tn"))
    )
    rates = "".join(f"<tr><th>{name}</th><td data-of={name}></td></tr>" for name in _RATES)
    return (
        f'<div class="live" data-thresholds="{told}"><label>Positive from a score of '
        f"<b data-of=t></b> on<input type=range min=0 max={len(rows) - 1} value={start} step=1>"
        f"</label><table><tr><th>true</th><th>called {escape(str(positive))}</th>"
        f"<th>called {escape(others)}</th></tr>{cells}</table><table>{rates}</table>"
        "<p>The marks on the curves follow. A threshold picked here, after looking at the same "
        "rows, looks better than it is.</p></div>"
    )


def _parts(counts: Any) -> tuple[Any, ...]:
    return counts.tp, counts.fp, counts.fn, counts.tn


def _count(number: Any) -> float:
    return float(counted(number).replace(",", ""))
