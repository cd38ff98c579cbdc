"""Writes the record of a RAG that runs in Python: the file that ``ragtriage import`` reads."""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from ._hits import hits as as_hits
from .errors import RecordError

Role = Literal["retriever", "order", "packed"]

KNOWN_STAGES = (
    *("bm25", "dense", "tfidf", "late_interaction", "collection", "external"),
    *("fused", "reranked", "min_score", "ordered", "expanded"),
    "packed",
)
"""The names whose role is known."""


class Recorder:
    """Writes one line for each question, when the question ends. Threads may share it.

    ::

        with Recorder("record.jsonl") as recorder:
            for id, text in questions:
                with recorder.question(id) as question:
                    found = retriever.invoke(text)
                    question.stage("dense", found)
                    question.answer(chain.invoke(text))

    Args:
        path: The record to write. An existing file is replaced.
        resume: Keep the lines of an existing file, and write after them. A last line that an interrupted process left
            incomplete is removed.

    Raises:
        RecordError: The file cannot be written, or is not a record.
    """

    def __init__(self, path: str | os.PathLike[str], *, resume: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._ids: set[str] = set()
        self._has_warned = False
        try:
            if resume and self.path.exists():
                self._keep_complete_lines()
            self._file = self.path.open("a" if resume else "w", encoding="utf-8")
        except OSError as error:
            raise RecordError(f"cannot write `{self.path}`: {error.strerror}", "check the folder and its permissions") from error

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the questions in the file and of those that are open; texts, where a question has no id."""
        with self._lock:
            return frozenset(self._ids)

    def question(self, id: str | None = None, text: str | None = None) -> Question:  # noqa: A002
        """Begins a question; its ``with`` block ends it.

        An exception in the block is recorded as the question's error, and raised. Several questions may be open at once.

        Args:
            id: The id of the question in the data set.
            text: The text of the question; enough where the id is not known.

        Raises:
            RecordError: The question is in the record, or open.
        """
        key = text if id is None else id
        if key is None:
            raise RecordError("a question needs its id or its text", "pass one of them")
        with self._lock:
            if self._file.closed:
                raise RecordError(f"the record `{self.path}` is closed", "ask the question within its `with` block")
            if key in self._ids:
                raise RecordError(f"duplicate question `{key}`", "record each question once; repeats are one call of `answer`")
            self._ids.add(key)
        line = {name: value for name, value in (("id", id), ("question", text)) if value is not None}
        return Question(self, key, line)

    def close(self) -> None:
        """Closes the file. Questions that are still open can no longer be recorded."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _write(self, key: str, line: Mapping[str, Any]) -> None:
        try:
            text = json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise RecordError(f"question `{key}` cannot be written as JSON: {error}", "record texts and finite numbers") from error
        with self._lock:
            if self._file.closed:
                raise RecordError(f"question `{key}` ended after `{self.path}` was closed", "end all questions before the record")
            self._file.write(text)
            self._file.flush()

    def _warn_without_passages(self, key: str) -> None:
        with self._lock:
            warned, self._has_warned = self._has_warned, True
        if not warned:
            warnings.warn(
                f"no passages were recorded for question `{key}`, and a record without passages cannot be diagnosed: call `stage`, with an "
                "empty list if nothing was retrieved. LangChain and LlamaIndex report their own retrievers only, such as "
                "`vectorstore.as_retriever()`, not a function that searches",
                stacklevel=2,
            )

    def _forget(self, key: str) -> None:
        with self._lock:
            self._ids.discard(key)

    def _keep_complete_lines(self) -> None:
        data = self.path.read_bytes()
        complete = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:complete].splitlines(), 1):
            try:
                known = json.loads(line)
                self._ids.add(known["id"] if "id" in known else known["question"])
            except (ValueError, KeyError, TypeError) as error:
                message = f"`{self.path}`, line {number}: not a question of a record"
                raise RecordError(message, "resume a file that a Recorder wrote, or name another") from error
        if complete < len(data):
            with self.path.open("r+b") as file:
                file.truncate(complete)


class Question:
    """A question that is being recorded. Made by :meth:`Recorder.question`."""

    def __init__(self, recorder: Recorder, key: str, line: dict[str, Any]) -> None:
        self._recorder = recorder
        self._key = key
        self._stages: dict[str, list[dict[str, Any]]] = {}
        self._line = line
        self._usage: dict[str, Any] = {}
        self._started = time.perf_counter()
        self._is_open = True

    def stage(
        self,
        name: str,
        hits: Iterable[Any],
        *,
        role: Role | None = None,
        query: str | None = None,
        k: int | None = None,
        seconds: float | None = None,
    ) -> None:
        """Records the passages that a stage returned, best first. A retriever that is asked several times is recorded each time.

        Args:
            name: ``bm25``, ``dense``, ``reranked``, ``packed`` or a name of your own, which needs a role.
            hits: Texts, mappings, ``(passage, score)``, or documents of LangChain, LlamaIndex or Haystack.
            role: ``retriever`` finds candidates, ``order`` fuses, reranks or filters them, ``packed`` puts them into the prompt.
            query: The query, where it is not the question.
            k: For ``packed``: the number of passages that the prompt was to take.
            seconds: The time that it took.

        Raises:
            RecordError: A passage has no text, the role of the stage is unknown, ``k`` is below the number of passages, or the
                question has ended.
        """
        if role is None and name not in KNOWN_STAGES:
            raise RecordError(
                f"the stage `{name}` has no role",
                'pass `role="retriever"` (finds candidates), `"order"` (fuses, reranks or filters them) or `"packed"` (fills the prompt); '
                f"known without one: {', '.join(KNOWN_STAGES)}",
            )
        stage: dict[str, Any] = {"hits": as_hits(hits)}
        if k is not None and k < len(stage["hits"]):
            raise RecordError(f"the stage `{name}` has {len(stage['hits'])} passages, but k is {k}", "pass the passages of the prompt")
        optional = {"role": role, "query": query, "k": k, "seconds": seconds}
        stage.update({key: value for key, value in optional.items() if value is not None})
        self._check_open()
        self._stages.setdefault(name, []).append(stage)

    def prompt(self, text: str) -> None:
        """Records the whole prompt; it shows which passages reached the generator."""
        self._set("prompt", text)

    def answer(self, text: str | None, *more: str) -> None:
        """Records the answer; ``None`` if there was none. Several answers are repeats of one question.

        Raises:
            RecordError: The question has an answer.
        """
        self._check_open()
        if self.has_answer:
            raise RecordError(f"question `{self._key}` has two answers", "pass repeats in one call: `answer(first, second)`")
        for value in (text, *more):
            if value is not None and not isinstance(value, str):
                raise RecordError(f"the answer to `{self._key}` is of type {type(value).__name__}", "pass the text of the answer")
        if more:
            self._line["answers"] = [text, *more]
        else:
            self._line["answer"] = text

    @property
    def has_answer(self) -> bool:
        """True if an answer was recorded."""
        return "answer" in self._line or "answers" in self._line

    def usage(
        self,
        *,
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
        cost_usd: float | None = None,
        model: str | None = None,
        finish_reason: str | None = None,
    ) -> None:
        """Records what the answer took. Counts and costs of several calls add up."""
        self._check_open()
        for name, value in (("prompt_tokens", prompt_tokens), ("completion_tokens", completion_tokens), ("cost_usd", cost_usd)):
            if value is None:
                continue
            if not isinstance(value, (int, float)):
                raise RecordError(f"`{name}` is of type {type(value).__name__}", "pass a number")
            self._usage[name] = self._usage.get(name, 0) + value
        for name, text in (("model", model), ("finish_reason", finish_reason)):
            if text is not None:
                self._usage[name] = text

    def seconds(self, seconds: float) -> None:
        """Records the time of the whole question, in place of that of its ``with`` block."""
        self._check_open()
        self._usage["seconds"] = seconds

    def error(self, message: str) -> None:
        """Records that the question failed, in place of an answer. It then counts as failed, not as wrong."""
        self._set("error", message)
        self._line.pop("answer", None)
        self._line.pop("answers", None)

    def end(self) -> None:
        """Writes the question. The ``with`` block calls it.

        Raises:
            RecordError: Nothing was recorded for the question, or the record is closed.
        """
        self._check_open()
        self._is_open = False
        if not self._stages and self._line.keys() <= {"id", "question"}:
            self._recorder._forget(self._key)
            raise RecordError(f"nothing was recorded for question `{self._key}`", "record its stages and answer, or its error")
        if not self._stages and self.has_answer:
            self._recorder._warn_without_passages(self._key)
        if self._stages:
            self._line["stages"] = {name: found[0] if len(found) == 1 else found for name, found in self._stages.items()}
        if "error" not in self._line:
            self._usage.setdefault("seconds", time.perf_counter() - self._started)
        if self._usage:
            self._line["usage"] = self._usage
        self._recorder._write(self._key, self._line)

    def __enter__(self) -> Question:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not isinstance(error, Exception):
            # An interrupt: the question is asked again when the record is resumed.
            self._is_open = False
            self._recorder._forget(self._key)
            return
        if not self._is_open:
            return
        if error is not None and "error" not in self._line:
            self.error(f"{type(error).__name__}: {error}")
        self.end()

    def _set(self, name: str, value: str) -> None:
        self._check_open()
        if name in self._line:
            raise RecordError(f"question `{self._key}` has two values of `{name}`", "record it once")
        self._line[name] = value

    def _check_open(self) -> None:
        if not self._is_open:
            raise RecordError(f"question `{self._key}` has ended", "record it within its `with` block")


Questions = Iterable["tuple[str, str] | Mapping[str, Any]"]


def record(
    rag: Callable[[str, Question], str | None],
    questions: str | os.PathLike[str] | Questions,
    out: str | os.PathLike[str],
    *,
    workers: int = 1,
    resume: bool = False,
) -> Path:
    """Asks a RAG every question and records it.

    An exception of ``rag`` is recorded as the error of its question, and a warning says at the end how many failed. An interrupt
    keeps the questions that have ended; call again with ``resume=True`` to ask the others.

    Args:
        rag: Called with the text of a question and the :class:`Question` to record stages in; returns the answer.
        questions: ``questions.jsonl`` of a data set, pairs ``(id, text)``, or mappings with ``id`` and ``text``.
        out: The record to write.
        workers: Number of threads.
        resume: Keep the questions that ``out`` has, those that failed as well.

    Returns:
        ``out``, to pass to :func:`ragtriage.diagnose`.
    """
    todo = [_id_and_text(question) for question in read(questions)]
    failures: list[str] = []

    def ask(recorder: Recorder, id: str, text: str) -> None:  # noqa: A002
        with recorder.question(id) as question:
            try:
                answer = rag(text, question)
            except Exception as error:  # noqa: BLE001 (any failure is the question's)
                failures.append(f"{type(error).__name__}: {error}")
                question.error(failures[-1])
            else:
                if answer is not None or not question.has_answer:
                    question.answer(answer)

    with Recorder(out, resume=resume) as recorder:
        todo = [(id, text) for id, text in todo if id not in recorder.ids]
        if workers <= 1:
            for id, text in todo:  # noqa: A001
                ask(recorder, id, text)
        else:
            with ThreadPoolExecutor(workers) as pool:
                asked = [pool.submit(ask, recorder, id, text) for id, text in todo]
                try:
                    for done in as_completed(asked):
                        done.result()
                except BaseException:
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise
    if failures:
        warnings.warn(f"{len(failures)} of {len(todo)} questions failed, for example with {failures[0]}", stacklevel=2)
    return Path(out)


def read(questions: str | os.PathLike[str] | Questions) -> Questions:
    """Returns questions, from the file that holds them if it is named."""
    if not isinstance(questions, (str, os.PathLike)):
        return questions
    path = Path(questions)
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot read questions from `{path}`: {error}", "name a file of JSON lines with `id` and `text`") from error


def _id_and_text(question: tuple[str, str] | Mapping[str, Any]) -> tuple[str, str]:
    match question:
        case {"id": str(id), "text": str(text)} | (str(id), str(text)):  # noqa: A001
            return id, text
    raise RecordError(f"not a question: {question!r:.80}", "pass `(id, text)` or a mapping with `id` and `text`")
