"""Coverage of the intervals of prediction models: metrics of risks, smooth curves.

python -m benchmarks.clinical_coverage --runs 1000 > benchmarks/results/clinical_coverage.md
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from scipy import special

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
    for n in (200, 1000):
        points, whole = [], []
        for _ in range(runs):
            y, p = drawn(rng, n)
            for simultaneous, found in ((False, points), (True, whole)):
                curve = reliability_curve(
                    y, p, method="spline", simultaneous=simultaneous, random_state=0
                )
                x = curve.predicted
                inner = (x > np.quantile(x, 0.05)) & (x < np.quantile(x, 0.95))
                truth = special.expit(0.2 + 0.8 * special.logit(x[inner]))
                held = (curve.low[inner] <= truth) & (truth <= curve.high[inner])
                found.append(float(held.mean()) if not simultaneous else bool(held.all()))
        yield "spline, pointwise", n, points
        yield "spline, simultaneous", n, whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--part", choices=["metrics", "curves"])
    asked = parser.parse_args()
    runs = asked.runs
    rng = np.random.default_rng(0)
    few = max(runs // 10, 2)
    print("# Coverage of intervals for prediction models\n")
    print(
        f"`python -m benchmarks.clinical_coverage --runs {runs}`; nominal 95 %, class counts random."
    )
    print("n counts rows; curves are read at the middle 90 % of the risks.\n")
    print("| interval | n | coverage (%) | Monte-Carlo standard error |\n| --- | --- | --- | --- |")
    parts = {
        "metrics": of_metrics(rng, runs),
        "curves": of_curves(rng, few),
    }
    for rows in parts.values() if asked.part is None else [parts[asked.part]]:
        for name, n, held in rows:
            error = np.std(held) / np.sqrt(len(held))
            print(f"| {name} | {n} | {100 * np.mean(held):.1f} | {100 * error:.1f} |", flush=True)


if __name__ == "__main__":
    main()
