"""LlamaIndex, traced by OpenInference, printed by the SDK's ConsoleSpanExporter."""

from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from opentelemetry.sdk.trace.export import ConsoleSpanExporter

import script

dispatcher = get_dispatcher(__name__)

class ScriptedRetriever(BaseRetriever):
    def _retrieve(self, query_bundle):
        return [node(found, score) for found, score in script.retrieved(query_bundle.query_str)]


class ScriptedReranker(BaseNodePostprocessor):
    """Dispatches the events of LlamaIndex' own rerankers, from which the instrumentation makes a RERANKER span."""

    def _postprocess_nodes(self, nodes, query_bundle=None):
        dispatcher.event(ReRankStartEvent(query=query_bundle, nodes=nodes, top_n=2, model_name="scripted-ranker"))
        by_id = {found.node.metadata["source"]: found.node for found in nodes}
        ranked = [NodeWithScore(node=by_id[id], score=score) for id, score in script.reranked(query_bundle.query_str)]
        dispatcher.event(ReRankEndEvent(nodes=ranked))
        return ranked


class ScriptedModel(CustomLLM):
    answer: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted-1")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self.answer)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any):
        raise NotImplementedError


def node(found, score):
    made = TextNode(text=found["text"], id_=f"{found['id']}-0", metadata={"source": found["id"], "title": found["title"]})
    made.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=found["id"])
    return NodeWithScore(node=made, score=score)


def make(path):
    with path.open("w") as out:
        made = script.provider(ConsoleSpanExporter(out=out))
        LlamaIndexInstrumentor().instrument(tracer_provider=made)
        for question, _, _, answer in script.SCRIPT:
            engine = RetrieverQueryEngine.from_args(
                ScriptedRetriever(), llm=ScriptedModel(answer=answer), node_postprocessors=[ScriptedReranker()]
            )
            engine.query(question)
        LlamaIndexInstrumentor().uninstrument()
        script.unrelated(made)
        made.shutdown()
