//! Measures of a ranking of documents against graded judgments.
//!
//! Grades <= 0 are judged and not relevant; an unjudged document counts as not relevant. A ranking holds each
//! document once, best first; the cutoff applies after chunks were collapsed to documents. Names and edge cases follow
//! `trec_eval` 10.

/// One ranking's grades beside the grades that could have been had.
#[derive(Clone, Debug, PartialEq)]
pub struct Graded {
    ranked: Vec<i32>,
    ideal: Vec<i32>,
}

impl Graded {
    /// `ranked`: the grade of each document in rank order, 0 for unjudged; `judged`: the grades of all judged documents
    /// in any order. `None` when nothing is relevant: every measure here would divide by zero.
    #[must_use]
    pub fn new(ranked: Vec<i32>, judged: impl IntoIterator<Item = i32>) -> Option<Self> {
        let mut ideal: Vec<i32> = judged.into_iter().filter(|grade| *grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        (!ideal.is_empty()).then_some(Self { ranked, ideal })
    }

    /// Relevant among the first k.
    fn found(&self, k: usize) -> usize {
        self.ranked.iter().take(k).filter(|grade| **grade > 0).count()
    }

    /// P@k: relevant in the first k, over k, even when fewer came back. `trec_eval`'s `P_k`. In 0..=1; k >= 1.
    #[must_use]
    pub fn precision(&self, k: usize) -> f64 {
        self.found(k) as f64 / k as f64
    }

    /// Recall@k: relevant in the first k, over all relevant. `trec_eval`'s `recall_k`. In 0..=1.
    #[must_use]
    pub fn recall(&self, k: usize) -> f64 {
        self.found(k) as f64 / self.ideal.len() as f64
    }

    /// Success@k: 1 when any of the first k is relevant, else 0. `trec_eval`'s `success_k`; "hit rate".
    #[must_use]
    pub fn success(&self, k: usize) -> f64 {
        f64::from(u8::from(self.found(k) > 0))
    }

    /// RR: one over the rank of the first relevant document within the first k, 0 when there is none there.
    /// `trec_eval`'s `recip_rank`, cut at k (Voorhees 1999). In 0..=1.
    #[must_use]
    pub fn reciprocal_rank(&self, k: Option<usize>) -> f64 {
        let mut grades = self.ranked.iter().take(k.unwrap_or(usize::MAX));
        grades.position(|grade| *grade > 0).map_or(0.0, |at| 1.0 / (at + 1) as f64)
    }

    /// AP: the mean over *all* relevant documents of the precision at their rank, 0 for those not within the first k.
    /// `trec_eval`'s `map` and `map_cut_k`. In 0..=1.
    #[must_use]
    pub fn average_precision(&self, k: Option<usize>) -> f64 {
        let (mut found, mut sum) = (0, 0.0);
        for (at, grade) in self.ranked.iter().take(k.unwrap_or(usize::MAX)).enumerate() {
            if *grade > 0 {
                found += 1;
                sum += f64::from(found) / (at + 1) as f64;
            }
        }
        sum / self.ideal.len() as f64
    }

    /// nDCG@k: the sum over ranks i (from 1) of grade / log2(i + 1) within the first k, over the same sum of the ideal
    /// ranking of all judged documents. Linear gain. `trec_eval`'s `ndcg_cut_k` and `ndcg` (Järvelin and Kekäläinen 2002).
    /// In 0..=1.
    #[must_use]
    pub fn ndcg(&self, k: Option<usize>) -> f64 {
        let k = k.unwrap_or(usize::MAX);
        gain(&self.ranked, k) / gain(&self.ideal, k)
    }
}

fn gain(grades: &[i32], k: usize) -> f64 {
    let terms = grades.iter().take(k).enumerate();
    let relevant = terms.filter(|(_, grade)| **grade > 0);
    relevant.fold(0.0, |sum, (at, grade)| sum + f64::from(*grade) / ((at + 2) as f64).log2())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(ranked: &[i32], judged: &[i32]) -> Graded {
        Graded::new(ranked.to_vec(), judged.iter().copied()).expect("something relevant")
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn precision_at_1_3_5_for_hits_at_2_and_4() {
        let ranking = graded(&[0, 1, 0, 1, 0], &[1, 1]);
        assert!(near(ranking.precision(1), 0.0));
        assert!(near(ranking.precision(3), 1.0 / 3.0));
        assert!(near(ranking.precision(5), 2.0 / 5.0));
    }

    #[test]
    fn two_of_six_relevant_in_the_first_five() {
        let ranking = graded(&[1, 0, 1, 0, 0], &[1; 6]);
        assert!(near(ranking.recall(5), 2.0 / 6.0) && near(ranking.precision(5), 0.4) && near(ranking.success(1), 1.0));
    }

    #[test]
    fn precision_divides_by_k_when_fewer_came_back() {
        assert!(near(graded(&[1], &[1]).precision(5), 0.2));
    }

    #[test]
    fn reciprocal_rank_and_average_precision_of_the_textbook() {
        // Hits at 1 and 2 of 6 relevant: AP (1/1 + 2/2)/6 = .333; hits at 4 and 5: (1/4 + 2/5)/6 = .108.
        let (early, late) = (graded(&[1, 1, 0, 0, 0], &[1; 6]), graded(&[0, 0, 0, 1, 1], &[1; 6]));
        assert!(near(early.reciprocal_rank(None), 1.0) && near(late.reciprocal_rank(None), 0.25));
        assert!(near(early.average_precision(None), 2.0 / 6.0) && near(late.average_precision(None), 0.65 / 6.0));
        assert!(near(late.reciprocal_rank(Some(3)), 0.0));
    }

    #[test]
    fn ndcg_with_grade_3_at_rank_2_and_1_at_rank_4() {
        // DCG 3/log2(3) + 1/log2(5) = 1.8928 + .4307 = 2.3235; ideal 3/1 + 1/log2(3) = 3.6309.
        let value = graded(&[0, 3, 0, 1], &[3, 1]).ndcg(Some(10));
        assert!(near(value, (3.0 / 3f64.log2() + 1.0 / 5f64.log2()) / (3.0 + 1.0 / 3f64.log2())));
        assert!((value - 0.6399).abs() < 1e-4);
    }

    #[test]
    fn a_negative_grade_is_judged_and_not_relevant() {
        let ranking = graded(&[-1, 1], &[-1, 1]);
        assert!(near(ranking.reciprocal_rank(None), 0.5) && near(ranking.recall(2), 1.0));
        assert!(Graded::new(vec![0], [0, -1]).is_none());
    }

    #[test]
    fn moving_a_relevant_hit_up_never_lowers_a_score() {
        for relevant_at in 1..6 {
            let at = |place: usize| {
                let mut ranked = vec![0; 6];
                ranked[place] = 2;
                graded(&ranked, &[2, 1])
            };
            let (up, down) = (at(relevant_at - 1), at(relevant_at));
            for k in [1, 3, 5] {
                assert!(up.ndcg(Some(k)) >= down.ndcg(Some(k)));
                assert!(up.average_precision(Some(k)) >= down.average_precision(Some(k)));
                assert!(up.reciprocal_rank(Some(k)) >= down.reciprocal_rank(Some(k)));
            }
        }
    }
}
