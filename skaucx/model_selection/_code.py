"""A run as the code that repeats it, with its imports."""

from __future__ import annotations

import builtins
import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._compat import score_function, scorer_parameters, scorer_response, scorer_sign
from ..metrics._scorers.bound import BoundMetric
from ..metrics._scorers.one_pass import OnePassScorer
from ._run_options import Decisions, Execution

MOST_NUMBERS = 100


def code_of_fit(nested: Any, given: Sequence[str]) -> str:
    """Write the code of a fit: imports, then the call; ``given`` names its arguments other than X and y.

    A value without short code, such as a long array or a function that cannot be imported, appears
    as a name, with a comment that explains it.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from skaucx.model_selection import NestedCV
    >>> from skaucx.model_selection._code import code_of_fit
    >>> nested = NestedCV(SVC(), {"C": [9]}, final=None)
    >>> print(code_of_fit(nested, ["groups"]))
    from skaucx.model_selection import NestedCV
    from sklearn.svm import SVC
    <BLANKLINE>
    NestedCV(estimator=SVC(), param_grid={'C': [9]}, final=None).fit(X, y, groups=groups)
    """
    writer = _Writer()
    call = writer.write(nested)
    arguments = ", ".join(["X", "y", *(f"{name}={name}" for name in given)])
    return writer.script(f"{call}.fit({arguments})")


def code_of_comparison(
    compare: Callable[..., Any], estimators: Any, options: Mapping[str, Any], given: Sequence[str]
) -> str:
    """Write the code of a comparison as :func:`code_of_fit` does, without defaults."""
    writer, declared = _Writer(), inspect.signature(compare).parameters
    changed = {k: v for k, v in options.items() if not _same(v, declared[k].default)}
    cells = [
        writer.write(estimators, "estimators"), "X", "y", *(f"{name}={name}" for name in given),
        *(f"{key}={writer.write(value, key)}" for key, value in changed.items()),
    ]  # fmt: skip
    writer.imports.add(f"from skaucx.model_selection import {compare.__name__}")
    return writer.script(f"{compare.__name__}({', '.join(cells)})")


class _Writer:
    """Writes values as code and collects the imports that it needs."""

    def __init__(self) -> None:
        self.imports: set[str] = set()
        self.named: dict[str, str] = {}

    def script(self, call: str) -> str:
        """Return a call below its imports and the names that have no short code."""
        named = [f"# {name}: {what}" for name, what in self.named.items()]
        return "\n".join([*sorted(self.imports), *named, "", call])

    def write(self, value: Any, name: str = "value") -> str:
        """Return code for the value, or ``name`` if there is none."""
        for kinds, form in _FORMS:
            if isinstance(value, kinds):
                return form(self, value, name)
        if hasattr(value, "rvs") and hasattr(value, "dist"):
            return self._distribution(value, name)
        if score_function(value) is not None:
            return self._scorer(value, name)
        if inspect.isroutine(value):
            return self._imported(value, name)
        splits = hasattr(value, "split") and hasattr(value, "get_n_splits")
        if splits or isinstance(value, Decisions | Execution):
            return self._made(value, name)
        return self._unknown(value, name)

    def _number(self, value: Any, name: str) -> str:
        plain = value.item() if isinstance(value, np.generic) else value
        if isinstance(plain, float) and not math.isfinite(plain):
            return f"float('{plain}')"
        return repr(plain)

    def _mapping(self, value: Mapping[str, Any], name: str) -> str:
        cells = [f"{key!r}: {self.write(entry, str(key))}" for key, entry in value.items()]
        return "{" + ", ".join(cells) + "}"

    def _sequence(self, value: Any, name: str) -> str:
        if _numbers(value) > MOST_NUMBERS:  # such as the rows of folds
            return self._unknown(value, name)
        cells = [self.write(entry, f"{name}_{i}") for i, entry in enumerate(value)]
        if isinstance(value, tuple):
            return f"({', '.join(cells)}{',' if len(cells) == 1 else ''})"
        return f"[{', '.join(cells)}]"

    def _array(self, value: Any, name: str) -> str:
        if value.size > MOST_NUMBERS or value.dtype.kind not in "biufU":
            return self._unknown(value, name)
        self.imports.add("import numpy as np")
        cells = self.write(value.tolist(), name)
        return f"np.array({cells}, dtype={value.dtype.str!r})"

    def _estimator(self, value: Any, name: str) -> str:
        given = value.get_params(deep=False)
        declared = inspect.signature(type(value).__init__).parameters
        defaults = {key: declared[key].default for key in declared if key in given}
        order = [*defaults, *(key for key in given if key not in defaults)]
        changed = {
            key: given[key]
            for key in order
            if key not in defaults or not _same(given[key], defaults[key])
        }
        return self._call(type(value), changed, name)

    def _distribution(self, value: Any, name: str) -> str:
        distribution = value.dist.name
        self.imports.add(f"from scipy.stats import {distribution}")
        cells = [self.write(entry, name) for entry in value.args]
        cells += [f"{key}={self.write(entry, key)}" for key, entry in value.kwds.items()]
        return f"{distribution}({', '.join(cells)})"

    def _scorer(self, value: Any, name: str) -> str:
        function = score_function(value)
        if isinstance(function, BoundMetric):
            self.imports.add("from skaucx.metrics import get_scorer")
            row = function.function.metric
            cells = [repr(row.scorer_name), *self._options(function.parameters)]
            if scorer_response(value) != function.response_method:
                cells.append(f"response_method={scorer_response(value)!r}")
            return f"get_scorer({', '.join(cells)})"
        self.imports.add("from sklearn.metrics import make_scorer")
        cells = [self.write(function, name), f"response_method={scorer_response(value)!r}"]
        cells += ["greater_is_better=False"] if scorer_sign(value) < 0 else []
        return f"make_scorer({', '.join([*cells, *self._options(scorer_parameters(value))])})"

    def _one_pass(self, value: OnePassScorer, name: str) -> str:
        self.imports.add("from skaucx.metrics import one_pass_scorer")
        return f"one_pass_scorer({self.write(value.scorers, name)})"

    def _made(self, value: Any, name: str) -> str:
        """Write an object whose attributes are the arguments that made it, such as a splitter."""
        parameters = dict(list(inspect.signature(type(value).__init__).parameters.items())[1:])
        held = {**getattr(value, "cvargs", {}), **vars(value)}
        if not parameters.keys() <= held.keys():
            return self._unknown(value, name)
        changed = {k: held[k] for k, p in parameters.items() if not _same(held[k], p.default)}
        return self._call(type(value), changed, name)

    def _call(self, kind: type, given: Mapping[str, Any], name: str) -> str:
        return f"{self._imported(kind, name)}({', '.join(self._options(given))})"

    def _options(self, given: Mapping[str, Any]) -> list[str]:
        return [f"{key}={self.write(entry, key)}" for key, entry in given.items()]

    def _imported(self, value: Any, name: str) -> str:
        short = getattr(value, "__name__", "")
        if getattr(builtins, short, None) is value:
            return short
        for module in _places(getattr(value, "__module__", None) or ""):
            if getattr(sys.modules.get(module), short, None) is value:
                self.imports.add(f"from {module} import {short}")
                return short
        return self._unknown(value, short if short.isidentifier() else name)

    def _unknown(self, value: Any, name: str) -> str:
        reported = " ".join(repr(value).split())
        reported = reported if len(reported) <= 80 else f"{reported[:77]}..."
        while self.named.setdefault(name, reported) != reported:
            name += "_"
        return name


def _places(module: str) -> list[str]:
    """Return the modules that may offer an object of a module, the most public one first."""
    parts = module.split(".")
    private = next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))
    public = ".".join(parts[:private])
    return [place for place in (public, module) if place and place != "__main__"]


def _numbers(value: Any) -> int:
    """Return how many numbers the arrays inside lists of lists hold."""
    inner = [part for entry in value if isinstance(entry, list | tuple) for part in entry]
    return sum(part.size for part in inner if isinstance(part, np.ndarray))


def _same(given: Any, default: Any) -> bool:
    if given is default:
        return True
    plain = isinstance(given, str | int | float | bool | tuple)
    return plain and type(given) is type(default) and repr(given) == repr(default)


_Write = Callable[[_Writer, Any, str], str]
_FORMS: tuple[tuple[Any, _Write], ...] = (
    ((type(None), bool, int, float, str, bytes, np.generic, range, slice), _Writer._number),
    (Mapping, _Writer._mapping),
    ((list, tuple), _Writer._sequence),
    (np.ndarray, _Writer._array),
    (OnePassScorer, _Writer._one_pass),
    (type, _Writer._imported),
    (BaseEstimator, _Writer._estimator),
)
