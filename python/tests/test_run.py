"""Runs: diagnosis, metrics, tables, gates, comparisons."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import polars
import pytest

import ragtriage
from ragtriage import Run


def test_each_planted_fault_is_named(faulty_run: Run) -> None:
    classes = {id: row["class"] for id, row in faulty_run.questions().items()}
    assert classes == {"q1": "correct", "q2": "not_retrieved", "q3": "ranked_low", "q4": "wrong_answer"}
    found = {name: share.count for name, share in faulty_run.classes.items() if share.count}
    assert found == {"correct": 1, "wrong_answer": 1, "ranked_low": 1, "not_retrieved": 1}
    assert faulty_run.classes["not_in_corpus"].count == 0


def test_a_measure_is_a_mean_with_n_and_interval(faulty_run: Run) -> None:
    mean = faulty_run["AnswerEM"]
    # One of four answers equals its gold answer.
    assert (float(mean), mean.n) == (0.25, 4)
    assert mean.low is not None and mean.high is not None and mean.low <= 0.25 <= mean.high
    assert str(mean).startswith("0.250 [")
    assert faulty_run.metrics["AnswerEM"] == mean


def test_an_unknown_measure_names_the_nearest(faulty_run: Run) -> None:
    with pytest.raises(KeyError) as raised:
        faulty_run["AnswerFM"]
    assert "did you mean `Answer" in str(raised.value)
    with pytest.raises(KeyError) as raised:
        faulty_run["not_retrieved"]
    assert '`run.classes["not_retrieved"]`' in str(raised.value)


def test_a_verdict_has_its_cautions(faulty_run: Run) -> None:
    verdict = faulty_run.verdict
    assert verdict is not None and verdict.cautions
    assert str(verdict).splitlines() == [verdict.text, *verdict.cautions]


def diagnosed(record: Path, out: Path, **given: object) -> Run:
    if not record.exists():
        with ragtriage.Recorder(record) as recorder, recorder.question("q") as question:
            question.stage("dense", ["six minutes"])
            question.answer("six")
    asked = [{"id": "q", "text": "How long?", "answers": ["six minutes"]}]
    return ragtriage.diagnose(record, **{"documents": {"d": "six minutes"}, "questions": asked, "out": out, **given})  # type: ignore[arg-type]


def test_a_second_diagnosis_of_a_name_leaves_the_first_as_it_is(record: Path, tmp_path: Path) -> None:
    diagnosed(record, tmp_path / "runs", name="first")
    corpus = tmp_path / "runs" / "first-data" / "corpus.jsonl"
    before = corpus.read_bytes()
    with pytest.raises(ragtriage.RagtriageError, match="there is a run"):
        diagnosed(record, tmp_path / "runs", name="first", documents={"d": "another"})
    assert corpus.read_bytes() == before


def test_a_diagnosis_that_fails_leaves_no_data(record: Path, tmp_path: Path) -> None:
    record.write_text("{}\n", encoding="utf-8")
    with pytest.raises(ragtriage.CommandError):
        diagnosed(record, tmp_path / "runs")
    assert list((tmp_path / "runs").glob("*-data")) == []


def test_questions_may_be_a_file_and_other_data_sets_are_refused(record: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"id": "q", "text": "How long?", "answers": ["six"]}\n', encoding="utf-8")
    run = diagnosed(record, tmp_path / "runs", questions=file)
    assert run["AnswerEM"].mean == 1.0
    chunks = [{"id": "d", "text": "six"}, {"id": "d", "text": "minutes"}]
    for given, message in [
        ({"documents": chunks}, "two documents have the id `d`"),
        ({"documents": str(tmp_path)}, "`documents` is a path"),
        ({"out": file}, "cannot write"),
    ]:
        with pytest.raises(ragtriage.RagtriageError, match=message):
            diagnosed(record, given.pop("out", tmp_path / "runs"), **given)  # type: ignore[arg-type]


def test_questions_are_a_table(faulty_run: Run) -> None:
    rows = faulty_run.questions()
    assert rows["q1"]["AnswerEM"] == 1.0
    assert rows["q1"]["answer"] == "6 minutes"
    frame = faulty_run.questions("pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert frame.set_index("id").loc["q1", "AnswerEM"] == 1.0
    table = faulty_run.questions("polars")
    assert isinstance(table, polars.DataFrame)
    assert table["id"].to_list() == list(rows)


def test_a_verdict_is_a_sentence(faulty_run: Run) -> None:
    verdict = faulty_run.verdict
    assert verdict is not None
    assert "not_retrieved" in verdict.text


def test_a_report_is_written(faulty_run: Run, tmp_path: Path) -> None:
    html = faulty_run.report(tmp_path / "report.html")
    assert html.read_text(encoding="utf-8").startswith("<!")
    assert "rollback" not in faulty_run.report(tmp_path / "report.md", "md", text=False).read_text(encoding="utf-8")


def test_a_notebook_shows_verdict_and_classes(faulty_run: Run) -> None:
    shown = faulty_run._repr_html_()
    assert "<table>" in shown and "<th>ranking</th><td>1 (25.0%" in shown


def test_a_passed_gate_is_returned_and_a_failed_one_raised(faulty_run: Run) -> None:
    check = faulty_run.check(min={"AnswerEM": 0.1}, mode="mean")
    assert check.passed and check.gates[0].verdict == "pass"
    with pytest.raises(ragtriage.GateFailed) as raised:
        faulty_run.check(min={"AnswerEM": 0.5}, mode="mean")
    assert raised.value.message == "AnswerEM >= 0.5: AnswerEM is 0.250, below 0.5"
    assert [gate.verdict for gate in raised.value.check.gates] == ["fail"]


def test_a_gate_that_cannot_be_judged_is_an_error(faulty_run: Run) -> None:
    with pytest.raises(ragtriage.CommandError, match="unknown metric or failure class `AnswerFM`"):
        faulty_run.check(min={"AnswerFM": 0.5})


def test_a_run_is_checked_against_its_own_baseline(faulty_run: Run) -> None:
    run = Run(faulty_run.path, baseline=faulty_run)
    # The run's own baseline: the drop and the rise are 0.
    check = run.check(max_drop={"AnswerEM": 0.0, "not_retrieved": 0.0}, mode="mean")
    assert [(gate.value, gate.verdict) for gate in check.gates] == [(0.0, "pass"), (0.0, "pass")]


def test_a_comparison_has_paired_differences(faulty_run: Run) -> None:
    comparison = ragtriage.compare(faulty_run, faulty_run)
    difference = comparison["AnswerEM"]
    assert (difference.baseline, difference.run, difference.delta, difference.n) == (0.25, 0.25, 0.0, 4)
    assert (difference.wins, difference.ties, difference.losses) == (0, 4, 0)
    assert comparison.verdict.startswith("No difference")


def test_a_configuration_runs(documents: dict[str, str], questions: list[dict[str, object]], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    config = folder / "ragtriage.toml"
    config.write_text(
        '[dataset]\nformat = "files"\npath = "."\n[retrieval]\nretrievers = ["bm25"]\n[generation]\ngenerator = "none"\n', encoding="utf-8"
    )
    run = ragtriage.run(config, out=tmp_path, name="first", settings={"retrieval.k": 2})
    assert run.path == tmp_path / "first"
    assert run["EvidenceRecall@prompt"].n == 4


def test_the_data_set_must_be_named(record: Path, documents: dict[str, str]) -> None:
    with pytest.raises(ragtriage.RagtriageError, match="the data set is not named"):
        ragtriage.diagnose(record, documents=documents)
