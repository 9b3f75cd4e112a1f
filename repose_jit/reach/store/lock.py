"""One writer to a folder at a time."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["locked_folder"]


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder and yield True; False if another process, or thread, holds it."""
    try:
        import fcntl
    except ImportError:  # Windows: two writers at a time are not noticed, and write the same bytes
        yield True
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            yield True  # a file system without locks
        else:
            yield False
    else:
        yield True
    finally:
        os.close(descriptor)
