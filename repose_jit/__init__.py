"""Robot kinematics at scale."""
