"""One fit of a nested cross-validation as a job: which it is, and how a worker performs it."""

from __future__ import annotations

import faulthandler
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..._options import unknown_name
from ..._text.tables import parameters
from ...metrics._scorers.one_pass import ScoringResult
from .._types import ErrorScore, Params, Rows, Scorer
from ._cache import Entry
from ._sample import Sample

# Predictions that are pooled even where no metric reads them.
POOLED = ("predict", "predict_proba")
# Name of the fitted model among the results to keep.
MODEL = "the model"


@dataclass(frozen=True)
class Failure:
    """An exception: in one line, and with its traceback."""

    error: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Write down an exception."""
        trace = "".join(traceback.format_exception(error))
        return cls(f"{type(error).__name__}: {error}", trace)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Result of a job: scores, predictions if requested, and errors.

    ``failure`` is set where the fit itself failed, and no score has a value then; ``unscored``
    holds the metrics that raised after a fit that succeeded. ``plain`` are the scores without the
    calibration and threshold chosen in the inner folds, ``accepted`` those of the rows that are not
    ``rejected``, ``others`` those of metrics that are not essential: nan if one raised. ``sets``
    contains the classes in the set of each row.
    """

    scores: Mapping[str, float]
    responses: Mapping[str, Any] = field(default_factory=dict)
    classes: Any = None
    failure: Failure | None = None
    unscored: Mapping[str, Failure] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    rejected: Any = None
    sets: Any = None
    others: Mapping[str, float] = field(default_factory=dict)
    model: Any = None

    @property
    def complete(self) -> bool:
        """Whether nothing failed."""
        return self.failure is None and not self.unscored


def candidate_model(estimator: Any, params: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of the estimator that shares nothing with other candidates."""
    values = {name: clone(value, safe=False) for name, value in params.items()}
    try:
        return clone(estimator).set_params(**values)
    except ValueError:
        known = estimator.get_params()
        for name in params:
            if name not in known:
                kind = f"parameter of {type(estimator).__name__}"
                raise ValueError(f"param_grid: {unknown_name(kind, name, known)}") from None
        raise


def fit_model(
    model: Any, sample: Sample, rows: Rows, *, method: str = "fit", **options: Any
) -> Any:
    """Fit on some rows, with their weights if there are any, and with the parameters of fit."""
    options = {**sample.fit_options(model, rows), **options}
    return getattr(model, method)(sample.features(rows, rows), sample.targets(rows), **options)


def score_candidate(
    estimator: Any,
    params: Mapping[str, Any],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
    others: Scorer | None = None,
) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``."""

    def fit() -> Any:
        return fit_model(model, sample, train)

    model = candidate_model(estimator, params)
    return score_fit(fit, sample, train, test, scorer, error_score, keep=keep, others=others)


def score_fit(
    fit: Callable[[], Any],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
    others: Scorer | None = None,
) -> Outcome:
    """Fit, predict ``test`` once a response method, compute every score from that.

    ``keep`` names methods whose predictions come back too, with those that a metric read, and may
    hold MODEL.
    """
    try:
        model = fit()
    except Exception as error:
        if error_score == "raise":
            raise
        return failed_outcome(Failure.of(error), scorer.names, error_score)
    X, y = sample.features(test, train), sample.targets(test)
    given = {"y_train": sample.targets(train), **sample.score_options(test)}
    found = scorer.evaluate(model, X, y, **given)
    kept = _kept(model, X, found.responses, keep)
    classes = getattr(model, "classes_", None)
    if error_score == "raise":
        for first in found.errors.values():
            raise first
    outcome = _outcome_of(found, kept, classes, error_score)
    if others is not None:
        more = others.evaluate(model, X, y, before=found, **given)
        outcome = replace(outcome, others=more.scores)
    return replace(outcome, model=model) if MODEL in keep else outcome


def _outcome_of(
    found: ScoringResult, kept: Mapping[str, Any], classes: Any, error_score: ErrorScore
) -> Outcome:
    """Return scores, with the error score for metrics that raised, and their errors."""
    if not found.errors:
        return Outcome(found.scores, kept, classes)
    raised = {name: Failure.of(error) for name, error in found.errors.items()}
    scores = {**found.scores, **dict.fromkeys(raised, float(error_score))}
    # Where all metrics wait for one prediction that raised, that is one failure.
    unpredicted = [e for e in found.errors.values() if e in found.unpredicted.values()]
    if unpredicted and len(unpredicted) == len(scores):
        return Outcome(scores, kept, classes, failure=Failure.of(unpredicted[0]))
    return Outcome(scores, kept, classes, unscored=raised)


def failed_outcome(failure: Failure, names: Sequence[str], error_score: float) -> Outcome:
    """Return what counts for a fit that failed."""
    return Outcome(dict.fromkeys(names, error_score), failure=failure)


def _kept(
    model: Any, X: Any, responses: Mapping[str, Any], wanted: Sequence[str]
) -> Mapping[str, Any]:
    """Add the responses that are wanted even where no metric reads them; none without a wish."""
    if not wanted:
        return {}
    added = {}
    for method in wanted:
        if method not in responses and hasattr(model, method):
            with suppress(Exception):  # reported by the metrics that use it
                added[method] = getattr(model, method)(X)
    return {**responses, **added}


Stage = Literal["inner", "outer", "search", "final"]
RUNNING, DONE = 1, 2
SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True, eq=False)
class Job:
    """One fit: its identity, its call, and the substitute for its result if it is abandoned.

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
    """The part of a job that is sent to a worker with the sample."""

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
    """Files by which local workers report their state to the parent process, also if they die.

    ``board`` has a byte a task: RUNNING, DONE or 0. A task that takes longer than ``limit`` seconds
    ends its worker and leaves a traceback in the folder. A worker ends if ``parent``, the process
    that sent the tasks, has ended.
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
