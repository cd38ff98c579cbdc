//! Class shares, loss budget and verdict do not depend on the form of answers: a degraded run is answered bare, then with
//! every answer in a sentence and a format ([`Form`]), in three rounds of other draws.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ragtriage_core::config::Format as DataFormat;
use serde_json::{Value, json};

use super::changes::load;
use super::forms::{FORMATS, Form, SENTENCES};
use super::reader::Reader;
use super::seen;
use super::server::{Said, Server};
use super::setting::{BLOCK_WORDS, Setting, Shape};
use super::trial::run;
use crate::parity::fetched;
use crate::project::{Project, repository};

const ROUNDS: [u64; 3] = [1, 2, 3];
/// Allowed difference of a share or a term.
const ALLOWED: f64 = 0.01;

/// A degraded run to be answered in several forms.
struct Degraded {
    name: &'static str,
    project: Project,
    reader: Arc<Reader>,
    sets: Vec<&'static str>,
}

impl Degraded {
    /// Prompts of a data set at `k` passages.
    fn published(name: &'static str, format: DataFormat, path: &Path) -> Self {
        let settings = SETTINGS
            .replace("FORMAT", &format.to_string())
            .replace("PATH", &path.to_string_lossy());
        Self {
            name,
            project: Project::of(&[("c.toml", &settings)]),
            reader: Arc::new(Reader::over(&load(format, path))),
            sets: Vec::new(),
        }
    }

    /// Runs it, with the answers in the forms of `round` where one is given.
    fn figures(&self, name: &str, round: Option<u64>, set: &[&str]) -> Figures {
        let reader = Arc::clone(&self.reader);
        let server = Server::start(move |asked| {
            let said = reader.read(asked);
            match round {
                Some(round) => formed(said, Form::of(&asked.question, round)),
                None => said,
            }
        });
        run(&self.project, &server, name, &[&self.sets, set].concat());
        Figures::of(&self.project.summary(name))
    }

    /// Asserts that every round has the figures of the bare run.
    fn holds(&self) {
        let bare = self.figures("bare", None, &[]);
        seen(&format!("{}, bare: {bare:?}", self.name));
        let f1 = self.figures("f1", Some(ROUNDS[0]), &["evaluation.right=f1"]);
        seen(&format!("{}, f1, wrapped: {f1:?}", self.name));
        seen(&format!("off by {:.3}", bare.distance(&f1)));
        let mut off = Vec::new();
        for round in ROUNDS {
            let name = format!("wrapped{round}");
            let wrapped = self.figures(&name, Some(round), &[]);
            let distance = bare.distance(&wrapped);
            seen(&format!("{}, auto, {name}: {wrapped:?}", self.name));
            seen(&format!("off by {distance:.3}"));
            self.shows_changed(&name);
            if distance > ALLOWED || wrapped.bottleneck != bare.bottleneck {
                off.push(format!("{name}: {wrapped:?}, off by {distance:.3}"));
            }
        }
        assert!(off.is_empty(), "bare: {bare:?}\n{}", off.join("\n"));
    }

    /// Shows the answers that are judged otherwise than bare.
    fn shows_changed(&self, wrapped: &str) {
        let gold: BTreeMap<String, Value> = self
            .project
            .traces(wrapped)
            .into_iter()
            .map(|trace| (trace["index"].to_string(), trace))
            .collect();
        for (bare, wrapped) in self.outcomes("bare").iter().zip(self.outcomes(wrapped)) {
            assert_eq!(bare["index"], wrapped["index"]);
            if bare["right"] == wrapped["right"] {
                continue;
            }
            let question = &gold[&wrapped["index"].to_string()]["question"];
            let golds = [&question["answers"], &question["required"]];
            let judged = |outcome: &Value| json!([outcome["right"], outcome["right_because"]]);
            let line = json!({"set": self.name, "id": question["id"], "question": question["text"], "gold": golds,
                "bare": judged(bare), "wrapped": judged(&wrapped), "answer": wrapped["answer"]});
            seen(&format!("changed: {line}"));
        }
    }

    fn outcomes(&self, run: &str) -> Vec<Value> {
        let text = self.project.read(&format!("runs/{run}/outcomes.jsonl"));
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }
}

/// Shares of the classes and terms of the budget, by name; the verdict.
#[derive(Debug)]
struct Figures {
    parts: BTreeMap<String, f64>,
    bottleneck: Value,
}

impl Figures {
    fn of(summary: &Value) -> Self {
        let n = summary["n_questions"].as_f64().expect("a count");
        let mut parts = BTreeMap::new();
        for (class, count) in summary["classes"].as_object().expect("classes") {
            let share = count.as_f64().expect("a count") / n;
            parts.insert(format!("class {class}"), share);
        }
        for term in summary["loss_budget"]["terms"].as_array().expect("terms") {
            let source = term["source"].as_str().expect("a name");
            let mean = term["mean"].as_f64().expect("a mean");
            parts.insert(format!("term {source}"), mean);
        }
        Self {
            parts,
            bottleneck: summary["verdict"]["bottleneck"].clone(),
        }
    }

    /// The largest difference of a part; a class that one run lacks has a share of 0.
    fn distance(&self, other: &Self) -> f64 {
        let names = self.parts.keys().chain(other.parts.keys());
        names
            .map(|name| {
                let of = |figures: &Self| figures.parts.get(name).copied().unwrap_or(0.0);
                (of(self) - of(other)).abs()
            })
            .fold(0.0, f64::max)
    }
}

/// Abstentions stay as they are.
fn formed(said: Said, form: Form) -> Said {
    match said.text.strip_prefix("Answer: ") {
        Some(answer) if answer != "I don't know" => Said {
            text: form.wraps(answer),
            ..said
        },
        _ => said,
    }
}

#[test]
fn the_rounds_draw_every_sentence_and_format() {
    let setting = Setting::new(5, &[(Shape::Plain, 100)]);
    let questions = setting.questions.iter();
    let forms: Vec<Form> = questions
        .flat_map(|question| ROUNDS.map(|round| Form::of(&question.text, round)))
        .collect();
    for sentence in 0..SENTENCES.len() {
        assert!(forms.iter().any(|form| form.sentence == sentence));
    }
    for format in FORMATS {
        assert!(forms.iter().any(|form| form.format == format), "{format:?}");
    }
}

#[test]
fn a_planted_diagnosis_does_not_depend_on_the_form_of_answers() {
    let shapes = [
        (Shape::Plain, 100),
        (Shape::Aliases, 60),
        (Shape::YesNo, 40),
        (Shape::TwoHop, 40),
        (Shape::Long, 40),
        (Shape::Unanswerable, 20),
    ];
    let mut setting = Setting::new(18, &shapes);
    let reader = Arc::new(Reader::new(&setting));
    // Of one-block questions every tenth is deleted, two in ten are not retrieved and one in ten is not ranked.
    let dealt = setting.ids(|question| matches!(question.shape, Shape::Plain | Shape::Aliases));
    let part = |from: usize, to: usize| -> Vec<String> {
        let dealt = dealt.iter().enumerate();
        let touched = dealt.filter(|(at, _)| (from..to).contains(&(at % 10)));
        touched.map(|(_, id)| id.clone()).collect()
    };
    setting.delete(&part(0, 1));
    setting.distract(&part(1, 3), 35, BLOCK_WORDS);
    setting.distract(&part(3, 4), 8, BLOCK_WORDS);
    let degraded = Degraded {
        name: "planted",
        project: setting.project(),
        reader,
        sets: vec!["chunking.size=30"],
    };
    degraded.holds();
}

#[test]
fn the_diagnosis_of_the_runbooks_does_not_depend_on_the_form_of_answers() {
    let path = repository("datasets/runbooks");
    Degraded::published("runbooks", DataFormat::Files, &path).holds();
}

#[test]
#[cfg_attr(
    not(has_data_hotpotqa),
    ignore = "needs datasets/fetched/hotpotqa: ragtriage dataset fetch hotpotqa --from FOLDER"
)]
fn the_diagnosis_of_hotpotqa_does_not_depend_on_the_form_of_answers() {
    let path = fetched("hotpotqa");
    Degraded::published("hotpotqa", DataFormat::Hotpotqa, &path).holds();
}

const SETTINGS: &str = r#"
[dataset]
format = "FORMAT"
path = 'PATH'

[retrieval]
retrievers = ["bm25"]
k = 3

[generation]
generator = "openai"
model = "planted"

[evaluation]
resamples = 200
"#;
