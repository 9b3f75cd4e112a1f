"""Robot descriptions: URDF files, text and loaded objects become checked plain records (see `load_urdf`)."""

from repose_jit.urdf.load import load_urdf
from repose_jit.urdf.tree import CollisionGeometry, Inertial, UrdfJoint, UrdfLink, UrdfTree

__all__ = ["CollisionGeometry", "Inertial", "UrdfJoint", "UrdfLink", "UrdfTree", "load_urdf"]
