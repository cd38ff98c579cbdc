//! The documents of a retriever's or reranker's span, in the forms in which frameworks serialise them.

use serde_json::{Map, Value, json};

use super::content::{self, first};

/// Paths of a document's text.
const TEXT: [&str; 5] = ["page_content", "pageContent", "content", "text", "chunk"];
/// Paths of the document that a passage comes from, else of its own id.
const ID: [&str; 13] = [
    "metadata.doc_id",
    "metadata.document_id",
    "metadata.ref_doc_id",
    "metadata.source",
    "metadata.file_name",
    "doc_id",
    "document_id",
    "ref_doc_id",
    "source",
    "file_name",
    "id",
    "id_",
    "node_id",
];
const SCORE: [&str; 5] =
    ["score", "relevance_score", "similarity", "metadata.score", "metadata.relevance_score"];
/// Keys of an object that wraps a list of documents.
const LISTS: [&str; 10] = [
    "documents",
    "docs",
    "output",
    "results",
    "nodes",
    "source_nodes",
    "contexts",
    "matches",
    "hits",
    "data",
];

/// A passage, or a whole document by its id.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Document {
    /// Its text.
    pub text: Option<String>,
    /// The document it comes from, else its own id.
    pub id: Option<String>,
    /// The document's title.
    pub title: Option<String>,
    /// The score; finite.
    pub score: Option<f64>,
}

impl Document {
    /// Returns the record's form of it.
    pub(super) fn hit(self) -> Value {
        let mut hit = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            hit.extend(value.map(|value| (name.to_owned(), value)));
        };
        let id = if self.text.is_some() { "doc_id" } else { "chunk_id" };
        add("text", self.text.map(Value::String));
        add(id, self.id.map(Value::String));
        add("title", self.title.map(Value::String));
        add("score", self.score.map(|score| json!(score)));
        Value::Object(hit)
    }

    /// Returns true if two lists have the same documents.
    pub(super) fn are_same(one: &[Self], other: &[Self]) -> bool {
        let mut pairs = one.iter().zip(other);
        one.len() == other.len() && pairs.all(|(a, b)| a.text == b.text && a.id == b.id)
    }

    /// Returns true if it can be found in a data set.
    pub(super) fn is_known(&self) -> bool {
        self.text.is_some() || self.id.is_some()
    }
}

/// Returns the documents of a value: a list, an object with one, or the JSON of either. `None` if it is something else.
/// `plain`: a list of strings is a list of texts.
pub(super) fn documents(value: &Value, plain: bool) -> Option<Vec<Document>> {
    match content::parsed(value).as_ref() {
        Value::Array(items) => items.iter().map(|item| document(item, plain)).collect(),
        Value::Object(fields) => LISTS
            .iter()
            .find_map(|key| fields.get(*key).filter(|list| !list.is_null()))
            .and_then(|list| documents(list, plain)),
        _ => None,
    }
}

fn document(value: &Value, plain: bool) -> Option<Document> {
    match value {
        Value::String(text) if plain => {
            let text = Some(text.clone()).filter(|text| !text.trim().is_empty());
            Some(Document { text, ..Document::default() })
        }
        // A document with its score, as `similarity_search_with_score` returns it.
        Value::Array(pair) => match pair.as_slice() {
            [found, Value::Number(score)] => {
                Some(Document { score: score.as_f64(), ..document(found, plain)? })
            }
            _ => None,
        },
        Value::Object(fields) => {
            let nested = ["node", "document", "kwargs"].iter().find_map(|key| fields.get(*key));
            let inner = nested.filter(|inner| inner.is_object()).unwrap_or(value);
            let found = Document {
                text: first(inner, &TEXT, |text| text.as_str().map(str::to_owned))
                    .filter(|text| !text.trim().is_empty()),
                id: first(inner, &ID, content::plain).filter(|id| !id.is_empty()),
                title: first(inner, &["metadata.title"], content::plain),
                score: first(value, &SCORE, content::amount)
                    .or_else(|| first(inner, &SCORE, content::amount)),
            };
            let is_document = found.is_known() || found.score.is_some();
            (is_document && inner.get("role").is_none()).then_some(found)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Document {
        Document { text: Some(text.to_owned()), ..Document::default() }
    }

    #[test]
    fn documents_are_read_in_every_framework_form() {
        let expected = Document {
            id: Some("d".into()),
            score: Some(0.5),
            title: Some("T".into()),
            ..text("a")
        };
        for value in [
            json!([{"page_content": "a", "metadata": {"source": "d", "title": "T", "score": 0.5}}]),
            json!({"documents": [{"page_content": "a", "id": "chunk-1", "metadata": {"source": "d", "title": "T", "relevance_score": 0.5}}]}),
            json!([[{"page_content": "a", "metadata": {"source": "d", "title": "T"}}, 0.5]]),
            json!([{"node": {"text": "a", "id_": "n", "metadata": {"doc_id": "d", "title": "T"}}, "score": 0.5}]),
            json!(
                "[{\"content\": \"a\", \"id\": \"d\", \"score\": 0.5, \"metadata\": \"{\\\"title\\\": \\\"T\\\"}\"}]"
            ),
            json!([{"lc": 1, "kwargs": {"page_content": "a", "metadata": {"source": "d", "title": "T", "score": 0.5}}}]),
        ] {
            assert_eq!(documents(&value, false), Some(vec![expected.clone()]), "{value}");
        }
    }

    #[test]
    fn none_and_an_empty_list_differ() {
        assert_eq!(documents(&json!({"documents": []}), false), Some(Vec::new()));
        for other in [
            json!("text"),
            json!({"output": "text"}),
            json!(7),
            json!([{"role": "user", "content": "a"}]),
            json!([1, 2]),
        ] {
            assert_eq!(documents(&other, true), None, "{other}");
        }
        assert_eq!(documents(&json!(["<NodeWithScore(...)>"]), false), None);
        assert_eq!(documents(&json!(["a"]), true), Some(vec![text("a")]));
    }

    #[test]
    fn a_score_that_is_no_number_is_left_out_and_an_id_may_be_one() {
        let read = documents(&json!([{"id": 7, "text": "a", "score": "high"}]), false);
        assert_eq!(read, Some(vec![Document { id: Some("7".into()), ..text("a") }]));
        assert!(
            !documents(&json!([{"id": null, "score": 1.0}]), false).expect("a list")[0].is_known()
        );
    }
}
