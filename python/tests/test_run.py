"""Runs: diagnosis, metrics, tables, gates, comparisons."""

from __future__ import annotations

import html
import json
import shutil
import textwrap
from pathlib import Path

import pandas
import polars
import pytest

import ragtriage
from ragtriage import Run, _binary


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
    assert verdict is not None and verdict.cautions and verdict.text.endswith(".")
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


def test_a_row_has_reason_tags_answer_and_gold_answers(faulty_run: Run) -> None:
    row = faulty_run.questions()["q1"]
    assert (row["AnswerEM"], row["answer"], row["gold_answers"], row["tags"]) == (1.0, "6 minutes", ["6 minutes"], ["deploy", "a b"])
    assert row["reason"] and row["fault"] is None


def test_frames_of_two_runs_concatenate(faulty_run: Run, record: Path, tmp_path: Path) -> None:
    other = diagnosed(record, tmp_path / "runs")
    # The other run has one question, without a fault or a tag, so that columns of it are empty.
    frames = [run.questions("pandas") for run in (faulty_run, other)]
    both = pandas.concat([frame[["id", "fault", "tags", "answer", "AnswerEM"]] for frame in frames])
    assert both["id"].to_list() == ["q1", "q2", "q3", "q4", "q"]
    assert both.dtypes.astype(str).to_list() == ["string", "string", "object", "string", "float64"]
    tables = [run.questions("polars") for run in (faulty_run, other)]
    table = polars.concat([table.select("id", "fault", "tags", "answer", "AnswerEM") for table in tables])
    assert table.schema == {
        "id": polars.String, "fault": polars.String, "tags": polars.List(polars.String), "answer": polars.String, "AnswerEM": polars.Float64
    }  # fmt: skip
    assert table.height == 5


def test_a_report_is_written(faulty_run: Run, tmp_path: Path) -> None:
    html = faulty_run.report(tmp_path / "report.html")
    assert html.read_text(encoding="utf-8").startswith("<!")
    assert "rollback" not in faulty_run.report(tmp_path / "report.md", "md", text=False).read_text(encoding="utf-8")


def test_a_notebook_shows_the_first_screen_of_the_command_line(faulty_run: Run, tmp_path: Path) -> None:
    screen = faulty_run.report(tmp_path / "screen.txt", "screen").read_text(encoding="utf-8")
    assert str(faulty_run) == screen and screen.startswith("ragtriage: ")
    assert faulty_run._repr_html_() == f"<pre>{html.escape(screen)}</pre>"
    assert textwrap.dedent(faulty_run._repr_markdown_()) == textwrap.dedent(screen)
    comparison = ragtriage.compare(faulty_run, faulty_run)
    printed = _binary.run(["compare", faulty_run.path, faulty_run.path]).stdout
    assert str(comparison) == printed and comparison._repr_html_() == f"<pre>{html.escape(printed)}</pre>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("choose another `--name`, or leave it out", "choose another `name=`, or leave it out"),
        ("name a run as `baseline`, or give one with `--baseline RUN`", "name a run as `baseline`, or give one with `baseline=RUN`"),
        ("set one with `--min EM@5=0.8`", 'set one with `min={"EM@5": 0.8}`'),
        ("for example `--max-drop AnswerF1=0.02`", 'for example `max_drop={"AnswerF1": 0.02}`'),
        ("`--partial` leaves such lines out", "`partial=True` leaves such lines out"),
        ("for example `--set retrieval.k=3`", 'for example `settings={"retrieval.k": 3}`'),
        ("`--llm ollama:llama3.2` or `--llm openai:NAME`", '`llm="ollama:llama3.2"` or `llm="openai:NAME"`'),
        ("continue with `--resume first`: finished", 'continue with `name="first", resume=True`: finished'),
        ("`ragtriage run --resume NAME` asks", '`ragtriage.run(config, name="NAME", resume=True)` asks'),
        ("`ragtriage report RUN` shows what a run has", "`run.report()` shows what a run has"),
        ("ragtriage report a/b --format terminal", 'run.report(format="terminal")'),
        ("`ragtriage compare BASELINE RUN` prints", "`ragtriage.compare(baseline, run)` prints"),
        ("`ragtriage dataset lint` explains them", "`ragtriage dataset lint` explains them"),
        ("it leaves -- as it is, and --offline", "it leaves -- as it is, and --offline"),
    ],
)
def test_hints_speak_python(text: str, expected: str) -> None:
    assert _binary.in_python(text) == expected


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


def test_a_run_is_checked_against_its_baseline(faulty_run: Run, tmp_path: Path) -> None:
    shutil.copytree(faulty_run.path, tmp_path / "earlier")
    run = Run(faulty_run.path, baseline=Run(tmp_path / "earlier"))
    # A copy of the run: the drop and the rise are 0.
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
