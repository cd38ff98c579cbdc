"""The GitHub action: its scripts, run as a job would run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from ragtriage import _binary

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))


def job(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Runs the scripts of the action but for the installation; returns the first that fails, or the last."""
    inputs = {name: str(found.get("default", "")) for name, found in ACTION["inputs"].items()} | given
    assert inputs.keys() == ACTION["inputs"].keys()
    output, summary = folder / "output", folder / "summary.md"
    output.touch()
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    shutil.copy(_binary.path(), programs / "ragtriage")
    for step in ACTION["runs"]["steps"]:
        if "run" not in step or step.get("if") == "inputs.version != 'installed'":
            continue
        written = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())

        def value(expression: re.Match[str], written: dict[str, str] = written) -> str:
            source, name = expression[1].rsplit(".", 1)
            return inputs[name] if source == "inputs" else written[name]

        variables = {name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", value, text) for name, text in step["env"].items()}
        environment = {
            **os.environ,
            **variables,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(folder / "temp"),
            "GITHUB_RUN_ID": "17",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
        }
        command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            break
    return done


@pytest.fixture
def project(tmp_path: Path, documents: dict[str, str], questions: list[dict[str, object]]) -> Path:
    for name, text in documents.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    (tmp_path / "ragtriage.toml").write_text(
        '[dataset]\nformat = "files"\npath = "."\nglobs = ["*.md"]\n[retrieval]\nretrievers = ["bm25"]\nk = 4\n[generation]\ngenerator = "none"\n',
        encoding="utf-8",
    )
    return tmp_path


def test_a_run_passes_its_gate_and_is_summarised(project: Path) -> None:
    done = job(project, gates="--min EvidenceRecall@prompt=0.5 --gate mean")
    assert done.returncode == 0, done.stderr
    assert (project / "temp" / "ragtriage" / "17" / "report.html").is_file()
    assert "EvidenceRecall@prompt" in (project / "summary.md").read_text(encoding="utf-8")


def test_a_gate_fails_the_job(project: Path) -> None:
    done = job(project, arguments="--set retrieval.k=4", gates="--min P@10=0.5 --gate mean")
    assert done.returncode == 1
    assert "does not pass" in done.stdout


def test_arguments_and_gates_may_be_on_several_lines(project: Path) -> None:
    gates = "--min EvidenceRecall@prompt=0.5\n--min P@10=0.5\n--gate mean\n"
    done = job(project, arguments="--set retrieval.k=4\n--set\n  evaluation.seed=7\n", gates=gates)
    assert done.returncode == 1
    assert "does not pass" in done.stdout
    settings = json.loads((project / "temp" / "ragtriage" / "17" / "run.json").read_text(encoding="utf-8"))["settings"]
    assert settings["evaluation"]["seed"] == 7


def test_a_record_is_imported_and_checked_against_a_baseline(project: Path) -> None:
    lines = [{"id": f"q{n}", "contexts": ["A rollback takes 6 minutes."], "answer": "6 minutes"} for n in range(1, 5)]
    (project / "record.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert job(project, results="record.jsonl", gates="--min AnswerEM=0 --gate mean").returncode == 0
    shutil.move(project / "temp" / "ragtriage" / "17", project / "baseline")
    done = job(project, results="record.jsonl", baseline="baseline", gates="--max-drop AnswerEM=0 --gate mean")
    assert done.returncode == 0, done.stderr
