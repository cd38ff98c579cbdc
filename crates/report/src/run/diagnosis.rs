//! Tables under a verdict: failure modes, slices.

use crate::document::Table;
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::Mode;
use ragtriage_eval::cuts::{FEW, Slice, SliceGroup};
use ragtriage_eval::modes::{ClassModes, ModeShares, Seen};
use ragtriage_eval::summary::{MeasureSummary, Summary};
use ragtriage_runs::SavedRun;

/// Slices shown by each criterion; `summary.json` has more.
const SLICES_SHOWN: usize = 12;

/// Evidence groups whose loss a report counts, the most frequent.
const EVIDENCE_SHOWN: usize = 3;

/// A column of the slices' table: its title and its measure.
type SliceColumn<'a> = (&'a str, fn(&Slice) -> &MeasureSummary);

/// The tables that have a row.
pub(super) fn diagnosis(run: &SavedRun, summary: &Summary) -> Vec<Table> {
    let em = if run.manifest.is_foreign() {
        "EM@prompt".to_owned()
    } else {
        format!("EM@{}", summary.two_by_two.k)
    };
    let tables = [modes(&summary.modes), cuts(&summary.cuts, &em)];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn modes(classes: &[ClassModes]) -> Table {
    let mut table = Table::new(
        "Failure modes (questions lost at a stage, compared with those that passed it)",
        &["lost at: mode", "of the lost", "of the passed", "difference in points, 95% CI", ""],
    );
    let mut shown: Vec<Mode> = Vec::new();
    for class in classes {
        for row in class.modes.iter().filter(|row| row.lost.count > 0) {
            table.row(mode_row(class, row));
            shown.push(row.mode);
        }
    }
    let compared =
        classes.iter().flat_map(|class| &class.modes).filter(|row| row.difference_ci95.is_some());
    table.notes = Mode::ALL
        .iter()
        .filter(|mode| shown.contains(mode))
        .map(|mode| format!("{mode}: {}", mode.meaning()))
        .collect();
    table.notes.push(format!(
        "passed: questions that the same stage did not lose (for generation, those answered right); *: the 95% CI of the \
         difference excludes 0, which about 5% of the {} differences do by chance",
        compared.count()
    ));
    table
}

fn mode_row(class: &ClassModes, row: &ModeShares) -> Vec<String> {
    let difference = row.passed.as_ref().zip(row.difference_ci95).map(|(passed, ci)| {
        // Rounded before 0.0 is added, so that no zero is shown below zero.
        let [points, low, high] = [row.lost.share - passed.share, ci.low, ci.high]
            .map(|share| (1000.0 * share).round() / 10.0 + 0.0);
        let star = if row.differs { "*" } else { "" };
        format!("{star} {points:+.1} [{low:+.1}, {high:+.1}]")
    });
    vec![
        format!("{}: {}", class.class, row.mode),
        seen(&row.lost),
        row.passed.as_ref().map(seen).unwrap_or_default(),
        difference.unwrap_or_default(),
        detail(row),
    ]
}

fn seen(seen: &Seen) -> String {
    format!("{}/{} {:>5.1}%", thousands(seen.count), thousands(seen.n), 100.0 * seen.share)
}

fn detail(row: &ModeShares) -> String {
    if let Some(n) = row.distinct_support {
        return format!("k distinct ones support {}", thousands(n));
    }
    let mut missing: Vec<(&usize, &usize)> = row.missing.iter().collect();
    missing.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    missing.truncate(EVIDENCE_SHOWN);
    let missing: Vec<String> =
        missing.into_iter().map(|(group, n)| format!("{group} in {}", thousands(*n))).collect();
    if missing.is_empty() { String::new() } else { format!("missing {}", missing.join(", ")) }
}

fn cuts(cuts: &[SliceGroup], em: &str) -> Table {
    let parts: Vec<(&SliceGroup, &Slice)> = cuts
        .iter()
        .flat_map(|cut| cut.parts.iter().take(SLICES_SHOWN).map(move |part| (cut, part)))
        .collect();
    let columns: [SliceColumn<'_>; 4] = [
        (em, |part| &part.em),
        ("in the prompt", |part| &part.supported),
        ("right", |part| &part.right),
        ("AnswerF1", |part| &part.answer_f1),
    ];
    // Without a generator nothing is right or wrong.
    let shown = columns.iter().filter(|(_, of)| parts.iter().any(|(_, part)| of(part).n > 0));
    let shown: Vec<&SliceColumn<'_>> = shown.collect();
    let head = ["", "n"]
        .into_iter()
        .chain(shown.iter().map(|(name, _)| *name))
        .chain(["most frequent loss"]);
    let mut table = Table::new("Slices (share or mean, 95% CI)", &head.collect::<Vec<_>>());
    for (cut, part) in &parts {
        let name = label(&format!("{}: {}", cut.by.name(), part.value), part.rough);
        let mostly =
            part.mostly.map_or(String::new(), |(class, n)| format!("{class} {}", thousands(n)));
        let figures = shown.iter().map(|(_, of)| cell(of(part)));
        table.row([name, thousands(part.n)].into_iter().chain(figures).chain([mostly]));
    }
    for cut in cuts.iter().filter(|cut| cut.parts.len() > SLICES_SHOWN) {
        table.notes.push(format!(
            "{} slices by {}; the first {SLICES_SHOWN} are shown",
            cut.parts.len(),
            cut.by.name()
        ));
    }
    table.notes.push(format!(
        "exploratory: with {} slices, about 5% of the intervals miss by chance; confirm findings on other questions",
        thousands(parts.len())
    ));
    table.notes.extend(few(parts.iter().any(|(_, part)| part.rough)));
    table
}

fn cell(measure: &MeasureSummary) -> String {
    let interval =
        measure.ci95.map_or(String::new(), |ci| format!(" {:.2}-{:.2}", ci.low, ci.high));
    if measure.n == 0 { String::new() } else { format!("{:.2}{interval}", measure.mean) }
}

fn label(name: &str, is_rough: bool) -> String {
    if is_rough { format!("{name} ~") } else { name.to_owned() }
}

fn few(any: bool) -> Option<String> {
    any.then(|| format!("~ fewer than {FEW} questions: rough"))
}
