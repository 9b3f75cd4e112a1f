"""What reading one URDF brings to light: errors that name the file, and warnings gathered to one of each kind."""

from __future__ import annotations

import sys
import warnings
from enum import StrEnum

from repose_jit.errors import ModelError, UrdfWarning

__all__ = ["Findings", "Note"]


class Note(StrEnum):
    """What was found and how it was read; the warning adds where."""

    NO_VELOCITY = "velocity limit missing or 0, read as none"
    NO_BOUNDS = "position limits missing, read as unlimited"
    ONE_BOUND = "one position limit missing, read as 0 as URDF says"
    COMMAS = "numbers separated by commas, read as if by spaces"
    MIMIC_LEFT_OUT = "mimic without a usable source joint, left out: the joint moves on its own"
    PREFIXES = "elements or attributes with a prefix that is not declared, left out"
    INERTIAL = "inertial data incomplete, left out"
    COLLISION = "collision geometry incomplete or unknown, left out"
    LOCKED_OUTSIDE = "joints locked outside their limits"


class Findings:
    """Errors and warnings of one URDF.

    Parameters
    ----------
    where
        The file's name, or what stands for it in messages.
    strict
        Whether what could be read with a warning is an error instead.
    """

    def __init__(self, where: str, *, strict: bool) -> None:
        self.where, self.strict = where, strict
        self._notes: dict[Note, dict[str, None]] = {}

    def error(self, problem: str) -> ModelError:
        """Return the error to raise for a `problem`, a text that names the joint or link."""
        return ModelError(f"{self.where}: {problem}")

    def note(self, note: Note, place: str) -> None:
        """Remember something to warn of."""
        self._notes.setdefault(note, {})[place] = None

    def tolerate(self, note: Note, place: str, problem: str) -> None:
        """Raise `problem` as an error in strict mode, else remember to warn of it.

        Raises
        ------
        ModelError
            In strict mode.
        """
        if self.strict:
            raise self.error(f"{problem} (strict=False: {note.value})")
        self.note(note, place)

    def warn(self) -> None:
        """Issue one UrdfWarning for each kind of note, from the line that called into this package."""
        level, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("repose_jit."):
            level, frame = level + 1, frame.f_back
        for note, places in self._notes.items():
            warnings.warn(UrdfWarning(f"{self.where}: {note.value}: {', '.join(places)}"), stacklevel=level)
