"""Tests of the solver from many seeds."""
