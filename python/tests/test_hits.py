"""Passages of LangChain, LlamaIndex, Haystack and plain Python."""

from __future__ import annotations

from typing import Any

import haystack
import pytest
from langchain_core.documents import Document
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from ragtriage._hits import hits

NODE = TextNode(
    text="passage", start_char_idx=3, end_char_idx=10, relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d1")}
)


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("passage", {"text": "passage"}),
        (("passage", 0.5), {"text": "passage", "score": 0.5}),
        ({"text": "passage", "score": 2}, {"text": "passage", "score": 2}),
        ({"doc_id": "d1", "start": 3, "end": 10}, {"doc_id": "d1", "start": 3, "end": 10}),
        (
            Document(page_content="passage", metadata={"source": "d1", "start_index": 3, "title": "T"}),
            {"text": "passage", "doc_id": "d1", "start": 3, "title": "T"},
        ),
        ((Document(page_content="passage"), 0.25), {"text": "passage", "score": 0.25}),
        (NODE, {"text": "passage", "doc_id": "d1", "start": 3, "end": 10}),
        (NodeWithScore(node=NODE, score=0.75), {"text": "passage", "doc_id": "d1", "start": 3, "end": 10, "score": 0.75}),
        (haystack.Document(content="passage", meta={"file_path": "d1"}, score=0.5), {"text": "passage", "doc_id": "d1", "score": 0.5}),
    ],
)
def test_a_passage_is_an_object_of_the_import_format(passage: Any, expected: dict[str, Any]) -> None:
    assert hits([passage]) == [expected]
