"""The study file: a reachability study as TOML, JSON or a dict, read strictly; and a study written as one."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from repose_jit.chain import KinematicChain
from repose_jit.config_file import file_reader, read_config
from repose_jit.errors import ConfigError, ReposeError
from repose_jit.joints import JointType
from repose_jit.multi_seed import MultiSeedParams
from repose_jit.reach.placement.grid import PlacementGrid
from repose_jit.reach.solving.metrics import DEFAULT_METRICS, METRICS, as_length_scale, as_metrics
from repose_jit.reach.study import ReachStudy
from repose_jit.reach.study_robot import robot_reader
from repose_jit.reach.targets.grid import default_box
from repose_jit.reach.targets.kinds import GridTargets, PoseTargets, SurfaceTargets, Targets
from repose_jit.reach.targets.orientations import Orientations, orientation_mistakes
from repose_jit.records import record
from repose_jit.strict import Reader, Table, attempt, boolean, choice, integer, list_of, quantity
from repose_jit.units import ANGLE, LENGTH, UNITS
from repose_jit.validation import as_path

__all__ = ["SCHEMA", "StudyFile", "read_study", "study_config"]

SCHEMA = 1
"""What the key ``schema`` of a study file has to be."""

KEYS_OF = {
    "grid": ("spacing", "box_min", "box_max"),
    "surface": ("file", "units", "spacing"),
    "poses": ("file", "units"),
}
"""The keys of ``[targets]`` that go with each kind."""

SECTION_OF = {
    **dict.fromkeys(("targets", "spacing", "box", "box_min", "box_max", "points", "poses"), "targets"),
    **dict.fromkeys(("orientations", "n", "n_roll", "tool_axis", "approach"), "orientations"),
    **dict.fromkeys((field.name for field in fields(MultiSeedParams)), "solve"),
    **dict.fromkeys(("metrics", "length_scale"), "metrics"),
    **dict.fromkeys(("robot", "joint"), "robot"),
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
) -> StudyFile:
    """Read a study from a dict, or from a ``.toml`` or ``.json`` file; see docs/study_file.md for its keys.

    Parameters
    ----------
    source
        The values, or the path of the file.
    directory
        Where relative names of files in the study start from; by default the folder of the file, or for a dict the
        working directory.

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
    ((9, 9, 9), None)
    """
    if directory is None:
        directory = Path() if isinstance(source, Mapping) else as_path(source, name="source").parent
    return read_config(source, _study_reader(as_path(directory, name="directory")))


def study_config(study: ReachStudy) -> dict[str, object]:
    """Return a study as plain values, every default filled in: equal for equal studies.

    :func:`read_study` reads that of a grid back. The robot is written as a chain; of a surface or poses there is only
    how many they are, and the name of their file if any: the numbers are for the store to keep. Neither the store's
    path nor the number of threads is in it.
    """
    kind, orientations = study.target_set.kind, study.orientations
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
        return {"file": targets.source and Path(targets.source).name, "count": study.target_set.n_sites}
    low, high = targets.box_min, targets.box_max
    if low is None or high is None:
        low, high = default_box(study.chain)
    return {"box_min": list(low), "box_max": list(high), "spacing": study.target_set.spacing}


def _study_reader(directory: Path) -> Reader[StudyFile]:
    def read(value: object, path: str) -> StudyFile:
        table = Table(value, path)
        table.need("schema", _read_schema)
        chain = table.need("robot", robot_reader(directory))
        wanted = table.take("targets", _targets_reader(directory), GridTargets())
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


def _targets_reader(directory: Path) -> Reader[Targets]:
    """Return a reader of ``[targets]``."""

    def read(value: object, path: str) -> Targets:
        table = Table(value, path)
        kind = table.need("kind", choice(tuple(KEYS_OF)))
        file = table.take("file", file_reader(directory, must_exist=True), None)
        units = table.take("units", choice(tuple(UNITS)), "m")
        corners = {name: table.take(name, list_of([quantity(LENGTH)] * 3), None) for name in ("box_min", "box_max")}
        spacing = table.take("spacing", quantity(LENGTH), None)
        table.take("count", _refuse_count, None)
        if kind is not None:
            for key in ("file", "units", "box_min", "box_max", "spacing"):
                if table.has(key) and key not in KEYS_OF[kind]:
                    table.reject(key, f"got it beside kind {kind!r}, which takes {', '.join(KEYS_OF[kind])}")
            if kind != "grid" and not table.has("file") and not table.has("count"):
                table.reject("file", "missing")
        table.finish()
        if kind == "grid":
            try:
                return GridTargets(spacing=spacing, **corners)  # type: ignore[arg-type]
            except ReposeError as error:
                raise ConfigError([_placed(error)]) from None
        assert file is not None
        try:
            if kind == "surface":
                return SurfaceTargets.from_file(file, units=units, spacing=spacing)
            return PoseTargets.from_file(file, units=units)
        except ReposeError as error:
            about = "" if str(error).startswith("spacing: ") else "file: "
            raise ConfigError([f"{path}.{about}{error}"]) from None
        except OSError as error:
            raise ConfigError([f"{path}.file: {file}: {error.strerror or error}"]) from None

    return read


def _refuse_count(_value: object, path: str) -> None:
    raise ConfigError([f"{path}: this is the record of a study, whose targets are in its store; expected a study file"])


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
        except ReposeError as error:
            table.problems.append(_placed(error))
    table.finish()
    return names, length_scale


def _store_reader(directory: Path) -> Reader[tuple[Path | None, bool]]:
    def read(value: object, path: str) -> tuple[Path | None, bool]:
        table = Table(value, path)
        store = table.take("path", file_reader(directory), None)
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
