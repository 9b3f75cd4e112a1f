"""``repose-jit warmup``: compile every kernel before it is needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from repose_jit.cli.screen import echo_json, json_option

if TYPE_CHECKING:
    from repose_jit.chain import KinematicChain
    from repose_jit.reach.study import ReachStudy

__all__ = ["warmup", "workout"]

LABEL = 30
"""Width of the names of the steps on the screen."""


@click.command(
    epilog="""\b
    Example:
      repose-jit warmup"""
)
@json_option
def warmup(as_json: bool) -> None:
    """Compile every kernel ahead of time."""
    start = time.perf_counter()
    steps: dict[str, float] = {}
    if not as_json:
        click.echo(f"{'step':<{LABEL}}  time [s]")

    def lap(name: str, before: float) -> None:
        steps[name] = time.perf_counter() - before
        if not as_json:
            click.echo(f"{name:<{LABEL}}  {steps[name]:8.2f}")

    calls = workout()
    lap("loading the compiler", start)
    for name, call in calls.items():
        before = time.perf_counter()
        call()
        lap(name, before)
    cache, total = _cache_folder(), time.perf_counter() - start
    if as_json:
        echo_json({"seconds": total, "steps": steps, "cache": cache})
        return
    click.echo(f"{'total':<{LABEL}}  {total:8.2f}")
    click.echo(f"\ncache: {cache or 'none; kernels are compiled again in every process'}")


def workout() -> dict[str, Callable[[], object]]:
    """Return the calls that between them compile every kernel, by what they are for.

    Small problems and blocks of eight go different ways inside a kernel but are the same compiled function.
    """
    from repose_jit import kinematics
    from repose_jit.ik import IkParams, inverse_kinematics
    from repose_jit.multi_seed import inverse_kinematics_batch
    from repose_jit.poses import pose
    from repose_jit.reach.solving import metrics
    from repose_jit.reach.solving.chunk import warm_up
    from repose_jit.reach.targets.rotations import super_fibonacci

    chain = _small_chain()
    q = chain.home[None]
    T = kinematics.forward_kinematics
    return {
        "forward kinematics": lambda: T(chain, q),
        "link transforms": lambda: kinematics.link_transforms(chain, q),
        "Jacobian": lambda: kinematics.jacobian(chain, q),
        "singular values": lambda: kinematics.singular_values(chain, q),
        "inverse kinematics, many seeds": lambda: inverse_kinematics_batch(chain, T(chain, q), seeds=q[0]),
        "inverse kinematics, one seed": lambda: inverse_kinematics(chain, T(chain, q), q, IkParams(max_iterations=1)),
        "poses of angles": lambda: pose([0, 0, 0], "rpy", [0, 0, 0], degrees=False, where=""),
        "spread rotations": lambda: super_fibonacci(1),
        "chunk of a reachability study": lambda: warm_up(_dense_study().job),
        "metrics of a pose": lambda: metrics.compute_metrics(chain, q, metrics.DEFAULT_METRICS),
        "metrics of a site": lambda: metrics.site_statistics(q),
    }


def _cache_folder() -> str | None:
    """Return where compiled kernels are kept, None if nowhere."""
    from repose_jit.kernels import fk

    stats = getattr(fk.forward_kinematics, "stats", None)  # a plain function where the compiler is turned off
    return getattr(stats, "cache_path", None)


def _dense_study() -> ReachStudy:
    """Return a study in which neighbours lend to each other."""
    from repose_jit.chain import KinematicChain
    from repose_jit.joints import JointSpec
    from repose_jit.reach.study import ReachStudy
    from repose_jit.reach.targets.kinds import GridTargets

    arm = KinematicChain([JointSpec.revolute([0, 0, 0], [0, 0, 0])] + [JointSpec.revolute([0.5, 0, 0], [0, 0, 0])] * 2)
    return ReachStudy(arm, targets=GridTargets(0.01, (0, 0, 0), (0.01, 0.01, 0.01)))


def _small_chain() -> KinematicChain:
    from repose_jit.chain import KinematicChain
    from repose_jit.joints import JointSpec

    return KinematicChain([JointSpec.revolute([0, 0, 0.1], [0, 0, 0]), JointSpec.prismatic([0.1, 0, 0], [0, 0, 0])])
