"""Score sets: text, properties, generators by their definitions, sets of a classifier, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx.study import (
    SetCollection,
    add_noise,
    all_labellings,
    format_sets,
    narrow_margins,
    narrow_spans,
    parse_sets,
    read_sets,
    sample_labellings,
    sets_of_classifier,
)
from tests.closeness import rounding
from tests.datasets import binary, words
from tests.study.cases import SIX, random_collection

FOLDS = StratifiedKFold(4)


def test_properties_of_each_set_by_hand():
    sets = random_collection(0, 300)
    assert len(sets.groups) == 5
    for place, (truth, score) in enumerate(sets):
        p, n = score[truth], score[~truth]
        errors = sum(a <= b for a in p for b in n)
        margin, span = min(p) - max(n), max(score) - min(score)
        assert sets.size[place] == len(score)
        assert sets.positives[place] == len(p)
        assert sets.balance[place] == pytest.approx(len(p) / len(score))
        assert (sets.span[place], sets.margin[place]) == (span, margin)
        assert (sets.positive_span[place], sets.negative_span[place]) == (np.ptp(p), np.ptp(n))
        assert sets.median[place] == np.median(score)
        assert sets.errors[place] == errors
        assert sets.relative_error[place] == errors / (len(p) * len(n))
        assert sets.correct[place] == (margin > 0)
        relative = margin / span if span else math.nan
        assert sets.relative_margin[place] == pytest.approx(relative, rel=0, abs=0, nan_ok=True)


def test_types_by_their_inequalities():
    """Section 5.1.3; of distinct scores each set has one of the six types."""
    sets = all_labellings(narrow_spans(SIX, 4))
    for (truth, score), found in zip(sets, sets.type, strict=True):
        p, n = score[truth], score[~truth]
        types = [
            n.max() < p.min(),
            n.min() < p.min() < n.max() < p.max(),
            p.min() < n.min() <= n.max() < p.max(),
            n.min() < p.min() <= p.max() < n.max(),
            p.min() < n.min() < p.max() < n.max(),
            p.max() < n.min(),
        ]
        assert [place for place, is_type in enumerate(types, 1) if is_type] == [found]
    assert set(sets.type) == {1, 2, 3, 4, 5, 6}
    ties = "0.5p 0.5n\n0.9p 0.5p 0.5n 0.1n\n0.9p 0.9n 0.1n\n0.9p 0.1n 0.1p\n0.5p 0.1p 0.9n"
    assert parse_sets(ties).type.tolist() == [6, 2, 4, 3, 6]


def plain(sets):
    return [(truth.tolist(), score.tolist()) for truth, score in sets]


def test_any_order_precision_length_comments_and_blank_lines():
    text = (
        "# a header\n\n  0.60n 0.85p\t1p # the first\r\n.5p 0.n 5e-1n 0.123456789012345678n\n   \n"
    )
    assert plain(parse_sets(f"{text}#0.1p 0.2n\n+0.1p 1.0n")) == [
        ([False, True, True], [0.6, 0.85, 1.0]),
        ([True, False, False, False], [0.5, 0.0, 0.5, 0.12345678901234568]),
        ([True, False], [0.1, 1.0]),
    ]


def test_written_and_read_again_bit_for_bit():
    rng = np.random.default_rng(0)
    lengths = rng.integers(2, 9, 50)
    own = [(np.arange(m) == rng.integers(m), rng.random(m) ** 20) for m in lengths]
    sets = SetCollection.from_sets(own)
    assert plain(parse_sets(format_sets(sets))) == plain(sets)


def test_brackets_and_decimals():
    lists = "(0.85p 0.80p 0.75p 0.70n)\n[0.9p,0.4n]", "{0.85p, 0.80p, 0.75p, 0.70n},\n(0.9p; 0.4n);"
    for text in lists:
        found = parse_sets(text)
        assert found.decimals == 2
        assert format_sets(found) == "0.85p 0.80p 0.75p 0.70n\n0.90p 0.40n\n"
    exact = parse_sets("0.1234567890123456789p 0.1n\n")
    assert exact.decimals is None
    assert format_sets(exact) == "0.12345678901234568p 0.1n\n"
    assert format_sets(parse_sets("0.856p 0.1n"), decimals=2) == "0.86p 0.10n\n"
    with pytest.raises(ValueError, match=r"decimals .*>= 0 .*found -1"):
        format_sets(exact, decimals=-1)
    made = narrow_margins(parse_sets("0.9p 0.6n"), 4)  # rounding of arithmetic is not written
    assert "000000" not in format_sets(made)
    again = parse_sets(format_sets(made)).groups[0].score
    np.testing.assert_allclose(again, made.groups[0].score, rtol=0, atol=1e-15)


def test_files(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_bytes(b"\xef\xbb\xbf0.8p 0.4n\r\n0.1p 0.2n")
    assert len(read_sets(path)) == len(read_sets(str(path))) == 2
    path.write_text("0.8p 0.4n\n0.8p 0.4m")
    with pytest.raises(ValueError, match=r"sets\.txt: line 2, column 6: '0\.4m'"):
        read_sets(path)
    path.write_bytes(b"0.8p\xff")
    with pytest.raises(ValueError, match=r"sets\.txt: .*UTF-8 \(byte 5\)"):
        read_sets(path)


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


def test_narrowing_in_exact_arithmetic():
    sets = random_collection(0)
    margins = [(t, new) for t, s in sets for new in margins_of(t, s.tolist(), 7)]
    spans = [(t, new) for t, s in sets for new in spans_of(s.tolist(), 9)]
    assert len(sets) < len(margins) < 7 * len(sets)
    for made, expected in ((narrow_margins(sets, 7), margins), (narrow_spans(sets, 9), spans)):
        for (truth, score), (own_truth, own_score) in zip(made, expected, strict=True):
            assert truth.tolist() == own_truth.tolist()
            own_score = [float(s) for s in own_score]
            assert score.tolist() == pytest.approx(own_score, abs=rounding(len(score)))


def test_margin_narrowing_keeps_the_span_and_the_correct_ranking():
    sets = random_collection(3, decimals=17)
    kept = [pair for pair, good in zip(sets, sets.correct, strict=True) if good]
    correct = SetCollection.from_sets(kept)
    narrowed = narrow_margins(correct, 11)
    assert len(narrowed) == 11 * len(correct)
    assert narrowed.correct.all()
    assert narrowed.span.tobytes() == np.repeat(correct.span, 11).tobytes()


def test_narrowing_keeps_the_original_bit_for_bit_and_stays_in_the_unit_interval():
    rng = np.random.default_rng(4)
    score = np.concatenate([rng.random((400, 5)) ** 30, 1 - rng.random((400, 5)) ** 30])
    score[::3, 0], score[1::3, 1] = 1, 0
    sets = SetCollection.from_arrays(np.tile([True, True, False, False, True], (800, 1)), score)
    for truth, score in [*sets, *random_collection(2, decimals=17)]:
        for narrow in (narrow_margins, narrow_spans):
            made = [s for _, s in narrow(SetCollection.from_sets([(truth, score)]), 17)]
            assert made[0].tobytes() == score.tobytes()
            assert np.min(made) >= 0
            assert np.max(made) <= 1


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
    assert plain(sample_labellings(own, 6000, random_state=0)) == plain(made)
    assert made.groups[0].truth[0].tolist() == [True, False, False]
    codes, counts = np.unique(made.groups[0].truth[1:] @ [4, 2, 1], return_counts=True)
    assert codes.tolist() == [1, 2, 3, 4, 5, 6]
    assert (abs(counts - 1000) < 150).all()


def test_noise():
    score = 0.3 + 0.4 * np.random.default_rng(0).random((50, 8))
    sets = SetCollection.from_arrays(score > 0.5, score)
    made, again = (add_noise(sets, 0.02, copies=40, random_state=3) for _ in range(2))
    noisy = made.groups[0].score.reshape(50, 41, 8)
    assert (noisy[:, 0] == score).all()
    shift = noisy[:, 1:] - score[:, None]
    assert shift.std() == pytest.approx(0.02, rel=0.02)
    assert abs(shift.mean()) < 0.001
    assert plain(again) == plain(made)
    clipped = add_noise(parse_sets("1p 0n"), 10, copies=100, random_state=0).groups[0].score
    assert (clipped.min(), clipped.max()) == (0, 1)


@pytest.mark.parametrize(
    ("rows", "pos_label", "column"), [(binary, None, 1), (words, None, 1), (words, "ill", 0)]
)
def test_sets_of_a_classifier_are_those_of_cross_val_predict(rows, pos_label, column):
    X, y = rows.X, rows.y
    expected = cross_val_predict(GaussianNB(), X, y, cv=FOLDS, method="predict_proba")[:, column]
    given = {"cv": FOLDS, "pos_label": pos_label}
    sets = [*sets_of_classifier(GaussianNB(), X, y, **given)]
    tests = [test for _, test in FOLDS.split(X, y)]
    sets += sets_of_classifier(GaussianNB(), X, y, pooled=True, **given)
    for (truth, score), test in zip(sets, [*tests, np.concatenate(tests)], strict=True):
        assert truth.tolist() == (y[test] == np.unique(y)[column]).tolist()
        assert score.tolist() == expected[test].tolist()


PAIR, X, Y = [0.1, 0.2], binary.X, binary.y
FORTY = SetCollection.from_arrays([np.arange(40) < 9], [np.linspace(0, 1, 40)])
SPLIT = [(range(20), range(20, 60))]
BAD = [
    (SetCollection.from_arrays, ([[1, 0], [1, 1]], [PAIR, PAIR]), "Set 1 has no negative"),
    (SetCollection.from_arrays, ([[0, 0], [1, 0]], [PAIR, PAIR]), "Set 0 has no positive"),
    (SetCollection.from_arrays, ([[1, 0], [1, 0]], [PAIR, [0.1, 1.5]]),
     r"Set 1 holds the score 1\.5"),
    (SetCollection.from_arrays, ([[1, 0], [1, 0]], [[0.1, -0.2], PAIR]),
     r"Set 0 holds the score -0\.2"),
    (SetCollection.from_arrays, ([[1, 0]], [[0.1, np.nan]]), "NaN"),
    (SetCollection.from_arrays, ([[1, 0]], [PAIR, PAIR]), "of one shape"),
    (SetCollection.from_arrays, ([[1, 2]], [PAIR]), "y_true"),
    (SetCollection.from_arrays, ([1, 0], PAIR), "score set in each row"),
    (SetCollection.from_sets, ([],), "sets is empty"),
    (SetCollection.from_sets, ([([1, 0], PAIR), ([1, 1, 0], PAIR)],),
     "Set 1 has 3 labels and 2 scores"),
    (SetCollection.from_sets, ([([1, 0, 0], [0.5, *PAIR]), ([1, 1], PAIR)],),
     "Set 1 has no negative"),
    (parse_sets, ("0.8p 0.4n\n\n0.8p 0.4",), "^line 3, column 6: .*'0.4'"),
    (parse_sets, ("0.8p  0.4x",), "^line 1, column 7: .*'0.4x'"),
    (parse_sets, ("# c\n\t0,8p 0.4n",), "^line 2, column 2: .*'0'"),
    (parse_sets, ("0.8p0.4n",), "^line 1, column 1: .*'0.8p0.4n'"),
    (parse_sets, (".p 0.4n",), "^line 1, column 1: .*'.p'"),
    (parse_sets, ("0.8p 0.4n\n0.8p 85n",), r"^line 2, column 6: .*outside \[0, 1\]"),
    (parse_sets, ("0.8p 1e999n",), r"^line 1, column 6: .*outside \[0, 1\]"),
    (parse_sets, ("0.8p \u0660n",), "^line 1, column 6: .*not a score"),
    (parse_sets, ("(0.9p 0.1n)\n(0.9p, 0.4q)",), "^line 2, column 8: .*'0.4q'"),
    (parse_sets, ("0.8p 0.4n\n  0.8p 0.5p",), "Set 1 has no negative"),
    (parse_sets, ("# only a comment\n \n",), "There is no score set"),
    (narrow_margins, (SIX, 0), "steps must be a whole number >= 1, found 0"),
    (narrow_margins, (SIX, 10**9), "would hold .* take fewer steps"),
    (narrow_spans, (SIX, 10**30), "would hold .* take fewer steps"),
    (all_labellings, (FORTY,), r"would hold 4\.4e\+13 scores.*sample_labellings"),
    (sample_labellings, (SIX, 10**9), "take a smaller n_samples"),
    (sample_labellings, (SIX, 0), "n_samples"),
    (lambda sets: add_noise(sets, 0.1, copies=10**9), (SIX,), "take fewer copies"),
    (lambda sets: add_noise(sets, 1, copies=0), (SIX,), "copies"),
    (add_noise, (SIX, -1), "scale must be a finite number"),
    (sets_of_classifier, (GaussianNB(), X, 0 * Y), "y must hold two classes, found 1"),
    (sets_of_classifier, (GaussianNB(), X, np.eye(60, 2)), "found 2: .* in shape .*vector"),
    (lambda *given: sets_of_classifier(*given, cv=KFold(5)), (GaussianNB(), X, np.sort(Y)),
     "Test fold 0 lacks a class"),
    (lambda *given: sets_of_classifier(*given, cv=SPLIT), (GaussianNB(), X, Y), "for partitions"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "given", "message"), BAD)
def test_bad_input(call, given, message):
    with pytest.raises(ValueError, match=message):
        call(*given)


def test_wrong_types():
    with pytest.raises(TypeError, match=r"steps .*>= 1"):
        narrow_spans(SIX, True)
    with pytest.raises(TypeError, match="text must be a string, found bytes"):
        parse_sets(b"0.8p 0.4n")
    with pytest.raises(TypeError, match="estimator must have predict_proba, found LinearSVC"):
        sets_of_classifier(LinearSVC(), X, Y)
