//! TREC files: a run of documents, a run of chunks, and qrels, as `trec_eval` reads them.
//!
//! Columns are separated by white space, so white space and `%` inside an id are percent-encoded ([`mod@column`]).

use std::collections::HashSet;
use std::fmt::Write as _;

use ragtriage_core::text::column;
use ragtriage_core::types::StepHit;
use ragtriage_data::run::SavedRun;

/// `retrieval.trec`: the final ranking collapsed to documents, each with its first chunk's score.
#[must_use]
pub fn documents(run: &SavedRun) -> String {
    ranking(run, |hit| hit.id.doc())
}

/// `chunks.trec`: the final ranking of chunks.
#[must_use]
pub fn chunks(run: &SavedRun) -> String {
    ranking(run, |hit| hit.id.as_str())
}

/// The final ranking by `name`, each name once.
fn ranking(run: &SavedRun, name: fn(&StepHit) -> &str) -> String {
    let mut out = String::new();
    let tag = &run.manifest.name;
    for trace in &run.traces {
        let question = column::encode(trace.question.id.as_str());
        let hits = trace.final_ranking().map_or(&[][..], |step| &step.hits);
        let mut seen = HashSet::new();
        let hits = hits.iter().filter(|hit| seen.insert(name(hit)));
        for (rank, hit) in (1..).zip(hits) {
            let id = column::encode(name(hit));
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
