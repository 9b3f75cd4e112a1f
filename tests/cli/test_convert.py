from __future__ import annotations

import json
from pathlib import Path

import pytest

import repose_jit as rj
from tests.arms import odd_arm


@pytest.fixture
def chain(urdf):
    with pytest.warns(UserWarning, match="velocity limit missing"):
        return rj.KinematicChain.from_urdf(urdf)


@pytest.mark.parametrize("form", ["toml", "json"])
def test_what_is_printed_is_the_chain(run, urdf, chain, tmp_path, form):
    done = run("convert", urdf, "--base", "base", "--tip", "tool", "--format", form)
    assert done.code == 0
    path = tmp_path / f"two.{form}"
    path.write_text(done.out)
    assert rj.KinematicChain.from_config(path) == chain


@pytest.mark.parametrize("form", ["toml", "json"])
def test_what_is_written_is_the_chain(run, urdf, chain, tmp_path, form):
    path = tmp_path / f"new.{form}"
    done = run("convert", urdf, "-o", path)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith(f"{path}: 2 joints\n")
    assert rj.KinematicChain.from_config(path) == chain


def test_any_robot_can_be_converted_to_the_last_bit(run, odd, tmp_path):
    path = tmp_path / "again.json"
    assert run("convert", odd, "-o", path).code == 0
    assert rj.KinematicChain.from_config(path) == odd_arm()


def test_joints_without_bounds_survive_json(run, tmp_path):
    chain = rj.KinematicChain(
        [rj.JointSpec.prismatic([0, 0, 0], [0, 0, 0]), rj.JointSpec.revolute([1, 0, 0], [0, 0, 0])]
    )
    source, path = tmp_path / "free.json", tmp_path / "again.json"
    source.write_text(json.dumps(chain.to_config()))
    assert run("convert", source, "-o", path).code == 0
    assert rj.KinematicChain.from_config(path) == chain


def test_json_option(run, urdf, chain, tmp_path):
    assert rj.KinematicChain.from_config(run("convert", urdf, "--json").json()) == chain
    path = tmp_path / "two.toml"
    assert run("convert", urdf, "--json", "-o", path).json() == {
        "output": str(path),
        "format": "toml",
        "robot": "two",
        "dof": 2,
    }


def test_an_existing_file_is_only_replaced_on_request(run, urdf, chain, tmp_path):
    path = tmp_path / "two.toml"
    path.write_text("precious")
    done = run("convert", urdf, "-o", path)
    assert done.code == 2
    assert "give --overwrite" in done.err
    assert path.read_text() == "precious"
    assert run("convert", urdf, "-o", path, "--overwrite").code == 0
    assert rj.KinematicChain.from_config(path) == chain


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_what_was_there_and_nothing_else(run, urdf, tmp_path, monkeypatch, there):
    path = tmp_path / "two.toml"
    if there:
        path.write_text("precious")
    write = Path.open

    def full(self, *args, **kwargs):
        if "two.toml" not in self.name:
            return write(self, *args, **kwargs)
        write(self, *args, **kwargs).close()  # the entry of the directory still had room
        return write(Path("/dev/full"), "wb")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        done = run("convert", urdf, "-o", path, *(["--overwrite"] if there else []))
    assert done.code == 2
    assert "No space left on device" in done.err
    assert sorted(file.name for file in tmp_path.iterdir()) == (["two.toml", "two.urdf"] if there else ["two.urdf"])
    assert not there or path.read_text() == "precious"


def test_a_replaced_file_keeps_its_mode_and_its_links(run, urdf, chain, tmp_path):
    path, link = tmp_path / "two.toml", tmp_path / "link.toml"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    assert run("convert", urdf, "-o", link, "--overwrite").code == 0
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert rj.KinematicChain.from_config(path) == chain
    (tmp_path / "folder.toml").mkdir()
    done = run("convert", urdf, "-o", tmp_path / "folder.toml", "--overwrite")
    assert (done.code, "is no file" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "arm.yaml"], "a chain file ends in .toml or .json"),
        (["-o", "arm.toml", "--format", "json"], "do not fit together"),
        (["--json", "--format", "toml"], "give one of them"),
        (["--format", "yaml"], "'yaml' is not one of"),
        (["-o", "nowhere/arm.toml"], "nowhere/arm.toml: No such file or directory"),
        (["--tip", "nothing"], "unknown tip link 'nothing'"),
    ],
)
def test_mistakes(run, urdf, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = run("convert", urdf, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["two.urdf"]
