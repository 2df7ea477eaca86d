"""What predictions that know nothing are worth, beside every metric of `evaluate`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skaucx import evaluation, metrics

Y = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
PRED = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 0])
SCORE = np.array([0.1, 0.2, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.3])
WEIGHT = np.arange(1.0, 11.0)


def beside(name, **given):
    found = evaluation.evaluate(Y, PRED, SCORE, metrics=[name], baselines=True, **given)
    return {column: held[name] for column, held in found.baselines.items()}


def test_expected_tables_by_hand():
    """Seven negatives and three positives; 4 of 10 are called positive."""
    assert beside("accuracy") == pytest.approx(
        {"majority": 0.7, "prior": 0.58, "uniform": 0.5, "random": 0.7 * 0.6 + 0.3 * 0.4}
    )
    assert beside("recall") == pytest.approx(
        {"majority": 0, "prior": 0.3, "uniform": 0.5, "random": 0.4}
    )
    precision = beside("precision")
    assert np.isnan(precision.pop("majority"))
    assert list(precision.values()) == pytest.approx([0.3] * 3)
    for name in ("matthews_corrcoef", "cohen_kappa", "informedness"):
        assert all(value == 0 or np.isnan(value) for value in beside(name).values())


def test_scores_by_hand():
    assert list(beside("roc_auc").values()) == pytest.approx([0.5] * 4)
    assert list(beside("average_precision").values())[:3] == pytest.approx([0.3] * 3)
    brier = {"majority": 0.3, "prior": 0.21, "uniform": 0.25}
    brier["random"] = np.mean([(p - y) ** 2 for p in SCORE for y in Y])
    assert beside("brier_score_loss") == pytest.approx(brier)
    gaps = np.subtract.outer(SCORE, SCORE)
    scor = {"majority": 0, "prior": 0, "uniform": 0, "random": np.maximum(gaps, 0).mean()}
    assert beside("scor_auc") == pytest.approx(scor)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_random_is_the_mean_over_all_permutations(weighted):
    """Of metrics that are linear in the counts, or means over pairs, of many random orders."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, 30), rng.dirichlet(np.ones(3), 30)
    w = rng.uniform(0.5, 2, 30) if weighted else None
    names = ["accuracy", "log_loss", "roc_auc", "prob_auc"]
    given = {"metrics": names, "multi_class": "ovr"}
    found = evaluation.evaluate(y, p.argmax(axis=1), p, baselines=True, sample_weight=w, **given)
    calls, drawn = p.argmax(axis=1), {name: [] for name in names}
    several = {"sample_weight": w, "multi_class": "ovr"}
    for _ in range(2000):
        # Rows are drawn by their weights, independently of the labels.
        rows = rng.choice(30, 30, p=None if w is None else w / w.sum())
        drawn["accuracy"].append(metrics.accuracy_score(y, calls[rows], sample_weight=w))
        drawn["log_loss"].append(metrics.log_loss(y, p[rows], sample_weight=w))
        drawn["roc_auc"].append(metrics.roc_auc_score(y, p[rows], **several))
        drawn["prob_auc"].append(metrics.prob_auc_score(y, p[rows], **several))
    for name in names:
        error = np.std(drawn[name]) / np.sqrt(2000)
        assert abs(found.baselines["random"][name] - np.mean(drawn[name])) < 4 * error


def test_values_are_those_without_baselines():
    plain = evaluation.evaluate(Y, PRED, SCORE, sample_weight=WEIGHT)
    found = evaluation.evaluate(Y, PRED, SCORE, sample_weight=WEIGHT, baselines=True)
    assert dict(found) == pytest.approx(dict(plain), nan_ok=True, rel=0)
    for held in found.baselines.values():
        assert list(held) == list(plain)
        for name, value in held.items():
            low, high = found.rows[name].bounds
            assert np.isnan(value) or low <= value <= high, name


def test_columns_of_the_table_and_of_the_text():
    found = evaluation.evaluate(Y, PRED, metrics=["accuracy", "recall"], baselines=True)
    frame = found.to_frame()
    assert list(frame.columns[:5]) == ["value", "majority", "prior", "uniform", "random"]
    assert isinstance(frame, pd.DataFrame)
    assert frame.loc["accuracy", "majority"] == 0.7
    assert repr(found).splitlines()[1].split() == [
        "metric", "value", "majority", "prior", "uniform", "random", "better", "what", "it", "is",
    ]  # fmt: skip
    assert ">majority</th>" in found._repr_html_()


def test_many_classes_each():
    y, pred = np.array(list("aaabbc")), np.array(list("aabbbc"))
    found = evaluation.evaluate(y, pred, metrics=["recall"], average=None, baselines=True)
    np.testing.assert_allclose(found.baselines["prior"]["recall"], [1 / 2, 1 / 3, 1 / 6])
    np.testing.assert_allclose(found.baselines["uniform"]["recall"], [1 / 3] * 3)
    np.testing.assert_allclose(found.baselines["majority"]["recall"], [1, 0, 0])
    assert len(found.to_frame()) == 3


def test_what_has_no_baseline_is_nan():
    y = np.eye(3, dtype=int)
    found = evaluation.evaluate(y, y, metrics=["f1"], baselines=True)
    assert all(np.isnan(held["f1"]) for held in found.baselines.values())
    masked = np.ma.array(PRED, mask=Y)
    found = evaluation.evaluate(Y, masked, metrics=["coverage"], baselines=True)
    assert all(np.isnan(held["coverage"]) for held in found.baselines.values())


def test_bad_input():
    with pytest.raises(ValueError, match="baselines must be True or False"):
        evaluation.evaluate(Y, PRED, baselines="all")
