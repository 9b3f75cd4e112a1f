"""A figure whose parts are placed in inches from its top left corner, and the files it is written to.

Axes of one scale in metres and text of one size in points are both known in inches: nothing has to be searched for.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repose_jit.errors import InputError, ReposeError
from repose_jit.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = ["SUFFIXES", "WIDTH", "Canvas", "require_matplotlib", "set_ticks"]

SUFFIXES = (".png", ".svg", ".pdf")
WIDTH = 13.5
"""Width of every figure [in]."""
DPI = 120
TITLE_SIZE, LABEL_SIZE, TICK_SIZE = 14, 13, 12
LINE = 0.27
"""Height of a line of the title [in]."""


def require_matplotlib() -> None:
    """Raise ReposeError unless matplotlib is installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ReposeError("matplotlib is needed to draw: pip install 'repose_jit[plot]'") from None


class Canvas:
    """A figure of WIDTH and the height asked for [in], with its title on top.

    Attributes
    ----------
    figure
        The matplotlib figure.
    top
        Where the space below the title begins [in from the top].
    """

    figure: Figure
    top: float

    def __init__(self, height: float, title: list[str]) -> None:
        # The figure itself and not pyplot: no window system and no global state is involved.
        from matplotlib.figure import Figure

        self.top = 0.25 + LINE * len(title)
        self.height = self.top + height
        self.figure = Figure(figsize=(WIDTH, self.height))
        for i, line in enumerate(title):
            # A $ in the name of a robot is a $.
            self.text(0.5 * WIDTH, 0.15 + LINE * (i + 0.5 - self.top / LINE), line, size=TITLE_SIZE - 1.5 * (i > 0))

    def text(self, left: float, down: float, text: str, *, size: float = TICK_SIZE) -> None:
        """Write a line centred at `left`, `down` inches below the title."""
        x, y = left / WIDTH, 1.0 - (self.top + down) / self.height
        self.figure.text(x, y, text, ha="center", va="center", fontsize=size, parse_math=False)

    def axes(self, left: float, down: float, width: float, height: float, **options: Any) -> Axes:
        """Add axes whose frame is at `left`, `down` inches below the title."""
        bottom = 1.0 - (self.top + down + height) / self.height
        rectangle = (left / WIDTH, bottom, width / WIDTH, height / self.height)
        axes: Axes = self.figure.add_axes(rectangle, **options)
        axes.tick_params(labelsize=TICK_SIZE)
        return axes

    def save(self, path: Path) -> None:
        """Write a ``.png``, ``.svg`` or ``.pdf`` file; the same figure gives the same bytes.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        try:
            with _quiet_and_repeatable(), whole_file(path, overwrite=True) as file:
                suffix = path.suffix.lower()
                self.figure.savefig(file, format=suffix[1:], dpi=DPI, metadata=dates.get(suffix))
        except OSError as error:
            raise InputError(
                f"{path}: cannot be written ({error.strerror}), expected a file in a directory with room for it"
            ) from None

    def svg(self) -> bytes:
        """Return the figure as the bytes of an SVG file."""
        buffer = io.BytesIO()
        with _quiet_and_repeatable():
            self.figure.savefig(buffer, format="svg", dpi=DPI, metadata={"Date": None})
        return buffer.getvalue()


def set_ticks(axis: Axis, span: tuple[float, float], inches: float, *, per_tick: float) -> None:
    """Give an axis a tick every `per_tick` inches or more, one in the middle of the span if it is shorter."""
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, MaxNLocator

    count = int(inches / per_tick)
    if count:
        axis.set_major_locator(MaxNLocator(min(count, 7)))
    else:
        axis.set_major_locator(FixedLocator([0.5 * (span[0] + span[1])]))
        axis.set_major_formatter(FormatStrFormatter("%.3g"))


@contextmanager
def _quiet_and_repeatable() -> Iterator[None]:
    from matplotlib import rc_context

    with warnings.catch_warnings(), rc_context({"svg.hashsalt": "repose_jit"}):
        # A name may have letters that the font lacks; boxes stand for them, which says enough.
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        yield
