"""The base of pictures: axes of one's own or given ones, title, spines and legend in one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from .axes import SQUARE, entitle, key, new_axes


class Display:
    """A picture in given axes, or in a figure of its own."""

    ax_: Any
    figure_: Any
    axes_: Sequence[Any] = ()  # where there are several
    name: Any = None
    # Whether the name is a title; otherwise that of a curve in the legend.
    _titled: ClassVar[bool] = True
    # Keywords of the legend; without them the picture has none, or draws its own.
    _legend: ClassVar[Mapping[str, Any] | None] = None
    _own: bool
    _name: Any

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return SQUARE

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
        self._begin(ax, name, self.size)
        self._draw(self.ax_)
        if self._titled:
            entitle(self.ax_, self._name)
        return self._end(despine, self._legend)

    def _begin(self, ax: Any, name: Any = None, size: tuple[float, float] = SQUARE) -> None:
        """Take the given axes, or new ones, and the name to show."""
        self._own = ax is None
        self._name = self.name if name is None else name
        self.ax_, self.figure_ = new_axes(ax, size)

    def _draw(self, ax: Any) -> None:
        """Draw into the axes; the name to show is `_name`."""
        raise NotImplementedError

    def _end(self, despine: bool, legend: Mapping[str, Any] | None = None) -> Self:
        """Remove spines and place the legend, both as requested."""
        for ax in (self.axes_ or [self.ax_]) if despine else ():
            ax.spines[["top", "right"]].set_visible(False)
        if legend is not None:
            key(self.ax_, own=self._own, **legend)
        return self
