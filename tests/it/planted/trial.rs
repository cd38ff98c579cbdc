//! One trial: a setting with something done to it, run by the program, and its diagnosis.

use std::collections::BTreeMap;

use serde_json::Value;

use super::reader::Reader;
use super::server::Server;
use super::setting::{Setting, Shape};
use super::tally::{assert_claims, assert_named};
use crate::project::Project;
use crate::run_files::check;

pub struct Trial {
    pub setting: Setting,
    pub reader: Reader,
    /// Settings as `--set` takes them.
    pub sets: Vec<&'static str>,
    /// Where the diagnosis should be other than correct: by question id.
    expected: BTreeMap<String, String>,
}

impl Trial {
    /// Nothing done to it yet.
    pub fn new(setting: Setting) -> Self {
        let reader = Reader::new(&setting);
        Self { setting, reader, sets: Vec::new(), expected: BTreeMap::new() }
    }

    /// These questions are to be diagnosed so.
    pub fn expects(&mut self, ids: &[String], label: &str) {
        self.expected.extend(ids.iter().map(|id| (id.clone(), label.to_owned())));
    }

    /// What was to be diagnosed as `label` is to be diagnosed as `other`.
    pub fn expects_instead(&mut self, label: &str, other: &str) {
        for expected in self.expected.values_mut().filter(|it| *it == label) {
            other.clone_into(expected);
        }
    }

    /// Runs it and asserts the diagnosis of every question; gives back the summary.
    pub fn run(self, name: &str) -> Value {
        let Started { project, expected, .. } = self.start(name);
        assert_named(&project, name, &expected);
        project.summary(name)
    }

    /// Runs it and asserts every diagnosis that is a claim; gives back how many questions were left `unclear`.
    pub fn run_claims(self, name: &str) -> usize {
        let Started { project, expected, .. } = self.start(name);
        assert_claims(&project, name, &expected)
    }

    /// Runs it without an assertion.
    pub fn start(self, name: &str) -> Started {
        let Self { setting, reader, sets, expected } = self;
        let unlike = |id: &String| expected.get(id).cloned();
        let expected = setting.questions.iter().map(|question| {
            let correct =
                if question.shape == Shape::Unanswerable { "declined" } else { "correct" };
            (question.id.clone(), unlike(&question.id).unwrap_or_else(|| correct.to_owned()))
        });
        let expected: BTreeMap<String, String> = expected.collect();
        let project = setting.project();
        let server = Server::start(move |asked| reader.read(asked));
        run(&project, &server, name, &sets);
        check(&project, name);
        Started { project, expected }
    }
}

/// A trial that was run.
pub struct Started {
    pub project: Project,
    /// What is to be diagnosed, by question id.
    pub expected: BTreeMap<String, String>,
}

/// A run of that name against `server` that must succeed.
pub fn run(project: &Project, server: &Server, name: &str, sets: &[&str]) {
    let base_url = format!("generation.base_url={}", server.base_url());
    let sets = [&base_url].into_iter().map(String::as_str).chain(sets.iter().copied());
    let args: Vec<&str> = sets.flat_map(|set| ["--set", set]).collect();
    project.good(name, &args);
}
