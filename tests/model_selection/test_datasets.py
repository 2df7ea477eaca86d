"""Comparisons over many data sets: scores, ranks, the Bayesian signed-rank test."""

from __future__ import annotations

from dataclasses import replace

import joblib
import matplotlib as mpl
import numpy as np
import pytest
from scipy import special
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skaucx.inference import nemenyi_test
from skaucx.model_selection import (
    Execution,
    bayesian_correlated_t_test,
    bayesian_hierarchical_test,
    bayesian_signed_rank_test,
    compare_estimators,
    compare_over_datasets,
    nested_cross_validate,
)
from skaucx.model_selection.comparisons._bayes import _density_of_degrees, _regions, rope_of
from skaucx.model_selection.execution import _executor
from tests.closeness import rounding

mpl.use("Agg")
LOADERS = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
DATA = {name: load(return_X_y=True) for name, load in LOADERS.items()}
MODELS = {
    "bayes": GaussianNB(),
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}),
    "neighbours": KNeighborsClassifier(),
}
OPTIONS = {"scoring": ["accuracy", "neg_log_loss"], "outer_cv": 3, "inner_cv": 2}


@pytest.fixture(scope="module")
def found():
    return compare_over_datasets(MODELS, DATA, **OPTIONS)


def test_each_data_set_is_a_comparison_of_its_own(found):
    for row, (X, y) in enumerate(DATA.values()):
        alone = compare_estimators(MODELS, X, y, **OPTIONS)
        for metric in found.metrics:
            np.testing.assert_array_equal(
                found.scores(metric)[row], np.nanmean(alone.scores(metric), axis=1)
            )
    assert found.to_frame("accuracy").shape == (3, 3)
    assert found.to_frame().loc["wine", "bayes"] == found.scores()[2, 0]


def test_ranks_and_picture(found):
    ranks = nemenyi_test(found.scores("neg_log_loss"), names=found.names)
    np.testing.assert_array_equal(found.rank_test("neg_log_loss").p_values, ranks.p_values)
    display = found.plot_critical_difference("neg_log_loss", test="nemenyi")
    np.testing.assert_array_equal(display.result.mean_ranks, ranks.mean_ranks)
    text = found.summary()
    assert "3 data sets, 3 estimators" in text
    for name in (*found.names, *DATA, "mean rank", *found.metrics):
        assert name in text


def test_resumed(found, tmp_path):
    some = {name: DATA[name] for name in ("iris", "wine")}
    compare_over_datasets(MODELS, some, execution=Execution(memory=tmp_path), **OPTIONS)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("output.pkl")}
    again = compare_over_datasets(
        MODELS, DATA, execution=Execution(memory=tmp_path), n_jobs=2, **OPTIONS
    )
    np.testing.assert_array_equal(again.scores(), found.scores())
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("output.pkl")}
    assert {path: after[path] for path in kept} == kept
    assert len(after) > len(kept)


def test_what_belongs_to_a_data_set():
    X, y = DATA["breast"]
    words = np.array(["ill", "well"])[y]
    data = {
        "words": {"X": X, "y": words, "pos_label": "ill", "sample_weight": np.ones(len(y))},
        "codes": {"X": X, "y": y, "pos_label": 0},
    }
    models = {name: MODELS[name] for name in ("bayes", "tree")}
    found = compare_over_datasets(models, data, scoring="recall", outer_cv=3)
    np.testing.assert_array_equal(*found.scores())


def test_bayesian(found):
    told = found.bayesian("bayes", "tree", rope=0.0, random_state=0)
    a, b, _ = found.scores().T
    own = bayesian_signed_rank_test(a, b, rope=0.0, random_state=0)
    assert replace(told, title=own.title) == own
    assert f"signed-rank test of accuracy on {len(DATA)} data sets, bayes and tree" in repr(told)
    assert found.bayesian("bayes", "tree").rope == 0.01  # a hundredth of the range of an accuracy
    folds = found.bayesian("bayes", "tree", test="hierarchical", rope=0.02)
    assert f"hierarchical test of accuracy on {len(DATA)} data sets" in repr(folds)
    assert "within 0.02" in repr(folds)
    each = [[c.results[name] for c in found.comparisons.values()] for name in ("bayes", "tree")]
    a, b = ([result["test_accuracy"] for result in one] for one in each)
    sizes = {n: [getattr(result, n) for result in each[0]] for n in ("n_train", "n_test")}
    own = bayesian_hierarchical_test(a, b, **sizes, rope=0.02)
    assert replace(folds, title=own.title) == own
    with pytest.raises(KeyError, match="the comparison has bayes, tree, neighbours"):
        found.bayesian("bayes", "forest")


# Second better, equivalent, first better by baycomp 1.0.3 (BayesianTestsML), 100,000 draws.
BAYCOMP = {
    0.0: (0.21302, 0.0, 0.78698),
    0.01: (0.02056, 0.6366, 0.34284),
    0.03: (0.0, 0.99996, 0.00004),
}


@pytest.mark.parametrize("rope", BAYCOMP)
def test_signed_rank_as_baycomp(rope):
    rng = np.random.default_rng(0)
    a = rng.normal(0.8, 0.05, 15)
    b = a - rng.normal(0.006, 0.03, 15)
    ours = bayesian_signed_rank_test(a, b, rope=rope, random_state=0)
    found = [ours.second_better, ours.equivalent, ours.first_better]
    np.testing.assert_allclose(found, BAYCOMP[rope], atol=0.01)


@pytest.mark.parametrize("rope", [0.0, 0.25, 0.5])
def test_regions_are_those_of_all_pairs(rope):
    """Also of sums on the edge of the region: differences are eighths, which add up without rounding."""
    rng = np.random.default_rng(0)
    z, weights = rng.integers(-9, 10, 40) / 8, rng.dirichlet(np.ones(40), 5)
    sums = z[:, None] + z
    edge = 0.5 * (sums == 0) * (rope == 0)
    above, below = (sums > 2 * rope) + edge, (sums < -2 * rope) + edge
    expected = [[w @ above @ w, 1 - w @ (above + below) @ w, w @ below @ w] for w in weights]
    np.testing.assert_allclose(_regions(z, rope, weights), expected, atol=rounding(40**2))


def test_signed_rank_by_hand():
    """One data set: the posterior weight of its difference is Beta(1, s), its square decides."""
    found = bayesian_signed_rank_test([0.9], [0.8], rope=0.01, prior_strength=1, random_state=0)
    # z0 + z0 is 0, z0 + z1 and z1 + z1 are above the region: theta_e = (1 - w)^2 with w uniform.
    assert found.first_better == pytest.approx(np.sqrt(0.5), abs=0.005)
    assert found.second_better == 0
    same = bayesian_signed_rank_test([0.9, 0.8], [0.9, 0.8], rope=0.0, random_state=0)
    assert (same.first_better, same.second_better) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("a", "b", "options", "told"),
    [
        ([0.9], [0.8, 0.7], {}, "vectors of one length"),
        ([np.nan], [0.8], {}, "a data set on which both scores are defined"),
        ([0.9], [0.8], {"rope": -1}, "rope must be"),
        ([0.9], [0.8], {"prior_strength": 0}, "prior_strength must be"),
        ([0.9], [0.8], {"n_resamples": 0}, "n_resamples must be"),
    ],
)
def test_wrong_scores(a, b, options, told):
    with pytest.raises(ValueError, match=told):
        bayesian_signed_rank_test(a, b, **options)


def test_all_data_sets_share_the_workers(found, monkeypatch):
    """Two batches in one pool: the inner fits of everything, and the refits of everything."""
    batches, pools = [], []
    run, start = _executor.FitExecutor.run, _executor.FitExecutor.__enter__

    def counting(executor, jobs, what):
        batches.append((what, len(jobs)))
        return run(executor, jobs, what)

    def starting(executor):
        pools.append(executor)
        return start(executor)

    monkeypatch.setattr(_executor.FitExecutor, "run", counting)
    monkeypatch.setattr(_executor.FitExecutor, "__enter__", starting)
    with joblib.parallel_config("threading", n_jobs=2):
        again = compare_over_datasets(MODELS, DATA, **OPTIONS)
    assert batches == [("inner fits", 3 * 4 * 3 * 2), ("refits", 3 * 3 * 3)]
    assert len(pools) == 1
    for metric in found.metrics:
        np.testing.assert_array_equal(again.scores(metric), found.scores(metric))


def test_every_kind_of_search():
    """Each of them chooses as it does in a run of its own, in the same batches as the others."""
    tree, depths = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    halving = HalvingGridSearchCV(tree, depths, min_resources=30, random_state=0, cv=2)
    kinds = {
        "grid": (tree, depths), "search": (GridSearchCV(tree, depths, cv=2), None),
        "halving": (halving, None),
    }  # fmt: skip
    X, y = DATA["iris"]
    options = {"scoring": "accuracy", "outer_cv": 3, "inner_cv": None}
    found = compare_over_datasets(kinds, {"iris": (X, y)}, **options).comparisons["iris"]
    for name, (model, grid) in kinds.items():
        alone = nested_cross_validate(model, grid, X, y, final=None, **options)
        np.testing.assert_array_equal(found.results[name]["test_accuracy"], alone["test_accuracy"])


def test_what_is_wrong_with_a_data_set_is_told_before_any_fit():
    X, y = DATA["iris"]
    with pytest.raises(ValueError, match="outer_cv was 1") as told:
        compare_over_datasets(MODELS, {**DATA, "odd": {"X": X, "y": y, "outer_cv": 1}})
    assert told.value.__notes__ == ["This is about datasets['odd']."]
    with pytest.raises(ValueError, match=r"datasets\['odd'\] holds execution, n_jobs, which all"):
        compare_over_datasets(MODELS, {"odd": {"X": X, "y": y, "n_jobs": 2, "execution": None}})


@pytest.mark.parametrize("given", [{}, {"a": 3}, [1]])
def test_wrong_data_sets(given):
    with pytest.raises(ValueError, match="datasets"):
        compare_over_datasets(MODELS, given)


def gibbs(d, rho, rope, n_draws=800, chains=80):
    """Corani et al.'s model by sampling: the plain form of the hierarchical test."""
    rng = np.random.default_rng(0)
    (q, n), means, most = d.shape, d.mean(axis=1), np.abs(d).max()
    squares = ((d - means[:, None]) ** 2).sum(axis=1)
    degrees = np.geomspace(0.2, 300, 200)
    prior = np.log(_density_of_degrees(degrees) * degrees)
    prior += q * (degrees / 2 * np.log(degrees / 2) - special.gammaln(degrees / 2))
    delta, mix = np.tile(means, (chains, 1)), np.ones((chains, q))
    centre, scale, nu = np.zeros(chains), np.full(chains, means.std()), np.full(chains, 5.0)
    wins = np.zeros(3)
    for draw in range(n_draws):
        gap = n * (means - delta) ** 2 / (1 + (n - 1) * rho) + squares / (1 - rho)
        own = rng.gamma((n - 1) / 2, 2 / gap) * n / (1 + (n - 1) * rho)
        shared = mix / scale[:, None] ** 2
        delta = (own * means + shared * centre[:, None]) / (own + shared)
        delta += rng.normal(size=delta.shape) / np.sqrt(own + shared)
        z = (delta - centre[:, None]) / scale[:, None]
        mix = rng.gamma((nu[:, None] + 1) / 2, 2 / (nu[:, None] + z**2))
        mean, sd = (mix * delta).sum(axis=1) / mix.sum(axis=1), scale / np.sqrt(mix.sum(axis=1))
        low, high = (special.ndtr((end - mean) / sd) for end in (-most, most))
        centre = mean + sd * special.ndtri(low + (high - low) * rng.random(chains))
        rest = (mix * (delta - centre[:, None]) ** 2).sum(axis=1)
        scale = 1 / np.sqrt(rng.gamma((q - 1) / 2, 2 / rest))
        log = prior + np.outer((np.log(mix) - mix).sum(axis=1), degrees / 2)
        upto = np.exp(log - log.max(axis=1, keepdims=True)).cumsum(axis=1)
        nu = degrees[(upto < upto[:, -1:] * rng.random((chains, 1))).sum(axis=1)]
        if draw >= n_draws // 4:
            above, below = (special.stdtr(nu, (s * centre - rope) / scale) for s in (1, -1))
            regions = np.stack([above, 1 - above - below, below])
            wins += np.bincount(regions.argmax(axis=0), minlength=3)
    return wins / wins.sum()


def test_the_hierarchical_test_is_the_posterior_of_its_model():
    rng = np.random.default_rng(1)
    for q, n, mean, between, within in ((10, 10, 0.01, 0.01, 0.01), (4, 5, 0.02, 0.01, 0.01)):
        d = mean + between * rng.standard_t(5, (q, 1)) + within * rng.normal(size=(q, n))
        found = bayesian_hierarchical_test(0.8 + d, [[0.8] * n] * q, n_train=90, n_test=10)
        shares = [found.first_better, found.equivalent, found.second_better]
        np.testing.assert_allclose(shares, gibbs(d, 0.1, 0.01), atol=0.02)


def test_data_sets_of_noisy_folds_count_less():
    """The signed-rank test sees the means alone; a hierarchical one draws noisy ones together."""
    clear = np.full((6, 10), 0.02) + np.linspace(-0.002, 0.002, 10)
    noisy = clear.copy()
    noisy[3:] = -0.02 + np.linspace(-0.3, 0.3, 10)
    sizes = {"n_train": 90, "n_test": 10}
    kept = bayesian_hierarchical_test(noisy, np.zeros((6, 10)), **sizes)
    alike = bayesian_signed_rank_test(noisy.mean(axis=1), np.zeros(6), random_state=0)
    assert kept.first_better > 0.9 > alike.first_better


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"scores_a": [[0.9, 0.8, 0.7]]}, "the same two or more data sets"),
        ({"scores_a": [[0.9, 0.8, np.nan], [0.9, 0.8, 0.7]]}, "Data set 0 has 2 folds"),
        ({"scores_a": [[0.5] * 3] * 2}, "differences of the scores that vary"),
        ({"n_train": [90]}, "n_train must be one number"),
        ({"rope": -1}, "rope must be"),
    ],
)
def test_wrong_folds(changed, told):
    given = {"scores_a": [[0.9, 0.8, 0.7]] * 2, "scores_b": [[0.5] * 3] * 2, "n_train": 90}
    with pytest.raises(ValueError, match=told):
        bayesian_hierarchical_test(**{**given, "n_test": 10, **changed})


def test_default_regions_of_equivalence():
    """A table of losses, a hundredth of the range of other metrics, none without a range."""
    X, y = load_breast_cancer(return_X_y=True)
    names = ["accuracy", "matthews_corrcoef", "neg_brier_score", "neg_log_loss", "d_prime"]
    result = nested_cross_validate(GaussianNB(), {}, X, y, scoring=names, outer_cv=3, final=None)
    assert [rope_of(result, name) for name in names[:4]] == [0.01, 0.02, 0.0025, 0.007]
    with pytest.raises(ValueError, match="d_prime has no range, so rope="):
        rope_of(result, "d_prime")


def test_near_the_best(found):
    """Of two estimators the correlated t test; margins of 0 share the probability of the best."""
    comparison = found.comparisons["iris"]
    pair = replace(comparison, results={k: comparison.results[k] for k in ("bayes", "tree")})
    a, b = pair.scores("accuracy")
    first = pair.results["bayes"]
    sizes = {"n_train": first.n_train, "n_test": first.n_test}
    for margin in (0.01, 0.03):
        known = bayesian_correlated_t_test(a, b, **sizes, rope=margin)
        near = pair.near_best(margin, n_resamples=100_000)
        assert near["bayes"] == pytest.approx(1 - known.second_better, abs=0.006)
        assert near["tree"] == pytest.approx(1 - known.first_better, abs=0.006)
        assert near.name == f"within {margin:g} of the best accuracy"
    three = comparison.near_best(0.0)
    assert list(three.index) == list(comparison.names)
    assert 1 <= three.sum() < 1.05
    assert (comparison.near_best() >= three).all()
