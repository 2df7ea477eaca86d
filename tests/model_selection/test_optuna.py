"""Optuna's trials inside the flat pool."""

from __future__ import annotations

import sys
from collections import Counter

import joblib
import numpy as np
import pytest
from scipy.stats import randint
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import (
    NestedCV,
    OptunaSearch,
    compare_estimators,
    nested_cross_validate,
    winner_stability,
)

from .records import recorded
from .unruly import Unruly

optuna = pytest.importorskip("optuna")

X, Y = make_classification(160, 6, n_informative=3, flip_y=0.1, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
SPACE = {
    "max_depth": optuna.distributions.IntDistribution(1, 8),
    "min_samples_leaf": optuna.distributions.IntDistribution(1, 40, log=True),
    "criterion": ["gini", "entropy"],
}


def search(n_trials=12, **options):
    return OptunaSearch(SPACE, n_trials=n_trials, **options)


def run(given, **options):
    options = {"scoring": "roc_auc", "outer_cv": 3, "inner_cv": 4, "final": None, **options}
    return nested_cross_validate(TREE, given, X, Y, **recorded(options))


def same(a, b):
    np.testing.assert_array_equal(a["test_roc_auc"], b["test_roc_auc"])
    assert a.winning_params == b.winning_params
    for mine, other in zip(a.searches, b.searches, strict=True):
        assert mine.keys() == other.keys()
        for key in mine:
            np.testing.assert_array_equal(mine[key], other[key])


def test_a_study_is_what_ask_and_tell_by_hand_is():
    """Of the first outer fold: the same trials, the same means, the same winner."""
    result = run(search())
    train, _ = next(iter(StratifiedKFold(3).split(X, Y)))
    study = optuna.create_study(direction="maximize")
    plan = search()
    for number in range(12):
        study.sampler = plan.sampler_of(0, number)
        trial, params = plan.ask(study)
        model = DecisionTreeClassifier(random_state=0, **params)
        study.tell(
            trial, cross_val_score(model, X[train], Y[train], scoring="roc_auc", cv=4).mean()
        )
    assert result.searches[0]["params"] == [trial.params for trial in study.trials]
    values = [trial.value for trial in study.trials]
    np.testing.assert_allclose(result.searches[0]["mean_test_score"], values, rtol=1e-12)
    assert result.inner_means[0] == pytest.approx(study.best_value, rel=1e-12)
    winner = result.searches[0]["params"][int(np.argmax(values))]
    assert result.winning_params[0] == winner


@pytest.mark.parametrize("racing", [None, "exact"])
def test_same_digits_for_any_number_of_jobs(racing):
    with joblib.parallel_config("threading"):
        same(run(search(), racing=racing), run(search(), racing=racing, n_jobs=3))


def test_final_model_comes_of_a_study_of_all_data():
    nested = NestedCV(TREE, search(), scoring="roc_auc", outer_cv=3, inner_cv=4).fit(X, Y)
    assert nested.result_.final.rule == "search"
    assert nested.best_params_ == nested.result_.candidates[nested.best_index_]
    assert nested.predict(X).shape == (160,)
    with pytest.raises(ValueError, match="OptunaSearch finds its own"):
        run(search(), final="vote")


def test_a_race_gives_up_trials_that_cannot_win():
    raced = run(search(20), racing="exact")
    assert raced.fits_saved > 0
    for table in raced.searches:
        folds = np.column_stack([table[f"split{i}_test_score"] for i in range(4)])
        pruned = table["pruned"]
        assert pruned.any()
        np.testing.assert_array_equal(pruned, np.isnan(folds).any(axis=1))
        # The best that a pruned trial could have reached is less than what won.
        hoped = np.nan_to_num(folds[pruned], nan=1.0).mean(axis=1)
        assert hoped.max() < np.nanmax(table["mean_test_score"])


def test_pruners_of_optuna():
    pruner = optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1)
    table = run(search(20, pruner=pruner)).searches[0]
    assert table["pruned"][3:].any()
    assert not table["pruned"][:3].any()
    assert not np.isnan(table["split1_test_score"]).any()  # a step to warm up


def test_memory_resumes(tmp_path):
    """A run that was killed asks for the same trials, whose fits are there; one may ask for more."""
    log = tmp_path / "log"
    log.mkdir()
    space = {"var_smoothing": optuna.distributions.FloatDistribution(1e-9, 1e3, log=True)}
    options = {"scoring": "roc_auc", "outer_cv": 3, "inner_cv": 4, "final": None}

    def found(n_trials, memory=None):
        given = recorded({**options, "memory": memory})
        plan = OptunaSearch(space, n_trials=n_trials)
        return nested_cross_validate(Unruly(log=str(log)), plan, X, Y, **given)

    def n_fits(n_trials):
        before = len(list(log.iterdir()))
        same(found(n_trials, tmp_path / "kept"), wanted[n_trials])
        return len(list(log.iterdir())) - before

    wanted = {n_trials: found(n_trials) for n_trials in (3, 5)}
    assert n_fits(3) == 3 * 3 * 4 + 3
    assert n_fits(3) == 0
    assert 3 * 2 * 4 <= n_fits(5) <= 3 * 2 * 4 + 3


def test_thresholds_are_chosen_inside():
    found = run(search(4), threshold="f1", scoring=["roc_auc", "f1"])
    assert not np.isnan(found.thresholds).any()
    assert (found["test_f1"] != found.plain_scores["f1"]).any()


def test_several_metrics_choose_among_the_same_trials():
    result = run(search(), scoring=["roc_auc", "recall", "mcc"], refit=["roc_auc", "recall"])
    table = result.searches[1]
    assert len(table["params"]) == 12
    winners = result.tuning_matrix.winning_params
    for name in ("roc_auc", "recall"):
        best = table["params"][int(np.argmax(table[f"mean_test_{name}"]))]
        assert winners[name][1] == best
    assert "test_mcc" in result


def test_a_function_as_space_and_a_sampler_of_ones_own():
    def space(trial):
        if trial.suggest_categorical("deep", [True, False]):
            return {"max_depth": 8}
        return {"max_depth": trial.suggest_int("depth", 1, 3)}

    plan = OptunaSearch(space, n_trials=3, sampler=optuna.samplers.RandomSampler)
    first = run(plan)
    same(first, run(plan))
    assert {"max_depth"} == set(first.winning_params[0])


def test_failed_trials_are_told_and_left_out():
    space = {"n_neighbors": [1, 100_000]}
    with pytest.warns(FitFailedWarning, match="inner fits"):
        result = nested_cross_validate(
            KNeighborsClassifier(), OptunaSearch(space, n_trials=6), X, Y, scoring="accuracy",
            outer_cv=2, inner_cv=2, final=None,
        )  # fmt: skip
    assert [params["n_neighbors"] for params in result.winning_params] == [1, 1]
    assert result.failures


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_trials": 0}, ValueError, "n_trials must be a whole number >= 1"),
        ({"random_state": -1}, ValueError, "random_state must be a whole number >= 0"),
        ({"space": {}}, TypeError, "space must be a dict"),
        ({"space": {"max_depth": 3}}, TypeError, r"space\['max_depth'\] must be a distribution"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        run(OptunaSearch(**{"space": SPACE, "n_trials": 2, **options}))


def test_without_optuna_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"skaucx\[optuna\]"):
        run(search(2))


def test_trials_in_a_comparison():
    options = {"scoring": "roc_auc", "outer_cv": 3, "inner_cv": 4}
    found = compare_estimators(
        {"trials": (TREE, search(4)), "stump": TREE}, X, Y, **recorded(options)
    )
    same(found.results["trials"], run(search(4)))


def test_trials_with_the_same_parameters_are_one_candidate():
    """Winners of different studies are compared by parameters, in counts, votes and stability."""
    plan = OptunaSearch({"max_depth": [2, 3]}, n_trials=6)
    result = run(plan, final="search", outer_cv=5, scoring=["roc_auc", "mcc"], refit="roc_auc")
    depths = [params["max_depth"] for params in result.winning_params]
    assert len(set(depths)) < len(depths)
    assert len(result.candidates) == len({params["max_depth"] for params in result.candidates})
    counts = {
        params["max_depth"]: times
        for params, times in zip(result.candidates, result.winner_counts.tolist(), strict=True)
    }
    assert counts == {depth: depths.count(depth) for depth in counts}
    assert result.final.votes == depths.count(result.final.params["max_depth"])
    assert winner_stability(result).n_winners == len(set(depths))
    assert f"by {result.final.votes} of 5 outer folds" in " ".join(result.summary().split())
    means = [max(table["mean_test_score"]) for table in result.searches]
    np.testing.assert_allclose(result.inner_means, means)


def test_every_search_counts_equal_winners_alike():
    """The parameters alone say whether two outer folds chose the same."""
    grid = {"max_depth": [1, 2, 3]}
    given = [
        (TREE, grid, {}),
        (
            RandomizedSearchCV(TREE, {"max_depth": randint(1, 4)}, n_iter=6, random_state=0),
            None,
            {},
        ),
        (TREE, OptunaSearch(grid, n_trials=6), {}),
        (GridSearchCV(TREE, grid, scoring="roc_auc", cv=3), None, {"inner_cv": None}),
        (
            HalvingGridSearchCV(TREE, grid, scoring="roc_auc", cv=3, random_state=0),
            None,
            {"inner_cv": None},
        ),
    ]
    for model, space, options in given:
        options = {"inner_cv": 3, **options}
        result = nested_cross_validate(
            model, space, X, Y, scoring="roc_auc", outer_cv=4, final="search", **recorded(options)
        )
        chosen = [repr(sorted(params.items())) for params in result.winning_params]
        assert sorted(result.winner_counts[result.winner_counts > 0].tolist()) == sorted(
            Counter(chosen).values()
        ), (model, space)
        assert winner_stability(result).n_winners == len(set(chosen))
        assert result.final.votes == chosen.count(repr(sorted(result.final.params.items())))
