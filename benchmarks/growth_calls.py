"""The calls whose growth is measured: every public one that takes rows, groups, models, folds and such.

A line is named by the public call that it measures, and what is special about it: ``interval, groups``.
`missing` tells which public calls have no line and no excuse.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import skaucx
import skaucx.metrics as sx
from skaucx import clinic, evaluation, gold, inference, integrations, scale, study
from skaucx import model_selection as ms
from skaucx.displays import ForestDisplay
from skaucx.evaluation import evaluate
from skaucx.metrics import costs, curves
from skaucx.reports import report_evaluation

from .nested import DOZEN
from .pairs import of_classes

Call = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Axis:
    """What grows, from where to where, and how long a call may take before its size is large enough."""

    kind: str
    least: int
    most: int
    seconds: float
    data_of: Callable[[int], Any]
    calls: Mapping[str, Call]


# Why a call grows by more than its size: read from the code, where no figure stands. A line is
# "kind: call".
_SORTED = "sorts scores and reads rows in their order, as the lines of numpy"
_CACHES = "passes over arrays that leave the caches, as the lines of numpy"
REASONS = {
    "numpy itself": ["rows: numpy, *", "rows of numbers: numpy, *"],
    "all pairs, one by one": ["rows: pairwise_auc_score"],
    _SORTED: [
        *(
            f"rows: {name}"
            for name in (
                "decision_band",
                "delong_test",
                "placement_values",
                "soft_auc_gradient",
                "average_precision_score",
                "mm7_auc_score",
                "bedroc_score",
                "aurc_loss",
                "excess_aurc_loss",
                "pr_gain_auc_score",
                "hull_auc_score",
                "h_measure",
                "auc_mu_score",
                "e?0_calibration_error",
                "smooth_calibration_error",
                "brier_curve",
                "cost_curve",
                "risk_coverage_curve",
                "robust_initial_enhancement",
                "interval of roc_auc",
                "paired_test of roc_auc",
                "*permutation_test of roc_auc",
                "group_mean* of roc_auc",
                "delong_scores_test",
                "compare_precision_recall",
            )
        ),
        "rows of numbers: median_absolute_error",
        "rows of numbers: d2_absolute_error_score",
        "rows of numbers: d2_pinball_score",
        "rows with times: *_c_score",
        "rows with times: *cumulative_dynamic_auc_score",
        "rows with times: *survival_brier_loss",
        "rows with times: *survival_r2_score",
        "rows with times: royston_d_score",
    ],
    _CACHES: [
        "rows: paired_test",
        "rows: probabilities_at_prevalence",
        "rows: reliability_curve",
        "rows: calibration_slope",
        "rows: chow_cost_loss",
        "rows: prediction_instability",
        "thresholds: LinearDensityModel.*",
        "sets: narrow_margins",
        "cells: MetricAccumulator.narrow",
        "rows: integrated_discrimination_improvement",
        "rows: interval, groups",
        "rows: example_cost_loss",
        "rows: savings_score",
        "rows: jackknife of brier_score_loss",
        "rows: miscalibration_test",
        "rows: GoldLabels.of_rows by interval",
        "rows of numbers: *",
        "classes of scores: roc_auc_score, ovr",
        "classes of scores: one_vs_rest_curves",
        "models: cochran_q_test",
    ],
    "threads of BLAS that wait: 0.95 and 1.02 with one": [
        "rows with times: survival_calibration_*"
    ],
    "K^2 cells of the table": [
        "classes: confusion_matrix",
        "classes: evaluate of cramer_v",
        "classes: evaluate of theil_u",
    ],
    "pairs of them": [
        "classes of scores: *ovo*",
        "classes of scores: auc_mu_score",
        "models: nemenyi_test",
        "models: wilcoxon_holm_test",
        "models: delong_scores_test",
        "models: CriticalDifferenceDisplay*",
        "folds: feature_stability",
    ],
    "folds times rows": ["folds: check_folds"],
    "np.unique sorts the points": ["thresholds: *Curve.from_points"],
}
EXCUSED = {
    "*.report": "a page of a result; the rooms' report and report_evaluation have lines",
    "*Display.from_cv_results": "predictions of folds, then from_predictions",
    "*Display.from_estimator": "predictions, then from_predictions",
    "*Display.from_evaluation": "the intervals of an evaluation, then from_intervals",
    "SitesDisplay.from_*": "the estimates of evaluate_sites, drawn",
    "*.like": "tells the library of arrays",
    "*.predict_proba": "the model's own",
    "*.decision_function": "the model's own",
    "ConformalClassifier.of": "puts fitted parts together",
    "ConformalClassifier.rejected": "predict_set, and its rows of no or several classes",
    "RejectingClassifier.confidence": "part of predict",
    "RejectingClassifier.rejected": "part of predict",
    "EarlyStoppingClassifier.*": "the booster's own fit; the metric that it calls has a line",
    "NestedCV.predict": "the model's own",
    "NestedCV.score": "the model's own predictions and a metric that has a line",
    "BootstrapSplit.get_n_splits": "a number",
    "LabelCorrection.*": "a protocol",
    "MetricOfRows.on": "a protocol",
    "Blocks.of_rows": "a number",
    "Confidence.ends": "two ends of an interval",
    "GoldLabels.labelled_rows": "part of interval with gold labels",
    "GoldLabels.subset": "part of interval with gold labels",
    "DifferenceFunction.*": "part of pairwise_auc_score",
    "Inputs.*": "part of every metric: for authors of a kind",
    "Record.*": "part of every metric: for authors of a kind",
    "Sample.*": "part of every metric: for authors of a kind",
    "State.*": "part of every metric: for authors of a kind",
    "SpreadOf.*": "part of every metric: for authors of a kind",
    "SumOf.*": "part of every metric: for authors of a kind",
    "over_outputs": "part of every metric: for authors of a kind",
    "Counts.*": "arithmetic of four arrays",
    "chow_thresholds": "numbers of a table of costs",
    "chow_predictions": "a comparison a row",
    "posterior_probability": "arithmetic of two arrays",
    "cells_query": "text",
    "verdict": "reads a result; verdict_of_predictions has a line",
    "winner_stability": "counts the choices that a result holds",
    "nested_sites": "evaluate_sites of the predictions that a result holds",
    "optuna_objective": "returns a function; the fits that it makes are those of cross-validation",
    "group_scorer": "a name; group_mean has a line",
    "parameter_variants": "names of a grid",
    "SetCollection.expand": "calls a function of its user for each set",
    "measure_regret": "fits of its learners on the problems that come with the package",
    "simulate_folds": "fits of an estimator; its axis is the number of repetitions",
}
# Parameters that hold no rows, groups, models and such; every other one without a plain type does.
_PLAIN = re.compile(
    r"self|ax|path|title|method|names?|labels|pos_label|levels|classes|metrics?|measures|options|own|more"
    r"|further|facts|requested|decisions|scoring|parameters|param_grid|metric_params|fit_params|kwargs"
    r"|\w+_kw|\w+_kwargs|target_names|display_labels|class_names|overall|operating_points?|subject_to"
    r"|bins|n_bins|of|function|given|property|sides|random_state|response_method|confidence_level|trial"
    r"|zero_division|ylim"
)
_MANY = re.compile(
    r"Array|Rows|Features|Floats|Codes|Bools|Sequence|Mapping|Iterable|Columns|Procedures|Counts|Curve"
    r"|Collection|Result|Evaluation|Comparison|Any|Grid|Reportable|Folds|Table"
)


@cache
def public_calls() -> dict[str, tuple[str, Callable[..., Any]]]:
    """Return every public function and method by its name, with its module."""
    found = {}
    for _, place, _ in pkgutil.walk_packages(skaucx.__path__, "skaucx."):
        if "._" in place or place.endswith("__main__"):
            continue
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", ()):
            each = getattr(module, name)
            if each.__module__.startswith("skaucx"):
                found |= {key: (place, call) for key, call in _calls_of(name, each)}
    return found


def _calls_of(name: str, each: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    if inspect.isfunction(each):
        yield name, each
    elif inspect.isclass(each):
        for method, call in inspect.getmembers(each, callable):
            own = getattr(call, "__module__", None) or ""
            if own.startswith("skaucx") and (method[0] != "_" or method == "__call__"):
                yield f"{name}.{method}", call


def grows(call: Callable[..., Any]) -> bool:
    """Whether a call takes anything whose number may grow."""
    return any(
        _MANY.search(str(each.annotation))
        if each.annotation is not each.empty
        else each.default is each.empty
        for name, each in inspect.signature(call).parameters.items()
        if not _PLAIN.fullmatch(name)
    )


def missing() -> list[str]:
    """Return the public calls that grow with something, and have neither a line nor an excuse."""
    covered = {line_call(line) for axis in axes() for line in axis.calls}
    return sorted(
        name
        for name, (_, call) in public_calls().items()
        if grows(call) and name not in covered and not excuse(name)
    )


def line_call(line: str) -> str:
    """Return the public call that a line measures."""
    return line.partition(",")[0].partition(" ")[0]


def excuse(name: str) -> str:
    """Return why a public call has no line."""
    return next((why for pattern, why in EXCUSED.items() if fnmatch(name, pattern)), "")


def reason(line: str) -> str:
    """Return why a line ("kind: call") grows by more than its size."""
    return next((why for why, lines in REASONS.items() if any(fnmatch(line, p) for p in lines)), "")


class Rows:
    """Labels, scores of two models, calls, weights and groups."""

    def __init__(self, n: int, classes: int = 2, groups: int = 50) -> None:
        rng = np.random.default_rng(n)
        self.n, self.groups = n, rng.integers(0, groups, n)
        self.y, self.weight = rng.integers(0, classes, n), rng.uniform(0.1, 2, n)
        self.s, self.other = 1 / (1 + np.exp(-rng.normal(np.minimum(self.y, 1), 1.5, (2, n))))
        other = rng.integers(0, classes, (2, n))
        self.call, self.call_2 = np.where(rng.random((2, n)) < 0.6, self.y, other)
        self.costs, self.picked = np.outer(self.weight, [1, 2]), rng.random(n) < 0.5
        self.order = rng.permutation(n)

    @property
    def given(self) -> dict[str, Any]:
        """The arguments that calls require, by their names."""
        scores = dict.fromkeys(
            ("y_score", "y_proba", "y_prob", "score_a", "y_proba_a", "risk"), self.s
        )
        calls = dict.fromkeys(("y_pred", "y_pred_a", "y_pred_or_score", "y2"), self.call)
        return {
            **scores, **calls, **_REQUIRED,
            "y_true": self.y, "y1": self.y, "score_b": self.other, "y_proba_b": self.other,
            "y_pred_b": self.call_2, "groups": self.groups, "sites": self.groups,
            "pred_decision": self.s - 0.5, "linear_predictor": self.s,
        }  # fmt: skip


_REQUIRED: dict[str, Any] = {
    "metric": "f1", "beta": 1, "cost": [[0, 1], [1, 0]], "difference": np.arctan, "threshold": 0.3,
    "objective": "recall", "subject_to": {"precision": (">=", 0.2)}, "prevalence": 0.2,
    "training_prevalence": 0.5, "path": Path(tempfile.gettempdir()) / "growth.html", "auc": 0.7,
    "metrics": ["recall", "f1"], "kind": "table", "metric_func": sx.recall_score,
}  # fmt: skip


class Values(Rows):
    """Positive numbers and their forecasts."""

    @property
    def given(self) -> dict[str, Any]:
        return {"y_true": self.s, "y_pred": self.other}


class Times(Rows):
    """Times until an event or the end of sight, and risks."""

    @property
    def given(self) -> dict[str, Any]:
        times = np.array([2.0, 4.0])
        kept = np.exp(-np.outer(self.s, times / 4))
        return {
            "y_true": np.c_[1 + 8 * self.other, self.y], "y_score": self.s, "horizon": 4.0,
            "y_pred": kept[:, 1], "threshold": 0.3, "times": times, "kept": kept,
        }  # fmt: skip


class Models(Rows):
    """The same rows with scores of m models, and their values on forty data sets."""

    def __init__(self, m: int) -> None:
        super().__init__(2000)
        rng = np.random.default_rng(m)
        self.scores = {f"m{k}": self.s + rng.normal(0, 0.1, self.n) for k in range(m)}
        self.table = rng.normal(size=(40, m))
        self.calls = {name: (s > 0.5) * 1 for name, s in self.scores.items()}
        self.probabilities = {name: np.clip(s, 0.01, 0.99) for name, s in self.scores.items()}
        self.ends = {
            name: inference.interval("accuracy", counts=[[40, 9], [8, 50]]) for name in self.scores
        }
        self.candidates = {
            "params": [{"depth": k} for k in range(m)],
            "param_depth": np.arange(m),
            **{
                f"{word}_test_{name}": rng.random(m)
                for word in ("mean", "std")
                for name in ("npv", "recall")
            },
            **{f"rank_test_{name}": 1 + rng.permutation(m) for name in ("npv", "recall")},
            **{
                f"split{k}_test_{name}": rng.random(m)
                for k in range(5)
                for name in ("npv", "recall")
            },
        }


class Folds:
    """Values of two models in f folds, and the rows of these folds."""

    def __init__(self, f: int) -> None:
        rng = np.random.default_rng(f)
        self.f, self.a, self.b = f, rng.normal(0.8, 0.05, f), rng.normal(0.78, 0.05, f)
        self.X, self.y = rng.normal(size=(4 * f, 3)), np.tile([0, 1], 2 * f)
        self.selected = rng.integers(0, 2, (f, 20))


class OfClasses:
    """Probabilities of K classes."""

    def __init__(self, k: int) -> None:
        self.y, self.s = of_classes(10_000, k)


class Fitted:
    """Rows for a model to fit, and one that was fitted on some."""

    def __init__(self, n: int) -> None:
        self.X, self.y = make_classification(n, 5, random_state=0)

    @property
    def given(self) -> dict[str, Any]:
        rows = len(self.y)
        return {
            "estimator": GaussianNB(), "estimator_a": GaussianNB(), "X": self.X, "y": self.y,
            "estimator_b": LogisticRegression(), "scoring": "accuracy",
            "estimators": {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)},
            "draws": [(np.arange(rows), np.arange(rows // 2))] * 5,
        }  # fmt: skip


class Sets:
    """Sets of twenty scores."""

    def __init__(self, n: int) -> None:
        rng = np.random.default_rng(n)
        y = np.tile([0, 1], (n, 10))
        self.pair = y, np.round(np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1), 2)
        self.sets = study.SetCollection.from_arrays(*self.pair)
        self.small = study.SetCollection.from_arrays(*(each[:, :6] for each in self.pair))
        self.text = study.format_sets(self.sets)


class Studies:
    """Tables of studies, and their estimates."""

    def __init__(self, n: int) -> None:
        rng = np.random.default_rng(n)
        self.table = {
            "study": [f"study {k}" for k in range(n)],
            **{name: rng.integers(5, 200, n) for name in ("tp", "fp", "fn", "tn")},
        }
        self.estimates, self.errors = rng.normal(0.8, 0.05, n), rng.uniform(0.01, 0.05, n)


class Cells:
    """Counts of n cells of scores."""

    def __init__(self, n: int) -> None:
        rng, edges = np.random.default_rng(n), np.linspace(0, 1, n + 1)
        self.table = {
            "positive": rng.integers(1, 9, n), "negative": rng.integers(1, 9, n),
            "least": edges[:-1], "greatest": np.nextafter(edges[1:], 0),
        }  # fmt: skip


class Thresholds:
    """Twenty thousand rows, their curves, and t thresholds."""

    def __init__(self, t: int) -> None:
        self.rows, self.t = Rows(20_000), np.linspace(0.01, 0.99, t)

    @property
    def arrays(self) -> tuple[Any, Any]:
        return self.rows.y, self.rows.s


_DRAWN: Any = {"n_resamples": 30, "random_state": 0}
_WITH_MORE = (
    "interval", "example_losses", "example_cost_loss", "savings_score",
    "miscalibration_test", "check_metric", "check_kind", "report", "jackknife",
)  # fmt: skip
_OF_ROWS = (
    "skaucx.metrics",
    "skaucx.inference",
    "skaucx.evaluation",
    "skaucx.reports",
    "skaucx.testing",
)


@cache
def axes() -> tuple[Axis, ...]:
    """Return what is measured."""
    return (
        Axis("rows", 4_000, 1_024_000, 0.03, Rows, _of_rows()),
        Axis("rows with times", 4_000, 256_000, 0.03, Times, _of_times()),
        Axis("rows of numbers", 4_000, 1_024_000, 0.03, Values, _of_numbers()),
        Axis("rows fitted", 500, 32_000, 0.1, Fitted, _of_fits()),
        Axis("rows drawn", 4_000, 256_000, 0.1, Rows, _of_displays()),
        Axis("groups", 1_600, 102_400, 0.3, partial(Rows, 200_000, 2), _of_groups()),
        Axis("classes", 64, 4_096, 0.05, lambda k: Rows(20 * k, k), _of_labels()),
        Axis("classes of scores", 16, 256, 0.05, OfClasses, _of_class_scores()),
        Axis("models", 10, 2_560, 0.05, Models, _of_models()),
        Axis("folds", 100, 102_400, 0.05, Folds, _of_folds()),
        Axis("thresholds", 1_000, 256_000, 0.05, Thresholds, _of_thresholds()),
        Axis("candidates", 10, 40, 0.0, lambda c: c, {"nested_cross_validate, 12 metrics": _nested}),
        Axis("sets", 250, 64_000, 0.05, Sets, _of_sets()),
        Axis("studies", 10, 2_560, 0.05, Studies, _of_studies()),
        Axis("cells", 1_000, 256_000, 0.05, Cells, _of_cells()),
    )  # fmt: skip


def _generic(data: Any, places: list[str]) -> dict[str, Call]:
    """Return the calls of some modules that require nothing but what the data gives."""
    given = set(data(40).given)
    found = {}
    for name, (place, call) in public_calls().items():
        required = _required(call)
        of_place = any(place == each or place.startswith(f"{each}.") for each in places)
        if of_place and "." not in name and grows(call) and required and required <= given:
            found[name] = partial(_with_given, call, required)
    return found


def _required(call: Callable[..., Any]) -> set[str]:
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name
        for name, each in inspect.signature(call).parameters.items()
        if each.default is each.empty and each.kind not in variable
    }


def _with_given(call: Callable[..., Any], required: set[str], data: Any) -> Any:
    drawn = _DRAWN if "n_resamples" in inspect.signature(call).parameters else {}
    given = data.given
    return call(**{name: given[name] for name in required}, **drawn)


_OPTIONS: dict[str, Any] = {"scoring": ["accuracy", "roc_auc"], "outer_cv": 3, "inner_cv": 2}


def _of_rows() -> dict[str, Call]:
    found = _generic(Rows, list(_OF_ROWS))
    for name in _WITH_MORE:  # below, with what they need more
        del found[name]
    by_name = ("roc_auc", "average_precision", "brier_score_loss", "log_loss", "calibration_slope", "ks",
               "binned_calibration_error")  # fmt: skip
    found |= {f"interval of {name}": partial(_interval, name, "s") for name in by_name}
    found |= {
        f"interval of {name}": partial(_interval, name, "call") for name in ("f1", "mcc", "kappa")
    }
    return found | {
        "auc_family, weights": lambda d: evaluation.auc_family(d.y, d.s, sample_weight=d.weight),
        "auc_family_of_sets": lambda d: evaluation.auc_family_of_sets(*_matrices(d)),
        "interval, weights": partial(_interval, "roc_auc", "s", weight=True),
        "interval, groups": lambda d: inference.interval("roc_auc", d.y, d.s, groups=d.groups),
        "interval, 30 resamples": partial(_interval, "roc_auc", "s", method="percentile", **_DRAWN),
        "intervals": lambda d: inference.intervals(["f1", "mcc"], d.y, d.call),
        "paired_test of roc_auc": lambda d: inference.paired_test("roc_auc", d.y, d.s, d.other),
        "paired_permutation_test of roc_auc": lambda d: inference.paired_permutation_test(
            "roc_auc", d.y, d.s, d.other, **_DRAWN
        ),
        "permutation_test of roc_auc": lambda d: inference.permutation_test(
            "roc_auc", d.y, d.s, **_DRAWN
        ),
        "example_cost_loss": lambda d: costs.example_cost_loss(d.y, d.call, example_costs=d.costs),
        "savings_score": lambda d: costs.savings_score(d.y, d.call, example_costs=d.costs),
        "jackknife of brier_score_loss": lambda d: inference.jackknife("brier_score_loss", d.y, d.s),
        "example_losses of log_loss": lambda d: inference.example_losses("log_loss", d.y, d.s),
        "group_mean of roc_auc": lambda d: inference.group_mean("roc_auc", d.y, d.s, groups=d.groups),
        "group_mean_test of roc_auc": lambda d: inference.group_mean_test(
            "roc_auc", d.y, d.s, d.other, groups=d.groups
        ),
        "delong_scores_test": lambda d: inference.delong_scores_test(d.y, {"a": d.s, "b": d.other}),
        "cochran_q_test": lambda d: inference.cochran_q_test(d.y, d.call, d.call_2),
        "chi_squared_test": lambda d: inference.chi_squared_test(d.y, d.call),
        "proportion_test": lambda d: inference.proportion_test("accuracy", d.y, d.call),
        "two_table_test": lambda d: inference.two_table_test(
            "f1", sx.Counts.from_labels(d.y, d.call), sx.Counts.from_labels(d.y, d.call_2)
        ),
        "interval_at_prevalence": lambda d: inference.interval_at_prevalence(
            "npv", d.y, d.call, prevalence=0.2
        ),
        "interval_at_threshold": lambda d: inference.interval_at_threshold(
            curves.threshold_curves(d.y, d.s), "npv", 0.5
        ),
        "miscalibration_test": lambda d: inference.miscalibration_test(d.y, d.s, **_DRAWN),
        "numpy, argsort and the scores in its order": lambda d: d.s[np.argsort(d.s)],
        "numpy, scores in another order": lambda d: d.s[d.order],
        "numpy, log(s / (1 - s))": lambda d: np.log(d.s / (1 - d.s)),
        "evaluate": lambda d: evaluate(d.y, d.call, d.s),
        "evaluate, intervals": lambda d: evaluate(d.y, d.call, d.s, intervals=True),
        "evaluate, chunks": lambda d: evaluate(
            iter(np.array_split(d.y, 10)), None, iter(np.array_split(d.s, 10))
        ),
        "report_table": lambda d: evaluation.report_table(d.y, d.call),
        "verdict_of_predictions": lambda d: skaucx.reports.verdict_of_predictions(d.y, d.call, d.s),
        "report_evaluation": lambda d: report_evaluation(
            _REQUIRED["path"], evaluate(d.y, d.call, d.s, intervals=True)
        ),
        "compare_hulls": lambda d: curves.compare_hulls(*_both(curves.roc_curve, d)),
        "compare_fronts": lambda d: curves.compare_fronts(*_both(curves.roc_curve, d)),
        "compare_precision_recall": lambda d: curves.compare_precision_recall(
            *_both(curves.precision_recall_curve, d)
        ),
        "MetricAccumulator.update": lambda d: scale.MetricAccumulator().update(d.y, d.call, d.s),
        "MetricAccumulator.update, result": lambda d: (
            scale.MetricAccumulator().update(d.y, d.call, d.s).result()
        ),
        "MetricAccumulator.curve": lambda d: (
            scale.MetricAccumulator().update(d.y, d.call, d.s).curve(curves.roc_curve)
        ),
        "GoldLabels.of_rows by interval": lambda d: inference.interval(
            "f1", d.y, d.call, gold=gold.GoldLabels(d.call_2, has_gold=d.picked)
        ),
        "MetricMonitor.update": lambda d: gold.MetricMonitor(["recall"]).update(d.y, d.call),
        "XGBoostMetric.__call__": lambda d: integrations.xgboost_metric("roc_auc")(d.y, d.s),
        "LightGBMMetric.__call__": lambda d: integrations.lightgbm_metric("roc_auc")(d.y, d.s),
        "CatBoostMetric.evaluate": lambda d: integrations.catboost_metric("roc_auc").evaluate(
            [d.s - 0.5], d.y, None
        ),
        "evaluate_sites": lambda d: clinic.evaluate_sites(d.y, d.s, sites=d.groups),
        "prediction_instability": lambda d: clinic.prediction_instability(
            d.s, np.tile(d.other, (20, 1)), d.y
        ),
    }  # fmt: skip


def _interval(name: str, what: str, d: Any, weight: bool = False, **options: Any) -> Any:
    more = {"sample_weight": d.weight} if weight else {}
    return inference.interval(name, d.y, getattr(d, what), **more, **options)


def _matrices(d: Any) -> tuple[Any, Any]:
    rows = d.n // 20 * 20
    y = d.y[:rows].reshape(-1, 20).copy()
    y[:, 0], y[:, 1] = 0, 1
    return y, d.s[:rows].reshape(-1, 20)


def _both(curve: Any, d: Any) -> tuple[Any, Any]:
    return curve(d.y, d.s), curve(d.y, d.other)


def _of_times() -> dict[str, Call]:
    found = _generic(Times, ["skaucx.survival"])
    for name in found:
        if name.startswith("integrated") and not name.startswith("integrated_cumulative"):
            found[name] = partial(_kept_over_time, public_calls()[name][1])
    displays = skaucx.survival
    return found | {
        "SurvivalCalibrationDisplay.from_predictions": _drawn(
            lambda d: displays.SurvivalCalibrationDisplay.from_predictions(
                d.given["y_true"], d.given["y_pred"], horizon=4.0
            )
        ),
        "TimeDependentDisplay.from_predictions": _drawn(
            lambda d: displays.TimeDependentDisplay.from_predictions(
                d.given["y_true"], d.s, times=[2.0, 4.0]
            )
        ),
    }


def _of_numbers() -> dict[str, Call]:
    return _generic(Values, ["skaucx.regression"]) | {
        "mase_loss": lambda d: skaucx.regression.mase_loss(d.s, d.other, y_train=d.s),
        "numpy, mean of squares": lambda d: np.mean((d.s - d.other) ** 2),
    }


def _kept_over_time(call: Any, d: Any) -> Any:
    given = d.given
    return call(given["y_true"], given["kept"], times=given["times"])


def _drawn(call: Call) -> Call:
    def draw(data: Any) -> None:
        call(data)
        plt.close("all")

    return draw


def _of_displays() -> dict[str, Call]:
    """Every picture of predictions, and the page of a report."""
    given = set(Rows(40).given)
    found: dict[str, Call] = {}
    for name, (_, call) in public_calls().items():
        if (
            name.endswith(".from_predictions")
            and not name.startswith(("Survival", "Time", "Decomp"))
            and _required(call) <= given
        ):
            found[name] = _drawn(partial(_with_given, call, _required(call)))
    return found | {
        "report": lambda d: skaucx.reports.report(_REQUIRED["path"], d.y, d.call, d.s),
        "check_metric": lambda d: skaucx.testing.check_metric("f1", d.y, d.call, on_fail="report"),
        "check_kind": lambda d: skaucx.testing.check_kind("table", d.y, d.call, on_fail="report"),
    }


def _of_fits() -> dict[str, Call]:
    found = _generic(Fitted, ["skaucx.model_selection", "skaucx.clinic", "skaucx.study"])
    for name, more in {
        "bootstrap_score": {"n_splits": 20}, "optimism_bootstrap": {"n_resamples": 20},
        "compare_estimators": _OPTIONS, "sets_of_classifier": {"cv": 5},
    }.items():  # fmt: skip
        call = public_calls()[name][1]
        found[name] = partial(_with_more, call, _required(call), more)
    nested = partial(ms.nested_cross_validate, GaussianNB(), {}, **_OPTIONS, final=None)
    estimators: dict[str, Callable[[Any], Any]] = {
        "CalibratingClassifier": lambda d: ms.CalibratingClassifier(
            GaussianNB().fit(d.X, d.y), LogisticRegression()
        ),
        "ConformalClassifier": lambda d: ms.ConformalClassifier(GaussianNB()),
        "FixedDecisionClassifier": lambda d: ms.FixedDecisionClassifier(
            GaussianNB(), thresholds=[0.5, 0.5]
        ),
        "RejectingClassifier": lambda d: ms.RejectingClassifier(GaussianNB(), least=0.9),
        "NestedCV": lambda d: ms.NestedCV(GaussianNB(), {}, scoring=["accuracy"], refit="accuracy"),
    }
    for name, make in estimators.items():
        found[f"{name}.fit"] = partial(_fit, make)
        if name != "NestedCV":
            found[f"{name}.predict, and fit on 500"] = partial(_predict, make, "predict")
    return found | {
        "ConformalClassifier.predict_set, and fit on 500": partial(
            _predict, estimators["ConformalClassifier"], "predict_set"
        ),
        "BootstrapSplit.split": lambda d: list(
            ms.BootstrapSplit(20, random_state=0).split(d.X, d.y)
        ),
        "nested_cross_validate": lambda d: nested(d.X, d.y),
        "NestedCVResult.verdict, and the run": lambda d: nested(d.X, d.y).verdict(),
        "nested_learning_curve": lambda d: ms.nested_learning_curve(
            ms.NestedCV(GaussianNB(), {}, scoring=["accuracy"], refit="accuracy"), d.X, d.y
        ),
        "fold_importances, and the run": lambda d: ms.fold_importances(
            nested(d.X, d.y, execution=ms.Execution(return_estimator=True)), d.X, d.y
        ),
        "conclusion_stability, and the runs": lambda d: ms.conclusion_stability(
            ms.compare_estimators(d.given["estimators"], d.X, d.y, **_OPTIONS)
        ),
        "compare_over_datasets": lambda d: ms.compare_over_datasets(
            d.given["estimators"], {"a": (d.X, d.y), "b": (d.X[::-1], d.y[::-1])}, **_OPTIONS
        ),
    }


def _with_more(call: Any, required: set[str], more: Any, d: Any) -> Any:
    given = d.given
    return call(**{**{name: given[name] for name in required}, **more})


def _fit(make: Any, d: Any) -> Any:
    return make(d).fit(d.X, d.y)


def _predict(make: Any, method: str, d: Any) -> Any:
    return getattr(make(d).fit(d.X[:500], d.y[:500]), method)(d.X)


def _of_groups() -> dict[str, Call]:
    two = (lambda d: (d.y, d.s, d.other), lambda d: (d.y, d.call, d.call_2))
    found: dict[str, Call] = {
        "paired_test": lambda d: inference.paired_test("roc_auc", *two[0](d), groups=d.groups),
        "paired_bootstrap_test": lambda d: inference.paired_bootstrap_test(
            "roc_auc", *two[0](d), groups=d.groups, **_DRAWN
        ),
        "delong_test": lambda d: inference.delong_test(*two[0](d), groups=d.groups),
        "group_mean_test": lambda d: inference.group_mean_test("f1", *two[1](d), groups=d.groups),
        "mcnemar_test": lambda d: inference.mcnemar_test(*two[1](d), groups=d.groups),
        "integrated_discrimination_improvement": lambda d: (
            inference.integrated_discrimination_improvement(*two[0](d), groups=d.groups)
        ),
    }
    return found | {
        "interval of roc_auc": lambda d: inference.interval("roc_auc", d.y, d.s, groups=d.groups),
        "interval of f1": lambda d: inference.interval("f1", d.y, d.call, groups=d.groups),
        "interval, 30 resamples": lambda d: inference.interval(
            "roc_auc", d.y, d.s, groups=d.groups, method="percentile", **_DRAWN
        ),
        "intervals": lambda d: inference.intervals(["f1", "mcc"], d.y, d.call, groups=d.groups),
        "jackknife": lambda d: inference.jackknife("f1", d.y, d.call, groups=d.groups),
        "group_mean": lambda d: inference.group_mean("roc_auc", d.y, d.s, groups=d.groups),
        "roc_band": lambda d: inference.roc_band(d.y, d.s, groups=d.groups),
        "precision_recall_band": lambda d: inference.precision_recall_band(
            d.y, d.s, groups=d.groups
        ),
        "decision_band": lambda d: inference.decision_band(d.y, d.s, groups=d.groups, **_DRAWN),
        "classification_report": lambda d: evaluation.classification_report(
            d.y, d.call, groups=d.groups
        ),
        "evaluate, groups": lambda d: evaluate(d.y, d.call, d.s, groups=d.groups, intervals=True),
        "evaluate, by": lambda d: evaluate(d.y, d.call, None, ["accuracy"], by={"g": d.groups}),
        "check_folds": lambda d: ms.check_folds(d.s[:, None], d.y, groups=d.groups),
    }


def _of_labels() -> dict[str, Call]:
    names = ("balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "cramer_v", "theil_u")
    return {
        "f1_score, macro": lambda d: sx.f1_score(d.y, d.call, average="macro"),
        "hamming_loss": lambda d: sx.hamming_loss(d.y, d.call),
        "confusion_matrix": lambda d: sx.confusion_matrix(d.y, d.call),
        **{f"interval of {n}": partial(_interval, n, "call") for n in (*names[:3], "f1_macro")},
        **{
            f"evaluate of {n}": lambda d, n=n: evaluate(d.y, d.call, metrics=[n]) for n in names
        },
        "evaluate": lambda d: evaluate(d.y, d.call),
        "interval, 30 resamples": partial(
            _interval, "f1_macro", "call", method="percentile", zero_division=0, **_DRAWN
        ),
        "paired_test": lambda d: inference.paired_test("f1_macro", d.y, d.call, d.call_2),
        "paired_permutation_test": lambda d: inference.paired_permutation_test(
            "mcc", d.y, d.call, d.call_2, **_DRAWN
        ),
        "classification_report": lambda d: evaluation.classification_report(d.y, d.call),
        "report_table": lambda d: evaluation.report_table(d.y, d.call),
    }  # fmt: skip


def _of_class_scores() -> dict[str, Call]:
    return {
        **{
            f"roc_auc_score, {way}": lambda d, way=way: sx.roc_auc_score(d.y, d.s, multi_class=way)
            for way in ("ovr", "ovo")
        },
        **{
            f"interval of {way} AUC": lambda d, way=way: inference.interval(
                "roc_auc", d.y, d.s, multi_class=way
            )
            for way in ("ovr", "ovo")
        },
        "auc_mu_score": lambda d: sx.auc_mu_score(d.y, d.s),
        "log_loss": lambda d: sx.log_loss(d.y, d.s),
        "ranked_probability_score_loss": lambda d: sx.ranked_probability_score_loss(d.y, d.s),
        "top_k_accuracy_score": lambda d: sx.top_k_accuracy_score(d.y, d.s),
        "one_vs_rest_curves": lambda d: curves.one_vs_rest_curves(curves.roc_curve, d.y, d.s),
        "miscalibration_test": lambda d: inference.miscalibration_test(d.y, d.s, **_DRAWN),
        "spiegelhalter_test": lambda d: inference.spiegelhalter_test(d.y, d.s),
        "evaluate": lambda d: evaluate(d.y, None, d.s),
        "paired_test": lambda d: inference.paired_test("log_loss", d.y, d.s, d.s[:, ::-1]),
    }  # fmt: skip


def _of_models() -> dict[str, Call]:
    return {
        "friedman_test": lambda d: inference.friedman_test(d.table),
        "nemenyi_test": lambda d: inference.nemenyi_test(d.table),
        "wilcoxon_holm_test": lambda d: inference.wilcoxon_holm_test(d.table),
        "CriticalDifferenceDisplay.from_scores": _drawn(
            lambda d: inference.CriticalDifferenceDisplay.from_scores(d.table)
        ),
        "delong_scores_test": lambda d: inference.delong_scores_test(d.y, d.scores),
        "cochran_q_test": lambda d: inference.cochran_q_test(d.y, *d.calls.values()),
        "mean_curve": lambda d: curves.mean_curve(
            [curves.roc_curve(d.y, s) for s in d.scores.values()]
        ),
        "DecompositionDisplay.from_predictions": _drawn(
            lambda d: skaucx.displays.DecompositionDisplay.from_predictions(d.y, d.probabilities)
        ),
        "ForestDisplay.from_intervals": _drawn(lambda d: ForestDisplay.from_intervals(d.ends)),
        "MeanRank.__call__": lambda d: ms.MeanRank(["npv", "recall"])(d.candidates),
        "Constrained.__call__": lambda d: ms.Constrained("npv", {"recall": (">=", 0.1)})(d.candidates),
        "OneStandardError.__call__": lambda d: ms.OneStandardError("npv", complexity="depth")(
            d.candidates
        ),
    }  # fmt: skip


def _of_folds() -> dict[str, Call]:
    sizes = {"n_train": 90, "n_test": 10}
    return {
        "corrected_resampled_t_test": lambda d: ms.corrected_resampled_t_test(d.a, d.b, **sizes),
        "bayesian_correlated_t_test": lambda d: ms.bayesian_correlated_t_test(d.a, d.b, **sizes),
        "bayesian_signed_rank_test": lambda d: ms.bayesian_signed_rank_test(
            d.a, d.b, n_resamples=5_000, random_state=0
        ),
        "bayesian_hierarchical_test": lambda d: ms.bayesian_hierarchical_test(
            d.a.reshape(-1, 10), d.b.reshape(-1, 10), **sizes
        ),
        "repetition_spread": lambda d: ms.repetition_spread(d.a),
        "feature_stability": lambda d: ms.feature_stability(d.selected),
        "check_folds": lambda d: ms.check_folds(d.X, d.y, cv=KFold(d.f)),
    }


def _of_thresholds() -> dict[str, Call]:
    found: dict[str, Call] = {
        "threshold_curves": lambda d: curves.threshold_curves(*d.arrays, thresholds=d.t),
        "decision_curve": lambda d: curves.decision_curve(*d.arrays, thresholds=d.t),
        "decision_band": lambda d: inference.decision_band(*d.arrays, thresholds=d.t, **_DRAWN),
        "roc_band": lambda d: inference.roc_band(*d.arrays, fpr=d.t),
        "precision_recall_band": lambda d: inference.precision_recall_band(*d.arrays, recall=d.t),
        "net_reclassification": lambda d: inference.net_reclassification(
            *d.arrays, d.rows.other, thresholds=d.t[:: len(d.t) // 100]
        ),
        "prevalence_table": lambda d: curves.prevalence_table(
            "npv", sensitivity=0.8, specificity=0.7, prevalence=d.t
        ),
        "probabilities_at_prevalence": lambda d: inference.probabilities_at_prevalence(
            d.t, 0.2, training_prevalence=0.5
        ),
        "CostCurve.at": lambda d: curves.cost_curve(*d.arrays).at(d.t),
        "RiskCoverageCurve.at": lambda d: curves.risk_coverage_curve(*d.arrays).at(d.t),
        "ThresholdCurves.counts_at": lambda d: curves.threshold_curves(*d.arrays).counts_at(d.t),
        "RocFront.tpr_at": lambda d: curves.roc_curve(*d.arrays).pareto_front().tpr_at(d.t),
    }  # fmt: skip
    for curve in (curves.roc_curve, curves.prob_roc_curve, curves.precision_recall_curve):
        name = type(curve([0, 1], [0.1, 0.9])).__name__
        found[f"{name}.at"] = lambda d, curve=curve: curve(*d.arrays).at(d.t)
        found[f"{name}.from_points"] = lambda d, name=name: getattr(curves, name).from_points(
            d.t, d.t
        )
        if name != "PrecisionRecallCurve":
            found[f"{name}.tpr_at"] = lambda d, curve=curve: curve(*d.arrays).tpr_at(d.t)
    for model in (curves.BinormalModel, curves.LinearDensityModel):
        for method in ("counts", "densities", "fpr", "tpr"):
            found[f"{model.__name__}.{method}"] = lambda d, model=model, method=method: getattr(
                model(), method
            )(d.t)
        found[f"{model.__name__}.threshold_curves"] = lambda d, model=model: (
            model().threshold_curves(["recall"], thresholds=d.t[::-1])
        )
    return found


def _nested(candidates: int) -> Any:
    X, y = make_classification(200, 5, random_state=0)
    grid = {"var_smoothing": np.logspace(-9, 0, candidates)}
    options: Any = {"scoring": DOZEN, "refit": "roc_auc", "final": None, "n_jobs": 1}
    return ms.nested_cross_validate(GaussianNB(), grid, X, y, **options)


def _of_sets() -> dict[str, Call]:
    some = ["roc_auc", "scor_auc"]
    return {
        "SetCollection.from_arrays": lambda d: study.SetCollection.from_arrays(*d.pair),
        "SetCollection.from_sets": lambda d: study.SetCollection.from_sets(zip(*d.pair, strict=True)),
        "add_noise": lambda d: study.add_noise(d.sets, 0.1, random_state=0),
        "all_labellings": lambda d: study.all_labellings(d.small),
        "sample_labellings": lambda d: study.sample_labellings(d.sets, 5, random_state=0),
        "narrow_margins": lambda d: study.narrow_margins(d.sets, 3),
        "narrow_spans": lambda d: study.narrow_spans(d.sets, 3),
        "format_sets": lambda d: study.format_sets(d.sets),
        "parse_sets": lambda d: study.parse_sets(d.text),
        "measure_values": lambda d: study.measure_values(d.sets),
        "count_violations": lambda d: study.count_violations(d.sets, some),
        "tune_measure": lambda d: study.tune_measure("sond_auc", {"q": [0.1, 1]}, sets=d.sets),
        "pair_orders": lambda d: study.pair_orders(d.pair[1][:, 0], d.pair[1][:, 1]),
        "simulate_bias, repetitions": lambda d: study.simulate_bias(
            [2], repetitions=len(d.pair[0]), measures=some, random_state=0
        ),
        "simulate_selection, repetitions": lambda d: study.simulate_selection(
            [40], repetitions=len(d.pair[0]), measures=some, random_state=0
        ),
    }  # fmt: skip


def _of_studies() -> dict[str, Call]:
    return {
        "bivariate_summary": lambda d: clinic.bivariate_summary(d.table),
        "compare_study_tests": lambda d: clinic.compare_study_tests(d.table, d.table),
        "evaluate_studies": lambda d: clinic.evaluate_studies(d.table, ["recall"], intervals=True),
        "pool_estimates": lambda d: clinic.pool_estimates(d.estimates, d.errors),
    }


def _of_cells() -> dict[str, Call]:
    from_cells = scale.MetricAccumulator.from_cells
    return {
        "MetricAccumulator.from_cells": lambda d: from_cells(d.table),
        "MetricAccumulator.from_cells, result": lambda d: from_cells(d.table).result(["roc_auc"]),
        "MetricAccumulator.narrow": lambda d: from_cells(d.table).narrow(d.table),
    }


def large() -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield calls near the end of what they are meant for: name, size, call."""
    rows = cache(lambda: Rows(10_000_000))
    yield "roc_auc_score", "10^7 rows", lambda: sx.roc_auc_score(rows().y, rows().s)
    yield "interval of roc_auc", "10^7 rows", lambda: _interval("roc_auc", "s", rows())
    yield "interval of f1", "10^7 rows", lambda: _interval("f1", "call", rows())
    grouped = cache(lambda: Rows(1_000_000, groups=100_000))
    calls = _of_groups()
    for name in ("interval of roc_auc", "interval of f1", "evaluate, by"):
        yield name, "10^6 rows, 10^5 groups", lambda name=name: calls[name](grouped())
    many = cache(lambda: Rows(100_000, 10_000))
    yield (
        "f1_score, macro",
        "10^4 classes",
        lambda: sx.f1_score(many().y, many().call, average="macro"),
    )
    yield (
        "interval of balanced_accuracy",
        "10^4 classes",
        lambda: _interval("balanced_accuracy", "call", many()),
    )
    models, folds = cache(lambda: Models(1_000)), cache(lambda: Folds(10_000))
    for name in ("friedman_test", "cochran_q_test", "nemenyi_test", "wilcoxon_holm_test"):
        yield name, "10^3 models", lambda name=name: _of_models()[name](models())
    for name in (
        "corrected_resampled_t_test",
        "bayesian_signed_rank_test",
        "feature_stability",
        "check_folds",
    ):
        yield name, "10^4 folds", lambda name=name: _of_folds()[name](folds())
