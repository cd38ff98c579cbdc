//! Folds for choosing on some questions and scoring on others: whole clusters, balanced sizes,
//! seeded.

use std::cmp::Reverse;

use ragtriage_core::stats::random::Random;

/// Splits the questions into at most `n_folds` >= 1 folds, each a list of questions, ascending. `cluster_of[i]` is question
/// i's cluster, numbered from 0 without gaps; all questions of a cluster are in one fold. Clusters are shuffled, then assigned
/// by size, the largest first, each to the fold with the fewest questions (the first of equals). There are no more folds than
/// clusters.
pub(super) fn folds(cluster_of: &[usize], n_folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut clusters = vec![Vec::new(); cluster_of.iter().max().map_or(0, |last| last + 1)];
    for (question, &cluster) in cluster_of.iter().enumerate() {
        clusters[cluster].push(question);
    }
    Random::new(seed).shuffle(&mut clusters);
    clusters.sort_by_key(|questions| Reverse(questions.len()));
    let mut folds: Vec<Vec<usize>> = vec![Vec::new(); n_folds.min(clusters.len())];
    for questions in clusters {
        if let Some(smallest) = folds.iter_mut().min_by_key(|fold| fold.len()) {
            smallest.extend(questions);
        }
    }
    for fold in &mut folds {
        fold.sort_unstable();
    }
    folds
}
