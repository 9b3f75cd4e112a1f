"""``repose-jit reach check``: what a study asks for, before it runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.reach.source import StudySource, study_argument
from repose_jit.cli.screen import echo_fields, echo_json, echo_table, echo_text, json_option, size_words

if TYPE_CHECKING:
    from repose_jit.reach.check.diagnosis import StudyCheck
    from repose_jit.reach.study_file import StudyFile

__all__ = ["check"]

SITES = {"grid": "voxels", "surface": "points", "poses": "poses", "placements": "placements"}
PLACEMENT = "where the base may stand: [placement], as reach place solves it"
OUTCOMES = ("reached", "not_found", "proven_unreachable")


@click.command(
    epilog="""Nothing is written. About two seconds of solving, spread over the whole study, show how long it will take
    and what is likely wrong with it: units, frames, a tool axis the wrong way round, and the like. A study with a
    section [placement] is checked as "reach place" solves it.

    \b
    Examples:
      repose-jit reach check study.toml
      repose-jit reach check igus_rebel --spacing 0.02"""
)
@study_argument
@json_option
def check(source: StudySource, as_json: bool) -> None:
    """Read a study, try a sample of it, and say what to expect."""
    from repose_jit.reach.check.diagnosis import check_study

    file = source.read()
    result = check_study(file.study, placement=file.placement)
    if as_json:
        echo_json(_document(file, result))
    else:
        _echo_screen(result)


def _document(file: StudyFile, result: StudyCheck) -> dict[str, Any]:
    document = asdict(result)
    document["seconds"] = [
        {"threads": threads, "least": least, "most": most} for threads, (least, most) in result.seconds.items()
    ]
    document["findings"] = [asdict(finding) for finding in result.findings]
    return {**document, "store": None if file.store is None else str(file.store)}


def _echo_screen(result: StudyCheck) -> None:
    shape = " × ".join(f"{count:,}" for count in result.shape)
    sites = f"{result.n_sites:,} {SITES[result.kind]}" + (f" ({shape})" if len(result.shape) > 1 else "")
    of_site = "poses of the task" if result.kind == "placements" else "orientations"
    each = "" if result.n_orientations == 1 else f" × {result.n_orientations:,} {of_site}"
    threads = max(result.seconds)
    echo_fields(
        [
            ("robot", result.robot),
            *([("study", PLACEMENT)] if result.kind == "placements" else []),
            ("poses", f"{result.n_poses:,}: {sites}{each}"),
            ("chunks", f"{result.n_chunks:,}"),
            ("store", f"about {size_words(result.store_bytes)}, at most {size_words(result.most_store_bytes)}"),
            ("memory", f"about {size_words(result.memory_bytes)} on {_threads(threads)}"),
            *_times(result),
        ]
    )
    click.echo(f"\nOf {result.sampled:,} poses tried:")
    echo_table(
        ("outcome", "poses", "%"),
        [
            (
                name.replace("_", " "),
                f"{getattr(result, name):,}",
                f"{100.0 * getattr(result, name) / result.sampled:.1f}",
            )
            for name in OUTCOMES
        ],
        left=(0,),
    )
    click.echo()
    if not result.findings:
        click.echo("Nothing looks wrong.")
    for number, finding in enumerate(result.findings, start=1):
        text = finding.message[0].upper() + finding.message[1:]
        echo_text(f"{number}. {text}" if text.endswith("?") else f"{number}. {text}.")


def _times(result: StudyCheck) -> list[tuple[str, str]]:
    from repose_jit.reach.check.wording import duration

    rows: list[tuple[str, str]] = []
    for threads, (least, most) in result.seconds.items():
        low, high = duration(least), duration(most)
        rows.append(("" if rows else "time", f"{low if low == high else f'{low} to {high}'} on {_threads(threads)}"))
    return [*rows, ("", f"from {result.basis}")]


def _threads(count: int) -> str:
    return f"{count} thread" + ("s" if count != 1 else "")
