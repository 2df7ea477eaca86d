"""Every metric works at every door, or is refused there for a reason of the list."""

from __future__ import annotations

import pytest

from skaucx.metrics._registry.declare import METRICS
from tests.annexes import needs
from tests.doors import DOORS, REASONS, is_known, markdown, matrix

# Doors that are quick are met by every metric, the others by one metric of each kind of arrays.
QUICK = ["function", "scorer", "cross_val_score", "evaluate", "groups", "weights", "named set"]
ONE_OF_EACH = {function.metric.kind.inputs.name: name for name, function in METRICS.items()}
WITH_PARAMETERS = [
    "pairwise_auc",
    "expected_cost",
    "best_feasible",
    "survival_brier_loss",
    "max_error",
]


def wrong(cells):
    return {
        (name, door): text
        for name, row in cells.items()
        for door, text in row.items()
        if not is_known(text)
    }


def test_quick_doors_of_all_metrics():
    cells = matrix(doors=QUICK)
    assert not wrong(cells)
    assert {text for row in cells.values() for text in row.values()} == {"works"}


def test_every_door_of_each_kind():
    names = [*ONE_OF_EACH.values(), *WITH_PARAMETERS]
    cells = matrix(names, [door for door in DOORS if door not in QUICK])
    assert not wrong(cells)
    texts = [text for row in cells.values() for text in row.values()]
    assert {text.removeprefix("refused: ") for text in texts} == {"works", *REASONS}


@needs("regression")
def test_files_of_numbers_are_read_as_numbers():
    cells = matrix(["r2", "mean_squared_error", "mean_poisson_deviance"], ["command line"])
    assert {row["command line"] for row in cells.values()} == {"works"}


@pytest.mark.slow
def test_the_whole_matrix():
    cells = matrix()
    assert not wrong(cells)
    assert f"{len(METRICS)} metrics at {len(DOORS)} doors" in markdown(cells)
