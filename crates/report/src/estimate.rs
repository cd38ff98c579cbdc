//! What a run would ask, cost and send, before it does.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::wrap::wrapped;
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::{Estimate, Seconds};

/// Everything that is shown.
#[derive(Clone, Debug, Serialize)]
pub struct EstimateView {
    /// The settings file.
    pub config: String,
    /// The data set's format and path.
    pub dataset: String,
    /// What answers.
    pub generator: String,
    /// How often each retrieved prompt is asked.
    pub repeat: usize,
    /// Most tokens of an answer.
    pub max_tokens: u64,
    /// Whether `generation.price` is set.
    pub is_priced: bool,
    /// What stands in for retrieval that would call a service, and so makes an estimate of what is counted; `None`: the run's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// What goes to whom.
    pub sent: Vec<Sending>,
}

/// What goes to one service.
#[derive(Clone, Debug, Serialize)]
pub struct Sending {
    /// Its address.
    pub to: String,
    /// What it does with it.
    #[serde(rename = "for")]
    pub purpose: &'static str,
    /// Whether it is on this machine.
    pub here: bool,
    /// Distinct passages.
    pub passages: u64,
    /// Distinct questions.
    pub questions: u64,
    /// Whether texts are sent, or their vectors alone.
    pub texts: bool,
    /// Whether these are the numbers; else there may be fewer.
    pub exact: bool,
}

impl Sending {
    /// The sentence.
    #[must_use]
    pub fn told(&self) -> String {
        let Self {
            to,
            purpose,
            here: _,
            passages,
            questions,
            texts,
            exact,
        } = self;
        let up_to = if *exact { "" } else { "up to " };
        let what = if *texts {
            ""
        } else {
            "the vectors, ids and metadata (no text) of "
        };
        let (passages, questions) = (
            counted(*passages, "passage"),
            counted(*questions, "question"),
        );
        format!("{up_to}{what}{passages} and {questions} go to {to} ({purpose})")
    }
}

/// `1 passage`, `4,312 passages`.
fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// The view as text.
#[must_use]
pub fn render(view: &EstimateView) -> String {
    let EstimateView {
        config,
        dataset,
        generator,
        estimate,
        stand_in,
        ..
    } = view;
    let mut out = String::new();
    let mut say = |label: &str, text: &str| out.push_str(&wrapped(&format!("{label:<18} "), text));
    say(
        "Dry run",
        &format!("{config}: nothing is asked, no run is written"),
    );
    say(
        "Questions",
        &format!(
            "{} of {dataset}, {} chunks",
            count(estimate.questions as u64),
            count(estimate.chunks as u64)
        ),
    );
    if estimate.failed > 0 {
        say(
            "",
            &format!(
                "retrieval failed for {}: they are asked nothing",
                count(estimate.failed as u64)
            ),
        );
    }
    say("Generator", generator);
    if let Some(stand_in) = stand_in {
        say("! estimate", stand_in);
    }
    if !estimate.arms.is_empty() {
        out.push('\n');
        out.push_str(&arms(estimate));
        out.push('\n');
        for (label, text) in figures(view) {
            out.push_str(&wrapped(&format!("{label:<18} "), &text));
        }
    }
    out.push_str(&leaves(&view.sent));
    out
}

fn arms(estimate: &Estimate) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "arm",
        "prompts",
        "from the cache",
        "as an arm before",
        "calls",
        "prompt tokens",
    ]);
    let mut row = |name: &str, figures: [u64; 5]| {
        table.add_row([name.to_owned()].into_iter().chain(figures.map(count)));
    };
    let mut sum = [0; 5];
    for arm in &estimate.arms {
        let figures = [
            arm.questions,
            arm.cached,
            arm.same_prompt,
            arm.calls,
            arm.prompt_tokens,
        ];
        sum.iter_mut()
            .zip(figures)
            .for_each(|(sum, figure)| *sum += figure);
        row(arm.arm.name(), figures);
    }
    row("all", sum);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
        .to_string()
        .lines()
        .fold(String::new(), |out, line| out + line.trim_end() + "\n")
}

/// Tokens, cost, time and limits, by label.
fn figures(view: &EstimateView) -> Vec<(&'static str, String)> {
    let EstimateView {
        estimate,
        max_tokens,
        is_priced,
        ..
    } = view;
    let (kept, calls) = (&estimate.kept, estimate.calls);
    let mut lines = vec![(
        "Prompt tokens",
        format!("{} (cl100k_base), counted", count(estimate.prompt_tokens)),
    )];
    let most = format!(
        "at most {} ({max_tokens} a call)",
        count(estimate.completion_tokens.most)
    );
    lines.push((
        "Answer tokens",
        match estimate.completion_tokens.expected {
            Some(expected) => format!(
                "{most}, {} expected ({:.1} a call, the mean of {})",
                count(expected),
                kept.mean_completion_tokens,
                kept_replies(kept.replies)
            ),
            None => most,
        },
    ));
    let usd = &estimate.cost_usd;
    lines.push((
        "Cost",
        match usd.expected {
            _ if !is_priced => "unknown: `generation.price` is not set".to_owned(),
            Some(expected) => format!("${expected:.4} expected, ${:.4} at most", usd.most),
            None => format!("${:.4} at most", usd.most),
        },
    ));
    let Seconds {
        concurrency,
        in_work,
        expected,
        at_one_a_call,
    } = estimate.seconds;
    lines.push((
        "Time",
        match expected {
            Some(expected) => format!(
                "{} for {}, {:.2} s each (the mean of {}), {in_work} questions in work",
                time(expected),
                counted(calls, "call"),
                kept.mean_seconds,
                kept_replies(kept.replies)
            ),
            None => format!(
                "unknown; {} if each of {} takes 1 s, {concurrency} at once",
                time(at_one_a_call),
                counted(calls, "call")
            ),
        },
    ));
    if let Some(stop) = estimate.stop {
        let (after, of) = (
            count(stop.after_questions as u64),
            count(estimate.questions as u64),
        );
        lines.push((
            "! limit",
            format!(
                "`{}` = {} would stop the run after about {after} of {of} questions",
                stop.setting, stop.limit
            ),
        ));
    }
    lines
}

fn kept_replies(n: u64) -> String {
    format!("{} kept repl{}", count(n), if n == 1 { "y" } else { "ies" })
}

/// Seconds as people say them.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

fn leaves(sent: &[Sending]) -> String {
    let mut out = String::new();
    let sentence = |out: &mut String, label: &str, text: &str| {
        let _ = write!(out, "{}", wrapped(&format!("{label:<18} "), text));
    };
    let elsewhere: Vec<&Sending> = sent.iter().filter(|sending| !sending.here).collect();
    if elsewhere.is_empty() {
        sentence(&mut out, "Leaves the machine", "nothing");
    }
    for (at, sending) in elsewhere.into_iter().enumerate() {
        sentence(
            &mut out,
            if at == 0 { "Leaves the machine" } else { "" },
            &sending.told(),
        );
    }
    for (at, sending) in sent.iter().filter(|sending| sending.here).enumerate() {
        sentence(
            &mut out,
            if at == 0 { "Stays on it" } else { "" },
            &sending.told(),
        );
    }
    out
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
            sending.told(),
            "4,312 passages and 1 question go to https://h/v1 (generator)"
        );
        let vectors = Sending {
            texts: false,
            exact: false,
            passages: 1,
            ..sending
        };
        let expected = "up to the vectors, ids and metadata (no text) of 1 passage and 1 question go to https://h/v1 (generator)";
        assert_eq!(vectors.told(), expected);
    }

    #[test]
    fn times_change_their_unit() {
        let all = [
            (0.4, "0 s"),
            (99.0, "99 s"),
            (100.0, "2 min"),
            (3600.0, "60 min"),
            (9000.0, "2.5 h"),
        ];
        assert!(
            all.into_iter()
                .all(|(seconds, expected)| time(seconds) == expected)
        );
    }
}
