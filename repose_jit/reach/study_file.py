"""The study file: a reachability study as TOML, JSON or a dict, read strictly; and a study written as one."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeVar

from repose_jit.chain import KinematicChain, read_kinematic_chain
from repose_jit.chain_spec import read_transform
from repose_jit.config_file import read_config
from repose_jit.errors import ConfigError, InputError, ReposeError, UnknownNameError, shown
from repose_jit.joints import JointType
from repose_jit.multi_seed import MultiSeedParams
from repose_jit.reach.grid import default_box
from repose_jit.reach.metrics import DEFAULT_METRICS, METRICS, as_length_scale, as_metrics
from repose_jit.reach.orientations import Orientations, orientation_mistakes, orientations_for
from repose_jit.reach.placement_grid import PlacementGrid
from repose_jit.reach.study import ReachStudy
from repose_jit.reach.targets import GridTargets, PoseTargets, SurfaceTargets, Targets
from repose_jit.records import record
from repose_jit.robots import RobotPreset, preset
from repose_jit.strict import Reader, Table, attempt, boolean, choice, integer, list_of, quantity, text
from repose_jit.units import ANGLE, LENGTH
from repose_jit.validation import as_path

__all__ = ["SCHEMA", "StudyFile", "read_study", "study_config"]

SCHEMA = 1
"""What the key ``schema`` of a study file has to be."""

UNITS = ("m", "cm", "mm", "in")

T = TypeVar("T")

KEYS_OF = {
    "grid": ("spacing", "box_min", "box_max"),
    "surface": ("file", "units", "spacing"),
    "poses": ("file", "units"),
}
"""The keys of ``[targets]`` that go with each kind."""

KIND_OF: dict[type[Targets], str] = {GridTargets: "grid", SurfaceTargets: "surface", PoseTargets: "poses"}

SECTION_OF = {
    **dict.fromkeys(("targets", "spacing", "box", "box_min", "box_max", "points", "poses"), "targets"),
    **dict.fromkeys(("orientations", "n", "n_roll", "tool_axis", "approach"), "orientations"),
    **dict.fromkeys((field.name for field in fields(MultiSeedParams)), "solve"),
    **dict.fromkeys(("metrics", "length_scale"), "metrics"),
    "joint": "robot",
}
"""The section that a message of the study is about, by the word it starts with."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyFile:
    """What a study file says.

    Attributes
    ----------
    study
        The study, with everything that determines its results.
    store
        Where they go; None if the file does not say.
    threads
        Threads to run on; None if the file does not say. No influence on results.
    placement
        Where the base may stand; None if the file does not say.
    """

    study: ReachStudy
    store: Path | None = None
    threads: int | None = None
    placement: PlacementGrid | None = None


def read_study(
    source: Mapping[str, object] | str | os.PathLike[str],
    *,
    directory: str | os.PathLike[str] | None = None,
    targets: Targets | None = None,
) -> StudyFile:
    """Read a study from a dict, or from a ``.toml`` or ``.json`` file; see docs/study_file.md for its keys.

    Parameters
    ----------
    source
        The values, or the path of the file.
    directory
        Where relative names of files in the study start from; by default the folder of the file, or for a dict the
        working directory.
    targets
        What the study aims at, where `source` is the record of a study (:func:`study_config`), which says how many
        targets there are but does not have them.

    Returns
    -------
    StudyFile

    Raises
    ------
    ConfigError
        With every mistake found: unknown keys, types, units, values, files, and settings that do not go together.

    Examples
    --------
    >>> file = read_study({"schema": 1, "robot": {"preset": "ur5"}, "targets": {"kind": "grid", "spacing": "250mm"}})
    >>> file.study.target_set.shape, file.store
    ((8, 8, 8), None)
    """
    if directory is None:
        directory = Path() if isinstance(source, Mapping) else as_path(source, name="source").parent
    return read_config(source, _study_reader(as_path(directory, name="directory"), targets))


def study_config(study: ReachStudy) -> dict[str, object]:
    """Return a study as plain values, every default filled in: equal for equal studies.

    :func:`read_study` reads it back. The robot is written as a chain; of a surface or poses there is only the name of
    their file, if any, and how many they are, and reading takes the targets beside. Neither the store's path nor the
    number of threads is in it.
    """
    kind = KIND_OF[type(study.targets)]
    orientations = orientations_for(kind, study.orientations)
    sections: dict[str, Mapping[str, object | None]] = {
        "robot": {"chain": study.chain.to_config()},
        "targets": {"kind": kind, **_target_config(study)},
        "orientations": {}
        if orientations is None
        else {field.name: getattr(orientations, field.name) for field in fields(Orientations)},
        "solve": {name: getattr(study.solve, name) for name in _solve_keys()},
        "metrics": {"names": list(study.metrics), "length_scale": study.length_scale},
        "store": {"save_q": study.save_q},
    }
    if study.solve.reference is not None:
        sections["solve"] = {**sections["solve"], "reference": list(study.solve.reference)}
    # TOML has no null: what is None is left out.
    written = {
        name: {key: value for key, value in section.items() if value is not None} for name, section in sections.items()
    }
    return {"schema": SCHEMA, **{name: section for name, section in written.items() if section}}


def _solve_keys() -> list[str]:
    outside = ("free_axis", "axis_mask", "threads")  # what [orientations] says, and what has no influence
    return [field.name for field in fields(MultiSeedParams) if field.init and field.name not in outside]


def _target_config(study: ReachStudy) -> dict[str, object | None]:
    targets = study.targets
    if not isinstance(targets, GridTargets):
        return {"file": targets.source, "count": study.target_set.n_sites}
    box = targets.box_min, targets.box_max
    low, high = default_box(study.chain) if box[0] is None or box[1] is None else box
    return {"box_min": list(low), "box_max": list(high), "spacing": study.target_set.spacing}


def _study_reader(directory: Path, targets: Targets | None) -> Reader[StudyFile]:
    def read(value: object, path: str) -> StudyFile:
        table = Table(value, path)
        table.need("schema", _read_schema)
        chain = table.need("robot", _robot_reader(directory))
        wanted = table.take("targets", _targets_reader(directory, targets), GridTargets())
        orientations = table.take("orientations", record(Orientations), None)
        _check_orientations(table, value, orientations)
        solve = table.take("solve", _solve_reader(chain), MultiSeedParams())
        metrics, length_scale = table.take("metrics", _read_metrics, (DEFAULT_METRICS, 1.0))
        store, save_q = table.take("store", _store_reader(directory), (None, False))
        placement = table.take("placement", record(PlacementGrid), None)
        table.finish()
        try:
            study = ReachStudy(
                chain,
                targets=wanted,
                orientations=orientations,
                solve=_without_threads(solve),
                metrics=metrics,
                length_scale=length_scale,
                save_q=save_q,
            )
        except ReposeError as error:
            raise ConfigError([_placed(error)]) from None
        return StudyFile(study=study, store=store, threads=solve.threads, placement=placement)

    return read


def _read_schema(value: object, path: str) -> int:
    schema = integer(value, path)
    if schema != SCHEMA:
        raise ConfigError([f"{path}: got {schema}, expected {SCHEMA}: the one that this version of repose_jit reads"])
    return schema


def _robot_reader(directory: Path) -> Reader[KinematicChain]:
    """Return a reader of ``[robot]``."""

    def read(value: object, path: str) -> KinematicChain:
        table = Table(value, path)
        sources = {
            "preset": table.take("preset", _read_preset, None),
            "urdf": table.take("urdf", _file_reader(directory, must_exist=True), None),
            "chain": table.take("chain", _chain_reader(directory), None),
        }
        links = {name: table.take(name, text, None) for name in ("base_link", "tip_link")}
        tool_offset = table.take("tool_offset", read_transform, None)
        locked = table.take("locked_joints", _read_locked, None)
        given = [name for name in sources if table.has(name)]
        if len(given) != 1:
            table.problems.append(f"{path}: got {' and '.join(given) or 'no robot'}, expected one of preset, urdf, chain")
        if given and given != ["urdf"]:
            for name in ("base_link", "tip_link", "locked_joints"):
                if table.has(name):
                    table.reject(name, f"got it beside {given[0]}, expected a urdf: only that has links and more joints")
        table.finish()
        if (urdf := sources["urdf"]) is not None:
            assert isinstance(urdf, Path)
            try:
                return KinematicChain.from_urdf(urdf, **links, tool_offset=tool_offset, locked_joints=locked)
            except ReposeError as error:
                raise ConfigError([_of_urdf(error, path)]) from None
        chain = sources["preset"] or sources["chain"]
        assert isinstance(chain, KinematicChain)
        return chain if tool_offset is None else chain.with_tool_offset(tool_offset)

    return read


def _of_urdf(error: ReposeError, path: str) -> str:
    """Return the message of an error of a URDF, after the key that has to be changed."""
    kind = error.kind if isinstance(error, UnknownNameError) else ""
    message = str(error).replace("(strict=False:", "(repose-jit convert --no-strict makes a chain file:")
    if "link" in kind:
        return f"{path}: {message}"
    key = next((key for key in ("base_link", "tip_link", "locked_joints") if message.startswith(key)), None)
    return f"{path}.{message}" if key else f"{path}.{'locked_joints' if 'joint' in kind else 'urdf'}: {message}"


def _read_preset(value: object, path: str) -> KinematicChain:
    name = text(value, path)
    if name not in RobotPreset.names() and Path(name).suffix:
        raise ConfigError([f"{path}: got the file {shown(name)}, expected the name of a preset; a file goes to urdf or chain"])
    return preset(name).chain()


def _chain_reader(directory: Path) -> Reader[KinematicChain]:
    read_file = _file_reader(directory)

    def read(value: object, path: str) -> KinematicChain:
        if isinstance(value, Mapping):
            return read_kinematic_chain(value, path)
        if isinstance(value, str) and value in RobotPreset.names() and not (directory / value).exists():
            raise ConfigError([f"{path}: got {shown(value)}, the name of a preset; expected it in preset"])
        return read_config(read_file(value, path), read_kinematic_chain)

    return read


def _read_locked(value: object, path: str) -> dict[str, float]:
    table = Table(value, path)
    names = list(value) if isinstance(value, Mapping) else []
    locked = {name: table.need(name, quantity(ANGLE, LENGTH)) for name in names}
    table.finish()
    return locked


def _file_reader(directory: Path, *, must_exist: bool = False) -> Reader[Path]:
    """Return a reader of the name of a file: one that is not absolute starts from `directory`."""

    def read(value: object, path: str) -> Path:
        file = directory / as_path(text(value, path), name=path)
        if must_exist and not file.is_file():
            raise ConfigError([f"{path}: {file}: no such file"])
        return file

    return read


def _targets_reader(directory: Path, given: Targets | None) -> Reader[Targets]:
    """Return a reader of ``[targets]``; `given` stand for those of a record, which are not read."""

    def read(value: object, path: str) -> Targets:
        table = Table(value, path)
        kind = table.need("kind", choice(tuple(KEYS_OF)))
        file = table.take("file", _file_reader(directory), None)
        units = table.take("units", choice(UNITS), "m")
        corners = {name: table.take(name, list_of([quantity(LENGTH)] * 3), None) for name in ("box_min", "box_max")}
        spacing = table.take("spacing", quantity(LENGTH), None)
        count = table.take("count", integer, None)
        if kind is not None:
            for key in ("file", "units", "box_min", "box_max", "spacing"):
                if table.has(key) and key not in KEYS_OF[kind]:
                    table.reject(key, f"got it beside kind {kind!r}, which takes {', '.join(KEYS_OF[kind])}")
            if kind != "grid" and file is None and given is None and not table.has("file"):
                table.reject("file", "missing")
        if count is not None and given is None:
            table.reject("count", "got a number without the targets: this is the record of a study, not a study file")
        table.finish()
        if given is not None:
            return _require_recorded(given, kind, count, path)
        if kind == "grid":
            try:
                return GridTargets(spacing=spacing, **corners)  # type: ignore[arg-type]
            except ReposeError as error:
                raise ConfigError([_placed(error)]) from None
        assert file is not None
        if kind == "surface":
            return SurfaceTargets.from_file(file, units=units, spacing=spacing)
        return PoseTargets.from_file(file, units=units)

    return read


def _require_recorded(targets: Targets, kind: str, count: int | None, path: str) -> Targets:
    """Return the targets given for a record, if they can be those that it is of."""
    got = KIND_OF[type(targets)]
    if got != kind:
        raise ConfigError([f"{path}.kind: got {kind!r}, expected {got!r}: the kind of the targets given"])
    length = None if isinstance(targets, GridTargets) else len(getattr(targets, "points" if kind == "surface" else "poses"))
    if length != count:
        raise ConfigError([f"{path}.count: got {count}, expected {length}: the number of targets given"])
    return targets


def _check_orientations(table: Table, value: object, orientations: Orientations | None) -> None:
    """Note every setting of ``[orientations]`` that does not go with the kind of targets."""
    section = value.get("targets") if isinstance(value, Mapping) else None
    kind = section.get("kind") if isinstance(section, Mapping) else "grid"
    if not isinstance(kind, str) or kind not in KEYS_OF:
        return
    if orientations is not None:
        table.problems += [_placed(mistake) for mistake in orientation_mistakes(kind, orientations)]
    elif kind == "surface" and not table.has("orientations"):
        table.reject(
            "orientations",
            "missing; a surface needs kind, tool_axis and approach, such as kind = 'free_axis', tool_axis = 'z', "
            "approach = '-normal' for a tool whose z axis points into the surface: this is not guessed",
        )


def _solve_reader(chain: KinematicChain | None) -> Reader[MultiSeedParams]:
    """Return a reader of ``[solve]``: the parameters of the solve, but for what ``[orientations]`` says of the pose."""
    write = {
        "free_axis": "kind = 'free_axis' and tool_axis = 'x', 'y' or 'z' in [orientations]",
        "axis_mask": "kind = 'none' (position only) or 'free_axis' in [orientations]",
    }

    def read(value: object, path: str) -> MultiSeedParams:
        if not isinstance(value, Mapping):
            return record(MultiSeedParams)(value, path)
        problems = [
            f"{path}.{name}: what of a pose counts is not said here; write {instead}"
            for name, instead in write.items()
            if value.get(name) is not None
        ]
        rest = {name: entry for name, entry in value.items() if name not in write}
        if rest.get("reference") is not None:
            rest["reference"] = attempt(problems, _reference_reader(chain), rest["reference"], f"{path}.reference")
            if rest["reference"] is None:
                rest["selection"] = None  # "nearest" without a reference would be a second mistake
        params = attempt(problems, record(MultiSeedParams), rest, path)
        if problems or params is None:
            raise ConfigError(problems)
        return params

    return read


def _reference_reader(chain: KinematicChain | None) -> Reader[tuple[float, ...]]:
    if chain is None:
        return list_of(quantity(ANGLE, LENGTH))
    return list_of([quantity(LENGTH if joint.joint_type is JointType.PRISMATIC else ANGLE) for joint in chain.joints])


def _without_threads(solve: MultiSeedParams) -> MultiSeedParams:
    return MultiSeedParams(**{name: getattr(solve, name) for name in _solve_keys()})


def _read_metrics(value: object, path: str) -> tuple[tuple[str, ...], float]:
    table = Table(value, path)
    names = table.take("names", list_of(choice(tuple(METRICS))), DEFAULT_METRICS)
    length_scale = table.take("length_scale", quantity(LENGTH), 1.0)
    for check, checked in ((as_metrics, names), (as_length_scale, length_scale)):
        try:
            check(checked)
        except InputError as error:
            table.problems.append(_placed(error))
    table.finish()
    return names, length_scale


def _store_reader(directory: Path) -> Reader[tuple[Path | None, bool]]:
    def read(value: object, path: str) -> tuple[Path | None, bool]:
        table = Table(value, path)
        store = table.take("path", _file_reader(directory), None)
        save_q = table.take("save_q", boolean, False)
        table.finish()
        return store, save_q

    return read


def _placed(error: ReposeError | str) -> str:
    """Return a message about the arguments of a study with the path that its subject has in a study file."""
    message = str(error)
    match = re.match(r"(\w+)", message)
    section = SECTION_OF.get(match[1]) if match else None
    if section is None:
        return f"configuration: {message}"
    if match and match[1] == "metrics":
        return message.replace("metrics", "metrics.names", 1)
    return message if match and match[1] == section else f"{section}.{message}"
