//! Tests of the record's format.

mod refused;

use super::*;
use ragtriage_core::types::{Condition, Finish};

fn line(text: &str) -> Result<Recorded, Error> {
    let position = Place::new("f.jsonl", Some(7));
    object(&position, text)
}

fn hit(text: &str) -> RecordedHit {
    RecordedHit { text: Some(text.to_owned()), ..RecordedHit::default() }
}

fn one(text: Option<&str>) -> RecordedAttempt {
    RecordedAttempt { text: text.map(str::to_owned), ..RecordedAttempt::default() }
}

/// The stages as `name:step`.
fn steps(recorded: &Recorded) -> Vec<String> {
    let stages = recorded.stages.iter();
    stages.map(|stage| format!("{}:{}", stage.name, stage.step)).collect()
}

fn hits(recorded: &Recorded) -> Vec<&[RecordedHit]> {
    let stages = recorded.stages.iter();
    stages.map(|stage| stage.hits.as_deref().unwrap_or_default()).collect()
}

#[test]
fn contexts_answer_prompt_and_arms_are_read() {
    let whole = line(
        r#"{"id": 4, "question": "q?", "contexts": ["a", {"text": "b", "doc_id": 9, "title": "T", "score": 0.5}],
            "answer": "x", "prompt": "p", "conditions": {"closed_book": "y", "oracle": {"answer": null, "contexts": ["c"]}}, "cost": 1}"#,
    )
    .expect("reads");
    assert_eq!((whole.id.as_deref(), whole.question.as_deref()), (Some("4"), Some("q?")));
    let second = RecordedHit {
        doc_id: Some("9".into()),
        title: Some("T".into()),
        score: Some(0.5),
        ..hit("b")
    };
    assert_eq!(hits(&whole), [&[hit("a"), second][..]]);
    assert_eq!((whole.answer, whole.prompt.as_deref()), (Some(one(Some("x"))), Some("p")));
    let oracle = RecordedCondition {
        condition: Condition::Oracle,
        answer: one(None),
        contexts: vec![hit("c")],
    };
    let closed = RecordedCondition {
        condition: Condition::ClosedBook,
        answer: one(Some("y")),
        contexts: vec![],
    };
    assert_eq!(whole.conditions, [oracle, closed]);
    assert_eq!(whole.unread, ["cost"]);
}

#[test]
fn contexts_are_what_was_packed_unless_prompt_or_stage_tells_that() {
    for (text, expected) in [
        (r#""contexts": ["a"]"#, vec!["contexts:packed"]),
        (r#""contexts": ["a"], "prompt": "a""#, vec!["contexts:ordered"]),
        (
            r#""contexts": ["a"], "stages": {"packed": ["a"], "bm25": ["a", "b"]}"#,
            vec!["bm25:bm25", "contexts:ordered", "packed:packed"],
        ),
        (
            r#""contexts": ["a"], "stages": {"bm25": ["a", "b"]}"#,
            vec!["bm25:bm25", "contexts:packed"],
        ),
    ] {
        let read = line(&format!("{{\"id\": 1, {text}}}")).expect(text);
        assert_eq!(steps(&read), expected, "{text}");
    }
}

#[test]
fn contexts_as_a_stage_have_the_role_that_is_given() {
    for (role, expected) in [("packed", "contexts:packed"), ("ranking", "contexts:ordered")] {
        let stages = format!("{{\"contexts\": {{\"role\": \"{role}\", \"hits\": [\"a\"]}}}}");
        let read = line(&format!("{{\"id\": 1, \"stages\": {stages}}}")).expect(role);
        assert_eq!(steps(&read), [expected]);
    }
}

#[test]
fn stages_are_put_in_the_order_of_a_pipeline_whatever_the_order_of_the_keys() {
    let read = line(
        r#"{"id": 1, "stages": {"packed": {"k": 3, "hits": ["a"]}, "min_score": [], "reranked": ["a"], "dense": ["b"],
            "fused": ["a", "b"], "bm25": {"hits": ["a"], "query": "rewritten", "seconds": 0.25}}}"#,
    )
    .expect("reads");
    let expected = [
        "dense:dense",
        "bm25:bm25",
        "fused:fused",
        "reranked:reranked",
        "min_score:min_score",
        "packed:packed",
    ];
    assert_eq!(steps(&read), expected);
    let bm25 = &read.stages[1];
    assert_eq!((bm25.query.as_deref(), bm25.seconds), (Some("rewritten"), Some(0.25)));
    assert_eq!(read.packed().and_then(|stage| stage.k), Some(3));
}

#[test]
fn synonyms_and_roles_map_other_names_to_steps() {
    let read = line(
        r#"{"id": 1, "stages": {"Vector Search": ["a"], "acl": {"role": "ranking", "hits": ["a"]}, "agent": {"role": "retriever",
            "hits": ["b"]}, "cross-encoder": ["a"], "final": {"role": "packed", "hits": ["a"]}}}"#,
    )
    .expect("reads");
    let expected = [
        "Vector Search:external",
        "agent:external",
        "acl:ordered",
        "cross-encoder:reranked",
        "final:packed",
    ];
    assert_eq!(steps(&read), expected, "reorderings are in the record's order");
}

#[test]
fn several_queries_of_one_stage_are_rankings_of_their_own() {
    let read = line(
        r#"{"id": 1, "stages": {"search": [{"query": "first", "hits": ["a"]}, {"query": "second", "hits": ["b", "a"]}]}}"#,
    )
    .expect("reads");
    assert_eq!(steps(&read), ["search:external", "search:external"]);
    assert_eq!(hits(&read), [&[hit("a")][..], &[hit("b"), hit("a")]]);
    let listed = line(
        r#"{"id": 1, "stages": [{"name": "search", "query": "first", "hits": ["a"]}, {"name": "search", "query": "second",
            "hits": ["b", "a"]}]}"#,
    )
    .expect("reads");
    assert_eq!(listed.stages, read.stages);
}

#[test]
fn hits_are_texts_documents_or_ranges_of_documents() {
    let read = line(
        r#"{"id": 1, "stages": {"bm25": [{"id": 7, "score": 1}, {"doc_id": "d", "start": 3, "end": 9, "tokens": 2},
            {"text": "t", "start": 4, "doc_id": "d"}]}}"#,
    )
    .expect("reads");
    let range = |start, end| RecordedHit {
        doc_id: Some("d".into()),
        start: Some(start),
        end,
        ..RecordedHit::default()
    };
    let expected = [
        RecordedHit { doc_id: Some("7".into()), score: Some(1.0), ..RecordedHit::default() },
        RecordedHit { tokens: Some(2), ..range(3, Some(9)) },
        RecordedHit { text: Some("t".into()), ..range(4, None) },
    ];
    assert_eq!(hits(&read), [&expected[..]]);
}

#[test]
fn fields_of_frameworks_are_read() {
    let located =
        |score| RecordedHit { doc_id: Some("a.md".into()), start: Some(5), score, ..hit("t") };
    for (item, expected) in [
        // LangChain: a document, with its score, and serialised by `dumpd`.
        (
            r#"{"id": null, "page_content": "t", "metadata": {"source": "a.md", "start_index": 5, "page": 2}, "type": "Document"}"#,
            located(None),
        ),
        (
            r#"[{"page_content": "t", "metadata": {"source": "a.md", "start_index": 5}}, 0.5]"#,
            located(Some(0.5)),
        ),
        (
            r#"{"lc": 1, "type": "constructor", "id": ["langchain", "Document"],
                "kwargs": {"page_content": "t", "metadata": {"source": "a.md", "start_index": 5}}}"#,
            located(None),
        ),
        // LlamaIndex: `NodeWithScore.to_dict()`.
        (
            r#"{"node": {"id_": "n1", "text": "t", "metadata": {"file_name": "a.md"}, "start_char_idx": 5, "end_char_idx": 6},
                "score": 0.5, "class_name": "NodeWithScore"}"#,
            RecordedHit { end: Some(6), ..located(Some(0.5)) },
        ),
        // Haystack: `Document.to_dict(flatten=False)`.
        (
            r#"{"id": "h", "content": "t", "meta": {"source_id": "a.md", "split_idx_start": 5}, "score": 0.5}"#,
            located(Some(0.5)),
        ),
    ] {
        let read = line(&format!("{{\"id\": 1, \"contexts\": [{item}]}}")).expect(item);
        assert_eq!(hits(&read), [&[expected][..]], "{item}");
    }
}

/// Hits as the documentation of each store or framework shows them.
#[test]
fn passages_of_vector_stores_are_read() {
    for (item, doc) in [
        (r#"{"id": "x", "score": 0.9, "metadata": {"text": "t", "source": "a.md"}}"#, Some("a.md")), // Pinecone
        (
            r#"{"id": 3, "version": 1, "score": 0.9, "payload": {"page_content": "t", "metadata": {"source": "a.md"}}}"#,
            Some("a.md"),
        ), // Qdrant
        (
            r#"{"_index": "i", "_id": "a.md", "_score": 1.2, "_source": {"text": "t"}}"#,
            Some("a.md"),
        ), // Elasticsearch, OpenSearch
        (
            r#"{"uuid": "u", "properties": {"content": "t", "source": "a.md"}, "metadata": {"distance": 0.1}}"#,
            Some("a.md"),
        ), // Weaviate
        (
            r#"{"id": 7, "content": "t", "metadata": {"source": "a.md"}, "distance": 0.2}"#,
            Some("a.md"),
        ), // pgvector
        (
            r#"{"@search.score": 1.5, "chunk": "t", "title": "a", "sourcefile": "a.md"}"#,
            Some("a.md"),
        ), // Azure AI Search
        (r#"{"sourceUri": "gs://b/a.md", "text": "t", "score": 0.4}"#, Some("gs://b/a.md")), // Vertex AI RAG
        (
            r#"{"id": "d", "document": {"id": "a.md", "derivedStructData": {"extractive_segments": [{"content": "t"}]}}}"#,
            Some("a.md"),
        ), // Vertex AI Search
        (
            r#"{"content": {"text": "t", "type": "TEXT"}, "location": {"type": "S3", "s3Location": {"uri": "s3://b/a.md"}}, "score": 0.6}"#,
            Some("s3://b/a.md"),
        ), // Bedrock
        (r#"{"index": 0, "relevance_score": 0.9, "document": {"text": "t"}}"#, None), // Cohere
        (
            r#"{"file_id": "f", "filename": "a.md", "score": 0.9, "content": [{"type": "text", "text": "t"}]}"#,
            Some("f"),
        ), // OpenAI
        (r#"{"long_text": "t", "pid": 4, "score": 17.2}"#, None), // DSPy's ColBERT
        (r#"["t", 0.9]"#, None),
        (r#"{"chunk": "t"}"#, None),
    ] {
        let read = line(&format!("{{\"id\": 1, \"contexts\": [{item}]}}")).expect(item);
        let found = hits(&read)[0][0].clone();
        assert_eq!((found.text.as_deref(), found.doc_id.as_deref()), (Some("t"), doc), "{item}");
    }
}

#[test]
fn contexts_are_a_list_a_whole_response_or_parallel_lists() {
    for contexts in [
        r#""contexts": {"hits": {"total": 1, "hits": [{"_source": {"text": "a"}}, {"_source": {"text": "b"}}]}}"#,
        r#""contexts": {"result": {"points": [{"payload": {"text": "a"}}, {"payload": {"text": "b"}}]}, "status": "ok"}"#,
        r#""contexts": {"matches": [{"metadata": {"text": "a"}}, {"metadata": {"text": "b"}}]}"#,
        r#""contexts": {"ids": [["1", "2"]], "documents": [["a", "b"]], "metadatas": [[{}, {}]], "distances": [[0.1, 0.2]]}"#,
        r#""contexts": {"retrievalResults": [{"content": {"text": "a"}}, {"content": {"text": "b"}}]}"#,
        r#""context": [{"page_content": "a", "metadata": {}}, {"page_content": "b"}]"#,
        r#""retrieved_contents": [["a", "b"]], "retrieved_ids": [["1", "2"]]"#,
        r#""contexts": "['a', 'b']""#,
    ] {
        let read = line(&format!("{{\"query\": \"q\", {contexts}}}")).expect(contexts);
        let texts: Vec<_> = hits(&read)[0].iter().map(|hit| hit.text.as_deref()).collect();
        assert_eq!(texts, [Some("a"), Some("b")], "{contexts}");
    }
    let read = line(r#"{"id": 1, "contexts": ["a", "b"], "doc_ids": ["x", "y"]}"#).expect("reads");
    let docs: Vec<_> = hits(&read)[0].iter().map(|hit| hit.doc_id.as_deref()).collect();
    assert_eq!(docs, [Some("x"), Some("y")]);
    let read = line(r#"{"id": 1, "retrieved_sources": ["x"], "answer": "a"}"#).expect("reads");
    assert_eq!(
        hits(&read)[0][0],
        RecordedHit { doc_id: Some("x".into()), ..RecordedHit::default() }
    );
}

#[test]
fn offsets_that_are_none_leave_the_text() {
    for offsets in
        [r#""start_index": -1"#, r#""start": null"#, r#""start": 5, "end": 3"#, r#""end": 3"#]
    {
        let text = format!("{{\"id\": 1, \"contexts\": [{{\"text\": \"a\", {offsets}}}]}}");
        assert_eq!(hits(&line(&text).expect(offsets))[0], [hit("a")], "{offsets}");
    }
}

#[test]
fn records_of_evaluation_frameworks_are_read_and_their_labels_left_to_the_data_set() {
    for text in [
        // Ragas, DeepEval, LangChain's RetrievalQA.
        r#"{"user_input": "q", "retrieved_contexts": ["a"], "response": "r", "reference": "g"}"#,
        r#"{"input": "q", "retrieval_context": ["a"], "actual_output": "r", "expected_output": "g"}"#,
        r#"{"query": "q", "source_documents": [{"page_content": "a"}], "result": "r", "ground_truth": "g"}"#,
    ] {
        let read = line(text).expect(text);
        assert_eq!(read.question.as_deref(), Some("q"), "{text}");
        assert_eq!(read.answer, Some(one(Some("r"))), "{text}");
        assert_eq!(hits(&read), [&[hit("a")][..]], "{text}");
        assert_eq!(read.unread, [""; 0], "{text}");
    }
}

#[test]
fn usage_is_read() {
    let read = line(
        r#"{"id": 1, "contexts": [], "answer": "x", "usage": {"input_tokens": 90, "completion_tokens": 3, "cost_usd": 0.5,
            "seconds": 1.5, "model": "m", "finish_reason": "MAX_TOKENS", "total_tokens": 93}}"#,
    )
    .expect("reads");
    let usage = RecordedUsage {
        prompt_tokens: Some(90),
        completion_tokens: Some(3),
        cost_usd: Some(0.5),
        seconds: Some(1.5),
        model: Some("m".into()),
        finish: Some(Finish::Length),
    };
    assert_eq!(read.answer.map(|answer| answer.usage), Some(usage));
    assert_eq!(read.unread, ["usage.total_tokens"]);
    // `answers` are the references of many benchmarks.
    let read = line(r#"{"id": 1, "contexts": [], "answer": "x", "answers": ["y", "z"]}"#);
    let read = read.expect("reads");
    assert_eq!((read.answer, read.unread), (Some(one(Some("x"))), vec![]));
}

#[test]
fn keys_that_are_not_read_are_named_at_every_depth_each_once() {
    let read = line(
        r#"{"id": 1, "contexts": [{"text": "a", "rank": 1, "store": "s"}, {"text": "b", "rank": 2}], "order": 3,
            "conditions": {"oracle": {"answer": "x", "cost": 1, "contexts": [{"text": "c", "page": 4}]}},
            "stages": {"bm25": {"hits": [], "index": "i"}}}"#,
    )
    .expect("reads");
    let expected = [
        "conditions.oracle.contexts[].page",
        "conditions.oracle.cost",
        "contexts[].rank",
        "contexts[].store",
        "order",
        "stages.bm25.index",
    ];
    assert_eq!(read.unread, expected);
}

#[test]
fn no_answer_and_no_record_of_answers_differ() {
    let answer = |text: &str| line(text).expect(text).answer;
    assert_eq!(answer(r#"{"id": "a", "contexts": []}"#), None);
    assert_eq!(answer(r#"{"id": "a", "contexts": [], "answer": null}"#), Some(one(None)));
}

#[test]
fn a_question_that_failed_there_needs_no_contexts() {
    let error = line(r#"{"id": "a", "error": "timeout"}"#).expect("reads").error;
    assert_eq!(error.map(|error| error.message), Some("timeout".into()));
}

fn all(text: &str) -> Result<Vec<Recorded>, Error> {
    read(&Input::new("f.jsonl", text.to_owned()).expect("text"), Fields::standard())
}

#[test]
fn a_row_of_promptfoo_and_texts_inside_objects_are_read() {
    let bare =
        r#"{"question": "q", "contexts": ["a"], "promptId": "p", "response": {"output": "64"}}"#;
    assert_eq!(all(bare).expect("no slip")[0].unread, ["promptId"]);
    let row = r#"{"prompt": {"raw": "Say: a b", "label": "l"}, "vars": {"question": "q", "context": "a b"}, "promptId": "p",
        "response": {"output": "64"}, "error": "Expected output to match", "gradingResult": {"pass": false}}"#.replace('\n', " ");
    let found = all(&row).expect("reads").remove(0);
    let answer = |it: &Recorded| it.answer.clone().and_then(|answer| answer.text);
    assert_eq!((found.question.as_deref(), found.prompt.as_deref()), (Some("q"), Some("Say: a b")));
    assert_eq!((answer(&found).as_deref(), found.error.is_none()), (Some("64"), true));
    for row in [
        r#"{"query": {"query_id": 1, "content": "q"}, "contexts": ["a"], "prediction": {"content": "64"}}"#,
        r#"{"input": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "o"}, {"role": "user", "content": "q"}],
            "contexts": ["a"], "output": [{"role": "assistant", "content": "64"}]}"#,
        r#"{"input": [{"type": "human", "content": "q"}], "contexts": ["a"], "response": {"choices": [{"message": {"content": "64"}}]}}"#,
        r#"{"input": [{"speaker": "user", "text": "q"}], "contexts": {"sentences": ["a"]}, "predictions": [{"text": "64"}]}"#,
    ] {
        let found = all(&row.replace('\n', " ")).expect(row).remove(0);
        assert_eq!(
            (found.question.as_deref(), answer(&found).as_deref()),
            (Some("q"), Some("64")),
            "{row}"
        );
        assert_eq!(hits(&found), [&[hit("a")][..]], "{row}");
    }
}

#[test]
fn nan_is_an_error_only_where_it_is_read() {
    let read = all(r#"{"question": "q", "contexts": ["a"], "faithfulness": NaN}"#).expect("reads");
    assert_eq!(read[0].unread, ["faithfulness"]);
    let error = all(r#"{"question": "q", "contexts": [{"text": "a", "score": NaN}]}"#);
    assert!(error.expect_err("read").to_string().contains("`contexts[0].score`"));
    let error = all(r#"{"question": NaN, "contexts": ["a"]}"#).expect_err("no question");
    assert!(
        error.to_string().ends_with("no question that is a text; it has `question`, `contexts`"),
        "{error}"
    );
}

#[test]
fn rows_of_one_passage_each_are_one_record() {
    let row = |passage: &str, answer: &str| {
        format!(
            "{{\"qid\": 1, \"query\": \"q\", \"passage\": \"{passage}\", \"generated_answer\": {answer}}}\n"
        )
    };
    let joined =
        all(&[row("a", "\"x\""), row("b", "null"), row("c", "\"x\"")].concat()).expect("reads");
    assert_eq!(joined.len(), 1);
    assert_eq!(hits(&joined[0]), [&[hit("a"), hit("b"), hit("c")][..]]);
    let other = all(&[row("a", "\"x\""), row("b", "\"y\"")].concat());
    let error = other.expect_err("another answer is another run").to_string();
    assert_eq!(error, "`f.jsonl` line 2: duplicate question `1`");
}

#[test]
fn a_test_set_is_no_results_file() {
    use ragtriage_core::hint::Hint;
    for row in [
        r#"{"question": "q", "context": "a b", "gold_answer": "x"}"#,
        r#"{"question": "q", "reference_contexts": ["a b"], "reference": "x"}"#,
        r#"{"question": "q", "model_answer": "x"}"#,
    ] {
        let hint = all(row).expect_err(row).hint().expect("a hint");
        assert!(hint.contains("dataset anchor") && hint.contains("ragtriage score"), "{hint}");
    }
    let hint = all(r#"{"question": "q", "my_chunks": ["a b"], "answer": "x"}"#)
        .expect_err("unread")
        .hint();
    assert!(hint.expect("a hint").contains("`--map contexts=/my_chunks`"));
    let read =
        all(r#"{"question": "q", "contexts": ["a"], "final_reply_output": "x"}"#).expect("reads");
    assert_eq!(read[0].suggested[0].to_string(), "`--map answer=/final_reply_output`");
}

#[test]
fn lines_are_numbered_and_must_say_which_question_they_are() {
    let input =
        Input::new("f.jsonl", "{\"id\": 1, \"contexts\": []}\n\n{\"contexts\": []}\n".to_owned())
            .expect("text");
    let error = read(&input, Fields::standard()).expect_err("whose?").to_string();
    assert_eq!(error, "`f.jsonl` line 3: no question that is a text; it has `contexts`");
}

#[test]
fn a_context_of_ten_megabytes_is_read() {
    let text = "word ".repeat(2 << 20);
    let json = serde_json::json!({"id": 1, "contexts": [text]}).to_string();
    let read = line(&json).expect("reads");
    assert_eq!(hits(&read), [&[hit(&text)][..]]);
}

#[test]
fn a_question_of_two_rows_that_are_not_neighbours_is_refused_when_it_is_read() {
    let row = |id: u8| format!("{{\"id\": {id}, \"contexts\": [\"a\"]}}\n");
    let error = all(&[row(1), row(2), row(1)].concat()).expect_err("twice").to_string();
    assert_eq!(error, "`f.jsonl` line 3: duplicate question `1`");
    // Neighbours with a passage each are one question; a passage that it has already is none.
    let hits = |texts: &[&str]| {
        let rows = texts.iter().map(|it| format!("{{\"id\": 1, \"contexts\": [\"{it}\"]}}\n"));
        all(&rows.collect::<String>()).map(|read| hits(&read[0])[0].len()).ok()
    };
    assert_eq!((hits(&["a", "b", "c"]), hits(&["a", "b", "a"])), (Some(3), None));
}

#[test]
fn several_questions_in_a_row_are_no_question() {
    let fields = Fields::mapped(&["question=/questions/*".to_owned()]).expect("a field");
    let read = |row: &str| read(&Input::new("f", row.to_owned()).expect("text"), &fields);
    let one = read(r#"{"questions": ["one?"], "contexts": ["a"]}"#).expect("one");
    assert_eq!(one[0].question.as_deref(), Some("one?"));
    let row = r#"{"questions": ["one?", "two?"], "contexts": ["a"]}"#;
    let error = read(&format!("{row}\n{row}\n")).expect_err("two");
    let expected = "`f` line 1: no question that is a text; it has `questions`, `contexts`";
    assert_eq!(error.to_string(), expected);
}
