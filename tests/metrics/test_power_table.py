"""Powers by table against long doubles."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics._pairs.sums import power_tree as power_table
from skaucx.metrics._pairs.sums.power_tree import raised_to


@pytest.fixture(params=[False, True], ids=["one by one", "vectorised"])
def _exponentials(request, monkeypatch):
    """Take the way of either kind of processor."""
    monkeypatch.setattr(power_table, "exponentials_are_vectorised", lambda: request.param)


@pytest.mark.usefixtures("_exponentials")
@pytest.mark.parametrize("q", [1 / 1001, 1 / 7, 0.25, 0.5, 1, 2, 4.5, 10, 30.5])
@pytest.mark.parametrize(
    ("lowest", "highest"),
    [(1e-6, 1), (1e-9, 1e-8), (0.5, 0.5), (1e-200, 1), (5e-324, 1e-310), (1e-320, 1e-300)],
    ids=["wide", "small", "equal", "beyond the table", "subnormal", "half subnormal"],
)
def test_against_long_doubles(q, lowest, highest):
    d = np.geomspace(lowest, highest, 5001) if lowest < highest else np.full(3, lowest)
    expected = d.astype(np.longdouble) ** np.longdouble(q)
    found = raised_to(q)(d.copy())
    # By logarithm the error grows with its size: eps q |log d|.
    close = 1e-15 if lowest > 1e-10 and q <= 10 else 1e-15 * (2 + q * abs(np.log(lowest)))
    normal = expected > 1e-300
    np.testing.assert_allclose(found[normal], expected[normal].astype(float), rtol=close)
    np.testing.assert_allclose(found[~normal], expected[~normal].astype(float), atol=1e-300)


def test_cut_numbers_are_exact():
    d = np.array([0.25, 0.5, 1.0])
    np.testing.assert_array_equal(raised_to(0.5)(d.copy()), np.sqrt(d))


def test_nothing():
    assert len(raised_to(0.5)(np.empty(0))) == 0
