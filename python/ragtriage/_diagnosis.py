"""Imports a results file, or runs a configured pipeline, and returns the run."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _binary
from ._dataset import Path_, dataset
from ._runs import Run
from .errors import CommandError, RagtriageError

RUNS = "ragtriage-runs"
"""Folder of the runs, where none is named."""


def diagnose(
    results: Path_,
    config: Path_ | None = None,
    *,
    documents: Any = None,
    questions: Any = None,
    out: Path_ = RUNS,
    name: str | None = None,
    partial: bool = False,
    conditions: bool = False,
    llm: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Run:
    """Imports the results file of a RAG and says for each question which stage lost its answer.

    Name the data set by a configuration, or pass its documents and questions.

    Args:
        results: What a :class:`Recorder` wrote, or any file that ``ragtriage import`` reads.
        config: A :class:`Dataset`, or a configuration file whose ``[dataset]`` has the documents and labelled questions.
        documents: As in :func:`dataset`: texts by id, a table, or documents of LangChain, LlamaIndex or Haystack.
        questions: As in :func:`dataset`: a table or mappings (``id``, ``text``, ``answers``, ``evidence``), or a file.
        out: Folder of the runs. Documents and questions that are passed are kept there as well, in ``NAME-data``.
        name: Name of the run; by default that of the file, with random digits.
        partial: Leave out questions without a line and lines without a question.
        conditions: Ask the configured generator for the answers of the other conditions, which the results lack.
        llm: Language model for them: ``ollama:NAME``, ``openai:NAME`` or ``URL#NAME``.
        settings: Values of settings, such as ``{"evaluation.ks": [5, 10]}``.

    Raises:
        RagtriageError: Neither a configuration nor documents with questions were given, or there is a run of that name.
        CommandError: The results or the data set cannot be read, or they do not match.
    """
    if (config is None) == (documents is None or questions is None):
        raise RagtriageError("the data set is not named", "pass either `config`, or `documents` and `questions`")
    name = name or f"{Path(results).stem}-{secrets.token_hex(4)}"
    if Path(name).name != name:
        raise RagtriageError(f"`{name}` is not the name of a run", "pass a name without folders; `out` is the folder of the runs")
    arguments: list[Path_] = ["import", results]
    for flag, is_on in (("--partial", partial), ("--conditions", conditions)):
        arguments += [flag] if is_on else []
    if config is not None:
        return _started([*arguments, config], out, name, llm, settings)
    if (Path(out) / name).exists():
        raise RagtriageError(f"there is a run `{Path(out) / name}`", "pass another `name`, or none, or remove the folder")
    if isinstance(documents, (str, os.PathLike)):
        raise RagtriageError(
            "`documents` is a path", "pass `config=ragtriage.dataset(questions, folder)`, which writes the questions there"
        )
    folder = Path(out) / f"{name}-data"
    is_new = not folder.exists()
    data = dataset(questions, documents, folder)
    try:
        return _started([*arguments, data], out, name, llm, settings)
    except CommandError:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def run(
    config: Path_,
    *,
    out: Path_ = RUNS,
    name: str | None = None,
    llm: str | None = None,
    resume: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> Run:
    """Runs the configured pipeline over its questions.

    Args:
        config: A :class:`Dataset` or a configuration file.
        out: Folder of the runs.
        name: Name of the run; by default that of the configuration, with random digits.
        llm: Language model that answers: ``ollama:NAME``, ``openai:NAME`` or ``URL#NAME``.
        resume: Ask only the missing and failed questions of the run ``name``.
        settings: Values of settings, such as ``{"retrieval.k": 10}``.

    Raises:
        CommandError: The configuration is invalid, or a service that it names cannot be used.
        RagtriageError: A run without a name is to be resumed.
    """
    if not resume:
        return _started(["run", config], out, name or f"{Path(config).stem}-{secrets.token_hex(4)}", llm, settings)
    if name is None:
        raise RagtriageError("the run to resume is not named", "pass its `name`")
    return _started(["run", config], out, name, llm, settings, flag="--resume")


def _started(
    arguments: Sequence[Path_], out: Path_, name: str, llm: str | None, settings: Mapping[str, Any] | None, flag: str = "--name"
) -> Run:
    overrides = [] if llm is None else ["--llm", llm]
    for key, value in (settings or {}).items():
        # A TOML value: strings, numbers, booleans and lists of them are written as in JSON.
        text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        overrides += ["--set", f"{key}={text}"]
    _binary.run([*arguments, *overrides, "--out", out, flag, name, "--json"])
    return Run(Path(out) / name)
