"""Every public name of ``sklearn.metrics``, and what ``from skaucx.metrics import`` gives for it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import sklearn.metrics

import skaucx.metrics

KINDS = {
    "same": "ours, with the same arguments and values",
    "extended": "ours, with the same values, and more",
    "unchanged": "scikit-learn's own",
    "not about classifiers": "scikit-learn's own, imported through here and not listed",
}
_OTHER_TASKS = ("cluster", "regression", "pairwise", "pairwise_distances_reduction", "dist_metrics")
_FOUND = {
    "roc_curve": "a curve: areas, hull, frame",
    "precision_recall_curve": "a curve: areas, break-even point, frame",
    "get_scorer": "all metrics, aliases and parameters",
    "get_scorer_names": "all metrics",
    "PrecisionRecallDisplay": "several curves, bands; its constructor takes curves too",
    "RocCurveDisplay": "several curves, bands; its constructor takes curves too",
    "DetCurveDisplay": "several curves; its constructor takes curves too",
    "ConfusionMatrixDisplay": "counts and shares; `from_cv_results`",
}


def table() -> dict[str, tuple[str, str]]:
    """Return what each name gives: its kind and, where that is "extended", what is added."""
    return {name: _kind(name) for name in sorted(sklearn.metrics.__all__, key=str.lower)}


def _kind(name: str) -> tuple[str, str]:
    theirs = getattr(sklearn.metrics, name)
    home = getattr(theirs, "__module__", theirs.__name__)
    if any(part.strip("_") in _OTHER_TASKS for part in home.split(".")):
        return "not about classifiers", ""
    ours = getattr(skaucx.metrics, name, None)
    if ours is theirs:
        return "unchanged", ""
    more = _FOUND.get(name) or ", ".join(_extras(ours, theirs))
    return ("extended", more) if more else ("same", "")


def _extras(ours: Any, theirs: Any) -> Iterator[str]:
    """Name the arguments that only our function takes, and its further forms."""
    known = set(inspect.signature(theirs).parameters)
    yield from (f"`{name}=`" for name in inspect.signature(ours).parameters if name not in known)
    if hasattr(ours, "from_counts"):
        yield "`.from_counts`"


def main() -> None:
    print("| `sklearn.metrics` | `skaucx.metrics` | more |\n|---|---|---|")
    for name, (kind, more) in table().items():
        print(f"| `{name}` | {kind} | {more} |")


if __name__ == "__main__":
    main()
