"""Counts of rows by label and score, which add up and are evaluated as the rows that they count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import DataFrame, MetricsLike
from .._arrays import (
    Bools,
    Rows,
    check_same_length,
    label_array,
    refuse_missing,
    rows_of,
    score_array,
)
from .._compat import import_pandas
from ..evaluation import Evaluation, GroupedEvaluation
from ..evaluation._columns import columns_of_frame
from ..evaluation._groups import columns_of, partition
from ._bounds import evaluated
from ._query import AGGREGATES, COLUMNS, check_digits
from ._score_cells import Cells


class ScoreCounts:
    """Counts of rows by true label and score of the positive class, from any number of parts.

    Made by :meth:`from_frame` of the answer to :func:`cells_query`, or by :meth:`from_rows` of arrays;
    ``ScoreCounts()`` is empty, and ``+`` adds two up. Distinct scores are exact. Where digits are
    given, rows of one label whose scores agree in them share a cell.

    Examples
    --------
    >>> from skaucx.scale import ScoreCounts
    >>> chunks = [([1, 0], [0.9, 0.2]), ([1, 0], [0.4, 0.6])]
    >>> counts = sum((ScoreCounts.from_rows(y, s) for y, s in chunks), start=ScoreCounts())
    >>> counts
    ScoreCounts(4 rows in 4 cells)
    >>> counts.evaluate("roc_auc")["roc_auc"]
    0.75
    """

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        # By the values of the groups and the label.
        self._parts: dict[tuple[Any, ...], Cells] = {}

    @classmethod
    def from_frame(cls, cells: Any) -> ScoreCounts:
        """Read the answer to :func:`cells_query`, or several of them below each other.

        Parameters
        ----------
        cells : data frame
            Of pandas, polars or Arrow, with the columns of the query; names in capitals are read, too.
            Further columns are groups.

        Returns
        -------
        ScoreCounts

        Raises
        ------
        ValueError, TypeError
            If a column is missing or a value is; if a count is negative or a score infinite.
        """
        held = columns_of_frame(cells)
        known = {str(name).lower(): name for name in held}
        if lacking := [name for name in COLUMNS if name not in known]:
            raise ValueError(
                f"cells has no column {lacking[0]!r}; it must be the answer to cells_query, with the "
                f"columns {', '.join(COLUMNS)}, found {', '.join(map(str, held))}."
            )
        columns = {name: held[known[name]] for name in COLUMNS}
        groups = {str(name): held[name] for name in held if str(name).lower() not in COLUMNS}
        n_lines = len(columns["true_label"])
        if not n_lines:
            raise ValueError("cells is empty: the query found no rows; check its table and where=.")
        for name, values in {**groups, **columns}.items():
            refuse_missing(values, f"the column {name} of cells")
        numbers = {name: _numbers(columns[name], name) for name in COLUMNS[1:]}
        for name, values in numbers.items():
            _refuse(~np.isfinite(values), name, "values that are not finite")
        many = numbers["n_rows"]
        _refuse((many < 0) | (many % 1 != 0), "n_rows", "counts that are not whole numbers >= 0")
        _refuse(numbers["lowest"] > numbers["highest"], "lowest", "values above those of highest")
        values = np.stack([numbers[name] for name in list(AGGREGATES)[1:]])
        single = bool((values[:2] == numbers["cell"]).all())
        rows = Cells(numbers["cell"], many.astype(np.int64), None if single else values)
        return cls._of(columns["true_label"], groups, rows)

    @classmethod
    def from_rows(
        cls,
        y_true: Rows,
        y_score: Rows,
        digits: int | None = None,
        *,
        by: ArrayLike | Mapping[str, ArrayLike] | None = None,
    ) -> ScoreCounts:
        """Count rows.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes.
        y_score : array-like of shape (n_samples,)
            Scores of the positive class.
        digits : int from 0 to 15, default=None
            Decimal digits of the edges of cells; None counts each distinct score, which is exact.
        by : array-like of shape (n_samples, ...) or dict of arrays, default=None
            Groups that are counted apart, as those of :func:`evaluate`.

        Returns
        -------
        ScoreCounts

        Raises
        ------
        ValueError, TypeError
            If an array is invalid; the message names it.
        """
        score = score_array(y_score, "y_score")
        if score.ndim > 1:
            raise ValueError(f"y_score must hold one score a row, found shape {score.shape}.")
        truth = label_array(y_true, "y_true")
        check_same_length({"y_true": truth, "y_score": score})
        ones = np.ones(len(score), dtype=np.int64)
        rows = Cells(score, ones, None)
        if digits is not None:
            cell = np.floor(score * 10 ** check_digits(digits))
            rows = Cells(cell, ones, rows.all_values())
        return cls._of(truth, {} if by is None else columns_of(by), rows)

    @classmethod
    def _of(cls, labels: Any, groups: Mapping[str, Any], rows: Cells) -> ScoreCounts:
        """Add up the rows of each label in each group."""
        labels = label_array(labels, "true_label")
        _, parts = partition({**groups, "true_label": labels}, rows.cell)
        found = cls()
        found._names = tuple(groups)
        for key, own in parts.items():
            values = None if rows.values is None else rows.values[:, own]
            cells = Cells(rows.cell[own], rows.n_rows[own], values)
            found._parts[key if groups else (key,)] = cells.merged()
        return found

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        """Return the counts of the rows of both."""
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        if not self._parts or not other._parts:
            return self if self._parts else other
        if self._names != other._names:
            raise ValueError(
                f"Counts of the groups {list(self._names)} and {list(other._names)} do not add up; "
                "count all parts by the same columns."
            )
        found = ScoreCounts()
        found._names, found._parts = self._names, dict(self._parts)
        for key, cells in other._parts.items():
            if key in found._parts:
                cells = Cells.joined([found._parts[key], cells]).merged()
            found._parts[key] = cells
        return found

    def __repr__(self) -> str:
        n_rows = sum(int(cells.n_rows.sum()) for cells in self._parts.values())
        n_cells = sum(len(cells.cell) for cells in self._parts.values())
        return f"ScoreCounts({n_rows:,} rows in {n_cells:,} cells)"

    def to_frame(self) -> DataFrame:
        """Return the counts as a pandas DataFrame, which :meth:`from_frame` reads.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        parts = self._sorted()
        cells = Cells.joined([own for _, own in parts])
        sizes = [len(own.cell) for _, own in parts]
        heads = [*self._names, "true_label"]
        columns = {
            head: np.repeat([key[k] for key, _ in parts], sizes) for k, head in enumerate(heads)
        }
        columns |= dict(
            zip(COLUMNS[1:], (cells.cell, cells.n_rows, *cells.all_values()), strict=True)
        )
        return import_pandas().DataFrame(columns)

    def _sorted(self) -> list[tuple[tuple[Any, ...], Cells]]:
        """Return the labels of groups with their cells, in order."""

        def place(part: tuple[tuple[Any, ...], Cells]) -> list[tuple[bool, Any]]:
            return [(isinstance(value, str), value) for value in part[0]]

        return sorted(self._parts.items(), key=place)

    def evaluate(
        self,
        metrics: MetricsLike = None,
        *,
        by: str | list[str] | None = None,
        threshold: float | None = None,
        intervals: bool = False,
        **parameters: Any,
    ) -> Evaluation | GroupedEvaluation:
        """Return metrics of the rows that are counted, as :func:`skaucx.evaluation.evaluate` does.

        Counts are frequencies: intervals are those of as many rows. Where cells hold several scores, a
        metric that they do not determine has two values, low and high: with the rows of each cell at
        its edges, once with the positives below the negatives, once above. Their one interval goes from
        the lower limit of the low value to the upper limit of the high one. Brier score and log loss
        are exact.

        Parameters
        ----------
        metrics : str, list, dict or scorer, default=None
            As for ``evaluate``.
        by : str or list of str, default=None
            Columns of the groups to compare.
        threshold : float, default=None
            Rows whose score is at least this are predicted positive.
        intervals : bool, default=False
            Whether to add intervals.
        **parameters
            As for ``evaluate``, such as ``pos_label``, ``confidence_level`` and ``random_state``.

        Returns
        -------
        Evaluation or GroupedEvaluation

        Raises
        ------
        ValueError, TypeError
            If there are no rows or more than two labels; if a metric follows neither from cells nor from
            their edges, with its name.
        """
        columns = [by] if isinstance(by, str) else list(by or ())
        for name in columns:
            if name not in self._names:
                raise ValueError(
                    f"by={name!r} is none of the columns of groups that were counted: "
                    f"{', '.join(self._names) or 'none'}."
                )
        parts = self._sorted()
        if not parts:
            raise ValueError("No rows are counted; add counts of some.")
        labels = dict.fromkeys(key[-1] for key, _ in parts)
        if len(labels) > 2 or len({isinstance(label, str) for label in labels}) > 1:
            raise ValueError(
                f"The column of labels holds {', '.join(map(repr, labels))}, but one column of scores "
                "is of two classes; name one by pos_label= of cells_query, or leave rows out."
            )
        sizes = [len(cells.cell) for _, cells in parts]
        groups = {
            name: np.repeat([key[self._names.index(name)] for key, _ in parts], sizes)
            for name in columns
        }
        truth = np.repeat(np.array([key[-1] for key, _ in parts]), sizes)
        options = {**parameters, "threshold": threshold, "intervals": intervals}
        return evaluated(truth, Cells.joined([own for _, own in parts]), groups, metrics, options)


def _numbers(values: Any, name: str) -> Any:
    """Return a column of numbers, decimals among them, as float64."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        reported = f"numbers are needed, found {values[:1]!r}"
        raise TypeError(f"The column {name} of cells: {reported}.") from None


def _refuse(odd: Bools, name: str, what: str) -> None:
    """Raise an error for lines of the query's answer."""
    if odd.any():
        raise ValueError(f"The column {name} of cells has {what} in {rows_of(odd)}.")
