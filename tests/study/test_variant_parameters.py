"""The search over parameters of the variants: its faults counted again, and the figures of the page."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from benchmarks import variant_parameters as search

ROOT = Path(__file__).parents[2]
MEASURES = {name: name for name in ("roc_auc", "scor_auc", "sond_auc")}
ROWS = [row for row in search.TABLE["rows"] if row["row"] in ("A1", "E1")]


def test_faults_are_those_of_the_plain_loop():
    found = search.measured(ROWS, MEASURES)
    for name, record in found.items():
        ordered = reversed_ = tied = split = 0
        for row in ROWS:
            counted = search.count_violations(search.sets_of(row), MEASURES)
            assert counted.sets < search.SETS_OF_A_ROW  # all of them are compared
            auc, own = counted.values["roc_auc"].tolist(), counted.values[name].tolist()
            for i, j in itertools.combinations(range(counted.sets), 2):
                same = abs(own[i] - own[j]) <= 1e-12
                if abs(auc[i] - auc[j]) <= 1e-12:
                    tied, split = tied + 1, split + (not same)
                else:
                    ordered += 1
                    reversed_ += not same and (auc[i] < auc[j]) != (own[i] < own[j])
            assert record.violations[row["row"]] == counted.measures[name].violations
        assert (record.ordered, record.reversed) == (ordered, reversed_)
        assert (record.tied, record.split) == (tied, split)


def test_the_front_has_what_nothing_beats():
    def record(violations, reversed_):
        return search.Record({"A1": violations}, 100, reversed_, 1, 0)

    found = {"a": record(0, 5), "b": record(3, 1), "c": record(3, 2), "d": record(0, 5)}
    assert search.front(found) == ["a", "b", "d"]


@pytest.mark.parametrize(
    ("shown", "measure"),
    [
        ("scorAUC", "scor_auc"),
        ("softAUC, beta = 7", "soft_auc(beta=7)"),
        ("sondAUC, q = 1/7", "sond_auc(q=0.142857)"),
        ("mm7, m = .9, n = 1/100 (the thesis)", "mm7_auc(auc_power=0.9, margin_power=0.01)"),
        ("mm7, m = .5, n = 1/1000", "mm7_auc(auc_power=0.5, margin_power=0.001)"),
        ("mm7, m = .1, n = 1/100", "mm7_auc(auc_power=0.1, margin_power=0.01)"),
        ("sondAUC, q = 1/100", "sond_auc(q=0.01)"),
    ],
)
def test_the_page_shows_the_measured_figures(shown, measure):
    page = (ROOT / "examples/guide/study.md").read_text(encoding="utf-8")
    results = (ROOT / "benchmarks/results/variant_parameters.md").read_text(encoding="utf-8")
    [row] = re.findall(rf"^\| {re.escape(measure)} \|(.*)$", results, re.MULTILINE)
    violations, _, changed, split, _ = (cell.strip() for cell in row.rstrip("|").split("|"))
    assert f"| {shown} | {violations} | {changed} | {split} |" in page
