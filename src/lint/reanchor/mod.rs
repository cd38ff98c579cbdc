//! After documents were edited: where each piece of evidence stands now.
//!
//! A quote that still stands in its document is kept. One that stands in another document only has moved there. One whose
//! wording was edited is placed on the nearest stretch of its document ([`align`]), where that is near enough and clearly nearer
//! than any other, and only if the answers that the quote held still stand in it: a changed figure is a broken question, not
//! a new quote. Byte ranges say nothing without the text they were taken from: they are compared with the documents as they
//! were, where those are given. A document that is gone and whose quotes all stand in one other goes by that one's name.

use std::collections::BTreeMap;

use crate::dataset::LabelLine;
use crate::text::align;
use crate::text::answers::AnswerMatcher;
use crate::text::quote;
use crate::types::{ByteRange, DocId, Document};

/// An edited quote is placed where at least so large a share of its words still stands in order: with less, a stretch about
/// something else is as near.
const LEAST_LIKENESS: f64 = 0.6;
/// And where no other stretch of the document comes nearer to it than this.
const LEAST_LEAD: f64 = 0.15;

/// Documents by id.
#[derive(Clone, Debug, Default)]
pub struct Texts<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Texts<'a> {
    /// Those of `documents`.
    #[must_use]
    pub fn new(documents: &'a [Document]) -> Self {
        Self(documents.iter().map(|document| (document.id.as_str(), document.text.as_str())).collect())
    }

    /// The documents' ids, ascending.
    pub fn ids(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }

    /// The text of the document of that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&'a str> {
        self.0.get(id).copied()
    }

    /// The text of that document.
    #[must_use]
    pub fn of(&self, id: &DocId) -> Option<&'a str> {
        self.get(id.as_str())
    }

    /// The one document that `quote` stands in, other than `but`; none where it stands in several.
    fn only_holder(&self, quote: &str, but: &DocId) -> Option<DocId> {
        let mut holders =
            self.0.iter().filter(|(id, text)| **id != but.as_str() && quote::locate(text, quote).is_some());
        let first = holders.next().map(|(id, _)| DocId::from(*id));
        if holders.next().is_some() { None } else { first }
    }
}

/// What became of one piece of evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchored {
    /// The question.
    pub id: String,
    /// Its line, from 1.
    pub line: Option<usize>,
    /// The document it names.
    pub doc: DocId,
    /// The evidence as it was: a quote, or what stood at a range.
    pub quote: String,
    /// What was found.
    pub outcome: Outcome,
}

/// What became of a quote or range.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It stands where it stood.
    Kept,
    /// The same words in another document, or at other bytes of the same.
    Moved {
        /// The document they stand in now.
        doc: DocId,
    },
    /// It was edited.
    Edited {
        /// The document it stands in now.
        doc: DocId,
        /// How it reads now.
        quote: String,
        /// From 0 to 1, see [`align::Alignment`].
        likeness: f64,
    },
    /// It cannot be placed.
    Broken(Break),
}

/// Why a piece of evidence cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// Its document is gone, and no other holds it.
    DocumentGone,
    /// The document holds nothing like it.
    Gone {
        /// The nearest there is.
        nearest: Option<String>,
    },
    /// The nearest stretch no longer holds the answer.
    AnswerGone {
        /// That stretch.
        nearest: String,
    },
    /// It stands several times now, and nothing says which was meant.
    Several,
    /// One member of a group names one document, and its quotes stand in several now.
    Parted,
    /// A byte range, and nothing to say what stood there.
    RangeUnknown,
}

/// Says of each piece of evidence in `lines` where it stands in `now`, and lets the lines say so where that is another place.
/// `then`: the documents that the labels were made for; without them nothing is known of byte ranges.
pub fn reanchor(lines: &mut [LabelLine], now: &Texts<'_>, then: Option<&Texts<'_>>) -> Vec<Anchored> {
    let renames = renames(lines, now);
    let mut all = Vec::new();
    for line in lines {
        for number in 0..line.pieces.len() {
            let piece = line.pieces[number].clone();
            let doc = renames.get(&piece.doc).unwrap_or(&piece.doc);
            let place = Place { doc, answers: &line.answers, now };
            let quotes = piece.quotes.iter().map(|quote| (quote.clone(), place.quote(quote)));
            let ranges = piece.ranges.iter().map(|range| place.range(*range, &piece.doc, then));
            let mut placed: Vec<(String, Result<Target, Break>)> = quotes.chain(ranges).collect();
            let mut docs: Vec<&DocId> =
                placed.iter().filter_map(|(_, target)| target.as_ref().ok()).map(|to| &to.doc).collect();
            docs.dedup();
            if docs.len() > 1 {
                placed
                    .iter_mut()
                    .filter(|(_, target)| target.is_ok())
                    .for_each(|(_, target)| *target = Err(Break::Parted));
            } else if placed.iter().all(|(_, target)| target.is_ok()) {
                let targets: Vec<&Target> = placed.iter().flat_map(|(_, target)| target).collect();
                if let Some(first) = targets.first() {
                    let quotes = targets.iter().filter(|to| to.range.is_none()).map(|to| to.quote.clone()).collect();
                    let ranges = targets.iter().filter_map(|to| to.range).collect();
                    if (&first.doc, &quotes, &ranges) != (&piece.doc, &piece.quotes, &piece.ranges) {
                        line.set_piece(number, first.doc.clone(), quotes, ranges);
                    }
                }
            }
            all.extend(placed.into_iter().map(|(quote, target)| {
                let outcome = target.map_or_else(Outcome::Broken, |to| to.outcome(&piece.doc));
                Anchored { id: line.id.clone(), line: line.place.line, doc: piece.doc.clone(), quote, outcome }
            }));
        }
        for (from, to) in &renames {
            line.rename_relevant(from, to);
        }
    }
    all
}

/// Documents that are gone, each with the one other document that holds every quote of it that stands anywhere.
fn renames(lines: &[LabelLine], now: &Texts<'_>) -> BTreeMap<DocId, DocId> {
    let mut holders: BTreeMap<DocId, Option<DocId>> = BTreeMap::new();
    for piece in lines.iter().flat_map(|line| &line.pieces).filter(|piece| now.of(&piece.doc).is_none()) {
        for holder in piece.quotes.iter().filter_map(|quote| now.only_holder(quote, &piece.doc)) {
            let known = holders.entry(piece.doc.clone()).or_insert_with(|| Some(holder.clone()));
            if known.as_ref() != Some(&holder) {
                *known = None; // parted among several
            }
        }
    }
    holders.into_iter().filter_map(|(from, to)| Some((from, to?))).collect()
}

/// Where a piece of evidence stands now.
struct Target {
    doc: DocId,
    quote: String,
    /// Its bytes, where the label gives bytes.
    range: Option<ByteRange>,
    change: Change,
}

enum Change {
    None,
    Bytes,
    Words { likeness: f64 },
}

impl Target {
    fn outcome(self, was: &DocId) -> Outcome {
        match self.change {
            Change::Words { likeness } => Outcome::Edited { doc: self.doc, quote: self.quote, likeness },
            Change::None if self.doc == *was => Outcome::Kept,
            Change::None | Change::Bytes => Outcome::Moved { doc: self.doc },
        }
    }
}

/// Where to look.
struct Place<'a> {
    doc: &'a DocId,
    answers: &'a [String],
    now: &'a Texts<'a>,
}

impl Place<'_> {
    fn quote(&self, quote: &str) -> Result<Target, Break> {
        let here = |doc: DocId| Target { doc, quote: quote.to_owned(), range: None, change: Change::None };
        let text = self.now.of(self.doc);
        if text.is_some_and(|text| quote::locate(text, quote).is_some()) {
            return Ok(here(self.doc.clone()));
        }
        if let Some(doc) = self.now.only_holder(quote, self.doc) {
            return Ok(here(doc));
        }
        let (quote, _, likeness) = self.edited(text.ok_or(Break::DocumentGone)?, quote)?;
        Ok(Target { quote, change: Change::Words { likeness }, ..here(self.doc.clone()) })
    }

    /// A range of the document `was`, looked for as the text that stood there then; that text, and the place.
    fn range(&self, range: ByteRange, was: &DocId, then: Option<&Texts<'_>>) -> (String, Result<Target, Break>) {
        let before = then.and_then(|then| then.of(was));
        let piece = before.and_then(|before| before.get(range.as_range())).filter(|piece| !piece.trim().is_empty());
        match (before, piece) {
            (Some(before), Some(piece)) => (piece.to_owned(), self.piece(piece, range, before)),
            _ => (format!("bytes {} to {}", range.start, range.end), Err(Break::RangeUnknown)),
        }
    }

    fn piece(&self, piece: &str, range: ByteRange, before: &str) -> Result<Target, Break> {
        let text = self.now.of(self.doc).ok_or(Break::DocumentGone)?;
        let target = |range, quote: &str, change| {
            Ok(Target { doc: self.doc.clone(), quote: quote.to_owned(), range: Some(range), change })
        };
        let places: Vec<usize> = text.match_indices(piece).map(|(start, _)| start).collect();
        if places.is_empty() {
            let (quote, range, likeness) = self.edited(text, piece)?;
            return target(range, &quote, Change::Words { likeness });
        }
        // Of several places the one with as many before it as then, where their number is the same.
        let starts: Vec<usize> = before.match_indices(piece).map(|(start, _)| start).collect();
        let number = starts.iter().position(|start| *start == range.start);
        let start = match number {
            Some(number) if starts.len() == places.len() => places[number],
            _ if places.len() == 1 => places[0],
            _ => return Err(Break::Several),
        };
        let found = ByteRange::new(start, start + piece.len());
        target(found, piece, if found == range { Change::None } else { Change::Bytes })
    }

    /// The nearest stretch of `text`, its bytes, and how near it is.
    fn edited(&self, text: &str, quote: &str) -> Result<(String, ByteRange, f64), Break> {
        let found = align::nearest(text, quote).ok_or(Break::Gone { nearest: None })?;
        let nearest = text[found.range.as_range()].to_owned();
        if found.likeness < LEAST_LIKENESS || found.likeness - found.next < LEAST_LEAD {
            return Err(Break::Gone { nearest: Some(nearest) });
        }
        let answers = AnswerMatcher::new(self.answers);
        if answers.found_in_text(quote) && !answers.found_in_text(&nearest) {
            return Err(Break::AnswerGone { nearest });
        }
        Ok((nearest, found.range, found.likeness))
    }
}

#[cfg(test)]
mod tests;
