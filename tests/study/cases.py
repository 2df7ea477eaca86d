"""What the common tests check of the study: results, texts and pictures."""

from __future__ import annotations

from functools import cache

import numpy as np

from skaucx.study import (
    BreakdownDisplay,
    DifferenceDisplay,
    SelectionRegret,
    SetCollection,
    Tally,
    ValueRangesDisplay,
    ViolationsDisplay,
    all_labellings,
    count_violations,
    pair_orders,
    parse_sets,
    simulate_bias,
    simulate_folds,
    simulate_selection,
    tune_measure,
)

SIX = parse_sets("1p .8p .6p .4n .2n 0n")
SETS = parse_sets("1p .8p .6p .4n .2n 0n\n.9p .7n .6p .4n")


def random_collection(seed, n_sets=150, *, decimals=1):
    """Sets of two to six coarse scores, so that ties are common; of some the positives are higher."""
    rng = np.random.default_rng(seed)
    sets = []
    for size in rng.integers(2, 7, n_sets):
        truth = rng.permutation(np.arange(size) < rng.integers(1, size))
        score = rng.random(size).round(decimals)
        if rng.random() < 0.4:
            score = (score + truth) / 2
        sets.append((truth, score))
    return SetCollection.from_sets(sets)


@cache
def violations():
    return count_violations(all_labellings(SIX))


def regret():
    rng = np.random.default_rng(0)
    names = ["roc_auc", "mm7_auc", "prob_auc", "soft_auc", "scor_auc"]
    problems = tuple(f"problem {k}" for k in range(6))
    values = {name: 0.02 * rng.random((6, 2, 3)) for name in names}
    return SelectionRegret(problems, ("tree", "all"), values, 0.02 * rng.random((6, 2, 3)))


RETURNED = {
    "ErrorViolations": lambda: count_violations(
        all_labellings(SETS), ["roc_auc", "scor_auc"]
    ).by_errors(),
    "FoldEstimates": lambda: simulate_folds(folds=(2, 5), repetitions=2, random_state=0),
}
RETURNED_WITHOUT_FRAME = {
    "SetCollection": lambda: SETS,
    "Violations": lambda: count_violations(all_labellings(SETS)),
    "BiasVariance": lambda: simulate_bias(repetitions=5, random_state=0),
}
RETURNED_FURTHER = {
    "Tally": lambda: Tally(2, 0.5, float("nan")),
    "PairOrders": lambda: pair_orders([1, 2, 3, 3], [10, 30, 20, 20]),
    "Breakdown": lambda: count_violations(all_labellings(SETS)).by("margin"),
    "MeasureTuning": lambda: tune_measure("sond_auc", {"q": [0.1, 1]}, sets=SETS),
    "SelectionRegret": regret,
    "SelectionShares": lambda: simulate_selection([40, 80], repetitions=20, random_state=0),
}
PICTURES = {
    "violations": lambda ax=None: ViolationsDisplay(violations()).plot(ax),
    "ranges": lambda ax=None: ValueRangesDisplay(violations()).plot(ax),
    "breakdown": lambda ax=None: BreakdownDisplay(violations().by("margin")).plot(ax),
    "differences": lambda ax=None: DifferenceDisplay().plot(ax),
}
