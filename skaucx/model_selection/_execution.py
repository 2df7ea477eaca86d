"""Runs many fits in one pool of joblib's current backend and keeps their results in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

from sklearn.utils.parallel import Parallel, delayed

from ._folds import Sample
from ._types import Params

Stage = Literal["inner", "outer", "final"]


@dataclass(frozen=True, eq=False)
class Job:
    """One fit: which it is, what to call, and what stands for its result if it is given up.

    ``function`` is called with ``arguments`` and ``sample``, and must pickle. ``outer_fold`` is None
    where all data are searched or fitted, ``inner_fold`` outside of the inner loop. ``instead`` gets
    the error in one line and the traceback; without it, a fit that is given up raises.
    """

    stage: Stage
    params: Params
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    outer_fold: int | None = None
    inner_fold: int | None = None
    instead: Callable[[str, str], Any] | None = None


class FitExecutor:
    """A pool for all fits on one sample."""

    def __init__(self, sample: Sample, *, n_jobs: int | None = None, verbose: int = 0) -> None:
        self.sample = sample
        self._parallel = Parallel(n_jobs=n_jobs, verbose=verbose)

    def __enter__(self) -> FitExecutor:
        self._parallel.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._parallel.__exit__(kind, error, trace)

    def run(self, jobs: Sequence[Job]) -> list[Any]:
        """Return what the functions of the jobs return, in the order of the jobs."""
        calls = (delayed(job.function)(sample=self.sample, **job.arguments) for job in jobs)
        return list(self._parallel(calls))
