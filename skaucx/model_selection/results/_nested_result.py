"""What nested cross-validation found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from ..._arguments import DataFrame
from ..._compat import import_pandas
from ..._faces import Reportable
from ..._options import Confidence, check_choice
from ..._text.plain import count, paragraph, paragraphs
from ...inference import Interval
from ...metrics._scorers.bound import bound_metric
from ...metrics._scorers.one_pass import OnePassScorer
from .._scoring import Classes
from .._types import Floats, MetricLike, Params, Rows
from ..decisions._rejecting import Rejections
from ..decisions._winner import FinalModel, Selection, count_wins
from ..execution._failures import FailedFit, described, one_line
from ..execution._out_of_fold import (
    OutOfFoldPredictions,
    Pooled,
    metric_of,
    pooled_interval,
    score_bounds,
)
from . import _summary
from ._noise import noise_or_none
from ._statistics import MetricStatistics
from ._summary import dangers
from ._tuning_matrix import TuningMatrix


@dataclass(frozen=True, eq=False, repr=False)
class NestedCVResult(Reportable, Mapping[str, Floats]):
    """Result of nested k x l cross-validation over C candidates and R selection metrics.

    As a mapping it gives the outer test scores under ``test_<name>``, as
    :func:`sklearn.model_selection.cross_validate` does.

    Attributes
    ----------
    test_scores : dict of str to ndarray of shape (k,), float64
        Scores of each outer test part, nan where undefined.
    candidates : tuple of C dict
        The grid or the draws, in order; where every fold found its own, the distinct ones in
        order of appearance, that of the final search last.
    refit : tuple of R str
        Metrics that choose; the first one determines the reported result and the final model.
    inner_scores : ndarray of shape (k, C, l, R), float64
        Scores of every inner fit; l is the largest number of inner folds, shorter ones end in nan.
        Empty, l = 0, with separate searches.
    n_inner : tuple of k int
        Inner folds of each outer fold.
    selections : tuple of k Selection
        For each outer fold the ``winner``, every candidate's mean, which inner folds were
        ``dropped`` because every candidate was undefined, how often a candidate was ``undefined``
        on the others, and whether anything was left to be ``decided``.
    tuning_matrix : TuningMatrix
        Outer scores for each of the metrics that choose. Its best row, picked afterwards, is
        optimistic.
    predictions : OutOfFoldPredictions
        Pooled predictions of the outer test rows.
    pooled : dict of str to Pooled
        Each metric of ``predictions`` as one set, or why it has no value.
    scorer : OnePassScorer
        Of all metrics.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each outer fold.
    final : FinalModel or None
        The model fitted on all data.
    n_samples : int
    failures : tuple of FailedFit
        Fits that raised, with ``stage``,
        ``outer_fold``, ``inner_fold``, ``params``, ``error`` and ``traceback``. Their scores are
        ``error_score``.
    classes : Classes or None
        Rows of each class and the positive one; None if the targets are not plain classes.
    decisions : tuple of k Decision
        Calibration and threshold chosen in each outer fold; empty if not requested.
    plain_scores : dict of str to ndarray of shape (k,), float64
        The outer scores without them.
    train_scores : dict of str to ndarray of shape (k,), float64
        The scores of the best parameters on their training parts, with ``return_train_score=True``.
    rejections : Rejections or None
        Which test rows were rejected, and the outer scores of the others.
    notes : tuple of str
        What became of each limit of ``refit=`` and ``threshold=`` on the outer test parts; what the
        checks of folds found; with ``groups`` their number.
    estimators : tuple of k estimators
        The best candidates as they were fitted on the outer training parts, with
        ``return_estimator=True``.

    See Also
    --------
    NestedCV : The target of the estimate, with references.

    Notes
    -----
    The outer test rows take no part in choices; the estimate is for the procedure, whose folds may
    choose differently. :attr:`optimism` is the bias of reporting the inner score.

    A pooled AUC ranks scores of different models against each other; the mean over folds does not.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> result = nested_cross_validate(
    ...     tree, {"max_depth": [1, 3]}, X, y, scoring=["roc_auc", "specificity"], inner_cv=3
    ... )
    >>> list(result), result["test_roc_auc"].shape
    (['test_roc_auc', 'test_specificity'], (5,))
    >>> [params["max_depth"] for params in result.winning_params]
    [3, 3, 3, 3, 3]
    >>> result.predictions.y_pred.shape
    (569,)
    """

    test_scores: Mapping[str, Floats]
    candidates: tuple[Params, ...]
    refit: tuple[str, ...]
    inner_scores: Floats
    n_inner: tuple[int, ...]
    selections: tuple[Selection, ...]
    tuning_matrix: TuningMatrix
    predictions: OutOfFoldPredictions
    pooled: Mapping[str, Pooled]
    scorer: OnePassScorer
    n_train: Rows
    n_test: Rows
    final: FinalModel | None
    n_samples: int
    failures: tuple[FailedFit, ...] = ()
    classes: Classes | None = None
    decisions: tuple[Any, ...] = ()
    plain_scores: Mapping[str, Floats] = field(default_factory=dict)
    train_scores: Mapping[str, Floats] = field(default_factory=dict)
    rejections: Rejections | None = None
    notes: tuple[str, ...] = ()
    estimators: tuple[Any, ...] = ()

    def __getitem__(self, key: str) -> Floats:
        part, _, name = key.partition("_")
        scores = {"test": self.test_scores, "train": self.train_scores}.get(part, {})
        if name not in scores:
            raise KeyError(f"{key!r}; the result has {', '.join(self)}")
        return scores[name]

    def __iter__(self) -> Iterator[str]:
        yield from (f"test_{name}" for name in self.test_scores)
        yield from (f"train_{name}" for name in self.train_scores)

    def __len__(self) -> int:
        return len(self.test_scores) + len(self.train_scores)

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __repr__(self) -> str:
        each = {name: self.statistics(name) for name in self.test_scores}
        parts = [f"{name} {found.mean:.4f} (sd {found.sd:.4f})" for name, found in each.items()]
        return paragraph(f"NestedCVResult({', '.join(parts)})", hang=2)

    def _repr_html_(self) -> str:
        """Show metrics, classes and failures in a notebook."""
        table = _summary.metrics(self._statistics)
        notes = [*map(str, filter(None, [self.classes])), *table.notes, *described(self.failures)]
        return replace(table, caption=self.header, notes=notes)._repr_html_()

    @property
    def header(self) -> str:
        """How many folds and candidates there were and what chose, in a line."""
        low, high = min(self.n_inner), max(self.n_inner)
        inner = str(low) if low == high else f"{low} to {high}"
        candidates = count(len(self.candidates), "candidate")
        return paragraph(
            f"Nested cross-validation: {len(self.n_inner)} outer x {inner} inner folds, "
            f"{candidates if self.inner_scores.size else 'a separate search in each'}, "
            f"chosen by {self.tuning_matrix.tuned_on[0]}",
            hang=2,
        )

    @property
    def pos_label(self) -> Any:
        """The positive class of two; None if it was not named and the labels do not define it."""
        return None if self.classes is None else self.classes.positive

    @property
    def n_outer(self) -> int:
        """Number of outer folds k."""
        return len(self.selections)

    @property
    def winners(self) -> Rows:
        """Index of each outer fold's chosen candidate, shape (k,)."""
        return np.array([selection.winner for selection in self.selections], dtype=np.intp)

    @property
    def winning_params(self) -> tuple[Params, ...]:
        """Each outer fold's chosen parameters."""
        return tuple(self.candidates[winner] for winner in self.winners)

    @property
    def inner_means(self) -> Floats:
        """Mean inner score of each outer fold's chosen candidate, shape (k,)."""
        return np.array([selection.means[selection.winner] for selection in self.selections])

    @property
    def thresholds(self) -> Floats:
        """Threshold of each outer fold, shape (k,); nan where none was chosen."""
        chosen = [np.nan if d.cut is None else d.cut.threshold for d in self.decisions]
        return np.array(chosen, dtype=np.float64)

    @property
    def winner_counts(self) -> Rows:
        """How many outer folds chose each candidate, shape (C,); undecided folds do not count."""
        return count_wins(self.selections)

    @property
    def optimism(self) -> Floats:
        """Inner mean of the best parameters minus their plain outer score by that metric, (k,)."""
        if self.plain_scores:
            return self.inner_means - self.plain_scores[self.refit[0]]
        return self.tuning_matrix.optimism[0]

    @property
    def naming(self) -> list[str]:
        """The parameters of the metrics, and the metrics of aliases."""
        return _summary.parameters_and_names(self.scorer)

    @cached_property
    def _statistics(self) -> dict[str, MetricStatistics]:
        return {name: self._statistics_of(name) for name in self.test_scores}

    def statistics(self, name: str) -> MetricStatistics:
        """Mean, spread, pooled value and undefined folds of one metric.

        Parameters
        ----------
        name : str
            A metric of ``scoring``.

        Returns
        -------
        MetricStatistics

        Raises
        ------
        KeyError
            If the result has no such metric.
        """
        if name not in self.test_scores:
            raise KeyError(f"{name!r}; the result has {', '.join(self.test_scores)}")
        return self._statistics[name]

    def _statistics_of(self, name: str) -> MetricStatistics:
        scorer = self.scorer.metrics.get(name, self.scorer.scorers[name])
        bound = bound_metric(scorer)
        if bound is not None and set(bound.function.needed) - set(bound.parameters):
            scorer = bound = None  # it lacks parameters, which the run passes to it
        folds = np.flatnonzero(~np.isnan(self.test_scores[name]))
        return MetricStatistics(
            self.test_scores[name],
            self.pooled[name],
            self.n_train,
            self.n_test,
            trained=self.train_scores.get(name),
            metric=name,
            bounds=score_bounds(scorer),
            noise=partial(noise_or_none, bound, self.predictions, folds),
            chosen_by_another=len(self.candidates) > 1 and name != self.refit[0],
            errors=tuple(
                one_line(failed.error)
                for failed in self.failures
                if failed.stage != "inner" and failed.metric in (None, name)
            ),
        )

    def interval(self, name: str, confidence_level: float | Confidence = 0.95) -> Interval:
        """Interval of the expected score of the procedure, around the mean outer score.

        It includes test-set sampling error and between-fold variation; it never leaves the metric's
        range. Metrics of labels have the wider one of it and of the corrected resampled t. See
        :func:`skaucx.model_selection.results._statistics.fold_interval`.

        Parameters
        ----------
        name : str
            A metric of ``scoring``.
        confidence_level : float or Confidence, default=0.95
            Nominal coverage, in (0, 1); one-sided by ``Confidence(0.95, alternative="greater")``.

        Returns
        -------
        skaucx.inference.Interval
            It unpacks as ``low, high``, nan if it cannot be computed, and has ``target`` and
            ``method``.

        Raises
        ------
        KeyError, ValueError
            If there is no such metric, or ``confidence_level`` is not in (0, 1).
        """
        sides = Confidence.of(confidence_level)
        statistics = self.statistics(name)
        found = statistics.interval(sides.two_sided)
        low, high = sides.ends(found.low, found.high, statistics.bounds)
        return replace(found, low=float(low), high=float(high), confidence_level=sides.level)

    def pooled_interval(self, name: MetricLike, **options: Any) -> Interval:
        """Interval of a metric on the pooled predictions, about the models that were fitted.

        Parameters
        ----------
        name : str or scorer
            A metric of the result, or any other of this package; losses keep their own sign.
        **options
            As for :func:`skaucx.inference.interval`. The groups of ``fit``, or else rows that were
            tested several times, are drawn together unless other ``groups`` are given; the positive
            class is that of the metric or of the run.

        Returns
        -------
        skaucx.inference.Interval

        Raises
        ------
        ValueError, TypeError
            If the metric is not one of this package, if its response is not among the pooled
            predictions, or as :func:`skaucx.inference.interval` raises.
        """
        return pooled_interval(metric_of(name, self.scorer), self.predictions, options)

    def summary(self, metrics: Iterable[str] | None = None) -> str:
        """Write the result as plain text for a terminal.

        Parameters
        ----------
        metrics : list of str, default=None
            The metrics to show, in this order; all by default.

        Returns
        -------
        str
            Mean, interval and standard deviation (k - 1 in the denominator) of each metric, the
            pooled value where folds are too small for a mean; winners and optimism; the tuning
            matrix; gaps and failures; the final model; where the rest is.

        Raises
        ------
        ValueError
            If a metric is not among those of the run.
        """
        shown = _summary.chosen(metrics, self.test_scores)
        blocks = [
            self.header,
            "" if self.classes is None else str(self.classes),
            _summary.metrics({name: self.statistics(name) for name in shown}).text(),
            paragraphs(self.naming),
            paragraphs(f"Warning: {each}" for each in dangers(self.scorer, self.refit)),
            _summary.best_parameters(self),
            paragraphs([_summary.optimism(self)]),
            paragraphs(_summary.decisions(self)),
            "" if self.rejections is None else self.rejections.summary(self.test_scores),
            str(self.tuning_matrix) if len(self.tuning_matrix.tuned_on) > 1 else "",
            paragraphs(_summary.undefined(self)),
            paragraphs(described(self.failures)),
            paragraphs(self.notes),
            paragraphs(_summary.final(self)),
            _summary.REST,
        ]
        return "\n\n".join(block for block in blocks if block)

    def to_frame(self, by: Literal["fold", "metric"] = "fold") -> DataFrame:
        """Return one row an outer fold, or one row a metric.

        Parameters
        ----------
        by : {"fold", "metric"}, default="fold"

        Returns
        -------
        pandas.DataFrame
            By fold: columns ``test_<name>``, ``train_<name>`` if kept, ``inner_<refit>``,
            ``optimism``, ``winner``, ``param_<name>``, ``dropped_inner_folds``,
            ``undefined_candidates``, ``failed_fits``, and ``threshold`` where one was chosen. By
            metric: columns ``mean``, ``sd``, ``pooled``, ``low`` and ``high`` (the 95 % interval),
            ``undefined`` folds, and the mean ``train`` score if kept.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        check_choice("by", by, ("fold", "metric"))
        if by == "metric":
            return _summary.scores_table(by, self._statistics).frame(by)
        decided = {f"plain_{name}": scores for name, scores in self.plain_scores.items()}
        if self.decisions:
            decided["threshold"] = self.thresholds
        if self.rejections is not None:
            decided["accepted"] = self.rejections.coverage
        rows = [
            {
                **{key: scores[fold] for key, scores in self.items()},
                f"inner_{self.refit[0]}": selection.means[selection.winner],
                "optimism": self.optimism[fold],
                "winner": selection.winner,
                **{f"param_{name}": value for name, value in self.winning_params[fold].items()},
                **{name: values[fold] for name, values in decided.items()},
                "dropped_inner_folds": int(selection.dropped.sum()),
                "undefined_candidates": int(np.count_nonzero(selection.undefined)),
                "failed_fits": sum(failed.outer_fold == fold for failed in self.failures),
            }
            for fold, selection in enumerate(self.selections)
        ]
        return import_pandas().DataFrame(rows).rename_axis("fold")
