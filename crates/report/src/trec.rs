//! TREC files: a run of documents, and qrels, as `trec_eval` reads them.
//!
//! Columns are separated by white space, so white space and `%` inside an id are percent-encoded ([`mod@column`]).

use std::collections::HashSet;
use std::fmt::Write as _;

use ragtriage_core::text::column;
use ragtriage_data::run::SavedRun;

/// `retrieval.trec`: the final ranking collapsed to documents, each with its first chunk's score.
#[must_use]
pub fn documents(run: &SavedRun) -> String {
    let mut out = String::new();
    let tag = &run.manifest.name;
    for trace in &run.traces {
        let question = column::encode(trace.question.id.as_str());
        let hits = trace.final_ranking().map_or(&[][..], |step| &step.hits);
        let mut seen = HashSet::new();
        let hits = hits.iter().filter(|hit| seen.insert(hit.id.doc()));
        for (rank, hit) in (1..).zip(hits) {
            let id = column::encode(hit.id.doc());
            let _ = writeln!(out, "{question} Q0 {id} {rank} {} {tag}", hit.score);
        }
    }
    out
}

/// `qrels.trec`: every judged document of every question.
#[must_use]
pub fn qrels(run: &SavedRun) -> String {
    let mut out = String::new();
    for trace in &run.traces {
        for (doc, grade) in &trace.question.relevant {
            let _ = writeln!(
                out,
                "{} 0 {} {grade}",
                column::encode(trace.question.id.as_str()),
                column::encode(doc.as_str())
            );
        }
    }
    out
}
