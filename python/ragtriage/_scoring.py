"""Scores of TREC runs and of answers."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any, Literal

from . import _binary
from ._frames import Kind, Row, frame
from ._numbers import finite
from .errors import RagtriageError

_QUERY = ("query_id", "qid", "q_id", "query")
_DOCUMENT = ("doc_id", "docid", "docno", "document")
_SCORE = ("score",)
_GRADE = ("relevance", "rel", "label", "grade")

Ranking = Any
"""A path, ``{query: {document: number}}``, a data frame, or tuples ``(query, document, number)`` such as those of ir_measures."""


@dataclass(frozen=True)
class Scores:
    """Means of metrics, and their values by query or question.

    Attributes:
        mean: The mean of each metric.
        n: The number of queries or questions in each mean.
    """

    mean: dict[str, float]
    n: dict[str, int]
    _queries: dict[str, dict[str, float | None]]

    def per_query(self, kind: Kind = "dict") -> Any:
        """Returns the values of each query: ``{query: {metric: value}}``, or a data frame of ``pandas`` or ``polars``."""
        if kind == "dict":
            return self._queries
        rows: list[Row] = [{"query_id": query, **values} for query, values in self._queries.items()]
        return frame(rows, kind, "query_id")

    def __getitem__(self, metric: str) -> float:
        return self.mean[metric]


def score(run: Ranking, qrels: Ranking, metrics: Sequence[str], *, level: int = 1, intersection: bool = False) -> Scores:
    """Scores rankings against relevance judgments, as trec_eval does.

    A judged query without a ranking scores 0.

    Args:
        run: Scores of documents: a path, ``{query: {document: score}}``, a data frame, or tuples.
        qrels: Grades of documents, in the same forms.
        metrics: Such as ``nDCG@10``, ``AP``, ``RR``, ``P@5``; ``ragtriage score --list`` explains all.
        level: Minimum relevant grade.
        intersection: Score only queries that the run ranks.

    Raises:
        CommandError: A metric is unknown, or a file is invalid.
        RagtriageError: A run or qrels is of an unknown form.
    """
    _check_metrics(metrics)
    with tempfile.TemporaryDirectory(prefix="ragtriage-") as folder:
        run_file = _file(run, _SCORE, float, Path(folder) / "run", "{query} Q0 {document} 0 {number} python\n")
        qrels_file = _file(qrels, _GRADE, index, Path(folder) / "qrels", "{query} 0 {document} {number}\n")
        options = ["--level", str(level), *(["--intersect"] if intersection else [])]
        return _score(["--run", run_file, "--qrels", qrels_file, *options], metrics)


def score_answers(
    predictions: str | os.PathLike[str] | Mapping[str, str],
    gold: str | os.PathLike[str] | Mapping[str, str | Sequence[str]],
    *,
    scorer: Literal["squad", "squad2", "hotpotqa"] = "squad",
    metrics: Sequence[str] = ("AnswerEM", "AnswerF1"),
) -> Scores:
    """Scores answers as the official scripts of SQuAD and HotpotQA do.

    Args:
        predictions: Answers by question id, or a file of SQuAD or HotpotQA.
        gold: Gold answers by question id, one or several each, or a file. HotpotQA has one gold answer a question. With
            ``squad2`` an empty list marks an unanswerable question.
        scorer: The script to follow.
        metrics: Such as ``AnswerEM``, ``AnswerF1``.

    Raises:
        CommandError: A metric is unknown, or a file is invalid.
        RagtriageError: HotpotQA's scorer was given several gold answers.
    """
    _check_metrics(metrics)
    for given, name in ((predictions, "predictions"), (gold, "gold")):
        if not isinstance(given, (str, os.PathLike, Mapping)):
            raise RagtriageError(f"`{name}` is of type {type(given).__name__}", "pass a path, or answers by question id")
    with tempfile.TemporaryDirectory(prefix="ragtriage-") as folder:
        predictions_file, gold_file = Path(folder) / "predictions.json", Path(folder) / "gold.json"
        if isinstance(predictions, Mapping):
            found = dict(predictions)
            predictions_file.write_text(json.dumps({"answer": found, "sp": {}} if scorer == "hotpotqa" else found), encoding="utf-8")
        if isinstance(gold, Mapping):
            by_id = {id: [answers] if isinstance(answers, str) else _texts(id, answers) for id, answers in gold.items()}
            gold_file.write_text(json.dumps(_hotpotqa(by_id) if scorer == "hotpotqa" else _squad(by_id, scorer)), encoding="utf-8")
        files = [
            "--predictions", predictions_file if isinstance(predictions, Mapping) else predictions,
            "--gold", gold_file if isinstance(gold, Mapping) else gold,
        ]  # fmt: skip
        return _score([*files, "--scorer", scorer], metrics)


def _texts(id: str, answers: Any) -> list[str]:  # noqa: A002
    if not isinstance(answers, (list, tuple)) or not all(isinstance(answer, str) for answer in answers):
        raise RagtriageError(f"the gold answers of `{id}` are {answers!r:.80}", "pass a text or a list of texts")
    return list(answers)


def _check_metrics(metrics: Sequence[str]) -> None:
    if isinstance(metrics, str):
        raise RagtriageError("`metrics` is one text", f'pass a list: `["{metrics}"]`')


def _score(arguments: Sequence[str | os.PathLike[str]], metrics: Sequence[str]) -> Scores:
    named = [argument for metric in metrics for argument in ("--metric", str(metric))]
    found = _binary.json(["score", *arguments, *named, "--per-query", "--resamples", "0", "--json"])["files"][0]
    means = {metric: value["mean"] for metric, value in found["metrics"].items()}
    return Scores(means, {metric: value["n"] for metric, value in found["metrics"].items()}, found["queries"])


def _file(given: Ranking, numbers: Sequence[str], convert: Callable[[Any], float], target: Path, line: str) -> Path:
    if isinstance(given, (str, os.PathLike)):
        return Path(given)
    with target.open("w", encoding="utf-8") as file:
        for query, document, number in _rows(given, numbers):
            for id in (query, document):  # noqa: A001
                if not isinstance(id, str) or not id or id.split() != [id] or id == "#" or not id.isprintable():
                    raise RagtriageError(f"invalid id {id!r}", "ids of queries and documents are texts without white space")
            value = finite(number, convert)
            if value is None:
                raise RagtriageError(f"the number of `{document}` for `{query}` is {number!r}", "scores are finite numbers, grades whole ones")
            file.write(line.format(query=query, document=document, number=value))
    return target


def _rows(given: Any, numbers: Sequence[str]) -> Iterator[tuple[Any, Any, Any]]:
    if isinstance(given, Mapping):
        for query, documents in given.items():
            if not isinstance(documents, Mapping):
                raise RagtriageError(f"the documents of query `{query}` have no numbers", "pass `{query: {document: number}}`")
            for document, number in documents.items():
                yield query, document, number
        return
    columns = getattr(given, "columns", None)
    if columns is not None:
        names = [_column(list(columns), names) for names in (_QUERY, _DOCUMENT, numbers)]
        yield from zip(*(given[name].to_list() for name in names), strict=True)
        return
    if not isinstance(given, Iterable):
        raise RagtriageError(f"cannot read rankings from {type(given).__name__}", "pass a path, a dict of dict, a data frame or tuples")
    for row in given:
        if hasattr(row, "query_id"):
            yield row.query_id, row.doc_id, next(getattr(row, name) for name in numbers if hasattr(row, name))
        elif isinstance(row, (tuple, list)) and len(row) == 3:
            yield row[0], row[1], row[2]
        else:
            raise RagtriageError(f"not a line of a ranking: {row!r:.80}", "pass tuples `(query, document, number)`")


def _column(columns: Sequence[str], names: Sequence[str]) -> str:
    found = next((name for name in names if name in columns), None)
    if found is None:
        raise RagtriageError(f"the data frame has no column {' or '.join(f'`{name}`' for name in names)}", f"it has {', '.join(columns)}")
    return found


def _hotpotqa(gold: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    several = next((id for id, answers in gold.items() if len(answers) != 1), None)
    if several is not None:
        raise RagtriageError(f"question `{several}` has not exactly one gold answer", "HotpotQA has one; use the scorer `squad`")
    return [{"_id": id, "answer": answers[0], "supporting_facts": []} for id, answers in gold.items()]


def _squad(gold: Mapping[str, list[str]], scorer: str) -> dict[str, Any]:
    qas = [
        {"id": id, "answers": [{"text": answer} for answer in answers], **({"is_impossible": not answers} if scorer == "squad2" else {})}
        for id, answers in gold.items()
    ]
    return {"version": "2.0" if scorer == "squad2" else "1.1", "data": [{"paragraphs": [{"qas": qas}]}]}
