"""The recorder: what it writes, and what it refuses."""

from __future__ import annotations

import json
import resource
import threading
from pathlib import Path

import pytest

import ragtriage
from ragtriage import Recorder, RecordError, _binary
from ragtriage._recorder import KNOWN_STAGES


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_question_is_a_line_of_the_import_format(record: Path) -> None:
    with Recorder(record) as recorder, recorder.question("q1") as question:
        question.stage("dense", [("a text", 0.5), "another"], seconds=0.25)
        question.stage("multi", ["x"], role="retriever", query="first")
        question.stage("multi", ["y"], role="retriever", query="second")
        question.stage("packed", ["another"], k=3)
        question.prompt("Answer from: another")
        question.answer("yes")
        question.usage(prompt_tokens=10, completion_tokens=2, model="m")
        question.usage(prompt_tokens=5)
        question.seconds(1.5)
    assert lines(record) == [
        {
            "id": "q1",
            "prompt": "Answer from: another",
            "answer": "yes",
            "stages": {
                "dense": {"hits": [{"text": "a text", "score": 0.5}, {"text": "another"}], "seconds": 0.25},
                "multi": [
                    {"hits": [{"text": "x"}], "role": "retriever", "query": "first"},
                    {"hits": [{"text": "y"}], "role": "retriever", "query": "second"},
                ],
                "packed": {"hits": [{"text": "another"}], "k": 3},
            },
            "usage": {"prompt_tokens": 15, "completion_tokens": 2, "model": "m", "seconds": 1.5},
        }
    ]


def test_a_line_is_in_the_file_as_soon_as_its_question_ends(record: Path) -> None:
    with Recorder(record) as recorder:
        with recorder.question("q1") as question:
            question.answer("a")
        assert len(lines(record)) == 1


def test_an_exception_is_the_questions_error(record: Path) -> None:
    with Recorder(record) as recorder, pytest.raises(ZeroDivisionError), recorder.question("q1") as question:
        question.stage("dense", ["a"])
        question.answer("b")
        _ = 1 / 0
    (line,) = lines(record)
    assert line["error"] == "ZeroDivisionError: division by zero"
    assert "answer" not in line and "stages" in line


def test_an_interrupted_question_is_not_recorded_and_is_asked_on_resuming(record: Path) -> None:
    with Recorder(record) as recorder:
        with recorder.question("q1") as question:
            question.answer("a")
        with pytest.raises(KeyboardInterrupt), recorder.question("q2") as question:
            question.stage("dense", ["x"])
            raise KeyboardInterrupt
    assert [line["id"] for line in lines(record)] == ["q1"]
    asked = []

    def rag(text: str, question: ragtriage.Question) -> str:
        asked.append(text)
        return "b"

    ragtriage.record(rag, [("q1", "one"), ("q2", "two")], record, resume=True)
    assert asked == ["two"]
    assert [line["id"] for line in lines(record)] == ["q1", "q2"]


def test_a_line_that_a_killed_process_left_incomplete_is_removed(record: Path) -> None:
    record.write_text('{"id": "q1", "answer": "a"}\n{"id": "q2", "ans', encoding="utf-8")
    with Recorder(record, resume=True) as recorder:
        assert recorder.ids == {"q1"}
        with recorder.question("q2") as question:
            question.answer("b")
    assert [line["id"] for line in lines(record)] == ["q1", "q2"]


def test_another_file_is_not_resumed(record: Path) -> None:
    record.write_text("notes\nof mine\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 1: not a question of a record"):
        Recorder(record, resume=True)
    assert record.read_text(encoding="utf-8") == "notes\nof mine\n"


def test_threads_share_a_recorder(record: Path) -> None:
    with Recorder(record) as recorder:

        def ask(first: int) -> None:
            for number in range(first, first + 50):
                with recorder.question(f"q{number}") as question:
                    question.stage("dense", ["text " * 200])
                    question.answer(str(number))

        threads = [threading.Thread(target=ask, args=(first,)) for first in range(0, 400, 50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = lines(record)
    assert sorted(int(str(line["answer"])) for line in found) == list(range(400))


@pytest.mark.parametrize("workers", [1, 4])
def test_record_asks_all_and_records_failures(record: Path, workers: int) -> None:
    def rag(text: str, question: ragtriage.Question) -> str:
        question.stage("dense", [text])
        if text == "t3":
            raise ValueError("no model")
        return text.upper()

    with pytest.warns(UserWarning, match="1 of 8 questions failed, for example with ValueError: no model"):
        ragtriage.record(rag, [{"id": f"q{n}", "text": f"t{n}"} for n in range(8)], record, workers=workers)
    found = {line["id"]: line for line in lines(record)}
    assert found["q3"]["error"] == "ValueError: no model"
    assert {id: line.get("answer") for id, line in found.items()} == {f"q{n}": None if n == 3 else f"T{n}" for n in range(8)}


def test_record_reads_the_questions_of_a_data_set(record: Path, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text('{"id": "q1", "text": "t", "answers": ["a"]}\n\n', encoding="utf-8")
    ragtriage.record(lambda text, question: text, tmp_path / "questions.jsonl", record)
    assert [line["answer"] for line in lines(record)] == ["t"]


def two_answers(question: ragtriage.Question) -> None:
    question.answer("a")
    question.answer("b")


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (two_answers, "question `q1` has two answers"),
        (lambda question: question.stage("dense", "text"), "expected a list of passages, got one str"),
        (lambda question: question.stage("dense", [{"title": "t"}]), "passage 1 of type dict has no text"),
        (lambda question: question.stage("dense", [("a", float("nan"))]), "the score of passage 1 is nan"),
        (lambda question: question.stage("mine", ["a"]), 'stage `mine`: pass `role="retriever"` (finds candidates), '),
        (lambda question: question.stage("mine", ["a"], role="best"), "stage `mine`: the role is 'best', not one of "),
        (lambda question: question.stage("packed", ["a", "b"], k=1), "stage `packed`: k is 1, but it has 2 passages"),
        (lambda question: question.stage("dense", ["a"], k=1), "stage `dense`: k is that of the stage `packed`"),
        (lambda question: question.stage("dense", ["a"], seconds=-1), "stage `dense`: -1 seconds"),
        (lambda question: question.stage("dense", None), "expected a list of passages, got one NoneType"),
        (lambda question: question.stage("dense", [{"text": "a", "start": 0.5}]), "the start of passage 1 is 0.5"),
        (lambda question: question.usage(prompt_tokens="12"), "`prompt_tokens` is '12'"),
        (lambda question: question.usage(prompt_tokens=-1), "`prompt_tokens` is -1"),
        (lambda question: question.usage(model=5), "`model` is of type int"),
        (lambda question: question.answer(3), "the answer to `q1` is of type int"),
        (lambda question: question.end(), "nothing was recorded for question `q1`"),
    ],
)
def test_misuse_is_an_error_with_a_hint(record: Path, misuse: object, message: str) -> None:
    with Recorder(record) as recorder:
        question = recorder.question("q1")
        with pytest.raises(RecordError) as raised:
            misuse(question)  # type: ignore[operator]
    assert raised.value.message.startswith(message)
    assert raised.value.hint


def test_the_stages_that_need_no_role_are_imported_without_one(record: Path, tmp_path: Path) -> None:
    questions = [{"id": "q", "text": "How long?", "answers": ["six minutes"]}]
    given: dict[str, object] = {"documents": {"d": "six minutes"}, "questions": questions}
    for name in [*KNOWN_STAGES, "mine"]:
        record.write_text(json.dumps({"id": "q", "stages": {name: ["six minutes"]}}) + "\n")
        if name == "mine":
            with pytest.raises(ragtriage.RagtriageError, match="mine"):
                ragtriage.diagnose(record, out=tmp_path, name=name, **given)  # type: ignore[arg-type]
        else:
            ragtriage.diagnose(record, out=tmp_path, name=name, **given)  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers(record: Path) -> None:
    numpy = pytest.importorskip("numpy")
    with Recorder(record) as recorder, recorder.question("q") as question:
        question.stage("dense", [{"text": "a", "score": numpy.float32(0.5), "start": numpy.int64(3)}])
        question.usage(prompt_tokens=numpy.int64(4))
    (line,) = lines(record)
    assert line["stages"] == {"dense": {"hits": [{"text": "a", "start": 3, "score": 0.5}]}}
    assert line["usage"]["prompt_tokens"] == 4  # type: ignore[index]


def test_a_lone_surrogate_costs_no_question(record: Path) -> None:
    def rag(text: str, question: ragtriage.Question) -> str:
        question.stage("dense", ["a\ud800"])
        if text == "t2":
            raise RuntimeError("x\udc80")
        return "b\ud800"

    with pytest.warns(UserWarning, match="1 of 3 questions failed"):
        ragtriage.record(rag, [(f"q{n}", f"t{n}") for n in (1, 2, 3)], record)
    assert [line.get("answer", line.get("error")) for line in lines(record)] == ["b?", "RuntimeError: x?", "b?"]


def test_a_mistake_in_recording_is_raised_and_its_question_asked_again(record: Path) -> None:
    def rag(text: str, question: ragtriage.Question) -> object:
        question.stage("dense", ["a"])
        return 6 if text == "t2" else "six"

    asked = [("q1", "t1"), ("q2", "t2")]
    with pytest.raises(RecordError, match="the answer to `q2` is of type int"):
        ragtriage.record(rag, asked, record)  # type: ignore[arg-type]
    ragtriage.record(lambda text, question: rag("t1", question), asked, record, resume=True)  # type: ignore[arg-type,return-value]
    assert [line["id"] for line in lines(record)] == ["q1", "q2"]


def test_a_full_disk_leaves_whole_lines_and_the_question_to_be_asked_again(record: Path) -> None:
    def ask(recorder: Recorder, id: str, text: str) -> None:  # noqa: A002
        with recorder.question(id) as question:
            question.stage("dense", [text])

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Recorder(record) as recorder:
        ask(recorder, "q1", "a")
        try:
            # The file may grow by a part of the next line.
            resource.setrlimit(resource.RLIMIT_FSIZE, (record.stat().st_size + 50, limits[1]))
            with pytest.raises(RecordError, match="cannot write"):
                ask(recorder, "q2", "b" * 1_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        ask(recorder, "q2", "b")
        ask(recorder, "q3", "c")
    assert [line["id"] for line in lines(record)] == ["q1", "q2", "q3"]


@pytest.mark.parametrize("content", [b"notes without a line end", b"\x1f\x8b\x08\x00"])
def test_a_file_of_another_kind_is_kept(record: Path, content: bytes) -> None:
    record.write_bytes(content)
    with pytest.raises(RecordError, match="not a question of a record"):
        Recorder(record, resume=True)
    assert record.read_bytes() == content


def test_a_complete_last_line_without_its_end_is_kept(record: Path) -> None:
    record.write_text('{"id": "q1", "answer": "a"}', encoding="utf-8")
    with Recorder(record, resume=True) as recorder, recorder.question("q2") as question:
        question.stage("dense", ["a"])
    assert [line["id"] for line in lines(record)] == ["q1", "q2"]


def test_two_recorders_of_one_file_are_refused(record: Path) -> None:
    with Recorder(record), pytest.raises(RecordError, match="open in another recorder"):
        Recorder(record, resume=True)
    Recorder(record).close()


def test_the_questions_are_not_replaced_by_the_record(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('\ufeff{"id": "q1", "text": "a\u2028b"}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="holds the questions"):
        ragtriage.record(lambda text, question: text, file, file)
    asked = []
    ragtriage.record(lambda text, question: question.stage("dense", [asked.append(text) or "a"]), file, tmp_path / "record.jsonl")
    assert asked == ["a\u2028b"]


def test_an_answer_without_passages_is_warned_of_once(record: Path) -> None:
    with Recorder(record) as recorder, pytest.warns(UserWarning, match="no passages were recorded for question `q1`") as warned:
        for id in ("q1", "q2"):  # noqa: A001
            with recorder.question(id) as question:
                question.answer("a")
    assert len(warned) == 1
    assert len(lines(record)) == 2


def test_a_question_is_recorded_once(record: Path) -> None:
    with Recorder(record) as recorder:
        with recorder.question("q1") as question:
            question.answer("a")
        with pytest.raises(RecordError, match="duplicate question `q1`"):
            recorder.question("q1")
        with pytest.raises(RecordError, match="question `q1` has ended"):
            question.answer("b")
    assert len(lines(record)) == 1


def test_a_record_closed_in_the_middle_of_a_question_stays_valid(record: Path) -> None:
    with Recorder(record) as recorder:
        with recorder.question("q1") as question:
            question.answer("a")
        late = recorder.question("q2")
        late.answer("b")
    with pytest.raises(RecordError, match="question `q2` ended after"):
        late.end()
    with pytest.raises(RecordError, match="is closed"):
        recorder.question("q3")
    assert [line["id"] for line in lines(record)] == ["q1"]


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot write"):
        Recorder(tmp_path / "missing" / "record.jsonl")
