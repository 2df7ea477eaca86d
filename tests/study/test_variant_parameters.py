"""The search over parameters of the variants: its faults counted again, and the figures of the page."""

from __future__ import annotations

import itertools
from pathlib import Path

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
