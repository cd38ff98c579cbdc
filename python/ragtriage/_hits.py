"""Passages of other libraries as the import format has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import RecordError

_KEPT = ("text", "doc_id", "start", "end", "chunk_id", "title", "score")
_OTHER_NAMES = {
    "page_content": "text",
    "content": "text",
    "document_id": "doc_id",
    "source": "doc_id",
    "file_path": "doc_id",
    "start_index": "start",
    "start_char_idx": "start",
    "end_char_idx": "end",
}


def hits(found: Iterable[Any]) -> list[dict[str, Any]]:
    """Returns passages as objects of the import format, in their order.

    A passage is a text, a mapping, ``(passage, score)``, a LangChain or Haystack ``Document``, or a LlamaIndex ``Node`` or
    ``NodeWithScore``.

    Raises:
        RecordError: A passage has neither text, document with offsets, nor chunk id.
    """
    if isinstance(found, (str, bytes, Mapping)):
        raise RecordError(f"expected a list of passages, got one {type(found).__name__}", "put the passage in a list")
    return [_hit(hit, at) for at, hit in enumerate(found, 1)]


def _hit(hit: Any, at: int) -> dict[str, Any]:
    if isinstance(hit, tuple) and len(hit) == 2:
        passage, value = hit
        known: dict[str, Any] = {**_hit(passage, at), "score": float(value)}
    elif isinstance(hit, str):
        known = {"text": hit}
    elif isinstance(hit, Mapping):
        known = _renamed(hit)
    else:
        known = _object(hit)
    score = known.get("score", 0.0)
    if not math.isfinite(score):
        raise RecordError(f"the score of passage {at} is {score}", "pass a finite score, or none")
    text = known.get("text")
    has_place = "chunk_id" in known or {"doc_id", "start", "end"} <= known.keys()
    if text is not None and not isinstance(text, str):
        raise RecordError(f"the text of passage {at} is of type {type(text).__name__}", "pass the text as `str`")
    if not (text and text.strip()) and not has_place:
        raise RecordError(
            f"passage {at} of type {type(hit).__name__} has no text",
            "pass a text, or `doc_id` with `start` and `end`, or `chunk_id`",
        )
    return known


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: fields[name] for name in _KEPT if fields.get(name) is not None}
    metadata = fields.get("metadata") or fields.get("meta") or {}
    for source in (fields, metadata):
        for name, ours in _OTHER_NAMES.items():
            if ours not in known and source.get(name) is not None:
                known[ours] = source[name]
        if "title" not in known and isinstance(source.get("title"), str):
            known["title"] = source["title"]
    return known


def _object(hit: Any) -> dict[str, Any]:
    node = getattr(hit, "node", hit)  # LlamaIndex: `NodeWithScore` holds a node.
    fields: dict[str, Any] = {"metadata": getattr(node, "metadata", None) or getattr(node, "meta", None)}
    for name in ("page_content", "text", "content", "start_char_idx", "end_char_idx"):
        value = getattr(node, name, None)
        if value is not None and not callable(value):
            fields[name] = value
    document = getattr(node, "ref_doc_id", None)
    if isinstance(document, str):
        fields["document_id"] = document
    score = getattr(hit, "score", None)
    if isinstance(score, (int, float)):
        fields["score"] = float(score)
    return _renamed(fields)
