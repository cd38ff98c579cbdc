//! Support: whether a set of passages holds everything the question needs.
//!
//! Every evidence group needs one member all of whose ranges lie in the union of the passages' ranges. A member without
//! ranges represents its whole document: any chunk of it will do. However, if the question has an answer string that
//! such a document contains, at least one group needs a chunk that holds it. Without evidence, any passage of a
//! relevant document will do; without relevance judgments too, some passage must hold an answer string. Ranges that are
//! wider than a chunk have two readings: see [`Reading`].
//! No chunking could be expected to hold such a range whole (a section, a page, a chunk of another chunker), and the answer seldom
//! needs all of it; where both readings lose it at different stages, the loss is not known.
//!
//! White space that no chunk holds is not missing: see [`GoldMember::needed`].

use super::Passages;
use crate::text::answers::AnswerMatcher;
use crate::types::{ByteRange, ChunkId, GoldMember, Question, RangeSet, Support, SupportRule};

/// Length in bytes up to which a range is never wide: two or three sentences. A quote of that length is needed in full,
/// however short the chunks are. With the shipped questions labelled by section and chunks of 64 tokens, a limit of 400 made
/// 12 of 172 claims wrong, all of them `split` of sections of 300 to 400 bytes.
pub const MOST_QUOTED: usize = 300;

/// Reading of a label that is wider than a chunk. The truth lies between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// All of its bytes are needed.
    Strict,
    /// A part of it suffices: one that holds a gold answer or a wording of a required fact; if the label holds neither,
    /// a passage that shares half of the shorter of the two with it.
    Lenient,
}

/// Returns true if a labelled range of `length` bytes is wider than half a typical chunk and than a quote.
#[must_use]
pub fn is_wide(length: usize, typical_chunk_bytes: usize) -> bool {
    length > MOST_QUOTED && 2 * length > typical_chunk_bytes
}

/// Returns the places inside `wide` ranges of `text` of what marks the answer to `question`.
pub(super) fn answer_ranges(question: &Question, wide: &[ByteRange], text: &str) -> Vec<ByteRange> {
    if wide.is_empty() {
        return Vec::new();
    }
    let matcher = AnswerMatcher::new(&question.marks());
    let inside = |label: &ByteRange| {
        let start = label.start;
        let found = matcher.ranges_in(text.get(label.as_range()).unwrap_or_default());
        found.into_iter().map(move |at| ByteRange::new(start + at.start, start + at.end))
    };
    wide.iter().flat_map(inside).collect()
}

/// Returns the search for an answer string; it finds none for questions without spans.
pub(super) fn matcher(question: &Question) -> AnswerMatcher {
    if question.has_spans() {
        AnswerMatcher::new(&question.answers)
    } else {
        AnswerMatcher::default()
    }
}

/// One question's support rule, applicable to any set of passages.
pub struct SupportTest<'a> {
    question: &'a Question,
    groups: &'a [Vec<GoldMember>],
    matcher: AnswerMatcher,
    rule: SupportRule,
    passages: &'a dyn Passages,
}

impl<'a> SupportTest<'a> {
    /// Creates the test; `groups` is parallel to `question.evidence`.
    #[must_use]
    pub fn new(
        question: &'a Question,
        groups: &'a [Vec<GoldMember>],
        passages: &'a dyn Passages,
    ) -> Self {
        let (matcher, rule) = (matcher(question), SupportRule::of(question));
        Self { question, groups, matcher, rule, passages }
    }

    /// Returns the rule that applies.
    #[must_use]
    pub fn rule(&self) -> SupportRule {
        self.rule
    }

    /// Returns whether `chunks` together support the question by the strict reading, and by which rule.
    #[must_use]
    pub fn of<'b>(&self, chunks: impl IntoIterator<Item = &'b ChunkId>) -> Support {
        let chunks: Vec<&ChunkId> = chunks.into_iter().collect();
        Support { holds: self.holds(&chunks, Reading::Strict), rule: self.rule }
    }

    /// Returns true if `chunks` together support the question by that reading.
    #[must_use]
    pub fn holds(&self, chunks: &[&ChunkId], reading: Reading) -> bool {
        match self.rule {
            SupportRule::Nothing => false,
            SupportRule::AnswerString => chunks.iter().any(|id| self.holds_answer(id)),
            SupportRule::Judged => {
                let mut chunks = chunks.iter();
                chunks.any(|id| self.question.judges_relevant(id.doc()))
            }
            SupportRule::Ranges | SupportRule::Documents => {
                self.missing_by(chunks, reading).next().is_none()
                    && self.answer_requirement_met(chunks, reading)
            }
        }
    }

    /// Returns the numbers of the groups of which `chunks` hold no member completely.
    #[must_use]
    pub fn missing_groups(&self, chunks: &[&ChunkId]) -> Vec<usize> {
        self.missing_by(chunks, Reading::Strict).collect()
    }

    fn missing_by(&self, chunks: &[&ChunkId], reading: Reading) -> impl Iterator<Item = usize> {
        let is_covered = move |g: usize| {
            (0..self.groups[g].len()).any(|m| self.covers_by((g, m), chunks, reading))
        };
        (0..self.groups.len()).filter(move |g| !is_covered(*g))
    }

    /// Returns true if `chunks` hold all that a member (group, then index in it) needs by that reading; for a whole document any chunk
    /// will do.
    fn covers_by(&self, at: (usize, usize), chunks: &[&ChunkId], reading: Reading) -> bool {
        let gold = &self.groups[at.0][at.1];
        if !self.has_ranges(at) {
            return chunks.iter().any(|id| id.doc() == gold.doc.as_str());
        }
        let held = self.union(gold.doc.as_str(), chunks);
        let all =
            !gold.needed.is_empty() && held.covers(&RangeSet::union(gold.needed.iter().copied()));
        all || (reading == Reading::Lenient && self.holds_a_part(at, chunks, &held))
    }

    /// Returns true if `chunks` hold the ranges of a member that are not wide, and of those that are wide a part that may
    /// suffice.
    fn holds_a_part(&self, at: (usize, usize), chunks: &[&ChunkId], held: &RangeSet) -> bool {
        let gold = &self.groups[at.0][at.1];
        let ranges = &self.question.evidence[at.0][at.1].ranges;
        let mut narrow = ranges.iter().filter(|range| !gold.wide.contains(range));
        narrow.all(|range| held.covers(&self.needed(at, *range)))
            && if gold.answer_ranges.is_empty() {
                let mut wide = gold.wide.iter();
                wide.any(|label| chunks.iter().any(|id| self.shares_half(id, gold, *label)))
            } else {
                let mut answers = gold.answer_ranges.iter();
                answers.any(|answer| held.covers(&self.needed(at, *answer)))
            }
    }

    /// Returns true if a passage and a label have at least half of the shorter one's bytes in common.
    fn shares_half(&self, id: &ChunkId, gold: &GoldMember, label: ByteRange) -> bool {
        let Some(view) = (id.doc() == gold.doc.as_str()).then(|| self.passages.view(id)).flatten()
        else {
            return false;
        };
        let shared = RangeSet::union([view.range]).intersection(&RangeSet::union([label]));
        shared.len_bytes() > 0 && 2 * shared.len_bytes() >= view.range.len().min(label.len())
    }

    /// Returns true if a cut through `range` can cost the answer although `chunks` hold a part of it: always, unless it is
    /// wide. A wide one is cut everywhere; there the cut must go through every answer in it, and through one of which
    /// `chunks` hold a part.
    #[must_use]
    pub fn cut_costs(&self, at: (usize, usize), range: ByteRange, chunks: &[&ChunkId]) -> bool {
        let gold = &self.groups[at.0][at.1];
        if !gold.wide.contains(&range) {
            return true;
        }
        let held = self.union(gold.doc.as_str(), chunks);
        let answers = &gold.answer_ranges;
        answers.iter().all(|answer| self.is_cut(at, *answer))
            && answers
                .iter()
                .any(|answer| held.ranges().iter().any(|range| range.overlaps(*answer)))
    }

    /// Returns true if a member has ranges, false if it represents its whole document.
    #[must_use]
    pub fn has_ranges(&self, (group, member): (usize, usize)) -> bool {
        !self.question.evidence[group][member].ranges.is_empty()
    }

    /// Returns the labelled ranges of a member that `chunks` do not hold completely.
    #[must_use]
    pub fn missing_ranges(&self, at: (usize, usize), chunks: &[&ChunkId]) -> Vec<ByteRange> {
        self.ranges_held(at, chunks, |held, needed| held < needed)
    }

    /// Returns the labelled ranges of a member that `chunks` hold in part, but not completely.
    #[must_use]
    pub fn torn_ranges(&self, at: (usize, usize), chunks: &[&ChunkId]) -> Vec<ByteRange> {
        self.ranges_held(at, chunks, |held, needed| 0 < held && held < needed)
    }

    /// Returns true if a chunk boundary cuts a labelled `range` of a member: some chunk holds a piece of it, none holds
    /// all of it. The boundary may lie in white space that belongs to no chunk, as it does where chunks are trimmed.
    #[must_use]
    pub fn is_cut(&self, at: (usize, usize), range: ByteRange) -> bool {
        !self.pieces(at, range).is_empty() && self.holding(at, range).is_empty()
    }

    /// Returns the chunks that hold a byte of a labelled `range`, in document order.
    #[must_use]
    pub fn pieces(&self, (group, member): (usize, usize), range: ByteRange) -> Vec<&'a ChunkId> {
        let overlaps =
            |id: &&ChunkId| self.passages.view(id).is_some_and(|view| view.range.overlaps(range));
        self.groups[group][member].chunks.iter().filter(overlaps).collect()
    }

    /// Returns the member's chunks that hold all of `range` that lies in chunks.
    #[must_use]
    pub fn holding(&self, at: (usize, usize), range: ByteRange) -> Vec<&'a ChunkId> {
        let needed = self.needed(at, range);
        let holds = |id: &&ChunkId| {
            self.passages.view(id).is_some_and(|view| RangeSet::union([view.range]).covers(&needed))
        };
        self.pieces(at, range).into_iter().filter(holds).collect()
    }

    /// Returns true if a passage holds an answer string.
    #[must_use]
    pub fn holds_answer(&self, id: &ChunkId) -> bool {
        self.passages.view(id).is_some_and(|view| self.matcher.found_in_text(view.text))
    }

    /// Checks members without ranges: one of the chunks must hold an answer, where a gold document holds one at all. A
    /// group that a member with ranges supports has no further requirement.
    fn answer_requirement_met(&self, chunks: &[&ChunkId], reading: Reading) -> bool {
        let by_ranges = |g: usize| {
            (0..self.groups[g].len())
                .any(|m| self.has_ranges((g, m)) && self.covers_by((g, m), chunks, reading))
        };
        let whole = |g: usize| {
            (0..self.groups[g].len())
                .filter(move |m| !self.has_ranges((g, *m)))
                .map(move |m| (g, m))
        };
        let members = (0..self.groups.len()).filter(|g| !by_ranges(*g)).flat_map(whole);
        let mut with_answer =
            members.map(|(g, m)| &self.groups[g][m]).filter(|member| member.has_answer).peekable();
        with_answer.peek().is_none()
            || with_answer.any(|member| {
                chunks.iter().any(|id| id.doc() == member.doc.as_str() && self.holds_answer(id))
            })
    }

    /// Returns the bytes of `doc` that `chunks` hold.
    fn union(&self, doc: &str, chunks: &[&ChunkId]) -> RangeSet {
        let of_doc = chunks.iter().filter(|id| id.doc() == doc);
        RangeSet::union(of_doc.filter_map(|id| self.passages.view(id)).map(|view| view.range))
    }

    /// Returns the part of a labelled `range` that lies in chunks.
    fn needed(&self, (group, member): (usize, usize), range: ByteRange) -> RangeSet {
        let needed = RangeSet::union(self.groups[group][member].needed.iter().copied());
        needed.intersection(&RangeSet::union([range]))
    }

    /// Returns the labelled ranges of a member that `chunks` hold.
    fn ranges_held(
        &self,
        (group, member): (usize, usize),
        chunks: &[&ChunkId],
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Vec<ByteRange> {
        let union = self.union(self.groups[group][member].doc.as_str(), chunks);
        let is_wanted = |range: &&ByteRange| {
            let needed = self.needed((group, member), **range);
            wanted(union.intersection(&needed).len_bytes(), needed.len_bytes())
        };
        self.question.evidence[group][member].ranges.iter().filter(is_wanted).copied().collect()
    }
}
