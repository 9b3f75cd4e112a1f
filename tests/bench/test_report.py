from __future__ import annotations

import json
import math

import pytest

from repose_jit.bench import BenchRow, BenchSettings, RowKey, Work, read_report, write_report
from repose_jit.errors import ConfigError, InputError
from tests.bench.reports import kinematics_row, report, row

PERCENTILES = tuple(float(i) for i in range(100, 201))


def full_report():
    settings = BenchSettings(threads=(1, 4), tolerances=((1e-5, 1e-4),), rng_seed=2**63)
    return report(
        row(1 / 3, 2 / 3, 1e9, solved=0),
        row(10.5, work=Work.SOLVE_ONE, batch=1, percentiles_ns=PERCENTILES),
        kinematics_row(5, 6, 7),
        settings=settings,
        commit=None,
    )


def test_a_file_gives_back_the_report(tmp_path):
    path = tmp_path / "report.json"
    write_report(full_report(), path)
    assert read_report(path) == full_report()
    assert read_report(str(path)) == full_report()


def test_the_file_is_json_with_a_line_for_each_row(tmp_path):
    text = full_report().to_json()
    document = json.loads(text)
    assert document["machine"]["commit"] is None
    assert [entry["work"] for entry in document["rows"]] == ["batch", "solve_one", "forward_kinematics"]
    assert sum('"work"' in line for line in text.splitlines()) == len(document["rows"]) == 3
    assert document["rows"][1]["percentiles_ns"] == list(PERCENTILES)
    assert json.loads(report().to_json())["rows"] == []


def test_what_follows_from_a_row():
    one = row(40.0, 10.0, 20.0, 30.0, 50.0, solved=49)
    assert one.ns == 30.0
    assert one.quartiles_ns == (20.0, 40.0)
    assert one.spread == pytest.approx(1 / 3)
    assert one.per_second == pytest.approx(1e9 / 30)
    assert one.percent_solved == 98.0
    assert one.key == RowKey(
        work=Work.BATCH, robot="arm", batch=64, threads=1, position_tolerance=1e-4, orientation_tolerance=1e-3
    )
    assert type(one.key) is RowKey
    assert row(7.0).quartiles_ns == (7.0, 7.0)
    assert kinematics_row(7.0).percent_solved is None


def test_a_key_as_text():
    assert str(row(1.0).key) == "batch, arm, batch of 64, 1 thread, 0.0001 m, 0.001 rad"
    assert str(kinematics_row(1.0, threads=2).key) == "forward_kinematics, arm, batch of 64, 2 threads"


def test_the_share_of_a_cpu_is_a_number():
    assert report(cpu_share=0.5).was_busy
    assert not report(cpu_share=1.02).was_busy
    with pytest.raises(InputError, match=r"cpu_share: got 0\.0"):
        report(cpu_share=0.0)


def test_rows_of_a_kind():
    one = full_report()
    assert one.of(Work.JACOBIAN) == []
    assert one.of(Work.FORWARD_KINEMATICS, Work.BATCH) == [one.rows[0], one.rows[2]]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"repetitions_ns": ()}, "repetitions_ns: got .*, expected at least one time > 0"),
        ({"repetitions_ns": (1.0, 0.0)}, "repetitions_ns: got"),
        ({"repetitions_ns": (math.nan,)}, "repetitions_ns: got"),
        ({"ns": 3.0}, "ns: got 3.0, expected the median of repetitions_ns, 2.0"),
        ({"percentiles_ns": (1.0, 2.0)}, "percentiles_ns: got .*, expected 101 rising times"),
        ({"percentiles_ns": PERCENTILES[::-1]}, "percentiles_ns: got"),
        ({"solved": None}, "solved: got None of 50"),
        ({"solved": 51}, "solved: got 51 of 50"),
        ({"solved": -1}, "solved: got -1 of 50"),
        ({"solved": 0, "targets": 0}, "solved: got 0 of 0"),
    ],
)
def test_a_row_is_checked(fields, message):
    good = {**vars(row(1.0, 2.0, 3.0)), **fields}
    with pytest.raises(InputError, match=message):
        BenchRow(**good)


def test_a_key_is_there_once():
    with pytest.raises(InputError, match=r"rows: got batch, arm, .* twice"):
        report(row(1.0), row(2.0))


# ------------------------------------------------------------------------------------------------------- bad files


def spoilt(tmp_path, change):
    """Write a report that `change` has been at, and return its path."""
    document = json.loads(full_report().to_json())
    change(document)
    path = tmp_path / "spoilt.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("machine"), "machine: missing"),
        (lambda d: d["machine"].pop("cpu"), "machine.cpu: missing"),
        (lambda d: d["machine"].update(cores="ten"), "machine.cores: got 'ten', expected a whole number"),
        (lambda d: d.update(row=[]), "row: unknown key; did you mean 'rows'?"),
        (lambda d: d["rows"][2].update(nanoseconds=1), r"rows\[2\].nanoseconds: unknown key"),
        (lambda d: d["rows"][0].update(work="bach"), r"rows\[0\].work: got 'bach'; did you mean 'batch'"),
        (lambda d: d["rows"][0].update(repetitions_ns=[]), r"rows\[0\]\S* .*at least one time"),
        (lambda d: d["rows"][0].update(ns=5), r"rows\[0\]\S* .*expected the median"),
        (lambda d: d["rows"].append(d["rows"][0]), "twice"),
        (lambda d: d["settings"].update(batches=[8, 1]), "expected rising integers"),
        (lambda d: d.update(schema=2), "schema: got 2, expected 1: written by another version"),
        (lambda d: d.pop("schema"), "got no schema, expected a report that `repose-jit bench run` wrote"),
    ],
)
def test_a_spoilt_file_is_refused_with_its_name_and_the_key(tmp_path, change, message):
    path = spoilt(tmp_path, change)
    with pytest.raises(ConfigError, match=message) as caught:
        read_report(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_all_mistakes_are_told_at_once(tmp_path):
    def change(document):
        document["machine"]["cores"] = 1.5
        document["rows"][1]["batch"] = "one"

    with pytest.raises(ConfigError, match=r"2 mistakes(.|\n)*machine.cores(.|\n)*rows\[1\].batch"):
        read_report(spoilt(tmp_path, change))


@pytest.mark.parametrize("text", ["", "[]", "3", "{", '{"schema": 1', '{"schema": NaN}', '{"poses": []}'])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"other\.json: "):
        read_report(path)


def test_files_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read_report(tmp_path / "none.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        read_report(tmp_path / "folder.json")
    with pytest.raises(InputError, match="path: got 3, expected a path"):
        read_report(3)


# ------------------------------------------------------------------------------------------------------ destination


def test_a_file_is_replaced_only_if_asked(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("precious")
    with pytest.raises(InputError, match="exists"):
        write_report(full_report(), path)
    assert path.read_text() == "precious"
    write_report(full_report(), path, overwrite=True)
    assert read_report(path) == full_report()


def test_destinations_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"report\.txt: expected a file that ends in \.json"):
        write_report(full_report(), tmp_path / "report.txt")
    with pytest.raises(InputError, match="there is no directory"):
        write_report(full_report(), tmp_path / "none" / "report.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="exists"):
        write_report(full_report(), tmp_path / "folder.json", overwrite=True)
