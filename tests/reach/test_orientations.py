"""Which settings of orientations go with which targets."""

from __future__ import annotations

from itertools import product

import pytest

from repose_jit.errors import InputError, UnknownNameError
from repose_jit.reach.targets.orientations import (
    APPROACHES,
    ORIENTATION_KINDS,
    REQUIRED,
    RULES,
    SETTINGS,
    Orientations,
    orientations_for,
)

TARGETS = ("grid", "surface", "poses")
SOME = {"n": 5, "n_roll": 3, "tool_axis": "-y", "approach": "+normal"}


def minimal(targets: str, kind: str) -> Orientations:
    """Return the orientations with nothing but the settings that have to be given."""
    needed = {name: SOME[name] for name, default in RULES[targets, kind].items() if default == REQUIRED}
    return Orientations(kind=kind, **needed)  # type: ignore[arg-type]


@pytest.mark.parametrize(("targets", "kind"), RULES)
def test_defaults_are_filled_in_and_what_is_given_stays(targets: str, kind: str) -> None:
    rule = RULES[targets, kind]
    filled = orientations_for(targets, minimal(targets, kind))
    assert filled is not None
    for name in SETTINGS:
        expected = None if name not in rule else SOME[name] if rule[name] == REQUIRED else rule[name]
        assert getattr(filled, name) == expected
    given = Orientations(kind=kind, **{name: SOME[name] for name in rule})  # type: ignore[arg-type]
    assert orientations_for(targets, given) == given
    assert orientations_for(targets, filled) == filled


@pytest.mark.parametrize(("pair", "name"), list(product(RULES, SETTINGS)))
def test_a_setting_that_is_not_used_is_refused_and_a_needed_one_demanded(pair: tuple[str, str], name: str) -> None:
    targets, kind = pair
    rule = RULES[pair]
    given = {known: SOME[known] for known in rule}
    if name not in rule:
        wrong = Orientations(kind=kind, **given, **{name: SOME[name]})  # type: ignore[arg-type]
        with pytest.raises(InputError, match=f"^{name}: got .*, but orientations '{kind}' on .*{targets} take"):
            orientations_for(targets, wrong)
    elif rule[name] == REQUIRED:
        del given[name]
        with pytest.raises(InputError, match=f"^{name}: got none, expected one: orientations '{kind}'"):
            orientations_for(targets, Orientations(kind=kind, **given))  # type: ignore[arg-type]


def test_poses_have_an_orientation_of_their_own() -> None:
    missing = [pair for pair in product(TARGETS, ORIENTATION_KINDS) if pair not in RULES]
    assert missing == [("poses", "super_fibonacci"), ("poses", "directions")]
    for _, kind in missing:
        with pytest.raises(InputError, match=f"got '{kind}' for given poses.*one of 'free_axis', 'none'"):
            orientations_for("poses", Orientations(kind=kind, tool_axis="z"))  # type: ignore[arg-type]


def test_the_usual_ones() -> None:
    assert orientations_for("grid", None) == Orientations(kind="super_fibonacci", n=256)
    assert orientations_for("poses", None) is None
    with pytest.raises(InputError, match=r"orientations: got none.*kind, tool_axis and approach.*not guessed"):
        orientations_for("surface", None)


def test_values_are_checked_on_construction() -> None:
    with pytest.raises(UnknownNameError, match="unknown orientations 'super_fibonaci'; did you mean 'super_fibonacci'"):
        Orientations(kind="super_fibonaci")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown tool_axis '\\+z'; did you mean"):
        Orientations(kind="free_axis", tool_axis="+z")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown approach 'normal'; did you mean"):
        Orientations(kind="free_axis", tool_axis="z", approach="normal")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="n: got 0, expected an integer ≥ 1"):
        Orientations(kind="super_fibonacci", n=0)
    with pytest.raises(InputError, match="n_roll: got True, expected an integer"):
        Orientations(kind="directions", n_roll=True)
    with pytest.raises(InputError, match="n × n_roll: got 2,000,000 orientations, expected at most 1,000,000"):
        Orientations(kind="directions", n=1000, n_roll=2000)
    with pytest.raises(InputError, match="orientations: got str, expected Orientations"):
        orientations_for("grid", "directions")  # type: ignore[arg-type]
    assert all(Orientations(kind="directions", approach=approach) for approach in APPROACHES)  # type: ignore[arg-type]
