//! The judgment of one ended program: the correct result, an error, or a failure of the program.

use std::collections::BTreeMap;

use serde_json::Value;

/// An undisturbed run.
pub struct Known {
    pub summary: Value,
    /// `outcomes.jsonl` by question.
    pub outcomes: BTreeMap<String, Value>,
    pub n_calls: usize,
}

/// One ended program.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Exit status; above 128 a signal, as shells report it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// How a program may end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    Correct,
    /// Failed questions are counted as such, every other question has its correct outcome.
    SomeFailed(usize),
    /// The error's first line.
    Error(String),
    /// Ended by the kill that is the fault.
    Killed,
}

/// No error needs more lines.
const MOST_LINES: usize = 12;

impl Known {
    /// Returns a summary without what a run took: times, tokens and cost are counted again on resume.
    pub fn lasting(mut summary: Value) -> Value {
        for key in ["seconds", "costs", "tokens", "cost_usd"] {
            summary.as_object_mut().expect("an object").remove(key);
        }
        summary
    }

    /// Fails unless the result has correct and wrong answers and losses before generation, so that a fault could change it.
    pub fn assert_telling(&self) {
        let n = |class: &str| self.summary["classes"][class].as_u64().unwrap_or_default();
        let lost = n("not_retrieved") + n("ranked_low");
        assert!(
            n("correct") > 3
                && n("not_packed") + n("wrong_answer") > 3
                && lost > 3
                && n("failed") == 0,
            "{}",
            self.summary["classes"]
        );
        assert!(self.n_calls >= 80, "only {} calls to strike at", self.n_calls);
    }

    /// Judges a program that printed `summary.json`; `outcomes` are those of its run folder, if it can be read.
    ///
    /// # Errors
    /// Wrong results, and endings that no fault excuses.
    pub fn judge(&self, ended: &Ended, outcomes: Option<&str>) -> Result<Ending, String> {
        let refuse = |what: &str| Err(format!("{what}\nexit {}\n{}", ended.code, ended.stderr));
        if ended.stderr.contains("panicked at") {
            return refuse("panic");
        }
        if ended.stderr.lines().count() > MOST_LINES {
            return refuse("a page of messages");
        }
        let error = ended.stderr.lines().find(|line| line.starts_with("error: "));
        match (ended.code, error) {
            (0, _) => self.judge_result(&ended.stdout, outcomes),
            (1 | 2, Some(_)) if !ended.stderr.contains("\nhint: ") => {
                refuse("an error without a hint")
            }
            (1 | 2, Some(error)) => Ok(Ending::Error(error.to_owned())),
            (1 | 2, None) => refuse("an exit status without an error"),
            _ => refuse("ended by a signal"),
        }
    }

    fn judge_result(&self, stdout: &str, outcomes: Option<&str>) -> Result<Ending, String> {
        let Ok(summary) = serde_json::from_str::<Value>(stdout) else {
            return Err(format!("exit 0 without a summary: {stdout:.200}"));
        };
        let n_failed = summary["classes"]["failed"].as_u64().unwrap_or_default();
        let summary = Self::lasting(summary);
        if summary == self.summary {
            return Ok(Ending::Correct);
        }
        let differs = |key: &&String| summary.get(key.as_str()) != self.summary.get(key.as_str());
        let keys = self.summary.as_object().expect("an object").keys();
        let keys: Vec<&String> = keys.filter(differs).collect();
        match outcomes {
            Some(outcomes) if n_failed > 0 => self.judge_failed(outcomes, n_failed as usize),
            _ => Err(format!("a wrong result: {keys:?} differ")),
        }
    }

    /// Every outcome is correct or says that the question failed.
    fn judge_failed(&self, outcomes: &str, n_failed: usize) -> Result<Ending, String> {
        for (index, outcome) in crate::bench::outcomes(outcomes) {
            if outcome["class"] != "failed" && self.outcomes.get(&index) != Some(&outcome) {
                return Err(format!("next to failed questions, a wrong one: {outcome}"));
            }
        }
        Ok(Ending::SomeFailed(n_failed))
    }
}
