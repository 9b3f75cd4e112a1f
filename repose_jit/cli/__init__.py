"""The command line ``repose-jit``: one file per command, which imports what it needs when it runs."""

from repose_jit.cli.app import app, main

__all__ = ["app", "main"]
