"""Power that planned sample sizes really have, by simulation.

``python -m benchmarks.planning`` prints its tables in Markdown (half a minute on one core); ``--runs``
sets the runs of a row. Two normal classes of equal variance, two-sided tests at 5 %; a rejection on the
wrong side does not count. Two paired classifiers have scores correlated within a class so far that
their AUCs are correlated by `r`; with an `r` of 0 each has a sample of its own. Rates need no
simulation: their power is an exact sum.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from skaucx.gold import GoldInterval, GoldLabels, plan_gold_labels
from skaucx.inference import (
    delong_test,
    interval,
    proportion_test,
    rate_sample_size,
    roc_auc_difference_power,
    roc_auc_difference_sample_size,
    roc_auc_sample_size,
    validation_sample_size,
)
from skaucx.metrics import roc_auc_score

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
Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planning", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    print(f"{runs} runs a row; standard error of a power of 80 %: {40 / math.sqrt(runs):.1f}\n")
    print("| two AUCs | r | examples | planned | DeLong's test |\n|---|---|---|---|---|")
    for a, b, r, ratio, power in DIFFERENCES:
        size = roc_auc_difference_sample_size(a, b, correlation=r, ratio=ratio, power=power)
        print(difference(a, b, r, size.n_positive, size.n_negative, runs), flush=True)
    for given in GIVEN:
        print(difference(*given, runs), flush=True)
    print("\n| AUC, null | examples | planned | `score-t` |\n|---|---|---|---|")
    for setting in SINGLE:  # half of the runs
        print(single(*setting, runs // 2), flush=True)
    print("\n| AUC | examples | planned half-width | mean reached | share at most planned |")
    print("|---|---|---|---|---|")
    for area in AREAS:
        print(width_of_area(*area, runs // 4), flush=True)
    print("\n| quantity | events + others | planned width | mean reached | share at most planned |")
    print("|---|---|---|---|---|")
    for row in validation(runs // 10):
        print(row, flush=True)
    print("\n| gold rows | planned half-width | mean reached | share at most planned |")
    print("|---|---|---|---|")
    for half in (0.04, 0.03):
        print(gold(half, runs // 10), flush=True)
    print("\n| rate, null | examples | planned | Wilson | exact test |\n|---|---|---|---|---|")
    for row in RATES:
        print(rate(*row))
    print("\n| rate | examples | planned half-width | mean of Wilson's | share at most planned |")
    print("|---|---|---|---|---|")
    for width in WIDTHS:
        print(half_width(*width))


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
    rng, y = np.random.default_rng([p, n]), np.repeat([1, 0], [p, n])
    rho, found = correlation_of_scores(a, b, r) if r else 0.0, 0
    for _ in range(runs):
        one, other = scores(rng, y, np.array([a, b]), rho)
        test = delong_test(y, one, other, y_true_b=None if r else y)
        found += test.p_value < 0.05 and test.statistic < 0
    planned = roc_auc_difference_power(a, b, p, n, correlation=r)
    share = 100 * found / runs
    return f"| {a}, {b} | {r:.2f} | {p} + {n} | {100 * planned:.1f} | {share:.1f} |"


def single(auc: float, null: float, ratio: float, power: float, runs: int) -> str:
    """Return the row of one AUC, of which an interval must lie above the null value."""
    size = roc_auc_sample_size(auc, null=null, ratio=ratio, power=power)
    p, n = size.n_positive, size.n_negative
    rng, y = np.random.default_rng([p, n]), np.repeat([1, 0], [p, n])
    found = 0
    for _ in range(runs):
        (score,) = scores(rng, y, np.array([auc]), 0.0)
        found += interval("roc_auc", y, score).low > null
    return f"| {auc}, {null} | {p} + {n} | {100 * size.power:.1f} | {100 * found / runs:.1f} |"


def rate(true: float, null: float, power: float) -> str:
    """Return the row of a sensitivity that is tested."""
    size = rate_sample_size(true, null=null, power=power)
    n = size.n_positive
    tests = [
        proportion_test("recall", counts=[[1, 0], [n - k, k]], null=null) for k in range(n + 1)
    ]
    chance = stats.binom.pmf(np.arange(n + 1), n, true)
    wilson = chance @ [test.interval[0] > 0 for test in tests]
    exact = chance @ [test.p_value < 0.05 and test.estimates[0] > null for test in tests]
    cells = f"{100 * size.power:.1f} | {100 * wilson:.1f} | {100 * exact:.1f}"
    return f"| {true}, {null} | {n} | {cells} |"


def half_width(true: float, wanted: float) -> str:
    """Return the row of a sensitivity whose interval is to be so wide."""
    n = rate_sample_size(true, half_width=wanted).n_positive
    found = [interval("recall", counts=[[1, 0], [n - k, k]]) for k in range(n + 1)]
    chance = stats.binom.pmf(np.arange(n + 1), n, true)
    widths = np.array([(one.high - one.low) / 2 for one in found])
    share = 100 * (chance @ (widths <= wanted))
    return f"| {true} | {n} | {wanted} | {chance @ widths:.3f} | {share:.0f} |"


VALIDATED = {
    "O:E ratio": "observed_expected_ratio",
    "calibration slope": "calibration_slope",
    "AUC": "roc_auc",
}
LOG_ODDS = (-2.0, 1.2)


def validation(runs: int) -> list[str]:
    """Return a row for each criterion of a validation; the number of events is random."""
    rng = np.random.default_rng(2)
    x = rng.normal(*LOG_ODDS, size=400_000)
    y = rng.random(len(x)) < special.expit(x)
    plan = validation_sample_size(
        prevalence=float(y.mean()),
        auc=roc_auc_score(y, x),
        linear_predictor=LOG_ODDS,
        oe_width=0.3,
        slope_width=0.4,
    )
    wanted = {"O:E ratio": 0.3, "calibration slope": 0.4, "AUC": 0.1}
    rows = []
    for criterion, n in plan.criteria.items():
        widths = []
        for _ in range(runs):
            risk = special.expit(rng.normal(*LOG_ODDS, size=n))
            found = interval(
                VALIDATED[criterion],
                (rng.random(n) < risk).astype(int),
                risk,
            )
            widths.append(found.high - found.low)
        share = 100 * np.mean(np.array(widths) <= wanted[criterion])
        events = round(n * float(y.mean()))
        rows.append(
            f"| {criterion} | {events} + {n - events} | {wanted[criterion]} | {np.mean(widths):.3f} "
            f"| {share:.0f} |"
        )
    return rows


def gold(wanted: float, runs: int) -> str:
    """Return the row of F1 by gold labels and a judge of 93 %, planned from a pilot of 200 of 4,000."""
    rng, reached, planned = np.random.default_rng(3), [], []
    for _ in range(runs):
        truth = (rng.random(8000) < 0.35) * 1
        called = (rng.normal(size=8000) + 2 * truth > 1.2) * 1
        judge = np.where(rng.random(8000) < 0.93, truth, 1 - truth)
        pilot, later = slice(0, 4000), slice(4000, 8000)
        first = interval(
            "f1", truth[pilot], called[pilot],
            gold=GoldLabels(judge[pilot], has_gold=np.arange(4000) < 200),
        )  # fmt: skip
        assert isinstance(first, GoldInterval)
        planned.append(plan_gold_labels(first, wanted).n_gold)
        found = interval(
            "f1", truth[later], called[later],
            gold=GoldLabels(judge[later], has_gold=np.arange(4000) < planned[-1]),
        )  # fmt: skip
        reached.append((found.high - found.low) / 2)
    low, middle, high = np.quantile(planned, [0.1, 0.5, 0.9])
    share = 100 * np.mean(np.array(reached) <= wanted)
    size = f"{middle:.0f} ({low:.0f} to {high:.0f})"
    return f"| {size} | {wanted} | {np.mean(reached):.4f} | {share:.0f} |"


def width_of_area(auc: float, wanted: float, ratio: float, runs: int) -> str:
    """Return the row of an AUC whose interval is to be so wide."""
    size = roc_auc_sample_size(auc, half_width=wanted, ratio=ratio)
    p, n = size.n_positive, size.n_negative
    rng, y = np.random.default_rng([p, n]), np.repeat([1, 0], [p, n])
    found = [interval("roc_auc", y, scores(rng, y, np.array([auc]), 0.0)[0]) for _ in range(runs)]
    widths = np.array([(one.high - one.low) / 2 for one in found])
    share = 100 * np.mean(widths <= wanted)
    return f"| {auc} | {p} + {n} | {wanted} | {widths.mean():.4f} | {share:.0f} |"


if __name__ == "__main__":
    main()
