"""Reports: well-formed, alone, escaped, and true to the map."""

from __future__ import annotations

import base64
import errno
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.page.elements import Markup, definitions, markup, paragraph, table
from repose_jit.reach.page.robot_table import robot_table
from repose_jit.reach.plot import plot
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.report import report
from repose_jit.reach.status import ReachStatus
from tests.reach.robots import shell_arm
from tests.reach.synthetic import METRICS, MISS_RATE, painted, write_store

VOID = {"meta", "img", "br", "hr"}
REACHED, NOT_FOUND = ReachStatus.REACHED, ReachStatus.NOT_FOUND


class Page(HTMLParser):
    """The elements of a page; fails where one is not closed or holds what it may not."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def page_of(reach_map: ReachMap, folder: Path) -> Page:
    return Page(report(reach_map, folder / "report.html").read_text(encoding="utf-8"))


def assert_is_alone(page: Page) -> None:
    """Nothing is loaded, and nothing runs."""
    assert {"script", "link", "iframe", "object", "base"}.isdisjoint(page.seen)
    for tag, name, value in page.attributes:
        assert not name.startswith("on")
        if name in {"src", "href", "data", "srcset", "action", "poster"}:
            assert (tag, name) == ("img", "src")
            assert value.startswith("data:image/svg+xml;base64,")
            svg = base64.b64decode(value.partition(",")[2])
            for link in re.findall(rb'href="([^"]*)"', svg):
                assert link.startswith((b"#", b"data:"))
            ElementTree.fromstring(svg)


@pytest.mark.parametrize("kind", ["grid", "surface", "poses", "placements"])
def test_every_kind_gives_a_page_that_needs_nothing_else(kind: str, tmp_path: Path) -> None:
    shape = {"grid": (5, 4, 3, 6), "surface": (40, 4), "poses": (30, 1), "placements": (6, 5, 4, 7)}[kind]
    rng = np.random.default_rng(5)
    status = rng.integers(1, 4, shape)
    metrics = {metric: np.where(status == REACHED, rng.uniform(0.0, 0.5, shape), np.nan) for metric in METRICS}
    page = page_of(write_store(tmp_path / "map", status, kind=kind, metrics=metrics), tmp_path)
    assert_is_alone(page)
    assert page.seen.count("h1") == 1
    assert page.seen.count("img") == 2
    assert all(value for tag, name, value in page.attributes if (tag, name) == ("img", "alt"))
    for outcome in (1, 2, 3):
        assert f"{np.count_nonzero(status == outcome):,}" in page.text
    css = (Path(sys.modules["repose_jit.reach.page"].__file__).parent / "page.css").read_text()
    assert "url(" not in css
    assert "@import" not in css


def test_the_figures_are_those_of_the_map(tmp_path: Path) -> None:
    status = np.full((4, 4, 4, 5), NOT_FOUND)
    status[:2] = REACHED
    status[0, 0, 0, 0] = NOT_FOUND
    miss_rate = {**MISS_RATE, "from_retry": {"sampled": 100, "found": 1, "attempts": 80, "rate": 1.0, "below": 4.0}}
    text = page_of(write_store(tmp_path / "map", status, miss_rate=miss_rate), tmp_path).text
    assert "49.7 % of 320 poses reached" in text
    assert "0.032 m³ reachable volume" in text
    assert "32 of 64 voxels with a pose reached, 31 with all" in text
    assert "not found 161 50.3 %" in text
    # One of 100 is 1.6 of the 161 not found, and 1 % of the 159 + 1.6 that can be reached.
    assert "1.0 % (1 of 100) of a sample of the poses not found were found with 80 attempts" in text
    assert "For all 161 poses not found that makes about 2 more: 1.0 % of those that can be reached" in text
    assert "0.25 % (5 of 2,000) of the poses that forward kinematics makes" in text
    assert "1.4 to 4 times as many are missed" in text
    assert "8 attempts of 30 iterations, 2 where nothing near is reached, and solutions lent by neighbours" in text
    assert "Most rounds of lending 4" in text
    assert "0.1 mm and 0.0573°" in text
    assert "−0 m" not in text


@pytest.mark.parametrize("kind", ["surface", "poses", "placements"])
def test_only_a_grid_is_said_to_be_one(kind: str, tmp_path: Path) -> None:
    shape = (3, 3, 2, 4) if kind == "placements" else (9, 2)
    text = page_of(write_store(tmp_path / "map", np.full(shape, REACHED), kind=kind), tmp_path).text
    assert "were missed. Such poses are spread over the whole workspace, and not where those of this study are" in text
    assert "grid" not in text.partition("The study ")[0]


@pytest.mark.parametrize("kind", ["grid", "surface", "poses", "placements"])
def test_the_page_says_what_solves_the_study_again(kind: str, tmp_path: Path) -> None:
    shape = {"grid": (3, 3, 3, 2), "placements": (3, 3, 2, 4)}.get(kind, (9, 2))
    of_file = {} if kind == "grid" else {"targets": {"kind": "poses", "file": "task.csv", "count": 9}}
    text = page_of(write_store(tmp_path / "map", np.full(shape, REACHED), kind=kind, **of_file), tmp_path).text
    assert ("Save the study below as study.toml and run repose-jit reach run study.toml" in text) == (kind == "grid")
    assert ("its targets are those of task.csv at the time, and in the store" in text) == (kind != "grid")
    assert ("repose-jit reach place STUDY solves it again" in text) == (kind == "placements")
    assert ("repose-jit reach verify STORE --repeat N" in text) == (kind != "grid")
    assert "With the same versions, on any processor with fused multiply-add" in text


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("kind", ["grid", "surface", "poses", "placements"])
def test_only_words_that_the_page_has_are_explained(kind: str, k: int, tmp_path: Path) -> None:
    sites = {"grid": (3, 3, 3), "placements": (3, 3, 2)}.get(kind, (9,))
    text = page_of(write_store(tmp_path / "map", np.full((*sites, k), REACHED), kind=kind), tmp_path).text
    reading = text.partition("How to read it")[2].partition("How to reproduce it")[0]
    for word in ("Voxel", "Volume"):
        assert (word in reading) == (kind == "grid")
    assert ("Dark grey is excluded" in reading) == (kind == "placements")
    assert ("From dark violet" in reading) == (kind in {"grid", "placements"} or k > 1)


def test_the_best_placements_stand_in_a_table(tmp_path: Path) -> None:
    status = np.full((6, 3, 4, 1200), NOT_FOUND)
    metrics = {"manipulability": np.full(status.shape, np.nan)}
    for place, n, value in (((0, 0, 1), 1200, 0.3), ((5, 2, 2), 7, 0.25)):
        status[place][:n] = REACHED
        metrics["manipulability"][place][:n] = value
    coordinates = {"x": 0.1 * np.arange(6.0) - 0.5, "y": 0.1 * np.arange(3.0), "yaw": 0.5 * np.pi * np.arange(4)}
    reach_map = write_store(
        tmp_path / "map", status, kind="placements", metrics=metrics, coordinates=coordinates, miss_rate=None
    )
    text = page_of(reach_map, tmp_path).text
    assert "rank x [m] y [m] yaw [°] task poses reached manipulability w, mean" in text
    assert "1 −0.500 0.000 90.0 1,200 of 1,200 0.3 2 0.000 0.200 180.0 7 of 1,200 0.25" in text
    printed = rj.PlacementResult(reach_map).summary_text()
    assert "  1,200 of 1,200: x -0.500 m" in printed
    assert "      7 of 1,200: x 0.000 m" in printed
    nothing = write_store(tmp_path / "none", np.full((3, 3, 2, 4), NOT_FOUND), kind="placements")
    assert "No placement reaches a pose of the task." in page_of(nothing, tmp_path).text


def test_what_cannot_be_finished_leaves_the_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reach_map = painted(tmp_path / "map", REACHED)

    def fail(*_: object) -> object:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", fail)
    for name, write in (("a.html", report), ("a.png", plot)):
        (tmp_path / name).write_text("earlier")
        with pytest.raises(InputError, match=rf"{name}: cannot be written \(No space left on device\)"):
            write(reach_map, tmp_path / name)
        assert (tmp_path / name).read_text() == "earlier"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.png", "map"]


def test_a_sample_of_all_is_no_estimate(tmp_path: Path) -> None:
    miss_rate = {"from_fk": None, "from_retry": {"sampled": 54, "found": 2, "attempts": 80, "rate": 1.0, "below": 1.0}}
    text = page_of(write_store(tmp_path / "map", np.full((3, 3, 3, 2), NOT_FOUND), miss_rate=miss_rate), tmp_path).text
    assert "Of all 54 poses not found, 2 were found with 80 attempts." in text


def test_nothing_reached_and_nothing_estimated(tmp_path: Path) -> None:
    page = page_of(write_store(tmp_path / "map", np.full((3, 3, 3, 2), NOT_FOUND), miss_rate=None), tmp_path)
    assert_is_alone(page)
    assert "0 % of 54 poses reached" in page.text
    assert "reached 0 0 %" in page.text
    assert "No estimate was made." in page.text
    assert "nan" not in page.text.casefold()


def test_an_unfinished_study_says_so(tmp_path: Path) -> None:
    status = np.full((6, 5, 4, 8), REACHED)
    status[4:] = ReachStatus.UNINITIALIZED
    text = page_of(write_store(tmp_path / "map", status), tmp_path).text
    assert "Unfinished: 2 of 3 chunks done. All figures are of what is done." in text
    assert "not computed yet 320 The study" in text
    assert "The misses are estimated once the study is finished." in text


def test_a_map_without_metrics(tmp_path: Path) -> None:
    page = page_of(write_store(tmp_path / "map", np.full((3, 3, 3, 2), REACHED), metrics={}), tmp_path)
    assert page.seen.count("img") == 1
    assert "No metric was asked for." in page.text


HOSTILE = "</title><script>alert(1)</script>'\"&amp;${lead}$$ <img src=http://evil.example/x onerror=alert(1)>\0\x1b"


def test_whatever_the_study_holds_is_text(tmp_path: Path) -> None:
    targets = {"kind": "surface", "file": HOSTILE[:-2], "units": "<b>m</b>"}
    reach_map = write_store(tmp_path / "map", np.full((9, 2), REACHED), kind="surface", targets=targets)
    harmless = page_of(reach_map, tmp_path)
    reach_map.attributes["robot"] = HOSTILE
    reach_map.attributes["study_hash"] = HOSTILE
    reach_map.attributes["versions"] = {HOSTILE: HOSTILE}
    page = page_of(reach_map, tmp_path)
    assert_is_alone(page)
    assert page.seen == harmless.seen
    assert "script" not in page.seen
    assert "Reachability of </title><script>alert(1)</script>" in page.text
    assert "\0" not in page.text
    assert "\x1b" not in page.text


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_escaped(text: str) -> None:
    parts = (paragraph(text), definitions([(text, text)]), table([text, "x"], [[text, text]], numbers=[1]))
    page = Page("".join(parts))
    assert set(page.seen) <= {"p", "dl", "dt", "dd", "div", "table", "thead", "tbody", "tr", "th", "td"}
    "".join(parts).encode()


def test_markup_is_escaped_once() -> None:
    assert markup("<&>") == "&lt;&amp;&gt;"
    assert markup(markup("<&>")) == "&lt;&amp;&gt;"
    assert paragraph("<", Markup("<b>x</b>")) == "<p>&lt;<b>x</b></p>\n"


def test_the_same_map_gives_the_same_bytes_and_no_date(tmp_path: Path) -> None:
    reach_map = painted(tmp_path / "map", REACHED)
    first, second = (report(reach_map, tmp_path / f"{name}.html").read_bytes() for name in ("a", "b"))
    assert first == second
    assert not re.search(rb"20\d\d-\d\d-\d\d", first)


def test_the_robot_is_listed_joint_by_joint(tmp_path: Path) -> None:
    chain = shell_arm(tool=0.05)
    page = Page(robot_table(chain))
    for joint in chain.joints:
        assert joint.name in page.texts
    assert "Tool offset: 0 0 50 mm, roll pitch yaw 0 0 0°." in page.text
    assert "no limit" in page.text
    slide = rj.KinematicChain(
        [
            rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_x", rj.JointLimits.prismatic(-0.1, 0.25, 0.5), name="a"),
            rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", name="b", mimic=rj.JointMimic("a", 2.0)),
            rj.JointSpec.fixed((0, 0, 0), (0, 0, np.pi / 2), name="c"),
        ]
    )
    text = Page(robot_table(slide)).text
    assert "−100 mm 250 mm 500 mm/s" in text
    assert "revolute, follows a" in text
    assert "0 0 90" in text


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    reach_map = painted(tmp_path / "map", REACHED)
    with pytest.raises(InputError, match=r"got suffix '\.pdf' in 'a\.pdf', expected one of \.html, \.htm"):
        report(reach_map, tmp_path / "a.pdf")
    with pytest.raises(InputError, match="reach_map: got str, expected a ReachMap"):
        report("map", tmp_path / "a.html")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"cannot be written \(No such file or directory\)"):
        report(reach_map, tmp_path / "nowhere" / "a.html")


def test_a_missing_matplotlib_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ReposeError, match=r"pip install 'repose_jit\[plot\]'"):
        report(painted(tmp_path / "map", REACHED), tmp_path / "a.html")
