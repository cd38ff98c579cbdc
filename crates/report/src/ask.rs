//! The report of one question: its passages with their scores explained, the prompt, the answer.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::{Element, Entry, Fact, Report};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{Attempt, Passage, Step, StepHit, Trace};

/// Characters of a passage that are shown outside the prompt.
const EXCERPT: usize = 300;

/// One question, asked outside any run.
#[derive(Debug, Serialize)]
pub struct AskedQuestion<'a> {
    /// The configuration file.
    pub config: String,
    /// Format and path of the data set.
    pub dataset: String,
    /// Chunks that were searched.
    pub n_chunks: usize,
    /// Length of the final ranking that goes to prompt packing.
    pub k: usize,
    /// As a run records it.
    pub trace: &'a Trace,
    /// Those that the trace names.
    pub passages: &'a [Passage],
    pub prompt: PromptMessages<'a>,
    /// The generator's name; `null` without one.
    pub generator: Option<&'a str>,
}

/// The two messages of a prompt.
#[derive(Debug, Serialize)]
pub struct PromptMessages<'a> {
    /// Empty for none.
    pub system: &'a str,
    pub user: &'a str,
    /// Tokens of both (`cl100k_base`).
    pub n_tokens: u64,
}

impl AskedQuestion<'_> {
    /// Returns the report.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report::new(&*self.trace.question.text);
        report.facts(vec![
            Fact::new("configuration", &self.config),
            Fact::new("data set", &self.dataset),
            Fact::new("chunks", self.n_chunks.to_string()),
        ]);
        let hits = self.trace.final_ranking().map_or(&[][..], |last| &last.hits);
        let hits = (1..).zip(hits.iter().take(self.k));
        let passages: Vec<Entry> = hits.filter_map(|(rank, hit)| self.passage(rank, hit)).collect();
        report.heading(format!("Passages (top {})", passages.len()));
        if passages.is_empty() {
            report.elements.push(Element::Paragraph("No passage matches.".to_owned()));
        }
        report.entries(passages);
        report.heading(format!("Prompt ({} tokens)", self.prompt.n_tokens));
        report.elements.push(Element::Lines(self.prompt.lines()));
        report.heading("Answer");
        match self.generator.zip(self.attempt()) {
            Some((generator, attempt)) => report.facts(answer(generator, attempt)),
            None => {
                report.elements.push(Element::Paragraph("No generator is configured.".to_owned()));
            }
        }
        report
    }

    /// Returns the call of the generator.
    #[must_use]
    pub fn attempt(&self) -> Option<&Attempt> {
        self.trace.conditions.first()?.attempts.first()
    }

    /// A hit of the final ranking, with its rank and score in each stage that returned it.
    fn passage(&self, rank: usize, hit: &StepHit) -> Option<Entry> {
        let Passage { id, title, range, text, .. } =
            self.passages.iter().find(|passage| passage.id == hit.id)?;
        let title = if title.is_empty() { String::new() } else { format!(" \"{title}\"") };
        let is_packed = self.trace.packed().any(|packed| packed == id);
        let place = if is_packed { "" } else { ", not in the prompt" };
        let stages = self.trace.steps.iter();
        let mut facts: Vec<Fact> = stages
            .filter(|step| step.step != Step::Packed)
            .filter_map(|step| {
                let at = step.hits.iter().position(|other| other.id == hit.id)?;
                let StepHit { score, parts, .. } = &step.hits[at];
                let text =
                    format!("rank {}, score {score:.4}{}", at + 1, explained(step.step, parts));
                Some(Fact::new(step.step.name(), text))
            })
            .collect();
        facts.push(Fact::new("text", shortened(text, EXCERPT)));
        let title =
            format!("rank {rank}: {id}{title}, bytes {} to {}{place}", range.start, range.end);
        Some(Entry { title, facts })
    }
}

/// The parts of a score, largest first; empty without parts.
fn explained(step: Step, parts: &BTreeMap<String, f64>) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let mut parts: Vec<(&String, &f64)> = parts.iter().collect();
    parts.sort_by(|a, b| b.1.total_cmp(a.1));
    let shares: Vec<String> =
        parts.iter().map(|(name, share)| format!("{name} {share:.4}")).collect();
    if step == Step::Reranked {
        format!(" ({})", shares.join(", "))
    } else {
        format!(" = {}", shares.join(" + "))
    }
}

impl PromptMessages<'_> {
    fn lines(&self) -> Vec<String> {
        let messages = [("system", self.system), ("user", self.user)];
        let messages = messages.into_iter().filter(|(_, text)| !text.is_empty());
        let lines = messages.flat_map(|(role, text)| {
            std::iter::once(format!("[{role}]")).chain(text.lines().map(str::to_owned))
        });
        lines.collect()
    }
}

fn answer(generator: &str, attempt: &Attempt) -> Vec<Fact> {
    let mut facts = vec![Fact::new("generator", generator)];
    if let Some(error) = &attempt.error {
        facts.push(Fact::new("failed", &error.message));
        return facts;
    }
    facts.push(Fact::new("answer", attempt.answer_text()));
    if attempt.raw != attempt.extracted {
        facts.push(Fact::new("reply", &attempt.raw));
    }
    facts
}
