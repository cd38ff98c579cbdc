//! Gain predicted by the baseline's loss budget for the questions whose losing stage changed, compared with
//! the observed gain.

use serde::Serialize;

use super::pairs::Pairs;
use super::scored::Scored;
use crate::diagnose;
use crate::verdict::{self, BudgetOf, Source};
use ragtriage_core::stats::randomisation::{RandomisationPlan, randomisation};
use ragtriage_core::types::{ArmName, Interval};

/// The stages that lose support on its way to the prompt.
const STAGES: [Source; 5] =
    [Source::Corpus, Source::Chunking, Source::Retrieval, Source::Ranking, Source::Packing];

/// Predicted and observed gain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// Questions in both runs' loss budgets: all gains are means over these.
    pub n: usize,
    /// The stages with recovered or newly lost questions, in pipeline order.
    pub stages: Vec<StageGain>,
    /// The sum over all stages.
    pub total: Gain,
}

/// The gain of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StageGain {
    /// The stage.
    pub stage: Source,
    /// Questions lost there in the baseline and delivered in the run.
    pub brought_back: usize,
    /// Questions delivered in the baseline and lost there in the run.
    pub newly_lost: usize,
    /// Their gain.
    pub gain: Gain,
}

/// A gain in the mean answer score over all n questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Gain {
    /// Prediction of the loss budgets.
    pub predicted: f64,
    /// The observed gain on these questions.
    pub came_in: f64,
    /// Its 95% interval, by the randomisation test over clusters; `None` under two clusters.
    pub ci95: Option<Interval>,
}

/// The contribution of one pair.
struct Moved {
    stage: Source,
    back: bool,
    predicted: f64,
    came_in: f64,
    row: usize,
}

/// Compares the gain predicted by the budgets with the observed gain; `None` if no question is in both budgets, or none was
/// recovered or newly lost.
///
/// Let T(s, q) be the loss of question q at stage s. B recovers questions that s lost in A and newly loses others; then
///
/// `predicted(s) = (sum of T_A(s, q) over those recovered - sum of T_B(s, q) over those newly lost) / n`
///
/// The observed gain is the mean over n of score(B) - score(A), all other questions counting 0. Questions lost in both runs at
/// two stages are in neither. The term of `corpus` holds the whole loss, the reader's share included: there the prediction is
/// an upper bound.
pub(super) fn predicted(
    pairs: &Pairs<'_>,
    first: &Scored,
    second: &Scored,
    plan: RandomisationPlan,
) -> Option<Predicted> {
    let (mut moved, mut cluster_of) = (Vec::new(), Vec::new());
    for ((a, b), cluster) in pairs.list.iter().zip(&pairs.pairing.cluster_of) {
        let sides = [(a.trace, &first.outcomes[a.at]), (b.trace, &second.outcomes[b.at])];
        let terms =
            sides.map(|(trace, outcome)| verdict::answer_terms(trace, outcome, BudgetOf::Right));
        let scores =
            sides.map(|(trace, outcome)| diagnose::right(trace, outcome, ArmName::Retrieved));
        let ([Some(of_a), Some(of_b)], [Some(from), Some(to)]) = (terms, scores) else {
            continue;
        };
        let row = cluster_of.len();
        let lost = sides
            .map(|(_, outcome)| verdict::lost_at(outcome).filter(|stage| STAGES.contains(stage)));
        match lost {
            [Some(stage), None] => {
                moved.push(Moved {
                    stage,
                    back: true,
                    predicted: of_a[stage as usize],
                    came_in: to - from,
                    row,
                });
            }
            [None, Some(stage)] => {
                moved.push(Moved {
                    stage,
                    back: false,
                    predicted: -of_b[stage as usize],
                    came_in: to - from,
                    row,
                });
            }
            _ => {}
        }
        cluster_of.push(*cluster);
    }
    let stages: Vec<StageGain> = STAGES
        .into_iter()
        .filter_map(|stage: Source| {
            let here: Vec<&Moved> = moved.iter().filter(|one| one.stage == stage).collect();
            let brought_back = here.iter().filter(|one| one.back).count();
            let newly_lost = here.len() - brought_back;
            (!here.is_empty()).then(|| StageGain {
                stage,
                brought_back,
                newly_lost,
                gain: gain(&here, &cluster_of, plan),
            })
        })
        .collect();
    let total = gain(&moved.iter().collect::<Vec<_>>(), &cluster_of, plan);
    (!stages.is_empty()).then_some(Predicted { n: cluster_of.len(), stages, total })
}

fn gain(moved: &[&Moved], cluster_of: &[usize], plan: RandomisationPlan) -> Gain {
    let n = cluster_of.len();
    let mut gains = vec![0.0; n];
    for one in moved {
        gains[one.row] = one.came_in;
    }
    let n = n.max(1) as f64;
    Gain {
        predicted: moved.iter().map(|one| one.predicted).sum::<f64>() / n,
        came_in: gains.iter().sum::<f64>() / n,
        ci95: randomisation(&gains, cluster_of, plan)
            .and_then(|test| test.interval)
            .map(|interval| interval.within(1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::run;
    use crate::score::Scores;
    use crate::tests::{f1_judge, outcome};
    use ragtriage_core::attribute::classify::Outcome;
    use ragtriage_core::attribute::judge::{Judgments, Settled};
    use ragtriage_core::types::{Arm, FailureClass, Stage, Trace};
    use ragtriage_runs::SavedRun;

    /// A run with these answers and a right oracle each; `lost`: true if ranking lost the question.
    fn run_of(name: &str, answers: &[&str], lost: &[bool]) -> (SavedRun, Scored) {
        let mut run = run(name, answers);
        let right = run_oracle();
        for trace in &mut run.traces {
            trace.arms.push(right.clone());
        }
        let judged = |(lost, trace): (&bool, &Trace)| {
            let outcome = if *lost {
                outcome(FailureClass::Ranking, Some(Stage::Ranking))
            } else {
                outcome(FailureClass::Correct, None)
            };
            Outcome { judgments: Judgments::new(trace, f1_judge(), &Settled::default()), ..outcome }
        };
        let outcomes = lost.iter().zip(&run.traces).map(judged).collect();
        let scores = Scores { measures: vec![], rows: vec![] };
        (run, Scored { scores, outcomes })
    }

    fn run_oracle() -> Arm {
        let retrieved = run("right", &["18 May"]).traces.remove(0).arms.remove(0);
        Arm { arm: ArmName::Oracle, ..retrieved }
    }

    fn predicted_of(a: &(SavedRun, Scored), b: &(SavedRun, Scored)) -> Option<Predicted> {
        let pairs = Pairs::new(&a.0, &b.0, true, false).expect("the same questions");
        let plan = RandomisationPlan { permutations: 100, seed: 0, tests: 1 };
        predicted(&pairs, &a.1, &b.1, plan)
    }

    #[test]
    fn what_a_stage_had_lost_of_the_questions_that_come_back() {
        let a = run_of("a", &["1815", "1815", "1815", "18 May"], &[true, true, true, false]);
        let b = run_of("b", &["18 May", "18 May", "1815", "1815"], &[false, false, true, true]);
        let found = predicted_of(&a, &b).expect("two came back");
        let [ranking] = found.stages[..] else { panic!("one stage: {found:?}") };
        assert_eq!(
            (found.n, ranking.stage, ranking.brought_back, ranking.newly_lost),
            (4, Source::Ranking, 2, 1)
        );
        // Ranking had lost both that came back, and the one newly lost loses 1.
        assert!((ranking.gain.predicted - (1.0 + 1.0 - 1.0) / 4.0).abs() < 1e-12);
        // 1, 1 and -1 came in, and 0 for the question that is lost in both: mean .25. Four clusters reject nothing, so the
        // interval is all that a difference of scores can be.
        assert!((ranking.gain.came_in - 0.25).abs() < 1e-12);
        assert_eq!(ranking.gain.ci95, Some(Interval { low: -1.0, high: 1.0 }));
        assert_eq!(found.total, ranking.gain);
    }

    #[test]
    fn nothing_is_said_where_no_question_changed_its_stage() {
        let a = run_of("a", &["1815", "18 May"], &[true, false]);
        assert_eq!(predicted_of(&a, &a), None);
    }
}
