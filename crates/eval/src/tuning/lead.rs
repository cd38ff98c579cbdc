//! Sentences of a verdict: the setting to use, the trial that scored highest, the other trials, and the views that
//! disagree. `verdict.rs` decides which claim is made.

use super::label::Labels;
use super::means::{TIE, is_better};
use super::outcome::{Difference, HeldOut, RankedTrial, TrialRanking};
use crate::compare::{LEVEL, p_text};
use ragtriage_core::measure::Direction;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::Interval;

/// Maximum number of trials listed; more are counted, since the table lists them.
const MOST_NAMES: usize = 3;

/// A ranking with a default, in words.
pub(super) struct Wording<'a> {
    pub ranking: &'a TrialRanking,
    pub labels: Labels<'a>,
    pub default: &'a RankedTrial,
    pub direction: Direction,
}

impl Wording<'_> {
    pub fn scored_higher(&self, row: &RankedTrial) -> bool {
        row.difference.is_some_and(|seen| is_better(seen.delta, self.direction))
    }

    /// Writes `Keep chunking.size = 200.` with what is known of the others. `best`: a clause on the trial that scored
    /// highest, which is then not among the others.
    pub fn kept(&self, best: Option<(&RankedTrial, String)>, last: Option<String>) -> String {
        let (name, clause) = best.unzip();
        let name = name.map(|row| row.name.as_str());
        let mut clauses: Vec<String> = clause.into_iter().chain(self.others(name)).collect();
        clauses.extend(last);
        let head = format!("Keep {}.", self.labels.default());
        if clauses.is_empty() {
            return head;
        }
        format!("{head} {}.", clauses.join("; "))
    }

    /// Says of all trials but the default and `without` whether they are worse than the default, better where they were
    /// chosen, or not distinguishable from it.
    fn others(&self, without: Option<&str>) -> Vec<String> {
        let rows = self.ranking.rows.iter();
        let others =
            rows.filter(|row| row.difference.is_some() && Some(row.name.as_str()) != without);
        let (shown, unclear): (Vec<&RankedTrial>, Vec<&RankedTrial>) =
            others.partition(|row| passes(row));
        let (better, worse): (Vec<&RankedTrial>, Vec<&RankedTrial>) =
            shown.into_iter().partition(|row| self.scored_higher(row));
        let clauses = [
            self.differing(&worse, "worse"),
            self.differing(&better, "better on the tuning questions"),
            self.unclear(&unclear),
        ];
        clauses.into_iter().flatten().collect()
    }

    fn differing(&self, rows: &[&RankedTrial], how: &str) -> Option<String> {
        let measure = self.ranking.measure;
        match rows {
            [] => None,
            [row] => {
                let seen = row.difference?;
                let by = with_interval(seen.delta, seen.ci95);
                Some(format!("{} is {how} ({measure} {by})", self.labels.brief(row)))
            }
            rows => Some(format!("{} are {how}", self.names(rows))),
        }
    }

    fn unclear(&self, rows: &[&RankedTrial]) -> Option<String> {
        let are = if rows.len() == 1 { "is" } else { "are" };
        let n = self.ranking.n;
        (!rows.is_empty())
            .then(|| format!("{} {are} not distinguishable from it (n = {n})", self.names(rows)))
    }

    /// Lists trials with their differences: `64 (-0.100 [-0.150, -0.050]) and 32 (...)`; of many the first.
    fn names(&self, rows: &[&RankedTrial]) -> String {
        let mut names: Vec<String> = rows
            .iter()
            .take(MOST_NAMES)
            .map(|row| {
                let seen = row.difference.filter(|_| rows.len() > 1 && passes(row));
                let by = seen.map(|seen| format!(" ({})", with_interval(seen.delta, seen.ci95)));
                let brief = self.labels.brief(row);
                // Several settings of one trial, apart from the next trial's.
                let brief = if rows.len() > 1 && brief.contains(", ") {
                    format!("({brief})")
                } else {
                    brief
                };
                format!("{brief}{}", by.unwrap_or_default())
            })
            .collect();
        if let Some(more) = rows.len().checked_sub(MOST_NAMES).filter(|more| *more > 0) {
            names.push(format!("{more} more"));
        }
        let last = names.pop().unwrap_or_default();
        if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) }
    }

    /// Explains a ranking at equal k that differs from the one at equal tokens by the sizes of the passages; `None` where
    /// they agree, or sizes do not explain it.
    pub fn views(&self) -> Option<String> {
        let by_k = self.best_of(|row| row.equal_k)?;
        let by_tokens = self.best_of(|row| row.equal_tokens)?;
        let gains =
            [by_k.equal_k.zip(by_tokens.equal_k), by_tokens.equal_tokens.zip(by_k.equal_tokens)];
        let apart =
            gains.iter().all(|gain| gain.is_some_and(|(best, other)| (best - other).abs() > TIE));
        let larger = by_k.context_tokens > by_tokens.context_tokens;
        (apart && larger).then(|| {
            format!(
                " At equal k {} is best, at equal tokens {}: a fixed k favours large chunks, which hold more tokens.",
                self.labels.brief(by_k),
                self.labels.brief(by_tokens)
            )
        })
    }

    fn best_of(&self, view: fn(&RankedTrial) -> Option<f64>) -> Option<&RankedTrial> {
        let rows = self.ranking.rows.iter().filter(|row| view(row).is_some());
        let score = |row: &RankedTrial| match self.direction {
            Direction::Higher => view(row).unwrap_or(f64::NEG_INFINITY),
            Direction::Lower => -view(row).unwrap_or(f64::INFINITY),
        };
        rows.reduce(|best, row| if score(row) > score(best) { row } else { best })
    }

    /// Formats a trial's statistics on the choosing questions.
    pub fn numbers(&self, row: &RankedTrial) -> String {
        let (mean, default) = (row.mean, self.default.mean);
        let Some(Difference { delta, ci95, p_holm }) = row.difference else {
            return format!("{mean:.3}");
        };
        let (p, trials) = (p_text(p_holm), plural(self.n_compared(), "trial", "trials"));
        format!(
            "{mean:.3} against {default:.3}, {}, p {p} (Holm-adjusted over {trials})",
            with_interval(delta, ci95)
        )
    }

    /// Returns the number of trials that are compared with the default.
    pub fn n_compared(&self) -> usize {
        self.ranking.rows.iter().filter(|row| row.difference.is_some()).count()
    }

    pub fn held_out_text(&self, row: &RankedTrial, found: &HeldOut) -> String {
        let (measure, instead) = (self.ranking.measure, self.labels.instead(row));
        let (numbers, n) = (held_out_numbers(found), questions(found.n));
        format!("Set {instead}: {measure} {numbers}, on {n} that were not used for tuning.")
    }

    pub fn adjusted_text(&self, row: &RankedTrial) -> String {
        let (measure, instead) = (self.ranking.measure, self.labels.instead(row));
        let (numbers, n) = (self.numbers(row), questions(self.ranking.n));
        let rows = self.ranking.rows.iter();
        let above: Vec<&RankedTrial> = rows.take_while(|other| other.name != row.name).collect();
        let above_text = match above.len() {
            0 => String::new(),
            1 => format!("; {} ranks higher and is not distinguishable", self.names(&above)),
            _ => format!("; {} rank higher and are not distinguishable", self.names(&above)),
        };
        format!("Set {instead}: {measure} {numbers}, on {n}{above_text}.")
    }
}

/// Formats `1 question`, `1,204 questions`.
pub(super) fn questions(n: usize) -> String {
    plural(n, "question", "questions")
}

/// Returns true if p, adjusted for all trials, distinguishes the trial from the default.
pub(super) fn passes(row: &RankedTrial) -> bool {
    row.difference.is_some_and(|seen| seen.p_holm < LEVEL)
}

/// Returns the smallest p of a two-sided test by sign flips: of 2^clusters assignments the observed one and
/// its opposite.
pub(super) fn least_p(n_clusters: usize) -> f64 {
    2.0 * 0.5_f64.powi(n_clusters as i32)
}

pub(super) fn held_out_numbers(found: &HeldOut) -> String {
    let HeldOut { default, winner, delta, ci95, p, evaluations, .. } = *found;
    let p = p.map_or(String::new(), |p| format!(", p {}", p_text(p)));
    let evaluations = if evaluations > 1 {
        format!(" (adjusted for {evaluations} evaluations)")
    } else {
        String::new()
    };
    format!("{winner:.3} against {default:.3}, {}{p}{evaluations}", with_interval(delta, ci95))
}

/// Formats `+0.031 [0.008, 0.054]`.
fn with_interval(delta: f64, ci95: Option<Interval>) -> String {
    ci95.map_or_else(|| format!("{delta:+.3}"), |ci95| format!("{delta:+.3} {ci95:.3}"))
}
