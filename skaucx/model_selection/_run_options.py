"""Options of a run: records of what is decided and of how fits are executed, checked before any fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from inspect import signature
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from sklearn.model_selection import check_cv

from .._compat import CALIBRATIONS
from .._options import check_choice, check_flag, check_whole
from ._types import ErrorScore

if TYPE_CHECKING:
    from joblib import Memory
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False, kw_only=True)
class Decisions:
    """What the inner folds choose in addition to the best parameters.

    Every field is found on the predictions of the inner test parts, and evaluated on the outer ones.

    Parameters
    ----------
    choose_by : {"mean", "pooled"}, default="mean"
        Whether a candidate is worth the mean of its scores on the inner folds, or the score of its
        joined inner predictions: for folds too small to be scored one by one, as those of
        :class:`sklearn.model_selection.LeaveOneOut`.
    calibration : {"sigmoid", "isotonic", "temperature"}, optional
        Calibrates the probabilities of the best candidate, as
        :class:`sklearn.calibration.CalibratedClassifierCV` with ``ensemble=False`` does ("temperature"
        since scikit-learn 1.8): no fit more is made.
    threshold : str, scorer, dict or array-like of shape (2, 2), optional
        Chooses the threshold of each best candidate, of two classes: by a metric of the confusion
        table, by a metric under constraints, ``{"precision": {"recall": (">=", 0.9)}}``, or by costs,
        true classes in rows.
    reject : dict, optional
        Chooses which rows are too uncertain to be predicted: ``{"cost": 0.2}``, by the cost of a
        rejection where an error costs 1, or ``{"coverage": 0.9}``, by the share that is to be
        predicted. The result's ``rejections`` report the share and the scores of the accepted rows;
        see :class:`RejectingClassifier`.

    Raises
    ------
    ValueError
        If ``choose_by`` or ``calibration`` is not one of those.

    Notes
    -----
    For a search object that runs separately, the best candidate is fitted on the inner folds again for
    any field but ``choose_by``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import Decisions, nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> wanted = Decisions(calibration="sigmoid", threshold="f1")
    >>> found = nested_cross_validate(
    ...     GaussianNB(), {}, X, y, scoring="f1", decisions=wanted, final=None
    ... )
    >>> len(found.thresholds)
    5
    """

    choose_by: Literal["mean", "pooled"] = "mean"
    calibration: str | None = None
    threshold: str | Callable[..., float] | Mapping[str, Any] | ArrayLike | None = None
    reject: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        check_choice("choose_by", self.choose_by, ("mean", "pooled"))
        check_choice("calibration", self.calibration, (*CALIBRATIONS, None))


@dataclass(frozen=True, eq=False, kw_only=True)
class Execution:
    """How the fits of a run are executed and checked, and what is kept of them.

    Parameters
    ----------
    verbose : int, default=0
        That of joblib: above 0, progress and remaining time are printed on stderr.
    error_score : float or "raise", default=nan
        Score of a fold whose fit or score raises. The result's ``failures`` name them. "raise" lets
        the exception through.
    memory : str, path or joblib.Memory, optional
        Keeps finished fits there, so that a run that was killed continues where it was. A fit is
        found again by estimator, parameters, data, rows, scorers with the code of their functions,
        and versions. An estimator is known by its name: clear the folder after changing its code. What
        ``random_state=None`` made of a fit is kept as it came. Reading a fit runs code that is kept
        there: the folder must be trusted. A new folder is accessible to its owner only; one that
        everybody can write to raises an error.
    return_estimator : bool, default=False
        Whether the result keeps each outer fold's fitted best candidate, in ``estimators``.
    return_train_score : bool, default=False
        Whether the result has the scores of each outer fold's best candidate on its training part, in
        ``train_scores`` and as ``train_<name>``; not used to choose anything.
    weight_fits : bool, default=True
        Whether ``sample_weight`` is used in the fits, or in the scores only: for estimators that do
        not accept weights, or that change the number of rows.
    checks : {"note", "raise"} or None, default="note"
        Looks for groups and rows in both parts of an outer fold, classes that a part lacks and empty
        parts, as :func:`check_folds` does. "note": the result's ``notes`` name what was found and
        what to do; "raise": it is an error before the first fit; None: no checks.

    Raises
    ------
    TypeError, ValueError
        If a field has a value that is not among those described.

    Examples
    --------
    >>> from skaucx.model_selection import Execution
    >>> Execution(memory="fits", error_score="raise").checks
    'note'
    """

    verbose: int = 0
    error_score: ErrorScore = np.nan
    memory: str | os.PathLike[str] | Memory | None = None
    return_estimator: bool = False
    return_train_score: bool = False
    weight_fits: bool = True
    checks: Literal["note", "raise"] | None = "note"

    def __post_init__(self) -> None:
        check_whole("verbose", +self.verbose if isinstance(self.verbose, bool) else self.verbose, 0)
        check_error_score(self.error_score)
        for name in ("return_estimator", "return_train_score", "weight_fits"):
            check_flag(name, getattr(self, name))
        check_choice("checks", self.checks, ("note", "raise", None))


Record = TypeVar("Record", Decisions, Execution)


def record_of(name: str, kind: type[Record], given: Any) -> Record:
    """Return the record that was given, or that of all defaults.

    Raises
    ------
    TypeError
        If something else was given.
    """
    if given is None:
        return kind()
    if not isinstance(given, kind):
        raise TypeError(
            f"{name} must be of the class {kind.__name__}, or None, found {given!r}; pass "
            f"{kind.__name__}({', '.join(f'{field.name}=...' for field in fields(kind))})."
        )
    return given


# Names that scikit-learn's searches take, and options of the records, with what sets them here.
_SET_BY = {
    "cv": "outer_cv= and inner_cv=",
    "random_state": "it to what draws: the estimator, and the splitters, such as "
    "outer_cv=StratifiedKFold(shuffle=True, random_state=0)",
    **{field.name: f"decisions=Decisions({field.name}=...)" for field in fields(Decisions)},
    **{field.name: f"execution=Execution({field.name}=...)" for field in fields(Execution)},
}


def check_fit_params(estimator: Any, names: Iterable[str]) -> None:
    """Raise an error for an option of a run among the parameters of fits, unless the fit takes it."""
    for name in set(names) & set(_SET_BY):
        if name not in signature(estimator.fit).parameters:
            raise TypeError(f"{name!r} is no argument of its own; pass {_SET_BY[name]}.")


def check_estimator(name: str, value: Any) -> None:
    """Raise an error for an object that cannot be fitted, such as a class."""
    if isinstance(value, type):
        raise TypeError(f"{name} must be an estimator, found the class {value.__name__}; call it.")
    if not hasattr(value, "fit") or not hasattr(value, "get_params"):
        raise TypeError(f"{name} must be an estimator with fit and get_params, found {value!r}.")


def check_splitter(name: str, cv: Any, y: Any, classifier: bool) -> Any:
    """Return the splitter given as a number, a splitter or an iterable of splits."""
    try:
        return check_cv(cv, y, classifier=classifier)
    except ValueError as error:
        raise ValueError(f"{name} was {cv!r}. {error}") from None


def check_error_score(value: Any) -> None:
    """Raise an error for what stands for no score."""
    if value != "raise" and not isinstance(value, Real):
        raise ValueError(f"error_score must be a number or 'raise', found {value!r}.")


def check_jobs(value: Any) -> None:
    """Raise an error for what is no number of jobs."""
    if value is not None and (not isinstance(value, Integral) or value == 0):
        raise ValueError(
            f"n_jobs must be a whole number of jobs, -1 for one a processor, or None, found {value!r}."
        )
