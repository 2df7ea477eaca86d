"""Out-of-fold predictions of all outer folds, joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics._records.inputs import positive_scores
from .._types import Floats, Rows
from ..execution._folds import Outcome
from ..execution._sample import Sample, params_of_rows


@dataclass(frozen=True, eq=False)
class OutOfFoldPredictions:
    """Predictions of outer test rows, one entry for each time that a row was tested.

    Rows may occur several times (repeated folds) or not at all (a hold-out, a fold whose fit
    failed).

    Attributes
    ----------
    row : ndarray of shape (m,), int
        Position of the row in X.
    fold : ndarray of shape (m,), int
        Outer fold that tested it.
    y_true : ndarray of shape (m,) or (m, n_outputs)
    y_pred : ndarray of shape (m,) or (m, n_outputs)
    responses : dict of str to ndarray of shape (m,) or (m, K)
        ``"predict_proba"`` where the estimator has it, and any other response that a scorer read. A
        class that a fold never saw has probability 0 there, and decision value nan; so have all
        classes of a fold whose decision values are not one column a class.
    classes : ndarray of shape (K,) or None
        Classes of the columns of the responses; None where the folds have no plain classes.
    sample_weight : ndarray of shape (m,), float64, or None
    groups : ndarray of shape (m,) or None
        Group of each row, of those given to ``fit``.
    positive : label or None
        The positive class of the run.
    metadata : dict
        What scorers asked for beside, such as costs of examples, of these rows.
    """

    row: Rows
    fold: Rows
    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    responses: Mapping[str, NDArray[Any]]
    classes: NDArray[Any] | None
    sample_weight: Floats | None = None
    groups: NDArray[Any] | None = None
    positive: Any = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def clusters(self) -> NDArray[Any] | None:
        """What belongs together in a test or an interval: groups, or rows that were tested twice."""
        if self.groups is not None:
            return self.groups
        return self.row if len(np.unique(self.row)) < len(self.row) else None

    def taken(self, entries: NDArray[Any]) -> OutOfFoldPredictions:
        """Return some of the entries, given by their places or a mask."""

        def part(values: Any) -> Any:
            return None if values is None else values[entries]

        entries = np.flatnonzero(entries) if entries.dtype == bool else entries
        return replace(
            self, row=self.row[entries], fold=self.fold[entries],
            y_true=self.y_true[entries], y_pred=self.y_pred[entries],
            responses={name: values[entries] for name, values in self.responses.items()},
            sample_weight=part(self.sample_weight), groups=part(self.groups),
            metadata=params_of_rows(self.metadata, entries, len(self.row)),
        )  # fmt: skip

    def scores(self, wanted: str | tuple[str, ...], positive: Any = None) -> Floats:
        """Return the first of the wanted responses that there is, of two classes one column.

        Parameters
        ----------
        wanted : str or tuple of str
            Response methods.
        positive : label, default=None
            The class of two whose scores are returned; the second by default.

        Returns
        -------
        ndarray of shape (m,) or (m, K), float64
            Of two classes the scores of the positive one, greater for it.

        Raises
        ------
        ValueError
            If none of the responses was pooled.
        """
        methods = (wanted,) if isinstance(wanted, str) else wanted
        method = next((name for name in methods if name in self.responses), None)
        if method is None:
            raise ValueError(
                f"{' or '.join(methods)} is not among the pooled predictions, which hold "
                f"{', '.join(self.responses) or 'labels only'}."
            )
        response = self.responses[method]
        if self.classes is None or len(self.classes) != 2:
            return response
        return positive_scores(
            response, self.classes, self.classes[1] if positive is None else positive
        )


def pool(
    sample: Sample, tests: Sequence[Rows], outcomes: Sequence[Outcome], positive: Any = None
) -> OutOfFoldPredictions:
    """Join the predictions of the outer folds that have any."""
    folds = [i for i, outcome in enumerate(outcomes) if "predict" in outcome.responses]
    done = [outcomes[i] for i in folds]
    classes = _all_classes(done)
    names = [n for n in (done[0].responses if done else ()) if all(_has_table(o, n) for o in done)]
    joined = {name: np.concatenate([_aligned(o, name, classes) for o in done]) for name in names}
    none = np.empty(0, dtype=np.intp)
    row = np.concatenate([none, *(tests[i] for i in folds)])
    fold = np.concatenate([none, *(np.full(len(tests[i]), i) for i in folds)])
    y_true, y_pred = np.asarray(sample.targets(row)), joined.pop("predict", np.empty(0))
    groups = None if sample.groups is None else np.asarray(sample.groups)[row]
    weight = sample.weights(row)
    return OutOfFoldPredictions(
        row, fold, y_true, y_pred, joined, classes, weight, groups, positive, sample.metadata(row)
    )


def _has_table(outcome: Outcome, name: str) -> bool:
    """Whether a response is one array; multilabel probabilities may be a list of them."""
    return name in outcome.responses and not isinstance(outcome.responses[name], list)


def _all_classes(outcomes: Sequence[Outcome]) -> NDArray[Any] | None:
    classes = [outcome.classes for outcome in outcomes]
    if not classes or not all(isinstance(c, np.ndarray) and c.ndim == 1 for c in classes):
        return None
    return np.unique(np.concatenate(classes))


def _aligned(outcome: Outcome, name: str, classes: NDArray[Any] | None) -> NDArray[Any]:
    """Give a response a column for each of all classes, also those its fold never saw."""
    response = np.asarray(outcome.responses[name])
    if name == "predict" or classes is None or len(outcome.classes) == len(classes):
        return response
    absent = 0.0 if name == "predict_proba" else np.nan
    table = np.full((len(response), len(classes)), absent, dtype=response.dtype)
    if response.shape[1:] == outcome.classes.shape:
        table[:, np.searchsorted(classes, outcome.classes)] = response
    return table
