//! Finds the questions affected by a change to the documents.

use std::collections::BTreeSet;

use crate::{DocumentTexts, LabelLine, LabelMember};
use ragtriage_core::text::quote;
use ragtriage_core::types::DocId;

/// The effect of a change on a question, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    /// A document of its evidence is gone.
    DocumentGone,
    /// A quote of its evidence no longer occurs in its document.
    EvidenceGone,
    /// A quote of its evidence occurs now and did not before, or the bytes of a range changed.
    EvidenceNew,
    /// Another part of a document of its evidence was edited.
    DocumentEdited,
    /// A document judged for it without being evidence was edited or is gone.
    JudgedEdited,
}

impl Touch {
    /// Returns its name in reports.
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

/// A question affected by a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The question.
    pub id: String,
    /// The text of the question.
    pub text: String,
    /// The documents, each with its worst effect.
    pub documents: Vec<(DocId, Touch)>,
}

/// Returns the documents that differ between `then` and `now`: edited, removed and new ones,
/// ascending by id.
#[must_use]
pub fn documents<'a>(then: &DocumentTexts<'a>, now: &DocumentTexts<'a>) -> Vec<&'a str> {
    let ids: BTreeSet<&str> = then.ids().chain(now.ids()).collect();
    ids.into_iter().filter(|id| then.get(id) != now.get(id)).collect()
}

/// Returns the questions of `lines` that name a document which differs between `then` and `now`, in
/// their order.
#[must_use]
pub fn questions(
    lines: &[LabelLine],
    then: &DocumentTexts<'_>,
    now: &DocumentTexts<'_>,
) -> Vec<Touched> {
    lines
        .iter()
        .map(|line| Touched {
            id: line.id.clone(),
            text: line.text.clone(),
            documents: touched(line, then, now),
        })
        .filter(|question| !question.documents.is_empty())
        .collect()
}

fn touched(
    line: &LabelLine,
    then: &DocumentTexts<'_>,
    now: &DocumentTexts<'_>,
) -> Vec<(DocId, Touch)> {
    let mut documents: Vec<(DocId, Touch)> = Vec::new();
    let evidence = line.pieces.iter().filter_map(|piece| {
        let (before, after) = (then.of(&piece.doc), now.of(&piece.doc));
        Some((&piece.doc, touch(piece, before, after)?))
    });
    let judged = line
        .relevant
        .iter()
        .filter(|doc| line.pieces.iter().all(|piece| piece.doc != **doc))
        .filter(|doc| then.of(doc) != now.of(doc))
        .map(|doc| (doc, Touch::JudgedEdited));
    for (doc, touch) in evidence.chain(judged) {
        match documents.iter_mut().find(|(known, _)| known == doc) {
            Some((_, worst)) => *worst = touch.min(*worst),
            None => documents.push((doc.clone(), touch)),
        }
    }
    documents
}

fn touch(piece: &LabelMember, before: Option<&str>, after: Option<&str>) -> Option<Touch> {
    if before == after {
        return None;
    }
    let (before, Some(after)) = (before.unwrap_or_default(), after) else {
        return Some(Touch::DocumentGone);
    };
    let quotes = piece.quotes.iter().map(|quote| {
        let [was_found, is_found] = [before, after].map(|it| quote::locate(it, quote).is_some());
        (was_found, is_found)
    });
    let ranges = piece.ranges.iter().map(|range| {
        let [then, now] = [before, after].map(|text| text.get(range.as_range()));
        (then == now, now.is_some())
    });
    let worst = quotes.chain(ranges).filter_map(|found| match found {
        (_, false) => Some(Touch::EvidenceGone),
        (false, true) => Some(Touch::EvidenceNew),
        (true, true) => None,
    });
    worst.min().or(Some(Touch::DocumentEdited))
}
