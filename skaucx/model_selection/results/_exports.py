"""Ways out of a nested result: data frames, JSON, flat dicts, a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from ... import metrics
from ...metrics.pages._page import write_page
from ._flat import candidate_table, numbers
from ._frames import by_fold, by_metric
from ._from_json import result_from_json
from ._json import as_json
from ._report import about, forest, nested_page

if TYPE_CHECKING:
    import pandas as pd


class ResultExports:
    """What a :class:`NestedCVResult` can be turned into."""

    def to_frame(self, by: Literal["fold", "metric"] = "fold") -> pd.DataFrame:
        """Return one row an outer fold, or one row a metric.

        Parameters
        ----------
        by : {"fold", "metric"}, default="fold"

        Returns
        -------
        pandas.DataFrame
            By fold: columns ``test_<name>``, ``inner_<refit>``, ``optimism``, ``winner``,
            ``param_<name>``, ``dropped_inner_folds``, ``undefined_candidates``, ``failed_fits``, and
            ``threshold`` where one was chosen. By metric: columns ``mean``, ``sd``, ``pooled``,
            ``low`` and ``high`` (the 95 % interval) and ``undefined`` folds.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        if by not in ("fold", "metric"):
            raise ValueError(f"by must be 'fold' or 'metric', found {by!r}.")
        return by_fold(self) if by == "fold" else by_metric(self)

    def to_json(self) -> str:
        """Write the result as JSON, without estimators.

        Returns
        -------
        str
            An object with the attributes of this class and those of its parts. nan is null, and a
            parameter that JSON cannot hold, such as an estimator, its ``repr``.
        """
        return as_json(
            self,
            {
                "final": ("estimator",),
                "tuning_matrix": ("candidates",),
                "decisions": ("calibrator", "strangeness"),
            },
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a result that :meth:`to_json` wrote.

        Parameters
        ----------
        text : str

        Returns
        -------
        NestedCVResult
            Without estimators and scorers; a parameter that JSON could not hold is the text of it.
            Intervals of metrics are found by their names, so those of metrics with parameters of their
            own are those of the defaults.

        Raises
        ------
        ValueError
            If the text is not what ``to_json`` writes.
        """
        return result_from_json(cls, text)

    def cv_results(self, fold: int) -> dict[str, Any]:
        """Return the inner scores of one outer fold in the form of scikit-learn's ``cv_results_``.

        Parameters
        ----------
        fold : int
            An outer fold, from 0.

        Returns
        -------
        dict
            ``params``, ``param_<name>``, ``split<i>_test_score``, ``mean_test_score``,
            ``std_test_score`` and ``rank_test_score``; with several metrics that choose
            ``..._test_<metric>``. A candidate that left a race has no mean. Where every search ran by
            itself, its own table.

        Raises
        ------
        ValueError
            If there is no such fold.
        """
        return candidate_table(self, fold)

    def to_flat_dict(self) -> dict[str, float]:
        """Return every number of the result by a flat name, as ``mlflow.log_metrics`` takes them.

        Returns
        -------
        dict of str to float
            ``<metric>.mean``, ``.sd``, ``.pooled``, ``.low``, ``.high`` and ``.fold_<i>``,
            ``<metric>.optimism`` of the metric that chose, ``threshold.fold_<i>``, ``n_samples`` and
            ``failed_fits``. What is undefined is left out.
        """
        return numbers(self)

    def report(
        self, path: str | Path, *, pos_label: Any = None, title: str = "Nested cross-validation"
    ) -> None:
        """Write the result as one HTML page with its pictures, which needs no network.

        Parameters
        ----------
        path : str or path
            File to write, replaced if it exists.
        pos_label : int, float, bool or str, optional
            The positive class of the pictures, where the run has none.
        title : str, default="Nested cross-validation"

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the scores of the run are about another positive class.

        Notes
        -----
        The page holds what was estimated and how sure it is, curves of the outer folds with their mean,
        confusion, winners, failed fits, and for two classes a slider of the threshold.
        """
        write_page(path, nested_page(about(self, pos_label), title))

    def plot_intervals(self, ax: Any = None, **options: Any) -> metrics.ForestDisplay:
        """Draw the 95 % interval of every metric; see :class:`skaucx.metrics.ForestDisplay`."""
        return forest({"": self}).plot(ax, **options)
