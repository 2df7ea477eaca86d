"""Bootstrap estimates of how well an estimator does: plain, .632, .632+, and less the optimism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state, get_tags, indexable
from sklearn.utils.parallel import Parallel, delayed

from skaucx.metrics import list_metrics, roc_auc_score
from skaucx.metrics._kinds.scores.class_scores import Probabilities
from skaucx.metrics._scorers.bound import BoundMetric

from ..._arrays import float_array, rounding_unit
from ..._compat import import_pandas
from ..._options import check_choice, check_confidence_level, check_whole
from ..._text.html import Preformatted
from ..._text.numbers import ends, fixed
from ..._text.plain import paragraph
from ...metrics._scorers.bound import bound_metric
from .._fold_scores import moments, ratio
from .._run_options import check_error_score, check_estimator
from .._scoring import Classes, classes_of, refuse_metadata, resolve_scoring
from .._types import (
    ErrorScore,
    Estimator,
    Features,
    Floats,
    Label,
    RandomState,
    Rows,
    Scorer,
    Scoring,
    Split,
)
from ..execution._dataset import Dataset
from ..execution._failures import one_line, warn_of_failures
from ..execution._job import POOLED, TRAINED, Outcome, score_candidate
from ..execution._out_of_fold import OutOfFoldPredictions, pool, pooled_scores

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
        Rows drawn, or their share of all rows, in (0, 1]; as many as there are by default. With
        groups it counts groups.
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
        random_state: RandomState = None,
    ) -> None:
        self.n_splits = n_splits
        self.train_size = train_size
        self.random_state = random_state

    def get_n_splits(
        self, X: Features | None = None, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> int:
        """Return the number of rounds; the data play no part.

        Returns
        -------
        int
        """
        return self.n_splits

    def split(
        self, X: Features, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Iterator[Split]:
        """Draw the rounds.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
        y : array-like of shape (n_samples,), optional
            Plays no part.
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
        check_whole("n_splits", self.n_splits, 1)
        rows, _, groups = indexable(X, y, groups)
        unit = np.arange(rows.shape[0] if hasattr(rows, "shape") else len(rows))
        if not len(unit):
            raise ValueError("X has 0 rows; there is nothing to draw.")
        members: list[Rows] = []
        if groups is not None:
            unit = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
            members = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1])
        units = int(unit.max()) + 1
        size = units
        if self.train_size is not None:
            size = _n_units("train_size", self.train_size, units)
        random = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            train, test = parts = _draw(size, units, random)
            if members:
                train, test = (np.concatenate([members[one] for one in part]) for part in parts)
            yield train, np.sort(test)


def _draw(size: int, units: int, random: np.random.RandomState) -> tuple[Rows, Rows]:
    """Draw units with replacement until some remain; return the drawn and the remaining ones."""
    for _ in range(_MOST_DRAWS):
        drawn = random.randint(units, size=size)
        left = np.flatnonzero(np.bincount(drawn, minlength=units) == 0)
        if len(left):
            return drawn, left
    raise ValueError(
        f"None of {_MOST_DRAWS} draws of {size} from {units} rows or groups left any out to "
        "test on; lower train_size or give more data."
    )


def _n_units(name: str, size: float, units: int) -> int:
    """Return how many rows or groups a size stands for."""
    if isinstance(size, Integral) and not isinstance(size, bool) and size >= 1:
        return int(size)
    if isinstance(size, Real) and not isinstance(size, Integral) and 0 < size <= 1:
        return max(1, round(size * units))
    raise ValueError(f"{name} must be an integer >= 1, a share in (0, 1] or None, found {size!r}.")


def check_losses(name: str, bound: BoundMetric | None) -> None:
    """Raise an error for a metric that is neither a mean of losses of examples nor an AUC."""
    if bound is not None:
        row, given = bound.function.metric, bound.parameters
        mean = (
            given.get("normalize", True) is True
            and given.get("average", "binary") in ("binary", "macro", "micro")
            and given.get("labels") is None
        )
        if is_auc(bound) or (mean and _has_losses(row)):
            return
    means = [row.scorer_name for row in list_metrics() if _has_losses(row)]
    raise ValueError(
        "The .632 estimates need a metric of skaucx that is a mean of losses of single examples "
        f"({', '.join(means)}) or an AUC, found {name!r}; method='plain' takes any metric."
    )


def is_auc(bound: BoundMetric) -> bool:
    """Whether a metric is an AUC, a mean over pairs of examples."""
    return bool(bound.function.metric.family == roc_auc_score.metric.family)


def _has_losses(row: Any) -> bool:
    """Whether labels, or probabilities, determine the loss of an example."""
    return row.losses is not None and (row.kind.counted or row.kind.name == "probabilities")


def losses_of(bound: BoundMetric, predictions: OutOfFoldPredictions) -> Floats:
    """Return the loss of each prediction: of its true and predicted label, or its probabilities."""
    row = bound.function.metric
    classes, codes = np.unique(predictions.y_true, return_inverse=True)
    if row.kind.counted:
        predicted = np.searchsorted(classes, predictions.y_pred)
        values = values_of_labels(bound, classes)[codes, predicted]
    else:
        table = predictions.responses["predict_proba"]
        record = Probabilities(table, codes, np.ones(len(table)), rounding_unit(table))
        values = row.losses(record, **bound.parameters)
    return values if row.greater_is_better is False else 1 - values


def values_of_labels(bound: BoundMetric, classes: NDArray[Any]) -> Floats:
    """Return a metric of each true and predicted label, from confusion tables of one example."""
    options = dict(bound.parameters)
    if "pos_label" in bound.function.options and "average" not in options:
        positive = options.get("pos_label")
        last = len(classes) - 1
        options["pos_label"] = last if positive is None else classes.tolist().index(positive)
    cells = np.eye(len(classes) ** 2).reshape(-1, len(classes), len(classes))
    values = [bound.function.from_table(cell, zero_division=np.nan, **options) for cell in cells]
    return np.array(values, dtype=np.float64).reshape(cells.shape[1:])


def no_information(scorer: Scorer, outcome: Outcome, data: Dataset, tags: Tags) -> float:
    """Return the loss if truth and prediction had nothing to do with each other.

    Parameters
    ----------
    scorer : OnePassScorer
        Of one metric.
    outcome : Outcome
        That of the model fitted on all data, scored there.
    data : Dataset
    tags : Tags
        Of the estimator.
    """
    [(name, bound)] = scorer.metrics.items()
    classes, every = np.unique(np.asarray(data.y)), np.arange(len(data))
    crossed = pool(data, [every] * len(classes), [outcome] * len(classes))
    crossed = replace(crossed, y_true=np.repeat(classes, len(data)))
    if not is_auc(bound):
        each = losses_of(bound, crossed).reshape(len(classes), -1)
        totals = np.bincount(np.searchsorted(classes, np.asarray(data.y)), data.sample_weight)
        return float(totals / totals.sum() @ np.average(each, axis=1, weights=data.sample_weight))
    if bound.function.metric.uninformed is not None:
        return 1 - bound.function.metric.uninformed
    if len(classes) > 2:
        raise ValueError(
            f"method='.632+' takes {name!r} of two classes only, found {len(classes)}; use "
            "method='.632', or an AUC that gives 1/2 to scores without information, such as "
            "'roc_auc'."
        )
    return 1 - pooled_scores(scorer, crossed, tags)[name].value


def flipped(value: Any, greater: bool) -> Any:
    """Turn a score into a loss, or a loss into a score."""
    return 1 - value if greater else -value


Method = Literal["plain", ".632", ".632+", "optimism"]


class Spread(NamedTuple):
    """Two percentiles of repetitions; nan where there are none."""

    low: float
    high: float


def repetition_spread(
    scores: ArrayLike, *, n_folds: int = 1, confidence_level: float = 0.95
) -> Spread:
    r"""Spread over repetitions: the outer percentiles of the estimates of single repetitions.

    It shows how an estimate varies with the random splits. It is no confidence interval: it covers the
    true value far less often than `confidence_level` says.

    Parameters
    ----------
    scores : array-like of shape (n_repeats * n_folds,)
        The scores of the folds, repetition by repetition, as scikit-learn's ``cross_val_score`` has them
        with repeated folds. A repetition with nan is left out.
    n_folds : int >= 1, default=1
        Folds of a repetition, whose mean is its estimate.
    confidence_level : float, default=0.95
        Share of the repetitions between the two ends, in (0, 1).

    Returns
    -------
    Spread
        ``(low, high)``, nan if no repetition is defined.

    Raises
    ------
    ValueError
        If the number of scores is no multiple of `n_folds`, or an argument is out of range.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import RepeatedKFold, cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import repetition_spread
    >>> cv = RepeatedKFold(n_splits=10, n_repeats=20, random_state=0)
    >>> scores = cross_val_score(GaussianNB(), *load_iris(return_X_y=True), cv=cv)
    >>> low, high = repetition_spread(scores, n_folds=10)
    >>> round(low, 3), round(high, 3)
    (0.947, 0.96)
    """
    values = float_array(scores, "scores")
    folds, level = check_whole("n_folds", n_folds, 1), check_confidence_level(confidence_level)
    if values.ndim != 1 or len(values) % folds:
        raise ValueError(
            f"scores must be a vector of a multiple of n_folds={folds} scores, found {values.shape}."
        )
    estimates = values.reshape(-1, folds).mean(axis=1)
    defined = estimates[~np.isnan(estimates)]
    if not len(defined):
        return Spread(np.nan, np.nan)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Spread(float(low), float(high))


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapScore(Preformatted):
    """A bootstrap estimate and its components.

    ``estimate`` and ``rounds`` are on the scale of the scorer, greater is better. The errors are
    losses, smaller is better: 1 - score, or the loss whose negative the score is.

    Attributes
    ----------
    metric : str
    method : {"plain", ".632", ".632+", "optimism"}
    estimate : float
    rounds : ndarray of shape (n_splits,), float64
        Out-of-bag score of each round, nan where undefined; "optimism": the apparent score less the
        optimism of the round.
    error : float
        The estimate as a loss.
    out_of_bag_error : float
        "plain" and "optimism": mean over rounds. Otherwise Err1, the mean over examples of an
        example's mean out-of-bag loss (an AUC: the mean over rounds).
    resubstitution_error : float
        Loss on the rows that the model was fitted on; nan for "plain".
    no_information_error : float
        Loss if truth and prediction had nothing to do with each other; nan but for ".632+".
    weight : float
        Weight of the out-of-bag error; the rest weighs the resubstitution error.
    repetitions : ndarray of shape (n_splits,), float64
        The estimate with each round's out-of-bag error alone in place of all.
    classes : Classes or None
        Rows of each class and the positive one; None if the targets are not plain classes.
    errors : tuple of str
        The exceptions of fits and scores that failed, in one line each.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import bootstrap_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = bootstrap_score(
    ...     GaussianNB(), X, y, scoring="specificity", n_splits=20, random_state=0, method="plain"
    ... )
    >>> found.rounds.shape, bool(abs(found.estimate - found.rounds.mean()) < 1e-12)
    ((20,), True)
    """

    metric: str
    method: Method
    estimate: float
    rounds: Floats
    error: float
    out_of_bag_error: float
    resubstitution_error: float
    no_information_error: float
    weight: float
    repetitions: Floats
    classes: Classes | None = None
    errors: tuple[str, ...] = ()

    def spread(self, confidence_level: float = 0.95) -> Spread:
        """Spread over repetitions: the outer percentiles of the estimates of single rounds.

        It shows the variation of the estimate over the draws. It is not a confidence interval: its
        coverage of the true value is much lower than ``confidence_level``.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Share of the repetitions between the two ends, in (0, 1).

        Returns
        -------
        Spread
            ``(low, high)``, nan if no round is defined.

        Raises
        ------
        ValueError
            If ``confidence_level`` is not in (0, 1).
        """
        return repetition_spread(self.repetitions, confidence_level=confidence_level)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a round: its score, and the estimate from it alone.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rounds = {self.metric: self.rounds, "estimate": self.repetitions}
        return import_pandas().DataFrame(rounds).rename_axis("round")

    def __repr__(self) -> str:
        low, high = self.spread()
        missing = int(np.isnan(self.rounds).sum())
        cause = f" ({self.errors[0]})" if self.errors else ""
        gaps = f", {missing} of them undefined{cause}" if missing else ""
        reported = "" if self.classes is None else f"\n{self.classes}"
        found = (
            f"{self.metric} {fixed(self.estimate)} by the {self.method} bootstrap, "
            f"{len(self.rounds)} rounds{gaps}; 95 % spread over repetitions " + ends(low, high)
        )
        return paragraph(found, hang=2) + reported


def bootstrap_score(
    estimator: Estimator,
    X: Features,
    y: ArrayLike,
    *,
    scoring: Scoring,
    pos_label: Label = None,
    n_splits: int = 200,
    method: Method = "plain",
    train_size: float | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    error_score: ErrorScore = np.nan,
    weight_fits: bool = True,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> BootstrapScore:
    r"""Estimate how well an estimator does by fitting it on rows drawn with replacement.

    Each round trains on drawn rows and tests on those never drawn. "plain" is the mean over rounds;
    it is pessimistic, as a training part holds only 63.2 % of the rows. The others [1]_ [2]_ mix in
    the resubstitution error e:

    .. math:: (1 - w) \, e + w \, \mathrm{Err}_1

    with :math:`\mathrm{Err}_1` the out-of-bag error and :math:`w = .632`. For ".632+"

    .. math::

       w = \frac{.632}{1 - .368 R}, \quad R = \frac{\mathrm{Err}_1' - e}{g - e},
       \quad \mathrm{Err}_1' = \min(\mathrm{Err}_1, g),

    with g the loss without information; :math:`\mathrm{Err}_1'` then also takes the place of
    :math:`\mathrm{Err}_1`.

    "optimism" [3]_ takes any metric: the apparent score, of the model fitted on all rows, less the
    mean over rounds of what a model scores better on its drawn rows than on all rows.

    Parameters
    ----------
    estimator : estimator
        Cloned for every fit.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str or scorer
        One metric. The .632 estimates take those of :func:`skaucx.metrics.get_scorer` that are a
        mean of losses of single examples (accuracy, expected cost, log loss, Brier score, type I
        and II error), and AUCs.
    pos_label : label, optional
        The positive class of two, as :class:`NestedCV` takes it.
    n_splits : int, default=200
        Number of rounds.
    method : {"plain", ".632", ".632+", "optimism"}, default="plain"
    train_size, random_state
        As :class:`BootstrapSplit` takes them; the .632 weights are meant for ``train_size=None``.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, in every fit, every score and every mean over examples; rows are drawn
        without regard to them.
    groups : array-like of shape (n_samples,), optional
        Clusters of rows, which are drawn together.
    error_score : float or "raise", default=nan
        Score of a round whose fit or score raises; nan leaves the round out, "raise" lets the
        exception through, as the fit on all rows of the .632 estimates and of "optimism" always
        does. Of "optimism" such a round is always left out.
    weight_fits : bool, default=True
        Whether the weights go into the fits, or into scores and means alone.
    n_jobs : int, optional
        Number of jobs, as in joblib; the numbers do not depend on it.
    verbose : int, default=0
        Verbosity of joblib.

    Returns
    -------
    BootstrapScore

    Raises
    ------
    ValueError
        If an argument has a value that is not among those described, or the metric has no losses
        that ``method`` could use.

    Notes
    -----
    Class counts are random, as they are in the sample: with few examples of a class a training part
    may lack it, and the fit may fail.

    g is the mean loss over all pairs of a truth and a prediction; 1/2 for the AUCs that give 1/2 to
    scores without information. For the other AUCs of two classes every score stands once for a
    positive and once for a negative. Examples that were never out of bag, and rounds whose metric
    is undefined, do not count.

    References
    ----------
    .. [1] Efron, B. (1983). Estimating the error rate of a prediction rule: improvement on
       cross-validation. Journal of the American Statistical Association 78, 316-331.
    .. [2] Efron, B. and Tibshirani, R. (1997). Improvements on cross-validation: the .632+
       bootstrap method. Journal of the American Statistical Association 92, 548-560.
    .. [3] Harrell, F. E., Lee, K. L. and Mark, D. B. (1996). Multivariable prognostic models.
       Statistics in Medicine 15, 361-387.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from skaucx.model_selection import bootstrap_score
    >>> X, y = load_iris(return_X_y=True)
    >>> found = bootstrap_score(
    ...     SVC(kernel="linear"), X, y, scoring="accuracy", train_size=90, random_state=0
    ... )
    >>> round(found.error, 3)
    0.031
    """
    check_choice("method", method, get_args(Method))
    check_estimator("estimator", estimator)
    check_error_score(error_score)
    scorer = resolve_scoring(scoring, estimator, pos_label=pos_label)
    refuse_metadata(scorer, "bootstrap_score")
    if scoring is None or len(scorer.names) > 1:
        raise ValueError(f"scoring must be one metric or a scorer, found {scoring!r}.")
    [(name, single)] = scorer.scorers.items()
    bound = bound_metric(single)
    data = Dataset.of(estimator, X, y, sample_weight, groups, weight_fits=weight_fits)
    classes, every = classes_of(data.y, estimator, scorer, name, pos_label), np.arange(len(data))
    keep: tuple[str, ...] = (TRAINED,) if method == "optimism" else ()
    if method in (".632", ".632+"):
        check_losses(name, bound)
        keep = POOLED
    cv = BootstrapSplit(n_splits, train_size=train_size, random_state=random_state)
    splits = data.split(cv, every)
    tests = [every if method == "optimism" else test for _, test in splits]
    fit = delayed(score_candidate)
    jobs = [
        fit(estimator, {}, data, train, test, scorer, error_score, keep=keep)
        for (train, _), test in zip(splits, tests, strict=True)
    ]
    if method != "plain":
        tests.append(every)
        jobs.append(fit(estimator, {}, data, every, every, scorer, "raise", keep=keep))
    outcomes: list[Outcome] = Parallel(n_jobs=n_jobs, verbose=verbose)(jobs)
    warn_of_failures(outcomes, "bootstrap", error_score, choosing=scorer.names)
    # Whether a score enters as 1 - score, not as the loss whose negative it is.
    greater = bound is None or bound.function.metric.greater_is_better is not False
    errors = np.array([flipped(outcome.scores[name], greater) for outcome in outcomes])
    rounds, resubstitution, no_info = errors[: len(splits)], np.nan, np.nan
    if method != "plain":
        resubstitution = float(errors[-1])
    if method == ".632+":
        no_info = no_information(scorer, outcomes[-1], data, get_tags(estimator))
    if method == "optimism":
        apparent = [outcome.trained.get(name, np.nan) for outcome in outcomes[: len(splits)]]
        rounds = rounds - flipped(np.array(apparent), greater)
        rounds[[not outcome.complete for outcome in outcomes[: len(splits)]]] = np.nan
        rounds = resubstitution + rounds
    out_of_bag = float(moments(rounds)[0])
    if bound is not None and method in (".632", ".632+") and not is_auc(bound):
        errors, out_of_bag = _means_of_losses(bound, data, tests, outcomes, errors)
        rounds, resubstitution = errors[:-1], float(errors[-1])
    weight = out_of_bag_weight(method, resubstitution, out_of_bag, no_info)
    capped = min(out_of_bag, no_info) if method == ".632+" else out_of_bag
    error = mixed(weight, resubstitution, capped)
    raised = (one for outcome in outcomes for one in (outcome.failure, *outcome.unscored.values()))
    return BootstrapScore(
        metric=name,
        method=method,
        estimate=float(flipped(error, greater)),
        rounds=flipped(rounds, greater),
        error=float(error),
        out_of_bag_error=out_of_bag,
        resubstitution_error=resubstitution,
        no_information_error=no_info,
        weight=weight,
        repetitions=flipped(mixed(weight, resubstitution, rounds), greater),
        classes=classes,
        errors=tuple(one_line(one.error) for one in raised if one is not None),
    )


def _means_of_losses(
    bound: BoundMetric,
    data: Dataset,
    tests: Sequence[Rows],
    outcomes: Sequence[Outcome],
    errors: Floats,
) -> tuple[Floats, float]:
    """Return the mean loss of every fit, of which the last is on all rows, and Err1 of the others.

    Of a fit that failed every row has the error given.
    """
    fold, rows = np.repeat(np.arange(len(tests)), list(map(len, tests))), np.concatenate(tests)
    each, joined = errors[fold], pool(data, tests, outcomes)
    each[np.isin(fold, joined.fold)] = losses_of(bound, joined)
    weight = np.ones(len(data)) if data.sample_weight is None else data.sample_weight
    errors = ratio(np.bincount(fold, weight[rows] * each), np.bincount(fold, weight[rows]))
    counted = ~np.isnan(errors[fold]) & (fold < len(tests) - 1)
    tested, times = np.unique(rows[counted], return_counts=True)
    means = np.bincount(rows[counted], each[counted])[tested] / times
    return errors, float(ratio(means @ weight[tested], weight[tested].sum()))


def out_of_bag_weight(method: Method, e: float, err1: float, g: float) -> float:
    """Weight of the out-of-bag error against the resubstitution error.

    Parameters
    ----------
    method : {"plain", ".632", ".632+", "optimism"}
    e, err1, g : float
        Resubstitution, out-of-bag and no-information error.

    Returns
    -------
    float
        1 for "plain" and "optimism", .632 for ".632", from .632 (no overfitting) to 1 for ".632+".

    Examples
    --------
    >>> from skaucx.model_selection.bootstrap._score import out_of_bag_weight
    >>> [round(out_of_bag_weight(".632+", 0.0, err1, 0.5), 3) for err1 in (0.0, 0.25, 0.5, 0.6)]
    [0.632, 0.775, 1.0, 1.0]
    """
    if method in ("plain", "optimism"):
        return 1.0
    if method == ".632":
        return 0.632
    capped = min(err1, g)
    overfitting = (capped - e) / (g - e) if capped > e and g > e else 0.0
    return 0.632 / (1 - 0.368 * overfitting)


def mixed(weight: float, e: float, errors: Any) -> Any:
    """Weigh out-of-bag errors against the resubstitution error, which counts by .632 alone."""
    return errors if weight == 1 else (1 - weight) * e + weight * errors
