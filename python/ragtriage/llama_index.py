"""Records LlamaIndex: retrievers, postprocessors, prompts and answers, without a change to the query engine.

::

    with Recorder("record.jsonl") as recorder, recording(recorder):
        for text in texts:
            query_engine.query(text)

Needs ``llama-index-core`` (``pip install "ragtriage[llama-index]"``).
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import llama_index.core.instrumentation as instrumentation
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatStartEvent, LLMCompletionStartEvent
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler

from ._recorder import Question, Recorder
from .errors import RecordError

_QUERY = ("query", "aquery")
_RETRIEVE = ("retrieve", "aretrieve")
_POSTPROCESS = ("_postprocess_nodes", "_apostprocess_nodes")


class _Root:
    """A query that is outermost, so a question."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.outer: set[str] = set()
        self.prompts: list[str] = []


_reading: ContextVar[_Root | None] = ContextVar("ragtriage_reading", default=None)
"""The question whose stream is being read: its model is called then, outside the spans of its query."""


class _State:
    """The open spans by id, and what is wrong: LlamaIndex drops the exceptions of handlers."""

    def __init__(self, recorder: Recorder, ids: Mapping[str, str]) -> None:
        self.recorder = recorder
        self.ids = ids
        self.lock = threading.Lock()
        self.parents: dict[str, str | None] = {}
        self.roots: dict[str, _Root] = {}
        self.error: Exception | None = None

    def ancestors(self, span: str) -> list[str]:
        found = []
        with self.lock:
            parent = self.parents.get(span)
            while parent is not None:
                found.append(parent)
                parent = self.parents.get(parent)
        return found

    def root(self, span: str | None) -> _Root | None:
        if span is None:
            return None
        with self.lock:
            while span not in self.roots:
                parent = self.parents.get(span)
                if parent is None:
                    return None
                span = parent
            return self.roots[span]

    def is_inner(self, span: str | None) -> bool:
        """True for a call that writes queries or reranks, so within a retriever or postprocessor."""
        return span is not None and any(_method(above) in _RETRIEVE + _POSTPROCESS for above in [span, *self.ancestors(span)])

    def enter(self, span: str, parent: str | None, arguments: Mapping[str, Any]) -> None:
        with self.lock:
            self.parents[span] = parent
        method = _method(span)
        if method in _QUERY + _RETRIEVE and self.root(parent) is None:
            text = _text(arguments.get("str_or_query_bundle"))
            root = _Root(self.recorder.question(self.ids.get(text), text))
            with self.lock:
                self.roots[span] = root
        if method in _RETRIEVE:
            found = self.root(span)
            if found is not None:
                found.outer.update(above for above in self.ancestors(span) if _method(above) in _RETRIEVE)

    def leave(self, span: str, result: Any) -> None:
        root = self.root(span)
        method = _method(span)
        if root is not None and method in _RETRIEVE:
            root.question.stage(_class(span), result, role="ranking" if span in root.outer else "retriever")
        if root is not None and method in _POSTPROCESS:
            root.question.stage(_class(span), result, role="ranking")
        with self.lock:
            is_root = span in self.roots
        if root is None or not is_root:
            return
        if isinstance(result, StreamingResponse):
            result.response_gen = self.followed(result.response_gen, span, root)
        elif isinstance(result, AsyncStreamingResponse):
            result.response_gen = self.afollowed(result.response_gen, span, root)
        else:
            self.end(span, None if method in _RETRIEVE else str(result))

    def followed(self, stream: Iterable[str], span: str, root: _Root) -> Generator[str, None, None]:
        """Passes a stream on, and ends its question when it has been read."""
        parts, rest = [], iter(stream)
        while True:
            token = _reading.set(root)
            try:
                part = next(rest)
            except StopIteration:
                break
            except BaseException as error:
                with _noted(self):
                    self.fail(span, error)
                raise
            finally:
                _reading.reset(token)
            parts.append(part)
            yield part
        with _noted(self):
            self.end(span, "".join(parts))

    async def afollowed(self, stream: AsyncIterable[str], span: str, root: _Root) -> AsyncGenerator[str, None]:
        """Passes a stream on, and ends its question when it has been read."""
        parts, rest = [], aiter(stream)
        while True:
            token = _reading.set(root)
            try:
                part = await anext(rest)
            except StopAsyncIteration:
                break
            except BaseException as error:
                with _noted(self):
                    self.fail(span, error)
                raise
            finally:
                _reading.reset(token)
            parts.append(part)
            yield part
        with _noted(self):
            self.end(span, "".join(parts))

    def end(self, span: str, answer: str | None, error: BaseException | None = None) -> None:
        """Records the question of a span with its answer or error. One that was interrupted is not recorded."""
        with self.lock:
            root = self.roots.pop(span, None)
        if root is None:
            return
        if root.prompts:
            root.question.prompt("\n\n".join(root.prompts))
        if error is not None:
            root.question.error(f"{type(error).__name__}: {error}")
        elif answer is not None:
            root.question.answer(answer)
        root.question.end()

    def fail(self, span: str, error: BaseException | None) -> None:
        if error is None or isinstance(error, Exception):
            self.end(span, None, error or RuntimeError("the call was dropped"))
            return
        with self.lock:
            root = self.roots.pop(span, None)
        if root is not None:
            root.question.__exit__(type(error), error, None)

    def forget(self, span: str) -> None:
        with self.lock:
            self.parents.pop(span, None)

class _Spans(BaseSpanHandler[BaseSpan]):
    state: Any = None

    def new_span(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any | None = None,
        parent_span_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **_: Any,
    ) -> BaseSpan:
        with _noted(self.state):
            self.state.enter(id_, parent_span_id, bound_args.arguments)
        return BaseSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(
        self, id_: str, bound_args: inspect.BoundArguments, instance: Any | None = None, result: Any | None = None, **_: Any
    ) -> BaseSpan | None:
        with _noted(self.state):
            self.state.leave(id_, result)
            self.state.forget(id_)
        return self.open_spans.get(id_)

    def prepare_to_drop_span(
        self, id_: str, bound_args: inspect.BoundArguments, instance: Any | None = None, err: BaseException | None = None, **_: Any
    ) -> BaseSpan | None:
        with _noted(self.state):
            self.state.fail(id_, err)
            self.state.forget(id_)
        return self.open_spans.get(id_)


class _Events(BaseEventHandler):
    state: Any = None

    def handle(self, event: BaseEvent, **_: Any) -> None:
        with _noted(self.state):
            root = self.state.root(event.span_id) or _reading.get()
            if root is None or self.state.is_inner(event.span_id):
                return
            if isinstance(event, LLMCompletionStartEvent):
                root.prompts.append(event.prompt)
            if isinstance(event, LLMChatStartEvent):
                root.prompts.append("\n\n".join(message.content or "" for message in event.messages))


@contextmanager
def recording(recorder: Recorder, ids: Mapping[str, str] | None = None) -> Iterator[None]:
    """Records each outermost call of a query engine or retriever in the block as one question.

    A retriever that calls others (a fusion) and a postprocessor (a reranker, a filter) are recorded as orders, the others as
    retrievers. The prompt is that of the calls of the model outside them: several, where the passages do not fit into one.
    A response that is a stream is recorded when it has been read. An interrupted or cancelled question is not recorded, so
    that resuming the file asks it again.

    Args:
        recorder: The record.
        ids: Ids of the data set by the question's text. Without them the results file names questions by their text.

    Raises:
        RecordError: At the end of the block: a question could not be recorded.
    """
    state = _State(recorder, ids or {})
    dispatcher = instrumentation.get_dispatcher()  # type: ignore[attr-defined]
    spans, events = _Spans(), _Events()
    spans.state = events.state = state
    dispatcher.add_span_handler(spans)
    dispatcher.add_event_handler(events)
    try:
        yield
    finally:
        dispatcher.span_handlers.remove(spans)
        dispatcher.event_handlers.remove(events)
        for span, root in list(state.roots.items()):
            state.fail(span, RecordError("the response was not read to its end"))
    if state.error is not None:
        raise state.error


@contextmanager
def _noted(state: _State) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 (raised at the end of the block)
        state.error = state.error or error


def _method(span: str) -> str:
    return span.partition("-")[0].rpartition(".")[2]


def _class(span: str) -> str:
    return span.partition("-")[0].partition(".")[0]


def _text(query: Any) -> str:
    return query if isinstance(query, str) else str(query.query_str)
