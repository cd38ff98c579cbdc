//! Class shares, loss budget and verdict do not depend on the form of answers: a degraded run is answered bare, then with
//! every answer in a sentence and a format ([`Form`]), in three rounds of other draws.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ragtriage_core::config::Format as DataFormat;
use ragtriage_core::language::Language;
use ragtriage_core::measure::answer::Scorer;
use ragtriage_core::rightness::{Correctness, Judge, Judgment, RightRule};
use ragtriage_core::types::{Dataset, Question, Stance};
use serde_json::{Value, json};

use super::changes::load;
use super::forms::{FORMATS, Form, SENTENCES};
use super::reader::{Reader, wrong};
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
        // The rule of token F1 fails here, so that forms which change nothing would be noticed.
        assert!(bare.distance(&f1) > 0.1, "bare: {bare:?}\nf1: {f1:?}");
        let mut off = Vec::new();
        for round in ROUNDS {
            let name = format!("wrapped{round}");
            let wrapped = self.figures(&name, Some(round), &[]);
            let distance = bare.distance(&wrapped);
            seen(&format!("{}, auto, {name}: {wrapped:?}", self.name));
            seen(&format!("off by {distance:.3}"));
            // Up to rounding: three of 300 are 0.01.
            if distance - ALLOWED > 1e-9 || wrapped.bottleneck != bare.bottleneck {
                off.push(format!("{name}: {wrapped:?}, off by {distance:.3}"));
            }
        }
        assert!(off.is_empty(), "bare: {bare:?}\n{}", off.join("\n"));
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
        Self { parts, bottleneck: summary["verdict"]["bottleneck"].clone() }
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
        Some(answer) if answer != "I don't know" => Said { text: form.wraps(answer), ..said },
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

/// Asserts that forms leave 99% of the judgments of answers as they are bare: right for every gold answer, and that of one
/// wrong answer to each question. Each answer gets all sentences, the formats in turn.
fn forms_change_no_judgment(name: &str, dataset: &Dataset) {
    let mut tally: BTreeMap<&str, Changes> = BTreeMap::new();
    for question in &dataset.questions {
        for gold in &question.answers {
            tally_changes(tally.entry("right").or_default(), question, gold, Correctness::Right);
        }
        let wrong = wrong(question, &dataset.questions);
        if !question.answers.is_empty() {
            let bare = judged(question, &wrong).correctness;
            tally_changes(tally.entry("wrong").or_default(), question, &wrong, bare);
        }
    }
    for (expected, changes) in tally {
        let (n, n_changed) = (changes.n, changes.n_changed);
        seen(&format!("{name}: {n_changed} of {n} {expected} ones judged otherwise"));
        assert!(n > 0 && 100 * n_changed <= n, "{name}: {n_changed} of {n}");
    }
}

/// Judgments of answers in forms, and how many differ from that of the bare answer.
#[derive(Default)]
struct Changes {
    n: usize,
    n_changed: usize,
}

fn tally_changes(changes: &mut Changes, question: &Question, answer: &str, expected: Correctness) {
    for sentence in 0..SENTENCES.len() {
        let format = FORMATS[(sentence + answer.len()) % FORMATS.len()];
        let text = Form { sentence, format }.wraps(answer);
        let judgment = judged(question, &text);
        changes.n += 1;
        if judgment.correctness != expected {
            changes.n_changed += 1;
            let line = json!({"id": question.id, "gold": question.answers, "answer": text, "expected": expected,
                "judged": judgment.correctness, "reason": judgment.reason});
            seen(&format!("changed: {line}"));
        }
    }
}

fn judged(question: &Question, answer: &str) -> Judgment {
    let judge =
        Judge { rule: RightRule::Auto, scorer: Scorer::Hotpotqa, language: Language::english() };
    let judgment = judge.judge(question, answer, Stance::Answered);
    judgment.expect("has gold answers")
}

#[test]
fn forms_change_no_judgment_of_the_runbooks() {
    let path = repository("datasets/runbooks");
    forms_change_no_judgment("runbooks", &load(DataFormat::Files, &path));
}

#[test]
#[cfg_attr(
    not(has_data_hotpotqa),
    ignore = "needs datasets/fetched/hotpotqa: ragtriage dataset fetch hotpotqa --from FOLDER"
)]
fn forms_change_no_judgment_of_hotpotqa() {
    let path = fetched("hotpotqa");
    forms_change_no_judgment("hotpotqa", &load(DataFormat::Hotpotqa, &path));
}

#[test]
fn a_planted_diagnosis_does_not_depend_on_the_form_of_answers() {
    let shapes = [
        (Shape::Plain, 100),
        (Shape::Aliases, 60),
        (Shape::YesNo, 40),
        (Shape::TwoHop, 40),
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
arms = ["retrieved", "oracle", "gold_in_noise"]
"#;
