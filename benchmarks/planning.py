"""Power that planned sample sizes really have, by simulation.

``python -m benchmarks.planning`` prints its tables in Markdown (two minutes on one core); ``--runs``
sets the runs of a row, ``--only`` chooses a table. Two normal classes of equal variance, two-sided tests
at 5 %; a rejection on the wrong side does not count. Two paired classifiers have scores correlated
within a class so far that their AUCs are correlated by `r`; with an `r` of 0 each has a sample of its
own. Where class counts are random, as many rows as planned are drawn, each positive with the planned
share. Rates of fixed counts need no simulation: their power is an exact sum.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats
from sklearn.linear_model import LogisticRegression

from skaucx.inference import (
    SampleSize,
    delong_test,
    development_sample_size,
    interval,
    proportion_test,
    rate_sample_size,
    roc_auc_difference_power,
    roc_auc_difference_sample_size,
    roc_auc_sample_size,
    validation_sample_size,
)
from skaucx.metrics import calibration_slope, nagelkerke_r2_score, roc_auc_score

# Two AUCs, r, negatives for each positive, planned power; then a size that was not planned.
DIFFERENCES = (
    (0.7, 0.8, 0.5, 1, 0.8),
    (0.8, 0.9, 0.5, 1, 0.8),
    (0.8, 0.9, 0.5, 4, 0.8),
    (0.8, 0.9, 0.0, 1, 0.8),
    (0.8, 0.9, 0.5, 1, 0.9),
    (0.9, 0.95, 0.44, 1, 0.8),
    (0.9, 0.95, 0.44, 4, 0.8),
)
GIVEN = ((0.9, 0.95, 0.44, 110, 110),)
# The AUC, its value under the null hypothesis, negatives for each positive, planned power.
SINGLE = ((0.7, 0.5, 1, 0.8), (0.8, 0.7, 1, 0.8), (0.8, 0.7, 4, 0.8), (0.9, 0.8, 1, 0.9))
# The AUC, a half-width, negatives for each positive.
AREAS = (
    (0.8, 0.05, 1),
    (0.8, 0.05, 3),
    (0.7, 0.05, 4),
    (0.9, 0.05, 9),
    (0.9, 0.03, 1),
    (0.95, 0.03, 4),
)
RATES = ((0.9, 0.8, 0.8), (0.95, 0.9, 0.8), (0.75, 0.6, 0.8), (0.9, 0.8, 0.9))
WIDTHS = ((0.9, 0.05), (0.8, 0.05), (0.8, 0.1))
PREVALENCE = 0.2  # of the rows of which a random number is positive
Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planning", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", choices=["", *TABLES])
    options = parser.parse_args()
    runs = options.runs
    print(f"{runs} runs a row; standard error of a power of 80 %: {40 / math.sqrt(runs):.1f}")
    for name, (head, rows) in TABLES.items():
        if options.only in ("", name):
            print(f"\n{head}\n|{'---|' * (head.count('|') - 1)}")
            for row in rows(runs):
                print(row, flush=True)


def differences(runs: int) -> Iterator[str]:
    for a, b, r, ratio, power in DIFFERENCES:
        size = roc_auc_difference_sample_size(a, b, correlation=r, ratio=ratio, power=power)
        yield difference(a, b, r, size.n_positive, size.n_negative, runs)
    for given in GIVEN:
        yield difference(*given, runs)


def singles(runs: int) -> Iterator[str]:
    for setting in SINGLE:
        yield single(*setting, runs // 2)


def areas(runs: int) -> Iterator[str]:
    for area in AREAS:
        yield width_of_area(*area, runs // 4)


def rates(runs: int) -> Iterator[str]:
    for row in RATES:
        yield rate(*row, runs)


def rate_widths(runs: int) -> Iterator[str]:
    for width in WIDTHS:
        yield half_width(*width, runs)


def class_counts(rng: np.random.Generator, p: int, n: int, drawn: bool) -> NDArray[np.intp]:
    """Return p ones and n zeros, or as many rows of which each is a one with that share."""
    return (rng.random(p + n) * (p + n) < p).astype(np.intp) if drawn else np.repeat([1, 0], [p, n])


def correlation_of_scores(a: float, b: float, r: float) -> float:
    """Return what correlation of two scores within a class gives their AUCs the correlation r.

    To leading order in the sizes the covariance is that of two pairs that share one example.
    """
    h = special.ndtri([a, b])

    def covariance(i: int, j: int, rho: float) -> float:
        both = stats.multivariate_normal.cdf(h[[i, j]], cov=[[1, rho / 2], [rho / 2, 1]])
        return float(both - special.ndtr(h[i]) * special.ndtr(h[j]))

    wanted = r * math.sqrt(covariance(0, 0, 1.0) * covariance(1, 1, 1.0))
    return float(optimize.brentq(lambda rho: covariance(0, 1, rho) - wanted, 0, 1, xtol=1e-4))


def scores(rng: np.random.Generator, y: NDArray[np.intp], aucs: Floats, rho: float) -> Floats:
    """Draw the scores of each classifier, correlated by rho within a class."""
    common, own = rng.normal(size=len(y)), rng.normal(size=(len(aucs), len(y)))
    shift = math.sqrt(2) * special.ndtri(aucs)[:, None]
    return shift * y + math.sqrt(rho) * common + math.sqrt(1 - rho) * own


def difference(a: float, b: float, r: float, p: int, n: int, runs: int) -> str:
    """Return the row of two AUCs, of one sample or, with an r of 0, of two."""
    rng, rho = np.random.default_rng([p, n]), correlation_of_scores(a, b, r) if r else 0.0
    found = [0, 0]
    for drawn in (False, True):
        for _ in range(runs):
            y = class_counts(rng, p, n, drawn)
            one, other = scores(rng, y, np.array([a, b]), rho)
            test = delong_test(y, one, other, y_true_b=None if r else y)
            found[drawn] += test.p_value < 0.05 and test.statistic < 0
    planned = roc_auc_difference_power(a, b, p, n, correlation=r)
    shares = " | ".join(f"{100 * each / runs:.1f}" for each in found)
    return f"| {a}, {b} | {r:.2f} | {p} + {n} | {100 * planned:.1f} | {shares} |"


def single(auc: float, null: float, ratio: float, power: float, runs: int) -> str:
    """Return the row of one AUC, of which an interval must lie above the null value."""
    size = roc_auc_sample_size(auc, null=null, ratio=ratio, power=power)
    p, n = size.n_positive, size.n_negative
    rng, found = np.random.default_rng([p, n]), [0, 0]
    for drawn in (False, True):
        for _ in range(runs):
            y = class_counts(rng, p, n, drawn)
            (score,) = scores(rng, y, np.array([auc]), 0.0)
            found[drawn] += interval("roc_auc", y, score).low > null
    shares = " | ".join(f"{100 * each / runs:.1f}" for each in found)
    return f"| {auc}, {null} | {p} + {n} | {100 * size.power:.1f} | {shares} |"


def rate(true: float, null: float, power: float, runs: int) -> str:
    """Return the row of a sensitivity that is tested."""
    size = rate_sample_size(true, null=null, power=power, prevalence=PREVALENCE)
    n = size.n_positive

    @cache
    def found(k: int, m: int) -> tuple[bool, bool]:
        test = proportion_test("recall", counts=[[1, 0], [m - k, k]], null=null)
        return test.interval[0] > 0, test.p_value < 0.05 and test.estimates[0] > null

    chance = stats.binom.pmf(np.arange(n + 1), n, true)
    fixed = chance @ [found(k, n) for k in range(n + 1)]
    drawn = np.mean([found(*each) for each in right_of_drawn(true, size, runs)], axis=0)
    cells = " | ".join(f"{100 * share:.1f}" for share in (*fixed, *drawn))
    return f"| {true}, {null} | {n} | {100 * size.power:.1f} | {cells} |"


def half_width(true: float, wanted: float, runs: int) -> str:
    """Return the row of a sensitivity whose interval is to be so wide."""
    size = rate_sample_size(true, half_width=wanted, prevalence=PREVALENCE)
    n = size.n_positive

    @cache
    def width(k: int, m: int) -> float:
        found = interval("recall", counts=[[1, 0], [m - k, k]])
        return (found.high - found.low) / 2

    chance = stats.binom.pmf(np.arange(n + 1), n, true)
    widths = np.array([width(k, n) for k in range(n + 1)])
    drawn = np.array([width(*each) for each in right_of_drawn(true, size, runs)])
    fixed = f"{chance @ widths:.3f} | {100 * (chance @ (widths <= wanted)):.0f}"
    return (
        f"| {true} | {n} | {wanted} | {fixed} | {drawn.mean():.3f} "
        f"| {100 * np.mean(drawn <= wanted):.0f} |"
    )


def right_of_drawn(true: float, size: SampleSize, runs: int) -> list[tuple[int, int]]:
    """Return how many of how many positives are recognised where the number of positives is drawn."""
    rng = np.random.default_rng(size.n_positive)
    positives = np.maximum(rng.binomial(size.total, PREVALENCE, size=runs), 1)
    return [(int(rng.binomial(m, true)), int(m)) for m in positives]


LOG_ODDS = (-2.0, 1.2)
# Wanted widths, and the threshold of the net benefit.
VALIDATED = {"O:E ratio": 0.3, "calibration slope": 0.4, "AUC": 0.1, "net benefit": 0.2}
CUT = 0.2


def validation(runs: int) -> Iterator[str]:
    """Yield a row for each criterion of a validation; the number of events is random."""
    rng = np.random.default_rng(2)
    x = rng.normal(*LOG_ODDS, size=400_000)
    y = rng.random(len(x)) < special.expit(x)
    plan = validation_sample_size(
        prevalence=float(y.mean()),
        auc=roc_auc_score(y, x),
        linear_predictor=LOG_ODDS,
        oe_width=VALIDATED["O:E ratio"],
        slope_width=VALIDATED["calibration slope"],
        auc_width=VALIDATED["AUC"],
        threshold=CUT,
        net_benefit_width=VALIDATED["net benefit"],
    )
    for criterion, n in plan.criteria.items():
        widths = []
        for _ in range(runs // 5):
            risk = special.expit(rng.normal(*LOG_ODDS, size=n))
            found = validated(criterion, (rng.random(n) < risk).astype(int), risk)
            widths.append(found.high - found.low)
        wanted, events = VALIDATED[criterion], round(n * float(y.mean()))
        share = 100 * np.mean(np.array(widths) <= wanted)
        yield (
            f"| {criterion} | {events} + {n - events} | {wanted} | {np.mean(widths):.3f} | {share:.0f} |"
        )


def validated(criterion: str, y: NDArray[np.intp], risk: Floats) -> Any:
    """Return the interval that a criterion plans."""
    if criterion == "net benefit":
        called = (risk >= CUT).astype(int)
        return interval("net_benefit", y, called, threshold=CUT, standardize=True)
    names = {"O:E ratio": "observed_expected_ratio", "AUC": "roc_auc"}
    return interval(names.get(criterion, "calibration_slope"), y, risk)


# Prevalence, AUC, parameters.
DEVELOPED = ((0.2, 0.75, 10), (0.2, 0.75, 30), (0.05, 0.85, 15))
DEVELOPMENT = {"shrinkage": 0.9, "optimism of R2": 0.05, "overall risk": 0.05}


def development(runs: int) -> Iterator[str]:
    """Yield the rows of models fitted to as many examples as each criterion of a development wants."""
    for share, auc, parameters in DEVELOPED:
        plan = development_sample_size(prevalence=share, auc=auc, n_parameters=parameters)
        for criterion, n in plan.criteria.items():
            found = [
                developed(criterion, share, auc, parameters, n, seed) for seed in range(runs // 10)
            ]
            for name in found[0]:
                values = [each[name] for each in found]
                reached = f"{np.mean(values):.3f} ({np.std(values) / math.sqrt(len(values)):.3f})"
                yield (
                    f"| {share}, {auc}, {parameters} | {name} | {n} | {DEVELOPMENT[criterion]} "
                    f"| {reached} |"
                )


def developed(
    criterion: str, share: float, auc: float, parameters: int, n: int, seed: int
) -> dict[str, float]:
    """Return what a fit reaches: normal features in each class, as the plan from an AUC assumes."""
    rng = np.random.default_rng([seed, n])
    d = math.sqrt(2 / parameters) * special.ndtri(auc)
    y = (rng.random(n + 20_000) < share).astype(np.intp)
    x = rng.normal(size=(len(y), parameters)) + d * y[:, None]
    own, new = slice(n), slice(n, None)
    if criterion == "overall risk":
        found = interval("prevalence", y[own], y[own])
        return {criterion: (found.high - found.low) / 2}
    fitted = LogisticRegression(C=np.inf, max_iter=1000).fit(x[own], y[own])
    risk = fitted.predict_proba(x)[:, 1]
    if criterion == "shrinkage":
        return {criterion: calibration_slope(y[new], risk[new])}
    true = special.expit(special.logit(share) + d * (x - d / 2).sum(axis=1))
    apparent = nagelkerke_r2_score(y[own], risk[own])
    return {
        "apparent R2 less that of the true risks": apparent
        - nagelkerke_r2_score(y[new], true[new]),
        "apparent R2 less that of new rows": apparent - nagelkerke_r2_score(y[new], risk[new]),
    }


def width_of_area(auc: float, wanted: float, ratio: float, runs: int) -> str:
    """Return the row of an AUC whose interval is to be so wide."""
    size = roc_auc_sample_size(auc, half_width=wanted, ratio=ratio)
    p, n = size.n_positive, size.n_negative
    rng, cells = np.random.default_rng([p, n]), []
    for drawn in (False, True):
        widths = np.empty(runs)
        for i in range(runs):
            y = class_counts(rng, p, n, drawn)
            found = interval("roc_auc", y, scores(rng, y, np.array([auc]), 0.0)[0])
            widths[i] = (found.high - found.low) / 2
        cells.append(f"{widths.mean():.4f} | {100 * np.mean(widths <= wanted):.0f}")
    return f"| {auc} | {p} + {n} | {wanted} | {' | '.join(cells)} |"


# The head of each table, and its rows.
TABLES: dict[str, tuple[str, Callable[[int], Iterator[str]]]] = {
    "differences": (
        "| two AUCs | r | examples | planned | fixed counts | random counts |",
        differences,
    ),
    "aucs": ("| AUC, null | examples | planned | fixed counts | random counts |", singles),
    "widths": (
        "| AUC | examples | planned half-width | mean, fixed counts | share at most planned "
        "| mean, random counts | share at most planned |",
        areas,
    ),
    "rates": (
        "| rate, null | examples | planned | Wilson | exact test | Wilson, random counts "
        "| exact test, random counts |",
        rates,
    ),
    "rate_widths": (
        "| rate | examples | planned half-width | mean of Wilson's | share at most planned "
        "| mean, random counts | share at most planned |",
        rate_widths,
    ),
    "validation": (
        "| quantity | events + others | planned width | mean reached | share at most planned |",
        validation,
    ),
    "development": (
        "| prevalence, AUC, parameters | criterion | examples | planned | mean reached |",
        development,
    ),
}


if __name__ == "__main__":
    main()
