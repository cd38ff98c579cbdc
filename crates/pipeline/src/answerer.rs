//! Who answers the prompts of a run: its generator, or an external RAG that is sent the passages.

use std::sync::Arc;

use ragtriage_clients::Error as ModelError;
use ragtriage_clients::llm::{self, Completion, Generator};
use ragtriage_clients::service::{ContextsCall, Service};
use ragtriage_core::prompt::{Prompt, PromptPassage};
use ragtriage_core::types::{Condition, FailedPart, Finish, Origin, QuestionId, Stance};
use ragtriage_data::run::external::recorded::{RecordedAttempt, RecordedUsage};

/// Answers the prompts of a run.
#[derive(Clone)]
pub enum Answerer {
    /// A generator, which reads the rendered prompt.
    Generator(Arc<dyn Generator>),
    /// A service, which reads question and passages.
    Service(Arc<Service>),
}

/// A reply with its answer.
pub(super) struct Reply {
    pub completion: Completion,
    /// The short answer extracted from it.
    pub extracted: String,
    pub stance: Stance,
    /// Its cost, where the response says it.
    pub cost_usd: Option<f64>,
}

impl Reply {
    /// Reads the answer from a generator's reply.
    pub(super) fn read(completion: Completion) -> Self {
        let (extracted, stance) = llm::read_answer(&completion.text, completion.finish);
        Self { completion, extracted, stance, cost_usd: None }
    }

    /// Reads the answer of an external RAG. A blank one declines, as in a record.
    fn of_service(answer: RecordedAttempt) -> Self {
        let RecordedUsage { prompt_tokens, completion_tokens, cost_usd, finish, .. } = answer.usage;
        let completion = Completion {
            text: answer.text.unwrap_or_default(),
            finish: finish.unwrap_or(Finish::Stop),
            origin: Origin::Called,
            prompt_tokens,
            completion_tokens,
        };
        let is_blank = completion.text.trim().is_empty();
        let reply = Self::read(completion);
        if is_blank && finish.is_none() {
            return Self { stance: Stance::Declined, ..reply };
        }
        Self { cost_usd, ..reply }
    }
}

impl Answerer {
    /// Answers the prompt of a condition of `question`; an error has the part that failed.
    pub(super) async fn answer(
        &self,
        question: &QuestionId,
        condition: Condition,
        prompt: &Prompt,
    ) -> Result<Reply, (FailedPart, ModelError)> {
        let service = match self {
            Self::Generator(generator) => {
                let reply = generator.generate(prompt).await;
                return reply.map(Reply::read).map_err(|error| (FailedPart::Generator, error));
            }
            Self::Service(service) => service,
        };
        let contexts: Vec<String> = prompt.passages.iter().map(context_text).collect();
        let call = ContextsCall {
            id: question.as_str(),
            question: &prompt.question,
            condition,
            contexts: &contexts,
        };
        let answer = service.answer_from(&call).await;
        answer.map(Reply::of_service).map_err(|error| (FailedPart::Service, error))
    }

    /// Returns true if the response to a prompt is cached, so that no call would be made.
    pub(super) async fn is_cached(&self, prompt: &Prompt) -> bool {
        match self {
            Self::Generator(generator) => generator.is_cached(prompt).await,
            Self::Service(_) => false,
        }
    }
}

/// Returns a passage as a service is sent it: its title, if any, is the first line.
pub(super) fn context_text(passage: &PromptPassage) -> String {
    match passage.title.as_str() {
        "" => passage.text.clone(),
        title => format!("{title}\n{}", passage.text),
    }
}
