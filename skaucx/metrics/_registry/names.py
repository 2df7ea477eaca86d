"""One way to say which metric is meant: names, averages as suffixes, functions, scorers, dicts."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._compat import score_function
from ..._options import unknown_name
from .declare import ALIASES, METRICS, MetricFunction
from .row import Metric


@dataclass(frozen=True)
class NamedMetric:
    """A metric that was asked for, under the key that its value gets.

    Attributes
    ----------
    key : str
    function : callable
        The public function.
    parameters : dict
        What the name, the scorer or the partial function binds.
    """

    key: str
    function: MetricFunction
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def row(self) -> Metric:
        """The metric's row."""
        return self.function.metric


def named_metric(asked: Any) -> NamedMetric:
    """Return the metric that a name, a function, a partial function of one or a scorer stands for.

    Names are those of metrics and their aliases, with an average ("f1_macro", "roc_auc_ovo") and with
    or without the ``neg_`` of scorers; the value is that of the function.
    """
    if isinstance(asked, NamedMetric):
        return asked
    if isinstance(asked, str):
        return _by_name(asked)
    if isinstance(asked, functools.partial) and not asked.args:
        inner = named_metric(asked.func)
        return NamedMetric(inner.key, inner.function, {**inner.parameters, **asked.keywords})
    bound = score_function(asked)
    if bound is not None:
        return _of_scorer(asked, bound)
    if hasattr(asked, "metric") and isinstance(asked.metric, Metric):
        return NamedMetric(asked.metric.name, asked)
    raise TypeError(
        f"metric must be a name, a metric of this package or a scorer of one, found {asked!r}."
    )


def named_metrics(asked: Any) -> list[NamedMetric]:
    """Return the metrics that one of the above, a list or a dict of them, or a one-pass scorer means."""
    scorers = getattr(asked, "scorers", None)
    entries = scorers if isinstance(scorers, Mapping) else asked
    if isinstance(entries, Mapping):
        found = [(str(key), named_metric(each)) for key, each in entries.items()]
        metrics = [NamedMetric(key, each.function, each.parameters) for key, each in found]
    elif isinstance(entries, str) or callable(entries):
        metrics = [named_metric(entries)]
    elif isinstance(entries, Iterable):
        metrics = [named_metric(each) for each in entries]
    else:
        raise TypeError(f"metrics must be names, functions or scorers, found {asked!r}.")
    if not metrics:
        raise ValueError("metrics is empty; at least one name is needed.")
    return metrics


def is_plain_function(asked: Any) -> bool:
    """Whether something is a function to call, neither a metric nor a scorer of this package."""
    inner = asked.func if isinstance(asked, functools.partial) else asked
    known = any(hasattr(inner, name) for name in ("metric", "scorers"))
    return callable(inner) and not known and score_function(inner) is None


def metric_or_function(asked: Any, parameters: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the function to call and its parameters; a plain function goes as it is."""
    if is_plain_function(asked):
        return asked, dict(parameters)
    named = named_metric(asked)
    return named.function, {**named.parameters, **parameters}


def scorer_names() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Map every scorer name to its metric and the parameters of its average."""
    return _names_of((*METRICS, *ALIASES))


def named_scorer(name: Any) -> tuple[MetricFunction, dict[str, str]]:
    """Return the metric that a scorer's name stands for, and the parameters of its average."""
    names = scorer_names()
    if not isinstance(name, str) or name not in names:
        raise unknown_name("scorer", name, names)
    metric, averaging = names[name]
    return METRICS[metric], dict(averaging)


def _by_name(name: str) -> NamedMetric:
    names = scorer_names()
    for known in (name, f"neg_{name}", name.removesuffix("_score")):
        if known in names:
            metric, averaging = names[known]
            key = name.removeprefix("neg_") if averaging else metric
            return NamedMetric(key, METRICS[metric], dict(averaging))
    raise unknown_name("metric", name, [*METRICS, *ALIASES, *names])


def _of_scorer(scorer: Any, bound: Any) -> NamedMetric:
    given = {**getattr(bound, "parameters", {}), **getattr(scorer, "_kwargs", {})}
    inner = named_metric(getattr(bound, "function", bound))
    average = {k: given[k] for k in ("multi_class", "average") if k in given}
    suffix = next(
        (s for s, options in inner.row.kind.suffixes.items() if s and dict(options) == average), ""
    )
    return NamedMetric(f"{inner.key}{suffix}", inner.function, {**inner.parameters, **given})


@functools.lru_cache(maxsize=1)
def _names_of(known: tuple[str, ...]) -> Mapping[str, tuple[str, Mapping[str, str]]]:
    names = {}
    for alias in known:
        metric = ALIASES.get(alias, alias)
        row = METRICS[metric].metric
        prefix = "neg_" if row.greater_is_better is False else ""
        for suffix, averaging in row.kind.suffixes.items():
            names[f"{prefix}{alias}{suffix}"] = (metric, averaging)
    return names
