"""Documents of a fictional team, with labelled questions. Shared by the examples."""

from typing import Any

DOCUMENTS = {
    "rollback.md": "A rollback takes 6 minutes. It is started with the command `ship back`.",
    "deploys.md": "A deploy takes 20 minutes. Rollbacks are faster, and so is a change of a flag.",
    "paging.md": "The alert pages the person on call, then the team, then the manager.",
    "probe.md": "The alert may be wrong when the probe is off.",
    "silence.md": "A silence lasts 4 hours at most. After that the alert pages again.",
    "postage.md": "Postage is EUR 4.95 while the fee service is down.",
}


def _question(id: str, text: str, answer: str, document: str, quote: str) -> dict[str, Any]:  # noqa: A002
    return {"id": id, "text": text, "answers": [answer], "evidence": [{"doc": document, "quotes": [quote]}]}


QUESTIONS = [
    _question("rollback", "How long does a rollback take?", "6 minutes", "rollback.md", "A rollback takes 6 minutes."),
    _question("silence", "How long may the alert be off?", "4 hours", "silence.md", "A silence lasts 4 hours at most."),
    _question("postage", "What is postage during the outage?", "EUR 4.95", "postage.md", "Postage is EUR 4.95"),
]
