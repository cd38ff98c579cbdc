//! Forty real changes: what run A's loss budget promises for a stage, against what came in when run B changed a setting.
//!
//! The promise: of every question lost at a stage A says what its delivery would bring (gold put into the very prompt, less
//! what the prompt gave); B delivers so many more of them. Over `HotpotQA`'s 400 questions where they are fetched, else over a
//! generated set. The reader has habits of its own ([`Habits`]) and a rule of its own for when a passage suffices.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use ragxray::dataset::{self, Format, LoadSpec, MissingEvidence};
use ragxray::eval::diagnose;
use ragxray::settings::{Settings, assemble};
use ragxray::store::{RunFolder, SavedRun};
use ragxray::types::{ArmName, Class, Dataset};
use serde_json::Value;

use super::noisy::{Gold, Habits};
use super::server::{Asked, Said, Server};
use super::setting::{BLOCK_WORDS, Setting, Shape};
use super::trial::run;
use crate::parity::fetched;
use crate::project::Project;

/// The runs, each with what it sets besides [`SETTINGS`].
const RUNS: [(&str, &[&str]); 17] = [
    ("base", &[]),
    ("k1", &["retrieval.k=1"]),
    ("k3", &["retrieval.k=3"]),
    ("k10", &["retrieval.k=10"]),
    ("k20", &["retrieval.k=20"]),
    ("fits100", &["generation.context_tokens=100"]),
    ("fits200", &["generation.context_tokens=200"]),
    ("fits300", &["generation.context_tokens=300"]),
    ("fits400", &["generation.context_tokens=400"]),
    ("size32", &["chunking.size=32", "chunking.overlap=0"]),
    ("size64", &["chunking.size=64", "chunking.overlap=0"]),
    ("size128", &["chunking.size=128", "chunking.overlap=0"]),
    ("size256", &["chunking.size=256", "chunking.overlap=0"]),
    ("tfidf", &["retrieval.retrievers=[\"tfidf\"]"]),
    ("unstemmed", &["retrieval.analyzer.stemmer=\"none\""]),
    ("unnormalised", &["retrieval.bm25.b=0.0"]),
    ("both", &["retrieval.retrievers=[\"bm25\", \"tfidf\"]"]),
];

/// Of each list every run is changed into every later one; 10 + 10 + 6 + 6 + 8 changes.
const UPWARD: [&[&str]; 2] =
    [&["k1", "k3", "base", "k10", "k20"], &["fits100", "fits200", "fits300", "fits400", "base"]];
/// Of these every run is changed into every other.
const SIDEWAYS: [&str; 4] = ["size32", "size64", "size128", "size256"];
/// From and to the base.
const RETRIEVERS: [&str; 4] = ["tfidf", "unstemmed", "unnormalised", "both"];

fn changes() -> Vec<(&'static str, &'static str)> {
    let mut changes = Vec::new();
    for runs in UPWARD {
        let later = |at: usize| runs[at + 1..].iter().map(move |b| (runs[at], *b));
        changes.extend((0..runs.len()).flat_map(later));
    }
    changes.extend(SIDEWAYS.iter().flat_map(|a| SIDEWAYS.iter().filter(move |b| a != *b).map(move |b| (*a, *b))));
    changes.extend(RETRIEVERS.iter().flat_map(|other| [(*other, "base"), ("base", *other)]));
    changes
}

#[test]
fn the_gain_that_a_budget_promises_comes_in() {
    let project = Project::of(&[]);
    let dataset = if let Some(folder) = fetched("hotpotqa") {
        project.write("c.toml", SETTINGS.replace("FORMAT", "hotpotqa").replace("PATH", &folder.to_string_lossy()));
        load(Format::Hotpotqa, &folder)
    } else {
        let generated = generated();
        crate::project::copy_folder(&generated.path("data"), &project.path("data"));
        project.write("c.toml", SETTINGS.replace("FORMAT", "jsonl").replace("PATH", "data"));
        load(Format::Jsonl, &project.path("data"))
    };
    let reader = Reader::new(&dataset);
    let server = Server::start(move |asked| reader.read(asked));
    let measured: HashMap<&str, Measured> = RUNS
        .into_iter()
        .map(|(name, sets)| {
            run(&project, &server, name, sets);
            (name, Measured::read(&project.path(&format!("runs/{name}"))))
        })
        .collect();
    let changes = changes();
    assert_eq!(changes.len(), 40);
    let mut table = String::new();
    let mut n_inside = 0;
    for (a, b) in changes {
        let promised = measured[a].promise(&measured[b]);
        let (gain, low, high) = gain(&project, a, b);
        let inside = low - 1e-9 <= promised && promised <= high + 1e-9;
        n_inside += usize::from(inside);
        table += &format!("{a} -> {b}: promised {promised:+.4}, came in {gain:+.4} [{low:+.4}, {high:+.4}] {inside}\n");
    }
    eprintln!("{table}{n_inside} of 40 inside");
    assert!(n_inside >= 36, "{n_inside} of 40 inside\n{table}");
}

/// What `compare` says of `AnswerF1`: difference and interval.
fn gain(project: &Project, a: &str, b: &str) -> (f64, f64, f64) {
    let (a, b) = (format!("runs/{a}"), format!("runs/{b}"));
    let outcome = project.call(&["compare", &a, &b, "-m", "AnswerF1", "--json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let comparison: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let measure = &comparison["pairs"][0]["measures"][0];
    let number = |value: &Value| value.as_f64();
    let delta = number(&measure["delta"]).expect("a difference");
    let bound = |at: usize| number(&measure["ci95"][at]).unwrap_or(delta);
    (delta, bound(0), bound(1))
}

/// A run by stage: which questions it lost there, and what their delivery would bring.
struct Measured {
    n: usize,
    lost: BTreeMap<Class, Vec<f64>>,
}

impl Measured {
    fn read(folder: &Path) -> Self {
        let run = SavedRun::load(&RunFolder::existing(folder)).expect("a run");
        let settings: Settings = serde_json::from_value(run.manifest.settings.clone()).expect("its settings");
        let plan = assemble::evaluation(&settings);
        let mut lost: BTreeMap<Class, Vec<f64>> = BTreeMap::new();
        for (trace, outcome) in run.traces.iter().zip(diagnose::outcomes(&run, plan.k, plan.judge)) {
            let quality = |arm| diagnose::quality(trace, arm, plan.judge);
            let Some((stage, retrieved)) = outcome.lost.zip(quality(ArmName::Retrieved)) else { continue };
            let delivered = if stage == Class::Corpus { Some(1.0) } else { quality(ArmName::GoldInNoise) };
            lost.entry(stage).or_default().push(delivered.expect("gold of the corpus was put in") - retrieved);
        }
        Self { n: run.traces.len(), lost }
    }

    /// The gain in mean answer score that this run's budget promises for what `other` delivers more (or less).
    fn promise(&self, other: &Self) -> f64 {
        let all: Vec<f64> = self.lost.values().flatten().copied().collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let stages: HashSet<Class> = self.lost.keys().chain(other.lost.keys()).copied().collect();
        let gain = stages.into_iter().map(|stage| {
            let n_lost = |run: &Self| run.lost.get(&stage).map_or(0, Vec::len) as f64;
            // Of a stage that lost nothing here, what a question lost elsewhere would bring.
            let each = mean(self.lost.get(&stage).unwrap_or(&all));
            each * (n_lost(self) - n_lost(other))
        });
        gain.sum::<f64>() / self.n as f64
    }
}

/// Judges passages by the words they share with the gold: neither ranges nor chunks are known to it.
struct Reader {
    known: HashMap<String, Known>,
}

struct Known {
    answers: Vec<String>,
    golds: Vec<Gold>,
}

impl Reader {
    fn new(dataset: &Dataset) -> Self {
        let texts: HashMap<&str, &str> = dataset.documents.iter().map(|d| (d.id.as_str(), d.text.as_str())).collect();
        let known = dataset.questions.iter().map(|question| {
            let golds = question.evidence.iter().flat_map(|group| {
                // What is in no document is read in no prompt.
                let text = texts.get(group[0].doc.as_str());
                group[0].ranges.iter().map(move |range| Gold::new(text.map_or("?", |text| &text[range.as_range()])))
            });
            (question.text.clone(), Known { answers: question.answers.clone(), golds: golds.collect() })
        });
        Self { known: known.collect() }
    }

    fn read(&self, asked: &Asked) -> Said {
        let known = &self.known[&asked.question];
        let habits = Habits::of(&asked.question);
        let own = habits.name(&known.answers);
        let supported = known.golds.iter().all(|gold| gold.is_in(&asked.passages));
        let holds_gold = |passage: &String| known.golds.iter().any(|gold| gold.touches(passage));
        let other = asked.passages.iter().find(|passage| !holds_gold(passage));
        let other = other.map_or("nobody knows".to_owned(), |passage| title(passage));
        let answer = if habits.slips {
            "something else".to_owned()
        } else if supported && habits.strays && !asked.passages.iter().all(holds_gold) {
            other
        } else if supported || habits.remembers {
            own
        } else {
            other
        };
        Said::text(format!("Answer: {answer}"))
    }
}

/// `[3] Title`: what stands behind the number.
fn title(passage: &str) -> String {
    let first = passage.lines().next().unwrap_or_default();
    first.split_once("] ").map_or(first, |(_, title)| title).to_owned()
}

fn load(format: Format, path: &Path) -> Dataset {
    let missing_evidence = Some(MissingEvidence::Keep);
    dataset::load(&LoadSpec { format, path: path.to_owned(), split: None, missing_evidence, globs: Vec::new() })
        .expect("loads")
}

/// 400 questions, before each of whose gold up to 24 other documents come.
fn generated() -> Project {
    let shapes = [(Shape::Plain, 200), (Shape::TwoHop, 100), (Shape::Long, 100)];
    let mut setting = Setting::new(11, &shapes);
    for (at, id) in setting.ids(|_| true).into_iter().enumerate() {
        setting.distract(&[id], [0, 0, 1, 2, 3, 4, 6, 8, 12, 24][at % 10], 2 * BLOCK_WORDS);
    }
    setting.project()
}

const SETTINGS: &str = r#"
[dataset]
format = "FORMAT"
path = 'PATH'

[retrieval]
retrievers = ["bm25"]

[generation]
generator = "openai"
model = "noisy"

[evaluation]
resamples = 1000
flavour = "hotpotqa"
arms = ["retrieved", "oracle", "gold_in_noise"]
"#;
