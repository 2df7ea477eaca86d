"""Pictures of a study: what they show, on which axes, under which names."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from skaucx.study import (
    Breakdown,
    BreakdownDisplay,
    DifferenceDisplay,
    ValueRangesDisplay,
    ViolationsDisplay,
    all_labellings,
    count_violations,
    narrow_spans,
    parse_sets,
)
from tests.study.cases import SIX

pytestmark = pytest.mark.presentation

MEASURES = ["roc_auc", "prob_auc", "mm7_auc", "mm11_auc"]


@pytest.fixture(scope="module")
def violations():
    return count_violations(all_labellings(narrow_spans(SIX, 30)), MEASURES)


def labels(ticks):
    return [tick.get_text().replace("\N{MINUS SIGN}", "-") for tick in ticks]


def test_bars_of_violations(violations):
    ax = ViolationsDisplay(violations).plot().ax_
    counts = [tally.violations for tally in violations.measures.values()]
    assert [bar.get_width() for bar in ax.patches] == counts
    assert labels(ax.texts) == [str(count) for count in counts]
    assert labels(ax.get_yticklabels()) == MEASURES
    assert ax.get_ylim() == (3.5, -0.5)
    assert ax.get_xlabel() == "violations, of 150 correctly ranked sets"
    assert ax.get_xlim()[1] > max(counts)


def test_ranges_of_values(violations):
    ax = ValueRangesDisplay(violations).plot().ax_
    correct, incorrect = (lines.get_segments() for lines in ax.collections)
    for place, (name, tally) in enumerate(violations.measures.items()):
        values = violations.values[name]
        assert correct[place][0] == pytest.approx([tally.lowest_correct, place - 0.19])
        assert incorrect[place][1] == pytest.approx([tally.highest_incorrect, place + 0.19])
        box = ax.containers[0][place]
        quartiles = np.quantile(values[violations.is_correct], [0.25, 0.75])
        assert [box.get_x(), box.get_x() + box.get_width()] == pytest.approx(quartiles)
    assert labels(ax.get_legend().get_texts()) == ["correctly ranked", "incorrectly ranked"]
    assert ax.get_xlim()[1] > 1
    assert len({bars[0].get_hatch() for bars in ax.containers}) == 2
    ax = ValueRangesDisplay(count_violations(parse_sets("0.9p 0.2n"), MEASURES)).plot().ax_
    assert labels(ax.get_legend().get_texts()) == ["correctly ranked"]


def curves(ax):
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): np.array(line.get_data()) for line in named}


def test_shares_of_a_breakdown():
    counts = {"roc_auc": np.array([0, 0, 0, 0]), "mm7_auc": np.array([0, 5, 0, 1])}
    correct = np.array([0, 10, 0, 4])
    parts = Breakdown("relative_margin", np.linspace(0, 1, 5), correct, counts)
    ax = BreakdownDisplay(parts).plot().ax_
    found = curves(ax)
    assert found["mm7_auc"].tolist() == [[0.375, 0.875], [0.5, 0.25]]
    assert found["roc_auc"].tolist() == [[0.375, 0.875], [0, 0]]
    assert ax.get_xlim() == (0.25, 1)
    assert ax.get_xlabel() == "relative margin of the set"
    empty = Breakdown("span", np.array([0.0, 1.0]), np.array([0]), {"mm7_auc": np.array([0])})
    assert curves(BreakdownDisplay(empty).plot().ax_)["mm7_auc"].shape == (2, 0)


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
