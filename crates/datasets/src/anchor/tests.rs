//! Pairs and documents in memory: what is anchored, what is left open, and bad input.

use std::path::Path;

use super::*;
use crate::spec::tests::with_files;
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

fn read(name: &str, text: &str) -> Result<Vec<QaPair>, DatasetError> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(name), text).expect("written");
    pairs(&folder.path().join(name))
}

fn anchored(lines: &str) -> Anchored {
    anchor(&read("qa.jsonl", lines).expect("pairs"), &documents()).expect("documents")
}

/// The document and the quoted text of a question's only evidence.
fn quote(question: &Question) -> (String, String) {
    let member = &question.evidence[0][0];
    let all = documents();
    let document = all.iter().find(|it| it.id == member.doc).expect("known");
    (member.doc.to_string(), document.text[member.ranges[0].as_range()].to_owned())
}

fn refusal(name: &str, text: &str) -> String {
    let error = read(name, text).expect_err("refused");
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
fn different_answers_to_one_question_are_left_open_with_the_places_of_both() {
    let found = anchored(
        "{\"question\": \"How long?\", \"answer\": \"4 hours\"}\n\
         {\"question\": \"How long?\", \"answer\": \"30 seconds\"}\n\
         {\"question\": \"Where?\", \"answer\": \"logged\", \"doc\": \"oncall.md\"}\n\
         {\"question\": \"Where?\", \"answer\": \"logged\", \"doc\": \"guides/retry.md\"}\n\
         {\"question\": \"Lost?\", \"answers\": [\"never lost\", \"It's never lost\"]}\n\
         {\"question\": \"Lost?\"}\n\
         {\"question\": \"Lost?\", \"answers\": [\"It's never lost\", \"never lost\"]}\n",
    );
    let seen: Vec<(Reason, usize, usize)> =
        found.unresolved.iter().map(|it| (it.reason, it.n_found, it.places.len())).collect();
    assert_eq!(seen, [(Reason::Disputed, 2, 2), (Reason::Disputed, 1, 1)]);
    assert_eq!(found.unresolved[0].question.answers, ["4 hours", "30 seconds"]);
    // Repeated, and without an answer: one question.
    assert_eq!(found.questions.len(), 1);
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
            // An article is removed from both sides, and the question's only word does not occur.
            (Reason::Never, 0, ""),
            (Reason::YesNo, 0, "A retry is logged."),
            (Reason::Never, 0, "A silence lasts 4 hours at most."),
            (Reason::NoAnswer, 0, "Renew it  early."),
            (Reason::Several, 2, "A silence lasts 4 hours at most."),
        ]
    );
    assert_eq!(found.questions.len(), 1);
}

#[test]
fn a_named_document_limits_the_search() {
    let found = anchored(
        "{\"question\": \"?\", \"answer\": \"it\", \"doc\": \"oncall.md\"}\n\
         {\"question\": \"??\", \"answer\": \"it\", \"source\": \"/home/me/docs/guides/retry.md\"}\n\
         {\"question\": \"???\", \"answer\": \"it\", \"source\": \"handbook\"}\n",
    );
    let docs: Vec<_> = found.questions.iter().map(|it| quote(it).0).collect();
    assert_eq!(docs, ["oncall.md", "guides/retry.md"]);
    assert_eq!((found.unresolved[0].n_found, found.notes[0].count), (2, 1));
    let wrong =
        read("qa.jsonl", "{\"question\": \"?\", \"answer\": \"it\", \"doc\": \"oncal.md\"}");
    let error = anchor(&wrong.expect("pairs"), &documents()).expect_err("unknown");
    assert!(error.to_string().contains("line 1"), "{error}");
    assert!(error.hint().expect("a hint").starts_with("did you mean `oncall.md`?"));
}

#[test]
fn a_table_is_read_with_quoted_line_feeds_semicolons_and_a_byte_order_mark() {
    let of = |text: &str, name: &str| {
        let pairs = read(name, text).expect("pairs");
        let pair = pairs[0].question();
        (pair.id.to_string(), pair.text, pair.answers)
    };
    let expected = ("7".to_owned(), "How long,\nat most?".to_owned(), vec!["4; 5".to_owned()]);
    let comma = "\u{feff}id,question,answer\r\n7,\"How long,\nat most?\",4; 5\r\n";
    assert_eq!(of(comma, "qa.csv"), expected);
    assert_eq!(of("id;question;answer\n7;\"How long,\nat most?\";\"4; 5\"\n", "qa.CSV"), expected);
    assert_eq!(of("id\tquery\treference\n7\t\"How long,\nat most?\"\t4; 5\n", "qa.tsv"), expected);
    let list = of("question,golden_answers\nQ?,\"[\"\"a\"\", \"\"b\"\"]\"\n", "qa.csv");
    assert_eq!(list.2, ["a", "b"]);
}

#[test]
fn a_record_that_is_no_pair_is_named_by_its_line() {
    let cases = [
        (
            "qa.csv",
            "question,answer\n\"a\nb\",1\nc\n",
            "line 4: expected as many cells as the header has",
        ),
        (
            "qa.csv",
            "frage,answer\na,1\n",
            "line 1: `question` must be a column of the header (also `query`, `user_input`, `input` or `text`)",
        ),
        (
            "qa.csv",
            "question,antwort\na,1\n",
            "line 1: `answer` must be a column of the header (also `reference`, `ground_truth`, `golden_answers` or `expected_output`)",
        ),
        (
            "qa.csv",
            "question,answer,question\na,1,b\n",
            "line 1: expected each column once in the header",
        ),
        (
            "qa.csv",
            "question,answer\n,1\n",
            "line 2: `question` must be a string (also `query`, `user_input`, `input` or `text`)",
        ),
        ("qa.jsonl", "\n{\"question\": [1]}", "line 2: `question` must be a string"),
        (
            "qa.jsonl",
            "{\"question\": \"?\", \"answer\": {\"text\": \"x\"}}",
            "line 1: `answer` must be a string or a list of strings",
        ),
        (
            "qa.jsonl",
            "{\"id\": 1, \"question\": \"?\"}\n{\"id\": \"1\", \"question\": \"??\"}",
            "line 2: duplicate question `1`",
        ),
        (
            "qa.jsonl",
            "[1]",
            "line 1 column 1: invalid JSON: invalid type: sequence, expected a map",
        ),
    ];
    for (name, text, expected) in cases {
        assert_eq!(refusal(name, text), expected);
    }
    assert!(matches!(read("qa.csv", "question,answer\n"), Err(DatasetError::NoQuestions { .. })));
}

#[test]
fn a_question_without_an_id_that_comes_twice_is_read_once() {
    let line = "{\"question\": \"?\", \"answer\": \"x\"}\n";
    assert_eq!(read("qa.jsonl", &line.repeat(2)).expect("pairs").len(), 1);
}

#[test]
fn unresolved_questions_read_back_for_labelling_with_their_places() {
    let found = anchored(
        "{\"id\": \"q\", \"question\": \"Which two?\", \"answer\": [\"4 hours\", \"30 seconds\"]}\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("unresolved.jsonl");
    write_unresolved(&path, &found.unresolved).expect("written");
    // `A silence lasts ` has 16 bytes, `4 hours` 7; `Retries wait ` has 13, `“30 seconds”` 3 + 10 + 3.
    let places =
        vec![("oncall.md".into(), (16, 23).into()), ("guides/retry.md".into(), (13, 29).into())];
    assert_eq!(candidates(&path).expect("read"), [("q".into(), places)].into());
    let corpus = "{\"id\": \"a\", \"text\": \"x\"}\n";
    with_files(&[("corpus.jsonl", corpus)], Format::Jsonl, |spec| {
        let asked = crate::asked(spec, &path).expect("loads");
        assert_eq!(asked.questions[0].answers, ["4 hours", "30 seconds"]);
    });
    let wrong = folder.path().join("wrong.jsonl");
    std::fs::write(&wrong, "{\"id\": \"q\", \"text\": \"?\", \"places\": [{\"doc\": \"a\"}]}")
        .expect("written");
    let error = candidates(Path::new(&wrong)).expect_err("refused");
    assert!(error.to_string().contains("line 1: `places` must be a list of places"), "{error}");
}
