"""Arrays of rows in public calls: one row too long or too short is refused by name, order is free."""

import numpy as np
import pytest

from skaucx import evaluation, inference, metrics
from skaucx import inference as comparisons
from skaucx import inference as estimation
from skaucx.metrics import curves
from skaucx.metrics.costs import example_cost_loss
from tests.annexes import is_there

RNG = np.random.default_rng(5)
N = 48
T = RNG.permutation(np.arange(N) % 2)
S = np.round(np.clip(0.3 * T + 0.7 * RNG.random(N), 0.01, 0.99), 3)
S2 = np.clip(S + RNG.normal(0, 0.1, N), 0.01, 0.99)
L, L2 = (S > 0.5) * 1, (S2 > 0.5) * 1
W = RNG.uniform(0.5, 2, N)
G = np.arange(N) // 3
COSTS = RNG.uniform(0, 5, (N, 2))
FEW = {"n_resamples": 30, "random_state": 0}


if is_there("gold"):
    from skaucx.gold import GoldLabels


def corrected(*, y_true, y_pred_or_score, **labels):
    """Return the interval of the accuracy by gold labels."""
    return inference.interval("accuracy", y_true, y_pred_or_score, gold=GoldLabels(**labels))


def profit(y_true, y_pred, amount):
    return float(np.mean((2 * y_true - 1) * y_pred * amount))


# Each call: the function, its arrays of rows by their names, other arguments, and what of the result
# does not depend on the order of the rows.
GOLD = {
    "gold": (
        corrected,
        {
            "y_true": np.where(G % 2, np.nan, T),
            "y_pred_or_score": L,
            "judge_labels": L2,
            "strata": G % 2 * 0,
        },
        {},
        tuple,
    ),
    "gold by inclusion": (
        corrected,
        {
            "y_true": np.where(G % 2, np.nan, T),
            "y_pred_or_score": L,
            "judge_labels": L2,
            "inclusion": np.full(N, 0.5),
            "has_gold": G % 2 == 0,
        },
        {},
        tuple,
    ),
}
CALLS = {
    "interval of labels": (
        inference.interval,
        {"y_true": T, "y_pred_or_score": L, "sample_weight": W, "groups": G},
        {"metric": "recall"},
        tuple,
    ),
    "interval of scores": (
        inference.interval,
        {"y_true": T, "y_pred_or_score": S, "sample_weight": W, "groups": G},
        {"metric": "brier_score"},
        tuple,
    ),
    "interval of frequency": (
        inference.interval,
        {"y_true": T, "y_pred_or_score": L, "frequency": 1 + G % 3},
        {"metric": "recall"},
        tuple,
    ),
    "interval of costs": (
        inference.interval,
        {"y_true": T, "y_pred_or_score": L, "example_costs": COSTS},
        {"metric": "example_cost"},
        tuple,
    ),
    "interval of costs and frequency": (
        inference.interval,
        {"y_true": T, "y_pred_or_score": L, "example_costs": COSTS, "frequency": 1 + G % 3},
        {"metric": "example_cost"},
        tuple,
    ),
    "interval of a function": (
        inference.interval,
        {"y_true": T, "y_pred_or_score": L, "amount": W, "groups": G},
        {"metric": profit, **FEW},
        lambda f: f.estimate,
    ),
    **(GOLD if is_there("gold") else {}),
    "evaluate": (
        evaluation.evaluate,
        {"y_true": T, "y_pred": L, "y_score": S, "sample_weight": W},
        {"metrics": ["recall", "roc_auc"]},
        dict,
    ),
    "evaluate by": (
        evaluation.evaluate,
        {"y_true": T, "y_pred": L, "y_score": S, "by": G % 2},
        {"metrics": ["recall", "roc_auc"]},
        lambda f: [dict(f[k]) for k in (0, 1)],
    ),
    "evaluate groups": (
        evaluation.evaluate,
        {"y_true": T, "y_pred": L, "groups": G},
        {"metrics": ["recall"], "intervals": True},
        lambda f: tuple(f.intervals["recall"]),
    ),
    "evaluate rejected": (
        evaluation.evaluate,
        {"y_true": T, "y_pred": L, "rejected": S < 0.3},
        {"metrics": ["coverage"]},
        dict,
    ),
    "evaluate costs": (
        evaluation.evaluate,
        {"y_true": T, "y_pred": L, "example_costs": COSTS},
        {"metrics": ["example_cost"]},
        dict,
    ),
    "evaluate threshold": (
        evaluation.evaluate,
        {"y_true": T, "y_pred": L, "y_score": S, "sample_weight": W},
        {"metrics": ["net_benefit"], "threshold": 0.3},
        dict,
    ),
    "paired test": (
        inference.paired_test,
        {"y_true": T, "y_pred_a": S, "y_pred_b": S2, "sample_weight": W, "groups": G},
        {"metric": "brier_score"},
        lambda f: f.p_value,
    ),
    "paired test of a function": (
        inference.paired_test,
        {"y_true": T, "y_pred_a": L, "y_pred_b": L2, "amount": W},
        {"metric": profit, **FEW},
        lambda f: f.difference,
    ),
    "paired bootstrap": (
        inference.paired_bootstrap_test,
        {"y_true": T, "y_pred_a": S, "y_pred_b": S2, "groups": G, "sample_weight": W},
        {"metric": "roc_auc", **FEW},
        lambda f: f.difference,
    ),
    "paired permutation": (
        comparisons.paired_permutation_test,
        {"y_true": T, "y_pred_a": S, "y_pred_b": S2, "sample_weight": W},
        {"metric": "roc_auc", **FEW},
        lambda f: f.difference,
    ),
    "permutation": (
        comparisons.permutation_test,
        {"y_true": T, "y_pred_or_score": L, "amount": W},
        {"metric": profit, **FEW},
        lambda f: f.statistic,
    ),
    "delong": (
        inference.delong_test,
        {"y_true": T, "score_a": S, "score_b": S2, "groups": G},
        {},
        lambda f: f.p_value,
    ),
    "mcnemar": (
        inference.mcnemar_test,
        {"y_true": T, "y_pred_a": L, "y_pred_b": L2},
        {},
        lambda f: f.p_value,
    ),
    "spiegelhalter": (
        comparisons.spiegelhalter_test,
        {"y_true": T, "y_proba": S, "sample_weight": W},
        {},
        lambda f: f.p_value,
    ),
    "jackknife": (
        estimation.jackknife,
        {"y_true": T, "y_pred_or_score": L, "sample_weight": W, "groups": G},
        {"metric": "f1"},
        lambda f: f.standard_error,
    ),
    "jackknife of a function": (
        estimation.jackknife,
        {"y_true": T, "y_pred_or_score": L, "amount": W, "groups": G},
        {"metric": profit},
        lambda f: f.standard_error,
    ),
    "group mean": (
        estimation.group_mean,
        {"y_true": T, "y_pred": S, "groups": G % 4, "sample_weight": W},
        {"metric": "roc_auc"},
        lambda f: f.value,
    ),
    "decision curve": (
        curves.decision_curve,
        {"y_true": T, "y_proba": S, "sample_weight": W},
        {"thresholds": [0.2, 0.5]},
        lambda f: f.net_benefit,
    ),
    "threshold curves": (
        curves.threshold_curves,
        {"y_true": T, "y_score": S, "sample_weight": W},
        {"metrics": ["recall"]},
        lambda f: f.values["recall"],
    ),
    "costs": (
        example_cost_loss,
        {"y_true": T, "y_pred": L, "example_costs": COSTS, "sample_weight": W},
        {},
        float,
    ),
    "labels": (metrics.f1_score, {"y_true": T, "y_pred": L, "sample_weight": W}, {}, float),
    "scores": (metrics.roc_auc_score, {"y_true": T, "y_score": S, "sample_weight": W}, {}, float),
}
CASES = [(name, argument) for name, call in CALLS.items() for argument in call[1]]


def flat(found):
    if isinstance(found, dict):
        found = list(found.values())
    return (
        np.hstack([flat(e) for e in found]) if isinstance(found, list) else np.asarray(found, float)
    )


@pytest.mark.filterwarnings("ignore")  # of few rows
@pytest.mark.parametrize(("name", "argument"), CASES)
def test_other_lengths_are_refused_by_name(name, argument):
    function, arrays, others, _ = CALLS[name]
    values = arrays[argument]
    for changed in (np.concatenate([values, values[:1]]), values[:-1]):
        with pytest.raises(ValueError, match=rf"(?s)(?=.*{argument})(?=.*{len(changed)})"):
            function(**{**arrays, argument: changed}, **others)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_rows_in_another_order_change_nothing(name):
    function, arrays, others, read = CALLS[name]
    rows = np.random.default_rng(1).permutation(N)
    shuffled = {argument: values[rows] for argument, values in arrays.items()}
    before, after = (flat(read(function(**each, **others))) for each in (arrays, shuffled))
    assert before.size
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-12)
