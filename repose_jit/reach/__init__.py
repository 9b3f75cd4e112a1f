"""Reachability studies: which poses of a workspace a robot can take."""
