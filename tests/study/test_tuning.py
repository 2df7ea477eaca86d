"""One measure at several parameters, the mm ladder on other bases, own bars and own properties."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_iris

import skaucx.metrics as sm
from skaucx import inference
from skaucx.study import (
    all_labellings,
    count_violations,
    measure_regret,
    measure_values,
    narrow_spans,
    parameter_variants,
    parse_sets,
    simulate_selection,
    tune_measure,
)

SETS = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 30))
LONG = parse_sets(" ".join(f"{k / 400}{'np'[k % 3 == 0]}" for k in range(1, 400)))
FEW = narrow_spans(parse_sets("1p .8n .6p .4n .2n 0n"), 2)


@pytest.mark.parametrize("sets", [FEW, LONG], ids=["short", "long"])
def test_several_parameters_at_once_are_those_one_by_one(sets):
    grid = {"q": [0.0, 1 / 7, 1, 2], "base": ["sond"], "floor": [0, 0.7]}
    together = measure_values(sets, parameter_variants("mm4_auc", **grid))
    assert len(together) == 8
    for name, values in together.items():
        own = parameter_variants("mm4_auc", **grid)[name].keywords
        np.testing.assert_allclose(values, measure_values(sets, ["mm4_auc"], **own)["mm4_auc"],
                                   rtol=1e-12)  # fmt: skip


def test_names_of_one_s_own():
    found = measure_values(FEW, {"steep": partial(sm.soft_auc_score, beta=50), "flat": "soft_auc"})
    assert list(found) == ["steep", "flat"]
    np.testing.assert_array_equal(
        found["steep"], measure_values(FEW, "soft_auc", beta=50)["soft_auc"]
    )
    # A parameter of the call reaches those that do not bind their own.
    both = measure_values(FEW, {"a": "soft_auc", "b": partial(sm.soft_auc_score, beta=2)}, beta=50)
    np.testing.assert_array_equal(both["a"], found["steep"])
    assert (both["b"] != both["a"]).all()


DIFFERENCES = {
    "scor": lambda d: np.maximum(d, 0),
    "sond": lambda d: np.where(d > 0, np.abs(d), 0) ** 0.4,
    "soft": lambda d: expit(3 * d),
    "prob": lambda d: (1 + d) / 2,
}


@pytest.mark.parametrize("base", DIFFERENCES)
@pytest.mark.parametrize("n", [40, 900])
def test_ladder_on_another_base_pair_by_pair(base, n):
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.4).astype(int)
    score = np.round(0.2 + 0.7 * rng.random(n), 2 if n == 40 else 9)
    w = rng.uniform(0.1, 2, n)
    d = (score[y == 1][:, None] - score[y == 0]) / np.ptp(score)
    given = {"base": base, "q": 0.4, "beta": 3.0}
    for weight in (None, w):
        pairs = np.ones(d.shape) if weight is None else np.outer(w[y == 1], w[y == 0])
        h = DIFFERENCES[base](d)
        options = {**given, "sample_weight": weight}
        assert sm.mm1_auc_score(y, score, **options) == pytest.approx(
            np.average(h, weights=pairs), rel=1e-12
        )
        mm4 = np.average(np.where(d > 0, np.maximum(h, 0.8), h), weights=pairs)
        assert sm.mm4_auc_score(y, score, floor=0.8, **options) == pytest.approx(mm4, rel=1e-12)
        mm7 = mm4**0.9 * np.average(d > 0, weights=pairs)
        assert sm.mm7_auc_score(y, score, floor=0.8, **options) == pytest.approx(mm7, rel=1e-12)


def test_ladder_of_replicates_and_of_equal_scores():
    rng = np.random.default_rng(0)
    y, score = np.arange(30) % 2, rng.random(30)
    found = inference.interval("mm4_auc", y, score, base="soft", method="percentile", n_resamples=50,
                        random_state=0)  # fmt: skip
    assert found.low < sm.mm4_auc_score(y, score, base="soft") < found.high
    for base in ("sond", "soft", "prob"):
        assert sm.mm1_auc_score(y, np.full(30, 0.4), base=base) == 0


def test_best_parameters_by_violations():
    qs = [1 / 3, 1 / 7, 1 / 15]
    found = tune_measure("sond_auc", {"q": qs}, sets=SETS)
    alone = [count_violations(SETS, "sond_auc", q=q).measures["sond_auc"].violations for q in qs]
    assert found.loss.tolist() == alone
    assert found.best == {"q": qs[int(np.argmin(alone))]}
    frame = tune_measure("mm7_auc", {"floor": [0.5, 0.9], "margin_power": [0.01, 0.1]}, sets=SETS)
    assert frame.to_frame().shape == (4, 3)
    assert "violations" in str(frame)


def test_best_parameters_by_regret():
    X, y = load_iris(return_X_y=True)
    problems, options = {"iris": (X, y == 1)}, {"repetitions": 3, "random_state": 0}
    found = tune_measure("soft_auc", {"beta": [1.0, 30.0]}, problems=problems, **options)
    for beta, loss in zip((1.0, 30.0), found.loss, strict=True):
        alone = measure_regret(problems, measures=["soft_auc"], beta=beta, **options)
        assert loss == pytest.approx(alone.mean["soft_auc"][:, -1].mean())
    assert found.criterion == "mean regret"


def test_own_bars_are_those_of_each_bin_alone():
    study = count_violations(SETS, ["prob_auc", "mm7_auc"])
    edges = [0, 0.25, 0.5, 1]
    found = study.by("span", bins=edges, bar="bin")
    span = SETS.span.round(12)
    for k in range(3):
        rows = (span >= edges[k]) & ((span < edges[k + 1]) | (k == 2))
        for name, value in study.values.items():
            bar = value[rows & ~study.is_correct].max()
            expected = (bar - value[rows & study.is_correct] > 1e-12).sum()
            assert found.violations[name][k] == expected
    assert (found.correct == study.by("span", bins=edges).correct).all()


def test_a_property_of_one_s_own():
    def relative_span(sets):
        return sets.span / sets.span.max()

    study = count_violations(SETS, ["prob_auc"])
    own = study.by(lambda sets: 10 * sets.span, bins=4)
    assert own.edges[0] == pytest.approx(10 * SETS.span.min())
    assert own.violations["prob_auc"].sum() == study.measures["prob_auc"].violations
    assert study.by(relative_span).by == "relative_span"
    with pytest.raises(ValueError, match="one finite number for each"):
        study.by(lambda sets: [1.0, 2.0])
    with pytest.raises(ValueError, match="bar must be one of"):
        study.by("span", bar="own")


def test_selection_from_twenty_instances():
    right = simulate_selection([20], repetitions=200, measures=["auc"], random_state=0).right
    assert 0.3 < right["roc_auc"][0] < 0.9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tune_measure("sond_auc", {"q": [1]}), "found neither"),
        (lambda: tune_measure("sond_auc", {"q": []}, sets=FEW), "at least one"),
        (lambda: tune_measure("sond_auc", {"q": [-1]}, sets=FEW), "q must be"),
        (lambda: measure_values(FEW, {"one": "f1"}), "not a measure of score sets"),
        (lambda: measure_values(FEW, {}), "measures is empty"),
    ],
)
def test_bad_requests(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    with pytest.raises(TypeError, match="beta"):
        parameter_variants("sond_auc", beta=[1])


def test_violations_are_printed_as_counts():
    sets = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 30))
    found = tune_measure("sond_auc", {"q": [1 / 7, 1]}, sets=sets)
    assert [line.split()[-1] for line in repr(found).splitlines()] == ["violations", "55", "120"]


def test_violations_by_errors_say_what_they_count():
    found = count_violations(all_labellings(parse_sets("1p .8p .6p .4n .2n 0n")), "scor_auc")
    assert repr(found.by_errors()).splitlines()[0] == (
        "Sets whose value is below that of a set with more errors, by errors"
    )
