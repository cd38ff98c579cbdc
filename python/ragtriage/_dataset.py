"""Data sets of tables: documents and labelled questions of other libraries, as the files that the program reads."""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._hits import hits
from ._tables import as_id, plain, read, records, rows
from .errors import RagtriageError

Path_ = str | os.PathLike[str]

SETTINGS = "ragtriage.toml"
TEXT_FILES = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".asciidoc", ".org", ".textile", ".tex")
"""Endings of the documents that need no conversion."""

_PAGE = re.compile(r"<!-- (?:page|Slide number:) (\d+) -->")
"""The mark before a page or slide of a converted document."""
QUESTION_FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "_id", "query_id", "question_id", "query-id", "qid"),
    "question": ("question", "text", "query", "user_input", "input"),
    "answers": ("reference", "ground_truth", "ground_truths", "golden_answers", "expected_output", "reference_answer", "answers", "answer"),
    "contexts": ("reference_contexts",),
    **{name: (name,) for name in ("evidence", "kind", "relevant", "required", "forbidden", "tags", "split")},
}
"""The columns that a field of a question is read from: the first that the table has."""

DOCUMENT_FIELDS: dict[str, tuple[str, ...]] = {
    "document_id": ("id", "_id", "doc_id", "docid", "document_id", "corpus-id"),
    "document_text": ("text", "content", "contents", "page_content", "document"),
    "document_title": ("title",),
    "document_metadata": ("metadata",),
}


@dataclass(frozen=True)
class Dataset(os.PathLike[str]):
    """A data set in a folder.

    Pass it as the configuration of :func:`run` and :func:`diagnose`, as the questions of :func:`record`, and as the qrels of :func:`score`.

    Attributes:
        path: The configuration file, ``ragtriage.toml``.
    """

    path: Path

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The questions, as in ``questions.jsonl``."""
        return [dict(question) for question in read(self.path.with_name("questions.jsonl")) if isinstance(question, Mapping)]

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The grades of documents by question; 1 for the documents of the evidence, where a question has no grades."""
        return {question["id"]: _grades(question) for question in self.questions}


def dataset(
    questions: Any,
    documents: Any,
    out: Path_ = "ragtriage-data",
    *,
    fields: Mapping[str, str] | None = None,
    qrels: Any = None,
) -> Dataset:
    """Writes documents and labelled questions as a data set.

    A table is one of Hugging Face ``datasets``, pandas, polars or PyArrow, a dictionary of columns, or an iterable of mappings.

    Args:
        questions: A table, or the path of a ``questions.jsonl``.
        documents: A table; texts by id; documents of LangChain, LlamaIndex or Haystack; or the folder that holds the files, to which the
            questions are then written.
        out: Folder of the data set, unless the documents are in one. A folder that holds the same data set is left as it is.
        fields: Columns by field, such as ``{"question": "query", "answers": "answers/text"}``; a slash leads into a nested column, and
            ``*`` into every item of a list. Fields of questions are ``id``, ``question``, ``answers``, ``contexts`` (passages of documents
            that answer together), ``evidence`` (as in ``questions.jsonl``, or ids of documents; in place of quotes a member may name a
            ``page`` of a converted PDF), ``kind``, ``relevant``, ``required``, ``forbidden``, ``tags`` and ``split``; of documents
            ``document_id``, ``document_text``, ``document_title`` and ``document_metadata``.
        qrels: Grades of documents by question, in a form that :func:`score` takes.

    Raises:
        RagtriageError: A table lacks a column, two rows have one id, or the folder holds other data.
    """
    fields = dict(fields or {})
    unknown = fields.keys() - QUESTION_FIELDS.keys() - DOCUMENT_FIELDS.keys()
    if unknown:
        known = ", ".join(f"`{name}`" for name in (*QUESTION_FIELDS, *DOCUMENT_FIELDS))
        raise RagtriageError(f"unknown field `{min(unknown)}`", f"fields are {known}")
    is_folder = isinstance(documents, (str, os.PathLike))
    folder = Path(documents) if is_folder else Path(out)
    lines = [] if is_folder else _documents(documents, fields)
    asked = _questions(questions, fields)
    if qrels is not None:
        _add_grades(asked, qrels)
    _locate(asked, _files(folder) if is_folder else {line["id"]: line["text"] for line in lines})
    config = f'[dataset]\nformat = "{"files" if is_folder else "jsonl"}"\npath = "."\n'
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not is_folder:
            _write(folder / "corpus.jsonl", _lines(lines))
        _write(folder / "questions.jsonl", _lines(asked))
        if not (folder / SETTINGS).exists():
            _write(folder / SETTINGS, config)
    except OSError as error:
        raise RagtriageError(f"cannot write `{folder}`: {error.strerror}", "pass a folder that can be written as `out`") from error
    return Dataset(folder / SETTINGS)


def _files(folder: Path) -> dict[str, str]:
    """Returns the texts of a folder by their paths, which are their ids."""
    if not folder.is_dir():
        raise RagtriageError(f"no folder `{folder}`", "pass the folder that holds the documents, or a table of documents")
    files = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in TEXT_FILES and path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in files}


def _write(path: Path, content: str) -> None:
    """Writes a new file as a whole. An existing one may have lines behind these: questions that were labelled since."""
    data = content.encode("utf-8", errors="replace")
    known = path.read_bytes() if path.exists() else b""
    if known.strip() and not known.startswith(data):
        raise RagtriageError(f"`{path}` holds other data", "pass another folder as `out`, or remove the file")
    if not known.strip():
        part = path.with_name(f".{path.name}.part")
        part.write_bytes(data)
        part.replace(path)


def _lines(values: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _documents(documents: Any, fields: Mapping[str, str]) -> list[dict[str, Any]]:
    if isinstance(documents, Mapping) and all(isinstance(text, str) for text in documents.values()):
        found = [{"id": as_id(id), "text": text} for id, text in documents.items()]
    else:
        found = [_document(document, fields, at) for at, document in enumerate(records(documents, "documents"), 1)]
    _unique(found, "documents", "pass whole documents, not the chunks of them")
    return found


def _document(document: Any, fields: Mapping[str, str], at: int) -> dict[str, Any]:
    if isinstance(document, Mapping):
        row = {str(name): plain(value) for name, value in document.items()}
        line = _renamed(row, DOCUMENT_FIELDS, fields, "document", at)
        line = {name.removeprefix("document_"): value for name, value in line.items()}
        id, text = line.pop("id", None), line.pop("text", None)  # noqa: A001
    else:
        (known,) = hits([document])
        id = known.get("doc_id") or getattr(document, "id_", None) or getattr(document, "id", None)  # noqa: A001
        text, line = known["text"], {"title": known["title"]} if "title" in known else {}
    if id is None or id == "":
        hint = 'name its column: `fields={"document_id": ...}`; documents of a library need `source` in their metadata'
        raise RagtriageError(f"document {at} has no id", hint)
    if text is not None and not isinstance(text, str):
        raise RagtriageError(
            f"the text of document `{id}` is of type {type(text).__name__}", 'name its column: `fields={"document_text": ...}`'
        )
    if text is None and "title" not in line:
        raise RagtriageError(
            f"document `{id}` has no text", f'name its column: `fields={{"document_text": ...}}`; it has {_names(document)}'
        )
    return {"id": as_id(id), "text": text or "", **line}


def _questions(questions: Any, fields: Mapping[str, str]) -> list[dict[str, Any]]:
    found = []
    for at, row in enumerate(rows(read(questions), "questions"), 1):
        line = _renamed(row, QUESTION_FIELDS, fields, "question", at)
        text = line.pop("question", None)
        if not isinstance(text, str) or not text.strip():
            hint = f'name the column of its text: `fields={{"question": ...}}`; it has {_names(row)}'
            raise RagtriageError(f"question {at} has no text", hint)
        id = line.pop("id", None)  # noqa: A001
        if id is None:
            id = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]  # noqa: A001
        if "answers" in line:
            line["answers"] = _answers(line["answers"], str(id))
        for name in ("tags", "relevant"):
            if name in line and not isinstance(line[name], Mapping):
                line[name] = _texts(line[name])
        found.append({"id": as_id(id), "text": text, **line})
    _unique(found, "questions", 'name a column with an id for each: `fields={"id": ...}`')
    return found


def _answers(answers: Any, id: str) -> list[str]:  # noqa: A002
    if isinstance(answers, Mapping):
        columns = ", ".join(f'`"answers/{name}"`' for name in answers)
        raise RagtriageError(f"the answers of question `{id}` are a nested column", f'name one with `fields={{"answers": ...}}`: {columns}')
    return _texts(answers)


def _texts(value: Any) -> list[str]:
    """Returns a text, number or truth value, or a list of them, as a list of texts."""
    parts = value if isinstance(value, list) else [value]
    return [("no", "yes")[part] if isinstance(part, bool) else as_id(part) for part in parts if part is not None and part != ""]


def _renamed(row: Mapping[str, Any], known: Mapping[str, tuple[str, ...]], fields: Mapping[str, str], what: str, at: int) -> dict[str, Any]:
    """Returns the fields that a row has. A column that is named must be there; of the usual ones, the first that is there counts."""
    line = {}
    for name, columns in known.items():
        if name in fields:
            value = _at(row, fields[name])
            if value is _ABSENT:
                raise RagtriageError(f"{what} {at} has no column `{fields[name]}`", f"it has {_names(row)}")
        else:
            value = next((row[column] for column in columns if column in row), None)
        if value is not None:
            line[name] = value
    return line


_ABSENT = object()


def _at(value: Any, path: str) -> Any:
    """Returns the value of a column; a slash leads into a nested one, ``*`` into every item of a list."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    name, slash, rest = path.removeprefix("/").partition("/")
    if name == "*" and isinstance(value, list):
        items = [_at(item, rest) if slash else item for item in value]
        return [item for item in items if item is not _ABSENT]
    if not isinstance(value, Mapping) or name not in value:
        return _ABSENT
    return _at(value[name], rest) if slash else value[name]


def _names(row: Any) -> str:
    return ", ".join(f"`{name}`" for name in row) if isinstance(row, Mapping) else "no columns"


def _unique(lines: Iterable[Mapping[str, Any]], what: str, hint: str) -> None:
    twice = next((id for id, n in Counter(line["id"] for line in lines).items() if n > 1), None)
    if twice is not None:
        raise RagtriageError(f"two {what} have the id `{twice}`", hint)


def _add_grades(questions: Iterable[dict[str, Any]], qrels: Any) -> None:
    from ._scoring import rankings

    judged = rankings(qrels, is_graded=True)
    for question in questions:
        if question["id"] in judged:
            question["relevant"] = judged[question["id"]]


def _grades(question: Mapping[str, Any]) -> dict[str, int]:
    relevant = question.get("relevant")
    if isinstance(relevant, Mapping):
        return dict(relevant)
    if relevant is None:
        groups = ([group] if isinstance(group, Mapping) else group for group in question.get("evidence") or [])
        relevant = [member["doc"] for group in groups for member in group]
    return dict.fromkeys(relevant, 1)


def _locate(questions: Iterable[dict[str, Any]], texts: Mapping[str, str]) -> None:
    """Adds the documents that hold the contexts, any of which suffices, and replaces pages by their text."""
    lost = []
    for question in questions:
        contexts = [context.strip() for context in _texts(question.pop("contexts", []))]
        groups = [[{"doc": id, "quotes": [context]} for id, text in texts.items() if context in text] for context in contexts if context]
        given = question.get("evidence", [])
        if "evidence" in question:
            groups = [part if isinstance(part, list) else [part] for part in (given if isinstance(given, list) else [given])]
        elif not all(groups):
            lost.append(f"`{question['id']}`")
            continue
        if groups:
            question["evidence"] = [[_member(member, texts) for member in group] for group in groups]
    if lost:
        few = ", ".join(lost[:3]) + (", ..." if len(lost) > 3 else "")
        warnings.warn(f"left out the contexts of {len(lost)} questions, since no document contains all of them: {few}", stacklevel=3)


def _member(member: Any, texts: Mapping[str, str]) -> Any:
    if not isinstance(member, Mapping):
        return {"doc": as_id(member)}
    if "page" not in member:
        return member
    doc = next((id for id in (member.get("doc"), f"{member.get('doc')}.md") if id in texts), None)
    parts = _PAGE.split(texts.get(doc or "", ""))
    text = dict(zip(parts[1::2], parts[2::2], strict=True)).get(str(member["page"]), "").strip()
    if not text:
        hint = "pages are those of documents that `python -m ragtriage.documents` converted"
        raise RagtriageError(f"document `{member.get('doc')}` has no page {member['page']} with text", hint)
    return {"doc": doc, "quotes": [text]}
