"""Fits with what was chosen inside laid over them, as jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from ..._compat import warn
from .._types import ErrorScore, Rows, Scorer, Split
from ..execution._folds import Outcome, candidate_model, fit_model, score_fit
from ..execution._sample import Sample
from ..results._pool import pool
from ._decision import Decision, DecisionRule
from ._sets import Calibration, ConformalClassifier


@dataclass(frozen=True, eq=False)
class Decided:
    """A fitted model, the same with calibration and threshold, and what gives sets of labels."""

    plain: Any
    model: Any
    decision: Decision
    sets: ConformalClassifier | None

    def shipped(self) -> Any:
        """Return the one object that does all of it."""
        model = self.decision.rejecting(self.model)
        if self.sets is None:
            return model
        self.sets.estimator, self.sets.estimator_ = FrozenEstimator(model), model
        return self.sets


def decide_over(
    plain: Any,
    decision: Decision,
    fresh: Callable[[], Any],
    sample: Sample,
    train: Rows,
    splits: Sequence[Split],
) -> Decided:
    """Lay a decision over a fitted model; sets of labels by "cv+" take a model more a split."""
    model = decision.over(plain, sample.features(train, train), sample.targets(train))
    if decision.sets is None:
        return Decided(plain, model, decision, None)
    models, calibrations = [plain], [decision.strangeness]
    if decision.sets.method == "cv+":
        models = [fit_model(fresh(), sample, part) for part, _ in splits]
        calibrations = [
            _left_out(one, sample, *split) for one, split in zip(models, splits, strict=True)
        ]
    sets = ConformalClassifier(FrozenEstimator(model), **vars(decision.sets))
    return Decided(plain, model, decision, sets.of(model, models, calibrations))


def _left_out(model: Any, sample: Sample, train: Rows, test: Rows) -> Calibration:
    proba = model.predict_proba(sample.features(test, train))
    return Calibration.of(model.classes_, sample.targets(test), proba, sample.weights(test))


def decide_by_folds(
    rule: DecisionRule,
    fresh: Callable[[], Any],
    sample: Sample,
    splits: Sequence[Split],
    scorer: Scorer,
) -> Decision:
    """Find a decision on predictions of test parts that are fitted for it: a model a split."""
    outcomes = []
    for train, test in splits:
        fit = partial(fit_model, fresh(), sample, train)
        outcomes.append(score_fit(fit, sample, train, test, scorer, "raise", keep=rule.reads))
    return rule.decide(pool(sample, [test for _, test in splits], outcomes, rule.positive))


def score_decided(
    estimator: Any,
    params: Mapping[str, Any],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    decision: Decision,
    *,
    splits: Sequence[Split] = (),
    keep: Sequence[str] = (),
) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``, with the decision and without."""
    fresh = partial(candidate_model, estimator, params)

    def fit() -> Decided:
        return decide_over(
            fit_model(fresh(), sample, train), decision, fresh, sample, train, splits
        )

    return score_besides(fit, sample, train, test, scorer, error_score, keep=keep)


def score_besides(
    fit: Callable[[], Decided],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
) -> Outcome:
    """Score what was decided, and beside it the plain model, the accepted rows, and the sets."""
    made: list[Decided] = []

    def decided() -> Any:
        made.append(fit())
        return made[0].model

    outcome = score_fit(decided, sample, train, test, scorer, error_score, keep=keep)
    if not made:
        return outcome
    X, y = sample.features(test, train), sample.targets(test)
    found = made[0]
    plain = outcome.scores
    if found.decision.changes:
        plain = scorer.judge(found.plain, X, y, **sample.score_options(test)).scores
    outcome = replace(outcome, plain=plain)
    if found.decision.least is not None:
        rejected = found.decision.rejecting(found.model).rejected(X)
        outcome = replace(outcome, rejected=rejected, accepted=_accepted(
            found.model, sample, train, test[~rejected], scorer
        ))  # fmt: skip
    return outcome if found.sets is None else replace(outcome, sets=found.sets.predict_set(X))


def _accepted(
    model: Any, sample: Sample, train: Rows, rows: Rows, scorer: Scorer
) -> Mapping[str, float]:
    """Score the rows that were not rejected; nan where none is left."""
    if not len(rows):
        return dict.fromkeys(scorer.names, np.nan)
    X, y = sample.features(rows, train), sample.targets(rows)
    return scorer.judge(model, X, y, **sample.score_options(rows)).scores


def fit_decided(
    model: Any, sample: Sample, rows: Rows, decision: Decision, splits: Sequence[Split] = ()
) -> Any:
    """Fit on some rows and lay the decision over the model."""
    fresh = partial(clone, model)
    return decide_over(
        fit_model(fresh(), sample, rows), decision, fresh, sample, rows, splits
    ).shipped()


def warn_of_infeasible(decisions: Mapping[tuple[int, int], Decision]) -> None:
    """Warn of thresholds that do not keep to their constraints, where none would."""
    folds = sorted(
        {fold for (fold, _), d in decisions.items() if d.cut is not None and not d.cut.feasible}
    )
    if folds:
        warn(
            f"No threshold keeps to the constraints on the inner predictions of outer folds {folds}; "
            "the nearest was taken there."
        )
