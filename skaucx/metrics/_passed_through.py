"""Names of scikit-learn that are re-exported unchanged.

A metric that is declared here under one of these names takes its place.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import sklearn
import sklearn.metrics
from sklearn.utils.multiclass import unique_labels

from .._arrays import check_same_length, host_array
from ._kinds.listed import regression
from ._records.counts import check_table_fits
from ._registry.declare import ALIASES, METRICS

# The first release with the name, where it came after the oldest one supported.
_SINCE = {
    "confusion_matrix_at_thresholds": "1.8",
    "metric_at_thresholds": "1.9",
}
_NAMES = (
    "auc",
    "check_scoring",
    "class_likelihood_ratios",
    "classification_report",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "coverage_error",
    "dcg_score",
    "det_curve",
    "hamming_loss",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "make_scorer",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "ndcg_score",
    "precision_recall_fscore_support",
)


@functools.wraps(sklearn.metrics.confusion_matrix, ("__doc__",))
def confusion_matrix(y_true: Any, y_pred: Any, **options: Any) -> Any:
    # scikit-learn's, whose errors for too many classes and for unequal lengths do not name them.
    try:
        return sklearn.metrics.confusion_matrix(y_true, y_pred, **options)
    except ValueError as error:
        if "inconsistent" not in str(error):
            raise
        given = {"y_true": y_true, "y_pred": y_pred, "sample_weight": options.get("sample_weight")}
        rows = {name: each if each is None else host_array(each) for name, each in given.items()}
        check_same_length(rows)
        raise
    except MemoryError:
        check_table_fits(len(unique_labels(y_true, y_pred)))
        raise


PASSED_THROUGH: dict[str, Any] = {
    name: getattr(sklearn.metrics, name) for name in _NAMES if hasattr(sklearn.metrics, name)
} | {"confusion_matrix": confusion_matrix}


def other(name: str) -> Any:
    """Return a name of scikit-learn that is no metric of classifiers; None if there is no such name.

    They are regression, clustering and distances: a metric of ``skaucx.regression`` under such a name
    comes before scikit-learn. None is looked up for clustering and distances, which compare no
    predictions with the truth.
    """
    if name not in sklearn.metrics.__all__:
        return None
    theirs = getattr(sklearn.metrics, name)
    judges = inspect.isfunction(theirs) and "y_true" in inspect.signature(theirs).parameters
    return getattr(regression(), name, theirs) if judges else theirs


def missing(name: str) -> Exception:
    """Return the error for a name that is unknown, or missing in the installed scikit-learn."""
    if name in _SINCE:
        return AttributeError(
            f"skaucx.metrics.{name} is scikit-learn's, which has it since {_SINCE[name]}; "
            f"installed is {sklearn.__version__}. Upgrade scikit-learn to use it"
        )
    known = ALIASES.get(name, ALIASES.get(name.removesuffix("_score")))
    named = "" if known is None else f"; the function is {METRICS[known].__name__}"
    return AttributeError(f"module 'skaucx.metrics' has no attribute {name!r}{named}")
