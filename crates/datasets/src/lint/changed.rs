//! Which questions a change to the documents touches.

use std::collections::BTreeSet;

use super::reanchor::Texts;
use crate::LabelLine;
use ragtriage_core::text::quote;
use ragtriage_core::types::DocId;

/// What a change does to a question, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    /// A document of its evidence is gone.
    DocumentGone,
    /// A quote of its evidence stands no longer in its document.
    EvidenceGone,
    /// A quote of its evidence stands there now and did not then, or a range's bytes hold something else.
    EvidenceNew,
    /// Another part of a document of its evidence was edited.
    DocumentEdited,
    /// A document that is merely judged for it was edited or is gone.
    JudgedEdited,
}

impl Touch {
    /// What reports say.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DocumentGone => "document gone",
            Self::EvidenceGone => "evidence gone",
            Self::EvidenceNew => "evidence new",
            Self::DocumentEdited => "document edited",
            Self::JudgedEdited => "judged document edited",
        }
    }
}

/// A question that a change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The question.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// The documents, each with the worst that happened there.
    pub documents: Vec<(DocId, Touch)>,
}

/// The documents that differ between `then` and `now`: edited, gone and new ones, ascending by id.
#[must_use]
pub fn documents<'a>(then: &Texts<'a>, now: &Texts<'a>) -> Vec<&'a str> {
    let ids: BTreeSet<&str> = then.ids().chain(now.ids()).collect();
    ids.into_iter()
        .filter(|id| then.get(id) != now.get(id))
        .collect()
}

/// The questions of `lines` that name a document which differs between `then` and `now`, in their order.
#[must_use]
pub fn questions(lines: &[LabelLine], then: &Texts<'_>, now: &Texts<'_>) -> Vec<Touched> {
    let touched = |line: &LabelLine| {
        let mut documents: Vec<(DocId, Touch)> = Vec::new();
        let mut add = |doc: &DocId, touch: Option<Touch>| {
            let Some(touch) = touch else { return };
            match documents.iter_mut().find(|(known, _)| known == doc) {
                Some((_, worst)) => *worst = touch.min(*worst),
                None => documents.push((doc.clone(), touch)),
            }
        };
        for piece in &line.pieces {
            let (before, after) = (then.of(&piece.doc), now.of(&piece.doc));
            let quotes = piece.quotes.iter().map(|quote| {
                let stands = |text: Option<&str>| {
                    text.is_some_and(|text| quote::locate(text, quote).is_some())
                };
                (stands(before), stands(after))
            });
            let ranges = piece.ranges.iter().map(|range| {
                let bytes = |text: Option<&'_ str>| {
                    text.and_then(|text| text.get(range.as_range()))
                        .map(str::to_owned)
                };
                (bytes(before) == bytes(after), bytes(after).is_some())
            });
            let worst = quotes
                .chain(ranges)
                .filter_map(|(stood, stands)| match (stood, stands) {
                    (_, false) => Some(Touch::EvidenceGone),
                    (false, true) => Some(Touch::EvidenceNew),
                    (true, true) => None,
                });
            let touch = match (before, after) {
                _ if before == after => None,
                (_, None) => Some(Touch::DocumentGone),
                _ => worst.min().or(Some(Touch::DocumentEdited)),
            };
            add(&piece.doc, touch);
        }
        for doc in &line.relevant {
            let is_evidence = line.pieces.iter().any(|piece| piece.doc == *doc);
            add(
                doc,
                (!is_evidence && then.of(doc) != now.of(doc)).then_some(Touch::JudgedEdited),
            );
        }
        let is_touched = !documents.is_empty();
        is_touched.then(|| Touched {
            id: line.id.clone(),
            text: line.text.clone(),
            documents,
        })
    };
    lines.iter().filter_map(touched).collect()
}
