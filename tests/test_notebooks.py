"""Every notebook runs from top to bottom and prints what is stored in it."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """Return for each code cell what it printed and the text of its value; pictures count by their presence."""
    texts = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            parts = []
            for output in cell.outputs:
                assert output.output_type != "error", cell.source
                if output.output_type == "stream":
                    assert output.name == "stdout", output.text
                    parts.append(output.text)
                else:
                    parts.append("<picture>" if "image/png" in output.data else output.data["text/plain"])
            texts.append("".join(parts))
    return texts


def test_there_is_one() -> None:
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    stored = printed(notebook)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    assert printed(notebook) == stored
