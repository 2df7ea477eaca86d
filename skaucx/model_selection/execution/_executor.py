"""Runs many fits in one pool of joblib's current backend, and loses none of their results."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from types import TracebackType
from typing import Any

import joblib
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from ..._compat import LokyBackend, arrival_order, asked_jobs, temporary_folder, worker_deaths
from ._batch import Batch, Costs
from ._cache import Entry, fit_cache
from ._job import Done, Job, Task, Watch, perform_all
from ._progress import Lines, Watcher
from ._sample import Sample

# Fits are sent to a worker together until they take so long.
_SENT_SECONDS = 0.05


class FitExecutor:
    """A pool for all fits on some samples; use it in a ``with`` statement.

    Large arrays of the samples are written to shared memory once and mapped by every worker.

    Parameters
    ----------
    samples : sequence of Sample
    n_jobs : int, optional
    verbose : int, default=0
    memory : str, path or joblib.Memory, optional
        Where finished fits are kept.
    fit_timeout : float, optional
        Seconds after which a fit is given up.
    watchers : sequence of Watcher
        Are told how far a batch is.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        memory: Any = None,
        fit_timeout: float | None = None,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        self._samples = samples
        self._n_jobs = n_jobs
        self._cache = fit_cache(memory)
        self._fit_timeout = fit_timeout
        self._watchers = [*watchers, Lines(verbose)] if verbose > 0 else list(watchers)
        self._costs = Costs()
        self._stack = ExitStack()

    def __enter__(self) -> FitExecutor:
        with ExitStack() as stack:
            self._backend = stack.enter_context(_backend(self._samples))
            local = isinstance(self._backend, LokyBackend)
            self._workers = joblib.effective_n_jobs(self._n_jobs)
            self._watched = local and self._workers > 1
            self._check_timeout()
            if self._watched:
                self._folder = stack.enter_context(temporary_folder())
            self._open_pool()
            stack.callback(self._close_pool)
            self._stack = stack.pop_all()
        return self

    def _check_timeout(self) -> None:
        if self._fit_timeout is not None and not self._watched:
            raise ValueError(
                "fit_timeout needs worker processes that can be ended: joblib's backend 'loky' with "
                f"n_jobs of 2 or more; found {type(self._backend).__name__} with "
                f"n_jobs={self._n_jobs}."
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def run(self, jobs: Sequence[Job], what: str) -> list[Any]:
        """Return what the functions of the jobs return, in the order of the jobs."""
        watch = Watch.over(len(jobs), self._folder, self._fit_timeout) if self._watched else None
        entries = [self._entry(job) for job in jobs]
        stream = partial(self._stream, jobs)
        batch = Batch(jobs, entries, stream, watch, self._costs, self._watchers)
        return batch.run(what)

    def _entry(self, job: Job) -> Entry | None:
        if self._cache is None:
            return None
        return self._cache.entry(job.function, job.arguments, job.sample)

    def _stream(self, jobs: Sequence[Job], tasks: Iterator[Task]) -> Iterator[Done]:
        """Yield results as they arrive, in no particular order."""
        try:
            done = self._parallel(
                delayed(perform_all)(some, sample=jobs[some[0].index].sample)
                for some in self._grouped(jobs, tasks)
            )
            try:
                yield from chain.from_iterable(done)
            finally:
                _close(done)
        except worker_deaths():
            self._close_pool()
            self._open_pool()
            raise

    def _grouped(self, jobs: Sequence[Job], tasks: Iterator[Task]) -> Iterator[list[Task]]:
        """Yield what is sent together: short fits on one sample, fewer and fewer towards the end."""
        left, some = len(jobs), list[Task]()
        for task in tasks:
            alike = some and jobs[some[0].index].sample is jobs[task.index].sample
            if some and not (alike and len(some) < self._at_once(left)):
                yield some
                left, some = left - len(some), []
            some.append(task)
        if some:
            yield some

    def _at_once(self, left: int) -> int:
        """Return how many of the fits that are left hide the cost of sending them."""
        seconds = self._costs.mean()
        if not (self._workers > 1 and seconds > 0):
            return 1
        return min(int(_SENT_SECONDS / seconds) + 1, -(-left // (2 * self._workers)))

    def _open_pool(self) -> None:
        order = arrival_order(self._backend)
        self._parallel = Parallel(**asked_jobs(self._n_jobs), return_as=order, batch_size=1)
        self._parallel.__enter__()

    def _close_pool(self) -> None:
        self._parallel.__exit__(None, None, None)


def _close(results: Any) -> None:
    """Stop what has not arrived; joblib would warn of it."""
    if hasattr(results, "close"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.close()


@contextmanager
def _backend(samples: Sequence[Sample]) -> Iterator[Any]:
    """Yield joblib's current backend; one of Dask with the samples on every worker.

    So they outlive a worker, and are not sent again with each fit.
    """
    backend, n_jobs = get_active_backend()
    if not hasattr(backend, "data_futures"):
        yield backend
        return
    options = {
        **backend.submit_kwargs,
        "wait_for_workers_timeout": backend.wait_for_workers_timeout,
    }
    with joblib.parallel_config(
        "dask", n_jobs=n_jobs, client=backend.client, scatter=list(samples), **options
    ):
        yield get_active_backend()[0]
