"""Scores of TREC runs and of answers."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from . import _binary
from ._dataset import Dataset
from ._tables import Kind, as_id, finite, frame, plain, records
from .errors import RagtriageError

_QUERY = ("query_id", "query-id", "qid", "q_id", "query")
_DOCUMENT = ("doc_id", "corpus-id", "docid", "docno", "document")
_SCORE = ("score",)
_GRADE = ("relevance", "rel", "label", "grade", "score")

Ranking = Any
"""A path, ``{query: {document: number}}``, a table, or tuples ``(query, document, number)`` such as those of ir_measures."""

Rankings = dict[str, dict[str, float]]
"""Scores or grades of documents by query."""


@dataclass(frozen=True)
class Scores:
    """Means of metrics, and their values by query or question.

    Attributes:
        mean: The mean of each metric.
        n: The number of queries or questions in each mean.
    """

    mean: dict[str, float]
    n: dict[str, int]
    _queries: dict[Any, dict[str, float | None]]

    def per_query(self, kind: Kind = "dict") -> Any:
        """Returns the values of each query: ``{query: {metric: value}}``, or a data frame of ``pandas`` or ``polars``."""
        if kind == "dict":
            return self._queries
        rows = [{"query_id": query, **values} for query, values in self._queries.items()]
        return frame(rows, kind, "query_id", {"query_id": None, **dict.fromkeys(self.mean, float)})

    def __getitem__(self, metric: str) -> float:
        return self.mean[metric]


def score(run: Ranking, qrels: Ranking, metrics: Sequence[str], *, level: int = 1, intersection: bool = False) -> Scores:
    """Scores rankings against relevance judgments, as trec_eval does.

    A judged query without a ranking scores 0.

    Args:
        run: Scores of documents: a path, ``{query: {document: score}}``, a table of ``datasets``, pandas, polars or PyArrow with
            columns such as ``query_id``, ``doc_id`` and ``score``, or tuples. Any value can be an id.
        qrels: Grades of documents in the same forms, with a column such as ``relevance``; or a :class:`Dataset`.
        metrics: Such as ``nDCG@10``, ``AP``, ``RR``, ``P@5``; the documentation's page Metrics has all.
        level: Minimum relevant grade.
        intersection: Score only queries that the run ranks.

    Raises:
        CommandError: A metric is unknown, or a file is invalid.
        RagtriageError: A run or qrels is of an unknown form, or two ids are one text, as ``1`` and ``"1"``.
    """
    _check_metrics(metrics)
    qrels = qrels.qrels if isinstance(qrels, Dataset) else qrels
    ids = _Ids()
    found = None if isinstance(run, (str, os.PathLike)) else rankings(run, is_graded=False)
    judged = None if isinstance(qrels, (str, os.PathLike)) else rankings(qrels, is_graded=True, queries=ids)
    given = [side for side in (found, judged) if side is not None]
    odd = next((id for side in given for query, documents in side.items() for id in (query, *documents) if not _is_column(id)), None)
    if odd is not None and len(given) == 1:
        raise RagtriageError(
            f"the id {odd!r} cannot be in a TREC file", "pass both `run` and `qrels` as objects, or use ids without white space"
        )
    if found is not None and judged is not None and not found.keys() & judged.keys():
        raise RagtriageError("`run` and `qrels` have no query in common", "use the same ids in both")
    encode, decode = (str, str) if odd is None else (_hex, _text)
    with tempfile.TemporaryDirectory(prefix="ragtriage-") as folder:
        run_line, qrels_line = "{query} Q0 {document} 0 {number} python\n", "{query} 0 {document} {number}\n"
        run_file = run if found is None else _write(found, Path(folder) / "run", run_line, encode)
        qrels_file = qrels if judged is None else _write(judged, Path(folder) / "qrels", qrels_line, encode)
        options = ["--level", str(level), *(["--intersect"] if intersection else [])]
        scores = _score(["--run", run_file, "--qrels", qrels_file, *options], metrics)
    return replace(scores, _queries={ids.id(decode(query)): values for query, values in scores._queries.items()})


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


class _Ids:
    """The ids of one input: their texts, which the program reads, and the id of each text."""

    def __init__(self) -> None:
        self._of_text: dict[str, Any] = {}

    def text(self, id: Any) -> str:  # noqa: A002
        """Returns an id as text. ``1`` and ``"1"`` are one id, and so are an error in one input.

        Raises:
            RagtriageError: The id is missing, or another id has its text.
        """
        text = as_id(id)
        if plain(id) is None or not text:
            raise RagtriageError(f"an id is {id!r}", "give every query and document an id that is not empty")
        other = self._of_text.setdefault(text, id)
        if other != id:
            raise RagtriageError(f"the ids {other!r} and {id!r} are one text", "use numbers or texts as ids, not both")
        return text

    def id(self, text: str) -> Any:
        """Returns the id of a text, itself if there is none."""
        return self._of_text.get(text, text)


def rankings(given: Ranking, *, is_graded: bool, queries: _Ids | None = None) -> Rankings:
    """Returns the documents of each query, with their scores or grades, of any form but a path.

    Args:
        given: What :func:`score` takes.
        is_graded: True for qrels.
        queries: Takes the ids of the queries.
    """
    queries, documents = queries or _Ids(), _Ids()
    found: Rankings = {}
    for query, ranked in _by_query(given, _GRADE if is_graded else _SCORE):
        ranking = found.setdefault(queries.text(query), {})
        for document, number in ranked:
            value = finite(number, float)
            if value is None or (is_graded and not value.is_integer()):
                raise RagtriageError(
                    f"the number of `{document}` for `{query}` is {number!r}", "scores are finite numbers, grades whole ones"
                )
            text = documents.text(document)
            if text in ranking and (not is_graded or ranking[text] != value):
                raise RagtriageError(f"duplicate document `{document}` for query `{query}`", "keep each document of a query once")
            ranking[text] = int(value) if is_graded else value
    return found


def _by_query(given: Any, numbers: Sequence[str]) -> Iterator[tuple[Any, Iterable[tuple[Any, Any]]]]:
    if isinstance(given, Mapping):
        for query, documents in given.items():
            if not isinstance(documents, Mapping):
                raise RagtriageError(f"the documents of query `{query}` have no numbers", "pass `{query: {document: number}}`")
            yield query, documents.items()
        return
    for row in records(given, "rankings"):
        if isinstance(row, Mapping):
            query, document, number = (row[_column(row, names)] for names in (_QUERY, _DOCUMENT, numbers))
        elif hasattr(row, "query_id"):
            query, document, number = row.query_id, row.doc_id, next(getattr(row, name) for name in numbers if hasattr(row, name))
        elif isinstance(row, (tuple, list)) and len(row) == 3:
            query, document, number = row
        else:
            raise RagtriageError(f"not a line of a ranking: {row!r:.80}", "pass tuples `(query, document, number)`")
        yield query, [(document, number)]


def _column(row: Mapping[str, Any], names: Sequence[str]) -> str:
    found = next((name for name in names if name in row), None)
    if found is None:
        raise RagtriageError(
            f"the data frame has no column {' or '.join(f'`{name}`' for name in names)}", f"it has {', '.join(map(str, row))}"
        )
    return found


def _write(found: Rankings, target: Path, line: str, encode: Callable[[str], str]) -> Path:
    with target.open("w", encoding="utf-8") as file:
        file.write("# Comments alone are a run that found nothing.\n" if not any(found.values()) else "")
        for query, documents in found.items():
            name = encode(query)
            for document, number in documents.items():
                file.write(line.format(query=name, document=encode(document), number=number))
    return target


def _is_column(id: str) -> bool:  # noqa: A002
    """Returns true for an id that a file of columns can hold."""
    return id.split() == [id] and id != "#" and id.isprintable()


def _hex(text: str) -> str:
    """Returns the bytes of a text as a word that sorts as the text does: ties are broken by id."""
    return text.encode(errors="surrogatepass").hex()


def _text(word: str) -> str:
    return bytes.fromhex(word).decode(errors="surrogatepass")


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
