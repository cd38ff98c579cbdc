//! A dry run as data: the calls, tokens and cost of a run, and the data it would send.

use serde::Serialize;

use crate::document::{Element, Fact, Report, Table};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{Estimate, JudgeEstimate};

/// The results of a dry run.
#[derive(Clone, Debug, Serialize)]
pub struct DryRun {
    /// The configuration file.
    pub config: String,
    /// Format and path of the data set.
    pub dataset: String,
    /// A description of the generator.
    pub generator: String,
    /// Calls per retrieved prompt.
    pub repeat: usize,
    /// Most tokens of an answer.
    pub max_tokens: u64,
    /// True if `generation.price` is set.
    pub is_priced: bool,
    /// The substitute for retrieval by a service, which makes the counts estimates; `None` for the run's own retrieval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The judge's calls; `None` without a judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeEstimate>,
    /// The data sent to each service.
    pub sent: Vec<Sending>,
}

/// The data sent to one service.
#[derive(Clone, Debug, Serialize)]
pub struct Sending {
    /// Its address.
    pub to: String,
    /// Its role.
    #[serde(rename = "for")]
    pub purpose: &'static str,
    /// True if it is on this machine.
    pub here: bool,
    /// Distinct passages.
    pub passages: u64,
    /// Distinct questions.
    pub questions: u64,
    /// True if texts are sent, not only their vectors.
    pub texts: bool,
    /// True if the numbers are exact, not upper bounds.
    pub exact: bool,
}

/// Builds the report.
#[must_use]
pub fn report(dry_run: &DryRun) -> Report {
    let estimate = &dry_run.estimate;
    let mut report = Report::new(format!("ragtriage: dry run of {}", dry_run.config));
    report.elements.push(Element::Paragraph("Nothing is sent and no run is written.".to_owned()));
    let mut facts = vec![
        Fact::new(
            "Questions",
            format!(
                "{} of {}, {}",
                thousands(estimate.questions),
                dry_run.dataset,
                plural(estimate.chunks, "chunk", "chunks")
            ),
        ),
        Fact::new("Generator", &*dry_run.generator),
    ];
    facts.extend(dry_run.judge.as_ref().map(judge));
    report.facts(facts);
    if estimate.failed > 0 {
        let questions = plural(estimate.failed, "question", "questions");
        report.warnings(&[format!("retrieval failed for {questions}: they are not asked")]);
    }
    report.warnings(dry_run.stand_in.as_slice());
    if !estimate.arms.is_empty() {
        report.table(calls(estimate));
        report.heading("Tokens and cost");
        report.facts(figures(dry_run));
    }
    report.heading("Data sent");
    report.facts(sent(&dry_run.sent));
    report
}

fn judge(estimate: &JudgeEstimate) -> Fact {
    let JudgeEstimate { calls, questions, most_cost_usd, .. } = estimate;
    let cost = if *most_cost_usd > 0.0 { format!(", ${most_cost_usd:.4}") } else { String::new() };
    let text = format!(
        "at most {} about answers to {}, if the rule is unsure of all: {} prompt tokens, {} response tokens{cost}",
        counted(*calls, "call"),
        counted(*questions, "question"),
        count(estimate.most_prompt_tokens),
        count(estimate.most_completion_tokens)
    );
    Fact::new("Judge", text)
}

fn calls(estimate: &Estimate) -> Table {
    let mut table = Table::new(
        "Calls by condition (arm)",
        &["arm", "prompts", "from the cache", "same as another arm", "calls", "prompt tokens"],
    );
    let mut sum = [0; 5];
    for arm in &estimate.arms {
        let figures = [arm.questions, arm.cached, arm.same_prompt, arm.calls, arm.prompt_tokens];
        sum.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        table.row([arm.arm.name().to_owned()].into_iter().chain(figures.map(count)));
    }
    table.row(["all".to_owned()].into_iter().chain(sum.map(count)));
    table
}

fn figures(dry_run: &DryRun) -> Vec<Fact> {
    let DryRun { max_tokens, is_priced, estimate, .. } = dry_run;
    let prompt = format!("{}, counted with cl100k_base", count(estimate.prompt_tokens));
    let most = count(estimate.most_completion_tokens);
    let cost = if *is_priced {
        format!("${:.4} at most", estimate.most_cost_usd)
    } else {
        "unknown: `generation.price` is not set".to_owned()
    };
    vec![
        Fact::new("Prompt tokens", prompt),
        Fact::new("Answer tokens", format!("at most {most} ({max_tokens} per call)")),
        Fact::new("Cost", cost),
    ]
}

fn sent(all: &[Sending]) -> Vec<Fact> {
    let mut facts = Vec::new();
    if all.iter().all(|sending| sending.here) {
        facts.push(Fact::new("Leaves the machine", "nothing"));
    }
    for (here, label) in [(false, "Leaves the machine"), (true, "Stays on it")] {
        let sentences = all.iter().filter(|sending| sending.here == here).map(sentence);
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        facts.extend(labels.zip(sentences).map(|(label, text)| Fact::new(label, text)));
    }
    facts
}

fn sentence(sending: &Sending) -> String {
    let up_to = if sending.exact { "" } else { "up to " };
    let what = if sending.texts { "" } else { "the vectors, ids and metadata (no text) of " };
    format!(
        "{up_to}{what}{} and {} go to {} ({})",
        counted(sending.passages, "passage"),
        counted(sending.questions, "question"),
        sending.to,
        sending.purpose
    )
}

/// Formats `1 passage`, `4,312 passages`.
fn counted(n: u64, what: &str) -> String {
    plural(n as usize, what, &format!("{what}s"))
}

fn count(n: u64) -> String {
    thousands(n as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_told_in_a_sentence() {
        let sending = Sending {
            to: "https://h/v1".to_owned(),
            purpose: "generator",
            here: false,
            passages: 4312,
            questions: 1,
            texts: true,
            exact: true,
        };
        assert_eq!(
            sentence(&sending),
            "4,312 passages and 1 question go to https://h/v1 (generator)"
        );
        let vectors = Sending { texts: false, exact: false, passages: 1, ..sending };
        let expected = "up to the vectors, ids and metadata (no text) of 1 passage and 1 question go to https://h/v1 (generator)";
        assert_eq!(sentence(&vectors), expected);
    }
}
