"""Passages of other libraries as the import format has them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from operator import index
from typing import Any

from ._tables import finite
from .errors import RecordError

_KEPT = ("text", "doc_id", "start", "end", "title", "score")
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
        RecordError: A passage has neither text, nor document with offsets.
    """
    if isinstance(found, (str, bytes, Mapping)) or not isinstance(found, Iterable):
        raise RecordError(f"expected a list of passages, got one {type(found).__name__}", "put the passage in a list")
    return [_hit(hit, at) for at, hit in enumerate(found, 1)]


def _hit(hit: Any, at: int) -> dict[str, Any]:
    if isinstance(hit, tuple) and len(hit) == 2:
        passage, value = hit
        known: dict[str, Any] = {**_hit(passage, at), "score": value}
    elif isinstance(hit, str):
        known = {"text": hit}
    elif isinstance(hit, Mapping):
        known = _renamed(hit)
    else:
        known = _object(hit)
    _as_numbers(known, at)
    text = known.get("text")
    has_place = {"doc_id", "start", "end"} <= known.keys()
    if text is not None and not isinstance(text, str):
        raise RecordError(f"the text of passage {at} is of type {type(text).__name__}", "pass the text as `str`")
    if text is None and not has_place:
        raise RecordError(
            f"passage {at} of type {type(hit).__name__} has no text",
            "pass a text, or `doc_id` with `start` and `end`",
        )
    return known


def _as_numbers(known: dict[str, Any], at: int) -> None:
    """Makes the score and the offsets numbers of Python: numpy has its own."""
    for name, convert in (("score", float), ("start", index), ("end", index)):
        if name not in known:
            continue
        value = None if isinstance(known[name], bool) else finite(known[name], convert)
        if value is None:
            kind = "finite number, or none" if name == "score" else "whole number"
            raise RecordError(f"the {name} of passage {at} is {known[name]!r}", f"pass a {kind}")
        known[name] = value


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: fields[name] for name in _KEPT if fields.get(name) is not None}
    metadata = fields.get("metadata") or fields.get("meta") or {}
    for source in (fields, metadata if isinstance(metadata, Mapping) else {}):
        for name, ours in _OTHER_NAMES.items():
            if ours not in known and source.get(name) is not None:
                known[ours] = source[name]
        if "title" not in known and isinstance(source.get("title"), str):
            known["title"] = source["title"]
    if isinstance(known.get("doc_id"), os.PathLike):
        known["doc_id"] = os.fspath(known["doc_id"])
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
