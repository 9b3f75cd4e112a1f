"""Solve the poses of a study, chunk by chunk."""
