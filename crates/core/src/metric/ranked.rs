//! Metrics of a ranking of documents against graded judgments.
//!
//! Grades below the relevance level (1) are judged and not relevant; an unjudged document counts as not relevant. A
//! ranking holds each document once, best first; the cutoff applies after chunks were collapsed to documents. Names and
//! edge cases follow `trec_eval`: a query without relevant documents scores 0 by every metric that divides by their
//! number.

use super::{Cutoff, Family, Metric};

/// One ranking's grades, with the grades of an ideal ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Graded {
    /// Grades in rank order; `None` if unjudged.
    ranked: Vec<Option<i32>>,
    /// The positive grades of all judged documents, largest first.
    ideal: Vec<i32>,
    n_relevant: usize,
    level: i32,
}

impl Graded {
    /// Creates the grades of a ranking. `ranked`: the grade of each document in rank order, `None` for unjudged;
    /// `judged`: the grades of all judged documents in any order; `level`: the minimum grade that counts as relevant,
    /// at least 1 (`trec_eval -l`).
    #[must_use]
    pub fn new(
        ranked: Vec<Option<i32>>,
        judged: impl IntoIterator<Item = i32>,
        level: i32,
    ) -> Self {
        let level = level.max(1);
        let mut ideal: Vec<i32> = judged.into_iter().filter(|grade| *grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let n_relevant = ideal.iter().filter(|grade| **grade >= level).count();
        Self { ranked, ideal, n_relevant, level }
    }

    /// Returns the number of relevant judged documents.
    #[must_use]
    pub fn n_relevant(&self) -> usize {
        self.n_relevant
    }

    /// Returns a metric's value. `n_documents` is the size of the corpus. `None` if it is not a metric of a document
    /// ranking, if its cutoff is a token budget or the prompt (see [`Graded::at`]), or if it needs a corpus size that
    /// is not known.
    #[must_use]
    pub fn value(&self, metric: Metric, n_documents: Option<usize>) -> Option<f64> {
        match metric.cutoff() {
            Some(Cutoff::Top(k)) => self.at(metric.family(), Some(k), n_documents),
            Some(Cutoff::Tokens(_) | Cutoff::Prompt) => None,
            None => self.at(metric.family(), None, n_documents),
        }
    }

    /// Returns a family's value over the first k, or over the whole ranking.
    #[must_use]
    pub fn at(&self, family: Family, k: Option<usize>, n_documents: Option<usize>) -> Option<f64> {
        let whole = k.unwrap_or(self.ranked.len()).max(1);
        Some(match family {
            Family::Recall => self.recall(whole),
            Family::Success => self.success(whole),
            Family::Precision => self.precision(whole),
            Family::RPrecision => self.r_precision(),
            Family::SetF1 => self.set_f1(whole),
            Family::ReciprocalRank => self.reciprocal_rank(k),
            Family::Ndcg => self.ndcg(k),
            Family::AveragePrecision => self.average_precision(k),
            Family::Fallout => return self.fallout(whole, n_documents?),
            Family::Accuracy => return self.accuracy(whole, n_documents?),
            Family::Judged => self.judged(whole),
            Family::MedianRank => self.first_relevant().map_or(f64::INFINITY, |at| (at + 1) as f64),
            _ => return None,
        })
    }

    fn is_relevant(&self, grade: Option<i32>) -> bool {
        grade.is_some_and(|grade| grade >= self.level)
    }

    /// Returns the number of relevant documents among the first k.
    fn found(&self, k: usize) -> usize {
        self.ranked.iter().take(k).filter(|grade| self.is_relevant(**grade)).count()
    }

    fn first_relevant(&self) -> Option<usize> {
        self.ranked.iter().position(|grade| self.is_relevant(*grade))
    }

    /// P@k: relevant in the first k, over k, even when fewer came back. `trec_eval`'s `P_k`. In 0..=1; k >= 1.
    #[must_use]
    pub fn precision(&self, k: usize) -> f64 {
        self.found(k) as f64 / k as f64
    }

    /// Recall@k: relevant in the first k, over all relevant. `trec_eval`'s `recall_k`. In 0..=1.
    #[must_use]
    pub fn recall(&self, k: usize) -> f64 {
        over(self.found(k) as f64, self.n_relevant as f64)
    }

    /// Success@k: 1 when any of the first k is relevant, else 0. `trec_eval`'s `success_k`; "hit rate".
    #[must_use]
    pub fn success(&self, k: usize) -> f64 {
        f64::from(u8::from(self.found(k) > 0))
    }

    /// Rprec: P@R, R the number of relevant documents. `trec_eval`'s `Rprec`. In 0..=1.
    #[must_use]
    pub fn r_precision(&self) -> f64 {
        over(self.found(self.n_relevant) as f64, self.n_relevant as f64)
    }

    /// `SetF1`@k: 2PR / (P + R) of the set of the first k, P over what it holds (fewer than k when fewer came back); 0 when
    /// both are 0. `trec_eval`'s `set_F` of the ranking cut at k. In 0..=1.
    #[must_use]
    pub fn set_f1(&self, k: usize) -> f64 {
        // 2PR / (P + R) with P = f / n, R = f / r is 2f / (n + r).
        over(2.0 * self.found(k) as f64, (k.min(self.ranked.len()) + self.n_relevant) as f64)
    }

    /// RR: one over the rank of the first relevant document within the first k, 0 when there is none there.
    /// `trec_eval`'s `recip_rank`, cut at k (Voorhees 1999). In 0..=1.
    #[must_use]
    pub fn reciprocal_rank(&self, k: Option<usize>) -> f64 {
        let at = self.first_relevant().filter(|at| *at < k.unwrap_or(usize::MAX));
        at.map_or(0.0, |at| 1.0 / (at + 1) as f64)
    }

    /// AP: the mean over *all* relevant documents of the precision at their rank, 0 for those not within the first k.
    /// `trec_eval`'s `map` and `map_cut_k`. In 0..=1.
    #[must_use]
    pub fn average_precision(&self, k: Option<usize>) -> f64 {
        let (mut found, mut sum) = (0, 0.0);
        for (at, grade) in self.ranked.iter().take(k.unwrap_or(usize::MAX)).enumerate() {
            if self.is_relevant(*grade) {
                found += 1;
                sum += f64::from(found) / (at + 1) as f64;
            }
        }
        over(sum, self.n_relevant as f64)
    }

    /// nDCG@k: the sum over ranks i (from 1) of grade / log2(i + 1) within the first k, over the same sum of the ideal
    /// ranking of all judged documents. Linear gain; every positive grade gains, whatever the relevance level.
    /// `trec_eval`'s `ndcg_cut_k` and `ndcg` (Järvelin and Kekäläinen 2002). In 0..=1.
    #[must_use]
    pub fn ndcg(&self, k: Option<usize>) -> f64 {
        let k = k.unwrap_or(usize::MAX);
        let had = discounted(self.ranked.iter().take(k).map(|grade| grade.unwrap_or(0)));
        over(had, discounted(self.ideal.iter().take(k).copied()))
    }

    /// Fallout@k: documents in the first k that are not relevant, over all documents that are not. `None` when all are
    /// relevant. In 0..=1.
    #[must_use]
    pub fn fallout(&self, k: usize, n_documents: usize) -> Option<f64> {
        let wrong = k.min(self.ranked.len()) - self.found(k);
        let n_wrong = n_documents.checked_sub(self.n_relevant).filter(|n| *n >= wrong && *n > 0)?;
        Some(wrong as f64 / n_wrong as f64)
    }

    /// Accuracy@k: relevant found in the first k and others left out of it, over all documents. `None` when the corpus is
    /// smaller than what was found and judged. In 0..=1, and always near 1, since true negatives dominate.
    #[must_use]
    pub fn accuracy(&self, k: usize, n_documents: usize) -> Option<f64> {
        let correct = self.found(k);
        let wrong = k.min(self.ranked.len()) - correct;
        let left_out = n_documents.checked_sub(self.n_relevant + wrong)?;
        Some(over((correct + left_out) as f64, n_documents as f64))
    }

    /// Judged@k: documents with any grade in the first k, over the documents there are in the first k; 0 when there is
    /// none. `ir_measures`' `Judged@k`; `trec_eval`'s `unj_k` divides by k instead. In 0..=1.
    #[must_use]
    pub fn judged(&self, k: usize) -> f64 {
        let top = &self.ranked[..k.min(self.ranked.len())];
        over(top.iter().flatten().count() as f64, top.len() as f64)
    }
}

/// Returns the sum of grade / log2(rank + 1) over positive grades, ranks from 1.
fn discounted(grades: impl Iterator<Item = i32>) -> f64 {
    let relevant = grades.enumerate().filter(|(_, grade)| *grade > 0);
    relevant.fold(0.0, |sum, (at, grade)| sum + f64::from(grade) / ((at + 2) as f64).log2())
}

/// Returns `part / whole`, 0 for 0 over 0.
fn over(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Creates a graded ranking; in `ranked`, -9 means unjudged.
    fn graded(ranked: &[i32], judged: &[i32]) -> Graded {
        Graded::new(
            ranked.iter().map(|&grade| (grade != -9).then_some(grade)).collect(),
            judged.iter().copied(),
            1,
        )
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
    fn two_of_five_found_six_relevant_in_ten_thousand() {
        // TP 2, FP 3, FN 4, TN 9,991: accuracy 9993/10000, P 2/5, R 2/6, F1 4/11, fallout 3/9994.
        let ranking = graded(&[1, 0, 1, 0, 0], &[1; 6]);
        assert!(near(ranking.accuracy(5, 10_000).expect("large enough"), 0.9993));
        assert!(near(ranking.precision(5), 0.40));
        assert!((ranking.recall(5) - 0.333).abs() < 5e-4);
        assert!((ranking.set_f1(5) - 0.364).abs() < 5e-4 && near(ranking.set_f1(5), 4.0 / 11.0));
        assert!(near(ranking.fallout(5, 10_000).expect("large enough"), 3.0 / 9994.0));
        assert!(near(ranking.success(1), 1.0));
    }

    #[test]
    fn precision_divides_by_k_when_fewer_came_back_and_judged_does_not() {
        let ranking = graded(&[1, -9], &[1]);
        assert!(near(ranking.precision(5), 0.2));
        assert!(near(ranking.judged(5), 0.5));
        assert!(near(graded(&[], &[1]).judged(5), 0.0));
    }

    #[test]
    fn reciprocal_rank_and_average_precision_of_the_textbook() {
        // Hits at 1 and 2 of 6 relevant: AP (1/1 + 2/2)/6 = .333; hits at 4 and 5: (1/4 + 2/5)/6 = .108.
        let (early, late) = (graded(&[1, 1, 0, 0, 0], &[1; 6]), graded(&[0, 0, 0, 1, 1], &[1; 6]));
        assert!(near(early.reciprocal_rank(None), 1.0) && near(late.reciprocal_rank(None), 0.25));
        assert!(
            near(early.average_precision(None), 2.0 / 6.0)
                && near(late.average_precision(None), 0.65 / 6.0)
        );
        assert!((early.average_precision(None) - 0.333).abs() < 5e-4);
        assert!((late.average_precision(None) - 0.108).abs() < 5e-4);
        assert!(
            near(late.reciprocal_rank(Some(3)), 0.0) && near(late.reciprocal_rank(Some(4)), 0.25)
        );
    }

    #[test]
    fn mean_reciprocal_rank_and_mean_average_precision_of_the_textbook() {
        // First hits at 1, 2, 4: (1 + 1/2 + 1/4)/3 = .583.
        let first_at = |at: usize| {
            graded(&(1..=4).map(|rank| i32::from(rank == at)).collect::<Vec<_>>(), &[1])
        };
        let mrr = [1, 2, 4].map(|at| first_at(at).reciprocal_rank(None)).iter().sum::<f64>() / 3.0;
        assert!((mrr - 0.583).abs() < 5e-4);
        // Hit 1 of 2 relevant: 1/2. Hits 2, 4 of 2: (1/2 + 2/4)/2 = 1/2. Hits 4, 5 of 3: (1/4 + 2/5)/3 = .217. Mean .406.
        let aps = [
            graded(&[1, 0, 0, 0, 0], &[1; 2]).average_precision(None),
            graded(&[0, 1, 0, 1, 0], &[1; 2]).average_precision(None),
            graded(&[0, 0, 0, 1, 1], &[1; 3]).average_precision(None),
        ];
        assert!(near(aps[0], 0.5) && near(aps[1], 0.5) && (aps[2] - 0.22).abs() < 5e-3);
        assert!((aps.iter().sum::<f64>() / 3.0 - 0.41).abs() < 5e-3);
    }

    #[test]
    fn ndcg_with_grade_3_at_rank_2_and_1_at_rank_4() {
        // DCG 3/log2(3) + 1/log2(5) = 1.8928 + .4307 = 2.3235; ideal 3/1 + 1/log2(3) = 3.6309; quotient .6399.
        let value = graded(&[0, 3, 0, 1], &[3, 1]).ndcg(Some(10));
        assert!(near(value, (3.0 / 3f64.log2() + 1.0 / 5f64.log2()) / (3.0 + 1.0 / 3f64.log2())));
        assert!((value - 2.32 / 3.63).abs() < 1e-3 && (value - 0.64).abs() < 5e-3);
    }

    #[test]
    fn a_negative_grade_is_judged_and_not_relevant() {
        let ranking = graded(&[-1, 1], &[-1, 1]);
        assert!(
            near(ranking.reciprocal_rank(None), 0.5)
                && near(ranking.recall(2), 1.0)
                && near(ranking.judged(2), 1.0)
        );
    }

    #[test]
    fn where_nothing_is_relevant_all_is_zero_and_the_first_rank_infinite() {
        let ranking = graded(&[0, -9], &[0, -1]);
        for family in [
            Family::Recall,
            Family::RPrecision,
            Family::SetF1,
            Family::Ndcg,
            Family::AveragePrecision,
        ] {
            assert_eq!(ranking.at(family, Some(5), None), Some(0.0), "{}", family.name());
        }
        assert_eq!(ranking.at(Family::MedianRank, None, None), Some(f64::INFINITY));
    }

    #[test]
    fn a_level_of_two_makes_grade_one_irrelevant_but_keeps_its_gain() {
        let at_level = |level| Graded::new(vec![Some(1), Some(2)], [1, 2], level);
        assert!(near(at_level(1).precision(2), 1.0) && near(at_level(2).precision(2), 0.5));
        assert!(
            near(at_level(2).reciprocal_rank(None), 0.5) && near(at_level(2).r_precision(), 0.0)
        );
        assert!(near(at_level(1).ndcg(None), at_level(2).ndcg(None)));
    }

    #[test]
    fn a_corpus_smaller_than_what_was_found_gives_no_value() {
        let ranking = graded(&[1, 0, 0], &[1]);
        assert_eq!(ranking.fallout(3, 2), None);
        assert_eq!(ranking.accuracy(3, 2), None);
        assert_eq!(ranking.fallout(3, 3), Some(1.0));
        assert_eq!(graded(&[1], &[1]).fallout(1, 1), None);
    }

    const RANKING: [Family; 11] = [
        Family::Recall,
        Family::Success,
        Family::Precision,
        Family::RPrecision,
        Family::SetF1,
        Family::ReciprocalRank,
        Family::Ndcg,
        Family::AveragePrecision,
        Family::Fallout,
        Family::Accuracy,
        Family::MedianRank,
    ];

    /// Returns a ranking of up to 12 documents and further judged ones.
    fn rankings() -> impl Strategy<Value = (Vec<Option<i32>>, Vec<i32>)> {
        let ranked = prop::collection::vec(prop::option::of(-1..5), 0..12);
        (ranked, prop::collection::vec(-1..5, 0..6)).prop_map(|(ranked, missed)| {
            let judged = ranked.iter().flatten().copied().chain(missed).collect();
            (ranked, judged)
        })
    }

    proptest! {
        #[test]
        fn every_value_lies_in_its_declared_range((ranked, judged) in rankings(), k in 1..15usize) {
            let ranking = Graded::new(ranked, judged, 1);
            for family in RANKING.into_iter().chain([Family::Judged]) {
                let (low, high) = family.range();
                for cutoff in [Some(k), None] {
                    if let Some(value) = ranking.at(family, cutoff, Some(40)) {
                        prop_assert!(low <= value && value <= high, "{} is {value}", family.name());
                    }
                }
            }
        }

        #[test]
        fn a_better_document_one_place_up_never_makes_a_score_worse(
            (ranked, judged) in rankings(), at in 0..11usize, k in 1..15usize,
        ) {
            prop_assume!(ranked.len() >= 2);
            let at = at % (ranked.len() - 1);
            let mut worse = ranked.clone();
            worse[at..at + 2].sort_by_key(|grade| grade.unwrap_or(0));
            let mut better = worse.clone();
            better.swap(at, at + 1);
            let (before, after) = (Graded::new(worse, judged.clone(), 1), Graded::new(better, judged, 1));
            for family in RANKING {
                for cutoff in [Some(k), None] {
                    let value = |ranking: &Graded| ranking.at(family, cutoff, Some(40));
                    let (Some(before), Some(after)) = (value(&before), value(&after)) else { continue };
                    let gain = match family.direction() {
                        crate::metric::Direction::Higher => after - before,
                        crate::metric::Direction::Lower => before - after,
                    };
                    prop_assert!(gain >= -1e-12 || gain.is_nan(), "{} went from {before} to {after}", family.name());
                }
            }
        }
    }
}
