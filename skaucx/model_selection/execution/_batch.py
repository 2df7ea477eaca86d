"""Jobs under way: the order they are sent in, what has arrived, and what to do about lost ones."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..._compat import warn, worker_deaths
from ._cache import DamagedEntry, Entry
from ._folds import Failure
from ._job import Done, Job, Task, Watch
from ._progress import Watcher

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
            if not self._end_overdue(lost):
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

        Sorted when the first fits are on their way: a candidate whose first fit has not yet come
        back counts as the most expensive. So no worker is left with a long fit when the others are done.
        """
        firsts: dict[int, int] = {}
        for index in waiting:
            if self._costs.of(self._jobs[index], -1.0) < 0:
                firsts.setdefault(id(self._jobs[index].params), index)
        yield from firsts.values()
        rest = [index for index in waiting if index not in set(firsts.values())]
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

    def _end_overdue(self, lost: list[int]) -> bool:
        """Give up the jobs that were ended for their time; whether there were any."""
        if self._watch is None:
            return False
        overdue = {index: self._watch.overdue(index) for index in lost}
        for index, trace in overdue.items():
            self._watch.forget(index)
            if trace:
                limit = f"took longer than fit_timeout={self._watch.limit} s"
                self._give_up(index, TimeoutError(f"{self._jobs[index]} {limit}"), trace)
        return any(overdue.values())

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
