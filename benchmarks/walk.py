"""How far a call walks through the package: the files it enters, and how often it changes between them.

``python -m benchmarks.walk`` prints both for a few calls. A change is counted where two consecutive
Python calls within skaucx lie in different files. Each call is made once before, so that what is made
once (names, signatures) is not counted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import skaucx
from skaucx.evaluation import evaluate
from skaucx.inference import interval, paired_bootstrap_test
from skaucx.metrics import get_scorer, roc_auc_score

_HOME = str(Path(skaucx.__file__).parent)


def walked(call: Callable[[], Any]) -> tuple[int, int, int]:
    """Return the number of files, of changes between them, and of Python calls within skaucx."""
    call()
    files: list[str] = []

    def enter(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_HOME):
            files.append(frame.f_code.co_filename)

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    changes = sum(a != b for a, b in pairwise(files))
    return len(set(files)), changes, len(files)


def main() -> None:
    """Print a row a call."""
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 500), rng.random(500)
    pred, other = (score > 0.5).astype(int), rng.random(500)
    scorer = get_scorer("roc_auc")
    calls = {
        "roc_auc_score(y, score)": lambda: roc_auc_score(y, score),
        'interval("f1", y, pred)': lambda: interval("f1", y, pred),
        'interval("roc_auc", y, score)': lambda: interval("roc_auc", y, score),
        "str(evaluate(y, pred, score))": lambda: str(evaluate(y, pred, score)),
        'paired_bootstrap_test("roc_auc", y, score, other)': lambda: paired_bootstrap_test(
            "roc_auc", y, score, other, n_resamples=100, random_state=0
        ),
        'get_scorer("roc_auc")': lambda: get_scorer("roc_auc") is scorer,
    }
    print("| call | files | file changes | calls |\n|---|---|---|---|")
    for name, call in calls.items():
        print(f"| `{name}` | {' | '.join(map(str, walked(call)))} |")


if __name__ == "__main__":
    main()
