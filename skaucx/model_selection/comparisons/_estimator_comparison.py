"""The result of a comparison of several estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from skaucx.metrics.comparisons import ComparisonResult
from skaucx.metrics.displays import ForestDisplay

from ..._compat import import_pandas
from ..._deprecation import renamed_attribute
from ..._options import RealRange, check_whole
from ..._text.html import paragraph as html_paragraph
from ..._text.html import preformatted
from ..._text.html import table as html_table
from ..._text.numbers import fixed, p_value, with_interval
from ..._text.tables import count, elided, paragraph, table
from ...metrics.pages._sheet import (
    Line,
    Sheet,
    display_name,
    facts_of,
    metric_line,
    origin,
    write_sheet,
)
from .._types import Floats
from ..results._nested_result import NestedCVResult
from ..results._report import (
    about,
    choices_html,
    classes_html,
    compared_curves,
    forest,
    line_of,
    named,
)
from ..results._summary import chosen
from ._bayes import probabilities_near_best, rope_of
from ._tests import WIDENED

_PAIR = 25  # letters of the names of two estimators
_PAIRS_OF_PAGE = 6
_PAIRS = 15  # pairs of estimators in the tables of a metric

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class PairedDifference:
    """Two estimators compared by one metric.

    Attributes
    ----------
    first, second : str
        Names of the estimators.
    folds : ComparisonResult
        Corrected resampled t test of the outer scores; its difference is first minus second.
    p_adjusted : float
        Its p-value adjusted by Holm's rule for all pairs of estimators of this metric.
    within : ComparisonResult or None
        The paired test within the folds, for metrics of this package.
    within_p_adjusted : float
        Its p-value adjusted likewise, nan where there is none.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import compare_estimators
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = compare_estimators(
    ...     {"bayes": GaussianNB(), "dummy": DummyClassifier()}, X, y, scoring="roc_auc"
    ... )
    >>> (pair,) = result.pairs("roc_auc")
    >>> pair.first, pair.second, round(pair.folds.difference, 2)
    ('bayes', 'dummy', 0.49)
    """

    first: str
    second: str
    folds: ComparisonResult
    p_adjusted: float
    within: ComparisonResult | None = None
    within_p_adjusted: float = np.nan

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preformatted(repr(self))

    def __repr__(self) -> str:
        low, high = self.folds.interval
        return paragraph(
            f"{self.first} - {self.second}: {fixed(self.folds.difference)} ({fixed(low)} to "
            f"{fixed(high)}), adjusted p {p_value(self.p_adjusted)}",
            hang=2,
        )


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorComparison:
    """Several estimators on the same nested outer folds.

    Attributes
    ----------
    results : dict of str to NestedCVResult
        The nested result of each estimator.
    differences : dict of str to tuple of PairedDifference
        For each metric all pairs of estimators, in the order given.
    confidence_level : float
        Nominal coverage of the intervals.
    failed : dict of str to str
        The estimators that have no result, with their first error.
    call : str
        Code that makes the comparison, with its imports.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_estimators
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    >>> result = compare_estimators({"bayes": GaussianNB(), "tree": tree}, X, y, scoring="roc_auc")
    >>> result.scores("roc_auc").shape
    (2, 5)
    """

    results: Mapping[str, NestedCVResult]
    differences: Mapping[str, tuple[PairedDifference, ...]]
    confidence_level: float
    failed: Mapping[str, str] = field(default_factory=dict)
    call: str = ""

    level = renamed_attribute("level", "confidence_level")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the estimators."""
        return tuple(self.results)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.differences)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on data, folds and winners; one that is not of all estimators names its own."""
        each = {name: result.notes for name, result in self.results.items()}
        return tuple(
            dict.fromkeys(
                note if all(note in others for others in each.values()) else f"{name}: {note}"
                for name, notes in each.items()
                for note in notes
            )
        )

    def scores(self, metric: str) -> Floats:
        """Return the outer scores by one metric, shape (n_estimators, k).

        Raises
        ------
        KeyError
            If the result has no such metric.
        """
        return np.stack([result[f"test_{metric}"] for result in self.results.values()])

    def pairs(self, metric: str) -> tuple[PairedDifference, ...]:
        """Return the differences of all pairs of estimators by one metric.

        Raises
        ------
        KeyError
            If the result has no such metric.
        """
        if metric not in self.differences:
            raise KeyError(f"{metric!r}; the result has {', '.join(self.metrics)}")
        return self.differences[metric]

    def __repr__(self) -> str:
        told = f"EstimatorComparison({', '.join(self.names)}; by {', '.join(self.metrics)})"
        return paragraph(told, hang=2)

    def __str__(self) -> str:
        return self.summary()

    def to_frame(self, by: Literal["estimator", "pair"] = "estimator") -> pd.DataFrame:
        """Return one row an estimator and metric, or one row a pair of estimators and metric.

        Parameters
        ----------
        by : {"estimator", "pair"}, default="estimator"

        Returns
        -------
        pandas.DataFrame
            By estimator: mean, sd, pooled value, ends of the corrected interval, undefined folds.
            By pair: difference, ends of its interval, statistic, p-value and adjusted p-value of
            the corrected t test; those of the test within folds.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If ``by`` is not one of those.
        """
        if by not in ("estimator", "pair"):
            raise ValueError(f"by must be 'estimator' or 'pair', found {by!r}.")
        pandas = import_pandas()
        if by == "estimator":
            keys = [(metric, name) for metric in self.metrics for name in self.names]
            index = pandas.MultiIndex.from_tuples(keys, names=["metric", "estimator"])
            return pandas.DataFrame([self._record(*key) for key in keys], index=index)
        pairs = [(metric, pair) for metric in self.metrics for pair in self.pairs(metric)]
        index = pandas.MultiIndex.from_tuples(
            [(metric, pair.first, pair.second) for metric, pair in pairs],
            names=["metric", "first", "second"],
        )
        return pandas.DataFrame([_record_of_pair(pair) for _, pair in pairs], index=index)

    def _record(self, metric: str, name: str) -> dict[str, float]:
        return self.results[name].statistics(metric).record(self.confidence_level)

    def summary(self, metrics: Iterable[str] | None = None) -> str:
        """Return the comparison as plain text for a terminal.

        Parameters
        ----------
        metrics : list of str, default=None
            The metrics to show, in this order; all by default.

        Returns
        -------
        str
            For each metric the scores of every estimator, then the differences of all pairs with
            their intervals and adjusted p-values; of many pairs the first.

        Raises
        ------
        ValueError
            If a metric is not among those of the comparison.
        """
        first = next(iter(self.results.values()))
        head = f"{count(len(self.names), 'estimator')} on the same {first.n_outer} outer folds"
        blocks = [head] if first.classes is None else [head, str(first.classes)]
        blocks += [paragraph(told, hang=2) for told in self._text_of_failed]
        for metric in chosen(metrics, self.metrics):
            blocks.append(self._scores_text(metric))
            blocks += [self._differences_text(metric)] if self.pairs(metric) else []
        blocks += [paragraph(note, hang=2) for note in (*first.naming, *self.notes)]
        return "\n\n".join([*blocks, paragraph(self._footnote, hang=2)])

    @property
    def _text_of_failed(self) -> list[str]:
        return [f"{name} failed and is omitted: {error}" for name, error in self.failed.items()]

    @property
    def _footnote(self) -> str:
        """The explanation of the columns."""
        pairs = [pair for every in self.differences.values() for pair in every]
        methods = dict.fromkeys(
            result.interval(metric, self.confidence_level).method
            for metric in self.metrics
            for result in self.results.values()
        )
        share = f"{100 * self.confidence_level:g} %"
        told = (
            f"Low and high of an estimator: {share} interval of the expected score of the "
            f"procedure, as in its own summary ({'; '.join(methods)})."
        )
        if pairs:
            told += _DIFFERENCES.format(share)
        if any(pair.within is not None for pair in pairs):
            told += _WITHIN
        if any(_widened(pair) for pair in pairs):
            told += _MARKED
        return told + (_FEW_POSITIVES if pairs else "")

    def near_best(
        self,
        margin: float | None = None,
        metric: str | None = None,
        *,
        n_resamples: int = 20_000,
        random_state: Any = 0,
    ) -> pd.Series:
        """Return how probable it is that each estimator is the best, or within a margin of it.

        Parameters
        ----------
        margin : float, default=None
            The loss against the best that does not matter, 0 or more; 0 asks which is the best. None
            is a hundredth of the range of the metric, 0.0025 for the Brier score and 0.007 for the log
            loss.
        metric : str, default=None
            The first one by default.
        n_resamples : int, default=20000
            Draws from the posterior of the mean scores.
        random_state : int, RandomState, Generator or None, default=0

        Returns
        -------
        pandas.Series
            A probability an estimator; they add up to more than 1, as several can be near the best.

        Raises
        ------
        ValueError
            If the metric has no range, such as d', and `margin` is None.
        ImportError
            If pandas is not installed.

        Notes
        -----
        Of two estimators it is the probability that the second is not better by more than the margin in
        :func:`bayesian_correlated_t_test`, whose model it extends to several mean scores.
        """
        metric = self.metrics[0] if metric is None else metric
        first = next(iter(self.results.values()))
        if margin is None:
            margin = rope_of(first, metric)
        found = probabilities_near_best(
            self.scores(metric), first.n_train, first.n_test,
            RealRange(0, np.inf).check("margin", margin),
            check_whole("n_resamples", n_resamples, least=1), random_state,
        )  # fmt: skip
        name = f"within {margin:g} of the best {metric}"
        return import_pandas().Series(found, index=list(self.names), name=name)

    def _gaps(self, metric: str) -> list[str]:
        """Return the notes on undefined folds and on intervals of a metric."""
        found = {name: result.statistics(metric) for name, result in self.results.items()}
        told = [
            f"{name}: {metric} is undefined in {one.undefined} of {len(one.scores)} folds."
            for name, one in found.items()
            if one.undefined
        ]
        notes = [one.interval(self.confidence_level).note for one in found.values()]
        return [*told, *(f"Note: {note}." for note in dict.fromkeys(notes) if note)]

    def _scores_text(self, metric: str) -> str:
        heads = ["mean", "sd", "pooled", "low", "high"]
        rows = {name: self._record(metric, name) for name in self.names}
        cells = [[name, *(fixed(row[head]) for head in heads)] for name, row in rows.items()]
        gaps = [paragraph(told, hang=2) for told in self._gaps(metric)]
        return "\n".join([table([metric, *heads], cells), *gaps])

    def _differences_text(self, metric: str) -> str:
        heads = ["difference", "low", "high", "Holm p"]
        within = any(pair.within is not None for pair in self.pairs(metric))
        heads += ["Holm within"] if within else []
        rows = []
        for pair in self.pairs(metric)[:_PAIRS]:
            cells = [fixed(x) for x in (pair.folds.difference, *pair.folds.interval)]
            cells.append(p_value(pair.p_adjusted))
            if within:
                same = "= " if _widened(pair) else ""
                cells.append(same + p_value(pair.within_p_adjusted))
            half = (_PAIR - 3) // 2
            rows.append([f"{elided(pair.first, half)} - {elided(pair.second, half)}", *cells])
        more = len(self.pairs(metric)) - len(rows)
        told = table(["differences", *heads], rows)
        return told + (f"\n... and {more} more pairs: to_frame('pair')" if more > 0 else "")

    def plot_intervals(self, ax: Any = None, **options: Any) -> ForestDisplay:
        """Draw the interval of every metric of every estimator, as a forest.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of :meth:`skaucx.metrics.displays.ForestDisplay.plot`.

        Returns
        -------
        skaucx.metrics.displays.ForestDisplay
        """
        return forest(self.results, self.confidence_level).plot(ax, **options)

    def report(
        self, path: str | Path, *, pos_label: Any = None, title: str = "Comparison of estimators"
    ) -> None:
        """Write the comparison as one HTML page with its pictures, which needs no network.

        Parameters
        ----------
        path : str or path
            File to write, replaced if it exists.
        pos_label : int, float, bool or str, optional
            The positive class, if the runs have none.
        title : str, default="Comparison of estimators"

        Raises
        ------
        ImportError
            If jinja2 or matplotlib is not installed (``skaucx[report]``).
        """
        results = {name: about(result, pos_label) for name, result in self.results.items()}
        write_sheet(path, self._sheet(results, title))

    def _sheet(self, results: Mapping[str, NestedCVResult], title: str) -> Sheet:
        """Return the page: the verdict by the first metric, scores by metric, and differences."""
        first = next(iter(results.values()))
        gaps = [gap for metric in self.metrics for gap in self._gaps(metric)]
        told = [*gaps, *first.naming, *self.notes, self._footnote]
        positive = None if first.classes is None else first.classes.positive
        counts = {} if positive is None or first.classes is None else first.classes.counts
        share = f"{100 * self.confidence_level:g} %"
        folded = [
            ("Differences by every metric", self._differences_html(display_name)),
            ("Curves of every estimator", compared_curves(results)),
            *((f"{name}: classes", classes_html(result)) for name, result in results.items()),
            *(
                (f"{name}: winners and failed fits", choices_html(result))
                for name, result in results.items()
            ),
            ("How the intervals were made", "".join(html_paragraph(named(n, first)) for n in told)),
            ("How it was made", origin(self.call or first.call)),
        ]
        return Sheet(
            title,
            facts_of(
                first.n_samples, positive, counts.get(positive),
                f"test rows of the same {first.n_outer} outer folds",
                {"Estimators": ", ".join(self.names)},
            ),
            self._verdict(),
            [*self._scores_lines(), *self._differences_lines(self.metrics[0])],
            f"Mean over the outer folds, in brackets {share} intervals, which are not adjusted for "
            "several pairs; p is (Holm). The best of several, picked by looking, is optimistic.",
            folded=folded,
            notes=self._text_of_failed,
        )  # fmt: skip

    def _clear(self, pair: PairedDifference) -> bool:
        """Whether a pair differs by its adjusted p-value."""
        return pair.p_adjusted < 1 - self.confidence_level

    def _verdict(self) -> str:
        """Return which differences by the first metric are clear, or that none is."""
        metric = self.metrics[0]
        pairs = [p for p in self.pairs(metric) if np.isfinite(p.folds.difference)]
        if not pairs:
            return f"No difference in {display_name(metric)} can be estimated."
        clear = [pair for pair in pairs if self._clear(pair)]
        largest = max(pairs, key=lambda pair: abs(pair.folds.difference))
        texts = [
            f"{higher} has a {'lower' if metric.startswith('neg_') else 'higher'} "
            f"{display_name(metric)} than {lower}: difference {ends}, adjusted p "
            f"{p_value(pair.p_adjusted)}."
            for pair in clear[:3]
            for higher, lower, ends in [_directed(metric, pair)]
        ]
        if clear:
            rest = len(pairs) - len(clear)
            more = f" {count(rest, 'other pair')} without a clear difference." if rest else ""
            return " ".join(texts) + more
        first, second, ends = _directed(metric, largest)
        return (
            f"No clear difference in {display_name(metric)}. The largest is that of {first} and "
            f"{second}: {ends}, adjusted p {p_value(largest.p_adjusted)}."
        )

    def _scores_lines(self) -> list[Line]:
        """Return a heading a metric, and below it a line an estimator."""
        lines = []
        for metric in self.metrics:
            lines.append(Line(display_name(metric), None))
            for name, result in self.results.items():
                found = result.interval(metric, self.confidence_level)
                one = line_of(result, metric, found, depth=1)
                lines.append(replace(one, name=name))
        return lines

    def _differences_lines(self, metric: str) -> list[Line]:
        """Return the differences of pairs by a metric with their verdicts."""
        pairs = self.pairs(metric)
        if not pairs:
            return []
        heading = f"Differences in {display_name(metric)}"
        lines = [Line(heading, None)]
        for pair in pairs[:_PAIRS_OF_PAGE]:
            numbers = (pair.folds.difference, *pair.folds.interval)
            verdict = "clear" if self._clear(pair) else "not clear"
            one = metric_line(
                metric, numbers, bounds=(-np.inf, np.inf), depth=1,
                words=f"{verdict}, adjusted p {p_value(pair.p_adjusted)}",
            )  # fmt: skip
            lines.append(replace(one, name=f"{pair.first} \u2212 {pair.second}"))
        return lines

    def _repr_html_(self) -> str:
        """Show scores and differences in a notebook."""
        heads = ["mean", "sd", "pooled", "low", "high"]
        told = {metric: {n: self._record(metric, n) for n in self.names} for metric in self.metrics}
        scores = [
            html_table(
                metric,
                ["estimator", *heads],
                [[name, *(row[head] for head in heads)] for name, row in rows.items()],
            )
            for metric, rows in told.items()
        ]
        failed = map(html_paragraph, self._text_of_failed)
        return "".join([*scores, self._differences_html(), *failed])

    def _differences_html(self, display: Callable[[str], str] = str) -> str:
        pairs = [(metric, pair) for metric in self.metrics for pair in self.pairs(metric)]
        return html_table(
            "Differences, first minus second",
            ["metric", "first", "second", "difference", "low", "high", "p", "Holm p"],
            [
                [display(metric), q.first, q.second, q.folds.difference, *q.folds.interval,
                 p_value(q.folds.p_value), p_value(q.p_adjusted)]
                for metric, q in pairs
            ],
        )  # fmt: skip


def _directed(metric: str, pair: PairedDifference) -> tuple[str, str, str]:
    """Return the better estimator of a pair, the other one, and their difference with its interval."""
    low, high = pair.folds.interval
    numbers = (pair.folds.difference, low, high)
    better, other = pair.first, pair.second
    if numbers[0] < 0:
        numbers, better, other = (-numbers[0], -high, -low), other, better
    if metric.startswith("neg_"):
        numbers = (-numbers[0], -numbers[2], -numbers[1])
    return better, other, with_interval(*numbers)


def _record_of_pair(pair: PairedDifference) -> dict[str, float]:
    low, high = pair.folds.interval
    return {
        "difference": pair.folds.difference,
        "low": low,
        "high": high,
        "statistic": pair.folds.statistic,
        "p_value": pair.folds.p_value,
        "p_adjusted": pair.p_adjusted,
        "within_p_value": np.nan if pair.within is None else pair.within.p_value,
        "within_p_adjusted": pair.within_p_adjusted,
    }


def _widened(pair: PairedDifference) -> bool:
    """Whether the test within folds has the standard error of the corrected t, and its p."""
    return pair.within is not None and WIDENED in pair.within.method


_DIFFERENCES = (
    " Low and high of a difference, {} too, and Holm p: the corrected resampled t test of the scores of "
    "the folds (Nadeau and Bengio), about the procedures, a heuristic. Holm: adjusted by Holm's rule "
    "over the pairs of one metric, not over metrics; to_frame('pair') has the unadjusted p-values."
)
_WITHIN = (
    " Holm within: the paired test within the folds, about the procedures too; it includes the sampling "
    "error of the test rows and the variation of the differences beyond it."
)
_MARKED = (
    " = marks a p within folds that takes the standard error of the corrected t, the larger one: it is "
    "the same test as Holm p, not a second one."
)
_FEW_POSITIVES = (
    " p is too often small where few positives decide: with ten repetitions of five folds on 48 "
    "positives among 1000 rows it rejects equal procedures in up to 23 % at 5 %."
)
