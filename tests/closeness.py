"""How far two ways to one number may lie apart on any processor: what their arithmetic allows.

Processors add in another order, fuse a product with a sum, and round exponentials otherwise in the last
digit. Only runs of the same instructions on the same numbers give the same bits.
"""

from __future__ import annotations

import numpy as np

EPS = np.finfo(float).eps


def rounding(terms: int = 1) -> float:
    r"""Return the error of a number made of sums of ``terms`` numbers, in units of their mean size.

    In whatever order, :math:`|\hat s - s| \le (n - 1) u \sum |x_i|` with :math:`u = \epsilon / 2`
    [Higham 2002, section 4.2]. Two such sums are compared, each of them perhaps divided by one of
    weights, which makes four sums; each of four more steps (a product, a quotient, a root, an
    exponential) rounds once. It is the relative tolerance of sums of one sign, and the absolute one of
    means of numbers within [-1, 1].
    """
    return 4 * (terms + 4) * float(EPS)


def minimum() -> float:
    r"""Return the relative error of a place that is found as the minimum of a smooth function.

    Where the function changes by less than its rounding, :math:`f'' h^2 / 2 \le \epsilon f`, its values
    do not distinguish places: :math:`h` is about :math:`\sqrt\epsilon` in units of the function's own
    scale [Press et al. 2007, section 10.2].
    """
    return float(np.sqrt(EPS))
