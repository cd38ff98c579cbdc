"""LangChain, traced by OpenInference, exported as OTLP/JSON."""

from typing import Any

from langchain_classic.retrievers import ContextualCompressionRetriever, MultiQueryRetriever
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor as GenAILangChainInstrumentor

import script


class ScriptedRetriever(BaseRetriever):
    queries: dict[str, list[str]] = {}

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        if query in self.queries:
            return [document(script.DOCUMENTS[id]) for id in self.queries[query]]
        return [document(found, score) for found, score in script.retrieved(query)]


class ScriptedReranker(BaseDocumentCompressor):
    def compress_documents(self, documents: Any, query: str, callbacks: Any = None) -> list[Document]:
        by_source = {found.metadata["source"]: found for found in documents}
        return [
            by_source[id].model_copy(update={"metadata": {"source": id, "relevance_score": score}})
            for id, score in script.reranked(query)
        ]


def document(found, score=None):
    metadata = {"source": found["id"], "title": found["title"]}
    if score is not None:
        metadata["score"] = score
    return Document(page_content=found["text"], metadata=metadata)


def answers(*texts):
    """Returns a chat model that gives these answers in order."""
    usage = {"input_tokens": 60, "output_tokens": 3, "total_tokens": 63}
    messages = [
        AIMessage(content=text, usage_metadata=usage, response_metadata={"finish_reason": "stop", "model_name": "scripted-1"})
        for text in texts
    ]
    return GenericFakeChatModel(messages=iter(messages))


def chain(retriever, *texts):
    joined = lambda documents: "\n\n".join(found.page_content for found in documents)
    return (
        {"context": retriever | joined, "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template(script.PROMPT)
        | answers(*texts)
        | StrOutputParser()
    )


def reranking():
    return ContextualCompressionRetriever(base_retriever=ScriptedRetriever(), base_compressor=ScriptedReranker())


def make(path, genai, multi_query):
    path.unlink(missing_ok=True)
    made = script.provider(FileSpanExporter(path))
    LangChainInstrumentor().instrument(tracer_provider=made)
    for question, _, _, answer in script.SCRIPT:
        chain(reranking(), answer).invoke(question)
    LangChainInstrumentor().uninstrument()
    script.unrelated(made)
    made.shutdown()

    genai.unlink(missing_ok=True)
    made = script.provider(FileSpanExporter(genai))
    GenAILangChainInstrumentor().instrument(tracer_provider=made)
    for question, _, _, answer in script.SCRIPT:
        chain(reranking(), answer).invoke(question)
    GenAILangChainInstrumentor().uninstrument()
    made.shutdown()

    multi_query.unlink(missing_ok=True)
    made = script.provider(FileSpanExporter(multi_query))
    LangChainInstrumentor().instrument(tracer_provider=made)
    queries = {"member borrow books": ["museum", "library"], "books at a time": ["library", "bus"]}
    retriever = MultiQueryRetriever.from_llm(
        retriever=ScriptedRetriever(queries=queries), llm=answers("\n".join(queries))
    )
    chain(retriever, "12 books").invoke("How many books may a member borrow?")
    LangChainInstrumentor().uninstrument()
    made.shutdown()
