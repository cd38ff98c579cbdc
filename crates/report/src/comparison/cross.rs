//! A crossed comparison as tables: the four cells, the effects and the repeat noise.

use crate::document::Table;
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::text::numbers::{percent_of, percents, plural};
use ragtriage_eval::compare::cross::{Cross, Effect, Noise, NoiseSource};
use ragtriage_eval::compare::p_text;

/// Half the width of a 95% CI, in standard errors.
const REACH: f64 = 1.959_963_984_540_054;

/// The tables; `label` is the compared run's.
pub(super) fn sections(cross: &Cross, label: &str) -> Vec<Table> {
    vec![cells(cross, label), effects(cross, label)]
}

fn cells(cross: &Cross, label: &str) -> Table {
    let mut table = Table::new(
        format!(
            "Both runs' passages through both generators (mean answer score, {} questions)",
            cross.n
        ),
        &["", "A's generator", &format!("{label}'s generator")],
    );
    for (whose, means) in ["A", label].iter().zip(cross.cells) {
        let cells = means.map(|mean| format!("{mean:.3}"));
        table.row([format!("{whose}'s passages")].into_iter().chain(cells));
    }
    let asked = &cross.asked;
    table.notes.push(format!(
        "{} crossed answers were recorded by the runs; asked now: {} calls, {} cached responses, {} failed; {} tokens in, \
         {} out, {:.4} US dollars",
        cross.recorded, asked.calls, asked.cached, asked.failed, asked.prompt, asked.completion, asked.cost_usd
    ));
    if cross.same_passages > 0 {
        table.notes.push(format!(
            "both runs packed the same passages for {}",
            plural(cross.same_passages, "question", "questions")
        ));
    }
    if cross.failed > 0 {
        table.notes.push(format!(
            "{} left out: a crossed call failed",
            plural(cross.failed, "question", "questions")
        ));
    }
    table
}

fn effects(cross: &Cross, label: &str) -> Table {
    let mut table = Table::new(
        format!("Effects of retrieval and generator, A to {label} (answer score)"),
        &["", "mean", "95% CI", "p", "repeat noise alone, 95% CI"],
    );
    let two = adding_up(&[cross.retrieval.mean, cross.generator.mean], 3);
    let rows = [
        ("retrieval", &cross.retrieval, two[0]),
        ("generator", &cross.generator, two[1]),
        ("both", &cross.difference, cross.difference.mean),
        ("interaction", &cross.interaction, cross.interaction.mean),
    ];
    for (name, effect, mean) in rows {
        table.row(row(name, effect, mean));
    }
    table.notes.push(
        "retrieval and generator: the mean effect of changing it first and changing it last (Shapley values), which add up to the whole difference; half of the interaction is in each; p: paired randomisation test over clusters, unadjusted; intervals: what this test does not reject"
            .to_owned(),
    );
    for (at, noise) in cross.noise.iter().enumerate() {
        let whose = match (cross.same_generator, at) {
            (true, _) => "the generator".to_owned(),
            (false, 0) => "A's generator".to_owned(),
            (false, _) => format!("{label}'s generator"),
        };
        table.notes.push(noise.as_ref().map_or_else(
            || format!("repeat noise of {whose} is unknown: no prompt was repeated"),
            |noise| noise_note(&whose, noise),
        ));
    }
    table
}

fn row(name: &str, effect: &Effect, mean: f64) -> Vec<String> {
    vec![
        name.to_owned(),
        format!("{mean:+.3}"),
        effect.ci95.map_or(String::new(), |ci| format!("[{:+.3}, {:+.3}]", ci.low, ci.high)),
        effect.p.map_or(String::new(), p_text),
        effect
            .noise_error
            .map_or("not known".to_owned(), |error| format!("+-{:.3}", REACH * error)),
    ]
}

fn noise_note(whose: &str, noise: &Noise) -> String {
    let Noise { source, n, flipped, ci95, mean_change, variance: _ } = noise;
    let what = match source {
        NoiseSource::Recorded => format!("{whose} answered {n} prompts several times in the runs"),
        NoiseSource::AskedAgain => format!("{whose} answered {n} of its own prompts once more"),
    };
    let ci95 = ci95.map_or(String::new(), |ci| format!(" {}", percents(ci)));
    let rate = percent_of(*flipped, *n);
    format!(
        "{what}: {flipped} flipped between right and wrong ({rate}{ci95}), a score changed by {mean_change:.3} on average"
    )
}
