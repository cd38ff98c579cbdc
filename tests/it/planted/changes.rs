//! The questions and the reader of [`super::promises`]: `HotpotQA`'s 400 questions where they are fetched, else a generated set. The
//! reader has habits of its own ([`Habits`]) and a rule of its own for when a passage suffices.

use std::collections::HashMap;
use std::path::Path;

use ragtriage_core::config::DatasetSettings;
use ragtriage_core::config::Format;
use ragtriage_core::stats::random::Random;
use ragtriage_core::types::Dataset;

use super::noisy::{Gold, Habits, seed};
use super::server::{Asked, Said};
use super::setting::{BLOCK_WORDS, Setting, Shape};
use crate::parity::fetched;
use crate::project::Project;

/// The project with its settings, over `HotpotQA` where it is fetched.
pub fn prepared() -> (Project, Dataset) {
    let project = Project::of(&[]);
    let dataset = if cfg!(has_data_hotpotqa) {
        let folder = fetched("hotpotqa");
        project.write(
            "c.toml",
            SETTINGS.replace("FORMAT", "hotpotqa").replace("PATH", &folder.to_string_lossy()),
        );
        load(Format::Hotpotqa, &folder)
    } else {
        let generated = generated();
        crate::project::copy_folder(&generated.path("data"), &project.path("data"));
        project.write("c.toml", SETTINGS.replace("FORMAT", "jsonl").replace("PATH", "data"));
        load(Format::Jsonl, &project.path("data"))
    };
    (project, dataset)
}

/// The other passages that lead a straying reader astray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distraction {
    /// None.
    Never,
    /// One is enough.
    Always,
    /// A number that differs by question, evenly from 1 to 20.
    Gradual,
}

/// Judges passages by the words they share with the gold: neither ranges nor chunks are known to it.
pub struct Reader {
    known: HashMap<String, Known>,
    distraction: Distraction,
}

struct Known {
    answers: Vec<String>,
    golds: Vec<Gold>,
}

impl Reader {
    pub fn new(dataset: &Dataset, distraction: Distraction) -> Self {
        let texts: HashMap<&str, &str> =
            dataset.documents.iter().map(|d| (d.id.as_str(), d.text.as_str())).collect();
        let known = dataset.questions.iter().map(|question| {
            let golds = question.evidence.iter().flat_map(|group| {
                // What is in no document is read in no prompt.
                let text = texts.get(group[0].doc.as_str());
                group[0]
                    .ranges
                    .iter()
                    .map(move |range| Gold::new(text.map_or("?", |text| &text[range.as_range()])))
            });
            (
                question.text.clone(),
                Known { answers: question.answers.clone(), golds: golds.collect() },
            )
        });
        Self { known: known.collect(), distraction }
    }

    pub fn read(&self, asked: &Asked) -> Said {
        let known = &self.known[&asked.question];
        let habits = Habits::of(&asked.question);
        let own = habits.name(&known.answers);
        let supported = known.golds.iter().all(|gold| gold.is_in(&asked.passages));
        let holds_gold = |passage: &String| known.golds.iter().any(|gold| gold.touches(passage));
        let mut others = asked.passages.iter().filter(|passage| !holds_gold(passage));
        let n_other = others.clone().count();
        let other = others.next();
        let other = other.map_or("nobody knows".to_owned(), |passage| title(passage));
        let answer = if habits.slips {
            "something else".to_owned()
        } else if supported && habits.strays && n_other >= self.patience(&asked.question) {
            other
        } else if supported || habits.remembers {
            own
        } else {
            other
        };
        Said::text(format!("Answer: {answer}"))
    }

    /// The number of other passages that lead it astray at this question.
    fn patience(&self, question: &str) -> usize {
        match self.distraction {
            Distraction::Never => usize::MAX,
            Distraction::Always => 1,
            Distraction::Gradual => 1 + Random::new(!seed(question)).below(20),
        }
    }
}

/// `[3] Title`: what stands behind the number.
fn title(passage: &str) -> String {
    let first = passage.lines().next().unwrap_or_default();
    first.split_once("] ").map_or(first, |(_, title)| title).to_owned()
}

/// A data set, with the questions whose evidence is missing.
pub fn load(format: Format, path: &Path) -> Dataset {
    ragtriage_data::dataset::load(&DatasetSettings::new(format, path)).expect("loads")
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
scorer = "hotpotqa"
conditions = ["retrieved", "oracle", "gold_with_distractors"]
"#;
