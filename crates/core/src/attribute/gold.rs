//! Locates a question's gold evidence in the run's documents and chunks.

use super::support::{Reading, SupportTest, answer_ranges, is_wide, matcher};
use crate::text::answers::{AnswerMatcher, Searchable};
use crate::types::{
    ByteRange, ChunkId, Corpus, Document, Gold, GoldMember, Member, Passage, Question, RangeSet,
    Support, SupportRule, median,
};

/// Function that returns the number of bytes of a chunk's text that the encoder reads; `None` for all of them.
pub type EncoderReads<'a> = &'a (dyn Fn(usize) -> Option<usize> + Sync);

/// The whole corpus normalised for answer search; only questions without evidence need it.
pub struct Haystacks {
    documents: Vec<Searchable>,
    chunks: Vec<Searchable>,
}

/// Returns the documents alone, for a pipeline whose chunks are unknown.
#[must_use]
pub fn searchable_documents(corpus: &Corpus) -> Vec<Searchable> {
    use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
    corpus.documents().par_iter().map(|document| Searchable::new(&document.text)).collect()
}

impl Haystacks {
    /// Normalises every document and chunk. Costs about four times the corpus in memory.
    #[must_use]
    pub fn new(corpus: &Corpus) -> Self {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        Self {
            documents: searchable_documents(corpus),
            chunks: (0..corpus.chunks().len())
                .into_par_iter()
                .map(|number| Searchable::new(corpus.chunk_text(number).0))
                .collect(),
        }
    }
}

/// Locates the gold evidence of `question`. `haystacks` is called only when the question has answers and no evidence.
#[must_use]
pub fn locate<'h>(
    question: &Question,
    corpus: &Corpus,
    haystacks: impl FnOnce() -> &'h Haystacks,
    encoder_reads: EncoderReads<'_>,
) -> Gold {
    let rule = SupportRule::of(question);
    match rule {
        SupportRule::Ranges | SupportRule::Documents => {}
        SupportRule::Judged => return judged(question, corpus),
        SupportRule::AnswerString | SupportRule::Nothing => {
            return unlabelled(question, rule, haystacks);
        }
    }
    let matcher = matcher(question);
    let place = |member: &Member| locate_member(question, member, corpus, &matcher, encoder_reads);
    let groups: Vec<Vec<GoldMember>> =
        question.evidence.iter().map(|group| group.iter().map(place).collect()).collect();
    let documents = groups.iter().all(|group| group.iter().any(|member| member.present));
    let all: Vec<&ChunkId> = groups.iter().flatten().flat_map(|member| &member.chunks).collect();
    let test = SupportTest::new(question, &groups, corpus);
    let chunks = documents && test.holds(&all, Reading::Strict);
    let support = |holds| Support { holds, rule };
    Gold { documents: support(documents), chunks: support(chunks), groups }
}

/// Locates relevant documents, of which one suffices. They are not listed: a question may have hundreds.
fn judged(question: &Question, corpus: &Corpus) -> Gold {
    let support = |holds| Support { holds, rule: SupportRule::Judged };
    let mut relevant = question.relevant_docs();
    Gold {
        documents: support(any_is_present(question, corpus)),
        chunks: support(relevant.any(|doc| !corpus.chunk_numbers(doc).is_empty())),
        groups: Vec::new(),
    }
}

fn any_is_present(question: &Question, corpus: &Corpus) -> bool {
    question.relevant_docs().any(|doc| is_present(corpus.document(doc)))
}

fn is_present(document: Option<&Document>) -> bool {
    document.is_some_and(|document| !document.text.trim().is_empty())
}

fn unlabelled<'h>(
    question: &Question,
    rule: SupportRule,
    haystacks: impl FnOnce() -> &'h Haystacks,
) -> Gold {
    let (mut documents, mut chunks) = (false, false);
    if question.has_spans() {
        let matcher = AnswerMatcher::new(&question.answers);
        let haystacks = haystacks();
        documents = haystacks.documents.iter().any(|document| matcher.found_in(document));
        chunks = documents && haystacks.chunks.iter().any(|chunk| matcher.found_in(chunk));
    }
    let support = |holds| Support { holds, rule };
    Gold { documents: support(documents), chunks: support(chunks), groups: Vec::new() }
}

fn locate_member(
    question: &Question,
    member: &Member,
    corpus: &Corpus,
    matcher: &AnswerMatcher,
    encoder_reads: EncoderReads<'_>,
) -> GoldMember {
    let document = corpus.document(&member.doc);
    let numbers = corpus.chunk_numbers(&member.doc);
    let all = RangeSet::union(numbers.clone().map(|number| corpus.chunks()[number].range));
    let needed: Vec<ByteRange> = member
        .ranges
        .iter()
        .flat_map(|range| all.intersection(&RangeSet::union([*range])).ranges().to_vec())
        .collect();
    let holds_answer = |number: &usize| matcher.found_in_text(corpus.chunk_text(*number).0);
    let mut holding: Vec<usize> = if member.ranges.is_empty() {
        numbers.clone().filter(holds_answer).collect()
    } else {
        let touches = |number: &usize| {
            needed.iter().any(|range| range.overlaps(corpus.chunks()[*number].range))
        };
        numbers.clone().filter(touches).collect()
    };
    if member.ranges.is_empty() && holding.is_empty() {
        holding = numbers.collect();
    }
    let is_held = |range: &ByteRange| {
        let needed = all.intersection(&RangeSet::union([*range]));
        holding
            .iter()
            .any(|&number| RangeSet::union([corpus.chunks()[number].range]).covers(&needed))
    };
    let wide = wide_of(member, corpus.typical_chunk_bytes(), is_held);
    let read = RangeSet::union(holding.iter().map(|&number| {
        let range = corpus.chunks()[number].range;
        ByteRange::new(
            range.start,
            encoder_reads(number).map_or(range.end, |bytes| range.end.min(range.start + bytes)),
        )
    }));
    GoldMember {
        encoder_truncated: !read.covers(&RangeSet::union(needed.iter().copied())),
        needed,
        chunks: holding.iter().map(|&number| corpus.chunk_id(number)).collect(),
        ..placed(question, member, document, wide, matcher)
    }
}

/// Returns what is known of a member from its document alone.
fn placed(
    question: &Question,
    member: &Member,
    document: Option<&Document>,
    wide: Vec<ByteRange>,
    matcher: &AnswerMatcher,
) -> GoldMember {
    let text = document.map_or("", |document| &document.text);
    GoldMember {
        doc: member.doc.clone(),
        present: is_present(document),
        needed: Vec::new(),
        chunks: Vec::new(),
        has_answer: member.ranges.is_empty() && document.is_some() && matcher.found_in_text(text),
        encoder_truncated: false,
        answer_ranges: answer_ranges(question, &wide, text),
        wide,
    }
}

/// Returns the ranges of a member that are wide and that no single passage holds.
fn wide_of(
    member: &Member,
    typical_bytes: usize,
    is_held: impl Fn(&ByteRange) -> bool,
) -> Vec<ByteRange> {
    let ranges = member.ranges.iter();
    ranges.filter(|range| is_wide(range.len(), typical_bytes) && !is_held(range)).copied().collect()
}

/// Locates the gold evidence of `question` for an external RAG, of whose chunks only those that were `shown` are known.
///
/// A chunk that was never shown is neither present nor missing, so the stage `chunks` equals the stage `documents`, and
/// all of a gold range is needed: only white space between two passages, which belongs to neither, is left out as in
/// [`locate`]. `answer_in_a_document` is called only when the question has answers and no evidence.
#[must_use]
pub fn locate_shown(
    question: &Question,
    corpus: &Corpus,
    shown: &[&Passage],
    answer_in_a_document: impl FnOnce(&AnswerMatcher) -> bool,
) -> Gold {
    let matcher = matcher(question);
    let place = |member: &Member| {
        let document = corpus.document(&member.doc);
        locate_shown_member(question, member, document, shown, &matcher)
    };
    let groups: Vec<Vec<GoldMember>> =
        question.evidence.iter().map(|group| group.iter().map(place).collect()).collect();
    let rule = SupportRule::of(question);
    let holds = match rule {
        SupportRule::AnswerString => answer_in_a_document(&matcher),
        SupportRule::Nothing => false,
        SupportRule::Judged => any_is_present(question, corpus),
        SupportRule::Ranges | SupportRule::Documents => {
            groups.iter().all(|group| group.iter().any(|member| member.present))
        }
    };
    let support = Support { holds, rule };
    Gold { documents: support, chunks: support, groups }
}

fn locate_shown_member(
    question: &Question,
    member: &Member,
    document: Option<&Document>,
    shown: &[&Passage],
    matcher: &AnswerMatcher,
) -> GoldMember {
    let of_document: Vec<&&Passage> =
        shown.iter().filter(|passage| passage.doc == member.doc).collect();
    let needed = match document {
        Some(document) => without_gaps(
            &member.ranges,
            &document.text,
            of_document.iter().map(|passage| passage.range),
        ),
        None => Vec::new(),
    };
    let mut holding = of_document.clone();
    if member.ranges.is_empty() {
        holding.retain(|passage| matcher.found_in_text(&passage.text));
        if holding.is_empty() {
            holding = of_document;
        }
    } else {
        holding.retain(|passage| needed.iter().any(|range| range.overlaps(passage.range)));
    }
    holding.sort_by_key(|passage| passage.range);
    let typical = median(shown.iter().map(|passage| passage.text.len()));
    let is_held = |range: &ByteRange| holding.iter().any(|passage| passage.range.contains(*range));
    let wide = wide_of(member, typical, is_held);
    GoldMember {
        needed,
        chunks: holding.iter().map(|passage| passage.id.clone()).collect(),
        ..placed(question, member, document, wide, matcher)
    }
}

/// Returns `ranges` without the white space between two of the `shown` pieces of `text`.
fn without_gaps(
    ranges: &[ByteRange],
    text: &str,
    shown: impl Iterator<Item = ByteRange>,
) -> Vec<ByteRange> {
    let shown = RangeSet::union(shown);
    let gaps = shown.ranges().windows(2).map(|pair| ByteRange::new(pair[0].end, pair[1].start));
    let blank: Vec<ByteRange> = gaps
        .filter(|gap| text.get(gap.as_range()).is_some_and(|text| text.trim().is_empty()))
        .collect();
    let mut needed = Vec::with_capacity(ranges.len());
    for range in ranges {
        let mut from = range.start;
        for gap in blank.iter().filter(|gap| range.start < gap.start && gap.end < range.end) {
            needed.push(ByteRange::new(from, gap.start));
            from = gap.end;
        }
        needed.push(ByteRange::new(from, range.end));
    }
    needed
}
