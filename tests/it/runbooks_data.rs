//! The shipped data set is what its README says: counts, lengths, links, quotes, the split. Read with nothing of ours but JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::project::repository;

fn documents() -> BTreeMap<String, String> {
    let entries = fs::read_dir(repository("datasets/runbooks/corpus")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("UTF-8"))
        })
        .collect()
}

fn questions() -> Vec<Value> {
    let text = fs::read_to_string(repository("datasets/runbooks/questions.jsonl")).expect("there");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The members of all groups: document and quotes.
fn members(question: &Value) -> Vec<(&str, Vec<&str>)> {
    let groups = question["evidence"].as_array().into_iter().flatten();
    let members = groups.flat_map(|group| group.as_array().into_iter().flatten());
    members
        .map(|member| (member["doc"].as_str().expect("a document"), strings(&member["quotes"])))
        .collect()
}

fn n_words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[test]
fn a_hundred_documents_have_the_lengths_of_life() {
    let documents = documents();
    let lengths: Vec<usize> = documents.values().map(|text| n_words(text)).collect();
    let between =
        |low: usize, high: usize| lengths.iter().filter(|n| (low..=high).contains(n)).count();
    assert_eq!(
        (documents.len(), between(120, 250), between(300, 600), between(900, 1800)),
        (100, 25, 50, 25)
    );
    assert!(lengths.iter().sum::<usize>() >= 40_000);
    let holding = |mark: &str| {
        documents
            .values()
            .filter(|text| text.lines().any(|line| line.trim_start().starts_with(mark)))
            .count()
    };
    assert!(
        holding("```") >= 40 && holding("| ") >= 60 && holding("1. ") >= 40,
        "code, tables and steps"
    );
}

#[test]
fn links_between_documents_lead_somewhere() {
    let documents = documents();
    let mut n_links = 0;
    for (name, text) in &documents {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !link.contains("://") && !target.is_empty() {
                assert!(documents.contains_key(target), "{name} links to {target}");
                n_links += 1;
            }
        }
    }
    assert!(n_links >= 100, "{n_links}");
}

#[test]
fn three_hundred_questions_have_the_kinds_and_tags_of_the_readme() {
    let questions = questions();
    let ids: BTreeSet<&str> =
        questions.iter().filter_map(|question| question["id"].as_str()).collect();
    assert_eq!((questions.len(), ids.len()), (300, 300));
    let two =
        |question: &Value| question["evidence"].as_array().is_some_and(|groups| groups.len() == 2);
    let of = |kind: &str, is_two: bool| {
        questions
            .iter()
            .filter(|question| question["kind"] == kind && two(question) == is_two)
            .count()
    };
    assert_eq!(
        (
            of("span", false),
            of("span", true),
            of("yes_no", false),
            of("free", false),
            of("unanswerable", false)
        ),
        (190, 30, 30, 25, 25)
    );
    let tagged = |tag: &str| {
        questions.iter().filter(|question| strings(&question["tags"]).contains(&tag)).count()
    };
    assert!(tagged("lexical_mismatch") >= 70, "{}", tagged("lexical_mismatch"));
    for tag in [
        "paraphrase",
        "multi_hop",
        "table",
        "code",
        "long_document",
        "superseded",
        "typo",
        "negation",
    ] {
        assert!(tagged(tag) >= 20, "{tag}: {}", tagged(tag));
    }
    let yes = questions.iter().filter(|question| strings(&question["answers"]) == ["yes"]).count();
    assert_eq!(yes, 15, "of 30");
    let free = questions.iter().filter(|question| question["kind"] == "free");
    assert!(
        free.clone().all(|question| !question["required"].as_array().expect("facts").is_empty())
    );
    assert!(
        free.clone().all(|question| !question["forbidden"].as_array().expect("facts").is_empty())
    );
    assert_eq!(free.count(), 25);
}

#[test]
fn every_quote_stands_once_in_its_document_and_most_documents_are_used() {
    let (documents, questions) = (documents(), questions());
    let mut used = BTreeSet::new();
    for question in &questions {
        for (doc, quotes) in members(question) {
            let text = documents.get(doc).unwrap_or_else(|| panic!("{}: no {doc}", question["id"]));
            assert!(
                !quotes.is_empty() && quotes.iter().all(|quote| text.matches(quote).count() == 1),
                "{}",
                question["id"]
            );
            assert_eq!(question["relevant"][doc], 3, "{}", question["id"]);
            used.insert(doc.to_owned());
            let is_long = n_words(text) >= 900;
            assert!(
                !is_long || strings(&question["tags"]).contains(&"long_document"),
                "{}",
                question["id"]
            );
        }
    }
    assert!(used.len() >= 75, "{}", used.len());
}

#[test]
fn the_split_is_even_in_kinds_and_tags_and_parts_no_document() {
    let questions = questions();
    let side = |question: &Value| question["split"] == "tune";
    assert_eq!(questions.iter().filter(|question| side(question)).count(), 150);
    let mut sides: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for question in &questions {
        for (doc, _) in members(question) {
            sides.entry(doc).or_default().insert(side(question));
        }
        let kind = question["kind"].as_str().expect("a kind").to_owned();
        for name in strings(&question["tags"]).into_iter().map(str::to_owned).chain([kind]) {
            counts.entry(name).or_default()[usize::from(side(question))] += 1;
        }
    }
    let parted: Vec<_> = sides.iter().filter(|(_, sides)| sides.len() == 2).collect();
    assert!(parted.is_empty(), "evidence on both sides: {parted:?}");
    for (name, [heldout, tune]) in counts {
        assert!(heldout.abs_diff(tune) <= 4, "{name}: {tune} tune, {heldout} held out");
    }
}
