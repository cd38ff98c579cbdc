//! Labels after an edit of the documents as data: unchanged, found elsewhere, or broken.

use std::fmt::Write as _;

use serde::Serialize;

use crate::document::{Element, Entry, Fact, Report};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::sanitize::{one_line, shortened};
use ragtriage_datasets::lint::changed::Touched;
use ragtriage_datasets::lint::reanchor::{AnchorOutcome, Anchored, Break};

/// Most characters of a quote.
const SHOWN: usize = 90;

/// All pieces of evidence, for JSON and for people.
#[derive(Clone, Debug, Serialize)]
pub struct AnchorsView {
    /// Unchanged pieces.
    pub kept: usize,
    /// Pieces found elsewhere, or in other words.
    pub placed: usize,
    /// Pieces that could not be placed.
    pub broken: usize,
    /// The questions with a broken one, each once.
    pub broken_questions: Vec<String>,
    /// All that changed.
    pub pieces: Vec<PieceView>,
}

/// A changed piece of evidence.
#[derive(Clone, Debug, Serialize)]
pub struct PieceView {
    /// The question.
    pub id: String,
    /// Its line in questions.jsonl.
    pub line: Option<usize>,
    /// `moved`, `edited` or `broken`.
    pub outcome: &'static str,
    /// The document the label names.
    pub doc: String,
    /// The document that holds it now, where it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now_in: Option<String>,
    /// The evidence as it was.
    pub quote: String,
    /// Its present wording, or the nearest text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Share of words in place, of an edited one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likeness: Option<f64>,
    /// The reason, if it is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

/// Summarises the outcomes.
#[must_use]
pub fn view(all: &[Anchored]) -> AnchorsView {
    let pieces: Vec<PieceView> = all.iter().filter_map(piece).collect();
    let broken = pieces.iter().filter(|piece| piece.outcome == "broken");
    let mut broken_questions: Vec<String> = broken.clone().map(|piece| piece.id.clone()).collect();
    broken_questions.dedup();
    let n_broken = broken.count();
    AnchorsView {
        kept: all.len() - pieces.len(),
        placed: pieces.len() - n_broken,
        broken: n_broken,
        broken_questions,
        pieces,
    }
}

fn piece(anchored: &Anchored) -> Option<PieceView> {
    let Anchored { id, line, doc, quote, outcome } = anchored;
    let blank = PieceView {
        id: id.clone(),
        line: *line,
        outcome: "broken",
        doc: doc.to_string(),
        now_in: None,
        quote: quote.clone(),
        nearest: None,
        likeness: None,
        why: None,
    };
    Some(match outcome {
        AnchorOutcome::Kept => return None,
        AnchorOutcome::Moved { doc: to } => {
            PieceView { outcome: "moved", now_in: Some(to.to_string()), ..blank }
        }
        AnchorOutcome::Edited { doc: to, quote, likeness } => PieceView {
            outcome: "edited",
            now_in: (to != doc).then(|| to.to_string()),
            nearest: Some(quote.clone()),
            likeness: Some(*likeness),
            ..blank
        },
        AnchorOutcome::Broken(why) => {
            let nearest = match why {
                Break::Gone { nearest } => nearest.clone(),
                Break::AnswerGone { nearest } => Some(nearest.clone()),
                Break::DocumentGone
                | Break::Several
                | Break::Beside
                | Break::Parted
                | Break::RangeUnknown => None,
            };
            PieceView { why: Some(reason(why)), nearest, ..blank }
        }
    })
}

fn reason(why: &Break) -> &'static str {
    match why {
        Break::DocumentGone => "its document is gone and no other contains it",
        Break::Gone { .. } => "its document has no similar text",
        Break::AnswerGone { .. } => {
            "the answer is no longer in it: correct the answer or the question"
        }
        Break::Several => {
            "it occurs several times now, or two passages are equally similar: extend the quote"
        }
        Break::Beside => {
            "found, but another quote of the same member was not: the member stays as it is"
        }
        Break::Parted => "its quotes are in several documents now",
        Break::RangeUnknown => "a byte range of documents whose earlier text is unknown",
    }
}

/// Builds the report. `is_written`: the questions' file was rewritten.
#[must_use]
pub fn report(anchors: &AnchorsView, is_written: bool) -> Report {
    let mut report = Report::new("ragtriage: labels after an edit");
    let pieces = anchors.kept + anchors.placed + anchors.broken;
    let placed = if is_written { "rewritten" } else { "to rewrite" };
    report.elements.push(Element::Verdict(format!(
        "{}: {} unchanged, {} {placed}, {} broken.",
        plural(pieces, "piece of evidence", "pieces of evidence"),
        thousands(anchors.kept),
        thousands(anchors.placed),
        thousands(anchors.broken)
    )));
    report.entries(anchors.pieces.iter().map(entry).collect());
    report
}

fn entry(piece: &PieceView) -> Entry {
    let line = piece.line.map_or_else(String::new, |line| format!(" (line {line})"));
    let nearest_label = if piece.outcome == "edited" { "now" } else { "nearest" };
    let nearest = piece.nearest.as_deref().map(|text| shortened(text, SHOWN));
    let facts = [
        ("why", piece.why.map(str::to_owned)),
        ("was", Some(shortened(&piece.quote, SHOWN))),
        (nearest_label, nearest),
        ("in", piece.now_in.clone()),
    ];
    Entry {
        title: format!("{} {}{line}, {}", piece.outcome, piece.id, piece.doc),
        facts: facts
            .into_iter()
            .filter_map(|(label, text)| Some(Fact::new(label, text?)))
            .collect(),
    }
}

/// Writes a line for each document of each question that a change touches, in columns separated by tabs: id, what happened,
/// document, question.
#[must_use]
pub fn render_changed(touched: &[Touched]) -> String {
    let mut out = String::new();
    for Touched { id, text, documents } in touched {
        for (doc, touch) in documents {
            let _ = writeln!(
                out,
                "{}\t{}\t{}\t{}",
                one_line(id),
                touch.name(),
                one_line(doc.as_str()),
                shortened(text, SHOWN)
            );
        }
    }
    out
}
