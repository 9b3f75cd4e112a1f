"""Robot kinematics at scale: chains, forward kinematics, Jacobians, inverse kinematics and reachability studies.

``import repose_jit as rj`` and use ``rj.<name>``. Names are loaded on first use, so that the import itself stays quick
and does not load the compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repose_jit.chain import KinematicChain
    from repose_jit.errors import (
        ConfigError,
        InputError,
        ModelError,
        ReposeError,
        ShapeError,
        SingularJacobianError,
        SolveFailedError,
        UnknownNameError,
        UrdfWarning,
    )
    from repose_jit.ik import IkParams, IkResult, IkStatus, inverse_kinematics
    from repose_jit.joints import JointLimits, JointMimic, JointSpec, JointType
    from repose_jit.kinematics import (
        condition_number,
        forward_kinematics,
        jacobian,
        link_transforms,
        manipulability_squared,
        singular_values,
    )
    from repose_jit.model import RobotModel
    from repose_jit.multi_seed import (
        IkBatchResult,
        MultiSeedParams,
        Solutions,
        all_solutions,
        inverse_kinematics_batch,
        solve_one,
    )
    from repose_jit.reach.check.diagnosis import StudyCheck, check_study
    from repose_jit.reach.engine.chunk_report import ChunkReport
    from repose_jit.reach.engine.run import resume_study
    from repose_jit.reach.export.files import export_map
    from repose_jit.reach.placement.grid import ExcludedBox, PlacementGrid
    from repose_jit.reach.placement.placing import Placement, PlacementResult, place
    from repose_jit.reach.reach_map import ReachMap
    from repose_jit.reach.status import ReachStatus
    from repose_jit.reach.store.merge import merge_stores
    from repose_jit.reach.study import ReachStudy
    from repose_jit.reach.targets.grid import voxel_grid
    from repose_jit.reach.targets.kinds import GridTargets, PoseTargets, SurfaceTargets
    from repose_jit.reach.targets.orientations import Orientations
    from repose_jit.reach.targets.rotations import fibonacci_sphere, super_fibonacci
    from repose_jit.reach.verify.report import VerifyReport
    from repose_jit.reach.verify.verification import verify_store
    from repose_jit.robots import RobotPreset, igus_rebel_chain, preset, resolve_chain
    from repose_jit.seeds import spread_seeds

__version__ = "0.1.0"

_HOMES = {
    "KinematicChain": "chain",
    "ConfigError": "errors",
    "InputError": "errors",
    "ModelError": "errors",
    "ReposeError": "errors",
    "ShapeError": "errors",
    "SingularJacobianError": "errors",
    "SolveFailedError": "errors",
    "UnknownNameError": "errors",
    "UrdfWarning": "errors",
    "IkParams": "ik",
    "IkResult": "ik",
    "IkStatus": "ik",
    "inverse_kinematics": "ik",
    "JointLimits": "joints",
    "JointMimic": "joints",
    "JointSpec": "joints",
    "JointType": "joints",
    "condition_number": "kinematics",
    "forward_kinematics": "kinematics",
    "jacobian": "kinematics",
    "link_transforms": "kinematics",
    "manipulability_squared": "kinematics",
    "singular_values": "kinematics",
    "RobotModel": "model",
    "IkBatchResult": "multi_seed",
    "MultiSeedParams": "multi_seed",
    "Solutions": "multi_seed",
    "all_solutions": "multi_seed",
    "inverse_kinematics_batch": "multi_seed",
    "solve_one": "multi_seed",
    "RobotPreset": "robots",
    "igus_rebel_chain": "robots",
    "preset": "robots",
    "resolve_chain": "robots",
    "StudyCheck": "reach.check.diagnosis",
    "check_study": "reach.check.diagnosis",
    "ChunkReport": "reach.engine.chunk_report",
    "resume_study": "reach.engine.run",
    "export_map": "reach.export.files",
    "VerifyReport": "reach.verify.report",
    "ReachStatus": "reach.status",
    "voxel_grid": "reach.targets.grid",
    "merge_stores": "reach.store.merge",
    "Orientations": "reach.targets.orientations",
    "Placement": "reach.placement.placing",
    "PlacementResult": "reach.placement.placing",
    "place": "reach.placement.placing",
    "ExcludedBox": "reach.placement.grid",
    "PlacementGrid": "reach.placement.grid",
    "ReachMap": "reach.reach_map",
    "fibonacci_sphere": "reach.targets.rotations",
    "super_fibonacci": "reach.targets.rotations",
    "ReachStudy": "reach.study",
    "GridTargets": "reach.targets.kinds",
    "PoseTargets": "reach.targets.kinds",
    "SurfaceTargets": "reach.targets.kinds",
    "verify_store": "reach.verify.verification",
    "spread_seeds": "seeds",
}
"""Which module each public name lives in."""

__all__ = [
    "ChunkReport",
    "ConfigError",
    "ExcludedBox",
    "GridTargets",
    "IkBatchResult",
    "IkParams",
    "IkResult",
    "IkStatus",
    "InputError",
    "JointLimits",
    "JointMimic",
    "JointSpec",
    "JointType",
    "KinematicChain",
    "ModelError",
    "MultiSeedParams",
    "Orientations",
    "Placement",
    "PlacementGrid",
    "PlacementResult",
    "PoseTargets",
    "ReachMap",
    "ReachStatus",
    "ReachStudy",
    "ReposeError",
    "RobotModel",
    "RobotPreset",
    "ShapeError",
    "SingularJacobianError",
    "Solutions",
    "SolveFailedError",
    "StudyCheck",
    "SurfaceTargets",
    "UnknownNameError",
    "UrdfWarning",
    "VerifyReport",
    "__version__",
    "all_solutions",
    "check_study",
    "condition_number",
    "export_map",
    "fibonacci_sphere",
    "forward_kinematics",
    "igus_rebel_chain",
    "inverse_kinematics",
    "inverse_kinematics_batch",
    "jacobian",
    "link_transforms",
    "manipulability_squared",
    "merge_stores",
    "place",
    "preset",
    "resolve_chain",
    "resume_study",
    "singular_values",
    "solve_one",
    "spread_seeds",
    "super_fibonacci",
    "verify_store",
    "voxel_grid",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        # Imported here: the checks of names are the only reason to load it.
        from repose_jit.errors import nearest_names

        raise AttributeError(f"module 'repose_jit' has no attribute {name!r}; {nearest_names(name, list(_HOMES))}")
    value = getattr(importlib.import_module(f"repose_jit.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
