//! The verdict in words.

use super::budget::{BudgetOf, Losses};
use super::cautions::{self, OracleCheck, Unusable};
use super::decide::VerdictFacts;
use super::estimate::Estimate;
use super::{Conclusion, LossVerdict, Source};
use ragtriage_core::text::numbers::{percent, percents, plural, thousands, whole};
use ragtriage_core::types::{FailureClass, Interval, Step};

/// Returns the verdict's sentences.
pub(super) fn sentence(
    verdict: &LossVerdict,
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    oracle: &OracleCheck,
    unusable: &Unusable,
    estimate: Option<&Estimate>,
) -> String {
    // Marks what is estimated.
    let about = if facts.of == BudgetOf::Support { "about " } else { "" };
    let [won, lost] = [&verdict.retriever, &verdict.generator].map(|side| {
        let interval = side.ci95.map_or(String::new(), |ci| format!(" {ci:.0}"));
        format!("{about}{}{interval}", whole(side.answers))
    });
    let n = questions(verdict.n);
    let stage = leading(verdict, facts, losses);
    match verdict.conclusion {
        Conclusion::Retriever => format!(
            "Yes, retrieval is the bottleneck: with complete evidence in every prompt the generator would answer {won} more of {n}; \
             it loses {lost} despite complete evidence.{stage}"
        ),
        Conclusion::Generator => format!(
            "No, the generator is the bottleneck: it loses {lost} of {n} despite complete evidence; complete evidence in every \
             prompt would recover {won}.{stage}"
        ),
        Conclusion::Undecided
            if losses.is_nothing() && !facts.outcomes.iter().any(cautions::is_open) =>
        {
            let are = if verdict.n == 1 { "is" } else { "are" };
            let all = plural(verdict.n, "answerable question", "answerable questions");
            format!("Nothing is lost: all {all} {are} answered correctly.")
        }
        Conclusion::Undecided => {
            let why = unknown(verdict, facts, losses, estimate).unwrap_or_else(|| {
                let why = undecided(verdict, about);
                format!(
                    "complete evidence in every prompt would recover {won} of {n}, and the generator loses {lost} despite complete \
                     evidence; {why}.{stage}"
                )
            });
            format!("Undecided whether retrieval is the bottleneck: {why}")
        }
        Conclusion::RetrievalOnly => {
            retrieval_only(verdict)
                + &stage
                + " Without answers, the generator's losses are unknown."
        }
        Conclusion::Withheld if cautions::are_contexts_unknown(facts) => format!(
            "No verdict: {} of {} contexts are in no document, so whether they hold the evidence cannot be seen. \
             Record them as they are in the documents.",
            thousands(facts.unlocated.0),
            thousands(facts.unlocated.1)
        ),
        Conclusion::Withheld if unusable.is_much => unusable.verdict(),
        Conclusion::Withheld if losses.n == 0 => insufficient(facts),
        Conclusion::Withheld => format!(
            "No verdict: on {} of {} the generator is wrong from the gold passages alone and correct from the retrieved ones (the \
             reverse, with evidence in the prompt: {}). The gold passages lack what the answers need: check the evidence labels.",
            thousands(oracle.worse),
            questions(oracle.n),
            thousands(oracle.better)
        ),
    }
}

/// Returns why neither side has a number; `None` where they have.
fn unknown(
    verdict: &LossVerdict,
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    estimate: Option<&Estimate>,
) -> Option<String> {
    if losses.means().iter().all(|mean| *mean <= 0.0) {
        if facts.outcomes.iter().any(|outcome| outcome.evidence.is_unseen()) {
            return Some("the record does not show what was packed.".to_owned());
        }
        return Some(format!(
            "all {} wrong answers have a label that is wider than a chunk, and only a part of it was delivered.",
            thousands(facts.outcomes.iter().filter(|outcome| cautions::is_open(outcome)).count())
        ));
    }
    estimate.filter(|estimate| estimate.n == 0).map(|_| {
        format!(
            "no answer is known to have had its complete evidence, so what that would bring to the {} that lack it is not known.",
            questions(verdict.retriever.questions)
        )
    })
}

fn undecided(verdict: &LossVerdict, about: &str) -> String {
    match verdict.difference {
        None => "one cluster of questions gives no interval".to_owned(),
        Some((difference, ci)) if ci.holds_zero() => {
            let what = if about.is_empty() { "may be chance" } else { "may be none" };
            format!("the difference, {about}{difference:.0} {ci:.0}, {what}")
        }
        Some(_) if verdict.n < 6 => "too few questions to decide".to_owned(),
        Some(_) => "the data leave room for both".to_owned(),
    }
}

fn retrieval_only(verdict: &LossVerdict) -> String {
    let n = verdict.n as f64;
    let delivered = n - verdict.retriever.answers;
    let share = |lost: f64| 1.0 - lost / n;
    let interval = verdict.retriever.ci95.map_or(String::new(), |ci| {
        let ci = Interval { low: share(ci.high), high: share(ci.low) };
        format!(", 95% CI {}", percents(ci))
    });
    format!(
        "Evidence reaches the prompt for {delivered:.0} of {} ({}{interval}).",
        questions(verdict.n),
        percent(delivered / n)
    )
}

/// Reports what is known where no question can be attributed.
fn insufficient(facts: &VerdictFacts<'_>) -> String {
    let n = facts.outcomes.len();
    let mut classes = facts.outcomes.iter().map(|outcome| outcome.class);
    if n > 0 && classes.all(FailureClass::is_of_unanswerable) {
        let answered = facts.outcomes.iter();
        let answered = answered.filter(|outcome| outcome.class == FailureClass::Hallucinated);
        return format!(
            "No stage can be blamed: all {} are unanswerable, and the generator answered {} of them.",
            questions(n),
            thousands(answered.count())
        );
    }
    let has_gold = facts.outcomes.iter().any(|outcome| outcome.evidence.is_testable());
    let unseen = facts.outcomes.iter().filter(|outcome| outcome.evidence.is_unseen()).count();
    if unseen > 0 && !has_gold {
        return format!(
            "No verdict: neither the passages that were retrieved nor those of the prompt are recorded for {} with evidence.",
            questions(unseen)
        );
    }
    let head = if has_gold {
        "No verdict: no question has both an answer and an answer from the gold passages alone."
    } else {
        "No stage can be blamed: no question has evidence, a relevance judgment, or a gold answer that a document contains."
    };
    format!("{head} Add evidence to some of the {} to tell the stages apart.", questions(n))
}

/// Names the source that loses most, with what it means there; empty if nothing is lost on that side.
fn leading(verdict: &LossVerdict, facts: &VerdictFacts<'_>, losses: &Losses) -> String {
    let Some(source) = verdict.bottleneck else {
        return String::new();
    };
    if source == Source::NotInPrompt {
        return " The record does not show which stage loses most.".to_owned();
    }
    let n = verdict.n as f64;
    let means = losses.means();
    let here = means[source as usize] * n;
    let is_split = facts.of != BudgetOf::Support || source != Source::Misread;
    if !is_split {
        return String::new();
    }
    let meaning = meaning(source, facts);
    let is_chance = verdict.margin.is_none_or(|(_, ci)| ci.holds_zero());
    let tie = match (verdict.undecided, verdict.conclusion) {
        (false, _) | (_, Conclusion::Undecided) => "",
        (true, _) if is_chance => ", though its lead over the next stage may be chance",
        (true, _) => ", though another stage may, by the best answer to each question",
    };
    // The side and one of its stages are both called retrieval.
    let lead = match verdict.conclusion {
        Conclusion::Retriever => {
            format!("Of the stages before the prompt, {}", spoken(source).to_lowercase())
        }
        _ => spoken(source).to_owned(),
    };
    format!(" {lead} loses most, {}: {meaning}{tie}.", whole(here))
}

fn spoken(source: Source) -> &'static str {
    match source {
        Source::NotInCorpus => "The corpus",
        Source::Split => "Chunking",
        Source::NotRetrieved => "Retrieval",
        Source::RankedLow => "Ranking",
        Source::NotPacked => "Packing",
        Source::NotInPrompt => "An unknown stage",
        Source::IgnoredContext => "Distraction",
        Source::Misread => "The generator itself",
    }
}

fn meaning(source: Source, facts: &VerdictFacts<'_>) -> String {
    let k = facts.k;
    match source {
        Source::NotInCorpus => "the evidence is in no document".to_owned(),
        Source::Split if has_step(facts, Step::Collection) => {
            "no point of the collection holds the evidence".to_owned()
        }
        Source::Split => "a chunk boundary splits the evidence".to_owned(),
        Source::NotRetrieved => "the evidence is not among the candidates".to_owned(),
        Source::RankedLow if has_step(facts, Step::Reranked) => {
            format!("the reranker leaves the evidence below the top {k}")
        }
        // Whether another RAG reranks is known only if it records that.
        Source::RankedLow if has_step(facts, Step::External) || has_step(facts, Step::Ordered) => {
            "the evidence is among the recorded contexts but ranked below those in the prompt"
                .to_owned()
        }
        Source::RankedLow => {
            format!(
                "the retriever finds the evidence but orders it below the top {k} (no reranker)"
            )
        }
        Source::NotPacked => "the evidence does not fit the prompt".to_owned(),
        Source::NotInPrompt => "the record does not show where the evidence is lost".to_owned(),
        Source::IgnoredContext => {
            "correct from the gold passages alone, wrong among other passages".to_owned()
        }
        Source::Misread => "wrong from the gold passages alone".to_owned(),
    }
}

fn has_step(facts: &VerdictFacts<'_>, step: Step) -> bool {
    let mut traces = facts.traces.iter();
    traces.any(|trace| trace.step(step).is_some())
}

fn questions(n: usize) -> String {
    plural(n, "question", "questions")
}

/// Returns the rule of thumb shown with the verdict: EM@5 >= 0.80, retrieval is likely not the bottleneck; <= 0.60, improve the
/// retriever first. It considers retrieval alone: `None` under a verdict on both sides that does not name the same one, and
/// without EM@5.
#[must_use]
pub fn rule_of_thumb(em_at_5: Option<f64>, conclusion: Conclusion) -> Option<String> {
    let em = em_at_5?;
    let (same, says) = if em >= 0.80 {
        (Conclusion::Generator, ">= 0.80: retrieval is likely not the bottleneck")
    } else if em <= 0.60 {
        (Conclusion::Retriever, "<= 0.60: work on the retriever first")
    } else {
        (Conclusion::RetrievalOnly, "between 0.60 and 0.80: inconclusive")
    };
    let is_shown = conclusion == same || conclusion == Conclusion::RetrievalOnly;
    is_shown.then(|| format!("EM@5 is {em:.3}, {says}"))
}
