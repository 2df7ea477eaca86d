"""The base of displays of curves: where they come from, their names, folds with their mean, chance."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .._arguments import Label
from .._arrays import Floats, host_array, label_array
from .._options import check_choice
from .._plotting import (
    Display,
    band_style,
    ink,
    label_points,
    legible,
    line_styles,
    mark_size,
    marker,
    muted,
    styled,
    unit_square,
)
from .._text.numbers import significant, spread, value
from ..metrics.curves import MeanCurve, one_vs_rest_curves
from ..metrics.curves._mean import height_at, spread_of_heights, value_of
from ._sources import (
    MACRO,
    MICRO,
    Curves,
    Scored,
    averages_of_classes,
    check_same_classes,
    class_name,
    estimator_name,
    folds,
    positive_class,
    scores,
    stated_values,
)

_COLOURED = 10  # classes that have a colour each
_LEAST = 3  # of more classes those that keep theirs
_FAINT = 10  # folds; more of them are drawn fainter still
_EVERYWHERE = np.linspace(0, 1, 201)
_ALONG = np.array(
    [0, *np.geomspace(1e-6, 1, 61)]
)  # of a line that is a curve on a logarithmic axis


class Drawn(NamedTuple):
    """Curves of one style and one entry of the legend, with their lines."""

    name: str | None
    curves: list[Any]
    lines: list[Any]


def listed(curves: Any) -> list[Any]:
    """Return one or several curves as a list."""
    return list(curves) if isinstance(curves, (list, tuple)) else [curves]


def named(curves: Any) -> list[tuple[Any, list[Any]]]:
    """Return curves by name, several to a name where they share an entry of the legend."""
    if isinstance(curves, Mapping):
        return [(name, listed(several)) for name, several in curves.items()]
    return [(None, listed(curves))]


def read_from_curves(read: Callable[[Any], Any]) -> property:
    """Return the attribute of a display that scikit-learn's has: that of its curve, or a list of all."""

    def found(display: Any) -> Any:
        values = [read(curve) for _, several in named(display.curves) for curve in several]
        return values[0] if len(values) == 1 else values

    return property(found, doc="Of one curve; of several a list, one a curve.")


class CurveDisplay(Display):
    """Base of displays of curves that are made from labels and scores.

    Parameters
    ----------
    curves : curve, sequence of curves, or mapping from name to either
        One curve; several that share a style, such as those of the folds of a cross-validation; or
        curves by name, such as those of several classes or classifiers.
    name : str or list of str, default=None
        Name in the legend; a list names each of several curves.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    """

    line_: Any
    lines_: Any
    mean_: Any
    _make: ClassVar[Callable[..., Any]]
    _anonymous: ClassVar[str | None] = "Classifier"
    _titled, _legend = False, True
    _axes: ClassVar[tuple[str, str]]  # of curves in the unit square
    _fields: tuple[str, str]  # of a curve, to plot
    _value_name: ClassVar[str] = ""  # in the legend; without it curves have no value
    _averaged: ClassVar[bool] = True  # whether folds have their mean
    _bounds: tuple[float, float] = (0.0, 1.0)  # of the band below and above the mean
    _style: ClassVar[Mapping[str, Any]] = {}
    _stated: Sequence[float] = ()  # values for the legend, instead of those of the curves

    def __init__(
        self, curves: Curves, *, name: str | Sequence[str] | None = None, pos_label: Label = None
    ) -> None:
        self.curves: Any = curves
        self.name = name
        self.pos_label: Any = pos_label

    def _state(self, **given: Any) -> None:
        """Take the values that the legend shows instead of those of the curves."""
        [(name, values)] = given.items()
        self._stated = stated_values(values)
        count = 0 if isinstance(self.curves, Mapping) else len(listed(self.curves))
        if len(self._stated) not in (0, count):
            raise ValueError(f"{name} must have one value a curve, found {values!r}.")

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
        return cls._drawn(
            [(host_array(y), score, sample_weight)],
            labels=classes,
            pos_label=positive,
            name=estimator_name(estimator) if name is None and positive is not None else name,
            ax=ax,
            options=options,
        )

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
        return cls._drawn(
            [(y_true, y_score, sample_weight)],
            labels=labels,
            pos_label=pos_label,
            name=cls._anonymous if name is None and np.ndim(y_score) == 1 else name,
            ax=ax,
            options=options,
        )

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
        check_same_classes(cv_results)
        data, labels, positive = [], None, pos_label
        for estimator, part, truth, weight in folds(cv_results, X, y, sample_weight):
            score, labels, positive = scores(estimator, part, response_method, pos_label)
            data.append((truth, score, weight))
        return cls._drawn(
            data, labels=labels, pos_label=positive, name=name, ax=ax, options=options
        )

    @classmethod
    def _drawn(
        cls,
        data: Sequence[Scored],
        *,
        labels: Any,
        pos_label: Any,
        name: str | None,
        ax: Any,
        options: dict[str, Any],
    ) -> Self:
        """Make the curves of one or more sets of scores, and draw them."""
        known = inspect.signature(cls.plot).parameters
        drawing = {key: value for key, value in options.items() if key in known}
        if "kwargs" in known:  # those of matplotlib: what does not make a curve
            makes = {"averages", *inspect.signature(cls._make).parameters}
            drawing |= {key: value for key, value in options.items() if key not in makes}
        making = {key: value for key, value in options.items() if key not in drawing}
        made = [cls._made(scored, labels, pos_label, making) for scored in data]
        curves: Any = {key: [part[key] for part in made] for key in made[0]}
        if None not in curves:
            named = {class_name(key, name): several for key, several in curves.items()}
            return cls(named).plot(ax, **drawing)
        positive = positive_class(data[0][0]) if pos_label is None else pos_label
        own = curves[None] if len(data) > 1 else curves[None][0]
        return cls(own, name=name, pos_label=positive).plot(ax, **drawing)

    @classmethod
    def _made(
        cls, scored: Scored, labels: Any, pos_label: Any, options: dict[str, Any]
    ) -> dict[Any, Any]:
        """Make the curves of one set of scores: one a class, or under None that of two classes."""
        y, score, weight = scored
        averages = options.get("averages", ())
        for average in averages:
            check_choice("averages", average, ("macro", "micro"))
        options = {key: option for key, option in options.items() if key != "averages"}
        if np.ndim(score) == 2 and np.shape(score)[1] > 1:
            how = {"labels": labels, "sample_weight": weight, **options}
            curves = one_vs_rest_curves(cls._make, y, score, **how)
            return curves | averages_of_classes(cls._make, y, score, curves, averages, how)
        if averages:
            raise ValueError("averages are those of several classes, and scores of one are given.")
        y = label_array(y, "y_true")
        if pos_label is not None and len(np.unique(y)) > 2:
            y, pos_label = y == pos_label, True
        return {None: cls._make(y, score, pos_label=pos_label, sample_weight=weight, **options)}

    def _points(self, curve: Any) -> tuple[Floats, Floats]:
        """Return the coordinates of a curve's points."""
        if isinstance(curve, MeanCurve):
            return curve.x, curve.mean
        return getattr(curve, self._fields[0]), getattr(curve, self._fields[1])

    def _height(self, curve: Any, x: Floats) -> Floats:
        """Return the height of a curve at places, for the mean of several."""
        return height_at(curve, x)

    def _value(self, curve: Any) -> float:
        """Return the value of a curve in the legend."""
        return value_of(curve) if self._value_name else 0.0

    def _groups(self, kwargs: Any) -> list[tuple[str | None, list[Any]]]:
        """Return the curves that share a style; a list of names or of styles sets all apart."""
        name = self._name
        groups = named(self.curves)
        apart = [(key, [curve]) for key, several in groups for curve in several]
        for what, given in (("name", name), ("curve_kwargs", kwargs)):
            if isinstance(given, list) and len(given) != len(apart):
                raise ValueError(
                    f"{what} must have {len(apart)} entries, one a curve, has {len(given)}."
                )
        if isinstance(name, list):
            return [(own, curves) for own, (_, curves) in zip(name, apart, strict=True)]
        groups = apart if isinstance(kwargs, list) else groups
        return [(name if key is None else key, curves) for key, curves in groups]

    def _draw_curves(self, kwargs: Any = None, places: Floats = _EVERYWHERE) -> list[Drawn]:
        """Draw every curve; those of folds faintly, under their mean and a band of one deviation."""
        groups = self._groups(kwargs)
        each = iter(kwargs if isinstance(kwargs, list) else ())
        values = iter(self._stated or [self._value(c) for _, several in groups for c in several])
        styles = line_styles(self.ax_)
        grey = self._many(groups)
        self.mean_ = []
        drawn: list[Drawn] = []
        for number, (name, several) in enumerate(groups):
            own = [next(values) for _ in several]
            style = styles(number) | dict(self._style) | self._apart(name, number in grey)
            style["label"] = legible(self._label(name, own)) or "_"
            if number in grey:
                style["label"] = "_" if number != grey[0] else f"{len(grey)} other classes"
            look, averaged = style, len(several) > 1 and self._averaged
            if len(several) > 1:
                look = style | {"alpha": 0.3 if len(several) <= _FAINT else 0.12, "linewidth": 0.8}
            if averaged:
                look = look | {"linestyle": "-", "label": "_"}
            lines: list[Any] = []
            for curve in several:
                chosen = next(each) if isinstance(kwargs, list) else kwargs
                lines += self.ax_.plot(*self._points(curve), **styled(look, chosen))
                look = look | {"label": "_"}
            if averaged:
                held = [c for c, v in zip(several, own, strict=True) if not np.isnan(v)]
                self._draw_mean(held, styled(style | {"zorder": 2.4}, chosen), places)
            drawn.append(Drawn(name, several, lines))
        self.lines_ = [line for one in drawn for line in one.lines]
        self.line_ = self.lines_[0] if len(self.lines_) == 1 else self.lines_
        note = f"mean \u00b1 sd of {max(len(several) for _, several in groups)} curves"
        self._note = note if self.mean_ else None
        return drawn

    def _draw_mean(self, curves: Sequence[Any], style: dict[str, Any], places: Floats) -> None:
        """Draw the mean of curves at some places, over a band of one standard deviation."""
        heights = np.array([self._height(curve, places) for curve in curves])
        middle, sd = spread_of_heights(heights.reshape(-1, len(places)))
        low, high = np.clip([middle - sd, middle + sd], *self._bounds)
        [line] = self.ax_.plot(places, middle, **style)
        self.mean_.append(line)
        if len(curves) > 1:
            self.ax_.fill_between(places, low, high, **band_style(line.get_color()))

    def _many(self, groups: Sequence[tuple[Any, list[Any]]]) -> list[int]:
        """Return which of many classes are drawn in grey: all but averages and those of least value."""
        names = [name for name, _ in groups]
        if MACRO not in names and MICRO not in names:
            return []
        classes = [k for k, name in enumerate(names) if name not in (MACRO, MICRO)]
        least = sorted(classes, key=lambda k: self._value(groups[k][1][0]))[:_LEAST]
        return [k for k in classes if k not in least] if len(classes) > _COLOURED else []

    def _apart(self, name: str | None, grey: bool) -> dict[str, Any]:
        """Return the style of averages over classes, and of classes that recede."""
        if grey:
            look = {"color": muted(self.ax_, 0.25), "linestyle": "-", "linewidth": 0.8}
            return look | {"zorder": 1.8}
        if name not in (MACRO, MICRO):
            return {}
        dashes = "-" if name == MACRO else "--"
        return {"color": ink(self.ax_), "linestyle": dashes, "linewidth": 2.2, "zorder": 2.5}

    def _label(self, name: str | None, values: Sequence[float]) -> str:
        """Return the name and the value of a curve, or mean and standard deviation of several."""
        if not self._value_name:
            return name or (f"{len(values)} folds" if len(values) > 1 else "")
        held = np.array(values)[~np.isnan(values)]
        text = f"{self._value_name} undefined"
        if len(values) == len(held) == 1:
            text = f"{self._value_name} = {value(held[0])}"
        elif len(held):
            sd = held.std(ddof=1) if len(held) > 1 else np.nan
            text = f"{self._value_name} = {spread(held.mean(), sd)}"
        return text if name is None else f"{name} ({text})"

    def _labelled(self, axis: str) -> str:
        """Return the label of an axis, with the positive class if it is known: once in a figure."""
        note = f"(Positive label: {self.pos_label})"
        others = (" ".join(ax.get_xlabel().split()) for ax in self.figure_.axes if ax != self.ax_)
        known = self.pos_label is None or any(note in other for other in others)
        return axis if known else f"{axis} {note}"

    def _end_square(self, despine: bool) -> Self:
        """Show the unit square, and name its axes and the curves."""
        unit_square(self.ax_)
        return self._end(despine, self._labelled(self._axes[0]), self._axes[1])

    def _shade(self, drawn: Sequence[Drawn], band: Any) -> Any:
        """Shade a band in the colour of the first curve."""
        if band is None:
            return None
        label = getattr(band, "label", "band")
        style = band_style(drawn[0].lines[0].get_color(), label)
        return self.ax_.fill_between(getattr(band, self._fields[0]), band.low, band.high, **style)

    def _draw_chance(self, drawn: Sequence[Drawn], wanted: bool, kwargs: Any) -> None:
        """Draw the chance level of each curve once."""
        lines, label = self._chance(drawn)
        style = {"color": muted(self.ax_), "linestyle": ":", "linewidth": 1.2}
        artists = []
        for number, heights in enumerate(lines if wanted else ()):
            y = np.interp(_ALONG, (0, 1), heights)
            look = styled(style | {"label": "_" if number else label}, kwargs)
            artists += self.ax_.plot(_ALONG, y, **look)
        self.chance_level_ = artists[0] if len(artists) == 1 else artists or None

    def _chance(self, drawn: Sequence[Drawn]) -> tuple[list[tuple[float, float]], str]:
        """Return the heights of those lines at 0 and 1, and their name."""
        raise NotImplementedError

    def _mark(self, curve: Any, line: Any, number: int, wanted: Any) -> list[Any]:
        """Mark the points of thresholds on a curve, each with its threshold in words."""
        thresholds = np.atleast_1d(np.asarray(wanted, dtype=np.float64))
        points = np.transpose(self._at(curve, thresholds))
        label_points(self.ax_, points.tolist(), [f"t = {significant(t)}" for t in thresholds])
        style = self._marks(line, number)
        return [mark for x, y in points for mark in self.ax_.plot([x], [y], **style)]

    def _at(self, curve: Any, thresholds: Floats) -> Any:
        """Return x and y of a curve at thresholds."""
        return curve.at(thresholds)

    def _marks(self, line: Any, number: int) -> dict[str, Any]:
        """Return how the points of a line are marked."""
        style = {"color": line.get_color(), "linestyle": "none", "marker": marker(number)}
        return style | {"markersize": mark_size(self.ax_)}
