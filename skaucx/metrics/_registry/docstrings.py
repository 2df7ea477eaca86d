"""Numpydoc docstrings of metrics: the formula's own text, the shared sections, the reference."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from functools import lru_cache

from .._kinds.averages import AVERAGES, NAMED
from .bibliography import BIBLIOGRAPHY
from .row import Metric

_SHARED = {
    "multioutput": """{"uniform_average", "raw_values"} or array-like, default="uniform_average"
    Of several outputs: the mean, the value of each, or the mean with weights of shape (n_outputs,).""",
    "y_true": """array-like of shape (n_samples,) or (n_samples, n_labels)
    True class labels (strings, integers or booleans), or multilabel indicators.""",
    "y_pred": """array-like of shape (n_samples,) or (n_samples, n_labels)
    Predicted class labels, or multilabel indicators.""",
    "y1": """array-like of shape (n_samples,)
    Labels given by the first rater, or the true ones.""",
    "y2": """array-like of shape (n_samples,)
    Labels given by the second rater, or the predicted ones.""",
    "y_score": """array-like of shape (n_samples,) or (n_samples, n_classes)
    Scores of the positive class, or one column per class in sorted order;
    columns of a frame that are named by the classes are read by name.""",
    "pred_decision": """array-like of shape (n_samples,) or (n_samples, n_classes)
    Output of decision_function for the positive class, or one column per class in sorted order;
    columns of a frame that are named by the classes are read by name.""",
    "y_proba": """array-like of shape (n_samples,) or (n_samples, n_classes)
    Probabilities of the positive class, or one column per class in sorted order;
    columns of a frame that are named by the classes are read by name.""",
    "labels": """array-like of shape (n_classes,), default=None
    The classes to use, in this order (sorted, where they name the columns of a matrix). Needed where
    some occur neither in the truth nor in the predictions.""",
    "pos_label": """int, float, bool or str, default=None
    The positive class of a binary problem. None means 1 (or True) where all labels lie in {-1, 0, 1}
    or are booleans; for other labels it is required if the value depends on it.""",
    "rejected": """array-like of shape (n_samples,), bool, default=None
    Which predictions are rejected; alternatively `y_pred` is a masked array, whose mask marks
    them.""",
    "sample_weight": """array-like of shape (n_samples,), default=None
    Weights >= 0; rows of weight 0 are ignored.""",
    "zero_division": """{"warn", 0, 1, nan}, default="warn"
    The value that replaces 0/0. "warn" means @undefined@, with an UndefinedMetricWarning; nan
    excludes an undefined class from an average.""",
    "rescale": """{"minmax", "expit"}, default=None
    How to map scores to [0, 1] first: by the range of the scores, which differs between the folds
    of a search, or as log-odds.""",
    "multi_class": """{"raise", "ovr", "ovo"}, default="raise"
    For a matrix of three or more columns: each class against the rest, or each pair of classes.""",
}
# The averages of the table, by the default of the metrics that have them.
_CHOICES = {
    "binary": "{" + ", ".join(f'"{name}"' for name in AVERAGES if name) + "}",
    "macro": "{" + ", ".join(f'"{name}"' for name in NAMED) + "}",
}
_AVERAGES = {
    "binary": f"""{_CHOICES["binary"]} or None, default="binary"
    Over classes: "binary" gives the value of `pos_label`, "macro" the mean over classes, "weighted"
    the mean by true class size, "micro" the value of the summed counts, None one value per class;
    "samples" the mean over the rows of multilabel indicators.""",
    "macro": f"""{_CHOICES["macro"]} or None, default="macro"
    Over the binary problems of `multi_class`: the mean, the value over all cells of the score matrix
    ("micro", ovr only), the mean by prevalence, or one value per class (None, ovr only); "samples"
    the mean over the rows of multilabel indicators.""",
}
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ORDER = ("Parameters", "Returns", "Raises", "Warns", "See Also", "Notes", "References", "Examples")


# Of the two arrays, where metrics read no multilabel indicators.
_OF_ONE_TARGET = {
    "y_true": """array-like of shape (n_samples,)
    True class labels (strings, integers or booleans).""",
    "y_pred": """array-like of shape (n_samples,)
    Predicted class labels.""",
}


def compose(row: Metric, signature: inspect.Signature) -> str:
    """Return the public docstring: the shared sections put between the formula's own."""
    head, *pieces = _SECTION.split(inspect.cleandoc(row.formula.__doc__ or ""))
    found = zip(pieces[::2], pieces[1::2], strict=True)
    sections = {name: body.strip("\n") for name, body in found}
    # Entries ``name : kind`` with their indented lines.
    entries = re.split(r"^(\w+) : ", sections.get("Parameters", ""), flags=re.MULTILINE)
    own = {name: body.rstrip("\n") for name, body in zip(entries[1::2], entries[2::2], strict=True)}
    usual = {} if row.kind.multilabel else _OF_ONE_TARGET
    texts = {**_SHARED, **usual, **row.kind.inputs.texts, **own}
    average = signature.parameters.get("average")
    if average is not None:
        texts["average"] = _AVERAGES[str(average.default)]
    sections["Parameters"] = "\n".join(
        f"{name} : {texts.get(name, 'parameter of the formula')}" for name in signature.parameters
    ).replace("@undefined@", f"{row.undefined:g}")
    several = " or ndarray of shape (n_classes,)" if average is not None else ""
    sections.setdefault(
        "Returns", f"value : float{several}\n    In [{row.bounds[0]:g}, {row.bounds[1]:g}]."
    )
    sections["Raises"] = (
        "ValueError, TypeError\n    If an input is empty, of another length, not finite, of a "
        "kind that is no label or\n    score, or if a parameter lies outside its range; the message "
        "names the argument."
    )
    if reported := _of_sharpening(row.sharpest):
        sections["Notes"] = "\n\n".join(filter(None, [sections.get("Notes"), _filled(reported)]))
    if row.source:
        source = _filled(f".. [1] {BIBLIOGRAPHY.get(row.source, row.source)}", "   ")
        sections["References"] = source
    ordered = (
        f"{name}\n{'-' * len(name)}\n{sections[name]}" for name in _ORDER if name in sections
    )
    return "\n\n".join([head.strip(), *ordered]) + "\n"


@lru_cache(maxsize=256)
def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 96, subsequent_indent=indent, break_on_hyphens=False)


def _of_sharpening(sharpest: float | None) -> str:
    """Return the sentence on whether a metric is proper."""
    if sharpest in (None, 1):
        return "Proper: the true probabilities have the best expected value." if sharpest else ""
    reported = "increasing with the power" if sharpest == math.inf else f"best at {sharpest:g}"
    return (
        "Not proper: it rewards scores that are more extreme than the true probabilities. When the "
        f"true odds are raised to a power it is {reported}, while Brier score and log loss are "
        "best at 1 (``python -m benchmarks.dangers``, ``benchmarks/results/dangers.md``). Tune on "
        "one of these, and report this metric in addition."
    )
