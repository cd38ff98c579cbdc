//! Passages of the prompt of each condition.

use super::oracle::{Room, oracle};
use super::plan::PlannedCondition;
use ragtriage_core::attribute::Passages;
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::types::{ChunkId, Condition, Corpus, Gold, Question};

/// A question, and the passages that its conditions are chosen from.
pub(super) struct ConditionChoice<'a> {
    pub question: &'a Question,
    /// Its gold evidence in the chunks of `corpus`.
    pub gold: &'a Gold,
    /// Passages of the pipeline's prompt.
    pub packed: &'a [ChunkId],
    pub corpus: &'a Corpus,
    /// The chunks of `corpus` and the packed passages.
    pub passages: &'a dyn Passages,
    /// Limits of the oracle's prompt.
    pub room: Room<'a>,
    /// Maximum number of tokens of the prompt with gold in noise; `None`: no noise is dropped.
    pub noise_tokens: Option<usize>,
    /// True if it is in the closed-book sample.
    pub in_sample: bool,
}

impl ConditionChoice<'_> {
    /// Returns the conditions of this question, each with the chunks of its prompt in order: those of `plan`, `Oracle` and
    /// `GoldWithDistractors` only if its gold evidence is in the corpus, `ClosedBook` only if it is in the sample.
    #[must_use]
    pub(super) fn prompts(&self, plan: &PlannedCondition) -> Vec<(Condition, Vec<ChunkId>)> {
        let oracle = self.oracle();
        let chunks = |condition: &Condition| match condition {
            Condition::Retrieved => Some(self.packed.to_vec()),
            Condition::Oracle => oracle.clone(),
            Condition::GoldWithDistractors => Some(self.gold_with_distractors(oracle.as_deref()?)),
            Condition::ClosedBook => self.in_sample.then(Vec::new),
        };
        plan.names.iter().filter_map(|condition| Some((*condition, chunks(condition)?))).collect()
    }

    /// Returns the passages of the oracle; `None` if its gold evidence is not in the corpus.
    pub(super) fn oracle(&self) -> Option<Vec<ChunkId>> {
        oracle(self.question, self.gold, self.corpus, &self.room)
    }

    /// Inserts the missing gold chunks in the middle of the packed chunks: models read the ends of a prompt best (Liu et al., "Lost
    /// in the Middle", TACL 2024), so this is the most cautious place. If the result exceeds the budget, chunks without
    /// gold evidence are dropped, last first, until it fits or only gold evidence remains.
    fn gold_with_distractors(&self, oracle: &[ChunkId]) -> Vec<ChunkId> {
        let test = SupportTest::new(self.question, &self.gold.groups, self.passages);
        let packed = self.packed;
        if test.of(packed).holds {
            return packed.to_vec();
        }
        let lacking = test.missing_groups(&packed.iter().collect::<Vec<_>>());
        let lacking: Vec<&str> = lacking
            .into_iter()
            .filter_map(|group: usize| {
                self.gold.groups[group].iter().find(|member| !member.chunks.is_empty())
            })
            .map(|member| member.doc.as_str())
            .collect();
        let is_packed = |id: &ChunkId| packed.iter().any(|passage| self.corpus.holds(passage, id));
        let absent = oracle.iter().filter(|id| !is_packed(id));
        let mut missing: Vec<ChunkId> =
            absent.clone().filter(|id| lacking.contains(&id.doc())).cloned().collect();
        // Even if a gold document is present, a missing chunk may be the one with the answer.
        if !test.of(packed.iter().chain(&missing)).holds {
            missing = absent.cloned().collect();
        }
        let mut kept = packed.to_vec();
        if let Some(budget) = self.noise_tokens {
            self.drop_noise(&mut kept, (oracle, &missing), &test, budget);
        }
        let at = kept.len() / 2;
        kept.splice(at..at, missing);
        kept
    }

    /// Drops passages without gold evidence until the `missing` ones fit the budget.
    fn drop_noise(
        &self,
        kept: &mut Vec<ChunkId>,
        (oracle, missing): (&[ChunkId], &[ChunkId]),
        test: &SupportTest<'_>,
        budget: usize,
    ) {
        let holds = |kept: &[ChunkId]| test.of(kept.iter().chain(missing)).holds;
        let can_hold = holds(kept);
        let tokens = self.room.tokens;
        let mut used = kept.iter().chain(missing).map(tokens).sum::<usize>();
        while used > budget {
            let noise = (0..kept.len()).rev().find(|&at| {
                let without = [&kept[..at], &kept[at + 1..]].concat();
                let holds_any = |chunks: &[ChunkId]| {
                    let mut chunks = chunks.iter();
                    chunks.any(|chunk| self.corpus.holds(&kept[at], chunk))
                };
                let mut members = self.gold.groups.iter().flatten();
                !members.any(|member| holds_any(&member.chunks))
                    && !holds_any(oracle)
                    && (holds(&without) || !can_hold)
            });
            let Some(at) = noise else {
                break;
            };
            used -= tokens(&kept.remove(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::corpus_of;
    use ragtriage_core::types::{GoldMember, Member, QuestionKind, Support, SupportRule};

    fn member(corpus: &Corpus, needed: &[(usize, usize)]) -> GoldMember {
        GoldMember {
            doc: "d".into(),
            present: true,
            needed: needed.iter().map(|range| (*range).into()).collect(),
            chunks: corpus.chunk_ids().collect(),
            has_answer: false,
            encoder_truncated: false,
            wide: Vec::new(),
            answer_ranges: Vec::new(),
        }
    }

    fn ordinals(chunks: &[ChunkId]) -> Vec<&str> {
        chunks.iter().map(|id| id.as_str().trim_start_matches("d#")).collect()
    }

    /// The gold-in-noise prompt for evidence at bytes 0-20 and 70-80 of ten chunks of ten bytes, given the `packed` chunks.
    fn in_noise(packed: &[&str], tokens: impl Fn(&ChunkId) -> usize, budget: usize) -> Vec<String> {
        let tens: Vec<(usize, usize)> = (0..10).map(|at| (10 * at, 10 * at + 10)).collect();
        let corpus = corpus_of(&tens);
        let held = |needed: (usize, usize), chunks: &[&str]| GoldMember {
            chunks: chunks.iter().map(|id| (*id).into()).collect(),
            ..member(&corpus, &[needed])
        };
        let groups = vec![vec![held((0, 20), &["d#0", "d#1"])], vec![held((70, 80), &["d#7"])]];
        let evidence = groups.iter().map(|group| {
            let ranges = group[0].needed.clone();
            vec![Member { doc: "d".into(), ranges }]
        });
        let question = Question {
            kind: QuestionKind::Span,
            answers: vec!["x".to_owned()],
            evidence: evidence.collect(),
            ..Question::new("q".into(), String::new())
        };
        let support = Support { holds: true, rule: SupportRule::Ranges };
        let gold = Gold { documents: support, chunks: support, groups };
        let packed: Vec<ChunkId> = packed.iter().map(|id| (*id).into()).collect();
        let choice = ConditionChoice {
            question: &question,
            gold: &gold,
            packed: &packed,
            corpus: &corpus,
            passages: &corpus,
            room: Room { k: 5, context_tokens: budget, tokens: &tokens },
            noise_tokens: Some(budget),
            in_sample: false,
        };
        let oracle = choice.oracle().expect("all gold is there");
        assert_eq!(ordinals(&oracle), ["0", "1", "7"]);
        let prompt = choice.gold_with_distractors(&oracle);
        ordinals(&prompt).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn missing_gold_is_put_in_the_middle_and_noise_stays_while_it_fits() {
        let even = |_: &ChunkId| 10;
        // 0 and 7 are gold, 1 is missing. Five passages of 10 fit 50: half of four others, two, come
        // before it.
        let packed = ["d#7", "d#3", "d#0", "d#5"];
        assert_eq!(in_noise(&packed, even, 50), ["7", "3", "1", "0", "5"]);
        // Of 49 tokens 5, the last passage without gold evidence, is dropped.
        assert_eq!(in_noise(&packed, even, 49), ["7", "1", "3", "0"]);
        // No gold evidence was retrieved: 0, 1 and 7 are missing and take 30 of 40 tokens.
        assert_eq!(in_noise(&["d#3", "d#4", "d#5", "d#6"], even, 40), ["0", "1", "7", "3"]);
    }

    #[test]
    fn gold_is_never_dropped_for_gold_and_an_empty_prompt_becomes_the_oracles() {
        let gold_is_long = |id: &ChunkId| {
            if ["d#0", "d#1", "d#7"].contains(&id.as_str()) { 100 } else { 1 }
        };
        assert_eq!(in_noise(&["d#3", "d#0"], gold_is_long, 101), ["1", "7", "0"]);
        assert_eq!(in_noise(&[], |_| 1, 10), ["0", "1", "7"]);
    }

    #[test]
    fn a_prompt_with_all_its_gold_stays_as_it_is() {
        let packed = ["d#5", "d#7", "d#1", "d#0"];
        assert_eq!(in_noise(&packed, |_| 10, 40), ["5", "7", "1", "0"]);
    }
}
