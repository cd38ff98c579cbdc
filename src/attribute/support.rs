//! Support: do these passages together hold what the question needs?
//!
//! Every evidence group needs a member all of whose ranges lie in the union of the passages' ranges. Members without
//! ranges stand for their document as a whole: any chunk of it will do, but for at least one group it must be a chunk
//! that holds an answer string, where the question has one that such a document contains. Without evidence some passage
//! must hold an answer string. White space that no chunk holds is not missing: see [`GoldMember::needed`].

use super::Passages;
use crate::text::answers::AnswerMatcher;
use crate::types::{ByteRange, ChunkId, GoldMember, Question, RangeSet, Support, SupportRule};

/// One question's support rule, ready to be put to any set of passages.
pub struct SupportTest<'a> {
    groups: &'a [Vec<GoldMember>],
    has_ranges: Vec<Vec<bool>>,
    matcher: AnswerMatcher,
    rule: SupportRule,
    passages: &'a dyn Passages,
}

impl<'a> SupportTest<'a> {
    /// `groups` is parallel to `question.evidence`.
    #[must_use]
    pub fn new(question: &Question, groups: &'a [Vec<GoldMember>], passages: &'a dyn Passages) -> Self {
        let has_ranges: Vec<Vec<bool>> = question
            .evidence
            .iter()
            .map(|group| group.iter().map(|member| !member.ranges.is_empty()).collect())
            .collect();
        let rule = match (question.evidence.is_empty(), question.has_spans()) {
            (true, true) => SupportRule::AnswerString,
            (true, false) => SupportRule::Nothing,
            (false, _) if has_ranges.iter().flatten().any(|has| *has) => SupportRule::Ranges,
            (false, _) => SupportRule::Documents,
        };
        let matcher =
            if question.has_spans() { AnswerMatcher::new(&question.answers) } else { AnswerMatcher::default() };
        Self { groups, has_ranges, matcher, rule, passages }
    }

    /// The rule that applies.
    #[must_use]
    pub fn rule(&self) -> SupportRule {
        self.rule
    }

    /// Whether `chunks` together support the question.
    #[must_use]
    pub fn of<'b>(&self, chunks: impl IntoIterator<Item = &'b ChunkId>) -> Support {
        let chunks: Vec<&ChunkId> = chunks.into_iter().collect();
        let holds = match self.rule {
            SupportRule::Nothing => false,
            SupportRule::AnswerString => chunks.iter().any(|id| self.holds_answer(id)),
            SupportRule::Ranges | SupportRule::Documents => {
                self.missing_groups(&chunks).is_empty() && self.answer_requirement_met(&chunks)
            }
        };
        Support { holds, rule: self.rule }
    }

    /// The numbers of the groups of which no member is wholly in `chunks`.
    #[must_use]
    pub fn missing_groups(&self, chunks: &[&ChunkId]) -> Vec<usize> {
        let covered = |(g, m): (usize, usize)| self.member_covered(g, m, chunks);
        (0..self.groups.len()).filter(|&g| !(0..self.groups[g].len()).any(|m| covered((g, m)))).collect()
    }

    /// The bytes of `doc` that `chunks` hold.
    #[must_use]
    pub fn union(&self, doc: &str, chunks: &[&ChunkId]) -> RangeSet {
        let of_doc = chunks.iter().filter(|id| id.doc() == doc);
        RangeSet::union(of_doc.filter_map(|id| self.passages.view(id)).map(|view| view.range))
    }

    /// The needed ranges of a member that `chunks` hold in part, but not wholly.
    #[must_use]
    pub fn torn_ranges(&self, member: &GoldMember, chunks: &[&ChunkId]) -> Vec<ByteRange> {
        let union = self.union(member.doc.as_str(), chunks);
        let torn = member.needed.iter().filter(|range| {
            let shared = union.intersection(&RangeSet::union([**range])).len_bytes();
            shared > 0 && shared < range.len()
        });
        torn.copied().collect()
    }

    fn member_covered(&self, group: usize, member: usize, chunks: &[&ChunkId]) -> bool {
        let gold = &self.groups[group][member];
        if !self.has_ranges[group][member] {
            return chunks.iter().any(|id| id.doc() == gold.doc.as_str());
        }
        let needed = RangeSet::union(gold.needed.iter().copied());
        !gold.needed.is_empty() && self.union(gold.doc.as_str(), chunks).covers(&needed)
    }

    /// For members without ranges: one of the chunks must hold an answer, where a gold document holds one at all.
    fn answer_requirement_met(&self, chunks: &[&ChunkId]) -> bool {
        let whole = |g: usize| self.groups[g].iter().zip(&self.has_ranges[g]).filter(|(_, has)| !**has).map(|(m, _)| m);
        let mut with_answer = (0..self.groups.len()).flat_map(whole).filter(|member| member.has_answer).peekable();
        with_answer.peek().is_none()
            || with_answer
                .any(|member| chunks.iter().any(|id| id.doc() == member.doc.as_str() && self.holds_answer(id)))
    }

    fn holds_answer(&self, id: &ChunkId) -> bool {
        self.passages.view(id).is_some_and(|view| self.matcher.found_in_text(view.text))
    }
}
