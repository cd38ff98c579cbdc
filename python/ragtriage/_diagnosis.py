"""Imports a record, or runs a configured pipeline, and returns the run."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _binary
from ._hits import hits
from ._recorder import read
from ._runs import Run
from .errors import CommandError, RagtriageError

RUNS = "ragtriage-runs"
"""Folder of the runs, where none is named."""

Path_ = str | os.PathLike[str]


def diagnose(
    record: Path_,
    config: Path_ | None = None,
    *,
    documents: Mapping[str, str] | Iterable[Any] | None = None,
    questions: Path_ | Iterable[Mapping[str, Any]] | None = None,
    out: Path_ = RUNS,
    name: str | None = None,
    partial: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> Run:
    """Imports the record of a RAG and says for each question which stage lost its answer.

    Name the data set by a configuration, or pass its documents and questions.

    Args:
        record: What a :class:`Recorder` wrote, or any file that ``ragtriage import`` reads.
        config: Configuration file whose ``[dataset]`` has the documents and labelled questions.
        documents: Texts by id; or mappings with ``id``, ``text`` and optionally ``title``; or documents of LangChain,
            LlamaIndex or Haystack.
        questions: Mappings as in ``questions.jsonl`` (``id``, ``text``, ``answers``, ``evidence``), or the path of such a file.
        out: Folder of the runs. Documents and questions that are passed are kept there as well, in ``NAME-data``.
        name: Name of the run; by default that of the record, with random digits.
        partial: Leave out questions without a line and lines without a question.
        settings: Values of configuration keys, such as ``{"evaluation.ks": [5, 10]}``.

    Raises:
        RagtriageError: Neither a configuration nor documents with questions were given, or there is a run of that name.
        CommandError: The record or the data set cannot be read, or they do not match.
    """
    if (config is None) == (documents is None or questions is None):
        raise RagtriageError("the data set is not named", "pass either `config`, or `documents` and `questions`")
    name = name or f"{Path(record).stem}-{secrets.token_hex(4)}"
    if Path(name).name != name:
        raise RagtriageError(f"`{name}` is not the name of a run", "pass a name without folders; `out` is the folder of the runs")
    arguments: list[Path_] = ["import", record, *(["--partial"] if partial else [])]
    if config is not None:
        return _started([*arguments, config], out, name, settings)
    if (Path(out) / name).exists():
        raise RagtriageError(f"there is a run `{Path(out) / name}`", "pass another `name`, or none, or remove the folder")
    folder = Path(out) / f"{name}-data"
    try:
        config = _write_dataset(folder, documents or {}, questions or ())
        return _started([*arguments, config], out, name, settings)
    except OSError as error:
        raise RagtriageError(f"cannot write `{folder}`: {error.strerror}", "pass a folder that can be written as `out`") from error
    except TypeError as error:
        raise RagtriageError(f"documents or questions cannot be written as JSON: {error}", "pass texts, numbers and lists") from error
    except CommandError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def run(config: Path_, *, out: Path_ = RUNS, name: str | None = None, settings: Mapping[str, Any] | None = None) -> Run:
    """Runs the configured pipeline over its questions.

    Args:
        config: Configuration file.
        out: Folder of the runs.
        name: Name of the run; by default that of the configuration, with random digits.
        settings: Values of configuration keys, such as ``{"retrieval.k": 10}``.

    Raises:
        CommandError: The configuration is invalid, or a service that it names cannot be used.
    """
    return _started(["run", config], out, name or f"{Path(config).stem}-{secrets.token_hex(4)}", settings)


def _started(arguments: list[str | os.PathLike[str]], out: Path_, name: str, settings: Mapping[str, Any] | None) -> Run:
    for key, value in (settings or {}).items():
        # A TOML value: strings, numbers, booleans and lists of them are written as in JSON.
        text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        arguments += ["--set", f"{key}={text}"]
    _binary.run([*arguments, "--out", out, "--name", name, "--json"])
    return Run(Path(out) / name)


def _write_dataset(folder: Path, documents: Mapping[str, str] | Iterable[Any], questions: Path_ | Iterable[Mapping[str, Any]]) -> Path:
    if isinstance(documents, (str, os.PathLike)):
        raise RagtriageError("`documents` is a path", "pass texts by id; a folder is named by a configuration: `config=`")
    if isinstance(documents, Mapping):
        lines = [{"id": id, "text": text} for id, text in documents.items()]
    else:
        lines = [_document(document) for document in documents]
    ids = [line["id"] for line in lines]
    twice = next((id for id, n in Counter(ids).items() if n > 1), None)
    if twice is not None:
        raise RagtriageError(f"two documents have the id `{twice}`", "pass whole documents, not the chunks of them")
    asked = list(read(questions))
    folder.mkdir(parents=True, exist_ok=True)
    for file, rows in (("corpus.jsonl", lines), ("questions.jsonl", asked)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / file).write_text(text, encoding="utf-8", errors="replace")
    config = folder / "ragtriage.toml"
    config.write_text('[dataset]\nformat = "jsonl"\npath = "."\n', encoding="utf-8")
    return config


def _document(document: Any) -> dict[str, Any]:
    if isinstance(document, Mapping) and "id" in document:
        return dict(document)
    (known,) = hits([document])
    id = known.get("doc_id") or getattr(document, "id_", None) or getattr(document, "id", None)  # noqa: A001
    if not id:
        raise RagtriageError("a document has no id", "pass texts by id, or documents whose metadata has `source`")
    return {"id": str(id), "text": known["text"], **({"title": known["title"]} if "title" in known else {})}
