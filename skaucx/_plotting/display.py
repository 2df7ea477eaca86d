"""The base of pictures: axes of one's own or given ones, title, spines and legend in one order."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from .._compat import import_pyplot
from .axes import fit_labels, key, typeset, wrapped

_SQUARE = (4.9, 4.7)  # inches


class Display:
    """A picture in given axes, or in a figure of its own; a class of it says how to `_draw` it."""

    name: Any = None
    # Whether the name is a title; otherwise that of a curve in the legend.
    _titled: ClassVar[bool] = True
    # Whether there is a legend, and its title.
    _legend: ClassVar[bool] = False
    _note: str | None = None

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return _SQUARE

    def plot(self, ax: Any = None, *, name: str | None = None, despine: bool = False) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Title, or of a curve the name in the legend; instead of a name given before.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        display
            Itself, with the axes in ``ax_`` and their figure in ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self._begin(ax, name)
        self._draw(self.ax_)
        return self._end(despine)

    def _begin(self, ax: Any, name: Any = None) -> None:
        """Take the given axes, or those of a new figure, and the name to show."""
        self._own = ax is None
        self._name: Any = self.name if name is None else name
        if ax is None:
            _, ax = import_pyplot().subplots(layout="constrained", figsize=self.size)
        self.ax_, self.figure_ = ax, ax.figure

    def _draw(self, ax: Any) -> None:
        """Draw into the axes; the name to show is `_name`."""
        raise NotImplementedError

    def _end(self, despine: bool, x: str | None = None, y: str | None = None) -> Self:
        """Name the axes and, where the caller has set no title, the picture; place the legend."""
        fit_labels(self.ax_, x, y)
        if self._titled and self._name and not self.ax_.get_title():
            self.ax_.set_title(wrapped(self._name, 40), parse_math=typeset(self._name))
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        if self._legend:
            key(self.ax_, own=self._own, title=self._note)
        return self
