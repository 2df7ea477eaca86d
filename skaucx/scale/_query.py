"""The SQL query that counts rows by true label and cell of the score."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arguments import Label
from .._options import check_whole

# The columns of the answer that add up, each with its aggregate of the score {s}. Probabilities are
# clipped at the rounding unit before a logarithm, as in scikit-learn's log_loss.
_CLIPPED = "CASE WHEN {p} > 2.220446049250313E-16 THEN {p} ELSE 2.220446049250313E-16 END"
AGGREGATES = {
    "n_rows": "COUNT(*)",
    "lowest": "MIN({s})",
    "highest": "MAX({s})",
    "sum_score": "SUM({s})",
    "sum_square": "SUM({s} * {s})",
    "sum_log_positive": f"SUM(-LN({_CLIPPED.replace('{p}', '{s}')}))",
    "sum_log_negative": f"SUM(-LN({_CLIPPED.replace('{p}', '(1 - {s})')}))",
}
COLUMNS = ("true_label", "cell", *AGGREGATES)
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_DIGITS = 15


def cells_query(
    table: str,
    *,
    y_true: str,
    y_score: str,
    digits: int | None = 6,
    by: str | Sequence[str] | None = None,
    pos_label: Label = None,
    where: str | None = None,
) -> str:
    r"""Return one SELECT that counts the rows of a table by true label and cell of the score.

    :meth:`ScoreCounts.from_frame` reads its answer. DuckDB, SQLite, PostgreSQL, Spark, Snowflake,
    BigQuery and ClickHouse take the same text.

    Parameters
    ----------
    table : str
        A table, or a query in parentheses; it stands in the query as it is.
    y_true, y_score : str
        Columns of the true labels and of the scores.
    digits : int from 0 to 15, default=6
        Decimal digits of the edges of cells: scores in ``[k / 10**digits, (k + 1) / 10**digits)`` share
        a cell. None counts each distinct score by itself.
    by : str or list of str, default=None
        Columns of groups that are counted apart.
    pos_label : str, int, float or bool, default=None
        Counts this label against all others, which the answer then calls 1 and 0; None keeps the labels.
    where : str, default=None
        A condition on the rows; it stands in the query as it is.

    Returns
    -------
    str

    Raises
    ------
    ValueError, TypeError
        If a column is not a plain unquoted name or is named as a column of the answer, if `digits` is
        out of range, or if no literal can name `pos_label`.

    Examples
    --------
    >>> from skaucx.scale import cells_query
    >>> print(cells_query("visits", y_true="ill", y_score="risk", digits=3).partition(",\n  SUM")[0])
    SELECT
      ill AS true_label,
      FLOOR(1E0 * risk * 1000) AS cell,
      COUNT(*) AS n_rows,
      MIN(1E0 * risk) AS lowest,
      MAX(1E0 * risk) AS highest
    """
    label, raw = _column(y_true, "y_true"), _column(y_score, "y_score")
    groups = [_column(each, "by") for each in ([by] if isinstance(by, str) else by or ())]
    # A literal with an exponent makes the product a float64; in PostgreSQL a decimal stays one.
    score = f"1E0 * {raw}"
    cell = score
    if digits is not None:
        cell = f"FLOOR({score} * {10 ** check_digits(digits)})"
    if pos_label is not None:
        value = _literal(pos_label, "pos_label")
        label = f"CASE WHEN {label} = {value} THEN 1 WHEN {label} IS NOT NULL THEN 0 END"
    keys = [*groups, label, cell]
    columns = [*groups, f"{label} AS true_label", f"{cell} AS cell"]
    columns += [f"{made.format(s=score)} AS {name}" for name, made in AGGREGATES.items()]
    lines = ["SELECT", ",\n".join(f"  {each}" for each in columns), f"FROM {table}"]
    if where is not None:
        lines.append(f"WHERE {where}")
    return "\n".join([*lines, f"GROUP BY {', '.join(keys)}"])


def check_digits(digits: Any) -> int:
    """Return the decimal digits of the edges of cells."""
    if check_whole("digits", digits, 0) > _MOST_DIGITS:
        raise ValueError(f"digits must be at most {_MOST_DIGITS}, found {digits!r}.")
    return int(digits)


def _column(name: Any, argument: str) -> str:
    """Return the name of a column that needs no quotation marks in any engine."""
    if not isinstance(name, str):
        raise TypeError(f"{argument} must be the name of a column, found {name!r}.")
    if not _PLAIN_NAME.fullmatch(name):
        raise ValueError(
            f"{argument} must be a plain column name of letters, digits and underscores, found "
            f'{name!r}; rename the column in a subquery: table=\'(SELECT "a name" AS a_name FROM ...) '
            "AS t'."
        )
    if name.lower() in COLUMNS:
        raise ValueError(
            f"{argument}={name!r} is also a column of the answer ({', '.join(COLUMNS)}); rename the "
            "column in a subquery."
        )
    return name


def _literal(value: Any, argument: str) -> str:
    """Return a label as SQL writes it."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str) and not set(value) & {"'", "\\", "\0", "\n", "\r"}:
        return f"'{value}'"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.16E}"
    raise ValueError(
        f"{argument} must be a finite number, a bool, or text without quotation marks, backslashes and "
        f"line breaks, which engines read differently; found {value!r}."
    )
