"""Recording LlamaIndex, with real query engines over an in-memory index and scripted models."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.retrievers import QueryFusionRetriever

import ragtriage
from ragtriage import Recorder
from ragtriage.llama_index import recording


class Down(MockLLM):
    def complete(self, *arguments: Any, **options: Any) -> Any:
        raise RuntimeError("the model is down")


class Interrupted(MockLLM):
    def complete(self, *arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt


class Cut(MockLLM):
    def stream_complete(self, *arguments: Any, **options: Any) -> Any:
        yield CompletionResponse(text="s", delta="s")
        raise RuntimeError("the connection was cut")

    async def astream_complete(self, *arguments: Any, **options: Any) -> Any:
        async def parts() -> Any:
            for part in self.stream_complete():
                yield part

        return parts()


@pytest.fixture(scope="module")
def index() -> VectorStoreIndex:
    documents = [Document(text=f"text {n}", id_=f"d{n}") for n in range(5)]
    return VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(8))


def recorded(record: Path) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return {line["question"]: line for line in lines}


def test_a_query_is_recorded_with_stages_prompt_and_answer(record: Path, index: VectorStoreIndex) -> None:
    engine = index.as_query_engine(
        llm=MockLLM(max_tokens=2), similarity_top_k=3, node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.0)]
    )
    with Recorder(record) as recorder, recording(recorder, ids={"a?": "q1"}):
        answer = str(engine.query("a?"))
    line = recorded(record)["a?"]
    assert (line["id"], line["answer"]) == ("q1", answer)
    stages = line["stages"]
    assert {name: (stage["role"], len(stage["hits"])) for name, stage in stages.items()} == {
        "VectorIndexRetriever": ("retriever", 3),
        "SimilarityPostprocessor": ("ranking", 3),
    }
    for hit in stages["VectorIndexRetriever"]["hits"]:
        assert hit["doc_id"] == hit["text"].replace("text ", "d")
        assert hit["text"] in line["prompt"]


@pytest.mark.parametrize("way", ["threads", "async", "stream", "astream"])
def test_every_way_to_query_is_recorded(record: Path, index: VectorStoreIndex, way: str) -> None:
    texts = [f"t{n}?" for n in range(4)]
    engine = index.as_query_engine(llm=MockLLM(max_tokens=2), streaming=way == "stream")
    asynchronous = index.as_query_engine(llm=MockLLM(max_tokens=2), use_async=True, streaming=way == "astream")

    async def ask_all() -> None:
        responses = await asyncio.gather(*(asynchronous.aquery(text) for text in texts))
        if way == "astream":
            for response in responses:
                _ = [part async for part in response.async_response_gen()]  # type: ignore[union-attr]

    with Recorder(record) as recorder, recording(recorder):
        if way == "threads":
            threads = [threading.Thread(target=engine.query, args=(text,)) for text in texts]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        elif way == "stream":
            for text in texts:
                assert "".join(engine.query(text).response_gen) == "text text"  # type: ignore[union-attr]
        else:
            asyncio.run(ask_all())
    lines = recorded(record)
    assert sorted(lines) == texts
    for text, line in lines.items():
        assert line["answer"] == "text text"
        assert f"Query: {text}" in line["prompt"]
        assert list(line["stages"]) == ["VectorIndexRetriever"]


def test_a_retriever_that_asks_others_is_an_order(record: Path, index: VectorStoreIndex) -> None:
    fusion = QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=3), index.as_retriever(similarity_top_k=1)],
        llm=MockLLM(),
        num_queries=1,
        use_async=False,
        similarity_top_k=2,
    )
    with Recorder(record) as recorder, recording(recorder):
        fusion.retrieve("a?")
    stages = recorded(record)["a?"]["stages"]
    assert (stages["QueryFusionRetriever"]["role"], len(stages["QueryFusionRetriever"]["hits"])) == ("ranking", 2)
    assert [(stage["role"], len(stage["hits"])) for stage in stages["VectorIndexRetriever"]] == [("retriever", 3), ("retriever", 1)]


def test_a_failure_is_the_questions_error(record: Path, index: VectorStoreIndex) -> None:
    with Recorder(record) as recorder, recording(recorder), pytest.raises(RuntimeError):
        index.as_query_engine(llm=Down()).query("a?")
    line = recorded(record)["a?"]
    assert line["error"] == "RuntimeError: the model is down"
    assert "answer" not in line and "stages" in line


def test_an_interrupted_question_is_left_for_a_resumed_record(record: Path, index: VectorStoreIndex) -> None:
    with Recorder(record) as recorder, recording(recorder), pytest.raises(KeyboardInterrupt):
        index.as_query_engine(llm=Interrupted()).query("a?")
    assert recorded(record) == {}


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_that_fails_has_its_models_error(record: Path, index: VectorStoreIndex, way: str) -> None:
    engine = index.as_query_engine(llm=Cut(), streaming=True, use_async=way == "astream")

    async def ask() -> None:
        response: Any = await engine.aquery("a?")
        _ = [part async for part in response.async_response_gen()]

    with Recorder(record) as recorder, recording(recorder), pytest.raises(RuntimeError):
        if way == "astream":
            asyncio.run(ask())
        else:
            list(engine.query("a?").response_gen)  # type: ignore[union-attr]
    line = recorded(record)["a?"]
    assert line["error"] == "RuntimeError: the connection was cut"
    assert "answer" not in line and "stages" in line


def test_a_stream_that_is_not_read_to_its_end_has_no_answer(record: Path, index: VectorStoreIndex) -> None:
    with Recorder(record) as recorder, recording(recorder):
        response: Any = index.as_query_engine(llm=MockLLM(max_tokens=2), streaming=True).query("a?")
        next(iter(response.response_gen))
    line = recorded(record)["a?"]
    assert line["error"] == "RecordError: the response was not read to its end"
    assert "answer" not in line


def test_a_retriever_alone_is_recorded_without_prompt_and_answer(record: Path, index: VectorStoreIndex) -> None:
    with Recorder(record) as recorder, recording(recorder):
        found = index.as_retriever(similarity_top_k=2).retrieve("a?")
    line = recorded(record)["a?"]
    assert [hit["text"] for hit in line["stages"]["VectorIndexRetriever"]["hits"]] == [node.text for node in found]
    assert not {"prompt", "answer", "error"} & line.keys()


def test_a_model_that_writes_queries_is_not_the_generator(record: Path, index: VectorStoreIndex) -> None:
    fusion = QueryFusionRetriever([index.as_retriever()], llm=MockLLM(max_tokens=2), num_queries=2, use_async=False)
    with Recorder(record) as recorder, recording(recorder):
        fusion.retrieve("a?")
    assert not {"prompt", "answer"} & recorded(record)["a?"].keys()


def test_the_prompts_of_a_refined_answer_are_all_recorded(record: Path, index: VectorStoreIndex) -> None:
    engine = index.as_query_engine(llm=MockLLM(max_tokens=2), similarity_top_k=3, response_mode="refine")
    with Recorder(record) as recorder, recording(recorder):
        engine.query("a?")
    line = recorded(record)["a?"]
    assert len(line["stages"]["VectorIndexRetriever"]["hits"]) == 3
    for hit in line["stages"]["VectorIndexRetriever"]["hits"]:
        assert hit["text"] in line["prompt"]


def test_a_question_that_cannot_be_recorded_is_an_error_at_the_end(record: Path, index: VectorStoreIndex) -> None:
    engine = index.as_query_engine(llm=MockLLM(max_tokens=2))
    with Recorder(record) as recorder, pytest.raises(ragtriage.RecordError, match="duplicate question"), recording(recorder):
        engine.query("a?")
        engine.query("a?")
    assert list(recorded(record)) == ["a?"]


def test_nothing_is_recorded_after_the_block(record: Path, index: VectorStoreIndex) -> None:
    with Recorder(record) as recorder:
        with recording(recorder):
            pass
        index.as_query_engine(llm=MockLLM(max_tokens=2)).query("a?")
    assert record.read_text(encoding="utf-8") == ""
