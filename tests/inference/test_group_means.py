"""group_mean: metrics of the ranking within groups, their mean, interval, test and scorer."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from skaucx.evaluation import evaluate
from skaucx.inference import group_mean, group_mean_test
from skaucx.metrics import get_scorer, group_scorer
from skaucx.model_selection import Execution, nested_cross_validate
from tests.closeness import rounding

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "group_rankings.json").read_text())
NAMES = {"precision": "precision_at_k", "recall": "recall_at_k"}
RNG = np.random.default_rng(5)
QUERY = RNG.integers(40, size=400)
Y = RNG.integers(2, size=400)
TIED = RNG.integers(4, size=400) / 4 + Y / 8
SCORE = RNG.random(400) + Y / 4


@pytest.mark.parametrize("package", ["ranx", "pytrec_eval"])
def test_values_of_ranx_and_of_pytrec_eval(package):
    relevance = np.array(GOLDEN["relevance"])
    for name, wanted in GOLDEN["values"][package].items():
        metric, _, k = name.partition("@")
        true = relevance if metric == "ndcg" else (relevance > 0).astype(int)
        options = {"k": int(k)} if k else {}
        found = group_mean(
            NAMES.get(metric, metric), true, GOLDEN["score"], groups=GOLDEN["query"], **options
        )
        assert found.values == pytest.approx(list(wanted.values()), abs=1e-12), (package, name)
        assert found.metric == name


def over_orders(metric, y, score, k):
    """The mean over all orders of tied rows, by definition."""
    values = []
    for order in itertools.permutations(range(len(y))):
        if (np.diff(score[list(order)]) > 0).any():
            continue
        top = y[list(order)]
        ranks = np.flatnonzero(top[:k]) + 1
        if metric == "reciprocal_rank":
            values.append(1 / ranks[0] if len(ranks) else 0.0)
        elif metric == "hit_rate":
            values.append(float(len(ranks) > 0))
        else:
            values.append(len(ranks) / (k if metric == "precision_at_k" else y.sum()))
    return np.mean(values)


def test_ties_take_the_mean_over_their_orders():
    y = np.array([0, 1, 0, 1, 0, 0, 1, 0, 1])
    score = np.array([1.0, 1, 1, 2, 2, 2, 0, 0, 0])[::-1]
    group = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
    for metric in ("reciprocal_rank", "hit_rate", "precision_at_k", "recall_at_k"):
        for k in (1, 2, 3):
            found = group_mean(metric, y, score, groups=group, k=k).values
            wanted = [over_orders(metric, y[group == g], score[group == g], k) for g in (0, 1)]
            assert found == pytest.approx(wanted, abs=1e-12), (metric, k)


def test_values_of_scikit_learn_within_each_group_also_tied():
    relevance = RNG.integers(4, size=400)
    for score in (SCORE, TIED):
        for k in (None, 3):
            found = group_mean("ndcg", relevance, score, groups=QUERY, k=k)
            kept = found.defined & (found.sizes > 1)
            wanted = [
                ndcg_score([relevance[q == QUERY]], [score[q == QUERY]], k=k)
                for q in found.groups[kept]
            ]
            assert found.values[kept] == pytest.approx(wanted, abs=1e-12)
        for metric, function in (
            ("roc_auc", roc_auc_score),
            ("average_precision", average_precision_score),
        ):
            found = group_mean(metric, Y, score, groups=QUERY)
            wanted = [
                function(Y[q == QUERY], score[q == QUERY]) for q in found.groups[found.defined]
            ]
            assert found.values[found.defined] == pytest.approx(wanted, abs=1e-12)


def test_exponential_gain():
    relevance = RNG.integers(4, size=400)
    plain = group_mean("ndcg", 2.0**relevance - 1, SCORE, groups=QUERY, k=4)
    found = group_mean("ndcg", relevance, SCORE, groups=QUERY, k=4, gain="exponential")
    assert np.array_equal(found.values, plain.values)


def test_any_other_metric_group_by_group():
    called = np.where(SCORE > 0.6, "yes", "no")
    true = np.where(Y == 1, "yes", "no")
    for name in ("recall", "f1", "cohen_kappa"):
        found = group_mean(name, true, called, groups=QUERY, pos_label="yes") if name != "cohen_kappa" \
            else group_mean(name, true, called, groups=QUERY)  # fmt: skip
        own = {} if name == "cohen_kappa" else {"pos_label": "yes"}
        each = evaluate(true, called, metrics=[get_scorer(name, **own)], by=QUERY)
        for group, value in zip(found.groups.tolist(), found.values, strict=True):
            if not np.isnan(value):
                assert value == next(iter(each[group].values())), (name, group)
    # Weighted rows take the same way for AUCs.
    weight = RNG.integers(1, 4, 400)
    found = group_mean("roc_auc", Y, SCORE, groups=QUERY, sample_weight=weight)
    q = found.groups[found.defined][0]
    mine = q == QUERY
    assert found.values[found.groups == q][0] == pytest.approx(
        roc_auc_score(Y[mine], SCORE[mine], sample_weight=weight[mine])
    )


def test_rows_in_any_order_and_groups_of_any_type():
    order = RNG.permutation(400)
    names = np.array([f"u{q:02d}" for q in QUERY])
    for metric, own in (("roc_auc", {}), ("reciprocal_rank", {}), ("ndcg", {"k": 3})):
        first = group_mean(metric, Y, TIED, groups=QUERY, **own)
        other = group_mean(metric, Y[order], TIED[order], groups=pd.Series(names[order]), **own)
        assert other.groups.tolist() == [f"u{q:02d}" for q in first.groups]
        assert np.allclose(first.values, other.values, rtol=0, atol=rounding(20), equal_nan=True)


def test_undefined_groups_are_named_and_left_out():
    y, group = [1, 0, 0, 0, 1, 1], ["a", "a", "b", "b", "c", "c"]
    found = group_mean("roc_auc", y, [3.0, 1, 2, 1, 1, 2], groups=group)
    assert found.value == 1
    assert found.undefined.tolist() == ["b", "c"]
    assert "undefined in 2 groups: b, c" in repr(found)
    assert np.isnan(found.interval().low)
    assert "fewer than two groups" in found.interval().note
    assert found.to_frame()["rows"].tolist() == [2, 2, 2]


@pytest.mark.parametrize(("n", "shown"), [(5, "b, c, d, e, f"), (6, "b, c, d, e, f, ...")])
def test_five_undefined_groups_are_named_and_no_more(n, shown):
    y, groups = [1, 0] + 2 * n * [0], np.repeat(list("abcdefg"[: n + 1]), 2)
    found = group_mean("roc_auc", y, np.arange(2.0 * n + 2), groups=groups)
    assert repr(found).endswith(f"undefined in {n} groups: {shown}")


def test_the_interval_is_that_of_a_mean_of_groups():
    found = group_mean("average_precision", Y, SCORE, groups=QUERY)
    values = found.values[found.defined]
    wanted = stats.t.interval(0.9, len(values) - 1, values.mean(), stats.sem(values))
    assert tuple(found.interval(0.9)) == pytest.approx(wanted)
    weighted = group_mean("average_precision", Y, SCORE, groups=QUERY, average="weighted")
    assert weighted.value == pytest.approx(np.average(values, weights=found.sizes[found.defined]))
    low, high = group_mean("reciprocal_rank", [1, 0, 0, 1, 1, 0], [2, 1, 2, 1, 2, 1],
                           groups=[0, 0, 1, 1, 2, 2]).interval()  # fmt: skip
    assert 0 <= low < high <= 1


def test_groups_of_value_zero_are_compared():
    y, groups = np.tile([0, 0, 1], 4), np.repeat(np.arange(4), 3)
    scores = np.tile([1, 2, 3], 4), np.r_[3, 2, 1, 1, 3, 2, 3, 2, 1, 1, 2, 3]
    one, other = (group_mean("roc_auc", y, 1.0 * score, groups=groups).values for score in scores)
    assert other.tolist() == [0, 0.5, 0, 1]
    found = group_mean_test("roc_auc", y, *scores, groups=groups)
    wanted = stats.ttest_rel(one, other)
    assert (found.statistic, found.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert found.estimates == (1, 0.375)


def test_the_interval_covers_the_mean_over_further_groups():
    rng, hits, runs = np.random.default_rng(0), 0, 300
    for _ in range(runs):
        ability = rng.normal(1, 1, 40)[:, None]
        y = np.tile([1, 1, 1, 0, 0, 0, 0], (40, 1))
        score = rng.normal(size=y.shape) + y * ability
        low, high = group_mean(
            "roc_auc", y.ravel(), score.ravel(), groups=np.repeat(np.arange(40), 7)
        ).interval()
        hits += low <= stats.norm.cdf(1 / np.sqrt(3)) <= high
    assert hits / runs == pytest.approx(0.95, abs=3.3 * np.sqrt(0.95 * 0.05 / runs))


def test_two_models_over_the_same_groups():
    other = RNG.random(400)
    found = group_mean_test("roc_auc", Y, SCORE, other, groups=QUERY)
    a, b = (group_mean("roc_auc", Y, s, groups=QUERY) for s in (SCORE, other))
    wanted = stats.ttest_rel(a.values[a.defined], b.values[b.defined])
    assert (found.statistic, found.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert found.interval == pytest.approx(tuple(wanted.confidence_interval()))
    assert found.estimates == pytest.approx((a.value, b.value))


class ByColumn(ClassifierMixin, BaseEstimator):
    """Scores are the second column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 1]


def test_scorers_of_the_mean_over_groups():
    X = np.column_stack([QUERY, SCORE])
    model = ByColumn().fit(X, Y)
    for metric, own in (("roc_auc", {}), ("average_precision", {}), ("ndcg", {"k": 5}),
                        ("reciprocal_rank", {}), ("hit_rate", {"k": 1})):  # fmt: skip
        scorer = group_scorer(metric, "mean", by=lambda X: X[:, 0], **own)
        assert scorer(model, X, Y) == pytest.approx(
            group_mean(metric, Y, SCORE, groups=QUERY, **own).value
        )
    slow = group_scorer("roc_auc", "mean", by=lambda X: X[:, 0])(
        model, X, Y, sample_weight=np.ones(400)
    )
    assert slow == pytest.approx(group_mean("roc_auc", Y, SCORE, groups=QUERY).value)
    labels = np.where(Y == 1, "hit", "miss")  # the positive class is the lesser one
    scorer = group_scorer("reciprocal_rank", "mean", by=lambda X: X[:, 0], pos_label="hit")
    wanted = group_mean("reciprocal_rank", Y, -SCORE, groups=QUERY).value
    assert scorer(ByColumn().fit(X, labels), X, labels) == pytest.approx(wanted)


def test_nested_runs_choose_by_a_mean_over_the_groups_of_the_run():
    X = np.column_stack([SCORE, RNG.normal(size=400)])
    labels = np.where(Y == 1, "hit", "miss")
    scoring = {
        "mrr": group_scorer("reciprocal_rank", "mean").set_score_request(by="groups"),
        "gauc": group_scorer("roc_auc", "mean").set_score_request(by="groups"),
    }
    result = nested_cross_validate(
        LogisticRegression(), {"C": [1e-3, 1]}, X, labels, groups=QUERY, scoring=scoring, refit="mrr",
        pos_label="hit", outer_cv=GroupKFold(3), inner_cv=GroupKFold(2),
        execution=Execution(return_estimator=True),
    )  # fmt: skip
    for fold, (_, test) in enumerate(GroupKFold(3).split(X, labels, QUERY)):
        score = result.estimators[fold].predict_proba(X[test])[:, 0]
        for name, metric in (("mrr", "reciprocal_rank"), ("gauc", "roc_auc")):
            wanted = group_mean(
                metric, labels[test], score, groups=QUERY[test], pos_label="hit"
            ).value
            assert result.test_scores[name][fold] == pytest.approx(wanted), name


def test_bad_input():
    for error, text, metric, y, own in (
        (ValueError, "two classes", "reciprocal_rank", [0, 2, 1], {}),
        (ValueError, "0 or more", "ndcg", [-1, 1, 0], {}),
        (ValueError, "k must", "ndcg", [0, 1, 0], {"k": 0}),
        (TypeError, "needs the number", "hit_rate", [0, 1, 0], {}),
        (TypeError, "takes", "ndcg", [0, 1, 0], {"beta": 1}),
        (ValueError, "sample_weight", "ndcg", [0, 1, 0], {"sample_weight": [1, 1, 1]}),
        (ValueError, "groups", "ndcg", [0, 1, 0], {"groups": [1, 1]}),
        (ValueError, "average", "ndcg", [0, 1, 0], {"average": "micro"}),
        (ValueError, "pos_label", "roc_auc", ["a", "b", "a"], {}),
    ):
        with pytest.raises(error, match=text):
            group_mean(metric, y, [0.1, 0.4, 0.2], **{"groups": [1, 1, 1], **own})


@pytest.mark.parametrize(
    ("name", "within"),
    [("mrr", "reciprocal_rank"), ("gauc", "roc_auc"), ("map", "average_precision")],
)
def test_names_of_means_over_groups(name, within):
    rng = np.random.default_rng(0)
    y, score, groups = rng.integers(0, 2, 40), rng.normal(size=40), np.arange(40) // 8
    found = group_mean(name, y, score, groups=groups)
    np.testing.assert_array_equal(found.values, group_mean(within, y, score, groups=groups).values)
    if name != "map":
        with pytest.raises(ValueError, match=f"group_mean.'{within}'"):
            get_scorer(name)
