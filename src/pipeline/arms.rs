//! What stands in the prompt of each arm.

use super::plan::{NoisePosition, Plan};
use super::prompt;
use crate::attribute::support::SupportTest;
use crate::types::{ArmName, ByteRange, ChunkId, Corpus, Gold, GoldMember, Kind, Question, Trace};

/// The arms that this question has, each with the chunks of its prompt in order: those of `plan`, `Oracle` and `GoldInNoise`
/// where its gold is in the corpus, `ClosedBook` where it is `in_sample`.
#[must_use]
pub fn prompts(trace: &Trace, in_sample: bool, corpus: &Corpus, plan: &Plan) -> Vec<(ArmName, Vec<ChunkId>)> {
    let packed: Vec<ChunkId> = trace.packed().cloned().collect();
    let oracle = oracle(&trace.question, &trace.gold, corpus);
    let chunks = |arm: &ArmName| match arm {
        ArmName::Retrieved => Some(packed.clone()),
        ArmName::Oracle => oracle.clone(),
        ArmName::GoldInNoise => Some(gold_in_noise(trace, &packed, oracle.as_deref()?, corpus, plan)),
        ArmName::ClosedBook => in_sample.then(Vec::new),
    };
    plan.arms.names.iter().filter_map(|arm| Some((*arm, chunks(arm)?))).collect()
}

/// The packed chunks with the gold that they lack put in at the plan's position. Whatever holds no gold goes from the end on
/// until they take no more tokens than before, or than the gold alone.
fn gold_in_noise(trace: &Trace, packed: &[ChunkId], oracle: &[ChunkId], corpus: &Corpus, plan: &Plan) -> Vec<ChunkId> {
    let test = SupportTest::new(&trace.question, &trace.gold.groups, corpus);
    if test.of(packed).holds {
        return packed.to_vec();
    }
    let tokens = |id: &ChunkId| prompt::tokens_of(id, corpus, &plan.prompt, plan.title_prefix);
    let held: Vec<&ChunkId> = packed.iter().collect();
    let missing_docs: Vec<&str> = test
        .missing_groups(&held)
        .into_iter()
        .filter_map(|group| trace.gold.groups[group].iter().find(|member| !member.chunks.is_empty()))
        .map(|member| member.doc.as_str())
        .collect();
    let is_missing =
        |id: &&ChunkId| !packed.contains(id) && (missing_docs.is_empty() || missing_docs.contains(&id.doc()));
    let missing: Vec<ChunkId> = oracle.iter().filter(is_missing).cloned().collect();
    let is_gold = |id: &ChunkId| trace.gold.groups.iter().flatten().any(|member| member.chunks.contains(id));
    let budget: usize = packed.iter().map(tokens).sum();
    let mut kept = packed.to_vec();
    let mut used = budget + missing.iter().map(tokens).sum::<usize>();
    while used > budget {
        let Some(at) = kept.iter().rposition(|id| !is_gold(id)) else { break };
        used -= tokens(&kept.remove(at));
    }
    let at = match plan.arms.noise_position {
        NoisePosition::First => 0,
        NoisePosition::Middle => kept.len() / 2,
        NoisePosition::Last => kept.len(),
    };
    kept.splice(at..at, missing);
    kept
}

/// The oracle's chunks: per group its first member's, the fewest that cover its ranges, groups in order, each chunk once.
/// `None` where nothing is labelled or a gold document is not in the corpus: there is no oracle to ask.
fn oracle(question: &Question, gold: &Gold, corpus: &Corpus) -> Option<Vec<ChunkId>> {
    if gold.groups.is_empty() || question.kind == Kind::Unanswerable {
        return None;
    }
    let mut chosen: Vec<ChunkId> = Vec::new();
    for group in &gold.groups {
        let member = group.iter().find(|member| !member.chunks.is_empty())?;
        for id in fewest_covering(member, corpus) {
            if !chosen.contains(&id) {
                chosen.push(id);
            }
        }
    }
    Some(chosen)
}

/// The fewest of the member's chunks whose union holds its needed ranges, in document order: from left to right, of the
/// chunks that hold the first byte not yet held, the one that reaches farthest (optimal for intervals). A member
/// without ranges: its first chunk, which holds an answer where one does.
fn fewest_covering(member: &GoldMember, corpus: &Corpus) -> Vec<ChunkId> {
    if member.needed.is_empty() {
        return member.chunks.iter().take(1).cloned().collect();
    }
    let range = |id: &ChunkId| corpus.chunk_number(id).map_or(ByteRange::new(0, 0), |n| corpus.chunks()[n].range);
    let mut needed = member.needed.clone();
    needed.sort_unstable();
    let (mut chosen, mut held_to) = (Vec::new(), 0);
    for part in needed {
        let mut at = part.start.max(held_to);
        while at < part.end {
            let holding = member.chunks.iter().filter(|id| range(id).start <= at && at < range(id).end);
            let Some(best) = holding.max_by_key(|id| range(id).end) else { break };
            held_to = range(best).end;
            at = held_to;
            chosen.push(best.clone());
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Chunk, Document};

    fn corpus(ranges: &[(usize, usize)]) -> Corpus {
        let document = Document { id: "d".into(), title: String::new(), text: "x".repeat(100), metadata: [].into() };
        let chunks = ranges.iter().enumerate().map(|(ordinal, range)| Chunk {
            id: ChunkId::new(&"d".into(), ordinal),
            doc_id: "d".into(),
            ordinal,
            range: (*range).into(),
            n_tokens: 1,
        });
        Corpus::new(vec![document], chunks.collect())
    }

    fn member(corpus: &Corpus, needed: &[(usize, usize)]) -> GoldMember {
        GoldMember {
            doc: "d".into(),
            present: true,
            needed: needed.iter().map(|range| (*range).into()).collect(),
            chunks: corpus.chunks().iter().map(|chunk| chunk.id.clone()).collect(),
            has_answer: false,
            encoder_truncated: false,
        }
    }

    fn ordinals(chunks: &[ChunkId]) -> Vec<&str> {
        chunks.iter().map(|id| id.as_str().trim_start_matches("d#")).collect()
    }

    #[test]
    fn the_fewest_overlapping_chunks_cover_a_long_range() {
        // 5..45 over 0..20, 10..30, 20..40, 30..50: 0 reaches 20, then 2 (20..40) beats 1, then 3.
        let corpus = corpus(&[(0, 20), (10, 30), (20, 40), (30, 50)]);
        assert_eq!(ordinals(&fewest_covering(&member(&corpus, &[(5, 45)]), &corpus)), ["0", "2", "3"]);
    }

    #[test]
    fn one_chunk_serves_two_ranges() {
        let corpus = corpus(&[(0, 20), (10, 40)]);
        assert_eq!(ordinals(&fewest_covering(&member(&corpus, &[(12, 15), (30, 35)]), &corpus)), ["1"]);
    }
}
