from __future__ import annotations

import pytest

from repose_jit.bench import BenchSettings, Change, Work, compare_reports
from repose_jit.errors import InputError
from tests.bench.reports import kinematics_row, report, row


def change(old, new, threshold=0.1):
    (compared,) = compare_reports(report(old), report(new), threshold=threshold).rows
    return compared.change


def test_a_report_has_not_changed_from_itself():
    one = report(row(10, 11, 12), kinematics_row(5.0), row(7, 8, 9, threads=2))
    comparison = compare_reports(one, one)
    assert [each.ratio for each in comparison.rows] == [1.0, 1.0, 1.0]
    assert [each.change for each in comparison.rows] == [Change.SAME, Change.UNKNOWN, Change.SAME]
    assert comparison.only_old == comparison.only_new == comparison.differences == comparison.fewer_solved == ()


def test_slower_and_faster_are_opposites():
    old, new = row(100, 101, 102), row(120, 121, 122)
    assert change(old, new) is Change.SLOWER
    assert change(new, old) is Change.FASTER


def test_the_ratio_is_new_over_old():
    (compared,) = compare_reports(report(row(50, 100, 150)), report(row(100, 200, 300))).rows
    assert compared.ratio == 2.0
    assert compared.key == row(1.0).key


@pytest.mark.parametrize(("factor", "expected"), [(1.09, Change.SAME), (1.11, Change.SLOWER)])
def test_the_threshold_is_a_factor_both_ways(factor, expected):
    old, new = row(100, 100, 100), row(100 * factor, 100 * factor, 100 * factor)
    assert change(old, new) is expected
    assert change(new, old) is (Change.FASTER if expected is Change.SLOWER else Change.SAME)
    assert change(old, new, threshold=0.2) is Change.SAME
    assert change(old, new, threshold=0.05) is Change.SLOWER


def test_a_large_change_within_the_noise_is_none():
    old, new = row(100, 60, 140, 180, 90), row(150, 90, 170, 130, 200)
    assert new.ns / old.ns > 1.3
    assert change(old, new) is Change.SAME
    assert change(new, old) is Change.SAME


def test_one_outlier_hides_no_change():
    steady, slower = [100.0] * 8, [130.0] * 8
    assert change(row(*steady, 1000.0), row(*slower, 50.0)) is Change.SLOWER


def test_the_noise_of_both_reports_counts():
    steady, noisy = [100.0, 100.0, 100.0, 100.0, 100.0], [180.0, 190.0, 200.0, 210.0, 220.0]
    assert row(*noisy).quartiles_ns == (190.0, 210.0)
    assert change(row(*steady), row(*noisy)) is Change.SLOWER
    # 1.5 times the 20 of one, and then also the 60 of the other, on a difference of 100.
    wavy = [40.0, 70.0, 100.0, 130.0, 160.0]
    assert row(*wavy).quartiles_ns == (70.0, 130.0)
    assert change(row(*wavy), row(*noisy)) is Change.SAME
    assert change(row(*noisy), row(*wavy)) is Change.SAME


@pytest.mark.parametrize("count", [1, 2])
def test_few_repetitions_are_not_judged(count):
    assert change(row(*[100.0] * count), row(300, 300, 300)) is Change.UNKNOWN
    assert change(row(300, 300, 300), row(*[100.0] * count)) is Change.UNKNOWN


def test_rows_are_matched_by_key_whatever_their_order():
    rows = [row(10, 10, 10, threads=threads, batch=batch) for threads in (1, 2) for batch in (1, 8)]
    slower = [row(20, 20, 20, threads=2, batch=8), *rows[:3]]
    comparison = compare_reports(report(*rows), report(*reversed(slower)))
    assert [each.key for each in comparison.rows] == [each.key for each in rows]
    assert [each.key for each in comparison.of(Change.SLOWER)] == [rows[3].key]
    assert len(comparison.of(Change.SAME)) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"work": Work.SOLVE_ONE},
        {"robot": "leg"},
        {"batch": 65},
        {"threads": 2},
        {"position_tolerance": 1e-5},
        {"orientation_tolerance": 1e-4},
    ],
)
def test_every_part_of_the_key_counts(other):
    common, old, new = kinematics_row(1, 1, 1), row(1, 1, 1), row(9, 9, 9, **other)
    comparison = compare_reports(report(common, old), report(common, new))
    assert [each.key for each in comparison.rows] == [common.key]
    assert comparison.only_old == (old.key,)
    assert comparison.only_new == (new.key,)


def test_reports_without_a_common_row_are_refused():
    with pytest.raises(InputError, match="without a row in common"):
        compare_reports(report(row(1.0)), report(row(1.0, robot="leg")))
    with pytest.raises(InputError, match="without a row in common"):
        compare_reports(report(), report())


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ({"cpu": "Slide rule"}, "cpu: Abacus (wood) → Slide rule"),
        ({"threads": 2}, "threads: 4 → 2"),
        ({"numba": "0.60.0"}, "numba: 0.68.1 → 0.60.0"),
        ({"repose_jit": "0.2.0"}, "repose_jit: 0.1.0 → 0.2.0"),
    ],
)
def test_other_machines_and_versions_are_named(machine, expected):
    comparison = compare_reports(report(row(1.0)), report(row(1.0), **machine))
    assert comparison.differences == (expected,)


def test_another_commit_is_what_one_compares():
    assert compare_reports(report(row(1.0)), report(row(1.0), commit=None)).differences == ()


def test_other_settings_are_named():
    new = report(row(1.0), settings=BenchSettings(rng_seed=3, calls=7))
    assert compare_reports(report(row(1.0)), new).differences == (
        "settings: calls: 1000 → 7",
        "settings: rng_seed: 0 → 3",
    )


def test_a_busy_machine_is_named():
    quiet, busy = report(row(1.0)), report(row(1.0), cpu_share=0.512)
    assert compare_reports(quiet, busy).differences == ("the new run got 51 % of a CPU",)
    assert compare_reports(busy, quiet).differences == ("the old run got 51 % of a CPU",)
    assert compare_reports(quiet, report(row(1.0), cpu_share=0.95)).differences == ()


def test_fewer_solved_targets_are_named():
    all_of_them, fewer = row(10, 10, 10), row(5, 5, 5, solved=49)
    assert [each.new for each in compare_reports(report(all_of_them), report(fewer)).fewer_solved] == [fewer]
    assert compare_reports(report(fewer), report(all_of_them)).fewer_solved == ()
    twice = row(5, 5, 5, solved=100, targets=100)
    assert compare_reports(report(all_of_them), report(twice)).fewer_solved == ()


@pytest.mark.parametrize("threshold", [0.0, -0.1, float("nan"), float("inf"), "0.1"])
def test_the_threshold_is_checked(threshold):
    with pytest.raises(InputError, match="threshold: got"):
        compare_reports(report(row(1.0)), report(row(1.0)), threshold=threshold)
