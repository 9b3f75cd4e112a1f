"""Measure how fast robots are solved on this machine, and compare two such measurements."""

from repose_jit.bench.compare import Change, ReportComparison, RowComparison, compare_reports
from repose_jit.bench.machine import Machine, this_machine
from repose_jit.bench.problems import WrongAnswerError
from repose_jit.bench.report import BenchReport, BenchRow, RowKey, Work, read_report, write_report
from repose_jit.bench.run import run_bench
from repose_jit.bench.settings import BenchSettings, thread_counts
from repose_jit.bench.starts import StartError

__all__ = [
    "BenchReport",
    "BenchRow",
    "BenchSettings",
    "Change",
    "Machine",
    "ReportComparison",
    "RowComparison",
    "RowKey",
    "StartError",
    "Work",
    "WrongAnswerError",
    "compare_reports",
    "read_report",
    "run_bench",
    "this_machine",
    "thread_counts",
    "write_report",
]
