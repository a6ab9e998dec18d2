"""The notebooks of docs/notebooks run from top to bottom, and print what they are kept with.

``SITEMAPREADER_WRITE=1 pytest tests/test_notebooks.py`` keeps what they give now.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
KEPT = {"text/html", "text/plain"}


def printed(notebook: Any) -> list[str]:
    """What each cell of code prints; tables look different from one release of pandas to the next."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return ["".join(out.text for out in cell.outputs if out.output_type == "stream") for cell in cells]


def run(path: Path) -> Any:
    notebook = nbformat.read(path, as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the loop and the sockets that the client makes
        NotebookClient(notebook, kernel_name="python3", timeout=120, resources={"metadata": {"path": ROOT}}).execute()
    return notebook


def keep(notebook: Any, path: Path) -> None:
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if "data" in output:
                output.data = {kind: value for kind, value in output.data.items() if kind in KEPT}
    notebook.metadata.language_info = {"name": "python"}
    nbformat.write(notebook, path)


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["comparing-two-days", "exploring-a-site"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_notebook_prints_what_it_is_kept_with(path: Path) -> None:
    kept = printed(nbformat.read(path, as_version=4))
    notebook = run(path)
    if os.environ.get("SITEMAPREADER_WRITE"):
        keep(notebook, path)
        kept = printed(notebook)
    assert printed(notebook) == kept
    assert any(kept)
