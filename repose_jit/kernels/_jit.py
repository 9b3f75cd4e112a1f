"""The one decorator of all kernels, and a disk cache that notices every edit of any kernel file.

Numba keys its disk cache by the file of the function alone: when a helper in another file changes, it goes on running
the old machine code, even across an upgrade of the package. Here the names of the cache files carry a digest of all
kernel sources.
"""

from __future__ import annotations

import contextlib
import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

__all__ = ["inlined", "jit"]

R = TypeVar("R")

FAST_MATH = frozenset({"contract", "nsz", "arcp"})
"""Fused multiply-add, sign of zero, reciprocals. Never ``nnan`` or ``ninf``: non-finite values must be seen."""


def jit(function: Callable[..., R]) -> Callable[..., R]:
    """Compile a kernel: nopython, without the GIL, NumPy's division rules, cached on disk.

    To a type checker its arguments are open: a plain tuple stands in for a NamedTuple where that halves the call.
    """
    return _compiled(function, forceinline=False)


def inlined(function: Callable[..., R]) -> Callable[..., R]:
    """Compile a building block that becomes part of every kernel that uses it.

    For what takes and returns lanes: as a call their vectors would go through memory, and the compiler decides by size.
    """
    return _compiled(function, forceinline=True)


def _compiled(function: Callable[..., R], *, forceinline: bool) -> Callable[..., R]:
    options = {"nogil": True, "error_model": "numpy", "fastmath": set(FAST_MATH), "forceinline": forceinline}
    dispatcher = numba.njit(**options)(function)
    if not numba.config.DISABLE_JIT and _cache_works():
        with contextlib.suppress(AttributeError):
            dispatcher._cache = _KernelCache(function)
    return dispatcher  # type: ignore[no-any-return]


def _source_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's function cache with the source digest in its file names; damage or a full disk costs a compilation."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        # Numba's name without its line number: the files of a function that moved down its file are old ones too.
        line = f"-{function.__code__.co_firstlineno}."
        self._stem = self._impl.filename_base.replace(line, ".")
        self._cache_file = IndexDataCacheFile(self._cache_path, f"{self._stem}-{DIGEST}", DIGEST)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a truncated or foreign file: any error of pickle or LLVM means "not in the cache"
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            for stale in Path(self._cache_path).glob(f"{self._stem}-*.nb[ic]"):
                if DIGEST not in stale.name:
                    stale.unlink(missing_ok=True)
            try:
                super().save_overload(sig, data)
            except OSError:
                raise
            except Exception:  # the index is damaged: start a new one, or every process from now on compiles again
                Path(self._cache_file._index_path).unlink(missing_ok=True)
                super().save_overload(sig, data)
        except Exception as error:  # the compiled kernel is there; only the next process pays
            _warn_once(f"a compiled kernel could not be written to {self._cache_path} ({error})")


def _cache_works() -> bool:
    """Tell whether there is a place to cache in; warn once if not."""
    if not _STATE:
        try:
            _KernelCache(_source_digest)
            _STATE.append(True)
        except (RuntimeError, OSError, AttributeError, TypeError, ImportError) as error:
            _STATE.append(False)
            _warn_once(f"no directory to cache compiled kernels in ({error})")
    return _STATE[0]


def _warn_once(what: str) -> None:
    if what not in _WARNED:
        _WARNED.append(what)
        if len(_WARNED) == 1:
            warnings.warn(
                f"repose_jit: {what}; kernels are compiled again in every process. "
                "Set NUMBA_CACHE_DIR to a directory that can be written.",
                RuntimeWarning,
                stacklevel=3,
            )


DIGEST = _source_digest()
_STATE: list[bool] = []
_WARNED: list[str] = []
