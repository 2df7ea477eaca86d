"""Metrics from gold labels of some rows and a judge's labels of all: estimate, variance, checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
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

# Rows added to the gold ones on which the judge is of no use: a judge who errs on none of a few gold
# rows, or on one, hides how often it does (``python -m benchmarks.gold_labels``).
_ADDED = 2
# No calibrated weight falls below this share of what the row stands for by design.
_LEAST = 0.01
# Rows chosen at random look chosen by their predictions this rarely.
_NOT_RANDOM = 1e-4
# Above so many values a prediction is compared by ranks, not value by value.
_CATEGORIES = 30
_FEW = 5


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
    def worth(self) -> float:
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
    worth : float
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
    worth: float = np.nan
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
    judged : array-like of shape (n_samples,), default=None
        Labels of all rows by a cheap judge, such as a language model, a rule or a second reader.
    labelled : array-like of shape (n_samples,), bool, default=None
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
        `strata` and `inclusion` are given, fewer than three rows have gold labels, or the gold rows
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
    >>> gold = GoldLabels(judge, labelled=np.arange(2000) < 100)
    >>> found = interval("f1", truth, predicted, gold=gold)
    >>> found.n_gold, found.worth > 150
    (100, True)
    """

    judged: Any = None
    labelled: Any = None
    strata: Any = None
    inclusion: Any = None

    def labelled_rows(self, y_true: Any) -> Bools:
        """Return which rows have a gold label, shape (n_samples,).

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        """
        return _labelled(host_array(y_true), self.labelled)

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
        y_true: Any,
        predictions: tuple[Any, ...],
        *,
        sample_weight: Any = None,
        groups: Any = None,
        labels: Any = None,
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
        chosen = _labelled(gold, self.labelled)
        given = {"judged": self.judged, "strata": self.strata, "inclusion": self.inclusion}
        arrays = {n: _of_rows(n, each, len(gold)) for n, each in given.items() if each is not None}
        each = [host_array(values) for values in predictions]
        names = ["y_pred_or_score"] if len(each) == 1 else ["y_pred_a", "y_pred_b"]
        columns = dict(zip(names, each, strict=True))
        check_same_length({"y_true": gold, "labelled": chosen, **arrays, **columns})
        if self.strata is not None and self.inclusion is not None:
            raise ValueError("Both strata and inclusion are given; one of them states the design.")
        judge = arrays.get("judged")
        if judge is not None:
            _check_judge(judge, gold[chosen], chosen, labels)
        if np.count_nonzero(chosen) < 3:
            raise ValueError(
                f"labelled marks {np.count_nonzero(chosen)} rows; at least three gold labels are needed."
            )
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
    labelled : ndarray of shape (n_samples,), bool
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

    labelled: Bools
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
        found, marked = self.corrected(metric), self.labelled
        weight = self.share if np.ptp(self.share) > 0 else None
        groups = None if self.groups is None else self.groups[marked]
        labelled = metric.on(self.gold, self.predictions[0][marked], marked, weight, groups)
        if method == _PUBLISHED:
            error = math.sqrt(found.published)
            held = labelled.interval_around(found.estimate, error, math.inf, symmetrical=True)
        else:
            error = math.sqrt(max(found.variance, 0.0))
            held = labelled.interval_around(found.estimate, error, found.freedom)
        judge, worth = self._judge(metric, weight, groups), found.worth
        notes = [*_worth(found, judge), *labelled.cautions, few_positives(self.gold)]
        if held is None:
            alone, worth = labelled.usual_interval, float(found.n_gold)
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
            worth=worth,
            power=found.power,
            residual=found.residual,
            judge=judge,
        )

    def difference(self, metric: MetricOfRows) -> CorrectedEstimate:
        """Return the difference of a metric between two predictions, corrected."""
        found = self.corrected(metric)
        by_judge = "" if self.judge is None else f" + judge = {found.worth:.0f} gold rows"
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
        judge, classes = self.judge[self.labelled], np.unique(self.gold)
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

    def corrected(self, metric: MetricOfRows) -> Corrected:
        """Return a metric of one prediction, or its difference between two, corrected."""
        if metric.options.get("average", "binary") is None:
            raise ValueError("average=None has no value that gold labels correct; name an average.")

        def on(truth: Array, rows: Any, weight: Any) -> list[Any]:
            return [metric.on(truth, each[rows], rows, weight) for each in self.predictions]

        def value(weight: Floats) -> tuple[float, ...]:
            return tuple(float(one.estimate) for one in on(self.gold, self.labelled, weight))

        def influence(weight: Floats) -> Floats:
            held = on(self.gold, self.labelled, weight)
            return np.asarray(_difference([one.influence_values for one in held]))

        judge = np.zeros(len(self.labelled))
        if self.judge is not None:
            even = np.ptp(self.weight) == 0
            held = on(self.judge, slice(None), None if even else self.weight)
            found = _difference([one.influence_values for one in held]) / self.weight
            judge = np.where(np.isfinite(found), found, 0.0)
        return self.estimate(value, influence, judge)

    def estimate(
        self, value: Callable[..., Any], influence: Callable[..., Floats], judge: Floats
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
        """
        w, weight, chosen = self.share, self.weight, self.labelled
        x = judge - weight @ judge
        strata = np.zeros(len(x), dtype=np.intp) if self.strata is None else self.strata
        known = self.strata is None
        own = strata[chosen]
        within = partial(_within, codes=own, weight=w)
        lever = w**2 * within(x[chosen])
        total = lever @ x[chosen]
        if not known and not strata.any():  # one stratum: that over all rows, as PPI++ has it
            total = (w @ w) * x.var(ddof=1)
        slope = lever / total if total > 0 else np.zeros_like(w)
        gap = float(w @ x[chosen])
        least = float((-gap * slope / w).min())
        part_of = min(1.0, (1 - _LEAST) / -least) if least < 0 else 1.0
        calibrated = w - part_of * gap * slope
        psi = influence(calibrated) / calibrated
        psi = psi - calibrated @ psi
        beta = float(slope @ psi)
        # What weights above 0 cannot correct is corrected to first order.
        first, *others = value(calibrated)
        values = first - (1 - part_of) * beta * gap, *others
        residual = psi - beta * x[chosen]
        # By known probabilities each row was chosen by itself, so nothing is centred.
        centred = residual if known else within(residual)
        means = np.zeros(1) if known else _means(residual, own, w, int(strata.max()) + 1)
        part = np.zeros(len(x))
        part[chosen] = w * centred
        rest = weight * (means[0 if known else strata] + beta * x)
        alone = np.zeros(len(x))
        alone[chosen] = w * psi
        return self._variance(values, part, rest, alone, beta)

    def _variance(
        self, values: tuple[float, ...], part: Floats, rest: Floats, alone: Floats, beta: float
    ) -> Corrected:
        chosen = self.labelled
        units = np.arange(len(part)) if self.groups is None else self.groups
        a, b, g = (np.bincount(units, each) for each in (part, rest, alone))
        m = len(np.unique(units[chosen]))
        inflation = m / (m - _ADDED) if m > _ADDED else math.nan
        residual = (m * (a @ a) + _ADDED * (g @ g)) / (m + _ADDED) * inflation
        n, size = np.count_nonzero(chosen), len(part)
        rows = part + rest
        published = sum(
            np.count_nonzero(side) * rows[side].var() for side in (chosen, ~chosen) if side.any()
        )
        return Corrected(
            values,
            float(residual + b @ b + 2 * (a @ b)),
            float(m - _ADDED),
            float(residual * n),
            float(g @ g) * m / (m - 1),
            int(n),
            beta * (1 - n / size),
            float(published),
        )


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


def _labelled(gold: Array, labelled: Any) -> Bools:
    if gold.ndim != 1:
        raise ValueError(f"y_true must be a vector with gold labels, found shape {gold.shape}.")
    absent = missing(gold)
    if labelled is None:
        return ~absent
    chosen = np.asarray(labelled)
    if chosen.dtype != np.bool_ or chosen.shape != gold.shape:
        raise ValueError(
            f"labelled must be a boolean vector of {len(gold)} rows, as y_true has, found "
            f"{chosen.dtype} of shape {chosen.shape}."
        )
    if (absent & chosen).any():
        raise ValueError(
            f"y_true is missing in {np.count_nonzero(absent & chosen)} rows that labelled marks."
        )
    return chosen


def _check_judge(judge: Array, gold: Array, chosen: Bools, labels: Any) -> None:
    absent = missing(judge)
    if absent.any():
        raise ValueError(
            f"judged is missing in {np.count_nonzero(absent)} rows, of which "
            f"{np.count_nonzero(absent & chosen)} have gold labels; the judge labels every row."
        )
    known = gold if labels is None else np.concatenate([gold, np.asarray(labels)])
    unknown = np.setdiff1d(judge, known)
    if len(unknown) and not np.isin(unknown, [-1, 0, 1]).all():
        raise ValueError(
            f"judged has labels {unknown.tolist()} that no gold row has; correct them, or name all "
            "classes by labels=."
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
    worth = f" = {found.worth:.0f} gold rows" if np.isfinite(found.worth) else ""
    return [f"{found.n_gold} gold rows + judge{worth}", f"judge on the gold rows: {rates}"]
