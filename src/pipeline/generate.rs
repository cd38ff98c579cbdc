//! The arms of one question: what is put into the prompt, and what came back.

use std::time::Instant;

use super::plan::Plan;
use super::prompt;
use crate::llm::{self, ErrorClass, Generator};
use crate::types::{
    Arm, ArmName, Attempt, ByteRange, ChunkId, Corpus, Finish, Gold, GoldMember, Kind, Question, Stance, TokenUse,
};

/// Runs the arms of `plan` that this question has: `retrieved` always, `oracle` where its gold is in the corpus.
///
/// The oracle's prompt equal to the retrieved one is not asked again.
pub async fn arms(question: &Question, gold: &Gold, packed: &[ChunkId], corpus: &Corpus, plan: &Plan) -> Vec<Arm> {
    let Some(generator) = &plan.generator else { return Vec::new() };
    let mut arms: Vec<Arm> = Vec::with_capacity(plan.arms.len());
    for &name in &plan.arms {
        let chunks = match name {
            ArmName::Retrieved => Some(packed.to_vec()),
            ArmName::Oracle => oracle(question, gold, corpus),
            ArmName::ClosedBook => Some(Vec::new()),
            ArmName::GoldInNoise => None,
        };
        let Some(chunks) = chunks else { continue };
        let same = arms.iter().find_map(|arm| arm.attempts.iter().find(|attempt| attempt.passages == chunks));
        let attempt = match same.filter(|attempt| attempt.error.is_none()) {
            Some(attempt) => Attempt { tokens: TokenUse::default(), cost_usd: 0.0, seconds: 0.0, ..attempt.clone() },
            None => ask(generator.as_ref(), question, chunks, corpus, plan).await,
        };
        arms.push(Arm { arm: name, attempts: vec![attempt] });
    }
    arms
}

async fn ask(
    generator: &dyn Generator,
    question: &Question,
    chunks: Vec<ChunkId>,
    corpus: &Corpus,
    plan: &Plan,
) -> Attempt {
    let prompt = prompt::prompt(question, &chunks, corpus, &plan.prompt, plan.title_prefix);
    let counted = (plan.prompt.counter.count(&prompt.system) + plan.prompt.counter.count(&prompt.user)) as u64;
    let clock = Instant::now();
    let reply = generator.generate(&prompt).await;
    let seconds = clock.elapsed().as_secs_f64();
    match reply {
        Ok(reply) => {
            let (extracted, stance) = llm::read_answer(&reply.text, reply.finish);
            let completion = reply.completion_tokens.unwrap_or_else(|| plan.prompt.counter.count(&reply.text) as u64);
            Attempt {
                passages: chunks,
                raw: reply.text,
                extracted,
                stance,
                finish: reply.finish,
                tokens: TokenUse { prompt: counted, prompt_billed: reply.prompt_tokens, completion },
                cost_usd: plan.price.of(reply.prompt_tokens.unwrap_or(counted), completion),
                seconds,
                error: None,
            }
        }
        Err(error) => {
            // A filter that stops the prompt is the generator's refusal, not a failure of the wire.
            let refused = error.class() == ErrorClass::Refused;
            Attempt {
                passages: chunks,
                raw: String::new(),
                extracted: String::new(),
                stance: if refused { Stance::Refused } else { Stance::Unreadable },
                finish: if refused { Finish::Filtered } else { Finish::Error },
                tokens: TokenUse { prompt: counted, prompt_billed: None, completion: 0 },
                cost_usd: 0.0,
                seconds,
                error: (!refused).then(|| error.to_string()),
            }
        }
    }
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
