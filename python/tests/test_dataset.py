"""Data sets of tables, and what runs, imports and scores make of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy
import pandas
import polars
import pyarrow
import pytest

import ragtriage
from ragtriage import RagtriageError, dataset

COLUMNS: dict[str, list[Any]] = {
    "qid": [1, 2],
    "query": ["How long may a rollback take?", "When is the deploy freeze?"],
    "gold": [["6 minutes", "six minutes"], ["20 December"]],
    "passages": [["A rollback takes 6 minutes."], ["No deploys between 20 December and 2 January."]],
}
FIELDS = {"id": "qid", "question": "query", "answers": "gold", "contexts": "passages"}
DOCUMENTS = {"_id": ["r", "f"], "text": ["A rollback takes 6 minutes. It is quick.", "No deploys between 20 December and 2 January."]}
QUESTIONS = [
    {
        "id": "1",
        "text": "How long may a rollback take?",
        "answers": ["6 minutes", "six minutes"],
        "evidence": [[{"doc": "r", "quotes": ["A rollback takes 6 minutes."]}]],
    },
    {
        "id": "2",
        "text": "When is the deploy freeze?",
        "answers": ["20 December"],
        "evidence": [[{"doc": "f", "quotes": ["No deploys between 20 December and 2 January."]}]],
    },
]


def rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize(
    "table",
    [
        datasets.Dataset.from_dict,
        lambda columns: datasets.Dataset.from_dict(columns).to_iterable_dataset(),
        pandas.DataFrame,
        polars.DataFrame,
        polars.LazyFrame,
        pyarrow.table,
        dict,
        rows,
        lambda columns: iter(rows(columns)),
    ],
)
def test_every_table_is_the_same_data_set(table: Callable[[Any], Any], tmp_path: Path) -> None:
    made = dataset(table(COLUMNS), table(DOCUMENTS), tmp_path, fields=FIELDS)
    assert made.questions == QUESTIONS
    corpus = [json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert corpus == [{"id": id, "text": text} for id, text in zip(*DOCUMENTS.values(), strict=True)]
    assert made.qrels == {"1": {"r": 1}, "2": {"f": 1}}


def test_parquet_of_pandas_has_its_missing_cells_and_arrays(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"question": ["a?", "b?"], "tags": [numpy.array(["x", "y"]), None], "split": [None, float("nan")]})
    frame.to_parquet(tmp_path / "q.parquet")
    made = dataset(pandas.read_parquet(tmp_path / "q.parquet"), {"d": "text"}, tmp_path / "data")
    # Ids of questions without one are the beginning of sha256, as `printf 'a?' | sha256sum` prints it.
    assert made.questions == [{"id": "5289f1df3e14", "text": "a?", "tags": ["x", "y"]}, {"id": "b1d92f8c179e", "text": "b?"}]


def test_a_run_an_import_and_a_score_use_it(tmp_path: Path) -> None:
    made = dataset(pandas.DataFrame(COLUMNS), polars.DataFrame(DOCUMENTS), tmp_path / "data", fields=FIELDS)
    settings = {"retrieval.retrievers": ["bm25"], "retrieval.k": 1, "generation.generator": "none"}
    run = ragtriage.run(made, out=tmp_path, name="run", settings=settings)
    # Each question shares a word with one of the two documents.
    assert run["EvidenceRecall@prompt"].mean == 1.0
    record = ragtriage.record(lambda text, question: question.stage("packed", [DOCUMENTS["text"][0]]), made, tmp_path / "record.jsonl")
    imported = ragtriage.diagnose(record, made, out=tmp_path, name="imported")
    assert imported["EvidenceRecall@prompt"].mean == 0.5
    assert ragtriage.score({"1": {"r": 1.0}, "2": {"r": 1.0}}, made, ["RR"]).mean == {"RR": 0.5}


def test_a_nested_column_and_grades_of_another_table(tmp_path: Path) -> None:
    squad = [{"id": "s", "question": "Who?", "answers": {"text": ["Ann"], "answer_start": [3]}}]
    qrels = pandas.DataFrame({"query-id": ["s", "s"], "corpus-id": [7, 8], "score": [2.0, 0.0]})
    made = dataset(squad, [{"_id": 7, "text": "Ann"}, {"_id": 8, "text": "Bob"}], tmp_path, fields={"answers": "answers/text"}, qrels=qrels)
    assert made.questions == [{"id": "s", "text": "Who?", "answers": ["Ann"], "relevant": {"7": 2, "8": 0}}]


def test_a_column_of_every_item_of_a_list(tmp_path: Path) -> None:
    row = {"question": "Who?", "gold": {"all": [{"value": "Ann"}, {"other": 1}, {"value": "Bob"}]}}
    made = dataset([row], {"d": "Ann and Bob"}, tmp_path, fields={"answers": "/gold/all/*/value"})
    assert made.questions[0]["answers"] == ["Ann", "Bob"]


def test_numbers_and_truth_values_are_answers_and_ids_of_one_text(tmp_path: Path) -> None:
    table = pandas.DataFrame({"id": [1.0, 2.0], "question": ["Is it?", "How many?"], "answer": [True, 4.0]})
    table["evidence"] = [[7.0], None]
    made = dataset(table, {7: "text"}, tmp_path, qrels={1: {7: 1}})
    assert made.questions == [
        {"id": "1", "text": "Is it?", "answers": ["yes"], "evidence": [[{"doc": "7"}]], "relevant": {"7": 1}},
        {"id": "2", "text": "How many?", "answers": ["4"]},
    ]


def test_a_reference_that_is_there_is_the_answer_even_if_it_is_empty(tmp_path: Path) -> None:
    made = dataset([{"user_input": "Who?", "reference": None, "answer": "generated"}], {"d": "text"}, tmp_path)
    assert "answers" not in made.questions[0]


def test_questions_are_written_to_a_folder_of_documents_with_pages(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.pdf.md").write_text("<!-- page 1 -->\nOne.\n\n<!-- page 2 -->\nIt waits\n6 minutes.\n\n<!-- page 3 -->\n\n")
    (tmp_path / "questions.jsonl").write_text("")
    asked: dict[str, Any] = {
        "id": "q",
        "text": "How long does it wait?",
        "answers": "6 minutes",
        "evidence": [{"doc": "sub/a.pdf", "page": 2}],
    }
    made = dataset([asked], tmp_path)
    assert made.questions[0]["evidence"] == [[{"doc": "sub/a.pdf.md", "quotes": ["It waits\n6 minutes."]}]]
    run = ragtriage.run(made, out=tmp_path / "runs", name="r", settings={"retrieval.retrievers": ["bm25"], "generation.generator": "none"})
    assert run["EvidenceRecall@prompt"].mean == 1.0
    with pytest.raises(RagtriageError, match="document `sub/a.pdf` has no page 3 with text"):
        dataset([{**asked, "evidence": [{"doc": "sub/a.pdf", "page": 3}]}], tmp_path)


def test_contexts_that_no_document_contains_is_left_out_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="left out the contexts of 1 questions.*`q`"):
        made = dataset([{"id": "q", "text": "?", "reference_contexts": ["text", "gone"]}], {"d": "a text"}, tmp_path)
    assert made.questions == [{"id": "q", "text": "?"}]


def test_a_folder_keeps_what_was_labelled_and_takes_no_other_data(tmp_path: Path) -> None:
    question, documents = [{"id": "q", "text": "Who?"}], {"d": "text"}
    made = dataset(question, documents, tmp_path)
    with (tmp_path / "questions.jsonl").open("a") as file:
        file.write('{"id": "labelled", "text": "Where?"}\n')
    assert [question["id"] for question in dataset(question, documents, tmp_path).questions] == ["q", "labelled"]
    with pytest.raises(RagtriageError, match="holds other data"):
        dataset(question, {"d": "another"}, tmp_path)
    assert made.path.exists()


@pytest.mark.parametrize(
    ("questions", "documents", "fields", "message"),
    [
        ([{"text": "?"}], {"d": "t"}, {"qustion": "q"}, "unknown field `qustion`"),
        ([{"text": "?"}], {"d": "t"}, {"answers": "gold"}, "question 1 has no column `gold`\nhint: it has `text`"),
        ([{"frage": "?"}], {"d": "t"}, {}, "question 1 has no text"),
        ([{"text": "?", "answers": {"text": ["a"]}}], {"d": "t"}, {}, 'nested column\nhint: name one .*`"answers/text"`'),
        ([{"text": "?"}, {"text": "?"}], {"d": "t"}, {}, "two questions have the id"),
        ([{"text": "?"}], [{"text": "t"}], {}, "document 1 has no id"),
        ([{"text": "?"}], [{"id": "d", "body": "t"}], {}, "document `d` has no text"),
        ([{"text": "?"}], [{"id": 1, "text": "t"}, {"id": "1", "text": "t"}], {}, "two documents have the id `1`"),
        ([{"text": "?"}], "missing", {}, "no folder `missing`"),
        (
            {"train": datasets.Dataset.from_dict({"text": ["?"]})},
            {"d": "t"},
            {},
            r"several tables\nhint: pass one of its splits: `\['train'\]`",
        ),
        ({"text": ["?"], "id": []}, {"d": "t"}, {}, "`questions` is not a table"),
        (["?"], {"d": "t"}, {}, "row 1 of `questions` is of type str"),
        (3, {"d": "t"}, {}, "`questions` is of type int"),
    ],
)
def test_what_is_no_data_set_is_an_error_with_a_hint(questions: Any, documents: Any, fields: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(RagtriageError, match=message) as raised:
        dataset(questions, documents, tmp_path / "data", fields=fields)
    assert raised.value.hint and not (tmp_path / "data").exists()
