//! The verdict: whether retrieval is the bottleneck, and which stage loses most on the side that is.

use super::budget::{
    self, AnswerCounts, BudgetOf, COMPLETE_EVIDENCE, CORRECT_ANSWERS, ESTIMATED, LossBudget,
    Losses, OracleAssumption, Terms,
};
use super::cautions::{self, OracleCheck, Unusable};
use super::estimate::Estimate;
use super::text;
use super::{Conclusion, LossVerdict, Side, SideLoss, Source};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::types::{Condition, FailureClass, Interval, Trace};

/// Clusters of questions from which on a test at the 5% level can reject: 2 / 2^6 is below .05, 2 / 2^5 is not.
pub(super) const DECIDABLE: usize = 6;

/// Inputs of the verdict.
pub struct VerdictFacts<'a> {
    /// The traces.
    pub traces: &'a [Trace],
    /// Parallel to the traces.
    pub outcomes: &'a [Outcome],
    /// The quantity of the budget.
    pub of: BudgetOf,
    /// True if a generator answered.
    pub is_answered: bool,
    /// Packed passages of an external RAG that are in no document, with the number of packed passages.
    pub unlocated: (usize, usize),
}

/// Source that loses most of several, with the certainty of that.
struct Leader {
    source: Source,
    /// The next one, if it loses something.
    runner_up: Option<Source>,
    margin: Option<(f64, Interval)>,
    undecided: bool,
}

/// Judges a run.
#[must_use]
pub fn judge(facts: &VerdictFacts<'_>, bootstrap: &Bootstrap) -> LossVerdict {
    let unusable = Unusable::new(facts);
    // Without a gold answer only retrieval can be judged.
    let is_judged = |one: &Outcome| one.judgments.correctness(Condition::Retrieved).is_some();
    let is_answered = facts.is_answered && facts.outcomes.iter().any(is_judged);
    let of = if is_answered { counted_of(facts) } else { BudgetOf::Evidence };
    let facts = &VerdictFacts { of, is_answered, ..*facts };
    let by_class = [Side::Retrieval, Side::Generator].map(|side| lost_on(facts.outcomes, side));
    let estimate = (facts.is_answered && facts.of == BudgetOf::Evidence)
        .then(|| Estimate::new(facts.outcomes, bootstrap));
    let (plain, others) = tables(facts, estimate.as_ref());
    let losses = Losses::new(&plain, bootstrap);
    let others = others.iter().filter(|rows| **rows != plain);
    let others: Vec<Losses> = others.map(|rows| Losses::new(rows, bootstrap)).collect();
    // The bounds of an estimate are part of its interval; other readings of the data decide alongside the plain one.
    let bounds = estimate.as_ref().map_or(&[][..], |_| &others[..]);
    let oracle = cautions::oracle_check(facts.traces, facts.outcomes);
    let conclusion = conclude(facts, &losses, &others, &oracle, &unusable, bootstrap);
    let leader = leader(&losses, conclusion, bootstrap);
    let is_disputed = leader.as_ref().is_some_and(|plain| {
        others.iter().any(|losses| {
            let other = self::leader(losses, conclusion, bootstrap);
            other.is_none_or(|other| other.source != plain.source)
        })
    });
    let [retrieval, generator] = [Side::Retrieval, Side::Generator]
        .map(|side| side_loss((&losses, bounds), side, by_class[side as usize], bootstrap));
    let is_judged = !matches!(conclusion, Conclusion::RetrievalOnly | Conclusion::Withheld);
    let has_counts = is_judged && facts.is_answered && losses.n > 0;
    let mut verdict = LossVerdict {
        conclusion,
        bottleneck: leader.as_ref().map(|leader| leader.source),
        runner_up: leader.as_ref().and_then(|leader| leader.runner_up),
        undecided: conclusion == Conclusion::Undecided
            || is_disputed
            || leader.as_ref().is_none_or(|leader| leader.undecided),
        margin: leader.and_then(|leader| leader.margin),
        n: losses.n,
        retrieval,
        generator,
        difference: difference((&losses, bounds), bootstrap),
        counts_answers: facts.of != BudgetOf::Evidence,
        // Without a loss, and where all are known, nothing needs to be estimated.
        counts: (has_counts
            && (losses.is_nothing()
                || others.is_empty()
                || estimate.as_ref().is_none_or(|estimate| estimate.n > 0)))
        .then(|| AnswerCounts::new(&losses.means(), losses.n)),
        budget: budget(facts, (&losses, bounds), estimate.as_ref(), bootstrap),
        cautions: cautions::cautions(facts, &losses, &unusable, estimate.as_ref()),
        answer: String::new(),
        reasons: String::new(),
        text: String::new(),
    };
    (verdict.answer, verdict.reasons) =
        text::sentence(&verdict, facts, &losses, &oracle, &unusable, estimate.as_ref());
    verdict.text = format!("{} {}", verdict.answer, verdict.reasons);
    verdict
}

/// Returns the score that the verdict counts: answers only where most of the questions that are lost before the prompt have an
/// oracle, else an estimate.
fn counted_of(facts: &VerdictFacts<'_>) -> BudgetOf {
    let rows = budget::rows(facts.traces, facts.outcomes, facts.of, OracleAssumption::Plain);
    let is_lost = |outcome: &Outcome| outcome.class.is_lost_before_prompt();
    let lost = facts.outcomes.iter().zip(&rows);
    let lost = lost.filter(|(outcome, _)| is_lost(outcome));
    let covered: Vec<bool> = lost.map(|(_, row)| row.is_some()).collect();
    let n_covered = covered.iter().filter(|covered| **covered).count();
    if 2 * n_covered < covered.len() { BudgetOf::Evidence } else { facts.of }
}

/// Returns the losses by source that the verdict compares, and those at the bounds of an estimate or by another assumption: of answers
/// where the run has a generator, measured by its oracle or estimated, else of evidence.
fn tables(
    facts: &VerdictFacts<'_>,
    estimate: Option<&Estimate>,
) -> (Vec<Option<Terms>>, Vec<Vec<Option<Terms>>>) {
    if let Some(estimate) = estimate {
        let [plain, bounds @ ..] = estimate.tables(facts.outcomes);
        return (plain, bounds.into());
    }
    let rows = |assumption| budget::rows(facts.traces, facts.outcomes, facts.of, assumption);
    (rows(OracleAssumption::Plain), vec![rows(OracleAssumption::BestAnswer)])
}

/// Returns the losses by source: of answers, measured or estimated, or of evidence where no answer is known to have had its evidence.
fn budget(
    facts: &VerdictFacts<'_>,
    (losses, bounds): (&Losses, &[Losses]),
    estimate: Option<&Estimate>,
    bootstrap: &Bootstrap,
) -> LossBudget {
    match estimate {
        Some(estimate) if estimate.n > 0 => LossBudget::new(ESTIMATED, losses, bounds, bootstrap),
        None if facts.is_answered => LossBudget::new(CORRECT_ANSWERS, losses, &[], bootstrap),
        None => LossBudget::new(COMPLETE_EVIDENCE, losses, &[], bootstrap),
        Some(_) => {
            let (traces, outcomes) = (facts.traces, facts.outcomes);
            let rows = budget::rows(traces, outcomes, BudgetOf::Evidence, OracleAssumption::Plain);
            LossBudget::new(COMPLETE_EVIDENCE, &Losses::new(&rows, bootstrap), &[], bootstrap)
        }
    }
}

fn lost_on(outcomes: &[Outcome], side: Side) -> usize {
    let on_side = outcomes.iter().filter(|outcome| match side {
        Side::Retrieval => outcome.class.is_lost_before_prompt(),
        Side::Generator => outcome.class == FailureClass::WrongAnswer,
    });
    on_side.count()
}

/// Draws the conclusion from the `losses` by the plain assumption; `others` are those of the other tables that differ from it.
fn conclude(
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    others: &[Losses],
    oracle: &OracleCheck,
    unusable: &Unusable,
    bootstrap: &Bootstrap,
) -> Conclusion {
    if cautions::are_contexts_unknown(facts) {
        return Conclusion::Withheld;
    }
    let has_labels = facts.outcomes.iter().any(|outcome| outcome.evidence.is_testable());
    if unusable.is_much {
        return Conclusion::Withheld;
    }
    if !facts.is_answered && has_labels {
        return Conclusion::RetrievalOnly;
    }
    if losses.n == 0 {
        return Conclusion::Withheld;
    }
    if facts.of != BudgetOf::Evidence && oracle.is_invalid() {
        return Conclusion::Withheld;
    }
    if losses.is_nothing() || losses.n_clusters < DECIDABLE {
        return Conclusion::Undecided;
    }
    let plain = larger_side(losses, bootstrap);
    if others.iter().all(|losses| larger_side(losses, bootstrap) == plain) {
        plain
    } else {
        Conclusion::Undecided
    }
}

fn larger_side(losses: &Losses, bootstrap: &Bootstrap) -> Conclusion {
    match difference((losses, &[]), bootstrap) {
        Some((_, interval)) if interval.low > 0.0 => Conclusion::Retrieval,
        Some((_, interval)) if interval.high < 0.0 => Conclusion::Generator,
        _ => Conclusion::Undecided,
    }
}

/// Returns retrieval's loss minus the generator's, in answers, with an interval that holds those at the `bounds`.
fn difference(
    (losses, bounds): (&Losses, &[Losses]),
    bootstrap: &Bootstrap,
) -> Option<(f64, Interval)> {
    let interval = |losses: &Losses| {
        let [retrieval, generator] =
            [Side::Retrieval, Side::Generator].map(|side| losses.resampled_side(side));
        let paired = retrieval.iter().zip(&generator).map(|(a, b)| a - b);
        losses.interval(paired.collect(), bootstrap)
    };
    let interval = around(losses, bounds, interval)?;
    let mean = losses.of_side(Side::Retrieval) - losses.of_side(Side::Generator);
    let n = losses.n as f64;
    Some((mean * n, interval.times(n)))
}

/// Returns the smallest interval that holds those of `losses` and `bounds`.
fn around(
    losses: &Losses,
    bounds: &[Losses],
    interval: impl Fn(&Losses) -> Option<Interval>,
) -> Option<Interval> {
    let first = interval(losses)?;
    let others = bounds.iter().filter_map(interval);
    Some(others.fold(first, Interval::hull))
}

fn side_loss(
    (losses, bounds): (&Losses, &[Losses]),
    side: Side,
    questions: usize,
    bootstrap: &Bootstrap,
) -> SideLoss {
    let n = losses.n as f64;
    let ci95 = around(losses, bounds, |losses| {
        losses.interval_of_mean(&losses.each(side), losses.resampled_side(side), bootstrap)
    });
    let mean = losses.of_side(side);
    let ci95 = ci95.map(|ci| if bounds.is_empty() { ci } else { budget::of_losses(mean, ci) });
    SideLoss { questions, answers: mean * n, ci95: ci95.map(|interval| interval.times(n)) }
}

/// Returns true if the losses whose stage is not known may be those of another source than the first of `order`, the one that
/// loses most.
fn is_unknown(means: &[f64], order: &[usize]) -> bool {
    let unknown = Source::NotInPrompt as usize;
    let mut known = order.iter().filter(|at| **at != unknown);
    let [first, second] = [known.next(), known.next()].map(|at| at.map_or(0.0, |at| means[*at]));
    means[unknown] > 0.0 && order.contains(&unknown) && first <= second + means[unknown]
}

/// Returns the source that loses most on the side that `conclusion` names, else overall; `None` if none loses anything.
fn leader(losses: &Losses, conclusion: Conclusion, bootstrap: &Bootstrap) -> Option<Leader> {
    let is_eligible = |at: &usize| match conclusion {
        Conclusion::Retrieval | Conclusion::RetrievalOnly => {
            Source::ALL[*at].side() == Side::Retrieval
        }
        Conclusion::Generator => Source::ALL[*at].side() == Side::Generator,
        _ => true,
    };
    let means = losses.means();
    let mut order: Vec<usize> = (0..means.len()).filter(is_eligible).collect();
    order.sort_by(|a, b| means[*b].total_cmp(&means[*a]));
    if is_unknown(&means, &order) {
        let unknown = Source::NotInPrompt as usize;
        order.retain(|at| *at != unknown);
        order.insert(0, unknown);
    }
    let (first, second) = (order[0], order[1]);
    if losses.n == 0 || losses.is_nothing() || means[first] <= 0.0 {
        return None;
    }
    let resampled = &losses.resampled;
    let differences = resampled[first].iter().zip(&resampled[second]);
    let margin = losses
        .interval(differences.map(|(a, b)| a - b).collect(), bootstrap)
        .map(|interval| (means[first] - means[second], interval));
    Some(Leader {
        source: Source::ALL[first],
        runner_up: (means[second] > 0.0).then_some(Source::ALL[second]),
        undecided: margin.is_none_or(|(_, interval)| interval.holds_zero()),
        margin,
    })
}
