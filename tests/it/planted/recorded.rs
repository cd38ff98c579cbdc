//! Planted faults through a results file: the run's own results imported, whole and with stages left out.
//!
//! With all stages every fault is named as in the run itself. Without some, the classes that these stages tell apart are
//! named and no other: the rest is `not_in_prompt` or, where not even the prompt is known, `unclear`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::mixed::mixture;
use super::seen;
use super::tally::assert_named;
use super::trial::Started;
use crate::round_trip::{import, results, write};

/// A stage of a line, by name.
fn stage<'l>(line: &'l Value, name: &str) -> &'l Value {
    let stages = line["stages"].as_array().expect("stages");
    stages.iter().find(|stage| stage["name"] == name).expect("recorded")
}

/// A line with these stages in place of its own.
fn with(line: &Value, stages: &[Value]) -> Value {
    let mut line = line.clone();
    let fields = line.as_object_mut().expect("an object");
    if fields.contains_key("stages") {
        fields.insert("stages".to_owned(), json!(stages));
    }
    line
}

/// Some stages of a line: `bm25` in reverse order, for a retriever whose order a reranker replaces.
struct Stages<'l>(&'l Value);

impl Stages<'_> {
    fn retriever(&self) -> Value {
        let mut stage = stage(self.0, "bm25").clone();
        let hits = stage["hits"].as_array_mut().expect("hits");
        hits.reverse();
        for hit in hits {
            hit.as_object_mut().expect("an object").remove("score");
        }
        stage["name"] = json!("vector_search");
        stage
    }

    fn reranked(&self) -> Value {
        let mut stage = stage(self.0, "bm25").clone();
        stage["name"] = json!("reranker");
        stage
    }

    fn packed(&self, k: bool) -> Value {
        let mut stage = stage(self.0, "packed").clone();
        if !k {
            stage.as_object_mut().expect("an object").remove("k");
        }
        stage
    }

    /// The prompt of the packed passages.
    fn prompt(&self, project: &BTreeMap<String, String>) -> Value {
        let hits = stage(self.0, "packed")["hits"].as_array().expect("hits");
        let texts =
            hits.iter().map(|hit| project[hit["chunk_id"].as_str().expect("an id")].as_str());
        json!(texts.collect::<Vec<_>>().join("\n\n"))
    }
}

/// What a record tells of the questions whose evidence one stage lost.
type Claims = [(&'static str, &'static str)];

/// Stages given, and what is reported where that differs from the fault.
struct Given {
    name: &'static str,
    line: fn(&Value, &BTreeMap<String, String>) -> Value,
    claims: &'static Claims,
}

/// Only with the text of a prompt can its tokens be compared with those that the server read.
const UNSEEN: (&str, &str) = ("not_packed +prompt_truncated", "wrong_answer/ignored_context");

const UNDELIVERED: [(&str, &str); 3] = [
    ("not_retrieved", "not_in_prompt"),
    ("ranked_low", "not_in_prompt"),
    ("not_packed", "not_in_prompt"),
];

const GIVEN: [Given; 6] = [
    Given {
        name: "retriever, reranked, packed with k",
        line: |line, _| {
            let stages = Stages(line);
            with(line, &[stages.retriever(), stages.reranked(), stages.packed(true)])
        },
        claims: &[UNSEEN],
    },
    Given {
        name: "retriever, reranked, packed",
        line: |line, _| {
            let stages = Stages(line);
            with(line, &[stages.retriever(), stages.reranked(), stages.packed(false)])
        },
        claims: &[("ranked_low", "not_in_prompt"), ("not_packed", "not_in_prompt"), UNSEEN],
    },
    Given {
        name: "retriever, packed",
        line: |line, _| {
            let stages = Stages(line);
            with(line, &[stages.retriever(), stages.packed(true)])
        },
        claims: &[("ranked_low", "not_in_prompt"), ("not_packed", "not_in_prompt"), UNSEEN],
    },
    Given {
        name: "contexts alone",
        line: |line, _| {
            let mut contexts = with(line, &[]);
            contexts["contexts"] = stage(line, "packed")["hits"].clone();
            contexts.as_object_mut().expect("an object").remove("stages");
            contexts
        },
        claims: &[UNDELIVERED[0], UNDELIVERED[1], UNDELIVERED[2], UNSEEN],
    },
    Given {
        name: "packed, prompt",
        line: |line, texts| {
            let stages = Stages(line);
            let mut given = with(line, &[stages.packed(false)]);
            given["prompt"] = stages.prompt(texts);
            given
        },
        claims: &UNDELIVERED,
    },
    Given {
        name: "retriever",
        line: |line, _| with(line, &[Stages(line).retriever()]),
        claims: &[
            ("split", "unclear"),
            ("ranked_low", "unclear"),
            ("not_packed", "unclear"),
            ("not_packed +prompt_truncated", "unclear"),
            ("wrong_answer/", "unclear"),
        ],
    },
];

fn claimed(label: &str, claims: &Claims) -> String {
    let told = claims
        .iter()
        .find(|(fault, _)| *fault == label || (fault.ends_with('/') && label.starts_with(fault)));
    match told {
        None => label.to_owned(),
        Some((_, told)) => (*told).to_owned(),
    }
}

#[test]
fn a_record_is_diagnosed_as_far_as_its_stages_tell_the_classes_apart() {
    let Started { project, expected, .. } = &mixture().start("own");
    let lines = results(project, "own");
    let mut texts = BTreeMap::new();
    for line in project.read("runs/own/passages.jsonl").lines() {
        let passage: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| passage[key].as_str().expect("a text").to_owned();
        texts.insert(text("id"), text("text"));
    }
    let mut table = vec!["stages given: classes reported".to_owned()];
    for (at, given) in GIVEN.iter().enumerate() {
        let name = format!("given-{at}");
        let record = lines.iter().map(|line| match line.get("stages") {
            Some(_) => (given.line)(line, &texts),
            None => with(line, &[]),
        });
        write(project, "record.jsonl", &record.collect::<Vec<_>>());
        let settings = ["c.toml"];
        import(project, ("record.jsonl", &name), &settings);
        let told = expected.iter().map(|(id, label)| (id.clone(), claimed(label, given.claims)));
        assert_named(project, &name, &told.collect());
        let classes = project.summary(&name)["classes"].clone();
        let classes = classes.as_object().expect("counts").iter();
        let lost = classes.filter(|(class, n)| {
            let is_loss = [
                "not_in_corpus",
                "split",
                "not_retrieved",
                "ranked_low",
                "not_packed",
                "wrong_answer",
                "not_in_prompt",
                "unclear",
            ];
            is_loss.contains(&class.as_str()) && **n != json!(0)
        });
        let lost: Vec<String> = lost.map(|(class, n)| format!("{class} {n}")).collect();
        table.push(format!("{}: {}", given.name, lost.join(", ")));
    }
    seen(&table.join("\n"));
}
