//! Limits of a verdict: small samples, invalid oracles, answers that the rule may misjudge, questions without a usable answer, stages
//! that results do not show.

use std::collections::HashSet;

use super::budget::{BudgetOf, Losses};
use super::decide::VerdictFacts;
use super::estimate::Estimate;
use crate::diagnose;
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::stats::mcnemar::mcnemar;
use ragtriage_core::text::numbers::{percent_of, plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{
    Attempt, Condition, ErrorKind, FailureClass, QuestionKind, Stance, Step, SupportRule, Trace,
};

/// Questions or clusters below which a verdict is marked as resting on few.
const FEW: usize = 20;
/// Share of questions whose oracle is worse than the pipeline's answer above which no verdict is given.
const INVALID_ORACLE: f64 = 0.05;
/// Significance level at which the oracle is worse more often than better.
const WORSE_LEVEL: f64 = 0.01;

/// Comparison of the oracle's answers with the pipeline's, over the questions that have both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OracleCheck {
    /// Questions with both answers.
    pub n: usize,
    /// Questions on which the oracle's answer scores lower.
    pub worse: usize,
    /// Questions on which it scores higher, with complete evidence in the prompt.
    pub better: usize,
}

impl OracleCheck {
    /// Returns true if the gold passages alone do not hold what the retrieved ones do. A generator that errs at random
    /// is worse from them as often as better.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.worse as f64 > INVALID_ORACLE * self.n as f64
            && self.worse > self.better
            && mcnemar(self.worse, self.better) < WORSE_LEVEL
    }
}

/// Compares the oracle's answers with the pipeline's. Higher scores count only where complete evidence was in the prompt: elsewhere the
/// oracle is expected to be better.
#[must_use]
pub fn oracle_check(traces: &[Trace], outcomes: &[Outcome]) -> OracleCheck {
    let mut check = OracleCheck::default();
    for (trace, outcome) in traces.iter().zip(outcomes) {
        let [oracle, retrieved] = [Condition::Oracle, Condition::Retrieved]
            .map(|condition| diagnose::correct(trace, outcome, condition));
        if let (Some(oracle), Some(retrieved)) = (oracle, retrieved) {
            check.n += 1;
            check.worse += usize::from(oracle < retrieved);
            check.better +=
                usize::from(oracle > retrieved && outcome.evidence == Evidence::Complete);
        }
    }
    check
}

/// Returns the limits of a verdict that rests on `losses`, which may be estimated.
pub(super) fn cautions(
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    unusable: &Unusable,
    estimate: Option<&Estimate>,
) -> Vec<String> {
    let &Losses { n, n_clusters, .. } = losses;
    if n == 0 {
        return unrecorded(facts).into_iter().collect();
    }
    let is_small = n < FEW || n_clusters < FEW;
    let small = (is_small && !are_contexts_unknown(facts)).then(|| {
        format!(
            "The verdict rests on {} in {}: too few for a firm one.",
            plural(n, "question", "questions"),
            plural(n_clusters, "cluster", "clusters")
        )
    });
    let open = facts.outcomes.iter().filter(|outcome| is_open(outcome));
    let open = open.filter(|outcome| !outcome.evidence.is_unseen()).count();
    let open = (open > 0).then(|| {
        format!(
            "{} unclear: the label is wider than a chunk, and the prompt had a part of it.",
            plural(open, "question is", "questions are")
        )
    });
    [
        small,
        unusable.caution().filter(|_| !unusable.is_much),
        unlocated(facts),
        hallucinated(facts),
        judged(facts),
        open,
        unrecorded(facts),
        shallow(facts),
        estimate.and_then(|estimate| estimated(estimate, facts)),
        uncovered(facts, n),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns true if most recorded passages are in no document: whether they hold the evidence cannot be seen.
pub(super) fn are_contexts_unknown(facts: &VerdictFacts<'_>) -> bool {
    let (unlocated, packed) = facts.unlocated;
    2 * unlocated > packed
}

fn unlocated(facts: &VerdictFacts<'_>) -> Option<String> {
    let (unlocated, packed) = facts.unlocated;
    (unlocated > 0 && !are_contexts_unknown(facts)).then(|| {
        format!(
            "{} of {} passages are in no document, so evidence in them is not seen.",
            thousands(unlocated),
            thousands(packed)
        )
    })
}

fn uncovered(facts: &VerdictFacts<'_>, n: usize) -> Option<String> {
    let questions = facts.traces.iter().zip(facts.outcomes);
    let answerable = questions.filter(|(trace, outcome)| {
        let is_open = is_open(outcome);
        let is_answerable = trace.question.kind != QuestionKind::Unanswerable;
        is_answerable && !outcome.class.has_no_result() && !is_open
    });
    let answerable = answerable.count();
    let lack = match facts.of {
        BudgetOf::Evidence => "a label, or a record of their prompt",
        BudgetOf::Correct => {
            "evidence, gold answers, or a usable answer from the gold passages alone"
        }
    };
    (n < answerable).then(|| {
        format!(
            "The verdict covers {} of {} answerable questions: the others lack {lack}.",
            thousands(n),
            thousands(answerable)
        )
    })
}

/// Explains sides that are estimated; `None` where nothing is, because no wrong answer lacks its evidence.
fn estimated(estimate: &Estimate, facts: &VerdictFacts<'_>) -> Option<String> {
    let lacking = facts.outcomes.iter().filter(|outcome| outcome.class.is_lost_before_prompt());
    let Estimate { correct, n, .. } = *estimate;
    (lacking.count() > 0 && n > 0).then(|| {
        format!(
            "Losses are estimated: with complete evidence {} of {} correct ({}), and the other questions are taken to be as easy. They \
             would be measured if more of the questions lost before the prompt had an answer from the gold passages alone (condition \
             `oracle`).",
            thousands(correct),
            plural(n, "answer is", "answers are"),
            percent_of(correct, n)
        )
    })
}

fn hallucinated(facts: &VerdictFacts<'_>) -> Option<String> {
    let [answered, declined] = [FailureClass::Hallucinated, FailureClass::Declined]
        .map(|class| count(facts.outcomes, class));
    let judged = facts.is_answered && answered > 0;
    judged.then(|| {
        format!(
            "Not in the verdict: {} of {} answered.",
            thousands(answered),
            plural(answered + declined, "unanswerable question was", "unanswerable questions were")
        )
    })
}

/// Judgments name documents, so any of their passages counts as the evidence.
fn judged(facts: &VerdictFacts<'_>) -> Option<String> {
    let of_rule =
        facts.traces.iter().filter(|trace| trace.gold.documents.rule == SupportRule::Judged);
    let n = of_rule.count();
    (facts.is_answered && 2 * n > facts.traces.len()).then(|| {
        "Evidence is labelled by document, so a wrong passage of the right document counts as the generator's loss.".to_owned()
    })
}

/// Returns true for a question with a label, of which it is not known whether the prompt had its evidence.
pub(super) fn is_open(outcome: &Outcome) -> bool {
    outcome.class == FailureClass::Unclear && outcome.evidence != Evidence::Untestable
}

fn count(outcomes: &[Outcome], class: FailureClass) -> usize {
    let of_class = outcomes.iter().filter(|outcome| outcome.class == class);
    of_class.count()
}

/// Returns the number of questions whose stage is not recorded, and what to record.
fn unrecorded(facts: &VerdictFacts<'_>) -> Option<String> {
    let count = |is: fn(Evidence) -> bool| {
        facts.outcomes.iter().filter(|outcome| is(outcome.evidence)).count()
    };
    let parts = [
        (
            count(Evidence::is_between),
            "lack their evidence in the prompt, and the results do not show which stage lost it",
        ),
        (
            count(Evidence::is_unseen),
            "are unclear: the results do not show whether the prompt had their evidence",
        ),
    ];
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| {
        format!("{} of {} questions {what}", thousands(*n), thousands(facts.outcomes.len()))
    });
    let parts = parts.collect::<Vec<_>>().join("; ");
    (!parts.is_empty()).then(|| {
        format!(
            "{parts}. Record the candidates of each retriever, more than the prompt takes, and the stage `packed` with its `k`."
        )
    })
}

/// Explains `not_retrieved` where no retriever of an external RAG returned more passages than the prompt has: what ranks just below is not
/// among them. Ours return all that they find.
fn shallow(facts: &VerdictFacts<'_>) -> Option<String> {
    let is_shallow = |trace: &Trace| {
        let recorded = trace.retrievers().filter(|step| step.step == Step::External);
        let found: HashSet<_> = recorded.flat_map(|step| &step.hits).map(|hit| &hit.id).collect();
        !found.is_empty() && found.len() <= trace.packed().count()
    };
    // A retriever of terms may find little for some questions, however deep it searches.
    let n_shallow = facts.traces.iter().filter(|trace| is_shallow(trace)).count();
    let questions = facts.traces.iter().zip(facts.outcomes);
    let lost = questions.filter(|(_, outcome)| outcome.class == FailureClass::NotRetrieved);
    let n = lost.filter(|(trace, _)| is_shallow(trace)).count();
    (n > 0 && 2 * n_shallow > facts.traces.len()).then(|| {
        format!(
            "For {n} not_retrieved the retrievers returned no more than the prompt has, so the evidence may rank just below: retrieve more, \
             such as 30, and pass on the first ones."
        )
    })
}

/// Share of the answerable questions without a usable answer above which no verdict is given: those that are left may not be like
/// the others.
const MOST: f64 = 0.2;

/// Width of the error message in a sentence.
const ERROR_WIDTH: usize = 120;

/// Reasons for the lack of an answer, each with its remedy.
const REASONS: [(&str, &str); 8] = [
    (
        "truncated by the token limit",
        "raise the limit of completion tokens, such as `generation.max_tokens`",
    ),
    ("empty", "check the endpoint's log and its stop texts"),
    ("tool calls", "remove the tools from the requests"),
    ("stopped by a filter", "check the filter's log"),
    ("without a recorded response", "ask an endpoint, or record the missing responses"),
    (
        "refused as too long for the model",
        "shorten the prompts, or raise the context that the model is served with",
    ),
    (
        "repeating themselves up to the token limit",
        "check the model and its chat template: a higher limit does not help",
    ),
    ("failed", "correct what the error names, and ask the failed questions again"),
];
/// Place of [`REASONS`] for other failures of a call.
const FAILED: usize = REASONS.len() - 1;

/// The answerable questions of a run, and those without a usable answer.
pub(super) struct Unusable {
    n: usize,
    answerable: usize,
    /// True if there are too many for the others to decide which side loses more.
    pub is_much: bool,
    /// Parallel to [`REASONS`].
    by_reason: [usize; REASONS.len()],
    /// Message of the first call that failed for another reason.
    error: Option<String>,
}

impl Unusable {
    pub fn new(facts: &VerdictFacts<'_>) -> Self {
        let mut found = Self {
            n: 0,
            answerable: 0,
            is_much: false,
            by_reason: [0; REASONS.len()],
            error: None,
        };
        let questions = facts.traces.iter().zip(facts.outcomes);
        for (trace, outcome) in
            questions.filter(|(trace, _)| trace.question.kind != QuestionKind::Unanswerable)
        {
            found.answerable += 1;
            if outcome.class.has_no_result() {
                found.n += 1;
                let reason = reason(trace);
                found.by_reason[reason] += 1;
                if reason == FAILED && found.error.is_none() {
                    found.error = trace.failure().map(|failure| failure.error.message.clone());
                }
            }
        }
        let is_many = found.n as f64 > MOST * found.answerable as f64;
        found.is_much = facts.is_answered && is_many;
        found
    }

    /// Returns the sentence that takes the place of a verdict.
    pub fn verdict(&self) -> String {
        let error = self.error.as_deref().map(|error| shortened(error, ERROR_WIDTH));
        let error = error.map_or(String::new(), |error| format!(" The first error: {error}"));
        format!(
            "{} ({}) have no usable answer: {}. To get one, {}.{error}",
            self.of_all(),
            percent_of(self.n, self.answerable),
            self.reasons(),
            self.remedy()
        )
    }

    /// Returns the limit of a verdict on the others; `None` if there are none.
    pub fn caution(&self) -> Option<String> {
        (self.n > 0).then(|| {
            format!(
                "{} have no usable answer and are left out: {}. To get one, {}.",
                self.of_all(),
                self.reasons(),
                self.remedy()
            )
        })
    }

    /// Returns the remedy of the most frequent reason.
    fn remedy(&self) -> &'static str {
        let most = (0..REASONS.len()).rev().max_by_key(|at| self.by_reason[*at]);
        most.map_or("", |at| REASONS[at].1)
    }

    fn of_all(&self) -> String {
        let all = plural(self.answerable, "answerable question", "answerable questions");
        format!("{} of {all}", thousands(self.n))
    }

    fn reasons(&self) -> String {
        let reasons = REASONS.iter().zip(self.by_reason).filter(|(_, n)| *n > 0);
        let reasons = reasons.map(|((what, _), n)| format!("{} {what}", thousands(n)));
        reasons.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the place in [`REASONS`].
fn reason(trace: &Trace) -> usize {
    if let Some(failure) = trace.failure() {
        return match failure.error.kind {
            ErrorKind::NotRecorded => 4,
            ErrorKind::TooLong => 5,
            _ => FAILED,
        };
    }
    let attempt = trace.attempt(Condition::Retrieved);
    match attempt.map(|attempt| attempt.stance) {
        Some(Stance::Truncated) if attempt.is_some_and(Attempt::repeats_itself) => 6,
        Some(Stance::Truncated) => 0,
        Some(Stance::Empty) => 1,
        Some(Stance::ToolCall) => 2,
        Some(Stance::Refused) => 3,
        _ => FAILED,
    }
}
