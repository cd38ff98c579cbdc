"""The scripted RAG: what is retrieved, what the reranker leaves, what the model answers; and exporters to files."""

import json
from pathlib import Path

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

HERE = Path(__file__).parent
DOCUMENTS = {line["id"]: line for line in map(json.loads, (HERE / "corpus.jsonl").read_text().splitlines())}

# Question: documents retrieved, documents after reranking, answer; None: the model fails. The class follows: correct;
# ranking (the reranker dropped `prices`); retrieval (`lighthouse` was never found); generation; and two attempts.
SCRIPT = [
    ("When does the harbour office open?", ["ferry", "harbour", "museum", "library"], ["harbour", "ferry"], "7 am"),
    ("How much is a ticket for a child?", ["ferry", "harbour", "prices", "museum"], ["ferry", "harbour"], "5 euros"),
    ("Who built the old lighthouse?", ["museum", "harbour", "ferry", "library"], ["museum", "harbour"], "Carl Lund"),
    ("How many books may a member borrow?", ["library", "museum", "ferry", "bus"], ["library", "museum"], "20 books"),
    ("On which day is the museum closed?", ["museum", "bus", "ferry", "library"], ["museum", "bus"], "Tuesday"),
    ("On which day is the museum closed?", ["museum", "bus", "ferry", "library"], ["museum", "bus"], "Monday"),
]
PROMPT = "Answer from the context.\n\nContext:\n{context}\n\nQuestion: {question}"


def retrieved(question):
    """Returns (document, score) by the script, best first."""
    ids = next(line[1] for line in SCRIPT if line[0] == question)
    return [(DOCUMENTS[id], 0.9 - 0.1 * rank) for rank, id in enumerate(ids)]


def reranked(question):
    """Returns (id, score) of the documents that the reranker leaves, best first."""
    ids = next(line[2] for line in SCRIPT if line[0] == question)
    return [(id, 4.5 - rank) for rank, id in enumerate(ids)]


def provider(exporter, service="rag"):
    """Returns a tracer provider that exports each span as it ends."""
    made = TracerProvider(resource=Resource.create({"service.name": service}))
    made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


def unrelated(made):
    """Records a trace of another service, as collectors mix them in: its headers must never be stored."""
    with made.get_tracer("web").start_as_current_span("GET /health") as span:
        span.set_attribute("http.request.header.authorization", "Bearer not-a-real-secret")
