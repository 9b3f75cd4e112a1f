"""Progress bars: what counts look like, and what stands there before and after the counting."""

from __future__ import annotations

import io
import sys

import pytest

from repose_jit.cli.progress import progress_bar


class Terminal(io.StringIO):
    """Standard error as a terminal that remembers."""

    def isatty(self):
        return True


@pytest.mark.parametrize(("total", "shown"), [(1, "1/1 "), (999, "999/999 "), (1000, "1.00k/1.00k ")])
def test_few_are_counted_one_by_one(monkeypatch, total, shown):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("chunks") as progress:
        progress(total, total)
    assert shown in terminal.getvalue()


def test_it_says_what_goes_on_when_all_is_counted(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("chunks", after="estimating") as progress:
        progress(1, 2)
        assert "estimating" not in terminal.getvalue()
        progress(2, 2)
        assert "estimating: 100%" in terminal.getvalue()
