"""Coverage of the intervals of prediction models: metrics of risks, smooth curves, pooled sites.

python -m benchmarks.clinical_coverage --runs 1000 > benchmarks/results/clinical_coverage.md
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from scipy import special

from skaucx.clinic import bivariate_summary, pool_estimates
from skaucx.inference import interval, reliability_curve
from skaucx.metrics import nagelkerke_r2_score, observed_expected_ratio

LEVEL = 0.95


def drawn(rng: np.random.Generator, n: int, slope: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Return outcomes and risks of a model with this calibration slope; class counts are random."""
    x = rng.normal(-1.0, 1.0, n)
    return (rng.random(n) < special.expit(0.2 + slope * x)).astype(int), special.expit(x)


def of_metrics(rng: np.random.Generator, runs: int) -> Iterator[tuple[str, int, list[bool]]]:
    y, p = drawn(rng, 2_000_000)
    truths = {
        "observed_expected_ratio": observed_expected_ratio(y, p),
        "nagelkerke_r2": nagelkerke_r2_score(y, p),
    }
    for n in (100, 500):
        samples = [drawn(rng, n) for _ in range(runs)]
        for name, truth in truths.items():
            yield name, n, [truth in interval(name, *each) for each in samples]


def of_curves(rng: np.random.Generator, runs: int) -> Iterator[tuple[str, int, list[bool]]]:
    """The curve where the middle 90 % of the risks are, for a model with slope 0.8."""
    for method in ("loess", "spline"):
        for n in (200, 1000):
            points, whole = [], []
            for _ in range(runs):
                y, p = drawn(rng, n)
                for simultaneous, found in ((False, points), (True, whole)):
                    curve = reliability_curve(
                        y, p, method=method, simultaneous=simultaneous, random_state=0
                    )
                    x = curve.predicted
                    inner = (x > np.quantile(x, 0.05)) & (x < np.quantile(x, 0.95))
                    truth = special.expit(0.2 + 0.8 * special.logit(x[inner]))
                    held = (curve.low[inner] <= truth) & (truth <= curve.high[inner])
                    found.append(float(held.mean()) if not simultaneous else bool(held.all()))
            yield f"{method}, pointwise", n, points
            yield f"{method}, simultaneous", n, whole


def of_sites(rng: np.random.Generator, runs: int) -> Iterator[tuple[str, int, list[bool]]]:
    """Normal estimates of k sites, errors of .1 to .3, tau of 0 to .5; also where Q is below k - 1."""
    for k in (2, 3, 5, 10, 20):
        for tau in (0.0, 0.1, 0.2, 0.5):
            mean, new, here, below = [], [], [], []
            for _ in range(runs):
                errors, true = rng.uniform(0.1, 0.3, k), rng.normal(0, tau, k)
                found = rng.normal(true, errors)
                pooled = pool_estimates(found, errors)
                own = pool_estimates(found, errors, model="these_sites")
                below.append(pooled.q < k - 1)
                mean.append(pooled.low <= 0 <= pooled.high)
                new.append(pooled.prediction_low <= rng.normal(0, tau) <= pooled.prediction_high)
                here.append(own.low <= true.mean() <= own.high)
            kinds = {"pooled mean": mean, "prediction interval": new, "mean of these sites": here}
            for name, held in kinds.items():
                if k == 2 and held is new:  # none is printed
                    continue
                yield f"{name}, tau {tau:g}", k, held
                kept = [one for one, low in zip(held, below, strict=True) if low]
                if len(kept) >= 50:
                    yield f"{name}, tau {tau:g}, where Q < k - 1", k, kept


def of_studies(rng: np.random.Generator, runs: int) -> Iterator[tuple[str, int, list[bool]]]:
    """Studies of 150 with prevalence 0.3; sensitivity 0.8, specificity 0.9, logit deviation 0.4."""
    for k in (6, 15):
        found = []
        for _ in range(runs):
            ill = rng.binomial(148, 0.3, k) + 1
            tp = rng.binomial(ill, special.expit(special.logit(0.8) + rng.normal(0, 0.4, k)))
            tn = rng.binomial(150 - ill, special.expit(special.logit(0.9) + rng.normal(0, 0.4, k)))
            own = bivariate_summary({"tp": tp, "fn": ill - tp, "tn": tn, "fp": 150 - ill - tn})
            found.append(own.sensitivity[1] <= 0.8 <= own.sensitivity[2])
        yield "bivariate sensitivity", k, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--part", choices=["metrics", "curves", "sites", "studies"])
    asked = parser.parse_args()
    runs = asked.runs
    rng = np.random.default_rng(0)
    few = max(runs // 10, 2)
    print("# Coverage of intervals for prediction models\n")
    print(
        f"`python -m benchmarks.clinical_coverage --runs {runs}`; nominal 95 %, class counts random."
    )
    print("n counts rows, sites or studies; curves are read at the middle 90 % of the risks.\n")
    print("| interval | n | coverage (%) | Monte-Carlo standard error |\n| --- | --- | --- | --- |")
    parts = {
        "metrics": of_metrics(rng, runs),
        "curves": of_curves(rng, few),
        "sites": of_sites(rng, runs),
        "studies": of_studies(rng, few),
    }
    for rows in parts.values() if asked.part is None else [parts[asked.part]]:
        for name, n, held in rows:
            error = np.std(held) / np.sqrt(len(held))
            print(f"| {name} | {n} | {100 * np.mean(held):.1f} | {100 * error:.1f} |", flush=True)


if __name__ == "__main__":
    main()
