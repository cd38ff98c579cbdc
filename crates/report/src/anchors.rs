//! What became of the labels after documents were edited.

use std::fmt::Write as _;

use serde::Serialize;

use ragtriage_core::text::numbers;
use ragtriage_core::text::sanitize::one_line;
use ragtriage_datasets::lint::changed::Touched;
use ragtriage_datasets::lint::reanchor::{AnchorOutcome, Anchored, Break};

/// Longest piece of a quote shown, in characters.
const SHOWN: usize = 90;

/// All pieces of evidence.
#[derive(Clone, Debug, Serialize)]
pub struct AnchorsView {
    /// How many stand where they stood.
    pub kept: usize,
    /// How many were found elsewhere, or in other words.
    pub placed: usize,
    /// How many could not be placed.
    pub broken: usize,
    /// The questions with a broken one, each once.
    pub broken_questions: Vec<String>,
    /// All that were not kept.
    pub pieces: Vec<PieceView>,
}

/// One that was not kept.
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
    /// The document it stands in now, where it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now_in: Option<String>,
    /// The evidence as it was.
    pub quote: String,
    /// As it reads now, or what comes nearest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Share of words in place, of an edited one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likeness: Option<f64>,
    /// Why it is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

/// Makes the view.
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
    let Anchored {
        id,
        line,
        doc,
        quote,
        outcome,
    } = anchored;
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
        AnchorOutcome::Moved { doc: to } => PieceView {
            outcome: "moved",
            now_in: Some(to.to_string()),
            ..blank
        },
        AnchorOutcome::Edited {
            doc: to,
            quote,
            likeness,
        } => PieceView {
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
            PieceView {
                why: Some(reason(why)),
                nearest,
                ..blank
            }
        }
    })
}

fn reason(why: &Break) -> &'static str {
    match why {
        Break::DocumentGone => "its document is gone and no other holds it",
        Break::Gone { .. } => "nothing near enough stands in its document",
        Break::AnswerGone { .. } => {
            "the answer no longer stands in it: mend the answer or the question"
        }
        Break::Several => {
            "it stands several times now, or two stretches are as near: quote more of it"
        }
        Break::Beside => {
            "found, but another quote of the same member was not: the member stays as it is"
        }
        Break::Parted => "its quotes stand in several documents now",
        Break::RangeUnknown => "a byte range: give --changed GITREF to see what it was",
    }
}

/// The view as text. `written`: the questions' file was rewritten.
#[must_use]
pub fn render(view: &AnchorsView, written: bool) -> String {
    let AnchorsView {
        kept,
        placed,
        broken,
        pieces,
        ..
    } = view;
    let mut out = String::new();
    for piece in pieces {
        let place = piece
            .line
            .map_or_else(String::new, |line| format!(" (line {line})"));
        let _ = writeln!(
            out,
            "{:<7} {}{place}, {}",
            piece.outcome,
            one_line(&piece.id),
            one_line(&piece.doc)
        );
        if let Some(why) = piece.why {
            let _ = writeln!(out, "        {why}");
        }
        let _ = writeln!(out, "        was  {}", shown(&piece.quote));
        if let Some(nearest) = &piece.nearest {
            let name = if piece.outcome == "edited" {
                "now "
            } else {
                "near"
            };
            let _ = writeln!(out, "        {name} {}", shown(nearest));
        }
        if let Some(now_in) = &piece.now_in {
            let _ = writeln!(out, "        in   {}", one_line(now_in));
        }
    }
    let pieces = kept + placed + broken;
    let done = if written { "rewritten" } else { "to rewrite" };
    let _ = writeln!(
        out,
        "{}: {} stand where they stood, {} {done}, {} broken",
        numbers::plural(pieces, "piece of evidence", "pieces of evidence"),
        numbers::thousands(*kept),
        numbers::thousands(*placed),
        numbers::thousands(*broken)
    );
    out
}

/// The questions a change touches, a line for each of its documents, in columns parted by tabs: id, what happened, document,
/// question.
#[must_use]
pub fn render_changed(touched: &[Touched]) -> String {
    let mut out = String::new();
    for Touched {
        id,
        text,
        documents,
    } in touched
    {
        for (doc, touch) in documents {
            let _ = writeln!(
                out,
                "{}\t{}\t{}\t{}",
                one_line(id),
                touch.name(),
                one_line(doc.as_str()),
                shown(text)
            );
        }
    }
    out
}

fn shown(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.into_owned(),
    }
}
