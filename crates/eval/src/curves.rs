//! Measures against k: the usual measures at more cutoffs than a run reports.

use std::collections::BTreeSet;

use super::score;
use super::summary::{self, Evaluation, EvaluationPlan, MeasureSummary};
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_data::run::SavedRun;

/// Cutoffs of a curve's points, in addition to the packed k and the reported ones.
const KS: [usize; 8] = [1, 2, 3, 5, 10, 20, 50, 100];
/// Number of resamples for points that no report has: the error of a band's end is about 1% of its width, and a run of thousands
/// of questions is drawn in a fraction of a second.
const RESAMPLES: usize = 1000;
/// `EM` reads texts: it is measured beyond the reported cutoffs only if at most this many passages have to be
/// read.
const MOST_READ: usize = 20_000;
/// The metric families drawn.
const FAMILIES: [Family; 3] = [Family::Em, Family::Recall, Family::Ndcg];

/// A metric family against k.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The metric family.
    pub family: Family,
    /// k with the measure over the questions that it is defined for, ascending by k.
    pub points: Vec<(usize, MeasureSummary)>,
}

/// Computes the curves of a run, up to the depth of its longest ranking; a family that is defined for no question has no
/// curve. Reported cutoffs are taken from the evaluation; others have fewer resamples, and for many questions no `EM` at
/// large k.
#[must_use]
pub fn curves(run: &SavedRun, evaluation: &Evaluation, plan: &EvaluationPlan) -> Vec<Curve> {
    let known = &evaluation.summary.measures;
    let depth = run
        .traces
        .iter()
        .filter_map(|trace| trace.final_ranking())
        .map(|step| step.hits.len())
        .max();
    let reported = plan.measures.iter().filter_map(|measure| match measure.cutoff() {
        Some(Cutoff::Top(k)) if FAMILIES.contains(&measure.family()) => Some(k),
        _ => None,
    });
    let ks: BTreeSet<usize> = KS.into_iter().chain([plan.k]).chain(reported).collect();
    let ks: Vec<usize> = ks.into_iter().filter(|k| Some(*k) <= depth).collect();
    let wanted: Vec<Measure> = FAMILIES
        .into_iter()
        .flat_map(|family| {
            ks.iter().filter_map(move |&k| Measure::new(family, Some(Cutoff::Top(k))))
        })
        .collect();
    let n_spans = run.traces.iter().filter(|trace| trace.question.has_spans()).count();
    let missing: Vec<Measure> = wanted
        .iter()
        .copied()
        .filter(|measure| !known.contains_key(&measure.to_string()))
        .filter(|measure| match (measure.family(), measure.cutoff()) {
            (Family::Em, Some(Cutoff::Top(k))) => {
                n_spans.saturating_mul(k).min(run.passages.len()) <= MOST_READ
            }
            _ => true,
        })
        .collect();
    let scores = score::score(run, &missing, plan.judge);
    let fewer = EvaluationPlan { resamples: plan.resamples.min(RESAMPLES), ..plan.clone() };
    let more = summary::measure_summaries(&scores, &summary::bootstrap(&run.traces, &fewer));
    let mut curves = Vec::new();
    for family in FAMILIES {
        let mut points = Vec::new();
        for measure in wanted.iter().filter(|measure| measure.family() == family) {
            let name = measure.to_string();
            let found = known.get(&name).or_else(|| more.get(&name)).copied();
            if let (Some(Cutoff::Top(k)), Some(found)) = (measure.cutoff(), found)
                && found.n > 0
            {
                points.push((k, found));
            }
        }
        if !points.is_empty() {
            curves.push(Curve { family, points });
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::evaluate;
    use crate::tests::{f1_judge, manifest, trace};
    use ragtriage_data::run::judged::Decided;

    fn plan(ks: &[usize]) -> EvaluationPlan {
        EvaluationPlan {
            measures: Measure::standard(ks),
            k: 1,
            judge: f1_judge(),
            resamples: 50,
            seed: 1,
            cluster: false,
        }
    }

    fn run() -> SavedRun {
        // The only relevant document is ranked first, third, and not at all.
        let rankings: [&[&str]; 3] = [&["d#0", "e#0"], &["e#0", "f#0", "d#0"], &["e#0"]];
        let traces = rankings
            .iter()
            .enumerate()
            .map(|(at, ranked)| trace(at, ranked, "18 May", None))
            .collect();
        SavedRun { manifest: manifest(), traces, passages: [].into(), decided: Decided::default() }
    }

    #[test]
    fn a_curve_goes_down_to_the_depth_of_the_longest_ranking() {
        let (run, plan) = (run(), plan(&[1]));
        let found = curves(&run, &evaluate(&run, &plan), &plan);
        let recall = found.iter().find(|curve| curve.family == Family::Recall).expect("a curve");
        // Found by the first, then still by the first alone, then by two of three.
        let points: Vec<(usize, f64)> =
            recall.points.iter().map(|(k, found)| (*k, found.mean)).collect();
        assert_eq!(points, [(1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 2.0 / 3.0)]);
        assert!(recall.points.iter().all(|(_, found)| found.n == 3));
    }

    #[test]
    fn it_says_what_the_measures_say_however_many_were_asked_for() {
        let run = run();
        let all =
            [plan(&[1]), plan(&[1, 2, 3])].map(|plan| curves(&run, &evaluate(&run, &plan), &plan));
        assert_eq!(all[0], all[1]);
    }

    #[test]
    fn a_run_without_rankings_has_no_curves() {
        let run = SavedRun { traces: Vec::new(), ..run() };
        let plan = plan(&[1]);
        assert_eq!(curves(&run, &evaluate(&run, &plan), &plan), []);
    }
}
