//! A judged run: what gates read of a run, without its texts.
//!
//! It is computed from a saved run, or read from a baseline file ([`mod@file`]), which is small enough for a repository. Gates
//! use no other part of a run, so both give the same verdicts.

pub mod file;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::asked::{AskedQuestion, asked};
use crate::compare::pairs::NamedQuestions;
use crate::{diagnose, score};
use ragtriage_core::measure::{Measure, Quantity};
use ragtriage_core::rightness::Judge;
use ragtriage_core::types::{FailureClass, Fault};
use ragtriage_data::run::SavedRun;

/// A run's questions with their failure classes and scores; all lists are parallel to the questions.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRun {
    /// The run's name.
    pub name: String,
    /// The rule for right answers that it was judged by.
    pub judge: Judge,
    questions: Vec<AskedQuestion>,
    /// Empty where no class was asked for.
    classes: Vec<FailureClass>,
    /// Empty where no class was asked for.
    faults: Vec<Option<Fault>>,
    columns: BTreeMap<Measure, Vec<Option<f64>>>,
}

impl JudgedRun {
    /// Judges a saved run that packed `k` hits, with its scores by `measures`.
    #[must_use]
    pub fn new(run: &SavedRun, measures: &[Measure], k: usize, judge: Judge) -> Self {
        let outcomes = diagnose::outcomes(run, k, judge);
        Self {
            classes: outcomes.iter().map(|outcome| outcome.class).collect(),
            faults: outcomes.iter().map(|outcome| outcome.fault).collect(),
            ..Self::without_classes(run, measures, judge)
        }
    }

    /// Scores a saved run by `measures` and leaves its questions unclassified: classifying takes longer than scoring, and most
    /// gates are on measures.
    #[must_use]
    pub fn without_classes(run: &SavedRun, measures: &[Measure], judge: Judge) -> Self {
        let scores = score::score(run, measures, judge);
        let columns =
            measures.iter().filter_map(|measure| Some((*measure, scores.column(*measure)?)));
        Self {
            name: run.manifest.name.clone(),
            judge,
            questions: asked(run),
            classes: Vec::new(),
            faults: Vec::new(),
            columns: columns.collect(),
        }
    }

    /// Returns the run's name with its questions, for pairing.
    pub(crate) fn named_questions(&self) -> NamedQuestions<'_> {
        (&self.name, &self.questions)
    }

    /// Returns each question's value: a score, or 1 if it has the class or fault and 0 if not. `None` for a measure that the
    /// run was not scored by, for a class where its questions are not classified, and for a class of answers where the run has none.
    #[must_use]
    pub fn column(&self, quantity: Quantity) -> Option<Vec<Option<f64>>> {
        let shares = |needs_answers: bool, has: &dyn Fn(usize) -> bool| {
            let has_answers = || self.classes.iter().any(|class| class.needs_an_answer());
            let is_known = self.classes.len() == self.questions.len();
            let questions = 0..self.questions.len();
            let shares = questions.map(|at| Some(f64::from(u8::from(has(at)))));
            (is_known && (!needs_answers || has_answers())).then(|| shares.collect())
        };
        match quantity {
            Quantity::Measure(measure) => self.columns.get(&measure).cloned(),
            Quantity::Class(class) => {
                shares(class.needs_an_answer(), &|at| self.classes[at] == class)
            }
            Quantity::Fault(fault) => shares(true, &|at| self.faults[at] == Some(fault)),
        }
    }
}
