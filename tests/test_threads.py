"""Chunks on a pool of threads."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from repose_jit import threads
from repose_jit.errors import InputError
from repose_jit.threads import as_threads, available_cpus, run_chunks


@pytest.mark.parametrize("n_threads", [1, 2, 7, None])
@pytest.mark.parametrize("count", [0, 1, 10, 11, 100])
def test_every_item_is_worked_on_once(count: int, n_threads: int | None) -> None:
    seen = [0] * count

    def work(start: int, stop: int, cancelled: threading.Event) -> None:
        assert stop - start <= 10
        for i in range(start, stop):
            seen[i] += 1

    done = list(run_chunks(work, count, 10, threads=n_threads))
    assert seen == [1] * count
    assert done == sorted(done)
    assert done[-1:] == ([count] if count else [])


def test_one_chunk_is_worked_on_by_the_caller() -> None:
    callers: list[threading.Thread] = []
    for _ in run_chunks(lambda *_: callers.append(threading.current_thread()), 10, 10, threads=4):
        pass
    assert callers == [threading.current_thread()]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_closing_cancels_and_leaves_no_thread(n_threads: int) -> None:
    events: list[threading.Event] = []
    chunks = run_chunks(lambda start, stop, cancelled: events.append(cancelled), 1000, 1, threads=n_threads)
    next(chunks)
    chunks.close()
    assert events[0].is_set()
    assert len(events) < 1000
    assert not any(thread.name.startswith("repose-jit") for thread in threading.enumerate())


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_ends_the_work(n_threads: int) -> None:
    def fail(start: int, stop: int, cancelled: threading.Event) -> None:
        raise MemoryError("none left")

    with pytest.raises(MemoryError, match="none left"):
        list(run_chunks(fail, 10, 1, threads=n_threads))


@pytest.mark.parametrize("value", [0, -1, 1.5, True, 5000])
def test_numbers_of_threads_are_checked(value: object) -> None:
    with pytest.raises(InputError, match="threads: got"):
        as_threads(value)  # type: ignore[arg-type]


def test_available_cpus_respects_the_quota_of_the_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 1 <= available_cpus() <= (os.cpu_count() or 1)
    quota = threads._control_group_quota
    assert quota(tmp_path) is None
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("-1\n")
    assert quota(tmp_path) is None
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("250000\n")
    assert quota(tmp_path) == 2.5
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert quota(tmp_path) is None
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert quota(tmp_path) == 0.5
    monkeypatch.setattr(threads, "_control_group_quota", lambda: 0.5)
    assert available_cpus() == 1
