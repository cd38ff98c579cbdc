"""OpenTelemetry's GenAI conventions: its own utilities for retrieval, the OpenAI instrumentation for the model."""

import httpx
from openai import OpenAI
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from opentelemetry.util.genai.handler import TelemetryHandler
from opentelemetry.util.genai.types import RetrievalDocument

import script


def client(answer):
    """Returns an OpenAI client whose transport gives this answer."""

    def reply(request):
        message = {"role": "assistant", "content": answer}
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 60, "completion_tokens": 3, "total_tokens": 63},
        }
        return httpx.Response(200, json=body)

    return OpenAI(api_key="none", http_client=httpx.Client(transport=httpx.MockTransport(reply)))


def make(path):
    path.unlink(missing_ok=True)
    made = script.provider(FileSpanExporter(path))
    OpenAIInstrumentor().instrument(tracer_provider=made)
    handler = TelemetryHandler(tracer_provider=made)
    tracer = made.get_tracer("rag")
    for question, _, ranked, answer in script.SCRIPT:
        with tracer.start_as_current_span("answer a question"):
            with handler.retrieval(data_source_id="handbook") as retrieval:
                retrieval.query_text = question
                found = script.retrieved(question)
                retrieval.documents = [RetrievalDocument(id=one["id"], score=score) for one, score in found]
            context = "\n\n".join(script.DOCUMENTS[id]["text"] for id in ranked)
            prompt = script.PROMPT.format(context=context, question=question)
            messages = [{"role": "system", "content": "You answer."}, {"role": "user", "content": prompt}]
            client(answer).chat.completions.create(model="scripted-1", messages=messages)
    OpenAIInstrumentor().uninstrument()
    script.unrelated(made)
    made.shutdown()
