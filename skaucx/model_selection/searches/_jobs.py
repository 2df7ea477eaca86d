"""The fit of a candidate and its scores, as a job."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._types import Params, Scorer, Split
from ..decisions._fits import score_decided
from ..execution._folds import failed_outcome, score_candidate
from ..execution._job import Job, Stage
from ..execution._sample import Sample
from ._procedure import Procedure


def scoring_job(
    procedure: Procedure,
    sample: Sample,
    scorer: Scorer,
    stage: Stage,
    params: Params,
    split: Split,
    outer_fold: int | None,
    inner_fold: int | None = None,
    **options: Any,
) -> Job:
    """Describe the fit of a candidate on one part of a split and its scores on the other."""
    train, test = split
    arguments = {
        "estimator": procedure.estimator,
        "params": params,
        "train": train,
        "test": test,
        "scorer": scorer,
        "error_score": procedure.error_score,
        **options,
    }
    instead = None
    if procedure.error_score != "raise":
        instead = partial(failed_outcome, names=scorer.names, error_score=procedure.error_score)
    function = score_decided if "decision" in options else score_candidate
    return Job(stage, params, function, arguments, sample, outer_fold, inner_fold, instead)
