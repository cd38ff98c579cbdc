//! A share of questions that come in clusters, and its interval.
//!
//! Wilson's interval is for independent cases. Here it is given the effective number of questions,
//! n over the design effect (Kish 1965): how much larger the cluster-robust variance of the share is than that of as many
//! independent questions (as Dean and Pagano 2015 study it for clustered surveys).

use super::{cluster, wilson};
use crate::types::Interval;

/// A share with the data for its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredShare {
    /// Number of questions for which it holds.
    pub count: usize,
    /// Number of questions.
    pub n: usize,
    /// Effective number of independent questions; at most n. `None` under two clusters.
    effective_n: Option<f64>,
}

impl ClusteredShare {
    /// Creates the share of `holds` that are true; `cluster_of[i]` is the cluster of question i.
    ///
    /// The design effect is
    /// `(G / (G - 1)) / (n / (n - 1)) * sum over clusters of (sum of (x - p))^2 / sum of (x - p)^2`, at least 1. Where
    /// all questions are equal, the agreement within clusters is unknown and assumed to be complete: it is
    /// `sum of m^2 / n`, m being a cluster's questions.
    #[must_use]
    pub fn new(holds: &[bool], cluster_of: &[usize]) -> Self {
        let (n, count) = (holds.len(), holds.iter().filter(|holds| **holds).count());
        let sizes: Vec<f64> = cluster::sums(&vec![1.0; n], cluster_of)
            .into_iter()
            .filter(|size| *size > 0.0)
            .collect();
        let (g, n_f, p) = (sizes.len() as f64, n as f64, count as f64 / n.max(1) as f64);
        let effect = if count == 0 || count == n {
            sum_of_squares(&sizes) / n_f
        } else {
            let residuals: Vec<f64> =
                holds.iter().map(|&holds| f64::from(u8::from(holds)) - p).collect();
            let small = (g / (g - 1.0)) / (n_f / (n_f - 1.0));
            small * sum_of_squares(&cluster::sums(&residuals, cluster_of))
                / sum_of_squares(&residuals)
        };
        Self { count, n, effective_n: (sizes.len() > 1).then(|| n_f / effect.max(1.0)) }
    }

    /// Returns the share; 0 if there are no questions.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.count as f64 / self.n.max(1) as f64
    }

    /// Returns Wilson's 95% interval. `None` under two clusters.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        Some(wilson::of_share(self.share(), self.effective_n?))
    }
}

fn sum_of_squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

#[cfg(test)]
mod tests {
    use super::super::expected::assert_close;
    use super::*;

    /// Creates the share `count` of `n`, every question its own cluster.
    fn alone(count: usize, n: usize) -> ClusteredShare {
        ClusteredShare::new(
            &(0..n).map(|at| at < count).collect::<Vec<_>>(),
            &(0..n).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn alone_every_question_gives_wilsons_interval() {
        assert_eq!(alone(15, 148).interval(), wilson::wilson(15, 148));
    }

    #[test]
    fn questions_that_agree_within_their_cluster_count_as_few() {
        // 10 clusters of 4 alike: 4 times the variance, (10 / 9) / (40 / 39) of it: 40 / (4 * 13 / 12) = 120 / 13.
        let cluster_of: Vec<usize> = (0..40).map(|at| at / 4).collect();
        let share = ClusteredShare::new(
            &cluster_of.iter().map(|c| c % 2 == 0).collect::<Vec<_>>(),
            &cluster_of,
        );
        assert_close(share.effective_n.expect("clusters"), 120.0 / 13.0, 1e-12);
        // None of 40: as if they agreed, 10.
        assert_close(
            ClusteredShare::new(&[false; 40], &cluster_of).effective_n.expect("clusters"),
            10.0,
            1e-12,
        );
    }

    #[test]
    fn one_cluster_and_nothing_have_no_interval() {
        assert_eq!(ClusteredShare::new(&[true, false], &[3, 3]).interval(), None);
        let nothing = ClusteredShare::new(&[], &[]);
        assert_eq!((nothing.share(), nothing.interval()), (0.0, None));
    }
}
