"""Several estimators compared over many data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from skaucx.metrics.comparisons import CriticalDifferenceDisplay, nemenyi_test, wilcoxon_holm_test

from ..._compat import import_pandas
from ..._deprecation import renamed_argument
from ..._options import check_choice
from ..._text.html import preformatted
from ..._text.numbers import fixed
from ..._text.tables import count, paragraph, table
from .._run import run
from .._types import Floats
from ._bayes import (
    PosteriorComparison,
    bayesian_hierarchical_test,
    bayesian_signed_rank_test,
    rope_of,
)
from ._estimator_comparison import EstimatorComparison
from ._estimators import ComparisonPlan, compare_estimators, plan_comparison

if TYPE_CHECKING:
    import pandas as pd

_TESTS = {"nemenyi": nemenyi_test, "wilcoxon": wilcoxon_holm_test}
# Options of the one pool in which all data sets are fitted.
_POOL = {"n_jobs", "verbose", "memory", "fit_timeout"}


@dataclass(frozen=True, eq=False, repr=False)
class DatasetComparison:
    """Several estimators on many data sets; made by :func:`compare_over_datasets`.

    Attributes
    ----------
    comparisons : dict of str to EstimatorComparison
        The comparison on each data set.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_iris, load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_over_datasets
    >>> loaders = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
    >>> datasets = {name: load(return_X_y=True) for name, load in loaders.items()}
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    >>> found = compare_over_datasets(models, datasets, scoring="accuracy")
    >>> print(found.summary())
    3 data sets, 2 estimators
    <BLANKLINE>
    accuracy    bayes    tree
    breast     0.9385  0.9174
    iris       0.9533  0.9600
    wine       0.9663  0.8876
    mean rank  1.3333  1.6667
    """

    comparisons: Mapping[str, EstimatorComparison]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the estimators."""
        return next(iter(self.comparisons.values())).names

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return next(iter(self.comparisons.values())).metrics

    def scores(self, metric: str | None = None) -> Floats:
        """Return the mean outer scores by one metric, shape (n_datasets, n_estimators).

        Parameters
        ----------
        metric : str, default=None
            The first one by default.

        Raises
        ------
        KeyError
            If there is no such metric.
        """
        metric = self.metrics[0] if metric is None else metric
        return np.array(
            [
                [result.statistics(metric).mean for result in one.results.values()]
                for one in self.comparisons.values()
            ]
        )

    def rank_test(
        self, metric: str | None = None, *, test: Literal["nemenyi", "wilcoxon"] = "nemenyi"
    ) -> Any:
        """Test all pairs of estimators by their ranks, or signed ranks, over the data sets.

        Parameters
        ----------
        metric : str, default=None
            The first one by default.
        test : {"nemenyi", "wilcoxon"}, default="nemenyi"
            As :func:`skaucx.metrics.comparisons.nemenyi_test` or
            :func:`skaucx.metrics.comparisons.wilcoxon_holm_test`.

        Returns
        -------
        skaucx.metrics.comparisons.PairwiseResult
        """
        return _TESTS[check_choice("test", test, _TESTS)](self.scores(metric), names=self.names)

    def plot_critical_difference(
        self, metric: str | None = None, *, ax: Any = None, **options: Any
    ) -> CriticalDifferenceDisplay:
        """Draw the mean ranks over the data sets, with bars over estimators that do not differ.

        Parameters
        ----------
        metric : str, default=None
            The first one by default.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            ``test`` and ``alpha`` of
            :meth:`skaucx.metrics.comparisons.CriticalDifferenceDisplay.from_scores`.

        Returns
        -------
        skaucx.metrics.comparisons.CriticalDifferenceDisplay
        """
        return CriticalDifferenceDisplay.from_scores(
            self.scores(metric), names=self.names, ax=ax, **options
        )

    def bayesian(
        self,
        first: str,
        second: str,
        metric: str | None = None,
        *,
        test: Literal["signed-rank", "hierarchical"] = "signed-rank",
        rope: float | None = None,
        **options: Any,
    ) -> PosteriorComparison:
        """Return the probability that one of two estimators is better on a further data set.

        Parameters
        ----------
        first, second : str
            Names of estimators.
        metric : str, default=None
            The first one by default.
        test : {"signed-rank", "hierarchical"}, default="signed-rank"
            :func:`bayesian_signed_rank_test` of the mean scores, or :func:`bayesian_hierarchical_test`
            of those of all folds.
        rope : float, default=None
            Differences of at most so much count as equivalent in practice; None is a hundredth of the
            range of the metric, 0.0025 for the Brier score and 0.007 for the log loss.
        **options
            Further ones of :func:`bayesian_signed_rank_test`.

        Returns
        -------
        PosteriorComparison

        Raises
        ------
        KeyError
            If there is no such estimator.
        ValueError
            If the metric has no range, such as d', and `rope` is None.
        """
        metric = self.metrics[0] if metric is None else metric
        for name in (first, second):
            if name not in self.names:
                raise KeyError(f"{name!r}; the comparison has {', '.join(self.names)}")
        each = [(one.results[first], one.results[second]) for one in self.comparisons.values()]
        rope = rope_of(each[0][0], metric) if rope is None else rope
        if check_choice("test", test, ("signed-rank", "hierarchical")) == "hierarchical":
            folds = [[result[f"test_{metric}"] for result in pair] for pair in each]
            found = bayesian_hierarchical_test(
                [a for a, _ in folds], [b for _, b in folds],
                n_train=[a.n_train for a, _ in each], n_test=[a.n_test for a, _ in each],
                rope=rope, **options,
            )  # fmt: skip
        else:
            scores = dict(zip(self.names, self.scores(metric).T, strict=True))
            found = bayesian_signed_rank_test(scores[first], scores[second], rope=rope, **options)
        of = f"{found.title} of {metric} on {count(len(each), 'data set')}, {first} and {second}"
        return replace(found, title=of)

    def to_frame(self, metric: str | None = None) -> pd.DataFrame:
        """Return mean outer scores, a row a data set, a column an estimator.

        Parameters
        ----------
        metric : str, default=None
            The first one by default.

        Returns
        -------
        pandas.DataFrame
        """
        index = import_pandas().Index(self.comparisons, name="dataset")
        return import_pandas().DataFrame(self.scores(metric), index=index, columns=self.names)

    def summary(self) -> str:
        """Return for each metric the mean scores and the mean ranks of the estimators, as text."""
        head = f"{count(len(self.comparisons), 'data set')}, {count(len(self.names), 'estimator')}"
        return "\n\n".join([head, *map(self._table, self.metrics)])

    def _table(self, metric: str) -> str:
        rows = [
            [name, *map(fixed, scores)]
            for name, scores in zip(self.comparisons, self.scores(metric), strict=True)
        ]
        if len(self.comparisons) > 1:
            ranks = self.rank_test(metric).mean_ranks
            rows.append(["mean rank", *map(fixed, ranks)])
        return table([metric, *self.names], rows)

    def __repr__(self) -> str:
        reported = f"DatasetComparison({', '.join(self.names)}; on {', '.join(self.comparisons)})"
        return paragraph(reported, hang=2)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preformatted(self.summary())


@renamed_argument("level", "confidence_level")
def compare_over_datasets(
    estimators: Mapping[str, Any], datasets: Mapping[str, Any], **options: Any
) -> DatasetComparison:
    """Compare several estimators, each tuned by nested cross-validation, over many data sets.

    Parameters
    ----------
    estimators : dict of str to estimator, or to (estimator, param_grid)
        As :func:`compare_estimators` takes them.
    datasets : dict of str to (X, y), or to a dict
        A dict holds the arguments of :func:`compare_estimators` that belong to a data set: ``X`` and
        ``y``, and ``pos_label``, ``groups`` or ``sample_weight``.
    **options
        Of :func:`compare_estimators`, the same for all data sets.

    Returns
    -------
    DatasetComparison
        Critical-difference picture, rank tests and the Bayesian signed-rank test follow from it.

    Raises
    ------
    ValueError
        If there is no data set, or one is not in that form, or sets options of the workers, which
        all data sets share. Errors of one data set name it.

    Notes
    -----
    The inner fits of all estimators on all data sets are one batch, all refits a second one, so that
    every worker is busy until the last data set is done; the numbers are those of one data set after
    the other. Everything is checked before the first fit. With ``memory`` a run that was killed
    continues with the fits that it lacks, and one data set more costs its own fits only.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_iris, load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_over_datasets
    >>> loaders = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
    >>> datasets = {name: load(return_X_y=True) for name, load in loaders.items()}
    >>> tree = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    >>> found = compare_over_datasets(
    ...     {"bayes": GaussianNB(), "tree": tree}, datasets, scoring="accuracy", inner_cv=3
    ... )
    >>> found.scores().shape
    (3, 2)
    >>> found.bayesian("bayes", "tree", random_state=0).second_better < 0.1
    True
    """
    if not isinstance(datasets, Mapping) or not datasets:
        raise ValueError(f"datasets must be a dict from names to (X, y), found {datasets!r}.")
    plans = {
        name: _planned(name, estimators, {**options, **_arguments(name, data)})
        for name, data in datasets.items()
    }
    done = iter(run([one for plan in plans.values() for one in plan.plans.values()]))
    return DatasetComparison(
        {name: plan.compared(list(islice(done, len(plan.plans)))) for name, plan in plans.items()}
    )


def _planned(
    name: str, estimators: Mapping[str, Any], options: Mapping[str, Any]
) -> ComparisonPlan:
    """Plan the comparison on one data set from arguments of :func:`compare_estimators`."""
    given = signature(compare_estimators).bind(estimators, **options)
    given.apply_defaults()
    try:
        return plan_comparison(**given.arguments)
    except (ValueError, TypeError) as error:
        error.add_note(f"This is about datasets[{name!r}].")
        raise


def _arguments(name: str, data: Any) -> dict[str, Any]:
    """Return the arguments that belong to a data set."""
    if isinstance(data, tuple | list) and len(data) == 2:
        return {"X": data[0], "y": data[1]}
    if not (isinstance(data, Mapping) and {"X", "y"} <= set(data)):
        raise ValueError(
            f"datasets[{name!r}] must be (X, y) or a dict with X and y, found "
            f"{type(data).__name__}."
        )
    if shared := sorted(_POOL & set(data)):
        raise ValueError(
            f"datasets[{name!r}] holds {', '.join(shared)}, which all data sets share; pass it to "
            "compare_over_datasets itself."
        )
    return dict(data)
