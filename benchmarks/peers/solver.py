"""What the clock and the oracle ask of a solver, and what a peer must show before it is timed."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import repose_jit as rj
from benchmarks.peers.arm import Arm
from benchmarks.peers.oracle import Tolerance

FloatArray = NDArray[np.float64]

SAME = 1e-9
"""Largest difference of forward kinematics [m, or entries of R] and limits [rad] that counts as the same robot."""


class NotComparableError(Exception):
    """A peer cannot be compared on an arm, and why."""


def is_installed(module: str) -> bool:
    """Whether a top-level module can be found; it is not imported."""
    return importlib.util.find_spec(module) is not None


class Solver(ABC):
    """One arm at one tolerance, ready to solve.

    Only `solve` and `solve_batch` are timed. What turns our arrays into the input that a library takes fastest, and its
    output back, is `prepare` and `answer`: nobody should pay for our formats.
    """

    label: str
    """Name and settings, as the table shows them."""
    n_targets: int
    """Targets per round: enough for a stable mean, few enough to wait for."""

    def prepare(self, T: FloatArray) -> Any:
        """Return one (4, 4) target as the solver takes it."""
        return T

    @abstractmethod
    def solve(self, target: Any) -> Any:
        """Solve for one prepared target."""

    @abstractmethod
    def answer(self, raw: Any) -> FloatArray | None:
        """Return the (n,) configuration in what `solve` returned, None if it says that there is none."""

    def prepare_batch(self, T: FloatArray) -> Any:
        """Return (k, 4, 4) targets as `solve_batch` takes them."""
        return [self.prepare(target) for target in T]

    def solve_batch(self, targets: Any) -> Any:
        """Solve for all prepared targets."""
        return [self.solve(target) for target in targets]

    def answers(self, raw: Any) -> Sequence[FloatArray | None]:
        """Return the same for what `solve_batch` returned."""
        return [self.answer(item) for item in raw]


class Peer(Solver):
    """Another library's solver. Built from our chain, and compared with it before anything is timed."""

    distribution: ClassVar[str]
    """Its name where pip finds it."""
    module: ClassVar[str]
    """Its name where Python finds it."""

    @classmethod
    def is_installed(cls) -> bool:
        """Whether its module can be found."""
        return is_installed(cls.module)

    @classmethod
    def why_absent(cls) -> str:
        """Return why it may not be installed, to follow "not installed"; empty if there is no reason."""
        return ""

    @abstractmethod
    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        """Return the (4, 4) tool pose by the peer's own model."""

    @abstractmethod
    def limits(self) -> tuple[FloatArray, FloatArray] | None:
        """Return the (n,) lower and upper limits that its model has, None if it knows none."""

    def require_same_robot(self, arm: Arm) -> None:
        """Raise `NotComparableError` unless its model has the arm's tool poses and limits."""
        Q = arm.sample(100, seed=7)
        theirs = np.array([self.forward_kinematics(q) for q in Q])
        difference = np.abs(theirs - rj.forward_kinematics(arm.chain, Q)).max()
        if not difference <= SAME:
            raise NotComparableError(f"its forward kinematics differs from ours by {difference:.1e}")
        limits = self.limits()
        if limits is None:
            return
        for bound, theirs, ours in zip(
            ("lower", "upper"), limits, (arm.chain.lower_limits, arm.chain.upper_limits), strict=True
        ):
            if not np.allclose(theirs, ours, rtol=0.0, atol=SAME):
                raise NotComparableError(f"its {bound} limits are {np.asarray(theirs).tolist()}, ours {ours.tolist()}")


def ready(peers: tuple[type[Peer], ...], arm: Arm, tolerance: Tolerance) -> tuple[list[Peer], list[str]]:
    """Return the installed peers that have the same robot, built, and a line for each that has not."""
    built, lines = [], []
    for peer in peers:
        if not peer.is_installed():
            continue
        try:
            solver = peer(arm, tolerance)  # type: ignore[call-arg] # every peer is built so; the base has nothing to build
            solver.require_same_robot(arm)
        except NotComparableError as reason:
            lines.append(f"{peer.distribution} on {arm.name}: not timed, {reason}")
        except ImportError as error:
            lines.append(f"{peer.distribution}: cannot be imported: {error}")
        else:
            built.append(solver)
    return built, lines
