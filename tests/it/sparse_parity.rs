//! The sparse index against the tools that define its weightings: bm25s, `rank_bm25` and TF-IDF's formula in plain Python,
//! on `HotpotQA` and `SciFact` (in `datasets/fetched`; ignored if it is missing).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use flate2::read::GzDecoder;
use ragtriage_bm25::{Analysed, Bm25Parameters, SparseIndex, Weighting};
use ragtriage_core::config::{Bm25Settings, Bm25Variant};
use ragtriage_core::language::Language;
use ragtriage_core::text::analyse::{Analyzer, Stemmer, StopWords, Words};
use ragtriage_core::types::ChunkId;
use serde::Deserialize;
use serde_json::Value;

use crate::parity::fetched;
use crate::project::repository;

/// Per tool the best documents of every question, with their scores.
type Expected = BTreeMap<String, Vec<(Vec<u32>, Vec<f64>)>>;

/// Scores may differ by this much; documents whose scores do not differ by more are tied.
const TOLERANCE: f64 = 1e-4;

/// Documents and questions.
struct Texts {
    documents: Vec<String>,
    questions: Vec<String>,
}

fn hotpotqa(folder: &Path) -> Texts {
    #[derive(Deserialize)]
    struct Line {
        question: String,
        context: Vec<(String, Vec<String>)>,
    }
    let file = fs::read_to_string(folder.join("dev_distractor_400.json")).expect("fetched");
    let lines: Vec<Line> = serde_json::from_str(&file).expect("JSON");
    let (mut documents, mut known) = (Vec::new(), HashSet::new());
    for (title, sentences) in lines.iter().flat_map(|line| &line.context) {
        if known.insert(title) {
            documents.push(format!("{title} {}", sentences.concat()));
        }
    }
    let questions = lines.iter().map(|line| line.question.clone()).collect();
    Texts { documents, questions }
}

fn scifact(folder: &Path) -> Texts {
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("fetched");
    let lines = |name: &str| -> Vec<Value> {
        read(name).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let text = |line: &Value, field: &str| line[field].as_str().expect("text").to_owned();
    let qrels = read("qrels/test.tsv");
    let judged: Vec<&str> =
        qrels.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let documents = lines("corpus.jsonl");
    let documents =
        documents.iter().map(|line| format!("{} {}", text(line, "title"), text(line, "text")));
    let asked = lines("queries.jsonl");
    let asked = asked.iter().filter(|line| judged.contains(&text(line, "_id").as_str()));
    Texts {
        documents: documents.collect(),
        questions: asked.map(|line| text(line, "text")).collect(),
    }
}

fn weighting(tool: &str) -> Weighting {
    match tool.split(' ').next() {
        Some("tfidf") => Weighting::Tfidf,
        Some(name) => {
            let variant = Bm25Variant::named(name).expect("a variant");
            Weighting::Bm25(Bm25Parameters::new(&Bm25Settings {
                variant,
                ..Bm25Settings::default()
            }))
        }
        None => unreachable!("a split has a first part"),
    }
}

fn assert_same(of: &str, found: &[(u32, f64)], (documents, scores): &(Vec<u32>, Vec<f64>)) {
    // Documents that match no term are never found, and of those that match, none has less than 0 here.
    let n_positive = scores.iter().filter(|&&score| score > TOLERANCE).count();
    assert!(
        found.len() >= n_positive.min(documents.len()),
        "{of}: {found:?} is not {documents:?} {scores:?}"
    );
    let last = scores.last().expect("ten documents");
    for ((document, score), (expected_document, expected_score)) in
        found.iter().zip(documents.iter().zip(scores))
    {
        let near = |a: f64, b: f64| (a - b).abs() < TOLERANCE;
        assert!(
            near(*score, *expected_score),
            "{of}: {document} has {score}, {expected_document} {expected_score}"
        );
        match documents.iter().position(|known| known == document) {
            Some(place) => assert!(
                near(scores[place], *score),
                "{of}: {document} has {score}, not {}",
                scores[place]
            ),
            None => assert!(near(*score, *last), "{of}: {document} is not among {documents:?}"),
        }
    }
}

fn compare(name: &str, load: impl Fn(&Path) -> Texts) {
    let Texts { documents, questions } = load(&fetched(name));
    let file = fs::File::open(repository("tests/data/bm25/expected.json.gz")).expect("kept");
    let mut all: BTreeMap<String, Expected> =
        serde_json::from_reader(GzDecoder::new(file)).expect("JSON");
    let expected = all.remove(name).expect("a data set of the script");
    assert_eq!(expected.len(), 8);
    let analyzer =
        Analyzer::new(Words::Whitespace, true, StopWords::None, Stemmer::None, Language::english());
    let ids: Vec<ChunkId> =
        (0..documents.len()).map(|number| ChunkId::from(format!("{number:05}"))).collect();
    let questions: Vec<Vec<String>> =
        questions.iter().map(|question| analyzer.term_list(question)).collect();
    for (tool, expected) in expected {
        let source = Analysed {
            analyzer: &analyzer,
            text_of: |number: usize| Cow::Borrowed(&*documents[number]),
        };
        let index = SparseIndex::build(&weighting(&tool), ids.iter().cloned(), &source);
        assert_eq!(expected.len(), questions.len(), "{tool}");
        for (number, (question, expected)) in questions.iter().zip(&expected).enumerate() {
            assert_same(
                &format!("{name}, {tool}, question {number}"),
                &index.search(question, 10, None),
                expected,
            );
        }
    }
}

/// Expected: `tests/data/bm25/make.py` says which tool computed what.
#[test]
#[cfg_attr(
    not(has_data_hotpotqa),
    ignore = "needs datasets/fetched/hotpotqa: ragtriage dataset fetch hotpotqa"
)]
fn hotpotqa_is_ranked_as_the_reference_tools_rank_it() {
    compare("hotpotqa", hotpotqa);
}

/// Expected: `tests/data/bm25/make.py` says which tool computed what.
#[test]
#[cfg_attr(
    not(has_data_scifact),
    ignore = "needs datasets/fetched/scifact: ragtriage dataset fetch scifact"
)]
fn scifact_is_ranked_as_the_reference_tools_rank_it() {
    compare("scifact", scifact);
}
