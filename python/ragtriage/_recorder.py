"""Writes the record of a RAG that runs in Python: the file that ``ragtriage import`` reads."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from operator import index
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, get_args

from ._dataset import Dataset
from ._hits import hits as as_hits
from ._record_file import RecordFile
from ._tables import finite, read
from .errors import RecordError

Role = Literal["retriever", "ranking", "packed"]

KNOWN_STAGES = (
    *("bm25", "dense", "tfidf", "late_interaction", "collection", "external"),
    *("fused", "reranked", "min_score", "ordered"),
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
        RecordError: The file cannot be written, is not a record, or is open in another recorder.
    """

    def __init__(self, path: str | os.PathLike[str], *, resume: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._file = RecordFile(self.path, resume=resume)
        self._ids = self._file.ids
        self._has_warned = False

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
            if self._file.is_closed:
                raise RecordError(f"the record `{self.path}` is closed", "ask the question within its `with` block")
            if key in self._ids:
                raise RecordError(f"duplicate question `{key}`", "record each question once")
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
        with self._lock:
            if self._file.is_closed:
                raise RecordError(f"question `{key}` ended after `{self.path}` was closed", "end all questions before the record")
            try:
                self._file.append(line)
            except OSError as error:
                self._ids.discard(key)
                raise RecordError(f"cannot write `{self.path}`: {error.strerror}", "free some space and ask the question again") from error
            except (TypeError, ValueError) as error:
                self._ids.discard(key)
                raise RecordError(f"question `{key}` cannot be written as JSON: {error}", "record texts and finite numbers") from error

    def _warn_without_passages(self, key: str) -> None:
        with self._lock:
            warned, self._has_warned = self._has_warned, True
        if not warned:
            warnings.warn(
                f"no passages were recorded for question `{key}`, and a question without passages cannot be diagnosed: call `stage`, with an "
                "empty list if nothing was retrieved. LangChain and LlamaIndex report their own retrievers only, such as "
                "`vectorstore.as_retriever()`, not a function that searches",
                stacklevel=2,
            )

    def _forget(self, key: str) -> None:
        with self._lock:
            self._ids.discard(key)


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
            role: ``retriever`` finds candidates, ``ranking`` fuses, reranks or filters them, ``packed`` puts them into the prompt.
            query: The query, where it is not the question.
            k: For ``packed``: the number of passages that the prompt was to take.
            seconds: The time that it took.

        Raises:
            RecordError: A passage has no text, the role of the stage is not known, ``k`` is below the number of passages, or the
                question has ended.
        """
        stage: dict[str, Any] = {"hits": as_hits(hits)}
        problem = _stage_problem(name, role, query, seconds, k, len(stage["hits"]))
        if problem is not None:
            raise RecordError(f"stage `{name}`: {problem}", f"names that need no role: {', '.join(KNOWN_STAGES)}")
        optional = {"role": role, "query": query, "k": k, "seconds": seconds}
        stage.update({key: value for key, value in optional.items() if value is not None})
        self._check_open()
        self._stages.setdefault(name, []).append(stage)

    def prompt(self, text: str) -> None:
        """Records the whole prompt; it shows which passages reached the generator."""
        self._set("prompt", text)

    def answer(self, text: str | None) -> None:
        """Records the answer; ``None`` if there was none.

        Raises:
            RecordError: The question has an answer.
        """
        self._check_open()
        if "error" in self._line:
            raise RecordError(f"question `{self._key}` has an error and an answer", "record one of them")
        if self.has_answer:
            raise RecordError(f"question `{self._key}` has two answers", "record one of them")
        if text is not None and not isinstance(text, str):
            raise RecordError(f"the answer to `{self._key}` is of type {type(text).__name__}", "pass the text of the answer")
        self._line["answer"] = text

    @property
    def has_answer(self) -> bool:
        """True if an answer was recorded."""
        return "answer" in self._line

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
            if value is not None:
                self._usage[name] = self._usage.get(name, 0) + _amount(name, value, as_count=name != "cost_usd")
        for name, text in (("model", model), ("finish_reason", finish_reason)):
            if text is not None:
                self._usage[name] = _text(name, text)

    def seconds(self, seconds: float) -> None:
        """Records the time of the whole question, in place of that of its ``with`` block."""
        self._check_open()
        self._usage["seconds"] = _amount("seconds", seconds)

    def error(self, message: str) -> None:
        """Records that the question failed, in place of an answer. It then counts as failed, not as wrong."""
        self._set("error", message if message else "unknown error")
        self._line.pop("answer", None)

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
        if error is not None and (isinstance(error, RecordError) or not isinstance(error, Exception)):
            # An interrupt, or a mistake in recording: the question is asked again when the record is resumed.
            self._is_open = False
            self._recorder._forget(self._key)
            return
        if not self._is_open:
            return
        if error is not None and "error" not in self._line:
            self.error(named(error))
        self.end()

    def _set(self, name: str, value: str) -> None:
        self._check_open()
        if name in self._line:
            raise RecordError(f"question `{self._key}` has two values of `{name}`", "record it once")
        self._line[name] = _text(name, value)

    def _check_open(self) -> None:
        if not self._is_open:
            raise RecordError(f"question `{self._key}` has ended", "record it within its `with` block")


def named(error: BaseException) -> str:
    """Returns the type and message of an exception, whose own text may fail."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 (any failure of `__str__`)
        return type(error).__name__


def _stage_problem(name: str, role: Role | None, query: str | None, seconds: float | None, k: int | None, n: int) -> str | None:
    if not name.strip():
        return "the name is empty"
    if role is None and name not in KNOWN_STAGES:
        return 'pass `role="retriever"` (finds candidates), `"ranking"` (fuses, reranks or filters them) or `"packed"` (fills the prompt)'
    if role is not None and role not in get_args(Role):
        return f"the role is {role!r}, not one of {', '.join(get_args(Role))}"
    if query is not None and not isinstance(query, str):
        return "the query is not a text"
    if seconds is not None and not seconds >= 0:
        return f"{seconds} seconds"
    if k is not None and "packed" not in (name, role):
        return "k is that of the stage `packed`"
    if k is not None and k < n:
        return f"k is {k}, but it has {n} passages"
    return None


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise RecordError(f"`{name}` is of type {type(value).__name__}", "pass a text")


def _amount(name: str, value: Any, *, as_count: bool = False) -> Any:
    """Returns a number of 0 or more as one of Python: numpy has its own."""
    number = finite(value, index if as_count else float)
    if number is None or number < 0:
        raise RecordError(f"`{name}` is {value!r}", f"pass a {'whole ' if as_count else ''}number of 0 or more")
    return number


Questions = Iterable["tuple[str, str] | Mapping[str, Any]"]


def record(
    rag: Callable[[str, Question], str | None],
    questions: Dataset | str | os.PathLike[str] | Questions,
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
        questions: A :class:`Dataset`, a ``questions.jsonl``, pairs ``(id, text)``, or mappings with ``id`` and ``text``.
        out: The record to write.
        workers: Number of threads.
        resume: Keep the questions that ``out`` has, those that failed as well.

    Returns:
        ``out``, to pass to :func:`ragtriage.diagnose`.

    Raises:
        RecordError: ``rag`` recorded what a record cannot have. Its question is asked again by ``resume=True``.
    """
    if isinstance(questions, (str, os.PathLike)) and Path(questions).resolve() == Path(out).resolve():
        raise RecordError(f"`{out}` holds the questions", "write the record to another file")
    todo = [_id_and_text(question) for question in (questions.questions if isinstance(questions, Dataset) else read(questions))]
    failures: list[str] = []

    def ask(recorder: Recorder, id: str, text: str) -> None:  # noqa: A002
        with recorder.question(id) as question:
            try:
                answer = rag(text, question)
            except RecordError:
                raise
            except Exception as error:  # noqa: BLE001 (any failure is the question's)
                failures.append(named(error))
                if "error" not in question._line:
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


def _id_and_text(question: tuple[str, str] | Mapping[str, Any]) -> tuple[str, str]:
    match question:
        case {"id": str(id), "text": str(text)} | (str(id), str(text)):  # noqa: A001
            return id, text
    raise RecordError(f"not a question: {question!r:.80}", "pass `(id, text)` or a mapping with `id` and `text`")
