"""Options that several calls share, checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from sklearn.model_selection import check_cv

from .._options import check_choice, check_flag


def check_options(given: Mapping[str, Any]) -> None:
    """Check the given options early, before any fit.

    Raises
    ------
    TypeError, ValueError
        Names the option, the value found and the allowed values.
    """
    for name, value in given.items():
        if name in _CHOICES:
            check_choice(name, value, _CHOICES[name])
        elif name in _CHECKS:
            _CHECKS[name](name, value)


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


def _check_error_score(name: str, value: Any) -> None:
    if value != "raise" and not isinstance(value, Real):
        raise ValueError(f"{name} must be a number or 'raise', found {value!r}.")


def _check_jobs(name: str, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number or None, found {value!r}.")
    if value == 0:
        raise ValueError(f"{name} must not be 0: 1 or more jobs, or -1 for one a processor.")


def _check_verbose(name: str, value: Any) -> None:
    if not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, 0 or more, found {value!r}.")
    if value < 0:
        raise ValueError(f"{name} must be a whole number, 0 or more, found {value!r}.")


def _check_timeout(name: str, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number of seconds, found {value!r}.")
    if not float(value) > 0:
        raise ValueError(f"{name} must be a number of seconds above 0, found {value!r}.")


_CHOICES = {
    "final": ("search", "vote", "mean", None),
    "choose_by": ("mean", "pooled"),
    "checks": ("note", "raise", None),
    "racing": ("exact", "statistical", None),
}
_CHECKS = {
    "estimator": check_estimator,
    "error_score": _check_error_score,
    "n_jobs": _check_jobs,
    "verbose": _check_verbose,
    "fit_timeout": _check_timeout,
    "weight_fits": check_flag,
    "return_estimator": check_flag,
}
