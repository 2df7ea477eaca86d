"""The optimism of a model's apparent score, by the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from .._arguments import Estimator, Features, Label, MetricLike
from .._arrays import Floats, RandomState, check_rows
from .._options import check_confidence_level, check_whole
from .._text.plain import count
from .._text.tables import Table, Tabular
from ..inference import Interval
from ..model_selection import BootstrapSplit, refit_on_draws
from ._instability import PredictionInstability, prediction_instability

_USUAL = ("calibration_slope", "calibration_intercept", "roc_auc", "neg_brier_score", "d2_brier")


# Of fewer rows of a class the intervals cover too rarely (``python -m benchmarks.optimism_coverage``).
_LEAST_OF_CLASS = 100
_TOO_FEW = (
    f"fewer than {_LEAST_OF_CLASS} rows of a class, of which intervals of a corrected score cover too "
    "rarely, so there is none"
)


@dataclass(frozen=True, eq=False, repr=False)
class OptimismCorrection(Tabular):
    """Apparent and optimism-corrected scores; made by :func:`optimism_bootstrap`.

    Attributes
    ----------
    apparent : dict of str to float
        Score of the model on the rows that it was fitted on.
    resampled, original : dict of str to ndarray of shape (n_resamples,), float64
        Score of every resample's model on the resample, and on the original rows; nan where the fit
        failed or the metric is undefined.
    risk : ndarray of shape (n_samples,) or None
        The model's probability of the positive class.
    risks : ndarray of shape (n_resamples, n_samples) or None
        That of every resample's model, a failed one left out; None without probabilities or with
        ``return_predictions=False``.
    y_true : ndarray of shape (n_samples,)
    bounds : dict of str to tuple of float
        The range of each metric.
    classes : Classes or None
        Rows of each class and the positive one.
    confidence_level : float
    errors : tuple of str
        The exceptions of fits and scores that failed, in one line each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LinearRegression
    >>> from skaucx.clinic import optimism_bootstrap
    >>> X, y = load_iris(return_X_y=True)
    >>> found = optimism_bootstrap(
    ...     LinearRegression(), X, y, scoring="r2", n_resamples=20, random_state=0
    ... )
    >>> found.optimism["r2"] < 0.02
    True
    """

    apparent: Mapping[str, float]
    resampled: Mapping[str, Floats]
    original: Mapping[str, Floats]
    risk: Floats | None
    risks: Floats | None
    y_true: Any
    bounds: Mapping[str, tuple[float, float]]
    classes: Any
    confidence_level: float
    errors: tuple[str, ...] = ()

    _index = "metric"

    @property
    def optimism(self) -> dict[str, float]:
        """Mean score on the resample less that on the original rows, by metric."""
        return {name: float(np.mean(self._gains(name))) for name in self.apparent}

    @property
    def corrected(self) -> dict[str, float]:
        """Apparent score less the optimism, by metric."""
        return {name: score - self.optimism[name] for name, score in self.apparent.items()}

    def _gains(self, name: str) -> Floats:
        """Return the optimism of every resample on which the metric is defined."""
        gains = self.resampled[name] - self.original[name]
        defined = gains[~np.isnan(gains)]
        return defined if len(defined) else np.array([np.nan])

    def interval(self, metric: str, confidence_level: float | None = None) -> Interval:
        r"""Return a confidence interval of the corrected score.

        Parameters
        ----------
        metric : str
        confidence_level : float, optional
            Confidence, in (0, 1); that of the call by default.

        Returns
        -------
        Interval
            Its target is the value of this model in the population.

        Raises
        ------
        KeyError
            If there is no such metric.

        Notes
        -----
        .. math:: [\theta - q_{1 - \alpha / 2}, \theta - q_{\alpha / 2}]

        with the apparent score :math:`\theta` and the quantiles q of the resamples' loss of score from
        their own to the original rows: the error of the apparent score has the distribution that it
        has where the original rows are the population. With 100 rows, 30 of them positive, nominal
        95 % intervals hold :ref:`89 to 92.8 % <optimism-100>`, so below 100 rows of a class there are no
        limits; with 400 rows they hold :ref:`91.5 to 95 % <optimism-400>`. Quantiles of the
        resamples' own scores, less the optimism [1]_, have no width where fitting fixes these scores, as
        it does the calibration slope.

        References
        ----------
        .. [1] H. Noma, T. Shinozaki, K. Iba, S. Teramukai and T. A. Furukawa, Confidence intervals of
           prediction accuracy measures for multivariable prediction models based on the
           bootstrap-based optimism correction methods, Statistics in Medicine 40(26), 5691-5701, 2021.
        """
        if metric not in self.apparent:
            raise KeyError(f"{metric!r}; the result has {', '.join(self.apparent)}")
        level = check_confidence_level(
            self.confidence_level if confidence_level is None else confidence_level
        )
        draws = self.apparent[metric] - self._gains(metric)
        low = high = error = np.nan
        few = self.classes is not None and min(self.classes.counts.values()) < _LEAST_OF_CLASS
        note = ""
        if few:
            note = _TOO_FEW
        elif len(draws) > 1 and np.ptp(draws) > 0:
            # A new draw is below the k-th of B with probability k / (B + 1).
            ends = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], method="weibull")
            estimate = self.corrected[metric]
            within = np.clip(ends, *self.bounds[metric])
            low, high = min(within[0], estimate), max(within[1], estimate)
            error = float(draws.std(ddof=1))
        else:
            note = "no two resamples with a defined score"
        return Interval(
            metric, self.corrected[metric], float(low), float(high), error, level,
            "optimism-corrected bootstrap", len(draws), note,
            target="the population, by this model",
        )  # fmt: skip

    def instability(self, *, threshold: float = 0.5) -> PredictionInstability:
        """Compare the predicted risks of the resamples' models with those of the model.

        Parameters
        ----------
        threshold : float, default=0.5
            The risk from which on a row is called positive, in (0, 1).

        Returns
        -------
        PredictionInstability

        Raises
        ------
        ValueError
            If there are no predicted risks.
        """
        if self.risk is None or self.risks is None:
            raise ValueError(
                "Instability needs a classifier of two classes with predict_proba, a positive class "
                "(pos_label=) and return_predictions=True."
            )
        positive = None if self.classes is None else self.classes.positive
        return prediction_instability(
            self.risk, self.risks, self.y_true, threshold=threshold, pos_label=positive
        )

    def _table(self) -> Table:
        first = next(iter(self.apparent))
        found = self.interval(first)
        lost = sum(np.isnan(self.original[first]))
        cause = f" ({self.errors[0]})" if self.errors else ""
        gaps = f", {lost} of them without a score{cause}" if lost else ""
        classes = "" if self.classes is None else f" {self.classes}"
        drawn = count(len(self.original[first]), "resample")
        share = f"{100 * self.confidence_level:g} % interval"
        return Table(
            ["metric", "apparent", "optimism", "corrected", share],
            [
                [name, score, self.optimism[name], self.corrected[name], (*self.interval(name),)]
                for name, score in self.apparent.items()
            ],
            notes=[f"{drawn}{gaps}; intervals: {found.method}, of {found.target}.{classes}"],
        )  # fmt: skip


def optimism_bootstrap(
    estimator: Estimator,
    X: Features,
    y: ArrayLike,
    *,
    scoring: MetricLike | Sequence[MetricLike] | Mapping[str, MetricLike] | None = _USUAL,
    pos_label: Label = None,
    n_resamples: int = 200,
    confidence_level: float = 0.95,
    return_predictions: bool = True,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    weight_fits: bool = True,
    error_score: float | Literal["raise"] = np.nan,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> OptimismCorrection:
    r"""Estimate how well a model does on new rows from the rows that it was fitted on.

    The whole procedure is repeated on rows drawn with replacement: every step of a pipeline, and the
    tuning if `estimator` is a search. The mean loss of score from a resample to the original rows is
    the optimism, which is subtracted from the apparent score [1]_ [2]_.

    Parameters
    ----------
    estimator : estimator or search
        Cloned for every fit.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str, list of str, dict or scorer
        Metrics, as :class:`~skaucx.model_selection.NestedCV` takes them; by default the calibration
        slope and intercept, the AUC, the Brier score and the scaled Brier score.
    pos_label : label, optional
        The positive class of two, as :class:`~skaucx.model_selection.NestedCV` takes it.
    n_resamples : int, default=200
        Number of resamples.
    confidence_level : float, default=0.95
        Nominal coverage of the intervals, in (0, 1).
    return_predictions : bool, default=True
        Whether to keep the predicted risks, n_resamples x n_samples numbers, for
        :meth:`OptimismCorrection.instability`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, in every fit and every score.
    groups : array-like of shape (n_samples,), optional
        Clusters of rows, which are drawn together.
    weight_fits, error_score
        As :func:`~skaucx.model_selection.bootstrap_score` takes them. A resample whose fit or score
        raises, as one that lacks a class, is left out with a warning.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs, verbose : int, optional
        As in joblib; the numbers do not depend on them.

    Returns
    -------
    OptimismCorrection

    Raises
    ------
    ValueError, TypeError
        If an argument has a value that is not among those described.

    Notes
    -----
    .. math:: \hat\theta = \theta - \frac{1}{B} \sum_b (\theta^{*}_{bb} - \theta^{*}_b)

    with :math:`\theta` the apparent score, :math:`\theta^{*}_{bb}` that of model b on its resample and
    :math:`\theta^{*}_b` on the original rows.

    All fits run in one batch, and each predicts the original rows once: the scores of a resample use
    the same predictions. A search that splits a resample finds copies of a row on both sides of a
    split, which favours candidates that overfit. A splitter of groups, such as
    ``cv=StratifiedGroupKFold(5)``, receives the row numbers (or `groups`) and keeps copies together.

    See Also
    --------
    skaucx.model_selection.bootstrap_score : Out-of-bag and .632 estimates.
    prediction_instability : How much predicted risks vary between the models.

    References
    ----------
    .. [1] B. Efron and G. Gong, A leisurely look at the bootstrap, the jackknife, and cross-validation,
       The American Statistician 37(1), 36-48, 1983.
    .. [2] F. E. Harrell, K. L. Lee and D. B. Mark, Multivariable prognostic models, Statistics in
       Medicine 15(4), 361-387, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.clinic import optimism_bootstrap
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = optimism_bootstrap(
    ...     GaussianNB(), X[:100, :4], y[:100], scoring=["calibration_slope", "roc_auc"],
    ...     n_resamples=50, random_state=0,
    ... )
    >>> bool(found.corrected["calibration_slope"] < found.apparent["calibration_slope"])
    True
    """
    level = check_confidence_level(confidence_level)
    resamples = check_whole("n_resamples", n_resamples, 2)
    random = check_random_state(random_state)
    check_rows({"y": y, "groups": groups})
    together = None if groups is None else np.asarray(groups)

    every = np.arange(np.shape(y)[0])
    splits = BootstrapSplit(resamples, random_state=random).split(every, groups=together)
    draws = [(every, every)] + [(every, drawn) for drawn, _ in splits]
    fits = refit_on_draws(
        estimator, X, y, draws, scoring=scoring, pos_label=pos_label,
        n_predicted=resamples + 1 if return_predictions else 0, sample_weight=sample_weight,
        groups=groups, weight_fits=weight_fits, error_score=error_score, n_jobs=n_jobs,
        verbose=verbose,
    )  # fmt: skip
    first = slice(1, resamples + 1)
    kept: list[Any] = fits.risks or [None]
    risk, *risks = kept
    return OptimismCorrection(
        {name: float(scores[0]) for name, scores in fits.own.items()},
        {name: scores[first] for name, scores in fits.own.items()},
        {name: scores[first] for name, scores in fits.original.items()},
        risk=risk,
        risks=np.stack(risks) if risks else None,
        y_true=fits.y_true,
        bounds=fits.bounds,
        classes=fits.classes,
        confidence_level=level,
        errors=fits.errors,
    )
