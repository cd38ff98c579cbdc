//! The warning that intervals are rough, the same in the reports of runs, comparisons and sweeps.

use ragtriage_core::text::numbers::plural;

/// Fewer clusters than this make intervals too narrow (Cameron, Gelbach, Miller 2008).
pub(crate) const FEW_CLUSTERS: usize = 20;
/// A cluster with more than a fifth of the questions leaves fewer than 25 effective clusters, however many the others are.
/// In simulations of 100 questions the `BCa` intervals of means cover 92% with a cluster of 20, 88% with 30, 85% with 65.
const LARGE: usize = 5;

/// Returns the warning about `n` questions in clusters; `None` where there are enough, and for no questions.
pub(crate) fn warning(n: usize, n_clusters: usize, largest: usize) -> Option<String> {
    let few = n_clusters < FEW_CLUSTERS;
    let uneven = largest > 1 && LARGE * largest > n;
    if n == 0 || !few && !uneven {
        return None;
    }
    let questions = plural(n, "question", "questions");
    if n_clusters == n {
        return Some(format!("intervals are rough: {questions}"));
    }
    let clusters = plural(n_clusters, "cluster", "clusters");
    Some(format!(
        "intervals are rough: {clusters} of questions that share evidence, the largest with {largest} of {questions}"
    ))
}

#[cfg(test)]
mod tests {
    use super::warning;

    #[test]
    fn few_or_uneven_clusters_are_warned_about() {
        assert_eq!(
            warning(100, 11, 65).as_deref(),
            Some(
                "intervals are rough: 11 clusters of questions that share evidence, the largest with 65 of 100 questions"
            )
        );
        // A fifth is not more than a fifth.
        assert!(warning(100, 41, 20).is_none() && warning(100, 40, 21).is_some());
        assert_eq!(warning(19, 19, 1).as_deref(), Some("intervals are rough: 19 questions"));
        assert!(warning(20, 20, 1).is_none() && warning(0, 0, 0).is_none());
    }
}
