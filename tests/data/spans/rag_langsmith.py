"""LangSmith: what its client sends for a LangChain chain and for `traceable` functions, captured instead of sent."""

import json

from langchain_core.tracers.langchain import LangChainTracer
from langsmith import Client, schemas, traceable
from langsmith.run_helpers import tracing_context

import rag_langchain
import script


class Captured(Client):
    """A client that keeps each run, as the service does: created, then updated by the same id."""

    def __init__(self):
        super().__init__(api_url="http://127.0.0.1:1", api_key="none", auto_batch_tracing=False, info={})
        self.sent = {}

    def create_run(self, name, inputs, run_type, **fields):
        copied = self._run_transform({"name": name, "inputs": inputs, "run_type": run_type, **fields}, copy=True)
        self.sent[str(copied["id"])] = copied

    def update_run(self, run_id, **fields):
        fields = self._run_transform({"id": run_id, **fields}, update=True, copy=True)
        self.sent[str(run_id)].update({key: value for key, value in fields.items() if value is not None})


def exported(captured):
    """Returns the runs as the client's own schema writes what it reads, without the description of this machine."""
    exported = []
    for run in captured.sent.values():
        known = {key: run.get(key) for key in schemas.Run.model_fields if run.get(key) is not None}
        line = json.loads(schemas.Run(**known, session_id="00000000-0000-0000-0000-000000000001").model_dump_json())
        (line.get("extra") or {}).pop("runtime", None)
        line.pop("serialized", None)
        exported.append(line)
    return exported


@traceable(run_type="retriever")
def search(query):
    return [
        {"page_content": found["text"], "type": "Document", "metadata": {"source": found["id"]}}
        for found, _ in script.retrieved(query)
    ]


@traceable(run_type="llm", name="scripted-1")
def complete(messages, answer):
    usage = {"input_tokens": 60, "output_tokens": 3, "total_tokens": 63}
    return {"choices": [{"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}], "usage_metadata": usage}


@traceable(run_type="chain")
def rag(question):
    documents = search(question)
    ranked = [id for id, _ in script.reranked(question)]
    context = "\n\n".join(found["page_content"] for found in documents if found["metadata"]["source"] in ranked)
    messages = [{"role": "user", "content": script.PROMPT.format(context=context, question=question)}]
    answer = next(line[3] for line in script.SCRIPT if line[0] == question)
    return complete(messages, answer)["choices"][0]["message"]["content"]


def nested(runs):
    """Returns the roots with `child_runs`, as `read_run(..., load_child_runs=True)` does."""
    by_id = {run["id"]: {**run, "child_runs": []} for run in runs}
    for run in by_id.values():
        if run["parent_run_id"]:
            by_id[run["parent_run_id"]]["child_runs"].append(run)
    return [run for run in by_id.values() if not run["parent_run_id"]]


def make(path, traceable_path):
    captured = Captured()
    for question, _, _, answer in script.SCRIPT:
        tracer = LangChainTracer(client=captured)
        rag_langchain.chain(rag_langchain.reranking(), answer).invoke(question, config={"callbacks": [tracer]})
    path.write_text("".join(json.dumps(run) + "\n" for run in exported(captured)))
    captured = Captured()
    with tracing_context(enabled=True, client=captured):
        for question, *_ in script.SCRIPT[:5]:
            rag(question)
    traceable_path.write_text(json.dumps(nested(exported(captured)), indent=1) + "\n")
