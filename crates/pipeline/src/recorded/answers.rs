//! The answers of a record, as the attempts of a trace.

use super::{ExternalPipeline, plan};
use ragtriage_clients::llm;
use ragtriage_core::types::{
    Attempt, ChunkId, Condition, ConditionAnswers, Finish, Origin, Passage, TokenUse,
};
use ragtriage_data::run::external::recorded::{Recorded, RecordedAttempt, RecordedUsage};

impl ExternalPipeline {
    /// Returns the conditions; `passages` are those of the record's conditions, in their order.
    pub(super) fn conditions(
        &self,
        recorded: Recorded,
        packed: &[ChunkId],
        passages: Vec<Vec<Passage>>,
    ) -> Vec<ConditionAnswers> {
        let prompt = recorded.prompt.as_deref();
        let prompt = prompt.map(|prompt| self.plan.counter.count(prompt) as u64);
        let Some(answer) = recorded.answer else {
            let what = "[question|questions] with `conditions` and no `answer` to compare them with: these conditions are left out";
            let n_left_out = usize::from(!recorded.conditions.is_empty());
            self.places.note(what, n_left_out);
            return Vec::new();
        };
        let first = self.condition(Condition::Retrieved, answer, packed.to_vec(), prompt);
        let others = recorded.conditions.into_iter().zip(passages);
        let others = others.map(|(condition, passages)| {
            let passages = passages.into_iter().map(|passage| passage.id);
            self.condition(condition.condition, condition.answer, passages.collect(), None)
        });
        std::iter::once(first).chain(others).collect()
    }

    fn condition(
        &self,
        condition: Condition,
        answer: RecordedAttempt,
        passages: Vec<ChunkId>,
        prompt: Option<u64>,
    ) -> ConditionAnswers {
        ConditionAnswers { condition, attempts: vec![self.attempt(answer, passages, prompt)] }
    }

    /// Builds an attempt. A missing answer is an empty reply.
    fn attempt(
        &self,
        recorded: RecordedAttempt,
        passages: Vec<ChunkId>,
        prompt: Option<u64>,
    ) -> Attempt {
        let RecordedAttempt { text, usage, error } = recorded;
        let RecordedUsage { prompt_tokens, completion_tokens, cost_usd, seconds, model: _, finish } =
            usage;
        let raw = text.unwrap_or_default();
        let finish = match &error {
            Some(_) => Finish::Error,
            None => finish.unwrap_or(Finish::Stop),
        };
        let (extracted, stance) = llm::read_answer(&raw, finish);
        let counted = prompt.or(prompt_tokens);
        let completion = completion_tokens.unwrap_or_else(|| self.plan.counter.count(&raw) as u64);
        Attempt {
            passages,
            raw,
            extracted,
            stance,
            finish,
            origin: Origin::Called,
            tokens: TokenUse {
                prompt: counted.unwrap_or(0),
                prompt_billed: prompt_tokens,
                completion,
            },
            cost_usd: cost_usd.unwrap_or(0.0),
            seconds: seconds.unwrap_or(0.0),
            error: error.map(plan::failed),
        }
    }
}
