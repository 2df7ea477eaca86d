"""The matrix of all pairs as an operator, against the matrix itself."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics._pairs.kernels import DifferenceFunction, Kernel, Logistic, Power
from skaucx.metrics._pairs.sums import pair_matrix
from skaucx.metrics._pairs.sums.pair_matrix import CellMatrix, WholeMatrix
from tests.closeness import rounding
from tests.each import each
from tests.metrics.pair_sets import FAMILIES, score_set


def bowl(d):
    """Return a function that falls and rises, is negative somewhere and has a kink off 0."""
    return np.abs(d - 0.2) - 0.1


def dose(d):
    """Return a function with a narrow bend at 0, unseen from afar."""
    return np.tanh(40 * d)


KERNELS = {
    "q 0": Power(0), "q 1/7": Power(1 / 7), "q 2.5": Power(2.5), "q 9": Power(9),
    "beta 0.1": Logistic(0.1), "beta 7": Logistic(7), "beta 900": Logistic(900),
    "beta 1e6": Logistic(1e6), "bowl": DifferenceFunction(bowl, (0.2,)),
    "dose": DifferenceFunction(dose, ()), "sign": DifferenceFunction(np.sign, (0.0,)),
}  # fmt: skip


@pytest.fixture
def _cells_alone(monkeypatch):
    """Keep even small sets from being held pair by pair."""
    monkeypatch.setattr(pair_matrix, "_FEW_PAIRS", 0)
    monkeypatch.setattr(pair_matrix, "_FEW_PAIRS_KEPT", 40)


@pytest.mark.usefixtures("_cells_alone")
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@each("family", FAMILIES)
@pytest.mark.parametrize("size", [3, 250])
def test_sums_are_those_of_all_pairs(family, kernel, size):
    p, n = (np.unique(side) for side in score_set(family, size)[:2])
    rng = np.random.default_rng(1)
    wp, wn = rng.random((len(p), 2)), rng.random((len(n), 2))
    pairs, matrix = kernel(p[:, None] - n), kernel.matrix(p, n)
    assert isinstance(matrix, CellMatrix)
    sums, plain, sizes = matrix.over_negatives(wn), pairs @ wn, np.abs(pairs) @ wn
    for found, expected, greatest in (
        (sums, plain, sizes),
        (matrix.over_positives(wp), pairs.T @ wp, np.abs(pairs).T @ wp),
    ):
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=rounding(len(n) + len(p)) * greatest.max()
        )
    total, expected, mean = ((wp * each).sum(axis=0) for each in (sums, plain, sizes))
    np.testing.assert_array_less(np.abs(total - expected), 1e-12 * mean + 1e-290)
    ones = Kernel.total(kernel, (p, n, None, None))
    assert abs(ones - pairs.sum()) <= 1e-12 * np.abs(pairs).sum() + 1e-290


@pytest.mark.parametrize("kernel", list(KERNELS.values())[:8], ids=list(KERNELS)[:8])
def test_two_ways_to_one_sum(kernel):
    """The single sums of known kernels, and the matrix that any kernel has."""
    p, n, wp, wn = score_set("sigmoid", 4000, weighted=True)
    total = Kernel.total(kernel, (p, n, wp, wn))
    assert total == pytest.approx(kernel.total((p, n, wp, wn)), rel=1e-12)


@pytest.mark.usefixtures("_cells_alone")
@pytest.mark.parametrize("kept", [0, 1 << 60], ids=["made anew", "kept"])
def test_pieces_do_not_show(kept, monkeypatch):
    monkeypatch.setattr(pair_matrix, "_AT_ONCE", 500)
    monkeypatch.setattr(pair_matrix, "_MOST_KEPT", kept)
    p, n = score_set("both signs", 600)[:2]
    weight = np.random.default_rng(0).random((len(n), 3))
    for kernel in (Power(0.3), DifferenceFunction(np.tanh)):
        matrix, pairs = kernel.matrix(p, n), kernel(p[:, None] - n)
        for _ in range(2):
            np.testing.assert_allclose(matrix.over_negatives(weight), pairs @ weight, rtol=1e-12)
            np.testing.assert_allclose(
                matrix.over_positives(pairs[:, :1]), pairs.T @ pairs[:, :1], rtol=1e-12, atol=1e-12
            )


def test_few_numbers_are_held():
    p, n = np.sort(np.random.default_rng(2).random((2, 5000)))
    matrix = Power(1 / 7).matrix(p, n)
    near = sum(piece.nnz for piece in matrix._near)
    assert near < len(p) * len(n) / 20


def test_spans_beyond_the_floats_are_taken_pair_by_pair():
    p, n = 1.7e308 * np.linspace(-1, 1, 400), 1.6e308 * np.linspace(-1, 1, 300)
    assert isinstance(Logistic(1.0).matrix(p, n), WholeMatrix)


@pytest.mark.parametrize("columns", [2_000, 20_000, 100_000])
def test_products_with_one_set_of_weights_wake_no_threads(columns):
    """Threads of BLAS that wait for their part take many times the processor time of the product."""
    multiplied = []

    class Noted(np.ndarray):
        def __matmul__(self, weight):
            multiplied.append(self.size * weight.shape[1])
            return np.asarray(self) @ weight

    matrix = np.ones((150, columns)).view(Noted)
    assert (pair_matrix._product(matrix, np.ones((columns, 1))) == columns).all()
    assert max(multiplied) <= pair_matrix._ONE_THREAD
