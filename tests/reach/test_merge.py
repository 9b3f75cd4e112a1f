"""Shards become the store of one run, to the byte, or nothing at all."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import repose_jit as rj
from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.store.merge import merge_stores
from repose_jit.reach.verify.verification import verify_store
from tests.reach.small_stores import KINDS, chunk_files, files, make_small, study
from tests.reach.stores import names

MORE_THAN_CHUNKS = 99


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_small(monkeypatch)
        yield


def run_shards(folder: Path, N: int, kind: str = "grid", **settings: Any) -> list[Path]:
    paths = [folder / f"map.zarr.shard-{i}-of-{N}" for i in range(1, N + 1)]
    for i, path in enumerate(paths, start=1):
        study(kind, **settings).run(path, shard=(i, N), threads=2)
    return paths


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return run_shards(tmp_path_factory.mktemp("shards"), 3)


@pytest.fixture
def shards(three: list[Path], tmp_path: Path) -> list[Path]:
    return [Path(shutil.copytree(path, tmp_path / "shards" / path.name)) for path in three]


@pytest.mark.parametrize(("kind", "N"), [*zip(KINDS, (1, 2, 2, 3, 2, 2, 2), strict=True), ("grid", MORE_THAN_CHUNKS)])
def test_the_store_is_that_of_one_run_to_the_byte(kind: str, N: int, tmp_path: Path) -> None:
    whole = study(kind).run(tmp_path / "whole.zarr", threads=2)
    (tmp_path / "shards").mkdir()
    paths = run_shards(tmp_path / "shards", whole.n_chunks + 1 if N == MORE_THAN_CHUNKS else N, kind)
    before = [files(path) for path in paths]
    calls: list[tuple[int, int]] = []
    merged = merge_stores(tmp_path / "map.zarr", paths[::-1], progress=lambda *counts: calls.append(counts))
    assert files(tmp_path / "map.zarr") == files(tmp_path / "whole.zarr")
    assert merged.is_complete
    assert merged.summary() == rj.ReachMap.open(tmp_path / "whole.zarr").summary()
    assert calls == [(i, whole.n_chunks) for i in range(1, whole.n_chunks + 1)]
    assert [files(path) for path in paths] == before
    assert names(tmp_path) == ["map.zarr", "shards", "whole.zarr"]
    assert verify_store(tmp_path / "map.zarr").is_sound


def test_any_order_gives_the_same(shards: list[Path], tmp_path: Path) -> None:
    stores = []
    for number, order in enumerate(itertools.permutations(shards)):
        merge_stores(tmp_path / f"{number}.zarr", order)
        stores.append(files(tmp_path / f"{number}.zarr"))
    assert all(store == stores[0] for store in stores)


def test_the_merged_store_shares_no_file_with_the_shards(shards: list[Path], tmp_path: Path) -> None:
    merge_stores(tmp_path / "map.zarr", shards)
    before = files(tmp_path / "map.zarr")
    for path in shards:
        for file in path.rglob("*"):
            if file.is_file():
                with file.open("r+b") as stream:
                    stream.write(b"damage")
    assert files(tmp_path / "map.zarr") == before


def test_missing_shards_are_named(shards: list[Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"got 1 of 3 shards, without 1/3, 3/3: run the study with --shard 1/3"):
        merge_stores(tmp_path / "map.zarr", [shards[1]])
    assert names(tmp_path) == ["shards"]


def test_a_shard_given_twice_is_named(shards: list[Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"shard-2-of-3: got it twice, as paths\[0\] and paths\[2\]"):
        merge_stores(tmp_path / "map.zarr", [shards[1], shards[0], shards[1].parent / ".." / "shards" / shards[1].name])
    copy = shutil.copytree(shards[1], tmp_path / "copy.zarr")
    with pytest.raises(InputError, match=r"copy\.zarr: it is shard 2/3, and so is .*shard-2-of-3"):
        merge_stores(tmp_path / "map.zarr", [*shards, copy])


def test_shards_of_another_number_are_refused(shards: list[Path], tmp_path: Path) -> None:
    study().run(tmp_path / "other.zarr", shard=(1, 4))
    with pytest.raises(InputError, match=r"other\.zarr: it is shard 1/4, and .* is one of 3"):
        merge_stores(tmp_path / "map.zarr", [*shards, tmp_path / "other.zarr"])


def test_a_whole_study_is_refused(shards: list[Path], tmp_path: Path) -> None:
    study().run(tmp_path / "whole.zarr")
    with pytest.raises(InputError, match=r"whole\.zarr: it is of a whole study"):
        merge_stores(tmp_path / "map.zarr", [*shards, tmp_path / "whole.zarr"])


@pytest.mark.parametrize(
    ("kind", "settings", "field"),
    [
        ("grid", {"solve": rj.MultiSeedParams(max_attempts=7)}, r"study\.solve\.max_attempts = 7, and .* has 6"),
        ("grid", {"save_q": False}, r"study\.store\.save_q = False, and .* has True"),
        ("free axis", {}, r"study\.orientations\.kind = 'free_axis'"),
    ],
)
def test_another_study_is_refused_naming_what_differs(
    kind: str, settings: dict[str, Any], field: str, shards: list[Path], tmp_path: Path
) -> None:
    study(kind, **settings).run(tmp_path / "other.zarr", shard=(3, 3))
    with pytest.raises(InputError, match=rf"other\.zarr: it has {field}"):
        merge_stores(tmp_path / "map.zarr", [*shards[:2], tmp_path / "other.zarr"])


def edit(path: Path, change: Any) -> None:
    file = path / "zarr.json"
    document = json.loads(file.read_text())
    change(document["attributes"])
    file.write_text(json.dumps(document))


def test_other_targets_are_refused(tmp_path: Path) -> None:
    paths = run_shards(tmp_path, 2, "poses")
    shutil.rmtree(paths[1])
    T = study("poses").targets.poses.copy()  # type: ignore[union-attr]
    T[7, 0, 3] += 1e-9
    moved = rj.ReachStudy(
        study("poses").chain, targets=rj.PoseTargets(T), solve=rj.MultiSeedParams(max_attempts=6), save_q=True
    )
    moved.run(paths[1], shard=(2, 2))
    with pytest.raises(InputError, match="it has targets_hash = "):
        merge_stores(tmp_path / "map.zarr", paths)


@pytest.mark.parametrize("everywhere", [False, True])
def test_other_versions_are_refused(everywhere: bool, shards: list[Path], tmp_path: Path) -> None:
    for path in shards if everywhere else shards[2:]:
        edit(path, lambda attributes: attributes["versions"].update(numba="0.1"))
    with pytest.raises(InputError, match=r"versions\.numba = '0\.1'"):
        merge_stores(tmp_path / "map.zarr", shards)


def test_an_unfinished_shard_is_named_with_what_to_do(shards: list[Path], tmp_path: Path) -> None:
    chunk_files(shards[0], "status")[0].unlink()
    with pytest.raises(InputError, match=r"shard-1-of-3: 1 of 2 chunks done, expected all: .*reach resume .*1-of-3"):
        merge_stores(tmp_path / "map.zarr", shards)
    assert names(tmp_path) == ["shards"]


def test_a_chunk_of_another_shard_is_named(shards: list[Path], tmp_path: Path) -> None:
    file = chunk_files(shards[1], "status")[0].relative_to(shards[1])
    (shards[0] / file).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(shards[1] / file, shards[0] / file)
    with pytest.raises(InputError, match="shard-1-of-3: chunk 1 is in it, which another shard has, too"):
        merge_stores(tmp_path / "map.zarr", shards)


def test_a_path_that_is_taken_is_refused(shards: list[Path], tmp_path: Path) -> None:
    (tmp_path / "map.zarr").mkdir()
    (tmp_path / "map.zarr" / "mine").write_text("mine")
    with pytest.raises(InputError, match="there is something already"):
        merge_stores(tmp_path / "map.zarr", shards)
    before = files(shards[0])
    with pytest.raises(InputError, match="there is the store of a study already"):
        merge_stores(shards[0], shards)
    assert files(shards[0]) == before
    assert (tmp_path / "map.zarr" / "mine").read_text() == "mine"


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "paths: got none"),
        ("map.zarr", "paths: got 'map.zarr', expected a list of paths"),
        ([3], r"paths\[0\]: got 3, expected a path"),
        (["nowhere.zarr"], "found nothing"),
    ],
)
def test_what_are_no_stores_is_refused(paths: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        merge_stores(tmp_path / "map.zarr", paths)


def test_a_store_that_another_process_writes_to_is_refused(shards: list[Path], tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from repose_jit.reach.store.reach_store import open_store\n"
        "with open_store(sys.argv[1]).locked():\n"
        "    print('locked', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, shards[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "locked\n"
        with pytest.raises(InputError, match=r"shard-3-of-3: another process is writing to it"):
            merge_stores(tmp_path / "map.zarr", shards)
        writer.communicate("")
    assert names(tmp_path) == ["shards"]
    merge_stores(tmp_path / "map.zarr", shards)


def test_damage_is_an_error_that_says_what_to_do_and_leaves_nothing(shards: list[Path], tmp_path: Path) -> None:
    chunk_files(shards[1], "n_reached")[0].write_bytes(b"damage")
    with pytest.raises(ReposeError, match=r"shard-2-of-3.* is damaged .*reach verify tells where"):
        merge_stores(tmp_path / "map.zarr", shards)
    assert names(tmp_path) == ["shards"]


def test_a_full_disk_leaves_nothing(shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(ReposeError, match=r"cannot be made \(No space left on device\)"):
        merge_stores(tmp_path / "map.zarr", shards)
    assert names(tmp_path) == ["shards"]


@pytest.mark.parametrize("after", [0, 1, 3, 4])
def test_a_kill_leaves_at_most_a_hidden_folder_that_the_next_merge_removes(
    after: int, shards: list[Path], tmp_path: Path
) -> None:
    """After so many chunks, or in the last step."""
    code = (
        "import sys, time\n"
        "import pytest\n"
        "from repose_jit.reach.store import merge\n"
        "from tests.reach.small_stores import make_small\n"
        "make_small(pytest.MonkeyPatch())\n"
        "def stop(*args):\n"
        "    print('here', flush=True)\n"
        "    time.sleep(100)\n"
        "after = int(sys.argv[1])\n"
        "copy = merge._copy_chunk\n"
        "if after == 0:\n"
        "    merge._copy_chunk = stop\n"
        "elif after == 4:\n"
        "    merge.finish = stop\n"
        "merge.merge_stores(sys.argv[2], sys.argv[3:], progress=lambda done, total: done == after and stop())\n"
    )
    arguments = [sys.executable, "-c", code, str(after), tmp_path / "map.zarr", *shards]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as merger:
        assert merger.stdout is not None
        assert merger.stdout.readline() == "here\n"
        left = [name for name in names(tmp_path) if name != "shards"]
        assert len(left) == 1
        assert left[0].startswith(".map.zarr.")
        assert left[0].endswith(".partial")
        merger.send_signal(signal.SIGKILL)
    assert len(names(tmp_path)) == 2
    merge_stores(tmp_path / "map.zarr", shards)
    assert names(tmp_path) == ["map.zarr", "shards"]
    study().run(tmp_path / "whole.zarr", threads=2)
    assert files(tmp_path / "map.zarr") == files(tmp_path / "whole.zarr")
