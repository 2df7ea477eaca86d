"""Importances of the features in the models of the outer folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import stats
from sklearn.inspection import permutation_importance
from sklearn.pipeline import Pipeline

from ..._arrays import take_rows
from ..._compat import import_pandas
from ..._options import check_choice, check_confidence_level
from ..._text.html import Preformatted
from ..._text.numbers import fixed
from ..._text.tables import paragraph, table
from .._types import Floats, Rows
from ..results._nested_result import NestedCVResult
from ._selection import FeatureStability, feature_stability

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["permutation", "coefficients", "impurity"]
_MOST_FEATURES = 20


@dataclass(frozen=True, eq=False, repr=False)
class FoldImportances(Preformatted):
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
        check_confidence_level(confidence_level)
        held = ~np.isnan(self.values)
        folds = held.sum(axis=0)
        ratio = np.asarray(self.n_test) / np.asarray(self.n_train)
        share = np.array([ratio[h].mean() for h in held.T])
        centred = np.where(held, self.values - self.means, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = (centred**2).sum(axis=0) / (folds - 1) * (1 / folds + share)
            t = stats.t.ppf((1 + confidence_level) / 2, folds - 1)
        margin = t * np.sqrt(variance)
        return np.stack([self.means - margin, self.means + margin], axis=1)

    def stability(self, **options: Any) -> FeatureStability:
        """Return the similarity of the features used by the folds, those neither missing nor 0.

        Takes the options of :func:`feature_stability`.
        """
        return feature_stability(np.nan_to_num(self.values) != 0, **options)

    def to_frame(self) -> pd.DataFrame:
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

    def __repr__(self) -> str:
        return f"FoldImportances({self.kind}: {len(self.values)} folds, {len(self.names)} features)"

    def __str__(self) -> str:
        order = np.argsort(-np.nan_to_num(np.abs(self.means)), kind="stable")[:_MOST_FEATURES]
        ends = self.intervals()
        rows = [
            [self.names[i], fixed(self.means[i]), f"{fixed(ends[i, 0])} to {fixed(ends[i, 1])}"]
            for i in order.tolist()
        ]
        left = len(self.names) - len(order)
        more = [paragraph(f"... and {left} more features: to_frame() shows all")] if left else []
        return "\n".join([table(["feature", self.kind, "95 % interval"], rows), *more])


def fold_importances(
    result: NestedCVResult,
    X: Any,
    y: Any = None,
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
    >>> from skaucx.model_selection import fold_importances, nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> result = nested_cross_validate(
    ...     tree, {}, X, y, scoring="roc_auc", final=None, return_estimator=True
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
