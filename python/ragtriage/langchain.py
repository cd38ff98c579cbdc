"""Records LangChain: retrievers, prompts, answers and token counts, without a change to the chain.

::

    with Recorder("record.jsonl") as recorder:
        chain.batch(texts, config={"callbacks": [RecordingHandler(recorder)]})

Needs ``langchain-core`` (``pip install "ragtriage[langchain]"``).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.outputs import LLMResult

from ._recorder import Recorder, Role
from .errors import RecordError

_QUESTION_KEYS = ("question", "input", "query", "user_input", "messages")
_ANSWER_KEYS = ("answer", "result", "output", "response", "text", "messages")


class _Root:
    """An outermost chain or retriever, so a question. Its text may be known only at its end: a stream's input is."""

    def __init__(self, text: str | None) -> None:
        self.text = text
        self.started = time.perf_counter()
        self.retrievers: dict[UUID, str] = {}
        self.outer: set[UUID] = set()
        self.models: set[UUID] = set()
        self.stages: list[tuple[str, Sequence[Document], Role]] = []
        self.usages: list[dict[str, Any]] = []
        self.prompt: str | None = None
        self.response: str | None = None


class RecordingHandler(BaseCallbackHandler):
    """Records each outermost call of a chain or retriever as one question. Chains may run concurrently.

    A retriever that calls others (an ensemble, a compressor) is recorded as a ranking, those that it calls as retrievers.
    The question is the chain's input, or the key ``question``, ``input``, ``query``, ``user_input`` or ``messages`` of it: of
    several messages, the last one of a person. The prompt is that of the last call of a model outside retrievers. The answer is
    the chain's output, or the key ``answer``, ``result``, ``output``, ``response``, ``text`` or ``messages`` of it; else the text
    of that call. A stream that is not read to its end is
    the error of its question. An interrupted or cancelled question is not recorded, so that resuming the file asks it again.

    Args:
        recorder: The record.
        ids: Ids of the data set by the question's text. Without them the results file names questions by their text.
    """

    raise_error = True

    def __init__(self, recorder: Recorder, ids: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._recorder = recorder
        self._ids = ids or {}
        self._lock = threading.Lock()
        self._parents: dict[UUID, UUID | None] = {}
        self._roots: dict[UUID, _Root] = {}

    def on_chain_start(
        self, serialized: dict[str, Any] | None, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """Begins a question if the chain is outermost."""
        self._start(run_id, parent_run_id, _question_of(inputs))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, inputs: Any = None, **_: Any) -> None:
        """Records the question of an outermost chain."""
        root = self._end(run_id)
        if root is not None:
            root.text = root.text or _question_of(inputs)
            answer = _answer_of(outputs)
            unread = "the response was not read to its end" if root.models else None
            self._record(root, root.response if answer is None else answer, unread)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, inputs: Any = None, **_: Any) -> None:
        """Records an outermost chain's error."""
        self._fail(run_id, error, inputs)

    def on_retriever_start(
        self,
        serialized: dict[str, Any] | None,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """Begins a stage."""
        self._start(run_id, parent_run_id, query)
        root = self._root(run_id)
        if root is not None:
            root.retrievers[run_id] = name or (serialized or {}).get("name") or "retriever"
            root.outer.update(ancestor for ancestor in self._ancestors(run_id) if ancestor in root.retrievers)

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:
        """Records a stage."""
        root = self._root(run_id)
        if root is not None:
            root.stages.append((root.retrievers[run_id], documents, "ranking" if run_id in root.outer else "retriever"))
        ended = self._end(run_id)
        if ended is not None:
            self._record(ended, None)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Records an outermost retriever's error."""
        self._fail(run_id, error)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        """Notes the prompt."""
        self._prompt(run_id, parent_run_id, "\n\n".join(str(message.text) for message in messages[0]))

    def on_llm_start(
        self, serialized: dict[str, Any] | None, prompts: list[str], *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """Notes the prompt."""
        self._prompt(run_id, parent_run_id, prompts[0])

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Notes the answer and adds up tokens."""
        root, inner = self._root(run_id), self._is_in_retriever(run_id)
        self._end(run_id)
        if root is None:
            return
        root.models.discard(run_id)
        generation = response.generations[0][0]
        message = getattr(generation, "message", None)
        counts = getattr(message, "usage_metadata", None) or {}
        usage = {"prompt_tokens": counts.get("input_tokens"), "completion_tokens": counts.get("output_tokens")}
        if not inner:
            root.response = generation.text
            facts = {**(response.llm_output or {}), **(generation.generation_info or {}), **(getattr(message, "response_metadata", None) or {})}
            usage["model"] = _named(facts, "model_name", "model")
            usage["finish_reason"] = _named(facts, "finish_reason", "stop_reason", "done_reason")
        root.usages.append(usage)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Forgets the call; its chain reports the error."""
        root = self._root(run_id)
        if root is not None:
            root.models.discard(run_id)
        self._end(run_id)

    def on_tool_start(
        self, serialized: dict[str, Any] | None, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """Notes the call, so that what it calls belongs to its chain."""
        if parent_run_id is not None:
            self._start(run_id, parent_run_id, None)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """Forgets the call."""
        self._end(run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Forgets the call; its chain reports the error."""
        self._end(run_id)

    def _start(self, run_id: UUID, parent: UUID | None, text: str | None) -> None:
        with self._lock:
            self._parents[run_id] = parent
            if parent is None:
                self._roots[run_id] = _Root(text)

    def _prompt(self, run_id: UUID, parent: UUID | None, prompt: str) -> None:
        self._start(run_id, parent, None)
        root = self._root(run_id)
        if root is not None and not self._is_in_retriever(run_id):
            root.models.add(run_id)
            root.prompt = prompt

    def _is_in_retriever(self, run_id: UUID) -> bool:
        """True for a call that writes queries or reranks."""
        root = self._root(run_id)
        return root is not None and any(ancestor in root.retrievers for ancestor in self._ancestors(run_id))

    def _ancestors(self, run_id: UUID) -> list[UUID]:
        found = []
        with self._lock:
            parent = self._parents.get(run_id)
            while parent is not None:
                found.append(parent)
                parent = self._parents.get(parent)
        return found

    def _root(self, run_id: UUID) -> _Root | None:
        outermost = (self._ancestors(run_id) or [run_id])[-1]
        with self._lock:
            return self._roots.get(outermost)

    def _end(self, run_id: UUID) -> _Root | None:
        """Forgets a call; returns the question if it was outermost."""
        with self._lock:
            self._parents.pop(run_id, None)
            return self._roots.pop(run_id, None)

    def _fail(self, run_id: UUID, error: BaseException, inputs: Any = None) -> None:
        root = self._end(run_id)
        if root is not None and isinstance(error, Exception):
            root.text = root.text or _question_of(inputs)
            self._record(root, None, f"{type(error).__name__}: {error}")

    def _record(self, root: _Root, answer: str | None, error: str | None = None) -> None:
        if root.text is None:
            keys = ", ".join(f"`{key}`" for key in _QUESTION_KEYS)
            raise RecordError("no question in the input of the chain", f"call it with a text, or under one of the keys {keys}")
        with self._recorder.question(self._ids.get(root.text), root.text) as question:
            for name, documents, role in root.stages:
                question.stage(name, documents, role=role)
            for usage in root.usages:
                question.usage(**usage)
            question.seconds(time.perf_counter() - root.started)
            if root.prompt is not None:
                question.prompt(root.prompt)
            if error is not None:
                question.error(error)
            elif answer is not None:
                question.answer(answer)


def _named(facts: Mapping[str, Any], *names: str) -> str | None:
    """Returns the first text under one of the names; providers differ in them."""
    return next((facts[name] for name in names if isinstance(facts.get(name), str)), None)


def _question_of(inputs: Any) -> str | None:
    if isinstance(inputs, Mapping):
        named = next((inputs[key] for key in _QUESTION_KEYS if key in inputs), None)
        inputs = named if named is not None else next(iter(inputs.values()), None) if len(inputs) == 1 else None
    return _text_of(inputs, "human") or None


def _answer_of(outputs: Any) -> str | None:
    if isinstance(outputs, Mapping):
        outputs = next((outputs[key] for key in _ANSWER_KEYS if key in outputs), None)
    return _text_of(outputs, "ai")


def _text_of(value: Any, author: str) -> str | None:
    """Returns a text, that of a message, or that of the last message of ``author``."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        try:
            messages = convert_to_messages(value)
        except (NotImplementedError, TypeError, ValueError):
            return None
        value = next((message for message in reversed(messages) if message.type == author), None)
    if isinstance(value, BaseMessage):
        return str(value.text)
    return value if isinstance(value, str) else None
