"""A race leaves out inner fits, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import FitFailedWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import Ridge
from sklearn.metrics import d2_tweedie_score, make_scorer
from sklearn.model_selection import HalvingGridSearchCV, KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import Execution, nested_cross_validate
from skaucx.model_selection.decisions._winner import select
from skaucx.model_selection.searches._race import out_of_the_race

from .records import recorded
from .unruly import Unruly

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :8]  # among more columns trees search longer
X, Y = X[:240], Y[:240]
GRID = {"max_depth": [1, 6], "min_samples_leaf": [1, 5, 90]}
TREE = DecisionTreeClassifier(random_state=0)
OPTIONS = {"outer_cv": 2, "inner_cv": 5}


def both(data=(X, Y), model=TREE, grid=GRID, **options):
    options = {"scoring": ["roc_auc", "f1"], **OPTIONS, **options}
    return [
        nested_cross_validate(model, grid, *data, **recorded(options, racing=racing))
        for racing in (None, "exact")
    ]


def same(plain, raced):
    for name in plain:
        np.testing.assert_array_equal(raced[name], plain[name])
    np.testing.assert_array_equal(raced.tuning_matrix.winners, plain.tuning_matrix.winners)
    np.testing.assert_array_equal(raced.tuning_matrix.scores, plain.tuning_matrix.scores)
    np.testing.assert_array_equal(raced.inner_means, plain.inner_means)
    np.testing.assert_array_equal(raced.winner_counts, plain.winner_counts)
    for name, response in plain.predictions.responses.items():
        np.testing.assert_array_equal(raced.predictions.responses[name], response)
    fitted = ~np.isnan(raced.inner_scores)
    np.testing.assert_array_equal(raced.inner_scores[fitted], plain.inner_scores[fitted])
    if plain.final is not None:
        assert (raced.final.params, raced.final.inner_mean, raced.final.votes) == (
            plain.final.params, plain.final.inner_mean, plain.final.votes,
        )  # fmt: skip


RUNS = {
    "vote": {"final": "vote"},
    "search": {},
    "two that choose": {"refit": ["roc_auc", "f1"]},
    "a loss": {"scoring": ["neg_brier_score", "roc_auc"]},
    "weights": {"sample_weight": np.random.default_rng(0).uniform(0.2, 2, 240)},
    "decisions": {"calibration": "sigmoid", "threshold": "f1"},
    "two jobs": {"n_jobs": 2},
    "no bound": {"scoring": {"hits": lambda m, X, y: np.mean(m.predict(X) == y)}},
    "one fold": {"inner_cv": StratifiedKFold(2)},
}


@pytest.mark.parametrize("name", RUNS)
def test_same_digits(name):
    plain, raced = both(**RUNS[name])
    same(plain, raced)
    assert plain.fits_saved == 0
    if name == "no bound":
        assert raced.fits_saved == 0
    else:
        assert raced.fits_saved > 0
    if "threshold" in RUNS[name]:
        np.testing.assert_array_equal(raced.thresholds, plain.thresholds)
        assert raced.final.estimator.threshold == plain.final.estimator.threshold


@pytest.mark.parametrize(
    "scoring",
    ["r2", "explained_variance", "neg_root_mean_squared_error", make_scorer(d2_tweedie_score)],
)
def test_numbers_have_bounds_too(scoring):
    """Of scikit-learn's scorers as well: r2 ends at 1, an error at 0."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(240, 4))
    numbers = features @ [3.0, 2, 1, 0] + rng.normal(0, 0.1, 240) + 20
    grid = {"alpha": [1e-3, 1.0, 100.0, 1e4, 1e6]}
    plain, raced = both((features, numbers), Ridge(), grid, scoring=scoring)
    same(plain, raced)
    assert raced.fits_saved > 0
    name = plain.refit[0]
    assert max(plain.interval(name)) <= (0 if name.startswith("neg") else 1)


def test_what_is_left_out_is_told():
    _, raced = both(final=None)
    skipped = np.isnan(raced.inner_scores[..., 0])
    assert raced.fits_saved == skipped.sum()
    assert f"Racing skipped {raced.fits_saved} inner fits" in raced.summary()
    for selection, row in zip(raced.selections, skipped, strict=True):
        np.testing.assert_array_equal(np.isnan(selection.means), row.any(axis=1))
        assert not selection.undefined.any()


def test_fits_are_really_left_out(tmp_path):
    grid = {"var_smoothing": [1e-9, 1e-3, 1.0, 1e3, 1e5]}
    counts = {}
    for racing in (None, "exact"):
        log = tmp_path / str(racing)
        log.mkdir()
        result = nested_cross_validate(
            Unruly(log=str(log)),
            grid,
            X,
            Y,
            scoring="roc_auc",
            execution=Execution(racing=racing),
            **recorded(OPTIONS),
        )
        counts[racing] = len(list(log.iterdir()))
    assert counts["exact"] == counts[None] - result.fits_saved < counts[None]


def test_undefined_and_failed_fits():
    """A candidate that fails on some folds falls behind those that never do."""
    grid = {"var_smoothing": [1e-9, 1.0], "act": [None, "fail"], "size": [None, 133, 134]}
    with pytest.warns(FitFailedWarning):
        plain, raced = both(model=Unruly(), grid=grid)
    same(plain, raced)
    with pytest.warns(FitFailedWarning):
        plain, raced = both(model=Unruly(), grid=grid, error_score=0.5)
    same(plain, raced)


def test_nothing_is_left_out_where_the_leader_is_undefined():
    """On rows in order of class some inner test parts hold one class: no candidate has an AUC."""
    order = np.argsort(Y, kind="stable")
    small = {"max_depth": [1, 3, 6]}
    plain, raced = both(
        (X[order], Y[order]), grid=small, scoring="roc_auc", outer_cv=2, inner_cv=KFold(4)
    )
    same(plain, raced)
    assert raced.fits_saved == 0
    assert raced.selections[0].dropped.any()


def test_resumed_by_a_run_without_a_race(tmp_path):
    options = {"scoring": "roc_auc", "memory": tmp_path, **OPTIONS}
    raced = nested_cross_validate(TREE, GRID, X, Y, **recorded(options, racing="exact"))
    kept = len(list(tmp_path.rglob("output.pkl")))
    plain = nested_cross_validate(TREE, GRID, X, Y, **recorded(options))
    same(plain, raced)
    assert len(list(tmp_path.rglob("output.pkl"))) == kept + raced.fits_saved


@pytest.mark.parametrize("seed", range(20))
def test_a_race_never_drops_the_winner(seed):
    """Whatever is done so far, whoever wins at the end is still in it; ties and nan included."""
    random = np.random.default_rng(seed)
    scores = np.round(random.beta(9, 1, (8, 5, 2)), 2)
    if seed % 2:
        scores[random.random(scores.shape) < 0.1] = np.nan
    done = random.random((8, 5)) < 0.6
    done[random.integers(8, size=2)] = True
    seen = np.where(done[..., None], scores, np.nan)
    out = out_of_the_race(seen, done, np.ones(2))
    for metric in range(2):
        assert not out[select(scores[:, :, metric]).winner]


def test_wrong_race():
    with pytest.raises(ValueError, match=r"racing .*'exact', None"):
        nested_cross_validate(GaussianNB(), {}, X, Y, execution=Execution(racing="fast"))
    search = HalvingGridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]})
    with pytest.raises(ValueError, match="every HalvingGridSearchCV runs its own fits"):
        nested_cross_validate(search, None, X, Y, execution=Execution(racing="exact"))
