//! The documents of a retriever's or reranker's span, in the forms in which frameworks serialise them.

use serde_json::Value;

use super::content;
use super::mapping::paths;
use crate::fields::Fields;
use crate::run::external::recorded::RecordedHit;

/// Returns true if two lists have the same documents.
pub(super) fn are_same(one: &[RecordedHit], other: &[RecordedHit]) -> bool {
    let key = |hit: &RecordedHit| (hit.text.clone(), hit.doc_id.clone());
    one.iter().map(key).eq(other.iter().map(key))
}

/// Returns true if a document can be found in a data set.
pub(super) fn is_known(hit: &RecordedHit) -> bool {
    hit.text.is_some() || hit.doc_id.is_some()
}

/// Returns the documents of a value: a list, an object with one, or the JSON of either. `None` if it is something else.
/// `plain`: a list of strings is a list of texts.
pub(super) fn documents(value: &Value, plain: bool) -> Option<Vec<RecordedHit>> {
    match content::parsed(value).as_ref() {
        Value::Array(items) => items.iter().map(|item| document(item, plain)).collect(),
        Value::Object(fields) => paths("keys", "documents")
            .iter()
            .find_map(|key| fields.get(key).filter(|list| !list.is_null()))
            .and_then(|list| documents(list, plain)),
        _ => None,
    }
}

fn document(value: &Value, plain: bool) -> Option<RecordedHit> {
    match value {
        Value::String(text) if plain => {
            let text = Some(text.clone()).filter(|text| !text.trim().is_empty());
            Some(RecordedHit { text, ..RecordedHit::default() })
        }
        // A document with its score, as `similarity_search_with_score` returns it.
        Value::Array(pair) => match pair.as_slice() {
            [found, Value::Number(score)] => {
                Some(RecordedHit { score: score.as_f64(), ..document(found, plain)? })
            }
            _ => None,
        },
        Value::Object(fields) => {
            let nested = ["node", "document", "kwargs"].iter().find_map(|key| fields.get(*key));
            let mut inner = nested.filter(|inner| inner.is_object()).unwrap_or(value).clone();
            if let Some(metadata) = inner.get_mut("metadata") {
                *metadata = content::parsed(metadata).into_owned();
            }
            let field = |name, of: &Value| Fields::standard().find("hit", name, of);
            let plain = |name| field(name, &inner).as_ref().and_then(content::plain);
            let score = |of| field("score", of).as_ref().and_then(content::amount);
            let text = plain("text").filter(|text| !text.trim().is_empty());
            let id = plain("doc_id").or_else(|| plain("id")).filter(|id| !id.is_empty());
            let found = RecordedHit {
                text,
                doc_id: id,
                title: plain("title"),
                score: score(value).or_else(|| score(&inner)),
                ..RecordedHit::default()
            };
            let is_document = is_known(&found) || found.score.is_some();
            (is_document && inner.get("role").is_none()).then_some(found)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> RecordedHit {
        RecordedHit { text: Some(text.to_owned()), ..RecordedHit::default() }
    }

    #[test]
    fn documents_are_read_in_every_framework_form() {
        let expected = RecordedHit {
            doc_id: Some("d".into()),
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
        assert_eq!(read, Some(vec![RecordedHit { doc_id: Some("7".into()), ..text("a") }]));
        let scored = documents(&json!([{"id": null, "score": 1.0}]), false).expect("a list");
        assert!(!is_known(&scored[0]));
    }
}
