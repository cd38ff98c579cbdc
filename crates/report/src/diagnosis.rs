//! What lies under a verdict, as tables: failure modes, the place of the support in the prompt, cuts.

use super::section::Section;
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::Mode;
use ragtriage_eval::cuts::{FEW, Slice, SliceGroup};
use ragtriage_eval::modes::{ClassModes, ModeShares, Seen};
use ragtriage_eval::positions::PositionRow;
use ragtriage_eval::summary::{MeasureSummary, Summary};
use ragtriage_runs::SavedRun;

/// Parts of a cut that a report shows; more stand in `summary.json`.
const PARTS_SHOWN: usize = 12;

/// Evidence groups whose loss a report counts, the most frequent.
const EVIDENCE_SHOWN: usize = 3;

/// A column of the cuts' table: its head, and what stands in it.
type Column<'a> = (&'a str, fn(&Slice) -> &MeasureSummary);

/// The tables that have a row.
pub(super) fn sections(run: &SavedRun, summary: &Summary) -> Vec<Section> {
    let em = match run.manifest.external {
        Some(_) => "EM@prompt".to_owned(),
        None => format!("EM@{}", summary.two_by_two.k),
    };
    let sections = [
        modes(&summary.modes),
        positions(&summary.positions),
        cuts(&summary.cuts, &em),
    ];
    sections
        .into_iter()
        .filter(|section| !section.rows.is_empty())
        .collect()
}

fn modes(classes: &[ClassModes]) -> Section {
    let mut section = Section::new(
        "Failure modes (of the questions lost at a stage, beside those that passed it)",
        &[
            "lost at: mode",
            "of the lost",
            "of the passed",
            "difference, points",
            "",
        ],
    );
    let mut shown: Vec<Mode> = Vec::new();
    for class in classes {
        for row in class.modes.iter().filter(|row| row.lost.count > 0) {
            section.rows.push(mode_row(class, row));
            shown.push(row.mode);
        }
    }
    let compared = classes
        .iter()
        .flat_map(|class| &class.modes)
        .filter(|row| row.difference_ci95.is_some());
    let meaning = |mode: &Mode| format!("{mode}: {}", mode.meaning());
    section.notes = Mode::ALL
        .iter()
        .filter(|mode| shown.contains(mode))
        .map(meaning)
        .collect();
    section.notes.push(format!(
        "passed: the questions that the same stage did not lose (for generation, those answered right); * the 95 % interval of the \
         difference excludes 0, as it does by chance for one of 20 differences, of which there are {}",
        compared.count()
    ));
    section
}

fn mode_row(class: &ClassModes, row: &ModeShares) -> Vec<String> {
    let seen = |seen: &Seen| {
        format!(
            "{}/{}  {:>5.1} %",
            thousands(seen.count),
            thousands(seen.n),
            100.0 * seen.share
        )
    };
    let difference = row
        .passed
        .as_ref()
        .zip(row.difference_ci95)
        .map(|(passed, ci)| {
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

fn detail(row: &ModeShares) -> String {
    if let Some(n) = row.distinct_support {
        return format!("k distinct ones support {}", thousands(n));
    }
    let mut missing: Vec<(&usize, &usize)> = row.missing.iter().collect();
    missing.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    missing.truncate(EVIDENCE_SHOWN);
    let missing: Vec<String> = missing
        .into_iter()
        .map(|(group, n)| format!("{group} in {}", thousands(*n)))
        .collect();
    if missing.is_empty() {
        String::new()
    } else {
        format!("missing {}", missing.join(", "))
    }
}

fn positions(rows: &[PositionRow]) -> Section {
    let mut section = Section::new(
        "Answers by the place in the prompt of the last passage needed (questions whose support was in the prompt)",
        &["place", "n", "right", "AnswerF1"],
    );
    let row = |row: &PositionRow| {
        vec![
            label(&row.position, row.rough),
            thousands(row.n),
            cell(&row.right),
            cell(&row.answer_f1),
        ]
    };
    section.rows = rows.iter().map(row).collect();
    section.notes.extend(few(rows.iter().any(|row| row.rough)));
    section
}

fn cuts(cuts: &[SliceGroup], em: &str) -> Section {
    let parts: Vec<(&SliceGroup, &Slice)> = cuts
        .iter()
        .flat_map(|cut| {
            cut.parts
                .iter()
                .take(PARTS_SHOWN)
                .map(move |part| (cut, part))
        })
        .collect();
    let columns: [Column<'_>; 4] = [
        (em, |part| &part.em),
        ("in the prompt", |part| &part.supported),
        ("right", |part| &part.right),
        ("AnswerF1", |part| &part.answer_f1),
    ];
    // Without a generator nothing is right or wrong.
    let shown = columns
        .iter()
        .filter(|(_, of)| parts.iter().any(|(_, part)| of(part).n > 0));
    let shown: Vec<&Column<'_>> = shown.collect();
    let head = ["", "n"]
        .into_iter()
        .chain(shown.iter().map(|(name, _)| *name))
        .chain(["mostly lost by"]);
    let mut section = Section::new(
        "Cuts (share or mean, 95 % interval)",
        &head.collect::<Vec<_>>(),
    );
    for (cut, part) in &parts {
        let name = label(&format!("{}: {}", cut.by.name(), part.value), part.rough);
        let mostly = part.mostly.map_or(String::new(), |(class, n)| {
            format!("{class} {}", thousands(n))
        });
        let figures = shown.iter().map(|(_, of)| cell(of(part)));
        section.rows.push(
            [name, thousands(part.n)]
                .into_iter()
                .chain(figures)
                .chain([mostly])
                .collect(),
        );
    }
    for cut in cuts.iter().filter(|cut| cut.parts.len() > PARTS_SHOWN) {
        section.notes.push(format!(
            "of {} parts by {} the first {PARTS_SHOWN} are shown",
            cut.parts.len(),
            cut.by.name()
        ));
    }
    section.notes.push(format!(
        "for exploring: of 20 intervals one misses by chance, and there are {} parts here; confirm on other questions what stands out",
        thousands(parts.len())
    ));
    section
        .notes
        .extend(few(parts.iter().any(|(_, part)| part.rough)));
    section
}

fn cell(measure: &MeasureSummary) -> String {
    let interval = measure
        .ci95
        .map_or(String::new(), |ci| format!(" {:.2}-{:.2}", ci.low, ci.high));
    if measure.n == 0 {
        String::new()
    } else {
        format!("{:.2}{interval}", measure.mean)
    }
}

fn label(name: &str, is_rough: bool) -> String {
    if is_rough {
        format!("{name} ~")
    } else {
        name.to_owned()
    }
}

fn few(any: bool) -> Option<String> {
    any.then(|| format!("~ fewer than {FEW} questions: rough"))
}
