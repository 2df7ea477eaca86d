r"""Metrics of survival times: concordance, AUCs of times, Brier scores, calibration, net benefit.

A row i has a time :math:`T_i` that ends in an event (:math:`\delta_i = 1`) or in censoring. Where rows
are weighted by the inverse probability of censoring, :math:`\hat G` is the Kaplan-Meier estimate of
being uncensored; an event at t has weight :math:`1 / \hat G(t-)`, a row followed beyond t
:math:`1 / \hat G(t)`. Every derivative with respect to the weights of the rows includes that of
:math:`\hat G`, unless this is of a training part.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy import special

from .._arrays import Array, Floats, float_array
from .._options import OpenShare, Positive
from ..metrics import declare
from ._bibliography import BIBLIOGRAPHY
from ._kinds import (
    SURVIVAL_PROBABILITIES,
    SURVIVAL_RISKS,
    PairSums,
    ProductLimit,
    Risks,
    Survival,
    SurvivalFunctions,
    pair_sums,
    survival_times,
)

# Newton's steps and the change at which they end.
_STEPS, _SMALL = 50, 1e-10
# A condition number, and a share of the information at 0, at which there is no maximum.
_SINGULAR, _VANISHING = 1e14, 1e-9
# Probabilities this close to 0 and 1 have the log-odds of this one.
_EDGE = 1e-15


def check_training(name: str, value: Any) -> ProductLimit:
    """Return the censoring distribution of a training part."""
    if isinstance(value, ProductLimit):
        return value
    time, event = survival_times(value, name)
    return ProductLimit(time, event, np.ones(len(time)), censoring=True)


def check_times(name: str, value: Any) -> Floats:
    """Return several times, rising and above 0."""
    times = float_array(value, name)
    if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0).all() or not times[0] > 0:
        raise ValueError(f"{name} must hold two or more times > 0, rising, found {value!r}.")
    if not np.isfinite(times).all():
        raise ValueError(f"{name} must be finite, found {value!r}.")
    return times


Training = Annotated[Any, check_training]
Times = Annotated[Any, check_times]


def _censoring(s: Survival, y_train: Any) -> ProductLimit:
    return s.censoring if y_train is None else check_training("y_train", y_train)


def _end(times: Any) -> Floats:
    """Return the last of some times, or the only one."""
    return np.asarray(times, dtype=np.float64).ravel()[-1]


def _beyond(
    s: Survival, *, horizon: Any = None, times: Any = None, y_train: Any = None, **others: Any
) -> bool:
    """Whether the last of some times lies beyond the follow-up, of the training part too."""
    last = times if horizon is None else horizon
    ends = [s.time.max()] if y_train is None else [s.time.max(), _censoring(s, y_train).times[-1]]
    return last is not None and bool(_end(last) >= min(ends))


def _why(
    s: Survival | None,
    *,
    horizon: Any = None,
    times: Any = None,
    y_train: Any = None,
    **others: Any,
) -> str:
    """Say what makes a value undefined."""
    if s is None:
        return "no event, or too short a follow-up"
    if not s.event.any():
        return "no row has an event"
    last = times if horizon is None else horizon
    if last is None:
        return "no two rows can be compared"
    if _beyond(s, horizon=horizon, times=times, y_train=y_train):
        part = " of the shorter of the data and y_train" if y_train is not None else ""
        return f"the time {_end(last):g} is not below the end of the follow-up{part}"
    if not (s.event & (s.time <= _end(last))).any():
        return f"no row has an event up to {_end(last):g}"
    return "too few rows with events"


class Concordance(NamedTuple):
    r"""A mean over pairs of a case i, with weight :math:`w_i c_i`, and a row j that ends later.

    Attributes
    ----------
    rates : ndarray of shape (n,), float64
        :math:`c_i = \delta_i / \hat G(T_i-)^k` of the cases, else 0.
    others : ndarray of shape (n,), float64
        1 for the rows that cases are compared with, else 0.
    pairs : PairSums
    power : int
        k, 0 where another sample gives :math:`\hat G`.
    """

    s: Risks
    rates: Floats
    others: Any
    pairs: PairSums
    power: int = 0

    def total(self) -> Any:
        """Return the weight of all pairs."""
        return (self.s.weights * self.rates) @ self.pairs.among

    def value(self) -> Any:
        """Return the mean."""
        return (self.s.weights * self.rates) @ self.pairs.won / self.total()

    def slopes(self) -> Floats:
        """Return its derivatives with respect to the weights of the rows."""
        value, pairs, s = self.value(), self.pairs, self.s
        above = self.rates * (pairs.won - value * pairs.among)
        found = above + self.others * (pairs.lost - value * pairs.of)
        if self.power:
            change = -self.power * s.weights * above
            found = found + s.censoring.slopes(s.time, change, before=True)
        return np.asarray(found / self.total())


def _inverse(s: Survival, G: ProductLimit, until: float, power: int, *, at_end: bool) -> Floats:
    r"""Return :math:`\delta_i / G(T_i-)^k` of the events before a time, or up to it."""
    cases = s.event & (s.time <= until if at_end else s.time < until)
    found = np.zeros(len(cases))
    np.divide(1.0, G.at(s.time, before=True) ** power, where=cases, out=found)
    return found


def _harrell(s: Risks) -> Concordance:
    return Concordance(s, s.event.astype(np.float64), 1.0, s.pairs)


def _uno(s: Risks, *, tau: float | None = None, y_train: Any = None) -> Concordance:
    if s.risk.ndim != 1:
        return _harrell(s)  # refuses them
    G = _censoring(s, y_train)
    until = G.times[-1] if tau is None else tau
    rates = _inverse(s, G, until, 2, at_end=tau is None)
    pairs = pair_sums(s.key, s.risk, s.weights * rates, s.weights)
    return Concordance(s, rates, 1.0, pairs, 2 if y_train is None else 0)


def _dynamic(
    s: Risks, *, horizon: float, y_train: Any = None, risk: Floats | None = None
) -> Concordance:
    if risk is None:
        [risk] = _risks_at(s, [horizon])
    rates = _inverse(s, _censoring(s, y_train), horizon, 1, at_end=True)
    later = s.time > horizon
    pairs = pair_sums(later.astype(np.intp), risk, s.weights * rates, s.weights * later)
    return Concordance(s, rates, 1.0 * later, pairs, 1 if y_train is None else 0)


def _risks_at(s: Risks, times: Any) -> list[Floats]:
    if s.risk.ndim == 1:
        return [s.risk] * len(times)
    if s.risk.shape[1] != len(times):
        raise ValueError(
            f"y_score has {s.risk.shape[1]} columns of risks for {len(times)} times; pass a column for "
            "each time, or one risk an example."
        )
    return list(s.risk.T)


def _value(make: Callable[..., Any], s: Survival, **parameters: Any) -> Any:
    """Return the value of an estimate; nan where the last time lies beyond the follow-up."""
    return np.nan if _beyond(s, **parameters) else make(s, **parameters).value()


def _slopes_of(make: Callable[..., Any]) -> Callable[..., Floats]:
    """Return the influence on an estimate."""

    def slopes(s: Survival, **parameters: Any) -> Floats:
        if _beyond(s, **parameters):
            return np.full(len(s.time), np.nan)
        return np.asarray(make(s, **parameters).slopes())

    return slopes


survival = partial(
    declare, family="survival", module="skaucx.survival", undefined=np.nan, reason=_why
)
risks = partial(survival, SURVIVAL_RISKS, uninformed=0.5)
functions = partial(survival, SURVIVAL_PROBABILITIES)
calibrated = partial(
    functions, source=BIBLIOGRAPHY["McLernon et al. 2023"], better="neither", best=1.0
)


@risks(
    BIBLIOGRAPHY["Harrell et al. 1996"],
    aliases=("harrell_c_index", "concordance_index_censored"),
    influence=_slopes_of(_harrell),
)
def harrell_c_score(s: Risks) -> Any:
    r"""Harrell's C: the share of comparable pairs in which the earlier event has the higher risk.

    Notes
    -----
    .. math:: \frac{\sum_{i, j} \delta_i \, 1\{T_i < T_j\} \, \phi(r_i - r_j)}
              {\sum_{i, j} \delta_i \, 1\{T_i < T_j\}}

    with :math:`\phi` = 1 for a positive difference of the risks, 1/2 for 0. Ties: a row that is censored
    at the time of an event ends later; two events at one time are not compared; equal risks count 1/2.
    These are the rules of R's survival, of lifelines and of scikit-survival, which also takes risks for
    equal that differ by up to 1e-8. Harrell's C depends on the censoring; :func:`uno_c_score` estimates
    what it would be without.

    Intervals and paired tests are those of U-statistics (Kang et al. 2015, Statistics in Medicine 34,
    685-703).

    Examples
    --------
    >>> from skaucx.survival import harrell_c_score
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> round(harrell_c_score(y, [0.7, 0.2, 0.9, 0.1, 0.8]), 4)
    0.8571
    """
    return _value(_harrell, s)


@risks(
    BIBLIOGRAPHY["Uno et al. 2011"],
    aliases=("uno_c_index", "concordance_index_ipcw"),
    influence=_slopes_of(_uno),
)
def uno_c_score(s: Risks, *, tau: Positive | None = None, y_train: Training | None = None) -> Any:
    r"""Uno's C: concordance up to a time, with pairs weighted so that censoring does not matter.

    Parameters
    ----------
    tau : float > 0, default=None
        Events before this time count. None takes all, with `y_train` those up to the end of its
        follow-up.
    y_train : array-like of shape (n_train,) or (n_train, 2), default=None
        Times and events from which the censoring distribution is estimated; None takes the evaluated
        rows. In :class:`NestedCV` each fold has its own training part; a scorer in other searches sees
        the test part only and takes that.

    Notes
    -----
    .. math:: \frac{\sum_{i, j} \delta_i \hat G(T_i-)^{-2} \, 1\{T_i < T_j, T_i < \tau\} \,
              \phi(r_i - r_j)}
              {\sum_{i, j} \delta_i \hat G(T_i-)^{-2} \, 1\{T_i < T_j, T_i < \tau\}}

    Ties as in :func:`harrell_c_score`. The weight of an event is that just before it, as in R's survival
    (``timewt="n/G2"``); scikit-survival takes :math:`\hat G(T_i)`, which differs where a row is censored
    at the time of an event.

    Examples
    --------
    >>> from skaucx.survival import uno_c_score
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> round(uno_c_score(y, [0.7, 0.2, 0.9, 0.1, 0.8], tau=9), 4)
    0.8571
    """
    return _value(_uno, s, tau=tau, y_train=y_train)


@risks(
    BIBLIOGRAPHY["Hung & Chiang 2010"],
    aliases=("time_dependent_auc",),
    influence=_slopes_of(_dynamic),
)
def cumulative_dynamic_auc_score(
    s: Risks, *, horizon: Positive, y_train: Training | None = None
) -> Any:
    r"""Cumulative/dynamic AUC: the AUC of those with an event up to a time against those without.

    Parameters
    ----------
    horizon : float > 0
        The time, in the unit of the times in `y_true` and below the end of the follow-up.
    y_train : array-like of shape (n_train,) or (n_train, 2), default=None
        Times and events from which the censoring distribution is estimated; see :func:`uno_c_score`.

    Notes
    -----
    .. math:: \frac{\sum_{i, j} \delta_i \hat G(T_i-)^{-1} \, 1\{T_i \le t < T_j\} \, \phi(r_i - r_j)}
              {\sum_{i, j} \delta_i \hat G(T_i-)^{-1} \, 1\{T_i \le t < T_j\}}

    Uno et al. 2007 estimate sensitivity and specificity with the same weights. Of incident/dynamic AUCs
    several estimators are in use that differ; none is here.

    Examples
    --------
    >>> from skaucx.survival import cumulative_dynamic_auc_score
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> round(cumulative_dynamic_auc_score(y, [0.7, 0.2, 0.9, 0.1, 0.8], horizon=5.5), 4)
    0.8333
    """
    return _value(_dynamic, s, horizon=horizon, y_train=y_train)


class _OverTimes(NamedTuple):
    """Concordances at several times, and the shares that each has in their mean."""

    s: Risks
    times: Floats
    each: list[Concordance]
    values: Floats
    survival: Floats

    @property
    def shares(self) -> Floats:
        return -np.diff(self.survival, prepend=1.0) / (1 - self.survival[-1])

    def value(self) -> Any:
        return self.shares @ self.values

    def slopes(self) -> Floats:
        of_auc = [
            share * one.slopes()
            for one, share in zip(self.each, self.shares, strict=True)
            if share > 0
        ]
        # dV / dS_k = (A_{k+1} - A_k) / (1 - S_K), with V in place of the A beyond the last.
        change = np.diff(np.append(self.values, self.value())) / (1 - self.survival[-1])
        return np.sum(of_auc, axis=0) + self.s.survival.slopes(self.times, change * self.survival)


def _over_times(s: Risks, *, times: Any, y_train: Any = None) -> _OverTimes:
    times = check_times("times", times)
    each = [
        _dynamic(s, horizon=t, y_train=y_train, risk=risk)
        for t, risk in zip(times, _risks_at(s, times), strict=True)
    ]
    survival = s.survival.at(times)
    # Before the first event no AUC is defined, and its share is 0.
    values = [one.value() if left < 1 else 0.0 for one, left in zip(each, survival, strict=True)]
    return _OverTimes(s, times, each, np.array(values), survival)


@risks(
    BIBLIOGRAPHY["Lambert & Chevret 2016"],
    aliases=("integrated_time_dependent_auc",),
    influence=_slopes_of(_over_times),
)
def integrated_cumulative_dynamic_auc_score(
    s: Risks, *, times: Times, y_train: Training | None = None
) -> Any:
    r"""Integrated AUC: the mean of the cumulative/dynamic AUC over times, by the events between them.

    Parameters
    ----------
    times : array-like of shape (n_times,)
        Two or more times, rising, the last below the end of the follow-up.
    y_train : array-like of shape (n_train,) or (n_train, 2), default=None
        Times and events from which the censoring distribution is estimated; see :func:`uno_c_score`.

    Notes
    -----
    .. math:: \frac{1}{1 - \hat S(t_K)} \sum_k \mathrm{AUC}(t_k) \, (\hat S(t_{k-1}) - \hat S(t_k))

    with the Kaplan-Meier estimate of survival in the evaluated rows and :math:`\hat S(t_0) = 1`.

    Examples
    --------
    >>> from skaucx.survival import integrated_cumulative_dynamic_auc_score
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> risk = [0.7, 0.2, 0.9, 0.1, 0.8]
    >>> round(integrated_cumulative_dynamic_auc_score(y, risk, times=[4, 5.5]), 4)
    0.9167
    """
    return _value(_over_times, s, times=times, y_train=y_train)


class Brier(NamedTuple):
    r"""The Brier score of probabilities of no event, as a mean over times with shares q.

    Attributes
    ----------
    probability : ndarray of shape (n, n_times) or (1, n_times), float64
    ended, free : ndarray of shape (n, n_times), float64
        :math:`q_k \delta_i 1\{T_i \le t_k\} / \hat G(T_i-)` and
        :math:`q_k 1\{T_i > t_k\} / \hat G(t_k)`.
    times : ndarray of shape (n_times,), float64
    own : bool
        Whether the rows themselves give :math:`\hat G`.
    """

    s: Survival
    probability: Floats
    ended: Floats
    free: Floats
    times: Floats
    own: bool

    @property
    def each(self) -> Floats:
        """The weighted error of every row."""
        p = self.probability
        return np.asarray((self.ended * p**2 + self.free * (1 - p) ** 2).sum(axis=1))

    def value(self) -> Any:
        """Return the score."""
        return self.s.weights @ self.each / self.s.weights.sum()

    def slopes(self) -> Floats:
        """Return its derivatives with respect to the weights, with the probabilities as they are."""
        s, p, w = self.s, self.probability, self.s.weights
        found = self.each - self.value()
        if self.own:
            ended = -w * (self.ended * p**2).sum(axis=1)
            free = -w @ (self.free * (1 - p) ** 2)
            found = found + s.censoring.slopes(s.time, ended, before=True)
            found = found + s.censoring.slopes(self.times, free)
        return np.asarray(found / w.sum())


def _brier(
    s: SurvivalFunctions,
    *,
    horizon: Any = None,
    times: Any = None,
    y_train: Any = None,
    of_all: bool = False,
) -> Brier:
    """Return the score at a time or over several; `of_all`: of the Kaplan-Meier estimate."""
    if times is None:
        at, shares = np.array([float(horizon)]), np.ones(1)
    else:
        at = check_times("times", times)
        steps = np.diff(at)
        # The trapezoidal rule, divided by the span.
        shares = (np.append(steps, 0.0) + np.append(0.0, steps)) / (2 * (at[-1] - at[0]))
    G = _censoring(s, y_train)
    rates = _inverse(s, G, at[-1], 1, at_end=True)[:, None]
    ended = shares * rates * (s.time[:, None] <= at)
    free = shares / G.at(at) * (s.time[:, None] > at)
    probability = s.survival.at(at)[None] if of_all else s.at(at)
    return Brier(s, probability, ended, free, at, y_train is None)


class Skill(NamedTuple):
    """One minus the Brier score of a model over that of the Kaplan-Meier estimate for all rows."""

    model: Brier
    plain: Brier

    def value(self) -> Any:
        return 1 - self.model.value() / self.plain.value()

    def slopes(self) -> Floats:
        s, plain = self.plain.s, self.plain
        # The probability that all rows share moves with the weights: d S = S d log S.
        change = plain.ended * plain.probability - plain.free * (1 - plain.probability)
        by_probability = np.asarray(2 * (s.weights @ change) / s.weights.sum())
        of_shared = s.survival.slopes(plain.times, by_probability * s.survival.at(plain.times))
        ratio = self.model.value() / plain.value()
        return (ratio * (plain.slopes() + of_shared) - self.model.slopes()) / plain.value()


def _skill(s: SurvivalFunctions, **parameters: Any) -> Skill:
    return Skill(_brier(s, **parameters), _brier(s, **parameters, of_all=True))


brier_loss = partial(
    functions,
    source=BIBLIOGRAPHY["Graf et al. 1999"],
    better="low",
    bounds=(0, np.inf),
    influence=_slopes_of(_brier),
)
brier_skill = partial(
    functions,
    source=BIBLIOGRAPHY["Graf et al. 1999"],
    bounds=(-np.inf, 1),
    uninformed=0.0,
    influence=_slopes_of(_skill),
)


@brier_loss(aliases=("survival_brier",))
def survival_brier_loss(
    s: SurvivalFunctions, *, horizon: Positive, y_train: Training | None = None
) -> Any:
    r"""Survival Brier score: the squared error of the probability of no event, weighted for censoring.

    Parameters
    ----------
    horizon : float > 0
        The time, in the unit of the times in `y_true` and below the end of the follow-up.
    y_train : array-like of shape (n_train,) or (n_train, 2), default=None
        Times and events from which the censoring distribution is estimated; see :func:`uno_c_score`.

    Notes
    -----
    .. math:: \frac1n \sum_i \frac{\delta_i 1\{T_i \le t\}}{\hat G(T_i-)} \hat S_i(t)^2
              + \frac{1\{T_i > t\}}{\hat G(t)} (1 - \hat S_i(t))^2

    Scorers read ``predict_survival_function``, which the estimators of scikit-survival have.

    Examples
    --------
    >>> from skaucx.survival import survival_brier_loss
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> round(survival_brier_loss(y, [0.4, 0.8, 0.2, 0.9, 0.5], horizon=5.5), 4)
    0.1
    """
    return _value(_brier, s, horizon=horizon, y_train=y_train)


@brier_loss(aliases=("integrated_survival_brier",))
def integrated_survival_brier_loss(
    s: SurvivalFunctions, *, times: Times, y_train: Training | None = None
) -> Any:
    r"""Integrated Brier score: the mean of the survival Brier score over a span of time.

    Parameters
    ----------
    times : array-like of shape (n_times,)
        Two or more times, rising, the last below the end of the follow-up. Of a matrix in `y_pred`,
        those of its columns.
    y_train : array-like of shape (n_train,) or (n_train, 2), default=None
        Times and events from which the censoring distribution is estimated; see :func:`uno_c_score`.

    Notes
    -----
    .. math:: \frac{1}{t_K - t_1} \int_{t_1}^{t_K} \mathrm{BS}(t) \, dt

    by the trapezoidal rule, as in scikit-survival; R's riskRegression begins at 0 and takes steps.

    Examples
    --------
    >>> from skaucx.survival import integrated_survival_brier_loss
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> p = [[0.6, 0.4], [0.9, 0.8], [0.5, 0.2], [0.9, 0.9], [0.8, 0.5]]
    >>> round(integrated_survival_brier_loss(y, p, times=[4, 5.5]), 4)
    0.097
    """
    return _value(_brier, s, times=times, y_train=y_train)


@brier_skill(aliases=("index_of_prediction_accuracy",))
def survival_r2_score(
    s: SurvivalFunctions, *, horizon: Positive, y_train: Training | None = None
) -> Any:
    r"""R2 by the Brier score: the share of the Kaplan-Meier estimate's Brier score that a model saves.

    Parameters
    ----------
    horizon : float > 0
        The time, in the unit of the times in `y_true` and below the end of the follow-up.
    y_train : array-like of shape (n_train,) or (n_train, 2), default=None
        Times and events from which the censoring distribution is estimated; see :func:`uno_c_score`.

    Notes
    -----
    .. math:: 1 - \frac{\mathrm{BS}(t)}{\mathrm{BS}_0(t)}

    The reference is the Kaplan-Meier estimate of the evaluated rows. Kattan and Gerds 2018 call it index
    of prediction accuracy.

    Examples
    --------
    >>> from skaucx.survival import survival_r2_score
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> round(survival_r2_score(y, [0.4, 0.8, 0.2, 0.9, 0.5], horizon=5.5), 4)
    0.5833
    """
    return _value(_skill, s, horizon=horizon, y_train=y_train)


@brier_skill()
def integrated_survival_r2_score(
    s: SurvivalFunctions, *, times: Times, y_train: Training | None = None
) -> Any:
    r"""R2 by the integrated Brier score, against that of the Kaplan-Meier estimate.

    Parameters
    ----------
    times : array-like of shape (n_times,)
        Two or more times, rising, the last below the end of the follow-up. Of a matrix in `y_pred`,
        those of its columns.
    y_train : array-like of shape (n_train,) or (n_train, 2), default=None
        Times and events from which the censoring distribution is estimated; see :func:`uno_c_score`.

    Notes
    -----
    .. math:: 1 - \frac{\mathrm{IBS}}{\mathrm{IBS}_0}

    Examples
    --------
    >>> from skaucx.survival import integrated_survival_r2_score
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> p = [[0.6, 0.4], [0.9, 0.8], [0.5, 0.2], [0.9, 0.9], [0.8, 0.5]]
    >>> round(integrated_survival_r2_score(y, p, times=[4, 5.5]), 4)
    0.515
    """
    return _value(_skill, s, times=times, y_train=y_train)


def _unfollowed(s: Survival, horizon: float) -> bool:
    """Whether nobody is followed up to a time and some survive the last event before it."""
    return bool(horizon > s.time.max() and s.survival.value[-1] > 0)


def _slopes_of_ratio(s: SurvivalFunctions, *, horizon: float) -> Floats:
    risk, left = 1 - s.at(np.array([horizon]))[:, 0], s.survival.at(horizon)
    expected = s.weights @ risk / s.weights.sum()
    moved = (1 - left) / expected * (risk - expected) / s.weights.sum()
    return (-left * s.survival.slopes(horizon, 1.0) - moved) / expected


@calibrated(bounds=(0, np.inf), uninformed=1.0, influence=_slopes_of_ratio)
def survival_oe_ratio(s: SurvivalFunctions, *, horizon: Positive) -> Any:
    r"""Observed to expected ratio: the Kaplan-Meier risk up to a time over the mean predicted risk.

    Parameters
    ----------
    horizon : float > 0
        The time, in the unit of the times in `y_true`, up to the end of the follow-up.

    Notes
    -----
    .. math:: \frac{1 - \hat S(t)}{\frac1n \sum_i (1 - \hat S_i(t))}

    Above 1 risks are predicted too low, below 1 too high.

    Examples
    --------
    >>> from skaucx.survival import survival_oe_ratio
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> round(survival_oe_ratio(y, [0.4, 0.8, 0.2, 0.9, 0.5], horizon=5.5), 4)
    0.9091
    """
    if _unfollowed(s, horizon):
        return np.nan
    risk = 1 - s.at(np.array([horizon]))[:, 0]
    return (1 - s.survival.at(horizon)) / (s.weights @ risk / s.weights.sum())


class Cox(NamedTuple):
    """A proportional hazards model, with Efron's rule for ties.

    Attributes
    ----------
    coefficients : ndarray of shape (n_covariates,), float64
    times, hazard, gone : ndarray of shape (n_events,), float64
        The times of events, rising, the jumps of the cumulative hazard of a row of zeros, and the share
        of the tied events that Efron's rule has left the risk set.
    means : ndarray of shape (n_events, n_covariates), float64
        The means of the covariates in the risk sets.
    information : ndarray of shape (n_covariates, n_covariates), float64
    """

    coefficients: Floats
    times: Floats
    hazard: Floats
    gone: Floats
    means: Floats
    information: Floats

    @classmethod
    def fit(cls, time: Floats, event: Array, weight: Floats, x: Floats) -> Cox:
        """Maximise the partial likelihood by Newton's method; nan where it has no maximum."""
        kept = weight > 0
        order = np.lexsort((~event[kept], time[kept]))
        time, event, weight, x = (column[kept][order] for column in (time, event, weight, x))
        at = np.flatnonzero(event)
        first = np.searchsorted(time, time[at], "left")
        tied, place = np.unique(time[at], return_inverse=True)
        size = np.bincount(place)
        # Efron (1977): of d tied events the l-th is met by a risk set without l / d of them.
        gone = (np.arange(len(at)) - np.searchsorted(time[at], time[at])) / size[place]
        mean_weight = (np.bincount(place, weight[at]) / size)[place]
        products = x[:, :, None] * x[:, None, :]
        beta, at_start = np.zeros(x.shape[1]), None

        def at_risk(values: Floats) -> Floats:
            all_of = np.cumsum(values[::-1], axis=0)[::-1][first]
            own = np.zeros((len(tied), *values.shape[1:]))
            np.add.at(own, place, values[at])
            return all_of - gone.reshape(-1, *[1] * (values.ndim - 1)) * own[place]

        for _ in range(_STEPS):
            r = weight * np.exp(np.clip(x @ beta, -500, 500))
            s0, s1 = at_risk(r), at_risk(r[:, None] * x)
            mean = s1 / s0[:, None]
            spread = at_risk(r[:, None, None] * products) / s0[:, None, None]
            # U = sum_i w_i (x_i - s1 / s0), I = sum_i w_i (s2 / s0 - (s1 / s0) (s1 / s0)').
            score = weight[at] @ x[at] - mean_weight @ mean
            information = np.tensordot(mean_weight, spread - mean[:, :, None] * mean[:, None, :], 1)
            if not np.isfinite(information).all() or np.linalg.cond(information) > _SINGULAR:
                break
            at_start = information if at_start is None else at_start
            share = np.linalg.eigvals(np.linalg.solve(at_start, information))
            if share.real.min() < _VANISHING:  # the likelihood rises for ever
                break
            step = np.linalg.solve(information, score)
            beta = beta + step
            if np.abs(step).max() < _SMALL * (1 + np.abs(beta).max()):
                return cls(beta, time[at], mean_weight / s0, gone, mean, information)
        nothing = np.full(x.shape[1], np.nan)
        return cls(nothing, time[at], gone * np.nan, gone, mean, information * np.nan)

    def slopes(self, time: Floats, event: Array, x: Floats) -> Floats:
        r"""Return the derivatives of the coefficients with respect to the weights of the rows.

        They are the score residuals times the inverse information (Lin & Wei 1989).
        """
        jumps = self.hazard[:, None] * np.column_stack([np.ones(len(self.times)), self.means])
        past = np.vstack([np.zeros(jumps.shape[1]), np.cumsum(jumps, axis=0)])
        sums = past[np.searchsorted(self.times, time, "right")]
        _, first, size = np.unique(self.times, return_index=True, return_counts=True)
        place = np.searchsorted(self.times[first], time[event])
        left = np.add.reduceat(self.gone[:, None] * jumps, first)
        means = np.add.reduceat(self.means, first) / size[:, None]
        sums[event] -= left[place]
        drift = sums[:, :1] * x - sums[:, 1:]
        residual = -np.exp(x @ self.coefficients)[:, None] * drift
        residual[event] += x[event] - means[place]
        return np.asarray(np.linalg.solve(self.information, residual.T).T)

    def survival(self, x: Floats, horizon: float) -> Floats:
        """Return the probability of no event up to a time, exp(-H0(t) exp(x b))."""
        hazard = self.hazard[self.times <= horizon].sum()
        return np.asarray(np.exp(-hazard * np.exp(x @ self.coefficients)))


def cloglog_of_risk(s: SurvivalFunctions, horizon: float) -> Floats:
    r"""Return :math:`\log(-\log \hat S_i(t))`, with probabilities of 0 and 1 just inside."""
    return np.log(-np.log(np.clip(s.at(np.array([horizon]))[:, 0], _EDGE, 1 - 1e-15)))


def fit_until(s: Survival, x: Floats, horizon: float) -> Cox:
    """Fit a Cox model to what is seen up to a time."""
    event = s.event & (s.time <= horizon)
    return Cox.fit(np.minimum(s.time, horizon), event, s.weights, x)


def _slopes_of_line(s: SurvivalFunctions, *, horizon: float) -> Floats:
    x, event = cloglog_of_risk(s, horizon)[:, None], s.event & (s.time <= horizon)
    model = fit_until(s, x, horizon) if event.any() else None
    if model is None or not np.isfinite(model.coefficients).all():
        return np.full(len(s.time), np.nan)
    return model.slopes(np.minimum(s.time, horizon), event, x)[:, 0]


@calibrated(
    bounds=(-np.inf, np.inf),
    uninformed=0.0,
    influence=_slopes_of_line,
)
def survival_calibration_slope(s: SurvivalFunctions, *, horizon: Positive) -> Any:
    r"""Calibration slope at a time: below 1 where predicted risks are too extreme, above 1 too timid.

    Parameters
    ----------
    horizon : float > 0
        The time, in the unit of the times in `y_true`, up to the end of the follow-up.

    Notes
    -----
    The coefficient b of the Cox model

    .. math:: h(u \mid i) = h_0(u) \exp(b \log(-\log \hat S_i(t))), \qquad u \le t

    with Efron's rule for ties; rows beyond t are censored there. Probabilities of 0 and 1 are taken as
    1e-15 and 1 - 1e-15.

    Examples
    --------
    >>> from skaucx.survival import survival_calibration_slope
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0], [4, 1]]  # times, and whether each is an event
    >>> round(survival_calibration_slope(y, [0.4, 0.8, 0.2, 0.9, 0.5, 0.7], horizon=5.5), 4)
    1.5523
    """
    if _unfollowed(s, horizon) or not (s.event & (s.time <= horizon)).any():
        return np.nan
    return fit_until(s, cloglog_of_risk(s, horizon)[:, None], horizon).coefficients[0]


@risks(
    BIBLIOGRAPHY["Royston & Sauerbrei 2004"],
    bounds=(-np.inf, np.inf),
    aliases=("royston_sauerbrei_d",),
    uninformed=0.0,
)
def royston_d_score(s: Risks) -> Any:
    r"""Royston and Sauerbrei's D: the log hazard ratio between the halves of higher and lower risk.

    Notes
    -----
    The coefficient of a Cox model on the normal scores of the ranks of the risks,

    .. math:: z_i = \Phi^{-1}\!\left(\frac{i - 3/8}{n + 1/4}\right) / \sqrt{8 / \pi}

    with Efron's rule for ties of times. Equal risks have the score of their mean rank; R's survival
    takes the mean of their scores. Its interval is by the bootstrap.

    Examples
    --------
    >>> from skaucx.survival import royston_d_score
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> round(royston_d_score(y, [0.7, 0.2, 0.4, 0.1, 0.8]), 4)
    0.5486
    """
    if not s.event.any():
        return np.nan
    if s.risk.ndim != 1:
        return s.pairs  # refuses them
    n, code = len(s.risk), np.unique(s.risk, return_inverse=True)[1]
    held = np.bincount(code, s.weights) * n / s.weights.sum()
    # Blom's normal scores (r - 3/8) / (n + 1/4) of the mid-ranks, divided by kappa = sqrt(8 / pi), which
    # makes D the log hazard ratio of the halves of the ranking (Royston & Sauerbrei 2004).
    rank = np.cumsum(held) - (held - 1) / 2
    z = special.ndtri((rank - 3 / 8) / (n + 1 / 4)) / np.sqrt(8 / np.pi)
    return Cox.fit(s.time, s.event, s.weights, z[code][:, None]).coefficients[0]


def _treated(
    s: SurvivalFunctions, horizon: float, threshold: float
) -> tuple[Array, float, ProductLimit | None]:
    """Return who has at least the threshold risk, their share, and their survival."""
    treated = 1 - s.at(np.array([horizon]))[:, 0] >= threshold
    share = s.weights @ treated / s.weights.sum()
    if not treated.any():
        return treated, share, None
    own = ProductLimit(s.time[treated], s.event[treated], s.weights[treated], censoring=False)
    return treated, share, own


def _slopes_of_benefit(s: SurvivalFunctions, *, horizon: float, threshold: float) -> Floats:
    treated, share, own = _treated(s, horizon, threshold)
    if own is None:
        return np.zeros(len(s.time))
    left, odds = own.at(horizon), threshold / (1 - threshold)
    found = (1 - left * (1 + odds)) * (treated - share) / s.weights.sum()
    found[treated] -= share * (1 + odds) * left * own.slopes(horizon, 1.0)
    return np.asarray(found)


@functions(
    BIBLIOGRAPHY["Vickers et al. 2008"],
    bounds=(-np.inf, 1),
    best=np.nan,
    influence=_slopes_of_benefit,
)
def survival_net_benefit(s: SurvivalFunctions, *, horizon: Positive, threshold: OpenShare) -> Any:
    r"""Net benefit of treating those with a risk of the threshold or more, by the events up to a time.

    Parameters
    ----------
    horizon : float > 0
        The time, in the unit of the times in `y_true`, up to the end of the follow-up.
    threshold : float in (0, 1)
        The risk of an event up to the horizon from which on a row is treated.

    Notes
    -----
    .. math:: \hat P(x) \, (1 - \hat S_x(t)) - \hat P(x) \, \hat S_x(t) \, \frac{p_t}{1 - p_t}

    with the share :math:`\hat P(x)` of the rows that are treated and the Kaplan-Meier estimate
    :math:`\hat S_x` among them. It is 0 where none is treated.

    Examples
    --------
    >>> from skaucx.survival import survival_net_benefit
    >>> y = [[5, 1], [8, 0], [3, 1], [9, 1], [6, 0]]  # times, and whether each is an event
    >>> p = [0.4, 0.8, 0.2, 0.9, 0.5]
    >>> round(survival_net_benefit(y, p, horizon=5.5, threshold=0.3), 4)
    0.3143
    """
    _, share, own = _treated(s, horizon, threshold)
    if own is None:
        return 0.0
    left = own.at(horizon)
    if horizon > own.times[-1] and left > 0:
        return np.nan
    return share * (1 - left - left * threshold / (1 - threshold))
