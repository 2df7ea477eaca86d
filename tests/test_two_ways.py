"""A metric has one value, at whichever door; see `tests/two_ways.py`."""

from __future__ import annotations

import pytest

from tests.two_ways import BLOCK, DOORS, Tally, compare


def tallied(draws, seed=0):
    tally = Tally()
    for number in range(draws):
        compare(seed, number, tally)
    return tally


@pytest.fixture(scope="module")
def found():
    return tallied(3 * BLOCK)


@pytest.mark.parametrize("door", DOORS)
def test_values_agree(found, door):
    assert not found.wrong[door], "\n".join(found.wrong[door])
    assert len(found.drawn[door]) == BLOCK  # every kind of labels in both orders with all weights
    assert found.compared[door] > BLOCK / 2


def test_few_metrics_are_refused(found):
    assert found.refused.total() < 0.02 * found.compared.total(), found.refused


@pytest.mark.slow
def test_values_agree_in_many_draws():
    found = tallied(25 * BLOCK, seed=1)
    assert not any(found.wrong.values()), str(found)
