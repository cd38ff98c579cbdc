//! External RAGs: converts their records, or the responses of their service, to the same traces as the built-in
//! pipeline's.
//!
//! Everything between the question and the prompt is one step there: the contexts are the ranking `external`. Those that
//! the recorded prompt contains are the packed passages (`in_prompt.rs`); without a prompt, all of them. Each is located
//! in the corpus (`contexts.rs`), so that support, failure classes and document measures use the same byte ranges as for
//! the built-in chunks.

use ragtriage_models::service::Rag;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;

use super::ask::{Asker, Prepared, QuestionResult, RunFacts};
use super::compute::Compute;
use super::contexts::{Placed, Places};
use super::in_prompt::{self, InPrompt};
use ragtriage_core::attribute::gold::{self, locate_shown};
use ragtriage_core::text::answers::Searchable;
use ragtriage_core::text::sanitize;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    Arm, ArmName, Attempt, ChunkId, Corpus, Document, ErrorKind, FailedPart, Finish, Hit, Note,
    Origin, Passage, Question, Stance, Step, StepHit, TokenUse, Trace, TraceError, TraceStep,
};
use ragtriage_models::llm::{self, LlmError};
use ragtriage_runs::external::recorded::{Recorded, RecordedAnswer, RecordedContext};

/// Maximum number of characters of a recorded error in a trace.
const ERROR_CHARS: usize = 300;

/// Inputs of an imported run other than its data.
pub struct RecordedPlan {
    /// The external RAG.
    pub rag: Arc<dyn Rag>,
    /// Counts prompts and answers: `cl100k_base`.
    pub counter: Arc<dyn TokenCounter>,
    /// Number of questions processed concurrently.
    pub concurrency: usize,
    /// Number of consecutive failures that aborts the run; `None`: an error only if every question failed.
    pub most_failures: Option<usize>,
    /// Omits a document whose id equals the question's.
    pub skip_same_id: bool,
}

/// Prepares the data set for the contexts of an external RAG.
pub(super) fn prepare(
    documents: Vec<Document>,
    questions: Vec<(usize, Question)>,
    plan: RecordedPlan,
) -> Prepared {
    let (concurrency, most_failures) = (plan.concurrency, plan.most_failures);
    let line = ExternalPipeline {
        places: Places::new(Corpus::new(documents, Vec::new()), plan.skip_same_id),
        searchable: OnceLock::new(),
        plan,
        compute: Compute::default(),
    };
    Prepared {
        asker: Arc::new(line),
        questions,
        concurrency,
        most_failures,
        facts: RunFacts::default(),
    }
}

/// The contexts of one question in the corpus.
struct Delivered {
    /// Passages of the contexts, and of the beginnings of those that the prompt truncates.
    shown: Vec<Passage>,
    /// The ranking.
    hits: Vec<StepHit>,
    /// The part of it that was packed, in prompt order.
    packed: Vec<StepHit>,
    /// Passages of further arms, parallel to the record's.
    arms: Vec<Vec<Passage>>,
}

/// The data set of an external RAG, shared by all questions.
struct ExternalPipeline {
    places: Places,
    /// Built for the first question without evidence.
    searchable: OnceLock<Vec<Searchable>>,
    plan: RecordedPlan,
    compute: Compute,
}

#[async_trait]
impl Asker for ExternalPipeline {
    async fn ask(
        self: Arc<Self>,
        index: usize,
        question: Question,
    ) -> Result<QuestionResult, LlmError> {
        let clock = Instant::now();
        let recorded = match self.plan.rag.ask(&question).await {
            Ok(Recorded {
                error: Some(error), ..
            }) => Err(TraceError {
                part: FailedPart::Recorded,
                kind: ErrorKind::Permanent,
                message: sanitize::shortened(&error, ERROR_CHARS),
            }),
            Ok(recorded) => {
                // Notes of a record are counted by name when it is joined.
                self.places.note(
                    "answers of the service with keys that are not read",
                    usize::from(!recorded.unread.is_empty()),
                );
                Ok(recorded)
            }
            Err(error) => Err(TraceError {
                part: FailedPart::Service,
                kind: error.kind(),
                message: error.to_string(),
            }),
        };
        let seconds = clock.elapsed().as_secs_f64();
        let line = Arc::clone(&self);
        let asked = async move { line.asked(index, question, recorded, seconds) };
        Ok(self.compute.run(asked).await)
    }

    fn take_notes(&self) -> Vec<Note> {
        self.places.take_notes()
    }
}

impl ExternalPipeline {
    fn asked(
        &self,
        index: usize,
        question: Question,
        recorded: Result<Recorded, TraceError>,
        seconds: f64,
    ) -> QuestionResult {
        let recorded = recorded.map(|recorded| {
            let delivered = self.delivered(&question, &recorded);
            (delivered, recorded)
        });
        let passages: HashMap<ChunkId, Passage> = match &recorded {
            Ok((delivered, _)) => delivered
                .shown
                .iter()
                .chain(delivered.arms.iter().flatten())
                .map(|passage| (passage.id.clone(), passage.clone()))
                .collect(),
            Err(_) => HashMap::new(),
        };
        // The contexts of further arms do not describe the pipeline's prompt.
        let shown: Vec<&Passage> = recorded.as_ref().map_or(Vec::new(), |(delivered, _)| {
            delivered.shown.iter().collect()
        });
        let gold = locate_shown(&question, &self.places.corpus, &shown, |matcher| {
            let documents = self
                .searchable
                .get_or_init(|| gold::searchable_documents(&self.places.corpus));
            documents.iter().any(|document| matcher.found_in(document))
        });
        let mut trace = Trace::new(index, question, gold);
        match recorded {
            Err(error) => trace.error = Some(error),
            Ok((delivered, recorded)) => {
                let ids = delivered.packed.iter().map(|hit| hit.id.clone()).collect();
                trace.steps = vec![
                    TraceStep::new(Step::External, delivered.hits, seconds),
                    TraceStep::new(Step::Packed, delivered.packed, 0.0),
                ];
                trace.arms = self.arms(recorded, ids, delivered.arms);
            }
        }
        QuestionResult {
            trace,
            passages: Arc::new(passages),
        }
    }

    fn delivered(&self, question: &Question, recorded: &Recorded) -> Delivered {
        let placed = self.places.place_all(question, &recorded.contexts);
        let hits = self.hits(&placed);
        let in_prompt = recorded
            .prompt
            .as_deref()
            .map_or(Vec::new(), |prompt| in_prompt::find(prompt, &placed));
        let (packed, cut) = if in_prompt.is_empty() {
            self.places.note(
                "questions whose `prompt` contains none of their contexts: all of these count as packed",
                usize::from(recorded.prompt.is_some() && !placed.is_empty()),
            );
            let n_packed = recorded.packed.unwrap_or(hits.len());
            (hits.iter().take(n_packed).cloned().collect(), Vec::new())
        } else {
            self.places.note(
                "questions whose `prompt` contains some of their contexts: the others were ranked, not packed",
                usize::from(in_prompt.len() < placed.len()),
            );
            self.packed(question, &placed, &hits, &in_prompt)
        };
        let arms = recorded.arms.iter();
        let arms = arms
            .map(|arm| only_passages(self.places.place_all(question, &arm.contexts)))
            .collect();
        let mut shown = only_passages(placed);
        shown.extend(cut);
        Delivered {
            shown,
            hits,
            packed,
            arms,
        }
    }

    /// Returns the hits that the prompt contains, in its order, and the passages of the contexts that it truncates.
    fn packed(
        &self,
        question: &Question,
        placed: &[Placed<'_>],
        hits: &[StepHit],
        in_prompt: &[InPrompt<'_>],
    ) -> (Vec<StepHit>, Vec<Passage>) {
        let mut first_hit = 0;
        let mut of_context: Vec<&[StepHit]> = Vec::with_capacity(placed.len());
        for (_, passages) in placed {
            let end = first_hit + passages.len();
            of_context.push(&hits[first_hit..end]);
            first_hit = end;
        }
        let (mut packed, mut cut): (Vec<StepHit>, Vec<Passage>) = (Vec::new(), Vec::new());
        for held in in_prompt {
            let hits = of_context[held.context];
            let (Some(text), Some(first)) = (held.cut, hits.first()) else {
                packed.extend_from_slice(hits);
                continue;
            };
            self.places
                .note("contexts that `prompt` truncates: packed up to there", 1);
            for passage in self.truncated(question, &placed[held.context], text) {
                packed.push(StepHit {
                    id: passage.id.clone(),
                    ..first.clone()
                });
                cut.push(passage);
            }
        }
        let mut seen = HashSet::new();
        packed.retain(|hit| seen.insert(hit.id.clone()));
        (packed, cut)
    }

    /// Returns the passages of the beginning of a context.
    fn truncated(
        &self,
        question: &Question,
        (context, passages): &Placed<'_>,
        text: &str,
    ) -> Vec<Passage> {
        let beginning = RecordedContext {
            text: Some(text.to_owned()),
            doc_id: passages.first().map(|passage| passage.doc.to_string()),
            title: context.title.clone(),
            score: context.score,
        };
        only_passages(self.places.place_all(question, &[beginning]))
    }

    fn arms(&self, recorded: Recorded, packed: Vec<ChunkId>, arms: Vec<Vec<Passage>>) -> Vec<Arm> {
        let prompt = recorded
            .prompt
            .as_deref()
            .map_or(0, |prompt| self.plan.counter.count(prompt) as u64);
        let answer = match recorded.answer {
            RecordedAnswer::Unsaid => {
                let what = "questions with `arms` and no `answer` to compare them with: these arms are left out";
                self.places
                    .note(what, usize::from(!recorded.arms.is_empty()));
                return Vec::new();
            }
            RecordedAnswer::None => None,
            RecordedAnswer::Text(text) => Some(text),
        };
        let first = Arm {
            arm: ArmName::Retrieved,
            attempts: vec![self.attempt(answer, packed, prompt)],
        };
        let others = recorded.arms.into_iter().zip(arms).map(|(arm, passages)| {
            let passages = passages.into_iter().map(|passage| passage.id).collect();
            Arm {
                arm: arm.arm,
                attempts: vec![self.attempt(arm.answer, passages, 0)],
            }
        });
        std::iter::once(first).chain(others).collect()
    }

    /// Builds an attempt. A missing answer is an empty one, and a blank one abstains: SQuAD 2.0's predictions use this form, and its
    /// `AnswerEM` of an unanswerable question counts it as right.
    fn attempt(&self, answer: Option<String>, passages: Vec<ChunkId>, prompt: u64) -> Attempt {
        let raw = answer.unwrap_or_default();
        let (extracted, stance) = match raw.trim() {
            "" => (String::new(), Stance::Abstained),
            _ => llm::read_answer(&raw, Finish::Stop),
        };
        let completion = self.plan.counter.count(&raw) as u64;
        let tokens = TokenUse {
            prompt,
            prompt_billed: None,
            completion,
        };
        Attempt {
            passages,
            raw,
            extracted,
            stance,
            finish: Finish::Stop,
            origin: Origin::Called,
            tokens,
            cost_usd: 0.0,
            seconds: 0.0,
            error: None,
        }
    }

    /// Returns the ranking, in the order of the contexts. Their scores are used if they imply that order;
    /// otherwise a hit scores 1 / rank and its recorded score is one of its parts.
    fn hits(&self, shown: &[Placed<'_>]) -> Vec<StepHit> {
        let scored: Vec<(&ChunkId, Option<f64>)> = shown
            .iter()
            .flat_map(|(context, passages)| {
                passages.iter().map(|passage| (&passage.id, context.score))
            })
            .collect();
        let finite = |score: Option<f64>| score.filter(|score| score.is_finite());
        let given: Option<Vec<Hit<&ChunkId>>> = scored
            .iter()
            .map(|(id, score)| {
                Some(Hit {
                    id: *id,
                    score: finite(*score)?,
                })
            })
            .collect();
        let in_order = given
            .as_ref()
            .is_some_and(|hits| hits.is_sorted_by(|a, b| a.order(b).is_lt()));
        if !in_order && scored.iter().any(|(_, score)| score.is_some()) {
            self.places.note(
                "questions whose scores do not give the order of their contexts: the order counts, as 1 / rank",
                1,
            );
        }
        scored
            .into_iter()
            .enumerate()
            .map(|(at, (id, score)): (usize, (&ChunkId, Option<f64>))| {
                let rank = 1.0 / (at + 1) as f64;
                let parts = finite(score)
                    .filter(|_| !in_order)
                    .map(|score| ("given".to_owned(), score));
                let score = finite(score).filter(|_| in_order).unwrap_or(rank);
                StepHit {
                    id: id.clone(),
                    score,
                    parts: parts.into_iter().collect(),
                }
            })
            .collect()
    }
}

fn only_passages(placed: Vec<Placed<'_>>) -> Vec<Passage> {
    placed
        .into_iter()
        .flat_map(|(_, passages)| passages)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contexts::hash;
    use ragtriage_core::attribute::classify::{Outcome, classify};
    use ragtriage_core::attribute::judge::Judgments;
    use ragtriage_core::measure::answer::Scorer;
    use ragtriage_core::rightness::{Judge, RightRule};
    use ragtriage_core::text::tokens::{self, Tokenizer};
    use ragtriage_core::types::{FailureClass, Fault, Member, QuestionKind};
    use ragtriage_runs::external::Position;
    use ragtriage_runs::external::join::Joined;
    use ragtriage_runs::external::recorded::RecordedArm;

    /// `d` holds `two` at 4..7 and `four` at 14..18; `f` holds five words at 0..31, `ok.` at 32..35, five more at 36..61;
    /// `g` is six words, 0..32.
    fn line() -> ExternalPipeline {
        let document = |id: &str, title: &str, text: &str| Document {
            id: id.into(),
            title: title.to_owned(),
            text: text.to_owned(),
            metadata: [].into(),
        };
        let documents = vec![
            document("copy", "C", "same text here, twice"),
            document("d", "D", "one two three four five"),
            document("e", "E", "same text here, twice"),
            document(
                "f",
                "F",
                "alpha beta gamma delta epsilon! ok. zeta eta theta iota kappa",
            ),
            document("g", "G", "same words again in another text"),
        ];
        let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
        ExternalPipeline {
            places: Places::new(Corpus::new(documents, Vec::new()), false),
            searchable: OnceLock::new(),
            plan: RecordedPlan {
                rag: Arc::new(Joined::default()),
                counter,
                concurrency: 1,
                most_failures: None,
                skip_same_id: false,
            },
            compute: Compute::default(),
        }
    }

    fn question(evidence: &[(&str, &[(usize, usize)])]) -> Question {
        let member = |(doc, ranges): &(&str, &[(usize, usize)])| {
            vec![Member {
                doc: (*doc).into(),
                ranges: ranges.iter().map(|range| (*range).into()).collect(),
            }]
        };
        Question {
            kind: QuestionKind::Span,
            answers: vec!["two".to_owned()],
            evidence: evidence.iter().map(member).collect(),
            ..Question::new("q".into(), "which?".to_owned())
        }
    }

    fn context(text: &str, doc: Option<&str>, score: Option<f64>) -> RecordedContext {
        RecordedContext {
            text: Some(text.to_owned()),
            doc_id: doc.map(str::to_owned),
            title: None,
            score,
        }
    }

    fn recorded(contexts: Vec<RecordedContext>) -> Recorded {
        Recorded {
            position: Position {
                file: "f".to_owned(),
                line: Some(1),
            },
            id: None,
            question: None,
            contexts,
            packed: None,
            answer: RecordedAnswer::Unsaid,
            prompt: None,
            arms: vec![],
            error: None,
            unread: vec![],
        }
    }

    fn outcome(asked: &QuestionResult) -> Outcome {
        let judge = Judge {
            scorer: Scorer::Squad2,
            rule: RightRule::F1,
            correct_f1: 0.6,
        };
        let passages: HashMap<ChunkId, Passage> = asked
            .trace
            .passages()
            .filter_map(|id| Some((id.clone(), asked.passages.passage(id)?)))
            .collect();
        classify(
            &asked.trace,
            5,
            Judgments::new(&asked.trace, judge),
            &passages,
        )
    }

    fn ids(
        line: &ExternalPipeline,
        question: &Question,
        contexts: Vec<RecordedContext>,
    ) -> Vec<String> {
        let trace = line
            .asked(0, question.clone(), Ok(recorded(contexts)), 0.0)
            .trace;
        trace.packed().map(ToString::to_string).collect()
    }

    #[test]
    fn contexts_are_named_by_document_and_bytes_with_or_without_its_id() {
        let question = question(&[("d", &[(4, 7)])]);
        for doc in [Some("d"), None, Some("an id of another store")] {
            let contexts = vec![
                context("two  three four", doc, None),
                context("D\none two", doc, None),
            ];
            assert_eq!(
                ids(&line(), &question, contexts),
                ["d#4-18", "d#0-7"],
                "{doc:?}"
            );
        }
    }

    #[test]
    fn of_two_copies_the_gold_one_is_meant_else_the_first() {
        let same = || vec![context("same text here, twice", None, None)];
        assert_eq!(
            ids(&line(), &question(&[("e", &[(0, 4)])]), same()),
            ["e#0-21"]
        );
        assert_eq!(
            ids(&line(), &question(&[("d", &[(4, 7)])]), same()),
            ["copy#0-21"]
        );
    }

    #[test]
    fn text_that_stands_nowhere_holds_the_gold_that_it_quotes_and_no_other_byte() {
        let line = line();
        let joined = question(&[("f", &[(0, 31), (32, 35)]), ("g", &[(0, 32)])]);
        // Neighbours among the gold ranges are one passage; `g` is another document.
        let text = "- alpha beta gamma  delta epsilon!\n- ok.\n- same words again in another text";
        let shown = ids(&line, &joined, vec![context(text, None, None)]);
        assert_eq!(
            shown,
            [
                format!("f#0-35~{0}", hash(text)),
                format!("g#0-32~{0}", hash(text))
            ]
        );
        // `ok.` lies between them and is missing: two passages.
        let three = question(&[("f", &[(0, 31), (32, 35), (36, 61)])]);
        let text = "zeta eta theta iota kappa; alpha beta gamma delta epsilon!";
        let asked = line.asked(0, three, Ok(recorded(vec![context(text, None, None)])), 0.0);
        let shown: Vec<&str> = asked
            .trace
            .packed()
            .map(|id| id.as_str().split('~').next().expect("an id"))
            .collect();
        assert_eq!(shown, ["f#0-31", "f#36-61"]);
        assert_ne!(outcome(&asked).class, FailureClass::Supported);
        // Without gold text: a document made from the context, or the one that it names, without
        // byte range.
        let other = question(&[("d", &[(4, 7)])]);
        let shown = ids(
            &line,
            &other,
            vec![
                context("x y z", None, None),
                context("x y", Some("d"), None),
            ],
        );
        assert!(
            shown[0].starts_with("external-") && shown[1].starts_with("d#~"),
            "{shown:?}"
        );
        let asked = line.asked(
            0,
            other,
            Ok(recorded(vec![context("x y", Some("d"), None)])),
            0.0,
        );
        assert_eq!(outcome(&asked).class, FailureClass::Retrieval);
    }

    #[test]
    fn a_gold_range_that_may_stand_anywhere_does_not_place_a_text() {
        let line = line();
        let placed = |question: &Question, text: &str, doc| {
            let shown = ids(&line, question, vec![context(text, doc, None)]);
            shown[0].split('~').next().expect("an id").to_owned()
        };
        // `two` is one word and the answer; if the context names the document, it is known, and a longer word still
        // does not match.
        let short = question(&[("d", &[(4, 7)])]);
        assert!(placed(&short, "cooking for two", None).starts_with("external-"));
        assert_eq!(placed(&short, "cooking for two", Some("d")), "d#4-7");
        assert_eq!(placed(&short, "a networked twofold", Some("d")), "d#");
        // Five words identify a document, unless they are the answer; the short range of that document then counts
        // as well.
        let mut long = question(&[("f", &[(0, 31), (32, 35)])]);
        assert_eq!(
            placed(&long, "* alpha beta gamma delta epsilon!\n* ok.", None),
            "f#0-35"
        );
        assert!(placed(&long, "that is ok.", None).starts_with("external-"));
        assert!(placed(&long, "* alphabeta gamma delta epsilon!", None).starts_with("external-"));
        long.answers = vec!["Alpha beta gamma delta epsilon".to_owned()];
        assert!(placed(&long, "* alpha beta gamma delta epsilon!", None).starts_with("external-"));
    }

    #[test]
    fn what_further_arms_were_shown_changes_nothing_of_the_pipelines_own() {
        let line = line();
        // The gold evidence is `two three four`, 4..18; the pipeline showed `one two`, the oracle
        // all of it.
        let asked = |arms: Vec<RecordedArm>| {
            let mut recorded = recorded(vec![context("one two", Some("d"), None)]);
            recorded.answer = RecordedAnswer::Text("wrong".to_owned());
            recorded.arms = arms;
            line.asked(0, question(&[("d", &[(4, 18)])]), Ok(recorded), 0.0)
        };
        let oracle = RecordedArm {
            arm: ArmName::Oracle,
            answer: Some("two".to_owned()),
            contexts: vec![context("one two three four", Some("d"), None)],
        };
        let (alone, beside) = (asked(vec![]), asked(vec![oracle]));
        let (of_alone, of_beside) = (outcome(&alone), outcome(&beside));
        assert_eq!(
            (of_beside.class, of_beside.reason, of_beside.flags),
            (of_alone.class, of_alone.reason, of_alone.flags)
        );
        let (alone, beside) = (alone.trace, beside.trace);
        assert_eq!(
            (of_alone.class, beside.gold),
            (FailureClass::Chunking, alone.gold)
        );
        assert_eq!(beside.arms[1].attempts[0].passages, ["d#0-18".into()]);
    }

    #[test]
    fn a_blank_answer_abstains() {
        let line = line();
        let class = |kind: QuestionKind, answer: RecordedAnswer| {
            let unanswerable = Question {
                kind,
                ..question(&[("d", &[(4, 7)])])
            };
            let mut recorded = recorded(vec![context("one two", Some("d"), None)]);
            recorded.answer = answer;
            let found = outcome(&line.asked(0, unanswerable, Ok(recorded), 0.0));
            (found.class, found.fault)
        };
        for blank in [
            RecordedAnswer::None,
            RecordedAnswer::Text(String::new()),
            RecordedAnswer::Text(" \n".to_owned()),
        ] {
            assert_eq!(
                class(QuestionKind::Unanswerable, blank.clone()),
                (FailureClass::CorrectAbstention, None)
            );
            assert_eq!(
                class(QuestionKind::Span, blank),
                (FailureClass::Generation, Some(Fault::Abstained))
            );
        }
        assert_eq!(
            class(
                QuestionKind::Unanswerable,
                RecordedAnswer::Text("two".to_owned())
            )
            .0,
            FailureClass::Hallucinated
        );
    }

    #[test]
    fn arms_without_an_answer_are_left_out_and_counted() {
        let line = line();
        let arms = vec![RecordedArm {
            arm: ArmName::ClosedBook,
            answer: Some("two".to_owned()),
            contexts: vec![],
        }];
        let asked = line.asked(
            0,
            question(&[]),
            Ok(Recorded {
                arms,
                ..recorded(vec![])
            }),
            0.0,
        );
        assert!(asked.trace.arms.is_empty());
        let notes = line.places.take_notes();
        assert_eq!(notes.len(), 1);
        assert!(
            notes[0].count == 1
                && notes[0]
                    .what
                    .starts_with("questions with `arms` and no `answer`"),
            "{notes:?}"
        );
    }

    #[test]
    fn scores_stand_where_they_give_the_order_else_the_order_counts() {
        let line = line();
        let scores = |scores: [Option<f64>; 2]| -> Vec<(f64, Option<f64>)> {
            let [a, b] = scores;
            let contexts = vec![context("one", Some("d"), a), context("five", Some("d"), b)];
            let asked = line.asked(0, question(&[]), Ok(recorded(contexts)), 0.0);
            asked.trace.steps[0]
                .hits
                .iter()
                .map(|hit| (hit.score, hit.parts.get("given").copied()))
                .collect()
        };
        assert_eq!(scores([Some(9.0), Some(2.0)]), [(9.0, None), (2.0, None)]);
        assert_eq!(
            scores([Some(2.0), Some(9.0)]),
            [(1.0, Some(2.0)), (0.5, Some(9.0))]
        );
        assert_eq!(scores([None, Some(9.0)]), [(1.0, None), (0.5, Some(9.0))]);
        assert_eq!(
            scores([Some(f64::INFINITY), Some(9.0)]),
            [(1.0, None), (0.5, Some(9.0))]
        );
        assert_eq!(scores([None, None]), [(1.0, None), (0.5, None)]);
    }

    #[test]
    fn a_context_twice_counts_once_and_whole_documents_are_cut_to_the_first_k() {
        let line = line();
        let twice = vec![
            context("one", Some("d"), None),
            context("one ", Some("d"), None),
        ];
        assert_eq!(ids(&line, &question(&[]), twice), ["d#0-3"]);
        let whole = |doc: &str| RecordedContext {
            doc_id: Some(doc.to_owned()),
            ..RecordedContext::default()
        };
        let run = Recorded {
            packed: Some(1),
            ..recorded(vec![whole("gone"), whole("d")])
        };
        let asked = line.asked(0, question(&[("d", &[(4, 7)])]), Ok(run), 0.0);
        let (class, trace) = (outcome(&asked).class, asked.trace);
        let ranked: Vec<&str> = trace.steps[0]
            .hits
            .iter()
            .map(|hit| hit.id.as_str())
            .collect();
        assert_eq!(
            (ranked, trace.packed().count(), class),
            (vec!["gone#~", "d#0-23"], 1, FailureClass::Ranking)
        );
    }

    /// Returns the text of the fact number `n`: 25 words, 120 to 190 characters, in no other fact.
    fn fact(n: usize) -> String {
        let words: Vec<String> = (0..25).map(|word| format!("w{n}x{word}")).collect();
        words.join(" ")
    }

    /// Fifty reranked contexts, each a document of its own, `prompt` their recorded prompt, the evidence in number 10.
    fn reranked(prompt: &str) -> (FailureClass, usize, Vec<String>) {
        let documents = (0..50).map(|n| Document {
            id: format!("d{n}").as_str().into(),
            title: String::new(),
            text: fact(n),
            metadata: [].into(),
        });
        let line = ExternalPipeline {
            places: Places::new(
                Corpus::new(documents.collect::<Vec<_>>(), Vec::new()),
                false,
            ),
            ..line()
        };
        let contexts = (0..50).map(|n| context(&fact(n), None, None)).collect();
        let run = Recorded {
            prompt: Some(prompt.to_owned()),
            ..recorded(contexts)
        };
        let gold = fact(10).len();
        let asked = line.asked(0, question(&[("d10", &[(0, gold)])]), Ok(run), 0.0);
        let notes = line.places.take_notes();
        let notes = notes
            .into_iter()
            .map(|note| format!("{} {}", note.count, note.what));
        (
            outcome(&asked).class,
            asked.trace.packed().count(),
            notes.collect(),
        )
    }

    fn prompt_of(facts: &[usize]) -> String {
        let passages: Vec<String> = facts
            .iter()
            .map(|n| format!("[Passage]\n{}\n", fact(*n).replace("x12 ", "x12\n  ")))
            .collect();
        format!("Use these:\n{}\nQuestion: which?", passages.join("\n"))
    }

    #[test]
    fn the_recorded_prompt_decides_what_was_packed() {
        let some = "1 questions whose `prompt` contains some of their contexts: the others were ranked, not packed";
        // The first four of fifty, without the evidence, which has rank 11.
        let without = reranked(&prompt_of(&[0, 1, 2, 3]));
        assert_eq!(without, (FailureClass::Ranking, 4, vec![some.to_owned()]));
        // A prompt that selects and reorders has the evidence that it has.
        let reordered = reranked(&prompt_of(&[31, 10, 2]));
        assert_eq!(
            reordered,
            (FailureClass::Supported, 3, vec![some.to_owned()])
        );
        // The evidence is above one that was packed, and was not packed itself.
        assert_eq!(reranked(&prompt_of(&[0, 31])).0, FailureClass::Packing);
        let all: Vec<usize> = (0..50).collect();
        assert_eq!(
            reranked(&prompt_of(&all)),
            (FailureClass::Supported, 50, vec![])
        );
    }

    #[test]
    fn a_context_that_the_prompt_truncates_is_packed_up_to_there() {
        let truncated = "1 contexts that `prompt` truncates: packed up to there";
        let prompt = prompt_of(&[0, 10]);
        let end = prompt.find("w10x20").expect("in the prompt");
        let (class, n_packed, notes) = reranked(&prompt[..end]);
        assert_eq!((class, n_packed), (FailureClass::Packing, 2));
        assert_eq!(notes[0], truncated);
        // Fewer than half of its 25 words: not packed.
        let end = prompt.find("w10x10").expect("in the prompt");
        let (class, n_packed, _) = reranked(&prompt[..end]);
        assert_eq!((class, n_packed), (FailureClass::Ranking, 1));
    }

    #[test]
    fn a_prompt_that_holds_none_of_the_contexts_leaves_all_of_them_packed() {
        let none = "1 questions whose `prompt` contains none of their contexts: all of these count as packed";
        assert_eq!(
            reranked("Summary of what was found: nothing literal."),
            (FailureClass::Supported, 50, vec![none.to_owned()])
        );
    }
}
