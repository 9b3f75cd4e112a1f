"""Compiled numerics: arrays in, arrays and status codes out. No names, no units, no exceptions."""
