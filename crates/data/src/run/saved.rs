//! Loading of a run.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::judged::Decided;
use super::{Error, Manifest, RunFolder, lines};
use ragtriage_core::attribute::judge::read_by_question;
use ragtriage_core::config::Settings;
use ragtriage_core::types::{
    Condition, ContextUse, Passage, PassageMap, Question, QuestionId, Trace,
};

const RESTORE: &str = "restore the whole folder, or run again";

/// A run's files in memory.
#[derive(Clone, Debug)]
pub struct SavedRun {
    /// `run.json`.
    pub manifest: Manifest,
    /// By `index`; of several lines with one id the last. Score components only if requested.
    pub traces: Vec<Trace>,
    /// Every passage that a trace names.
    pub passages: PassageMap,
    /// Decisions of a judge and of people on its answers.
    pub decided: Decided,
}

impl SavedRun {
    /// Reads the run in `folder`, without score components: they are most of a trace, and no metric uses them.
    ///
    /// # Errors
    /// A damaged file or another schema; a trace that names a missing passage, since every metric that reads passages would
    /// be silently wrong; a finished run that lacks questions, since every mean would be.
    pub fn load(folder: &RunFolder) -> Result<Self, Error> {
        Self::load_with_parts(folder, 0)
    }

    /// Loads the run as [`Self::load`] does, with the score components of the first `depth` hits of
    /// each step.
    pub fn load_with_parts(folder: &RunFolder, depth: usize) -> Result<Self, Error> {
        let run = Self::load_incomplete(folder, depth)?;
        let n_questions = run.manifest.n_questions;
        let n_missing = n_questions.saturating_sub(run.traces.len());
        if run.manifest.finished.is_some() && n_missing > 0 {
            let path = folder.file("traces.jsonl");
            let path = path.display();
            return Err(Error::new(
                format!(
                    "`{path}` lacks {n_missing} of the {n_questions} questions of a finished run"
                ),
                "restore the whole folder, or resume the run to ask the missing questions",
            ));
        }
        Ok(run)
    }

    /// Loads the run as [`Self::load_with_parts`] does, also a finished one without some of its traces: it can be resumed.
    pub fn load_incomplete(folder: &RunFolder, depth: usize) -> Result<Self, Error> {
        let manifest = Manifest::load(folder)?;
        let passages = passages(&folder.file("passages.jsonl"))?;
        let read = lines::read(&folder.file("traces.jsonl"), |trace: Trace| {
            shared(trace, &passages, depth)
        })?;
        let mut last: HashMap<QuestionId, (Trace, usize)> = HashMap::with_capacity(read.len());
        for (trace, n_missing) in read {
            last.insert(trace.question.id.clone(), (trace, n_missing));
        }
        if last.values().any(|(_, n_missing)| *n_missing > 0) {
            let path = folder.file("passages.jsonl");
            let path = path.display();
            return Err(Error::new(
                format!("`{path}` lacks passages that the run's traces name"),
                RESTORE,
            ));
        }
        let mut traces: Vec<Trace> = last.into_values().map(|(trace, _)| trace).collect();
        traces.sort_unstable_by_key(|trace| trace.index);
        let Settings { evaluation, dataset, .. } = &manifest.settings;
        for Trace { question, conditions, .. } in &mut traces {
            for attempt in conditions.iter_mut().flat_map(|condition| &mut condition.attempts) {
                read_by_question(question, attempt, &evaluation.declined, dataset.language());
            }
        }
        let decided = Decided::read(folder, &traces)?;
        let mut run = Self { manifest, traces, passages, decided };
        run.leave_out_unread_conditions();
        Ok(run)
    }

    /// Returns the use that an external RAG made of the contexts that it was sent.
    #[must_use]
    pub fn context_use(&self) -> ContextUse {
        ContextUse::of(self.traces.iter().filter_map(|trace| trace.probe.as_ref()))
    }

    /// Removes the answers under conditions of a service that ignored their contexts: they say nothing of any condition.
    fn leave_out_unread_conditions(&mut self) {
        if let ContextUse::Ignored { .. } = self.context_use() {
            for trace in &mut self.traces {
                trace.conditions.retain(|condition| condition.condition == Condition::Retrieved);
            }
        }
    }
}

/// Reads the passages of a run; a passage may be repeated, but not with different contents.
fn passages(path: &Path) -> Result<PassageMap, Error> {
    let read = lines::read(path, |passage: Passage| passage)?;
    let mut passages = PassageMap::with_capacity(read.len());
    for passage in read {
        match passages.get(&passage.id) {
            None => drop(passages.insert(passage.id.clone(), passage)),
            Some(first) if *first == passage => {}
            Some(_) => {
                let (path, id) = (path.display(), &passage.id);
                let message = format!("`{path}` has two passages `{id}` with different contents");
                return Err(Error::new(message, RESTORE));
            }
        }
    }
    Ok(passages)
}

impl SavedRun {
    /// Removes the text of the corpus, gold answers and model answers: only questions, ids, ranges, classes and metrics remain.
    pub fn forget_texts(&mut self) {
        self.decided = Decided::default();
        for passage in self.passages.values_mut() {
            let Passage { id: _, doc: _, title, range: _, text, tokens: _ } = passage;
            *title = String::new();
            *text = String::new();
        }
        for trace in &mut self.traces {
            let Question {
                id: _,
                text: _,
                history,
                standalone,
                kind: _,
                answers,
                evidence: _,
                relevant: _,
                required,
                forbidden,
                tags: _,
                split: _,
            } = &mut trace.question;
            history.clear();
            *standalone = None;
            trace.steps.iter_mut().for_each(|step| step.query = None);
            answers.clear();
            required.clear();
            forbidden.clear();
            let conditions = trace.conditions.iter_mut();
            let attempts = conditions.flat_map(|condition| &mut condition.attempts);
            for attempt in trace.rewrite.iter_mut().chain(attempts) {
                attempt.raw.clear();
                attempt.extracted.clear();
                // An endpoint's message may quote the request.
                if let Some(error) = &mut attempt.error {
                    "(left out)".clone_into(&mut error.message);
                }
            }
            if let Some(error) = &mut trace.error {
                "(left out)".clone_into(&mut error.message);
            }
        }
    }
}

/// Returns the trace with ids shared across the run, and the number of missing passages it names. Score components of hits beyond
/// the first `depth` are dropped.
fn shared(mut trace: Trace, passages: &PassageMap, depth: usize) -> (Trace, usize) {
    let mut n_missing = 0;
    for id in trace.passages_mut() {
        match passages.get(id) {
            Some(passage) => id.clone_from(&passage.id),
            None => n_missing += 1,
        }
    }
    for hit in trace.steps.iter_mut().flat_map(|step| step.hits.iter_mut().skip(depth)) {
        hit.parts = BTreeMap::new();
    }
    (trace, n_missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::{ByteRange, Step, Support, SupportRule};

    /// Longer than an id that is stored inline.
    const LONG: &str = "a-document-with-a-long-name#0";

    #[test]
    fn a_long_id_stands_in_memory_once_and_a_passage_that_is_gone_is_counted() {
        let passage = Passage {
            id: LONG.into(),
            doc: "d".into(),
            title: String::new(),
            range: ByteRange::new(0, 1),
            text: "x".to_owned(),
            tokens: None,
        };
        let passages = PassageMap::from([(passage.id.clone(), passage)]);
        let support = Support { holds: false, rule: SupportRule::Nothing };
        let question = serde_json::json!({"id": "q", "text": "?", "kind": "free"});
        let trace = serde_json::json!({
            "index": 0,
            "question": question,
            "gold": {"documents": support, "chunks": support, "groups": []},
            "stages": [{
                "stage": Step::Bm25,
                "hits": [{"id": LONG, "score": 1.0, "parts": {"term": 1.0}}, {"id": "gone#0", "score": 0.5}],
                "seconds": 0.0,
            }],
            "conditions": [],
        });
        let (kept, _) =
            shared(serde_json::from_value(trace.clone()).expect("a trace"), &passages, 1);
        assert_eq!(kept.steps[0].hits[0].parts.len(), 1);
        let (trace, n_missing) =
            shared(serde_json::from_value(trace).expect("a trace"), &passages, 0);
        let hits = &trace.steps[0].hits;
        assert_eq!((n_missing, hits[0].id.as_str(), hits[0].parts.len()), (1, LONG, 0));
        assert!(std::ptr::eq(hits[0].id.as_str(), passages[&hits[0].id].id.as_str()));
    }
}
