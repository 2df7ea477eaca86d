"""Pages of predicted numbers: the default set with intervals, groups, no class pictures."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.evaluation import evaluate
from skaucx.regression import r2_score
from skaucx.reports import report

RNG = np.random.default_rng(0)
Y = RNG.normal(size=80)
PRED = Y + RNG.normal(size=80)
BY = np.where(np.arange(80) % 2, "ward A", "ward B")


def page(tmp_path, *given, **options):
    return report(tmp_path / "page.html", *given, **options).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options", [{}, {"metrics": ["r2"]}, {"metrics": "regression"}, {"by": BY}]
)
def test_page_of_numbers(options, tmp_path):
    text = page(tmp_path, Y, PRED, **options)
    values = evaluate(Y, PRED, metrics=options.get("metrics"), by=options.get("by"))
    for found in [values[g] for g in ("ward A", "ward B")] if "by" in options else [values]:
        assert f"{abs(found['r2']):.2f}"[1:] in text
    assert ("ward A" in text) == ("by" in options)
    assert "Confusion" not in text
    assert "Positives" not in text


def test_whole_numbers_are_numbers_where_a_metric_of_numbers_is_requested(tmp_path):
    whole = np.round(Y)
    assert f"{r2_score(whole, PRED):.2f}"[1:] in page(tmp_path, whole, PRED, metrics=["r2"])
