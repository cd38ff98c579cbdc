//! A reader with habits that the diagnosis does not know: it remembers, is led astray by names in other passages, answers by
//! other names and slips. The loss budget must recover what each habit and each planted loss costs.

use ragtriage_core::stats::random::Random;

use super::seen;
use super::server::{Asked, Said, Server};
use super::setting::{BLOCK_WORDS, Question, Setting, Shape};
use super::trial::run;
use crate::project::Project;
use crate::run_files::{check, metric};

/// How a reader treats one question, drawn from the question's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// Wrong whatever it reads.
    pub slips: bool,
    /// Correct without support.
    pub remembers: bool,
    /// Takes a name from a passage without gold where there is one.
    pub strays: bool,
    /// By which name it answers.
    pub by: Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// The first gold answer.
    First,
    /// The last gold answer, which counts as correct.
    Alias,
    /// One that no gold lists: `the elder` and the last name.
    Unlisted,
}

impl Habits {
    /// Of every hundred questions 10 slip, 20 are remembered, 25 stray, 20 are answered by an alias and 10 by an unlisted name.
    pub fn of(question: &str) -> Self {
        let mut random = Random::new(seed(question));
        let mut percent = || random.below(100);
        let (slips, remembers, strays) = (percent() < 10, percent() < 20, percent() < 25);
        let by = match percent() {
            0..20 => Name::Alias,
            20..30 => Name::Unlisted,
            _ => Name::First,
        };
        Self { slips, remembers, strays, by }
    }

    pub fn name(self, answers: &[String]) -> String {
        let first = &answers[0];
        match self.by {
            Name::First => first.clone(),
            Name::Alias => answers[answers.len() - 1].clone(),
            Name::Unlisted => {
                format!("the elder {}", first.split(' ').next_back().unwrap_or_default())
            }
        }
    }
}

/// A seed made of a text by FNV-1a (Fowler, Noll, Vo).
pub fn seed(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A gold text as a reader knows it again: by its runs of four words, wherever they stand. Neither ranges nor chunks are known to it.
pub struct Gold(Vec<String>);

impl Gold {
    pub fn new(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        Self(words.windows(4.min(words.len().max(1))).map(|run| run.join(" ")).collect())
    }

    /// Whether three of four of its runs stand in the passages together.
    pub fn is_in(&self, passages: &[String]) -> bool {
        let stands = |run: &&String| {
            passages.iter().any(|passage| one_spaced(passage).contains(run.as_str()))
        };
        4 * self.0.iter().filter(stands).count() >= 3 * self.0.len()
    }

    /// Whether a passage has any of them.
    pub fn touches(&self, passage: &str) -> bool {
        let passage = one_spaced(passage);
        self.0.iter().any(|run| passage.contains(run.as_str()))
    }
}

/// What was taken from a question on its way to the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    None,
    Corpus,
    Chunking,
    Retrieval,
    Ranking,
    Packing,
}

/// Its terms of the loss by arithmetic. The reader's own answer scores `own`: a first name or an alias 1; `the elder Last`
/// against `First Last` shares one of two tokens either way (articles go), so F1 1/2.
fn terms(habits: Habits, loss: Loss) -> [(&'static str, f64); 3] {
    let own = if habits.by == Name::Unlisted { 0.5 } else { 1.0 };
    let oracle = if habits.slips { 0.0 } else { own };
    let in_noise = if habits.strays { 0.0 } else { oracle };
    let retrieved = match loss {
        Loss::None => in_noise,
        _ if habits.remembers => oracle,
        _ => 0.0,
    };
    if loss == Loss::Corpus {
        return [("not_in_corpus", 1.0 - retrieved), ("misread", 0.0), ("ignored_context", 0.0)];
    }
    let stage = match loss {
        Loss::Chunking => "split",
        Loss::Retrieval => "not_retrieved",
        Loss::Ranking => "ranked_low",
        _ => "not_packed",
    };
    [
        ("misread", 1.0 - oracle),
        ("ignored_context", oracle - in_noise),
        (stage, in_noise - retrieved),
    ]
}

fn read(questions: &[Known], asked: &Asked) -> Said {
    let known = questions.iter().find(|known| known.text == asked.question).expect("one of ours");
    let habits = Habits::of(&known.text);
    let supported =
        known.golds.iter().all(|group| group.iter().any(|gold| gold.is_in(&asked.passages)));
    let holds_gold =
        |passage: &String| known.golds.iter().flatten().any(|gold| gold.touches(passage));
    let other = asked
        .passages
        .iter()
        .filter(|passage| !holds_gold(passage))
        .find_map(|passage| inhabitant(passage));
    let own = habits.name(&known.answers);
    let answer = if habits.slips {
        known.wrong.clone()
    } else if supported {
        other.filter(|_| habits.strays).unwrap_or(own)
    } else if habits.remembers {
        own
    } else {
        other.unwrap_or_else(|| known.wrong.clone())
    };
    Said::text(format!("Answer: {answer}"))
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Who lives around the place that a passage is about.
fn inhabitant(passage: &str) -> Option<String> {
    let behind = passage.split_once(" lives ")?.1;
    Some(behind.split(' ').take(2).collect::<Vec<_>>().join(" "))
}

struct Known {
    text: String,
    answers: Vec<String>,
    wrong: String,
    golds: Vec<Vec<Gold>>,
}

impl Known {
    fn of(question: &Question) -> Self {
        let golds = question
            .groups
            .iter()
            .map(|group| group.iter().map(|member| Gold::new(&member.quote)).collect());
        Self {
            text: question.text.clone(),
            answers: question.answers.clone(),
            wrong: question.wrong.clone(),
            golds: golds.collect(),
        }
    }
}

#[test]
fn the_loss_budget_recovers_what_hidden_habits_cost() {
    let shapes =
        [(Shape::Aliases, 300), (Shape::TwoHop, 40), (Shape::TwoPlaces, 20), (Shape::Long, 40)];
    let mut setting = Setting::new(42, &shapes);
    let known: Vec<Known> = setting.questions.iter().map(Known::of).collect();
    // Of the 300 every tenth is deleted, ...; 40 long ones are parted.
    let dealt = setting.ids(|question| question.shape == Shape::Aliases);
    let each_tenth =
        |at: usize| -> Vec<String> { dealt.iter().skip(at).step_by(10).cloned().collect() };
    let losses = [
        (Loss::Corpus, each_tenth(0)),
        (Loss::Retrieval, [each_tenth(1), each_tenth(2)].concat()),
        (Loss::Ranking, each_tenth(3)),
        (Loss::Packing, each_tenth(4)),
        (Loss::Chunking, setting.ids(|question| question.shape == Shape::Long)),
    ];
    setting.delete(&losses[0].1);
    for (at, n) in [(1, 35), (2, 8), (3, 4)] {
        setting.distract(&losses[at].1, n, BLOCK_WORDS);
    }
    let truth = |source: &str| {
        let of = |question: &Question| {
            let loss = losses
                .iter()
                .find(|(_, ids)| ids.contains(&question.id))
                .map_or(Loss::None, |(loss, _)| *loss);
            let terms = terms(Habits::of(&question.text), loss);
            terms.iter().filter(|(name, _)| *name == source).map(|(_, cost)| cost).sum::<f64>()
        };
        setting.questions.iter().map(of).sum::<f64>() / setting.questions.len() as f64
    };

    let project: Project = setting.project();
    let server = Server::start(move |asked| read(&known, asked));
    run(&project, &server, "noisy", &["chunking.size=30", "generation.context_tokens=220"]);
    check(&project, "noisy");
    let summary = project.summary("noisy");
    let budget = &summary["losses"]["budget"];
    let terms = budget["terms"].as_array().expect("a list");
    assert_eq!((terms.len(), budget["n"].as_u64()), (7, Some(400)));
    let mut sum = 0.0;
    for term in terms {
        let (source, found) =
            (term["source"].as_str().expect("a name"), term["mean"].as_f64().expect("a mean"));
        let planted = truth(source);
        seen(&format!("{source}: planted {planted:.4}, found {found:.4}"));
        assert!(
            (found - planted).abs() <= 0.02,
            "{source}: planted {planted:.4}, found {found:.4}"
        );
        sum += found;
    }
    let loss = budget["loss"].as_f64().expect("a number");
    assert!((loss - sum).abs() < 1e-12, "terms add up to {sum}, the loss is {loss}");
    let f1 = metric(&summary, "AnswerF1").0;
    assert!((loss - (1.0 - f1)).abs() < 1e-12, "AnswerF1 is {f1}, the loss {loss}");
}
