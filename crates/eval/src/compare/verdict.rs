//! Conclusion from the primary metric, in a sentence.

use super::comparison::PairComparison;
use super::differences::MetricDifference;
use ragtriage_core::metric::Metric;
use ragtriage_core::stats::detectable::ALPHA;

/// The significance level of reported differences.
pub const LEVEL: f64 = ALPHA;

/// Formats a p-value: three digits, or `<` for a smaller one.
#[must_use]
pub fn p_text(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// Writes the sentence; `primary` is the primary metric, over `n_compared` runs.
pub(super) fn sentence(
    pair: &PairComparison,
    primary: Option<Metric>,
    n_compared: usize,
) -> String {
    let compared =
        primary.and_then(|primary| pair.metric(primary)).filter(|difference| difference.n > 0);
    let Some(difference) = compared else {
        return match primary {
            _ if pair.questions.compared == 0 => {
                "No question can be compared: each failed in one of the runs.".to_owned()
            }
            Some(primary) => {
                format!("No question has a value of the primary metric {primary} in both runs.")
            }
            None => "No metric has a value in both runs.".to_owned(),
        };
    };
    let (metric, n) = (difference.metric, difference.n);
    if difference.wins + difference.losses == 0 {
        return format!("No difference: {metric} is equal on {}.", questions(n, "each of"));
    }
    let numbers = numbers(difference);
    let shown = difference.p_holm.or(difference.p).is_some_and(|p| p < LEVEL);
    if shown {
        return format!("{}: {numbers}.", if difference.is_better() { "Better" } else { "Worse" });
    }
    let why = if let Some(least) =
        difference.least_p.filter(|least| least * n_compared as f64 >= LEVEL)
    {
        let holm = if n_compared > 1 { ", before Holm" } else { "" };
        format!(
            " Too few clusters of questions differ: p cannot fall below {least:.3}{holm}; add questions."
        )
    } else {
        difference.detectable_text().map_or(String::new(), |least| {
            format!(
                " With {}, the minimum detectable effect is {least} (80% power).",
                questions(n, "these")
            )
        })
    };
    format!("No significant difference: {numbers}.{why}")
}

fn numbers(difference: &MetricDifference) -> String {
    let MetricDifference { metric, baseline, run, delta, ci95, p, p_holm, .. } = difference;
    let digits = metric.digits();
    let interval = ci95.map_or(String::new(), |ci| format!(" {ci:.digits$}"));
    let p = match (p, p_holm) {
        // In a family of one, the Holm-adjusted p is p itself.
        (Some(p), Some(adjusted)) if adjusted != p => {
            format!(", p {} (Holm over all compared runs: {})", equals(*p), p_text(*adjusted))
        }
        (Some(p), _) => format!(", p {}", equals(*p)),
        (None, _) => String::new(),
    };
    format!("{metric} {baseline:.digits$} -> {run:.digits$}, {delta:+.digits$}{interval}{p}")
}

/// Formats [`p_text`] with its sign.
pub(super) fn equals(p: f64) -> String {
    let text = p_text(p);
    if text.starts_with('<') { text } else { format!("= {text}") }
}

fn questions(n: usize, lead: &str) -> String {
    if n == 1 { "this one question".to_owned() } else { format!("{lead} {n} questions") }
}
