"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
            rag_run.check(max={"EvidenceRecall@prompt": 0.5}, mode="mean")
        """
    )
    result = pytester.runpytest_subprocess(*PLUGIN, "--rag-config", str(config))
    result.assert_outcomes(passed=1, failed=1)
    # All four documents are in every prompt.
    result.stdout.fnmatch_lines(["gate failed: EvidenceRecall@prompt <= 0.5: EvidenceRecall@prompt is 1.000, above 0.5"])
    result.stdout.no_fnmatch_line("*_runs.py*")


def test_a_baseline_of_the_command_line_is_that_of_the_checks(pytester: pytest.Pytester, config: Path) -> None:
    pytester.makepyfile(
        """
        def test_drop(rag_run):
            check = rag_run.check(max_drop={"EvidenceRecall@prompt": 0}, mode="mean")
            assert check.gates[0].value == 0
        """
    )
    import ragtriage

    baseline = ragtriage.run(config, out=pytester.path, name="before").baseline(pytester.path / "baseline.json")
    pytester.runpytest_subprocess(*PLUGIN, "--rag-config", str(config), "--rag-baseline", str(baseline)).assert_outcomes(passed=1)


def test_without_a_configuration_the_fixture_is_a_usage_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_any(rag_run): pass")
    result = pytester.runpytest_subprocess(*PLUGIN)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the fixture rag_run needs --rag-config FILE*"])


def test_a_configuration_that_is_wrong_shows_the_programs_error(pytester: pytest.Pytester, config: Path) -> None:
    config.write_text("[dataset]\nfromat = 3\n", encoding="utf-8")
    pytester.makepyfile("def test_any(rag_run): pass")
    result = pytester.runpytest_subprocess(*PLUGIN, "--rag-config", str(config))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fromat*"])
