"""Hypothesis strategies: whatever a caller might hand in by mistake, and random chains that are right."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from repose_jit.chain import KinematicChain
from repose_jit.joints import AXES, JointLimits, JointMimic, JointSpec

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, 2**63, -(2**63) - 1]),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=20),
    st.binary(max_size=4),
    st.sampled_from(["revolute", "joint1", "90deg", "1m", "inf", "-inf", "nan", "pos_z", "\0", "\ud800", "igus_rebel"]),
    st.just(np.float32(0.5)),
    st.just(np.int64(3)),
    st.just(Fraction(1, 3)),
    st.just(dt.date(2026, 1, 31)),
    st.just(object()),
    st.just(dict),
)
ARRAYS = st.sampled_from(
    [
        np.zeros(3),
        np.zeros((2, 3)),
        np.eye(4),
        -np.eye(4),
        np.full(3, np.nan),
        np.array(1.0),
        np.array(["a", "b", "c"]),
        np.array([None, {}, []], dtype=object),
        np.ones(3, bool),
        np.zeros((0, 4, 4)),
        np.array([1 + 2j, 0, 0]),
    ]
)

anything = st.recursive(
    SCALARS | ARRAYS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner, inner),
        st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3),
        st.sets(st.integers(), max_size=3),
    ),
    max_leaves=12,
)
"""Any Python object."""

coordinates = st.floats(-2.0, 2.0)
vectors = st.tuples(coordinates, coordinates, coordinates)
axes = st.one_of(st.sampled_from(list(AXES)), vectors.filter(lambda v: max(map(abs, v)) > 1e-3))
bounds = st.tuples(coordinates, coordinates).map(sorted)
speeds = st.none() | st.floats(1e-3, 1e3)


@st.composite
def limits(draw: st.DrawFn, kind: str) -> JointLimits:
    """Return limits of one kind."""
    if kind == "continuous":
        return JointLimits.continuous(draw(speeds))
    lower, upper = draw(bounds)
    if kind == "prismatic":
        lower, upper = draw(st.sampled_from([(lower, upper), (-np.inf, upper), (lower, np.inf), (-np.inf, np.inf)]))
        return JointLimits.prismatic(lower, upper, draw(speeds))
    return JointLimits.revolute(lower, upper, draw(speeds))


@st.composite
def joints(draw: st.DrawFn, *, mimic: JointMimic | None = None, name: str | None = None) -> JointSpec:
    """Return a joint of any type; one that moves if it has a mimic."""
    moving = ["revolute", "prismatic", "continuous"]
    kind = draw(st.sampled_from(moving if mimic else [*moving, "fixed"]))
    translation, rpy = draw(vectors), draw(vectors)
    if kind == "fixed":
        return JointSpec.fixed(translation, rpy, name=name)
    make = JointSpec.prismatic if kind == "prismatic" else JointSpec.revolute
    return make(translation, rpy, draw(axes), draw(limits(kind)), name=name, mimic=mimic)


@st.composite
def chains(draw: st.DrawFn) -> KinematicChain:
    """Return a chain of one to five joints with names, a tool offset and a home, each given or not, and a mimic."""
    names = draw(
        st.lists(st.none() | st.text(min_size=1, max_size=8), max_size=4, unique_by=lambda name: name or object())
    )
    path = [draw(joints(name=None if name is None else f"{name}!")) for name in names]
    path.append(draw(joints(mimic=None, name="source").filter(lambda joint: joint.limits is not None)))
    if draw(st.booleans()):
        free = JointSpec.prismatic(draw(vectors), draw(vectors), mimic=JointMimic("source", draw(coordinates), 0.25))
        path.insert(0, free)
    T = np.eye(4)
    if draw(st.booleans()):
        T = JointSpec.fixed(draw(vectors), draw(vectors)).origin_transform() @ T
    if draw(st.booleans()):
        T = T @ JointSpec.fixed(draw(vectors), draw(vectors)).origin_transform()
    chain = KinematicChain(path, tool_offset=T, name=draw(st.none() | st.text(min_size=1)))
    if draw(st.booleans()):
        home = chain.clamp_to_limits([draw(coordinates) for _ in chain.joints])
        chain = KinematicChain(path, tool_offset=T, name=chain.name, home=home)
    return chain
