"""Pictures: what the pixels say, nothing clipped, no global state."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_rgb
from matplotlib.image import imread

import repose_jit as rj
from repose_jit.errors import InputError, ReposeError, ShapeError
from repose_jit.reach.figures import placements as placements_room
from repose_jit.reach.figures.facts import map_facts
from repose_jit.reach.figures.histograms import BARS, metric_histograms
from repose_jit.reach.figures.outcomes import OUTCOMES, PROVEN_GREY
from repose_jit.reach.figures.words import miss_words, orientation_words, percent
from repose_jit.reach.plot import plot, plot_placement, title_lines
from repose_jit.reach.report import report
from repose_jit.reach.status import ReachStatus
from tests.reach.synthetic import METRICS, painted, write_store

GREY = np.array(to_rgb(PROVEN_GREY))
ZERO, FULL = (np.array(colormaps["viridis"](value)[:3]) for value in (0.0, 1.0))
REACHED, NOT_FOUND, PROVEN = ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE


def share(picture: np.ndarray, colour: np.ndarray) -> float:
    """Return the share of pixels of a colour."""
    return float(np.mean(np.all(np.abs(picture[..., :3] - colour) < 0.02, axis=-1)))


def assert_margins_are_white(picture: np.ndarray) -> None:
    """Nothing is clipped."""
    for edge in (picture[:3], picture[-3:], picture[:, :3], picture[:, -3:]):
        np.testing.assert_array_equal(edge[..., :3], 1.0)


def sampled_metrics(status: np.ndarray) -> dict[str, np.ndarray]:
    values = np.random.default_rng(0).uniform(0.0, 0.7, status.shape)
    return {metric: np.where(status == REACHED, values, np.nan) for metric in METRICS}


SHAPES = {"grid": (5, 4, 3, 6), "surface": (40, 4), "poses": (30, 1), "placements": (6, 5, 4, 7)}


@pytest.mark.parametrize("kind", SHAPES)
def test_every_kind_is_drawn_with_nothing_clipped(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    status = rng.integers(1, 4, SHAPES[kind])
    site_poses = None
    if kind != "grid":
        site_poses = np.broadcast_to(np.eye(4), (*status.shape[:-1], 4, 4)).copy()
        site_poses[..., :3, 3] = rng.uniform(-0.5, 0.5, (*status.shape[:-1], 3))
    reach_map = write_store(tmp_path / "map", status, kind=kind, site_poses=site_poses, metrics=sampled_metrics(status))
    picture = imread(plot(reach_map, tmp_path / "map.png"))
    assert picture.shape[1] == 1620
    assert_margins_are_white(picture)


def test_zero_and_proven_and_full_look_different(tmp_path: Path) -> None:
    colours = {NOT_FOUND: ZERO, PROVEN: GREY, REACHED: FULL}
    for status in colours:
        picture = imread(plot(painted(tmp_path / f"{status}", status), tmp_path / f"{status}.png"))
        for other, colour in colours.items():
            assert (share(picture, colour) > 0.1) == (other is status)
            assert share(picture, colour) < 0.03 or other is status


def test_a_voxel_with_a_single_pose_that_might_be_reached_is_not_proven(tmp_path: Path) -> None:
    status = np.full((6, 5, 4, 8), PROVEN)
    status[..., 0] = NOT_FOUND
    assert share(imread(plot(write_store(tmp_path / "map", status), tmp_path / "map.png")), GREY) < 0.01


@pytest.mark.parametrize("axis", [0, 2])
def test_slices_go_through_the_centre_of_what_is_reached(axis: int, tmp_path: Path) -> None:
    status = np.full((6, 5, 4, 8), NOT_FOUND)
    layer = [slice(None)] * 4
    layer[axis] = slice(3, 4)
    status[tuple(layer)] = REACHED
    # One of the three panels is this layer and full of it; the other two cut it in a line.
    assert share(imread(plot(write_store(tmp_path / "map", status), tmp_path / "map.png")), FULL) > 0.05


def test_a_metre_is_as_long_in_every_panel(tmp_path: Path) -> None:
    """A box of 1.2 × 0.6 × 0.3 m, full: the areas of the three panels are as 1.2 × 0.6 + 1.2 × 0.3 + 0.6 × 0.3."""
    reach_map = painted(tmp_path / "map", REACHED, (12, 6, 3, 1))
    picture = imread(plot(reach_map, tmp_path / "map.png"))[:, :1480]  # without the colour bar
    is_full = np.all(np.abs(picture[..., :3] - FULL) < 0.02, axis=-1)
    columns = np.flatnonzero(np.diff(is_full.any(axis=0).astype(int)))
    widths = columns[1::2] - columns[::2]
    heights = [int(is_full[:, a + 20].sum()) for a in columns[::2]]
    np.testing.assert_allclose(widths / widths[0], [1.0, 1.0, 0.5], atol=0.02)
    np.testing.assert_allclose(np.array(heights) / widths[0], [0.5, 0.25, 0.25], atol=0.02)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 60, 1), (9, 9, 1, 4)])
def test_flat_and_lone_grids_are_drawn(shape: tuple[int, int, int, int], tmp_path: Path) -> None:
    assert_margins_are_white(imread(plot(painted(tmp_path / "map", REACHED, shape), tmp_path / "map.png")))


def test_an_unfinished_map_says_so(tmp_path: Path) -> None:
    status = np.full((6, 5, 4, 8), REACHED)
    status[4:] = ReachStatus.UNINITIALIZED
    reach_map = write_store(tmp_path / "map", status)
    assert title_lines(reach_map)[-1] == "unfinished: 2 of 3 chunks done"
    facts = map_facts(reach_map)
    assert facts.counts == {REACHED: 640, ReachStatus.UNINITIALIZED: 320}
    assert facts.percent_reached == 100.0
    picture = imread(plot(reach_map, tmp_path / "map.png"))
    assert 0.01 < share(picture, FULL) < 0.2
    assert share(picture, GREY) < 0.01


@pytest.mark.parametrize("outcome", [REACHED, NOT_FOUND, PROVEN])
def test_poses_have_the_colour_of_their_outcome(outcome: ReachStatus, tmp_path: Path) -> None:
    site_poses = np.broadcast_to(np.eye(4), (400, 4, 4)).copy()
    site_poses[:, :3, 3] = np.random.default_rng(2).uniform(-0.5, 0.5, (400, 3))
    status = np.full((400, 1), outcome)
    picture = imread(
        plot(write_store(tmp_path / "map", status, kind="poses", site_poses=site_poses), tmp_path / "a.png")
    )
    for other in (REACHED, NOT_FOUND, PROVEN):
        assert (share(picture, np.array(to_rgb(OUTCOMES[other].colour))) > 1e-3) == (other is outcome)


def test_the_best_placements_drawn_are_those_that_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three placements in one cell, two in the next: of each only the best, and what lies two cells away."""
    status = np.full((6, 3, 4, 5), NOT_FOUND)
    metrics = {"limit_margin": np.zeros(status.shape), "manipulability": np.full(status.shape, np.nan)}
    for place, n, value in (((0, 0, 0), 5, 0.1), ((0, 0, 1), 5, 0.3), ((0, 0, 2), 5, 0.2), ((1, 0, 0), 5, 0.2),
                            ((3, 1, 1), 4, 0.1), ((5, 2, 0), 4, 0.2), ((5, 2, 3), 1, 9.0)):  # fmt: skip
        status[place][:n] = REACHED
        metrics["manipulability"][place][:n] = value
    coordinates = {"x": 0.1 * np.arange(6.0), "y": 0.1 * np.arange(3.0), "yaw": np.arange(4.0)}
    reach_map = write_store(tmp_path / "map", status, kind="placements", metrics=metrics, coordinates=coordinates)
    result = rj.PlacementResult(reach_map)
    printed = [(one.x, one.y, one.yaw) for one in result.best()]
    np.testing.assert_allclose(printed, [[0, 0, 1], [0.5, 0.2, 0], [0.3, 0.1, 1]])
    marks: list[np.ndarray] = []
    mark = placements_room._mark
    monkeypatch.setattr(
        placements_room, "_mark", lambda axes, best, spans: (marks.append(best), mark(axes, best, spans))
    )
    plot(reach_map, tmp_path / "a.png")
    page = report(reach_map, tmp_path / "a.html").read_text(encoding="utf-8")
    result.plot(tmp_path / "b.png")
    assert len(marks) == 6
    for best in marks:
        np.testing.assert_array_equal(best, printed)
    assert "best placements, at least 0.2 m apart" in result.summary_text()
    assert "of the best, at least 0.2 m apart" in page
    plot_placement(reach_map, tmp_path / "a.png", n_best=2)
    np.testing.assert_array_equal(marks[-1], printed[:2])
    assert title_lines(reach_map)[0] == "painted: the best placement reaches 5 of 5 task poses"
    assert_margins_are_white(imread(plot_placement(reach_map, tmp_path / "a.png", best=[[0.1, 0.1, 0.3]])))
    np.testing.assert_array_equal(marks[-1], [[0.1, 0.1, 0.3]])


def test_all_that_a_legend_may_say_has_room(tmp_path: Path) -> None:
    status = np.full((12, 9, 2, 5), REACHED)
    status[:3], status[3:5], status[5], status[10:] = ReachStatus.EXCLUDED, PROVEN, NOT_FOUND, 0
    coordinates = {"x": 0.125 * np.arange(12), "y": 0.125 * np.arange(9), "yaw": np.arange(2.0)}
    reach_map = write_store(
        tmp_path / "map", status, kind="placements", metrics=sampled_metrics(status), coordinates=coordinates
    )
    assert_margins_are_white(imread(plot(reach_map, tmp_path / "a.png")))


def test_placements_may_be_excluded_and_none_may_reach(tmp_path: Path) -> None:
    status = np.full((1, 3, 1, 5), ReachStatus.EXCLUDED)
    reach_map = write_store(tmp_path / "map", status, kind="placements", metrics={})
    assert rj.PlacementResult(reach_map).best() == []
    assert map_facts(reach_map).counts == {REACHED: 0, ReachStatus.EXCLUDED: 15}
    assert_margins_are_white(imread(plot(reach_map, tmp_path / "a.png")))


def test_histograms_hold_every_value_and_know_quantiles(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    status = rng.choice([REACHED, NOT_FOUND], (7, 3, 2, 50))
    values = np.where(status == REACHED, rng.gamma(2.0, 0.1, status.shape), np.nan).astype(np.float32)
    reach_map = write_store(tmp_path / "map", status, metrics={"sigma_min": values})
    (histogram,) = metric_histograms(reach_map)
    known = values[np.isfinite(values)].astype(float)
    assert histogram.n == known.size == histogram.counts.sum()
    assert (histogram.least, histogram.most) == (known.min(), known.max())
    assert histogram.mean == pytest.approx(known.mean(), rel=1e-12)
    width = histogram.edges[1]
    for part in (0.05, 0.5, 0.95):
        value = histogram.quantile(part)
        assert np.mean(known < value - width) <= part <= np.mean(known < value + width)
    shares, edges = histogram.bars()
    assert len(shares) == BARS == len(edges) - 1
    assert shares.sum() == pytest.approx(100.0)


def test_a_histogram_of_nothing_and_of_zeros(tmp_path: Path) -> None:
    nothing, zeros = metric_histograms(
        write_store(
            tmp_path / "map",
            np.full((2, 2, 2, 3), REACHED),
            metrics={"sigma_min": np.full((2, 2, 2, 3), np.nan), "limit_margin": np.zeros((2, 2, 2, 3))},
        )
    )
    assert nothing.n == 0
    assert np.isnan([nothing.mean, nothing.least, nothing.most, nothing.quantile(0.5)]).all()
    assert (zeros.n, zeros.mean, zeros.quantile(0.5)) == (24, 0.0, 0.0)


@pytest.mark.parametrize(
    ("share_", "words"),
    [
        (0.0, "0 %"),
        (1e-9, "< 0.01 %"),
        (0.00015, "0.015 %"),
        (0.0025, "0.25 %"),
        (0.5, "50.0 %"),
        (0.99999, "> 99.99 %"),
        (1.0, "100 %"),
    ],
)
def test_a_percentage_never_looks_like_none_or_all(share_: float, words: str) -> None:
    assert percent(share_) == words


def test_miss_rates_are_read_from_the_summary(tmp_path: Path) -> None:
    facts = map_facts(painted(tmp_path / "map", REACHED))
    assert facts.from_fk is not None
    assert facts.from_retry is not None
    assert miss_words(facts.from_fk) == "0.25 % (5 of 2,000)"
    assert (facts.from_retry.missed, facts.from_retry.attempts) == (3, 80)
    none = {"from_fk": {"sampled": 1000, "missed": 0, "rate": 0.0, "below": 0.3}, "from_retry": None}
    facts = map_facts(write_store(tmp_path / "none", np.full((2, 2, 2, 1), REACHED), miss_rate=none))
    assert facts.from_fk is not None
    assert miss_words(facts.from_fk) == "0 of 1,000 (with 95 % confidence below 0.3 %)"
    assert facts.from_retry is None


@pytest.mark.parametrize("kind", SHAPES)
def test_what_was_missed_is_said_of_the_study_and_not_of_the_workspace(kind: str, tmp_path: Path) -> None:
    """Poses of forward kinematics are those of a grid; elsewhere only poses of the study tell of it."""
    status = np.full(SHAPES[kind], REACHED)
    status.flat[:20] = NOT_FOUND
    fk = {"sampled": 2000, "missed": 50, "rate": 2.5, "below": 3.3}

    def words(**retry: object) -> list[str]:
        miss_rate = {"from_fk": fk, "from_retry": {"attempts": 80, **retry}}
        reach_map = write_store(tmp_path / "map", status, kind=kind, miss_rate=miss_rate)
        text = " ".join(report(reach_map, tmp_path / "a.html").read_text(encoding="utf-8").split())
        lines = [line for line in title_lines(reach_map) if "missed" in line or "found" in line]
        for line in lines:
            assert line in text.replace("</b><span>", " ").replace("&lt;", "<")
        return lines

    of_fk = "less than 3.3 % of what is reachable was missed (95 % confidence)"
    sampled = words(sampled=10, found=1, rate=0.4, below=1.2)
    whole = words(sampled=20, found=0, rate=0.0, below=0.0)
    two = words(sampled=20, found=2, rate=0.4, below=0.4)
    status[:] = REACHED
    nothing = words(sampled=0, found=0, rate=0.0, below=0.0)
    if kind == "grid":
        assert [sampled, whole, two, nothing] == [[of_fk]] * 4
    else:
        assert sampled == ["less than 1.2 % of what 80 attempts reach was missed (95 % confidence)"]
        assert whole == ["none of the 20 not found was found with 80 attempts"]
        assert two == ["2 of the 20 not found were found with 80 attempts"]
        assert nothing == []


@pytest.mark.parametrize(
    ("kind", "orientations", "words"),
    [
        ("grid", None, "8 orientations of the tool, spread evenly over all rotations"),
        ("grid", {"kind": "directions", "tool_axis": "-x", "n": 4, "n_roll": 2}, "−x axis points in 4 directions"),
        ("grid", {"kind": "free_axis", "tool_axis": "z", "n": 8}, "z axis points in 8 directions, spread evenly over"),
        ("grid", {"kind": "none"}, "Position only"),
        ("surface", {"kind": "directions", "tool_axis": "z", "approach": "-normal"}, "against the surface normal"),
        ("surface", {"kind": "free_axis", "tool_axis": "z", "approach": "+normal"}, "along the surface normal"),
        ("poses", {"kind": "free_axis", "tool_axis": "z"}, "points as in the pose; the roll about it is free"),
        ("poses", None, "The whole pose"),
        ("placements", None, "The 8 poses of the task"),
    ],
)
def test_frames_are_put_into_words(kind: str, orientations: dict | None, words: str, tmp_path: Path) -> None:
    shape = {"grid": (2, 2, 2), "placements": (2, 2, 2)}.get(kind, (3,))
    reach_map = write_store(tmp_path / "map", np.full((*shape, 8), 1), kind=kind, orientations=orientations)
    assert words in orientation_words(reach_map)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
@pytest.mark.parametrize("kind", ["grid", "surface"])
def test_the_same_map_gives_the_same_bytes(kind: str, suffix: str, tmp_path: Path) -> None:
    status = np.full(SHAPES[kind], REACHED)
    reach_map = write_store(tmp_path / "map", status, kind=kind, metrics=sampled_metrics(status))
    first, second = (plot(reach_map, tmp_path / f"{name}{suffix}").read_bytes() for name in ("a", "b"))
    assert len(first) > 5_000
    assert first == second


@pytest.mark.parametrize("name", ["$\\frac{$", "$x$", "机器人", "\0", "\U0001f916", "%s {x}", "w" * 300])
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_any_name_can_be_drawn(name: str, suffix: str, tmp_path: Path) -> None:
    """After a long run, whatever the robot is called: a dollar sign starts no formula, missing letters are boxes."""
    reach_map = painted(tmp_path / "map", REACHED)
    reach_map.attributes["robot"] = name
    path = plot(reach_map, tmp_path / f"map{suffix}")
    if suffix == ".png":
        assert_margins_are_white(imread(path))


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    reach_map = painted(tmp_path / "map", REACHED)
    with pytest.raises(InputError, match=r"got suffix '\.bmp' in 'map\.bmp', expected one of \.png, \.svg, \.pdf"):
        plot(reach_map, tmp_path / "map.bmp")
    for path in (None, 5, b"map.png", str(tmp_path / "\0.png")):
        with pytest.raises(InputError, match="expected a path"):
            plot(reach_map, path)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="reach_map: got int, expected a ReachMap"):
        plot(3, tmp_path / "map.png")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"cannot be written \(No such file or directory\)"):
        plot(reach_map, tmp_path / "nowhere" / "map.png")
    with pytest.raises(InputError, match="got a map of kind 'grid', expected 'placements'"):
        plot_placement(reach_map, tmp_path / "map.png")
    placements = write_store(tmp_path / "placements", np.full((2, 2, 2, 3), 1), kind="placements")
    with pytest.raises(ShapeError, match=r"best: got shape \(2,\), expected \(N, 3\)"):
        plot_placement(placements, tmp_path / "map.png", best=[1.0, 2.0])
    with pytest.raises(InputError, match=r"best\[0, 2\]: got nan, expected a finite number"):
        plot_placement(placements, tmp_path / "map.png", best=[[1.0, 2.0, np.nan]])


def test_a_missing_matplotlib_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ReposeError, match=r"pip install 'repose_jit\[plot\]'"):
        plot(painted(tmp_path / "map", REACHED), tmp_path / "map.png")


def test_drawing_needs_no_pyplot_and_the_import_no_matplotlib(tmp_path: Path) -> None:
    painted(tmp_path / "map", REACHED)
    code = (
        "import sys\n"
        "from repose_jit.reach import plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "import repose_jit as rj\n"
        "plot.plot(rj.ReachMap.open(sys.argv[1]), sys.argv[2])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, tmp_path / "map", tmp_path / "map.png"], check=True, cwd=root)
