//! Failure modes by failure class, with their frequency among questions that passed the stage.
//!
//! A mode that is as frequent among questions that passed the same stage explains nothing. Every share is therefore
//! reported with theirs and the interval of the difference.

use std::collections::BTreeMap;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnose::is_unknown;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::attribute::modes::{self, Signs};
use ragtriage_core::stats::share::ClusteredShare;
use ragtriage_core::types::{FailureClass, Interval, Mode, Stage, Trace};
use ragtriage_runs::SavedRun;

/// The stages with failure modes; a question whose evidence is missing from the corpus cannot be examined.
const STAGES: [Stage; 5] =
    [Stage::Chunking, Stage::Retrieval, Stage::Ranking, Stage::Packing, Stage::Generation];

/// The modes of the questions lost at one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassModes {
    /// The failure class.
    pub class: FailureClass,
    /// Number of questions.
    pub n: usize,
    /// Questions that passed the same stage: those whose support got past it; for `generation` only those with a right
    /// answer.
    pub n_passed: usize,
    /// Every possible failure mode, including those with count 0.
    pub modes: Vec<ModeShares>,
}

/// The frequency of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// Questions that show it.
    pub count: usize,
    /// Questions for which it is known.
    pub n: usize,
    /// `count` / `n`; 0 when `n` is 0.
    pub share: f64,
    /// Its 95 % interval.
    pub ci95: Option<Interval>,
}

/// A mode among the questions of a class and among those that passed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModeShares {
    /// The mode.
    pub mode: Mode,
    /// Among those lost.
    pub lost: Seen,
    /// Among those that passed; `None` for `bridge_missed`, which cannot occur there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<Seen>,
    /// The 95% interval of the first share minus the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference_ci95: Option<Interval>,
    /// True if that interval excludes zero.
    pub differs: bool,
    /// `bridge_missed`: counts of the first missing evidence group, numbered from 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<usize, usize>,
    /// `near_duplicates`: number of lost questions whose support is within the first k distinct passages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct_support: Option<usize>,
}

/// Returns the modes observed for every question of `run`; none for failed questions.
#[must_use]
pub fn signs(run: &SavedRun, outcomes: &[Outcome], top: TopK) -> Vec<Signs> {
    let titled = run.manifest.settings.chunking.title_prefix;
    run.traces
        .par_iter()
        .zip(outcomes)
        .map(|(trace, outcome): (&Trace, &Outcome)| match outcome.class {
            class if class.has_no_result() => Signs::default(),
            _ => modes::signs(trace, outcome, top, titled, &run.passages),
        })
        .collect()
}

/// Returns the modes of every class that lost a question. All lists are parallel.
#[must_use]
pub fn class_modes(outcomes: &[Outcome], signs: &[Signs], cluster_of: &[usize]) -> Vec<ClassModes> {
    STAGES
        .into_iter()
        .map(|stage: Stage| {
            let class = FailureClass::from(stage);
            let lost: Vec<usize> =
                (0..outcomes.len()).filter(|&at| outcomes[at].class == class).collect();
            let passed: Vec<usize> =
                (0..outcomes.len()).filter(|&at| passed(&outcomes[at], stage)).collect();
            let modes = Mode::ALL.into_iter().filter(|mode| mode.concerns(stage));
            let modes =
                modes.filter_map(|mode| shares(mode, &lost, &passed, signs, cluster_of)).collect();
            ClassModes { class, n: lost.len(), n_passed: passed.len(), modes }
        })
        .filter(|class| class.n > 0)
        .collect()
}

/// Returns true if `stage` could have lost the question and did not.
fn passed(outcome: &Outcome, stage: Stage) -> bool {
    let is_beyond = match stage {
        Stage::Retrieval | Stage::Ranking => {
            outcome.reached.is_some_and(|reached| reached[stage as usize])
        }
        Stage::Generation => outcome.class == FailureClass::Correct,
        _ => outcome.reached.is_some_and(|reached| reached[Stage::Packing as usize]),
    };
    is_beyond
        && !is_unknown(outcome, stage)
        && !outcome.class.has_no_result()
        && outcome.class != stage.into()
}

/// Returns `None` if the mode is unknown for all lost questions.
fn shares(
    mode: Mode,
    lost: &[usize],
    passed: &[usize],
    signs: &[Signs],
    cluster_of: &[usize],
) -> Option<ModeShares> {
    let [in_lost, in_passed] = [lost, passed].map(|questions| {
        let known =
            questions.iter().filter_map(|&at| Some((signs[at].shows(mode)?, cluster_of[at])));
        let (shows, clusters): (Vec<bool>, Vec<usize>) = known.unzip();
        ClusteredShare::new(&shows, &clusters)
    });
    let in_passed = Some(in_passed).filter(|share| mode != Mode::BridgeMissed && share.n > 0);
    let difference_ci95 = in_passed.and_then(|passed| in_lost.difference(&passed));
    let mut missing = BTreeMap::new();
    for group in
        lost.iter().filter_map(|&at| signs[at].missing_group).filter(|_| mode == Mode::BridgeMissed)
    {
        *missing.entry(group + 1).or_default() += 1;
    }
    (in_lost.n > 0).then(|| ModeShares {
        mode,
        lost: Seen::of(&in_lost),
        passed: in_passed.as_ref().map(Seen::of),
        difference_ci95,
        differs: difference_ci95.is_some_and(|interval| !interval.holds_zero()),
        missing,
        distinct_support: (mode == Mode::NearDuplicates)
            .then(|| lost.iter().filter(|&&at| signs[at].distinct_support).count()),
    })
}

impl Seen {
    fn of(share: &ClusteredShare) -> Self {
        Self { count: share.count, n: share.n, share: share.share(), ci95: share.interval() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::outcome;
    use super::*;

    /// Ten questions lost by ranking, ten right ones; for each, `(number that show the mode, number for which it is
    /// known)`.
    fn ranking(mode: Mode, lost: (usize, usize), passed: (usize, usize)) -> ModeShares {
        let outcomes = [
            vec![outcome(FailureClass::Ranking, Some(Stage::Ranking)); 10],
            vec![outcome(FailureClass::Correct, None); 10],
        ]
        .concat();
        let signs = |(shows, known): (usize, usize)| {
            (0..10).map(move |at| Signs {
                modes: (at < known).then_some((mode, at < shows)).into_iter().collect(),
                missing_group: (at < shows).then_some(at % 2),
                distinct_support: at == 0,
            })
        };
        let signs: Vec<Signs> = signs(lost).chain(signs(passed)).collect();
        let classes = class_modes(&outcomes, &signs, &(0..20).collect::<Vec<_>>());
        assert_eq!(
            (classes.len(), classes[0].class, classes[0].n, classes[0].n_passed),
            (1, FailureClass::Ranking, 10, 10)
        );
        assert_eq!(classes[0].modes.len(), 1, "modes that can be said of none are left out");
        classes.into_iter().flat_map(|class| class.modes).next().expect("one")
    }

    #[test]
    fn a_share_stands_beside_that_of_the_questions_that_passed() {
        // Newcombe 1998, table II, 9/10 - 3/10, method 10: .1705 to .8090.
        let shares = ranking(Mode::NearDuplicates, (9, 10), (3, 10));
        let ci = shares.difference_ci95.expect("clusters");
        assert!((ci.low - 0.1705).abs() < 6e-5 && (ci.high - 0.8090).abs() < 6e-5, "{ci:?}");
        let passed = shares.passed.expect("said");
        assert_eq!(
            (shares.lost.count, shares.lost.share, passed.count, shares.differs),
            (9, 0.9, 3, true)
        );
        assert_eq!((shares.distinct_support, shares.missing.len()), (Some(1), 0));
        assert!(!ranking(Mode::NearDuplicates, (5, 10), (4, 10)).differs);
    }

    #[test]
    fn questions_of_which_a_mode_cannot_be_said_are_in_no_share() {
        let shares = ranking(Mode::NoSharedTerm, (2, 4), (0, 0));
        assert_eq!(
            (shares.lost.count, shares.lost.n, shares.passed, shares.difference_ci95),
            (2, 4, None, None)
        );
    }

    #[test]
    fn a_missed_bridge_says_which_evidence_and_is_not_compared() {
        let shares = ranking(Mode::BridgeMissed, (3, 10), (0, 10));
        assert_eq!((shares.passed, shares.differs), (None, false));
        // The first group of questions 0 and 2, the second of question 1.
        assert_eq!(shares.missing, [(1, 2), (2, 1)].into());
    }

    #[test]
    fn who_lost_nothing_at_a_stage_passed_it_though_lost_later() {
        let outcomes = [Stage::Retrieval, Stage::Ranking, Stage::Packing, Stage::Corpus]
            .map(|stage| outcome(stage.into(), Some(stage)));
        let signs = vec![Signs::default(); 4];
        let counts: Vec<(FailureClass, usize, usize)> =
            class_modes(&outcomes, &signs, &[0, 1, 2, 3])
                .iter()
                .map(|class| (class.class, class.n, class.n_passed))
                .collect();
        // Ranking and packing had their candidates, packing its top k; nothing reached the prompt.
        assert_eq!(
            counts,
            [
                (FailureClass::Retrieval, 1, 2),
                (FailureClass::Ranking, 1, 1),
                (FailureClass::Packing, 1, 0)
            ]
        );
    }
}
