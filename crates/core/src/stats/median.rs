//! Medians, and medians of resampled clusters: for the interval of a median rank, where a document never found has rank
//! infinity and a mean would be meaningless.

use super::resample::Draws;

/// Returns the middle value, or the mean of the two middle ones; infinite where one of them is. `None` for no values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    Some(between(sorted[(sorted.len() - 1) / 2], *upper))
}

/// Returns the median over all questions of the clusters drawn, resample by resample; one without a value is left out.
pub(super) fn resampled(column: &[Option<f64>], cluster_of: &[usize], draws: Draws) -> Vec<f64> {
    let mut values: Vec<f64> = column.iter().flatten().copied().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    // Per cluster, the indexes of its questions' values among the distinct values, one cluster after the other: a
    // resample counts indexes and need not sort.
    let mut place_of: Vec<(usize, usize)> = column
        .iter()
        .zip(cluster_of)
        .filter_map(|(value, &cluster)| {
            value.map(|value| (cluster, values.partition_point(|other| *other < value)))
        })
        .collect();
    place_of.sort_unstable();
    let first: Vec<usize> = (0..=draws.n_clusters)
        .map(|cluster| place_of.partition_point(|of| of.0 < cluster))
        .collect();
    let places: Vec<usize> = place_of.into_iter().map(|(_, place)| place).collect();
    let medians: Vec<Option<f64>> = draws.map(|resample| {
        let mut counts = vec![0_usize; values.len()];
        let mut n = 0;
        draws.draw(resample, |_, cluster| {
            let (from, to) = (first[cluster], first[cluster + 1]);
            for &place in &places[from..to] {
                counts[place] += 1;
            }
            n += to - from;
        });
        (n > 0).then(|| between(values[nth(&counts, (n - 1) / 2)], values[nth(&counts, n / 2)]))
    });
    medians.into_iter().flatten().collect()
}

/// Returns the place at which more than `n` values have been counted.
fn nth(counts: &[usize], n: usize) -> usize {
    let mut counted = 0;
    counts
        .iter()
        .position(|count: &usize| {
            counted += count;
            counted > n
        })
        .expect("`n` is below the count of all")
}

/// Returns the mean of two values; of two equal infinities too.
fn between(lower: f64, upper: f64) -> f64 {
    if lower == upper { lower } else { lower + (upper - lower) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::super::bootstrap::Bootstrap;
    use super::*;
    use crate::types::Interval;

    const NEVER: f64 = f64::INFINITY;

    #[test]
    fn the_median_is_the_middle_or_between_the_middles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, NEVER]), Some(3.0));
        assert_eq!(median(&[1.0, NEVER]), Some(NEVER));
        assert_eq!(median(&[NEVER, NEVER]), Some(NEVER));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn resampled_medians_are_medians_of_the_questions_drawn() {
        // The same draws by hand: clusters' questions are gathered and their median taken.
        let column = [Some(5.0), None, Some(NEVER), Some(2.0), Some(2.0), Some(9.0), Some(1.0)];
        let cluster_of = [0, 1, 2, 0, 3, 3, 4];
        let draws = Draws { n_clusters: 5, resamples: 200, seed: 4 };
        let by_hand: Vec<f64> = (0..200)
            .filter_map(|resample| {
                let mut drawn = Vec::new();
                draws.draw(resample, |_, cluster| {
                    let questions = column.iter().zip(cluster_of).filter(|(_, of)| *of == cluster);
                    drawn.extend(questions.filter_map(|(value, _)| *value));
                });
                median(&drawn)
            })
            .collect();
        assert_eq!(resampled(&column, &cluster_of, draws), by_hand);
    }

    #[test]
    fn where_many_are_never_found_the_interval_ends_at_infinity() {
        let column: Vec<Option<f64>> =
            (0..60).map(|i| Some(if i < 33 { f64::from(i) } else { NEVER })).collect();
        let interval =
            Bootstrap::new((0..60).collect(), 1000, 2).median_interval(&column).expect("values");
        // Sampling moves the middle by about 2 sqrt(60) / 2 = 8 places around 30 of 33 finite ones.
        assert!((18.0..27.0).contains(&interval.low) && interval.high == NEVER, "{interval:?}");
        let certain =
            Bootstrap::new((0..60).collect(), 1000, 2).median_interval(&[Some(NEVER); 60]);
        assert_eq!(certain, Some(Interval { low: NEVER, high: NEVER }));
    }
}
