"""Time repose_jit and its peers side by side, in one process on one thread, and check every answer.

Read the ratios: absolute times belong to the machine and the hour. Each row is the median of rounds in which we and the
peers take turns on the same targets; compilation is not in them. Solved is what pinocchio's forward kinematics finds
within the tolerance, and inside the limits, whoever claims it.
"""

from __future__ import annotations

import argparse
import json
import sys

from benchmarks.peers import ik_rows, kinematics_rows, machine
from benchmarks.peers.arm import Arm
from benchmarks.peers.solver import is_installed
from benchmarks.peers.solvers import PEERS
from benchmarks.peers.table import Table


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON with the machine, the versions and the commit")
    arguments = parser.parse_args()
    if not is_installed("pinocchio"):
        sys.exit("pin: not installed, and it checks every answer: nothing to time")
    table = Table()
    for peer in PEERS:
        if not peer.is_installed():
            table.note(f"{peer.distribution}: not installed{peer.why_absent()}")
    panda, ur5, rebel = (Arm.of_preset(name) for name in ("franka_panda", "ur5", "igus_rebel"))
    for arm in (panda, rebel):
        kinematics_rows.fill(table, arm)
    for arm in (ur5, panda):
        ik_rows.fill(table, arm)
    for arm in (rebel, ur5, panda):
        ik_rows.fill_one_seed(table, arm)
    table.note_interruptions()
    if arguments.json:
        json.dump(machine.description() | table.document(), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
        print()
        return
    print(f"{machine.line()}\n")
    print(table.text())


if __name__ == "__main__":
    main()
