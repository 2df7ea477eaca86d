"""Coverage of nominal 95 % intervals of survival metrics, and the time that Harrell's C takes.

``python -m benchmarks.survival`` simulates 20, 50 and 80 % of censoring with 100 and 300 rows (three
minutes on one core) and prints the tables in Markdown; ``--runs`` sets the samples of a cell,
``--drawn`` those of the metric whose interval is drawn, BCa of 199 resamples. ``--speed`` times
Harrell's C of 10^5 rows against scikit-survival, where that is installed, instead.

The time until the event is exponential with rate exp(x) of a normal x, that until censoring exponential
with the rate that gives the share. The risk is x with noise, the survival function that of 1.2 x. The
horizon is the time that 60 % of the rows have reached. The target is the value on 200,000 rows: of
Harrell's C with their censoring, of all others without.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from skaucx.inference import interval
from skaucx.metrics._registry.declare import get_metric
from skaucx.survival import harrell_c_score

from .machine import machine, sentence
from .measure import ratio_of_times

SIZES, SHARES = (100, 300), (0.2, 0.5, 0.8)
LARGE = 200_000
AT_HORIZON = {
    "harrell_c": (),
    "uno_c": ("tau",),
    "cumulative_dynamic_auc": ("horizon",),
    "integrated_cumulative_dynamic_auc": ("times",),
    "survival_brier_loss": ("horizon",),
    "integrated_survival_brier_loss": ("times",),
    "survival_r2": ("horizon",),
    "survival_oe_ratio": ("horizon",),
    "survival_net_benefit": ("horizon", "threshold"),
    "survival_calibration_slope": ("horizon",),
    "royston_d": (),
}
DRAWN = ("royston_d",)
Rows = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.survival", description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--drawn", type=int, default=25)
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    if options.speed:
        speed()
    else:
        coverage(options.runs, options.drawn)


def coverage(runs: int, drawn: int) -> None:
    """Print a row a metric, a column a cell."""
    warnings.simplefilter("ignore")
    cells = [(n, share) for share in SHARES for n in SIZES]
    settings = {share: Setting(share) for share in SHARES}
    heads = [f"{100 * share:g} %, {n}" for n, share in cells]
    print(f"{runs} runs a cell, {drawn} of the last: per cent covered\n")
    print(f"| censored, rows | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for name, share_of in (("events", "events"), ("events up to the horizon", "early")):
        row = [f"{n * getattr(settings[share], share_of):.0f}" for n, share in cells]
        print(f"| expected {name} | {' | '.join(row)} |")
    for name in AT_HORIZON:
        many = drawn if name in DRAWN else runs
        found = [settings[share].covered(name, n, many) for n, share in cells]
        print(f"| {name} | {' | '.join(f'{100 * each:.1f}' for each in found)} |", flush=True)


class Setting:
    """A share of censoring with its horizon, its parameters, and the values of the population."""

    def __init__(self, share: float) -> None:
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        rates, weights = np.exp(nodes), weights / weights.sum()
        self.rate = optimize.brentq(lambda c: weights @ (c / (c + rates)) - share, 1e-6, 1e3)
        rng = np.random.default_rng(0)
        censored, _, _ = self.draw(rng, LARGE)
        self.horizon = float(np.quantile(censored[:, 0], 0.6))
        self.times = self.horizon * np.array([0.25, 0.5, 0.75, 1])
        early = censored[:, 0] <= self.horizon
        self.events, self.early = censored[:, 1].mean(), (censored[:, 1] * early).mean()
        self.rows = {
            True: self.draw(rng, LARGE),
            False: self.draw(rng, LARGE, censoring=False),
        }

    def draw(self, rng: np.random.Generator, n: int, *, censoring: bool = True) -> Rows:
        """Draw times with events, risks, and the exponents of survival functions."""
        x = rng.normal(size=n)
        time = rng.exponential(np.exp(-x))
        end = rng.exponential(1 / self.rate, n) if censoring else np.full(n, np.inf)
        y = np.column_stack([np.minimum(time, end), time <= end])
        return y, x + 0.5 * rng.normal(size=n), np.exp(1.2 * x)

    def options(self, name: str) -> dict[str, Any]:
        """Return the parameters of a metric."""
        known = {"tau": self.horizon, "horizon": self.horizon, "times": self.times}
        known["threshold"] = 0.3
        return {each: known[each] for each in AT_HORIZON[name]}

    def arrays(self, name: str, rows: Rows) -> tuple[Any, Any]:
        """Return what a metric reads of the rows."""
        y, risk, rate = rows
        if get_metric(name).metric.kind.inputs.argument == "y_score":
            return y, risk
        at = self.times if "times" in AT_HORIZON[name] else self.times[-1:]
        return y, np.exp(-np.outer(rate, at))

    def covered(self, name: str, n: int, runs: int) -> float:
        """Return how often the interval holds the value of the population."""
        options, rng = self.options(name), np.random.default_rng(n)
        truth = get_metric(name)(
            *self.arrays(name, self.rows[name in ("harrell_c", "royston_d")]), **options
        )
        held = []
        for _ in range(runs):
            arrays = self.arrays(name, self.draw(rng, n))
            found = interval(name, *arrays, n_resamples=199, random_state=0, **options)
            held.append(truth in found)
        return float(np.mean(held)) if held else np.nan


def speed() -> None:
    """Print the time of Harrell's C and its ratio to that of scikit-survival."""
    from sksurv.metrics import concordance_index_censored

    rng = np.random.default_rng(0)
    y, risk, _ = Setting(0.5).draw(rng, 100_000)
    time, event = y[:, 0], y[:, 1] == 1
    ours, theirs = ratio_of_times(
        lambda: harrell_c_score(y, risk), lambda: concordance_index_censored(event, time, risk)
    )
    print(
        "| work | against | ours (ms) | theirs (ms) | ratio | wanted |\n|---|---|---|---|---|---|"
    )
    print(
        f"| Harrell's C of 10^5 rows | scikit-survival | {ours:.0f} | {theirs:.0f} "
        f"| {ours / theirs:.3f} | 0.05 |\n\n{sentence(machine())}"
    )


if __name__ == "__main__":
    main()
