"""Learning curve of the whole procedure, its search included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.base import clone, is_classifier

from ..._arrays import take_rows
from ..._compat import import_pandas, import_pyplot
from ..._options import check_confidence_level
from ..._text.html import Preformatted
from ..._text.numbers import fixed
from ..._text.tables import table
from .._nested import NestedCV, tuned
from .._run_options import check_splitter
from .._types import Floats, Rows, Split

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class NestedLearningCurve(Preformatted):
    """Outer scores at S sizes of the training part; made by :func:`nested_learning_curve`.

    Attributes
    ----------
    train_sizes : ndarray of shape (S, k), int
        Training rows of each fold.
    n_test : ndarray of shape (k,), int
    scores : dict of str to ndarray of shape (S, k), float64
        Of each metric, on the same test parts at every size.
    optimism : ndarray of shape (S, k), float64
        Inner mean of the winner minus its outer score.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection import NestedLearningCurve
    >>> scores = {"roc_auc": np.array([[0.7, 0.72, 0.71], [0.8, 0.79, 0.84]])}
    >>> sizes, optimism = np.array([[50] * 3, [100] * 3]), np.zeros((2, 3))
    >>> curve = NestedLearningCurve(sizes, np.array([50] * 3), scores, optimism)
    >>> [round(end, 2) for end in curve.gain("roc_auc")]
    [0.1, -0.02, 0.22]
    """

    train_sizes: Rows
    n_test: Rows
    scores: Mapping[str, Floats]
    optimism: Floats

    def means(self, metric: str) -> Floats:
        """Return the mean over folds at each size, shape (S,)."""
        return np.asarray(self.scores[metric].mean(axis=1))

    def intervals(self, metric: str, confidence_level: float = 0.95) -> Floats:
        """Return intervals of the mean score at each size, shape (S, 2), by the corrected resampled t.

        They are wide for few folds; see :meth:`gain` on whether more data help.
        """
        scores = self.scores[metric]
        return self._around(scores, self.train_sizes, confidence_level)

    def gain(self, metric: str, confidence_level: float = 0.95) -> tuple[float, float, float]:
        """Return the mean gain of the last increase of size over the folds, with its interval."""
        scores = self.scores[metric]
        steps = (scores[-1] - scores[-2])[None]
        low, high = self._around(steps, self.train_sizes[-1:], confidence_level)[0]
        return float(steps.mean()), float(low), float(high)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a size: mean rows, and mean and 95 % interval of each metric.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = import_pandas()
        columns: dict[str, Any] = {"n_train": self.train_sizes.mean(axis=1)}
        for name in self.scores:
            low, high = self.intervals(name).T
            columns |= {name: self.means(name), f"{name}_low": low, f"{name}_high": high}
        columns["optimism"] = self.optimism.mean(axis=1)
        return pd.DataFrame(columns)

    def plot(self, ax: Any = None, *, metric: str | None = None) -> Any:
        """Draw one metric against the training rows, with its intervals, and return the axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        metric : str, optional
            The first by default.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        name = next(iter(self.scores)) if metric is None else metric
        ax = import_pyplot().subplots()[1] if ax is None else ax
        sizes, means = self.train_sizes.mean(axis=1), self.means(name)
        low, high = self.intervals(name).T
        (line,) = ax.plot(sizes, means, marker="o")
        ax.fill_between(sizes, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
        ax.set(xlabel="training rows of an outer fold", ylabel=name)
        return ax

    def _around(self, values: Floats, sizes: Rows, confidence_level: float) -> Floats:
        check_confidence_level(confidence_level)
        k = values.shape[1]
        share = (self.n_test / sizes).mean(axis=1)
        error = values.std(axis=1, ddof=1) * np.sqrt(1 / k + share)
        margin = stats.t.ppf((1 + confidence_level) / 2, k - 1) * error
        means = values.mean(axis=1)
        return np.stack([means - margin, means + margin], axis=1)

    def __repr__(self) -> str:
        return f"NestedLearningCurve({len(self.train_sizes)} sizes: {', '.join(self.scores)})"

    def __str__(self) -> str:
        sizes = self.train_sizes.mean(axis=1)
        rows = [
            [f"{size:.0f}", *(fixed(self.means(name)[i]) for name in self.scores)]
            for i, size in enumerate(sizes.tolist())
        ]
        return table(["training rows", *self.scores], rows)


def nested_learning_curve(
    nested: NestedCV,
    X: Any,
    y: Any,
    *,
    train_sizes: Sequence[float] = (0.25, 0.5, 0.75, 1.0),
    random_state: int | None = 0,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> NestedLearningCurve:
    """Run a nested cross-validation with shares of its training parts, all in one pool.

    Parameters
    ----------
    nested : NestedCV
        The procedure; it is cloned, without a final model.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    train_sizes : sequence of S float, default=(0.25, 0.5, 0.75, 1.0)
        Shares of each outer training part, in (0, 1] and rising. Smaller parts lie in larger ones;
        they keep the shares of the classes, or with ``groups`` hold whole groups.
    random_state : int or None, default=0
        Draws the parts.
    sample_weight, groups : array-like of shape (n_samples,), optional
        As :meth:`NestedCV.fit` takes them.

    Returns
    -------
    NestedLearningCurve

    Raises
    ------
    ValueError
        If the shares are not rising within (0, 1].

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import NestedCV, nested_learning_curve
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> nested = NestedCV(tree, {"max_depth": [1, 3]}, scoring="roc_auc", inner_cv=3)
    >>> curve = nested_learning_curve(nested, X, y, train_sizes=[0.2, 1])
    >>> curve.means("roc_auc").round(2).tolist()
    [0.91, 0.91]
    """
    shares = np.asarray(train_sizes, dtype=np.float64)
    rising = shares.ndim == 1 and len(shares) > 1 and (np.diff(shares) > 0).all()
    if not rising or shares[0] <= 0 or shares[-1] > 1:
        raise ValueError(
            f"train_sizes must be two or more rising shares in (0, 1], found {train_sizes!r}."
        )
    classifier = is_classifier(tuned(nested))
    splits = list(check_splitter("outer_cv", nested.outer_cv, y, classifier).split(X, y, groups))
    rng = np.random.default_rng(random_state)
    kinds = np.asarray(y) if classifier else None
    orders = [_order(_numbers(train), kinds, groups, rng) for train, _ in splits]
    smaller: list[Split] = [
        (np.sort(order[: _size(order, share, groups)]), _numbers(test))
        for share in shares
        for order, (_, test) in zip(orders, splits, strict=True)
    ]
    run = clone(nested).set_params(outer_cv=smaller, final=None)
    result = run.fit(X, y, sample_weight=sample_weight, groups=groups).result_
    shape = len(shares), len(splits)
    return NestedLearningCurve(
        train_sizes=result.n_train.reshape(shape),
        n_test=result.n_test[: len(splits)],
        scores={name: scores.reshape(shape) for name, scores in result.test_scores.items()},
        optimism=result.optimism.reshape(shape),
    )


def _numbers(part: Any) -> Rows:
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part


def _order(train: Rows, kinds: NDArray[Any] | None, groups: Any, rng: np.random.Generator) -> Rows:
    """Put rows in an order whose beginnings keep the shares of the classes, or groups together."""
    if groups is not None:
        _, codes = np.unique(np.asarray(take_rows(groups, train)), return_inverse=True)
        place = rng.permutation(codes.max() + 1)[codes]
        return np.asarray(train[np.argsort(place, kind="stable")])
    shuffled = rng.permutation(train)
    if kinds is None or kinds.ndim != 1:
        return shuffled
    _, codes = np.unique(kinds[shuffled], return_inverse=True)
    quantile = np.empty(len(shuffled))
    for code in range(codes.max() + 1):
        mine = codes == code
        quantile[mine] = (np.arange(mine.sum()) + rng.random()) / mine.sum()
    return np.asarray(shuffled[np.argsort(quantile, kind="stable")])


def _size(order: Rows, share: float, groups: Any) -> int:
    """Return the number of rows of a share, up to the end of a group."""
    size = max(1, round(share * len(order)))
    if groups is None or size == len(order):
        return size
    own = np.asarray(take_rows(groups, order))
    while size < len(order) and own[size] == own[size - 1]:
        size += 1
    return size
