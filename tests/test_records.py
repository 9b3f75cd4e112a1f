"""Dataclasses read from their annotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.errors import ConfigError, InputError
from repose_jit.ik import IkParams
from repose_jit.records import record
from repose_jit.units import ANGLE, LENGTH
from tests.anything import anything


@dataclass(frozen=True, kw_only=True)
class Step:
    """A dataclass with one field of each kind."""

    rule: Literal["fixed", "adaptive"] = "fixed"
    angle: Annotated[float, ANGLE] = 0.25
    length: Annotated[float, LENGTH] | None = None
    most: int = 64
    clamp: bool = True
    mask: tuple[bool, bool, bool] = (True, True, True)
    weights: tuple[float, ...] = ()
    seeds: Sequence[float] | str | None = None
    _hidden: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        for name in ("angle", "most"):
            if getattr(self, name) <= 0:
                raise InputError(f"{name}: got {getattr(self, name)}, expected a number > 0")
        if self.most == 13 and self.angle == 0.5:
            raise InputError("13 steps of half a radian are unlucky")


@dataclass(frozen=True, kw_only=True)
class Task:
    """A dataclass in a dataclass, and a field without a default."""

    name: str
    step: Step = Step()


def test_a_record_is_the_dataclass() -> None:
    assert record(Step)({}, "") == Step()
    written = {"rule": "adaptive", "angle": "90deg", "length": "2mm", "most": 3, "clamp": False}
    written |= {"mask": [True, False, True], "weights": [1, 2], "seeds": [0.5]}
    assert record(Step)(written, "") == Step(
        rule="adaptive", angle=math.pi / 2, length=0.002, most=3, clamp=False, mask=(True, False, True),
        weights=(1.0, 2.0), seeds=[0.5],
    )  # fmt: skip
    assert record(Task)({"name": "a", "step": {"most": 2}}, "") == Task(name="a", step=Step(most=2))


FIELDS = ("rule", "angle", "length", "most", "clamp", "mask", "weights", "seeds")


def test_every_mistake_is_reported_with_its_path() -> None:
    written = {
        "name": "",
        "step": {"rulle": "fixed", "angle": "1m", "most": 1.5, "clamp": 1, "mask": [1], "_hidden": 1},
    }
    with pytest.raises(ConfigError) as caught:
        record(Task)(written, "task")
    assert caught.value.problems == (
        "task.name: got '', expected a non-empty string",
        "task.step.rulle: unknown key; did you mean 'rule'?",
        f"task.step._hidden: unknown key; expected one of {', '.join(map(repr, FIELDS))}",
        "task.step.angle: got '1m', a length; expected an angle: a number [rad] or a string such as '90deg'",
        "task.step.most: got 1.5, expected a whole number",
        "task.step.clamp: got 1, expected true or false",
        "task.step.mask: got a list of length 1, expected 3",
    )


def test_what_the_dataclass_refuses_is_reported_field_by_field() -> None:
    with pytest.raises(ConfigError) as caught:
        record(Step)({"angle": -1.0, "most": 0, "clamp": True}, "ik")
    assert caught.value.problems == (
        "ik.angle: got -1.0, expected a number > 0",
        "ik.most: got 0, expected a number > 0",
    )
    with pytest.raises(ConfigError) as caught:
        record(Step)({"angle": 0.5, "most": 13}, "ik")
    assert caught.value.problems == ("ik: 13 steps of half a radian are unlucky",)


def test_parameters_of_the_solver_are_records() -> None:
    assert record(IkParams)({}, "ik") == IkParams()
    assert record(IkParams)({"damping": 0.1, "max_iterations": 9}, "ik") == IkParams(damping=0.1, max_iterations=9)
    with pytest.raises(ConfigError) as caught:
        record(IkParams)({"max_iteration": 9, "solver": "pseudo_inverse", "damping": "x"}, "ik")
    assert caught.value.problems == (
        "ik.max_iteration: unknown key; did you mean 'max_iterations'?",
        "ik.solver: got 'pseudo_inverse'; did you mean 'pseudoinverse'?",
        "ik.damping: got 'x', expected a number",
    )
    with pytest.raises(ConfigError) as caught:
        record(IkParams)({"max_step": 0, "max_iterations": 0}, "ik")
    assert len(caught.value.problems) == 2


@given(st.dictionaries(st.sampled_from(["name", "step", "rule", "angle"]), anything) | anything)
def test_records_raise_only_config_errors(value: object) -> None:
    for cls in (Step, Task, IkParams):
        with suppress(ConfigError):
            record(cls)(value, "")


def test_a_wrong_key_hides_no_wrong_value() -> None:
    with pytest.raises(ConfigError) as caught:
        record(Step)({"lenght": 1, "angle": -1, "most": 0, "rule": "fast"}, "step")
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "step.lenght",
        "step.rule",
        "step.angle",
        "step.most",
    ]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A dataclass of which one field needs the company of another."""

    which: Literal["first", "nearest"] = "first"
    reference: float | None = None
    most: int = 1

    def __post_init__(self) -> None:
        if self.which == "nearest" and self.reference is None:
            raise InputError("reference: got none, expected a number")
        if self.most <= 0:
            raise InputError(f"most: got {self.most}, expected a number > 0")


def test_a_field_is_not_blamed_for_the_company_that_it_has() -> None:
    with pytest.raises(ConfigError) as caught:
        record(Choice)({"which": "nearest", "reference": 1.0, "most": 0}, "")
    assert caught.value.problems == ("most: got 0, expected a number > 0",)
    with pytest.raises(ConfigError) as caught:
        record(Choice)({"which": "nearest", "most": 0}, "")
    assert len(caught.value.problems) == 2


@dataclass(frozen=True, kw_only=True)
class Needy:
    """A dataclass with a field that it needs and others that it checks."""

    name: str
    most: int = 1
    least: int = 0

    def __post_init__(self) -> None:
        for name in ("most", "least"):
            if getattr(self, name) < 0:
                raise InputError(f"{name}: got {getattr(self, name)}, expected a number ≥ 0")


def test_mistakes_beside_a_needed_field_are_all_found() -> None:
    with pytest.raises(ConfigError) as caught:
        record(Needy)({"name": "a", "most": -1, "least": -2}, "")
    assert len(caught.value.problems) == 2
    with pytest.raises(ConfigError) as caught:
        record(Needy)({"most": -1, "least": -2}, "")
    assert caught.value.problems == ("name: missing",)
