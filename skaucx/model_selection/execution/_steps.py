"""Runs that wait for batches of fits, and many of them in step in one pool."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import joblib

from ._executor import FitExecutor
from ._job import Job

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Wanted:
    """The jobs that a run waits for, and what they are called."""

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
    >>> from skaucx.model_selection.execution._steps import Wanted, in_step
    >>> def power(sample, exponent):
    ...     return sample**exponent
    >>> def run(sample, *exponents):
    ...     jobs = [Job("inner", {}, power, {"exponent": e}, sample) for e in exponents]
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
