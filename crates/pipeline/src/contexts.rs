//! Maps the contexts of an external RAG to passages of the corpus.
//!
//! Each is located in a document, by its recorded range or its text (`locate.rs`), as
//! `<document>#<start>-<end>`: identical bytes always get the same id. A chunk of a run of ours retains its own id.
//!
//! A context that occurs in no document retains its text under `<document>#~<hash>` without document bytes, its document
//! being the one it names, else `external-<hash>`. If it contains the text of one of the question's gold ranges (equal up
//! to white space, on word boundaries: it was cleaned, or joined from several documents), it is located at that range, as
//! `<gold document>#<start>-<end>~<hash>`: the gold evidence was in the prompt. A gold range of fewer than
//! [`TELLING_WORDS`] words, or that is itself an answer, does not identify a document: it counts only if the context
//! names the document, or contains another gold range of it that does.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::locate::{Location, Locator};
use ragtriage_core::attribute::place::ForeignPassage;
use ragtriage_core::text::hex::hex;
use ragtriage_core::text::{answers, normalise, quote};
use ragtriage_core::types::{ByteRange, ChunkId, Corpus, DocId, Document, Note, Passage, Question};
use ragtriage_data::run::external::recorded::RecordedHit;

/// Minimum length, in words, of a text assumed to occur in one document only.
const TELLING_WORDS: usize = 5;

/// A context with its passages: one, or one for each gold document whose text it contains.
pub(super) type Located<'c> = (&'c RecordedHit, Vec<Passage>);

/// The contexts of one question that were located before, by the fields that decide their place: most are in several of its
/// rankings.
#[derive(Default)]
pub(super) struct KnownPlaces(HashMap<ContextFields, Vec<Passage>>);

/// Text, title and document; start and end.
type ContextFields = ([Option<String>; 3], [Option<usize>; 2]);

/// The documents that contexts are located in, with the notes counted so far.
pub(super) struct Places {
    pub corpus: Corpus,
    locator: Locator,
    notes: Mutex<BTreeMap<&'static str, usize>>,
}

impl Places {
    pub fn new(corpus: Corpus) -> Self {
        let locator = Locator::new(corpus.shared_documents());
        Self { corpus, locator, notes: Mutex::default() }
    }

    /// Counts a note for the report.
    pub fn note(&self, what: &'static str, count: usize) {
        if count > 0 {
            *self.notes.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() +=
                count;
        }
    }

    /// Returns the notes counted since the last call.
    pub fn take_notes(&self) -> Vec<Note> {
        let notes = std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner));
        notes.into_iter().map(|(what, count)| Note { count, what: what.to_owned() }).collect()
    }

    /// Returns the passages of a ranking's contexts, each id once.
    pub fn place_all<'c>(
        &self,
        known: &mut KnownPlaces,
        question: &Question,
        contexts: &'c [RecordedHit],
    ) -> Vec<Located<'c>> {
        let (mut seen, mut n_blank) = (HashSet::new(), 0);
        let mut placed: Vec<Located<'c>> = Vec::with_capacity(contexts.len());
        for context in contexts {
            let RecordedHit { text, title, doc_id, start, end, .. } = context;
            let fields = ([text.clone(), title.clone(), doc_id.clone()], [*start, *end]);
            let place = || self.place(question, context);
            let mut passages = known.0.entry(fields).or_insert_with(place).clone();
            let is_blank = text.as_deref().is_some_and(|text| text.trim().is_empty());
            for passage in passages.iter_mut().filter(|it| is_blank && it.id.is_unlocated()) {
                // Each keeps its rank, and is known to hold nothing.
                n_blank += 1;
                passage.id = ChunkId::from(format!("{}#blank-{n_blank}", passage.doc));
            }
            let n_passages = passages.len();
            passages.retain(|passage| seen.insert(passage.id.clone()));
            self.note(
                "duplicate [context|contexts] of a question, counted once",
                n_passages - passages.len(),
            );
            placed.push((context, passages));
        }
        placed
    }

    fn place(&self, question: &Question, context: &RecordedHit) -> Vec<Passage> {
        let RecordedHit { text, title, doc_id, start, end, .. } = context;
        let passage = ForeignPassage {
            text: text.as_deref().filter(|text| !text.trim().is_empty()),
            title: title.as_deref(),
            document: doc_id.as_deref(),
            start: *start,
            end: *end,
        };
        let is_gold = |document: &Document| {
            question.evidence.iter().flatten().any(|member| member.doc == document.id)
        };
        let location = self.locator.locate(&passage, is_gold);
        let document = |number| self.locator.document(number);
        let named = doc_id.as_deref().and_then(|name| self.locator.named(name)).map(document);
        match location {
            Location::At(number, range) => {
                return vec![cut(document(number), range)];
            }
            Location::Text { .. } | Location::Nowhere => {}
        }
        let what = match (named, text) {
            (Some(_), Some(_)) => {
                "[context whose text is not at its|contexts whose text is not at their] offsets, located by the text"
            }
            (Some(_), None) => {
                "[context whose offsets are beyond its|contexts whose offsets are beyond their] document, without text"
            }
            _ => {
                "[context|contexts] with offsets in no known document, located by [its|their] text"
            }
        };
        self.note(what, usize::from(start.is_some() && (named.is_some() || text.is_some())));
        if let Location::Text { document: number, mut ranges, is_elsewhere, is_one_of_several } =
            location
        {
            if is_one_of_several {
                self.note("[context that is|contexts that are] in several documents, taken as the gold one where that is among them", 1);
            }
            if is_elsewhere {
                self.note(
                    "[context located by its|contexts located by their] text in another document than `doc_id`",
                    1,
                );
            }
            // Copies of a text in a document are indistinguishable, unless an offset tells which is meant.
            let is_of_it = doc_id.is_some() || !is_one_of_several;
            if let Some(start) = start.filter(|_| !is_elsewhere && is_of_it) {
                ranges.sort_by_key(|range| range.start.abs_diff(start));
                ranges.truncate(1);
            }
            return ranges.into_iter().map(|range| cut(document(number), range)).collect();
        }
        let id = named.map(|document| document.id.clone());
        let id = id.or_else(|| doc_id.as_deref().map(DocId::from));
        match text {
            Some(text) => self.unlocated(question, id, named, context, text),
            None => self.without_text(id, named, context),
        }
    }

    /// Places a text that is in no document: on the gold ranges that it contains, else nowhere.
    fn unlocated(
        &self,
        question: &Question,
        named: Option<DocId>,
        document: Option<&Document>,
        context: &RecordedHit,
        text: &str,
    ) -> Vec<Passage> {
        let mark = format!("~{}", hash(text));
        let (title, text) = without_title(context.title.as_deref(), text);
        let passage = |doc: &DocId, place: String, range: ByteRange| Passage {
            id: ChunkId::from(format!("{doc}#{place}{mark}")),
            doc: doc.clone(),
            title: title.to_owned(),
            range,
            text: text.to_owned(),
            tokens: None,
        };
        let held = self.gold_in(question, document, text);
        if !held.is_empty() {
            self.note("[context that is in no document as it is, placed on the gold text that it holds|contexts that are in no document as they are, placed on the gold text that they hold]", 1);
            return held
                .into_iter()
                .map(|(doc, range)| passage(doc, range.to_string(), range))
                .collect();
        }
        self.note(
            if text.trim().is_empty() {
                "blank [context, which keeps its rank|contexts, which keep their ranks]"
            } else {
                "[context that is in no document: evidence in it|contexts that are in no document: evidence in them] is not seen"
            },
            1,
        );
        let doc = named.unwrap_or_else(|| DocId::from(format!("external-{}", hash(text))));
        vec![passage(&doc, String::new(), ByteRange::new(0, 0))]
    }

    /// Places a context without text: a whole document, or a range that is not known.
    fn without_text(
        &self,
        named: Option<DocId>,
        document: Option<&Document>,
        context: &RecordedHit,
    ) -> Vec<Passage> {
        let Some(start) = context.start else { return self.whole(named, document) };
        let mark = format!("{start}-{}", context.end.unwrap_or(start));
        if document.is_none() {
            self.note("[context|contexts] whose document is unknown", 1);
        }
        let doc = named.unwrap_or_else(|| DocId::from(format!("external-{}", hash(&mark))));
        vec![Passage {
            id: ChunkId::unlocated(&doc, &mark),
            doc,
            title: String::new(),
            range: ByteRange::new(0, 0),
            text: String::new(),
            tokens: None,
        }]
    }

    /// Returns a document as a whole; without text if it is not in the corpus.
    fn whole(&self, named: Option<DocId>, document: Option<&Document>) -> Vec<Passage> {
        if let Some(document) = document {
            return vec![cut(
                document,
                quote::trim(&document.text, ByteRange::new(0, document.text.len())),
            )];
        }
        self.note(
            "ranked [document that is|documents that are] not in the corpus",
            usize::from(named.is_some()),
        );
        named
            .map(|doc: DocId| Passage {
                id: ChunkId::unlocated(&doc, ""),
                doc,
                title: String::new(),
                range: ByteRange::new(0, 0),
                text: String::new(),
                tokens: None,
            })
            .into_iter()
            .collect()
    }

    /// Returns the gold ranges of `question` whose text occurs in `text`: neighbours of one document joined, unless a
    /// missing gold range lies between them. `named`: the document that the context names.
    fn gold_in<'q>(
        &'q self,
        question: &'q Question,
        named: Option<&Document>,
        text: &str,
    ) -> Vec<(&'q DocId, ByteRange)> {
        let mut ranges: BTreeMap<&DocId, Vec<ByteRange>> = BTreeMap::new();
        for member in question.evidence.iter().flatten() {
            if named.is_none_or(|document| document.id == member.doc) {
                ranges.entry(&member.doc).or_default().extend(&member.ranges);
            }
        }
        if ranges.is_empty() {
            return Vec::new();
        }
        let text = quote::one_spaced(text);
        let golds: Vec<String> =
            question.answers.iter().map(|answer| normalise::matching(answer)).collect();
        let mut held = Vec::new();
        for (doc, mut ranges) in ranges {
            let Some(document) = self.corpus.document(doc) else {
                continue;
            };
            ranges.sort_unstable();
            ranges.dedup();
            let texts: Vec<String> = ranges
                .iter()
                .map(|range: &ByteRange| {
                    quote::one_spaced(document.text.get(range.as_range()).unwrap_or_default())
                })
                .collect();
            if named.is_none()
                && !texts.iter().any(|gold| tells(gold, &golds) && is_in(gold, &text))
            {
                continue;
            }
            let mut run: Option<ByteRange> = None;
            for (range, gold) in ranges.into_iter().zip(&texts) {
                if is_in(gold, &text) {
                    run =
                        Some(run.map_or(range, |run| {
                            ByteRange::new(run.start, run.end.max(range.end))
                        }));
                } else {
                    held.extend(run.take().map(|run| (doc, run)));
                }
            }
            held.extend(run.map(|run| (doc, run)));
        }
        held
    }
}

fn is_in(gold: &str, text: &str) -> bool {
    !gold.is_empty() && answers::stands_in(gold, text)
}

/// Returns true if a gold text identifies its document: it is long, and none of the gold `answers`.
fn tells(gold: &str, answers: &[String]) -> bool {
    gold.split(' ').count() >= TELLING_WORDS && !answers.contains(&normalise::matching(gold))
}

/// Returns the bytes `range` of `document` as a passage.
fn cut(document: &Document, range: ByteRange) -> Passage {
    Passage {
        id: ChunkId::from(format!("{}#{range}", document.id)),
        doc: document.id.clone(),
        title: document.title.clone(),
        range,
        text: document.text[range.as_range()].to_owned(),
        tokens: None,
    }
}

/// Returns a text without its first line if that is its title.
fn without_title<'t>(title: Option<&'t str>, text: &'t str) -> (&'t str, &'t str) {
    let title = title.map_or("", str::trim);
    match text.trim_start().split_once('\n') {
        Some((first, rest)) if !title.is_empty() && first.trim() == title => (title, rest),
        _ => (title, text),
    }
}

/// Returns the first 16 hex digits of a text's sha256.
pub(super) fn hash(text: &str) -> String {
    hex(&Sha256::digest(text)[..8])
}
