"""Messages: nearest names, values cut short, and errors that survive pickling."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given

from repose_jit.errors import ConfigError, ReposeError, SingularJacobianError, UnknownNameError, nearest_names, shown
from tests.anything import anything


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("uper", ["lower", "upper"], "did you mean 'upper'?"),
        ("Upper", ["lower", "upper"], "did you mean 'upper'?"),
        ("tool", ["name", "tool_offset"], "did you mean 'tool_offset'?"),
        ("ur5", ["ur3e", "ur5e", "ur10e"], "did you mean 'ur5e'?"),
        ("xyz", ["a", "b"], "expected one of 'a', 'b'"),
        ("xyz", list("abcdefg"), "expected one of 'a', 'b', 'c', 'd', 'e', ... (7 in all)"),
        (3, ["a"], "expected one of 'a'"),
        ("a", [], "there are none"),
    ],
)
def test_the_nearest_names_are_offered(name: object, known: list[str], expected: str) -> None:
    assert nearest_names(name, known) == expected


def test_values_are_cut_and_never_get_in_the_way() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert shown("a" * 200) == "'" + "a" * 76 + "..."
    assert shown(Broken()) == "a value of type Broken"
    assert shown([10**5000]) == "a value of type list"


@given(anything)
def test_any_name_can_be_unknown(name: object) -> None:
    message = str(UnknownNameError("link", name, ["base", "tool0"], where="robot 'arm'"))
    assert message.startswith("unknown link ")
    assert "in robot 'arm'" in message


@pytest.mark.parametrize(
    "error",
    [
        ConfigError(["a: missing", "b: missing"], source="c.toml"),
        UnknownNameError("link", "a", ["b"], where="robot 'arm'"),
        SingularJacobianError("singular", np.zeros(3)),
        ReposeError("plain"),
    ],
)
def test_errors_survive_pickling(error: ReposeError) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert {**vars(twin), "q": 0} == {**vars(error), "q": 0}


def test_a_config_error_lists_its_problems() -> None:
    assert str(ConfigError(["a: missing"])) == "a: missing"
    assert str(ConfigError(["a: missing"], source="c.toml")) == "c.toml: a: missing"
    two = ConfigError(["a: missing", "b: missing"], source="c.toml")
    assert str(two) == "c.toml: 2 mistakes in the configuration:\n  a: missing\n  b: missing"
