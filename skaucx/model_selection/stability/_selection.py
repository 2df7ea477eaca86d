"""Similarity of the choices of several fits: winners of folds, and sets of selected features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from skaucx.metrics.estimation import Interval

from ..._compat import import_pandas
from ..._options import check_confidence_level
from ..._text.html import Preformatted
from ..._text.numbers import fixed
from ..._text.tables import paragraph, table
from .._types import Floats
from ..results._nested_result import NestedCVResult

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class WinnerStability(Preformatted):
    """How often k outer folds chose the same; made by :func:`winner_stability`.

    Attributes
    ----------
    agreement : float
        Share of the pairs of folds that chose the same candidate, nan for a single fold.
    shares : dict of str to dict
        For each parameter the share of folds that chose each value.
    n_winners : int
        Distinct candidates that were chosen.
    n_folds : int
        Folds that chose; one that could not decide does not count.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import nested_cross_validate, winner_stability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"var_smoothing": [1e-9, 1e-1]}
    >>> winner_stability(nested_cross_validate(GaussianNB(), grid, X, y, scoring="roc_auc"))
    WinnerStability(agreement=1.000, n_winners=1)
    """

    agreement: float
    shares: Mapping[str, Mapping[Any, float]]
    n_winners: int
    n_folds: int

    def __repr__(self) -> str:
        return f"WinnerStability(agreement={self.agreement:.3f}, n_winners={self.n_winners})"

    def __str__(self) -> str:
        head = (
            f"{self.n_winners} different winners in {self.n_folds} outer folds; "
            f"{self.agreement:.0%} of the pairs of folds agree."
        )
        rows = [
            [name, str(value), f"{share:.0%}"]
            for name, found in self.shares.items()
            for value, share in found.items()
        ]
        return "\n".join([paragraph(head), table(["parameter", "value", "folds"], rows)])


def winner_stability(result: NestedCVResult) -> WinnerStability:
    """Return how often the outer folds of a nested run chose the same parameters.

    Parameters
    ----------
    result : NestedCVResult

    Returns
    -------
    WinnerStability

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import nested_cross_validate, winner_stability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> result = nested_cross_validate(
    ...     tree, {"max_depth": [1, 3]}, X, y, scoring="roc_auc", inner_cv=3
    ... )
    >>> found = winner_stability(result)
    >>> found.agreement, dict(found.shares["max_depth"])
    (1.0, {'3': 1.0})
    """
    decided = [s.winner for s in result.selections if s.decided]
    chosen = [result.candidates[winner] for winner in decided]
    names = dict.fromkeys(name for params in chosen for name in params)
    pairs = [a == b for a, b in combinations(decided, 2)]
    return WinnerStability(
        agreement=float(np.mean(pairs)) if pairs else np.nan,
        shares={name: _shares([str(p.get(name, "")) for p in chosen]) for name in names},
        n_winners=len(set(decided)),
        n_folds=len(decided),
    )


def _shares(values: list[str]) -> dict[str, float]:
    return {value: count / len(values) for value, count in Counter(values).most_common()}


@dataclass(frozen=True, eq=False, repr=False)
class FeatureStability(Preformatted):
    """Similarity of sets of selected features; made by :func:`feature_stability`.

    Attributes
    ----------
    nogueira : float
        1 where all sets are the same, 0 on average where they are drawn at random.
    interval : skaucx.metrics.estimation.Interval
        Of ``nogueira``, asymptotic; nan where the sets do not vary.
    jaccard : float
        Mean over the pairs of sets of the share of their union that they have in common.
    shares : ndarray of shape (d,), float64
        Share of the sets that hold each feature.

    Examples
    --------
    >>> from skaucx.model_selection import feature_stability
    >>> feature_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).shares.round(2).tolist()
    [1.0, 0.67, 0.33, 0.0]
    """

    nogueira: float
    interval: Interval
    jaccard: float
    shares: Floats

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"FeatureStability(nogueira={fixed(self.nogueira)} ({fixed(low)} to {fixed(high)}), "
            f"jaccard={fixed(self.jaccard)})"
        )

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        low, high = self.interval
        row = {"nogueira": self.nogueira, "low": low, "high": high, "jaccard": self.jaccard}
        return import_pandas().DataFrame([row])


def feature_stability(selected: ArrayLike, *, confidence_level: float = 0.95) -> FeatureStability:
    r"""Return the similarity of the features that several fits selected.

    Parameters
    ----------
    selected : array-like of shape (M, d), bool
        Which of d features each of M >= 2 fits selected.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    FeatureStability
        The stability is nan where every fit selected all features or none.

    Raises
    ------
    ValueError
        If ``selected`` is not a table of at least two rows of 0 and 1.

    Notes
    -----
    With :math:`\hat p_f` the share of the fits that selected feature f and :math:`\bar k` the mean
    number of selected features, the stability [1]_ is

    .. math::

       \hat\Phi = 1 - \frac{\frac 1 d \sum_f \frac{M}{M - 1} \hat p_f (1 - \hat p_f)}
                           {\frac{\bar k}{d} \left(1 - \frac{\bar k}{d}\right)}

    (Definition 4 there); its variance is that of Theorem 7. It allows for the number of features that
    fits would have in common by chance, which the Jaccard index does not.

    References
    ----------
    .. [1] Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection
       algorithms. JMLR 18(174), 1-54.

    Examples
    --------
    >>> from skaucx.model_selection import feature_stability
    >>> found = feature_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(found.nogueira, 4), round(found.jaccard, 4)
    (0.3333, 0.5556)
    """
    check_confidence_level(confidence_level)
    chosen = np.asarray(selected)
    if chosen.ndim != 2 or len(chosen) < 2 or not np.isin(chosen, (0, 1)).all():
        raise ValueError(
            "selected must be a table of True and False, two rows (fits) or more, a column a "
            f"feature; found shape {chosen.shape}."
        )
    chosen = chosen.astype(bool)
    value, variance = _nogueira(chosen.astype(np.float64))
    error = np.sqrt(variance) if variance > 0 else np.nan
    margin = stats.norm.ppf((1 + confidence_level) / 2) * error
    low, high = np.maximum(value - margin, -1 / (len(chosen) - 1)), np.minimum(value + margin, 1.0)
    interval = Interval(
        "nogueira", value, float(low), float(high), float(error), confidence_level,
        "Nogueira, Sechidis & Brown 2018", target="the procedure that selects",
    )  # fmt: skip
    return FeatureStability(value, interval, _jaccard(chosen), chosen.mean(axis=0))


def _nogueira(z: Floats) -> tuple[float, float]:
    """Return the stability and its variance (Definition 4 and Theorem 7)."""
    m, d = z.shape
    p, k = z.mean(axis=0), z.sum(axis=1)
    mean = k.mean() / d
    spread = mean * (1 - mean)
    if spread == 0:
        return np.nan, np.nan
    value = 1 - m / (m - 1) * (p * (1 - p)).mean() / spread
    share = k / d
    each = (z @ p / d - share * mean + value / 2 * (2 * share * mean - share - mean + 1)) / spread
    return float(value), float(4 / m**2 * ((each - each.mean()) ** 2).sum())


def _jaccard(chosen: Bools) -> float:
    """Return the mean over pairs; two empty sets are the same."""
    both = chosen.astype(np.float64) @ chosen.T.astype(np.float64)
    size = np.diag(both)
    either = size[:, None] + size - both
    index = np.divide(both, either, out=np.ones_like(both), where=either > 0)
    return float(index[np.triu_indices(len(chosen), 1)].mean())
