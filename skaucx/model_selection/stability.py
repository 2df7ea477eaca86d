"""Stability of the results of a nested run: winners, features, sizes of data, conclusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.inspection import permutation_importance
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skaucx.inference import Interval

from .._arguments import Axes, DataFrame
from .._arrays import Bools, check_rows, take_rows
from .._compat import import_pandas, import_pyplot
from .._options import check_choice, check_confidence_level
from .._progress import ProgressBar
from .._text.numbers import ends
from .._text.tables import Table, Tabular
from ..metrics._registry.resampling import pieces
from ._nested import NestedCV, tuned
from ._run_options import check_splitter
from ._types import Features, Floats, Rows, Split
from .comparisons._estimators import EstimatorComparison
from .execution._dataset import split_rows
from .execution._pool import pooled_scores
from .results._nested_result import NestedCVResult
from .results._statistics import corrected_error


@dataclass(frozen=True, eq=False, repr=False)
class WinnerStability(Tabular):
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
    >>> result = nested_cross_validate(GaussianNB(), grid, X, y, scoring="roc_auc")
    >>> found = winner_stability(result)
    >>> found.agreement, found.n_winners
    (1.0, 1)
    """

    agreement: float
    shares: Mapping[str, Mapping[Any, float]]
    n_winners: int
    n_folds: int

    def _table(self) -> Table:
        head = (
            f"{self.n_winners} different winners in {self.n_folds} outer folds; "
            f"{self.agreement:.0%} of the pairs of folds agree."
        )
        rows = [
            [name, str(value), f"{share:.0%}"]
            for name, found in self.shares.items()
            for value, share in found.items()
        ]
        return Table(["parameter", "value", "folds"], rows, head)


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
    shares = {}
    for name in dict.fromkeys(name for params in chosen for name in params):
        counted = Counter(str(params.get(name, "")) for params in chosen).most_common()
        shares[name] = {value: times / len(chosen) for value, times in counted}
    alike, pairs = sum(comb(n, 2) for n in Counter(decided).values()), comb(len(decided), 2)
    agreement = alike / pairs if pairs else np.nan
    return WinnerStability(agreement, shares, len(set(decided)), len(decided))


@dataclass(frozen=True, eq=False, repr=False)
class FeatureStability(Tabular):
    """Similarity of sets of selected features; made by :func:`feature_stability`.

    Attributes
    ----------
    nogueira : float
        1 where all sets are the same, 0 on average where they are drawn at random.
    interval : skaucx.inference.Interval
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

    def _table(self) -> Table:
        level = f"{100 * self.interval.confidence_level:g} % interval"
        row = [self.nogueira, tuple(self.interval), self.jaccard]
        return Table(["nogueira", level, "jaccard"], [row])


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
    z, many, total = chosen.astype(np.float64), len(chosen), 0.0
    size = z.sum(axis=1)
    with ProgressBar.of_resamples(many, "sets") as bar:
        for some in pieces(np.arange(many), many):
            both = z[some] @ z.T
            either = size[some, None] + size - both
            total += float(np.divide(both, either, out=np.ones_like(both), where=either > 0).sum())
            bar.advance(len(some))
    return (total - many) / (many * (many - 1))  # each is once compared with itself


Kind = Literal["permutation", "coefficients", "impurity"]
_MOST_FEATURES = 20


@dataclass(frozen=True, eq=False, repr=False)
class FoldImportances(Tabular):
    """Importance of d features in k outer folds; made by :func:`fold_importances`.

    Attributes
    ----------
    kind : {"permutation", "coefficients", "impurity"}
    names : tuple of d str
    values : ndarray of shape (k, d), float64
        nan for a feature that a fold's model does not hold.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection import FoldImportances
    >>> values = np.array([[0.2, 0.0], [0.3, 0.1], [0.1, 0.0]])
    >>> found = FoldImportances("permutation", ("age", "dose"), values, [80] * 3, [40] * 3)
    >>> found.means.round(3).tolist(), found.intervals().round(2).tolist()
    ([0.2, 0.033], [[-0.19, 0.59], [-0.19, 0.26]])
    """

    kind: str
    names: tuple[str, ...]
    values: Floats
    n_train: Rows
    n_test: Rows

    @property
    def means(self) -> Floats:
        """Mean over the folds that hold the feature, shape (d,)."""
        return np.asarray(np.nanmean(self.values, axis=0))

    def intervals(self, confidence_level: float = 0.95) -> Floats:
        r"""Return intervals of the mean importance, shape (d, 2), nan with fewer than two folds.

        The folds share training rows, so the variance is that of
        :func:`skaucx.model_selection.corrected_resampled_t_test`:

        .. math:: \bar v \pm t_{k-1} \, s \sqrt{\frac 1 k + \frac{n_{\text{test}}}{n_{\text{train}}}}
        """
        return _corrected_intervals(self.values.T, self.n_train, self.n_test, confidence_level)

    def stability(self, **options: Any) -> FeatureStability:
        """Return the similarity of the features used by the folds, those neither missing nor 0.

        Takes the options of :func:`feature_stability`.
        """
        return feature_stability(np.nan_to_num(self.values) != 0, **options)

    def to_frame(self) -> DataFrame:
        """Return a row a feature: mean, ends of the 95 % interval, share of folds, and every fold.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = import_pandas()
        low, high = self.intervals().T
        columns = {"mean": self.means, "low": low, "high": high}
        columns["folds"] = (np.nan_to_num(self.values) != 0).mean(axis=0)
        columns |= {f"fold_{i}": row for i, row in enumerate(self.values)}
        return pd.DataFrame(columns, index=pd.Index(self.names, name="feature"))

    def _table(self) -> Table:
        order = np.argsort(-np.nan_to_num(np.abs(self.means)), kind="stable")[:_MOST_FEATURES]
        limits = self.intervals()
        rows = [[self.names[i], self.means[i], ends(*limits[i])] for i in order.tolist()]
        left = len(self.names) - len(order)
        more = [f"... and {left} more features: to_frame() shows all"] if left else []
        return Table(["feature", self.kind, "95 % interval"], rows, notes=more)


def _corrected_intervals(
    values: Floats, n_train: Rows, n_test: Rows, confidence_level: float
) -> Floats:
    """Return intervals of the mean over folds of each row of values, nan of fewer than two folds.

    The variance is Nadeau and Bengio's, see :func:`corrected_error`.
    """
    check_confidence_level(confidence_level)
    sizes = np.asarray(n_train), np.asarray(n_test)
    mean, error, df = np.array([corrected_error(row, *sizes) for row in values]).T
    margins = stats.t.ppf((1 + confidence_level) / 2, df) * error
    return np.stack([mean - margins, mean + margins], axis=-1)


def fold_importances(
    result: NestedCVResult,
    X: Features,
    y: ArrayLike | None = None,
    *,
    kind: Kind = "permutation",
    scoring: str | None = None,
    n_repeats: int = 5,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> FoldImportances:
    """Return the importance of each feature in the models of the outer folds.

    Parameters
    ----------
    result : NestedCVResult
        Of a run with ``return_estimator=True``.
    X : array-like or data frame of shape (n_samples, n_features)
        That of the run.
    y : array-like of shape (n_samples,), optional
        Likewise; for permutation only.
    kind : {"permutation", "coefficients", "impurity"}, default="permutation"
        The decrease of the score after permuting a feature among the outer test rows; the
        coefficients of a linear model, for several classes the mean of their magnitudes; or the
        ``feature_importances_`` of trees, which are computed on training rows. The last two are of
        the features that enter a pipeline's last step.
    scoring : str, optional
        Metric of the result for permutation; the one that chose by default.
    n_repeats : int, default=5
        Permutations of each feature in each fold.
    random_state : int or None, default=0
    n_jobs : int, optional

    Returns
    -------
    FoldImportances

    Raises
    ------
    ValueError
        If the result holds no estimators, or these have no importances of this kind.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import Execution, fold_importances, nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> result = nested_cross_validate(
    ...     tree, {}, X, y, scoring="roc_auc", final=None,
    ...     execution=Execution(return_estimator=True),
    ... )
    >>> found = fold_importances(result, X, kind="impurity")
    >>> found.values.shape, round(float(found.means.max()), 2)
    ((5, 30), 0.34)
    """
    check_choice("kind", kind, ("permutation", "coefficients", "impurity"))
    if not result.estimators:
        raise ValueError(
            "result holds no estimators; run nested_cross_validate with return_estimator=True."
        )
    check_rows({"the run": range(result.n_samples), "X": X, "y": y})
    if kind != "permutation":
        named = [_of_model(model, kind, X) for model in result.estimators]
        return _joined(result, kind, named)
    if y is None:
        raise ValueError("kind='permutation' needs y, which the scores are computed with.")
    name = result.refit[0] if scoring is None else scoring
    if result.scorer is None or name not in result.scorer.scorers:
        raise ValueError(f"scoring must be one of {list(result.test_scores)}, found {name!r}.")
    X = X if hasattr(X, "shape") else np.asarray(X)
    names = _names(X)
    options = {
        "scoring": result.scorer.scorers[name], "n_repeats": n_repeats, "n_jobs": n_jobs,
        "random_state": random_state,
    }  # fmt: skip
    found = []
    for fold, model in enumerate(result.estimators):
        rows = result.predictions.row[result.predictions.fold == fold]
        costs = permutation_importance(model, take_rows(X, rows), take_rows(y, rows), **options)
        found.append(dict(zip(names, costs.importances_mean.tolist(), strict=True)))
    return _joined(result, kind, found)


def _joined(result: NestedCVResult, kind: str, found: list[dict[str, float]]) -> FoldImportances:
    names = tuple(dict.fromkeys(name for one in found for name in one))
    values = np.array([[one.get(name, np.nan) for name in names] for one in found])
    return FoldImportances(kind, names, values, result.n_train, result.n_test)


def _names(X: Any) -> list[str]:
    columns = getattr(X, "columns", None)
    return [f"x{i}" for i in range(X.shape[1])] if columns is None else list(map(str, columns))


def _of_model(model: Any, kind: str, X: Any) -> dict[str, float]:
    """Return the importances stored in a model, by the names of its features."""
    model = _inside(model)
    last, names = model, _names(X if hasattr(X, "shape") else np.asarray(X))
    if isinstance(model, Pipeline):
        last = _inside(model.steps[-1][1])
        names = list(map(str, model[:-1].get_feature_names_out(names)))
    attribute, read = _READ[kind]
    if not hasattr(last, attribute):
        raise ValueError(f"kind={kind!r} needs {attribute}, which {type(last).__name__} lacks.")
    return dict(zip(names, read(getattr(last, attribute)).tolist(), strict=True))


def _inside(model: Any) -> Any:
    """Return the model that calibration, threshold and other wrappers hold."""
    while not hasattr(model, "coef_") and not hasattr(model, "feature_importances_"):
        inner = getattr(model, "estimator_", getattr(model, "estimator", None))
        if inner is None or isinstance(inner, type):
            break
        model = inner
    return model


def _coefficients(values: Any) -> Floats:
    table_ = np.atleast_2d(np.asarray(values.toarray() if hasattr(values, "toarray") else values))
    return np.asarray(table_[0] if len(table_) == 1 else np.abs(table_).mean(axis=0))


_READ: dict[str, tuple[str, Callable[[Any], Floats]]] = {
    "coefficients": ("coef_", _coefficients),
    "impurity": ("feature_importances_", np.asarray),
}


@dataclass(frozen=True, eq=False, repr=False)
class NestedLearningCurve(Tabular):
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
        rows = zip(self.scores[metric], self.train_sizes, strict=True)
        return np.concatenate(
            [_corrected_intervals(s[None], n, self.n_test, confidence_level) for s, n in rows]
        )

    def gain(self, metric: str, confidence_level: float = 0.95) -> tuple[float, float, float]:
        """Return the mean gain of the last increase of size over the folds, with its interval."""
        steps = self.scores[metric][-1] - self.scores[metric][-2]
        sizes = self.train_sizes[-1], self.n_test
        [(low, high)] = _corrected_intervals(steps[None], *sizes, confidence_level)
        return float(steps.mean()), float(low), float(high)

    def to_frame(self) -> DataFrame:
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

    def plot(self, ax: Axes | None = None, *, metric: str | None = None) -> Any:
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

    def _table(self) -> Table:
        sizes = [f"{size:.0f}" for size in self.train_sizes.mean(axis=1)]
        rows = zip(sizes, *map(self.means, self.scores), strict=True)
        return Table(["training rows", *self.scores], [*rows])


def nested_learning_curve(
    nested: NestedCV,
    X: Features,
    y: ArrayLike,
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
    splits = split_rows(check_splitter("outer_cv", nested.outer_cv, y, classifier), X, y, groups)
    rng = np.random.default_rng(random_state)
    kinds = np.asarray(y) if classifier else None
    orders = [_order(train, kinds, groups, rng) for train, _ in splits]
    smaller: list[Split] = [
        (np.sort(order[: _size(order, share, groups)]), test)
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


@dataclass(frozen=True, eq=False, repr=False)
class ConclusionStability(Tabular):
    """Which estimator is best in each view of the same fits; made by :func:`conclusion_stability`.

    Attributes
    ----------
    best : dict of str to str
        For each metric the estimator with the highest mean over all folds.
    views : dict of str to dict
        For each way to look ("fold", "seed", "group") and each metric the best estimator of each part,
        None where the part has no value.

    Examples
    --------
    >>> from skaucx.model_selection import ConclusionStability
    >>> best = {"roc_auc": "forest", "recall": "bayes"}
    >>> views = {"fold": {"roc_auc": {0: "forest", 1: "bayes", 2: "forest", 3: "forest"}}}
    >>> found = ConclusionStability(best, views)
    >>> found.changes("fold", "roc_auc"), found.changes("metric", "roc_auc")
    (0.25, 1.0)
    """

    best: Mapping[str, str]
    views: Mapping[str, Mapping[str, Mapping[Any, str | None]]]

    def changes(self, view: str, metric: str) -> float:
        """Return the share of the parts of a view whose best is not the best of all; nan without parts.

        Parameters
        ----------
        view : {"metric", "fold", "seed", "group"}
            "metric" looks at the other metrics.
        metric : str

        Raises
        ------
        KeyError
            If there is no such view or metric.
        """
        whole = self.best[metric]
        if view == "metric":
            parts = [best for name, best in self.best.items() if name != metric]
        else:
            found = self.views[view][metric].values()
            parts = [best for best in found if best is not None]
        return float(np.mean([best != whole for best in parts])) if parts else np.nan

    def to_frame(self) -> DataFrame:
        """Return a row a metric: the best, and how often it changes in each view.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = import_pandas()
        rows = [
            {"best": best, **{view: self.changes(view, metric) for view in ("metric", *self.views)}}
            for metric, best in self.best.items()
        ]
        return pd.DataFrame(rows, index=pd.Index(self.best, name="metric"))

    def _table(self) -> Table:
        views = ("metric", *self.views)
        rows = [
            [metric, best, *(_percent(self.changes(view, metric)) for view in views)]
            for metric, best in self.best.items()
        ]
        head = "Share of the views in which another estimator is best:"
        return Table(["metric", "best", *views], rows, head)


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{share:.0%}"


def conclusion_stability(
    results: EstimatorComparison | Mapping[str, NestedCVResult], *, groups: ArrayLike | None = None
) -> ConclusionStability:
    """Return how often the best estimator changes by metric, fold, group and repetition.

    Nothing is fitted.

    Parameters
    ----------
    results : EstimatorComparison, or dict of str to NestedCVResult
        Two estimators or more on the same outer folds.
    groups : array-like of shape (n_samples,), optional
        Kinds of rows to look at one by one, such as hospitals; those given to ``fit`` by default where
        they are at most 20.

    Returns
    -------
    ConclusionStability
        With the views "fold" (each outer fold alone), "seed" (each repetition of repeated folds, where
        there are any) and "group" (the joined predictions of each group).

    Raises
    ------
    ValueError
        If there are fewer than two estimators, or they were evaluated on different folds.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_estimators, conclusion_stability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    >>> found = conclusion_stability(compare_estimators(models, X, y, scoring=["roc_auc", "recall"]))
    >>> found.best["roc_auc"], found.changes("fold", "roc_auc")
    ('bayes', 0.0)
    """
    found = results.results if isinstance(results, EstimatorComparison) else dict(results)
    if len(found) < 2:
        raise ValueError(f"results must hold two estimators or more, found {list(found)}.")
    first, *others = found.values()
    for result in others:
        same = result.n_test.tolist() == first.n_test.tolist()
        if not same or set(result.test_scores) != set(first.test_scores):
            raise ValueError("results must be of the same outer folds and metrics.")
    names = list(found)

    def best(parts: Iterable[Any], tables: Mapping[str, Floats]) -> dict[str, Any]:
        """Return the estimator of the highest value of each part, the first of equal ones."""
        return {
            metric: {
                part: None if np.isnan(values).all() else names[int(np.nanargmax(values))]
                for part, values in zip(parts, table.T, strict=True)
            }
            for metric, table in tables.items()
        }

    # Tables of shape (n_estimators, n_parts); a mean over folds is nan where one of them is.
    scores = {
        metric: np.stack([result.test_scores[metric] for result in found.values()])
        for metric in first.test_scores
    }
    views = {"fold": best(range(first.n_outer), scores)}
    if len(seeds := _repetitions(first)) > 1:
        means = {m: np.stack([s[:, k].mean(axis=1) for k in seeds], 1) for m, s in scores.items()}
        views["seed"] = best(range(len(seeds)), means)
    if by_group := _by_group(found, groups):
        values = {m: [[one[m] for one in each] for each in by_group.values()] for m in scores}
        views["group"] = best(by_group, {m: np.array(table).T for m, table in values.items()})
    whole = best([0], {m: s.mean(axis=1, keepdims=True) for m, s in scores.items()})
    return ConclusionStability({m: parts[0] or names[0] for m, parts in whole.items()}, views)


def _repetitions(result: NestedCVResult) -> list[Rows]:
    """Return the folds of each repetition: one ends where all rows have been tested once more."""
    found, begun, tested = [], 0, 0
    for fold, size in enumerate(result.n_test.tolist()):
        tested += size
        if tested == result.n_samples:
            found.append(np.arange(begun, fold + 1))
            begun, tested = fold + 1, 0
    return found if not tested else []


def _by_group(
    found: Mapping[str, NestedCVResult], groups: ArrayLike | None
) -> dict[Any, list[Mapping[str, float]]]:
    """Return the metrics of each group's joined predictions, of one estimator after the other."""
    first = next(iter(found.values()))
    if groups is None:
        own = first.predictions.groups
        if own is None or len(np.unique(own)) > 20:
            return {}
    per_row = None if groups is None else np.asarray(groups)
    if per_row is not None and len(per_row) != first.n_samples:
        raise ValueError(
            f"groups must hold one entry a row, {first.n_samples}, found {len(per_row)}."
        )
    values: dict[Any, list[Mapping[str, float]]] = {}
    for result in found.values():
        own = result.predictions.groups if per_row is None else per_row[result.predictions.row]
        for group in np.unique(np.asarray(own)).tolist():
            values.setdefault(group, []).append(_pooled(result, np.asarray(own) == group))
    return values


def _pooled(result: NestedCVResult, rows: Any) -> Mapping[str, float]:
    if result.scorer is None:
        return dict.fromkeys(result.test_scores, np.nan)
    kind = DummyRegressor() if result.classes is None else DummyClassifier()
    found = pooled_scores(result.scorer, result.predictions.taken(rows), get_tags(kind))
    values = {name: pooled.value for name, pooled in found.items()}
    return {**dict.fromkeys(result.test_scores, np.nan), **values}
