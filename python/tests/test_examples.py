"""The examples name the class of each planted fault; the notebook and the chapter of the documentation run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "python" / "examples"


@pytest.mark.parametrize("name", ["langchain", "llama_index"])
def test_an_example_names_the_planted_classes(name: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}_example.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    classes = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    assert classes == {"rollback": "correct", "silence": "ranked_low", "postage": "wrong_answer"}


def test_the_quick_start_notebook_runs(tmp_path: Path) -> None:
    # A notebook runs in its own folder, so the copy keeps the demo out of the checkout.
    shutil.copy(EXAMPLES / "quick_start.ipynb", tmp_path)
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", "quick_start.ipynb"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "JUPYTER_PLATFORM_DIRS": "1"})
    assert done.returncode == 0, done.stderr
    assert "Is retrieval the bottleneck? Yes." in (tmp_path / "quick_start.ipynb").read_text(encoding="utf-8")


def test_the_committed_notebook_has_no_outputs() -> None:
    cells = json.loads((EXAMPLES / "quick_start.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_the_code_of_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    chapter = (ROOT / "docs" / "src" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", chapter, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/src/python.md", "exec"), names)
