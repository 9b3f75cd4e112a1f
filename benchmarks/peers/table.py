"""The one table: rows of two sides and their ratio, and what could not be timed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.peers.oracle import Verdict
from benchmarks.peers.turns import Record

MORE_THAN_ONE = 1.2
"""CPUs busy from which a row says so; one thread measures 0.9 to 1.1."""
LESS_THAN_ONE = 0.9
"""CPUs busy below which somebody else had them."""


@dataclass(frozen=True)
class Side:
    """What one side needed for one item, and how many of its answers were right."""

    name: str
    nanoseconds: float
    items: int
    p95: float | None = None
    p99: float | None = None
    cpus: float | None = None
    verdict: Verdict | None = None

    @classmethod
    def of_batches(cls, name: str, record: Record, items: int, verdict: Verdict | None = None) -> Side:
        """Return the side of timed batches of `items` items each."""
        return cls(name, 1e9 * record.median / items, items, cpus=record.cpus, verdict=verdict)

    @classmethod
    def of_calls(cls, name: str, record: Record, verdict: Verdict) -> Side:
        """Return the side of timed single calls: the median and the slow ones."""
        p95, p99 = (1e9 * record.percentile(percent) for percent in (95, 99))
        items = len(record.seconds)
        return cls(name, 1e9 * record.median, items, p95, p99, record.cpus, verdict)

    def time(self) -> str:
        """Return the time, with the slow calls where they were recorded."""
        text = duration(self.nanoseconds)
        if self.p95 is not None and self.p99 is not None:
            text += f" (p95 {duration(self.p95)}, p99 {duration(self.p99)})"
        return text

    def busy(self) -> str:
        """Return how many CPUs were busy, if more than one."""
        return f", {self.cpus:.1f} CPUs busy" if self.cpus is not None and self.cpus > MORE_THAN_ONE else ""


@dataclass(frozen=True)
class Row:
    """One comparison."""

    work: str
    ours: Side
    peer: Side | None = None
    check: str = ""

    @property
    def ratio(self) -> float | None:
        """Peer's time over ours."""
        return None if self.peer is None else self.peer.nanoseconds / self.ours.nanoseconds

    def text(self) -> str:
        """Return the row as a line of a Markdown table."""
        peer = "" if self.peer is None else f"{self.peer.time()}: {self.peer.name}{self.peer.busy()}"
        ratio = "" if self.ratio is None else times(self.ratio)
        ours = f"{self.ours.time()}{self.ours.busy()}"
        return f"| {self.work} | {ours} | {peer} | {ratio} | {self._checked()} |"

    def _checked(self) -> str:
        sides = [("ours", self.ours)] + ([("peer", self.peer)] if self.peer is not None else [])
        said = [f"{whose} {side.verdict} of {side.items:,}" for whose, side in sides if side.verdict is not None]
        return "; ".join([*said, self.check] if self.check else said)


@dataclass
class Table:
    """Rows in the order of measurement, and a line for everything that has none."""

    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Append a row."""
        self.rows.append(row)

    def note(self, line: str) -> None:
        """Append a line, unless it is there already."""
        if line not in self.notes:
            self.notes.append(line)

    def note_interruptions(self) -> None:
        """Append a line if others used the machine meanwhile."""
        shares = [side.cpus for row in self.rows for side in (row.ours, row.peer) if side is not None and side.cpus]
        if shares and min(shares) < LESS_THAN_ONE:
            self.note(
                f"The machine was busy: a row got as little as {min(shares):.2f} of a CPU. Times are too long, most of "
                "all those of two threads, and solvers with a time limit give up more often: measure again when idle."
            )

    def text(self) -> str:
        """Return the Markdown table, the lines and how to read them."""
        lines = ["| work | repose_jit | peer | peer / ours | solved |", "|---|---|---|---|---|"]
        lines += [row.text() for row in self.rows]
        lines += ["", *self.notes] if self.notes else []
        lines += ["", "Read the ratios: absolute times belong to the machine and the hour."]
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """Return the same, ready for JSON; times in nanoseconds per item."""
        rows = [asdict(row) | {"ratio": row.ratio} for row in self.rows]
        return {"rows": rows, "notes": self.notes}


def times(ratio: float) -> str:
    """Return a ratio with two digits and its sign."""
    rounded = float(f"{ratio:.2g}")
    return f"{rounded:,.0f} ×" if rounded >= 10 else f"{rounded:.2g} ×"


def duration(nanoseconds: float) -> str:
    """Return a time with three digits and its unit."""
    for unit, scale in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6)):
        if nanoseconds < 999.5 * scale:
            return f"{nanoseconds / scale:.3g} {unit}"
    return f"{nanoseconds / 1e9:.3g} s"
