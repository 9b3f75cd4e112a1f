"""What a benchmark ran on: CPU, system, versions, and the commit of the checkout."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import repose_jit

__all__ = ["Machine", "git_commit", "this_machine"]

GIT_SECONDS = 10
"""How long Git may take to answer."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine and its software.

    Attributes
    ----------
    cpu
        Its name, and in parentheses the architecture for which kernels are compiled.
    cores
        CPUs of the machine.
    threads
        How many of them this process may use.
    os, python, numba, llvmlite, numpy, repose_jit
        Names and versions.
    commit
        Git commit of the checkout, followed by ``-dirty`` where files were changed; None outside a checkout.
    """

    cpu: str
    cores: int
    threads: int
    os: str
    python: str
    numba: str
    llvmlite: str
    numpy: str
    repose_jit: str
    commit: str | None = None


def this_machine() -> Machine:
    """Return what this process runs on."""
    import llvmlite.binding
    import numba
    import numpy as np

    from repose_jit.threads import available_cpus

    return Machine(
        cpu=f"{_cpu_name()} ({llvmlite.binding.get_host_cpu_name()})",
        cores=os.cpu_count() or 1,
        threads=available_cpus(),
        os=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=platform.python_version(),
        numba=numba.__version__,
        llvmlite=llvmlite.__version__,
        numpy=np.__version__,
        repose_jit=repose_jit.__version__,
        commit=git_commit(Path(repose_jit.__file__)),
    )


def git_commit(file: Path) -> str | None:
    """Return the commit of the checkout that `file` belongs to, None if Git does not know the file."""
    git = shutil.which("git")
    if git is None:
        return None

    def ask(*arguments: str) -> str:
        done = subprocess.run(  # noqa: S603 (nothing of it comes from outside)
            [git, "-C", str(file.parent), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=GIT_SECONDS,
        )
        return done.stdout.strip()

    try:
        # An environment may lie in a checkout of something else, which is not where its packages come from.
        ask("ls-files", "--error-unmatch", file.name)
        return ask("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty") or None
    except (OSError, subprocess.SubprocessError):
        return None


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
