"""What other choices among the candidates would have made of a score, and of its interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import LinearSVC

from skaucx.evaluation import evaluate
from skaucx.metrics import get_scorer
from skaucx.model_selection import Execution, nested_cross_validate
from skaucx.model_selection.results._statistics import (
    SamplingVariance,
    SelectionEffect,
    choice_law,
    choice_of,
    fold_interval,
    nested_variance,
)

NAN = np.nan
X, Y = make_classification(150, n_features=6, flip_y=0.2, weights=[0.7], random_state=0)
GRID = {"C": [0.001, 1.0]}


def inner(gap, spread, seed=0):
    """Scores of two candidates, the first better by `gap`."""
    scores = np.random.default_rng(seed).normal(0.8, spread, (5, 2, 5))
    scores[:, 0] += gap - scores[:, 0].mean() + scores[:, 1].mean()
    return scores


def test_the_law_of_the_choice():
    alike = choice_law(inner(0.0, 0.05))
    np.testing.assert_allclose(alike.sum(axis=1), 1)
    assert 0.35 < alike[:, 0].mean() < 0.65
    assert (choice_law(inner(0.5, 0.05))[:, 0] == 1).all()
    # Two normal means apart by one standard deviation of what is drawn for both.
    scores = inner(0.0, 0.05)
    difference = scores[:, 0] - scores[:, 1]
    variance = difference.var(axis=1, ddof=1).mean() * (1 / 5 + 1 / 4)
    scores[:, 0] += np.sqrt(2 * variance)
    assert choice_law(scores)[:, 0].mean() == pytest.approx(0.841, abs=0.06)


def test_the_law_is_the_same_for_the_same_scores():
    np.testing.assert_array_equal(choice_law(inner(0.01, 0.05)), choice_law(inner(0.01, 0.05)))


def test_candidates_that_are_undefined_are_not_chosen():
    scores = inner(-0.1, 0.05)
    scores[2, 1, 3] = NAN
    assert (choice_law(scores)[:, 0] == 1).all()
    scores[2, 0, 3] = NAN  # the whole fold
    assert choice_law(scores)[:, 0].mean() < 0.5
    assert not choice_law(np.full((5, 2, 5), NAN)).any()


def test_scores_are_moved_to_what_all_candidates_would_give():
    law = np.array([[0.5, 0.5], [0.7, 0.3]])
    own = np.broadcast_to([[[0.1], [0.5]]], (3, 2, 4))
    found = choice_of(law, own, np.array([0, 0, 1]))
    np.testing.assert_allclose(found.shift, [0.16, 0.16, -0.24])
    assert found.variance == pytest.approx(0.04**2 / 2)
    assert choice_of(law, np.full((3, 2, 4), NAN), np.zeros(3, dtype=int)) is None


def test_an_interval_knows_of_other_choices():
    """Five folds that agree on a recall of .02 show no sign of a candidate with .4."""
    scores, sizes = np.full(5, 0.02), (np.full(5, 80), np.full(5, 20))
    noise = SamplingVariance(
        0.02 * 0.98 / 30, 0.02 * 0.98 / 6, 30, 30, "binomial variance", True, 0.0
    )
    alone = fold_interval(scores, *sizes, noise, (0, 1))
    found = fold_interval(
        scores, *sizes, noise, (0, 1), choice=SelectionEffect(np.full(5, 0.15), 0.01)
    )
    assert alone.high < 0.2 < 0.35 < found.high
    assert found.low <= found.estimate == alone.estimate == pytest.approx(0.02)
    same = fold_interval(scores, *sizes, noise, (0, 1), choice=SelectionEffect(np.zeros(5), 0.0))
    np.testing.assert_allclose([*same], [*alone])


@pytest.fixture(scope="module")
def result():
    scoring = {"auc": "roc_auc", "recall": "recall", "f1": get_scorer("f1"), "acc": "accuracy"}
    return nested_cross_validate(
        LogisticRegression(), GRID, X, Y, scoring=scoring, inner_cv=3, final=None
    )


def test_inner_scores_of_all_metrics(result):
    assert list(result.inner_others) == ["recall", "f1", "acc"]
    assert result.inner_others["recall"].shape == result.inner_scores.shape[:3]
    chosen = nested_cross_validate(
        LogisticRegression(), GRID, X, Y, scoring=["roc_auc", "recall"], refit="recall", inner_cv=3,
        final=None,
    )  # fmt: skip
    np.testing.assert_array_equal(result.inner_others["recall"], chosen.inner_scores[..., 0])


def test_intervals_use_them(result):
    assert result.interval("recall").method.endswith("choice of candidates")
    without = replace(result, inner_others={})
    assert without.interval("recall").method == "folds, binomial variance"
    assert tuple(without.interval("auc")) == tuple(result.interval("auc"))
    assert tuple(without.interval("recall")) != tuple(result.interval("recall"))
    for name in result.test_scores:
        low, high = result.interval(name)
        assert 0 <= low <= result.statistics(name).mean <= high <= 1
        assert low < high


@pytest.mark.filterwarnings("ignore:The metric .loss. raised:UserWarning")
def test_other_metrics_that_raise_or_are_foreign_change_nothing():
    """Log loss raises where the model has no probabilities; scikit-learn's metrics run outside only."""
    from sklearn.metrics import make_scorer

    foreign = make_scorer(lambda y_true, y_pred: float(np.mean(y_true == y_pred)))
    scoring = {"auc": "roc_auc", "loss": "neg_log_loss", "share": foreign, "recall": "recall"}
    found = nested_cross_validate(
        LinearSVC(),
        GRID,
        X,
        Y,
        scoring=scoring,
        inner_cv=3,
        final=None,
        execution=Execution(error_score=NAN),
    )
    assert list(found.inner_others) == ["loss", "recall"]
    assert np.isnan(found.inner_others["loss"]).all()
    assert all(failure.stage == "outer" for failure in found.failures)
    assert np.isfinite([*found.interval("recall")]).all()


def test_what_a_learned_cut_adds_to_recall(result):
    """By hand: the recall of pooled labels, cut one standard deviation higher and lower."""
    p = result.predictions
    score = np.log(p.responses["predict_proba"][:, 1] / p.responses["predict_proba"][:, 0])
    share, n = Y.mean(), len(Y)
    step = 1 / np.sqrt(n * share * (1 - share))
    cut = [
        evaluate(p.y_true, 1 * (score + d > 0), metrics=["recall"])["recall"] for d in (step, -step)
    ]
    slope = (cut[0] - cut[1]) / (2 * step)
    own = np.where(p.y_true == 1, p.y_pred - p.y_pred[p.y_true == 1].mean(), 0) / (n * share)
    learned = (p.y_true - share) / (n * share * (1 - share))
    expected = np.sum((own + slope * learned) ** 2) - np.sum(own**2)
    found = result.statistics("recall").noise()
    assert found.learned == pytest.approx(max(expected, 0), rel=1e-6, abs=1e-12)
    assert np.isnan(result.statistics("auc").noise().learned)


def test_the_variance_by_inner_folds():
    """The error of an inner estimate of known error is found, and kept between v and K v."""
    rng, sizes = np.random.default_rng(0), (np.full(4000, 80), np.full(4000, 20))
    outer, inner = rng.normal(0.7, 0.1, 4000), rng.normal(0.7, 0.08, (4000, 1))
    for of_mean in (0.002, 0.01, 0.001):
        noise = SamplingVariance(of_mean, 0.01, NAN, 30, "delta method")
        found = nested_variance(outer, inner, *sizes, noise)
        assert found == pytest.approx(np.clip(0.8 * 0.08**2, of_mean, 5 * of_mean), rel=0.1)


def test_the_interval_by_inner_folds(result):
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    found = nested_cross_validate(
        LogisticRegression(), {}, X, Y, scoring=["accuracy", "roc_auc"], outer_cv=folds, inner_cv=3,
        final=None,
    )  # fmt: skip
    for name in ("accuracy", "roc_auc"):
        one = found.interval(name, method="nested")
        assert one.method == "nested, repeated folds"
        assert 0 <= one.low < one.estimate == found.interval(name).estimate < one.high <= 1
        noise = found.statistics(name).noise()
        assert np.sqrt(noise.of_mean) <= one.standard_error <= np.sqrt(5 * noise.of_mean)
    with pytest.raises(ValueError, match="needs 20 outer folds"):
        result.interval("recall", method="nested")
    with pytest.raises(ValueError, match="method must be one of"):
        result.interval("recall", method="bates")
    with pytest.raises(ValueError, match="inner scores"):
        replace(result, inner_others={}).interval("recall", method="nested")
