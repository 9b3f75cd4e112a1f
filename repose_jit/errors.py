"""The exceptions of repose_jit: each one is a caller's mistake, named with what, where, got and expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ConfigError",
    "InputError",
    "ModelError",
    "ReposeError",
    "ShapeError",
    "SingularJacobianError",
    "SolveFailedError",
    "UnknownNameError",
    "UrdfWarning",
    "near_matches",
    "nearest_names",
    "shown",
]


class ReposeError(Exception):
    """Everything repose_jit raises on purpose."""


class ShapeError(ReposeError, ValueError):
    """An array has the wrong shape."""


class InputError(ReposeError, ValueError):
    """A number, array or option has a value that is not allowed."""


class ModelError(ReposeError, ValueError):
    """A joint, chain or robot description makes no kinematic sense."""


class ConfigError(ReposeError, ValueError):
    """A configuration (TOML, JSON or dict) is malformed.

    Parameters
    ----------
    problems
        Every mistake found, one sentence each, starting with the path of the key.
    source
        The file the configuration came from, if any.
    """

    def __init__(self, problems: Sequence[str], *, source: str | None = None) -> None:
        self.problems = tuple(problems)
        self.source = source
        where = f"{source}: " if source else ""
        if len(self.problems) == 1:
            message = f"{where}{self.problems[0]}"
        else:
            message = "\n  ".join([f"{where}{len(self.problems)} mistakes in the configuration:", *self.problems])
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_config_error, (self.problems, self.source))


def _rebuild_config_error(problems: tuple[str, ...], source: str | None) -> ConfigError:
    return ConfigError(problems, source=source)


class UnknownNameError(ReposeError, LookupError):
    """A name (robot, joint, link, frame, option) does not exist.

    Parameters
    ----------
    kind
        What the name should have named, for example ``"link"``.
    name
        The name that was given.
    known
        The names that exist.
    where
        Where it was looked up, for example ``"robot 'panda'"``.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str], *, where: str | None = None) -> None:
        self.kind, self.name, self.known, self.where = kind, name, tuple(known), where
        place = f" in {where}" if where else ""
        super().__init__(f"unknown {kind} {shown(name)}{place}; {nearest_names(name, self.known)}")

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_unknown_name, (self.kind, self.name, self.known, self.where))


def _rebuild_unknown_name(kind: str, name: object, known: tuple[str, ...], where: str | None) -> UnknownNameError:
    return UnknownNameError(kind, name, known, where=where)


class SingularJacobianError(ReposeError, ArithmeticError):
    """The pseudoinverse met a singular Jacobian.

    Parameters
    ----------
    message
        What happened, with the singular values.
    q
        (n,) the best configuration found before the solve stopped [rad or m].
    """

    def __init__(self, message: str, q: NDArray[np.float64]) -> None:
        self.q = q
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return (SingularJacobianError, (str(self), self.q))


class UrdfWarning(UserWarning):
    """A URDF lacks something or has it wrong, and was read all the same: the text says what and how it was read."""


class SolveFailedError(ReposeError, RuntimeError):
    """A solve did not converge and the caller asked for an exception (``raise_if_failed``)."""


def nearest_names(name: object, known: Sequence[str], *, most: int = 5) -> str:
    """Say which of `known` are nearest to `name`, as the end of a message.

    Returns
    -------
    str
        ``"did you mean 'a' or 'b'?"``, or ``"expected one of ..."`` when nothing is near.
    """
    if not known:
        return "there are none"
    if near := near_matches(name, known):
        return "did you mean " + " or ".join(repr(match) for match in near) + "?"
    listed = ", ".join(repr(candidate) for candidate in known[:most])
    more = f", ... ({len(known)} in all)" if len(known) > most else ""
    return f"expected one of {listed}{more}"


def near_matches(name: object, known: Sequence[str]) -> list[str]:
    """Return the names in `known` that are close to `name`, nearest first; at most three."""
    # Keyed by the lower-case form: a wrong capital is the commonest slip and must not hide the right name.
    by_fold = {candidate.casefold(): candidate for candidate in reversed(known)}
    text = (name if isinstance(name, str) else shown(name))[:80].casefold()
    near = difflib.get_close_matches(text, list(by_fold), n=3, cutoff=0.6)
    # A name cut short ("tool" for "tool_offset") is too far away for the measure above, but plain to see.
    near += [fold for fold in by_fold if len(text) >= 3 and fold.startswith(text) and fold not in near]
    return [by_fold[fold] for fold in near[:3]]


def shown(value: object, *, most: int = 80) -> str:
    """Return a value the way a message shows it: its repr, cut to `most` characters."""
    try:
        text = repr(value)
    except Exception:  # what a foreign repr raises must not replace the message it belongs to
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= most else text[: most - 3] + "..."
