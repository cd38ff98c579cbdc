//! The labels that decide: passages of a run whose judgment may move its verdict most, and the run as it is with a judged label.
//!
//! A label is doubted if a passage of the prompt that is not gold seems to answer the question, if the gold passages lack the gold answer, or
//! if the answer from them alone is wrong. If a doubted label is wrong, the other side may have lost the answer: this bounds the verdict.

use std::cmp::Reverse;

use super::diagnose;
use super::verdict::{LossVerdict, Side, Source, answer_terms};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::gold::locate_shown;
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::attribute::{Passages, terms};
use ragtriage_core::text::answers::AnswerMatcher;
use ragtriage_core::types::{
    ChunkId, Condition, ConditionAnswers, Corpus, FailureClass, Flag, Interval, Passage, Question,
    QuestionKind, Trace,
};
use ragtriage_data::run::SavedRun;

/// Passages of all questions that are proposed: a sitting's work.
pub const MOST_PASSAGES: usize = 20;
/// Passages of a question that are proposed.
const MOST_OF_QUESTION: usize = 3;

/// A question whose label is doubted.
#[derive(Clone, Debug, PartialEq)]
pub struct DoubtedLabel {
    /// The number of its trace.
    pub trace: usize,
    /// The passages to judge: those that may answer, then gold.
    pub passages: Vec<ChunkId>,
    /// Answers that retrieval and the generator lose at the question; negative where it answered better than from its gold passages.
    pub losses: [f64; 2],
    /// Signs of a wrong label times the answers at stake, per passage to judge.
    weight: f64,
}

impl DoubtedLabel {
    /// The label of a question whose gold passages were rejected; `None` where its answer is not lost. Retrieval may have lost an answer
    /// that the verdict leaves out.
    #[must_use]
    pub fn without_evidence(number: usize, trace: &Trace, outcome: &Outcome) -> Option<Self> {
        let is_lost = diagnose::correct(trace, outcome, Condition::Retrieved)? < 1.0;
        let losses = match losses(trace, outcome) {
            [0.0, 0.0] => [0.0, 1.0],
            losses => losses,
        };
        is_lost.then_some(Self { trace: number, passages: Vec::new(), losses, weight: 0.0 })
    }
}

/// Returns the doubted labels of a run, those first whose judgment may move the verdict most.
#[must_use]
pub fn doubted(run: &SavedRun, outcomes: &[Outcome]) -> Vec<DoubtedLabel> {
    let questions = run.traces.iter().zip(outcomes).enumerate();
    let mut doubted: Vec<DoubtedLabel> = questions
        .filter_map(|(number, (trace, outcome))| doubt(number, trace, outcome, &run.passages))
        .collect();
    doubted.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    doubted
}

fn doubt(
    number: usize,
    trace: &Trace,
    outcome: &Outcome,
    passages: &dyn Passages,
) -> Option<DoubtedLabel> {
    let oracle = diagnose::correct(trace, outcome, Condition::Oracle);
    let has = |flag| outcome.flags.contains(&flag);
    let gold: Vec<&ChunkId> =
        trace.gold.groups.iter().flatten().flat_map(|member| &member.chunks).collect();
    let matcher = AnswerMatcher::new(&trace.question.marks());
    let text = |id: &&ChunkId| passages.view(id).map_or("", |view| view.text);
    let lacks = |id| passages.view(id).is_some_and(|view| !matcher.found_in_text(view.text));
    // Reference sentences occur in no passage.
    let is_without_answer = trace.question.kind == QuestionKind::Span
        && oracle != Some(1.0)
        && !gold.is_empty()
        && gold.iter().all(|&id| lacks(id));
    // Passages are surer signs than an answer that is wrong.
    let signs = 2 * usize::from(has(Flag::AnswerElsewhere))
        + 2 * usize::from(is_without_answer)
        + usize::from(has(Flag::LabelSuspect) || oracle == Some(0.0));
    let wanted = terms::of_question(&trace.question.text);
    let others = trace.packed().filter(|id| !gold.contains(id));
    let mut holding: Vec<&ChunkId> = others.filter(|id| matcher.found_in_text(text(id))).collect();
    holding.sort_by_cached_key(|id| Reverse(terms::shared(text(id), &wanted).len()));
    let proposed = holding.into_iter().chain(gold).take(MOST_OF_QUESTION);
    let proposed: Vec<ChunkId> = proposed.cloned().collect();
    let losses = losses(trace, outcome);
    let lost: f64 = losses.iter().map(|loss| loss.abs()).sum();
    // A correct answer whose gold passages do not suffice may count as no loss, and speaks against the verdict.
    let retrieved = diagnose::correct(trace, outcome, Condition::Retrieved);
    let stake = if (oracle, retrieved) == (Some(0.0), Some(1.0)) { lost.max(1.0) } else { lost };
    let weight = signs as f64 * (stake + 0.1) / proposed.len().max(1) as f64;
    (weight > 0.0 && !proposed.is_empty()).then_some(DoubtedLabel {
        trace: number,
        passages: proposed,
        losses,
        weight,
    })
}

/// Returns the answers that each side loses at a question: by its oracle, else by its class.
fn losses(trace: &Trace, outcome: &Outcome) -> [f64; 2] {
    if let Some(terms) = answer_terms(trace, outcome) {
        return [Side::Retrieval, Side::Generator].map(|side| {
            let terms = Source::ALL.iter().zip(terms).filter(|(source, _)| source.side() == side);
            terms.map(|(_, loss)| loss).sum()
        });
    }
    match outcome.class {
        class if class.is_lost_before_prompt() => [1.0, 0.0],
        FailureClass::WrongAnswer => [0.0, 1.0],
        _ => [0.0; 2],
    }
}

/// Returns the least and the most answers that retrieval loses, whatever the labels in `open` turn out to be: each of their losses may
/// be the other side's.
#[must_use]
pub fn bounds(verdict: &LossVerdict, open: &[DoubtedLabel]) -> Interval {
    let lost = verdict.retrieval.answers;
    let sum_of = |side: usize| open.iter().map(|label| label.losses[side].max(0.0)).sum::<f64>();
    Interval { low: (lost - sum_of(0)).max(0.0), high: lost + sum_of(1) }
}

/// Replaces the labels of a trace. Gold is located among its passages: the other chunks of the run are not known. Answers from the former gold
/// passages are removed; if the prompt has the new evidence, its answer is also the oracle's, where there was one.
pub fn relabel(run: &mut SavedRun, number: usize, question: &Question, corpus: &Corpus) {
    let trace = &run.traces[number];
    let shown: Vec<&Passage> = trace.passages().filter_map(|id| run.passages.get(id)).collect();
    let gold = locate_shown(question, corpus, &shown, |matcher| {
        corpus.documents().iter().any(|document| matcher.found_in_text(&document.text))
    });
    let packed: Vec<&ChunkId> = trace.packed().collect();
    let is_delivered = SupportTest::new(question, &gold.groups, &run.passages).of(packed).holds;
    // With a further passage that answers alone, the former gold passages are still gold.
    let was = trace.question.evidence.iter();
    let is_same = trace.question.evidence.len() == question.evidence.len()
        && was.zip(&question.evidence).all(|(was, now)| was.iter().all(|it| now.contains(it)));
    let trace = &mut run.traces[number];
    let had_oracle = trace.attempt(Condition::Oracle).is_some();
    trace.gold = gold;
    trace.question = question.clone();
    if is_same || question.kind == QuestionKind::Unanswerable {
        return;
    }
    let of_gold = [Condition::Oracle, Condition::GoldWithDistractors];
    trace.conditions.retain(|one| !of_gold.contains(&one.condition));
    let retrieved = trace.conditions.iter().find(|one| one.condition == Condition::Retrieved);
    if let Some(retrieved) = retrieved.filter(|_| had_oracle && is_delivered) {
        trace
            .conditions
            .push(ConditionAnswers { condition: Condition::Oracle, ..retrieved.clone() });
    }
}
