"""A small data set of our own, and runs of it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import ragtriage

pytest_plugins = ["pytester"]

# Tests start Python in other folders, where a relative PYTHONPATH does not find the package.
os.environ["PYTHONPATH"] = os.pathsep.join(str(Path(path).resolve()) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path)

# A shell starts a job in the background with interrupts ignored; tests interrupt themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)

DOCUMENTS = {
    "rollback.md": "A rollback takes 6 minutes. It is started with the command `ship back`.",
    "silence.md": "A silence lasts 4 hours at most. After that the alert pages again.",
    "fees.md": "Postage is EUR 4.95 while the fee service is down.",
    "freeze.md": "No deploys between 20 December and 2 January.",
}
QUESTIONS = [
    {"id": "q1", "text": "How long may a rollback take?", "answers": ["6 minutes"], "quote": "A rollback takes 6 minutes."},
    {"id": "q2", "text": "How long does a silence last?", "answers": ["4 hours"], "quote": "A silence lasts 4 hours at most."},
    {"id": "q3", "text": "What is charged for postage?", "answers": ["EUR 4.95"], "quote": "Postage is EUR 4.95"},
    {"id": "q4", "text": "When is the deploy freeze?", "answers": ["20 December to 2 January"], "quote": "No deploys between 20 December"},
]


@pytest.fixture(scope="session")
def documents() -> dict[str, str]:
    return DOCUMENTS


@pytest.fixture(scope="session")
def questions() -> list[dict[str, object]]:
    labelled = []
    for question in QUESTIONS:
        doc = next(name for name, text in DOCUMENTS.items() if question["quote"] in text)
        labelled.append(
            {
                "id": question["id"],
                "text": question["text"],
                "answers": question["answers"],
                "tags": ["deploy", "a b"] if question["id"] == "q1" else [],
                "evidence": [{"doc": doc, "quotes": [question["quote"]]}],
            }
        )
    return labelled


@pytest.fixture(scope="session")
def faulty_run(tmp_path_factory: pytest.TempPathFactory, documents: dict[str, str], questions: list[dict[str, object]]) -> ragtriage.Run:
    """A run of a RAG with a planted fault a question: none, retrieval, ranking, generation."""
    folder = tmp_path_factory.mktemp("faulty")
    correct, wrong = "See the page of the team.", "I would guess 3."
    texts = list(documents.values())
    plan = {
        "q1": (texts, texts[:2], "6 minutes"),
        "q2": ([texts[0], texts[2], texts[3]], [texts[0], texts[2]], wrong),
        "q3": (texts, texts[:2], wrong),
        "q4": (texts, texts[2:], correct),
    }
    with ragtriage.Recorder(folder / "record.jsonl") as recorder:
        for id, (found, prompt, answer) in plan.items():
            with recorder.question(id) as question:
                question.stage("dense", found)
                question.stage("reranked", prompt + [text for text in found if text not in prompt])
                question.stage("packed", prompt, k=2)
                question.answer(answer)
    return ragtriage.diagnose(folder / "record.jsonl", documents=documents, questions=questions, out=folder, name="faulty")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"
