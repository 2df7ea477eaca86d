"""Score sets: their text, their properties set by set, and bad input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from skaucx.study import (
    SetCollection,
    all_labellings,
    format_sets,
    narrow_margins,
    narrow_spans,
    parse_sets,
    read_sets,
)
from tests.study.cases import random_collection

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "auc_variants.json").read_text())
SETS = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 4))


def test_table_4_1():
    sets = parse_sets("\n".join(GOLDEN["score_sets"].values()))
    for place, (name, row) in enumerate(
        zip(GOLDEN["score_sets"], GOLDEN["table_4_1"], strict=True)
    ):
        assert row["set"] == name
        for what in ("span", "margin", "relative_margin", "median", "errors"):
            printed, value = row[what], getattr(sets, what)[place]
            if printed is None:
                assert math.isnan(value)
            else:
                assert abs(value - printed) <= 0.005 + 1e-9, (name, what)


def test_properties_of_each_set_by_hand():
    sets = random_collection(0, 300)
    plain = list(sets)
    assert len(sets.groups) == 5
    for place, (truth, score) in enumerate(plain):
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
        np.testing.assert_array_equal(sets.relative_margin[place], relative)


def test_types_by_their_inequalities():
    """Section 5.1.3; of distinct scores each set has one of the six types."""
    for (truth, score), found in zip(SETS, SETS.type, strict=True):
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
    assert set(SETS.type) == {1, 2, 3, 4, 5, 6}
    assert (SETS.type == 1).tolist() == SETS.correct.tolist()


def test_margins_are_narrowed_of_types_1_and_2():
    ties = parse_sets(
        "0.5p 0.5n\n0.9p 0.5p 0.5n 0.1n\n0.9p 0.9n 0.1n\n0.9p 0.1n 0.1p\n0.5p 0.1p 0.9n"
    )
    for sets in (SETS, ties):
        grown = [len(narrow_margins(SetCollection.from_sets([one]), 3)) == 3 for one in sets]
        assert grown == np.isin(sets.type, [1, 2]).tolist()


def test_margin_of_exact_decimals_is_that_of_the_floats():
    assert parse_sets("0.3p 0.3n").correct.tolist() == [False]
    assert parse_sets(f"{float(np.nextafter(0.3, 1))!r}p 0.3n").correct.tolist() == [True]


@pytest.mark.parametrize(
    ("truth", "score", "message"),
    [
        ([[1, 0], [1, 1]], [[0.1, 0.2]] * 2, "Set 1 has no negative"),
        ([[0, 0], [1, 0]], [[0.1, 0.2]] * 2, "Set 0 has no positive"),
        ([[1, 0], [1, 0]], [[0.1, 0.2], [0.1, 1.5]], r"Set 1 holds the score 1\.5"),
        ([[1, 0], [1, 0]], [[0.1, -0.2], [0.1, 0.5]], r"Set 0 holds the score -0\.2"),
        ([[1, 0]], [[0.1, np.nan]], "NaN"),
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


def plain(sets):
    return [(truth.tolist(), score.tolist()) for truth, score in sets]


def test_any_order_precision_length_comments_and_blank_lines():
    text = (
        "# a header\n\n  0.60n 0.85p\t1p # the first\r\n.5p 0.n 5e-1n 0.123456789012345678n\n   \n"
        "#0.1p 0.2n\n+0.1p 1.0n"
    )
    assert plain(parse_sets(text)) == [
        ([False, True, True], [0.6, 0.85, 1.0]),
        ([True, False, False, False], [0.5, 0.0, 0.5, 0.12345678901234568]),
        ([True, False], [0.1, 1.0]),
    ]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("0.8p 0.4n\n\n0.8p 0.4", "line 3, column 6", "'0.4'"),
        ("0.8p  0.4x", "line 1, column 7", "'0.4x'"),
        ("# c\n\t0,8p 0.4n", "line 2, column 2", "'0'"),
        ("0.8p0.4n", "line 1, column 1", "'0.8p0.4n'"),
        (".p 0.4n", "line 1, column 1", "'.p'"),
        ("0.8p 0.4n\n0.8p 85n", "line 2, column 6", r"outside \[0, 1\]"),
        ("0.8p 1e999n", "line 1, column 6", r"outside \[0, 1\]"),
        ("0.8p \u0660n", "line 1, column 6", "not a score"),
        ("(0.9p 0.1n)\n(0.9p, 0.4q)", "line 2, column 8", "'0.4q'"),
    ],
)
def test_malformed_lines(text, where, what):
    with pytest.raises(ValueError, match=f"^{where}: .*{what}"):
        parse_sets(text)


def test_no_sets_and_no_text():
    with pytest.raises(ValueError, match="Set 1 has no negative"):
        parse_sets("0.8p 0.4n\n  0.8p 0.5p")
    for text in ("", "\n \n", "# only a comment"):
        with pytest.raises(ValueError, match="There is no score set"):
            parse_sets(text)
    with pytest.raises(TypeError, match="text must be a string, found bytes"):
        parse_sets(b"0.8p 0.4n")


def test_written_and_read_again_bit_for_bit():
    rng = np.random.default_rng(0)
    sets = SetCollection.from_sets(
        [(np.arange(m) == rng.integers(m), rng.random(m) ** 20) for m in rng.integers(2, 9, 50)]
    )
    assert plain(parse_sets(format_sets(sets))) == plain(sets)


def test_brackets_and_decimals():
    for text in (
        "(0.85p 0.80p 0.75p 0.70n)\n[0.9p,0.4n]",
        "{0.85p, 0.80p, 0.75p, 0.70n},\n(0.9p; 0.4n);",
    ):
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
