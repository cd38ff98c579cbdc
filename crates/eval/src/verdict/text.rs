//! The verdict in words.

use super::budget::{BudgetOf, Losses};
use super::cautions::{self, OracleCheck, Unusable};
use super::decide::{DECIDABLE, VerdictFacts};
use super::estimate::Estimate;
use super::{Conclusion, LossVerdict, SideLoss, Source};
use ragtriage_core::text::numbers::{of_count, percent, percents, plural, thousands, whole};
use ragtriage_core::types::{FailureClass, Interval};

/// Returns the question with its answer, and the reasons.
pub(super) fn sentence(
    verdict: &LossVerdict,
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    oracle: &OracleCheck,
    unusable: &Unusable,
    estimate: Option<&Estimate>,
) -> (String, String) {
    let leader = leading(verdict, facts, losses);
    let is_nothing = losses.is_nothing() && !facts.outcomes.iter().any(cautions::is_open);
    let (answer, reasons) = match verdict.conclusion {
        Conclusion::Retrieval => ("Yes", balance(verdict, facts) + &leader),
        Conclusion::Generator => ("No, the generator is", balance(verdict, facts) + &leader),
        Conclusion::Undecided if is_nothing => {
            let is_few = losses.n_clusters < DECIDABLE;
            let answer = if is_few { "Undecided, nothing is lost" } else { "No, nothing is lost" };
            (answer, correct(verdict, facts, ""))
        }
        Conclusion::Undecided => {
            let why = unknown(verdict, facts, losses, estimate);
            let reasons = why.unwrap_or_else(|| {
                format!("{}{leader} {}", balance(verdict, facts), undecided(verdict, losses))
            });
            ("Undecided", reasons)
        }
        Conclusion::RetrievalOnly => {
            let has_answers = facts.traces.iter().any(|trace| !trace.conditions.is_empty());
            let lack = if has_answers { "gold answers" } else { "answers" };
            let answer = format!("Is retrieval the bottleneck? Not known without {lack}.");
            return (answer, retrieval_only(verdict) + &leader);
        }
        Conclusion::Withheld => ("No verdict", withheld(facts, losses, oracle, unusable)),
    };
    (format!("Is retrieval the bottleneck? {answer}."), reasons)
}

/// Reports the correct answers now, with complete evidence, and the rest by the side that loses them: numbers that add up.
fn balance(verdict: &LossVerdict, facts: &VerdictFacts<'_>) -> String {
    let Some(counts) = &verdict.counts else { return String::new() };
    let about = if verdict.counts_answers { "" } else { "about " };
    let said = |n, loss: &SideLoss| format!("{about}{}{}", whole(n), of_count(loss.ci95));
    let before = said(counts.sides[0], &verdict.retrieval);
    let by_generator = said(counts.sides[1], &verdict.generator);
    let most = whole(counts.correct + counts.sides[0]);
    correct(
        verdict,
        facts,
        &format!(
            " With complete evidence in every prompt, {about}{most} would be; {before} answers are lost before the prompt, {by_generator} by \
             the generator."
        ),
    )
}

/// Reports the correct answers now, before `then`.
fn correct(verdict: &LossVerdict, facts: &VerdictFacts<'_>, then: &str) -> String {
    let correct = whole(verdict.counts.as_ref().map_or(0.0, |counts| counts.correct));
    let are = if verdict.n == 1 { "question is" } else { "questions are" };
    let is_unsure = facts.outcomes.iter().any(|one| one.class == FailureClass::Unsure);
    let halves = if is_unsure { ", unsure answers counted as half" } else { "" };
    format!(
        "{correct} of {} answerable {are} answered correctly{halves}.{then}",
        thousands(verdict.n)
    )
}

/// Returns why there is no verdict.
fn withheld(
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    oracle: &OracleCheck,
    unusable: &Unusable,
) -> String {
    if cautions::are_contexts_unknown(facts) {
        return format!(
            "{} of {} passages are in no document, so whether they hold the evidence cannot be seen. Record them as they are in the \
             documents.",
            thousands(facts.unlocated.0),
            thousands(facts.unlocated.1)
        );
    }
    if unusable.is_much {
        return unusable.verdict();
    }
    if losses.n == 0 {
        return insufficient(facts);
    }
    format!(
        "On {} of {} the generator is wrong from the gold passages alone and correct from the retrieved ones (the reverse, with complete \
         evidence: {}). The gold passages lack what the answers need: check the evidence labels.",
        thousands(oracle.worse),
        questions(oracle.n),
        thousands(oracle.better)
    )
}

/// Returns why neither side has a number; `None` where they have.
fn unknown(
    verdict: &LossVerdict,
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    estimate: Option<&Estimate>,
) -> Option<String> {
    let unsure = facts.outcomes.iter().filter(|one| one.class == FailureClass::Unsure).count();
    if unsure > 0 && estimate.is_some_and(|estimate| estimate.n == 0) {
        return Some(format!(
            "The rule is unsure about {}: let a judge or a person decide.",
            plural(unsure, "answer", "answers")
        ));
    }
    if losses.means().iter().all(|mean| *mean <= 0.0) {
        if facts.outcomes.iter().any(|outcome| outcome.evidence.is_unseen()) {
            return Some("The results do not show the passages of the prompts.".to_owned());
        }
        return Some("Of each wrong answer, the label is wider than a chunk, and the prompt had a part of it.".to_owned());
    }
    estimate.filter(|estimate| estimate.n == 0).map(|_| {
        format!(
            "No answer is known to have had complete evidence, so what that would bring to the {} without it is unknown.",
            questions(verdict.retrieval.questions)
        )
    })
}

fn undecided(verdict: &LossVerdict, losses: &Losses) -> String {
    match verdict.difference {
        None => "One cluster of questions gives no interval.".to_owned(),
        Some((difference, ci)) if ci.holds_zero() => {
            let about = if verdict.counts_answers { "" } else { "about " };
            // Of the sides as they are printed.
            let printed = verdict.counts.as_ref();
            let printed = printed.map(|it| it.sides[0] - it.sides[1]);
            let difference = whole(printed.unwrap_or(difference).abs());
            format!("The difference of the two sides, {about}{difference}, may be chance.")
        }
        Some(_) if losses.n_clusters < DECIDABLE => {
            "These are too few clusters of questions to decide.".to_owned()
        }
        Some(_) => "The data leave room for both.".to_owned(),
    }
}

fn retrieval_only(verdict: &LossVerdict) -> String {
    let n = verdict.n as f64;
    let complete = n - verdict.retrieval.answers;
    let share = |lost: f64| 1.0 - lost / n;
    let interval = verdict.retrieval.ci95.map_or(String::new(), |ci| {
        let ci = Interval { low: share(ci.high), high: share(ci.low) };
        format!(", 95% CI {}", percents(ci))
    });
    format!(
        "{} of {} complete evidence ({}{interval}).",
        whole(complete),
        plural(verdict.n, "prompt has", "prompts have"),
        percent(complete / n)
    )
}

/// Reports what is known where no question can be attributed.
fn insufficient(facts: &VerdictFacts<'_>) -> String {
    let n = facts.outcomes.len();
    if n == 0 {
        return "The run has no question.".to_owned();
    }
    let mut classes = facts.outcomes.iter().map(|outcome| outcome.class);
    if classes.all(FailureClass::is_of_unanswerable) {
        let answered = facts.outcomes.iter();
        let answered = answered.filter(|outcome| outcome.class == FailureClass::Hallucinated);
        return format!(
            "All {} are unanswerable, and the generator answered {} of them.",
            questions(n),
            thousands(answered.count())
        );
    }
    let has_gold = facts.outcomes.iter().any(|outcome| outcome.evidence.is_testable());
    let unseen = facts.outcomes.iter().filter(|outcome| outcome.evidence.is_unseen()).count();
    if unseen > 0 && !has_gold {
        let has_steps = facts.traces.iter().any(|trace| !trace.steps.is_empty());
        let what = if has_steps {
            "The passages of the prompt are not"
        } else {
            "Neither the retrieved passages nor those of the prompt are"
        };
        return format!("{what} recorded for {} with evidence.", questions(unseen));
    }
    let head = if has_gold {
        "No question has both an answer and an answer from the gold passages alone."
    } else {
        "No question has evidence, a relevance judgment, or a gold answer that a document contains."
    };
    format!("{head} Add evidence to some of the {} to tell the stages apart.", questions(n))
}

/// Names the class that loses most on the side of the verdict, or overall; empty if nothing is lost there, or no class is known.
fn leading(verdict: &LossVerdict, facts: &VerdictFacts<'_>, losses: &Losses) -> String {
    let source = match verdict.bottleneck {
        None => return String::new(),
        Some(Source::Misread) if facts.of == BudgetOf::Evidence => return String::new(),
        Some(Source::NotInPrompt) => {
            return " The results do not show which stage loses most.".to_owned();
        }
        Some(source) => source,
    };
    // The questions of a class that lost their evidence may lose to the generator too.
    let has_fault = |source: Source| {
        let fault = source.fault();
        fault.is_some() && facts.outcomes.iter().any(|outcome| outcome.fault == fault)
    };
    let name = |source: Source| match source.class() {
        class if has_fault(source) => format!("{class}/{source}"),
        class => class.to_string(),
    };
    let is_chance =
        losses.n_clusters < DECIDABLE || verdict.margin.is_none_or(|(_, ci)| ci.holds_zero());
    let name_of = name(source);
    // A class without a fault may hold those of its faults.
    let is_other = |next: &Source| {
        next.class() != source.class() || [source, *next].into_iter().all(has_fault)
    };
    match verdict.runner_up.filter(|next| is_chance && is_other(next)) {
        Some(next) => format!(
            " {name_of} and {} lose most; which of the two loses more may be chance.",
            name(next)
        ),
        None if is_chance => format!(" {name_of} loses most, which may be chance."),
        None if verdict.undecided && verdict.conclusion != Conclusion::Undecided => {
            format!(" {name_of} loses most, or another by the best answer to each question.")
        }
        None => format!(" {name_of} loses most."),
    }
}

fn questions(n: usize) -> String {
    plural(n, "question", "questions")
}
