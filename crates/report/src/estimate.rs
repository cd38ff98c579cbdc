//! A dry run as data: the calls, tokens and cost of a run, and the data it would send.

use serde::Serialize;

use crate::document::{Element, Fact, Report};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{Estimate, Recipient};

/// The results of a dry run.
#[derive(Clone, Debug, Serialize)]
pub struct DryRun {
    /// The configuration file.
    pub config: String,
    /// Format and path of the data set.
    pub dataset: String,
    /// A description of the generator.
    pub generator: String,
    /// Most tokens of an answer.
    pub max_tokens: u64,
    /// True if `generation.price` is set.
    pub is_priced: bool,
    /// True if answers are recorded responses: nothing is called.
    #[serde(skip)]
    pub is_recorded: bool,
    /// The substitute for retrieval by a service, which makes the counts estimates; `None` for the run's own retrieval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The data sent to each service.
    pub sent: Vec<Recipient>,
}

/// Builds the report.
#[must_use]
pub fn report(dry_run: &DryRun) -> Report {
    let estimate = &dry_run.estimate;
    let mut report = Report::new(format!("ragtriage: dry run of {}", dry_run.config));
    report.elements.push(Element::Paragraph("Nothing is sent and no run is written.".to_owned()));
    let facts = vec![
        Fact::new(
            "Questions",
            format!(
                "{} of {}{}",
                thousands(estimate.questions),
                dry_run.dataset,
                match estimate.chunks {
                    0 => String::new(),
                    n => format!(", {}", plural(n, "chunk", "chunks")),
                }
            ),
        ),
        Fact::new("Generator", &*dry_run.generator),
    ];
    report.facts(facts);
    report.warnings(&warnings(dry_run));
    if estimate.prompts > 0 {
        report.heading("Calls and cost");
        report.facts(figures(dry_run));
    }
    report.heading("Data sent");
    report.facts(sent(&dry_run.sent));
    report
}

fn warnings(dry_run: &DryRun) -> Vec<String> {
    let estimate = &dry_run.estimate;
    let failed = (estimate.failed > 0).then(|| {
        let questions = plural(estimate.failed, "question", "questions");
        format!("retrieval failed for {questions}: they are not asked")
    });
    failed.into_iter().chain(dry_run.stand_in.clone()).collect()
}

fn figures(dry_run: &DryRun) -> Vec<Fact> {
    let DryRun { max_tokens, is_priced, is_recorded, estimate, .. } = dry_run;
    if *is_recorded {
        let (missing, prompts) = (count(estimate.calls), count(estimate.prompts));
        let calls = format!("none; {missing} of {prompts} prompts have no recorded response");
        return vec![Fact::new("Calls", calls), Fact::new("Cost", "none")];
    }
    let calls = format!(
        "{} of {} prompts; {} cached, {} same as another of the question",
        count(estimate.calls),
        count(estimate.prompts),
        count(estimate.cached),
        count(estimate.same_prompt)
    );
    let prompt = format!("{}, counted with cl100k_base", count(estimate.prompt_tokens));
    let most = count(estimate.most_completion_tokens);
    let cost = if *is_priced {
        format!("${:.4} at most", estimate.most_cost_usd)
    } else {
        "unknown: `generation.price` is not set".to_owned()
    };
    let mut facts = vec![
        Fact::new("Calls", calls),
        Fact::new("Prompt tokens", prompt),
        Fact::new(
            "Answer tokens",
            format!("at most {most} ({} per call)", thousands(*max_tokens as usize)),
        ),
        Fact::new("Cost", cost),
    ];
    if estimate.most_judge_calls > 0 {
        let (calls, usd) = (count(estimate.most_judge_calls), estimate.most_judge_cost_usd);
        let text = format!("at most {calls} calls, ${usd:.4}, if the rule left every answer open");
        facts.push(Fact::new("Judge", text));
    }
    facts
}

fn sent(all: &[Recipient]) -> Vec<Fact> {
    let mut facts = Vec::new();
    if all.iter().all(|recipient| recipient.is_here) {
        facts.push(Fact::new("Leaves the machine", "nothing"));
    }
    for (is_here, label) in [(false, "Leaves the machine"), (true, "Stays on it")] {
        let sentences = all.iter().filter(|recipient| recipient.is_here == is_here).map(sentence);
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        facts.extend(labels.zip(sentences).map(|(label, text)| Fact::new(label, text)));
    }
    facts
}

fn sentence(recipient: &Recipient) -> String {
    format!("{} go to {} ({})", recipient.what, recipient.address, recipient.role)
}

fn count(n: u64) -> String {
    thousands(n as usize)
}
