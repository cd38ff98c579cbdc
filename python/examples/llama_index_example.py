"""A LlamaIndex RAG with two planted faults, recorded and diagnosed.

The index embeds a text as the words that it has. A postprocessor that keeps one passage drops the silence, so ranking loses
it. The scripted model guesses the postage although it has read it, so generation loses that answer.
"""

from typing import Any

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from team import DOCUMENTS, QUESTIONS

import ragtriage
from ragtriage.llama_index import recording

WORDS = sorted({word for text in DOCUMENTS.values() for word in text.lower().split()})


class Words(BaseEmbedding):
    """One dimension a word."""

    def _get_text_embedding(self, text: str) -> list[float]:
        words = set(text.lower().replace("?", "").split())
        return [float(word in words) for word in WORDS]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class First(BaseNodePostprocessor):
    """Keeps the best passage."""

    def _postprocess_nodes(self, nodes: list[Any], query_bundle: Any = None) -> list[Any]:
        return nodes[:1]


class Scripted(MockLLM):
    """Knows one answer."""

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponse:
        return CompletionResponse(text="6 minutes" if "rollback" in prompt.lower() else "I would guess 3")


documents = [Document(text=text, id_=name) for name, text in DOCUMENTS.items()]
index = VectorStoreIndex.from_documents(documents, embed_model=Words())
engine = index.as_query_engine(llm=Scripted(), similarity_top_k=5, node_postprocessors=[First()])

with ragtriage.Recorder("record.jsonl") as recorder, recording(recorder):
    for question in QUESTIONS:
        engine.query(question["text"])

run = ragtriage.diagnose("record.jsonl", documents=DOCUMENTS, questions=QUESTIONS, name="llama-index")
print(run.verdict)
for id, row in run.questions().items():
    print(id, row["class"])
