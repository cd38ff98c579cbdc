//! Export of a loaded data set to the native format.
//!
//! The export is lossless: before the folder is renamed it is read back, and its digest must equal the data set's.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::dataset::digest;
use crate::dataset::error::Error;
use crate::dataset::jsonl::QUESTIONS;
use crate::dataset::line::{question_line, spaced, write_lines};
use crate::dataset::load::load;
use ragtriage_core::config::{DatasetSettings, Format, MissingEvidence};
use ragtriage_core::types::{Dataset, DocId, Document};

/// The result of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The digest, equal for the original and the export.
    pub digest: String,
    /// Labels that name documents missing from the corpus: the export loads with [`MissingEvidence::Keep`]
    /// only.
    pub n_missing: usize,
}

#[derive(Serialize)]
struct WrittenDocument<'a> {
    id: &'a DocId,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
    text: &'a str,
    /// In a separate object, so that a key may have any name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: &'a BTreeMap<String, Value>,
}

/// The texts of documents by id.
#[derive(Debug)]
pub struct DocumentTexts<'a>(HashMap<&'a str, &'a str>);

impl<'a> DocumentTexts<'a> {
    /// Indexes `documents`.
    #[must_use]
    pub fn new(documents: &'a [Document]) -> Self {
        Self(documents.iter().map(|it| (it.id.as_str(), it.text.as_str())).collect())
    }

    /// Returns the text of that document.
    #[must_use]
    pub fn of(&self, id: &DocId) -> Option<&'a str> {
        self.0.get(id.as_str()).copied()
    }
}

/// Writes `dataset` to the folder `to`, built in a temporary sibling folder and renamed at the end.
///
/// # Errors
/// A folder that exists; data that does not come back unchanged.
pub fn export(dataset: &Dataset, to: &Path) -> Result<Exported, Error> {
    // Without a trailing slash, which would put the temporary folder inside.
    let to: PathBuf = to.components().collect();
    if to.exists() {
        return Err(Error::unusable(
            format!("`{}` already exists", to.display()),
            "choose a new folder; existing files are not overwritten",
        ));
    }
    let texts = DocumentTexts::new(&dataset.documents);
    let mut partial = to.as_os_str().to_owned();
    partial.push(format!(".partial-{}", std::process::id()));
    let partial = Path::new(&partial);
    let written = write(dataset, &texts, partial)
        .map_err(Error::write(&to))
        .and_then(|()| read_back(dataset, partial))
        .and_then(|digest| fs::rename(partial, &to).map_err(Error::write(&to)).map(|()| digest));
    if written.is_err() {
        let _ = fs::remove_dir_all(partial); // half a data set is useless; the error is returned
    }
    let questions = &dataset.questions;
    let evidence = questions
        .iter()
        .flat_map(|question| question.evidence.iter().flatten())
        .map(|member| &member.doc);
    let named = evidence.chain(questions.iter().flat_map(|question| question.relevant.keys()));
    let n_missing = named.filter(|doc| texts.of(doc).is_none()).count();
    Ok(Exported { digest: written?, n_missing })
}

fn write(dataset: &Dataset, texts: &DocumentTexts<'_>, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let documents = dataset.documents.iter().map(|Document { id, title, text, metadata }| {
        spaced(&WrittenDocument { id, title, text, metadata })
    });
    write_lines(&folder.join("corpus.jsonl"), documents)?;
    let questions =
        dataset.questions.iter().map(|question| question_line(question, |doc| texts.of(doc)));
    write_lines(&folder.join(QUESTIONS), questions)
}

/// Reads the export and compares it with the original.
fn read_back(dataset: &Dataset, folder: &Path) -> Result<String, Error> {
    let spec = DatasetSettings {
        missing_evidence: Some(MissingEvidence::Keep),
        ..DatasetSettings::new(Format::Jsonl, folder)
    };
    let back = load(&spec).map_err(|error| changed(&error.to_string()))?;
    let digest = digest::digest(&dataset.documents, &dataset.questions);
    if back.digest == digest {
        return Ok(digest);
    }
    let mut documents = dataset.documents.iter().zip(&back.documents);
    let mut questions = dataset.questions.iter().zip(&back.questions);
    let document = documents.find(|(before, after)| before != after);
    let question = questions.find(|(before, after)| before != after);
    Err(match (document, question) {
        (Some((document, _)), _) => changed(&format!("document `{}` would change", document.id)),
        (None, Some((question, _))) => changed(&format!("question `{}` would change", question.id)),
        (None, None) => changed("its digest would change"),
    })
}

fn changed(what: &str) -> Error {
    Error::unusable(
        format!("format `jsonl` cannot hold this data set unchanged: {what}"),
        "fix the record named above; nothing was written",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::dataset::testing::with_files;
    use ragtriage_core::types::{Member, Question, QuestionKind, Split};

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

    /// Writes the set and loads what was written; returns the first error.
    fn there_and_back(before: &Dataset) -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("deep/set");
        let exported = export(before, &to)?;
        let missing_evidence = Some(MissingEvidence::Keep);
        let after = load(&DatasetSettings {
            missing_evidence,
            ..DatasetSettings::new(Format::Jsonl, &to)
        })?;
        assert_eq!(after.documents, before.documents);
        assert_eq!(after.questions, before.questions);
        assert_eq!((&after.digest, &exported.digest), (&before.digest, &before.digest));
        Ok(())
    }

    #[test]
    fn every_format_comes_back() {
        let cisi = [
            ("CISI.ALL", ".I 1\n.T\nA title\n.A\nDoe, J.\n.W\n The body\n.I 2\n.T\n.W\n"),
            ("CISI.QRY", ".I 1\n.W\nFirst?\n"),
            ("CISI.REL", "     1     1\t0\t0.000000\n     1     2\t0\t0.000000\n"),
        ];
        let beir = [
            ("corpus.jsonl", CORPUS),
            (
                "queries.jsonl",
                "{\"_id\": \"1\", \"text\": \"first\", \"metadata\": {\"13\": []}}\n",
            ),
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
    fn what_would_change_is_refused_and_nothing_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("set");
        let good = set(&[("corpus.jsonl", CORPUS), ("questions.jsonl", OWN)], Format::Jsonl);
        let mut tabs = good.clone();
        tabs.questions[0].id = "a\tb\r\n".into();
        assert!(export(&tabs, &folder.path().join("tabs")).is_ok());
        let mut without = good.clone();
        without.questions[1].kind = QuestionKind::Span;
        let error = export(&without, &to).expect_err("no answer");
        assert!(
            error.to_string().contains("(`u`): a `span` question needs at least one answer"),
            "{error}"
        );
        let mut spaced = good.clone();
        spaced.questions[0].answers[0].push(' ');
        let error = export(&spaced, &to).expect_err("readers trim");
        assert!(error.to_string().ends_with("question `q` would change"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "`tabs` alone");
        // `gone` is named by evidence and by `v`, `x` by a grade.
        assert_eq!(export(&good, &to).expect("written").n_missing, 3);
        let error = export(&good, &to).expect_err("there").to_string();
        assert!(error.ends_with("already exists"), "{error}");
    }

    #[test]
    fn a_slash_behind_the_folders_name_is_none_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let set = set(&[("corpus.jsonl", CORPUS), ("questions.jsonl", OWN)], Format::Jsonl);
        for name in ["a/", "b//", "c/."] {
            export(&set, &folder.path().join(name)).expect(name);
            assert!(export(&set, &folder.path().join(name)).is_err());
        }
        for name in ["a", "b", "c"] {
            assert_eq!(
                fs::read_dir(folder.path().join(name)).expect("there").count(),
                2,
                "two files"
            );
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
                let range = ragtriage_core::text::quote::trim(
                    &document.text,
                    (0, document.text.len()).into(),
                );
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
            let questions: Vec<Question> =
                questions.into_iter().enumerate().map(question).collect();
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
}
