"""A progress bar for whoever watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(unit: str = "", *, leave: bool = True) -> Iterator[Callable[[int, int], object]]:
    """Show a bar on stderr if that is a terminal, and yield what moves it: ``progress(done, total)``.

    Parameters
    ----------
    unit
        What is counted; nothing is said and counts stay whole if it is empty.
    leave
        Keep the finished bar on the screen.
    """
    from tqdm import tqdm

    with tqdm(
        unit=f" {unit}" if unit else "",
        unit_scale=bool(unit),
        file=sys.stderr,
        disable=None,
        dynamic_ncols=True,
        leave=leave,
    ) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress
