"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import ragtriage

PLUGIN = ["-p", "ragtriage.pytest_plugin"]


@pytest.fixture
def config(pytester: pytest.Pytester, documents: dict[str, str], questions: list[dict[str, object]]) -> Path:
    folder = pytester.path / "data"
    folder.mkdir()
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    path = folder / "ragtriage.toml"
    path.write_text(
        '[dataset]\nformat = "files"\npath = "."\n[retrieval]\nretrievers = ["bm25"]\nk = 4\n[generation]\ngenerator = "none"\n', encoding="utf-8"
    )
    return path


def test_a_passing_gate_passes_and_a_failing_one_shows_its_sentence(pytester: pytest.Pytester, config: Path) -> None:
    pytester.makepyfile(
        """
        def test_good(rag_run):
            rag_run.check(min={"EvidenceRecall@prompt": 0.5}, mode="mean")

        def test_bad(rag_run):
            rag_run.check(min={"P@10": 0.5}, mode="mean")
        """
    )
    result = pytester.runpytest_subprocess(*PLUGIN, "--rag-config", str(config))
    result.assert_outcomes(passed=1, failed=1)
    # One of ten ranks has a relevant document.
    result.stdout.fnmatch_lines(["gate failed: P@10 >= 0.5: P@10 is 0.100, below 0.5"])
    result.stdout.no_fnmatch_line("*_runs.py*")


def test_an_inconclusive_gate_is_a_warning(pytester: pytest.Pytester, config: Path) -> None:
    pytester.makepyfile(
        """
        def test_open(rag_run):
            rag_run.check(min={"EvidenceRecall@prompt": 0.9})
        """
    )
    result = pytester.runpytest_subprocess(*PLUGIN, "--rag-config", str(config))
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*UserWarning: EvidenceRecall@prompt >= 0.9: inconclusive: the limit 0.9 lies inside *4 questions do not decide*"])


def test_the_plugin_is_found_by_its_entry_point_and_by_name(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^\[project\.entry-points\.pytest11\]\n(?:#.*\n)?(.+)$", project, re.MULTILINE)
    installed = pytester.mkdir("installed")
    info = installed / "ragtriage-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ragtriage\nVersion: 0.1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[pytest11]\n" + entry.replace('"', "") + "\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{Path(ragtriage.__file__).parents[1]}{os.pathsep}{installed}")
    pytester.makepyfile("def test_any(rag_run): pass")
    for options in ([], PLUGIN):
        result = pytester.runpytest_subprocess(*options)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["error: the fixture rag_run needs --rag-config FILE"])


def test_a_baseline_of_the_command_line_is_that_of_the_checks(pytester: pytest.Pytester, config: Path) -> None:
    pytester.makepyfile(
        """
        def test_drop(rag_run):
            check = rag_run.check(max_drop={"EvidenceRecall@prompt": 0}, mode="mean")
            assert check.gates[0].value == 0
        """
    )
    baseline = ragtriage.run(config, out=pytester.path, name="before").path
    pytester.runpytest_subprocess(*PLUGIN, "--rag-config", str(config), "--rag-baseline", str(baseline)).assert_outcomes(passed=1)


def test_without_a_configuration_the_fixture_is_a_usage_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_any(rag_run): pass")
    result = pytester.runpytest_subprocess(*PLUGIN)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["error: the fixture rag_run needs --rag-config FILE"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_a_configuration_that_is_wrong_shows_the_programs_error(pytester: pytest.Pytester, config: Path) -> None:
    config.write_text("[dataset]\nfromat = 3\n", encoding="utf-8")
    pytester.makepyfile("def test_any(rag_run): pass")
    result = pytester.runpytest_subprocess(*PLUGIN, "--rag-config", str(config))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["error: *fromat*"])
    result.stdout.no_fnmatch_line("*_binary.py*")
