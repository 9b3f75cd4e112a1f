"""Pictures: what the pixels say, nothing clipped, no global state."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.image import imread

from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.engine import ReachStatus
from repose_jit.reach.plot import plot
from repose_jit.reach.study import ReachStudy
from tests.reach.robots import painted, rebel

GREY = 0.88


def share(picture: np.ndarray, colour: np.ndarray) -> float:
    """Return the share of pixels of a colour."""
    return float(np.mean(np.all(np.abs(picture[..., :3] - colour) < 0.02, axis=-1)))


def test_a_study_gives_a_picture_with_nothing_clipped(tmp_path: Path) -> None:
    reach_map = ReachStudy(rebel(), spacing=0.15, n_orientations=20, attempts=8).run()
    path = plot(reach_map, tmp_path / "map.png")
    picture = imread(path)
    assert picture.shape[1] >= 1600
    for edge in (picture[:3], picture[-3:], picture[:, :3], picture[:, -3:]):
        np.testing.assert_array_equal(edge[..., :3], 1.0)
    assert share(picture, np.full(3, GREY)) > 0.05


def test_zero_and_out_of_reach_and_full_look_different(tmp_path: Path) -> None:
    zero, full = (np.array(colormaps["viridis"](value)[:3]) for value in (0.0, 1.0))
    colours = {
        ReachStatus.NOT_FOUND: zero,
        ReachStatus.PROVEN_UNREACHABLE: np.full(3, GREY),
        ReachStatus.REACHED: full,
    }
    for status in colours:
        picture = imread(plot(painted(status), tmp_path / f"{status}.png"))
        for other, colour in colours.items():
            assert (share(picture, colour) > 0.25) == (other is status)
            assert share(picture, colour) < 0.03 or other is status


def test_a_voxel_with_a_single_pose_that_might_be_reached_is_not_out_of_reach(tmp_path: Path) -> None:
    reach_map = painted(ReachStatus.PROVEN_UNREACHABLE)
    reach_map.status[..., 0] = ReachStatus.NOT_FOUND
    assert share(imread(plot(reach_map, tmp_path / "map.png")), np.full(3, GREY)) < 0.01


@pytest.mark.parametrize("axis", [0, 2])
def test_slices_go_through_the_centre_of_what_is_reached(axis: int, tmp_path: Path) -> None:
    reach_map = painted(ReachStatus.NOT_FOUND)
    layer = [slice(None)] * 4
    layer[axis] = slice(3, 4)
    reach_map.status[tuple(layer)] = ReachStatus.REACHED
    full = np.array(colormaps["viridis"](1.0)[:3])
    # One of the three panels is this layer and full of it; the other two cut it in a line.
    assert share(imread(plot(reach_map, tmp_path / "map.png")), full) > 0.1


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 60, 1)])
def test_flat_and_lone_grids_are_drawn(shape: tuple[int, int, int, int], tmp_path: Path) -> None:
    assert imread(plot(painted(ReachStatus.REACHED, shape), tmp_path / "map.png")).shape[2] == 4


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_vector_pictures(suffix: str, tmp_path: Path) -> None:
    path = plot(painted(ReachStatus.REACHED), tmp_path / f"map{suffix}")
    assert path.stat().st_size > 5_000


@pytest.mark.parametrize("name", ["$\\frac{$", "$x$", "机器人", "\0", "\ud800", "\U0001f916", "%s {x}"])
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_any_name_can_be_drawn(name: str, suffix: str, tmp_path: Path) -> None:
    """After a long run, whatever the robot is called: a dollar sign starts no formula, missing letters are boxes."""
    reach_map = painted(ReachStatus.REACHED)
    named = replace(reach_map, attributes={**reach_map.attributes, "robot": name})
    assert plot(named, tmp_path / f"map{suffix}").exists()


def test_wrong_paths_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"got suffix '\.bmp' in 'map\.bmp', expected one of \.png, \.svg, \.pdf"):
        plot(painted(1), tmp_path / "map.bmp")
    for path in (None, 5, b"map.png", str(tmp_path / "\0.png")):
        with pytest.raises(InputError, match="expected a path"):
            plot(painted(1), path)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="reach_map: got int, expected a ReachMap"):
        plot(3, tmp_path / "map.png")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"cannot be written \(No such file or directory\)"):
        plot(painted(1), tmp_path / "nowhere" / "map.png")


def test_a_missing_matplotlib_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ReposeError, match=r"pip install 'repose_jit\[plot\]'"):
        plot(painted(1), tmp_path / "map.png")


def test_drawing_needs_no_pyplot_and_the_import_no_matplotlib(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from repose_jit.reach import plot, store\n"
        "assert not {'matplotlib', 'zarr'} & set(sys.modules)\n"
        "from tests.reach.robots import painted\n"
        "plot.plot(painted(1), sys.argv[1])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, tmp_path / "map.png"], check=True, cwd=root)
