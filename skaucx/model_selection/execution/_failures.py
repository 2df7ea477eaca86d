"""Fits that gave no score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..._text.tables import parameters
from .._types import Params
from ._folds import Outcome
from ._job import Job, Stage


@dataclass(frozen=True, eq=False)
class FailedFit:
    """A fit that raised, killed its worker process or took too long.

    Attributes
    ----------
    stage : {"inner", "outer", "search"}
        Whether an inner fit failed, the refit of an outer fold's winner, or a fold's whole search
        where it ran by itself; ``params`` is empty then.
    outer_fold : int or None
        None for the search on all data.
    inner_fold : int or None
        None for a refit.
    params : dict
    error : str
        The exception in one line.
    traceback : str
    """

    stage: Stage
    outer_fold: int | None
    inner_fold: int | None
    params: Params
    error: str
    traceback: str


def failed_fits(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> Iterator[FailedFit]:
    """Yield the failed ones among the jobs with these outcomes."""
    for job, outcome in zip(jobs, outcomes, strict=True):
        if outcome.failure is not None:
            yield FailedFit(
                job.stage, job.outer_fold, job.inner_fold, job.params, outcome.error or "",
                outcome.failure,
            )  # fmt: skip


def described(failures: Sequence[FailedFit], n_inner: Sequence[int]) -> list[str]:
    """Return a sentence for each candidate that failed: how often, where, and its first error."""
    sentences = [
        f"The search of outer fold {failed.outer_fold} failed: {_one_line(failed.error)}"
        for failed in failures
        if failed.stage == "search"
    ]
    failures = [failed for failed in failures if failed.stage != "search"]
    for params in {id(failed.params): failed.params for failed in failures}.values():
        mine = [failed for failed in failures if failed.params is params]
        places = ", ".join([*_inner_places(mine, n_inner), *_refit_places(mine)])
        error = _one_line(mine[0].error)
        sentences.append(f"Candidate {parameters(params)} failed {places}: {error}")
    return sentences


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _inner_places(failures: Sequence[FailedFit], n_inner: Sequence[int]) -> Iterator[str]:
    folds = [failed.outer_fold for failed in failures if failed.stage == "inner"]
    for fold in dict.fromkeys(folds):
        if fold is None:
            yield f"on {folds.count(fold)} inner folds of the search on all data"
        else:
            yield f"on {folds.count(fold)} of {n_inner[fold]} inner folds of outer fold {fold}"


def _refit_places(failures: Sequence[FailedFit]) -> Iterator[str]:
    return (f"in the refit of outer fold {f.outer_fold}" for f in failures if f.stage == "outer")
