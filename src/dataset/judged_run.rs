//! `ragtriage dataset label --run`: the questions of a run whose labels may change its verdict, and the verdict after each of them.

use std::collections::HashMap;
use std::path::Path;

use crate::failure::Failure;
use crate::output;
use crate::run_folder::folder_of;
use ragtriage_core::text::numbers::{plural, whole};
use ragtriage_core::types::{Corpus, Dataset, Question, QuestionId, Trace};
use ragtriage_data::dataset::Candidates;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::diagnose;
use ragtriage_eval::labels::{self, DoubtedLabel, MOST_PASSAGES};
use ragtriage_eval::summary::{EvaluationPlan, evaluate};
use ragtriage_pipeline::settings::assemble;
use ragtriage_report::labelling::AnnotatorScreen;

/// Tag of the questions that were judged: they are not proposed again.
const JUDGED: &str = "judged";

/// A run, with the labels as far as they were judged.
pub struct JudgedRun {
    run: SavedRun,
    /// Its traces with the labels of the run.
    original: Vec<Trace>,
    plan: EvaluationPlan,
    /// Questions whose labels changed after the run.
    changed: Vec<Question>,
    /// Doubted and not judged.
    open: Vec<DoubtedLabel>,
}

impl JudgedRun {
    pub fn load(run: &Path) -> Result<Self, Failure> {
        let run = SavedRun::load(&folder_of(run))?;
        if run.manifest.finished.is_none() {
            let message = format!("the run `{}` is not finished", run.manifest.name);
            let hint = format!("complete it: `ragtriage run --resume {}`", run.manifest.name);
            return Err(Failure::new(message, hint));
        }
        let plan = assemble::evaluation(&run.manifest.settings);
        Ok(Self { original: run.traces.clone(), run, plan, changed: Vec::new(), open: Vec::new() })
    }

    /// Leaves the questions with doubted labels in `dataset`, those first that may change the verdict most, and returns the places of
    /// their passages. Questions whose labels changed after the run were judged already; those with another text are left out.
    ///
    /// # Errors
    /// None of its questions is in `dataset`.
    pub fn propose(&mut self, dataset: &mut Dataset) -> Result<Candidates, Failure> {
        let outcomes = diagnose::outcomes(&self.run, self.plan.k, self.plan.judge);
        let doubted = labels::doubted(&self.run, &outcomes);
        let all = std::mem::take(&mut dataset.questions).into_iter();
        let mut all: HashMap<QuestionId, Question> =
            all.map(|question| (question.id.clone(), question)).collect();
        let mut candidates = Candidates::new();
        let (mut n_passages, mut is_known) = (0, false);
        for (number, trace) in self.run.traces.iter().enumerate() {
            let asked = &trace.question;
            let Some(question) = all.remove(&asked.id).filter(|it| it.text == asked.text) else {
                continue;
            };
            is_known = true;
            let Question { evidence, relevant, kind, tags, .. } = &question;
            let is_same =
                (evidence, relevant, *kind) == (&asked.evidence, &asked.relevant, asked.kind);
            if is_same && !tags.iter().any(|tag| tag == JUDGED) {
                all.insert(question.id.clone(), question);
            } else {
                if question.lacks_evidence() {
                    let outcome = &outcomes[number];
                    self.open.extend(DoubtedLabel::without_evidence(number, trace, outcome));
                }
                self.changed.push(question);
            }
        }
        if !is_known {
            let message = format!("no question of `{}` is in this set", self.run.manifest.name);
            return Err(Failure::new(message, "name the configuration of its data set"));
        }
        for label in doubted {
            let id = &self.run.traces[label.trace].question.id;
            let Some(mut question) = all.remove(id) else { continue };
            n_passages += label.passages.len();
            if n_passages <= MOST_PASSAGES {
                let passages = label.passages.iter().filter_map(|id| self.run.passages.get(id));
                let places = passages.map(|passage| (passage.doc.clone(), passage.range)).collect();
                candidates.insert(id.clone(), places);
                question.tags.push(JUDGED.to_owned());
                dataset.questions.push(question);
            }
            self.open.push(label);
        }
        Ok(candidates)
    }

    /// Shows the verdict with the labels that were judged earlier, and those of `judged`.
    pub fn show(&mut self, judged: Option<&Question>, corpus: &Corpus) {
        for question in self.changed.drain(..).chain(judged.cloned()) {
            // Where no passage was found to answer, the evidence is not known yet.
            if question.lacks_evidence() {
                continue;
            }
            if let Some(number) = self.original.iter().position(|it| it.question.id == question.id)
            {
                self.run.traces[number] = self.original[number].clone();
                labels::relabel(&mut self.run, number, &question, corpus);
                self.open.retain(|label| label.trace != number);
            }
        }
        let verdict = evaluate(&self.run, &self.plan).summary.verdict;
        output::show(&AnnotatorScreen::new(output::talk_width(), false).say(&verdict.text));
        let n_open = self.open.len();
        if n_open > 0 && verdict.counts_answers {
            let bounds = labels::bounds(&verdict, &self.open);
            output::talk(&format!(
                "{} with doubted or missing labels: retrieval loses {} to {} if no other label is wrong",
                plural(n_open, "question", "questions"),
                whole(bounds.low),
                whole(bounds.high),
            ));
        }
    }
}
