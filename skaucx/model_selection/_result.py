"""What nested cross-validation found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._compat import import_pandas
from ._pool import OutOfFoldPredictions
from ._selection import Selection
from ._text import columns, count, listed, paragraph, parameters
from ._types import Floats, Model, Params, Rows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class FinalModel:
    """The model to ship and how its parameters were chosen.

    Attributes
    ----------
    rule : {"vote", "search"}
    index : int
        Index of the chosen candidate.
    params : dict
    inner_mean : float
        Its mean over the inner folds of all outer folds ("vote") or of the search on all data.
    votes : int
        Outer folds that chose the same candidate.
    rivals : int
        Other candidates with as many votes.
    estimator : estimator
        Fitted on all data.
    """

    rule: Literal["vote", "search"]
    index: int
    params: Params
    inner_mean: float
    votes: int
    rivals: int
    estimator: Model


@dataclass(frozen=True, eq=False, repr=False)
class NestedCVResult(Mapping[str, Floats]):
    """Result of nested k x l cross-validation over C candidates and R selection metrics.

    As a mapping it gives the outer test scores under ``test_<name>``, as
    :func:`sklearn.model_selection.cross_validate` does.

    Attributes
    ----------
    test_scores : dict of str to ndarray of shape (k,), float64
        Scores of each outer test part, nan where undefined.
    candidates : tuple of C dict
        The parameter grid, in order.
    refit : tuple of R str
        Metrics that choose; the first one chooses what the result reports.
    inner_scores : ndarray of shape (k, C, l, R), float64
        Scores of every inner fit; l is the largest number of inner folds, shorter ones end in nan.
    n_inner : tuple of k int
        Inner folds of each outer fold.
    selections : tuple of k Selection
        For each outer fold the ``winner``, every candidate's mean, which inner folds were
        ``dropped`` because every candidate was undefined, how often a candidate was ``undefined``
        on the others, and whether anything was left to be ``decided``.
    predictions : OutOfFoldPredictions
        Pooled predictions of the outer test rows.
    final : FinalModel or None
        The model fitted on all data.
    n_samples : int

    Notes
    -----
    Choosing parameters by the score that is then reported makes it optimistic [1]_ [2]_. Here the
    outer test rows take no part in the choice; the estimate belongs to the whole procedure, whose
    folds may choose different parameters.

    References
    ----------
    .. [1] Cawley, G. C. and Talbot, N. L. C. (2010). On over-fitting in model selection and
       subsequent selection bias in performance evaluation. JMLR 11, 2079-2107.
    .. [2] Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation for
       model selection. BMC Bioinformatics 7, 91.

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
    predictions: OutOfFoldPredictions
    final: FinalModel | None
    n_samples: int

    def __getitem__(self, key: str) -> Floats:
        name = key.removeprefix("test_")
        if name == key or name not in self.test_scores:
            raise KeyError(f"{key!r}; the result has {', '.join(self)}")
        return self.test_scores[name]

    def __iter__(self) -> Iterator[str]:
        return (f"test_{name}" for name in self.test_scores)

    def __len__(self) -> int:
        return len(self.test_scores)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        moments = {name: _moments(scores) for name, scores in self.test_scores.items()}
        parts = [f"{name} {mean:.4f} (sd {sd:.4f})" for name, (mean, sd) in moments.items()]
        return f"NestedCVResult({', '.join(parts)})"

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

    def to_frame(self) -> pd.DataFrame:
        """One row an outer fold: test scores, inner mean, winner and its parameters.

        Returns
        -------
        pandas.DataFrame
            Columns ``test_<name>``, ``inner_<refit>``, ``winner``, ``param_<name>``,
            ``dropped_inner_folds`` and ``undefined_candidates``; index ``fold``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = import_pandas()
        index = pd.RangeIndex(self.n_outer, name="fold")
        return pd.DataFrame([self._record(fold) for fold in range(self.n_outer)], index=index)

    def _record(self, fold: int) -> dict[str, Any]:
        selection = self.selections[fold]
        params = self.candidates[selection.winner]
        return {
            **{key: scores[fold] for key, scores in self.items()},
            f"inner_{self.refit[0]}": selection.means[selection.winner],
            "winner": selection.winner,
            **{f"param_{name}": value for name, value in params.items()},
            "dropped_inner_folds": int(selection.dropped.sum()),
            "undefined_candidates": int(np.count_nonzero(selection.undefined)),
        }

    def summary(self) -> str:
        """Write the result as plain text for a terminal.

        Returns
        -------
        str
            Mean, standard deviation (of the defined folds, with k - 1 in the denominator) and every
            fold of each metric; the winners; what was undefined; how the final model was chosen.
        """
        blocks = [_header(self), _scores(self), _winners(self), _undefined(self), _final(self)]
        return "\n\n".join(block for block in blocks if block)


def _header(result: NestedCVResult) -> str:
    low, high = min(result.n_inner), max(result.n_inner)
    inner = str(low) if low == high else f"{low} to {high}"
    return (
        f"Nested cross-validation: {result.n_outer} outer x {inner} inner folds, "
        f"{count(len(result.candidates), 'candidate')}, chosen by {result.refit[0]}"
    )


def _scores(result: NestedCVResult) -> str:
    rows = {
        name: [f"{v:.4f}" for v in (*_moments(scores), *scores)]
        for name, scores in result.test_scores.items()
    }
    label = max(map(len, ["test scores", *rows]))
    width = max(len(cell) for cells in rows.values() for cell in cells)
    lines = [
        f"{'test scores':<{label}}  {'mean':>{width}}  {'sd':>{width}}   "
        f"folds 0 to {result.n_outer - 1}"
    ]
    for name, cells in rows.items():
        mean, sd, *folds = [f"{cell:>{width}}" for cell in cells]
        lead = f"{name:<{label}}  {mean}  {sd}   "
        lines.append(columns(folds, lead=lead))
        if missing := np.count_nonzero(np.isnan(result.test_scores[name])):
            lines.append(f"{'':{len(lead)}}undefined in {missing} of {result.n_outer} folds")
    return "\n".join(lines)


def _winners(result: NestedCVResult) -> str:
    lines = [f"{'winners':<12}  inner mean   parameters"]
    folds = zip(result.inner_means, result.winning_params, strict=True)
    for fold, (mean, params) in enumerate(folds):
        label = f"fold {fold}"
        lines.append(paragraph(parameters(params), lead=f"{label:<12}  {mean:10.4f}   "))
    for winner, times in Counter(result.winners.tolist()).most_common():
        share = f"won {times} of {result.n_outer}"
        lines.append(paragraph(parameters(result.candidates[winner]), lead=f"{share:<27}"))
    return "\n".join(lines)


def _undefined(result: NestedCVResult) -> str:
    """Tell what the rules for undefined inner scores did; empty where all are defined."""
    total = sum(result.n_inner)
    dropped = sum(int(selection.dropped.sum()) for selection in result.selections)
    missing = np.array([selection.undefined for selection in result.selections])
    undecided = [fold for fold, s in enumerate(result.selections) if not s.decided]
    lines = []
    if dropped:
        lines.append(
            f"{result.refit[0]} was undefined in {dropped} of {total} inner folds for every "
            "candidate; these folds took no part in the choice."
        )
    others = f"{total - dropped} {'other ' if dropped else ''}inner folds"
    lines += [
        f"{parameters(result.candidates[index])} was undefined in {missing[:, index].sum()} of "
        f"{others} and ranked after fully defined candidates in outer "
        f"{listed('fold', np.flatnonzero(missing[:, index]))}."
        for index in np.flatnonzero(missing.any(axis=0))
    ]
    if undecided:
        lines.append(
            f"Outer {listed('fold', undecided)} had nothing defined to choose by, took the first "
            "candidate and did not vote."
        )
    return "\n".join(paragraph(line, hang=2) for line in lines)


def _final(result: NestedCVResult) -> str:
    if result.final is None:
        lines = ["No final model (final=None). The estimate belongs to the procedure."]
    else:
        lines = [
            f"Final model: {parameters(result.final.params)}",
            f"{_choice(result.final, result.n_outer)}. Refitted on all {result.n_samples} rows.",
            "The estimate belongs to the procedure, its search included, not to this one model, "
            "for which it is usually slightly pessimistic.",
        ]
    return "\n".join(paragraph(line, hang=2) for line in lines)


def _choice(final: FinalModel, n_outer: int) -> str:
    votes = f"{final.votes} of {n_outer} outer folds"
    if final.rule == "search":
        mean = f"mean {final.inner_mean:.4f}"
        return f"Chosen by one more inner search on all data ({mean}), and by {votes}"
    if not final.rivals:
        return f"Elected by {votes}"
    return (
        f"Elected by {votes}, like {count(final.rivals, 'other candidate')}; the tie went to the "
        f"highest mean over all inner folds, {final.inner_mean:.4f}"
    )


def _moments(scores: Floats) -> tuple[float, float]:
    """Mean and standard deviation (k - 1) of the defined scores, nan where there are too few."""
    defined = scores[~np.isnan(scores)]
    mean = float(defined.mean()) if len(defined) else np.nan
    return mean, float(defined.std(ddof=1)) if len(defined) > 1 else np.nan
