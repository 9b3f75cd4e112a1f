"""A progress bar for whoever watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["progress_bar", "set_total"]


@contextmanager
def progress_bar(unit: str = "", *, leave: bool = True, after: str = "") -> Iterator[Callable[[int, int], object]]:
    """Show a bar on stderr if that is a terminal, and yield what moves it: ``progress(done, total)``.

    Parameters
    ----------
    unit
        What is counted.
    leave
        Keep the finished bar on the screen.
    after
        What goes on when all is counted, if anything does.
    """
    from tqdm import tqdm

    with tqdm(
        unit=f" {unit}" if unit else "",
        file=sys.stderr,
        disable=None,
        dynamic_ncols=True,
        leave=leave,
    ) as bar:

        def progress(done: int, total: int) -> None:
            set_total(bar, total)
            bar.update(done - bar.n)
            if after and done == total:
                bar.set_description_str(after)

        yield progress


def set_total(bar: tqdm[Any], total: int) -> None:
    """Tell a bar how much there is: thousands are shortened, and less is counted one by one."""
    bar.total, bar.unit_scale = total, total >= 1000
