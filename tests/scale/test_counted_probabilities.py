"""Calibration and rejection of probabilities in chunks: exact while they fit, bounds beyond."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from skaucx.evaluation import evaluate
from skaucx.metrics import binned_calibration_error, list_metrics
from skaucx.scale import BoundedValue, Chunks, MetricAccumulator
from tests.public import PUBLIC
from tests.scale.score_families import families

NAMES = [row.name for row in list_metrics() if row.kind.name == "probabilities"]
PROBABLE = [
    pytest.param(truth, score, id=name)
    for name, truth, score in families(np.random.default_rng(0), 3000, 0.2)
    if score.min() >= 0 and score.max() <= 1
]
TRUTH, SCORE = PROBABLE[0].values
OPTIONS = [
    {"norm": norm, "n_bins": n_bins, "strategy": strategy, "debias": debias}
    for norm, n_bins, strategy, debias in itertools.product(
        ("l1", "l2", "max"), (1, 10, 15), ("uniform", "quantile"), (False, True)
    )
    if norm == "l2" or not debias
]


def counted(truth, score, max_cells=1 << 20, weight=None):
    counts = MetricAccumulator(max_cells=max_cells)
    for rows in np.array_split(np.random.default_rng(1).permutation(len(truth)), 5):
        own = None if weight is None else weight[rows]
        counts.update(truth[rows], y_score=score[rows], sample_weight=own)
    return counts


@pytest.mark.parametrize(
    "score", [SCORE, SCORE.round(1).clip(0.1, 0.9)], ids=["continuous", "tied"]
)
@pytest.mark.parametrize("name", NAMES)
def test_while_the_scores_fit_values_are_those_in_memory(name, score):
    wanted = evaluate(TRUTH, None, score, [name])[name]
    found = counted(TRUTH, score).result([name])[name]
    assert found == pytest.approx(wanted, rel=1e-9)
    alone = evaluate(iter([TRUTH]), y_score=iter([score]), metrics=[name])[name]
    assert alone == pytest.approx(wanted, rel=1e-9)
    (function,) = (row.function for row in list_metrics() if row.name == name)
    assert PUBLIC[function](iter([TRUTH]), iter([score])) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("truth", "score"), PROBABLE)
def test_the_calibration_error_has_bounds(truth, score):
    for weight in (None, np.random.default_rng(2).exponential(size=len(truth))):
        counts = counted(truth, score, 100, weight)
        for options in OPTIONS:
            wanted = binned_calibration_error(truth, score, sample_weight=weight, **options)
            found = counts.result(["binned_calibration_error"], **options)[
                "binned_calibration_error"
            ]
            if isinstance(found, float):
                assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
            else:
                assert wanted in found, (options, wanted, found)


def test_the_bounds_are_narrow():
    """Of 4,000 cells the bounds of the mean distance are a tenth of a bin apart."""
    rng = np.random.default_rng(3)
    score = rng.random(100_000)
    found = counted(rng.random(100_000) < score, score, 4000)
    bounded = found.result(["binned_calibration_error"], n_bins=14)["binned_calibration_error"]
    assert bounded.width < 0.0067
    beyond = found.result(["calibration_slope", "brier_score_loss", "aurc_loss"])
    assert isinstance(beyond["brier_score_loss"], float)
    for name in ("calibration_slope", "aurc_loss"):
        assert isinstance(beyond[name], BoundedValue)
        assert "cells of scores do not bound it" in beyond[name].note


def test_what_is_refused():
    weight = np.random.default_rng(4).exponential(size=len(TRUTH))
    with pytest.raises(ValueError, match="needs the weight of every row"):
        counted(TRUTH, SCORE, weight=weight).result(["aurc_loss"])
    margins = MetricAccumulator(["binned_calibration_error"]).update([0, 1], y_score=[-0.5, 2.0])
    with pytest.raises(ValueError, match="probabilities lie in"):
        margins.result()
    many = MetricAccumulator().update([0, 1, 2], y_score=np.full((3, 3), 1 / 3))
    with pytest.raises(ValueError, match="needs the scores of every row"):
        many.result(["binned_calibration_error"], strategy="quantile")
    with pytest.raises(ValueError, match=r"uniform_bins of 7, .*MetricAccumulator"):
        many.result(["binned_calibration_error"], n_bins=7)


def test_tolerance():
    data = [{"y": TRUTH[k::3], "p": SCORE[k::3]} for k in range(3)]
    options = {"metrics": ["binned_calibration_error", "roc_auc"]}
    rows = Chunks(data, max_cells=50, tolerance=0)
    found = evaluate("y", y_score="p", data=rows, **options)
    wanted = evaluate(TRUTH, None, SCORE, options["metrics"])
    assert dict(found) == pytest.approx(dict(wanted), rel=1e-9)
