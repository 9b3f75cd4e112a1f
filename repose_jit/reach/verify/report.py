"""What is wrong with a store: collected while it is read, and reported as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import shown
from repose_jit.reach.summary_text import counted

__all__ = ["Findings", "StoreFinding", "VerifyReport"]

MOST = 100
"""Findings that are kept; of the others there is the number."""
MOST_OF_A_CHECK = 3
"""Findings that are kept of one check of one chunk: a damaged array may be wrong in every pose."""


@dataclass(frozen=True, kw_only=True)
class StoreFinding:
    """Something wrong with a store.

    Attributes
    ----------
    where
        The array, attribute or file, with the chunk, site and orientation where there is one.
    what
        What was found and what was expected.
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Findings:
    """A list of findings that does not grow beyond what somebody would read."""

    def __init__(self) -> None:
        self.kept: list[StoreFinding] = []
        self.count = 0

    def add(self, where: str, what: str) -> None:
        """Note one finding."""
        self.count += 1
        if len(self.kept) < MOST:
            self.kept.append(StoreFinding(where=where, what=what))

    def add_all(self, is_wrong: NDArray[np.bool_], describe: Callable[[int], tuple[str, str]]) -> None:
        """Note each entry of an array that is wrong; `describe` tells where and what, from its flat index."""
        wrong = np.flatnonzero(is_wrong)
        for index in wrong[:MOST_OF_A_CHECK]:
            self.add(*describe(int(index)))
        self.count += max(0, len(wrong) - MOST_OF_A_CHECK)

    @contextmanager
    def noting(self, where: str) -> Iterator[None]:
        """Note a failure of the block and go on: from damaged bytes a codec may raise whatever it likes."""
        try:
            yield
        except Exception as error:
            self.add(where, f"cannot be read ({type(error).__name__}: {shown(str(error), most=200)[1:-1]})")


@dataclass(frozen=True, kw_only=True)
class VerifyReport:
    """What came of verifying a store.

    Attributes
    ----------
    path
        Of the store.
    n_chunks, n_done
        Chunks of the study, and how many of them are done: only those can be checked.
    n_poses
        Poses whose records were checked.
    n_configurations
        Configurations checked by forward kinematics that shares no code with the solver.
    n_repeated
        Chunks solved a second time.
    n_orphans
        Files of killed writers that were removed.
    checked, unchecked
        In words, what was checked, each to follow "whether", and what was not.
    findings
        What is wrong, the first hundred at most.
    n_findings
        How much is wrong in all.
    """

    path: Path
    n_chunks: int
    n_done: int
    n_poses: int
    n_configurations: int
    n_repeated: int
    n_orphans: int
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]
    findings: tuple[StoreFinding, ...]
    n_findings: int

    @property
    def is_sound(self) -> bool:
        """Whether nothing wrong was found."""
        return self.n_findings == 0

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "path": str(self.path),
            "is_sound": self.is_sound,
            "chunks": self.n_chunks,
            "chunks_done": self.n_done,
            "poses": self.n_poses,
            "configurations": self.n_configurations,
            "chunks_repeated": self.n_repeated,
            "orphans_removed": self.n_orphans,
            "checked": list(self.checked),
            "unchecked": list(self.unchecked),
            "n_findings": self.n_findings,
            "findings": [{"where": finding.where, "what": finding.what} for finding in self.findings],
        }

    def summary_text(self) -> str:
        """Return the report as a few lines of text."""
        verdict = "sound" if self.is_sound else f"NOT SOUND: {counted(self.n_findings, 'finding')}"
        lines = [
            f"{self.path}: {verdict}",
            f"  {self.n_done:,} of {counted(self.n_chunks, 'chunk')} done, with {counted(self.n_poses, 'pose')}",
        ]
        if self.n_orphans:
            lines.append(f"  removed {counted(self.n_orphans, 'file')} that killed writers had left")
        lines += [f"  checked whether {words}" for words in self.checked]
        lines += [f"  not checked: {words}" for words in self.unchecked]
        lines += [f"  ! {finding}" for finding in self.findings]
        if self.n_findings > len(self.findings):
            lines.append(f"  ! and {self.n_findings - len(self.findings):,} more")
        return "\n".join(lines)
