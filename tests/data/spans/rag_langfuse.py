"""Langfuse: its SDK's OpenTelemetry spans, and the same observations in its schema of the observations API."""

import datetime
import json

from langfuse import Langfuse
from langfuse.api.commons.types.observation_level import ObservationLevel
from langfuse.api.commons.types.observation_v2 import ObservationV2
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import script


def ask(langfuse, question, ranked, answer):
    with langfuse.start_as_current_observation(name="rag", as_type="chain", input={"question": question}) as root:
        found = script.retrieved(question)
        documents = [{"id": one["id"], "content": one["text"], "score": score} for one, score in found]
        with langfuse.start_as_current_observation(name="search", as_type="retriever", input={"query": question}) as span:
            span.update(output=documents)
        with langfuse.start_as_current_observation(
            name="rerank", as_type="span", input={"query": question, "documents": documents}
        ) as span:
            by_id = {one["id"]: one for one in documents}
            documents = [{**by_id[id], "score": score} for id, score in ranked]
            span.update(output=documents)
        prompt = script.PROMPT.format(context="\n\n".join(one["content"] for one in documents), question=question)
        with langfuse.start_as_current_observation(
            name="generate", as_type="generation", model="scripted-1", input=[{"role": "user", "content": prompt}]
        ) as span:
            usage, cost = {"input": 60, "output": 3, "total": 63}, {"total": 0.0002}
            span.update(output=answer, usage_details=usage, cost_details=cost)
        root.update(output={"answer": answer})


def observation(span):
    """Returns a span as the service lists it: the SDK's schema of the observations API, by the names of its fields."""
    value = lambda name: span.attributes.get(f"langfuse.observation.{name}")
    parsed = lambda name: json.loads(value(name)) if value(name) else None
    time = lambda nanoseconds: datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.UTC)
    text = lambda name: text_or_json(value(name))
    made = ObservationV2.model_construct(
        id=format(span.context.span_id, "016x"),
        trace_id=format(span.context.trace_id, "032x"),
        parent_observation_id=format(span.parent.span_id, "016x") if span.parent else None,
        project_id="p",
        type=value("type").upper(),
        name=span.name,
        start_time=time(span.start_time),
        end_time=time(span.end_time),
        level=ObservationLevel.DEFAULT,
        model=value("model.name"),
        input=text("input"),
        output=text("output"),
        usage_details=parsed("usage_details") or {},
        cost_details=parsed("cost_details") or {},
        latency=(span.end_time - span.start_time) / 1e9,
    )
    return json.loads(made.model_dump_json(by_alias=True, exclude_none=True))


def text_or_json(value):
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def make(path, observations, traces):
    path.unlink(missing_ok=True)
    kept = InMemorySpanExporter()
    made = script.provider(FileSpanExporter(path))
    made.add_span_processor(SimpleSpanProcessor(kept))
    langfuse = Langfuse(
        public_key="pk-none", secret_key="sk-none", base_url="http://127.0.0.1:1", tracer_provider=made, span_exporter=kept
    )
    for question, _, _, answer in script.SCRIPT:
        ask(langfuse, question, script.reranked(question), answer)
    langfuse.flush()
    made.shutdown()
    unique = {span.context.span_id: span for span in kept.get_finished_spans()}
    rows = [observation(span) for span in unique.values()]
    observations.write_text(json.dumps({"data": rows, "meta": {}}, indent=1) + "\n")
    downloads = []
    for id in dict.fromkeys(row["traceId"] for row in rows):
        mine = [row for row in rows if row["traceId"] == id]
        root = next(row for row in mine if not row.get("parentObservationId"))
        downloads.append({"id": id, "name": "rag", "timestamp": root["startTime"], "input": root["input"],
                          "output": root["output"], "observations": mine, "scores": []})
    traces.write_text("".join(json.dumps(download) + "\n" for download in downloads))
