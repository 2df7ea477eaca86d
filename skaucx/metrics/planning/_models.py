"""Sample size to develop a prediction model, and to validate one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from ..._options import OPEN_SHARE, check_confidence_level, check_whole
from ..._text.html import table as html_table
from ..._text.numbers import counted
from ..._text.tables import table
from ._rates import ABOVE_ZERO

_NODES = 4000  # equally likely values of a distribution of log-odds


@dataclass(frozen=True, repr=False)
class ModelSampleSize:
    """How many examples a study of a prediction model needs, criterion by criterion.

    Attributes
    ----------
    criteria : dict of str to int
        Examples that each criterion needs.
    total : int
        The greatest of them.
    events : int
        Positives among so many, rounded up.
    events_per_parameter : float
        nan for a validation.
    facts : dict of str to float
        Quantities that the criteria use, such as the Cox-Snell R2.
    """

    criteria: dict[str, int]
    total: int
    events: int
    events_per_parameter: float = math.nan
    facts: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows = [[name, counted(size)] for name, size in self.criteria.items()]
        more = [["events at the greatest", counted(self.events)]]
        return table(["criterion", "examples"], [*rows, *more])

    def _repr_html_(self) -> str:
        """Show the criteria in a notebook."""
        reported = f"Sample size {counted(self.total)}, {counted(self.events)} events"
        return html_table(reported, ["criterion", "examples"], list(self.criteria.items()))


def development_sample_size(
    *,
    prevalence: float,
    n_parameters: int,
    auc: float | None = None,
    r2_cox_snell: float | None = None,
    r2_nagelkerke: float | None = None,
    shrinkage: float = 0.9,
    optimism: float = 0.05,
    half_width: float = 0.05,
) -> ModelSampleSize:
    r"""Number of examples to develop a prediction model of a binary outcome.

    Parameters
    ----------
    prevalence : float
        Expected share of positives, in (0, 1).
    n_parameters : int
        Candidate parameters of the model: coefficients, not variables.
    auc, r2_cox_snell, r2_nagelkerke : float, default=None
        The expected performance, exactly one of the three, each in (0, 1). From an AUC, above 0.5, R2
        is derived for normal log-odds [2]_.
    shrinkage : float, default=0.9
        The least expected shrinkage of the coefficients, in (0, 1).
    optimism : float, default=0.05
        The greatest expected optimism of Nagelkerke's R2, in (0, 1).
    half_width : float, default=0.05
        Half the width of the 95 % interval of the overall risk, in (0, 1).

    Returns
    -------
    ModelSampleSize
        With the criteria "shrinkage", "optimism of R2" and "overall risk".

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, or not exactly one performance is given.

    Notes
    -----
    With S the shrinkage, P the parameters and the prevalence :math:`\pi` [1]_

    .. math:: n_1 = \frac{P}{(S - 1) \ln(1 - R^2_\mathrm{CS} / S)}, \qquad
              n_3 = \Bigl(\frac{1.96}{w}\Bigr)^2 \pi (1 - \pi),

    and :math:`n_2` is :math:`n_1` at the shrinkage
    :math:`R^2_\mathrm{CS} / (R^2_\mathrm{CS} + \delta \max R^2_\mathrm{CS})` for the optimism
    :math:`\delta`, with :math:`\max R^2_\mathrm{CS} = 1 - (\pi^\pi (1 - \pi)^{1 - \pi})^2`. Derived from
    an AUC, R2 is that of the logistic model itself, not of a simulated sample, so that the sizes differ
    slightly from those of simulation.

    References
    ----------
    .. [1] R. D. Riley et al., Calculating the sample size required for developing a clinical prediction
       model, BMJ 368, m441, 2020.
    .. [2] R. D. Riley, B. Van Calster and G. S. Collins, A note on estimating the Cox-Snell R2 from a
       reported C statistic (AUROC) to inform sample size calculations for developing a prediction
       model with a binary outcome, Statistics in Medicine 40(4), 859-864, 2021.

    Examples
    --------
    >>> from skaucx.metrics.planning import development_sample_size
    >>> size = development_sample_size(prevalence=0.174, n_parameters=24, r2_cox_snell=0.288)
    >>> size.total, size.criteria["overall risk"]
    (662, 221)
    """
    share = OPEN_SHARE.check("prevalence", prevalence)
    parameters = check_whole("n_parameters", n_parameters, 1)
    given = {"auc": auc, "r2_cox_snell": r2_cox_snell, "r2_nagelkerke": r2_nagelkerke}
    found = {n: OPEN_SHARE.check(n, v) for n, v in given.items() if v is not None}
    if len(found) != 1:
        raise ValueError(
            f"Exactly one of auc, r2_cox_snell and r2_nagelkerke must be given, found {given}."
        )
    greatest = -math.expm1(2 * (special.xlogy(share, share) + special.xlogy(1 - share, 1 - share)))
    if auc is not None:
        if auc <= 0.5:
            raise ValueError(f"auc must lie above 0.5, found {auc!r}.")
        r2 = _cox_snell(auc, share)
    else:
        r2 = found.get("r2_cox_snell", found.get("r2_nagelkerke", 0.0) * greatest)
    if r2 >= greatest:
        raise ValueError(
            f"r2_cox_snell must lie below {greatest:.4g}, the greatest at this prevalence, found "
            f"{r2:.4g}."
        )
    s = OPEN_SHARE.check("shrinkage", shrinkage)
    if r2 >= s:
        raise ValueError(f"shrinkage must lie above the Cox-Snell R2 of {r2:.4g}, found {s!r}.")
    delta = OPEN_SHARE.check("optimism", optimism)
    width = OPEN_SHARE.check("half_width", half_width)

    def shrunk(at: float) -> int:
        return math.ceil(parameters / ((at - 1) * math.log1p(-r2 / at)))

    criteria = {
        "shrinkage": shrunk(s),
        "optimism of R2": shrunk(r2 / (r2 + delta * greatest)),
        "overall risk": math.ceil((1.96 / width) ** 2 * share * (1 - share)),
    }
    total = max(criteria.values())
    facts = {"r2_cox_snell": r2, "greatest_r2_cox_snell": greatest, "r2_nagelkerke": r2 / greatest}
    events = total * share
    return ModelSampleSize(criteria, total, math.ceil(events), events / parameters, facts)


def _cox_snell(auc: float, share: float) -> float:
    """Return the R2 of normal log-odds, means sqrt(2) Phi^-1(AUC) apart in the two classes.

    The logistic model of such classes is right: its log-odds are logit(share) + d (x - d / 2).
    """
    d = math.sqrt(2) * float(special.ndtri(auc))
    z = special.ndtri((np.arange(_NODES) + 0.5) / _NODES)
    base = special.logit(share) - d * d / 2
    gain = share * special.log_expit(base + d * (z + d)).mean()
    gain += (1 - share) * special.log_expit(-(base + d * z)).mean()
    prior = special.xlogy(share, share) + special.xlogy(1 - share, 1 - share)
    return float(-math.expm1(-2 * (gain - prior)))


def validation_sample_size(
    *,
    prevalence: float,
    auc: float,
    linear_predictor: Any,
    oe_width: float = 0.2,
    slope_width: float = 0.2,
    auc_width: float = 0.1,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    net_benefit_width: float = 0.2,
    oe_ratio: float = 1.0,
    intercept: float = 0.0,
    slope: float = 1.0,
    confidence_level: float = 0.95,
) -> ModelSampleSize:
    r"""Number of examples to validate a prediction model of a binary outcome on new data.

    Parameters
    ----------
    prevalence : float
        Expected share of positives, in (0, 1).
    auc : float
        Expected AUC, in (0, 1).
    linear_predictor : (float, float), or array-like of shape (n_samples,)
        The expected log-odds of the predicted risks: mean and standard deviation of normal ones, or a
        sample of them.
    oe_width, slope_width : float, default=0.2
        Width of the interval of the O:E ratio and of the calibration slope, above 0.
    auc_width : float, default=0.1
        Width of the interval of the AUC, above 0.
    threshold : float, default=None
        Plan the standardized net benefit at this probability too, in (0, 1).
    sensitivity, specificity : float, default=None
        Those expected at the threshold, in [0, 1]; by default those that follow from the linear
        predictor.
    net_benefit_width : float, default=0.2
        Width of the interval of the standardized net benefit, above 0.
    oe_ratio : float, default=1
        The expected O:E ratio, above 0.
    intercept : float, default=0
        The expected calibration intercept; ``facts["mean_risk"]`` should then be near `prevalence`.
    slope : float, default=1
        The expected calibration slope, above 0.
    confidence_level : float, default=0.95
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    ModelSampleSize
        With the criteria "O:E ratio", "calibration slope", "AUC" and "net benefit".

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range.

    Notes
    -----
    The widths are those of [1]_: of O:E on the log scale with the variance
    :math:`(1 - \pi) / (n \pi)`; of the slope by the information of the logistic model, integrated over
    the linear predictor; of the AUC by Newcombe's variance [2]_; of the standardized net benefit by

    .. math:: \frac1n \Bigl( \frac{Se (1 - Se)}{\pi} + \frac{w^2 Sp (1 - Sp)}{1 - \pi}
              + \frac{w^2 (1 - Sp)^2}{\pi (1 - \pi)} \Bigr), \qquad
              w = \frac{1 - \pi}{\pi} \frac{t}{1 - t}

    References
    ----------
    .. [1] R. D. Riley et al., Minimum sample size for external validation of a clinical prediction model
       with a binary outcome, Statistics in Medicine 40(19), 4230-4251, 2021.
    .. [2] R. G. Newcombe, Confidence intervals for an effect size measure based on the Mann-Whitney
       statistic, part 2, Statistics in Medicine 25(4), 559-573, 2006.

    Examples
    --------
    >>> from skaucx.metrics.planning import validation_sample_size
    >>> size = validation_sample_size(prevalence=0.018, auc=0.8, linear_predictor=(-5, 2.5),
    ...                               oe_width=1)
    >>> size.criteria["O:E ratio"], size.criteria["AUC"]
    (906, 4252)
    """
    share, area = OPEN_SHARE.check("prevalence", prevalence), OPEN_SHARE.check("auc", auc)
    z = float(special.ndtri((1 + check_confidence_level(confidence_level)) / 2))
    x = _log_odds(linear_predictor)
    ratio, b = ABOVE_ZERO.check("oe_ratio", oe_ratio), ABOVE_ZERO.check("slope", slope)
    # exp(log r + z se) - exp(log r - z se) = 2 r sinh(z se)
    error = math.asinh(ABOVE_ZERO.check("oe_width", oe_width) / (2 * ratio)) / z
    criteria = {"O:E ratio": math.ceil((1 - share) / (share * error**2))}
    risk = special.expit(float(intercept) + b * x)
    spread = risk * (1 - risk)
    information = np.array([[spread.mean(), (spread * x).mean()], [0.0, (spread * x * x).mean()]])
    determinant = information[0, 0] * information[1, 1] - information[0, 1] ** 2
    of_slope = float(information[0, 0] / determinant)
    width = ABOVE_ZERO.check("slope_width", slope_width)
    criteria["calibration slope"] = math.ceil(of_slope * (2 * z / width) ** 2)
    width = ABOVE_ZERO.check("auc_width", auc_width)
    criteria["AUC"] = _least(lambda n: 2 * z * math.sqrt(_newcombe(area, share, n)) <= width)
    facts = {"mean_risk": float(risk.mean()), "variance_of_slope": of_slope}
    if threshold is not None:
        t = OPEN_SHARE.check("threshold", threshold)
        called = special.expit(x) >= t
        found = float((risk * called).mean() / risk.mean())
        spared = float(((1 - risk) * ~called).mean() / (1 - risk).mean())
        se = found if sensitivity is None else float(sensitivity)
        sp = spared if specificity is None else float(specificity)
        w = (1 - share) / share * t / (1 - t)
        variance = se * (1 - se) / share + w**2 * sp * (1 - sp) / (1 - share)
        variance += w**2 * (1 - sp) ** 2 / (share * (1 - share))
        width = ABOVE_ZERO.check("net_benefit_width", net_benefit_width)
        criteria["net benefit"] = math.ceil(variance * (2 * z / width) ** 2)
        facts |= {
            "sensitivity": se,
            "specificity": sp,
            "standardized_net_benefit": se - (1 - sp) * w,
        }
    total = max(criteria.values())
    return ModelSampleSize(criteria, total, math.ceil(total * share), facts=facts)


def _log_odds(given: Any) -> Any:
    found = np.asarray(given, dtype=np.float64)
    if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all():
        raise ValueError(
            "linear_predictor must be the mean and the standard deviation of log-odds, or a sample "
            f"of them, finite, found {given!r}."
        )
    if len(found) > 2:
        return found
    scale = ABOVE_ZERO.check("linear_predictor[1]", float(found[1]))
    return found[0] + scale * special.ndtri((np.arange(_NODES) + 0.5) / _NODES)


def _newcombe(auc: float, share: float, n: float) -> float:
    """Return Newcombe's variance of an AUC, his method 4."""
    both = (1 - auc) / (2 - auc) + auc / (1 + auc)
    return auc * (1 - auc) * (1 + (n / 2 - 1) * both) / (n**2 * share * (1 - share))


def _least(enough: Any) -> int:
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
