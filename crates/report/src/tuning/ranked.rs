//! The table of settings, best first: ready cells of those that are shown, and what is said of the others.

use super::Found;
use super::keys::{pairs, plain, short_names};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::Interval;
use ragtriage_eval::compare::{LEVEL, p_text};
use ragtriage_eval::tuning::{RankedTrial, TrialRanking, TuningPlan};

/// Rows shown, besides the default's, the winner's and those that differ from the default beyond chance.
const SHOWN: usize = 20;
/// Settings that failed, of which the error is shown.
const SHOWN_FAILED: usize = 5;
/// Characters of a value, and of an error.
const VALUE: usize = 24;
const ERROR: usize = 200;

/// The columns of the two views.
pub(super) const EQUAL_K: &str = "equal k";
pub(super) const EQUAL_TOKENS: &str = "equal tokens";
/// The column of the mean tokens of what a setting packs itself.
pub(super) const PACKED: &str = "packed";
/// The columns of figures.
const FIGURES: [&str; 8] = [
    "score",
    "95 %",
    "delta",
    "95 %",
    "max-T p",
    EQUAL_K,
    EQUAL_TOKENS,
    PACKED,
];

/// The ranked settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// What they are ranked by, over how many questions.
    pub title: String,
    /// The varied settings, by their short names.
    pub keys: Vec<String>,
    /// The columns of figures.
    pub figures: Vec<&'static str>,
    /// Those that are shown.
    pub rows: Vec<RankedRow>,
    /// What is said of those that are not, and of those that failed.
    pub rest: Vec<String>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedRow {
    /// From 1.
    pub rank: usize,
    /// `>` the winner, `^` on the front, `=` the default.
    pub marks: String,
    /// Its name.
    pub name: String,
    /// Parallel to [`Ranked::keys`].
    pub values: Vec<String>,
    /// All of them in one text.
    pub pairs: String,
    /// Parallel to [`Ranked::figures`].
    pub figures: Vec<String>,
}

impl Ranked {
    /// The table of what was found.
    pub(super) fn new(found: &Found) -> Self {
        let is_told = |row: &RankedTrial| {
            let differs = row
                .difference
                .is_some_and(|difference| difference.p_max_t < LEVEL);
            differs || found.is_winner(row) || row.name == found.default
        };
        let is_shown = |(at, row): &(usize, &RankedTrial)| *at < SHOWN || is_told(row);
        let rows: Vec<RankedRow> = found
            .scored()
            .enumerate()
            .filter(is_shown)
            .map(|(at, row)| shown(found, at + 1, row))
            .collect();
        let n_hidden = found.scored().count() - rows.len();
        let mut rest = Vec::new();
        if n_hidden > 0 {
            rest.push(format!(
                "and {} more: tune.json and table.csv have all",
                thousands(n_hidden)
            ));
        }
        rest.extend(failures(found));
        Self {
            title: title(found.ranking),
            keys: short_names(found.varied),
            figures: without_same(found.plan, &FIGURES, FIGURES),
            rows,
            rest,
        }
    }
}

fn title(ranking: &TrialRanking) -> String {
    let (n, n_without) = (ranking.n, ranking.n_left_out + ranking.n_undefined);
    let questions = if ranking.n_undefined == 0 {
        plural(n, "question", "questions")
    } else {
        let (all, have) = (
            plural(n + n_without, "question", "questions"),
            if n == 1 { "has" } else { "have" },
        );
        format!("{} of {all} {have} a value", thousands(n))
    };
    format!(
        "Settings by {} ({questions}, {})",
        ranking.measure,
        plural(ranking.n_clusters, "cluster", "clusters")
    )
}

fn shown(found: &Found, rank: usize, row: &RankedTrial) -> RankedRow {
    let value = |key: &String| {
        row.values
            .get(key)
            .map_or_else(String::new, |value| shortened(&plain(value), VALUE))
    };
    RankedRow {
        rank,
        marks: found.marks(row),
        name: shortened(&row.name, VALUE),
        values: found
            .varied
            .iter()
            .map(|varied| value(&varied.key))
            .collect(),
        pairs: pairs(found.varied, &row.values),
        figures: without_same(found.plan, &FIGURES, figures(row)),
    }
}

fn figures(row: &RankedTrial) -> [String; FIGURES.len()] {
    let difference = row.difference.as_ref();
    [
        mean(row.mean),
        row.ci95.map_or_else(none, |ci| {
            format!("{:.2}-{:.2}", snapped(ci.low, 5e-3), snapped(ci.high, 5e-3))
        }),
        difference.map_or_else(none, |difference| delta(difference.delta)),
        difference.map_or_else(none, |difference| interval(difference.ci95)),
        difference.map_or_else(none, |difference| p_text(difference.p_max_t)),
        row.equal_k.map_or_else(none, mean),
        row.equal_tokens.map_or_else(none, mean),
        tokens(row.context_tokens),
    ]
}

/// `cells` without those of a view that is what settings are ranked by, which would show the score twice; `heads` are theirs.
pub(super) fn without_same<T>(
    plan: &TuningPlan,
    heads: &[&str],
    cells: impl IntoIterator<Item = T>,
) -> Vec<T> {
    let is_own = |head: &str| match head {
        EQUAL_K => plan.equal_k != plan.measure,
        EQUAL_TOKENS => plan.equal_tokens != plan.measure,
        _ => true,
    };
    heads
        .iter()
        .zip(cells)
        .filter_map(|(&head, cell)| is_own(head).then_some(cell))
        .collect()
}

/// What stands where there is no number.
pub(super) fn none() -> String {
    "-".to_owned()
}

pub(super) fn mean(value: f64) -> String {
    format!("{:.3}", snapped(value, 5e-4))
}

pub(super) fn delta(value: f64) -> String {
    format!("{:+.3}", snapped(value, 5e-4))
}

pub(super) fn interval(ci95: Option<Interval>) -> String {
    ci95.map_or_else(none, |ci| {
        format!("[{}, {}]", delta(ci.low), delta(ci.high))
    })
}

/// `value`, or 0 where it is nearer to that than `half` of the last digit shown: no `-0.000`.
fn snapped(value: f64, half: f64) -> f64 {
    if value.abs() < half { 0.0 } else { value }
}

pub(super) fn tokens(value: f64) -> String {
    thousands(value.round() as usize)
}

fn failures(found: &Found) -> Vec<String> {
    let failed: Vec<(&RankedTrial, &String)> = found
        .ranking
        .rows
        .iter()
        .filter_map(|row| Some((row, row.error.as_ref()?)))
        .collect();
    let told = failed.iter().take(SHOWN_FAILED).map(|(row, error)| {
        let values = shortened(&pairs(found.varied, &row.values), 2 * VALUE);
        format!(
            "failed: {} ({values}): {}",
            shortened(&row.name, VALUE),
            shortened(error, ERROR)
        )
    });
    let hidden = failed.len().saturating_sub(SHOWN_FAILED);
    let hidden = (hidden > 0).then(|| format!("and {} more failed", thousands(hidden)));
    told.chain(hidden).collect()
}
