//! The rule of correctness against near misses, correct answers in other words, answers in the style of chat models, replies that decline
//! or do not, and a model's answers judged by two readers who did not know the rule (evals/correctness.md has the method).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ragtriage_clients::llm::read_answer;
use ragtriage_core::attribute::judge::read_by_question;
use ragtriage_core::correctness::{Correctness, Judge, declines_to_answer};
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::{self, AnswerScores, Scorer};
use ragtriage_core::stats::mcnemar::mcnemar;
use ragtriage_core::types::{Attempt, Finish, Question, QuestionId, QuestionKind, Stance};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::planted::seen;

/// At most this share of the near misses, which were written to deceive the rule, is accepted.
const MOST_ACCEPTED: f64 = 0.08;
/// At least this share of the correct answers in other notations is accepted.
const LEAST_ACCEPTED: f64 = 0.87;

/// An answer to a question with its gold answers, known to be correct or wrong.
#[derive(Deserialize)]
struct Item {
    question: String,
    kind: QuestionKind,
    gold_answers: Vec<String>,
    answer: String,
    category: String,
}

/// A language model's reply, judged twice.
#[derive(Deserialize)]
struct JudgedReply {
    id: QuestionId,
    reply: String,
    judge_a: Correctness,
    judge_b: Correctness,
}

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/correctness").join(file)
}

fn lines<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).expect("committed");
    let lines = text.lines();
    lines.map(|line| serde_json::from_str(line).expect("a line of the file")).collect()
}

fn judge(question: &Question, answer: &str, stance: Stance) -> Correctness {
    let rule = Judge { scorer: Scorer::Squad2, language: Language::english() };
    rule.judge(question, answer, stance).expect("has gold data").correctness
}

/// Simpler rules by their names.
type Simpler = fn(&str, &[String]) -> bool;
const SIMPLER: [(&str, Simpler); 3] = [
    ("AnswerF1 >= 0.6", |answer, gold| scores(answer, gold).f1 >= 0.6),
    ("AnswerEM", |answer, gold| scores(answer, gold).em == 1.0),
    // Kamalloo et al., ACL 2023.
    ("AnswerContains", |answer, gold| answer::contains(answer, gold) == Some(true)),
];

fn scores(answer: &str, gold: &[String]) -> AnswerScores {
    answer::score(answer, gold, Scorer::Squad2, Language::english())
}

fn correctness(item: &Item) -> Correctness {
    let question = Question {
        kind: item.kind,
        answers: item.gold_answers.clone(),
        ..Question::new("q".into(), item.question.clone())
    };
    let (extracted, stance) = read_answer(&item.answer, Finish::Stop);
    let mut attempt = Attempt { raw: item.answer.clone(), stance, ..Attempt::new(&*extracted) };
    read_by_question(&question, &mut attempt, &[], Language::english());
    judge(&question, &attempt.extracted, attempt.stance)
}

/// Returns the share of `items` that the rule accepts; says it by category, and that of each simpler rule.
fn accepted(name: &str, items: &[Item]) -> f64 {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for item in items {
        let found = correctness(item);
        counts.entry(&item.category).or_default()[found as usize] += 1;
    }
    let n = items.len();
    seen(&format!("{name}, n = {n}: [correct, unsure, wrong] {counts:?}"));
    for (name, accepts) in SIMPLER {
        let n_accepted =
            items.iter().filter(|item| accepts(&item.answer, &item.gold_answers)).count();
        seen(&format!("  {name}: {n_accepted} accepted"));
    }
    counts.values().map(|[correct, ..]| *correct).sum::<usize>() as f64 / n as f64
}

#[test]
fn near_misses_are_not_accepted() {
    let share = accepted("near misses", &lines(&data("wrong.jsonl")));
    accepted("hold-out of near misses", &lines(&data("holdout-wrong.jsonl")));
    assert!(share <= MOST_ACCEPTED, "{share}");
}

/// Categories whose answers differ from a gold answer in notation or form; the others say it in other words.
const NOTATIONS: &str = "answer_is answer_prefix bound_reworded citation code code_fence_or_backticks conversion converted_exactly \
     currency currency_notation date_format date_notation duration duration_notation json markdown markdown_bold number_in_words \
     number_words percent percent_notation quoted quotes range range_notation separators single_item_list thousands_separator \
     time_format time_notation unit_abbreviated_or_attached units version version_notation";

#[test]
fn correct_answers_in_other_notations_are_accepted() {
    let items: Vec<Item> = lines(&data("correct.jsonl"));
    let (free, others): (Vec<Item>, Vec<Item>) =
        items.into_iter().partition(|item| item.kind == QuestionKind::Free);
    let (notations, words): (Vec<Item>, Vec<Item>) =
        others.into_iter().partition(|item| NOTATIONS.split(' ').any(|name| name == item.category));
    accepted("reference sentences in other words", &free);
    accepted("correct answers in other words", &words);
    let share = accepted("correct answers in other notations", &notations);
    accepted("hold-out of correct answers", &lines(&data("holdout-correct.jsonl")));
    assert!(share >= LEAST_ACCEPTED, "{share}");
}

/// An answer in the style of a chat model, with the verdict of its author.
#[derive(Deserialize)]
struct Labelled {
    #[serde(flatten)]
    item: Item,
    label: Correctness,
}

#[test]
fn decisions_about_chat_answers_are_mostly_those_of_their_authors() {
    // The least agreement of the decided, and the least share of these: below what was measured.
    for (file, agreement, share) in [
        ("chat.jsonl", 0.88, 0.65),
        ("chat-later.jsonl", 0.88, 0.65),
        ("chat-hardest.jsonl", 0.72, 0.6),
        ("chat-latest.jsonl", 0.93, 0.72),
        ("technical.jsonl", 0.96, 0.9),
        ("technical-later.jsonl", 0.96, 0.9),
        ("replies.jsonl", 0.97, 0.85),
    ] {
        let answers: Vec<Labelled> = lines(&data(file));
        let found = answers.iter().map(|one| (one.label, correctness(&one.item)));
        let mut counts: BTreeMap<(Correctness, Correctness), usize> = BTreeMap::new();
        for pair in found {
            *counts.entry(pair).or_default() += 1;
        }
        seen(&format!("{file} (label, judged): {counts:?}"));
        let count = |label, judged| counts.get(&(label, judged)).map_or(0.0, |n| *n as f64);
        let (correct, wrong) = (Correctness::Correct, Correctness::Wrong);
        let errors = count(correct, wrong) + count(wrong, correct);
        let decided = errors + count(correct, correct) + count(wrong, wrong);
        assert!(errors <= (1.0 - agreement) * decided, "{file}: {errors} of {decided}");
        assert!(decided >= share * answers.len() as f64, "{file}: {decided}");
    }
}

/// A reply, and whether it declines to answer its question.
#[derive(Deserialize)]
struct Response {
    language: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    gold_answers: Vec<String>,
    reply: String,
    declines: bool,
}

#[test]
fn replies_that_decline_are_told_from_those_that_answer() {
    for (file, most_missed, most_mistaken) in [
        ("declined.jsonl", 4, 8),
        ("declined-later.jsonl", 14, 24),
        ("declined-latest.jsonl", 25, 80),
        ("declined-replies.jsonl", 18, 8),
        ("declined-ordinary.jsonl", 30, 6),
    ] {
        let replies: Vec<Response> = lines(&data(file));
        let mut missed = Vec::new();
        let mut mistaken = Vec::new();
        for Response { language, question, gold_answers, reply, declines } in &replies {
            let question = Question {
                answers: gold_answers.clone(),
                ..Question::new("q".into(), question.clone())
            };
            match (declines, declines_to_answer(&question, reply, &[], Language::of(language))) {
                (true, false) => missed.push((language, reply)),
                (false, true) => mistaken.push((language, reply)),
                _ => {}
            }
        }
        let (n_missed, n_mistaken) = (missed.len(), mistaken.len());
        seen(&format!("{file}, of {}: missed {missed:#?}, mistaken {mistaken:#?}", replies.len()));
        assert!(
            n_missed <= most_missed && n_mistaken <= most_mistaken,
            "{file}: {n_missed} missed, {n_mistaken} mistaken"
        );
    }
}

#[test]
fn no_simpler_rule_agrees_significantly_better_with_people() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/runbooks/questions.jsonl");
    let questions: Vec<RunbookQuestion> = lines(&path);
    let questions: BTreeMap<QuestionId, Question> =
        questions.into_iter().map(|question| (question.id.clone(), question.into())).collect();
    let replies: Vec<JudgedReply> = lines(&data("judged.jsonl"));
    assert_eq!(replies.len(), 300);
    let between: Vec<(i32, i32)> =
        replies.iter().map(|reply| (grade(reply.judge_a), grade(reply.judge_b))).collect();
    seen(&format!("the two readers: kappa {:.3}", kappa(&between)));
    let agrees = |name: &str, decide: &dyn Fn(&Question, &str, Stance) -> Correctness| {
        let judged = replies.iter().map(|reply| {
            let (answer, stance) = read_answer(&reply.reply, Finish::Stop);
            (decide(&questions[&reply.id], &answer, stance), reply.judge_a)
        });
        let judged: Vec<(Correctness, Correctness)> = judged.collect();
        let grades: Vec<(i32, i32)> =
            judged.iter().map(|(rule, person)| (grade(*rule), grade(*person))).collect();
        let agreed = grades.iter().filter(|(a, b)| a == b).count() as f64 / grades.len() as f64;
        seen(&format!("{name}: agreement {agreed:.3}, kappa {:.3}", kappa(&grades)));
        let agrees = |(rule, person): &(Correctness, Correctness)| {
            (*rule != Correctness::Unsure).then_some(rule == person)
        };
        judged.iter().map(agrees).collect::<Vec<Option<bool>>>()
    };
    let own = agrees("the rule", &judge);
    for (name, accepts) in SIMPLER {
        // Key facts decide by the rule.
        let other = agrees(name, &|question, answer, stance| {
            if question.has_facts() {
                judge(question, answer, stance)
            } else {
                Correctness::from_correct(accepts(answer, &question.answers))
            }
        });
        // Of the answers that both decide.
        let both: Vec<(bool, bool)> =
            own.iter().zip(&other).filter_map(|(own, other)| own.zip(*other)).collect();
        let only_own = both.iter().filter(|(own, other)| *own && !other).count();
        let only_other = both.iter().filter(|(own, other)| !own && *other).count();
        let p = mcnemar(only_own, only_other);
        seen(&format!(
            "{name}: the rule alone agrees {only_own} times, it alone {only_other}, p = {p:.3}"
        ));
        assert!(only_own >= only_other || p > 0.05, "{name} agrees better, p = {p}");
    }
}

/// Returns Cohen's kappa of pairs of 0 and 1: agreement beyond chance, of 1 less that by chance.
fn kappa(pairs: &[(i32, i32)]) -> f64 {
    let n = pairs.len() as f64;
    let share =
        |is: &dyn Fn(&(i32, i32)) -> bool| pairs.iter().filter(|pair| is(pair)).count() as f64 / n;
    let [first, second] = [share(&|pair| pair.0 == 1), share(&|pair| pair.1 == 1)];
    let by_chance = first * second + (1.0 - first) * (1.0 - second);
    (share(&|pair| pair.0 == pair.1) - by_chance) / (1.0 - by_chance)
}

/// Correct is 1; unsure, which no person said, and wrong are 0.
fn grade(found: Correctness) -> i32 {
    i32::from(found == Correctness::Correct)
}

/// The fields of a question of the runbooks that judging reads.
#[derive(Deserialize)]
struct RunbookQuestion {
    id: QuestionId,
    text: String,
    kind: QuestionKind,
    #[serde(default)]
    answers: Vec<String>,
    #[serde(default)]
    required: Vec<Vec<String>>,
    #[serde(default)]
    forbidden: Vec<Vec<String>>,
}

impl From<RunbookQuestion> for Question {
    fn from(found: RunbookQuestion) -> Self {
        Self {
            kind: found.kind,
            answers: found.answers,
            required: found.required,
            forbidden: found.forbidden,
            ..Self::new(found.id, found.text)
        }
    }
}
