//! Grain of the labels: quotes, passages, sections, documents, judgments or answers, and the stages that it can diagnose.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::Serialize;

use ragtriage_core::attribute::gold::searchable_documents;
use ragtriage_core::attribute::wide::{MOST_QUOTED, is_wide};
use ragtriage_core::text::answers::{AnswerMatcher, Searchable};
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::{ByteRange, Corpus, Question, QuestionKind, SupportRule};

/// Grain of the labels of a data set, measured with the chunking of its configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Labels {
    /// Answerable questions by the widest grain of their labels.
    pub grains: BTreeMap<&'static str, usize>,
    /// Median length of a labelled range in bytes.
    pub median_bytes: Option<usize>,
    /// Median length of a chunk in bytes.
    pub chunk_bytes: usize,
    /// Share of the labelled ranges that are wider than half a typical chunk and than three sentences.
    pub wide_share: f64,
    /// The stages that the most frequent grain can diagnose, and its limits.
    pub note: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grain {
    Quote,
    Passage,
    Section,
    Document,
    Judged,
    Answers,
    Nothing,
}

impl Grain {
    fn name(self) -> &'static str {
        match self {
            Self::Quote => "quote",
            Self::Passage => "passage",
            Self::Section => "section",
            Self::Document => "document",
            Self::Judged => "judged document",
            Self::Answers => "answers only",
            Self::Nothing => "nothing",
        }
    }
}

/// Measures the labels of `questions` by the chunks of `corpus`. `None` without an answerable question.
#[must_use]
pub fn labels(questions: &[Question], corpus: &Corpus) -> Option<Labels> {
    let chunk_bytes = corpus.typical_chunk_bytes();
    let answerable =
        questions.iter().filter(|question| question.kind != QuestionKind::Unanswerable);
    let texts: OnceCell<Vec<Searchable>> = OnceCell::new();
    let mut grains: BTreeMap<Grain, usize> = BTreeMap::new();
    let mut lengths: Vec<usize> = Vec::new();
    for question in answerable {
        lengths.extend(ranges(question).map(ByteRange::len));
        let grain =
            grain(question, chunk_bytes, || texts.get_or_init(|| searchable_documents(corpus)));
        *grains.entry(grain).or_default() += 1;
    }
    lengths.sort_unstable();
    let median_bytes = lengths.get(lengths.len() / 2).copied();
    let wide = lengths.iter().filter(|length| is_wide(**length, chunk_bytes));
    let wide_share = wide.count() as f64 / lengths.len().max(1) as f64;
    // Of equally frequent grains the coarser one: its limits are the ones to know.
    let (usual, _) = grains.iter().max_by_key(|(grain, n)| (**n, **grain))?;
    Some(Labels {
        note: note(*usual, median_bytes.unwrap_or_default(), chunk_bytes),
        grains: grains.iter().map(|(grain, n)| (grain.name(), *n)).collect(),
        median_bytes,
        chunk_bytes,
        wide_share,
    })
}

fn ranges(question: &Question) -> impl Iterator<Item = ByteRange> {
    let members = question.evidence.iter().flatten();
    members.flat_map(|member| member.ranges.iter().copied())
}

fn grain<'t>(
    question: &Question,
    chunk_bytes: usize,
    texts: impl FnOnce() -> &'t Vec<Searchable>,
) -> Grain {
    match SupportRule::of(question) {
        SupportRule::Documents => Grain::Document,
        SupportRule::Judged => Grain::Judged,
        SupportRule::Nothing => Grain::Nothing,
        SupportRule::AnswerString => {
            let matcher = AnswerMatcher::new(&question.answers);
            if texts().iter().any(|text| matcher.found_in(text)) {
                Grain::Answers
            } else {
                Grain::Nothing
            }
        }
        SupportRule::Ranges => {
            let longest = ranges(question).map(ByteRange::len).max().unwrap_or(0);
            if is_wide(longest, chunk_bytes) {
                Grain::Section
            } else if longest > MOST_QUOTED {
                Grain::Passage
            } else {
                Grain::Quote
            }
        }
    }
}

fn note(usual: Grain, median_bytes: usize, chunk_bytes: usize) -> String {
    let bytes = thousands(median_bytes);
    match usual {
        Grain::Quote => format!("labels are quotes (median {bytes} bytes): every stage can be diagnosed"),
        Grain::Passage => format!(
            "labels are passages (median {bytes} bytes, less than half a chunk): every stage can be diagnosed"
        ),
        Grain::Section => {
            let chunks = median_bytes as f64 / chunk_bytes.max(1) as f64;
            format!(
                "labels are wider than a chunk (median {bytes} bytes, {chunks:.1} chunks): support is reported with \
                 bounds, and a boundary counts as a loss only where it goes through the answer"
            )
        }
        Grain::Document => "labels are whole documents: the part that answers is known from gold answers only, and without them any chunk of the document is support; add quotes to diagnose the stages"
            .to_owned(),
        Grain::Judged => "relevance judgments only: a passage of one relevant document is support, and without evidence \
                          there is no oracle condition, so the reader's losses are unknown"
            .to_owned(),
        Grain::Answers => "answers only: retrieval is judged by answer strings, and there is no oracle condition; add evidence to diagnose the stages"
            .to_owned(),
        Grain::Nothing => "neither evidence nor answers that the documents contain: no stage can be judged, only \
                           the answers"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::subject::tests::{document, question};
    use ragtriage_core::types::Chunk;

    /// A document of 4,000 bytes in chunks of 1,000, with 1992 at its start.
    fn corpus() -> Corpus {
        let text = format!("1992 {}", "xxxx ".repeat(799));
        let chunks = (0..4).map(|at| Chunk::new(0, (1000 * at, 1000 * at + 1000).into(), 1));
        Corpus::new(vec![document("a", &text)], chunks.collect())
    }

    fn quoting(range: (usize, usize)) -> Question {
        let mut asked = question("q", "?", &["1992"], &["a"]);
        asked.evidence[0][0].ranges = vec![range.into()];
        asked
    }

    #[test]
    fn each_grain_is_named_by_its_lengths_and_labels() {
        let name = |asked: Question| {
            let labels = labels(&[asked], &corpus()).expect("an answerable question");
            let (name, n) = labels.grains.first_key_value().expect("one grain");
            assert_eq!(*n, 1);
            *name
        };
        // Half a chunk is 500 bytes; a quote has up to 300.
        assert_eq!(name(quoting((0, 300))), "quote");
        assert_eq!(name(quoting((0, 500))), "passage");
        assert_eq!(name(quoting((0, 501))), "section");
        assert_eq!(name(question("q", "?", &["1992"], &["a"])), "document");
        let mut judged = question("q", "?", &["1992"], &[]);
        judged.relevant = [("a".into(), 1)].into();
        assert_eq!(name(judged), "judged document");
        assert_eq!(name(question("q", "?", &["1992"], &[])), "answers only");
        assert_eq!(name(question("q", "?", &["in 1992"], &[])), "nothing");
    }

    #[test]
    fn the_note_says_how_wide_the_labels_are() {
        let asked = [quoting((0, 100)), quoting((0, 2000)), quoting((1000, 4000))];
        let labels = labels(&asked, &corpus()).expect("answerable questions");
        assert_eq!((labels.median_bytes, labels.chunk_bytes), (Some(2000), 1000));
        assert!((labels.wide_share - 2.0 / 3.0).abs() < 1e-12);
        assert!(
            labels.note.starts_with(
                "labels are wider than a chunk (median 2,000 bytes, 2.0 chunks): support is reported with bounds"
            ),
            "{}",
            labels.note
        );
    }
}
