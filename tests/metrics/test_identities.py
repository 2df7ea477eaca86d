"""Metrics that are one another by algebra have one interval and one test, not only one value."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.inference import interval, paired_test
from tests.datasets import binary, classes

N = 60
DATA = {
    "labels": (binary.y, binary.pred), "scores": (binary.y, binary.score),
    "classes": (classes.y[:N], classes.pred[:N]), "columns": (classes.y[:N], classes.score[:N]),
}  # fmt: skip
OTHER = {
    "labels": binary.other_pred, "scores": binary.other, "classes": classes.other_pred[:N],
    "columns": classes.other[:N],
}  # fmt: skip
PATIENT = binary.groups
MACRO, MICRO, WEIGHTED = ({"average": name} for name in ("macro", "micro", "weighted"))


def same(x):
    return x


def rest(x):
    return 1 - x


# A metric, one that is a monotone function of it, the function, the data.
IDENTITIES = [
    ("accuracy", {}, "precision", MICRO, same, "classes"),
    ("accuracy", {}, "recall", MICRO, same, "classes"),
    ("accuracy", {}, "f1", MICRO, same, "classes"),
    ("accuracy", {}, "recall", WEIGHTED, same, "classes"),
    ("accuracy", {}, "recall", WEIGHTED, same, "labels"),
    ("accuracy", {}, "fnr", WEIGHTED, rest, "classes"),
    ("accuracy", {}, "zero_one_loss", {}, rest, "classes"),
    ("accuracy", {}, "zero_one_loss", {}, rest, "labels"),
    ("accuracy", {}, "hamming_loss", {}, rest, "classes"),
    ("accuracy", {}, "hamming_loss", {}, rest, "labels"),
    ("balanced_accuracy", {}, "recall", MACRO, same, "classes"),
    ("balanced_accuracy", {}, "informedness", {}, lambda b: 2 * b - 1, "labels"),
    ("recall", {}, "sensitivity", {}, same, "labels"),
    ("recall", {}, "fnr", {}, rest, "labels"),
    ("recall", {"pos_label": 0}, "specificity", {}, same, "labels"),
    ("specificity", {}, "fpr", {}, rest, "labels"),
    ("precision", {"pos_label": 0}, "npv", {}, same, "labels"),
    ("precision", {}, "fdr", {}, rest, "labels"),
    ("npv", {}, "false_omission_rate", {}, rest, "labels"),
    ("f1", {}, "jaccard", {}, lambda f: f / (2 - f), "labels"),
    ("lr_plus", {}, "lr_minus", {"pos_label": 0}, lambda x: 1 / x, "labels"),
    ("roc_auc", {}, "gini", {}, lambda a: 2 * a - 1, "scores"),
    ("brier_score", {}, "brier_score", {"scale_by_half": False}, lambda b: 2 * b, "scores"),
    ("brier_score", {}, "brier_score", {"scale_by_half": True}, lambda b: b / 2, "columns"),
]
WAYS = [
    {},
    {"groups": PATIENT},
    {"confidence_level": 0.8},
    # 99 resamples: 100 x .025 lies between two ranks
    {"method": "percentile", "n_resamples": 99, "random_state": 0},
    {"method": "bca", "n_resamples": 99, "random_state": 0},
    {"method": "bca", "groups": PATIENT, "n_resamples": 99, "random_state": 0},
    {"sample_weight": binary.weight + 0.2},
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: ", ".join(way) or "rows")
def test_intervals_of_identical_metrics_are_identical(way):
    for metric, given, other, of_other, mapped, data in IDENTITIES:
        if metric == "lr_plus" and way.get("method") == "bca":
            continue  # the jackknife's acceleration of 1 / x is another
        one = interval(metric, *DATA[data], **given, **way)
        two = interval(other, *DATA[data], **of_other, **way)
        assert two.estimate == pytest.approx(mapped(one.estimate), abs=1e-12), (metric, other)
        wanted = sorted([mapped(one.low), mapped(one.high)])
        # Both ends are found by iteration or by numerical derivatives.
        assert list(two) == pytest.approx(wanted, abs=1e-6), (metric, given, other, of_other)


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_functions_of_one_share_have_the_methods_of_a_share(method):
    """F1 is 2 J / (1 + J) of the Jaccard index."""
    jaccard = interval("jaccard", *DATA["labels"], method=method)
    f1 = interval("f1", *DATA["labels"], method=method)
    assert list(f1) == pytest.approx([2 * end / (1 + end) for end in jaccard], rel=1e-12)
    slope = 2 / (1 + jaccard.estimate) ** 2
    assert f1.standard_error == pytest.approx(slope * jaccard.standard_error, rel=1e-12)


@pytest.mark.parametrize("way", [{}, {"groups": PATIENT}], ids=["rows", "groups"])
def test_tests_of_identical_metrics_are_identical(way):
    """Of linear identities; the difference of two F1 is no function of that of two Jaccard indices."""
    for metric, given, other, of_other, mapped, data in IDENTITIES:
        slope = (mapped(0.6) - mapped(0.3)) / 0.3
        if mapped(0.4) != pytest.approx(mapped(0.3) + 0.1 * slope, abs=1e-12):
            continue
        arrays = (*DATA[data], OTHER[data])
        one = paired_test(metric, *arrays, random_state=0, **given, **way)
        two = paired_test(other, *arrays, random_state=0, **of_other, **way)
        assert two.p_value == pytest.approx(one.p_value, abs=1e-6), (metric, other)
        assert two.difference == pytest.approx(slope * one.difference, abs=1e-12)
        wanted = sorted(slope * end for end in one.interval)
        assert list(two.interval) == pytest.approx(wanted, abs=1e-6), (metric, other)


@pytest.mark.parametrize("way", [{}, {"groups": [0, 0, 1, 1, 2]}], ids=["rows", "groups"])
def test_limits_of_the_brier_score_of_two_classes_lie_in_its_range(way):
    """Halved, its greatest value is 1."""
    found = interval("brier_score", [0, 1, 0, 1, 1], [0.9, 0.1, 0.99, 0.05, 0.02], **way)
    assert found.estimate < found.high < 1


def test_the_test_of_a_loss_is_one_sided_as_the_loss_is():
    arrays = (*DATA["classes"], OTHER["classes"])
    for side, back in (("greater", "less"), ("less", "greater")):
        right = paired_test("accuracy", *arrays, alternative=side)
        wrong = paired_test("zero_one_loss", *arrays, alternative=back)
        assert wrong.p_value == pytest.approx(right.p_value, rel=1e-12)
        assert wrong.estimates == pytest.approx([1 - each for each in right.estimates])
    half = np.tile([0, 1], 10)
    even = paired_test("accuracy", half, np.zeros(20, dtype=int), half)  # half and all are right
    assert even.difference == -0.5
