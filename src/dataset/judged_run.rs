//! `ragtriage dataset label --run`: the questions of a run whose labels may change its verdict, and the verdict after each of them.

use std::collections::HashMap;
use std::path::Path;

use crate::failure::Failure;
use crate::output;
use crate::run_folder::folder_of;
use ragtriage_core::text::numbers::{plural, whole};
use ragtriage_core::types::{Corpus, Dataset, Question, QuestionId};
use ragtriage_data::dataset::Candidates;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::labels::{self, DoubtedLabel, MOST_PASSAGES};
use ragtriage_eval::summary::{EvaluationPlan, evaluate};
use ragtriage_pipeline::settings::assemble;
use ragtriage_report::labelling::AnnotatorScreen;

/// A run, with the labels as far as they were judged.
pub struct JudgedRun {
    run: SavedRun,
    plan: EvaluationPlan,
    /// Questions whose labels changed after the run.
    changed: Vec<Question>,
    /// Proposed and not judged.
    open: Vec<DoubtedLabel>,
}

impl JudgedRun {
    pub fn load(run: &Path) -> Result<Self, Failure> {
        let run = SavedRun::load(&folder_of(run))?;
        let plan = assemble::evaluation(&run.manifest.settings);
        Ok(Self { run, plan, changed: Vec::new(), open: Vec::new() })
    }

    /// Leaves the questions with doubted labels in `dataset`, those first that may change the verdict most, and returns the places of
    /// their passages. Questions whose labels changed after the run were judged already.
    pub fn propose(&mut self, dataset: &mut Dataset) -> Candidates {
        let outcomes = evaluate(&self.run, &self.plan).outcomes;
        let doubted = labels::doubted(&self.run, &outcomes);
        let all = std::mem::take(&mut dataset.questions).into_iter();
        let mut all: HashMap<QuestionId, Question> =
            all.map(|question| (question.id.clone(), question)).collect();
        let mut candidates = Candidates::new();
        let mut n_passages = 0;
        for trace in &self.run.traces {
            let is_changed = |question: &Question| {
                (&question.evidence, &question.relevant, question.kind)
                    != (&trace.question.evidence, &trace.question.relevant, trace.question.kind)
            };
            if all.get(&trace.question.id).is_some_and(is_changed) {
                self.changed.extend(all.remove(&trace.question.id));
            }
        }
        for label in doubted {
            let id = &self.run.traces[label.trace].question.id;
            if n_passages + label.passages.len() > MOST_PASSAGES {
                break;
            }
            let Some(question) = all.remove(id) else { continue };
            n_passages += label.passages.len();
            let passages = label.passages.iter().filter_map(|id| self.run.passages.get(id));
            let places = passages.map(|passage| (passage.doc.clone(), passage.range)).collect();
            candidates.insert(id.clone(), places);
            dataset.questions.push(question);
            self.open.push(label);
        }
        candidates
    }

    /// Shows the verdict with the labels that were judged earlier, and those of `judged`.
    pub fn show(&mut self, judged: Option<&Question>, corpus: &Corpus) {
        for question in self.changed.drain(..).chain(judged.cloned()) {
            let mut traces = self.run.traces.iter();
            if let Some(number) = traces.position(|trace| trace.question.id == question.id) {
                labels::relabel(&mut self.run, number, &question, corpus);
                self.open.retain(|label| label.trace != number);
            }
        }
        let verdict = evaluate(&self.run, &self.plan).summary.verdict;
        output::talk(&AnnotatorScreen::new(output::talk_width(), false).say(&verdict.text));
        let n_open = self.open.iter().map(|label| label.passages.len()).sum();
        if n_open > 0 {
            let bounds = labels::bounds(&verdict, &self.open);
            output::talk(&format!(
                "{} to judge: retrieval loses {} to {}, whatever they show",
                plural(n_open, "passage", "passages"),
                whole(bounds.low),
                whole(bounds.high),
            ));
        }
    }
}
