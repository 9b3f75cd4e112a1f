"""Sound stores of every kind have no finding, and every kind of damage is found and named."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import repose_jit as rj
from repose_jit.errors import InputError
from repose_jit.reach.store.reach_store import open_store
from repose_jit.reach.verify.report import VerifyReport
from repose_jit.reach.verify.verification import verify_store
from tests.reach.small_stores import KINDS, chunk_files, files, make_small, rewrite, study


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_small(monkeypatch)
        yield


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "map.zarr"
    study().run(path, threads=2)
    return path


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "map.zarr"))


def texts(report: VerifyReport) -> list[str]:
    return [str(finding) for finding in report.findings]


def place(path: Path, status: int, nth: int = 0) -> tuple[int, ...]:
    """Return the index of a pose with a status, and of its site without the last entry."""
    found = np.argwhere(np.asarray(open_store(path).array("status")) == status)
    return tuple(int(i) for i in found[nth])


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_store_has_no_finding(kind: str, tmp_path: Path) -> None:
    reach_map = study(kind).run(tmp_path / "map.zarr", threads=2)
    before = files(tmp_path)
    calls: list[tuple[int, int]] = []
    report = verify_store(tmp_path / "map.zarr", repeat=2, progress=lambda done, total: calls.append((done, total)))
    assert texts(report) == []
    assert report.is_sound
    assert report.n_done == report.n_chunks == reach_map.n_chunks > 1
    assert calls == [(i, report.n_chunks) for i in range(1, report.n_chunks + 1)]
    assert report.n_poses == reach_map.n_poses
    assert report.n_configurations == reach_map.summary()["reached"]
    assert (report.n_configurations == 0) == (kind == "nothing reached")
    assert report.n_repeated == 2
    assert "map.zarr: sound" in report.summary_text()
    assert files(tmp_path) == before


@pytest.mark.parametrize("selection", ["first", "max_limit_margin", "max_manipulability", "nearest"])
@pytest.mark.parametrize("save_q", [False, True])
def test_every_selection_is_sound(selection: Any, save_q: bool, tmp_path: Path) -> None:
    reference = (0.1,) * 6 if selection == "nearest" else None
    solve = rj.MultiSeedParams(max_attempts=5, selection=selection, reference=reference)
    metrics = ("n_solutions", "inverse_condition_angular", "inverse_condition_linear")
    study("dense grid", solve=solve, metrics=metrics, save_q=save_q).run(tmp_path / "map.zarr", threads=2)
    report = verify_store(tmp_path / "map.zarr", repeat=1)
    assert texts(report) == []


def test_a_robot_without_some_metrics_is_sound(tmp_path: Path) -> None:
    from tests.reach.robots import gantry, shell_arm

    # No joint of the one has two limits, and the other moves its tool in straight lines alone.
    endless = shell_arm()
    slides = rj.KinematicChain(gantry().joints[:3], name="slides")
    box: dict[str, Any] = {"box_min": (-0.1, -0.1, -0.1), "box_max": (0.7, 0.7, 0.7)}
    for robot, metrics in ((endless, ("limit_margin",)), (slides, ("inverse_condition_angular", "sigma_min"))):
        path = tmp_path / f"{robot.name}.zarr"
        orientations = rj.Orientations(kind="none")
        targets = rj.GridTargets(spacing=0.1, **box)
        rj.ReachStudy(robot, targets=targets, orientations=orientations, metrics=metrics, save_q=True).run(path)
        report = verify_store(path)
        assert texts(report) == []
        assert report.n_configurations > 0


def test_without_configurations_it_says_that_only_the_bookkeeping_was_checked(tmp_path: Path) -> None:
    study(save_q=False).run(tmp_path / "map.zarr")
    report = verify_store(tmp_path / "map.zarr")
    assert report.is_sound
    assert report.n_configurations == 0
    text = report.summary_text()
    assert "bookkeeping alone" in text
    assert "save_q = true" in text
    assert "repeat" in text
    assert "bookkeeping alone" not in verify_store(tmp_path / "map.zarr", repeat=1).summary_text()


def test_an_unfinished_store_and_a_shard_are_sound(tmp_path: Path) -> None:
    def stop(report: rj.reach.chunk_report.ChunkReport) -> None:
        if report.n_done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study().run(tmp_path / "map.zarr", threads=1, progress=stop)
    report = verify_store(tmp_path / "map.zarr", repeat=99)
    assert texts(report) == []
    assert 2 <= report.n_done < report.n_chunks
    assert report.n_repeated == report.n_done
    study().run(tmp_path / "shard.zarr", shard=(2, 3))
    assert texts(verify_store(tmp_path / "shard.zarr")) == []


def test_a_byte_flipped_in_a_file_of_any_array_is_found_and_named(sound: Path, tmp_path: Path) -> None:
    names = sorted(folder.name for folder in sound.iterdir() if folder.is_dir())
    assert len(names) > 20
    rng = np.random.default_rng(0)
    for name in names:
        store = Path(shutil.copytree(sound, tmp_path / name))
        file = chunk_files(store, name)[-1]
        data = bytearray(file.read_bytes())
        data[rng.integers(len(data))] ^= 0xFF
        file.write_bytes(data)
        report = verify_store(store)
        assert report.n_findings == 1 or "summary" in texts(report)[-1]
        assert texts(report)[0].startswith(name)
        assert "cannot be read" in texts(report)[0]
        assert name in report.summary_text()


def test_any_byte_flipped_in_a_chunk_is_found(store: Path) -> None:
    file = chunk_files(store, "n_reached")[0]
    whole = file.read_bytes()
    for i in range(len(whole)):
        file.write_bytes(whole[:i] + bytes([whole[i] ^ 0xFF]) + whole[i + 1 :])
        assert any(text.startswith("n_reached, chunk 0") for text in texts(verify_store(store))), i


@pytest.mark.parametrize("length", [0, 1, 5, -4, -1])
@pytest.mark.parametrize("name", ["status", "q", "n_reached", "local_pose"])
def test_a_truncated_file_is_found_and_named(name: str, length: int, store: Path) -> None:
    file = chunk_files(store, name)[0]
    file.write_bytes(file.read_bytes()[:length])
    assert any(text.startswith(name) and "cannot be read" in text for text in texts(verify_store(store)))


@pytest.mark.parametrize(
    "name",
    [
        *("q", "manipulability", "limit_margin", "limit_margin_mean", "sigma_min_max", "n_reached", "attempts"),
        *("n_proven_unreachable", "reachability_index", "position_error", "orientation_error", "seed_index"),
    ],
)
def test_a_missing_chunk_is_found_and_named(name: str, store: Path) -> None:
    for file in chunk_files(store, name):
        file.unlink()
    assert any(text.startswith(f"{name}, chunk") for text in texts(verify_store(store)))


def test_a_missing_status_is_found_in_a_complete_store(store: Path) -> None:
    chunk_files(store, "status")[1].unlink()
    report = verify_store(store)
    assert report.n_done == report.n_chunks - 1
    assert any("the store says that it is complete" in text for text in texts(report))


@pytest.mark.parametrize("name", ["x", "local_pose", "limit_margin", "status", "n_reached"])
def test_a_missing_array_is_found_and_named(name: str, store: Path) -> None:
    shutil.rmtree(store / name)
    assert any(name in text for text in texts(verify_store(store)))


def changed(name: str, status: int, value: Any, *, of_site: bool = False) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        index = place(path, status)
        rewrite(path, name, index[:-1] if of_site else index, value)

    return damage


REACHED, NOT_FOUND, PROVEN = 1, 2, 3


@pytest.mark.parametrize(
    ("damage", "name", "message"),
    [
        (changed("q", REACHED, 0.1), "q", "position error: got"),
        (changed("q", REACHED, np.nan), "q", "expected finite numbers: the pose is reached"),
        (changed("q", REACHED, 100.0), "q", "joint 'joint1': got 100.0"),
        (changed("q", NOT_FOUND, 0.1), "q", "expected NaN: the pose is not reached"),
        (changed("status", REACHED, NOT_FOUND), "n_reached", "counted in status"),
        (changed("status", NOT_FOUND, REACHED), "manipulability", "got nan, expected a number, status 1"),
        (changed("status", NOT_FOUND, PROVEN), "position_error", "expected NaN: the pose was not tried, status 3"),
        (changed("status", REACHED, 0), "status", "got 0, expected 1, 2 or 3"),
        (changed("status", REACHED, 4), "status", "got 4, expected 1, 2 or 3"),
        (changed("status", REACHED, 5), "status", "got 5, expected 1, 2 or 3"),
        (changed("manipulability", REACHED, 0.5), "manipulability_mean", "from manipulability"),
        (changed("manipulability", REACHED, 0.5), "manipulability", "computed from q"),
        (changed("sigma_min", REACHED, np.nan), "sigma_min", "got nan, expected a number, status 1"),
        (changed("sigma_min", NOT_FOUND, 0.1), "sigma_min", "expected NaN, status 2"),
        (changed("limit_margin_max", REACHED, 0.99, of_site=True), "limit_margin_max", "got 0.99"),
        (changed("n_reached", REACHED, 11, of_site=True), "n_reached", "got 11, expected"),
        (changed("n_not_found", NOT_FOUND, 12, of_site=True), "n_not_found", "got 12"),
        (changed("reachability_index", REACHED, 99.0, of_site=True), "reachability_index", "got 99.0, expected"),
        (changed("position_error", REACHED, 0.01), "position_error", "expected 0 to 0.0001, status 1"),
        (changed("position_error", REACHED, -1e-6), "position_error", "expected 0 to 0.0001, status 1"),
        (changed("orientation_error", NOT_FOUND, np.nan), "orientation_error", "got nan, expected 0 to inf, status 2"),
        (changed("orientation_error", PROVEN, 0.0), "orientation_error", "got 0.0, expected NaN"),
        (changed("attempts", REACHED, 0), "attempts", "got 0, expected 1 to 6, status 1"),
        (changed("attempts", NOT_FOUND, 7), "attempts", "got 7, expected 1 to 6, status 2"),
        (changed("attempts", PROVEN, 1), "attempts", "got 1, expected 0, status 3"),
        (changed("seed_index", REACHED, 6), "seed_index", "got 6, expected one of the attempts made, status 1"),
        (changed("seed_index", REACHED, -2), "seed_index", "got -2, expected one of the attempts made, status 1"),
        (changed("seed_index", NOT_FOUND, 0), "seed_index", "got 0, expected -1, status 2"),
    ],
)
def test_a_number_that_was_changed_is_found_and_named(
    damage: Callable[[Path], None], name: str, message: str, store: Path
) -> None:
    damage(store)
    found = texts(verify_store(store))
    assert any(text.startswith(f"{name}, chunk ") and message in text for text in found), found


def test_findings_say_at_which_site(store: Path) -> None:
    x, y, z, k = place(store, REACHED, 5)
    rewrite(store, "q", (x, y, z, k), 0.1)
    assert f", x {x}, y {y}, z {z}, orientation {k}: " in texts(verify_store(store))[0]


@pytest.mark.parametrize("name", ["local_pose", "x", "z"])
def test_a_target_that_was_changed_is_found(name: str, store: Path) -> None:
    rewrite(store, name, (1,), 0.123)
    report = verify_store(store)
    assert any(text.startswith("attribute targets_hash: ") and name in text for text in texts(report))
    assert any(text.startswith("q, chunk ") for text in texts(report))


def edited(change: Callable[[dict[str, Any]], object], name: str = "") -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        file = path / name / "zarr.json"
        document = json.loads(file.read_text())
        change(document)
        file.write_text(json.dumps(document))

    return damage


def edited_attribute(name: str, value: Any) -> Callable[[Path], None]:
    return edited(lambda document: document["attributes"].update({name: value}))


def edited_study(before: str, after: str) -> Callable[[Path], None]:
    def change(document: dict[str, Any]) -> None:
        text = document["attributes"]["study"]
        assert before in text
        document["attributes"]["study"] = text.replace(before, after, 1)

    return edited(change)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (edited_attribute("n_poses", 7), "attribute n_poses: got 7, expected 576"),
        (edited_attribute("kind", "surface"), "attribute"),
        (edited_attribute("rng_seed", 9), "attribute rng_seed: got 9, expected 0"),
        (edited_attribute("robot", "other"), "attribute robot: got 'other', expected 'igus_rebel'"),
        (edited_attribute("robot_hash", "0"), "attribute robot_hash: got '0'"),
        (edited_attribute("study_hash", "0"), "attribute study_hash: got '0'"),
        (edited_attribute("targets_hash", "0"), "attribute targets_hash: got '0'"),
        (edited_attribute("block_shape", [1, 1, 1]), "attribute block_shape"),
        (edited_attribute("shard", "nonsense"), "attribute study: cannot be read"),
        (edited_attribute("shard", "2/3"), "that shard 2/3 leaves out"),
        (edited_attribute("complete", "yes"), "attribute complete: got 'yes', expected true or false"),
        (edited_attribute("complete", False), "expected null: the store is not complete"),
        (edited_attribute("summary", None), "attribute summary: got None"),
        (edited_attribute("extra", 1), "attribute extra: got an unknown one"),
        (edited(lambda document: document["attributes"].pop("n_sites")), "attribute n_sites: missing"),
        (edited(lambda document: document["attributes"].pop("study")), "attribute study: cannot be read"),
        (
            edited(lambda document: document["attributes"]["summary"].update(reached=1)),
            "attribute summary.reached: got 1, expected ",
        ),
        (
            edited(lambda document: document["attributes"]["summary"]["metrics"]["sigma_min"].update(mean=1.0)),
            "attribute summary.metrics.sigma_min.mean: got 1.0",
        ),
        (edited_study("max_attempts = 6", "max_attempts = 60"), "attribute budget.max_attempts: got 6, expected 60"),
        (edited_study("max_attempts = 6", "max_attempts = 60"), "attribute study_hash"),
        (edited_study("[solve]", "[solve"), "attribute study: cannot be read"),
        (edited_study("joint_type", "joint_typ"), "attribute study: cannot be read"),
        (edited_study("0.126", "0.127"), "q, chunk "),
        (edited_study("0.126", "0.127"), "attribute robot_hash"),
        (edited(lambda document: document.update(fill_value=1), "n_reached"), "n_reached/zarr.json.fill_value: got 1"),
        (
            edited(lambda document: document["attributes"].update(units="mm"), "position_error"),
            "position_error/zarr.json.attributes.units: got 'mm', expected 'm'",
        ),
        (
            edited(lambda document: document["shape"].append(document["shape"].pop() + 1), "sigma_min"),
            "sigma_min/zarr.json",
        ),
        (
            edited(lambda document: document["consolidated_metadata"]["metadata"].pop("q")),
            "zarr.json, consolidated, q: got None",
        ),
        (
            edited(lambda document: document.update(data_type="nonsense"), "status"),
            "the store is damaged (status/zarr.json",
        ),
        (lambda path: (path / "status" / "zarr.json").write_text("{"), "the store is damaged (status/zarr.json"),
        (lambda path: (path / "q" / "zarr.json").write_text("{"), "q/zarr.json: cannot be read"),
        (lambda path: (path / "n_reached" / "zarr.json").write_text("{"), "n_reached/zarr.json: cannot be read"),
        (lambda path: (path / "notes.txt").write_text("mine"), "notes.txt: got a file that is no part of a store"),
        (lambda path: (path / "status" / "c" / "9").write_text(""), "status/c/9: got a file that is no part"),
    ],
)
def test_damaged_metadata_are_found_and_named(damage: Callable[[Path], None], message: str, store: Path) -> None:
    damage(store)
    found = texts(verify_store(store))
    assert any(message in text for text in found), found


def contents(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what xarray reads of a store, by the metadata of each array and by those of the group."""
    return tuple(xarray.open_zarr(path, consolidated=how).load().to_dict() for how in (False, True))  # type: ignore[return-value]


def test_any_change_of_a_metadata_file_that_a_reader_could_notice_is_found(store: Path) -> None:
    before = contents(store)
    rng = np.random.default_rng(0)
    for file in sorted(store.rglob("zarr.json")):
        whole = file.read_bytes()
        for i in rng.integers(len(whole), size=3):
            file.write_bytes(whole[:i] + bytes([whole[i] ^ 0x01]) + whole[i + 1 :])
            try:
                report = verify_store(store)
            except InputError as error:
                assert file.parent == store
                assert "expected the store of a reachability study" in str(error) or "schema version" in str(error)
            else:
                if report.is_sound:  # such as in a key that Zarr does without
                    np.testing.assert_equal(contents(store), before)
        file.write_bytes(whole)
    assert verify_store(store).is_sound


def test_the_miss_rate_is_checked_by_a_second_solve(store: Path) -> None:
    edited(lambda document: document["attributes"]["summary"]["miss_rate"]["from_fk"].update(missed=77))(store)
    assert verify_store(store).is_sound
    assert "attribute summary.miss_rate.from_fk.missed: got 77" in texts(verify_store(store, repeat=1))[0]


def test_a_second_solve_finds_what_agrees_with_itself(tmp_path: Path) -> None:
    """Another budget, with all that says so changed: only solving again can tell."""
    metrics: tuple[str, ...] = ()
    study(save_q=False, metrics=metrics).run(tmp_path / "map.zarr")
    path = tmp_path / "map.zarr"
    index = place(path, REACHED)
    rewrite(path, "attempts", index, 6)
    rewrite(path, "seed_index", index, 3)
    assert verify_store(path).is_sound
    report = verify_store(path, repeat=99)
    assert sorted(text.split(",")[0] for text in texts(report)) == ["attempts", "seed_index"]
    assert "of a second solve" in texts(report)[0]


def test_what_killed_writers_left_is_removed_and_counted(store: Path) -> None:
    for name in ("status/c/0/0/0/x.partial", "zarr.json.1234.partial"):
        (store / name).write_text("half")
    (store.parent / ".map.zarr.0123456789ab.partial").mkdir()
    report = verify_store(store)
    assert report.is_sound
    assert report.n_orphans == 3
    assert "removed 3 files" in report.summary_text()
    assert [path.name for path in store.parent.iterdir()] == ["map.zarr"]


def test_much_damage_is_counted_and_the_first_of_it_shown(store: Path) -> None:
    for name in ("attempts", "seed_index", "sigma_min", "position_error", "manipulability_mean", "n_reached"):
        rewrite(store, name, ..., 77)
    report = verify_store(store)
    assert len(report.findings) == 100
    assert report.n_findings > 1000
    assert f"and {report.n_findings - 100:,} more" in report.summary_text()
    assert "NOT SOUND" in report.summary_text()
    assert not report.to_dict()["is_sound"]


def test_other_versions_are_verified_and_not_repeated(store: Path) -> None:
    def older(document: dict[str, Any]) -> None:
        document["attributes"]["versions"]["numba"] = "0.1"

    edited(older)(store)
    report = verify_store(store)
    assert report.is_sound
    assert "those of the store are not those here" in report.summary_text()
    with pytest.raises(InputError, match=r"versions\.numba = '0\.1', and here it is"):
        verify_store(store, repeat=1)


def test_what_cannot_be_verified_is_refused(store: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"found nothing, expected the store"):
        verify_store(tmp_path / "nowhere")
    with pytest.raises(InputError, match="repeat: got -1"):
        verify_store(store, repeat=-1)
    edited_attribute("repose_jit.reach_schema", 99)(store)
    with pytest.raises(InputError, match="schema version 99"):
        verify_store(store)


def test_a_store_that_another_process_writes_to_is_refused(store: Path) -> None:
    code = (
        "import sys\n"
        "from repose_jit.reach.store.reach_store import open_store\n"
        "with open_store(sys.argv[1]).locked():\n"
        "    print('locked', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "locked\n"
        with pytest.raises(InputError, match="another process is writing to it"):
            verify_store(store)
        writer.communicate("")
    assert verify_store(store).is_sound
