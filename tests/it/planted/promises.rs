//! Real changes against the alternatives that a run's record computes: evidence in the prompt and tokens must come out exactly,
//! and the promised change of the answer score must lie inside the interval of the change that came in.

use std::collections::BTreeMap;

use ragtriage_core::stats::t::mean_error;
use ragtriage_core::types::{ArmName, Interval};
use ragtriage_eval::diagnose;
use ragtriage_eval::summary::{self, Evaluation, EvaluationPlan, question_clusters};
use ragtriage_eval::what_if::{Alternative, Change, Setting};
use ragtriage_pipeline::settings::assemble::evaluation;
use ragtriage_runs::{RunFolder, SavedRun};

use super::changes::{Distraction, Reader, prepared};
use super::seen;
use super::server::Server;
use super::trial::run;
use crate::project::Project;

/// Settings of the runs, by family: each is changed into each other of its family whose settings an alternative names.
const RUNS: [(&str, &[&str]); 18] = [
    ("k1", &["retrieval.k=1"]),
    ("k3", &["retrieval.k=3"]),
    ("k5", &["retrieval.k=5"]),
    ("k8", &["retrieval.k=8"]),
    ("k10", &["retrieval.k=10"]),
    ("k12", &["retrieval.k=12"]),
    ("k20", &["retrieval.k=20"]),
    ("t150", &["retrieval.k=20", "generation.context_tokens=150"]),
    ("t250", &["retrieval.k=20", "generation.context_tokens=250"]),
    ("t500", &["retrieval.k=20", "generation.context_tokens=500"]),
    ("t600", &["retrieval.k=20", "generation.context_tokens=600"]),
    (
        "t1000",
        &["retrieval.k=20", "generation.context_tokens=1000"],
    ),
    (
        "t1400",
        &["retrieval.k=20", "generation.context_tokens=1400"],
    ),
    ("both5", &["retrieval.k=5", BOTH]),
    ("both10", &["retrieval.k=10", BOTH]),
    ("tfidf5", &["retrieval.k=5", TFIDF]),
    ("tfidf10", &["retrieval.k=10", TFIDF]),
    (
        "both600",
        &["retrieval.k=20", "generation.context_tokens=600", BOTH],
    ),
];
const BOTH: &str = "retrieval.retrievers=[\"bm25\", \"tfidf\"]";
const TFIDF: &str = "retrieval.retrievers=[\"tfidf\"]";

struct Evaluated {
    run: SavedRun,
    evaluation: Evaluation,
}

impl Evaluated {
    fn load(project: &Project, name: &str) -> Self {
        let folder = RunFolder::existing(&project.path(&format!("runs/{name}")));
        let run = SavedRun::load(&folder).expect("a run");
        let plan = EvaluationPlan {
            measures: Vec::new(),
            resamples: 10,
            ..evaluation(&run.manifest.settings)
        };
        let evaluation = summary::evaluate(&run, &plan);
        Self { run, evaluation }
    }

    /// The answer score of each question, and whether its evidence is in the prompt.
    fn questions(&self) -> Vec<(Option<f64>, Option<bool>)> {
        let pairs = self.run.traces.iter().zip(&self.evaluation.outcomes);
        pairs
            .map(|(trace, outcome)| {
                let score = diagnose::right(trace, outcome, ArmName::Retrieved);
                (score, outcome.reached.map(|reached| reached[4]))
            })
            .collect()
    }
}

/// The run whose settings those of `from` become by `alternative`, if there is one.
fn target(from: &str, alternative: &Alternative) -> Option<&'static str> {
    let (_, sets) = RUNS.iter().find(|(name, _)| *name == from)?;
    let wanted = settings(sets, &alternative.settings);
    let found = RUNS.iter().find(|(_, sets)| settings(sets, &[]) == wanted);
    found.map(|(name, _)| *name)
}

fn settings(sets: &[&str], changed: &[Setting]) -> BTreeMap<String, String> {
    let defaults = [
        ("retrieval.retrievers", "[\"bm25\"]"),
        ("generation.context_tokens", "3000"),
    ];
    let sets = sets.iter().filter_map(|set| set.split_once('='));
    let changed = changed
        .iter()
        .filter_map(|set| Some((set.key.as_str(), set.value.as_deref()?)));
    let all = defaults.into_iter().chain(sets).chain(changed);
    all.map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// A promise with the change that came in.
struct Held {
    name: String,
    alternative: Alternative,
    gain: f64,
    ci95: Interval,
}

impl Held {
    fn is_inside(&self) -> bool {
        let gain = self.alternative.promise.expect("an oracle condition").gain;
        self.ci95.low <= gain && gain <= self.ci95.high
    }

    fn line(&self) -> String {
        let promise = self.alternative.promise.expect("an oracle condition");
        let own = promise.ci95.expect("clusters");
        format!(
            "{:<18} {:>3} won {:>3} lost; {:+.3} [{:+.3}, {:+.3}] may move {:.3}; came in {:+.3} [{:+.3}, {:+.3}] {:<5} {}",
            self.name,
            self.alternative.won,
            self.alternative.lost,
            promise.gain,
            own.low,
            own.high,
            promise.distraction,
            self.gain,
            self.ci95.low,
            self.ci95.high,
            self.is_inside(),
            promise
                .withheld
                .map_or(String::new(), |reason| format!("{reason:?}")),
        )
    }
}

/// Asserts that evidence and tokens are those of the real run, and returns the promise with what came in.
fn held(name: String, alternative: &Alternative, a: &Evaluated, b: &Evaluated) -> Held {
    let (from, to) = (a.questions(), b.questions());
    let moved = |was: bool, is: bool| {
        let pairs = from.iter().zip(&to);
        pairs
            .filter(|((_, before), (_, after))| *before == Some(was) && *after == Some(is))
            .count()
    };
    assert_eq!(
        (alternative.won, alternative.lost),
        (moved(false, true), moved(true, false)),
        "{name}"
    );
    let real = &b.evaluation.summary.what_if[0];
    assert_eq!(
        (alternative.after, alternative.tokens_after),
        (real.before, real.tokens_before),
        "{name}"
    );
    let clusters = question_clusters(a.run.traces.iter().map(|trace| &trace.question), true);
    let pairs = from.iter().zip(&to).zip(&clusters);
    let (gains, clusters): (Vec<f64>, Vec<usize>) = pairs
        .filter_map(|(((before, _), (after, _)), cluster)| Some(((*after)? - (*before)?, *cluster)))
        .unzip();
    let came_in = mean_error(&gains, &clusters).expect("clusters");
    Held {
        name,
        alternative: alternative.clone(),
        gain: came_in.mean,
        ci95: came_in.interval(),
    }
}

/// Every change that some run's record computes and another run made.
fn changes(distraction: Distraction) -> Vec<Held> {
    let (project, dataset) = prepared();
    let reader = Reader::new(&dataset, distraction);
    let server = Server::start(move |asked| reader.read(asked));
    for (name, sets) in RUNS {
        run(&project, &server, name, sets);
    }
    let runs: Vec<(&str, Evaluated)> = RUNS
        .iter()
        .map(|(name, _)| (*name, Evaluated::load(&project, name)))
        .collect();
    let mut found = Vec::new();
    for (from, a) in &runs {
        for alternative in &a.evaluation.summary.what_if {
            let is_bound = alternative.change.is_upper_bound();
            let Some(to) = target(from, alternative).filter(|_| !is_bound) else {
                continue;
            };
            let (_, b) = runs.iter().find(|(name, _)| *name == to).expect("a run");
            found.push(held(format!("{from} -> {to}"), alternative, a, b));
        }
    }
    std::mem::forget(project);
    found
}

fn assert_kept(distraction: Distraction) -> (usize, usize) {
    let changes = changes(distraction);
    let lines: Vec<String> = changes.iter().map(Held::line).collect();
    let promised = changes.iter().filter(|held| {
        let promise = held.alternative.promise.expect("an oracle condition");
        promise.withheld.is_none()
    });
    let inside = promised.clone().filter(|held| held.is_inside()).count();
    let n = promised.count();
    seen(&format!(
        "{distraction:?}\n{}\n{inside} of {n} promises of {} changes",
        lines.join("\n"),
        changes.len()
    ));
    (inside, n)
}

#[test]
fn promises_of_a_steady_reader_come_in() {
    assert_kept(Distraction::ByNone);
}

#[test]
fn promises_of_a_distracted_reader_come_in() {
    assert_kept(Distraction::ByAny);
}

#[test]
fn promises_of_a_reader_that_tires_come_in() {
    assert_kept(Distraction::ByMany);
}
