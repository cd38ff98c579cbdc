//! The question-answering reader: a `*ForQuestionAnswering` checkpoint in this process, such as one trained on SQuAD.
//!
//! Each packed passage is read alone, its title before it; the answer is the best span of all passages, in the passage's
//! own characters. It cannot say yes or no, count, or join two passages.

use std::sync::Arc;

use async_trait::async_trait;

use super::completion::ABSTENTION;
use super::{Completion, Generator, LlmError};
use ragtriage_core::config::Precision;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::TitledText;
use ragtriage_encoder::checkpoint::{Checkpoint, QuestionAnswerer, TextAnswer};

/// A question-answering checkpoint as a [`Generator`].
pub struct SpanReader {
    name: String,
    answerer: Arc<QuestionAnswerer>,
    /// True if the null score may win.
    abstains: bool,
}

impl SpanReader {
    /// Opens the checkpoint of the model `name`, whose files were found and verified by [`Checkpoint::open`]. The weights
    /// are loaded by the first question. `abstains`: the reader abstains where no answer has the highest score; without
    /// it, only where no passage has a word.
    pub fn open(name: &str, checkpoint: Checkpoint, abstains: bool) -> Result<Self, LlmError> {
        let answerer = QuestionAnswerer::open(checkpoint, Precision::Float32)?;
        Ok(Self { name: name.to_owned(), answerer: Arc::new(answerer), abstains })
    }

    /// Returns the best span of `texts`; `None` for an abstention.
    fn best<'a>(&self, texts: &'a [String], answers: &[TextAnswer]) -> Option<&'a str> {
        let spans = texts.iter().zip(answers);
        let (text, best) =
            spans.filter_map(|(text, answer)| Some((text, answer.best.as_ref()?))).reduce(
                |best, next| {
                    if next.1.score > best.1.score { next } else { best }
                },
            )?;
        let nulls = answers.iter().map(|answer| answer.null_score);
        let is_null = self.abstains && nulls.fold(1.0, f64::min) > best.score;
        let answer = text.get(best.range.clone()).map(str::trim);
        answer.filter(|answer| !is_null && !answer.is_empty())
    }
}

#[async_trait]
impl Generator for SpanReader {
    fn name(&self) -> &str {
        &self.name
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        let question = prompt.question.clone();
        let texts: Vec<String> = prompt
            .passages
            .iter()
            .map(|passage| {
                let (title, text) = (&*passage.title, &*passage.text);
                TitledText { title, text }.joined().into_owned()
            })
            .collect();
        let answerer = Arc::clone(&self.answerer);
        // Held until the answers are computed: if the caller is dropped, the work ends with its current batch.
        let wanted = Arc::new(());
        let still_wanted = Arc::downgrade(&wanted);
        let work = tokio::task::spawn_blocking(move || {
            let read: Vec<&str> = texts.iter().map(String::as_str).collect();
            let answers = answerer.answers(&question, &read, |_| still_wanted.strong_count() > 0);
            (texts, answers)
        });
        let (texts, answers) = work.await.map_err(LlmError::Worker)?;
        drop(wanted);
        let answers = answers?.expect("it goes on as long as it is waited for");
        let answer = self.best(&texts, &answers).unwrap_or(ABSTENTION);
        Ok(Completion::local(answer.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;
    use ragtriage_core::prompt::PromptPassage;
    use ragtriage_core::types::QuestionKind;

    fn open(family: &str, abstains: bool) -> Result<SpanReader, LlmError> {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
        let checkpoint = Checkpoint::open(&data.join(family), None)?;
        SpanReader::open("tiny", checkpoint, abstains)
    }

    async fn answer(reader: &SpanReader, question: &str, passages: &[(&str, &str)]) -> String {
        let prompt = Prompt {
            question: question.to_owned(),
            kind: QuestionKind::Span,
            passages: passages
                .iter()
                .map(|&(title, text)| PromptPassage {
                    title: title.to_owned(),
                    text: text.to_owned(),
                })
                .collect(),
            system: String::new(),
            user: String::new(),
        };
        reader.generate(&prompt).await.unwrap().text
    }

    /// The answers of transformers' pipeline.
    fn expected() -> Value {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-qa/expected.json");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[tokio::test]
    async fn the_best_answer_of_all_passages_is_given_and_abstention_is_a_choice() {
        let expected = expected();
        for family in ["bert", "distilbert", "electra", "roberta"] {
            let rows = expected[family].as_array().unwrap();
            let folder = format!("tiny-qa/{family}");
            let [always, cautious] = [false, true].map(|abstains| open(&folder, abstains).unwrap());
            for row in rows {
                let [question, context, or_none] =
                    ["question", "context", "or_none"].map(|key| row[key].as_str().unwrap());
                let theirs = row["answer"].as_str().unwrap().trim();
                assert_eq!(answer(&always, question, &[("", context)]).await, theirs);
                let or_none = if or_none.is_empty() { ABSTENTION } else { theirs };
                assert_eq!(answer(&cautious, question, &[("", context)]).await, or_none);
                // The better of two passages, in either order; an empty passage changes nothing.
                let other = "the of and";
                let alone = [context, other].map(|text| ("", text));
                let mut turned = alone;
                turned.reverse();
                let both = answer(&always, question, &alone).await;
                assert_eq!(answer(&always, question, &turned).await, both);
                assert!(both == theirs || other.contains(&both), "{both}");
            }
        }
    }

    #[tokio::test]
    async fn the_title_is_read_and_without_words_it_abstains() {
        let reader = open("tiny-qa/bert", false).unwrap();
        assert_eq!(answer(&reader, "what", &[("Tea", "")]).await, "Tea");
        assert_eq!(answer(&reader, "what", &[("", "")]).await, ABSTENTION);
        assert_eq!(answer(&reader, "what", &[]).await, ABSTENTION);
    }

    #[tokio::test]
    async fn a_checkpoint_without_the_head_is_named_in_the_error() {
        let reader = open("tiny-models/cross-encoder", false).unwrap();
        let prompt = Prompt {
            question: "what".to_owned(),
            kind: QuestionKind::Span,
            passages: vec![PromptPassage { title: String::new(), text: "tea".to_owned() }],
            system: String::new(),
            user: String::new(),
        };
        let error = reader.generate(&prompt).await.unwrap_err().to_string();
        assert!(error.ends_with("no tensor `qa_outputs.bias`"), "{error}");
    }
}
