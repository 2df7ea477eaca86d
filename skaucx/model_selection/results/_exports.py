"""Ways out of a nested result: data frames, JSON, flat dicts, a page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np
from numpy.ma import MaskedArray

from ... import metrics
from ..._compat import import_pandas
from ..._text.html import table
from ..._text.tables import parameters
from .._scoring import Classes
from ..execution._failures import FailedFit
from ._decided import KeptLimit, PredictionSets, Rejections
from ._final import FinalModel
from ._pool import OutOfFoldPredictions, Pooled
from ._report import about, forest, write_report
from ._tuning_matrix import TuningMatrix
from ._winner import Selection

if TYPE_CHECKING:
    import pandas as pd


Record = Mapping[str, Any]
T = TypeVar("T")


def result_from_json(kind: type[T], text: str) -> T:
    """Return a result without estimators, scorers and other objects that JSON cannot represent.

    Raises
    ------
    ValueError
        If the text is not what ``to_json`` writes.
    """
    try:
        document = json.loads(text)
        parts = {name: _READ.get(name, _as_is)(value) for name, value in document.items()}
        parts["tuning_matrix"] = _tuning(document["tuning_matrix"], parts["candidates"])
        known = {field.name for field in fields(kind) if field.init}  # type: ignore[arg-type]
        return kind(**{name: value for name, value in parts.items() if name in known})
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(
            f"This is not JSON of a NestedCVResult ({type(error).__name__}: {error})."
        ) from error


def _as_is(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _floats(value: Any) -> Any:
    return np.array(value, dtype=np.float64)  # null is nan, "inf" infinite


def _scores(value: Record) -> dict[str, Any]:
    return {name: _floats(scores) for name, scores in value.items()}


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)


def _selection(value: Record) -> Selection:
    return Selection(
        value["winner"],
        _floats(value["means"]),
        np.array(value["dropped"], dtype=bool),
        np.array(value["undefined"], dtype=np.intp),
    )


def _tuning(value: Record, candidates: Any) -> TuningMatrix:
    read = {"scores": _floats, "inner_means": _floats, "winners": _places, "plain_scores": _maybe}
    given = {name: read.get(name, _as_is)(entry) for name, entry in value.items()}
    return TuningMatrix(**given, candidates=candidates)


def _places(value: Any) -> Any:
    return np.array(value, dtype=np.intp)


def _maybe(value: Any) -> Any:
    return None if value is None else _floats(value)


def _predictions(value: Record) -> OutOfFoldPredictions:
    given = dict(value)
    for name in ("row", "fold"):
        given[name] = _places(value[name])
    for name in ("y_true", "y_pred", "classes", "groups"):
        given[name] = None if value[name] is None else np.array(value[name])
    given["responses"] = {name: _floats(entry) for name, entry in value["responses"].items()}
    given["sample_weight"] = _maybe(value["sample_weight"])
    given["metadata"] = {
        name: np.array(entry) if isinstance(entry, list) else entry
        for name, entry in value.get("metadata", {}).items()
    }
    return OutOfFoldPredictions(**given)


def _final(value: Any) -> FinalModel | None:
    if value is None:
        return None
    return FinalModel(**{**value, "inner_mean": _number(value["inner_mean"]), "estimator": None})


def _classes(value: Any) -> Classes | None:
    """Return the classes; labels are keys of an object, so those that were numbers are read as such."""
    if value is None:
        return None
    counts = {_label(name): count for name, count in value["counts"].items()}
    return Classes(counts, value["positive"], value["others"])


def _label(text: str) -> Any:
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except json.JSONDecodeError:
        return text


# What a decision may lack: its calibrator, and what older documents do not have.
_LATER = ("calibration", "calibrator", "classes", "cost", "multilabel")


def _decision(value: Any) -> Any:
    """Return the numbers of a decision, without its calibrator."""
    if not isinstance(value, Mapping):
        return value
    return SimpleNamespace(**{name: _decision(entry) for name, entry in value.items()})


def _rejections(value: Any) -> Rejections | None:
    if value is None:
        return None
    told = {name: _floats(value[name]) for name in ("least", "coverage")}
    return Rejections(**told, scores=_scores(value["scores"]), rejected=_flags(value["rejected"]))


def _sets(value: Any) -> PredictionSets | None:
    if value is None:
        return None
    arrays = {name: np.array(value[name]) for name in ("classes", "y_true", "fold")}
    return PredictionSets(**{**value, **arrays, "members": _flags(value["members"])})


def _limit(value: Record) -> KeptLimit:
    arrays = {name: _floats(value[name]) for name in ("reached", "inside")}
    return KeptLimit(value["request"], **arrays, infeasible=_flags(value["infeasible"]))


def _flags(value: Any) -> Any:
    return np.array(value, dtype=bool)


_READ: dict[str, Any] = {
    "inner_others": _scores,
    "rejections": _rejections,
    "prediction_sets": _sets,
    "decisions": lambda value: tuple(
        _decision({**one, **{name: one.get(name) for name in _LATER}}) for one in value
    ),
    "kept_limits": lambda value: tuple(map(_limit, value)),
    "test_scores": _scores,
    "plain_scores": _scores,
    "inner_scores": _floats,
    "selections": lambda value: tuple(map(_selection, value)),
    "predictions": _predictions,
    "pooled": lambda value: {n: Pooled(_number(p["value"]), p["reason"]) for n, p in value.items()},
    "n_train": _places,
    "n_test": _places,
    "final": _final,
    "failures": lambda value: tuple(FailedFit(**failed) for failed in value),
    "classes": _classes,
    "searches": lambda value: tuple(
        {name: entry if name == "params" else np.array(entry) for name, entry in one.items()}
        for one in value
    ),
}


class ResultExports:
    """Export formats of :class:`NestedCVResult`."""

    def to_frame(self, by: Literal["fold", "metric"] = "fold") -> pd.DataFrame:
        """Return one row an outer fold, or one row a metric.

        Parameters
        ----------
        by : {"fold", "metric"}, default="fold"

        Returns
        -------
        pandas.DataFrame
            By fold: columns ``test_<name>``, ``inner_<refit>``, ``optimism``, ``winner``,
            ``param_<name>``, ``dropped_inner_folds``, ``undefined_candidates``, ``failed_fits``, and
            ``threshold`` where one was chosen (``threshold_<class>`` of several). By metric: columns
            ``mean``, ``sd``, ``pooled``, ``low`` and ``high`` (the 95 % interval) and ``undefined``
            folds.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        if by not in ("fold", "metric"):
            raise ValueError(f"by must be 'fold' or 'metric', found {by!r}.")
        return by_fold(self) if by == "fold" else by_metric(self)

    def to_json(self) -> str:
        """Write the result as JSON, without estimators.

        Returns
        -------
        str
            An object with the attributes of this class and those of its parts. nan is null, and a
            parameter that JSON cannot hold, such as an estimator, its ``repr``.
        """
        return as_json(
            self,
            {
                "final": ("estimator",),
                "tuning_matrix": ("candidates",),
                "decisions": ("calibrator", "strangeness"),
            },
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a result that :meth:`to_json` wrote.

        Parameters
        ----------
        text : str

        Returns
        -------
        NestedCVResult
            Without estimators and scorers; a parameter that JSON could not hold is the text of it.
            Intervals use the names of metrics, so metrics with parameters have the intervals of
            their defaults.

        Raises
        ------
        ValueError
            If the text is not what ``to_json`` writes.
        """
        return result_from_json(cls, text)

    def cv_results(self, fold: int) -> dict[str, Any]:
        """Return the inner scores of one outer fold in the form of scikit-learn's ``cv_results_``.

        Parameters
        ----------
        fold : int
            An outer fold, from 0.

        Returns
        -------
        dict
            ``params``, ``param_<name>``, ``split<i>_test_score``, ``mean_test_score``,
            ``std_test_score`` and ``rank_test_score``; with several metrics that choose
            ``..._test_<metric>``. A candidate that left a race has no mean. With separate searches,
            the table of the search.

        Raises
        ------
        ValueError
            If there is no such fold.
        """
        return candidate_table(self, fold)

    def to_flat_dict(self) -> dict[str, float]:
        """Return every number of the result by a flat name, as ``mlflow.log_metrics`` takes them.

        Returns
        -------
        dict of str to float
            ``<metric>.mean``, ``.sd``, ``.pooled``, ``.low``, ``.high`` and ``.fold_<i>``,
            ``<metric>.optimism`` of the metric that chose, ``threshold.fold_<i>``, ``n_samples`` and
            ``failed_fits``. Undefined values are omitted.
        """
        return numbers(self)

    def report(
        self,
        path: str | Path,
        *,
        pos_label: Any = None,
        by: Any = None,
        sites: Any = None,
        title: str = "Nested cross-validation",
    ) -> None:
        """Write the result as one HTML page with its pictures, which needs no network.

        Parameters
        ----------
        path : str or path
            File to write, replaced if it exists.
        pos_label : int, float, bool or str, optional
            The positive class of the plots, if the run has none.
        by : array-like of shape (n_samples,), dict of arrays or data frame, optional
            Subgroups of the rows of X to report; see :func:`skaucx.metrics.evaluate`.
        sites : array-like of shape (n_samples,), optional
            The site of each row of X: metrics at each, and pooled; see :meth:`sites`.
        title : str, default="Nested cross-validation"

        Raises
        ------
        ImportError
            If jinja2 or matplotlib is not installed (``skaucx[report]``).
        ValueError
            If the scores of the run are about another positive class, or Markdown, LaTeX, `by` or
            `sites` is requested without probabilities of two classes.

        Notes
        -----
        A path that ends with .md or .tex makes a document for a paper in Markdown or LaTeX, its
        pictures next to it: ROC, calibration and decision curve, risks by outcome, the set "clinical"
        with intervals, subgroups, sites, the card of the final model, and a table of TRIPOD+AI (Collins
        et al. 2024) that answers the items that the run answers and lists the others as "to be filled
        in". The page folds these tables.

        The first screen answers how good the procedure is, for which rows and at which threshold: a
        sentence, a table of the metrics with their intervals, and for two classes a control of the
        threshold that starts at the one in use. Folds, winners, curves, the confusion table, methods
        and code fold. Printed, it is one page of A4 and an appendix.
        """
        write_report(about(self, pos_label), path, title, by, sites)

    def plot_intervals(self, ax: Any = None, **options: Any) -> metrics.displays.ForestDisplay:
        """Draw the 95 % interval of every metric; see :class:`skaucx.metrics.displays.ForestDisplay`."""
        return forest({"": self}).plot(ax, **options)


def candidate_table(result: Any, fold: int) -> dict[str, Any]:
    """Return the inner scores of an outer fold's candidates in the form of ``cv_results_``."""
    if not 0 <= fold < result.n_outer:
        raise ValueError(f"fold must be in 0 to {result.n_outer - 1}, found {fold!r}.")
    if result.searches:
        return dict(result.searches[fold])
    table: dict[str, Any] = {"params": [dict(params) for params in result.candidates]}
    for name in sorted({name for params in result.candidates for name in params}):
        table[f"param_{name}"] = _column([p.get(name, _ABSENT) for p in result.candidates])
    names = result.refit
    for metric, name in enumerate(names):
        suffix = "score" if len(names) == 1 else name
        scores = result.inner_scores[fold, :, : result.n_inner[fold], metric]
        means = scores.mean(axis=1)
        table |= {f"split{i}_test_{suffix}": column for i, column in enumerate(scores.T)}
        table[f"mean_test_{suffix}"] = means
        table[f"std_test_{suffix}"] = scores.std(axis=1)
        table[f"rank_test_{suffix}"] = _ranks(means)
    return table


_ABSENT = object()


def _column(values: list[Any]) -> Any:
    """Return a masked array of objects, as scikit-learn does: absent parameters are masked."""
    column = MaskedArray(np.empty(len(values), dtype=object), mask=True)
    for i, value in enumerate(values):
        if value is not _ABSENT:
            column[i] = value
    return column


def _ranks(means: Any) -> Any:
    """Return ranks, 1 for the highest mean; ties share a rank and undefined means are last."""
    order = -np.where(np.isnan(means), -np.inf, means)
    return 1 + (order[None, :] < order[:, None]).sum(axis=1).astype(np.int32)


def numbers(result: Any) -> dict[str, float]:
    """Return the numbers of a result by flat names, without undefined ones."""
    found: dict[str, float] = {}
    for name in result.test_scores:
        record = result.statistics(name).record()
        found |= {f"{name}.{part}": float(value) for part, value in record.items()}
        found |= {f"{name}.fold_{i}": float(s) for i, s in enumerate(result.test_scores[name])}
    found[f"{result.refit[0]}.optimism"] = float(np.mean(result.optimism))
    for name, cuts in result.named_thresholds.items():
        found |= {f"{name}.fold_{i}": float(cut) for i, cut in enumerate(cuts)}
    found |= {f"{name}.plain": float(np.mean(s)) for name, s in result.plain_scores.items()}
    if result.rejections is not None:
        found["accepted"] = float(np.mean(result.rejections.coverage))
    if result.prediction_sets is not None:
        found["set_coverage"] = result.prediction_sets.coverage
        found["set_size"] = float(result.prediction_sets.sizes.mean())
    counts = {"n_samples": result.n_samples, "failed_fits": len(result.failures)}
    found |= {name: float(n) for name, n in {**counts, "fits_saved": result.fits_saved}.items()}
    return {name: value for name, value in found.items() if np.isfinite(value)}


def by_metric(result: Any) -> pd.DataFrame:
    """Return one row a metric."""
    pd = import_pandas()
    rows = [result.statistics(name).record() for name in result.test_scores]
    return pd.DataFrame(rows, index=pd.Index(result.test_scores, name="metric"))


def by_fold(result: Any) -> pd.DataFrame:
    """Return one row an outer fold."""
    pd = import_pandas()
    index = pd.RangeIndex(result.n_outer, name="fold")
    return pd.DataFrame([_record(result, fold) for fold in range(result.n_outer)], index=index)


def _decided(result: Any, fold: int) -> dict[str, Any]:
    """Return the decisions of the inner folds, and their results."""
    found = {f"plain_{name}": scores[fold] for name, scores in result.plain_scores.items()}
    found |= {name: cuts[fold] for name, cuts in result.named_thresholds.items()}
    if result.rejections is not None:
        found["accepted"] = result.rejections.coverage[fold]
    if result.prediction_sets is not None:
        found["set_coverage"] = result.prediction_sets.fold_coverage[fold]
    return found


def _record(result: Any, fold: int) -> dict[str, Any]:
    selection = result.selections[fold]
    params = result.candidates[selection.winner]
    return {
        **{key: scores[fold] for key, scores in result.items()},
        f"inner_{result.refit[0]}": selection.means[selection.winner],
        "optimism": result.optimism[fold],
        "winner": selection.winner,
        **{f"param_{name}": value for name, value in params.items()},
        **_decided(result, fold),
        "dropped_inner_folds": int(selection.dropped.sum()),
        "undefined_candidates": int(np.count_nonzero(selection.undefined)),
        "failed_fits": sum(failed.outer_fold == fold for failed in result.failures),
    }


def html_tables(result: Any) -> dict[str, str]:
    """Return the non-empty tables of a NestedCVResult by title."""
    tables = {
        "metrics": _metrics(result),
        "folds": _folds(result),
        "winners": _winners(result),
        "failures": _failures(result),
    }
    return {name: text for name, text in tables.items() if text}


def _metrics(result: Any) -> str:
    records = {name: result.statistics(name).record() for name in result.test_scores}
    return table(
        f"{result.header}. Low and high: 95 % interval of the expected score of the procedure.",
        ["metric", *next(iter(records.values()))],
        [[name, *record.values()] for name, record in records.items()],
    )


def _folds(result: Any) -> str:
    winners = zip(result.inner_means.tolist(), map(parameters, result.winning_params), strict=True)
    return table(
        "Outer folds",
        ["fold", *result.test_scores, f"inner {result.refit[0]}", "winner"],
        [
            [fold, *(float(scores[fold]) for scores in result.values()), mean, text]
            for fold, (mean, text) in enumerate(winners)
        ],
    )


def _winners(result: Any) -> str:
    counted = zip(result.candidates, result.winner_counts.tolist(), strict=True)
    chosen = [[parameters(params), times] for params, times in counted if times]
    return table("Winners", ["parameters", "outer folds"], chosen)


def _failures(result: Any) -> str:
    head = ["stage", "outer fold", "inner fold", "parameters", "error"]
    rows = [
        [f.stage, f"{f.outer_fold}", f"{f.inner_fold}", parameters(f.params), f.error]
        for f in result.failures
    ]
    return table("Failed fits", head, rows) if rows else ""


def as_json(record: Any, left_out: Mapping[str, tuple[str, ...]]) -> str:
    """Write a record with its parts as JSON, without its scorer and some fields of some parts."""
    document = {
        name: _fields(value, left_out.get(name, ()))
        for name, value in vars(record).items()
        if not (name.startswith("_") or name in ("scorer", "estimators"))
    }
    return json.dumps(plain(document), allow_nan=False)


def plain(value: Any) -> Any:
    """Return numbers, text, lists and dicts; nan is None, and what JSON cannot hold its repr.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._exports import plain
    >>> plain({"scores": np.array([0.5, np.nan]), "C": np.int64(3), "kernel": min})
    {'scores': [0.5, None], 'C': 3, 'kernel': '<built-in function min>'}
    """
    if isinstance(value, np.ndarray | np.bool_):
        value = value.tolist()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return None if math.isnan(number) else number if math.isfinite(number) else repr(number)
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, Sequence):
        return [plain(entry) for entry in value]
    return repr(value)


def _fields(value: Any, left_out: tuple[str, ...] = ()) -> Any:
    """Return records, also those in tuples, dicts and records, as dicts of their attributes."""
    if isinstance(value, tuple):
        return [_fields(entry, left_out) for entry in value]
    if isinstance(value, Mapping):
        return {name: _fields(entry, left_out) for name, entry in value.items()}
    if not is_dataclass(value) and not isinstance(value, SimpleNamespace):
        return value
    return {
        name: _fields(entry, left_out)
        for name, entry in vars(value).items()
        if name not in left_out
    }
