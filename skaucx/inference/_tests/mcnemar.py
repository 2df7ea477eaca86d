"""McNemar's test of labels that two classifiers predict for the same rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..._options import Alternative, Confidence, check_choice
from ...metrics._records.inputs import (
    check_label_pair,
)
from .._intervals.limits import clopper_pearson, quantile
from .result import (
    ComparisonResult,
    accepted_range,
    tail,
)

# Discordant rows from which the asymptotic test is used.
_FEW = 25


def mcnemar_test(
    y_true: ArrayLike,
    y_pred_a: ArrayLike,
    y_pred_b: ArrayLike,
    *,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> ComparisonResult:
    r"""Compare the accuracy of two classifiers on the same examples by McNemar's test.

    The test uses the discordant examples, which one classifier alone predicts correctly: b by the
    first, c by the second.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True class labels, two or more classes; or multilabel indicators, correct if all of a row
        are.
    y_pred_a, y_pred_b : array-like of shape (n_samples,)
        Labels predicted by the two classifiers.
    method : {"auto", "exact", "asymptotic"}, default="auto"
        "exact": binomial test of b against b + c [1]_; "asymptotic": chi-squared of
        ``(b - c)^2 / (b + c)``. "auto" is "exact" below 25 discordant examples, and "asymptotic" from
        there on.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Alternative hypothesis for the difference a - b of the accuracies.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    ComparisonResult
        The statistic is b for "exact", chi-squared otherwise; the estimates are the two accuracies.
        Their difference has the interval of the same test: of "exact" Clopper and Pearson's of
        b / (b + c), given the number b + c; otherwise Tango's [2]_, the differences that the score
        test accepts.

    Raises
    ------
    ValueError
        If lengths differ, labels are missing, or `method` or `confidence_level` is invalid.

    Notes
    -----
    With b + c = 0 the p-value is 1, and the exact test has no interval. To compare other metrics of
    predicted labels, such as sensitivity, or rows in groups, such as patients, use :func:`paired_test`.

    Simulated size of the nominal 5 % test on 30 and 100 balanced examples: 0.7 to 3.3 % for "exact",
    4.4 to 5.1 % for "asymptotic" (``benchmarks/results/sizes.md``).

    References
    ----------
    .. [1] McNemar, Q. (1947). Note on the sampling error of the difference between correlated
       proportions or percentages. Psychometrika 12, 153-157.
    .. [2] Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions
       for the paired-sample design. Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> from skaucx.inference import mcnemar_test
    >>> y_true = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> mcnemar_test(y_true, [1, 1, 1, 0, 0, 0, 1, 1], [1, 0, 0, 1, 0, 1, 1, 1])
    McNemar's test, exact
      statistic 4.0000, p-value 0.1250
      estimates 0.8750, 0.3750
      difference 0.5000, 95 % interval -0.1024 to 0.5000
      target: these predictions
      note: the interval is that of the 4 rows on which the two differ
    """
    check_choice("method", method, ("auto", "exact", "asymptotic"))
    right = right_answers(y_true, {"y_pred_a": y_pred_a, "y_pred_b": y_pred_b})
    b, c = (int(np.sum(right[:, k] & ~right[:, 1 - k])) for k in (0, 1))
    sides, n = Confidence(confidence_level, alternative=alternative), len(right)
    error, note = float(np.sqrt(b + c - (b - c) ** 2 / n) / n), ""
    if method == "auto":
        method = "exact" if b + c < _FEW else "asymptotic"
    statistic, p_value = mcnemar_statistic(b, c, method, alternative)
    if method == "asymptotic":
        ends = _tango(b, c, n, sides.two_sided)
    else:
        ends, note = _of_shares(b, c, n, sides.two_sided)
    low, high = sides.ends(*ends, (-1, 1))
    first, second = right.mean(axis=0).tolist()
    return ComparisonResult(
        f"McNemar's test, {method}", float(statistic), float(p_value), (first, second), (b - c) / n,
        error, (float(low), float(high)), float(confidence_level), alternative, note=note,
    )  # fmt: skip


def _of_shares(b: int, c: int, n: int, confidence_level: float) -> tuple[tuple[float, float], str]:
    """Return the exact interval of the difference, given the number of discordant rows, and its note."""
    if b + c == 0:
        return (np.nan, np.nan), "the two differ on no row, so there is no interval"
    shares = clopper_pearson(b, b + c, confidence_level)
    low, high = (float(2 * share - 1) * (b + c) / n for share in shares)
    return (low, high), f"the interval is that of the {b + c} rows on which the two differ"


def right_answers(y_true: Any, predictions: dict[str, Any]) -> Any:
    """Return which predictions are correct, shape (n_samples, n_classifiers), bool."""
    columns = []
    for name, y_pred in predictions.items():
        pair = check_label_pair(y_true, y_pred, names=("y_true", name))
        same = pair.true == pair.pred
        columns.append(same.all(axis=1) if pair.multilabel else same)
    return np.column_stack(columns)


def mcnemar_statistic(
    b: Any, c: Any, method: str, alternative: Alternative = "two-sided"
) -> tuple[Any, Any]:
    """Return statistic and p-value for counts b and c of any one shape."""
    b, n = np.asarray(b), np.asarray(b) + np.asarray(c)
    if method == "asymptotic":
        # (b - c)^2 / (b + c), since b - c = 2 b - n.
        signed = (2 * b - n) / np.sqrt(np.maximum(n, 1))
        return signed**2, tail(signed, alternative)
    greater, less = stats.binom.sf(b - 1, n, 0.5), stats.binom.cdf(b, n, 0.5)
    if alternative == "two-sided":
        return b, np.minimum(2 * np.minimum(greater, less), 1)
    return b, greater if alternative == "greater" else less


def _tango(b: int, c: int, n: int, confidence_level: float) -> tuple[float, float]:
    r"""Return the differences d that the score test of matched pairs accepts (Tango 1998).

    .. math:: |b - c - n d| \le z \sqrt{n (2 q + d (1 - d))}

    where q, the maximum-likelihood probability that only the second is correct, is the greater root
    of
    :math:`2 n q^2 + ((2 n - b + c) d - b - c) q - c d (1 - d) = 0`.
    """
    reach = quantile(confidence_level)

    def accepts(d: float) -> bool:
        # 2 q = (root - linear) / (2 n)
        linear = (2 * n - b + c) * d - b - c
        root = np.sqrt(max(linear**2 + 8 * n * c * d * (1 - d), 0))
        error = np.sqrt(max(n * ((root - linear) / (2 * n) + d * (1 - d)), 0))
        return bool(abs(b - c - n * d) <= reach * error)

    return accepted_range(accepts, (b - c) / n, (-1.0, 1.0))
