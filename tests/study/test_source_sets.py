"""Types of sets, spans of a class, orders of errors, difference functions, numbers of folds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from skaucx.study import (
    DifferenceDisplay,
    all_labellings,
    count_violations,
    format_sets,
    narrow_margins,
    narrow_spans,
    parse_sets,
    simulate_folds,
)

SETS = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 4))


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
        grown = [len(narrow_margins(one, 3)) == 3 for one in map(alone, sets)]
        assert grown == np.isin(sets.type, [1, 2]).tolist()


def alone(one):
    from skaucx.study import SetCollection

    return SetCollection.from_sets([one])


def test_spans_of_each_class():
    for (truth, score), high, low in zip(SETS, SETS.positive_span, SETS.negative_span, strict=True):
        assert (high, low) == (np.ptp(score[truth]), np.ptp(score[~truth]))


def test_text_with_brackets_and_commas_and_its_decimals():
    plain = "0.85p 0.80p 0.75p 0.70n\n0.9p 0.4n\n"
    for text in (
        "(0.85p 0.80p 0.75p 0.70n)\n[0.9p,0.4n]",
        "{0.85p, 0.80p, 0.75p, 0.70n},\n(0.9p; 0.4n);",
    ):
        found = parse_sets(text)
        assert found.decimals == 2
        assert format_sets(found) == plain.replace("0.9p 0.4n", "0.90p 0.40n")
    with pytest.raises(ValueError, match=r"line 2, column 8: '0\.4q'"):
        parse_sets("(0.9p 0.1n)\n(0.9p, 0.4q)")
    exact = "0.1234567890123456789p 0.1n\n"
    assert parse_sets(exact).decimals is None
    assert format_sets(parse_sets(exact)) == "0.12345678901234568p 0.1n\n"


def test_violations_by_errors_are_those_of_the_plain_loop():
    found = count_violations(SETS, ["roc_auc", "prob_auc", "scor_auc"])
    by = found.by_errors()
    errors = SETS.errors
    for place, number in enumerate(by.errors):
        more, here = errors > number, errors == number
        assert by.sets[place] == here.sum()
        for name, value in found.values.items():
            bar = value[more].max(initial=-np.inf)
            assert by.violations[name][place] == (value[here] < bar - 1e-12).sum()
    for name, tally in found.measures.items():
        assert by.violations[name][0] == tally.violations
    assert by.violations["roc_auc"][1:].sum() > 0  # one error of five pairs, two of nine
    assert str(by).splitlines()[1].split() == ["errors", "sets", *found.values]


def test_difference_functions_are_those_of_the_pairs():
    display = DifferenceDisplay(parameters={"beta": 3.0, "q": 0.5}).plot()
    d, values = display.functions
    won = np.maximum(d, 0)
    expected = {
        "roc_auc": np.where(d == 0, 0.5, d > 0), "prob_auc": (1 + d) / 2, "scor_auc": won,
        "sond_auc": np.sqrt(won), "soft_auc": special.expit(3 * d),
    }  # fmt: skip
    assert list(values) == list(expected)
    for name, value in values.items():
        np.testing.assert_allclose(value, expected[name], atol=1e-12)
    assert len(display.ax_.get_lines()) >= 5


def test_folds_and_their_bias():
    found = simulate_folds([2, 20], repetitions=60, random_state=0)
    assert found.bias[0] < found.bias[1] - 0.01  # half of the rows train the worse models
    spread = (found.estimates - found.truth).var(axis=1)
    assert found.error**2 == pytest.approx(found.bias**2 + spread)
    assert found.variance == pytest.approx(found.estimates.var(axis=1, ddof=1))
    assert 0.75 < found.truth.mean() < 0.8413  # the best rule of all: Phi(1)
    assert found.to_frame().index.tolist() == [2, 20]
    assert "60 samples" in str(found)
    with pytest.raises(ValueError, match="folds must be numbers up to n_samples=20"):
        simulate_folds([30])


VARIANTS = json.loads((Path(__file__).parents[1] / "data/auc_variants.json").read_text())
TABLE_4_1 = ("span", "margin", "relative_margin", "median", "errors")


@pytest.mark.parametrize("column", TABLE_4_1)
def test_table_4_1(column):
    rows = VARIANTS["table_4_1"]
    assert len(rows) == 15
    assert all(set(row) == {"set", *TABLE_4_1} for row in rows)
    sets = parse_sets("\n".join(VARIANTS["score_sets"][row["set"]] for row in rows))
    found = np.asarray(getattr(sets, column), dtype=float)
    printed = np.array([row[column] for row in rows], dtype=float)  # None is nan
    half = 0.5 if column == "errors" else 0.005
    np.testing.assert_allclose(found, printed, rtol=0, atol=half + 1e-9)


def test_scores_are_written_without_the_rounding_of_arithmetic():
    """A margin narrowed in two steps, without decimals= given."""
    made = narrow_margins(parse_sets("0.9p 0.6n"), 4)
    assert "000000" not in format_sets(made)
    assert len(made) == 4
    np.testing.assert_allclose(
        parse_sets(format_sets(made)).groups[0].score, made.groups[0].score, rtol=0, atol=1e-15
    )
    assert format_sets(parse_sets("0.1234567890123456p 0.1n")) == "0.1234567890123456p 0.1n\n"


def test_labellings_in_the_order_of_section_5_1_4():
    lines = format_sets(all_labellings(parse_sets(".85p .80p .75p .70n .65n .60n"))).splitlines()
    labels = ["".join(token[-1] for token in line.split()) for line in lines]
    assert (labels[0], labels[-1], len(labels)) == ("nnnnnp", "pppppn", 62)
    assert labels == sorted(labels)
