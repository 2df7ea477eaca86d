"""Fits that gave no score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sklearn.exceptions import FitFailedWarning

from ..._compat import warn
from ..._text.plain import parameters
from .._types import ErrorScore, Params
from ._job import Failure, Outcome, Stage
from ._parallel import Job

MOST_TRACEBACKS = 5


@dataclass(frozen=True, eq=False)
class FailedFit:
    """A fit or a score that raised.

    Attributes
    ----------
    stage : {"inner", "outer", "search"}
        Whether an inner fit failed, the refit of an outer fold's winner, or the separate search of
        a fold, for which ``params`` is empty.
    outer_fold : int or None
        None for the search on all data.
    inner_fold : int or None
        None for a refit.
    params : dict
    error : str
        The exception in one line.
    traceback : str
    metric : str or None
        The metric that raised; None where the fit or its predictions failed.
    """

    stage: Stage
    outer_fold: int | None
    inner_fold: int | None
    params: Params
    error: str
    traceback: str
    metric: str | None = None


class NothingFittedError(ValueError):
    """No fit of a run succeeded; `first` is the first error in one line."""

    def __init__(self, message: str, first: str) -> None:
        super().__init__(message)
        self.first = first


def first_error(error: Exception) -> str:
    """Return the first error of the fits of a run that raised, in one line, with what helps."""
    reported = (
        error.first if isinstance(error, NothingFittedError) else f"{type(error).__name__}: {error}"
    )
    return one_line(reported) + _advice(reported)


def _advice(error: str) -> str:
    """Return the advice for estimators that accept numeric labels only, such as XGBoost's."""
    if "Invalid classes inferred" not in error:
        return ""
    return (
        " This estimator takes the labels 0 to K - 1 only: pass "
        "y=sklearn.preprocessing.LabelEncoder().fit_transform(y), and pos_label as such a number."
    )


def failed_fits(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> Iterator[FailedFit]:
    """Yield what failed of the jobs with these outcomes."""
    for job, outcome in zip(jobs, outcomes, strict=True):
        for metric, failed in _failures(outcome):
            yield FailedFit(
                job.stage, job.outer_fold, job.inner_fold, job.params, failed.error,
                failed.traceback, metric,
            )  # fmt: skip


def _failures(outcome: Outcome) -> Iterator[tuple[str | None, Failure]]:
    if outcome.failure is not None:
        yield None, outcome.failure
    yield from outcome.unscored.items()


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
    if failed and len(failed) == len(outcomes):
        first = failed[0].error
        raise NothingFittedError(
            f"All {len(outcomes)} {kind} fits or their predictions failed. "
            f"{one_line(first)}{_advice(first)}\n{_shown(failed)}",
            first,
        )
    if failed:
        warn(
            f"{len(failed)} of {len(outcomes)} {kind} fits or their predictions failed and count "
            f"as error_score={error_score}; error_score='raise' stops at the first. "
            f"{one_line(failed[0].error)}\n{_shown(failed)}",
            FitFailedWarning,
        )
    names = {name: None for outcome in outcomes for name in outcome.unscored}
    for name in names:
        raised = [outcome.unscored[name] for outcome in outcomes if name in outcome.unscored]
        text = f"The metric {name!r} raised after {len(raised)} of {len(outcomes)} {kind} fits"
        if name in choosing and len(raised) + len(failed) == len(outcomes):
            first = raised[0].error.removesuffix(".")
            reported = f"{text}, so that nothing can be chosen by it. {first}.\n{_shown(raised)}"
            raise NothingFittedError(reported, (failed + raised)[0].error)
        warn(f"{text} and counts as error_score={error_score} there.\n{_shown(raised)}")


def _shown(failures: Iterable[Failure]) -> str:
    """Return the first distinct tracebacks with their counts."""
    counts = Counter(failure.traceback for failure in failures)
    shown = list(counts.items())[:MOST_TRACEBACKS]
    lines = [f"{times} times:\n{trace}" for trace, times in shown]
    if len(counts) > len(shown):
        lines.append(f"and {len(counts) - len(shown)} other tracebacks")
    return "\n".join(lines)


def described(failures: Sequence[FailedFit], n_inner: Sequence[int]) -> list[str]:
    """Return a sentence for each candidate that failed: how often, where, and its first error."""
    sentences = [
        f"The search of outer fold {failed.outer_fold} "
        f"{'failed' if failed.metric is None else f'got no {failed.metric}'}: "
        f"{one_line(failed.error)}"
        for failed in failures
        if failed.stage == "search"
    ]
    fits = [failed for failed in failures if failed.stage != "search"]
    for params, metric in {(id(f.params), f.metric): (f.params, f.metric) for f in fits}.values():
        mine = [failed for failed in fits if failed.params is params and failed.metric == metric]
        places = ", ".join([*_inner_places(mine, n_inner), *_refit_places(mine)])
        error = one_line(mine[0].error)
        subject = f"Candidate {parameters(params)}"
        subject += " failed" if metric is None else f" got no {metric}"
        sentences.append(f"{subject} {places}: {error}")
    return sentences


def one_line(text: str) -> str:
    """Return a text on one line."""
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
