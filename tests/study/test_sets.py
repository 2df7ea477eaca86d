"""Properties of score sets, in any mixture of lengths."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from skaucx.metrics import auc_family, roc_auc_score
from skaucx.study import SetCollection, format_sets, measure_values, parse_sets
from tests.closeness import rounding

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "auc_variants.json").read_text())
PRINTED = {row["set"]: row for row in GOLDEN["table_4_1"]}


def random_sets(seed, n_sets, *, most=7, decimals=1):
    """Sets of two to `most` coarse scores, so that ties are common."""
    rng = np.random.default_rng(seed)
    sets = []
    for size in rng.integers(2, most + 1, n_sets):
        truth = rng.permutation(np.arange(size) < rng.integers(1, size))
        sets.append((truth, rng.random(size).round(decimals)))
    return sets


def test_table_4_1(tally):
    sets = parse_sets("\n".join(GOLDEN["score_sets"].values()))
    for place, name in enumerate(GOLDEN["score_sets"]):
        for what in ("span", "margin", "relative_margin", "median", "errors"):
            printed, value = PRINTED[name][what], getattr(sets, what)[place]
            if printed is None:
                assert math.isnan(value)
            else:
                assert abs(value - printed) <= 0.005 + 1e-9, (name, what)
            tally["cells of table 4.1"] += 1


def test_properties_of_each_set_by_hand():
    plain = random_sets(0, 300)
    sets = SetCollection.from_sets(plain)
    assert len(sets.groups) == 6
    for place, (truth, score) in enumerate(plain):
        p, n = score[truth], score[~truth]
        errors = sum(a <= b for a in p for b in n)
        margin, span = min(p) - max(n), max(score) - min(score)
        assert sets.size[place] == len(score)
        assert sets.positives[place] == len(p)
        assert sets.balance[place] == pytest.approx(len(p) / len(score))
        assert sets.span[place] == span
        assert sets.margin[place] == margin
        assert sets.median[place] == np.median(score)
        assert sets.errors[place] == errors
        assert sets.relative_error[place] == errors / (len(p) * len(n))
        assert sets.correct[place] == (margin > 0)
        if span == 0:
            assert math.isnan(sets.relative_margin[place])
        else:
            assert sets.relative_margin[place] == margin / span


def test_sets_come_back_in_their_order():
    plain = random_sets(1, 40)
    for (truth, score), (own_truth, own_score) in zip(
        SetCollection.from_sets(plain), plain, strict=True
    ):
        assert truth.tolist() == own_truth.tolist()
        assert score.tolist() == own_score.tolist()


def test_margin_of_exact_decimals_is_that_of_the_floats():
    assert parse_sets("0.3p 0.3n").correct.tolist() == [False]
    above = float(np.nextafter(0.3, 1))
    assert parse_sets(f"{above!r}p 0.3n").correct.tolist() == [True]


def test_arrays_and_text_are_the_same_sets():
    rng = np.random.default_rng(2)
    truth = np.tile([True, False, False, True], (20, 1))
    sets = SetCollection.from_arrays(truth, rng.random((20, 4)))
    assert format_sets(parse_sets(format_sets(sets))) == format_sets(sets)


@pytest.mark.parametrize(
    ("truth", "score", "message"),
    [
        ([[1, 0], [1, 1]], [[0.1, 0.2]] * 2, "Set 1 has no negative"),
        ([[0, 0], [1, 0]], [[0.1, 0.2]] * 2, "Set 0 has no positive"),
        ([[1, 0], [1, 0]], [[0.1, 0.2], [0.1, 1.5]], r"Set 1 holds the score 1\.5"),
        ([[1, 0], [1, 0]], [[0.1, -0.2], [0.1, 0.5]], r"Set 0 holds the score -0\.2"),
        ([[1, 0]], [[0.1, np.nan]], "NaN"),
        ([[1, 0]], [[0.1, 0.2, 0.3]], "of one shape"),
        ([[1, 0]], [[0.1, 0.2]] * 2, "of one shape"),
        ([[1, 2]], [[0.1, 0.2]], "y_true"),
        ([1, 0], [0.1, 0.2], "score set in each row"),
    ],
)
def test_bad_arrays(truth, score, message):
    with pytest.raises(ValueError, match=message):
        SetCollection.from_arrays(truth, score)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([], "sets is empty"),
        ([([1, 0], [0.5, 0.1]), ([1, 1, 0], [0.5, 0.1])], "Set 1 has 3 labels and 2 scores"),
        ([([1, 0, 0], [0.5, 0.1, 0.2]), ([1, 1], [0.5, 0.1])], "Set 1 has no negative"),
    ],
)
def test_bad_lists(sets, message):
    with pytest.raises(ValueError, match=message):
        SetCollection.from_sets(sets)


@pytest.mark.parametrize("max_fpr", [0.1, 0.5])
def test_partial_areas_of_short_and_long_sets(max_fpr):
    rng = np.random.default_rng(0)
    arrays = []
    for size in (5, 40, 200):
        truth = rng.random(size) < 0.5
        truth[:2] = True, False
        arrays.append((truth, rng.random(size).round(1)))
    found = measure_values(SetCollection.from_sets(arrays), ["roc_auc"], max_fpr=max_fpr)
    expected = [roc_auc_score(*each, max_fpr=max_fpr) for each in arrays]
    np.testing.assert_allclose(found["roc_auc"], expected, rtol=rounding(200))


POWERS = {"q": 0.4, "beta": 3.0, "floor": 0.3, "auc_power": 0.5, "margin_power": 0.25}
BEYOND = [{"q": 0.0}, {"q": 12.5}, {"beta": 32.0}, {"beta": 33.0}, {"beta": 900.0}]


@pytest.mark.parametrize("m", [2, 6, 25])
@pytest.mark.parametrize(
    "parameters",
    [{}, POWERS, {"difference": np.square, "ties": "loss"}, {"max_fpr": 0.07}, *BEYOND],
)
def test_values_are_those_of_the_family_of_each_set(m, parameters):
    """Also where powers leave a table, and products of exponentials leave the numbers."""
    rng = np.random.default_rng(m)
    truth, score = rng.random((60, m)) < 0.5, rng.random((60, m)).round(2)
    truth[:, 0], truth[:, 1], score[0] = True, False, 0.5  # the first set is constant
    found = measure_values(SetCollection.from_arrays(truth, score), **parameters)
    for k in range(60):
        for name, value in auc_family(truth[k], score[k], **parameters).items():
            assert found[name][k] == pytest.approx(value, rel=1e-12, abs=rounding(m)), (name, k)


def test_sets_are_evaluated_apart():
    rng = np.random.default_rng(1)
    truth, score = rng.random((9000, 6)) < 0.5, rng.random((9000, 6))
    truth[:, :2] = True, False
    whole = measure_values(SetCollection.from_arrays(truth, score))
    part = measure_values(SetCollection.from_arrays(truth[8000:], score[8000:]))
    for name, values in whole.items():
        np.testing.assert_array_equal(values[8000:], part[name])
