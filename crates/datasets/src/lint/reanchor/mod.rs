//! Relocates evidence after documents were edited.
//!
//! A quote that still occurs in its document exactly once, as whole words, is unchanged. An edited quote is placed on the nearest
//! stretch of its document ([`align`]) if that is near enough and clearly nearer than any other, and only if the answers and
//! required facts that the quote contained still occur in it: a changed figure is an invalid question, not a new quote. A quote
//! that is gone from its document and occurs in one other document has moved. Byte ranges cannot be relocated without the text
//! they were taken from: they are compared with the previous documents if those are given. A missing document is mapped to the one
//! other document that holds most of its quotes.

use std::collections::BTreeMap;

use crate::{DocumentTexts, LabelLine};
use ragtriage_core::text::align;
use ragtriage_core::text::answers::{AnswerMatcher, stands_in};
use ragtriage_core::text::quote::{self, one_spaced};
use ragtriage_core::types::{ByteRange, DocId};

/// An edited quote is placed if at least this share of its words still occurs in order; below it, unrelated stretches are
/// as near.
const LEAST_LIKENESS: f64 = 0.6;
/// Minimum lead of that stretch over every other stretch of the document.
const LEAST_LEAD: f64 = 0.15;
/// A quote of fewer words that is gone from its document may occur in another by chance.
const LEAST_WORDS: usize = 6;

/// Counts the occurrences of `quote` in `text`; 0 if it occurs only as part of longer words.
fn n_places(text: &str, quote: &str) -> usize {
    let n_found = quote::locate(text, quote).map_or(0, |located| located.n_found);
    if n_found > 0 && stands_in(&one_spaced(quote), &one_spaced(text)) { n_found } else { 0 }
}

/// The new position of one piece of evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchored {
    /// The question.
    pub id: String,
    /// Its line, from 1.
    pub line: Option<usize>,
    /// The document it names.
    pub doc: DocId,
    /// The previous evidence: a quote, or the text of a range.
    pub quote: String,
    /// The result.
    pub outcome: AnchorOutcome,
}

/// The result for a quote or range.
#[derive(Clone, Debug, PartialEq)]
pub enum AnchorOutcome {
    /// Unchanged position.
    Kept,
    /// Its words occur in another document, or at other bytes of the same document.
    Moved {
        /// The document that contains them now.
        doc: DocId,
    },
    /// It was edited.
    Edited {
        /// The document that contains it now.
        doc: DocId,
        /// Its present wording.
        quote: String,
        /// From 0 to 1, see [`align::Alignment`].
        likeness: f64,
    },
    /// It cannot be placed.
    Broken(Break),
}

/// A reason why a piece of evidence cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// Its document is gone, and no other contains it.
    DocumentGone,
    /// The document contains no similar text.
    Gone {
        /// The nearest text, if any.
        nearest: Option<String>,
    },
    /// The nearest stretch no longer contains the answer.
    AnswerGone {
        /// That stretch.
        nearest: String,
    },
    /// Ambiguous: it occurs several times now, or two stretches are equally near.
    Several,
    /// It was found; another quote of its member was not, so the member is unchanged.
    Beside,
    /// One member of a group names one document, and its quotes are now in several.
    Parted,
    /// A byte range whose previous text is unknown.
    RangeUnknown,
}

/// Locates each piece of evidence of `lines` in `now`, and updates the lines whose evidence has moved. `then`: the documents
/// that the labels were made for; without them byte ranges cannot be checked.
pub fn reanchor(
    lines: &mut [LabelLine],
    now: &DocumentTexts<'_>,
    then: Option<&DocumentTexts<'_>>,
) -> Vec<Anchored> {
    let renames = renames(lines, now);
    let mut all = Vec::new();
    for line in lines {
        for number in 0..line.pieces.len() {
            let piece = line.pieces[number].clone();
            let doc = renames.get(&piece.doc).unwrap_or(&piece.doc);
            let place = AnchorSearch { doc, golds: golds(line), now };
            let was = then.and_then(|then| then.of(&piece.doc));
            let quotes = piece.quotes.iter().map(|quote| (quote.clone(), place.quote(quote, was)));
            let ranges = piece.ranges.iter().map(|range| place.range(*range, &piece.doc, then));
            let mut placed: Vec<(String, Result<Anchor, Break>)> = quotes.chain(ranges).collect();
            let mut docs: Vec<&DocId> = placed
                .iter()
                .filter_map(|(_, target)| target.as_ref().ok())
                .map(|to| &to.doc)
                .collect();
            docs.dedup();
            let hinders = match (docs.len() > 1, placed.iter().any(|(_, target)| target.is_err())) {
                (true, _) => Some(Break::Parted),
                (false, true) => Some(Break::Beside),
                (false, false) => None,
            };
            if let Some(why) = hinders {
                for (_, target) in &mut placed {
                    if target.as_ref().is_ok_and(|to| to.is_new(&piece.doc)) {
                        *target = Err(why.clone());
                    }
                }
            } else {
                let targets: Vec<&Anchor> = placed.iter().flat_map(|(_, target)| target).collect();
                apply(line, number, &targets);
            }
            all.extend(placed.into_iter().map(|(quote, target)| {
                let outcome =
                    target.map_or_else(AnchorOutcome::Broken, |to| to.outcome(&piece.doc));
                Anchored {
                    id: line.id.clone(),
                    line: line.place.line,
                    doc: piece.doc.clone(),
                    quote,
                    outcome,
                }
            }));
        }
        for (from, to) in &renames {
            line.rename_relevant(from, to);
        }
    }
    all
}

/// Updates the piece's position, and copies the old document's relevance to the new one.
fn apply(line: &mut LabelLine, number: usize, targets: &[&Anchor]) {
    let Some(first) = targets.first() else { return };
    let quotes: Vec<String> =
        targets.iter().filter(|to| to.range.is_none()).map(|to| to.quote.clone()).collect();
    let ranges: Vec<ByteRange> = targets.iter().filter_map(|to| to.range).collect();
    let piece = line.pieces[number].clone();
    if (&first.doc, &quotes, &ranges) != (&piece.doc, &piece.quotes, &piece.ranges) {
        line.set_piece(number, first.doc.clone(), quotes, ranges);
        if first.doc != piece.doc {
            line.relevant_as(&piece.doc, &first.doc);
        }
    }
}

/// Returns the matchers that an edited quote must satisfy: answers, and each required fact.
fn golds(line: &LabelLine) -> Vec<AnswerMatcher> {
    let all = std::iter::once(&line.answers).chain(&line.required);
    all.filter(|wordings| !wordings.is_empty())
        .map(|wordings| AnswerMatcher::new(wordings))
        .collect()
}

/// Returns missing documents, each with the one other document that contains at least half of its quotes, if no other contains
/// any.
fn renames(lines: &[LabelLine], now: &DocumentTexts<'_>) -> BTreeMap<DocId, DocId> {
    let mut holders: BTreeMap<&DocId, Vec<Option<DocId>>> = BTreeMap::new();
    for piece in
        lines.iter().flat_map(|line| &line.pieces).filter(|piece| now.of(&piece.doc).is_none())
    {
        let of_piece = piece.quotes.iter().map(|quote| now.only_holder(quote, &piece.doc));
        holders.entry(&piece.doc).or_default().extend(of_piece);
    }
    let agreed = holders.into_iter().filter_map(|(from, found)| {
        let mut known = found.iter().flatten();
        let first = known.next()?;
        let is_most = 2 * found.iter().flatten().count() >= found.len();
        (is_most && known.all(|other| other == first)).then(|| (from.clone(), first.clone()))
    });
    agreed.collect()
}

/// The current position of a piece of evidence.
struct Anchor {
    doc: DocId,
    quote: String,
    /// Its byte range, if the label uses bytes.
    range: Option<ByteRange>,
    change: AnchorChange,
}

enum AnchorChange {
    None,
    Bytes,
    Words { likeness: f64 },
}

impl Anchor {
    /// Returns true if its position or wording differs from the label.
    fn is_new(&self, was: &DocId) -> bool {
        self.doc != *was || !matches!(self.change, AnchorChange::None)
    }

    fn outcome(self, was: &DocId) -> AnchorOutcome {
        match self.change {
            AnchorChange::Words { likeness } => {
                AnchorOutcome::Edited { doc: self.doc, quote: self.quote, likeness }
            }
            AnchorChange::None if self.doc == *was => AnchorOutcome::Kept,
            AnchorChange::None | AnchorChange::Bytes => AnchorOutcome::Moved { doc: self.doc },
        }
    }
}

/// A search for one piece of evidence.
struct AnchorSearch<'a, 't> {
    doc: &'a DocId,
    golds: Vec<AnswerMatcher>,
    now: &'a DocumentTexts<'t>,
}

impl AnchorSearch<'_, '_> {
    /// Locates a quote. `was`: the text that it was taken from, if known.
    fn quote(&self, quote: &str, was: Option<&str>) -> Result<Anchor, Break> {
        let here = Anchor {
            doc: self.doc.clone(),
            quote: quote.to_owned(),
            range: None,
            change: AnchorChange::None,
        };
        let Some(text) = self.now.of(self.doc) else {
            return self.elsewhere(here).ok_or(Break::DocumentGone);
        };
        match n_places(text, quote) {
            0 => {}
            1 => return Ok(here),
            // It had as many occurrences before, and the first one was used.
            n if was.is_some_and(|was| was == text || n_places(was, quote) == n) => {
                return Ok(here);
            }
            _ => return Err(Break::Several),
        }
        match self.edited(text, quote) {
            Ok((quote, _, likeness)) => {
                Ok(Anchor { quote, change: AnchorChange::Words { likeness }, ..here })
            }
            Err(why @ Break::Gone { .. }) if quote.split_whitespace().count() >= LEAST_WORDS => {
                self.elsewhere(here).ok_or(why)
            }
            Err(why) => Err(why),
        }
    }

    /// Returns `anchor` in the only other document that holds its quote.
    fn elsewhere(&self, anchor: Anchor) -> Option<Anchor> {
        let doc = self.now.only_holder(&anchor.quote, self.doc)?;
        Some(Anchor { doc, ..anchor })
    }

    /// Locates a range of the document `was` by its previous text; returns that text, and the position.
    fn range(
        &self,
        range: ByteRange,
        was: &DocId,
        then: Option<&DocumentTexts<'_>>,
    ) -> (String, Result<Anchor, Break>) {
        let before = then.and_then(|then| then.of(was));
        let piece = before
            .and_then(|before| before.get(range.as_range()))
            .filter(|piece| !piece.trim().is_empty());
        match (before, piece) {
            (Some(before), Some(piece)) => (piece.to_owned(), self.piece(piece, range, before)),
            _ => (format!("bytes {} to {}", range.start, range.end), Err(Break::RangeUnknown)),
        }
    }

    fn piece(&self, piece: &str, range: ByteRange, before: &str) -> Result<Anchor, Break> {
        let text = self.now.of(self.doc).ok_or(Break::DocumentGone)?;
        let places: Vec<usize> = text.match_indices(piece).map(|(start, _)| start).collect();
        if places.is_empty() {
            let (quote, range, likeness) = self.edited(text, piece)?;
            return Ok(Anchor {
                doc: self.doc.clone(),
                quote,
                range: Some(range),
                change: AnchorChange::Words { likeness },
            });
        }
        // Of several occurrences, selects the one with the same ordinal as before, if their number
        // is unchanged.
        let starts: Vec<usize> = before.match_indices(piece).map(|(start, _)| start).collect();
        let number = starts.iter().position(|start| *start == range.start);
        let start = match number {
            Some(number) if starts.len() == places.len() => places[number],
            _ if places.len() == 1 => places[0],
            _ => return Err(Break::Several),
        };
        let found = ByteRange::new(start, start + piece.len());
        Ok(Anchor {
            doc: self.doc.clone(),
            quote: piece.to_owned(),
            range: Some(found),
            change: if found == range { AnchorChange::None } else { AnchorChange::Bytes },
        })
    }

    /// Returns the nearest stretch of `text`, its byte range, and its similarity.
    fn edited(&self, text: &str, quote: &str) -> Result<(String, ByteRange, f64), Break> {
        let found = align::nearest(text, quote).ok_or(Break::Gone { nearest: None })?;
        let nearest = text[found.range.as_range()].to_owned();
        if found.likeness < LEAST_LIKENESS {
            return Err(Break::Gone { nearest: Some(nearest) });
        }
        if found.likeness - found.next < LEAST_LEAD {
            return Err(Break::Several);
        }
        if self.golds.iter().any(|gold| gold.found_in_text(quote) && !gold.found_in_text(&nearest))
        {
            return Err(Break::AnswerGone { nearest });
        }
        Ok((nearest, found.range, found.likeness))
    }
}

#[cfg(test)]
mod tests;
