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

    /// Drops an answer that repeats a placeholder of the instruction in `prompt`, such as `<short answer>`.
    fn without_placeholder(self, prompt: &Prompt) -> Self {
        let answer = self.extracted.as_str();
        let is_in = |text: &str| text.contains(answer);
        let is_data =
            is_in(&prompt.question) || prompt.passages.iter().any(|passage| is_in(&passage.text));
        let is_placeholder = answer.starts_with('<')
            && answer.ends_with('>')
            && !is_data
            && (is_in(&prompt.system) || is_in(&prompt.user));
        if !is_placeholder {
            return self;
        }
        Self { extracted: String::new(), stance: Stance::Unreadable, ..self }
    }

    /// Reads the answer of an external RAG.
    fn of_service(answer: RecordedAttempt) -> Self {
        let RecordedUsage { prompt_tokens, completion_tokens, cost_usd, seconds, finish, .. } =
            answer.usage;
        let completion = Completion {
            text: answer.text.unwrap_or_default(),
            finish: finish.unwrap_or(Finish::Stop),
            origin: Origin::Called,
            prompt_tokens,
            completion_tokens,
            seconds: seconds.unwrap_or_default(),
        };
        Self { cost_usd, ..Self::read(completion) }
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
                return reply
                    .map(|reply| Reply::read(reply).without_placeholder(prompt))
                    .map_err(|error| (FailedPart::Generator, error));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_of_the_instruction_is_no_answer_and_a_tag_of_the_passages_is_one() {
        let read = |text: &str, passage: &str| {
            let passage = PromptPassage { title: String::new(), text: passage.to_owned() };
            let prompt = Prompt {
                question: "Which tag?".to_owned(),
                system: String::new(),
                user: format!("{}\n\nWrite:\nAnswer: <short answer>", passage.text),
                passages: vec![passage],
            };
            let completion = Completion {
                text: text.to_owned(),
                finish: Finish::Stop,
                origin: Origin::Called,
                prompt_tokens: None,
                completion_tokens: None,
                seconds: 0.0,
            };
            let reply = Reply::read(completion).without_placeholder(&prompt);
            (reply.extracted, reply.stance)
        };
        let placeholder = (String::new(), Stance::Unreadable);
        assert_eq!(read("Answer: <short answer>", "Use <head>."), placeholder);
        let head = ("<head>".to_owned(), Stance::Answered);
        assert_eq!(read("Answer: <head>", "Use <head>."), head);
        let other = ("<body>".to_owned(), Stance::Answered);
        assert_eq!(read("Answer: <body>", "Use <head>."), other);
    }
}
