"""Random-effects pooling: a metric over sites, and sensitivity with specificity over studies."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats
from scipy.stats import qmc
from sklearn.exceptions import UndefinedMetricWarning

from .._arguments import Columns, Label, MetricsLike
from .._arrays import (
    Array,
    Codes,
    Floats,
    RandomState,
    check_rows,
    check_same_length,
    float_array,
    groups_of,
    weight_vector,
)
from .._options import check_choice, check_confidence_level
from .._text.lines import Line, metric_line
from .._text.numbers import ends, fixed
from .._text.plain import paragraph
from .._text.reported import shown
from .._text.tables import Table, Tabular
from ..evaluation import GroupedEvaluation, evaluate
from ..inference import Interval, interval
from ..metrics import Counts
from ..metrics._registry.names import named_metric

if TYPE_CHECKING:
    from ..model_selection import NestedCVResult

Scale = Literal["identity", "log", "logit"]


class _Scale(NamedTuple):
    """A map of estimates onto the real line, its inverse, and its derivative."""

    forward: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


_SCALES = {
    "identity": _Scale(lambda x: x, lambda x: x, np.ones_like),
    "log": _Scale(np.log, np.exp, lambda x: 1 / x),
    "logit": _Scale(special.logit, special.expit, lambda x: 1 / (x * (1 - x))),
}
# Scales on which estimates of a metric are close to normal (Snell et al. 2018).
_SCALE_OF: dict[str, Scale] = {"roc_auc": "logit", "observed_expected_ratio": "log"}
_OF_SITES = ("roc_auc", "observed_expected_ratio", "calibration_intercept", "calibration_slope")


@dataclass(frozen=True, eq=False, repr=False)
class PooledEstimate(Tabular):
    """A random-effects mean of estimates from several sites or studies.

    Attributes
    ----------
    estimate, low, high : float
        The mean with its Hartung-Knapp interval, or that of these sites alone.
    prediction_low, prediction_high : float
        The prediction interval: where the true value of a new site lies; nan of fewer than three.
    tau, i2, q : float
        Standard deviation of the true values between sites, on `scale`; the share of the variance that
        is between sites; Cochran's Q.
    n_sites : int
    scale : {"identity", "log", "logit"}
    confidence_level : float
    note : str
        A caution, or "".
    """

    estimate: float
    low: float
    high: float
    prediction_low: float
    prediction_high: float
    tau: float
    i2: float
    q: float
    n_sites: int
    scale: str
    confidence_level: float
    note: str = ""

    def __repr__(self) -> str:
        span, new = ends(self.low, self.high), ""
        if not math.isnan(self.prediction_low):
            new = f", a new site {ends(self.prediction_low, self.prediction_high)}"
        reported = (
            f"{fixed(self.estimate)} ({100 * self.confidence_level:g} %: {span}){new}; "
            f"tau {fixed(self.tau)} ({self.scale}), {self.n_sites} sites"
        )
        return paragraph(f"{reported}. Note: {self.note}" if self.note else reported, hang=2)

    def _table(self) -> Table:
        names = ("estimate", "low", "high", "prediction_low", "prediction_high", "tau")
        cells = [getattr(self, name) for name in names]
        return Table(names, [cells], f"Pooled over {self.n_sites} sites")


def pool_estimates(
    estimates: ArrayLike,
    standard_errors: ArrayLike,
    *,
    scale: Scale = "identity",
    confidence_level: float = 0.95,
    prediction: Literal["bootstrap", "t"] = "bootstrap",
    model: Literal["random", "these_sites"] = "random",
) -> PooledEstimate:
    r"""Pool estimates of several sites: by a random-effects model, or as the mean of these sites.

    Parameters
    ----------
    estimates, standard_errors : array-like of shape (n_sites,)
        Estimates, such as AUCs, and their standard errors above 0, both on the scale of the metric.
    scale : {"identity", "log", "logit"}, default="identity"
        The scale on which they are pooled: "logit" for an AUC, "log" for an O:E ratio [2]_. Standard
        errors are carried over by the delta method.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    prediction : {"bootstrap", "t"}, default="bootstrap"
        The prediction interval: by the confidence distribution of :math:`\tau^2`, or the older one with
        quantiles of :math:`t_{k-2}`, as in published reviews.
    model : {"random", "these_sites"}, default="random"
        Sites as a sample of many, whose mean and whose next site are estimated; or the plain mean of the
        true values of these sites and no others, without a model of how they differ.

    Returns
    -------
    PooledEstimate
        Of one site its own interval, of two no prediction interval; the note says so, as it does where
        the variance of the fixed-effect model replaces a smaller one.

    Raises
    ------
    ValueError, TypeError
        If arrays differ in length, are empty, or lie outside the range of the scale.

    Notes
    -----
    .. math:: \hat\theta_i \sim N(\mu, \tau^2 + s_i^2), \qquad w_i = \frac{1}{\hat\tau^2 + s_i^2}

    with :math:`\tau^2` by restricted maximum likelihood. The interval is that of Hartung and Knapp [1]_,
    with :math:`t_{k-1}` and the variance

    .. math:: s_{\hat\mu}^2 = \max\left(\frac{\sum w_i (\hat\theta_i - \hat\mu)^2}{(k - 1) \sum w_i},
        \frac{1}{\sum s_i^{-2}}\right)

    whose second term, the variance of the fixed-effect model, holds where estimates agree by chance
    more closely than their standard errors allow [6]_. The prediction interval "bootstrap" [4]_ holds
    quantiles of

    .. math:: \hat\mu(\tau^2) + z \tau + t_{k-1} s_{\hat\mu}(\tau^2)

    over normal z, t-distributed t and :math:`\tau^2` from its confidence distribution, in which
    :math:`\sum w_i (\hat\theta_i - \hat\mu)^2` is :math:`\chi^2_{k-1}` at the true :math:`\tau^2`
    [5]_, at 4096 fixed quasi-random points; "t" is :math:`\hat\mu \pm t_{k-2} \sqrt{\hat\tau^2 +
    s_{\hat\mu}^2}` [3]_, too short where :math:`\hat\tau` is 0 by chance. Where Q is below its mean
    although sites differ, both intervals are too narrow. Measured coverage, also of such runs
    alone: ``benchmarks/results/clinical_coverage.md``.

    "these_sites" has

    .. math:: \bar\theta = \frac1k \sum \hat\theta_i, \qquad \bar\theta \pm z \frac1k \sqrt{\sum s_i^2}

    on the scale, whatever the sites' true values are: the interval for a report on a fixed number of
    hospitals, and of two or three sites often the only narrow one. It says nothing of another site.

    References
    ----------
    .. [1] G. Knapp and J. Hartung, Improved tests for a random effects meta-regression with a single
       covariate, Statistics in Medicine 22(17), 2693-2710, 2003.
    .. [2] K. I. E. Snell, J. Ensor, T. P. A. Debray, K. G. M. Moons and R. D. Riley, Meta-analysis of
       prediction model performance across multiple studies: which scale helps ensure between-study
       normality for the C-statistic and calibration measures?, Statistical Methods in Medical Research
       27(11), 3505-3522, 2018.
    .. [3] T. P. A. Debray et al., A guide to systematic review and meta-analysis of prediction model
       performance, BMJ 356, i6460, 2017.
    .. [4] K. Nagashima, H. Noma and T. A. Furukawa, Prediction intervals for random-effects
       meta-analysis: a confidence distribution approach, Statistical Methods in Medical Research
       28(6), 1689-1702, 2019.
    .. [5] W. Viechtbauer, Confidence intervals for the amount of heterogeneity in meta-analysis,
       Statistics in Medicine 26(1), 37-52, 2007.
    .. [6] A. Wiksten, G. Ruecker and G. Schwarzer, Hartung-Knapp method is not always conservative
       compared with fixed-effect meta-analysis, Statistics in Medicine 35(15), 2503-2515, 2016.

    Examples
    --------
    >>> from skaucx.clinic import pool_estimates
    >>> pool_estimates([0.72, 0.78, 0.69, 0.81], [0.02, 0.03, 0.02, 0.02], scale="logit")
    0.7501 (95 %: 0.6511 to 0.8285), a new site 0.5136 to 0.8956; tau 0.2747
      (logit), 4 sites
    """
    check_choice("scale", scale, _SCALES)
    check_choice("prediction", prediction, ("bootstrap", "t"))
    check_choice("model", model, ("random", "these_sites"))
    level = check_confidence_level(confidence_level)
    y, s = float_array(estimates, "estimates"), float_array(standard_errors, "standard_errors")
    check_same_length({"estimates": y, "standard_errors": s})
    forward, back, slope = _SCALES[scale]
    with np.errstate(divide="ignore", invalid="ignore"):
        z, v = forward(y), (s * slope(y)) ** 2
    if y.ndim != 1 or not len(y) or not (np.isfinite(z) & np.isfinite(v) & (v > 0)).all():
        raise ValueError(
            f"estimates must lie within the range of scale={scale!r} and standard_errors above 0, "
            f"found {y.tolist()} and {s.tolist()}."
        )
    tau2 = _tau_squared(z, v)
    fixed_weight = 1 / v
    q = float(fixed_weight @ (z - fixed_weight @ z / fixed_weight.sum()) ** 2)
    sites, normal = len(z), float(special.ndtri((1 + level) / 2))
    new_site, notes = (math.nan, math.nan), []
    if sites == 1:
        mean, reach = float(z[0]), normal * math.sqrt(v[0])
        notes.append("one site: its own interval")
    elif model == "these_sites":
        mean, reach = float(z.mean()), normal * math.sqrt(v.sum()) / sites
        notes.append("the plain mean of these sites, not of others")
    else:
        mean, reach, new_site = _of_random_sites(z, v, tau2, level, prediction)
        if q < sites - 1:
            notes.append(_ALIKE)
        if sites == 2:
            notes.append("two sites: no prediction interval, and tau is hardly known")
    ends = (mean, mean - reach, mean + reach, *new_site)
    estimate, low, high, new_low, new_high = (float(back(np.asarray(end))) for end in ends)
    # The variance of a typical site (Higgins and Thompson 2002).
    squares = fixed_weight.sum() ** 2 - (fixed_weight**2).sum()
    i2 = tau2 / (tau2 + (sites - 1) * fixed_weight.sum() / squares) if sites > 1 else 0.0
    tau = math.sqrt(tau2)
    return PooledEstimate(
        estimate, low, high, new_low, new_high, tau, i2, q, sites, scale, level, "; ".join(notes)
    )


_ALIKE = (  # evidence: pooled-alike, predicted-alike
    "the sites differ less than their standard errors predict, by chance or because they agree: the "
    "limits have no less than the variance of the fixed-effect model and cover 84 to 100 % of nominal "
    "95, those of a new site 75 to 100 %"
)


def _of_random_sites(
    z: Floats, v: Floats, tau2: float, level: float, prediction: str
) -> tuple[float, float, tuple[float, float]]:
    """Return the mean over sites, what its interval reaches, and the prediction interval."""
    weight, others, share = 1 / (tau2 + v), len(z) - 1, (1 + level) / 2
    mean = float(weight @ z / weight.sum())
    # Hartung and Knapp's variance, with no less than that of the fixed-effect model.
    between = float(weight @ (z - mean) ** 2 / (others * weight.sum()))
    variance = max(between, float(1 / (1 / v).sum()))
    reach = float(stats.t.ppf(share, others)) * math.sqrt(variance)
    if others == 1:
        return mean, reach, (math.nan, math.nan)
    if prediction == "bootstrap":
        return mean, reach, _new_site(z, v, level)
    width = float(stats.t.ppf(share, others - 1)) * math.sqrt(tau2 + variance)
    return mean, reach, (mean - width, mean + width)


def _new_site(z: Floats, v: Floats, level: float) -> tuple[float, float]:
    """Return the prediction interval by the confidence distribution of tau squared."""

    def weighted(tau2: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the mean, the generalised Q and the sum of the weights for each tau squared."""
        weight = 1 / (tau2[:, None] + v)
        total = weight.sum(axis=1)
        mean = weight @ z / total
        return mean, (weight * (z - mean[:, None]) ** 2).sum(axis=1), total

    grid = np.r_[0.0, np.geomspace(1e-6, 100, 400) * 10 * (z.var(ddof=1) + v.max())]
    freedom = len(z) - 1
    # Q is chi-squared at the true tau squared and falls with it, so its tail rises from below to 1.
    tail = special.chdtrc(freedom, weighted(grid)[1])
    points = qmc.Sobol(3, scramble=False).random(4096) + 0.5 / 4096
    tau2 = np.interp(points[:, 0], tail, grid)
    mean, q, total = weighted(tau2)
    drawn = mean + special.ndtri(points[:, 1]) * np.sqrt(tau2)
    error = np.sqrt(np.maximum(q / (freedom * total), 1 / (1 / v).sum()))
    drawn += special.stdtrit(freedom, points[:, 2]) * error
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _tau_squared(z: Floats, v: Floats) -> float:
    """Maximise the restricted likelihood; 0 of one site."""
    if len(z) < 2:
        return 0.0

    def loss(tau2: float) -> float:
        w = 1 / (tau2 + v)
        mean = w @ z / w.sum()
        return float((w @ (z - mean) ** 2 - np.log(w).sum() + np.log(w.sum())) / 2)

    # A grid first, since the likelihood may have several maxima.
    top = 10 * (z.var(ddof=1) + v.max())
    grid = np.r_[0.0, np.geomspace(1e-6, 1.0, 60) * top]
    best = int(np.argmin([loss(at) for at in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = optimize.minimize_scalar(
        loss, bounds=(low, high), method="bounded", options={"xatol": 1e-12 * top}
    ).x
    return float(found) if loss(found) < loss(0.0) else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class SiteEvaluation(Tabular):
    """Metrics at every site, and pooled over the sites; made by :func:`evaluate_sites`.

    Attributes
    ----------
    intervals : dict of str to dict of str to Interval
        By metric and site.
    pooled : dict of str to PooledEstimate
        By metric.
    notes : tuple of str
        Sites that a metric leaves out, and why; cautions of the pooled values.
    """

    intervals: dict[str, dict[str, Interval]]
    pooled: dict[str, PooledEstimate]
    notes: tuple[str, ...]

    _index = ("metric", "site")

    def _table(self) -> Table:
        rows, lines = [], []
        for metric, site, found in self._found:
            numbers = found.estimate, found.low, found.high
            line = metric_line(metric, numbers, named_metric(metric).row)
            if metric in self.pooled:
                line = replace(line, reference=self.pooled[metric].estimate)
            rows.append([metric, site, found.estimate, (found.low, found.high)])
            lines.append(line)
            if isinstance(found, PooledEstimate) and not math.isnan(found.prediction_low):
                new = found.prediction_low, found.prediction_high
                rows.append([metric, "new site", None, new])
                lines.append(replace(line, numbers=(found.estimate, *new), mark="none"))
        head = ["metric", "site", "estimate", "interval"]
        return Table(head, rows, notes=self.notes, lines=lines)

    @property
    def _found(self) -> list[tuple[str, str, Any]]:
        """The intervals of the sites, then the pooled estimate, of every metric."""
        found: list[tuple[str, str, Any]] = []
        for metric, sites in self.intervals.items():
            found += [(metric, site, each) for site, each in sites.items()]
            if metric in self.pooled:
                found.append((metric, "pooled", self.pooled[metric]))
        return found


def evaluate_sites(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sites: ArrayLike,
    metrics: Sequence[str] = _OF_SITES,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    random_state: RandomState = None,
    model: Literal["random", "these_sites"] = "random",
) -> SiteEvaluation:
    """Evaluate predicted probabilities at every site, and pool the metrics over the sites.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba : array-like of shape (n_samples,)
        Probabilities of the positive class.
    sites : array-like of shape (n_samples,)
        The site, hospital or study of each row; the left-out groups of
        :class:`~sklearn.model_selection.LeaveOneGroupOut` for internal-external cross-validation.
    metrics : sequence of str
        By default the AUC, the O:E ratio, the calibration intercept and slope.
    threshold : float, default=None
        Add the net benefit at this probability, in (0, 1).
    confidence_level : float, default=0.95
        Confidence of all intervals, in (0, 1).
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    random_state : int, Generator, RandomState or None, default=None
        Seed of intervals that take the bootstrap.
    model : {"random", "these_sites"}, default="random"
        As of :func:`pool_estimates`.

    Returns
    -------
    SiteEvaluation
        A site where a metric is undefined, as of one class, is left out of that metric; a note names it.

    Raises
    ------
    ValueError, TypeError
        For bad input, as :func:`interval` raises, with the name of the site; if no site has two classes.

    See Also
    --------
    pool_estimates : The random-effects model.
    SitesDisplay : Its picture.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.clinic import evaluate_sites
    >>> rng = np.random.default_rng(0)
    >>> y_proba, sites = rng.random(600), np.repeat(["Ghent", "Leiden", "York"], 200)
    >>> y_true = (rng.random(600) < y_proba).astype(int)
    >>> found = evaluate_sites(y_true, y_proba, sites=sites, metrics=["roc_auc"])
    >>> round(found.pooled["roc_auc"].estimate, 2), found.pooled["roc_auc"].n_sites
    (0.83, 3)
    """
    y, p = np.asarray(y_true), float_array(y_proba, "y_proba")
    weight = weight_vector(sample_weight)
    check_rows({"y_true": y, "y_proba": p, "sample_weight": weight, "sites": sites})
    names, place = groups_of(sites, {"y_true": y})
    wanted = [metrics] if isinstance(metrics, str) else metrics
    named: dict[str, tuple[Any, dict[str, Any]]] = {name: (p, {}) for name in wanted}
    classes = np.unique(y)
    own: dict[str, Any] = {} if pos_label is None else {"pos_label": pos_label}
    if threshold is not None:
        positive = _positive_of(classes, pos_label)
        other = classes[0] if positive != classes[0] else classes[-1]
        called = np.where(p >= threshold, positive, other)
        named["net_benefit"] = called, {"threshold": threshold}
    how = {"confidence_level": confidence_level, "random_state": random_state, **own}
    found, notes = _intervals_of_sites(named, y, weight, names, place, how)
    if len(notes) == len(names) and not any(found.values()):
        raise ValueError(f"No site has two classes, of {len(names)}: {notes[0]}")
    pooled = {
        name: pool_estimates(
            [one.estimate for one in each.values()],
            [one.standard_error for one in each.values()],
            scale=_SCALE_OF.get(name, "identity"),
            confidence_level=confidence_level,
            model=model,
        )
        for name, each in found.items()
        if each
    }
    cautions: dict[str, list[str]] = {}
    for name, pool in pooled.items():
        for note in filter(None, pool.note.split("; ")):
            cautions.setdefault(note, []).append(name)
    notes += [f"Pooled {', '.join(map(shown, own))}: {note}." for note, own in cautions.items()]
    return SiteEvaluation(found, pooled, tuple(notes))


def _intervals_of_sites(
    named: Mapping[str, tuple[Any, Mapping[str, Any]]], y: Array, weight: Floats | None,
    sites: Array, place: Codes, how: Mapping[str, Any],
) -> tuple[dict[str, dict[str, Interval]], list[str]]:  # fmt: skip
    """Return the interval of each metric at each site that has one, and what is left out."""
    found: dict[str, dict[str, Interval]] = {name: {} for name in named}
    notes = []
    for code, site in enumerate(sites):
        rows = place == code
        present = np.unique(y[rows])
        if len(present) < 2:
            notes.append(f"Site {site} has only the class {present[0]!s} and is left out.")
            continue
        for name, (given, options) in named.items():
            try:
                # a note names the site
                with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
                    one = interval(
                        name, y[rows], given[rows], **how, **options,
                        sample_weight=None if weight is None else weight[rows],
                        zero_division=np.nan,
                    )  # fmt: skip
            except ValueError as error:
                raise ValueError(f"Site {site}: {error}") from error
            if np.isfinite(one.estimate) and 0 < one.standard_error < np.inf:
                found[name][str(site)] = one
            else:
                value = fixed(one.estimate)
                notes.append(
                    f"Site {site} has no standard error of {name} ({value}) and is left out of it."
                )
    return found, notes


def _positive_of(classes: Any, pos_label: Any) -> Any:
    """Return the positive class, 1 where labels lie in {-1, 0, 1} or are bool."""
    if pos_label is None and not np.isin(classes, [-1, 0, 1]).all():
        raise ValueError(f"pos_label must name the positive class, one of {classes.tolist()}.")
    positive = 1 if pos_label is None else pos_label
    if positive not in classes:
        raise ValueError(f"pos_label must be one of {classes.tolist()}, found {positive!r}.")
    return positive


def nested_sites(
    result: NestedCVResult,
    sites: ArrayLike | None = None,
    *,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    metrics: Iterable[str] | None = None,
) -> SiteEvaluation:
    """Evaluate the out-of-fold probabilities of a nested run at every site, and pool the metrics.

    With :class:`~sklearn.model_selection.LeaveOneGroupOut` as outer folds this is internal-external
    cross-validation [1]_: every site is predicted by a procedure that never saw it.

    Parameters
    ----------
    result : NestedCVResult
        Of :func:`~skaucx.model_selection.nested_cross_validate`.
    sites : array-like of shape (n_samples,), default=None
        The site of each row of X; by default the `groups` of the run.
    threshold : float, default=None
        The probability at which the net benefit is computed, in (0, 1). By default the median
        threshold of the folds if they cut probabilities, or else 0.5.
    confidence_level : float, default=0.95
        In (0, 1).
    metrics : list of str, default=None
        As for :func:`evaluate_sites`: the AUC, the O:E ratio, the calibration intercept and slope.

    Returns
    -------
    SiteEvaluation
        Every metric at every site and pooled by random effects, with tau, a Hartung-Knapp and a
        prediction interval; its notes say whether folds mix sites.

    Raises
    ------
    ValueError
        If there are no sites, no probabilities of two classes, or no class is the positive one.

    References
    ----------
    .. [1] T. P. A. Debray et al., A guide to systematic review and meta-analysis of prediction model
       performance, BMJ 356, i6460, 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skaucx.clinic import nested_sites
    >>> from skaucx.model_selection import nested_cross_validate
    >>> X, y = make_classification(300, random_state=0)
    >>> run = nested_cross_validate(LogisticRegression(), {}, X, y, scoring="roc_auc")
    >>> sorted(nested_sites(run, ["Bonn", "Oslo", "York"] * 100).intervals["roc_auc"])
    ['Bonn', 'Oslo', 'York']
    """
    given = result.predictions
    where = given.groups if sites is None else np.asarray(sites)
    if where is None:
        raise ValueError("sites is missing and the run has no groups; pass the site of each row.")
    if sites is not None:
        if where.shape != (result.n_samples,):
            raise ValueError(
                f"sites must hold one name for each of {result.n_samples} rows of X, found shape "
                f"{where.shape}."
            )
        where = where[given.row]
    if given.classes is None or len(given.classes) != 2 or given.positive is None:
        raise ValueError(
            "Sites are compared by the probabilities of one of two classes; run with two classes "
            "and pos_label."
        )
    if threshold is None:
        cuts = result.thresholds[np.isfinite(result.thresholds)]
        read = len(cuts) and result.decisions[0].reads == "predict_proba"
        threshold = float(np.median(cuts)) if read else 0.5
    options: dict[str, Any] = {} if metrics is None else {"metrics": list(metrics)}
    found = evaluate_sites(
        given.y_true, given.scores("predict_proba", given.positive), sites=where,
        threshold=threshold, confidence_level=confidence_level, pos_label=given.positive,
        sample_weight=given.sample_weight, random_state=0, **options,
    )  # fmt: skip
    pairs = set(zip(where.tolist(), given.fold.tolist(), strict=True))
    notes = [f"Net benefit at threshold {threshold:.4g}."]
    if len(pairs) > len({site for site, _ in pairs}):
        notes.append(
            "Rows of a site lie in several outer folds: models were trained on rows of the site "
            "that they predict. For internal-external validation pass outer_cv=LeaveOneGroupOut()."
        )
    return replace(found, notes=(*found.notes, *notes))


def evaluate_studies(
    studies: Columns, metrics: MetricsLike = None, **options: Any
) -> GroupedEvaluation:
    """Return metrics of predicted labels in published studies of a test.

    Parameters
    ----------
    studies : DataFrame or dict
        Columns tp, fp, fn and tn, a row a study, named by a column "study" or else the index.
    metrics : str, list, dict or scorer, default=None
        As for :func:`~skaucx.evaluation.evaluate`.
    **options
        Further arguments of :func:`~skaucx.evaluation.evaluate`, such as ``intervals=True``.

    Returns
    -------
    GroupedEvaluation
        A mapping from study to metrics; ``overall`` sums the counts. See :func:`bivariate_summary` for
        the mean over studies.

    Raises
    ------
    ValueError, TypeError
        If a column is missing or a study has bad counts; the message names the study.

    Examples
    --------
    >>> from skaucx.clinic import evaluate_studies
    >>> studies = {"study": ["Lee", "Roy"], "tp": [47, 36], "fp": [101, 78], "fn": [9, 3],
    ...            "tn": [738, 276]}
    >>> found = evaluate_studies(studies, ["recall"], intervals=True)
    >>> round(found["Roy"]["recall"], 4), found["Roy"].intervals["recall"].method
    (0.9231, 'wilson')
    """
    cells = _cells_of(studies)
    counts = Counts(*np.array(list(cells.values()), dtype=np.float64).T)
    named = {"study": np.array(list(cells), dtype=object)}
    found: Any = evaluate(metrics=metrics, counts=counts, by=named, **options)
    return found


@dataclass(frozen=True, eq=False, repr=False)
class BivariateSummary(Tabular):
    """Sensitivity and specificity pooled over studies; made by :func:`bivariate_summary`.

    Attributes
    ----------
    sensitivity, specificity : tuple of float
        Estimate, low and high.
    mean, covariance : ndarray of shape (2,) and (2, 2), float64
        Mean logits of sensitivity and of the false positive rate, and the covariance of the means.
    between : ndarray of shape (2, 2), float64
        Covariance of the true logits between studies.
    log_likelihood : float
    n_studies : int
    confidence_level : float
    notes : tuple of str
    """

    sensitivity: tuple[float, float, float]
    specificity: tuple[float, float, float]
    mean: Floats
    covariance: Floats
    between: Floats
    log_likelihood: float
    n_studies: int
    confidence_level: float
    notes: tuple[str, ...] = ()

    _index = "rate"

    @property
    def _rates(self) -> dict[str, tuple[float, float, float]]:
        return {"sensitivity": self.sensitivity, "specificity": self.specificity}

    def region(self, *, prediction: bool = False, n_points: int = 200) -> tuple[Floats, Floats]:
        """Return false positive rates and sensitivities on the border of the region of the mean.

        Parameters
        ----------
        prediction : bool, default=False
            Whether to return the region of a new study's true values.
        n_points : int, default=200
            Points on the border.
        """
        spread = self.covariance + (self.between if prediction else 0)
        root = np.linalg.cholesky(spread + 1e-12 * np.eye(2))
        angle = np.linspace(0, 2 * np.pi, n_points)
        reach = math.sqrt(stats.chi2.ppf(self.confidence_level, 2))
        x = self.mean[:, None] + reach * root @ np.array([np.cos(angle), np.sin(angle)])
        return special.expit(x[1]), special.expit(x[0])

    def _table(self) -> Table:
        rows = [[name, value, (low, high)] for name, (value, low, high) in self._rates.items()]
        head = ["rate", "estimate", f"{100 * self.confidence_level:g} % interval"]
        lines = [Line(name, rates, (0.0, 1.0)) for name, rates in self._rates.items()]
        return Table(head, rows, f"{self.n_studies} studies", self.notes, lines=lines)


def bivariate_summary(studies: Columns, *, confidence_level: float = 0.95) -> BivariateSummary:
    r"""Pool sensitivity and specificity of a test over published studies.

    Parameters
    ----------
    studies : DataFrame or dict
        Columns tp, fp, fn and tn, a row a study; counts >= 0. A column "study", or else the index of the
        frame, names the studies.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).

    Returns
    -------
    BivariateSummary

    Raises
    ------
    ValueError, TypeError
        If a column is missing, a study has bad counts, no positives or no negatives, or there are fewer
        than three studies; the message names the study.

    Notes
    -----
    The model of [1]_: the logits of sensitivity and of the false positive rate of a study are normal
    with their binomial variances, around true values that are bivariate normal; restricted maximum
    likelihood. If any study has an empty cell, 1/2 is added to all cells of all studies; a note says so.

    References
    ----------
    .. [1] J. B. Reitsma et al., Bivariate analysis of sensitivity and specificity produces informative
       summary measures in diagnostic reviews, Journal of Clinical Epidemiology 58(10), 982-990, 2005.

    Examples
    --------
    >>> from skaucx.clinic import bivariate_summary
    >>> studies = {"tp": [47, 126, 19, 36], "fp": [101, 272, 12, 78],
    ...            "fn": [9, 51, 10, 3], "tn": [738, 1543, 192, 276]}
    >>> found = bivariate_summary(studies)
    >>> round(found.sensitivity[0], 3), round(found.specificity[0], 3)
    (0.786, 0.869)
    """
    level = check_confidence_level(confidence_level)
    y, v, notes = _logits(studies)
    mean, covariance, between, likelihood = _bivariate(y, v, np.zeros(len(y), dtype=int), True)
    reach = special.ndtri((1 + level) / 2) * np.sqrt(np.diag(covariance))
    ends = [special.expit(mean + sign * reach) for sign in (0, -1, 1)]
    middle, low, high = (end.tolist() for end in ends)
    sensitivity, specificity = (
        (middle[0], low[0], high[0]),
        (1 - middle[1], 1 - high[1], 1 - low[1]),
    )
    facts = mean, covariance, between, likelihood, len(y), level, notes
    return BivariateSummary(sensitivity, specificity, *facts)


def compare_study_tests(studies_a: Columns, studies_b: Columns) -> tuple[float, float]:
    """Test whether two tests have the same sensitivity and specificity over published studies.

    Parameters
    ----------
    studies_a, studies_b : DataFrame or dict
        Columns tp, fp, fn and tn, a row a study, of either test, in different studies.

    Returns
    -------
    statistic, p_value : float
        Of the likelihood-ratio test with two degrees of freedom in the bivariate model with one
        covariance between studies; see :func:`bivariate_summary`.

    Raises
    ------
    ValueError, TypeError
        As :func:`bivariate_summary` raises.

    Examples
    --------
    >>> from skaucx.clinic import compare_study_tests
    >>> a = {"tp": [47, 126, 19, 36], "fp": [101, 272, 12, 78],
    ...      "fn": [9, 51, 10, 3], "tn": [738, 1543, 192, 276]}
    >>> b = {"tp": [30, 80, 15], "fp": [60, 150, 20], "fn": [26, 97, 14], "tn": [779, 1665, 184]}
    >>> statistic, p_value = compare_study_tests(a, b)
    >>> p_value < 0.05
    True
    """
    parts = [_logits(studies_a), _logits(studies_b)]
    y, v = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    test = np.repeat([0, 1], [len(part[0]) for part in parts])
    apart = _bivariate(y, v, test, False)[3]
    alike = _bivariate(y, v, np.zeros(len(y), dtype=int), False)[3]
    statistic = max(2 * (apart - alike), 0.0)
    return statistic, float(stats.chi2.sf(statistic, 2))


_CELLS = ("tp", "fp", "fn", "tn")


def _cells_of(studies: Any) -> dict[Any, Floats]:
    """Return tp, fp, fn and tn of each study by its name: its index, column "study" or number."""
    if not (isinstance(studies, Mapping) or hasattr(studies, "columns")):
        raise TypeError(
            f"studies must be a data frame or dict with the columns {', '.join(_CELLS)}, "
            f"found {type(studies).__name__}."
        )
    missing = [name for name in _CELLS if name not in studies]
    if missing:
        raise ValueError(f"studies must have the columns tp, fp, fn and tn, missing: {missing}.")
    columns = {name: float_array(np.asarray(studies[name]), name) for name in _CELLS}
    check_same_length(columns)
    cells = np.stack(list(columns.values()), axis=-1)
    index = studies["study"] if "study" in studies else getattr(studies, "index", range(len(cells)))
    names = np.asarray(index).tolist()
    if cells.ndim != 2 or not len(cells) or len(set(names)) < len(cells):
        raise ValueError("studies must hold one row for each study, of names that differ.")
    bad = ~(np.isfinite(cells) & (cells >= 0)).all(axis=1) | (cells.sum(axis=1) == 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise ValueError(
            f"Counts of studies must be finite and 0 or more, some above 0; study {names[at]} has "
            f"tp, fp, fn, tn = {cells[at].tolist()}."
        )
    return dict(zip(names, cells, strict=True))


def _logits(studies: Any) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Return logits of sensitivity and false positive rate, and their variances, (k, 2) each."""
    known = _cells_of(studies)
    cells = np.stack(list(known.values()))
    if len(cells) < 3:
        raise ValueError(f"The bivariate model needs three studies or more, found {len(cells)}.")
    for name, (tp, fp, fn, tn) in known.items():
        if tp + fn == 0 or fp + tn == 0:
            raise ValueError(
                f"Study {name} has no positives or no negatives: tp, fp, fn, tn = "
                f"{[tp, fp, fn, tn]}; leave it out."
            )
    notes: tuple[str, ...] = ()
    if (cells == 0).any():
        cells = cells + 0.5
        notes = ("A study has an empty cell: 1/2 is added to all cells of all studies.",)
    tp, fp, fn, tn = cells.T
    return (
        np.stack([np.log(tp / fn), np.log(fp / tn)], axis=1),
        np.stack([1 / tp + 1 / fn, 1 / fp + 1 / tn], axis=1),
        notes,
    )


def _bivariate(
    y: Floats, v: Floats, group: Any, restricted: bool
) -> tuple[Floats, Floats, Floats, float]:
    """Return the means of the groups, their covariance, that between studies and the likelihood."""
    n_groups = int(group.max()) + 1
    design = np.zeros((len(y), 2, 2 * n_groups))
    for k in range(2):
        design[np.arange(len(y)), k, 2 * group + k] = 1.0

    def parts(theta: Any) -> tuple[Floats, Floats, Floats, float]:
        root = np.array([[math.exp(theta[0]), 0.0], [theta[1], math.exp(theta[2])]])
        between = root @ root.T
        total = between + v[:, :, None] * np.eye(2)
        inverse = np.linalg.inv(total)
        information = np.einsum("iab,iac,icd->bd", design, inverse, design)
        score = np.einsum("iab,iac,ic->b", design, inverse, y)
        mean = np.linalg.solve(information, score)
        missed = y - design @ mean
        value = np.einsum("ia,iab,ib->", missed, inverse, missed)
        value += np.linalg.slogdet(total)[1].sum() + y.size * math.log(2 * math.pi)
        if restricted:
            value += np.linalg.slogdet(information)[1] - len(mean) * math.log(2 * math.pi)
        return mean, np.linalg.inv(information), between, float(-value / 2)

    spread = np.log(np.maximum(y.std(axis=0, ddof=1), 1e-3))
    starts: Any = [np.array([spread[0], slant, spread[1]]) for slant in (0.0, 0.3, -0.3)]
    options: Any = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000}

    def loss(theta: Any) -> Any:
        return -parts(np.clip(theta, -12, 6))[3]

    found: Any = [optimize.minimize(loss, x, method="Nelder-Mead", options=options) for x in starts]
    best = min(found, key=lambda each: each.fun)
    return parts(np.clip(best.x, -12, 6))
