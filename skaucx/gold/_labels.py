"""Metrics from gold labels of some rows and a judge's labels of all: estimate, variance, checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .._arrays import (
    Array,
    Bools,
    Codes,
    Floats,
    check_same_length,
    float_array,
    group_codes,
    host_array,
    take_rows,
)
from .._options import check_choice
from .._text.numbers import fixed
from ..inference import CorrectedEstimate, Interval, MetricOfRows, intervals

# Informative rows added to the gold ones on which the judge is of no use: one who errs on none of a few
# rows, or on one, hides how often it does (``python -m benchmarks.gold_labels``).
_ADDED = 1
# No calibrated weight falls below this share of what the row stands for by design.
_LEAST = 0.01
# Rows chosen at random look chosen by their predictions this rarely.
_NOT_RANDOM = 1e-4
# No gold row counts as more of its class than this where it is left out.
_MOST_OF_CLASS = 0.75
# Above so many values a prediction is compared by ranks, not value by value.
_CATEGORIES = 30
_FEW = 5
# Fewer gold rows have no interval: with 10 that of a Brier score covers 88 to 90 %
# (``python -m benchmarks.gold_labels --gold 10``).
_LEAST_GOLD = 15
# By strata or probabilities: with 19 as good as equal ones a Brier score was covered in 89 %.
_LEAST_OF_DESIGN = 22


class Corrected(NamedTuple):
    """An estimate from gold labels and a judge's, with its variance.

    Attributes
    ----------
    values : tuple of float
        The metric of each prediction.
    variance : float
        That of the metric, or of its difference between two predictions.
    freedom : float
        Degrees of freedom of Student's t.
    residual : float
        What of the variance falls with the number of gold rows, times that number.
    alone : float
        The variance of the estimate from the gold rows alone.
    n_gold : int
    power : float
        The weight lambda of the judge's labels, between 0 and about 1.
    published : float
        The variance of PPI++, without the terms for few gold rows.
    """

    values: tuple[float, ...]
    variance: float
    freedom: float
    residual: float
    alone: float
    n_gold: int
    power: float
    published: float

    @property
    def estimate(self) -> float:
        """The metric, or the difference of two predictions."""
        return _difference(self.values)

    @property
    def effective_gold_rows(self) -> float:
        """How many gold rows alone would give this variance."""
        return self.n_gold * self.alone / self.variance if self.variance > 0 else math.nan


_PUBLISHED = "ppi++"
_METHODS = ("auto", _PUBLISHED)


@dataclass(frozen=True, eq=False, repr=False)
class GoldInterval(Interval):
    """An interval from gold labels of some rows and a judge's labels of all.

    Attributes
    ----------
    metric, estimate, low, high, standard_error, confidence_level, method, n_resamples, note
        As of :class:`~skaucx.inference.Interval`.
    target, classes, random_state, label
        As of :class:`~skaucx.inference.Interval`.
    n_gold, n_rows : int
        Rows with gold labels, and all rows.
    effective_gold_rows : float
        How many gold rows without a judge would give an interval as narrow.
    power : float
        The weight of the judge's labels: 0 leaves the gold rows alone.
    residual : float
        The part of the variance that falls with the number of gold rows, times that number.
    judge : dict of str to Interval
        How good the judge is on the gold rows; empty without a judge.
    """

    n_gold: int = 0
    n_rows: int = 0
    effective_gold_rows: float = np.nan
    power: float = 0.0
    residual: float = np.nan
    judge: Mapping[str, Interval] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class GoldLabels:
    """Which rows have gold labels, how they were chosen, and a judge's labels of all rows.

    Pass it as ``gold=`` to :func:`~skaucx.inference.interval`, :func:`~skaucx.inference.intervals`,
    :func:`~skaucx.evaluation.evaluate` or :func:`~skaucx.inference.paired_test`. Intervals are then of
    the class :class:`GoldInterval`: the value of the gold rows, corrected by what the judge shows on all
    rows, and valid however wrong the judge is.

    Parameters
    ----------
    judge_labels : array-like of shape (n_samples,), default=None
        Labels of all rows by a cheap judge, such as a language model, a rule or a second reader.
    has_gold : array-like of shape (n_samples,), bool, default=None
        Which rows have gold labels in `y_true`; the others' entries are not read. By default those where
        `y_true` is not missing.
    strata : array-like of shape (n_samples,), default=None
        Groups of rows within which the gold rows were chosen at random, each with its own share. With
        the test result as strata this corrects for verification bias.
    inclusion : array-like of shape (n_samples,), default=None
        The probability with which each row was chosen for a gold label, in (0, 1].

    Raises
    ------
    ValueError, TypeError
        Where it is used: if arrays differ in length, the judge's labels are missing or unknown, both
        `strata` and `inclusion` are given, fewer than 15 rows (22 by `strata` or
        `inclusion`) have gold labels, or the gold rows
        differ from the others by more than chance and no design is given.

    Notes
    -----
    The weights of the gold rows are calibrated so that the judge's labels give the same on them as on
    all rows [1]_; to first order this is prediction-powered inference with tuned power [2]_, whose
    published limits ``method="ppi++"`` gives.

    References
    ----------
    .. [1] N. E. Breslow, T. Lumley, C. M. Ballantyne, L. E. Chambless and M. Kulich, Improved
       Horvitz-Thompson estimation of model parameters from two-phase stratified samples, Statistics in
       Biosciences 1(1), 32-49, 2009.
    .. [2] A. N. Angelopoulos, J. C. Duchi and T. Zrnic, PPI++: efficient prediction-powered inference,
       arXiv 2311.01453, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.gold import GoldLabels
    >>> from skaucx.inference import interval
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(2000) < 0.3) * 1
    >>> predicted = np.where(rng.random(2000) < 0.85, truth, 1 - truth)
    >>> judge = np.where(rng.random(2000) < 0.93, truth, 1 - truth)
    >>> gold = GoldLabels(judge, has_gold=np.arange(2000) < 100)
    >>> found = interval("f1", truth, predicted, gold=gold)
    >>> found.n_gold, found.effective_gold_rows > 150
    (100, True)
    """

    judge_labels: Any = None
    has_gold: Any = None
    strata: Any = None
    inclusion: Any = None

    def labelled_rows(self, y_true: ArrayLike) -> Bools:
        """Return which rows have a gold label, shape (n_samples,).

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        """
        return _marked(host_array(y_true), self.has_gold)

    def subset(self, rows: Codes) -> GoldLabels:
        """Return the gold labels of some of the rows.

        Parameters
        ----------
        rows : ndarray of int
        """
        given = (getattr(self, each.name) for each in fields(self))
        return GoldLabels(*(None if each is None else take_rows(each, rows) for each in given))

    def of_rows(
        self,
        y_true: ArrayLike,
        predictions: tuple[Any, ...],
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> GoldDesign:
        """Check the arrays of a call; refuse gold rows that were not chosen at random.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        predictions : tuple of one or two array-likes
        sample_weight, groups : array-like of shape (n_samples,), default=None
        labels : array-like of shape (n_classes,), default=None
            All classes, if some do not occur.
        """
        gold = host_array(y_true)
        chosen = _marked(gold, self.has_gold)
        given = {
            "judge_labels": self.judge_labels,
            "strata": self.strata,
            "inclusion": self.inclusion,
        }
        arrays = {n: _of_rows(n, each, len(gold)) for n, each in given.items() if each is not None}
        each = [host_array(values) for values in predictions]
        names = ["y_pred_or_score"] if len(each) == 1 else ["y_pred_a", "y_pred_b"]
        columns = dict(zip(names, each, strict=True))
        check_same_length({"y_true": gold, "has_gold": chosen, **arrays, **columns})
        if self.strata is not None and self.inclusion is not None:
            raise ValueError("Both strata and inclusion are given; one of them states the design.")
        judge = arrays.get("judge_labels")
        if judge is not None:
            _check_judge(judge, gold[chosen], chosen, labels)
        weight = np.ones(len(gold)) if sample_weight is None else np.asarray(sample_weight, float)
        weight = weight / weight.sum()
        if groups is not None:
            groups = group_codes(groups, {"y_true": gold})
        codes: Codes | None = None
        if self.inclusion is not None:
            share = weight[chosen] / _chances(arrays["inclusion"], chosen)[chosen]
        else:
            codes = np.zeros(len(gold), dtype=np.intp)
            if self.strata is not None:
                codes = np.unique(arrays["strata"], return_inverse=True)[1].astype(np.intp)
                _check_strata(codes, chosen, arrays["strata"])
            elif not chosen.all():
                _check_random(chosen, judge, each)
            stratum = codes[chosen]
            share = weight[chosen] * (np.bincount(codes) / np.bincount(stratum))[stratum]
        share = share / share.sum()
        return GoldDesign(chosen, judge, weight, share, codes, groups, gold[chosen], each)


def _of_rows(name: str, values: Any, n_rows: int) -> Array:
    array = host_array(values)
    if array.ndim != 1:
        found = repr(values) if array.ndim == 0 else f"shape {array.shape}"
        raise ValueError(
            f"{name} must have one entry per row, found {found}; repeat one value for all rows by "
            f"numpy.full({n_rows}, value)."
        )
    return array


def _chances(inclusion: Array, chosen: Bools) -> Floats:
    """Return the probabilities with which the rows were chosen."""
    chances = float_array(inclusion, "inclusion")
    if not ((chances > 0) & (chances <= 1)).all():
        raise ValueError(
            "inclusion must hold the probability of each row to be labelled, in (0, 1]."
        )
    left = np.count_nonzero((chances == 1) & ~chosen)
    if left:
        raise ValueError(
            f"inclusion is 1 for {left} rows without a gold label, although 1 means that a row is "
            "certainly labelled; give the probability with which each row was chosen."
        )
    return chances


@dataclass(frozen=True, eq=False)
class GoldDesign:
    """The rows of a call of which some have gold labels, and how these were chosen.

    Attributes
    ----------
    has_gold : ndarray of shape (n_samples,), bool
    judge : ndarray of shape (n_samples,) or None
        The judge's labels.
    weight : ndarray of shape (n_samples,), float64
        What each row weighs; the sum is 1.
    share : ndarray of shape (n_gold,), float64
        What each gold row stands for; the sum is 1.
    strata : ndarray of shape (n_samples,), int, or None
        Within them gold rows are a random sample; None where their probabilities are known.
    groups : ndarray of shape (n_samples,), int, or None
    gold : ndarray of shape (n_gold,)
        The gold labels.
    predictions : list of ndarray of shape (n_samples, ...)
    """

    has_gold: Bools
    judge: Array | None
    weight: Floats
    share: Floats
    strata: Codes | None
    groups: Codes | None
    gold: Array
    predictions: list[Array]

    def interval(self, metric: MetricOfRows, method: str) -> GoldInterval:
        """Return the interval of a metric of the one prediction, corrected."""
        check_choice("method", method, _METHODS)
        self.check_enough()
        found, marked = self.corrected(metric, method != _PUBLISHED), self.has_gold
        weight = self.share if np.ptp(self.share) > 0 else None
        groups = None if self.groups is None else self.groups[marked]
        labelled = metric.on(self.gold, self.predictions[0][marked], marked, weight, groups)
        held: Interval | None = None
        if method == _PUBLISHED:
            error = math.sqrt(found.published)
            held = labelled.interval_around(found.estimate, error, math.inf, symmetrical=True)
        elif found.power or self.designed:
            error = math.sqrt(max(found.variance, 0.0))
            held = labelled.interval_around(found.estimate, error, found.freedom)
        judge, effective = self._judge(metric, weight, groups), found.effective_gold_rows
        notes = [*_worth(found, judge), *labelled.cautions, few_positives(self.gold)]
        if held is None:
            alone, effective = labelled.usual_interval, float(found.n_gold)
            notes = ["limits of the gold rows alone", *notes]
            held = alone
        elif not np.isnan(held.low):
            named = _PUBLISHED if method == _PUBLISHED else f"corrected {held.method}"
            held = replace(held, method=named)
        note = "; ".join(filter(None, [held.note, *notes]))
        shared = {each.name: getattr(held, each.name) for each in fields(Interval)}
        return GoldInterval(
            **shared | {"note": note},
            n_gold=found.n_gold,
            n_rows=len(marked),
            effective_gold_rows=effective,
            power=found.power,
            residual=found.residual,
            judge=judge,
        )

    def check_enough(self) -> None:
        """Raise an error for fewer gold rows than intervals were found to hold with."""
        least = _LEAST_OF_DESIGN if self.designed else _LEAST_GOLD
        effective = 1 / (self.share @ self.share)  # Kish 1965
        if effective < least - 0.5:
            raise ValueError(
                f"has_gold marks {len(self.gold)} rows, whose weights make them as good as "
                f"{effective:.0f} equal ones; intervals need {least}, as those of fewer cover too "
                "rarely. Label more rows."
            )

    @property
    def designed(self) -> bool:
        """Whether strata or probabilities say how the gold rows were chosen."""
        return self.strata is None or bool(self.strata.any())

    def difference(self, metric: MetricOfRows) -> CorrectedEstimate:
        """Return the difference of a metric between two predictions, corrected."""
        self.check_enough()
        found = self.corrected(metric)
        by_judge = (
            "" if self.judge is None else f" + judge = {found.effective_gold_rows:.0f} gold rows"
        )
        return CorrectedEstimate(
            found.values,
            math.sqrt(max(found.variance, 0.0)),
            found.freedom,
            "Paired test by gold labels",
            f"{found.n_gold} gold rows{by_judge}",
        )

    def _judge(self, metric: MetricOfRows, weight: Any, groups: Any) -> dict[str, Interval]:
        """Return recall and specificity of the judge on the gold rows; of many classes the accuracy."""
        if self.judge is None:
            return {}
        judge, classes = self.judge[self.has_gold], np.unique(self.gold)
        positive = metric.pos_label
        if positive is None and np.isin(classes, [-1, 0, 1]).all():
            positive = classes[-1]
        two = positive is not None and len(classes) == 2
        return intervals(
            ["recall", "specificity"] if two else ["accuracy"],
            self.gold,
            judge,
            sample_weight=weight,
            groups=groups,
            confidence_level=metric.sides.level,
            random_state=0,
            **({"pos_label": positive} if two else {}),
        )

    def corrected(self, metric: MetricOfRows, shrunk: bool = True) -> Corrected:
        """Return a metric of one prediction, or its difference between two, corrected."""
        if metric.options.get("average", "binary") is None:
            raise ValueError("average=None has no value that gold labels correct; name an average.")

        def on(truth: Array, rows: Any, weight: Any) -> list[Any]:
            # Weights that count rows: a table that has no variance is smoothed by rows.
            counts = None if weight is None else weight * len(truth)
            return [metric.on(truth, each[rows], rows, counts) for each in self.predictions]

        def value(weight: Floats) -> tuple[float, ...]:
            return tuple(float(one.estimate) for one in on(self.gold, self.has_gold, weight))

        def influence(weight: Floats) -> Floats:
            held = on(self.gold, self.has_gold, weight)
            found = np.asarray(_difference([one.influence_values for one in held]))
            if not self.designed or metric.metric.kind.counted:
                return found
            # Without row i, of the share s of its class, the value is lower by psi_i / (1 - s).
            codes = np.unique(self.gold, return_inverse=True)[1]
            share = weight / np.bincount(codes, weight)[codes]
            return np.asarray(found / (1 - np.minimum(share, _MOST_OF_CLASS)))

        judge = np.zeros(len(self.has_gold))
        if self.judge is not None:
            even = np.ptp(self.weight) == 0
            held = on(self.judge, slice(None), None if even else self.weight)
            found = _difference([one.influence_values for one in held]) / self.weight
            judge = np.where(np.isfinite(found), found, 0.0)
        return self.estimate(value, influence, judge, shrunk)

    def estimate(
        self,
        value: Callable[..., Any],
        influence: Callable[..., Floats],
        judge: Floats,
        shrunk: bool,
    ) -> Corrected:
        r"""Return the value of the gold rows, their weights calibrated on the judge.

        With influences :math:`\psi` of the gold labels and x of the judge's labels, whose mean over
        all rows is 0, the weights

        .. math:: w_i' = w_i \Bigl(1 - \bar x_w \frac{w_i (x_i - \bar x)}{\sum_j w_j^2 (x_j - \bar x)^2}
            \Bigr)

        make the gold rows' mean of x that of all rows. To first order the estimate is
        :math:`\hat T_w - \beta \bar x_w` with the slope :math:`\beta` of :math:`\psi` on x: PPI++ with
        tuned power. Its variance has a part of the residuals over gold rows, within strata, and a part
        of what all rows show.

        Parameters
        ----------
        value : callable
            Takes weights of the gold rows, returns the metric of each prediction.
        influence : callable
            Takes weights of the gold rows, returns the influence of each.
        judge : ndarray of shape (n_samples,), float64
            The influence of each row by the judge's labels, over its weight; zeros without a judge.
        shrunk : bool
            Whether a slope near its standard error counts less, as PPI++ has it not.
        """
        w, weight, chosen = self.share, self.weight, self.has_gold
        x = judge - weight @ judge
        strata = np.zeros(len(x), dtype=np.intp) if self.strata is None else self.strata
        known = self.strata is None
        own = strata[chosen]
        within = partial(_within, codes=own, weight=w)
        lever = w**2 * within(x[chosen])
        total = lever @ x[chosen]
        if not self.designed:  # one stratum: that over all rows, as PPI++ has it
            total = (w @ w) * x.var(ddof=1)
        slope = lever / total if total > 0 else np.zeros_like(w)
        gap = float(w @ x[chosen])
        least = float((-gap * slope / w).min())
        part_of = min(1.0, (1 - _LEAST) / -least) if least < 0 else 1.0
        psi = influence(w) / w
        power = self._power(slope, psi - w @ psi) if shrunk else 1.0
        calibrated = w - power * part_of * gap * slope
        psi = influence(calibrated) / calibrated
        psi = psi - calibrated @ psi
        beta = power * float(slope @ psi)
        # What weights above 0 cannot correct is corrected to first order.
        first, *others = value(calibrated)
        values = first - (1 - part_of) * beta * gap, *others
        residual = psi - beta * x[chosen]
        # By known probabilities each row was chosen by itself, so nothing is centred.
        centred = residual if known else within(residual)
        means = np.zeros(1) if known else _means(residual, own, w, int(strata.max()) + 1)
        part = np.zeros(len(x))
        part[chosen] = w * centred
        if not known:  # each stratum has lost a degree of freedom of its own
            rows, n = np.bincount(own)[own], len(own)
            part[chosen] *= np.sqrt(rows / (rows - 1) * (n - 1) / n)
        rest = weight * (means[0 if known else strata] + beta * x)
        alone = np.zeros(len(x))
        alone[chosen] = w * psi
        return self._variance(values, part, rest, alone, beta)

    def _power(self, slope: Floats, psi: Floats) -> float:
        r"""Return the share of the slope that is used, :math:`\max(0, 1 - V_0 / \hat\beta^2)`.

        :math:`V_0` is the variance of the slope if the judge is of no use.
        """
        beta, moved = float(slope @ psi), self._sums(slope * psi)
        return max(0.0, 1 - float(moved @ moved) / beta**2) if beta else 0.0

    def _sums(self, values: Floats) -> Floats:
        """Return the sums of values of the gold rows over independent units."""
        if self.groups is None:
            return values
        return np.asarray(np.bincount(self.groups[self.has_gold], values), dtype=np.float64)

    def _variance(
        self, values: tuple[float, ...], part: Floats, rest: Floats, alone: Floats, beta: float
    ) -> Corrected:
        chosen = self.has_gold
        units = np.arange(len(part)) if self.groups is None else self.groups
        a, b, g = (np.bincount(units, each) for each in (part, rest, alone))
        m = len(np.unique(units[chosen]))
        informative = float((g @ g) ** 2 / (g**2 @ g**2)) if g.any() else 0.0
        residual = (informative * (a @ a) + _ADDED * (g @ g)) / (informative + _ADDED) * m / (m - 1)
        n, size = np.count_nonzero(chosen), len(part)
        rows = part + rest
        published = sum(
            np.count_nonzero(side) * rows[side].var() for side in (chosen, ~chosen) if side.any()
        )
        return Corrected(
            values,
            float(residual + b @ b + 2 * (a @ b)),
            self._freedom(m, informative),
            float(residual * n),
            float(g @ g) * m / (m - 1),
            int(n),
            beta * (1 - n / size),
            float(published),
        )

    def _freedom(self, units: int, informative: float) -> float:
        r"""Return the degrees of freedom; where rows weigh unevenly by design, of their kurtosis k.

        The variance of m squares of kurtosis k is that of :math:`2 m / (k - 1)` normal ones.
        """
        most = float(units - 1)
        if not self.designed or informative >= units or not informative:
            return most
        return min(most, 2 * units / (units / informative - 1))


def _difference(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else values[0] - values[1]


def _within(values: Floats, codes: Codes, weight: Floats) -> Floats:
    return values - _means(values, codes, weight, int(codes.max()) + 1)[codes]


def _means(values: Floats, codes: Codes, weight: Floats, many: int) -> Floats:
    total = np.bincount(codes, weight, many)
    return np.bincount(codes, weight * values, many) / np.where(total > 0, total, 1)


def missing(values: Array) -> Bools:
    """Return which entries are NaN or None."""
    absent = np.asarray(values != values)
    if values.dtype == object:
        absent |= np.array([each is None for each in values.ravel()]).reshape(values.shape)
    return absent


def _marked(gold: Array, has_gold: Any) -> Bools:
    if gold.ndim != 1:
        raise ValueError(f"y_true must be a vector with gold labels, found shape {gold.shape}.")
    absent = missing(gold)
    if has_gold is None:
        return ~absent
    chosen = np.asarray(has_gold)
    if chosen.dtype != np.bool_ or chosen.shape != gold.shape:
        raise ValueError(
            f"has_gold must be a boolean vector of {len(gold)} rows, as y_true has, found "
            f"{chosen.dtype} of shape {chosen.shape}."
        )
    if (absent & chosen).any():
        raise ValueError(
            f"y_true is missing in {np.count_nonzero(absent & chosen)} rows that has_gold marks."
        )
    return chosen


def _check_judge(judge: Array, gold: Array, chosen: Bools, labels: Any) -> None:
    absent = missing(judge)
    if absent.any():
        raise ValueError(
            f"judge_labels is missing in {np.count_nonzero(absent)} rows, of which "
            f"{np.count_nonzero(absent & chosen)} have gold labels; the judge labels every row."
        )
    known = gold if labels is None else np.concatenate([gold, np.asarray(labels)])
    unknown = np.setdiff1d(judge, known)
    if len(unknown) and not np.isin(unknown, [-1, 0, 1]).all():
        raise ValueError(
            f"judge_labels has labels {unknown.tolist()} that no gold row has; correct them, or name "
            "all classes by labels=."
        )


def _check_strata(codes: Codes, chosen: Bools, strata: Array) -> None:
    counts = np.bincount(codes[chosen], minlength=int(codes.max()) + 1)
    if (counts < 2).any():
        few = np.unique(strata)[counts < 2].tolist()
        raise ValueError(f"strata {few} have fewer than two gold rows; join them with others.")


def _check_random(chosen: Bools, judge: Array | None, predictions: list[Array]) -> None:
    """Refuse gold rows whose predictions or judge's labels differ from those of the other rows."""
    columns = {f"the predictions{'' if not k else ' of b'}": p for k, p in enumerate(predictions)}
    if judge is not None:
        columns["the judge's labels"] = judge
    for name, column in columns.items():
        values = column if column.ndim == 1 else column.argmax(axis=1)
        if _chance(chosen, values) < _NOT_RANDOM:
            raise ValueError(
                f"The gold rows differ from the others in {name} by more than chance (p < "
                f"{_NOT_RANDOM:g}), so they are no random sample. Give strata= within which they are, "
                "or inclusion=, the probability of each row to be labelled."
            )


def _chance(chosen: Bools, values: Array) -> float:
    kinds, codes = np.unique(values, return_inverse=True)
    if len(kinds) < 2:
        return 1.0
    if len(kinds) > _CATEGORIES:
        return float(stats.mannwhitneyu(codes[chosen], codes[~chosen]).pvalue)
    table = np.stack([np.bincount(codes[side], minlength=len(kinds)) for side in (chosen, ~chosen)])
    return float(stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)


def few_positives(gold: Array) -> str:
    """Return a note where a class has fewer gold rows than intervals need."""
    kinds, counts = np.unique(gold, return_counts=True)
    if len(kinds) > 1 and counts.min() >= _FEW:
        return ""
    rarest = kinds[counts.argmin()]
    found = f"{counts.min()} of class {rarest}" if len(kinds) > 1 else f"one class only ({rarest})"
    return f"gold rows: {found}; below {_FEW} of a class coverage is not guaranteed"


def _worth(found: Corrected, judge: Mapping[str, Interval]) -> list[str]:
    """Say what the judge's labels are worth, and how good they are."""
    rates = ", ".join(
        f"{name} {fixed(each.estimate)} [{fixed(each.low)}, {fixed(each.high)}]"
        for name, each in judge.items()
    )
    if not judge:
        return [f"{found.n_gold} gold rows"]
    effective = found.effective_gold_rows
    equal = f" = {effective:.0f} gold rows" if np.isfinite(effective) else ""
    return [f"{found.n_gold} gold rows + judge{equal}", f"judge on the gold rows: {rates}"]
