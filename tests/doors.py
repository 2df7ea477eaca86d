"""All metrics at all doors: a cell of the matrix "works", or is "refused" with a reason of a list.

``python -m tests.doors`` prints the matrix in Markdown, or what is neither; ``--output FILE`` writes
it.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import itertools
import json
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from skaucx.command.main import main as command_line
from skaucx.evaluation import evaluate, report_table
from skaucx.inference import interval, paired_bootstrap_test
from skaucx.metrics import declare_set, get_scorer
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import SETS, named_metric
from skaucx.model_selection import Execution, nested_cross_validate
from skaucx.reports import _parts, report
from tests.annexes import is_there
from tests.metrics.needed import needed_parameters

# The reasons for which a door refuses a metric, and words of the messages that give them.
REASONS = {
    "the kind has no sums over chunks": "are not counted in chunks",
    "the metric is not a sum over rows in chunks": "is not declared as a mean of losses"
    "|needs the scores of every row, but",
    "the door takes no further arrays": "needs (example_costs|rejected)|example_costs is missing"
    "|a mask is never ignored",
    "the command line has no such columns": "times and events|which was not given",
    "the door is about classes": "class labels are needed|real numbers are needed",
    "a function cannot be written in a name": "needs the parameter 'difference'",
}


@dataclass
class Subject:
    """What metrics of a kind are called with: arrays, an estimator, and its data."""

    y: Any
    first: Any
    second: Any
    estimator: Any
    grid: dict[str, list[Any]]
    X: Any
    rows: dict[str, Any] = field(default_factory=dict)  # further arrays, one entry a row
    argument: str = "y_pred"  # of evaluate
    table: dict[str, Any] = field(default_factory=dict)  # columns of a file
    columns: tuple[str, ...] = ()  # arguments of the command line


class Risk(RegressorMixin, BaseEstimator):
    """The first column of X to a power, as numbers or as risks."""

    def __init__(self, power: float = 1.0) -> None:
        self.power = power

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Risk:
        return self

    def predict(self, X: Any) -> Any:
        return np.sign(X[:, 0]) * np.abs(X[:, 0]) ** self.power + 0.1 * X[:, 1]


class Positive(Risk):
    """Predicts numbers above 0, which some errors need."""

    def predict(self, X: Any) -> Any:
        return np.abs(super().predict(X)) + 0.1


class Survivor(Risk):
    """Probabilities of no event, in a frame of which times name the columns."""

    def predict_survival_function(self, X: Any) -> Any:
        risk = self.predict(X)
        return pd.DataFrame(np.exp(-np.outer(np.exp(risk), _TIMES)), columns=_TIMES)


class Rejecting(ClassifierMixin, BaseEstimator):
    """Rejects the rows near its border."""

    def __init__(self, width: float = 0.3) -> None:
        self.width = width

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Rejecting:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.ma.masked_array(np.where(X[:, 0] > 0, 1, 0), np.abs(X[:, 0]) < self.width)


_TIMES = [0.5, 1.0]
N = 120
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 2))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
P, Q = (1 / (1 + np.exp(-(X @ np.array(w) + RNG.normal(size=N) / 3))) for w in ([1, 0], [1, 1]))
GROUP = np.arange(N) % 2
WEIGHT = RNG.integers(1, 4, N)
_END, _TIME = RNG.exponential(2, N), RNG.exponential(np.exp(-X[:, 0]))
_EVENTS = np.column_stack([np.minimum(_TIME, _END), _TIME <= _END])
_COSTS = RNG.exponential(size=(N, 2, 2)) * (1 - np.eye(2))
_CALLED, _OTHER = (P > 0.5).astype(int), (Q > 0.5).astype(int)
_CLASSIFIER = LinearDiscriminantAnalysis("lsqr"), {"shrinkage": [0.1, 0.9]}
_FILE = {"truth": Y, "called": _CALLED, "p": P, "group": GROUP, "w": WEIGHT}
_FILE |= {"if_no": Y * 5.0, "if_yes": 1.0 - Y, "held_back": (np.abs(P - 0.5) < 0.1).astype(int)}


def _functions(risk: Any) -> Any:
    return pd.DataFrame(np.exp(-np.outer(np.exp(risk), _TIMES)), columns=_TIMES)


_SURVIVAL = {"time": _EVENTS[:, 0], "event": _EVENTS[:, 1], "risk": X[:, 0]}
SUBJECTS = {
    "counts": Subject(Y, _CALLED, _OTHER, *_CLASSIFIER, X, table=_FILE, columns=("--pred", "called")),
    "order": Subject(Y, P, Q, *_CLASSIFIER, X, {}, "y_score", _FILE, ("--score", "p")),
    "margins": Subject(Y, P * 6 - 3, Q * 6 - 3, *_CLASSIFIER, X, {}, "y_score", _FILE, ("--score", "p")),
    "rejections": Subject(
        Y, np.ma.masked_array(_CALLED, np.abs(P - 0.5) < 0.1),
        np.ma.masked_array(_OTHER, np.abs(Q - 0.5) < 0.1),
        Rejecting(), {"width": [0.2, 0.4]}, X, {}, "y_pred", _FILE,
        ("--pred", "called", "--array", "rejected=held_back"),
    ),
    "example_costs": Subject(
        Y, _CALLED, _OTHER, *_CLASSIFIER, X, {"example_costs": _COSTS}, "y_pred", _FILE,
        ("--pred", "called", "--array", "example_costs=if_no,if_yes"),
    ),
    "regression": Subject(
        np.abs(X[:, 0]) + 1, np.abs(X[:, 0]) + 1.2, np.abs(X[:, 1]) + 1, Positive(),
        {"power": [1.0, 2.0]}, X, {}, "y_pred",
        {"truth": np.abs(X[:, 0]) + 1, "called": np.abs(X[:, 0]) + 1.2, "w": WEIGHT},
        ("--pred", "called"),
    ),
    "survival_risks": Subject(
        _EVENTS, X[:, 0], X[:, 1], Risk(), {"power": [1.0, 2.0]}, X, {}, "y_score", _SURVIVAL,
        ("--score", "risk"),
    ),
    "survival_probabilities": Subject(
        _EVENTS, _functions(X[:, 0]), _functions(X[:, 1]), Survivor(), {"power": [1.0, 2.0]}, X, {},
        "y_pred", _SURVIVAL, ("--score", "risk"),
    ),
}  # fmt: skip
SUBJECTS["table"] = SUBJECTS["counts"]
SUBJECTS |= dict.fromkeys(
    ("relative_values", "values", "unit_values", "probabilities", "columns"), SUBJECTS["order"]
)


@dataclass(frozen=True)
class Asked:
    """A metric with the parameters that it needs, and what it is called with."""

    function: Any
    subject: Subject
    parameters: dict[str, Any]

    @property
    def name(self) -> str:
        return self.function.metric.name

    @property
    def entry(self) -> Any:
        bound = functools.partial(self.function, **self.parameters)
        return bound if self.parameters else self.function

    @property
    def scorer(self) -> Any:
        return get_scorer(self.entry)


def _asked(name: str) -> Asked:
    function = METRICS[name]
    return Asked(function, SUBJECTS[function.metric.kind.name], dict(needed_parameters(name)))


Door = Callable[[Asked], Any]


def _function(m: Asked) -> Any:
    return m.function(m.subject.y, m.subject.first, **m.parameters, **m.subject.rows)


def _scorer(m: Asked) -> Any:
    s = m.subject
    with config_context(enable_metadata_routing=bool(s.rows)):
        return m.scorer(s.estimator.fit(s.X, s.y), s.X, s.y, **s.rows)


def _cross_val_score(m: Asked) -> Any:
    s = m.subject
    with config_context(enable_metadata_routing=bool(s.rows)):
        own = {"params": s.rows} if s.rows else {}
        return cross_val_score(s.estimator, s.X, s.y, scoring=m.scorer, cv=3, **own)


def _grid_search(m: Asked) -> Any:
    s = m.subject
    with config_context(enable_metadata_routing=bool(s.rows)):
        search = GridSearchCV(s.estimator, s.grid, scoring=m.scorer, cv=3, error_score="raise")
        return search.fit(s.X, s.y, **s.rows).cv_results_["mean_test_score"]


def _nested(m: Asked) -> Any:
    s = m.subject
    result = nested_cross_validate(
        s.estimator, s.grid, s.X, s.y, scoring={"m": m.entry}, outer_cv=3, inner_cv=2,
        execution=Execution(checks=None),
        **s.rows,
    )  # fmt: skip
    return result["test_m"]


def _given(m: Asked) -> dict[str, Any]:
    return {m.subject.argument: m.subject.first, "metrics": [m.entry], **m.subject.rows}


def _value(m: Asked, found: Any) -> Any:
    value = found[named_metric(m.entry).key]
    return getattr(value, "low", value)


def _evaluate(m: Asked) -> Any:
    return _value(m, evaluate(m.subject.y, **_given(m)))


def _interval(m: Asked) -> Any:
    s = m.subject
    found = interval(m.entry, s.y, s.first, n_resamples=60, random_state=0, **s.rows)
    return found.estimate


def _paired(m: Asked) -> Any:
    s = m.subject
    return paired_bootstrap_test(
        m.entry, s.y, s.first, s.second, n_resamples=60, random_state=0, **s.rows
    ).difference


def _groups(m: Asked) -> Any:
    found = evaluate(m.subject.y, by=GROUP, **_given(m))
    return [_value(m, found[g]) for g in (0, 1)]


def _weights(m: Asked) -> Any:
    s = m.subject
    return m.function(s.y, s.first, **m.parameters, **s.rows, sample_weight=WEIGHT)


def _chunks(m: Asked) -> Any:
    s = m.subject
    halves = [np.arange(50), np.arange(50, N)]

    def parts(array: Any) -> Iterator[Any]:
        return iter([array.iloc[i] if hasattr(array, "iloc") else array[i] for i in halves])

    rows = {name: parts(array) for name, array in s.rows.items()}
    value = m.function(parts(s.y), parts(s.first), **m.parameters, **rows)
    return getattr(value, "low", value)


def _set(m: Asked) -> Any:
    try:
        declare_set("of_the_matrix", [m.entry])
        given = _given(m) | {"metrics": "of_the_matrix"}
        return _value(m, evaluate(m.subject.y, **given))
    finally:
        SETS.pop("of_the_matrix", None)


def _predictions(m: Asked) -> dict[str, Any]:
    """Return the predictions for a report; of scores with the labels that they make."""
    s = m.subject
    called = {"y_pred": _CALLED} if s.argument == "y_score" and s.y is Y else {}
    return called | {s.argument: s.first}


def _report_table(m: Asked) -> Any:
    own = "metrics" if m.function.metric.kind.name == "counts" else "overall"
    given = {"metrics": (), "overall": ()} | {own: [m.entry]} | _predictions(m)
    table = report_table(m.subject.y, n_resamples=60, random_state=0, **given, **m.subject.rows)
    return [row.estimate for row in table]


def _report(m: Asked) -> Any:
    # Pictures, which take most of the time of a page, are tested elsewhere.
    unseen = mock.patch.object(_parts, "figure", return_value="")
    with tempfile.TemporaryDirectory() as folder, unseen:
        page = Path(folder) / "page.html"
        report(page, m.subject.y, metrics=[m.entry], **_predictions(m), **m.subject.rows)
        text = page.read_text(encoding="utf-8")
    value = float(_evaluate(m))
    shown = {re.escape(f"{abs(value):.{k}f}") for k in (1, 2, 3, 4)}
    return value if re.search(rf"(?<![\d.])({'|'.join(shown)})(?!\d)", text) else np.nan


def _command(m: Asked) -> Any:
    s = m.subject
    own = [
        f"{key}={json.dumps(value)}" for key, value in m.parameters.items() if not callable(value)
    ]
    requested = f"{m.name}:{';'.join(own)}" if own else m.name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        pd.DataFrame(s.table).to_csv(path, index=False)
        printed, errors = io.StringIO(), io.StringIO()
        truth = "truth" if "truth" in s.table else "time"
        arguments = ["evaluate", str(path), "--true", truth, *s.columns, "--metrics", requested]
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
            status = command_line([*arguments, "--json"])
    if status:
        raise ValueError(errors.getvalue())
    [value] = json.loads(printed.getvalue()).values()
    return value["low"] if isinstance(value, dict) else value


DOORS: dict[str, Door] = {
    "function": _function,
    "scorer": _scorer,
    "cross_val_score": _cross_val_score,
    "GridSearchCV": _grid_search,
    "nested run": _nested,
    "evaluate": _evaluate,
    "interval": _interval,
    "paired test": _paired,
    "groups": _groups,
    "weights": _weights,
    "chunks": _chunks,
    "named set": _set,
    "report_table": _report_table,
    "report": _report,
    "command line": _command,
}
if not is_there("scale"):
    del DOORS["chunks"]
    del REASONS["the kind has no sums over chunks"]
    del REASONS["the metric is not a sum over rows in chunks"]
WORKS = "works"


def cell(name: str, door: str) -> str:
    """Return "works", "refused: reason" or what else a door makes of a metric."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        try:
            value = np.asarray(DOORS[door](_asked(name)), dtype=float)
        except Exception as error:
            for reason, words in REASONS.items():
                if re.search(words, str(error)):
                    return f"refused: {reason}"
            return f"{type(error).__name__}: {error}"
    return WORKS if np.isfinite(value).all() else f"value {value}"


def matrix(names: Any = None, doors: Any = None) -> dict[str, dict[str, str]]:
    """Return the cells of metrics and doors."""
    return {name: {door: cell(name, door) for door in doors or DOORS} for name in names or METRICS}


def is_known(text: str) -> bool:
    """Whether a cell works or is refused for a reason of the list."""
    return text == WORKS or text.startswith("refused: ")


def markdown(cells: dict[str, dict[str, str]]) -> str:
    """Return the matrix in Markdown; refusals are numbered."""
    reasons = list(REASONS)

    def shown(text: str) -> str:
        reason = text.removeprefix("refused: ")
        return (
            "yes" if text == WORKS else str(reasons.index(reason) + 1) if reason in reasons else "?"
        )

    head = f"| metric | {' | '.join(DOORS)} |\n|{'---|' * (len(DOORS) + 1)}"
    rows = [f"| {name} | {' | '.join(map(shown, row.values()))} |" for name, row in cells.items()]
    counted = itertools.chain.from_iterable(row.values() for row in cells.values())
    texts = list(counted)
    works = sum(text == WORKS for text in texts)
    above = (
        "# All metrics at all doors\n\n`python -m tests.doors --output FILE` writes this table: "
        f"{len(cells)} metrics at {len(DOORS)} doors, {works} of {len(texts)} cells work. A number is "
        "the reason for which a door refuses a metric:\n\n"
        + "\n".join(f"{k}. {reason}" for k, reason in enumerate(reasons, 1))
    )
    return "\n".join([above, "", head, *rows, ""])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", nargs="*")
    parser.add_argument("--doors", nargs="*")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args(arguments)
    cells = matrix(given.metrics, given.doors)
    others = [
        f"{name}, {door}: {text}"
        for name, row in cells.items()
        for door, text in row.items()
        if not is_known(text)
    ]
    if given.output is not None:
        given.output.write_text(markdown(cells), encoding="utf-8")
    elif not others:
        print(markdown(cells))
    print("\n".join([*others, f"{len(others)} cells neither work nor are refused for a reason"]))
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main())
