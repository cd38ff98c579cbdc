//! TREC files: a run of documents, a run of chunks, and qrels, as `trec_eval` reads them.
//!
//! Columns are separated by white space, so white space and `%` inside an id are percent-encoded ([`mod@column`]).

use std::collections::HashSet;
use std::fmt::Write as _;

use ragtriage_core::text::column;
use ragtriage_core::types::StepHit;
use ragtriage_runs::SavedRun;

/// `retrieval.trec`: the final ranking collapsed to documents, each with its first chunk's score.
#[must_use]
pub fn documents(run: &SavedRun) -> String {
    let mut out = String::new();
    for trace in &run.traces {
        let hits = trace.final_ranking().map_or(&[][..], |step| &step.hits);
        let mut seen = HashSet::new();
        let first = hits.iter().filter(|hit| seen.insert(hit.id.doc()));
        for (at, hit) in first.enumerate() {
            line(
                &mut out,
                trace.question.id.as_str(),
                hit.id.doc(),
                at,
                hit.score,
                &run.manifest.name,
            );
        }
    }
    out
}

/// `chunks.trec`: the final ranking of chunks.
#[must_use]
pub fn chunks(run: &SavedRun) -> String {
    let mut out = String::new();
    for trace in &run.traces {
        let hits: &[StepHit] = trace.final_ranking().map_or(&[][..], |step| &step.hits);
        for (at, hit) in hits.iter().enumerate() {
            line(
                &mut out,
                trace.question.id.as_str(),
                hit.id.as_str(),
                at,
                hit.score,
                &run.manifest.name,
            );
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

fn line(out: &mut String, question: &str, id: &str, at: usize, score: f64, tag: &str) {
    let _ = writeln!(
        out,
        "{} Q0 {} {} {score} {tag}",
        column::encode(question),
        column::encode(id),
        at + 1
    );
}
