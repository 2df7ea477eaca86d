"""The base of displays of curves: where they come from, their names, folds with their mean, chance."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from .._arguments import Axes, Label
from .._arrays import Floats, check_same_length, host_array, label_array
from .._plotting import (
    Display,
    band_style,
    line_styles,
    muted,
    styled,
    unit_square,
)
from .._text.numbers import spread
from ..inference import PrecisionRecallBand, RocBand
from ..metrics.curves import MeanCurve, one_vs_rest_curves
from ..metrics.curves._mean import spread_of_heights, value_of
from ._sources import (
    class_name,
    estimator_name,
    folds,
    scores,
)

_EVERYWHERE = np.linspace(0, 1, 201)
# Of a line that is a curve on a logarithmic axis.
_ALONG = np.array([0, *np.geomspace(1e-6, 1, 61)])


def named(curves: Any) -> list[tuple[Any, list[Any]]]:
    """Return curves by name, several to a name where they share an entry of the legend."""
    groups = curves if isinstance(curves, Mapping) else {None: curves}
    return [
        (name, list(several) if isinstance(several, list | tuple) else [several])
        for name, several in groups.items()
    ]


def read_from_curves(read: Callable[[Any], Any]) -> property:
    """Return the attribute of a display that scikit-learn's has: that of its curve, or a list of all."""

    def found(display: Any) -> Any:
        values = [read(curve) for _, several in named(display.curves) for curve in several]
        return values[0] if len(values) == 1 else values

    return property(found, doc="Of one curve; of several a list, one a curve.")


class CurveDisplay(Display):
    """Base of displays of curves that are made from labels and scores.

    A class of it names the function that makes a curve, the two arrays of one, the axes and the value
    in the legend; `plot` draws by `_draw_curves` and adds what is its own.

    Parameters
    ----------
    curves : curve, sequence of curves, or mapping from name to either
        One curve; several that share a style, such as those of the folds of a cross-validation; or
        curves by name, such as those of several classes or classifiers.
    name : str or list of str, default=None
        Name in the legend; a list names each of several curves.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    estimator_name : str or list of str, default=None
        The same as `name`, as scikit-learn spells it.
    """

    _make: ClassVar[Callable[..., Any]]
    _anonymous: ClassVar[str | None] = "Classifier"
    _titled, _legend = False, True
    _axes: ClassVar[tuple[str, str]]
    _fields: tuple[str, str]  # of a curve, to plot
    _value_name: ClassVar[str] = ""  # in the legend; without it curves have no value
    _of_two: ClassVar[bool] = False  # whether scores of several classes are refused
    _bounds: tuple[float, float] = (0.0, 1.0)  # of the band below and above the mean
    _style: ClassVar[Mapping[str, Any]] = {}
    _stated: float | None = None  # the value for the legend, instead of that of the curve

    def __init__(
        self,
        curves: Any,
        *,
        name: str | Sequence[str] | None = None,
        pos_label: Label = None,
        estimator_name: str | Sequence[str] | None = None,
    ) -> None:
        if name is not None and estimator_name is not None:
            raise TypeError("Pass either name or estimator_name.")
        self.curves: Any = curves
        self.name = estimator_name if name is None else name
        self.pos_label: Any = pos_label

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier; of more than two classes, one curve each.

        Parameters
        ----------
        estimator : fitted classifier or pipeline
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            "auto" takes the first of the two that the estimator has.
        pos_label : int, float, bool or str, default=None
            The positive class, the greater of two by default. Of several classes, the only one to
            draw against the rest.
        name : str, default=None
            Name in the legend, by default that of the estimator's class.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`, and of the function that makes the curve.

        Returns
        -------
        display
            Drawn, with ``ax_`` and ``figure_``.
        """
        score, classes, positive = scores(estimator, X, response_method, pos_label)
        if name is None and positive is not None:
            name = estimator_name(estimator)
        data = [(host_array(y), score, sample_weight)]
        return cls._drawn(data, classes, positive, name, ax, options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of scores; from a matrix of a column a class, one curve each.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
            True labels, or multilabel indicators.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores of the positive class, or one column a class in sorted order.
        sample_weight : array-like of shape (n_samples,), default=None
        labels : array-like of shape (n_classes,), default=None
            The sorted classes of the columns, if some do not occur.
        pos_label : int, float, bool or str, default=None
            The positive class of two; see :func:`recall_score`.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`, and of the function that makes the curve.

        Returns
        -------
        display
            Drawn, with ``ax_`` and ``figure_``.
        """
        if name is None and np.ndim(y_score) == 1:
            name = cls._anonymous
        return cls._drawn([(y_true, y_score, sample_weight)], labels, pos_label, name, ax, options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        chance_level_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of each fold of a cross-validation on its test rows.

        Parameters
        ----------
        cv_results : dict
            From :func:`sklearn.model_selection.cross_validate` with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        pos_label : int, float, bool or str, default=None
            As in `from_estimator`.
        name : str, default=None
            Name in the legend, where the folds share one entry: mean and standard deviation (with
            the number of folds less one in the denominator).
        ax : matplotlib Axes, default=None
            New ones if None.
        chance_level_kwargs : dict, default=None
            The name that scikit-learn gives `chance_level_kw` here.
        **options
            Keywords of `plot`, and of the function that makes the curve.

        Returns
        -------
        display
            Drawn, with ``ax_`` and ``figure_``.
        """
        if chance_level_kwargs is not None:
            options["chance_level_kw"] = chance_level_kwargs
        data, known, positive = [], [], pos_label
        for estimator, part, truth, weight in folds(cv_results, X, y, sample_weight):
            score, labels, positive = scores(estimator, part, response_method, pos_label)
            data.append((truth, score, weight))
            known.append(labels.tolist())
        if any(labels != known[0] for labels in known):
            raise ValueError(
                f"The classifiers of the folds know different classes, {known}; use stratified folds."
            )
        return cls._drawn(data, known[0], positive, name, ax, options)

    @classmethod
    def _drawn(
        cls,
        data: Sequence[tuple[Any, Any, Any]],
        labels: Any,
        pos_label: Any,
        name: str | None,
        ax: Any,
        options: Mapping[str, Any],
    ) -> Self:
        """Make the curves of one or more sets of labels, scores and weights, and draw them."""
        making = cls._of_making(options)
        drawing = {key: option for key, option in options.items() if key not in making}
        made = [cls._made(*scored, labels, pos_label, making) for scored in data]
        curves: Any = {key: [part[key] for part in made] for key in made[0]}
        if None not in curves:
            apart = {class_name(key, name): several for key, several in curves.items()}
            return cls(apart).plot(ax, **drawing)
        if pos_label is None:  # the labels are 0 and 1, or such
            pos_label = label_array(data[0][0], "y_true").dtype.type(1)
        own = curves[None] if len(data) > 1 else curves[None][0]
        return cls(own, name=name, pos_label=pos_label).plot(ax, **drawing)

    @classmethod
    def _of_making(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the options that make a curve; the others are of `plot`."""
        known = inspect.signature(cls._make).parameters
        return {key: option for key, option in options.items() if key in known}

    @classmethod
    def _made(
        cls, y: Any, score: Any, weight: Any, labels: Any, pos_label: Any, options: dict[str, Any]
    ) -> dict[Any, Any]:
        """Make the curves of one set of scores: one a class, or under None that of two classes."""
        how = {"sample_weight": weight, **options}
        if np.ndim(score) == 2 and np.shape(score)[1] > 1:
            if cls._of_two:
                raise ValueError(
                    f"{cls.__name__} shows one class, found scores of {np.shape(score)[1]}: choose "
                    "pos_label of from_estimator, or pass y_true == the class and its column."
                )
            return one_vs_rest_curves(cls._make, y, score, labels=labels, **how)
        y = label_array(y, "y_true")
        if pos_label is not None and len(np.unique(y)) > 2:
            y, pos_label = y == pos_label, True
        return {None: cls._make(y, score, pos_label=pos_label, **how)}

    def _points(self, curve: Any) -> tuple[Floats, Floats]:
        """Return the coordinates of a curve's points."""
        if isinstance(curve, MeanCurve):
            return curve.x, curve.mean
        return getattr(curve, self._fields[0]), getattr(curve, self._fields[1])

    def _height(self, curve: Any, x: Floats) -> Floats:
        """Return the height of a curve at places, for the mean of several."""
        return np.asarray(curve._heights(x))

    def _value(self, curve: Any) -> float:
        """Return the value of a curve in the legend."""
        if self._stated is not None:
            return self._stated
        return value_of(curve) if self._value_name else 0.0

    def _groups(self, kwargs: Any = None) -> list[tuple[str | None, list[Any]]]:
        """Return the curves that share a style; a list of names or of styles sets all apart."""
        groups = [(self._name if key is None else key, each) for key, each in named(self.curves)]
        lists = [given for given in (self._name, kwargs) if isinstance(given, list)]
        if lists:
            groups = [(key, [curve]) for key, several in groups for curve in several]
            check_same_length({"curves": groups, "name or curve_kwargs": lists[0]})
        if isinstance(self._name, list):
            groups = [(own, each) for own, (_, each) in zip(self._name, groups, strict=True)]
        return groups

    def _draw_curves(self, kwargs: Any = None, places: Any = _EVERYWHERE) -> list[Any]:
        """Draw every curve; those of folds faintly, under their mean and a band of one deviation.

        The mean is that of the heights at some places, and without them there is none. Return the
        lines, several where curves share a style.
        """
        groups = self._groups(kwargs)
        looks = kwargs if isinstance(kwargs, list) else [kwargs] * len(groups)
        self.mean_: Any = []
        styles, drawn = line_styles(self.ax_), []
        for number, ((name, several), look) in enumerate(zip(groups, looks, strict=True)):
            own = np.array([self._value(curve) for curve in several])
            style = styled(styles(number) | dict(self._style), look)
            text = self._label(name, own)  # matplotlib omits names that begin with an underscore
            text = f" {text}" if text.startswith("_") else text
            label = style.pop("label", None) or text or "_"
            faint = {"alpha": 0.3, "linewidth": 0.8} if len(several) > 1 else {}
            lines = [self.ax_.plot(*self._points(c), **style | faint)[0] for c in several]
            drawn.append(lines)
            if len(several) > 1 and places is not None:
                held = [c for c, v in zip(several, own, strict=True) if not np.isnan(v)]
                lines = [self._draw_mean(held, style, places)]
            lines[0].set_label(label)
        self.lines_: Any = [line for lines in drawn for line in lines]
        self.line_: Any = self.lines_[0] if len(self.lines_) == 1 else self.lines_
        most = max(len(several) for _, several in groups)
        self._note = f"mean \u00b1 sd of {most} curves" if self.mean_ else None
        return drawn

    def _draw_mean(self, curves: Sequence[Any], style: dict[str, Any], places: Floats) -> Any:
        """Draw the mean of curves at some places, over a band of one standard deviation."""
        heights = np.array([self._height(curve, places) for curve in curves])
        middle, sd = spread_of_heights(heights.reshape(-1, len(places)))
        low, high = np.clip([middle - sd, middle + sd], *self._bounds)
        [line] = self.ax_.plot(places, middle, **style)
        self.ax_.fill_between(places, low, high, **band_style(line.get_color()))
        self.mean_.append(line)
        return line

    def _label(self, name: str | None, values: Floats) -> str:
        """Return the name and the value of a curve, or mean and standard deviation of several."""
        if not self._value_name:
            return name or (f"{len(values)} folds" if len(values) > 1 else "")
        held, text = values[~np.isnan(values)], f"{self._value_name} undefined"
        if len(held):
            sd = held.std(ddof=1) if len(held) > 1 else np.nan
            text = f"{self._value_name} = {spread(held.mean(), sd)}"
        return text if name is None else f"{name} ({text})"

    def _labelled(self, axis: str) -> str:
        """Return the label of an axis, with the positive class if it is known."""
        return axis if self.pos_label is None else f"{axis} (Positive label: {self.pos_label})"


class SquareDisplay(CurveDisplay):
    """Base of displays of curves in the unit square, with a chance level and a band."""

    # The name of chance in the legend, and its heights at 0 and at 1, which may be several.
    _chance: Any

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | Sequence[str] | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        band: RocBand | PrecisionRecallBand | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str or list of str, default=None
            Instead of the name given before.
        curve_kwargs : dict or list of dict, default=None
            Keywords of matplotlib's ``plot``, for all curves or one dict a curve.
        plot_chance_level : bool, default=False
            Whether to draw what chance gives: of precision-recall curves the share of the positives, of
            every class and fold that differs in it.
        chance_level_kw : dict, default=None
            Keywords of matplotlib's ``plot`` for that line.
        band : RocBand or PrecisionRecallBand, default=None
            To shade; anything with the places of the curve, ``low`` and ``high`` will do.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        display
            Itself, with the axes in ``ax_`` and their figure in ``figure_``.
        """
        self._begin(ax, name)
        self._draw_curves(curve_kwargs)
        self.band_ = None
        if band is not None:
            look = band_style(self.lines_[0].get_color(), getattr(band, "label", "band"))
            places = getattr(band, self._fields[0])
            self.band_ = self.ax_.fill_between(places, band.low, band.high, **look)
        label, ends = self._chance if plot_chance_level else ("", [])
        style, lines = {"color": muted(self.ax_), "linestyle": ":", "linewidth": 1.2}, []
        for number, heights in enumerate(ends):
            look = styled(style | {"label": "_" if number else label}, chance_level_kw)
            lines += self.ax_.plot(_ALONG, np.interp(_ALONG, (0, 1), heights), **look)
        self.chance_level_ = lines[0] if len(lines) == 1 else lines or None
        unit_square(self.ax_)
        return self._end(despine, self._labelled(self._axes[0]), self._axes[1])
