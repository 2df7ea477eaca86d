"""One fit of a nested cross-validation as a job: which it is, and how a worker performs it."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..._arrays import naming_missing_features
from ..._options import unknown_name
from ..._text.plain import parameters
from ...metrics._scorers.one_pass import CountedPredictions, ScoringResult
from .._types import ErrorScore, Params, Rows, Scorer
from ._cache import Entry
from ._dataset import Dataset

# Predictions that are pooled even where no metric reads them.
POOLED = ("predict", "predict_proba")
# Names of the fitted model and of the scores of the training part among the results to keep.
MODEL, TRAINED = "the model", "the training part"


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
    ``rejected``, ``others`` those of metrics that are not essential: nan if one raised, ``trained``
    those of the training part, nan likewise.
    """

    scores: Mapping[str, float]
    responses: Mapping[str, Any] = field(default_factory=dict)
    classes: Any = None
    failure: Failure | None = None
    unscored: Mapping[str, Failure] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    rejected: Any = None
    others: Mapping[str, float] = field(default_factory=dict)
    trained: Mapping[str, float] = field(default_factory=dict)
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


def fit_model(model: Any, data: Dataset, rows: Rows, *, method: str = "fit", **options: Any) -> Any:
    """Fit on some rows, with their weights if there are any, and with the parameters of fit."""
    options = {**data.fit_options(model, rows), **options}
    X, y = data.features(rows, rows), data.targets(rows)
    with naming_missing_features(model, X):
        return getattr(model, method)(X, y, **options)


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a model predicted for held-out rows, of which the scores are still to be found.

    ``others`` names the metrics that are not essential, ``begun`` has the rest of the outcome.
    """

    scorer: Scorer
    counted: CountedPredictions
    error_score: ErrorScore
    others: Collection[str]
    begun: Mapping[str, Any]

    def outcome(self, found: ScoringResult) -> Outcome:
        """Return scores, with the error score for metrics that raised, and their errors."""
        scores = {name: found.scores[name] for name in found.scores if name not in self.others}
        errors = {name: found.errors[name] for name in found.errors if name not in self.others}
        if self.error_score == "raise":
            for first in errors.values():
                raise first
        raised = {name: Failure.of(error) for name, error in errors.items()}
        for name in raised:
            scores[name] = float(self.error_score)
        # Where all metrics wait for one prediction that raised, that is one failure.
        unpredicted = [e for e in errors.values() if e in found.unpredicted.values()]
        one = bool(unpredicted) and len(unpredicted) == len(scores)
        failed = {"failure": Failure.of(unpredicted[0])} if one else {"unscored": raised}
        others = {name: found.scores[name] for name in self.others}
        return Outcome(scores, others=others, **failed, **self.begun)


def scored(values: Sequence[Any]) -> list[Any]:
    """Return the outcome of each value that is only predicted; those of one scorer together."""
    done, alike = list(values), dict[int, list[int]]()
    for place, value in enumerate(values):
        if isinstance(value, Predicted):
            alike.setdefault(id(value.scorer), []).append(place)
    for places in alike.values():
        found = values[places[0]].scorer.results([values[place].counted for place in places])
        for place, each in zip(places, found, strict=True):
            done[place] = values[place].outcome(each)
    return done


def predict_candidate(
    estimator: Any, params: Mapping[str, Any], data: Dataset, train: Rows, test: Rows, *given: Any,
    **options: Any,
) -> Predicted | Outcome:  # fmt: skip
    """Fit a candidate on ``train`` and predict ``test``, as :func:`predict_fit` does."""
    model = candidate_model(estimator, params)
    return predict_fit(lambda: fit_model(model, data, train), data, train, test, *given, **options)


def predict_fit(
    fit: Callable[[], Any],
    data: Dataset,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
    others: Collection[str] = (),
) -> Predicted | Outcome:
    """Fit, and predict ``test`` once a response method; a fit that fails has its outcome at once.

    ``keep`` names methods whose predictions come back too, with those that a metric read, and may
    hold MODEL and TRAINED; ``others`` names metrics whose errors do not count.
    """
    try:
        model = fit()
    except Exception as error:
        if error_score == "raise":
            raise
        names = [name for name in scorer.names if name not in others]
        return failed_outcome(Failure.of(error), names, error_score)
    y_train = data.targets(train) if scorer.reads_training else None

    def count(rows: Rows) -> CountedPredictions:
        X, y = data.features(rows, train), data.targets(rows)
        return scorer.count(model, X, y, y_train=y_train, **data.score_options(rows))

    counted = count(test)
    responses = _kept(model, counted.fold.predict, keep)
    begun = {"responses": responses, "classes": getattr(model, "classes_", None)}
    if MODEL in keep:
        begun["model"] = model
    if TRAINED in keep:
        begun["trained"] = scorer.results([count(train)])[0].scores
    return Predicted(scorer, counted, error_score, others, begun)


def score_candidate(*given: Any, **options: Any) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``; takes what predict_candidate does."""
    (outcome,) = scored([predict_candidate(*given, **options)])
    return outcome


def score_fit(*given: Any, **options: Any) -> Outcome:
    """Fit, predict and compute every score; takes what :func:`predict_fit` does."""
    (outcome,) = scored([predict_fit(*given, **options)])
    return outcome


def failed_outcome(failure: Failure, names: Sequence[str], error_score: float) -> Outcome:
    """Return what counts for a fit that failed."""
    return Outcome(dict.fromkeys(names, error_score), failure=failure)


def _kept(model: Any, predict: Any, wanted: Sequence[str]) -> Mapping[str, Any]:
    """Add the responses that are wanted even where no metric reads them; none without a wish."""
    for method in wanted:
        if hasattr(model, method):
            with suppress(Exception):  # reported by the metrics that use it
                predict(method)
    return dict(predict.found) if wanted else {}


Stage = Literal["inner", "outer", "search", "final"]
RUNNING, DONE = 1, 2
SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True, eq=False)
class Job:
    """One fit: its identity, its call, and the substitute for its result if it is abandoned.

    ``function`` is called with ``arguments`` and ``data``, and must pickle. ``outer_fold`` is None
    where all data are searched or fitted, ``inner_fold`` outside of the inner loop. ``instead`` gets
    the failure of a fit that is given up; without it, such a fit raises.
    """

    stage: Stage
    params: Params
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    data: Dataset
    outer_fold: int | None = None
    inner_fold: int | None = None
    instead: Callable[[Failure], Any] | None = None

    @property
    def place(self) -> tuple[int, ...]:
        """The outer and the inner fold, in order; all data come last."""
        return tuple(
            sys.maxsize if fold is None else fold for fold in (self.outer_fold, self.inner_fold)
        )

    def __str__(self) -> str:
        where = "" if self.inner_fold is None else f" on inner fold {self.inner_fold}"
        whole = "all data" if self.outer_fold is None else f"outer fold {self.outer_fold}"
        if self.stage == "search":
            return f"the search of {whole}"
        return f"the fit of {parameters(self.params)}{where} of {whole}"


@dataclass(frozen=True, eq=False)
class Task:
    """The part of a job that is sent to a worker with the data."""

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
    """A file by which local workers report their state to the parent process, also if they die.

    ``board`` has a byte a task: RUNNING, DONE or 0. A worker ends if ``parent``, the process that
    sent the tasks, has ended.
    """

    board: NDArray[np.uint8] = field(repr=False)
    parent: int

    @classmethod
    def over(cls, n_tasks: int, folder: Path) -> Watch:
        board = np.memmap(folder / "board", dtype=np.uint8, mode="w+", shape=(max(n_tasks, 1),))
        return cls(board, os.getpid())

    @contextmanager
    def __call__(self, index: int) -> Iterator[None]:
        """Watch a task, inside the worker."""
        _end_with(self.parent)
        self.board[index] = RUNNING
        yield
        self.board[index] = DONE

    @contextmanager
    def scoring(self, index: int) -> Iterator[None]:
        """Watch a task while it is scored with others."""
        self.board[index] = RUNNING
        yield
        self.board[index] = DONE

    def running(self, indices: list[int]) -> list[int]:
        """Return those of the tasks that were begun and not ended."""
        return [index for index in indices if self.board[index] == RUNNING]

    def forget(self, index: int) -> None:
        """Make ready for another try of a task."""
        self.board[index] = 0


@cache
def _end_with(parent: int) -> None:
    """End this worker process soon after its parent has ended, which may be killed without notice."""
    if os.getpid() != parent:
        threading.Thread(target=_outlive, args=(parent,), daemon=True).start()


def _outlive(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def perform_all(tasks: Sequence[Task], data: Dataset) -> list[Done]:
    """Do some tasks on a dataset one after the other, in a worker, and keep what came of them.

    What they predicted for the same rows is scored together.
    """
    done = [_perform(task, data) for task in tasks]
    start = time.perf_counter()
    with ExitStack() as watches:
        for task in tasks:
            if task.watch is not None:
                watches.enter_context(task.watch.scoring(task.index))
        values = scored([one.value for one in done])
    more = (time.perf_counter() - start) / len(tasks)
    for task, value in zip(tasks, values, strict=True):
        if task.entry is not None:
            task.entry.keep(value)
    return [
        Done(one.index, value, one.seconds + more) for one, value in zip(done, values, strict=True)
    ]


def _perform(task: Task, data: Dataset) -> Done:
    start = time.perf_counter()
    with nullcontext() if task.watch is None else task.watch(task.index):
        value = task.function(data=data, **task.arguments)
    return Done(task.index, value, time.perf_counter() - start)
