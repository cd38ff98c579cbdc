//! Passages of the prompt of each arm.

use super::oracle::{Room, oracle};
use super::plan::Plan;
use super::prompt;
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::config::NoisePosition;
use ragtriage_core::types::{ArmName, ChunkId, Corpus, Gold, Trace};

/// Returns the arms of this question, each with the chunks of its prompt in order: those of `plan`, `Oracle` and
/// `GoldInNoise` only if its gold evidence is in the corpus, `ClosedBook` only if `in_sample`.
#[must_use]
pub fn prompts(
    trace: &Trace,
    in_sample: bool,
    corpus: &Corpus,
    plan: &Plan,
) -> Vec<(ArmName, Vec<ChunkId>)> {
    let packed: Vec<ChunkId> = trace.packed().cloned().collect();
    let tokens = |id: &ChunkId| prompt::tokens_of(id, corpus, &plan.prompt, plan.title_prefix);
    let room = Room {
        k: plan.retrieval.k,
        context_tokens: plan.prompt.context_tokens,
        tokens: &tokens,
    };
    let oracle = oracle(&trace.question, &trace.gold, corpus, &room);
    let chunks = |arm: &ArmName| match arm {
        ArmName::Retrieved => Some(packed.clone()),
        ArmName::Oracle => oracle.clone(),
        ArmName::GoldInNoise => {
            let test = SupportTest::new(&trace.question, &trace.gold.groups, corpus);
            Some(gold_in_noise(
                (&test, corpus),
                &trace.gold,
                &packed,
                oracle.as_deref()?,
                (tokens, room.context_tokens),
                plan.arms.noise_position,
            ))
        }
        ArmName::ClosedBook => in_sample.then(Vec::new),
    };
    plan.arms
        .names
        .iter()
        .filter_map(|arm| Some((*arm, chunks(arm)?)))
        .collect()
}

/// Inserts the missing gold chunks into the packed chunks at `position`. If the result exceeds the `budget` of a prompt, counted
/// by `tokens`, passages without gold evidence are dropped, last first, until it fits or only gold evidence remains.
fn gold_in_noise(
    (test, corpus): (&SupportTest<'_>, &Corpus),
    gold: &Gold,
    packed: &[ChunkId],
    oracle: &[ChunkId],
    (tokens, budget): (impl Fn(&ChunkId) -> usize, usize),
    position: NoisePosition,
) -> Vec<ChunkId> {
    if test.of(packed).holds {
        return packed.to_vec();
    }
    let lacking = test.missing_groups(&packed.iter().collect::<Vec<_>>());
    let lacking: Vec<&str> = lacking
        .into_iter()
        .filter_map(|group: usize| {
            gold.groups[group]
                .iter()
                .find(|member| !member.chunks.is_empty())
        })
        .map(|member| member.doc.as_str())
        .collect();
    let is_packed = |id: &ChunkId| packed.iter().any(|passage| corpus.holds(passage, id));
    let absent = oracle.iter().filter(|id| !is_packed(id));
    let mut missing: Vec<ChunkId> = absent
        .clone()
        .filter(|id| lacking.contains(&id.doc()))
        .cloned()
        .collect();
    // Even if a gold document is present, a missing chunk may be the one with the answer.
    if !test.of(packed.iter().chain(&missing)).holds {
        missing = absent.cloned().collect();
    }
    let mut kept = packed.to_vec();
    let holds = |kept: &[ChunkId]| test.of(kept.iter().chain(&missing)).holds;
    let can_hold = holds(&kept);
    let mut used = packed.iter().chain(&missing).map(&tokens).sum::<usize>();
    while used > budget {
        let noise = (0..kept.len()).rev().find(|&at| {
            let without = [&kept[..at], &kept[at + 1..]].concat();
            let holds_any = |chunks: &[ChunkId]| {
                let mut chunks = chunks.iter();
                chunks.any(|chunk| corpus.holds(&kept[at], chunk))
            };
            let mut members = gold.groups.iter().flatten();
            !members.any(|member| holds_any(&member.chunks))
                && !holds_any(oracle)
                && (holds(&without) || !can_hold)
        });
        let Some(at) = noise else {
            break;
        };
        used -= tokens(&kept.remove(at));
    }
    let at = match position {
        NoisePosition::First => 0,
        NoisePosition::Middle => kept.len() / 2,
        NoisePosition::Last => kept.len(),
    };
    kept.splice(at..at, missing);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::corpus_of;
    use ragtriage_core::types::{GoldMember, Member, Question, QuestionKind, Support, SupportRule};

    fn member(corpus: &Corpus, needed: &[(usize, usize)]) -> GoldMember {
        GoldMember {
            doc: "d".into(),
            present: true,
            needed: needed.iter().map(|range| (*range).into()).collect(),
            chunks: corpus
                .chunks()
                .iter()
                .map(|chunk| chunk.id.clone())
                .collect(),
            has_answer: false,
            doc_bytes: None,
            encoder_truncated: false,
            wide: Vec::new(),
            answer_ranges: Vec::new(),
        }
    }

    fn ordinals(chunks: &[ChunkId]) -> Vec<&str> {
        chunks
            .iter()
            .map(|id| id.as_str().trim_start_matches("d#"))
            .collect()
    }

    /// The gold-in-noise prompt for evidence at bytes 0-20 and 70-80 of ten chunks of ten bytes, given the `packed` chunks.
    fn in_noise(
        packed: &[&str],
        tokens: impl Fn(&ChunkId) -> usize,
        budget: usize,
        position: NoisePosition,
    ) -> Vec<String> {
        let tens: Vec<(usize, usize)> = (0..10).map(|at| (10 * at, 10 * at + 10)).collect();
        let corpus = corpus_of(&tens);
        let held = |needed: (usize, usize), chunks: &[&str]| GoldMember {
            chunks: chunks.iter().map(|id| (*id).into()).collect(),
            ..member(&corpus, &[needed])
        };
        let groups = vec![
            vec![held((0, 20), &["d#0", "d#1"])],
            vec![held((70, 80), &["d#7"])],
        ];
        let evidence = groups.iter().map(|group| {
            let ranges = group[0].needed.clone();
            vec![Member {
                doc: "d".into(),
                ranges,
            }]
        });
        let question = Question {
            kind: QuestionKind::Span,
            answers: vec!["x".to_owned()],
            evidence: evidence.collect(),
            ..Question::new("q".into(), String::new())
        };
        let support = Support {
            holds: true,
            rule: SupportRule::Ranges,
        };
        let gold = Gold {
            documents: support,
            chunks: support,
            groups,
        };
        let test = SupportTest::new(&question, &gold.groups, &corpus);
        let room = Room {
            k: 5,
            context_tokens: budget,
            tokens: &tokens,
        };
        let oracle = oracle(&question, &gold, &corpus, &room).expect("all gold is there");
        assert_eq!(ordinals(&oracle), ["0", "1", "7"]);
        let packed: Vec<ChunkId> = packed.iter().map(|id| (*id).into()).collect();
        let prompt = gold_in_noise(
            (&test, &corpus),
            &gold,
            &packed,
            &oracle,
            (&tokens, budget),
            position,
        );
        ordinals(&prompt).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn missing_gold_is_put_in_at_the_position_asked_for_and_noise_stays_while_it_fits() {
        let even = |_: &ChunkId| 10;
        // 0 and 7 are gold, 1 is missing. Five passages of 10 fit 50: half of four others, two, come
        // before it.
        let packed = ["d#7", "d#3", "d#0", "d#5"];
        assert_eq!(
            in_noise(&packed, even, 50, NoisePosition::Middle),
            ["7", "3", "1", "0", "5"]
        );
        assert_eq!(
            in_noise(&packed, even, 50, NoisePosition::First),
            ["1", "7", "3", "0", "5"]
        );
        assert_eq!(
            in_noise(&packed, even, 50, NoisePosition::Last),
            ["7", "3", "0", "5", "1"]
        );
        // Of 49 tokens 5, the last passage without gold evidence, is dropped.
        assert_eq!(
            in_noise(&packed, even, 49, NoisePosition::Middle),
            ["7", "1", "3", "0"]
        );
        // No gold evidence was retrieved: 0, 1 and 7 are missing and take 30 of 40 tokens.
        assert_eq!(
            in_noise(&["d#3", "d#4", "d#5", "d#6"], even, 40, NoisePosition::Last),
            ["3", "0", "1", "7"]
        );
    }

    #[test]
    fn gold_is_never_dropped_for_gold_and_an_empty_prompt_becomes_the_oracles() {
        let gold_is_long = |id: &ChunkId| {
            if ["d#0", "d#1", "d#7"].contains(&id.as_str()) {
                100
            } else {
                1
            }
        };
        assert_eq!(
            in_noise(&["d#3", "d#0"], gold_is_long, 101, NoisePosition::Last),
            ["0", "1", "7"]
        );
        assert_eq!(
            in_noise(&[], |_| 1, 10, NoisePosition::Middle),
            ["0", "1", "7"]
        );
    }

    #[test]
    fn a_prompt_with_all_its_gold_stays_as_it_is() {
        let packed = ["d#5", "d#7", "d#1", "d#0"];
        assert_eq!(
            in_noise(&packed, |_| 10, 40, NoisePosition::First),
            ["5", "7", "1", "0"]
        );
    }
}
