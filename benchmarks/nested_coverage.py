"""Coverage of the 95 % intervals of nested runs, by simulation.

``python -m benchmarks.nested_coverage`` writes ``benchmarks/results/nested_coverage.md``; ``--runs``
sets the runs of each design. Features are Gaussian, those of the positives shifted. Candidates are
chosen by the AUC of 3 inner folds in each of 5 outer ones. The target is the mean of the outer scores
over all runs: what the procedure scores on average.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import Decisions, nested_cross_validate

METRICS = ("roc_auc", "f1", "balanced_accuracy", "neg_brier_score", "neg_log_loss")
TREE = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4], "min_samples_leaf": [5]}
BOOSTING = (
    GradientBoostingClassifier(n_estimators=20, random_state=0),
    {"max_depth": [1, 2], "learning_rate": [0.1]},
)
LOGISTIC = LogisticRegression(), {"C": [0.01, 0.1, 1.0]}
TABLE = Path(__file__).parent / "results" / "nested_coverage.md"


@dataclass(frozen=True)
class Design:
    """A learner with its grid, rows, the share of positives, and a threshold to choose."""

    name: str
    learner: tuple[Any, dict[str, Any]]
    rows: int
    share: float
    threshold: str | None = None

    def drawn(self, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return features and labels of one run."""
        rng = np.random.default_rng(seed)
        y = (rng.random(self.rows) < self.share).astype(int)
        y[:10], y[10:20] = 1, 0  # every inner training part has both classes
        return rng.normal(size=(self.rows, 5)) + 0.6 * y[:, None], y

    def run(self, seed: int) -> Any:
        """Return the nested result of one run."""
        X, y = self.drawn(seed)
        decisions = Decisions(threshold=self.threshold)
        return nested_cross_validate(
            *self.learner, X, y, scoring=list(METRICS), decisions=decisions, inner_cv=3, final=None
        )


DESIGNS = [
    *(
        Design("logistic", LOGISTIC, rows, share)
        for rows in (60, 200, 1000)
        for share in (0.1, 0.5)
    ),
    *(Design("tree", TREE, 200, share) for share in (0.1, 0.5)),
    *(Design("boosting", BOOSTING, 200, share) for share in (0.1, 0.5)),
    *(Design("logistic, threshold", LOGISTIC, rows, 0.3, "f1") for rows in (200, 1000)),
]


def covered(design: Design, runs: int) -> Iterator[str]:
    """Yield the coverage of each metric in percent, with the mean width, and a mark of notes."""
    means, ends, noted = [], [], []
    for seed in range(runs):
        result = design.run(seed)
        found = [result.interval(name) for name in METRICS]
        means.append([one.estimate for one in found])
        ends.append([[one.low, one.high] for one in found])
        noted.append([bool(one.note) for one in found])
    target, limits = np.nanmean(means, axis=0), np.array(ends)
    for k in range(len(METRICS)):
        low, high = limits[:, k].T
        defined = ~np.isnan(low)
        inside = ((low <= target[k]) & (target[k] <= high))[defined]
        mark = "*" if np.array(noted)[:, k].any() else ""
        yield f"{100 * inside.mean():.0f} ({(high - low)[defined].mean():.3f}){mark}"


def main() -> None:
    """Simulate all designs, and write the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--to", type=Path, default=TABLE)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "# Coverage of the intervals of nested runs",
        "",
        f"`python -m benchmarks.nested_coverage --runs {given.runs}`: percent of {given.runs} runs "
        "whose nominal 95 % interval holds the mean outer score over all runs, in brackets its mean "
        "width; * the interval prints a note.",
        "",
        f"| learner | rows | positives | {' | '.join(METRICS)} |",
        f"|---|---|---|{'---|' * len(METRICS)}",
    ]
    for design in DESIGNS:
        cells = " | ".join(covered(design, given.runs))
        lines.append(f"| {design.name} | {design.rows} | {design.share} | {cells} |")
        given.to.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
