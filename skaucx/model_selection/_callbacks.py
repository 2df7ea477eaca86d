"""scikit-learn's callbacks: they receive every fit with its predictions of held-out rows."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from sklearn.utils import get_tags

from .._progress import Remaining
from .execution._job import Job, Outcome
from .execution._sample import Sample
from .results._pool import Recorded, pool

# Predictions that come back of every fit where there are callbacks, which may score them.
WATCHED = ("predict", "predict_proba", "decision_function")


class Callbacks:
    """Reports to callbacks a task per batch of fits, with one task per fit below it.

    A fit is reported when its result arrives. A fit reports its held-out rows as data, and an
    estimator that predicts these rows, so that
    :class:`sklearn.callback.ScoringMonitor` logs held-out scores during the run. Callbacks are not
    passed to the estimator.
    """

    def __init__(self, estimator: Any, context: Any) -> None:
        self._estimator = estimator
        self._root = context
        self._batch: Any = None

    def begin(self, what: str, total: int) -> None:
        self._batch = self._root.subcontext(task_name=what, max_subtasks=total)
        self._batch.call_on_fit_task_begin(estimator=self._estimator)

    def arrived(self, done: int, total: int, remaining: Remaining, job: Job, value: Any) -> None:
        fit = self._batch.subcontext(task_name="fit")
        fit.call_on_fit_task_begin(estimator=self._estimator)
        fit.call_on_fit_task_end(estimator=self._estimator, **self._held_out(job, value))

    def end(self) -> None:
        self._batch.call_on_fit_task_end(estimator=self._estimator)

    def _held_out(self, job: Job, value: Any) -> dict[str, Any]:
        """Return the rows held out of a fit and what predicts them; nothing where none were."""
        if not isinstance(value, Outcome) or "predict" not in value.responses:
            return {}
        sample, train, test = job.sample, job.arguments["train"], job.arguments["test"]
        weight = sample.weights(test)
        return {
            "X": partial(sample.features, test, train),
            "y": partial(sample.targets, test),
            "metadata": {} if weight is None else {"sample_weight": weight},
            "reconstruction_attributes": partial(self._predicting, sample, test, value),
        }

    def _predicting(self, sample: Sample, test: Any, outcome: Outcome) -> dict[str, Any]:
        """Return attributes that make of the nested run one that predicts the rows held out."""
        predictions = pool(sample, [test], [outcome], None)
        model = Recorded(predictions, get_tags(self._estimator))
        return {"result_": SimpleNamespace(final=SimpleNamespace(estimator=model))}
