//! Records that are refused, with their errors.

use super::line;
use ragtriage_core::hint::Hint;

#[test]
fn stages_against_the_order_of_a_pipeline_are_errors_that_say_so() {
    for (stages, expected) in [
        (r#"{"warehouse": ["a"]}"#, "unknown stage `stages.warehouse`"),
        (
            r#"{"bm25": {"role": "ranking", "hits": ["a"]}}"#,
            "stage `bm25` has the role `ranking`, but its name is that of a stage with the role `retriever`",
        ),
        (
            r#"{"x": {"role": "ranker", "hits": ["a"]}}"#,
            "`stages.x.role`: unknown variant `ranker`, expected one of `retriever`, `ranking`, `packed`",
        ),
        (
            r#"{"packed": ["a"], "prompt": ["a"]}"#,
            "stages `packed` and `prompt` are the same stage",
        ),
        (
            r#"{"reranked": ["a"], "rerank": ["a"]}"#,
            "stages `reranked` and `rerank` are the same stage",
        ),
        (
            r#"[{"name": "reranked", "hits": ["a"]}, {"name": "fused", "hits": ["a"]}]"#,
            "stage `reranked` is listed before one that comes before it in a pipeline",
        ),
        (r#"[{"hits": ["a"]}]"#, "`stages[0]` must be an object with a `name` and `hits`"),
        (
            r#"{"bm25": {"k": 3, "hits": ["a"]}}"#,
            "`stages.bm25.k` must be given for the stage `packed` only",
        ),
        (
            r#"{"packed": {"k": 0}}"#,
            "`stages.packed.k` must be 1 or more; where nothing was packed, `hits` is an empty list",
        ),
        (
            r#"{"packed": {"k": 1, "hits": ["a", "b"]}}"#,
            "`stages.packed.k` must be at least the number of `hits`",
        ),
        (
            r#"{" ": {"role": "ranking", "hits": ["a"]}}"#,
            "`stages` must be stages with names that are not blank",
        ),
        (
            r#"{"bm25": {"query": "q"}}"#,
            "`stages.bm25` must be a list of passages, or an object with one as `hits`",
        ),
        (r#""bm25""#, "`stages` must be an object of stages by name, or a list of them"),
    ] {
        let text = format!("{{\"id\": 1, \"stages\": {stages}}}");
        let error = line(&text).expect_err(stages);
        assert_eq!(error.to_string(), format!("`f.jsonl` line 7: {expected}"));
        assert!(error.hint().is_some(), "{stages}");
    }
    let hint = line(r#"{"id": 1, "stages": {"warehouse": []}}"#).expect_err("unknown").hint();
    let expected = "give it a `role`: `retriever`, `ranking` or `packed`; names that need none: `tfidf`, `bm25`, `dense`, \
                    `late_interaction`, `collection`, `external`, `fused`, `reranked`, `min_score`, `ordered`, `packed`";
    assert_eq!(hint.as_deref(), Some(expected));
}

#[test]
fn what_is_wrong_is_named_by_file_line_and_field() {
    let passage =
        "must be a text, an object with one as `text`, or a `doc_id` with `start` and `end`";
    for (text, expected) in [
        (
            "[1]",
            " column 1: not a JSON object: invalid type: sequence, expected a map".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [NaN]}"#,
            " column 26: not a JSON object: expected value".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [{"text": "t", "score": 1e999}]}"#,
            " column 53: not a JSON object: number out of range".to_owned(),
        ),
        (
            r#"{"id": 1.5, "contexts": []}"#,
            ": `id`: expected a string that is not empty, or a whole number".to_owned(),
        ),
        (
            r#"{"id": "a"}"#,
            ": neither `contexts` nor `stages`; it has `id`".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": ["t"], "answer": "x", "response": "y"}"#,
            ": `answer` and `response` differ, and either may be the answer".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": ["t", {"doc_id": "d", "html": "t"}]}"#,
            format!(": `contexts[1]` {passage}; it has `doc_id`, `html`"),
        ),
        (r#"{"id": "a", "contexts": {"a": 1}}"#, ": `contexts` must be a list of passages; it has `a`".to_owned()),
        (
            r#"{"id": "a", "contexts": [{"text": "t", "score": "high"}]}"#,
            ": `contexts[0].score`: invalid type: string \"high\", expected f64".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [{"doc_id": "d", "start": 5, "end": 3}]}"#,
            ": `contexts[0].end` must be given with `start`, and not before it".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [{"doc_id": "d", "start": -5, "end": 3}]}"#,
            ": `contexts[0].start`: expected a whole number from 0 to 1,000,000,000".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [], "answer": "x", "usage": {"cost_usd": -1}}"#,
            ": `usage.cost_usd`: expected a number from 0 to 1,000,000,000".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [], "answer": "x", "usage": {"prompt_tokens": 18446744073709551615}}"#,
            ": `usage.prompt_tokens`: expected a whole number from 0 to 1,000,000,000".to_owned(),
        ),
        (
            r#"{"id": "a", "error": " "}"#,
            ": `error.message` must be a text that is not blank"
                .to_owned(),
        ),
        (
            r#"{"id": "a", "error": {"code": 500}}"#,
            ": `error.message` must be a text that is not blank".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [], "conditions": {"oracle": 3}}"#,
            ": `conditions.oracle` must be an answer, or an object with an `answer`".to_owned(),
        ),
        (
            r#"{"id": "a", "contexts": [], "conditions": {"retrieved": "x"}}"#,
            ": `conditions.retrieved`: unknown field `retrieved`, expected one of `oracle`, `gold_with_distractors`, `closed_book`".to_owned(),
        ),
    ] {
        let error = line(text).expect_err(text).to_string();
        assert_eq!(error, format!("`f.jsonl` line 7{expected}"));
    }
}

#[test]
fn an_unknown_key_is_named_by_its_path() {
    for (text, expected) in [
        (r#"{"id": "a", "contexts": [], "anwser": "x"}"#, ": unknown key `anwser`"),
        (r#"{"id": "a", "contexts": [], "eror": "x"}"#, ": unknown key `eror`"),
        (
            r#"{"id": "a", "contexts": ["t", {"text": "t", "doc_idd": "d"}]}"#,
            ": unknown key `contexts[1].doc_idd`",
        ),
        (
            r#"{"id": "a", "contexts": [], "conditions": {"oracle": {"answer": "x", "contextes": ["t"]}}}"#,
            ": unknown key `conditions.oracle.contextes`",
        ),
    ] {
        let error = line(text).expect_err(text).to_string();
        assert_eq!(error, format!("`f.jsonl` line 7{expected}"));
    }
}
