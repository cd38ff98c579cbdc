//! The extractive reader: answers with a span of a passage, offline and deterministically.
//!
//! A baseline, not a language model: it shows whether the answer reached the prompt in a sentence that shares words
//! with the question, at no cost. It selects the sentence with most of the question's terms and, for span
//! questions, narrows it to the kind of span asked for. It does not reason, count or compare.
//!
//! base(sentence) = (sum of w(t) over the distinct question terms t in it
//!     + `CONTEXT` * the same sum over terms that are only in its passage's title or the heading above it
//!     - `RANK` * its passage's place in the prompt, from 0)
//!     / (1 + `LENGTH` * its bytes / 100)
//! score = base + `BRIDGE` * the best base, for sentences of a passage whose title the best sentence names,
//!
//! with w(t) = ln(1 + N / df(t)), N the sentences of all passages, df those with t. Ties keep prompt order. The
//! bridge follows the link of a two-step question: its first step is named by the question, the second by the first.

mod spans;
mod terms;

use async_trait::async_trait;

use self::spans::{Candidate, Looks, Want, candidates, is_unit, is_year};
use self::terms::{QuestionTerms, TextWord, is_stop_word, words};
use super::{Completion, Generator, LlmError};
use ragtriage_core::prompt::{Prompt, PromptPassage};
use ragtriage_core::text::sentences::{Shape, split};
use ragtriage_core::types::{Finish, Origin, QuestionKind};

/// The answer when no sentence shares a content term with the question.
const ABSTENTION: &str = "I don't know.";
/// Number of sentences searched for a span of the wanted kind before falling back to the best
/// sentence's best span.
const SENTENCES_TRIED: usize = 5;
/// Share of a term's weight that a title or heading gives.
const CONTEXT: f64 = 0.5;
/// Penalty for each position in the prompt: less than any term, enough to break ties.
const RANK: f64 = 0.02;
/// Penalty for 100 bytes of a sentence. It and `BRIDGE` were tuned over a few values on samples of `HotpotQA` and
/// `SQuAD`.
const LENGTH: f64 = 0.1;
/// Share of the best sentence's score added to the passages it names.
const BRIDGE: f64 = 0.5;
/// Minimum share of a yes/no question's terms, by weight, that a sentence must contain.
const ENOUGH: f64 = 0.5;
/// Lower-case words that negate a sentence, in addition to those in `n't`.
const NEGATIONS: [&str; 10] = [
    "cannot",
    "forbidden",
    "neither",
    "never",
    "no",
    "none",
    "nor",
    "not",
    "unsafe",
    "without",
];
/// Prepositions that precede a place.
const PLACE_PREPOSITIONS: [&str; 7] = ["at", "from", "in", "near", "on", "outside", "to"];

/// The extractive reader; stateless.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive;

impl Extractive {
    /// Answers one prompt from its passages; the rendered messages are not read.
    ///
    /// Span questions get a span, yes/no questions `yes` or `no`, all others a whole sentence; `I don't know.` if
    /// no passage shares a content term with the question. Time is linear in the passages' bytes.
    #[must_use]
    pub fn answer(self, prompt: &Prompt) -> String {
        let reading = Reading::of(&prompt.question, &prompt.passages);
        let has_term = reading.ranked.iter().any(|sentence| sentence.mask != 0);
        let answer = match (reading.ranked.first().filter(|_| has_term), prompt.kind) {
            (None, _) => ABSTENTION,
            (Some(_), QuestionKind::Span) => reading.option().unwrap_or_else(|| reading.span()),
            (Some(_), QuestionKind::YesNo) if reading.agrees() => "yes",
            (Some(_), QuestionKind::YesNo) => "no",
            (Some(top), QuestionKind::Free | QuestionKind::Unanswerable) => top.text,
        };
        answer.to_owned()
    }
}

#[async_trait]
impl Generator for Extractive {
    fn name(&self) -> &'static str {
        "extractive"
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        Ok(Completion {
            text: self.answer(prompt),
            finish: Finish::Stop,
            origin: Origin::Called,
            prompt_tokens: None,
            completion_tokens: None,
        })
    }
}

/// A question with the sentences of its passages, best first.
struct Reading<'a> {
    question: &'a str,
    passages: &'a [PromptPassage],
    terms: QuestionTerms,
    /// The weight of each of the question's terms.
    weights: Vec<f64>,
    ranked: Vec<Sentence<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct Sentence<'a> {
    text: &'a str,
    /// Its passage's position in the prompt, from 0.
    passage: usize,
    /// The question's terms in it.
    mask: u128,
    /// The question's terms in the title and heading above it.
    context: u128,
    score: f64,
}

/// A candidate with its ranking criteria, most important first.
struct AnswerSpan<'a> {
    fits: bool,
    nearness: f64,
    text: &'a str,
}

impl<'a> Reading<'a> {
    fn of(question: &'a str, passages: &'a [PromptPassage]) -> Self {
        let terms = QuestionTerms::of(question);
        let mut sentences: Vec<Sentence<'a>> = Vec::new();
        for (passage, PromptPassage { title, text }) in passages.iter().enumerate() {
            let title = terms.mask(title);
            let mut context = title;
            for piece in split(text) {
                let text = &text[piece.range];
                let mask = terms.mask(text);
                match piece.shape {
                    Shape::Heading => context = title | mask,
                    Shape::Sentence => sentences.push(Sentence {
                        text,
                        passage,
                        mask,
                        context,
                        score: 0.0,
                    }),
                }
            }
        }
        let mut reading = Self {
            question,
            passages,
            weights: weights(terms.len(), &sentences),
            terms,
            ranked: Vec::new(),
        };
        reading.score(&mut sentences);
        sentences.sort_by(|a, b| b.score.total_cmp(&a.score));
        reading.ranked = sentences;
        reading
    }

    fn score(&self, sentences: &mut [Sentence<'a>]) {
        for sentence in &mut *sentences {
            let own = self.weigh(sentence.mask);
            let context = self.weigh(sentence.context & !sentence.mask);
            let length = 1.0 + LENGTH * sentence.text.len() as f64 / 100.0;
            sentence.score = (own + CONTEXT * context - RANK * sentence.passage as f64) / length;
        }
        let best = sentences.iter().copied();
        let Some(top) = best.reduce(|top, next| if next.score > top.score { next } else { top })
        else {
            return;
        };
        for sentence in sentences
            .iter_mut()
            .filter(|next| next.passage != top.passage)
        {
            let title = &self.passages[sentence.passage].title;
            let name = title.split(" (").next().unwrap_or("");
            if !name.is_empty() && top.text.contains(name) {
                sentence.score += BRIDGE * top.score;
            }
        }
    }

    /// Returns the sum of the weights of the terms in `mask`.
    fn weigh(&self, mask: u128) -> f64 {
        let weights = self.weights.iter().enumerate();
        weights
            .filter(|(term, _)| mask >> term & 1 == 1)
            .map(|(_, weight)| weight)
            .sum()
    }

    /// Returns the one of two names around the question's last ` or ` that the better sentence mentions.
    fn option(&self) -> Option<&'a str> {
        let or = self.question.rfind(" or ")?;
        let names = named(self.question, &[Looks::Name, Looks::Opening, Looks::Code]);
        let is_left = |name: &&Candidate| {
            name.range.end <= or && !self.question[name.range.end..or].contains(' ')
        };
        let left = names.iter().rfind(is_left)?;
        let right = names
            .iter()
            .find(|name| name.range.start >= or + " or ".len())?;
        let [left, right] = [left, right].map(|name| &self.question[name.range.clone()]);
        let decisive = self
            .ranked
            .iter()
            .find(|sentence| self.speaks_of(left, sentence) != self.speaks_of(right, sentence))?;
        Some(if self.speaks_of(left, decisive) {
            left
        } else {
            right
        })
    }

    fn speaks_of(&self, name: &str, sentence: &Sentence<'_>) -> bool {
        sentence.text.contains(name) || self.passages[sentence.passage].title.contains(name)
    }

    /// Decides a yes/no question. Uses the question's terms outside its names, and the passages with one of the names in
    /// their title. The best sentence of each of those, or of all passages if there is none, must contain `ENOUGH` of
    /// these terms, and a negation if and only if the question has one.
    fn agrees(&self) -> bool {
        let names: Vec<&str> = named(self.question, &[Looks::Name, Looks::Quoted, Looks::Code])
            .into_iter()
            .map(|name| &self.question[name.range])
            .collect();
        let in_names = names
            .iter()
            .fold(0, |mask, name| mask | self.terms.mask(name));
        let asked = self.terms.mask(self.question) & !in_names;
        let mut subjects = (0..self.passages.len())
            .filter(|&at| {
                names
                    .iter()
                    .any(|name| self.passages[at].title.contains(name))
            })
            .peekable();
        if subjects.peek().is_none() {
            return self
                .ranked
                .first()
                .is_some_and(|top| self.covers(top, asked));
        }
        subjects.all(|subject| {
            let sentences = self
                .ranked
                .iter()
                .filter(|sentence| sentence.passage == subject);
            sentences
                .max_by(|a, b| {
                    self.weigh(a.mask & asked)
                        .total_cmp(&self.weigh(b.mask & asked))
                })
                .is_some_and(|best| self.covers(best, asked))
        })
    }

    fn covers(&self, sentence: &Sentence<'_>, asked: u128) -> bool {
        self.weigh(sentence.mask & asked) >= ENOUGH * self.weigh(asked)
            && negates(sentence.text) == negates(self.question)
    }

    /// Returns the best span of the wanted kind, else the best sentence's best span, else the rest
    /// of that sentence.
    fn span(&self) -> &'a str {
        let want = Want::of(self.question);
        let tried = if want == Want::Clause {
            0
        } else {
            SENTENCES_TRIED
        };
        let spans: Vec<AnswerSpan<'a>> = self
            .ranked
            .iter()
            .take(tried)
            .filter_map(|sentence| self.best_span(sentence.text, want))
            .collect();
        let best = spans.iter().find(|span| span.fits).or(spans.first());
        best.map_or_else(|| rest(self.ranked[0].text, &self.terms), |span| span.text)
    }

    /// Returns the nearest candidate of a sentence, those of the wanted kind first; ties follow the sentence's
    /// order.
    fn best_span(&self, text: &'a str, want: Want) -> Option<AnswerSpan<'a>> {
        let words = words(text);
        let masks: Vec<u128> = words
            .iter()
            .map(|word| self.terms.mask(word.text))
            .collect();
        candidates(text, &words)
            .into_iter()
            .filter_map(|found| {
                let nearness = self.nearness(&found.range, &words, &masks)?;
                let bonus = f64::from(u8::from(looks_wanted(want, text, &found)));
                Some(AnswerSpan {
                    fits: want.fits(found.looks),
                    nearness: nearness + bonus,
                    text: trim(&text[found.range], want, found.looks),
                })
            })
            .reduce(|best, next| {
                let is_better = (next.fits, next.nearness) > (best.fits, best.nearness);
                if is_better { next } else { best }
            })
    }

    /// Returns the sum over the question's terms outside the candidate of weight / (1 + distance in words); `None` if every
    /// word of the candidate is one of them or a stop word.
    fn nearness(
        &self,
        range: &std::ops::Range<usize>,
        words: &[TextWord<'_>],
        masks: &[u128],
    ) -> Option<f64> {
        let first = words.iter().position(|word| word.end() > range.start)?;
        let last = words.iter().rposition(|word| word.start < range.end)?;
        let is_new = (first..=last).any(|at| masks[at] == 0 && !is_stop_word(words[at].text));
        let terms = masks.iter().enumerate().filter(|&(_, &mask)| mask != 0);
        is_new.then(|| {
            terms
                .map(|(at, &mask)| (mask, first.saturating_sub(at).max(at.saturating_sub(last))))
                .filter(|&(_, distance)| distance > 0)
                .map(|(mask, distance)| self.weigh(mask) / (1 + distance) as f64)
                .sum()
        })
    }
}

fn weights(n_terms: usize, sentences: &[Sentence<'_>]) -> Vec<f64> {
    let n = sentences.len() as f64;
    (0..n_terms)
        .map(|term| {
            let with = sentences
                .iter()
                .filter(|sentence| sentence.mask >> term & 1 == 1);
            (1.0 + n / with.count().max(1) as f64).ln()
        })
        .collect()
}

/// Returns the candidates of a question with one of these forms.
fn named(question: &str, looks: &[Looks]) -> Vec<Candidate> {
    let mut found = candidates(question, &words(question));
    found.retain(|candidate| looks.contains(&candidate.looks));
    found
}

fn negates(text: &str) -> bool {
    words(text).iter().any(|word| {
        let lower = word.text.to_lowercase();
        NEGATIONS.contains(&lower.as_str()) || lower.ends_with("n't") || lower.ends_with("n’t")
    })
}

/// Returns true for a name that resembles a person's (two words or more) or a place's (after a preposition) if one is wanted.
fn looks_wanted(want: Want, text: &str, found: &Candidate) -> bool {
    match want {
        Want::Person => text[found.range.clone()].contains(' '),
        Want::Place => {
            let before = text[..found.range.start].split_whitespace().next_back();
            before.is_some_and(|word| PLACE_PREPOSITIONS.contains(&word.to_lowercase().as_str()))
        }
        _ => false,
    }
}

/// Returns the year of a date or the number without its unit, if asked for.
fn trim(text: &str, want: Want, looks: Looks) -> &str {
    match (want, looks) {
        (Want::Year, Looks::Date) => {
            let year = text.split_whitespace().find(|word| is_year(word));
            year.unwrap_or(text)
        }
        (Want::Count, Looks::Number) => {
            let counted = text.rsplit_once(' ').filter(|(_, last)| is_unit(last));
            counted.map_or(text, |(number, _)| number)
        }
        _ => text,
    }
}

/// Returns the longest run of words of `text` without a term of the question; all of it if every word is one.
fn rest<'a>(text: &'a str, terms: &QuestionTerms) -> &'a str {
    let words = words(text);
    let runs = words.split(|word| terms.mask(word.text) != 0);
    let longest = runs.reduce(|best, next| if next.len() > best.len() { next } else { best });
    match longest {
        Some([first, .., last]) => &text[first.start..last.end()],
        Some([only]) => &text[only.start..only.end()],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prompt(question: &str, kind: QuestionKind, passages: &[(&str, &str)]) -> Prompt {
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
                QuestionKind::Span,
                "kafka-drain --id N",
            ),
            (
                "How long do the replicas need?",
                QuestionKind::Span,
                "15 minutes",
            ),
            (
                "At how many messages does the alert fire?",
                QuestionKind::Span,
                "10,000",
            ),
            (
                "Who moved the Postgres primary?",
                QuestionKind::Span,
                "Ada Brook",
            ),
            (
                "Where was the primary moved?",
                QuestionKind::Span,
                "Frankfurt",
            ),
            (
                "In what year was the primary moved?",
                QuestionKind::Span,
                "2021",
            ),
            ("What is the port of Postgres?", QuestionKind::Span, "5432"),
            (
                "Can I restart two brokers at once?",
                QuestionKind::YesNo,
                "no",
            ),
            (
                "Was the primary moved to Frankfurt?",
                QuestionKind::YesNo,
                "yes",
            ),
            (
                "How do I drain a broker?",
                QuestionKind::Free,
                "Run `kafka-drain --id N` to drain a broker.",
            ),
            ("Who wrote Hamlet?", QuestionKind::Span, ABSTENTION),
            ("", QuestionKind::Span, ABSTENTION),
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
        for kind in QuestionKind::ALL {
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
            QuestionKind::Span,
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
            Extractive.answer(&prompt(question, QuestionKind::YesNo, &both)),
            "yes"
        );
        assert_eq!(
            Extractive.answer(&prompt(question, QuestionKind::YesNo, &one)),
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
            for kind in QuestionKind::ALL {
                let asked = prompt(&line, kind, &[(&line, &line)]);
                assert!(Extractive.answer(&asked).len() <= 1_000);
            }
        }
    }

    fn passage(title: &str, text: &str) -> PromptPassage {
        PromptPassage {
            title: title.into(),
            text: text.into(),
        }
    }

    fn span(question: &str, text: &str, want: Want) -> Option<String> {
        let passages = [passage("", text)];
        let reading = Reading::of(question, &passages);
        let best = reading.best_span(&passages[0].text, want)?;
        Some(best.text.to_owned())
    }

    fn decided(question: &str, text: &str) -> bool {
        Extractive.answer(&prompt(question, QuestionKind::YesNo, &[("", text)])) == "yes"
    }

    #[test]
    fn the_score_is_the_documented_sum() {
        let passages = [
            passage("On Kafka", "The port is 9092. It is slow."),
            passage("Other", "Kafka has a port."),
        ];
        let Reading {
            ranked, weights, ..
        } = Reading::of("kafka port", &passages);
        // N = 3; kafka occurs in 1 sentence, port in 2.
        let (kafka, port) = (4.0_f64.ln(), 2.5_f64.ln());
        assert_eq!(weights, [kafka, port]);
        assert_eq!(
            ranked.iter().map(|s| s.text).collect::<Vec<_>>(),
            ["Kafka has a port.", "The port is 9092.", "It is slow."]
        );
        // 17 bytes each for the first two, 11 for the third.
        let expected = [
            (kafka + port - RANK) / (1.0 + LENGTH * 0.17),
            (port + CONTEXT * kafka) / (1.0 + LENGTH * 0.17),
            CONTEXT * kafka / (1.0 + LENGTH * 0.11),
        ];
        for (sentence, expected) in ranked.iter().zip(expected) {
            assert!((sentence.score - expected).abs() < 1e-12, "{sentence:?}");
        }
    }

    #[test]
    fn the_passage_that_the_best_sentence_names_is_next() {
        let passages = [
            passage("Rye", "Born where rye grows."),
            passage("Ann Lee (poet)", "She hails from Leeds."),
            passage("Blue Hill", "Blue Hill has one maker, Ann Lee."),
        ];
        let Reading { ranked, .. } =
            Reading::of("Where was the maker of Blue Hill born?", &passages);
        assert_eq!(
            ranked.iter().map(|s| s.passage).collect::<Vec<_>>(),
            [2, 1, 0]
        );
    }

    #[test]
    fn a_heading_speaks_for_the_lines_under_it_and_is_no_answer() {
        let passages = [passage("", "Wait.\n# Restart\nRun it.\n# Stop\nEnd it.")];
        let Reading { ranked, .. } = Reading::of("restart kafka", &passages);
        assert_eq!(
            ranked.iter().map(|s| s.text).collect::<Vec<_>>(),
            ["Run it.", "Wait.", "End it."]
        );
    }

    #[test]
    fn equal_sentences_keep_the_prompts_order() {
        let passages = [
            passage("", "One kafka. Two kafka."),
            passage("", "Three kafka."),
        ];
        let Reading { ranked, .. } = Reading::of("kafka", &passages);
        assert_eq!(
            ranked.iter().map(|s| s.text).collect::<Vec<_>>(),
            ["One kafka.", "Two kafka.", "Three kafka."]
        );
    }

    const TEXT: &str =
        "On 3 May 1998 Ada Brook, born in Leeds, moved 12 hosts with `drainctl` to Paris.";

    #[test]
    fn each_wanted_sort_takes_its_candidate() {
        for (want, expected) in [
            (Want::Person, "Ada Brook"),
            (Want::Date, "3 May 1998"),
            (Want::Year, "1998"),
            (Want::Number, "12"),
            (Want::Code, "drainctl"),
        ] {
            assert_eq!(
                span("moved?", TEXT, want),
                Some(expected.to_owned()),
                "{want:?}"
            );
        }
    }

    #[test]
    fn the_candidate_nearest_to_the_questions_terms_is_taken() {
        // `born` is 2 words before `Leeds` and far from `Paris`; `hosts` nearer to `Paris`.
        assert_eq!(
            span("Where was she born?", TEXT, Want::Place),
            Some("Leeds".to_owned())
        );
        assert_eq!(
            span("Where did the drainctl go?", TEXT, Want::Place),
            Some("Paris".to_owned())
        );
    }

    #[test]
    fn what_the_question_names_is_no_answer() {
        assert_eq!(
            span("Where did Ada Brook of Leeds go?", TEXT, Want::Place),
            Some("Paris".to_owned())
        );
        assert_eq!(span("Kafka?", "Kafka is slow.", Want::Any), None);
    }

    #[test]
    fn a_unit_stays_where_the_question_does_not_count() {
        let text = "It waits 5 minutes.";
        assert_eq!(
            span("How long does it wait?", text, Want::Number),
            Some("5 minutes".to_owned())
        );
        assert_eq!(
            span("How many minutes?", text, Want::Count),
            Some("5".to_owned())
        );
    }

    #[test]
    fn the_rest_is_the_longest_run_the_question_does_not_hold() {
        let terms = QuestionTerms::of("Why does the broker restart?");
        assert_eq!(
            rest("The broker restarts because its disk is full.", &terms),
            "because its disk is full"
        );
        assert_eq!(rest("Broker restart", &terms), "Broker restart");
        assert_eq!(rest("", &terms), "");
    }

    #[test]
    fn the_options_are_the_names_around_or() {
        for (question, expected) in [
            (
                "Which dog, the Manchester Terrier or the Scotch Collie?",
                Some("Scotch Collie"),
            ),
            ("Is it `eu-1` or `eu-2`?", None),
            ("Is it red or Blue?", None),
            ("Who?", None),
        ] {
            let passages = [passage("", "A Scotch Collie is a dog.")];
            assert_eq!(
                Reading::of(question, &passages).option(),
                expected,
                "{question}"
            );
        }
        let passages = [passage("", "It is eu-1.")];
        assert_eq!(
            Reading::of("Is it `eu-1` or `eu-2`?", &passages).option(),
            Some("eu-1")
        );
    }

    #[test]
    fn a_negation_on_one_side_turns_the_answer_round() {
        assert!(decided("Is a restart safe?", "A restart is safe."));
        assert!(!decided("Is a restart safe?", "A restart isn't safe."));
        assert!(!decided("Is a restart safe?", "Never call a restart safe."));
        assert!(decided(
            "Is it not safe to restart?",
            "It is not safe to restart."
        ));
    }

    #[test]
    fn a_sentence_that_holds_less_than_half_of_what_is_asked_is_a_no() {
        // A single sentence, so that every weight is ln 2: one of three terms is less than half, two are
        // more.
        assert!(!decided(
            "Does the nightly backup replicate?",
            "The backup is full."
        ));
        assert!(decided(
            "Does the nightly backup replicate?",
            "The nightly backup is full."
        ));
    }

    proptest! {
        #[test]
        fn whatever_it_is_given_it_answers_from_it(
            question in "\\PC{0,60}|(who|when|which|or|[A-Z][a-z]*|`|\"| |\\.){0,20}",
            text in "\\PC{0,200}|([A-Z][a-z]*|[a-z]+|[0-9]{1,4}|`|\"|[ .,!?\n#|>-]|é|🦀){0,60}",
            title in "\\PC{0,20}",
        ) {
            for kind in QuestionKind::ALL {
                let asked = prompt(&question, kind, &[(&title, &text), ("b", &text)]);
                let answer = Extractive.answer(&asked);
                prop_assert_eq!(&answer, &Extractive.answer(&asked));
                let given = text.contains(&answer) || question.contains(&answer) || answer == ABSTENTION;
                prop_assert!(given || (kind == QuestionKind::YesNo && ["yes", "no"].contains(&&*answer)));
            }
        }
    }
}
