"""The LangChain handler, with real chains over an in-memory store and scripted models."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel, FakeListLLM
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

import ragtriage
from ragtriage import Recorder
from ragtriage.langchain import RecordingHandler

PROMPT = ChatPromptTemplate.from_template("Answer {question} from {context}")


def retriever(k: int = 2) -> BaseRetriever:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document(page_content=f"text {n}", metadata={"source": f"d{n}"}) for n in range(5)])
    return store.as_retriever(search_kwargs={"k": k})


def chain(found: Runnable[str, list[Document]], model: Any = None) -> Runnable[Any, Any]:
    context = found | (lambda documents: "\n".join(document.page_content for document in documents))
    return {"context": context, "question": RunnablePassthrough()} | PROMPT | (model or FakeListChatModel(responses=["six"])) | StrOutputParser()


class Down(FakeListChatModel):
    def _call(self, *arguments: Any, **options: Any) -> str:
        raise RuntimeError("the model is down")


class Outer(BaseRetriever):
    """Asks two retrievers and keeps the first passage of each."""

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


def test_a_retriever_that_asks_others_is_an_order(record: Path) -> None:
    inner, other = retriever(3), retriever(1)
    with Recorder(record) as recorder:
        Outer(inner=[inner, other]).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    stages = recorded(record)["a?"]["stages"]
    assert stages["Outer"]["role"] == "order"
    assert [(stage["role"], len(stage["hits"])) for stage in stages["VectorStoreRetriever"]] == [("retriever", 3), ("retriever", 1)]


def test_a_failure_is_the_questions_error(record: Path) -> None:
    with Recorder(record) as recorder, pytest.raises(RuntimeError):
        chain(retriever(), Down(responses=["x"])).invoke("a?", config={"callbacks": [RecordingHandler(recorder)]})
    line = recorded(record)["a?"]
    assert line["error"] == "RuntimeError: the model is down"
    assert "answer" not in line and "stages" in line


def test_an_input_without_a_question_is_an_error(record: Path) -> None:
    asked = RunnablePassthrough() | (lambda given: given)
    with Recorder(record) as recorder, pytest.raises(ragtriage.RecordError, match="no question in the input"):
        asked.invoke({"x": 1, "y": 2}, config={"callbacks": [RecordingHandler(recorder)]})
