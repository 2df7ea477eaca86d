"""Out-of-fold predictions of all outer folds, joined, and the metrics of all of them at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from ..._compat import import_pandas, scorer_sign
from ..._text.plain import count
from ..._text.tables import Table
from ...inference import Interval, interval
from ...metrics._records.inputs import positive_scores
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import NamedMetric, named_metric
from ...metrics._registry.samples import MetricOnSample, sample_of
from ...metrics._scorers.bound import BoundMetric, bound_metric, label_columns, of_all_classes
from .._scoring import depends_on_positive, resolve_scoring
from .._types import Floats, Rows, Scorer
from ._dataset import Dataset
from ._job import Outcome

_SHOWN = 10  # rows of a printed one


@dataclass(frozen=True, eq=False, repr=False)
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
        Further arrays requested by scorers, such as costs of examples, for these rows.
    index : pandas.Index or None
        Of X, where it is a data frame.
    """

    row: Rows
    fold: Rows
    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    responses: Mapping[str, Floats]
    classes: NDArray[Any] | None
    sample_weight: Floats | None = None
    groups: NDArray[Any] | None = None
    positive: Any = None
    metadata: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    index: Any = None

    @property
    def clusters(self) -> NDArray[Any] | None:
        """What belongs together in a test or an interval: groups, or rows that were tested twice."""
        if self.groups is not None:
            return self.groups
        return self.row if len(np.unique(self.row)) < len(self.row) else None

    def to_frame(self) -> Any:
        """Return the predictions as a data frame, a row a prediction.

        Returns
        -------
        pandas.DataFrame
            Columns ``row``, ``fold``, ``y`` (true) and ``y_pred``; ``p_<class>``, the probability of
            the positive class of two (the second where none is known), or of each of several; other
            responses under their own names; ``sample_weight`` and ``group`` where they are given. Of
            several outputs one column each, numbered. The index is that of X where it is a frame.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        index = None if self.index is None else self.index[self.row]
        return import_pandas().DataFrame(self._columns(), index=index)

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"row": self.row, "fold": self.fold}
        columns |= _numbered("y", self.y_true) | _numbered("y_pred", self.y_pred)
        for method, response in self.responses.items():
            name = "p" if method == "predict_proba" else method
            if self.classes is not None and len(self.classes) == 2:
                positive = self.classes[1] if self.positive is None else self.positive
                label = f"p_{positive}" if name == "p" else name
                columns[label] = self.scores(method, positive)
            else:
                columns |= _numbered(name, response, self.classes)
        more = {"sample_weight": self.sample_weight, "group": self.groups}
        return columns | {name: values for name, values in more.items() if values is not None}

    def __repr__(self) -> str:
        """Show the first rows."""
        columns, n = self._columns(), len(self.row)
        folds = count(len(np.unique(self.fold)), "outer fold")
        head = f"{count(n, 'out-of-fold prediction')} of {folds}"
        first = {name: values[:_SHOWN].tolist() for name, values in columns.items()}
        more = [f"... and {n - _SHOWN} more: to_frame()"] if n > _SHOWN else []
        return Table.of_columns(first, head, notes=more).text()

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


def _numbered(name: str, values: NDArray[Any], names: Any = None) -> dict[str, Any]:
    """Return an array as one column, or a matrix as one column each, by the classes or numbered."""
    if values.ndim == 1:
        return {name: values}
    known = range(values.shape[1]) if names is None else names
    return {f"{name}_{each}": values[:, k] for k, each in enumerate(known)}


def pool(
    data: Dataset, tests: Sequence[Rows], outcomes: Sequence[Outcome], positive: Any = None
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
    y_true, y_pred = np.asarray(data.targets(row)), joined.pop("predict", np.empty(0))
    groups = None if data.groups is None else np.asarray(data.groups)[row]
    weight = data.weights(row)
    index = data.X.index if hasattr(data.X, "iloc") else None
    return OutOfFoldPredictions(
        row, fold, y_true, y_pred, joined, classes, weight, groups, positive, data.metadata(row),
        index,
    )  # fmt: skip


def _has_table(outcome: Outcome, name: str) -> bool:
    """Whether a response is one array, or a list of probabilities of labels."""
    if not isinstance(outcome.responses.get(name), list):
        return name in outcome.responses
    return all(set(np.asarray(known).tolist()) <= {0, 1} for known in outcome.classes)


def _all_classes(outcomes: Sequence[Outcome]) -> NDArray[Any] | None:
    classes = [outcome.classes for outcome in outcomes]
    if not classes or not all(isinstance(c, np.ndarray) and c.ndim == 1 for c in classes):
        return None
    return np.unique(np.concatenate(classes))


def _aligned(outcome: Outcome, name: str, classes: NDArray[Any] | None) -> NDArray[Any]:
    """Give a response a column for each of all classes, also those its fold never saw."""
    response = label_columns(outcome.responses[name], outcome.classes)
    return of_all_classes(response, name, outcome.classes, classes)


def metric_of(name: Any, scorer: Scorer) -> BoundMetric | None:
    """Return the metric of a result's own name, or of any scorer; None if it is not one of ours."""
    if isinstance(name, str) and name in scorer.scorers:
        return scorer.metrics.get(name)
    [found] = resolve_scoring(name).scorers.values()
    return bound_metric(found)


def call_of(
    bound: BoundMetric, predictions: OutOfFoldPredictions, **changed: Any
) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return what a metric reads of the predictions, and the arguments of its function besides.

    The positive class of two is the one that the scorer names, or `changed`, or else the run.
    """
    known, classes = bound.function.options, predictions.classes
    row, metadata = bound.function.metric, predictions.metadata
    requested = {name: metadata[name] for name in known if name in metadata}
    given = {**requested, **bound.parameters, **changed}
    options = options_of_state(bound.function, given)
    one_value = not row.kind.counted or options.get("average", "binary") == "binary"
    unnamed = one_value and "pos_label" in options and options["pos_label"] is None
    if unnamed and classes is not None and len(classes) == 2:
        options["pos_label"] = _positive(predictions, bound)
    if bound.response_method == "predict" or (row.kind.counted and not bound.cuts):
        read = predictions.y_pred
    else:
        read = predictions.scores(bound.response_method, options.get("pos_label"))
    options["labels"] = classes if given.get("labels") is None else given["labels"]
    options["sample_weight"] = predictions.sample_weight if bound.weighted else None
    options.pop("zero_division", None)
    return read, options


def metric_on(
    bound: BoundMetric, predictions: OutOfFoldPredictions, entries: Any
) -> MetricOnSample:
    """Return a metric on some entries of the predictions, as the scorer of the folds reads it."""
    read, options = call_of(bound, predictions)
    row = bound.row(options.get("pos_label"))
    labels, weight = options.pop("labels"), options.pop("sample_weight")
    names = row.kind.inputs.per_row_arguments
    sample = sample_of(
        row,
        predictions.y_true[entries],
        read[entries],
        labels=labels,
        sample_weight=None if weight is None else weight[entries],
        **{name: np.asarray(options.pop(name))[entries] for name in names},
    )
    return MetricOnSample(sample, row, options)


def _positive(predictions: OutOfFoldPredictions, bound: BoundMetric) -> Any:
    """Return the run's positive class, either of two for a metric with the same value for both."""
    if predictions.positive is not None:
        return predictions.positive
    classes = np.asarray(predictions.classes)
    if depends_on_positive(bound):
        raise ValueError(
            f"The classes {classes.tolist()} do not define the positive one; pass pos_label."
        )
    return classes[1]


def score_bounds(scorer: Any) -> tuple[float, float]:
    """Return the least and the greatest score, of a loss those of its negative; infinite if unknown.

    They are declared for metrics of this package, and so known of functions of scikit-learn with the
    same values; a sum over rows has no upper bound.

    Examples
    --------
    >>> from sklearn.metrics import get_scorer
    >>> from skaucx.model_selection.execution._out_of_fold import score_bounds
    >>> score_bounds(get_scorer("accuracy")), score_bounds(get_scorer("neg_log_loss"))
    ((0, 1), (-inf, 0))
    """
    bound = bound_metric(scorer)
    try:
        named = named_metric(scorer if bound is None else bound.function)
    except (TypeError, ValueError):
        return -np.inf, np.inf
    row, given = named.row, named.parameters if bound is None else bound.parameters
    low, high = (row if given.get("normalize", True) else row.under(given)).bounds
    negated = row.greater_is_better is False if bound else scorer_sign(scorer) < 0
    return (-high, -low) if negated else (low, high)


_MIXED = (
    "scores of the models of different folds are ranked against each other, which biases the value: "
    "its interval covered too rarely in simulations, so there is none; interval() is that of the "
    "mean of the folds, of pairs within them"
)


@dataclass(frozen=True)
class Pooled:
    """The value of a metric on pooled predictions.

    Attributes
    ----------
    value : float
        nan where there is none.
    reason : str or None
        Why there is none.
    """

    value: float
    reason: str | None = None


class Recorded:
    """A substitute for the models of all folds: it returns their stored predictions."""

    def __init__(self, predictions: OutOfFoldPredictions, tags: Tags) -> None:
        self.responses = {**predictions.responses, "predict": predictions.y_pred}
        self.classes_, self.tags = predictions.classes, tags

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        responses = self.__dict__.get("responses", {})
        if name not in responses:
            raise AttributeError(f"{name} is not among the pooled predictions")

        def method(X: Any) -> Any:
            return responses[name]

        method.__name__ = name  # scikit-learn's scorers use it to select the response
        return method

    def __sklearn_tags__(self) -> Tags:
        return self.tags


def pooled_scores(
    scorer: Scorer,
    predictions: OutOfFoldPredictions,
    tags: Tags,
) -> Mapping[str, Pooled]:
    """Score the joined out-of-fold predictions by every metric, nan with a reason if impossible."""
    if not len(predictions.row):
        return dict.fromkeys(scorer.names, Pooled(np.nan, "no fold has predictions"))
    model = Recorded(predictions, tags)
    with warnings.catch_warnings(action="ignore"):  # the reason marks an undefined value
        evaluated = scorer.evaluate(
            model,
            None,
            predictions.y_true,
            sample_weight=predictions.sample_weight,
            responses=model.responses,
            metadata=predictions.metadata,
        )
    pooled = {}
    for name, value in evaluated.scores.items():
        reason = "undefined on the pooled predictions" if np.isnan(value) else None
        if (error := evaluated.errors.get(name)) is not None:
            value, reason = np.nan, f"{type(error).__name__}: {error}"
        pooled[name] = Pooled(value, reason)
    return pooled


def pooled_interval(
    bound: BoundMetric | None, predictions: OutOfFoldPredictions, options: Mapping[str, Any]
) -> Interval:
    """Return the interval of a metric on the joined predictions."""
    if bound is None:
        raise ValueError(
            "pooled_interval takes metrics of this package, by their names in scoring."
        )
    own = {name: options[name] for name in options if name in bound.function.options}
    read, given = call_of(bound, predictions, **own)
    named: Any = NamedMetric(bound.function.metric.name, bound.function)
    named = named.cut_at(given) if bound.cuts else named
    known = {"groups": predictions.clusters, "sample_weight": given.pop("sample_weight")}
    known |= {name: given[name] for name in given if name in bound.function.options}
    given = {name: value for name, value in known.items() if value is not None} | dict(options)
    found = interval(named, predictions.y_true, read, **given)
    found = replace(found, target="the fitted models, joined")
    if named.row.kind.scale is None or np.ptp(predictions.fold) == 0:
        return found
    note = "; ".join(filter(None, [found.note, _MIXED]))
    return replace(found, low=np.nan, high=np.nan, method="none", note=note)
