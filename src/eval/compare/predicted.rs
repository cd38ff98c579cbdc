//! What the baseline's loss budget promised for the questions whose losing stage changed, beside what came in.

use serde::Serialize;

use super::{Pairs, Scored};
use crate::eval::diagnose;
use crate::eval::verdict::{self, Source};
use crate::pipeline::plan::Judge;
use crate::stats::t::mean_error;
use crate::types::{ArmName, Interval};

/// The stages that lose support on its way to the prompt.
const STAGES: [Source; 5] = [Source::Corpus, Source::Chunking, Source::Retrieval, Source::Ranking, Source::Packing];

/// Predicted and real gain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// Questions with a place in both runs' loss budgets: what all gains are means over.
    pub n: usize,
    /// The stages that questions came back from or were newly lost at, in the pipeline's order.
    pub stages: Vec<StageGain>,
    /// All of them together.
    pub total: Gain,
}

/// One stage's part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StageGain {
    /// The stage.
    pub stage: Source,
    /// Questions that it lost in the baseline and that are delivered in the run.
    pub brought_back: usize,
    /// Questions delivered in the baseline that it loses in the run.
    pub newly_lost: usize,
    /// What they gained.
    pub gain: Gain,
}

/// A gain in the mean answer score over all n questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Gain {
    /// By the loss budgets.
    pub predicted: f64,
    /// What came in on these questions.
    pub came_in: f64,
    /// Its 95 % interval, paired t over clusters; `None` under two clusters.
    pub ci95: Option<Interval>,
}

/// One pair's part in it.
struct Moved {
    stage: usize,
    back: bool,
    gain: f64,
    row: usize,
}

/// Sets what the budgets predict beside what came in; `None` where no question has a place in both budgets or none was brought
/// back or newly lost.
///
/// Let T(s) be the mean term of stage s over the questions that s lost, its loss a question. B brings back b(s) questions that s
/// lost in A and newly loses l(s) that A delivered; then
///
/// `predicted(s) = (b(s) T(s in A) - l(s) T(s in B)) / n`
///
/// Beside it stands the mean over n of score(B) - score(A), all other questions counting 0. Questions lost in both runs at two
/// stages are in neither. The term of `corpus` holds the whole loss, the reader's share included: there the prediction is the
/// most that can come in.
pub(super) fn predicted(pairs: &Pairs<'_>, first: &Scored, second: &Scored, judge: Judge) -> Option<Predicted> {
    let (mut n, mut moved, mut cluster_of) = (0, Vec::new(), Vec::new());
    // By run and stage: the sum of its terms, the questions that it lost.
    let mut terms = [[(0.0, 0_usize); STAGES.len()]; 2];
    for ((a, b), cluster) in pairs.list.iter().zip(&pairs.cluster_of) {
        let sides = [(a.trace, &first.outcomes[a.at]), (b.trace, &second.outcomes[b.at])];
        let [Some(of_a), Some(of_b)] = sides.map(|(trace, outcome)| verdict::answer_terms(trace, outcome, judge))
        else {
            continue;
        };
        let lost = sides.map(|(_, outcome)| {
            let lost = verdict::lost_at(outcome)?;
            STAGES.iter().position(|stage| *stage == lost)
        });
        for (run, (lost, of_run)) in lost.iter().zip([of_a, of_b]).enumerate() {
            if let Some(stage) = *lost {
                terms[run][stage].0 += of_run[STAGES[stage] as usize];
                terms[run][stage].1 += 1;
            }
        }
        let [Some(from), Some(to)] = sides.map(|(trace, _)| diagnose::quality(trace, ArmName::Retrieved, judge)) else {
            continue;
        };
        match lost {
            [Some(stage), None] => moved.push(Moved { stage, back: true, gain: to - from, row: n }),
            [None, Some(stage)] => moved.push(Moved { stage, back: false, gain: to - from, row: n }),
            _ => {}
        }
        n += 1;
        cluster_of.push(*cluster);
    }
    let mean = |run: usize, stage: usize| terms[run][stage].0 / terms[run][stage].1.max(1) as f64;
    let stages: Vec<StageGain> = (0..STAGES.len())
        .filter_map(|stage| {
            let here: Vec<&Moved> = moved.iter().filter(|one| one.stage == stage).collect();
            let brought_back = here.iter().filter(|one| one.back).count();
            let newly_lost = here.len() - brought_back;
            let sum = brought_back as f64 * mean(0, stage) - newly_lost as f64 * mean(1, stage);
            let gain = gain(sum / n as f64, &here, n, &cluster_of);
            (!here.is_empty()).then_some(StageGain { stage: STAGES[stage], brought_back, newly_lost, gain })
        })
        .collect();
    let sum = stages.iter().map(|stage| stage.gain.predicted).sum();
    let total = gain(sum, &moved.iter().collect::<Vec<_>>(), n, &cluster_of);
    (!stages.is_empty()).then_some(Predicted { n, stages, total })
}

fn gain(predicted: f64, moved: &[&Moved], n: usize, cluster_of: &[usize]) -> Gain {
    let mut gains = vec![0.0; n];
    for one in moved {
        gains[one.row] = one.gain;
    }
    Gain {
        predicted,
        came_in: gains.iter().sum::<f64>() / n.max(1) as f64,
        ci95: mean_error(&gains, cluster_of).map(|mean| mean.interval().within(1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::compare::tests::run;
    use crate::eval::score::Scores;
    use crate::eval::tests::{JUDGE, outcome};
    use crate::store::SavedRun;
    use crate::types::{Arm, Class};

    /// A run with these answers and a right oracle each; `lost`: whether ranking lost the question.
    fn run_of(name: &str, answers: &[&str], lost: &[bool]) -> (SavedRun, Scored) {
        let mut run = run(name, answers);
        let right = run_oracle();
        for trace in &mut run.traces {
            trace.arms.push(right.clone());
        }
        let class = |lost: &bool| {
            if *lost { outcome(Class::Ranking, Some(Class::Ranking)) } else { outcome(Class::Correct, None) }
        };
        let scores = Scores { measures: vec![], rows: vec![] };
        (run, Scored { scores, outcomes: lost.iter().map(class).collect() })
    }

    fn run_oracle() -> Arm {
        let retrieved = run("right", &["18 May"]).traces.remove(0).arms.remove(0);
        Arm { arm: ArmName::Oracle, ..retrieved }
    }

    fn predicted_of(a: &(SavedRun, Scored), b: &(SavedRun, Scored)) -> Option<Predicted> {
        let pairs = Pairs::new(&a.0, &b.0, true, false).expect("the same questions");
        predicted(&pairs, &a.1, &b.1, JUDGE)
    }

    #[test]
    fn a_stage_s_mean_loss_times_what_comes_back() {
        let a = run_of("a", &["1815", "about 18 May", "1815", "18 May"], &[true, true, true, false]);
        let b = run_of("b", &["18 May", "about 18 May", "1815", "1815"], &[false, false, true, true]);
        let found = predicted_of(&a, &b).expect("two came back");
        let [ranking] = found.stages[..] else { panic!("one stage: {found:?}") };
        assert_eq!((found.n, ranking.stage, ranking.brought_back, ranking.newly_lost), (4, Source::Ranking, 2, 1));
        // In A ranking lost 1 + .2 + 1 over three questions, in B 1 + 1 over two: (2 x 2.2 / 3 - 1 x 1) / 4.
        assert!((ranking.gain.predicted - (4.4 / 3.0 - 1.0) / 4.0).abs() < 1e-12);
        // 1, 0 and -1 came in, and 0 for the question that is lost in both. Standard error sqrt(2/3) / 2, t(.975, 3) = 3.18:
        // 0 -+ 1.30, cut to what a difference of scores can be.
        assert!(ranking.gain.came_in.abs() < 1e-12);
        assert_eq!(ranking.gain.ci95, Some(Interval { low: -1.0, high: 1.0 }));
        assert_eq!(found.total, ranking.gain);
    }

    #[test]
    fn nothing_is_said_where_no_question_changed_its_stage() {
        let a = run_of("a", &["1815", "18 May"], &[true, false]);
        assert_eq!(predicted_of(&a, &a), None);
    }
}
