"""Rows that depend on their neighbours: blocks, their length, and what intervals make of them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import signal, special

from skaucx.evaluation import evaluate
from skaucx.inference import (
    Blocks,
    decision_band,
    delong_test,
    interval,
    intervals,
    paired_test,
    precision_recall_band,
    roc_band,
)
from skaucx.metrics import roc_auc_score
from skaucx.metrics._registry.resampling import block_codes, moving_counts


def series(rng, n, rho):
    """Return an autoregression of variance 1."""
    noise = rng.normal(size=n) * np.sqrt(1 - rho**2)
    noise[0] /= np.sqrt(1 - rho**2)
    return signal.lfilter([1], [1, -rho], noise)


def drawn(rng, n=600, rho=0.9):
    y = (series(rng, n, rho) > 0.25).astype(int)
    return y, series(rng, n, rho) + 1.19 * y


Y, SCORE = drawn(np.random.default_rng(0))
PRED = (SCORE > 0.6).astype(int)


def test_blocks_cover_what_independent_rows_miss():
    """60 samples: nominal 95 % are 52 and more; as if independent about half of them."""
    truth = roc_auc_score(*drawn(np.random.default_rng(1), 200_000))
    for ask, least, most in (
        ({}, 15, 42),
        ({"groups": Blocks(20)}, 50, 60),
        ({"groups": Blocks("auto")}, 52, 60),
    ):
        rng = np.random.default_rng(2)
        held = sum(truth in interval("roc_auc", *drawn(rng), **ask) for _ in range(60))
        assert least <= held <= most, (ask, held)


def test_moving_blocks_are_blocks_and_draw_every_row_equally_often():
    for n, length in ((20, 4), (23, 5), (7, 3), (9, 1)):
        counts = moving_counts(np.random.default_rng(0), 4000, n, length)
        np.testing.assert_array_equal(counts.sum(axis=1), n)
        np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.15)
        # Known variance of a sum: that of whole blocks around the circle, and of the last one.
        x = np.random.default_rng(1).normal(size=n)
        x -= x.mean()
        many, last = divmod(n, length)
        known = sum(
            times * np.mean([np.roll(x, -k)[:own].sum() ** 2 for k in range(n)])
            for times, own in ((many, length), (1, last))
        )
        assert np.var(counts @ x) == pytest.approx(known, rel=0.1)


def test_the_length_of_blocks_follows_the_autocorrelation():
    rng = np.random.default_rng(0)
    weak = rng.integers(0, 2, 600), rng.normal(size=600)
    assert Blocks().of_rows(*weak) <= 6
    strong = [Blocks().of_rows(*drawn(np.random.default_rng(k))) for k in range(20)]
    # Andrews' length of an autoregression of .9 with 600 rows is 43.2.
    assert 30 <= np.median(strong) <= 60
    assert max(strong) <= 60
    y, score = drawn(rng)
    of_labels = Blocks().of_rows(y, (score > 0.6).astype(int))
    assert of_labels > 10
    names = np.array(["ill", "well"])
    assert of_labels == Blocks().of_rows(names[y], names[(score > 0.6).astype(int)])
    np.testing.assert_array_equal(block_codes(7, 3), [0, 0, 0, 1, 1, 1, 1])


def test_blocks_reach_every_interval_and_band():
    """Sums over blocks are those over groups of successive rows; bands and tables take both."""
    groups = block_codes(600, 25)
    for name, given in (
        ("roc_auc", SCORE),
        ("brier", special.expit(SCORE)),
        ("recall", PRED),
        ("f1", PRED),
    ):
        found, known = (
            interval(name, Y, given, **how) for how in ({"groups": Blocks(25)}, {"groups": groups})
        )
        assert tuple(found) == tuple(known)
        assert "rows in blocks of 25" in found.note
        assert found.high - found.low > 1.2 * (lambda i: i.high - i.low)(interval(name, Y, given))
    several = intervals(
        ["roc_auc", "mm4_auc"], Y, SCORE, groups=Blocks(25), n_resamples=100, random_state=0
    )
    assert all("blocks of 25" in found.note for found in several.values())
    drawn_apart = interval("mm4_auc", Y, SCORE, groups=groups, n_resamples=100, random_state=0)
    assert tuple(drawn_apart) != tuple(several["mm4_auc"])
    for make, score in ((roc_band, SCORE), (precision_recall_band, SCORE)):
        for ask in ({}, {"method": "bootstrap"}):
            settings = {"n_resamples": 200, "random_state": 0, **ask}
            wide, narrow = (make(Y, score, groups=b, **settings) for b in (Blocks(25), None))
            assert np.mean(wide.high - wide.low) > 1.1 * np.mean(narrow.high - narrow.low)
    wide, narrow = (
        decision_band(Y, special.expit(SCORE), groups=b, n_resamples=200, random_state=0)
        for b in (Blocks(25), None)
    )
    assert np.mean(wide.high - wide.low) > 1.1 * np.mean(narrow.high - narrow.low)
    table, known = (
        evaluate(Y, PRED, SCORE, metrics=["recall", "roc_auc"], intervals=True, **how)
        for how in ({"groups": Blocks(25)}, {"groups": groups})
    )
    assert {k: tuple(i) for k, i in table.intervals.items()} == {
        k: tuple(i) for k, i in known.intervals.items()
    }


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"groups": Blocks(400)}, "fewer than two blocks of 600 rows"),
        ({"groups": Blocks(20), "stratify": True}, "pass one"),
        ({"groups": Blocks(20), "frequency": np.ones(600)}, "omit frequency"),
    ],
)
def test_refusals(ask, message):
    for length in (0, 2.5, "weekly", True):
        with pytest.raises((ValueError, TypeError), match=f"length .* found {length!r}"):
            Blocks(length)
    with pytest.raises((ValueError, TypeError), match=message):
        interval("mm4_auc", Y, SCORE, n_resamples=10, **ask)
    if "frequency" not in ask:
        with pytest.raises((ValueError, TypeError), match=message):
            roc_band(Y, SCORE, n_resamples=10, method="bootstrap", **ask)


def test_paired_tests_take_blocks_as_groups_of_successive_rows():
    other = SCORE + series(np.random.default_rng(5), len(Y), 0.9)
    groups = block_codes(len(Y), 20)
    tests = {
        delong_test: (Y, SCORE, other),
        paired_test: ("brier_score", Y, special.expit(SCORE), special.expit(other)),
        partial(paired_test, method="bootstrap"): ("roc_auc", Y, SCORE, other),
    }
    for test, given in tests.items():
        more = {} if test is delong_test else {"random_state": 0}
        plain = test(*given, **more)
        found = test(*given, groups=Blocks(20), **more)
        assert found.interval == test(*given, groups=groups, **more).interval
        assert found.standard_error > 1.5 * plain.standard_error, test
        assert (
            test(*given, groups=Blocks("auto"), **more).standard_error > 1.5 * plain.standard_error
        )


def test_metrics_that_fit_chance_say_so_with_their_intervals():
    p = special.expit(SCORE)
    found = interval("recall_at_precision", Y, p, min_precision=0.5, n_resamples=50, random_state=0)
    assert "coverage is not guaranteed" in " ".join(str(found).split())
    for name in ("discrimination", "h_measure", "hull_auc", "ks_score"):
        for method in ("auto", "percentile"):
            found = interval(name, Y, p, method=method, n_resamples=50, random_state=0)
            assert np.isnan([*found]).all(), name
            assert np.isfinite(found.estimate), name
            assert "no interval was found that holds" in found.note, name
