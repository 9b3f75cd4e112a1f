"""The commands on a store: resume, status, plot and report, whatever state it is in."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.reach.engine.run import solve_into
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.store.creation import create_store
from repose_jit.reach.store.reach_store import open_store
from tests.reach.stores import cut_fine, files, names, small_study

COMMANDS = ("resume", "status", "verify", "plot", "report", "export")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def finished(folder):
    """Make a finished store."""
    small_study().run(folder / "map.zarr")
    return "map.zarr"


@pytest.fixture
def unfinished(folder, monkeypatch):
    """Make a store of four chunks or more of which the first is done."""
    cut_fine(monkeypatch)
    study = small_study()
    store = create_store(study.job, study.to_config(), folder / "part.zarr")
    solve_into(store, study.job, 0)
    assert study.job.blocks.count > 3
    return "part.zarr"


def test_resume_goes_on_to_the_same_bytes(run, folder, unfinished):
    done = run("reach", "resume", unfinished, "--threads", "1")
    assert (done.code, done.err) == (0, "")
    small_study().run(folder / "expected")
    assert files(folder / unfinished) == files(folder / "expected")
    assert names(folder) == ["expected", "part.png", "part.zarr"]
    assert "map     part.zarr" in done.out


def test_resume_of_what_is_finished_changes_nothing(run, folder, finished):
    before = files(folder / finished)
    document = run("reach", "resume", finished, "--no-plot", "--json").json()
    assert document["complete"]
    assert files(folder / finished) == before


def test_resume_refuses_another_version(run, folder, finished):
    open_store(finished).update(complete=False, versions={"repose_jit": "0.0.1"})
    done = run("reach", "resume", finished, "--no-plot")
    assert done.code == 2
    assert "versions" in done.err


def test_resume_checks_the_picture_beforehand(run, folder, unfinished):
    (folder / "part.png").write_bytes(b"earlier")
    before = files(folder / unfinished)
    done = run("reach", "resume", unfinished)
    assert done.code == 2
    assert "part.png" in done.err
    assert files(folder / unfinished) == before
    assert run("reach", "resume", unfinished, "--overwrite").code == 0


def test_a_shard_is_resumed_without_a_picture(run, folder, monkeypatch):
    cut_fine(monkeypatch)
    small_study().run(folder / "map.shard-1-of-2", shard=(1, 2))
    assert run("reach", "resume", "map.shard-1-of-2", "--report").code == 0
    assert names(folder) == ["map.shard-1-of-2"]


def test_status_says_how_far_a_study_is(run, unfinished):
    done = run("reach", "status", unfinished)
    assert done.code == 0
    n = ReachMap.open(unfinished).n_chunks
    assert f"1 of {n}" in done.out
    assert "interrupted" in done.out
    assert f"to go on: repose-jit reach resume {unfinished}" in done.out
    (document,) = run("reach", "status", unfinished, "--json").json()["stores"]
    assert (document["chunks_done"], document["chunks"], document["state"]) == (1, n, "interrupted")


def test_status_of_what_is_finished(run, finished):
    done = run("reach", "status", finished)
    assert "100.0" in done.out
    assert "done" in done.out
    assert "to go on" not in done.out
    (document,) = run("reach", "status", finished, "--json").json()["stores"]
    assert document["complete"]
    assert document["reached"] == ReachMap.open(finished).summary()["reached"]
    assert document["bytes"] == sum(len(data) for data in files(open_store(finished).path).values())


def test_status_of_a_study_that_runs(run, unfinished):
    with open_store(unfinished).locked():
        assert "running" in run("reach", "status", unfinished).out


def test_status_of_shards_counts_their_own_chunks(run, folder, monkeypatch):
    cut_fine(monkeypatch)
    study = small_study()
    for i in (1, 2):
        study.run(folder / f"shard-{i}", shard=(i, 2))
    documents = run("reach", "status", "shard-1", "shard-2", "--json").json()["stores"]
    assert sum(document["chunks"] for document in documents) == study.job.blocks.count
    assert all(document["state"] == "done" for document in documents)
    assert [document["shard"] for document in documents] == ["1/2", "2/2"]


def test_verify_of_a_sound_store(run, finished):
    done = run("reach", "verify", finished, "--repeat", "1")
    assert (done.code, done.err) == (0, "")
    assert "map.zarr: sound" in done.out
    assert max(map(len, done.out.splitlines()[1:])) <= 80
    document = run("reach", "verify", finished, "--json").json()
    assert document["is_sound"]
    assert document["configurations"] == ReachMap.open(finished).summary()["reached"]


def test_verify_finds_a_changed_number_and_exits_with_1(run, finished):
    store = open_store(finished)
    q = store.array("q")
    reached = np.argwhere(~np.isnan(np.asarray(q)[..., 0]))[0]
    q[(*reached, 0)] = 0.5 + q[(*reached, 0)]
    done = run("reach", "verify", finished)
    assert done.code == 1
    assert "NOT SOUND" in " ".join(done.out.split())
    document = run("reach", "verify", finished, "--json").json()
    assert not document["is_sound"]
    assert document["n_findings"] == len(document["findings"])


@pytest.mark.parametrize(("command", "suffix", "start"), [("plot", ".png", b"\x89PNG"), ("report", ".html", b"<!")])
def test_pictures_and_reports_go_beside_the_store_or_where_they_are_sent(run, folder, finished, command, suffix, start):
    done = run("reach", command, finished)
    assert (done.code, done.out) == (0, f"map{suffix}\n")
    assert (folder / f"map{suffix}").read_bytes().startswith(start)
    again = run("reach", command, finished)
    assert (again.code, again.out) == (2, "")
    assert "--overwrite" in again.err
    assert run("reach", command, finished, "--overwrite").code == 0
    document = run("reach", command, finished, "-o", f"other{suffix}", "--json").json()
    assert document["picture" if command == "plot" else "report"] == f"other{suffix}"
    assert (folder / f"other{suffix}").read_bytes() == (folder / f"map{suffix}").read_bytes()


@pytest.mark.parametrize("command", ["plot", "report"])
def test_what_is_not_finished_is_drawn_as_far_as_it_is(run, unfinished, command):
    assert run("reach", command, unfinished).code == 0


@pytest.mark.parametrize("command", ["plot", "report"])
def test_without_matplotlib_it_says_so(run, monkeypatch, finished, command):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("reach", command, finished)
    assert done.code == 2
    assert "pip install 'repose_jit[plot]'" in done.err


@pytest.mark.parametrize("command", ["plot", "report"])
def test_another_ending_is_refused(run, finished, folder, command):
    done = run("reach", command, finished, "-o", "map.xyz")
    assert (done.code, names(folder)) == (2, ["map.zarr"])
    assert ".xyz" in done.err


@pytest.mark.parametrize("options", [(), ("--poses",), ("--poses", "--only-reached")])
def test_export_writes_a_row_for_each_site_or_pose(run, folder, finished, options):
    reach_map = ReachMap.open(finished)
    done = run("reach", "export", finished, "rows.csv", *options)
    assert (done.code, done.out, done.err) == (0, "rows.csv\n", "")
    rows = {0: reach_map.n_sites, 1: reach_map.n_poses, 2: reach_map.summary()["reached"]}[len(options)]
    assert len((folder / "rows.csv").read_text().splitlines()) == rows + 1
    again = run("reach", "export", finished, "rows.csv", *options)
    assert (again.code, again.out) == (2, "")
    assert run("reach", "export", finished, "rows.csv", "--overwrite", "--json").json()["file"] == "rows.csv"


@pytest.mark.parametrize(
    ("file", "options"), [("map.xyz", ()), ("map.ply", ("--poses",)), ("a.csv", ("--only-reached",))]
)
def test_export_refuses_what_does_not_go_together(run, folder, finished, file, options):
    done = run("reach", "export", finished, file, *options)
    assert (done.code, done.out, names(folder)) == (2, "", [finished])


def test_merge_joins_shards_to_the_bytes_of_one_run(run, folder, monkeypatch):
    cut_fine(monkeypatch)
    study = small_study()
    for i in (1, 2):
        study.run(folder / f"map.shard-{i}-of-2", shard=(i, 2))
    shards = sorted(folder.glob("map.shard-*"))
    missing = run("reach", "merge", "map", shards[0])
    assert (missing.code, missing.out, names(folder)) == (2, "", [shard.name for shard in shards])
    assert "2/2" in missing.err
    done = run("reach", "merge", "map", *shards)
    assert (done.code, done.err) == (0, "")
    assert "map     map" in done.out
    study.run(folder / "expected")
    assert files(folder / "map") == files(folder / "expected")
    again = run("reach", "merge", "map", *shards, "--json")
    assert (again.code, again.out) == (2, "")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("store", ["nothing", "folder", "file"])
def test_what_is_no_store_is_a_mistake(run, folder, command, store):
    (folder / "folder").mkdir()
    (folder / "file").write_text("")
    done = run("reach", command, store, *(["map.csv"] if command == "export" else []))
    assert (done.code, done.out) == (2, "")
    found = "nothing" if store == "nothing" else "something else"
    assert f"{store}: found {found}, expected the store of a reachability study" in " ".join(done.err.split())
    assert names(folder) == ["file", "folder"]


def test_view_needs_a_store(run):
    done = run("view", "nothing")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1


def test_view_serves_until_ctrl_c(run, monkeypatch, finished):
    calls = []
    monkeypatch.setattr("repose_jit.reach.view.view", lambda store, **options: calls.append((store, options)))
    assert run("view", finished, "--port", "0", "--open").code == 0
    ((store, options),) = calls
    say = options.pop("say")
    assert callable(say)
    assert (str(store), options) == (finished, {"host": "127.0.0.1", "port": 0, "open_browser": True})


def test_the_map_is_the_one_of_the_package(run, finished):
    assert isinstance(rj.ReachMap.open(finished), ReachMap)
