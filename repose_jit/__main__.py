"""``python -m repose_jit``: the command line, as ``repose-jit``."""

from repose_jit.cli import main

if __name__ == "__main__":
    main()
