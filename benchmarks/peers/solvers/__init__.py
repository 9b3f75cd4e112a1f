"""One file for each library that solves inverse kinematics, ours too; none imports its library before it is built."""

from __future__ import annotations

from benchmarks.peers.solver import Peer
from benchmarks.peers.solvers.eaik import Eaik
from benchmarks.peers.solvers.embodik import Embodik
from benchmarks.peers.solvers.optik import Optik
from benchmarks.peers.solvers.pytracik import Pytracik
from benchmarks.peers.solvers.roboticstoolbox import RoboticsToolbox

PEERS: tuple[type[Peer], ...] = (RoboticsToolbox, Optik, Pytracik, Eaik, Embodik)
