r"""Uplift metrics: does a ranking begin with the rows on which a treatment has an effect?

Each row has an outcome of 0 or 1, a treatment of 0 or 1 that was assigned at random, and a predicted
uplift. Among the rows with a predicted uplift of at least `u`, let :math:`n^t` and :math:`n^c` be the
weight of the treated rows and of the controls, and :math:`y^t` and :math:`y^c` the weight of those of
them with outcome 1. A metric is the area :math:`A` under a curve over :math:`n^t + n^c`, above the line
of a random ranking and relative to that of a ranking by outcome and treatment:

.. math:: \frac{A - A_{\text{random}}}{A_{\text{best}} - A_{\text{random}}}

Rows of equal uplift enter the curve together, as one straight line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid
from sklearn.utils import assert_all_finite

from skaucx.metrics import declare, declare_set
from skaucx.metrics._kinds import Counting, Inputs, Kind, Record, Sample, State

Floats = NDArray[np.float64]
# Areas closer than this share of the larger one differ by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class TreatedRows(Record):
    """Outcomes, predicted uplifts and treatments of all rows."""

    many_weights: ClassVar[bool] = True

    outcome: Floats
    uplift: Floats
    treatment: Floats
    weight: Floats | None = None

    def area(self, curve: Callable[..., Floats], ranks: Floats) -> Floats:
        """Return the area under a curve of the rows from the highest rank to the lowest."""
        order = np.argsort(-ranks, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(ranks[order])), len(order) - 1)
        t, y, w = self.treatment[order], self.outcome[order], self.weights[..., order]
        start = np.zeros((*w.shape[:-1], 1))
        sums = [
            np.concatenate([start, np.cumsum(w * part, axis=-1)[..., ends]], axis=-1)
            for part in (t, 1 - t, t * y, (1 - t) * y)
        ]
        return np.asarray(trapezoid(curve(*sums), sums[0] + sums[1], axis=-1))

    def gain(self, curve: Callable[..., Floats], best: Floats) -> Floats:
        """Return the area above a random ranking, relative to that of the ranking `best`."""
        random = self.area(curve, np.zeros(self.n_rows))
        of_best, found = self.area(curve, best), self.area(curve, self.uplift)
        same = np.abs(of_best - random) <= _ROUNDING * np.abs(of_best)
        treated = (self.weights * self.treatment).sum(axis=-1) / self.weights.sum(axis=-1)
        undefined = same | (treated <= 0) | (treated >= 1)
        return np.where(undefined, np.nan, found - random) / np.where(same, 1.0, of_best - random)


def _vector(values: Any, name: str) -> Floats:
    """Return finite numbers, one for each row."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.ndim != 1:
        raise ValueError(
            f"{name} must hold one number for each row, found {array.dtype} of shape {array.shape}."
        )
    assert_all_finite(array, input_name=name)
    return array.astype(np.float64)


def _binary(values: Any, name: str) -> Floats:
    array = _vector(values, name)
    if odd := sorted(set(np.unique(array).tolist()) - {0.0, 1.0}):
        raise ValueError(f"{name} must hold 0 and 1, found {odd[0]!r}; code its two values so.")
    return array


def check_treated_rows(
    y_true: Any,
    y_score: Any,
    *,
    treatment: Any = None,
    sample_weight: Any = None,
    names: tuple[str, str] = ("y_true", "y_score"),
) -> TreatedRows:
    """Check outcomes, predicted uplifts and treatments."""
    if treatment is None:
        raise TypeError(
            "treatment is missing: pass 1 for each treated row and 0 for each control. Scorers "
            "receive it by metadata routing."
        )
    given = _binary(y_true, names[0]), _vector(y_score, names[1]), _binary(treatment, "treatment")
    if not len(given[0]):
        raise ValueError(f"{names[0]} has no rows; an area needs some.")
    return TreatedRows(*given).weighed(sample_weight)


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Rows that came in chunks: an area reads their ranking, so that all are kept."""

    rows: TreatedRows

    def __add__(self, other: KeptRows) -> KeptRows:
        """Return the rows of both."""
        a, b = self.rows, other.rows
        weight = None if a.weight is b.weight is None else np.append(a.weights, b.weights)
        outcome, uplift, treatment = (
            np.append(getattr(a, n), getattr(b, n)) for n in ("outcome", "uplift", "treatment")
        )
        return KeptRows(TreatedRows(outcome, uplift, treatment, weight))

    @property
    def state(self) -> State:
        """What metrics are read from."""
        return State(self.rows)

    @property
    def sample(self) -> Sample:
        """The rows, to be drawn again."""
        return Sample(self.rows, UPLIFT.inputs)


UPLIFT = Kind(
    "uplift",
    Inputs(
        "predicted uplifts",
        "y_score",
        check_treated_rows,
        extra_arrays=("treatment",),
        per_row_arguments=("treatment",),
        perfect=lambda y: np.asarray(y, dtype=np.float64),
        evaluated_with="treatment",
        default_metrics=("qini", "auuc"),
        counting=Counting("uplift", "treatment", lambda settings, record, before: KeptRows(record)),
        texts={
            "y_true": "array-like of shape (n_samples,)\n    Outcomes, 0 or 1.",
            "y_score": "array-like of shape (n_samples,)\n    Predicted uplifts, finite.",
            "treatment": "array-like of shape (n_samples,)\n    1 for treated rows, 0 for controls.",
        },
    ),
    options={"treatment": None},
)


def _share(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, 0 where the whole is empty."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def qini_curve(n_t: Floats, n_c: Floats, y_t: Floats, y_c: Floats) -> Floats:
    """Return the treated outcomes above those of the controls, who are scaled to their number."""
    return y_t - y_c * _share(n_t, n_c)


def uplift_curve(n_t: Floats, n_c: Floats, y_t: Floats, y_c: Floats) -> Floats:
    """Return the difference of the two rates of the outcome, times the number of rows."""
    return (_share(y_t, n_t) - _share(y_c, n_c)) * (n_t + n_c)


@declare(UPLIFT, bounds=(-np.inf, np.inf), undefined=np.nan, module=__name__)
def qini_score(r: TreatedRows) -> Floats:
    r"""Qini coefficient: area under the Qini curve relative to that of the best ranking.

    The Qini curve [1]_ counts the additional outcomes among the treated rows,

    .. math:: Q = y^t - y^c \frac{n^t}{n^c}.

    The best ranking begins with the treated rows of outcome 1 and ends with the controls of outcome
    1; its value is 1, and that of a random ranking 0 on average. It is undefined without treated
    rows, without controls, and where no row has outcome 1.

    References
    ----------
    .. [1] N. J. Radcliffe, Using control groups to target on predicted lift: building and assessing
       uplift models, Direct Marketing Analytics Journal, 14-21, 2007.
    """
    return r.gain(qini_curve, r.outcome * (2 * r.treatment - 1))


@declare(UPLIFT, bounds=(-np.inf, np.inf), undefined=np.nan, module=__name__)
def auuc_score(r: TreatedRows) -> Floats:
    r"""AUUC: area under the uplift curve relative to that of the best ranking.

    The uplift curve [1]_ is the difference of the rates of the outcome, times the number of rows,

    .. math:: U = \left(\frac{y^t}{n^t} - \frac{y^c}{n^c}\right) (n^t + n^c).

    The best ranking [2]_ is treated rows of outcome 1, controls of outcome 0, then controls of outcome
    1 where they are more than the treated rows of outcome 0, otherwise after these. Its value is 1,
    and that of a random ranking 0 on average. It is undefined without treated rows or controls.

    References
    ----------
    .. [1] P. Gutierrez and J.-Y. Gerardy, Causal inference and uplift modelling: a review of the
       literature, PMLR 67, 1-13, 2017.
    .. [2] F. Devriendt, J. Van Belle, T. Guns and W. Verbeke, Learning to rank for uplift modeling,
       IEEE Transactions on Knowledge and Data Engineering 34, 4888-4904, 2022.
    """
    t, y = r.treatment, r.outcome
    responders, others = ((r.weights * of).sum(axis=-1) for of in ((1 - t) * y, t * (1 - y)))
    first, then = (r.gain(uplift_curve, 2.0 * (y == t) + last) for last in (y, t))
    return np.where(responders > others, first, then)


METRIC_SET = declare_set(
    "uplift", ["qini", "auuc"], when="Who should be treated: rankings by predicted uplift."
)
__all__ = ["METRIC_SET", "UPLIFT", "auuc_score", "qini_score"]
