//! Pairs and documents in memory: what is anchored, what is left open, and bad input.

use super::*;
use crate::dataset::testing::with_files;
use crate::fields::Fields;
use crate::run::external::input::Input;
use ragtriage_core::config::Format;
use ragtriage_core::hint::Hint;

fn document(id: &str, text: &str) -> Document {
    Document {
        id: id.into(),
        title: String::new(),
        text: text.to_owned(),
        metadata: std::collections::BTreeMap::new(),
    }
}

fn documents() -> Vec<Document> {
    vec![
        document("oncall.md", "A silence lasts 4 hours at most. Renew it  early.\n"),
        document(
            "guides/retry.md",
            "Retries wait “30 seconds”. A retry is logged. It's never lost.",
        ),
    ]
}

fn read(text: &str) -> Result<Vec<QaPair>, Error> {
    let input = Input::new("qa.jsonl", text.to_owned())?;
    Ok(pairs(&input, Fields::standard(), AnswerField::Reference)?.0)
}

fn anchored(lines: &str) -> Anchored {
    anchor(&read(lines).expect("pairs"), &documents()).expect("documents")
}

/// The texts of its reference contexts.
fn texts(pair: &QaPair) -> Vec<String> {
    pair.contexts.iter().filter_map(|it| it.passage().text.map(str::to_owned)).collect()
}

/// The document and the quoted text of a question's only evidence.
fn quote(question: &Question) -> (String, String) {
    let member = &question.evidence[0][0];
    let all = documents();
    let document = all.iter().find(|it| it.id == member.doc).expect("known");
    (member.doc.to_string(), document.text[member.ranges[0].as_range()].to_owned())
}

fn refusal(text: &str) -> String {
    let error = read(text).expect_err("refused");
    assert!(error.hint().is_some(), "{error}");
    let text = error.to_string();
    text[text.find("` line").map_or(0, |at| at + 2)..].to_owned()
}

#[test]
fn an_answer_that_occurs_once_becomes_the_sentence_that_holds_it() {
    let found = anchored(
        "{\"id\": 1, \"question\": \"How long?\", \"answer\": \"Four hours\", \"reference\": [\"4 hours\"]}\n\
         {\"user_input\": \"How long do retries wait?\", \"ground_truth\": \"\\\"30 seconds\\\"\"}\n\
         {\"query\": \"Lost?\", \"golden_answers\": [\"It’s never  lost.\", \"never lost\"]}\n",
    );
    assert_eq!(found.unresolved, []);
    let quotes: Vec<_> = found.questions.iter().map(quote).collect();
    let of = |doc: &str, text: &str| (doc.to_owned(), text.to_owned());
    assert_eq!(
        quotes,
        [
            of("oncall.md", "A silence lasts 4 hours at most."),
            of("guides/retry.md", "Retries wait “30 seconds”."),
            of("guides/retry.md", "It's never lost."),
        ]
    );
    assert_eq!(found.questions[0].answers, ["4 hours"]);
    assert_eq!(found.questions[0].relevant, [("oncall.md".into(), 1)].into());
}

#[test]
fn an_answer_that_occurs_several_times_or_never_is_left_open_with_its_places() {
    let found = anchored(
        "{\"question\": \"What is logged?\", \"answer\": \"retry\"}\n\
         {\"question\": \"Where?\", \"answer\": \"a\"}\n\
         {\"question\": \"Is a retry logged?\", \"answer\": \"Yes\"}\n\
         {\"question\": \"How long does a silence last?\", \"answer\": \"five hours\"}\n\
         {\"question\": \"Renew?\"}\n\
         {\"question\": \"Which two?\", \"answer\": [\"4 hours\", \"30 seconds\"]}\n",
    );
    let seen: Vec<(Reason, usize, &str)> = found
        .unresolved
        .iter()
        .map(|it| {
            let first = it.places.first().map_or("", |place| place.sentence.as_str());
            (it.reason, it.n_found, first)
        })
        .collect();
    assert_eq!(
        seen,
        [
            (Reason::Several, 2, "A silence lasts 4 hours at most."),
            (Reason::YesNo, 0, ""),
            (Reason::Never, 0, ""),
            (Reason::NoAnswer, 0, ""),
            (Reason::Several, 2, "A silence lasts 4 hours at most."),
        ]
    );
    assert_eq!(found.questions.len(), 1);
}

#[test]
fn a_possessive_is_an_occurrence() {
    let texts = [document("a.md", "Sky grew. BSkyB and Sky’s board met.")];
    let question = |answer: &str| Question {
        answers: vec![answer.to_owned()],
        ..Question::new("q".into(), "?".to_owned())
    };
    let found = |answer: &str| Searched::new(&texts).anchor(&question(answer), None);
    assert!(matches!(found("Sky"), Anchor::Open { reason: Reason::Several, n_found: 2, .. }));
    assert!(matches!(found("BSkyB"), Anchor::Once { .. }));
}

#[test]
fn reference_contexts_are_groups_with_their_places_as_members() {
    let found = anchored(
        r#"[{"user_input": "Both?", "reference": "Four hours, and thirty seconds.", "reference_contexts":
             ["<1-hop>\n\nA silence lasts 4 hours at most.  Renew it early.", "<2-hop>\n\nIt's never lost."]},
            {"input": "One?", "expected_output": "30 seconds", "reference_contexts": ["Retries wait “30 seconds”. A retry is logged."]},
            {"query": "Whole?", "reference_answer": "x", "reference_contexts": ["oncall.md"]},
            {"query": "None?", "reference_answer": "x", "reference_contexts": ["It's never lost.", "Not in the documents at all."]}]"#,
    );
    let texts = |question: &Question| -> Vec<Vec<String>> {
        let all = documents();
        let text = |member: &Member| {
            let document = all.iter().find(|it| it.id == member.doc).expect("known");
            member
                .ranges
                .first()
                .map_or_else(String::new, |range| document.text[range.as_range()].to_owned())
        };
        question.evidence.iter().map(|group| group.iter().map(text).collect()).collect()
    };
    assert_eq!(
        texts(&found.questions[0]),
        [["A silence lasts 4 hours at most. Renew it  early."], ["It's never lost."]]
    );
    assert_eq!(
        texts(&found.questions[1]),
        [["Retries wait “30 seconds”."]],
        "the answer's sentence"
    );
    assert_eq!(texts(&found.questions[2]), [[""]], "a whole document");
    assert_eq!(found.unresolved[0].reason, Reason::NoContext);
    assert_eq!(found.unresolved[0].question.answers, ["x"]);
}

#[test]
fn a_generated_answer_is_never_the_reference() {
    let answers = |text: &str, answer| -> Vec<Vec<String>> {
        let input = Input::new("f", text.to_owned()).expect("text");
        let pairs = pairs(&input, Fields::standard(), answer).expect("pairs").0;
        pairs.into_iter().map(|pair| pair.answers).collect()
    };
    let table = "question,answer,ground_truth\na,9 hours,6 minutes\nb,14 days,\n";
    let expected = vec![vec!["6 minutes".to_owned()], vec![]];
    assert_eq!(answers(table, AnswerField::Reference), expected);
    assert_eq!(answers(table, AnswerField::Generated), expected);
    let alone = "question,answer\na,6 minutes\n";
    assert_eq!(answers(alone, AnswerField::Reference), [["6 minutes"]]);
    assert_eq!(answers(alone, AnswerField::Generated), [Vec::<String>::new()]);
    for name in [
        "expected_answer",
        "ground_truth_answer",
        "expectedAnswer",
        "generation_gt",
        "ideal_answer",
        "gold_answer",
        "correct_answer",
        "Ground Truth",
    ] {
        let text = format!("[{{\"question\": \"a\", \"{name}\": \"x\", \"answer\": \"y\"}}]");
        assert_eq!(answers(&text, AnswerField::Reference), [["x"]], "{name}");
    }
    let lists = "question,ground_truths\na,\"['5 minutes', 'five minutes']\"\n";
    assert_eq!(answers(lists, AnswerField::Reference), [["5 minutes", "five minutes"]]);
    let long = "question,reference\na,one two three four five six seven eight nine ten eleven twelve thirteen\n";
    let input = Input::new("f", long.to_owned()).expect("text");
    let pair = &pairs(&input, Fields::standard(), AnswerField::Reference).expect("pairs").0[0];
    assert_eq!(pair.question().kind, QuestionKind::Free);
}

#[test]
fn names_of_two_words_are_read_by_their_kind() {
    let pair = |key: &str, value: &str| {
        let text = format!("{{\"question\": \"q\", \"ground_truth\": \"y\", \"{key}\": {value}}}");
        let input = Input::new("f", text).expect("text");
        pairs(&input, Fields::standard(), AnswerField::Generated).expect("pairs").0.remove(0)
    };
    for key in [
        "predicted_answer",
        "model_response",
        "answer_llm",
        "agentAnswer",
        "rag_output",
        "bot_reply",
    ] {
        let text = format!("{{\"question\": \"q\", \"{key}\": \"x\"}}");
        let input = Input::new("f", text).expect("text");
        let error = pairs(&input, Fields::standard(), AnswerField::Reference).expect_err(key);
        assert!(error.to_string().contains("no reference answer"), "{key}: {error}");
        assert_eq!(pair(key, "\"x\"").answers, ["y"], "{key}");
    }
    for key in [
        "expected_context",
        "golden_passages",
        "relevant_chunks",
        "evidence_text",
        "supportingFacts",
    ] {
        assert_eq!(texts(&pair(key, "[\"a b\"]")), ["a b"], "{key}");
    }
    for key in ["retrieved_chunks", "context_precision", "model_context", "num_contexts"] {
        assert_eq!(texts(&pair(key, "[\"a b\"]")), Vec::<String>::new(), "{key}");
    }
}

#[test]
fn an_assertion_is_a_reference_only_if_it_is_a_plain_value() {
    let answers = |row: &str| -> Vec<String> {
        let input = Input::new("f", format!("{{\"question\": \"q\", {row}}}")).expect("text");
        pairs(&input, Fields::standard(), AnswerField::Generated)
            .expect("pairs")
            .0
            .remove(0)
            .answers
    };
    let none: [&str; 0] = [];
    for (expected, plain) in [
        ("python:file://eval.py", &none[..]),
        ("llm-rubric: is polite", &none),
        ("similar(0.8): x", &none),
        ("is-json", &none),
        ("equals: 6 minutes", &["6 minutes"]),
        ("icontains:6 minutes", &["6 minutes"]),
        ("6 minutes", &["6 minutes"]),
        ("The time is: 6 minutes", &["The time is: 6 minutes"]),
    ] {
        assert_eq!(answers(&format!("\"__expected\": \"{expected}\"")), plain, "{expected}");
        let both = format!("\"__expected\": \"{expected}\", \"correct_answer\": \"x\"");
        assert_eq!(answers(&both), ["x"]);
    }
    let assertions = r#""assert": [{"type": "regex", "value": "6.*"}, {"type": "contains", "value": "6 minutes"}]"#;
    assert_eq!(answers(assertions), ["6 minutes"]);
}

#[test]
fn passages_under_a_name_of_references_are_contexts_and_ids_are_documents() {
    let found = anchored(
        r#"[{"question": "a", "references": [{"content": "A silence lasts 4 hours at most.", "start_index": 0, "end_index": 32}]},
            {"question": "b", "answer": "30 seconds", "relevant_doc_ids": ["guides/retry"]},
            {"question": "c", "answer": "never lost", "relevant_doc_ids": ["unknown-1"]},
            {"question": "d", "answer": "x", "relevant_doc_ids": ["oncall", "guides/retry.txt"]},
            {"question": "e", "answer": "4 hours", "doc": "oncall"}]"#,
    );
    let quoted = |at: usize| quote(&found.questions[at]).1;
    assert_eq!(quoted(0), "A silence lasts 4 hours at most.");
    assert_eq!(found.questions[0].answers, Vec::<String>::new());
    assert_eq!(
        (quoted(1), quoted(2)),
        ("Retries wait “30 seconds”.".to_owned(), "It's never lost.".to_owned())
    );
    let docs: Vec<&str> = found.questions[3].evidence.iter().map(|it| it[0].doc.as_str()).collect();
    assert_eq!(docs, ["oncall.md", "guides/retry.md"]);
    assert_eq!(quoted(4), "A silence lasts 4 hours at most.");
    assert_eq!(found.notes[0].count, 1);
}

#[test]
fn keys_that_are_not_read_are_named_with_the_option_that_would_read_them() {
    let text = r#"{"question": "q", "answer": "x", "level": 1, "gold_pages_of_chunk": ["a b"], "chunk_score": "0.5"}"#;
    let input = Input::new("f", text.to_owned()).expect("text");
    let (_, notes) = pairs(&input, Fields::standard(), AnswerField::Reference).expect("pairs");
    assert_eq!(
        notes[0].what,
        "[line|lines] with keys that are not read: `chunk_score`, `gold_pages_of_chunk`, `level` (to read one: `--map reference_contexts=/gold_pages_of_chunk`)"
    );
}

#[test]
fn what_was_retrieved_is_never_evidence() {
    let contexts = |text: &str, answer| -> Vec<String> {
        let input = Input::new("f", text.to_owned()).expect("text");
        let pairs = pairs(&input, Fields::standard(), answer).expect("pairs").0;
        pairs.iter().flat_map(texts).collect()
    };
    let results = r#"{"question": "q", "contexts": ["a"], "answer": "x", "ground_truth": "y"}"#;
    let chain = r#"{"input": "q", "context": [{"page_content": "a"}], "answer": "x"}"#;
    let deep_eval = r#"{"input": "q", "actual_output": "x", "retrieval_context": ["a"], "context": ["b"], "expected_output": "y"}"#;
    let golden = r#"{"input": "q", "context": ["b"], "expected_output": "y"}"#;
    for text in [results, chain] {
        assert_eq!(contexts(text, AnswerField::Generated), Vec::<String>::new(), "{text}");
    }
    assert_eq!(contexts(results, AnswerField::Reference), Vec::<String>::new());
    assert_eq!(contexts(deep_eval, AnswerField::Generated), ["b"]);
    assert_eq!(contexts(golden, AnswerField::Reference), ["b"]);
}

#[test]
fn a_named_document_limits_the_search() {
    let found = anchored(
        "{\"question\": \"?\", \"answer\": \"it\", \"doc\": \"oncall.md\"}\n\
         {\"question\": \"??\", \"answer\": \"lost\", \"source\": \"/home/me/docs/guides/retry.md\"}\n\
         {\"question\": \"???\", \"answer\": \"a\", \"source\": \"handbook\"}\n",
    );
    let docs: Vec<_> = found.questions.iter().map(|it| quote(it).0).collect();
    assert_eq!(docs, ["oncall.md", "guides/retry.md"]);
    assert_eq!((found.unresolved[0].n_found, found.notes[0].count), (2, 1));
    let wrong = read("{\"question\": \"?\", \"answer\": \"it\", \"doc\": \"oncal.md\"}");
    let error = anchor(&wrong.expect("pairs"), &documents()).expect_err("unknown");
    assert!(error.to_string().contains("line 1"), "{error}");
    assert!(error.hint().expect("a hint").starts_with("did you mean `oncall.md`?"));
}

#[test]
fn a_record_that_is_no_pair_is_named_by_its_line() {
    let cases = [
        (
            "{\"question\": \"?\", \"answer\": \"x\"}\n{\"question\": [1], \"answer\": \"y\"}",
            "line 2: no question that is a text; it has `question`, `answer`",
        ),
        ("{\"q\": \"?\"}", "line 1: neither a question nor a list of rows; it has `q`"),
        ("{\"question\": \"?\"}", "line 1: no reference answer; it has `question`"),
        (
            "{\"question\": \"?\", \"answer\": true}",
            "line 1: `reference` must be a string or a list of strings; it has `question`, `answer`",
        ),
        (
            "{\"id\": 1, \"question\": \"?\", \"answer\": \"a\"}\n{\"id\": \"1\", \"question\": \"??\"}",
            "line 2: duplicate question `1`",
        ),
        (
            "{\"question\": \"?\", \"answer\": \"a\"}\n{\"question\": \"?\", \"answer\": \"b\"}",
            "line 2: an earlier line has other answers or another document for `?`",
        ),
        ("[1]", "line 1 column 1: not a JSON object: invalid type: integer `1`, expected a map"),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(text), expected);
    }
    assert!(read("").expect_err("empty").to_string().ends_with("has no line with data"));
}

#[test]
fn a_question_without_an_id_that_comes_twice_is_read_once() {
    let line = "{\"question\": \"?\", \"answer\": \"x\"}\n";
    assert_eq!(read(&line.repeat(2)).expect("pairs").len(), 1);
}

#[test]
fn unresolved_questions_read_back_for_labelling_with_their_places() {
    let found = anchored(
        "{\"id\": \"q\", \"question\": \"Which two?\", \"answer\": [\"4 hours\", \"30 seconds\"]}\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("unresolved.jsonl");
    let labelled = folder.path().join("questions.jsonl");
    let mut file = Appended::open(&labelled).expect("no file yet");
    write_unresolved(&path, &found.unresolved, &file).expect("written");
    let other = anchored("{\"question\": \"Other?\", \"answer\": \"nowhere\"}\n").unresolved;
    write_unresolved(&path, &other, &file).expect("added");
    // `A silence lasts ` has 16 bytes, `4 hours` 7; `Retries wait ` has 13, `“30 seconds”` 3 + 10 + 3.
    let places =
        vec![("oncall.md".into(), (16, 23).into()), ("guides/retry.md".into(), (13, 29).into())];
    let corpus = "{\"id\": \"a\", \"text\": \"x\"}\n";
    with_files(&[("corpus.jsonl", corpus)], Format::Jsonl, |spec| {
        let (asked, candidates) = crate::dataset::asked(spec, &path).expect("loads");
        assert_eq!(asked.questions.len(), 2, "the open question of an earlier file stays");
        assert_eq!(asked.questions[0].answers, ["4 hours", "30 seconds"]);
        assert_eq!(candidates[&"q".into()], places);
    });
    for question in [&found.unresolved[0], &other[0]].map(|it| &it.question) {
        let line = format!("{{\"id\": \"{}\", \"text\": \"{}\"}}", question.id, question.text);
        file.append(question, &line).expect("labelled");
    }
    write_unresolved(&path, &[], &file).expect("none is open");
    assert!(!path.exists());
    let wrong = folder.path().join("wrong.jsonl");
    std::fs::write(&wrong, "{\"id\": \"q\", \"text\": \"?\", \"places\": [{\"doc\": \"a\"}]}")
        .expect("written");
    with_files(&[("corpus.jsonl", corpus)], Format::Jsonl, |spec| {
        let error = crate::dataset::asked(spec, &wrong).expect_err("refused").to_string();
        assert!(error.contains("line 1 (`q`): `places[0]`: missing field `range`"), "{error}");
    });
}

#[test]
fn reference_contexts_with_offsets_are_at_these_in_the_document_that_they_name() {
    let object = |fields: &str| format!(r#"{{"doc_id": "/docs/a.md", {fields}}}"#);
    let documents = [document("a.md", "Off. “Äh” On. Off."), document("b.md", "Off. Other text.")];
    let place = |key: &str, fields: &str| {
        let row = format!(r#"{{"question": "?", "answer": "x", "{key}": [{}]}}"#, object(fields));
        let found = anchor(&read(&row).expect("pairs"), &documents).expect("documents");
        let member = |it: &Member| (it.doc.to_string(), it.ranges.clone());
        found.questions[0].evidence[0].iter().map(member).collect::<Vec<_>>()
    };
    let at = |start, end| vec![("a.md".to_owned(), vec![ByteRange::new(start, end)])];
    // `Off. “Äh” On. ` has 14 code points and 19 bytes.
    for key in ["reference_contexts", "references"] {
        let offsets = r#""start": 14, "end": 18"#;
        assert_eq!(place(key, &format!(r#""text": "Off.", {offsets}"#)), at(19, 23), "{key}");
        assert_eq!(place(key, r#""text": "Off.", "start": 17, "end": 21"#), at(19, 23), "{key}");
        assert_eq!(place(key, r#""start": 0, "end": 4"#), at(0, 4), "{key}");
    }
    let whole = vec![("a.md".to_owned(), Vec::new())];
    assert_eq!(place("reference_contexts", r#""title": "T""#), whole);
}

#[test]
fn a_row_that_says_that_it_has_no_answer_is_unanswerable() {
    let found = anchored(r#"{"question": "?", "reference": "4 hours", "answerable": false}"#);
    let question = &found.questions[0];
    assert_eq!(question.kind, QuestionKind::Unanswerable);
    assert!(question.answers.is_empty() && question.evidence.is_empty());
}
