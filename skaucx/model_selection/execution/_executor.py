"""Runs many fits in one pool of joblib's current backend, and loses none of their results."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

import joblib
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from ..._compat import (
    LokyBackend,
    arrival_order,
    job_option,
    temporary_folder,
    warn,
    worker_deaths,
    works_alone,
)
from ..._progress import Lines, Watcher
from .._run_options import Execution
from ._cache import DamagedEntry, Entry, fit_cache
from ._dataset import Dataset
from ._job import Done, Failure, Job, Task, Watch, perform_all

Stream = Callable[[Iterator[Task]], Iterator[Done]]


class Costs:
    """Mean seconds that the fits of each candidate took; jobs of one candidate share its dict."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}
        self._counts: Counter[int] = Counter()
        self._total, self._count = 0.0, 0

    def add(self, job: Job, seconds: float) -> None:
        key = id(job.params)
        self._counts[key] += 1
        self._seconds[key] = self._seconds.get(key, 0.0) + seconds
        self._total, self._count = self._total + seconds, self._count + 1

    def of(self, job: Job, otherwise: float) -> float:
        """Return the mean, or ``otherwise`` for a candidate of which no fit has ended."""
        key = id(job.params)
        return self._seconds[key] / self._counts[key] if key in self._seconds else otherwise

    def mean(self) -> float:
        """Return the mean over all fits; nan before the first."""
        return self._total / self._count if self._count else float("nan")


class Batch:
    """Runs jobs until each has a result.

    After the death of a worker all that was lost is sent again, except the jobs that were running:
    these are suspects and are tried again at the end, one by one. One that then kills its worker
    again counts as failed.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        entries: Sequence[Entry | None],
        stream: Stream,
        watch: Watch | None,
        costs: Costs,
        watchers: Sequence[Watcher],
    ) -> None:
        self._jobs = jobs
        self._entries = entries
        self._stream = stream
        self._watch = watch
        self._costs = costs
        self._watchers = watchers
        self._results: dict[int, Any] = {}
        self._suspects: list[int] = []
        self._sent: list[int] = []
        self._seconds = 0.0
        self._start = self._last = time.monotonic()

    def run(self, what: str) -> list[Any]:
        """Return the results in the order of the jobs."""
        for watcher in self._watchers:
            watcher.begin(what, len(self._jobs))
        for index, entry in enumerate(self._entries):
            if entry is not None and entry.found():
                self._take_kept(index, entry)
        while waiting := self._waiting():
            self._send(waiting)
        while self._suspects:
            self._send([self._suspects.pop()], alone=True)
        for watcher in self._watchers:
            watcher.end()
        return [self._results[index] for index in range(len(self._jobs))]

    def _take_kept(self, index: int, entry: Entry) -> None:
        try:
            self._keep(index, entry.load())
        except DamagedEntry as error:
            warn(
                f"What memory keeps of {self._jobs[index]} cannot be read ({error}); it is fitted "
                "again."
            )

    def _waiting(self) -> list[int]:
        settled = self._results.keys() | set(self._suspects)
        return [index for index in range(len(self._jobs)) if index not in settled]

    def _keep(self, index: int, value: Any) -> None:
        self._results[index] = value
        for watcher in self._watchers:
            watcher.arrived(
                len(self._results), len(self._jobs), self._remaining, self._jobs[index], value
            )

    def _send(self, waiting: list[int], *, alone: bool = False) -> None:
        self._sent = []
        before = len(self._results)
        try:
            for done in self._stream(self._tasks(waiting)):
                self._arrive(done)
        except worker_deaths() as death:
            now = time.monotonic()
            self._start, self._last = self._start + now - self._last, now
            lost = self._lost()
            if not lost and before == len(self._results):
                raise
            if self._watch is not None:
                for index in lost:
                    self._watch.forget(index)
            self._suspect(lost, death, alone=alone)

    def _arrive(self, done: Done) -> None:
        self._last = time.monotonic()
        if not self._seconds:
            self._start = self._last - done.seconds
        self._costs.add(self._jobs[done.index], done.seconds)
        self._seconds += done.seconds
        self._keep(done.index, done.value)

    def _tasks(self, waiting: list[int]) -> Iterator[Task]:
        for index in self._by_cost(waiting):
            job = self._jobs[index]
            self._sent.append(index)
            yield Task(index, job.function, job.arguments, self._watch, self._entries[index])

    def _by_cost(self, waiting: list[int]) -> Iterable[int]:
        """Yield a first fit of each candidate of unknown cost, then the others, most expensive first.

        Fits that are sent to a worker together come fold by fold, and are scored together.
        Sorted when the first fits are on their way: a candidate whose first fit has not yet come
        back counts as the most expensive. So no worker is left with a long fit when the others are done.
        """
        firsts: dict[int, int] = {}
        for index in waiting:
            if self._costs.of(self._jobs[index], -1.0) < 0:
                firsts.setdefault(id(self._jobs[index].params), index)
        yield from firsts.values()
        begun = set(firsts.values())
        rest = [index for index in waiting if index not in begun]
        if self._costs.mean() < _SENT_SECONDS:
            yield from sorted(rest, key=lambda i: self._jobs[i].place)
        else:
            yield from sorted(rest, key=lambda i: -self._costs.of(self._jobs[i], float("inf")))

    def _remaining(self) -> float:
        """Return seconds left: elapsed time times expected over finished seconds of fits.

        Time begins with the first fit, not with the start of the workers, and stands still while
        nothing but lost work is done.
        """
        mean = self._costs.mean()
        expected = sum(
            self._costs.of(job, mean)
            for index, job in enumerate(self._jobs)
            if index not in self._results
        )
        elapsed = time.monotonic() - self._start
        return elapsed * expected / self._seconds if self._seconds else float("nan")

    def _lost(self) -> list[int]:
        """Return the jobs that were running when a worker died, if known, or all that were sent."""
        lost = [index for index in self._sent if index not in self._results]
        return lost if self._watch is None else self._watch.running(lost)

    def _suspect(self, lost: list[int], death: BaseException, *, alone: bool) -> None:
        """Try jobs again later; one that was alone has killed its worker."""
        if not alone:
            self._suspects += lost
            return
        error = RuntimeError(f"{self._jobs[lost[0]]} killed its worker process twice")
        self._give_up(lost[0], error, str(death))

    def _give_up(self, index: int, error: Exception, trace: str) -> None:
        job = self._jobs[index]
        if job.instead is None:
            raise error
        text = f"{type(error).__name__}: {error}"
        self._keep(index, job.instead(Failure(text, f"{text}\n{trace}")))


# Fits are sent to a worker together until they take so long.
_SENT_SECONDS = 0.05


class FitExecutor:
    """A pool for all fits on some datasets; use it in a ``with`` statement.

    Large arrays of the datasets are written to shared memory once and mapped by every worker.

    Parameters
    ----------
    datasets : sequence of Dataset
    n_jobs : int, optional
    execution : Execution, optional
        Its messages and memory.
    watchers : sequence of Watcher
        Receive the progress of a batch.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        n_jobs: int | None = None,
        execution: Execution | None = None,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        options = execution or Execution()
        self._datasets = datasets
        self._n_jobs = n_jobs
        self._cache = fit_cache(options.memory)
        lines = [Lines(options.verbose)] if options.verbose > 0 else []
        self._watchers = [*watchers, *lines]
        self._costs = Costs()
        self._stack = ExitStack()

    def __enter__(self) -> FitExecutor:
        with ExitStack() as stack:
            self._backend = stack.enter_context(_backend(self._datasets))
            local = isinstance(self._backend, LokyBackend)
            self._workers = joblib.effective_n_jobs(self._n_jobs)
            self._alone = works_alone(self._backend, self._n_jobs)
            self._watched = local and self._workers > 1
            if self._watched:
                self._folder = stack.enter_context(temporary_folder())
            self._open_pool()
            stack.callback(self._close_pool)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def run(self, jobs: Sequence[Job], what: str) -> list[Any]:
        """Return the results of the jobs, in their order."""
        watch = Watch.over(len(jobs), self._folder) if self._watched else None
        entries = [self._entry(job) for job in jobs]
        stream = partial(self._stream, jobs)
        batch = Batch(jobs, entries, stream, watch, self._costs, self._watchers)
        return batch.run(what)

    def _entry(self, job: Job) -> Entry | None:
        if self._cache is None:
            return None
        return self._cache.entry(job.function, job.arguments, job.data)

    def _stream(self, jobs: Sequence[Job], tasks: Iterator[Task]) -> Iterator[Done]:
        """Yield results as they arrive, in no particular order."""
        if self._alone:
            for some in self._grouped(jobs, tasks):
                yield from perform_all(some, jobs[some[0].index].data)
            return
        try:
            done = self._parallel(
                delayed(perform_all)(some, data=jobs[some[0].index].data)
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
        """Yield chunks of jobs: short fits on one dataset, smaller chunks towards the end."""
        left, some = len(jobs), list[Task]()
        for task in tasks:
            alike = some and jobs[some[0].index].data is jobs[task.index].data
            if some and not (alike and len(some) < self._at_once(left)):
                yield some
                left, some = left - len(some), []
            some.append(task)
        if some:
            yield some

    def _at_once(self, left: int) -> int:
        """Return how many of the fits that are left hide the cost of sending them."""
        seconds = self._costs.mean()
        if not seconds > 0:
            return 1
        most = left if self._alone else -(-left // (2 * self._workers))
        return min(int(_SENT_SECONDS / seconds) + 1, most)

    def _open_pool(self) -> None:
        if self._alone:
            return
        order = arrival_order(self._backend)
        self._parallel = Parallel(**job_option(self._n_jobs), return_as=order, batch_size=1)
        self._parallel.__enter__()

    def _close_pool(self) -> None:
        if not self._alone:
            self._parallel.__exit__(None, None, None)


def _close(results: Any) -> None:
    """Stop what has not arrived; joblib would warn of it."""
    if hasattr(results, "close"):
        with warnings.catch_warnings(action="ignore"):
            results.close()


@contextmanager
def _backend(datasets: Sequence[Dataset]) -> Iterator[Any]:
    """Yield joblib's current backend; one of Dask with the datasets on every worker.

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
        "dask", n_jobs=n_jobs, client=backend.client, scatter=list(datasets), **options
    ):
        yield get_active_backend()[0]


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Wanted:
    """The jobs that a run waits for, and their name."""

    jobs: list[Job]
    what: str


# A run: it yields the jobs that it waits for, is sent their results, and returns what it found.
Steps: TypeAlias = Generator[Wanted, list[Any], T]


def in_step(runs: Iterable[Steps[T]], executor: FitExecutor) -> list[T]:
    """Return what some runs return; all the jobs that they wait for are one batch, again and again.

    Examples
    --------
    >>> from skaucx.model_selection.execution._executor import FitExecutor
    >>> from skaucx.model_selection.execution._job import Job
    >>> from skaucx.model_selection.execution._executor import Wanted, in_step
    >>> def power(data, exponent):
    ...     return data**exponent
    >>> def run(data, *exponents):
    ...     jobs = [Job("inner", {}, power, {"exponent": e}, data) for e in exponents]
    ...     return sum((yield Wanted(jobs, "powers")))
    >>> with FitExecutor([2, 3]) as executor:
    ...     in_step([run(2, 1, 2), run(3, 2)], executor)
    [6, 9]
    """
    going = dict(enumerate(runs))
    found: dict[int, T] = {}
    replies: dict[int, Any] = dict.fromkeys(going)
    while replies:
        wanted: dict[int, Wanted] = {}
        for place, reply in replies.items():
            try:
                # Between batches, a parallel call under the same backend would end the open pool.
                with joblib.parallel_config("sequential"):
                    wanted[place] = going[place].send(reply)
            except StopIteration as end:
                found[place] = end.value
        results = iter(_run(wanted.values(), executor))
        replies = {place: list(islice(results, len(one.jobs))) for place, one in wanted.items()}
    return [found[place] for place in going]


def _run(wanted: Iterable[Wanted], executor: FitExecutor) -> list[Any]:
    jobs = [job for one in wanted for job in one.jobs]
    names = dict.fromkeys(one.what for one in wanted)
    return executor.run(jobs, " and ".join(names)) if jobs else []
