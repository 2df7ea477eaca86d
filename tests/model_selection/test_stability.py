"""How firm what a nested run found is."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.feature_selection import SelectKBest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import (
    Decisions,
    Execution,
    NestedCV,
    compare_estimators,
    conclusion_stability,
    corrected_resampled_t_test,
    feature_stability,
    fold_importances,
    nested_cross_validate,
    nested_learning_curve,
    winner_stability,
)

X, Y = make_classification(200, 6, n_informative=3, flip_y=0.1, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def kept():
    grid = {"max_depth": [1, 2, 4, 8]}
    return nested_cross_validate(
        TREE, grid, X, Y, scoring=["roc_auc", "recall"], inner_cv=3, final=None,
        execution=Execution(return_estimator=True),
    )  # fmt: skip


def test_shares_and_agreement_of_winners(kept):
    found = winner_stability(kept)
    winners = kept.winners.tolist()
    assert found.agreement == np.mean([a == b for a, b in combinations(winners, 2)])
    assert sum(found.shares["max_depth"].values()) == pytest.approx(1)
    for params in kept.winning_params:
        share = np.mean([p == params for p in kept.winning_params])
        assert found.shares["max_depth"][str(params["max_depth"])] == share
    assert f"{found.n_winners} different winners in 5 outer folds" in str(found)


def test_a_fold_that_could_not_decide_does_not_count(kept):
    undecided = replace(kept.selections[0], dropped=np.ones(3, dtype=bool))
    fewer = replace(kept, selections=(undecided, *kept.selections[1:]))
    assert winner_stability(fewer).n_folds == 4


def nogueira_of_pairs(z):
    """Return the mean over pairs of (overlap - chance) over its mean maximum, Nogueira's eq. 2 ff.

    Where all sets have k of d features the stability is Kuncheva's mean index of pairs.
    """
    k, d = z[0].sum(), z.shape[1]
    index = [(np.sum(a & b) * d - k**2) / (k * (d - k)) for a, b in combinations(z, 2)]
    return np.mean(index)


def test_nogueira_is_kunchevas_index_for_sets_of_one_size():
    z = np.array([RNG.permutation(np.arange(12) < 5) for _ in range(7)])
    assert feature_stability(z).nogueira == pytest.approx(nogueira_of_pairs(z), abs=1e-12)


def test_feature_stability_in_known_cases():
    same = feature_stability(np.tile([1, 0, 1, 0, 0], (4, 1)))
    assert (same.nogueira, same.jaccard) == (1, 1)
    assert np.isnan(tuple(same.interval)).all()  # sets that do not vary tell nothing of variance
    chance = [feature_stability(RNG.random((10, 40)) < 0.3).nogueira for _ in range(200)]
    assert abs(np.mean(chance)) < 0.01
    assert np.isnan(feature_stability(np.ones((3, 4))).nogueira)
    z = RNG.random((6, 15)) < 0.4
    jaccard = [np.sum(a & b) / np.sum(a | b) for a, b in combinations(z, 2)]
    assert feature_stability(z).jaccard == pytest.approx(np.mean(jaccard), abs=1e-12)


def test_the_interval_of_feature_stability_covers():
    """Sets of independent features with known probabilities: nominal 95 %, of 400 draws."""
    p = np.r_[np.full(10, 0.8), np.full(40, 0.1)]
    mean = p.mean()
    truth = 1 - (p * (1 - p)).mean() / (mean * (1 - mean))
    inside = [truth in feature_stability(RNG.random((40, 50)) < p).interval for _ in range(400)]
    assert 0.9 < np.mean(inside) < 0.99


@pytest.mark.parametrize("bad", [[1, 0], [[1, 0]], [[1, 2], [0, 1]], [[0.5, 1], [0, 1]]])
def test_feature_stability_refuses(bad):
    with pytest.raises(ValueError, match="selected must be a table"):
        feature_stability(bad)


def test_permutation_is_judged_on_the_outer_test_parts(kept):
    found = fold_importances(kept, X, Y, n_repeats=3, random_state=1)
    splits = list(StratifiedKFold(5).split(X, Y))
    for fold, (_, test) in enumerate(splits):
        wanted = permutation_importance(
            kept.estimators[fold], X[test], Y[test], scoring="roc_auc", n_repeats=3, random_state=1
        ).importances_mean
        np.testing.assert_allclose(found.values[fold], wanted, rtol=1e-10, atol=1e-12)
    other = fold_importances(kept, X, Y, n_repeats=3, random_state=1, scoring="recall")
    assert not np.array_equal(other.values, found.values)


def test_intervals_are_those_of_the_corrected_test(kept):
    found = fold_importances(kept, X, kind="impurity")
    for feature in range(6):
        values = found.values[:, feature]
        test = corrected_resampled_t_test(
            values, np.zeros(5), n_train=kept.n_train, n_test=kept.n_test
        )
        wanted = tuple(test.interval)
        assert tuple(found.intervals()[feature]) == pytest.approx(wanted, rel=1e-10)


def test_coefficients_and_selected_features_of_a_pipeline():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = make_pipeline(StandardScaler(), SelectKBest(k=3), LogisticRegression())
    result = nested_cross_validate(
        model, {"logisticregression__C": [0.1, 1]}, frame, Y, scoring="roc_auc", outer_cv=4,
        inner_cv=2, final=None, execution=Execution(return_estimator=True),
        decisions=Decisions(threshold="f1"),
    )  # fmt: skip
    found = fold_importances(result, frame, kind="coefficients")
    assert set(found.names) <= set("abcdef")
    assert ((~np.isnan(found.values)).sum(axis=1) == 3).all()
    inner = result.estimators[0].estimator_.estimator  # below the threshold, a frozen pipeline
    names = inner[:-1].get_feature_names_out(list("abcdef"))
    held = {n: v for n, v in zip(found.names, found.values[0], strict=True) if not np.isnan(v)}
    assert held == dict(zip(names, inner[-1].coef_[0], strict=True))
    stability = found.stability()
    assert stability.nogueira == feature_stability(~np.isnan(found.values)).nogueira
    assert found.to_frame().loc[found.names[0], "folds"] == stability.shares[0]


def test_importances_refuse(kept):
    with pytest.raises(ValueError, match="return_estimator=True"):
        fold_importances(replace(kept, estimators=()), X, Y)
    with pytest.raises(ValueError, match="DecisionTreeClassifier lacks"):
        fold_importances(kept, X, kind="coefficients")
    with pytest.raises(ValueError, match="needs y"):
        fold_importances(kept, X)
    with pytest.raises(ValueError, match="scoring must be one of"):
        fold_importances(kept, X, Y, scoring="mcc")


def test_a_learning_curve_is_nested_runs_of_parts():
    nested = NestedCV(TREE, {"max_depth": [1, 4]}, scoring=["roc_auc", "mcc"], outer_cv=3)
    curve = nested_learning_curve(nested, X, Y, train_sizes=[0.3, 1])
    whole = nested.fit(X, Y).result_
    for name in ("roc_auc", "mcc"):
        np.testing.assert_array_equal(curve.scores[name][1], whole.test_scores[name])
    np.testing.assert_array_equal(curve.optimism[1], whole.optimism)
    assert curve.train_sizes.tolist() == [[40] * 3, whole.n_train.tolist()]
    gained, low, high = curve.gain("roc_auc")
    assert low < gained < high
    assert gained == pytest.approx(np.diff(curve.means("roc_auc"))[0])
    assert list(curve.to_frame().columns[:2]) == ["n_train", "roc_auc"]
    assert curve.plot().get_ylabel() == "roc_auc"


def test_parts_of_a_learning_curve_are_stratified_nested_and_keep_groups(monkeypatch):
    seen = []
    original = NestedCV.fit

    def fit(self, *given, **options):
        seen.append(self.outer_cv)
        return original(self, *given, **options)

    monkeypatch.setattr(NestedCV, "fit", fit)
    rare = np.arange(200) % 10 == 0
    nested = NestedCV(GaussianNB(), {}, scoring="accuracy", outer_cv=2, inner_cv=2)
    nested_learning_curve(nested, X, rare, train_sizes=[0.2, 0.5, 1])
    [splits] = seen
    for fold in (0, 1):
        small, half, whole = (set(splits[2 * i + fold][0].tolist()) for i in range(3))
        assert small < half < whole
        assert sum(rare[list(small)]) == 2
        assert sum(rare[list(half)]) == 5
    seen.clear()
    groups = np.arange(200) // 7
    nested.set_params(outer_cv=GroupKFold(2), inner_cv=GroupKFold(2))
    nested_learning_curve(nested, X, Y, train_sizes=[0.3, 1], groups=groups)
    for train, _ in seen[0][:2]:
        rest = np.setdiff1d(seen[0][2][0], train)
        assert not set(groups[train]) & set(groups[rest]) - set(groups[seen[0][2][1]])
    with pytest.raises(ValueError, match="rising shares"):
        nested_learning_curve(nested, X, Y, train_sizes=[0.5, 0.2])


@pytest.fixture(scope="module")
def compared():
    x, y = load_breast_cancer(return_X_y=True)
    models = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    return compare_estimators(models, x[:, :4], y, scoring=["roc_auc", "recall"], outer_cv=cv)


def test_conclusions_by_fold_metric_and_seed(compared):
    found = conclusion_stability(compared)
    for metric in ("roc_auc", "recall"):
        scores = compared.scores(metric)
        names = np.array(compared.names)
        best = names[scores.mean(axis=1).argmax()]
        assert found.best[metric] == best
        assert found.changes("fold", metric) == np.mean(names[scores.argmax(axis=0)] != best)
        seeds = scores.reshape(2, 4, 3).mean(axis=2)
        assert found.changes("seed", metric) == np.mean(names[seeds.argmax(axis=0)] != best)
    assert found.changes("metric", "recall") == (found.best["recall"] != found.best["roc_auc"])
    assert found.to_frame().shape == (2, 4)
    assert "another estimator is best" in str(found)


def test_conclusions_by_group(compared):
    site = np.arange(569) % 3
    found = conclusion_stability(compared, groups=site)
    for group in range(3):
        values = []
        for result in compared.results.values():
            p = result.predictions
            rows = site[p.row] == group
            values.append(roc_auc_score(p.y_true[rows], p.responses["predict_proba"][rows, 1]))
        best = compared.names[int(np.argmax(values))]
        assert found.views["group"]["roc_auc"][group] == best
    with pytest.raises(ValueError, match=r"groups .*569, found 3"):
        conclusion_stability(compared, groups=[0, 1, 2])


def test_conclusions_refuse(compared, kept):
    with pytest.raises(ValueError, match="two estimators or more"):
        conclusion_stability({"tree": kept})
    with pytest.raises(ValueError, match="same outer folds and metrics"):
        conclusion_stability({"tree": kept, "bayes": compared.results["bayes"]})
