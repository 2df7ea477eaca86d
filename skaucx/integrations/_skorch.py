"""Metrics as callbacks of skorch, which trains torch's modules like estimators of scikit-learn."""

from __future__ import annotations

from typing import Any

from .._compat import import_extra
from ..metrics import get_scorer, named_metric


def skorch_callback(name: str, *, on_train: bool = False, **parameters: Any) -> Any:
    """Return a callback of skorch that reports a metric after every epoch.

    Parameters
    ----------
    name : str
        A metric of this package with its average, such as "mm7_auc" or "roc_auc_ovr".
    on_train : bool, default=False
        Whether to evaluate the training rows instead of the held-out ones.
    **parameters
        Parameters of the metric.

    Returns
    -------
    skorch.callbacks.EpochScoring
        It writes ``valid_<name>`` (``train_<name>``) and ``valid_<name>_best`` into the net's history,
        a loss in its own sign.

    Raises
    ------
    ImportError
        If skorch is not installed.
    ValueError, TypeError
        As :func:`skaucx.metrics.get_scorer` raises.

    See Also
    --------
    skaucx.metrics.MetricAccumulator : Counts batches in a training loop of your own.

    Examples
    --------
    >>> from skaucx.integrations import skorch_callback
    >>> callback = skorch_callback("average_precision")  # doctest: +SKIP
    >>> net = NeuralNetClassifier(Module, callbacks=[callback])  # doctest: +SKIP
    """
    callbacks = import_extra("skorch.callbacks", "A callback of skorch", "skorch")
    named = named_metric(name)
    greater = named.row.greater_is_better is not False
    scorer = get_scorer(named.row.scorer_name, **{**named.parameters, **parameters})
    return callbacks.EpochScoring(
        EpochScore(scorer, 1 if greater else -1),
        lower_is_better=not greater,
        on_train=on_train,
        name=f"{'train' if on_train else 'valid'}_{name.removeprefix('neg_')}",
    )


class EpochScore:
    """A scorer with the sign of its metric, which skorch calls with a net and a data set."""

    def __init__(self, scorer: Any, sign: int) -> None:
        self.scorer, self.sign = scorer, sign

    def __call__(self, net: Any, X: Any, y: Any) -> float:
        """Return the value of the metric."""
        return self.sign * float(self.scorer(net, X, y))
