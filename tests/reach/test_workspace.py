"""Maps of arms whose workspace is known in closed form, voxel by voxel.

An arm of two links in a plane reaches a point if one of the two elbows that put it there is within the limits. What it
reaches is bounded by arcs: what one joint at a limit, or the elbow straight, leaves to the other. A voxel that one of
the arcs passes through is cut; of any other all points are reached, or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import pi

import numpy as np
import pytest
from numpy.typing import NDArray

import repose_jit as rj
from tests.reach.robots import ORIGIN

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Range = tuple[float, float]

BY_NEIGHBOURHOOD = rj.MultiSeedParams()
ONE_BY_ONE = rj.MultiSeedParams(selection="max_limit_margin")
SOLVES = pytest.mark.parametrize("solve", [BY_NEIGHBOURHOOD, ONE_BY_ONE], ids=["by neighbourhood", "one by one"])


@dataclass(frozen=True)
class TwoLinks:
    """Two links in the xy plane, and a turn of the tool about z if `wrist` has a range.

    Attributes
    ----------
    upper, fore
        Lengths [m].
    shoulder, elbow, wrist
        Limits [rad].
    """

    upper: float
    fore: float
    shoulder: Range
    elbow: Range
    wrist: Range = (0.0, 0.0)

    def reaches(self, x: FloatArray, y: FloatArray, yaw: float | None = None) -> BoolArray:
        """Tell which points are reached; with the tool turned to `yaw` [rad], if that counts."""
        inside = np.zeros(np.broadcast(x, y).shape, np.bool_)
        for q1, q2, possible in self.elbows(x, y):
            within = possible & _fits(q1, self.shoulder) & _fits(q2, self.elbow)
            if yaw is not None:
                within &= _fits(yaw - q1 - q2, self.wrist)
            inside |= within
        return inside

    def elbows(self, x: FloatArray, y: FloatArray) -> Iterator[tuple[FloatArray, FloatArray, BoolArray]]:
        """Yield shoulder and elbow angles of both solutions [rad], and whether there are any."""
        cosine = (x * x + y * y - self.upper**2 - self.fore**2) / (2.0 * self.upper * self.fore)
        possible = np.abs(cosine) <= 1.0
        for sign in (1.0, -1.0):
            q2 = sign * np.arccos(np.clip(cosine, -1.0, 1.0))
            q1 = np.arctan2(y, x) - np.arctan2(self.fore * np.sin(q2), self.upper + self.fore * np.cos(q2))
            yield q1, q2, possible

    def boundary(self, yaw: float | None = None) -> NDArray[np.complex128]:
        """Return points of the plane, close to each other, on all the arcs that can bound what is reached."""
        q1, q2 = (np.linspace(*limits, 40_000) for limits in (self.shoulder, self.elbow))
        straight = [bend for bend in (-pi, 0.0, pi) if self.elbow[0] < bend < self.elbow[1]]
        arcs = [self.at(q1, np.full_like(q1, bend)) for bend in (*self.elbow, *straight)]
        arcs += [self.at(np.full_like(q2, shoulder), q2) for shoulder in self.shoulder]
        if yaw is not None and self.wrist[1] - self.wrist[0] < 2.0 * pi:
            turned = [(q1, yaw - wrist - q1) for wrist in self.wrist]
            arcs += [self.at(a[_fits(b, self.elbow)], b[_fits(b, self.elbow)]) for a, b in turned]
        return np.concatenate(arcs)

    def at(self, q1: FloatArray, q2: FloatArray) -> NDArray[np.complex128]:
        """Return where the tool is, x + iy [m]."""
        tool: NDArray[np.complex128] = self.upper * np.exp(1j * q1) + self.fore * np.exp(1j * (q1 + q2))
        return tool

    def cuts(self, x: FloatArray, y: FloatArray, edge: float, yaw: float | None = None) -> BoolArray:
        """Tell which squares the boundary cuts, or comes within a millimetre of.

        Parameters
        ----------
        x, y
            Centres along each axis [m].
        edge
            Of the squares [m]; longer than two millimetres.
        """
        cut = np.zeros((len(x), len(y)), np.bool_)
        points = self.boundary(yaw)
        for dx, dy in product((-1e-3, 1e-3), repeat=2):
            i = np.floor((points.real + dx - x[0]) / edge + 0.5).astype(int)
            j = np.floor((points.imag + dy - y[0]) / edge + 0.5).astype(int)
            inside = (i >= 0) & (i < len(x)) & (j >= 0) & (j < len(y))
            cut[i[inside], j[inside]] = True
        return cut


def _fits(angle: FloatArray, limits: Range) -> BoolArray:
    """Tell which angles are within limits, whole turns aside [rad]."""
    return np.asarray(limits[0] + np.mod(angle - limits[0], 2.0 * pi) <= limits[1])


PLANAR = TwoLinks(0.4, 0.3, shoulder=(-1.2, 2.0), elbow=(-0.5, 2.3))
ALMOST_FREE = TwoLinks(0.4, 0.3, shoulder=(-3.0, 3.1), elbow=(-2.9, 2.8))
AWAY_FROM_ZERO = TwoLinks(0.3, 0.35, shoulder=(0.7, 4.0), elbow=(0.9, 2.2))
MITSUBISHI = TwoLinks(
    0.325,
    0.225,
    shoulder=(-2.9670597283903604, 2.9670597283903604),
    elbow=(-2.5307274153917776, 2.5307274153917776),
    wrist=(-2.0 * pi, 2.0 * pi),
)
SCARA = TwoLinks(0.35, 0.25, shoulder=(-1.0, 2.2), elbow=(-2.4, 1.1), wrist=(-0.8, 1.6))
STROKE = (0.05, 0.25)


def planar_arm(arm: TwoLinks) -> rj.KinematicChain:
    """Return the arm, its tool at the end of the second link."""
    joints = [
        rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", rj.JointLimits.revolute(*arm.shoulder)),
        rj.JointSpec.revolute((arm.upper, 0, 0), ORIGIN, "pos_z", rj.JointLimits.revolute(*arm.elbow)),
    ]
    tool = np.eye(4)
    tool[0, 3] = arm.fore
    return rj.KinematicChain(joints, tool_offset=tool)


def scara(arm: TwoLinks, stroke: Range) -> rj.KinematicChain:
    """Return the arm with a shaft that slides and turns at its end."""
    joints = [
        *planar_arm(arm).joints,
        rj.JointSpec.prismatic((arm.fore, 0, 0), ORIGIN, "pos_z", rj.JointLimits.prismatic(*stroke)),
        rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", rj.JointLimits.revolute(*arm.wrist)),
    ]
    return rj.KinematicChain(joints)


def compare(reached: BoolArray, expected: BoolArray, cut: BoolArray) -> None:
    """Require that a map is the workspace wherever no boundary is, and that this says something."""
    assert np.count_nonzero(~cut) >= 0.9 * cut.size
    assert 0.02 < expected.mean() < 0.98
    wrong = np.argwhere((reached != expected) & ~cut)
    assert wrong.size == 0, f"{len(wrong)} of {cut.size}, such as {wrong[:5].tolist()}"


def axis_over(arm: TwoLinks, edge: float) -> FloatArray:
    """Return the centres of squares over all that an arm can reach, and somewhat more, along an axis [m]."""
    count = round((arm.upper + arm.fore + 0.05) / edge)
    return edge * (np.arange(-count, count) + 0.5)


def poses(x: FloatArray, y: FloatArray, z: float, yaw: FloatArray | float) -> rj.PoseTargets:
    """Return poses with the tool upright, and turned by `yaw` [rad]."""
    T = np.zeros((*np.broadcast(x, y, yaw).shape, 4, 4))
    T[..., 0, 0], T[..., 0, 1] = np.cos(yaw), -np.sin(yaw)
    T[..., 1, 0], T[..., 1, 1] = np.sin(yaw), np.cos(yaw)
    T[..., 2, 2], T[..., 3, 3] = 1.0, 1.0
    T[..., 0, 3], T[..., 1, 3], T[..., 2, 3] = x, y, z
    return rj.PoseTargets(T)


@SOLVES
@pytest.mark.parametrize("arm", [PLANAR, ALMOST_FREE, AWAY_FROM_ZERO], ids=["bounded", "almost free", "away from zero"])
def test_the_positions_of_a_planar_arm(arm: TwoLinks, solve: rj.MultiSeedParams) -> None:
    edge = 0.01
    half = edge * round((arm.upper + arm.fore + 0.05) / edge)
    study = rj.ReachStudy(
        planar_arm(arm),
        targets=rj.GridTargets(spacing=edge, box_min=(-half, -half, 0.0), box_max=(half, half, 0.0)),
        orientations=rj.Orientations(kind="none"),
        solve=solve,
        metrics=(),
    )
    assert (study.job.neighbourhood is not None) == (solve is BY_NEIGHBOURHOOD)
    reach_map = study.run()
    axis = reach_map.coordinates["x"]
    np.testing.assert_allclose(axis, axis_over(arm, edge), atol=1e-12)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    compare(reach_map.site("n_reached")[:, :, 0] == 1, arm.reaches(x, y), arm.cuts(axis, axis, edge))


@pytest.mark.parametrize("arm", [PLANAR, ALMOST_FREE, AWAY_FROM_ZERO], ids=["bounded", "almost free", "away from zero"])
def test_a_planar_arm_with_its_turn_left_to_the_solve(arm: TwoLinks) -> None:
    """Its tool points upward everywhere: that axis is asked for, and the turn about it is what the position leaves."""
    edge = 0.01
    axis = axis_over(arm, edge)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    points = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    reached = {}
    for approach in ("+normal", "-normal"):
        study = rj.ReachStudy(
            planar_arm(arm),
            targets=rj.SurfaceTargets(points, np.tile([0.0, 0.0, 1.0], (len(points), 1))),
            orientations=rj.Orientations(kind="free_axis", tool_axis="z", approach=approach),  # type: ignore[arg-type]
            metrics=(),
        )
        reached[approach] = study.run().site("n_reached").reshape(x.shape) == 1
    compare(reached["+normal"], arm.reaches(x, y), arm.cuts(axis, axis, edge))
    assert not reached["-normal"].any()


def test_the_whole_poses_of_a_planar_arm() -> None:
    """Of the two turns that reach a position each needs its own elbow; no other turn is reached."""
    arm, edge = PLANAR, 0.01
    axis = axis_over(arm, edge)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    cut = arm.cuts(axis, axis, edge)
    for q1, q2, possible in arm.elbows(x, y):
        for extra in (0.0, 0.05):
            study = rj.ReachStudy(planar_arm(arm), targets=poses(x, y, 0.0, q1 + q2 + extra), metrics=())
            reached = study.run().site("n_reached").reshape(x.shape) == 1
            if extra == 0.0:
                compare(reached, possible & _fits(q1, arm.shoulder) & _fits(q2, arm.elbow), cut)
            else:
                # Between the turns of the two elbows, which come close to each other where the arm is straight.
                assert not reached[np.abs(q2) > 0.1].any()


@SOLVES
@pytest.mark.parametrize("robot", ["the maker's", "of our own"])
def test_the_positions_of_a_scara(robot: str, solve: rj.MultiSeedParams) -> None:
    edge = 0.0125
    if robot == "the maker's":
        arm, chain, stroke = MITSUBISHI, rj.preset("mitsubishi_rh6frh5520").chain(), (0.133, 0.333)
    else:
        arm, chain, stroke = SCARA, scara(SCARA, STROKE), STROKE
    # The stroke is 16 voxels: the layers end where it does, so that its ends cut none.
    low, high = stroke[0] - 3 * edge, stroke[1] + 3 * edge
    half = edge * round((arm.upper + arm.fore + 0.05) / edge)
    study = rj.ReachStudy(
        chain,
        targets=rj.GridTargets(spacing=edge, box_min=(-half, -half, low), box_max=(half, half, high)),
        orientations=rj.Orientations(kind="none"),
        solve=solve,
        metrics=(),
    )
    assert (study.job.neighbourhood is not None) == (solve is BY_NEIGHBOURHOOD)
    reach_map = study.run()
    axis, layers = reach_map.coordinates["x"], reach_map.coordinates["z"]
    assert len(layers) == 22
    x, y, z = np.meshgrid(axis, axis, layers, indexing="ij")
    cut = np.repeat(arm.cuts(axis, axis, edge)[..., None], 22, axis=2)
    expected = arm.reaches(x, y) & (stroke[0] < z) & (z < stroke[1])
    compare(reach_map.site("n_reached") == 1, expected, cut)


@pytest.mark.parametrize("yaw", [0.0, 2.0, -2.5])
def test_the_whole_poses_of_a_scara(yaw: float) -> None:
    """Its tool is upright; how far it turns depends on the wrist, and so does the elbow that serves."""
    edge = 0.0125
    for arm, chain, z in (
        (SCARA, scara(SCARA, STROKE), 0.06),
        (MITSUBISHI, rj.preset("mitsubishi_rh6frh5520").chain(), 0.3),
    ):
        axis = axis_over(arm, edge)
        x, y = np.meshgrid(axis, axis, indexing="ij")
        study = rj.ReachStudy(chain, targets=poses(x, y, z, yaw), metrics=())
        reached = study.run().site("n_reached").reshape(x.shape) == 1
        compare(reached, arm.reaches(x, y, yaw), arm.cuts(axis, axis, edge, yaw))
