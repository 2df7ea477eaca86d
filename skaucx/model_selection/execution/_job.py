"""One fit of a nested cross-validation as a job: which it is, and how a worker performs it."""

from __future__ import annotations

import faulthandler
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..._text.tables import parameters
from .._types import Params
from ._cache import Entry
from ._folds import Failure
from ._sample import Sample

Stage = Literal["inner", "outer", "search", "final"]
RUNNING, DONE = 1, 2
SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True, eq=False)
class Job:
    """One fit: which it is, what to call, and what stands for its result if it is given up.

    ``function`` is called with ``arguments`` and ``sample``, and must pickle. ``outer_fold`` is None
    where all data are searched or fitted, ``inner_fold`` outside of the inner loop. ``instead`` gets
    the failure of a fit that is given up; without it, such a fit raises.
    """

    stage: Stage
    params: Params
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    sample: Sample
    outer_fold: int | None = None
    inner_fold: int | None = None
    instead: Callable[[Failure], Any] | None = None

    def __str__(self) -> str:
        where = "" if self.inner_fold is None else f" on inner fold {self.inner_fold}"
        whole = "all data" if self.outer_fold is None else f"outer fold {self.outer_fold}"
        if self.stage == "search":
            return f"the search of {whole}"
        return f"the fit of {parameters(self.params)}{where} of {whole}"


@dataclass(frozen=True, eq=False)
class Task:
    """What a worker gets of a job, beside the sample."""

    index: int
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    watch: Watch | None
    entry: Entry | None


@dataclass(frozen=True, eq=False)
class Done:
    """What comes back of a task."""

    index: int
    value: Any
    seconds: float


@dataclass(frozen=True, eq=False)
class Watch:
    """Files by which local workers tell the parent process what they do, also when they die.

    ``board`` has a byte a task: RUNNING, DONE or 0. A task that takes longer than ``limit`` seconds
    ends its worker and leaves a traceback in the folder. A worker ends where ``parent``, the
    process that sent the tasks, is no more.
    """

    folder: Path
    limit: float | None
    board: NDArray[np.uint8] = field(repr=False)
    parent: int

    @classmethod
    def over(cls, n_tasks: int, folder: Path, limit: float | None) -> Watch:
        board = np.memmap(folder / "board", dtype=np.uint8, mode="w+", shape=(max(n_tasks, 1),))
        return cls(folder, limit, board, os.getpid())

    @contextmanager
    def __call__(self, index: int) -> Iterator[None]:
        """Watch a task, inside the worker."""
        _end_with(self.parent)
        self.board[index] = RUNNING
        with self._limited(self._last_words(index)):
            yield
        self.board[index] = DONE

    @contextmanager
    def _limited(self, path: Path) -> Iterator[None]:
        if self.limit is None:
            yield
            return
        with path.open("w", encoding="utf-8") as file:
            # A thread in C: it also ends a fit that holds the interpreter's lock.
            faulthandler.dump_traceback_later(self.limit, exit=True, file=file)
            try:
                yield
            finally:
                faulthandler.cancel_dump_traceback_later()
        path.unlink()

    def _last_words(self, index: int) -> Path:
        return self.folder / f"traceback-{index}"

    def running(self, indices: list[int]) -> list[int]:
        """Return those of the tasks that were begun and not ended."""
        return [index for index in indices if self.board[index] == RUNNING]

    def overdue(self, index: int) -> str:
        """Return the traceback of a task that was ended for its time; empty for another."""
        path = self._last_words(index)
        return path.read_text(errors="replace") if path.exists() else ""

    def forget(self, index: int) -> None:
        """Make ready for another try of a task."""
        self.board[index] = 0
        self._last_words(index).unlink(missing_ok=True)


@cache
def _end_with(parent: int) -> None:
    """End this worker process soon after its parent has ended, which may be killed without notice."""
    if os.getpid() != parent:
        threading.Thread(target=_outlive, args=(parent,), daemon=True).start()


def _outlive(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def perform_all(tasks: Sequence[Task], sample: Sample) -> list[Done]:
    """Do some tasks on a sample one after the other, in a worker."""
    return [perform(task, sample) for task in tasks]


def perform(task: Task, sample: Sample) -> Done:
    """Do a task, and keep what came of it where that is wanted."""
    start = time.perf_counter()
    if task.watch is None:
        value = task.function(sample=sample, **task.arguments)
    else:
        with task.watch(task.index):
            value = task.function(sample=sample, **task.arguments)
    if task.entry is not None:
        task.entry.keep(value)
    return Done(task.index, value, time.perf_counter() - start)
