"""Generators against the definitions of the specification, set by set."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from skaucx.study import (
    SetCollection,
    add_noise,
    all_labellings,
    format_sets,
    narrow_margins,
    narrow_spans,
    parse_sets,
    sample_labellings,
)
from tests.closeness import rounding
from tests.study.cases import random_collection

SETS = parse_sets("1p .8p .6p .4n .2n 0n")


def margins_of(truth, score, steps):
    """Margin narrowing of one set in exact arithmetic, class by class."""
    score = [Fraction(s) for s in score]
    p = [s for s, t in zip(score, truth, strict=True) if t]
    n = [s for s, t in zip(score, truth, strict=True) if not t]
    if not (max(p) > max(n) and min(n) < min(p)):
        yield score
        return
    c = (min(p) + max(n)) / 2
    for h in range(steps):
        left = 1 - Fraction(h, steps)
        new_p, new_n = c + (min(p) - c) * left, c + (max(n) - c) * left
        moved = []
        for s, t in zip(score, truth, strict=True):
            if t and max(p) > min(p):
                s = new_p + (s - min(p)) * (max(p) - new_p) / (max(p) - min(p))
            elif not t and max(n) > min(n):
                s = min(n) + (s - min(n)) * (new_n - min(n)) / (max(n) - min(n))
            moved.append(s)
        yield moved


def spans_of(score, steps):
    score = [Fraction(s) for s in score]
    c = (max(score) + min(score)) / 2
    for h in range(steps):
        yield [c + (s - c) * (1 - Fraction(h, steps)) for s in score]


def same_sets(sets, expected):
    made = list(sets)
    assert len(made) == len(expected)
    for (truth, score), (own_truth, own_score) in zip(made, expected, strict=True):
        assert truth.tolist() == list(own_truth)
        assert score.tolist() == pytest.approx(
            [float(s) for s in own_score], abs=rounding(len(own_score))
        )


def test_narrowing_in_exact_arithmetic():
    sets = random_collection(0)
    expected = [(t, new) for t, s in sets for new in margins_of(t, s.tolist(), 7)]
    assert len(sets) < len(expected) < 7 * len(sets)
    same_sets(narrow_margins(sets, 7), expected)
    same_sets(narrow_spans(sets, 9), [(t, new) for t, s in sets for new in spans_of(s.tolist(), 9)])


def test_narrowing_keeps_the_original_bit_for_bit():
    for truth, score in random_collection(2, decimals=17):
        one = SetCollection.from_sets([(truth, score)])
        for narrow in (narrow_margins, narrow_spans):
            assert next(iter(narrow(one, 13)))[1].tobytes() == score.tobytes()


def test_margin_narrowing_keeps_the_span_and_the_correct_ranking():
    sets = random_collection(3, decimals=17)
    correct = SetCollection.from_sets(
        [pair for pair, good in zip(sets, sets.correct, strict=True) if good]
    )
    narrowed = narrow_margins(correct, 11)
    assert len(narrowed) == 11 * len(correct)
    assert narrowed.correct.all()
    assert narrowed.span.tobytes() == np.repeat(correct.span, 11).tobytes()


def test_narrowing_stays_in_the_unit_interval():
    rng = np.random.default_rng(4)
    score = np.concatenate([rng.random((400, 5)) ** 30, 1 - rng.random((400, 5)) ** 30])
    score[::3, 0], score[1::3, 1] = 1, 0
    sets = SetCollection.from_arrays(np.tile([True, True, False, False, True], (800, 1)), score)
    for narrow in (narrow_margins, narrow_spans):
        for group in narrow(sets, 17).groups:
            assert group.score.min() >= 0
            assert group.score.max() <= 1


def test_labellings_are_all_of_them_in_the_order_of_their_codes():
    sets = random_collection(5, 40)
    made = iter(all_labellings(sets))
    for _, score in sets:
        size = len(score)
        members = list(itertools.islice(made, 2**size - 2))
        assert all(member.tobytes() == score.tobytes() for _, member in members)
        expected = list(itertools.product([False, True], repeat=size))[1:-1]
        assert [tuple(member.tolist()) for member, _ in members] == expected
    assert next(made, None) is None
    lines = format_sets(all_labellings(parse_sets(".85p .80p .75p .70n .65n .60n"))).splitlines()
    labels = ["".join(token[-1] for token in line.split()) for line in lines]  # section 5.1.4
    assert (labels[0], labels[-1], len(labels)) == ("nnnnnp", "pppppn", 62)


def test_small_samples_hold_both_classes_and_every_labelling_equally():
    own = parse_sets("0.9p 0.5n 0.1n")
    made = sample_labellings(own, 6000, random_state=0)
    same_sets(sample_labellings(own, 6000, random_state=0), list(made))  # the seed
    assert made.groups[0].truth[0].tolist() == [True, False, False]
    codes, counts = np.unique(made.groups[0].truth[1:] @ [4, 2, 1], return_counts=True)
    assert codes.tolist() == [1, 2, 3, 4, 5, 6]
    assert (abs(counts - 1000) < 150).all()


def test_noise():
    score = 0.3 + 0.4 * np.random.default_rng(0).random((50, 8))
    sets = SetCollection.from_arrays(score > 0.5, score)
    made, again = (
        add_noise(sets, 0.02, copies=40, random_state=3).groups[0].score for _ in range(2)
    )
    noisy = made.reshape(50, 41, 8)
    assert (noisy[:, 0] == score).all()
    shift = noisy[:, 1:] - score[:, None]
    assert shift.std() == pytest.approx(0.02, rel=0.02)
    assert abs(shift.mean()) < 0.001
    assert (again == made).all()
    clipped = add_noise(parse_sets("1p 0n"), 10, copies=100, random_state=0).groups[0].score
    assert (clipped.min(), clipped.max()) == (0, 1)


@pytest.mark.parametrize(
    ("generate", "error", "message"),
    [
        (lambda: narrow_margins(SETS, 0), ValueError, "steps must be a whole number >= 1, found 0"),
        (lambda: narrow_spans(SETS, True), TypeError, "steps .*>= 1"),
        (lambda: narrow_margins(SETS, 10**9), ValueError, "would hold .* take fewer steps"),
        (lambda: narrow_spans(SETS, 10**30), ValueError, "would hold .* take fewer steps"),
        (lambda: sample_labellings(SETS, 10**9), ValueError, "take a smaller n_samples"),
        (lambda: add_noise(SETS, 0.1, copies=10**9), ValueError, "take fewer copies"),
        (lambda: sample_labellings(SETS, 0), ValueError, "n_samples"),
        (lambda: add_noise(SETS, -1), ValueError, "scale must be a finite number"),
        (lambda: add_noise(SETS, 1, copies=0), ValueError, "copies"),
    ],
)
def test_bad_options(generate, error, message):
    with pytest.raises(error, match=message):
        generate()


def test_too_many_labellings():
    score = np.linspace(0, 1, 40)
    with pytest.raises(ValueError, match=r"would hold 4\.4e\+13 scores.*sample_labellings"):
        all_labellings(SetCollection.from_arrays([score > 0.5], [score]))
