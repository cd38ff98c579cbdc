//! The report of a comparison. The HTML page takes its parts.

use ragtriage_core::measure::Cutoff;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::compare::answers::{Contingency, Flip, FlipGroup, JudgedBy, Turn};
use ragtriage_eval::compare::differences::MeasureDifference;
use ragtriage_eval::compare::pairs::QuestionCounts;
use ragtriage_eval::compare::{Comparison, PairComparison, RunHead, p_text};

use crate::document::{Element, Entry, Fact, Report, Table};
use crate::few_clusters;
use crate::run::plain;

/// Most characters of a text that data gave, of an id, of a question, of a setting's name, and of its value: one line each.
const TEXT: usize = 90;
const ID: usize = 30;
const QUESTION: usize = 68;
const SETTING: usize = 40;
const VALUE: usize = 36;

/// The columns of the measures' table; A and B are the runs compared.
const COLUMNS: [&str; 9] = ["measure", "n", "A", "B", "delta", "95% CI", "p", "MDE", "W/T/L"];

/// Flipped questions of each group that a report shows.
const FLIPS: usize = 3;

/// Lays a comparison out; measures at `every_cutoff`, else what was packed by the baseline, what stood in the prompt, and whole
/// rankings.
#[must_use]
pub fn report(comparison: &Comparison, every_cutoff: bool) -> Report {
    let mut report = Report::new("ragtriage: comparison");
    let verdicts = verdicts(comparison).map(|verdict| Element::Verdict(verdict.to_string()));
    report.elements.extend(verdicts);
    report.facts(runs(comparison).iter().map(short).collect());
    for pair in &comparison.pairs {
        report.heading(title(comparison, pair));
        report.warnings(&notices(pair));
        report.table(changes(pair));
        report.table(measures(comparison, pair, every_cutoff));
        if let Some(found) = &pair.agreement {
            report.table(agreement(found, pair));
        }
        flips(pair, &mut report);
    }
    report.heading("How to read it");
    report.list(legend(comparison));
    report
}

/// Returns each compared run with its verdict.
pub(crate) fn verdicts(comparison: &Comparison) -> impl Iterator<Item = Fact> {
    comparison.pairs.iter().map(|pair| Fact::new(&*pair.run.label, &*pair.verdict))
}

/// Returns each run with its description, the baseline first.
pub(crate) fn runs(comparison: &Comparison) -> Vec<Fact> {
    let others = comparison.pairs.iter().map(|pair| describe(&pair.run, ""));
    [describe(&comparison.baseline, ", the baseline")].into_iter().chain(others).collect()
}

fn describe(head: &RunHead, role: &str) -> Fact {
    let n = head.n_questions;
    Fact::new(&*head.label, format!("{}{role}: {n} questions, {}", head.name, head.started))
}

/// Returns explanations of the table of measures.
pub(crate) fn legend(comparison: &Comparison) -> Vec<String> {
    let mut legend = vec![
        "delta: the run minus A over the n questions that both have; p: paired randomisation test, clusters of questions that \
         share gold evidence flipped together; 95% CI: the differences that this test does not reject, so it excludes 0 exactly \
         where p < 0.05 (medians have none); MDE: minimum detectable effect at 80% power; W/T/L: questions on which the run is better, equal, worse"
            .to_owned(),
    ];
    if let Some(primary) = comparison.primary {
        let n = comparison.pairs.len();
        let adjusted = if n > 1 {
            format!("; its p are Holm-adjusted over the {n} compared runs")
        } else {
            String::new()
        };
        legend.push(format!(
            "* {primary} is the primary metric{adjusted}. Every other p is unadjusted and exploratory"
        ));
    }
    legend
}

/// Names who is compared, over how many questions.
pub(crate) fn title(comparison: &Comparison, pair: &PairComparison) -> String {
    let baseline = &comparison.baseline;
    format!(
        "{} ({}) against {} ({}): {}, {}",
        pair.run.label,
        pair.run.name,
        baseline.label,
        baseline.name,
        plural(pair.questions.compared, "question", "questions"),
        plural(pair.questions.n_clusters, "cluster", "clusters")
    )
}

/// Returns the warnings about a pair.
pub(crate) fn notices(pair: &PairComparison) -> Vec<String> {
    let questions = &pair.questions;
    let label = &pair.run.label;
    let mut notices = Vec::new();
    let left_out = [
        (questions.only_baseline, "only in A"),
        (questions.only_run, &*format!("only in {label}")),
        (questions.other_text, "with the same id and different texts"),
    ];
    let left_out = left_out.iter().filter(|(n, _)| *n > 0);
    let left_out: Vec<String> = left_out.map(|(n, why)| format!("{n} {why}")).collect();
    if !left_out.is_empty() {
        notices.push(format!(
            "compared over the questions that both ask; left out: {}",
            left_out.join(", ")
        ));
    }
    if questions.failed > 0 {
        let n = plural(questions.failed, "question was", "questions were");
        notices.push(format!("{n} left out: failed in one run or both"));
    }
    if pair.changes.iter().any(|change| change.what.starts_with("evaluation.")) {
        notices.push("evaluation settings differ: both runs are scored with those of A".to_owned());
    }
    if questions.other_gold > 0 {
        let n = plural(questions.other_gold, "question has", "questions have");
        notices.push(format!(
            "{n} different gold answers in the two runs, and each run is scored with its own: labels may cause part of a difference"
        ));
    }
    notices.extend(few_clusters::warning(
        questions.compared,
        questions.n_clusters,
        questions.largest_cluster,
    ));
    notices
}

/// The settings that differ between two runs.
pub(crate) fn changes(pair: &PairComparison) -> Table {
    let label = &*pair.run.label;
    let mut table = Table::of_text(format!("Differences from A to {label}"), &["", "A", label]);
    for change in &pair.changes {
        table.row([
            shortened(&change.what, SETTING),
            shortened(&setting_text(&change.baseline), VALUE),
            shortened(&setting_text(&change.run), VALUE),
        ]);
    }
    if pair.changes.is_empty() {
        let same = "nothing: configuration, data, versions and models are equal";
        table.notes.push(same.to_owned());
    }
    table
}

fn setting_text(value: &serde_json::Value) -> String {
    match plain(value) {
        text if value.is_null() || text.is_empty() => "(none)".to_owned(),
        text => text,
    }
}

/// The measures on which some question differs, and the names of the others.
pub(crate) fn measures(
    comparison: &Comparison,
    pair: &PairComparison,
    every_cutoff: bool,
) -> Table {
    let label = &*pair.run.label;
    let columns = COLUMNS.map(|column| if column == "B" { label } else { column });
    let mut table = Table::new(format!("Measures, A to {label}"), &columns);
    let (mut same, mut undefined, mut n_hidden) = (Vec::new(), Vec::new(), 0);
    for found in &pair.measures {
        let is_primary = is_primary(found, comparison);
        if !fits(found, comparison, every_cutoff) {
            n_hidden += 1;
        } else if is_primary || found.n > 0 && found.wins + found.losses > 0 {
            table.row(cells(found, is_primary));
        } else if found.n > 0 {
            same.push(found.measure.to_string());
        } else {
            undefined.push(found.measure.to_string());
        }
    }
    for (what, names) in
        [("equal on every question", same), ("in neither run or only one", undefined)]
    {
        if !names.is_empty() {
            table.notes.push(format!("{what}: {}", names.join(", ")));
        }
    }
    if n_hidden > 0 {
        table.notes.push(format!("{n_hidden} more at other cutoffs"));
    }
    table
}

fn is_primary(found: &MeasureDifference, comparison: &Comparison) -> bool {
    Some(found.measure) == comparison.primary.map(Into::into)
}

fn fits(found: &MeasureDifference, comparison: &Comparison, every_cutoff: bool) -> bool {
    match found.measure.cutoff() {
        Some(Cutoff::Top(k)) => k == comparison.k || every_cutoff || is_primary(found, comparison),
        Some(Cutoff::Tokens(_) | Cutoff::Prompt) | None => true,
    }
}

fn cells(found: &MeasureDifference, is_primary: bool) -> [String; COLUMNS.len()] {
    let mark = if is_primary { "* " } else { "" };
    [
        format!("{mark}{}", found.measure),
        found.n.to_string(),
        format!("{:.3}", found.baseline),
        format!("{:.3}", found.run),
        format!("{:+.3}", found.delta),
        found.ci95.map_or_else(dash, |ci| format!("[{:+.3}, {:+.3}]", ci.low, ci.high)),
        found.p_holm.or(found.p).map_or_else(dash, p_text),
        found.detectable_text().unwrap_or_else(dash),
        format!("{}/{}/{}", found.wins, found.ties, found.losses),
    ]
}

fn dash() -> String {
    "-".to_owned()
}

/// Returns what is judged, over how many questions.
pub(crate) fn agreement_title(found: &Contingency) -> String {
    let title = match found.of {
        JudgedBy::Answer => "Answers",
        JudgedBy::Support => "Support in the prompt",
    };
    format!("{title} ({} judged in both)", plural(found.n, "question", "questions"))
}

/// Returns the words for good and not good.
pub(crate) fn states(found: &Contingency) -> [&'static str; 2] {
    match found.of {
        JudgedBy::Answer => ["right", "wrong"],
        JudgedBy::Support => ["there", "not there"],
    }
}

/// Returns the 2 x 2 table. Rows: the baseline good and not; columns: the run good and not.
pub(crate) fn counts(found: &Contingency) -> [[usize; 2]; 2] {
    [[found.both, found.only_baseline], [found.only_run, found.neither]]
}

/// Describes `McNemar`'s test.
pub(crate) fn mcnemar(found: &Contingency, questions: QuestionCounts) -> String {
    let clustered = questions.n_clusters < questions.compared;
    let caveat = if clustered {
        " (the test takes questions as independent, but some share gold evidence)"
    } else {
        ""
    };
    format!("McNemar's exact p: {}{caveat}", p_text(found.p))
}

fn agreement(found: &Contingency, pair: &PairComparison) -> Table {
    let states = states(found);
    let [good, bad] = states.map(|state| format!("{} {state}", pair.run.label));
    let mut table = Table::new(agreement_title(found), &["", &good, &bad]);
    for (state, counts) in states.iter().zip(counts(found)) {
        let counts = counts.map(|count| count.to_string());
        table.row([format!("A {state}")].into_iter().chain(counts));
    }
    table.notes.push(mcnemar(found, pair.questions));
    table
}

/// Returns a turn's name in an address.
pub(crate) fn turn_name(turn: Turn) -> &'static str {
    match turn {
        Turn::Lost => "lost",
        Turn::Gained => "gained",
        Turn::Moved => "moved",
    }
}

fn flips(pair: &PairComparison, report: &mut Report) {
    let n: usize = pair.flips.iter().map(|group| group.questions.len()).sum();
    if n > 0 {
        let n = plural(n, "question", "questions");
        report.heading(format!("Flipped from A to {}: {n}", pair.run.label));
    }
    for FlipGroup { turn, from, to, questions } in &pair.flips {
        let turn = match turn {
            Turn::Moved => "lost at another stage",
            other => turn_name(*other),
        };
        let title = format!("{turn}: {from} -> {to} ({})", questions.len());
        report.elements.push(Element::Heading(3, title));
        let shown = questions.iter().take(FLIPS);
        report.entries(shown.map(|flip| entry(flip, &pair.run.label)).collect());
        if questions.len() > FLIPS {
            report.list(vec![format!("{} more", questions.len() - FLIPS)]);
        }
    }
}

/// Shows a flipped question with its gold answer and both answers.
fn entry(flip: &Flip, label: &str) -> Entry {
    let gold = Some(&flip.gold).filter(|gold| !gold.is_empty());
    let texts = [("gold", gold), ("A", flip.baseline.as_ref()), (label, flip.run.as_ref())];
    let facts = texts.into_iter().filter_map(|(what, text)| Some(Fact::new(what, &**text?)));
    let id = shortened(flip.id.as_str(), ID);
    Entry {
        title: format!("{id}: {}", shortened(&flip.question, QUESTION)),
        facts: facts.map(|fact| short(&fact)).collect(),
    }
}

fn short(fact: &Fact) -> Fact {
    Fact::new(&*fact.label, shortened(&fact.text, TEXT))
}
