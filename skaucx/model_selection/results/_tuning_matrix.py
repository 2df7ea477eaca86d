"""The tuning matrix: what comes of choosing by one metric and reporting another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..._arguments import DataFrame
from ..._compat import import_pandas
from ..._text.numbers import fixed
from ..._text.plain import paragraph, parameters
from ..._text.tables import Table, Tabular
from .._fold_scores import moments
from .._types import Floats, Params

CAUTION = (
    "The best row, picked after reading the matrix, is optimistic: name the metric to tune on "
    "beforehand, or confirm the pick on data that took no part."
)


@dataclass(frozen=True, eq=False, repr=False)
class TuningMatrix(Tabular):
    """Outer scores for each of R ways to choose, all from the same inner fits.

    Row r contains the scores of a run with the r-th entry of ``refit`` only.

    Attributes
    ----------
    tuned_on : tuple of R str
        The metric that chose, or the rule in words.
    reported_on : tuple of M str
    scores : ndarray of shape (R, M, k), float64
        Score on each outer test part by each metric, nan where undefined.
    winners : ndarray of shape (R, k), int
        Index of the candidate that each metric chose in each outer fold.
    inner_means : ndarray of shape (R, k), float64
        The mean inner score of the best parameters, by the metric that chose them.
    candidates : tuple of dict
    stated_in : tuple of R str
        The metric of each row's inner means; ``tuned_on`` where it is empty.

    Notes
    -----
    The rows compare procedures on the same folds. The best of them, picked after reading the
    matrix, is optimistic for the same reason that the best candidate is [1]_: name the metric to
    tune on beforehand, or confirm the pick on data that took no part.

    References
    ----------
    .. [1] Cawley, G. C. and Talbot, N. L. C. (2010). On over-fitting in model selection and
       subsequent selection bias in performance evaluation. JMLR 11, 2079-2107.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> metrics = ["roc_auc", "specificity"]
    >>> tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [2, 8]}
    >>> matrix = nested_cross_validate(
    ...     tree, grid, X, y, scoring=metrics, refit=metrics, final=None
    ... ).tuning_matrix
    >>> matrix.means.round(3).tolist()
    [[0.926, 0.901], [0.914, 0.91]]
    >>> matrix.winners.shape
    (2, 5)
    """

    tuned_on: tuple[str, ...]
    reported_on: tuple[str, ...]
    scores: Floats
    winners: NDArray[np.intp]
    inner_means: Floats
    candidates: tuple[Params, ...]
    stated_in: tuple[str, ...] = ()

    @property
    def means(self) -> Floats:
        """Means over the defined folds, shape (R, M)."""
        return moments(self.scores)[0]

    @property
    def spreads(self) -> Floats:
        """Standard deviations over the defined folds, their number less one below, shape (R, M)."""
        return moments(self.scores)[1]

    @property
    def undefined(self) -> NDArray[np.intp]:
        """Numbers of undefined folds, shape (R, M)."""
        return np.isnan(self.scores).sum(axis=-1)

    @property
    def optimism(self) -> Floats:
        """Inner mean of the best parameters minus their outer score by the same metric, shape (R, k)."""
        columns = [self.reported_on.index(name) for name in self.stated_in or self.tuned_on]
        return self.inner_means - self.scores[np.arange(len(columns)), columns]

    def to_frame(self) -> DataFrame:
        """Return means, spreads and undefined folds, a row for each metric to choose by.

        Returns
        -------
        pandas.DataFrame
            Index ``tuned_on``; columns ``(reported_on, "mean" | "sd" | "undefined")``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        parts = {"mean": self.means, "sd": self.spreads, "undefined": self.undefined}
        cells = {
            (metric, part): values[:, column]
            for column, metric in enumerate(self.reported_on)
            for part, values in parts.items()
        }
        frame = import_pandas().DataFrame(cells, index=self.tuned_on)
        return frame.rename_axis(index="tuned_on", columns=["reported_on", None])

    def __repr__(self) -> str:
        shape = f"{len(self.tuned_on)} tuned on x {len(self.reported_on)} reported on"
        return paragraph(f"TuningMatrix({shape}: {', '.join(self.tuned_on)})", hang=2)

    def _table(self) -> Table:
        rows = [
            [name, *(f"{fixed(m)} ({fixed(sd)})" for m, sd in zip(means, spreads, strict=True))]
            for name, means, spreads in zip(self.tuned_on, self.means, self.spreads, strict=True)
        ]
        title = "Tuning matrix: mean (sd) of the outer folds, by metric reported on"
        notes = [note for note in (_gaps(self), CAUTION) if note]
        return Table(["tuned on", *self.reported_on], rows, title, notes)

    def __str__(self) -> str:
        return "\n\n".join([self._table().text(), _winners(self)])


def _gaps(matrix: TuningMatrix) -> str:
    """Return which cells are means over fewer folds than the others, or ""."""
    folds = matrix.scores.shape[-1]
    cells = [
        f"{matrix.reported_on[column]} tuned on {matrix.tuned_on[row]} ({missing} of {folds})"
        for (row, column), missing in np.ndenumerate(matrix.undefined)
        if missing
    ]
    return f"Undefined folds, excluded from mean and sd: {', '.join(cells)}." if cells else ""


def _winners(matrix: TuningMatrix) -> str:
    """Candidates by number with the folds that chose them, for each metric, and a key of the numbers."""
    label, folds = max(map(len, ["best", *matrix.tuned_on])), matrix.winners.shape[1]
    lines = [f"{'best':<{label}}  candidate: how many of {folds} folds chose it"]
    for name, winners in zip(matrix.tuned_on, matrix.winners, strict=True):
        counted = Counter(winners.tolist()).most_common()
        text = ", ".join(f"{index}: {times}" for index, times in counted)
        lines.append(paragraph(text, lead=f"{name:<{label}}  "))
    lines += [
        paragraph(parameters(matrix.candidates[index]), lead=f"{index:>{label}}  ")
        for index in np.unique(matrix.winners)
    ]
    return "\n".join(lines)
