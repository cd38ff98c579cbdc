"""The LangChain handler, with real chains over an in-memory store and scripted models."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel, FakeListLLM
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

import ragtriage
from ragtriage import Recorder
from ragtriage.langchain import RecordingHandler

PROMPT = ChatPromptTemplate.from_template("Answer {question} from {context}")


def retriever(k: int = 2, name: str | None = None) -> BaseRetriever:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document(page_content=f"text {n}", metadata={"source": f"d{n}"}) for n in range(5)])
    return store.as_retriever(search_kwargs={"k": k}, name=name)


def chain(found: Runnable[str, list[Document]], model: Any = None) -> Runnable[Any, Any]:
    context = found | (lambda documents: "\n".join(document.page_content for document in documents))
    return {"context": context, "question": RunnablePassthrough()} | PROMPT | (model or FakeListChatModel(responses=["six"])) | StrOutputParser()


class Down(FakeListChatModel):
    def _call(self, *arguments: Any, **options: Any) -> str:
        raise RuntimeError("the model is down")


class Interrupted(FakeListChatModel):
    def _call(self, *arguments: Any, **options: Any) -> str:
        raise KeyboardInterrupt


class Cut(FakeListChatModel):
    def _stream(self, *arguments: Any, **options: Any) -> Any:
        yield ChatGenerationChunk(message=AIMessageChunk(content="s"))
        raise RuntimeError("the connection was cut")


class Reporting(FakeListChatModel):
    """Says of its reply what real providers say."""

    metadata_: dict[str, str]
    info: dict[str, str]

    def _generate(self, *arguments: Any, **options: Any) -> ChatResult:
        message = AIMessage(content="six", response_metadata=self.metadata_)
        return ChatResult(generations=[ChatGeneration(message=message, generation_info=self.info)])


class Rewriting(BaseRetriever):
    """Asks a model for the query."""

    inner: BaseRetriever

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        config: Any = {"callbacks": run_manager.get_child()}
        rewritten = FakeListChatModel(responses=["b?"]).invoke(f"Rewrite {query}", config=config)
        return self.inner.invoke(str(rewritten.text), config=config)


class Outer(BaseRetriever):
    """Asks retrievers and keeps the first passage of each."""

    inner: list[BaseRetriever]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        found = [inner.invoke(query, config={"callbacks": run_manager.get_child()}) for inner in self.inner]
        return [documents[0] for documents in found]


def recorded(record: Path) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return {line["question"]: line for line in lines}


def test_a_chain_is_recorded_with_stage_prompt_and_answer(record: Path) -> None:
    with Recorder(record) as recorder:
        assert chain(retriever()).invoke("a?", config={"callbacks": [RecordingHandler(recorder, ids={"a?": "q1"})]}) == "six"
    line = recorded(record)["a?"]
    assert (line["id"], line["answer"]) == ("q1", "six")
    (stage,) = line["stages"].values()
    assert stage["role"] == "retriever"
    texts = [hit["text"] for hit in stage["hits"]]
    assert line["prompt"] == f"Answer a? from {texts[0]}\n{texts[1]}"
    assert [hit["doc_id"] for hit in stage["hits"]] == [text.replace("text ", "d") for text in texts]
    assert line["usage"]["seconds"] > 0


@pytest.mark.parametrize("way", ["batch", "abatch", "stream", "astream"])
def test_every_way_to_call_a_chain_is_recorded(record: Path, way: str) -> None:
    texts = [f"t{n}?" for n in range(5)]
    with Recorder(record) as recorder:
        config: Any = {"callbacks": [RecordingHandler(recorder)]}
        asked = chain(retriever())

        async def astream() -> None:
            for text in texts:
                _ = [part async for part in asked.astream(text, config=config)]

        if way == "batch":
            asked.batch(texts, config=config)
        elif way == "abatch":
            asyncio.run(asked.abatch(texts, config=config))
        elif way == "stream":
            for text in texts:
                assert "".join(asked.stream(text, config=config)) == "six"
        else:
            asyncio.run(astream())
    lines = recorded(record)
    assert sorted(lines) == texts
    for text, line in lines.items():
        assert line["answer"] == "six"
        assert line["prompt"].startswith(f"Answer {text} from ")
        assert len(line["stages"]) == 1


def test_a_completion_model_and_a_dictionary_are_recorded(record: Path) -> None:
    asked = {"answer": chain(retriever(), FakeListLLM(responses=["six"])), "used": retriever()}
    with Recorder(record) as recorder:
        Runnable.__or__(RunnablePassthrough(), asked).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    assert recorded(record)["a?"]["answer"] == "six"


@pytest.mark.parametrize(
    "asked",
    [{"role": "user", "content": "a?"}, ("human", "a?"), HumanMessage("a?")],
)
def test_an_agents_messages_are_question_and_answer(record: Path, asked: Any) -> None:
    """As ``create_agent`` is called, and what it returns."""

    def agent(given: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {"messages": [*given["messages"], AIMessage("six"), ToolMessage("done", tool_call_id="1")]}

    with Recorder(record) as recorder, pytest.warns(UserWarning, match="no passages"):
        messages = [SystemMessage("Be brief."), asked]
        RunnableLambda(agent).invoke({"messages": messages}, config={"callbacks": [RecordingHandler(recorder)]})
    assert recorded(record)["a?"]["answer"] == "six"


@pytest.mark.parametrize(
    ("message", "generation"),
    [
        ({"finish_reason": "length", "model_name": "m"}, {}),
        ({"stop_reason": "max_tokens", "model": "m"}, {}),
        ({"model": "m"}, {"done_reason": "length"}),
    ],
)
def test_why_a_reply_ended_and_its_model_are_recorded(record: Path, message: dict[str, str], generation: dict[str, str]) -> None:
    with Recorder(record) as recorder:
        model = Reporting(responses=["six"], metadata_=message, info=generation)
        chain(retriever(), model).invoke("how long?", config={"callbacks": [RecordingHandler(recorder)]})
    (line,) = recorded(record).values()
    assert line["usage"]["model"] == "m"
    assert line["usage"]["finish_reason"] in {"length", "max_tokens"}


def test_a_retriever_that_asks_others_is_an_order(record: Path) -> None:
    inner, other = retriever(3), retriever(1)
    with Recorder(record) as recorder:
        Outer(inner=[inner, other]).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    stages = recorded(record)["a?"]["stages"]
    assert stages["Outer"]["role"] == "ranking"
    assert [(stage["role"], len(stage["hits"])) for stage in stages["VectorStoreRetriever"]] == [("retriever", 3), ("retriever", 1)]


def test_a_failure_is_the_questions_error(record: Path) -> None:
    with Recorder(record) as recorder, pytest.raises(RuntimeError):
        chain(retriever(), Down(responses=["x"])).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    line = recorded(record)["a?"]
    assert line["error"] == "RuntimeError: the model is down"
    assert "answer" not in line and "stages" in line


def test_an_interrupted_question_is_left_for_a_resumed_record(record: Path) -> None:
    with Recorder(record) as recorder, pytest.raises(KeyboardInterrupt):
        chain(retriever(), Interrupted(responses=["x"])).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    assert recorded(record) == {}


@pytest.mark.parametrize("parts", [1, 3])
def test_a_stream_that_is_not_read_to_its_end_has_no_answer(record: Path, parts: int) -> None:
    with Recorder(record) as recorder:
        stream = chain(retriever(), FakeListChatModel(responses=["six hours"])).stream("a?", config={"callbacks": [RecordingHandler(recorder)]})
        for _ in range(parts):
            next(stream)
        stream.close()  # type: ignore[attr-defined]
    line = recorded(record)["a?"]
    assert line["error"] == "the response was not read to its end"
    assert "answer" not in line and "stages" in line


def test_a_stream_that_fails_has_its_models_error(record: Path) -> None:
    with Recorder(record) as recorder, pytest.raises(RuntimeError):
        list(chain(retriever(), Cut(responses=["six"])).stream("a?", config={"callbacks": [RecordingHandler(recorder)]}))
    line = recorded(record)["a?"]
    assert line["error"] == "RuntimeError: the connection was cut"
    assert "answer" not in line


def test_a_retriever_alone_is_recorded_without_prompt_and_answer(record: Path) -> None:
    with Recorder(record) as recorder:
        found = retriever().invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    line = recorded(record)["a?"]
    assert [hit["text"] for hit in line["stages"]["VectorStoreRetriever"]["hits"]] == [document.page_content for document in found]
    assert not {"prompt", "answer", "error"} & line.keys()


def test_a_model_that_writes_queries_is_not_the_generator(record: Path) -> None:
    with Recorder(record) as recorder:
        Rewriting(inner=retriever()).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    line = recorded(record)["a?"]
    assert {name: stage["role"] for name, stage in line["stages"].items()} == {"Rewriting": "ranking", "VectorStoreRetriever": "retriever"}
    assert not {"prompt", "answer"} & line.keys()


def test_threads_share_a_handler(record: Path) -> None:
    texts = [f"t{n}?" for n in range(8)]
    with Recorder(record) as recorder, ThreadPoolExecutor(8) as pool:
        config: Any = {"callbacks": [RecordingHandler(recorder)]}
        asked = chain(retriever())
        list(pool.map(lambda text: asked.invoke(text, config=config), texts))
    lines = recorded(record)
    assert sorted(lines) == texts
    for text, line in lines.items():
        hits = [hit["text"] for hit in line["stages"]["VectorStoreRetriever"]["hits"]]
        assert line["prompt"] == f"Answer {text} from {hits[0]}\n{hits[1]}"


def test_two_retrievers_in_a_chain_have_their_names(record: Path) -> None:
    found = Outer(inner=[retriever(3, "dense"), retriever(2, "bm25")])
    with Recorder(record) as recorder:
        chain(found).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    line = recorded(record)["a?"]
    assert {name: (stage["role"], len(stage["hits"])) for name, stage in line["stages"].items()} == {
        "dense": ("retriever", 3),
        "bm25": ("retriever", 2),
        "Outer": ("ranking", 2),
    }
    order = [hit["text"] for hit in line["stages"]["Outer"]["hits"]]
    assert line["prompt"] == f"Answer a? from {order[0]}\n{order[1]}"


def test_an_input_without_a_question_is_an_error(record: Path) -> None:
    asked = RunnablePassthrough() | (lambda given: given)
    with Recorder(record) as recorder, pytest.raises(ragtriage.RecordError, match="no question in the input") as raised:
        asked.invoke({"x": 1, "y": 2}, config={"callbacks": [RecordingHandler(recorder)]})
    assert raised.value.hint is not None
    assert raised.value.hint.startswith("call it with a text, or under one of the keys `question`, `input`")
    assert recorded(record) == {}
