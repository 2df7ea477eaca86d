"""How often the verdict names a known fault, and how often it raises an alarm without one.

``python -m benchmarks.verdicts --seed 1000`` prints the table; class counts are random.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np
from scipy import special
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import nested_cross_validate
from skaucx.reports import verdict

from .machine import heading

N = 3000
LETTERS = np.array(list("ABCDEF"))


class Draw:
    """A population of risks: outcomes, and so class counts, are random."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.logit = self.rng.normal(-1.5, 1.3, N)
        self.risk = special.expit(self.logit)
        self.ill = self.occurring(self.risk)
        self.site = self.rng.choice(LETTERS[:5], N)

    def occurring(self, risk):
        return (self.rng.random(N) < risk).astype(int)

    def of(self, ill=None, risk=None, threshold=0.2, **more):
        ill, risk = (self.ill if ill is None else ill), (self.risk if risk is None else risk)
        return verdict(ill, y_score=risk, threshold=threshold, **more)

    def classes(self, failing=None):
        true = self.rng.integers(0, 6, N)
        called = np.where(self.rng.random(N) < 0.75, true, (true + self.rng.integers(1, 6, N)) % 6)
        if failing is not None:
            called[(true == failing) & (self.rng.random(N) < 0.4)] = (failing + 1) % 6
        return verdict(LETTERS[true], LETTERS[called])


def twice_too_high(d):
    return d.of(ill=d.occurring(d.risk / 2), threshold=0.1)


def too_low(d):
    return d.of(ill=d.occurring(np.minimum(1.6 * d.risk, 1)))


def overconfident(d):
    return d.of(ill=d.occurring(special.expit(-1.1 + 0.6 * (d.logit + 1.5))), threshold=0.25)


def underconfident(d):
    return d.of(risk=special.expit(-1.25 + 0.6 * (d.logit + 1.5)))


def useless_at_its_threshold(d):
    return d.of(threshold=0.005, risk=np.where(d.risk < 0.1, d.risk / 40, d.risk))


def chance(d):
    return d.of(risk=d.rng.permutation(d.risk), threshold=None)


def one_failing_site(d):
    risk = np.where(d.site == "C", d.rng.permutation(d.risk), d.risk)
    return d.of(risk=risk, by={"site": d.site})


def risks_of_one_site(d):
    risk = np.where(d.site == "B", 0.45 * d.risk, d.risk)
    return d.of(risk=risk, by={"site": d.site})


def one_failing_class(d):
    return d.classes(failing=3)


def tuning_optimism(d):
    """Copies of a row lie in several inner folds, but in one outer fold."""
    patient = np.repeat(np.arange(80), 4)
    X, y = d.rng.normal(size=(80, 4))[patient], d.rng.integers(0, 2, 80)[patient]
    return nested_cross_validate(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 8]}, X, y, scoring="roc_auc",
        pos_label=1, outer_cv=list(GroupKFold(4).split(X, y, patient)),
        inner_cv=StratifiedKFold(3, shuffle=True, random_state=0),
    ).verdict()  # fmt: skip


def calibrated_and_useful(d):
    return d.of(by={"site": d.site})


def equal_classes(d):
    return d.classes()


FAULTS = {
    twice_too_high: "risks too high",
    too_low: "risks too low",
    overconfident: "risks overconfident",
    underconfident: "risks underconfident",
    useless_at_its_threshold: "worse than treating all",
    chance: "risks overconfident",
    one_failing_site: "site C",
    risks_of_one_site: "site B",
    one_failing_class: "class D",
    tuning_optimism: "tuning optimism",
    calibrated_and_useful: None,
    equal_classes: None,
}


def main():
    """Print a row a data set: the fault, how often it is named, and how often there is any alarm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1000, help="of the first draw")
    parser.add_argument("--draws", type=int, default=300, help="a data set; a tenth of nested runs")
    given = parser.parse_args()
    print(heading("The verdict of generated data sets"))
    print("| data set | fault | named | any alarm |")
    print("|---|---|---|---|")
    for make, fault in FAULTS.items():
        draws = max(given.draws // 10, 1) if make is tuning_optimism else given.draws
        seen = Counter()
        for seed in range(draws):
            alarms = make(Draw(given.seed + seed)).alarms
            seen.update(named=int(fault in alarms), alarm=int(bool(alarms)))
        named = f"{seen['named']} of {draws}" if fault else ""
        name = make.__name__.replace("_", " ")
        print(f"| {name} | {fault or 'none'} | {named} | {seen['alarm']} of {draws} |")


if __name__ == "__main__":
    main()
