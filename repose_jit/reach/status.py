"""What can become of a pose."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ReachStatus"]


class ReachStatus(IntEnum):
    """What became of a pose; never two-valued, for not found is not unreachable."""

    UNINITIALIZED = 0
    """Not tried yet."""
    REACHED = 1
    """A configuration within the limits takes the pose within the tolerances."""
    NOT_FOUND = 2
    """The budget is spent: the pose may be reachable or not."""
    PROVEN_UNREACHABLE = 3
    """The pose is further away than the arm can stretch."""
    IN_COLLISION = 4
    """Kept for studies that check collisions; none does yet."""
    EXCLUDED = 5
    """The site is left out: the base may not stand there."""

    def __str__(self) -> str:
        return self.name
