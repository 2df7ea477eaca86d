"""Fits with a calibration and a threshold laid over them, as jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..._compat import warn
from .._types import ErrorScore, Rows, Scorer
from ..execution._folds import Outcome, candidate_model, fit_model, score_fit
from ..execution._sample import Sample
from ._decision import Decision


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
    keep: Sequence[str] = (),
) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``, with the decision and without."""
    fitted = []

    def fit() -> Any:
        fitted.append(fit_model(candidate_model(estimator, params), sample, train))
        return decision.over(fitted[0], sample.features(train, train), sample.targets(train))

    outcome = score_fit(fit, sample, train, test, scorer, error_score, keep=keep)
    if not fitted:
        return outcome
    plain = scorer.judge(
        fitted[0],
        sample.features(test, train),
        sample.targets(test),
        **sample.score_options(test),
    )
    return replace(outcome, plain=plain.scores)


def fit_decided(model: Any, sample: Sample, rows: Rows, decision: Decision) -> Any:
    """Fit on some rows and lay the decision over the model."""
    fitted = fit_model(model, sample, rows)
    return decision.over(fitted, sample.features(rows, rows), sample.targets(rows))


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
