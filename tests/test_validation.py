"""Whatever is handed in where a number, a flag or an array belongs, the mistake is named and nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import repose_jit as rj
from repose_jit.validation import as_flag, as_integer, as_positive
from tests import arms

URDF = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
<child link="b"/><axis xyz="0 0 1"/><limit velocity="1"/></joint></robot>"""
BOX = ((0, 0, 0), (0.1, 0.1, 0.1))


class Hostile:
    """Neither shown, nor compared, nor turned into an array."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise RuntimeError("on another device")


def nested(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


WRONG = {
    "object": Hostile(),
    "larger than any float": 10**400,
    "more digits than Python prints": 10**5000,
    "long text": "x" * 10_000,
    "deep": nested(100_000),
    "array of no dimensions": np.array("a"),
    "empty": np.zeros(0),
    "vector": np.zeros(7),
    "records": np.zeros(3, [("a", float)]),
    "series": pd.Series([1.0, 2.0]),
    "complex": 1j,
    "set": {1, 2},
}


def study(**options: object) -> rj.ReachStudy:
    return rj.ReachStudy(arms.rebel(), **({"targets": rj.GridTargets(0.1, *BOX)} | options))  # type: ignore[arg-type]


PLACES: dict[str, Callable[..., object]] = {
    "q": lambda x: rj.forward_kinematics(arms.rebel(), x),
    "target": lambda x: rj.inverse_kinematics(arms.rebel(), x, np.zeros(6)),
    "chain": lambda x: rj.forward_kinematics(x, np.zeros(6)),
    **{
        name: lambda x, name=name: rj.IkParams(**{name: x})
        for name in ("solver", "max_iterations", "position_tolerance", "damping", "max_step", "enforce_joint_limits")
    },
    **{name: lambda x, name=name: study(**{name: x}) for name in ("targets", "solve", "length_scale", "save_q")},
    "metrics": lambda x: study(metrics=[x]),
    "orientations": lambda x: study(orientations=0 if x is None else x),
    **{
        name: lambda x, name=name: rj.GridTargets(
            **({"spacing": 0.1, "box_min": BOX[0], "box_max": BOX[1]} | {name: x})
        )
        for name in ("box_min", "box_max")
    },
    "spacing": lambda x: rj.GridTargets(0 if x is None else x),
    "kind": lambda x: rj.Orientations(kind=x),
    "points": lambda x: rj.SurfaceTargets(x, np.ones((1, 3))),
    "normals": lambda x: rj.SurfaceTargets(np.ones((1, 3)), x),
    "poses": lambda x: rj.PoseTargets(x),
    "store": lambda x: rj.ReachMap.open(x),
    "threads": lambda x: study().run(threads=0 if x is None else x),
    "shard": lambda x: study().run(shard=0 if x is None else x),
    "engine": lambda x: study().run(engine=x),
    "count": lambda x: rj.spread_seeds(arms.rebel(), x),
    "n": lambda x: rj.super_fibonacci(x),
    "voxel": lambda x: rj.voxel_grid((0, 0, 0), (1, 1, 1), x),
    "box_max": lambda x: rj.voxel_grid((0, 0, 0), x, 0.5),
    "joints": lambda x: rj.KinematicChain(x),
    "joint_type": lambda x: rj.JointSpec(x, (0, 0, 0), (0, 0, 0), "pos_z", None),  # type: ignore[arg-type]
    "expected_dof": lambda x: rj.preset("igus_rebel").chain(x),
    "strict": lambda x: rj.KinematicChain.from_urdf(URDF, strict=x),
    "floating_base": lambda x: rj.RobotModel.from_urdf(URDF, floating_base=x),
}


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_every_mistake_is_the_packages_own_error_and_short(place: Callable[..., object], value: object) -> None:
    with pytest.raises(rj.ReposeError) as caught:
        place(value)
    assert 0 < len(str(caught.value)) < 1000


@pytest.mark.parametrize("dtype", [float, np.float32, int])
def test_a_masked_entry_is_no_number(dtype: type) -> None:
    q = np.ma.masked_array(np.zeros((2, 6), dtype), mask=False)
    np.testing.assert_array_equal(
        rj.forward_kinematics(arms.rebel(), q), rj.forward_kinematics(arms.rebel(), np.zeros((2, 6)))
    )
    q.mask[1, 3] = True
    with pytest.raises(rj.InputError, match=r"q\[1, 3\]: got nan, expected a finite number"):
        rj.forward_kinematics(arms.rebel(), q)
    assert q.data[1, 3] == 0  # the caller's array is not written to


def test_plain_values_come_back() -> None:
    for value in (
        as_integer(np.int8(3), name="n"),
        as_positive(np.float32(0.5), name="x"),
        as_flag(np.True_, name="f"),
    ):
        assert type(value) in (int, float, bool)
    params = rj.IkParams(max_iterations=np.int64(5), enforce_joint_limits=np.False_)  # type: ignore[arg-type]
    assert type(params.max_iterations) is int
    assert params.enforce_joint_limits is False
    assert type(rj.MultiSeedParams(rng_seed=np.int64(3)).rng_seed) is int  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rj.spread_seeds(arms.rebel(), 10**12), "count: got 1000000000000, expected at most 10,000,000"),
        (lambda: rj.super_fibonacci(10**9), "n: got 1000000000, expected at most"),
        (lambda: rj.voxel_grid((0, 0, 0), (1, 1, 1), 1e-300), "spacing: got 1e-300 for a side of 1 m"),
        (lambda: rj.voxel_grid((0, 0, 0), (1, 1, 1), 1e200), r"spacing: got 1e\+200, expected at most 1e\+09 m"),
        (
            lambda: rj.voxel_grid((1e9, 0, 0), (1e9, 0, 0), 1e-9),
            "spacing: got 1e-09 between .* floats are 1e-07 m apart",
        ),
        (
            lambda: rj.GridTargets(0.1, (0, 0, 0), (0, 1e300, 0)),
            r"box_max\[1\]: got 1e\+300, expected at most 1e\+09 m",
        ),
        (
            lambda: rj.Orientations(kind="super_fibonacci", n=10**9),
            "n: got 1000000000, expected at most",
        ),
        (lambda: rj.MultiSeedParams(max_attempts=10**12), "max_attempts: got 1000000000000, expected at most"),
        (lambda: study().run(threads=10**6), "threads: got 1000000, expected at most"),
    ],
)
def test_what_no_memory_holds_is_refused_at_once(make: Callable[[], object], message: str) -> None:
    with pytest.raises(rj.InputError, match=message):
        make()


def test_the_smallest_box_is_a_box() -> None:
    box = rj.GridTargets(None, (0, 0, 0), (0, 0, math.ulp(0.0)))
    tiny = study(targets=box, orientations=rj.Orientations(kind="super_fibonacci", n=1))
    assert tiny.n_poses == 1
