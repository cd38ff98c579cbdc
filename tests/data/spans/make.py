"""Makes the span files of this folder: a small scripted RAG, traced by the instrumentation packages that people use.

Made with Python 3.11 and

    pip install opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-json-file==0.66b1 \
        openinference-instrumentation-langchain==0.1.80 openinference-instrumentation-llama-index==4.6.1 \
        langchain-core==1.8.3 langchain-classic==1.0.8 llama-index-core==0.14.25 \
        opentelemetry-instrumentation-genai-openai==1.3b0 opentelemetry-instrumentation-genai-langchain==1.3b0 \
        openai==3.57.0 langsmith==0.15.1 langfuse==5.0.4
    python tests/data/spans/make.py

Retriever, reranker and model are scripted (`SCRIPT`), so that the failure class of every question is known by
construction. The spans are written as the packages export them; ids and times differ with every call. Needs no network.

| file | made by |
|---|---|
| otlp-langchain.jsonl | OpenInference for LangChain, OTLP/JSON file exporter; a compression retriever around a retriever |
| otlp-genai-langchain.jsonl | the GenAI conventions: OpenTelemetry's own instrumentation of LangChain |
| otlp-multi-query.jsonl | the same; LangChain's MultiQueryRetriever, whose queries the model writes |
| console-llama-index.json | OpenInference for LlamaIndex, ConsoleSpanExporter; a reranker as node postprocessor |
| otlp-genai.jsonl | the GenAI conventions: opentelemetry-util-genai for retrieval, the OpenAI instrumentation for the model |
| langsmith.jsonl | LangChain's tracer; what the LangSmith client sends, as the runs that its own schema reads |
| langsmith-traceable.json | LangSmith's `traceable` without LangChain: nested runs, as `read_run` returns them |
| otlp-langfuse.jsonl | the Langfuse SDK's OpenTelemetry spans, OTLP/JSON file exporter |
| langfuse-observations.json | the same observations in the SDK's schema of the observations API |
| langfuse-trace.json | the same observations as the download of single traces |
"""

import os

os.environ.update(
    OTEL_SEMCONV_STABILITY_OPT_IN="gen_ai_latest_experimental",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="SPAN_ONLY",
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
)

from pathlib import Path

import rag_genai
import rag_langchain
import rag_langfuse
import rag_langsmith
import rag_llama_index

HERE = Path(__file__).parent

if __name__ == "__main__":
    rag_langchain.make(
        HERE / "otlp-langchain.jsonl", HERE / "otlp-genai-langchain.jsonl", HERE / "otlp-multi-query.jsonl"
    )
    rag_llama_index.make(HERE / "console-llama-index.json")
    rag_genai.make(HERE / "otlp-genai.jsonl")
    rag_langsmith.make(HERE / "langsmith.jsonl", HERE / "langsmith-traceable.json")
    rag_langfuse.make(
        HERE / "otlp-langfuse.jsonl", HERE / "langfuse-observations.json", HERE / "langfuse-trace.json"
    )
