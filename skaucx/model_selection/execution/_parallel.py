"""All fits of some runs in one parallel call of joblib, but those that a folder keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.utils.parallel import Parallel, delayed

from .._run_options import Execution
from .._types import Params
from ._cache import Entry, fit_cache
from ._job import Stage


@dataclass(frozen=True, eq=False)
class Job:
    """One fit: its identity and its call.

    ``function`` is called with ``arguments`` and must pickle. ``outer_fold`` is None
    where all data are searched or fitted, ``inner_fold`` outside of the inner loop.
    """

    stage: Stage
    params: Params
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    outer_fold: int | None = None
    inner_fold: int | None = None


def fit_all(jobs: Sequence[Job], n_jobs: int | None, execution: Execution) -> list[Any]:
    """Return what the jobs give, in their order.

    Examples
    --------
    >>> from skaucx.model_selection import Execution
    >>> from skaucx.model_selection.execution._parallel import Job, fit_all
    >>> def power(data, exponent):
    ...     return data**exponent
    >>> jobs = [Job("inner", {}, power, {"data": 3, "exponent": e}) for e in (1, 2)]
    >>> fit_all(jobs, 1, Execution())
    [3, 9]
    """
    cache = fit_cache(execution.memory)
    entries: list[Entry | None] = [None] * len(jobs)
    if cache is not None:
        entries = [cache.entry(job.function, job.arguments) for job in jobs]
    kept = {place: entry.read() for place, entry in enumerate(entries) if entry is not None}
    found = {place: value for place, read in kept.items() for value in read}
    waiting = [place for place in range(len(jobs)) if place not in found]
    fits = Parallel(n_jobs=n_jobs, verbose=execution.verbose)(
        delayed(_fit)(jobs[place].function, jobs[place].arguments, entries[place])
        for place in waiting
    )
    found |= zip(waiting, fits, strict=True)
    return [found[place] for place in range(len(jobs))]


def _fit(function: Callable[..., Any], arguments: Mapping[str, Any], entry: Entry | None) -> Any:
    """Do one job, in a worker, and keep what came of it."""
    value = function(**arguments)
    if entry is not None:
        entry.keep(value)
    return value
