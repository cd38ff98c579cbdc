//! The extractive reader: answers with a piece of a passage, offline and always the same.
//!
//! A baseline, not a language model: it shows whether the answer reached the prompt in a sentence that shares words
//! with the question, and it costs nothing. It picks the sentence that speaks most of what is asked and, for
//! span questions, narrows it to what looks like the sort of thing asked for. It does not reason, count or compare.

mod candidates;
mod choice;
mod score;
mod span;
mod terms;
mod want;
mod yes_no;

use async_trait::async_trait;

use self::score::Sentence;
use self::span::Span;
use self::terms::QuestionTerms;
use self::want::{Want, want};
use super::{Generator, LlmError, Reply};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::{Finish, Kind, Origin};

/// What it says when no sentence shares a content term with the question.
const ABSTENTION: &str = "I don't know.";

/// How many sentences are looked at for a span of the wanted sort before the best sentence's best span is taken.
const SENTENCES_TRIED: usize = 5;

/// The extractive reader; stateless.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive;

impl Extractive {
    /// Answers one prompt from its passages; the rendered messages are not read.
    ///
    /// Span questions get a span, yes/no questions `yes` or `no`, all others a whole sentence; `I don't know.` where
    /// there is no passage or none that shares a content term with the question. Time grows with the passages' bytes.
    #[must_use]
    pub fn answer(self, prompt: &Prompt) -> String {
        let terms = QuestionTerms::of(&prompt.question);
        let (ranked, weights) = score::rank(&terms, &prompt.passages);
        let Some(top) = ranked
            .first()
            .filter(|_| ranked.iter().any(|sentence| sentence.mask != 0))
        else {
            return ABSTENTION.to_owned();
        };
        match prompt.kind {
            Kind::Span => match choice::choose(&prompt.question, &ranked, &prompt.passages) {
                Some(option) => option.to_owned(),
                None => narrow(want(&prompt.question), &ranked, &terms, &weights)
                    .unwrap_or(top.text)
                    .to_owned(),
            },
            Kind::YesNo => {
                let yes = yes_no::decide(
                    &prompt.question,
                    &terms,
                    &weights,
                    &ranked,
                    &prompt.passages,
                );
                if yes { "yes" } else { "no" }.to_owned()
            }
            Kind::Free | Kind::Unanswerable => top.text.to_owned(),
        }
    }
}

/// The best span of the wanted sort, else the best sentence's best span, else its part that the question does not hold.
fn narrow<'a>(
    want: Want,
    ranked: &[Sentence<'a>],
    terms: &QuestionTerms,
    weights: &[f64],
) -> Option<&'a str> {
    let top = ranked.first()?;
    if want == Want::Clause {
        return Some(span::rest(top.text, terms));
    }
    let spans: Vec<Span<'a>> = ranked
        .iter()
        .take(SENTENCES_TRIED)
        .filter_map(|sentence| span::best(sentence, want, terms, weights))
        .collect();
    let best = spans.iter().find(|span| span.fits).or(spans.first());
    Some(best.map_or_else(|| span::rest(top.text, terms), |span| span.text))
}

#[async_trait]
impl Generator for Extractive {
    fn name(&self) -> &'static str {
        "extractive"
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        Ok(Reply {
            text: self.answer(prompt),
            finish: Finish::Stop,
            origin: Origin::Called,
            prompt_tokens: None,
            completion_tokens: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ragtriage_core::prompt::PromptPassage;

    fn prompt(question: &str, kind: Kind, passages: &[(&str, &str)]) -> Prompt {
        let passages = passages
            .iter()
            .map(|&(title, text)| PromptPassage {
                title: title.to_owned(),
                text: text.to_owned(),
            })
            .collect();
        Prompt {
            question: question.to_owned(),
            kind,
            passages,
            system: String::new(),
            user: String::new(),
        }
    }

    const RUNBOOKS: [(&str, &str); 2] = [
        (
            "Kafka lag",
            "# Symptoms\nThe alert fires at 10,000 messages.\n# Drain a broker\n\
             - Run `kafka-drain --id N` to drain a broker.\n\
             - Wait 15 minutes for the replicas.\n- Never restart two brokers at once.",
        ),
        (
            "Postgres",
            "The primary was moved to Frankfurt by Ada Brook on 3 May 2021. Its port is 5432.",
        ),
    ];

    #[test]
    fn the_question_kind_and_words_decide_what_is_answered() {
        for (question, kind, expected) in [
            (
                "Which command drains a broker?",
                Kind::Span,
                "kafka-drain --id N",
            ),
            ("How long do the replicas need?", Kind::Span, "15 minutes"),
            (
                "At how many messages does the alert fire?",
                Kind::Span,
                "10,000",
            ),
            ("Who moved the Postgres primary?", Kind::Span, "Ada Brook"),
            ("Where was the primary moved?", Kind::Span, "Frankfurt"),
            ("In what year was the primary moved?", Kind::Span, "2021"),
            ("What is the port of Postgres?", Kind::Span, "5432"),
            ("Can I restart two brokers at once?", Kind::YesNo, "no"),
            ("Was the primary moved to Frankfurt?", Kind::YesNo, "yes"),
            (
                "How do I drain a broker?",
                Kind::Free,
                "Run `kafka-drain --id N` to drain a broker.",
            ),
            ("Who wrote Hamlet?", Kind::Span, ABSTENTION),
            ("", Kind::Span, ABSTENTION),
        ] {
            assert_eq!(
                Extractive.answer(&prompt(question, kind, &RUNBOOKS)),
                expected,
                "{question}"
            );
        }
    }

    #[test]
    fn without_passages_it_abstains_whatever_the_kind() {
        for kind in Kind::ALL {
            assert_eq!(Extractive.answer(&prompt("Who?", kind, &[])), ABSTENTION);
        }
    }

    #[test]
    fn one_of_two_named_options_is_answered_as_the_question_has_it() {
        let passages = [
            ("Ann Lee", "Ann Lee wrote poems."),
            ("Bob Ray", "Bob Ray built bridges and wrote on bridges."),
        ];
        let asked = prompt(
            "Who built bridges, Ann Lee or Bob Ray?",
            Kind::Span,
            &passages,
        );
        assert_eq!(Extractive.answer(&asked), "Bob Ray");
    }

    #[test]
    fn yes_needs_every_named_subject() {
        let question = "Are both Cypress and Ajuga shrubs?";
        let both = [
            ("Cypress", "It is one of the shrubs."),
            ("Ajuga", "A genus of shrubs."),
        ];
        let one = [
            ("Cypress", "It is one of the shrubs."),
            ("Ajuga", "A genus of herbs."),
        ];
        assert_eq!(
            Extractive.answer(&prompt(question, Kind::YesNo, &both)),
            "yes"
        );
        assert_eq!(
            Extractive.answer(&prompt(question, Kind::YesNo, &one)),
            "no"
        );
    }

    #[test]
    fn a_megabyte_without_white_space_or_of_marks_only_is_answered() {
        for line in [
            "a".repeat(1_000_000),
            ".\"".repeat(500_000),
            "`A 1 or ".repeat(125_000),
            "é.\n".repeat(250_000),
        ] {
            for kind in Kind::ALL {
                let asked = prompt(&line, kind, &[(&line, &line)]);
                assert!(Extractive.answer(&asked).len() <= 1_000);
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_it_is_given_it_answers_from_it(
            question in "\\PC{0,60}|(who|when|which|or|[A-Z][a-z]*|`|\"| |\\.){0,20}",
            text in "\\PC{0,200}|([A-Z][a-z]*|[a-z]+|[0-9]{1,4}|`|\"|[ .,!?\n#|>-]|é|🦀){0,60}",
            title in "\\PC{0,20}",
        ) {
            for kind in Kind::ALL {
                let asked = prompt(&question, kind, &[(&title, &text), ("b", &text)]);
                let answer = Extractive.answer(&asked);
                prop_assert_eq!(&answer, &Extractive.answer(&asked));
                let given = text.contains(&answer) || question.contains(&answer) || answer == ABSTENTION;
                prop_assert!(given || (kind == Kind::YesNo && ["yes", "no"].contains(&&*answer)));
            }
        }
    }
}
