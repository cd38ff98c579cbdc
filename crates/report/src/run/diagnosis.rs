//! The table of slices.

use crate::document::Table;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::cuts::{FEW, Slice, SliceGroup};
use ragtriage_eval::summary::{MeasureSummary, Summary};
use ragtriage_runs::SavedRun;

/// Slices shown by each criterion; `summary.json` has more.
const SLICES_SHOWN: usize = 12;

/// A column of the slices' table: its title and its measure.
type SliceColumn<'a> = (&'a str, fn(&Slice) -> &MeasureSummary);

/// The slices; `None` where nothing separates the questions.
pub(super) fn diagnosis(run: &SavedRun, summary: &Summary) -> Option<Table> {
    let em = if run.manifest.is_foreign() {
        "EM@prompt".to_owned()
    } else {
        format!("EM@{}", summary.two_by_two.k)
    };
    Some(cuts(&summary.cuts, &em)).filter(|table| !table.rows.is_empty())
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
