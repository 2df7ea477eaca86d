"""A splitter that trains on rows drawn with replacement and tests on those never drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, indexable

from ..._options import check_flag
from .._types import Rows, Split

_MOST_DRAWS = 1000


class BootstrapSplit(BaseEstimator):  # type: ignore[misc]
    """Bootstrap splits: train on rows drawn with replacement, test on the remaining rows.

    Goes wherever scikit-learn takes ``cv=``. A training part holds rows repeatedly, in the order
    drawn; of n rows drawn from n, about 63.2 % are distinct and 36.8 % are tested.

    Parameters
    ----------
    n_splits : int, default=100
        Number of rounds.
    train_size : int or float, optional
        Rows drawn, or their share of all rows, in (0, 1]; all by default. With
        groups it counts groups.
    stratify : bool, default=False
        Draw within each class of y, so that training parts have the class shares of the data. With
        groups, the rows of a group must be of one class.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws; an integer gives the same splits at every call.

    Notes
    -----
    With ``groups`` given to ``split`` whole groups are drawn. A round that leaves
    nothing out is drawn again.

    References
    ----------
    .. [1] Efron, B. (1983). Estimating the error rate of a prediction rule: improvement on
       cross-validation. Journal of the American Statistical Association 78, 316-331.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection import BootstrapSplit
    >>> for train, test in BootstrapSplit(2, random_state=0).split(np.zeros(6)):
    ...     print(train, test)
    [4 5 0 3 3 3] [1 2]
    [0 4 2 1 0 1] [3 5]
    """

    # Declares to metadata routing that groups are accepted but optional.
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    def __init__(
        self,
        n_splits: int = 100,
        *,
        train_size: float | None = None,
        stratify: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.train_size = train_size
        self.stratify = stratify
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of rounds; the data play no part.

        Returns
        -------
        int
        """
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: ArrayLike | None = None) -> Iterator[Split]:
        """Draw the rounds.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
        y : array-like of shape (n_samples,), optional
            Needed if ``stratify`` is set.
        groups : array-like of shape (n_samples,), optional
            Rows of one group stay together.

        Yields
        ------
        train : ndarray of shape (n_train,), int
            Row numbers, repeated as drawn.
        test : ndarray of shape (n_test,), int
            The rows never drawn, in order.

        Raises
        ------
        ValueError
            If a parameter has a value that is not among those described, or no round leaves
            anything out.
        """
        X, y, groups = indexable(X, y, groups)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if n_rows == 0:
            raise ValueError("X has 0 rows; there is nothing to draw.")
        units = Units.of(n_rows, groups)
        strata = self._strata(y, units)
        sizes = _shares(self._n_drawn(len(units)), [len(stratum) for stratum in strata])
        if not isinstance(self.n_splits, Integral) or self.n_splits < 1:
            raise ValueError(f"n_splits must be an integer >= 1, found {self.n_splits!r}.")
        random = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            drawn, left = _draw(strata, sizes, len(units), random)
            yield units.rows(drawn), np.sort(units.rows(left))

    def _n_drawn(self, units: int) -> int:
        """Return how many rows or groups a round draws."""
        size = self.train_size
        if size is None:
            return units
        if isinstance(size, Integral) and not isinstance(size, bool) and size >= 1:
            return int(size)
        if isinstance(size, Real) and not isinstance(size, Integral) and 0 < size <= 1:
            return max(1, round(size * units))
        raise ValueError(
            f"train_size must be an integer >= 1, a share in (0, 1] or None, found {size!r}."
        )

    def _strata(self, y: Any, units: Units) -> list[Rows]:
        """Return the units of each class, or all units where classes do not count."""
        if not check_flag("stratify", self.stratify):
            return [np.arange(len(units))]
        if y is None:
            raise ValueError("stratify=True needs y, found None.")
        codes = np.unique(np.asarray(y), return_inverse=True)[1].reshape(-1)[units.order]
        lowest = np.minimum.reduceat(codes, units.starts)
        if np.any(lowest != np.maximum.reduceat(codes, units.starts)):
            raise ValueError(
                "stratify=True needs groups of one class each, found a group with several; omit "
                "stratify or groups."
            )
        return [np.flatnonzero(lowest == code) for code in np.unique(lowest)]


@dataclass(frozen=True, eq=False)
class Units:
    """The units of resampling: rows, or groups of rows.

    ``order`` holds the rows unit by unit, ``starts`` and ``sizes`` where each unit's rows are in it.
    """

    order: Rows
    starts: Rows
    sizes: Rows

    @classmethod
    def of(cls, n_rows: int, groups: Any) -> Units:
        """Take each row, or each group, as a unit."""
        if groups is None:
            return cls(np.arange(n_rows), np.arange(n_rows), np.ones(n_rows, dtype=np.intp))
        codes = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
        sizes = np.bincount(codes)
        return cls(np.argsort(codes, kind="stable"), np.cumsum(sizes) - sizes, sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    def rows(self, drawn: Rows) -> Rows:
        """Return the rows of some units, unit by unit."""
        sizes = self.sizes[drawn]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.order[np.repeat(self.starts[drawn], sizes) + within]


def _shares(total: int, sizes: list[int]) -> Rows:
    """Share a total in proportion to sizes: whole numbers, the largest remainders rounded up."""
    exact = total * np.array(sizes) / sum(sizes)
    shares = np.floor(exact).astype(np.intp)
    order = np.argsort(shares - exact, kind="stable")
    shares[order[: total - shares.sum()]] += 1
    return shares


def _draw(
    strata: list[Rows], sizes: Rows, units: int, random: np.random.RandomState
) -> tuple[Rows, Rows]:
    """Draw units with replacement until some remain; return the drawn and the remaining ones."""
    for _ in range(_MOST_DRAWS):
        parts = [
            stratum[random.randint(len(stratum), size=size)]
            for stratum, size in zip(strata, sizes, strict=True)
        ]
        drawn = np.concatenate(parts)
        left = np.flatnonzero(np.bincount(drawn, minlength=units) == 0)
        if len(left):
            return drawn, left
    raise ValueError(
        f"None of {_MOST_DRAWS} draws of {sizes.sum()} from {units} rows or groups left any out to "
        "test on; lower train_size or give more data."
    )
