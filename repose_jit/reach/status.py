"""What can become of a pose."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ReachStatus"]


class ReachStatus(IntEnum):
    """What became of a pose."""

    UNINITIALIZED = 0
    """Not tried yet."""
    REACHED = 1
    """A configuration takes the pose within the tolerances and within the limits."""
    NOT_FOUND = 2
    """The budget is spent: the pose may be reachable or not."""
    PROVEN_UNREACHABLE = 3
    """No configuration takes the pose, whatever the budget."""
    IN_COLLISION = 4
    """Every configuration found is in collision."""
    EXCLUDED = 5
    """The base may not stand there."""

    def __str__(self) -> str:
        return self.name
