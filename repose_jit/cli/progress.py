"""A progress bar for whoever watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(total: int, *, unit: str) -> Iterator[Callable[[int, int], object]]:
    """Show a bar on stderr if that is a terminal, and yield what moves it: ``progress(done, total)``."""
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {unit}", unit_scale=True, file=sys.stderr, disable=None, dynamic_ncols=True) as bar:
        yield lambda done, _: bar.update(done - bar.n)
