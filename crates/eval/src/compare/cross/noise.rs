//! Repeat noise of a generator: the variation when one prompt is asked again.

use serde::Serialize;

use ragtriage_core::rightness::Correctness;
use ragtriage_core::stats::wilson::wilson;
use ragtriage_core::types::Interval;

/// The source of repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoiseSource {
    /// The run asked each prompt several times.
    Recorded,
    /// A sample of the run's prompts was asked again for this comparison.
    AskedAgain,
}

/// A generator's repeat noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Noise {
    /// The source of the repeats.
    pub source: NoiseSource,
    /// Questions asked more than once, each time with an answer that can be judged.
    pub n: usize,
    /// Questions with both right and wrong answers.
    pub flipped: usize,
    /// Wilson's 95 % interval of their share.
    pub ci95: Option<Interval>,
    /// Mean absolute difference between the scores of two repeats.
    pub mean_change: f64,
    /// Mean over questions of the variance of one reply's score (n - 1 in the denominator).
    pub variance: f64,
}

/// Computes the noise from `repeats`: for each question the verdict on every repeat; `None` without repeats.
pub(super) fn noise(source: NoiseSource, repeats: &[Vec<Correctness>]) -> Option<Noise> {
    let asked: Vec<&Vec<Correctness>> = repeats.iter().filter(|all| all.len() > 1).collect();
    let n = asked.len();
    if n == 0 {
        return None;
    }
    let flipped = asked
        .iter()
        .filter(|all| all.contains(&Correctness::Right) && all.contains(&Correctness::Wrong))
        .count();
    Some(Noise {
        source,
        n,
        flipped,
        ci95: wilson(flipped, n),
        mean_change: asked.iter().map(|all| mean_change(all)).sum::<f64>() / n as f64,
        variance: asked.iter().map(|all| variance(all)).sum::<f64>() / n as f64,
    })
}

/// Averages over all pairs of repeats.
fn mean_change(all: &[Correctness]) -> f64 {
    let pairs = all.iter().enumerate().flat_map(|(i, a)| {
        let later = all[i + 1..].iter();
        later.map(move |b| (a.score() - b.score()).abs())
    });
    pairs.sum::<f64>() / (all.len() * (all.len() - 1) / 2) as f64
}

fn variance(all: &[Correctness]) -> f64 {
    let n = all.len() as f64;
    let mean = all.iter().map(|answer| answer.score()).sum::<f64>() / n;
    all.iter().map(|answer| (answer.score() - mean).powi(2)).sum::<f64>() / (n - 1.0)
}
