//! The gain that the loss budget predicted next to the actual one, stage by stage.

use crate::document::Table;
use ragtriage_core::text::numbers::plural;
use ragtriage_eval::compare::predicted::{Gain, Predicted, StageGain};

/// The table; `label` is the compared run's.
pub(super) fn section(predicted: &Predicted, label: &str) -> Table {
    let n = predicted.n;
    let mut table = Table::new(
        format!(
            "Gain predicted by A's loss budget, and actual gain (answer score, mean over {n} questions)"
        ),
        &["stage", "brought back", "newly lost", "predicted", "actual", "95% CI"],
    );
    for StageGain { stage, brought_back, newly_lost, gain } in &predicted.stages {
        table.row(row(stage.name(), *brought_back, *newly_lost, gain));
    }
    if predicted.stages.len() > 1 {
        let back = predicted.stages.iter().map(|stage| stage.brought_back).sum();
        let lost = predicted.stages.iter().map(|stage| stage.newly_lost).sum();
        table.row(row("all", back, lost, &predicted.total));
    }
    table.notes.extend(predicted.stages.iter().map(|stage| sentence(stage, label)));
    table.notes.push(format!(
        "predicted: what the stage had lost of the questions that A lost there and {label} delivers, less what it loses of those \
         that only {label} loses there; a larger prompt distracts more, which is not in it"
    ));
    table
}

fn row(name: &str, back: usize, lost: usize, gain: &Gain) -> [String; 6] {
    let ci95 = gain.ci95.map_or(String::new(), |ci| format!("[{:+.3}, {:+.3}]", ci.low, ci.high));
    [
        name.to_owned(),
        back.to_string(),
        lost.to_string(),
        format!("{:+.3}", gain.predicted),
        format!("{:+.3}", gain.came_in),
        ci95,
    ]
}

fn sentence(stage: &StageGain, label: &str) -> String {
    let StageGain { stage, brought_back, newly_lost, gain } = stage;
    let name = stage.name();
    let whom = match (brought_back, newly_lost) {
        (back, 0) => format!(
            "the {} that {name} lost and {label} delivers",
            plural(*back, "question", "questions")
        ),
        (0, lost) => format!(
            "the {} that A delivered and {name} loses in {label}",
            plural(*lost, "question", "questions")
        ),
        (back, lost) => {
            format!(
                "the {} that {name} lost and {label} delivers, and {} the other way",
                plural(*back, "question", "questions"),
                lost
            )
        }
    };
    let ci95 = gain.ci95.map_or(String::new(), |ci| format!(" [{:.3}, {:.3}]", ci.low, ci.high));
    let whose = if *brought_back > 0 { "A's" } else { "the" };
    format!(
        "{whose} loss budget predicted {:+.3} for {whom}; actual: {:+.3}{ci95}",
        gain.predicted, gain.came_in
    )
}
