//! Round trips of every format through every layout: the digest is unchanged.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::spec::tests::with_files;
use ragtriage_core::types::{Document, Member, Question, QuestionKind, Split};

const LAYOUTS: [ExportLayout<'static>; 2] =
    [ExportLayout::Jsonl, ExportLayout::Beir { split: "dev" }];

const HOTPOTQA: &str = r#"[{"_id": "5a", "question": "Which  of the two?", "answer": "no", "type": "comparison", "level": "hard",
 "supporting_facts": [["A &amp; B", 0], ["A &amp; B", 2], ["Gone", 0]],
 "context": [["A &amp; B", ["It is.", "", " It is."]], ["C\u2028c", [" é"]]]},
 {"_id": "5b", "question": "Who?", "answer": "Yes", "supporting_facts": [["C\u2028c", 0]], "context": []}]"#;
const SQUAD: &str = r#"{"version": "v2.0", "data": [{"title": "Zug_(city)", "paragraphs": [
 {"context": "Zug is Zug.\r\nIt has 日本 lakes.", "qas": [
  {"id": "1", "question": " What? ", "answers": [{"text": "Zug", "answer_start": 7}, {"text": "Zug", "answer_start": 0}]},
  {"id": "2", "question": "Why?", "is_impossible": true, "answers": []}]},
 {"context": "", "qas": []}]}]}"#;
const CORPUS: &str = "{\"_id\": \"a b\", \"title\": \"T\", \"text\": \"one\u{2028}\\nline \", \"metadata\": {\"_y\": [1.5, null], \"text\": \"x\"}}\n{\"_id\": \"c\", \"text\": \"\"}\n";
const OWN: &str = r#"{"id": "q", "text": "why?", "kind": "free", "answers": ["b", "a"], "evidence": [[{"doc": "a b", "quotes": ["one"]}, {"doc": "gone"}], {"doc": "c"}], "relevant": {"a b": 3, "c": 0, "x": -1}, "required": ["a", ["b", "c"]], "forbidden": [["d"]], "tags": ["t", "t"], "split": "heldout"}
{"id": "u", "text": "who?"}
{"id": 7, "text": "yes?", "answers": ["Yes"], "evidence": [{"doc": "c"}], "relevant": []}
{"id": "v", "text": "what?", "kind": "unanswerable", "relevant": ["gone"]}
"#;

fn set(files: &[(&str, &str)], format: Format) -> Dataset {
    let loaded = with_files(files, format, |spec| {
        spec.missing_evidence = Some(MissingEvidence::Keep);
        load(spec)
    });
    loaded.unwrap_or_else(|error| panic!("{format}: {error}"))
}

fn reload(folder: &Path, layout: ExportLayout<'_>) -> Dataset {
    let (format, split) = match layout {
        ExportLayout::Jsonl => (Format::Jsonl, None),
        ExportLayout::Beir { split } => (Format::Beir, Some(split.to_owned())),
    };
    let missing_evidence = Some(MissingEvidence::Keep);
    load(&DatasetSettings { split, missing_evidence, ..DatasetSettings::new(format, folder) })
        .expect("loads")
}

/// Writes each layout, and from that each layout again; returns the first error.
fn there_and_back(before: &Dataset) -> Result<(), DatasetError> {
    let folder = tempfile::tempdir().expect("a folder");
    for (i, first) in LAYOUTS.into_iter().enumerate() {
        let to = folder.path().join(format!("deep/{i}"));
        export(before, first, &to)?;
        let between = reload(&to, first);
        for (j, second) in LAYOUTS.into_iter().enumerate() {
            let to = folder.path().join(format!("{i}-{j}"));
            export(&between, second, &to)?;
            let after = reload(&to, second);
            assert_eq!(after.documents, before.documents);
            assert_eq!(after.questions, before.questions);
            assert_eq!(after.digest, before.digest);
        }
    }
    Ok(())
}

#[test]
fn every_format_comes_back_from_every_layout() {
    let cisi = [
        ("CISI.ALL", ".I 1\n.T\nA title\n.A\nDoe, J.\n.W\n The body\n.I 2\n.T\n.W\n"),
        ("CISI.QRY", ".I 1\n.W\nFirst?\n"),
        ("CISI.REL", "     1     1\t0\t0.000000\n     1     2\t0\t0.000000\n"),
    ];
    let beir = [
        ("corpus.jsonl", CORPUS),
        ("queries.jsonl", "{\"_id\": \"1\", \"text\": \"first\", \"metadata\": {\"13\": []}}\n"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\r\n1\ta b\t2\r\n1\tgone\t0\r\n"),
    ];
    let files = [
        ("corpus/x/a.md", "---\nteam: search\n---\r\n# A\r\n"),
        ("questions.jsonl", "{\"id\": 1, \"text\": \"?\"}"),
    ];
    let jsonl = [("corpus.jsonl", CORPUS), ("questions.jsonl", OWN)];
    let cases: [(&[(&str, &str)], Format); 6] = [
        (&[("dev.json", HOTPOTQA)], Format::Hotpotqa),
        (&[("dev.json", SQUAD)], Format::Squad),
        (&beir, Format::Beir),
        (&cisi, Format::Smart),
        (&jsonl, Format::Jsonl),
        (&files, Format::Files),
    ];
    for (files, format) in cases {
        there_and_back(&set(files, format)).unwrap_or_else(|error| panic!("{format}: {error}"));
    }
}

#[test]
fn other_tools_see_plain_queries_and_every_grade() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("set");
    let set = set(&[("corpus.jsonl", CORPUS), ("questions.jsonl", OWN)], Format::Jsonl);
    let exported = export(&set, ExportLayout::Beir { split: "test" }, &to).expect("written");
    // `u` and `7` have no judgment; `gone` is named by evidence and by `v`, `x` by a grade.
    assert_eq!(exported, Exported { digest: set.digest, n_unjudged: 2, n_missing: 3 });
    let text = |name: &str| fs::read_to_string(to.join(name)).expect("there");
    let qrels = "query-id\tcorpus-id\tscore\nq\ta b\t3\nq\tc\t0\nq\tx\t-1\nv\tgone\t1\n";
    assert_eq!(text("qrels/test.tsv"), qrels);
    let queries = text("queries.jsonl");
    assert_eq!(
        queries.lines().nth(1),
        Some(
            r#"{"_id": "u", "text": "who?", "metadata": {"ragtriage": {"kind": "free", "relevant": {}}}}"#
        )
    );
    assert_eq!(
        text("corpus.jsonl").lines().nth(1),
        Some(r#"{"_id": "c", "title": "", "text": "", "metadata": {}}"#)
    );
}

#[test]
fn a_query_that_another_split_judges_is_left_out_whatever_is_known_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("set");
    let set = set(&[("corpus.jsonl", CORPUS), ("questions.jsonl", OWN)], Format::Jsonl);
    export(&set, ExportLayout::Beir { split: "test" }, &to).expect("written");
    fs::write(to.join("qrels/dev.tsv"), "v\tc\t2\n").expect("written");
    let ids: Vec<String> = reload(&to, ExportLayout::Beir { split: "dev" })
        .questions
        .iter()
        .map(|question| question.id.to_string())
        .collect();
    assert_eq!(ids, ["u", "7", "v"], "`u` and `7` are judged by none");
}

#[test]
fn what_a_layout_cannot_hold_is_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("set");
    let good = set(&[("corpus.jsonl", CORPUS), ("questions.jsonl", OWN)], Format::Jsonl);
    for (id, split) in [("a\tb", "test"), (" a", "test"), ("a", "../x")] {
        let mut dataset = good.clone();
        dataset.questions[0].id = id.into();
        let refused = export(&dataset, ExportLayout::Beir { split }, &to);
        assert!(matches!(refused, Err(DatasetError::NoColumn { .. })), "{id:?}");
    }
    let mut tabs = good.clone();
    tabs.questions[0].id = "a\tb\r\n".into();
    assert!(export(&tabs, ExportLayout::Jsonl, &folder.path().join("tabs")).is_ok());
    let mut without = good.clone();
    without.questions[1].kind = QuestionKind::Span;
    let error = export(&without, ExportLayout::Jsonl, &to).expect_err("no answer");
    assert!(
        error.to_string().contains("(`u`): a `span` question needs at least one answer"),
        "{error}"
    );
    let mut spaced = good.clone();
    spaced.questions[0].answers[0].push(' ');
    let error = export(&spaced, ExportLayout::Jsonl, &to).expect_err("readers trim");
    assert!(error.to_string().ends_with("question `q` would change"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "`tabs` alone");
    export(&good, ExportLayout::Jsonl, &to).expect("written");
    assert!(matches!(export(&good, ExportLayout::Jsonl, &to), Err(DatasetError::Occupied { .. })));
}

#[test]
fn a_slash_behind_the_folders_name_is_none_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = set(&[("corpus.jsonl", CORPUS), ("questions.jsonl", OWN)], Format::Jsonl);
    for name in ["a/", "b//", "c/."] {
        export(&set, ExportLayout::Jsonl, &folder.path().join(name)).expect(name);
        assert!(matches!(
            export(&set, ExportLayout::Jsonl, &folder.path().join(name)),
            Err(DatasetError::Occupied { .. })
        ));
    }
    for name in ["a", "b", "c"] {
        assert_eq!(fs::read_dir(folder.path().join(name)).expect("there").count(), 2, "two files");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3);
}

/// Ids that a table can hold; texts with both kinds of line ends; random labels of existing and missing documents.
fn data_sets() -> impl Strategy<Value = Dataset> {
    let text = "[ab\u{e9}\u{65e5}\u{1f980} \r\n\t\"\\\\\u{2028}]{0,12}";
    let documents =
        prop::collection::btree_map("[a-c\u{e9}#/,]{1,3}", (text, text, 0..3_u64), 1..5);
    let labels =
        (0..4_usize, any::<[bool; 4]>(), -2..4_i32, prop::collection::vec("[a-c]{1,3}", 0..3));
    let questions = prop::collection::vec((text, labels), 1..6);
    (documents, questions).prop_map(|(documents, questions)| {
        let documents: Vec<Document> = documents
            .into_iter()
            .map(|(id, (title, text, year))| {
                let metadata = BTreeMap::from([
                    ("year".to_owned(), json!(year)),
                    (title.clone(), json!([text, year])),
                ]);
                Document { id: id.into(), title, text: format!("x{text}"), metadata }
            })
            .collect();
        let question = |(number, (text, (kind, flags, grade, words))): (usize, (String, _))| {
            let (kind, [gone, judged, split, tune]): (usize, [bool; 4]) = (kind, flags);
            let document = &documents[number % documents.len()];
            let words: Vec<String> = words;
            let kind = QuestionKind::ALL[kind];
            let range =
                ragtriage_core::text::quote::trim(&document.text, (0, document.text.len()).into());
            let member = Member { doc: document.id.clone(), ranges: vec![range] };
            let missing = Member { doc: "gone".into(), ranges: Vec::new() };
            let mut answers: Vec<String> = match kind {
                QuestionKind::Span => [&words[..], &["x".to_owned()]].concat(),
                QuestionKind::YesNo => vec!["NO".into()],
                QuestionKind::Free => words.clone(),
                QuestionKind::Unanswerable => Vec::new(),
            };
            answers.dedup();
            answers.sort();
            answers.dedup();
            let relevant = [(document.id.clone(), grade), ("gone".into(), 1)];
            Question {
                id: format!("{number}\u{e9}").into(),
                text: format!("?{}", text.trim_end()),
                kind,
                answers,
                evidence: if gone {
                    vec![vec![missing, member]]
                } else {
                    vec![vec![member]; words.len()]
                },
                relevant: relevant
                    .into_iter()
                    .skip(usize::from(!gone))
                    .filter(|_| judged)
                    .collect(),
                required: words.iter().map(|word| vec![word.clone(), word.clone()]).collect(),
                forbidden: words.iter().map(|word| vec![word.clone()]).collect(),
                tags: words,
                split: split.then_some(if tune { Split::Tune } else { Split::Heldout }),
            }
        };
        let questions: Vec<Question> = questions.into_iter().enumerate().map(question).collect();
        let digest = digest::digest(&documents, &questions);
        Dataset { documents, questions, notes: Vec::new(), digest }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_data_set_comes_back(set in data_sets()) {
        there_and_back(&set).expect("kept");
    }
}
