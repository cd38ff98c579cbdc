//! Anchoring: the reference answers of question-answer pairs are located in the documents and become gold evidence.
//!
//! [`pairs`] reads the pairs, [`anchor`] locates their answers. An answer that occurs at one place is evidence: the sentence that
//! holds it. All others are [`Unresolved`], with the places of the answer for an annotator. Nothing is guessed: of two places none
//! is chosen, and `yes` and `no` are never located.

mod pairs;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use pairs::Reference;
pub(super) use pairs::kind_of;
pub use pairs::{AnswerField, QaPair, pairs};

use crate::dataset::appended::Appended;
use crate::dataset::jsonl::QuestionRecord;
use crate::dataset::line::{Labels, json_line, write_lines};
use crate::dataset::read;
use crate::error::Error;
use ragtriage_core::attribute::place::{ForeignPassage, WordIndex, in_named};
use ragtriage_core::text::answer_index::{AnswerIndex, Occurrence};
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::text::sentences;
use ragtriage_core::types::{
    ByteRange, DocId, Document, DocumentNames, Member, Note, Question, QuestionKind,
};

/// Maximum number of candidate places of a question: an annotator reads each.
const MOST_PLACES: usize = 20;

/// The questions of a file of pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchored {
    /// Questions with evidence, in the order of the file.
    pub questions: Vec<Question>,
    /// Questions whose answer was found several times or never, in the order of the file.
    pub unresolved: Vec<Unresolved>,
    /// Accepted irregularities.
    pub notes: Vec<Note>,
}

/// The reason that an answer was not anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The answer occurs at several places.
    Several,
    /// The answer does not occur.
    Never,
    /// The answer is `yes` or `no`, which is nowhere evidence by itself.
    YesNo,
    /// The pair has no answer.
    NoAnswer,
    /// A reference context of the pair is in no document.
    NoContext,
}

impl Reason {
    /// Returns the reason as a report of several questions has it.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Several => "with the answer at several places",
            Self::Never => "with the answer in no document",
            Self::YesNo => "answered by yes or no",
            Self::NoAnswer => "without an answer",
            Self::NoContext => "with a reference context in no document (is one missing?)",
        }
    }
}

/// A question whose answer was not anchored.
#[derive(Clone, Debug, PartialEq)]
pub struct Unresolved {
    /// The question, without evidence.
    pub question: Question,
    /// The reason.
    pub reason: Reason,
    /// Number of occurrences of the answer.
    pub n_found: usize,
    /// The first occurrences.
    pub places: Vec<AnswerPlace>,
}

/// A candidate place of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerPlace {
    /// The document.
    pub doc: DocId,
    /// The words that the answer touches, in bytes.
    pub range: ByteRange,
    /// The text of the sentence.
    pub sentence: String,
}

/// The result for one question.
#[derive(Clone, Debug, PartialEq)]
pub enum Anchor {
    /// The answer occurs once.
    Once {
        /// The document.
        doc: DocId,
        /// The words that the answer touches.
        answer: ByteRange,
        /// The sentence that holds it; of an answer over several, all of them.
        sentence: ByteRange,
    },
    /// It is left to an annotator.
    Open {
        /// The reason.
        reason: Reason,
        /// Number of occurrences.
        n_found: usize,
        /// The first occurrences.
        places: Vec<AnswerPlace>,
    },
}

/// Locates the answers of `pairs` in `documents`.
///
/// # Errors
/// A pair whose `doc` is not among the documents.
pub fn anchor(pairs: &[QaPair], documents: &[Document]) -> Result<Anchored, Error> {
    let searched = Searched::new(documents);
    let names = DocumentNames::new(documents.iter().map(|document| &document.id));
    let mut out = Anchored::default();
    let mut n_elsewhere = 0;
    for pair in pairs {
        let contexts = pair.evidence(&names);
        // The answer is looked for in the only document that is named in place of a context.
        let only = contexts.first().filter(|_| contexts.len() == 1).and_then(|it| it.name());
        let within = pair.within(documents, &names)?.or_else(|| names.find(only?));
        n_elsewhere += usize::from(within.is_none() && contexts.is_empty() && pair.names_source());
        let mut question = pair.question();
        if question.kind == QuestionKind::Unanswerable {
            out.questions.push(question);
            continue;
        }
        let is_anchored = contexts.is_empty() || only.is_some();
        let anchor = is_anchored.then(|| searched.anchor(&question, within));
        let evidence = match &anchor {
            Some(Anchor::Once { doc, sentence, .. }) => {
                Some(vec![vec![Member { doc: doc.clone(), ranges: vec![*sentence] }]])
            }
            _ if contexts.is_empty() => None,
            _ => searched.contexts(&question, &contexts, &names),
        };
        let (reason, n_found, places) = match (evidence, anchor) {
            (Some(evidence), _) => {
                let docs = evidence.iter().flatten().map(|member| (member.doc.clone(), 1));
                question.relevant = docs.collect();
                question.evidence = evidence;
                out.questions.push(question);
                continue;
            }
            (None, Some(Anchor::Open { reason, n_found, places })) => (reason, n_found, places),
            (None, _) => (Reason::NoContext, 0, Vec::new()),
        };
        out.unresolved.push(Unresolved { question, reason, n_found, places });
    }
    if n_elsewhere > 0 {
        out.notes.push(Note {
            count: n_elsewhere,
            what: "[pair|pairs] whose source or gold ids are not documents, searched for in all documents"
                .to_owned(),
        });
    }
    Ok(out)
}

/// Documents, indexed once for all answers; their sentences are split when first needed.
pub struct Searched<'a> {
    documents: &'a [Document],
    index: AnswerIndex<'a>,
    /// Built for the first reference context.
    words: OnceCell<WordIndex>,
    sentences: Vec<OnceCell<Vec<ByteRange>>>,
}

impl<'a> Searched<'a> {
    /// Indexes `documents`.
    #[must_use]
    pub fn new(documents: &'a [Document]) -> Self {
        Self {
            documents,
            index: AnswerIndex::new(documents.iter().map(|document| document.text.as_str())),
            words: OnceCell::new(),
            sentences: documents.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// Locates the reference contexts of `question`: a group for each, with its places as members. If an answer occurs once in
    /// the only context, the evidence is its sentence. `None` if one is in no document.
    fn contexts(
        &self,
        question: &Question,
        contexts: &[&Reference],
        names: &DocumentNames,
    ) -> Option<Vec<Vec<Member>>> {
        let mut groups: Vec<Vec<Member>> = Vec::with_capacity(contexts.len());
        for context in contexts {
            let members = self.places(&context.passage(), names).into_iter();
            let sentence = |(number, range): (usize, ByteRange)| {
                if contexts.len() > 1 {
                    return range;
                }
                let within = &self.documents[number].text[range.as_range()];
                let answer = AnswerIndex::new(std::iter::once(within));
                let found = answer.find(&question.answers, None);
                match &found.places[..] {
                    [one] if found.n_found == 1 => {
                        let start = range.start + one.range.start;
                        let range = ByteRange::new(start, range.start + one.range.end);
                        self.sentence(Occurrence { text: number, range })
                    }
                    _ => range,
                }
            };
            let members: Vec<Member> = members
                .map(|(number, range)| Member {
                    doc: self.documents[number].id.clone(),
                    ranges: vec![sentence((number, range))],
                })
                .collect();
            if members.is_empty() {
                // Some sets name documents there.
                let named = &self.documents[names.find(context.name()?)?];
                groups.push(vec![Member { doc: named.id.clone(), ranges: Vec::new() }]);
            } else {
                groups.push(members);
            }
        }
        Some(groups)
    }

    /// Returns the places of `passage`, with the numbers of their documents: in the one that it names, else in all.
    fn places(
        &self,
        passage: &ForeignPassage<'_>,
        names: &DocumentNames,
    ) -> Vec<(usize, ByteRange)> {
        let named = passage.document.and_then(|name| names.find(name));
        let own = named.map(|number| (number, in_named(&self.documents[number], passage)));
        let found = match (own, passage.text) {
            (Some((number, ranges)), _) if !ranges.is_empty() => vec![(number, ranges)],
            (_, None) => Vec::new(),
            (_, Some(text)) => {
                let words = self.words.get_or_init(|| WordIndex::new(self.documents));
                words.find(self.documents, text, None)
            }
        };
        let each = |(number, ranges): (usize, Vec<ByteRange>)| {
            ranges.into_iter().map(move |range| (number, range))
        };
        found.into_iter().flat_map(each).collect()
    }

    /// Locates the answers of `question`, which are aliases; in the document of the number `within` only, if it is given.
    #[must_use]
    pub fn anchor(&self, question: &Question, within: Option<usize>) -> Anchor {
        let is_yes_no = |answer: &String| {
            let word = answer.trim_end_matches('.');
            word.eq_ignore_ascii_case("yes") || word.eq_ignore_ascii_case("no")
        };
        let nowhere = |reason| Anchor::Open { reason, n_found: 0, places: Vec::new() };
        if question.answers.is_empty() {
            nowhere(Reason::NoAnswer)
        } else if question.answers.iter().all(is_yes_no) {
            nowhere(Reason::YesNo)
        } else {
            // `Sky's` is a place of `Sky`.
            let wordings = question.answers.iter().flat_map(|it| [it.clone(), format!("{it}'s")]);
            let found = self.index.find(&wordings.collect::<Vec<String>>(), within);
            if let (1, [place]) = (found.n_found, &found.places[..]) {
                return Anchor::Once {
                    doc: self.documents[place.text].id.clone(),
                    answer: place.range,
                    sentence: self.sentence(*place),
                };
            }
            Anchor::Open {
                reason: if found.n_found == 0 { Reason::Never } else { Reason::Several },
                n_found: found.n_found,
                places: found.places.iter().take(MOST_PLACES).map(|it| self.shown(*it)).collect(),
            }
        }
    }

    fn shown(&self, place: Occurrence) -> AnswerPlace {
        let document = &self.documents[place.text];
        AnswerPlace {
            doc: document.id.clone(),
            range: place.range,
            sentence: document.text[self.sentence(place).as_range()].to_owned(),
        }
    }

    /// Returns the range from the first sentence that `place` touches to the last; the place itself if it touches none.
    fn sentence(&self, place: Occurrence) -> ByteRange {
        let all = self.sentences[place.text].get_or_init(|| {
            let pieces = sentences::split(&self.documents[place.text].text);
            pieces.into_iter().map(ByteRange::from).collect()
        });
        let first = all.partition_point(|sentence| sentence.end <= place.range.start);
        let touched = all[first..].iter().take_while(|it| it.start < place.range.end);
        touched.fold(place.range, |all, sentence| {
            ByteRange::new(all.start.min(sentence.start), all.end.max(sentence.end))
        })
    }
}

/// Returns a context without the mark `<1-hop>` that Ragas puts before it.
fn without_hop(context: &str) -> &str {
    let context = context.trim();
    let hop = context.strip_prefix('<').and_then(|rest| rest.split_once("-hop>"));
    match hop {
        Some((number, rest)) if number.bytes().all(|it| it.is_ascii_digit()) => rest.trim_start(),
        _ => context,
    }
}

/// A line of `unresolved.jsonl`: a question that labelling reads, with the reason and the candidate places.
#[derive(Serialize)]
struct UnresolvedLine<'a> {
    id: &'a str,
    text: &'a str,
    #[serde(flatten)]
    labels: Labels<'a>,
    reason: Reason,
    n_found: usize,
    places: &'a [AnswerPlace],
}

/// Writes `unresolved` to the file `path`, one question a line, after the earlier ones that `labelled` does not have yet. Without any, the
/// file is removed.
pub fn write_unresolved(
    path: &Path,
    unresolved: &[Unresolved],
    labelled: &Appended,
) -> Result<(), Error> {
    let mut earlier = Vec::new();
    if path.exists() {
        let again: HashSet<String> =
            unresolved.iter().map(|it| one_spaced(&it.question.text)).collect();
        read::lines(path, |place, line| {
            let text = one_spaced(&read::json::<QuestionRecord>(place, line)?.text);
            if !labelled.holds_text(&text) && !again.contains(&text) {
                earlier.push(line.to_owned());
            }
            Ok(())
        })?;
        if earlier.is_empty() && unresolved.is_empty() {
            return std::fs::remove_file(path).map_err(Error::io("write", path));
        }
    } else if unresolved.is_empty() {
        return Ok(());
    }
    let lines = unresolved.iter().map(|it| {
        json_line(&UnresolvedLine {
            id: it.question.id.as_str(),
            text: &it.question.text,
            labels: Labels::new(&it.question, |_| None),
            reason: it.reason,
            n_found: it.n_found,
            places: &it.places,
        })
    });
    write_lines(path, earlier.into_iter().chain(lines)).map_err(Error::io("write", path))
}
