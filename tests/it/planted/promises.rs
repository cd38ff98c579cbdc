//! Real changes against the alternatives that a run's record computes: evidence in the prompt and tokens must come out exactly,
//! and the promised change of the answer score must lie inside the interval of the change that came in, for 90% of the expected gains.
//!
//! Three readers answer the prompts of the same runs: one that other passages never lead astray, which an expected gain assumes, one of
//! [`super::noisy`]'s habits, and one that every further passage leads astray a little more often.

use std::collections::BTreeMap;

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::prompt::passage_text;
use ragtriage_core::stats::t::mean_error;
use ragtriage_core::types::{ChunkId, Condition, Interval, PassageMap, Stage};
use ragtriage_data::run::{RunFolder, SavedRun};
use ragtriage_eval::clusters::question_clusters;
use ragtriage_eval::diagnose;
use ragtriage_eval::what_if::{Alternative, ExpectedGain, Setting, WhatIf};
use ragtriage_pipeline::settings::assemble::evaluation;

use super::changes::{Distraction, Reader, prepared};
use super::seen;
use super::server::{Asked, Server};
use super::trial::run;

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
    ("t1000", &["retrieval.k=20", "generation.context_tokens=1000"]),
    ("t1400", &["retrieval.k=20", "generation.context_tokens=1400"]),
    ("both5", &["retrieval.k=5", BOTH]),
    ("both10", &["retrieval.k=10", BOTH]),
    ("tfidf5", &["retrieval.k=5", TFIDF]),
    ("tfidf10", &["retrieval.k=10", TFIDF]),
    ("both600", &["retrieval.k=20", "generation.context_tokens=600", BOTH]),
];
const BOTH: &str = "retrieval.retrievers=[\"bm25\", \"tfidf\"]";
const TFIDF: &str = "retrieval.retrievers=[\"tfidf\"]";

/// A run as a reader answers its prompts.
struct Evaluated {
    run: SavedRun,
    outcomes: Vec<Outcome>,
    alternatives: Vec<Alternative>,
    clusters: Vec<usize>,
}

impl Evaluated {
    fn new(mut run: SavedRun, reader: &Reader) -> Self {
        for trace in &mut run.traces {
            let question = trace.question.text.clone();
            for attempt in trace.conditions.iter_mut().flat_map(|condition| &mut condition.attempts)
            {
                let answer = answer(reader, &question, &attempt.passages, &run.passages);
                attempt.extracted.clone_from(&answer);
                attempt.raw = answer;
            }
        }
        let plan = evaluation(&run.manifest.settings);
        let outcomes = diagnose::outcomes(&run, plan.k, plan.judge);
        let clusters = question_clusters(run.traces.iter().map(|trace| &trace.question));
        let alternatives = WhatIf::new(&run, &outcomes, plan.k.into(), &clusters).alternatives;
        Self { run, outcomes, alternatives, clusters }
    }

    /// The answer score of each question, and whether its evidence is in the prompt.
    fn questions(&self) -> Vec<(Option<f64>, Option<bool>)> {
        let pairs = self.run.traces.iter().zip(&self.outcomes);
        pairs
            .map(|(trace, outcome)| {
                let score = diagnose::correct(trace, outcome, Condition::Retrieved);
                (score, outcome.evidence.is_complete_at(Stage::Packing))
            })
            .collect()
    }
}

fn answer(reader: &Reader, question: &str, shown: &[ChunkId], passages: &PassageMap) -> String {
    let shown = shown.iter().enumerate().map(|(at, id)| {
        let passage = &passages[id];
        passage_text(at + 1, &passage.title, &passage.text)
    });
    let asked =
        Asked { prompt: String::new(), question: question.to_owned(), passages: shown.collect() };
    let said = reader.read(&asked).text;
    said.trim_start_matches("Answer: ").to_owned()
}

/// The run whose settings those of `from` become by `alternative`, if there is one.
fn target(from: &str, alternative: &Alternative) -> Option<&'static str> {
    let (_, sets) = RUNS.iter().find(|(name, _)| *name == from)?;
    let wanted = settings(sets, &alternative.settings);
    let found = RUNS.iter().find(|(_, sets)| settings(sets, &[]) == wanted);
    found.map(|(name, _)| *name)
}

fn settings(sets: &[&str], changed: &[Setting]) -> BTreeMap<String, String> {
    let defaults = [("retrieval.retrievers", "[\"bm25\"]"), ("generation.context_tokens", "3000")];
    let sets = sets.iter().filter_map(|set| set.split_once('='));
    let changed = changed.iter().filter_map(|set| Some((set.key.as_str(), set.value.as_deref()?)));
    let all = defaults.into_iter().chain(sets).chain(changed);
    all.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// an expected gain with the change that came in.
struct Held {
    name: String,
    alternative: Alternative,
    gain: f64,
    ci95: Interval,
}

impl Held {
    fn expected_gain(&self) -> ExpectedGain {
        self.alternative.expected_gain.expect("an oracle condition")
    }

    fn is_inside(&self) -> bool {
        let gain = self.expected_gain().gain;
        self.ci95.low <= gain && gain <= self.ci95.high
    }

    fn line(&self) -> String {
        let expected_gain = self.expected_gain();
        let own = expected_gain.ci95.expect("clusters");
        format!(
            "{:<18} {:>3} won {:>3} lost; {:+.3} [{:+.3}, {:+.3}]; came in {:+.3} [{:+.3}, {:+.3}] {}",
            self.name,
            self.alternative.won,
            self.alternative.lost,
            expected_gain.gain,
            own.low,
            own.high,
            self.gain,
            self.ci95.low,
            self.ci95.high,
            self.is_inside(),
        )
    }
}

/// Asserts that evidence and tokens are those of the real run, and returns the expected gain with what came in.
fn held(name: String, alternative: &Alternative, a: &Evaluated, b: &Evaluated) -> Held {
    let (from, to) = (a.questions(), b.questions());
    let moved = |was: bool, is: bool| {
        let pairs = from.iter().zip(&to);
        pairs.filter(|((_, before), (_, after))| *before == Some(was) && *after == Some(is)).count()
    };
    assert_eq!(
        (alternative.won, alternative.lost),
        (moved(false, true), moved(true, false)),
        "{name}"
    );
    let real = &b.alternatives[0];
    assert_eq!(
        (alternative.after, alternative.tokens_after),
        (real.before, real.tokens_before),
        "{name}"
    );
    let pairs = from.iter().zip(&to).zip(&a.clusters);
    let (gains, clusters): (Vec<f64>, Vec<usize>) = pairs
        .filter_map(|(((before, _), (after, _)), cluster)| Some(((*after)? - (*before)?, *cluster)))
        .unzip();
    let came_in = mean_error(&gains, &clusters).expect("clusters");
    Held { name, alternative: alternative.clone(), gain: came_in.mean, ci95: came_in.interval() }
}

/// Every change that some run's record computes and another run made.
fn changes(runs: &[(&str, Evaluated)]) -> Vec<Held> {
    let mut found = Vec::new();
    for (from, a) in runs {
        for alternative in &a.alternatives {
            let Some(to) = target(from, alternative) else {
                continue;
            };
            let (_, b) = runs.iter().find(|(name, _)| *name == to).expect("a run");
            found.push(held(format!("{from} -> {to}"), alternative, a, b));
        }
    }
    found
}

#[test]
fn evidence_comes_out_exactly_and_promises_come_in() {
    let (project, dataset) = prepared();
    let distracted = Reader::new(&dataset, Distraction::Always);
    let server = Server::start(move |asked| distracted.read(asked));
    for (name, sets) in RUNS {
        let sets = [sets, &["retrieval.candidates=50"]].concat();
        run(&project, &server, name, &sets);
    }
    let load = |name: &str| {
        let folder = RunFolder::existing(&project.path(&format!("runs/{name}")));
        SavedRun::load(&folder).expect("a run")
    };
    let saved: Vec<(&str, SavedRun)> = RUNS.iter().map(|(name, _)| (*name, load(name))).collect();
    for distraction in [Distraction::Never, Distraction::Always, Distraction::Gradual] {
        let reader = Reader::new(&dataset, distraction);
        let runs: Vec<(&str, Evaluated)> =
            saved.iter().map(|(name, run)| (*name, Evaluated::new(run.clone(), &reader))).collect();
        let changes = changes(&runs);
        let lines: Vec<String> = changes.iter().map(Held::line).collect();
        let n_inside = changes.iter().filter(|held| held.is_inside()).count();
        let all = format!(
            "{distraction:?}\n{}\n{n_inside} of {} expected gains inside",
            lines.join("\n"),
            changes.len()
        );
        seen(&all);
        assert!(changes.len() >= 40, "{all}");
        let is_assumed = matches!(distraction, Distraction::Never);
        assert!(!is_assumed || 10 * n_inside >= 9 * changes.len(), "{all}");
    }
}
