"""The figures of a study: counted from the per-site arrays, so that an unfinished map has them too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.status import ReachStatus

__all__ = ["Facts", "MissRate", "map_facts"]

COUNTED = {
    ReachStatus.REACHED: "n_reached",
    ReachStatus.NOT_FOUND: "n_not_found",
    ReachStatus.PROVEN_UNREACHABLE: "n_proven_unreachable",
}


@dataclass(frozen=True, kw_only=True)
class MissRate:
    """How many poses of a sample were missed.

    Attributes
    ----------
    sampled, missed
        Poses in the sample, and those of them that the budget missed.
    attempts
        Budget they were solved again with; None for poses that are known reachable by forward kinematics.
    """

    sampled: int
    missed: int
    attempts: int | None = None

    @property
    def rate(self) -> float:
        """Share missed."""
        return self.missed / self.sampled


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The figures of a study.

    Attributes
    ----------
    robot
        Its name, ``"robot"`` if it has none.
    counts
        Poses per outcome, those with none left out; `REACHED` is always there.
    n_tried
        Poses that were solved for: neither excluded nor still to come.
    reachable_volume
        Volume of the voxels with at least one pose reached [m³]; None unless the sites are voxels.
    from_fk, from_retry
        Samples that the miss rate is estimated from, None where none was made.
    percent_missed
        What the reachable poses that were not found are below with a confidence of 95 % [%]; None where no sample says.
        Of a grid the larger of both estimates. Of anything else that of `from_retry` alone, for the poses of `from_fk`
        are those of the whole workspace there; and none where all that was not found was tried again.
    """

    robot: str
    counts: Mapping[ReachStatus, int]
    n_tried: int
    reachable_volume: float | None
    from_fk: MissRate | None
    from_retry: MissRate | None
    percent_missed: float | None

    @property
    def percent_reached(self) -> float:
        """Poses reached of those tried [%]; 0 of none."""
        return 100.0 * self.counts[ReachStatus.REACHED] / max(1, self.n_tried)

    @property
    def all_retried(self) -> bool:
        """Whether every pose not found was tried again, so that nothing is left to estimate."""
        return self.from_retry is not None and self.from_retry.sampled >= self.counts.get(ReachStatus.NOT_FOUND, 0)


def map_facts(reach_map: ReachMap) -> Facts:
    """Count the outcomes of a map."""
    counts = {status: reach_map.site(name).astype(np.int64) for status, name in COUNTED.items()}
    n_reached = counts[ReachStatus.REACHED]
    is_done = n_reached >= 0
    n_computed = int(np.count_nonzero(is_done)) * reach_map.n_orientations
    totals = {status: int(count[is_done].sum()) for status, count in counts.items()}
    n_tried = sum(totals.values())
    totals[ReachStatus.EXCLUDED] = n_computed - n_tried
    totals[ReachStatus.UNINITIALIZED] = reach_map.n_poses - n_computed
    spacing = reach_map.spacing
    miss_rate = reach_map.summary().get("miss_rate") or {}
    n_not_found = totals[ReachStatus.NOT_FOUND]
    samples = [
        sample
        for name, sample in miss_rate.items()
        if sample and (reach_map.kind == "grid" or (name == "from_retry" and sample["sampled"] < n_not_found))
    ]
    return Facts(
        robot=_robot(reach_map),
        counts={status: n for status, n in totals.items() if n or status is ReachStatus.REACHED},
        n_tried=n_tried,
        reachable_volume=None if spacing is None else int(np.count_nonzero(n_reached > 0)) * spacing**3,
        from_fk=_miss_rate(miss_rate.get("from_fk"), "missed"),
        from_retry=_miss_rate(miss_rate.get("from_retry"), "found"),
        percent_missed=max((sample["below"] for sample in samples if sample["below"] is not None), default=None),
    )


def _robot(reach_map: ReachMap) -> str:
    """Return the robot's name, without the halves of characters that no file can hold, and not too long for a line."""
    name = str(reach_map.attributes.get("robot") or "robot").encode(errors="replace").decode()
    return name if len(name) <= 40 else name[:39] + "…"


def _miss_rate(sample: Mapping[str, int] | None, missed: str) -> MissRate | None:
    if not sample or not sample["sampled"]:
        return None
    return MissRate(sampled=sample["sampled"], missed=sample[missed], attempts=sample.get("attempts"))
