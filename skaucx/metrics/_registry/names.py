"""Names of metrics, scorers and sets; a set holds the metrics for a question, the most important first.

A set is one entry of ``SETS``. To add a metric to a set, add its name.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..._arguments import MetricLike
from ..._compat import score_function, scorer_parameters
from ..._options import unknown_name
from .._kinds import known_inputs
from .._kinds.listed import Listed
from .declare import (
    ALIASES,
    METRICS,
    TWINS,
    MetricFunction,
    listed_names,
    missing_options,
)
from .row import Metric, own_parameters


@dataclass(frozen=True)
class MetricSet:
    """A named set of metrics.

    Attributes
    ----------
    name : str
    metrics : tuple of str, metric or scorer
        In order of importance; empty for "all", which has every metric.
    when : str
        When to use the set, in one sentence.
    source : str
        The paper that recommends these metrics: a key of the bibliography, or a reference in full.
    many : tuple
        The metrics for more than two classes, where they differ.
    multilabel : tuple
        The metrics for multilabel indicators, where they differ.
    """

    name: str
    metrics: tuple[Any, ...]
    when: str = ""
    source: str = ""
    many: tuple[Any, ...] = ()
    multilabel: tuple[Any, ...] = ()

    def of(self, *, many: bool = False, multilabel: bool = False) -> Sequence[Any]:
        """Return the metrics for two classes, for many classes, or for multilabel indicators."""
        chosen = (self.multilabel if multilabel else self.many if many else ()) or self.metrics
        if self.name != "default" or multilabel:
            return chosen
        return [*chosen, *(name for inputs in known_inputs() for name in inputs.default_metrics)]


_SETS = (
    MetricSet(
        "default",
        (
            "roc_auc", "average_precision", "log_loss", "brier_score_loss", "calibration_slope",
            "calibration_intercept", "recall", "specificity", "precision", "npv", "f1",
            "matthews_corrcoef", "balanced_accuracy", "accuracy",
        ),
        "A first look: those of these metrics that can be computed from the arrays given.",
        many=(
            "accuracy", "balanced_accuracy", "f1", "precision", "recall", "matthews_corrcoef",
            "cohen_kappa", "roc_auc", "average_precision", "log_loss", "brier_score_loss",
        ),
        multilabel=(
            "f1", "precision", "recall", "jaccard", "hamming_loss", "accuracy", "roc_auc",
            "average_precision",
        ),
    ),
    MetricSet(
        "clinical",
        (
            "roc_auc", "observed_expected_ratio", "calibration_intercept", "calibration_slope",
            "integrated_calibration_index", "estimated_calibration_index",
            "debiased_calibration_error", "brier_score_loss", "d2_brier", "log_loss", "d2_log_loss",
            "nagelkerke_r2", "discrimination_slope", "net_benefit", "recall", "specificity",
            "precision", "npv",
        ),
        "A risk model that supports medical decisions: discrimination, calibration, overall "
        "performance and utility, with the classification measures for description; net benefit "
        "requires threshold=.",
        "Van Calster et al. 2025",
    ),
    MetricSet(
        "screening",
        (
            "recall", "specificity", "precision", "npv", "positive_likelihood_ratio",
            "negative_likelihood_ratio", "diagnostic_odds_ratio", "informedness",
            "predicted_positive_rate", "prevalence", "roc_auc",
        ),
        "A screening or diagnostic test with a fixed threshold.",
        "Bossuyt et al. 2015",
    ),
    MetricSet(
        "rare_events",
        (
            "average_precision", "precision_at_k", "recall_at_k", "lift", "precision", "recall", "f1",
            "matthews_corrcoef", "partial_roc_auc", "roc_auc", "log_loss", "savings",
        ),
        "Few positives among many examples, as in fraud detection: the top of the ranking counts.",
        "Saito & Rehmsmeier 2015",
    ),
    MetricSet(
        "multiclass",
        (
            "accuracy", "balanced_accuracy", "f1_macro", "precision_macro", "recall_macro",
            "f1_weighted", "matthews_corrcoef", "cohen_kappa", "roc_auc_ovr", "roc_auc_ovo", "log_loss",
            "brier_score_loss",
        ),
        "More than two classes, each of them as important as the others.",
        "Sokolova & Lapalme 2009",
    ),
    MetricSet(
        "agreement",
        (
            "accuracy", "cohen_kappa", "gwet_ac1", "krippendorff_alpha", "scott_pi", "bennett_s",
            "prevalence_adjusted_kappa", "bangdiwala_b", "chance_agreement",
        ),
        "Two raters, or a rater and a model, neither of which is the truth.",
        "Gwet 2008",
    ),
    MetricSet(
        "ranking",
        (
            "roc_auc", "average_precision", "bedroc", "robust_initial_enhancement", "lift",
            "precision_at_k", "recall_at_k", "partial_roc_auc", "ks", "pr_gain_auc",
        ),
        "Only the order of the scores matters, above all at its top, as in virtual screening.",
        "Truchon & Bayly 2007",
    ),
    MetricSet(
        "auc_variants",
        (
            "roc_auc", "gini", "prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm1_auc", "mm4_auc",
            "mm6_auc", "mm7_auc", "mm11_auc",
        ),
        "A study of the variants of the AUC that read score values; not for reporting a model.",
        "Vanderlooy & Huellermeier 2008",
    ),
    MetricSet("all", (), "Every metric that can be computed from the arrays given."),
)  # fmt: skip
SETS = Listed({each.name: each for each in _SETS})


# Annotations of points at which a metric is evaluated: shares of the rows, thresholds, ranks.
_POINTS = ("Share", "OpenShare", "PositiveShare", "WholePositive")
_LONGEST = 40  # letters of a parameter's value


# Names of a metric with parameters.
_WITH_PARAMETERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "f2": ("fbeta", {"beta": 2.0}),
    "f0.5": ("fbeta", {"beta": 0.5}),
    "f05": ("fbeta", {"beta": 0.5}),
    "macro_f1": ("f1", {"average": "macro"}),
    "micro_f1": ("f1", {"average": "micro"}),
    "weighted_f1": ("f1", {"average": "weighted"}),
    "qwk": ("cohen_kappa", {"weights": "quadratic"}),
    "quadratic_weighted_kappa": ("cohen_kappa", {"weights": "quadratic"}),
    "aunu": ("roc_auc", {"multi_class": "ovr", "average": "macro"}),
    "aunp": ("roc_auc", {"multi_class": "ovr", "average": "weighted"}),
    "neg_debiased_calibration_error": ("binned_calibration_error", {"norm": "l2", "debias": True}),
}
# Names in use that are ambiguous or not metrics here, with the replacement.
_HINTS: Mapping[str, str] = {
    "fpr95": "take 1 minus 'specificity_at_sensitivity' with min_sensitivity=0.95.",
    "ber": "take 1 minus 'balanced_accuracy'.",
    "calibration_error": "take 'binned_calibration_error', or one of the errors without bins.",
    "mce": "take 'binned_calibration_error' with norm='max'.",
    "eer": "the equal error rate is where roc_curve has fpr = 1 - tpr; det_curve has both errors.",
    "far": "a false alarm ratio is 'false_discovery_rate', a rate 'false_positive_rate'.",
    "kl_divergence": "of shares of classes it is 'class_divergence', of probabilities 'log_loss'.",
    "gini_index": "of scores it is 'gini', which is 2 AUC - 1; impurity is not a metric of predictions.",
    "h_score": "take 'h_measure'.",
    "am": "of rates it is 'balanced_accuracy', of predictions 'excess_of_calls'.",
    "map": "the mean of average precisions over classes is 'average_precision_ovr_macro'.",
    "mrr": "it is a mean over queries, which packages of information retrieval have.",
    "gauc": "it is the mean of 'roc_auc' over groups, whose values evaluate(..., by=) has.",
    **dict.fromkeys(
        ("profit", "emp", "mp", "maximum_profit", "expected_maximum_profit"),
        "the nearest is 'example_cost_loss', a mean over examples with costs of their own.",
    ),
    "kappa_weighted": "take 'cohen_kappa' with weights='linear' or weights='quadratic'.",
}


@dataclass(frozen=True)
class NamedMetric:
    """A requested metric, and the key of its value; made by :func:`named_metric`.

    Attributes
    ----------
    key : str
    function : callable
        The public function.
    parameters : dict
        Parameters bound by the name, the scorer or the partial function.
    cut : Metric or None
        The row that is read instead of the function's, such as one of probabilities that it cuts.
    """

    key: str
    function: MetricFunction
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cut: Metric | None = None

    @property
    def row(self) -> Metric:
        """The row that is read."""
        return self.cut or self.function.metric

    def cut_at(self, given: Mapping[str, Any]) -> NamedMetric:
        """Return a metric of labels at its threshold as one of probabilities, which it cuts there."""
        row, own = self.row, {**given, **self.parameters}
        return replace(self, cut=row.cut(own, own.get("pos_label"))) if row.cuts else self

    @property
    def entry(self) -> Any:
        """The metric as a function, with its parameters bound."""
        own = self.parameters
        return functools.partial(self.function, **own) if own else self.function

    @property
    def label(self) -> str:
        """The key with the parameters that define the value, such as "fbeta(beta=2)"."""
        own = self.row.completed(self.parameters)
        shown = ", ".join(
            f"{option.name}={_reported(own[option.name])}"
            for option in own_parameters(self.row.formula)
            if option.name in own and _matters(option, own[option.name])
        )
        return f"{self.key}({shown})" if shown else self.key

    @property
    def scorer_key(self) -> str:
        """The key, with the prefix neg_ for losses."""
        return f"neg_{self.key}" if self.row.greater_is_better is False else self.key


def _matters(parameter: inspect.Parameter, value: Any) -> bool:
    """Whether to print a parameter: it is set, or a point at which the metric is evaluated."""
    if value is None:
        return False
    if str(parameter.annotation).partition(" | ")[0] in _POINTS:
        return True
    unset = isinstance(value, float) and math.isnan(value)
    return not unset and not np.array_equal(value, parameter.default)


def _reported(value: Any) -> str:
    """Return a parameter's value in short."""
    if isinstance(value, float):
        return f"{value:g}"
    plain = np.asarray(value).tolist() if np.ndim(value) else value
    reported = getattr(value, "__name__", repr(plain))
    return reported if len(reported) <= _LONGEST else f"{reported[:_LONGEST]}..."


def labels_of(named: Iterable[NamedMetric]) -> str:
    """Return a sentence on the parameters of metrics, or "" if none needs printing."""
    reported = [label for each in named if (label := each.label) != each.key]
    return f"Parameters: {', '.join(reported)}." if reported else ""


def named_metric(requested: MetricLike) -> NamedMetric:
    """Return the metric given as a name, a function, a partial function or a scorer.

    Parameters
    ----------
    requested : str or callable
        The name of a metric or an alias, with an average ("f1_macro", "roc_auc_ovo") and with or without
        the ``neg_`` of scorers; a metric of this package, or a partial function of one; or a scorer. A
        scorer of scikit-learn means the metric here with the same values, a one-pass scorer its only
        metric.

    Returns
    -------
    NamedMetric
        The value is that of the function, of losses not negated.

    Raises
    ------
    ValueError
        If no metric has that name; the message suggests similar ones.
    TypeError
        If an object is not a metric.

    Examples
    --------
    >>> from skaucx.metrics._registry.names import named_metric
    >>> found = named_metric("neg_log_loss")
    >>> found.function.__name__, found.row.greater_is_better, found.row.scorer_name
    ('log_loss', False, 'neg_log_loss')
    """
    if isinstance(requested, NamedMetric):
        return requested
    if isinstance(requested, str):
        found = _found(requested, "neg_")
        if found is None:
            raise unknown_metric("metric", requested, [*listed_names(), *scorer_names()])
        metric, averaging = found
        key = requested.removeprefix("neg_") if averaging else metric
        return NamedMetric(key, METRICS[metric], dict(averaging))
    if isinstance(requested, functools.partial) and not requested.args:
        return _with_parameters(named_metric(requested.func), requested.keywords)
    if is_one_pass(requested):
        [(key, only)] = only_entry(requested).items()
        return replace(named_metric(only), key=key)
    bound = score_function(requested)
    if bound is not None:
        bound = TWINS.get(bound, bound)
        given = {**getattr(bound, "parameters", {}), **scorer_parameters(requested)}
        return _with_parameters(named_metric(getattr(bound, "function", bound)), given)
    if is_metric(requested):
        function: Any = requested
        return NamedMetric(function.metric.name, function)
    raise TypeError(
        f"metric must be a name, a metric of this package or a scorer of one, found {requested!r}."
    )


def named_metrics(requested: Any) -> list[NamedMetric]:
    """Return the metrics given as one of these, a list or a dict of them, or a one-pass scorer."""
    found = [(key, named_metric(each)) for key, each in entries_of(requested)]
    return [metric if key is None else replace(metric, key=str(key)) for key, metric in found]


def entries_of(
    requested: Any, argument: str = "metrics", parameters: Mapping[str, Any] | None = None
) -> list[tuple[Any, Any]]:
    """Return the requested entries one by one, with their keys of a dict or a one-pass scorer, or None.

    The name of a set gives its metrics, without those that require a parameter that is not among
    `parameters`, or further arrays.
    """
    found: list[tuple[Any, Any]] = []
    entries = requested_entries(requested, argument)
    known = [_identity(each) for _, each in entries]
    for key, entry in entries:
        if not is_set(entry):
            found.append((key, entry))
            continue
        for named in members_of(entry):
            inputs = named.row.kind.inputs
            usual = inputs.evaluated_with == inputs.argument or SETS[entry] not in _SETS
            given = {**named.parameters, **(parameters or {})}
            if not usual or missing_options(named.function, given):
                continue
            if _identity(named) not in known:
                known.append(_identity(named))
                own_name = named.key in ALIASES or named.key in _WITH_PARAMETERS
                key = named.key if own_name else None
                found.append((key, named.entry))
    return found


def requested_entries(requested: Any, argument: str = "metrics") -> list[tuple[Any, Any]]:
    """Return the requested entries one by one, with their keys; sets of metrics by their names."""
    entries = requested.each() if is_one_pass(requested) else requested
    if isinstance(entries, Mapping):
        found = list(entries.items())
    elif isinstance(entries, str) or callable(entries):
        found = [(None, entries)]
    elif isinstance(entries, Iterable):
        found = [(None, each) for each in entries]
    else:
        raise TypeError(
            f"{argument} must be the name of a metric, a metric, a scorer, a list of these, or a "
            f"dict from any key to one of them, found {requested!r}."
        )
    if not found:
        raise ValueError(
            f"{argument} is empty; at least one metric is needed, found {requested!r}."
        )
    for key, entry in found:
        if key is not None and is_set(entry):
            raise ValueError(
                f"{argument}[{key!r}] is {entry!r}, a set of metrics, and a key names one metric; "
                f"pass the set in a list, [{entry!r}]."
            )
    return found


def is_set(entry: Any) -> bool:
    """Whether an entry is the name of a set of metrics."""
    return isinstance(entry, str) and entry not in METRICS.data and entry in SETS


def members_of(name: str, *, many: bool = False, multilabel: bool = False) -> list[NamedMetric]:
    """Return the metrics of a set, the most important first; an alias of the set is the name."""
    chosen = SETS[name].of(many=many, multilabel=multilabel) if name != "all" else METRICS
    found = ((each, named_metric(each)) for each in chosen)
    return [replace(named, key=each) if each in ALIASES.data else named for each, named in found]


def _identity(entry: Any) -> Any:
    """Return what two entries for the same metric have in common."""
    try:
        named = named_metric(entry)
    except (TypeError, ValueError):  # a scorer of another package, or a set
        return id(entry)
    return named.row.name, repr(sorted(named.parameters.items()))


def list_sets() -> list[MetricSet]:
    """Return the named sets of metrics, with when to use each and the paper that recommends it.

    The name of a set goes wherever metrics are named: ``evaluate(..., metrics="clinical")``,
    ``NestedCV(..., scoring="rare_events")``, :func:`get_scorers`, :func:`report`.

    Returns
    -------
    list of MetricSet
        With ``name``, ``metrics`` (the most important first), ``when`` and ``source``.

    Examples
    --------
    >>> from skaucx.metrics import list_sets
    >>> [each.name for each in list_sets()][:4]
    ['default', 'clinical', 'screening', 'rare_events']
    """
    return list(SETS.values())


def is_metric(requested: Any) -> bool:
    """Whether something is a metric of this package, or a partial function of one."""
    bound = isinstance(requested, functools.partial) and not requested.args
    return isinstance(getattr(requested.func if bound else requested, "metric", None), Metric)


def is_one_pass(requested: Any) -> bool:
    """Whether something is a scorer of many metrics in one pass."""
    return isinstance(getattr(requested, "scorers", None), Mapping)


def only_entry(one_pass: Any) -> Mapping[str, Any]:
    """Return the metric of a one-pass scorer that has one, by its key."""
    scorers: Mapping[str, Any] = one_pass.each()
    if len(scorers) != 1:
        raise TypeError(
            f"One metric is needed here, found a scorer of {len(scorers)}: {', '.join(scorers)}."
        )
    return scorers


def is_plain_function(requested: Any) -> bool:
    """Whether an object is a callable that is neither a metric nor a scorer of this package."""
    inner = requested.func if isinstance(requested, functools.partial) else requested
    known = any(hasattr(inner, name) for name in ("metric", "scorers"))
    return callable(inner) and not known and score_function(inner) is None


def metric_or_function(requested: Any, parameters: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the function to call and its parameters; a plain function is returned unchanged."""
    if is_plain_function(requested):
        check_called_with_arrays(requested)
        return requested, dict(parameters)
    named = named_metric(requested)
    return named.function, {**named.parameters, **parameters}


def check_called_with_arrays(function: Any) -> None:
    """Raise an error for a function that does not take two arrays, such as a factory of scorers."""
    with contextlib.suppress(ValueError):  # some functions written in C have no signature
        try:
            inspect.signature(function).bind_partial(None, None)
        except TypeError as error:
            name = getattr(function, "__name__", repr(function))
            raise TypeError(
                f"metric must be a name or a function metric(y_true, y_pred), found {name}, which "
                f"cannot be called so: {error}."
            ) from None


def scorer_names() -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    """Map every scorer name to its metric and the parameters of its average."""
    return _names_of(listed_names())


def names_scorer(name: str) -> bool:
    """Whether a name is that of a scorer."""
    return _found(name, "") is not None


def _found(name: str, sign: str) -> tuple[str, Mapping[str, Any]] | None:
    """Look a name up, in lower case if it is unknown as given."""
    for metrics, aliases in ((METRICS.data, ALIASES.data), (METRICS, ALIASES)):
        names = _names_of((*metrics, *aliases))
        for written in (name, name.lower()):
            for known in (written, f"{sign}{written}", written.removesuffix("_score")):
                if known in names:
                    return names[known]
    return None


def unknown_metric(kind: str, name: str, known: Iterable[str]) -> ValueError:
    """Return the error for the name of no metric, or of no scorer; it tells what to take instead."""
    if is_set(name):
        return ValueError(f"{name!r} is a set of metrics, and one metric is needed here.")
    hint = _HINTS.get(name.lower().removeprefix("neg_"))
    if hint is None and _found(f"neg_{name}", "") is not None:
        hint = f"it is a loss, and a greater score is better: use 'neg_{name}'."
    if hint is None:
        return unknown_name(kind, name, known)
    return ValueError(f"{name!r} is not the name of a {kind}; {hint}")


def _with_parameters(inner: NamedMetric, given: Mapping[str, Any]) -> NamedMetric:
    """Bind parameters; an average among them is part of the key."""
    average = {k: given[k] for k in ("multi_class", "average") if k in given}
    suffix = next(
        (s for s, options in inner.row.kind.suffixes.items() if s and dict(options) == average), ""
    )
    return NamedMetric(f"{inner.key}{suffix}", inner.function, {**inner.parameters, **given})


@functools.lru_cache(maxsize=3)
def _names_of(known: tuple[str, ...]) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    names = dict(_WITH_PARAMETERS)
    for alias in known:
        metric = ALIASES.data.get(alias, alias)
        row = METRICS.data[metric].metric
        prefix = "neg_" if row.greater_is_better is False else ""
        for suffix, averaging in row.kind.suffixes.items():
            names[f"{prefix}{alias}{suffix}"] = (metric, averaging)
    return names
