from __future__ import annotations

import re

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.bench import BenchSettings, Work, measure, read_report, run, write_report
from repose_jit.cli import bench_screen
from repose_jit.cli.bench import ROBOTS
from tests.bench.reports import MACHINE, kinematics_row, report, row
from tests.cli.test_app import modules_after

TINY = {"batches": (1, 8, 64), "calls": 5, "repetitions": 3, "cached_starts": 0, "first_calls": 0}


@pytest.fixture
def tiny(monkeypatch):
    """Let runs be over in a moment."""
    monkeypatch.setattr(BenchSettings, "quick", classmethod(lambda cls, *, threads: cls(threads=threads, **TINY)))
    monkeypatch.setattr(run, "TARGETS_PER_REPETITION", 64)


def file_of(tmp_path, name, *rows, **changes):
    path = tmp_path / f"{name}.json"
    write_report(report(*rows, **changes), path)
    return path


# -------------------------------------------------------------------------------------------------------------- run


@pytest.mark.usefixtures("tiny")
def test_a_run_prints_all_rows_and_writes_them(run, tmp_path):
    path = tmp_path / "report.json"
    done = run("bench", "run", "igus_rebel", "ur5", "--quick", "--threads", "2", "-o", path)
    assert done.code == 0
    written = read_report(path)
    assert written.settings == BenchSettings(threads=(1, 2), **TINY)
    assert {each.robot for each in written.rows} == {"igus_rebel", "ur5"}
    for each in written.of(Work.BATCH):
        line = rf"^{each.robot} +{bench_screen._tolerance(each)} +{each.batch} +{each.threads} +"
        assert re.search(f"{line}{re.escape(bench_screen.duration(each.ns))} ", done.out, re.MULTILINE)
    for each in written.of(Work.SOLVE_ONE):
        assert re.search(rf"^{each.robot} +{bench_screen._tolerance(each)} +result ", done.out, re.MULTILINE)
    assert written.machine.cpu in done.out
    assert f"report  {path}" in done.out
    assert "Fresh processes" not in done.out


@pytest.mark.usefixtures("tiny")
def test_json_is_the_report_and_nothing_else(run):
    done = run("bench", "run", "igus_rebel", "--quick", "--threads", "1", "--json", "--rng-seed", "5")
    document = done.json()
    assert document["settings"]["rng_seed"] == 5
    assert document["settings"]["threads"] == [1]
    assert {each["robot"] for each in document["rows"]} == {"igus_rebel"}
    assert set(document["machine"]) == set(vars(MACHINE))


@pytest.mark.usefixtures("tiny")
def test_robots_of_every_kind_are_called_by_their_names(run, urdf, odd):
    done = run("bench", "run", odd, urdf, "igus_rebel", "--tip", "tool", "--quick", "--json")
    assert "velocity" in done.err  # the URDF is read with a warning
    names = [each["robot"] for each in done.json()["rows"]]
    assert list(dict.fromkeys(names)) == ["odd", "two", "igus_rebel"]


def test_without_robots_and_options_it_is_the_usual(run, monkeypatch):
    asked = []

    def pretended(robots, settings, *, progress):
        asked.append((tuple(robots), settings))
        return report(row(1.0))

    monkeypatch.setattr("repose_jit.bench.run.run_bench", pretended)
    assert run("bench", "run", "--json").code == 0
    assert run("bench", "run", "--quick", "--threads", "4", "--json").code == 0
    (robots, usual), (_, quick) = asked
    assert robots == ROBOTS
    assert set(ROBOTS) <= set(rj.RobotPreset.names())
    assert usual.first_calls > 0
    assert usual.threads[0] == 1
    assert quick == BenchSettings.quick(threads=(1, 2, 4))


@pytest.mark.usefixtures("tiny")
def test_a_wrong_answer_is_loud_and_leaves_no_report(run, tmp_path, monkeypatch):
    solve = measure.inverse_kinematics_batch

    def lying(chain, targets, *, params):
        result = solve(chain, targets, params=params)
        np.asarray(result.q)[...] = chain.home
        return result

    monkeypatch.setattr(measure, "inverse_kinematics_batch", lying)
    done = run("bench", "run", "igus_rebel", "--quick", "-o", tmp_path / "report.json")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: batch, igus_rebel, batch of 1, 1 thread")
    assert "claimed to be solutions are none" in done.err
    assert not (tmp_path / "report.json").exists()


def test_a_busy_machine_is_told(run, monkeypatch):
    monkeypatch.setattr("repose_jit.bench.run.run_bench", lambda *_, **__: report(row(1.0), cpu_share=0.43))
    done = run("bench", "run", "--json")
    assert done.code == 0
    assert done.err == "Warning: this process got 43 % of a CPU, others had the rest: times are too long\n"
    assert done.json()["cpu_share"] == 0.43


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such_robot"], "unknown robot preset or file 'no_such_robot'"),
        (["ur5", "ur5"], "two robots are called 'ur5'"),
        (["ur5", "--tip", "tool0"], "only a URDF has links"),
        (["ur5", "--threads", "0"], "threads: got 0"),
        (["ur5", "--rng-seed", "-1"], "rng_seed: got -1"),
        (["ur5", "-o", "report.txt"], "expected a file that ends in .json"),
        (["ur5", "-o", "none/report.json"], "there is no directory none"),
    ],
)
def test_mistakes_are_told_before_the_run(run, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("repose_jit.bench.run.run_bench", lambda *_, **__: pytest.fail("it ran"))
    done = run("bench", "run", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_report_is_replaced_only_if_asked(run, monkeypatch, tmp_path):
    path = file_of(tmp_path, "report", row(1.0))
    monkeypatch.setattr("repose_jit.bench.run.run_bench", lambda *_, **__: report(row(2.0)))
    done = run("bench", "run", "-o", path, "--json")
    assert done.code == 2
    assert "--overwrite" in done.err
    assert read_report(path).rows[0].ns == 1.0
    assert run("bench", "run", "-o", path, "--json", "--overwrite").code == 0
    assert read_report(path).rows[0].ns == 2.0


# ---------------------------------------------------------------------------------------------------------- compare


def test_equal_reports_compare_as_equal(run, tmp_path):
    path = file_of(tmp_path, "old", row(10, 11, 12), kinematics_row(4, 5, 6))
    done = run("bench", "compare", path, path)
    assert (done.code, done.err) == (0, "")
    assert "0 faster, 0 slower, 2 same" in done.out


def test_slower_is_code_1_and_faster_is_not(run, tmp_path):
    old = file_of(tmp_path, "old", row(1000, 1010, 1020), row(50, 50, 50, robot="leg"))
    new = file_of(tmp_path, "new", row(1300, 1313, 1320), row(50, 50, 50, robot="leg"))
    done = run("bench", "compare", old, new)
    assert done.code == 1
    assert re.search(r"^batch +64 +1 +1e-4/1e-3 +1\.01 µs +1\.31 µs +1\.30 +slower$", done.out, re.MULTILINE)
    assert re.search(r"^batch +64 +1 +1e-4/1e-3 +50\.0 ns +50\.0 ns +1\.00$", done.out, re.MULTILINE)
    assert re.search("^leg$", done.out, re.MULTILINE)
    done = run("bench", "compare", new, old)
    assert done.code == 0
    assert re.search(r" 0\.77 +faster$", done.out, re.MULTILINE)
    assert run("bench", "compare", old, new, "--threshold", "0.5").code == 0


def test_other_machines_rows_and_shares_are_told(run, tmp_path):
    old = file_of(tmp_path, "old", row(1.0), row(2.0, batch=8))
    new = file_of(tmp_path, "new", row(1.0, solved=40), row(2.0, threads=2), cpu="Slide rule", threads=2)
    done = run("bench", "compare", old, new)
    assert done.code == 0
    assert done.err == (
        "Warning: not the same conditions: cpu: Abacus (wood) → Slide rule\n"
        "Warning: not the same conditions: threads: 4 → 2\n"
    )
    assert "Fewer solved: 100 became 80.00 %: batch, arm, batch of 64" in done.out
    assert "Only in the old report: batch, arm, batch of 8, 1 thread" in done.out
    assert "Only in the new report: batch, arm, batch of 64, 2 threads" in done.out
    assert "1 unknown" in done.out


def test_a_comparison_as_json(run, tmp_path):
    old = file_of(tmp_path, "old", row(10, 10, 10), row(2.0, batch=8))
    new = file_of(tmp_path, "new", row(20, 20, 20, solved=25), kinematics_row(2.0), numba="0.60.0")
    done = run("bench", "compare", old, new, "--json")
    assert (done.code, done.err) == (1, "")
    document = done.json()
    (compared,) = document.pop("rows")
    assert compared["work"] == "batch"
    assert compared["batch"] == 64
    assert (compared["old_ns"], compared["new_ns"], compared["ratio"], compared["change"]) == (10, 20, 2, "slower")
    assert (compared["old_percent_solved"], compared["new_percent_solved"]) == (100, 50)
    assert document["differences"] == ["numba: 0.68.1 → 0.60.0"]
    assert [key["batch"] for key in document["only_old"]] == [8]
    assert [key["work"] for key in document["only_new"]] == ["forward_kinematics"]
    assert document["threshold"] == 0.1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        ("{", "bad.json: "),
        ("[1, 2]", "expected a report that `repose-jit bench run` wrote"),
        ('{"schema": 7}', "schema: got 7, expected 1"),
        ('{"schema": 1}', "machine: missing"),
    ],
)
def test_files_that_cannot_be_read_are_code_2(run, tmp_path, content, message):
    good, bad = file_of(tmp_path, "good", row(1.0)), tmp_path / "bad.json"
    if content is not None:
        bad.write_text(content)
    for arguments in ((good, bad), (bad, good)):
        done = run("bench", "compare", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
        assert "bad.json" in done.err


def test_reports_without_a_common_row_are_code_2(run, tmp_path):
    old, new = file_of(tmp_path, "old", row(1.0)), file_of(tmp_path, "new", row(1.0, robot="leg"))
    done = run("bench", "compare", old, new)
    assert done.code == 2
    assert "without a row in common" in done.err


def test_a_threshold_must_make_sense(run, tmp_path):
    path = file_of(tmp_path, "old", row(1.0))
    assert run("bench", "compare", path, path, "--threshold", "-1").code == 2
    assert run("bench", "compare", path, path, "--threshold", "nan").code == 2


def test_the_command_line_does_not_load_the_benchmark():
    assert not modules_after("import repose_jit.cli.bench") & {"numba", "numpy", "msgspec", "tqdm"}


# ----------------------------------------------------------------------------------------------------------- screen


@pytest.mark.parametrize(
    ("ns", "expected"),
    [
        (0.5, "0.500 ns"),
        (17.26, "17.3 ns"),
        (999.4, "999 ns"),
        (999.6, "1.00 µs"),
        (1500.0, "1.50 µs"),
        (12_345.0, "12.3 µs"),
        (999_600.0, "1.00 ms"),
        (2.5e9, "2.50 s"),
        (1.25e11, "125 s"),
    ],
)
def test_times_have_three_digits(ns, expected):
    assert bench_screen.duration(ns) == expected


def one_target(times, robot="arm"):
    percentiles = tuple(np.percentile(times, range(101)).tolist())
    return row(max(1.0, float(np.median(times))), work=Work.SOLVE_ONE, batch=1, robot=robot, percentiles_ns=percentiles)


def test_a_histogram_has_every_call_once():
    rng = np.random.default_rng(0)
    rows = [one_target(rng.lognormal(mean, 0.5, 5000)) for mean in (8.0, 9.0)]
    lines = bench_screen.histogram(rows)
    assert len(lines) == bench_screen.BINS
    np.testing.assert_allclose(np.sum([shares for _, shares in lines], axis=0), 100.0)
    middles = [np.average(range(len(lines)), weights=[shares[i] for _, shares in lines]) for i in range(2)]
    assert middles[0] < middles[1]


def test_the_bins_of_a_histogram_count_what_is_in_them():
    times = np.repeat([1000.0, 256_000.0], [75, 26])
    shares = [share for _, (share,) in bench_screen.histogram([one_target(times)])]
    assert shares[0] == pytest.approx(75, abs=1)
    assert sum(shares[-2:]) == pytest.approx(25, abs=1)
    assert bench_screen.histogram([one_target(times)])[0][0].startswith("1.00 - 2.00")


@pytest.mark.parametrize("time", [0.0, 1.0, 5000.0])
def test_equal_times_are_one_bin(time):
    shares = [share for _, (share,) in bench_screen.histogram([one_target([time] * 101)])]
    assert max(shares) == sum(shares) == 100.0


def test_everything_fits_80_columns(capsys):
    robots = ("ur5", "franka_panda", "mitsubishi_rh6frh5520", "igus_rebel")
    times = np.random.default_rng(0).lognormal(10.0, 1.0, 500)
    rows = [
        row(1.2345e10, 1.3e10, 1.1e10, work=Work.FIRST_CALL, robot="ur5"),
        row(1.2345e9, 1.3e9, work=Work.CACHED_START, robot="ur5"),
    ]
    for robot in robots:
        rows += [one_target(times, robot), row(12345.6, 2e4, 1e4, robot=robot, batch=16384, threads=128, solved=49)]
        rows += [row(12345.6, robot=robot, solved=50)]
        rows += [kinematics_row(999.4, 1, 2000, robot=robot, work=w) for w in (Work.FORWARD_KINEMATICS, Work.JACOBIAN)]
    bench_screen.echo_report(report(*rows))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert re.search(r"first call: compiles +12\.3 s +4$", out, re.MULTILINE)
    assert re.search(r"cached start: import and first call +1\.27 s", out)
    assert re.search(r"steady state +790 µs", out)
    assert all(re.search(rf"\[µs\].*{robot}", out) for robot in robots)
    assert "98.00" in out


@pytest.mark.parametrize(
    ("solved", "targets", "expected"), [(5, 5, "100"), (99_999, 100_000, ">99.99"), (2, 3, "66.67"), (0, 7, "0.00")]
)
def test_100_percent_means_all(solved, targets, expected):
    assert bench_screen._solved(row(1.0, solved=solved, targets=targets)) == expected
