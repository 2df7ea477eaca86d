"""Fits that gave no score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import FitFailedWarning

from ..._compat import warn
from ..._text.plain import count, parameters
from .._types import ErrorScore, Params
from ._job import Failure, Outcome, Stage
from ._parallel import Job


@dataclass(frozen=True, eq=False)
class FailedFit(Failure):
    """A fit or a score that raised.

    Attributes
    ----------
    error : str
        The exception in one line.
    traceback : str
    stage : {"inner", "outer", "search"}
        Whether an inner fit failed, the refit of an outer fold's winner, or the separate search of
        a fold, for which ``params`` is empty.
    outer_fold : int or None
        None for the search on all data.
    inner_fold : int or None
        None for a refit.
    params : dict
    metric : str or None
        The metric that raised; None where the fit or its predictions failed.
    """

    stage: Stage
    outer_fold: int | None
    inner_fold: int | None
    params: Params
    metric: str | None = None


# What helps where an error holds these words.
_ADVICE = {
    "Invalid classes inferred": " This estimator takes the labels 0 to K - 1 only: pass "
    "y=sklearn.preprocessing.LabelEncoder().fit_transform(y), and pos_label as such a number.",
    "argument 'sample_weight'": " Set weight_fits=False of Execution to weight the scores alone.",
}


def failed_fits(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> list[FailedFit]:
    """Return what failed of the jobs with these outcomes."""
    found = []
    for job, outcome in zip(jobs, outcomes, strict=True):
        failed: list[tuple[str | None, Failure]] = [*outcome.unscored.items()]
        if outcome.failure is not None:
            failed.append((None, outcome.failure))
        found += [
            FailedFit(
                each.error, each.traceback, job.stage, job.outer_fold, job.inner_fold, job.params,
                metric,
            )
            for metric, each in failed
        ]  # fmt: skip
    return found


def warn_of_failures(
    outcomes: Sequence[Outcome],
    kind: str,
    error_score: ErrorScore,
    *,
    choosing: Sequence[str] = (),
) -> None:
    """Warn once of all failed fits, and once of each metric that raised after good fits.

    Raises
    ------
    ValueError
        If every fit failed, or a metric that chooses raised after each: nothing is left to choose
        from or to report.
    """
    failed = [outcome.failure for outcome in outcomes if outcome.failure is not None]
    if failed:
        first, n = one_line(failed[0].error), len(outcomes)
        first += "".join(advice for words, advice in _ADVICE.items() if words in first)
        if len(failed) == n:
            raise ValueError(
                f"All {n} {kind} fits or their predictions failed. {first}\n{failed[0].traceback}"
            )
        warn(
            f"{len(failed)} of {n} {kind} fits or their predictions failed and count as "
            f"error_score={error_score}; error_score='raise' stops at the first. {first}\n"
            f"{failed[0].traceback}",
            FitFailedWarning,
        )
    for name in dict.fromkeys(name for outcome in outcomes for name in outcome.unscored):
        raised = [outcome.unscored[name] for outcome in outcomes if name in outcome.unscored]
        text = f"The metric {name!r} raised after {len(raised)} of {len(outcomes)} {kind} fits"
        if name in choosing and len(raised) + len(failed) == len(outcomes):
            first = one_line(raised[0].error).removesuffix(".")
            raise ValueError(
                f"{text}, so that nothing can be chosen by it. {first}.\n{raised[0].traceback}"
            )
        warn(f"{text} and counts as error_score={error_score} there.\n{raised[0].traceback}")


def described(failures: Sequence[FailedFit]) -> list[str]:
    """Return a sentence for each candidate that failed: how often, and the first error."""
    alike: dict[Any, list[FailedFit]] = {}
    for failed in failures:
        key = parameters(failed.params), failed.metric, failed.stage
        alike.setdefault(key, []).append(failed)
    return [
        f"Candidate {candidate} {'failed' if metric is None else f'got no {metric}'} in "
        f"{count(len(mine), f'{mine[0].stage} fit')}: {one_line(mine[0].error)}"
        for (candidate, metric, _), mine in alike.items()
    ]


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())
