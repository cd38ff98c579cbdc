//! Pairs of gold answer and answer whose rightness follows from arithmetic or the calendar.

use crate::measure::answer::{Scorer, score};
use crate::rightness::{Correctness, auto};
use crate::types::{Question, QuestionKind};

/// Question, gold answer, answer.
type Pair = (&'static str, &'static str, &'static str);

const RIGHT: &[Pair] = &[
    ("How long does a deploy take?", "6 minutes", "six minutes"),
    ("How long does a deploy take?", "6 minutes", "6 min"),
    ("How long does a deploy take?", "6 minutes", "The deploy takes 360 seconds."),
    ("How long does a deploy take?", "90 seconds", "1.5 minutes"),
    ("How long does a deploy take?", "90 seconds", "1 min 30 s"),
    ("How long does a deploy take?", "90 seconds", "a minute and a half"),
    ("How long does a deploy take?", "90 minutes", "an hour and a half"),
    ("How long is the retry delay?", "30 seconds", "30 sec"),
    ("How long is the trial?", "2 weeks", "14 days"),
    ("How long is the trial?", "6 minutes", "Not 5 but 6 minutes."),
    ("How long is the trial?", "6 minutes", "6 minutes, up from 4 minutes."),
    ("How long is the trial?", "6 minutes", "It is 6 minutes, not 5 minutes."),
    ("How far is it?", "5 km", "5km"),
    ("How far is it?", "1 km", "1,000 m"),
    ("How far is it?", "5 kilometres", "about 5 km"),
    ("How many people live there?", "3.5 million", "3,500,000"),
    ("How many people live there?", "3,500,000", "three and a half million"),
    ("How many people live there?", "25", "twenty-five"),
    ("What does it cost?", "EUR 4.95", "4,95 \u{20ac}"),
    ("What does it cost?", "EUR 4.95", "4.95 euros"),
    ("What does it cost?", "$5 million", "USD 5,000,000"),
    ("What share is it?", "10%", "ten percent"),
    ("What share is it?", "10 %", "10 per cent"),
    ("When did it erupt?", "18 May 1980", "May 18, 1980"),
    ("When did it erupt?", "18 May 1980", "It erupted on 1980-05-18."),
    ("When did it erupt?", "18 May 1980", "18.5.1980"),
    ("When did it erupt?", "May 18, 1980", "the 18th of May 1980"),
    ("When did it erupt?", "1980", "on 18 May 1980"),
    ("When did the war end?", "1945", "The war ended in 1945."),
    ("When does it start?", "3 pm", "15:00"),
    ("When does it start?", "15:00", "at 3:00 p.m."),
    ("When does it start?", "noon", "12:00"),
    ("What range is allowed?", "10-20", "between 10 and 20"),
    ("What range is allowed?", "10 to 20", "10\u{2013}20"),
    ("Which version is it?", "v1.2", "1.2"),
    ("Which country is it?", "United States", "USA"),
    ("Which city is it?", "New York City", "NYC"),
    ("Which church is it?", "St. Paul's", "Saint Paul's"),
    ("Who wrote it?", "John F. Kennedy", "John Fitzgerald Kennedy"),
    ("Who wrote it?", "J. R. R. Tolkien", "JRR Tolkien"),
    ("Who wrote it?", "Charles Eug\u{e8}ne", "Dr. Charles Eugene"),
    ("Which flag is it?", "sca-exempt-low", "Turn off `sca-exempt-low`."),
    ("Are both in Paris?", "no", "**No**. Both passages say so."),
    ("Are both in Paris?", "no", "No, they are not."),
    ("Are both in Paris?", "no", "They are not."),
    ("Are both in Paris?", "yes", "Yes, both are."),
    ("What must you do?", "must never delete the index", "You must never delete the index."),
];

const WRONG: &[Pair] = &[
    ("When did it erupt?", "May 18, 1980", "May 18, 1981"),
    ("When did it erupt?", "May 18, 1980", "18 June 1980"),
    ("When did it erupt?", "18 May 1980", "1980"),
    ("How long may it take?", "at most 6 minutes", "at most 60 minutes"),
    ("How long may it take?", "at most 6 minutes", "at least 6 minutes"),
    ("How long may it take?", "6 minutes", "6 hours"),
    ("How long may it take?", "6 minutes", "either 5 or 6 minutes"),
    ("How long may it take?", "6 minutes", "5 or 6 minutes"),
    ("How long may it take?", "6 minutes", "5 to 6 minutes"),
    ("How long may it take?", "6 minutes", "It is not 6 minutes."),
    ("How long may it take?", "6 minutes", "no longer 6 minutes but 8 minutes"),
    ("How long may it take?", "6 minutes", "8 minutes instead of 6 minutes"),
    ("How long may it take?", "6 minutes", "6 minutes is wrong."),
    (
        "How long may a deploy take?",
        "6 minutes",
        "A deploy may take 10 minutes; the database takes 6 minutes.",
    ),
    ("How long is the deploy timeout?", "6 minutes", "The database timeout is 6 minutes."),
    ("How many people live there?", "3.5 million", "3.5 billion"),
    ("How many people live there?", "3.5 million", "350,000"),
    ("What does it cost?", "EUR 4.95", "USD 4.95"),
    ("What does it cost?", "EUR 4.95", "EUR 49.50"),
    ("How big is it?", "4 GB", "4 GiB"),
    ("How big is it?", "4 GB", "4 MB"),
    ("When does it start?", "3 pm", "3 am"),
    ("When does it start?", "15:00 UTC", "15:00 CET"),
    ("What range is allowed?", "10-20", "10-30"),
    ("Which version is it?", "1.2", "1.20"),
    ("What must you do?", "must never delete the index", "You must always delete the index."),
    ("Which city is it?", "Paris", "Paris, London"),
    ("Which city is it?", "Paris", "Paris or London"),
    ("Which city is it?", "Paris", "It is not Paris."),
    ("Which city is it?", "Paris", "London rather than Paris"),
    ("Who wrote it?", "John Ford", "John Wayne"),
    ("Who wrote it?", "Henry Ford", "Ford"),
    (
        "Who is older, Annie Morton or Terry Richardson?",
        "Terry Richardson",
        "Annie Morton is older than Terry Richardson.",
    ),
    ("Are both in Paris?", "no", "Yes, both are."),
    ("Are both in Paris?", "yes", "They are not."),
    ("Are both in Paris?", "yes", "yes and no"),
    ("Which flag is it?", "edge-lst", "edge-lst-old"),
    ("Which flag is it?", "-d", "-D"),
    ("Who is it?", "it", "I think it was her."),
];

fn is_right((text, gold, answer): Pair) -> bool {
    let mut question = Question::new("q".into(), text.to_owned());
    question.kind = QuestionKind::Span;
    question.answers = vec![gold.to_owned()];
    let f1 = score(answer, &question.answers, Scorer::Squad2).f1;
    auto(&question, answer, f1, 0.6).correctness == Correctness::Right
}

#[test]
fn equal_values_and_names_are_right() {
    let missed: Vec<&Pair> = RIGHT.iter().filter(|pair| !is_right(**pair)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_number_that_is_no_hour_is_no_time() {
    // 4,294,967,295 hours in seconds exceed 32 bits.
    assert!(!is_right(("Until when?", "13:00", "until 4294967295")));
    assert!(!is_right(("Until when?", "13:00", "until 12.60")));
}

#[test]
fn other_values_negations_and_lists_are_not() {
    let missed: Vec<&Pair> = WRONG.iter().filter(|pair| is_right(**pair)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn facts_are_stated_by_value_and_not_when_denied() {
    let mut question =
        Question::new("q".into(), "How do I roll back, and how long does it take?".to_owned());
    question.required = vec![vec!["shopctl rollback".into()], vec!["4 minutes".into()]];
    question.forbidden = vec![vec!["helm rollback".into()]];
    let verdict = |answer: &str| auto(&question, answer, 0.0, 0.6).correctness;
    assert_eq!(verdict("Run `shopctl rollback`; it takes four minutes."), Correctness::Right);
    assert_eq!(
        verdict("Run `shopctl rollback`, never helm rollback. 240 seconds."),
        Correctness::Right
    );
    assert_eq!(verdict("Run shopctl rollback or helm rollback, 4 minutes."), Correctness::Wrong);
    assert_eq!(verdict("Do not run shopctl rollback. 4 minutes."), Correctness::Wrong);
    assert_eq!(verdict("Run shopctl rollback, 5 minutes."), Correctness::Wrong);
    let mut question = Question::new("q".into(), "What is the toll?".to_owned());
    question.required = vec![vec!["three groats".into()], vec!["sixty years".into()]];
    let answer = "three groats, and it has not been raised in sixty years";
    assert_eq!(auto(&question, answer, 0.0, 0.6).correctness, Correctness::Right);
}

#[test]
fn symbols_units_case_and_long_numbers_are_not_lost() {
    for (question, gold, answer) in [
        ("Which language?", "C++", "C#"),
        ("Which operator?", "&&", "||"),
        ("How much power?", "5 mW", "5 MW"),
        ("How much memory?", "5 MB", "5 Mb"),
        ("Which card number?", "4111111111111111", "4111111111111112"),
        ("How many?", "0.1", "0.1000000001"),
    ] {
        let question = Question {
            kind: QuestionKind::Span,
            answers: vec![gold.to_owned()],
            ..Question::new("q".into(), question.to_owned())
        };
        let judgment = auto(&question, answer, 1.0, 0.6);
        assert_ne!(
            judgment.correctness,
            Correctness::Right,
            "{gold}: {answer}, {}",
            judgment.reason
        );
        let same = auto(&question, gold, 1.0, 0.6);
        assert_eq!(same.correctness, Correctness::Right, "{gold}: {}", same.reason);
    }
    let question = Question {
        kind: QuestionKind::Span,
        answers: vec!["6 minutes".to_owned()],
        ..Question::new("q".into(), "How long?".to_owned())
    };
    let long = "6 minutes, ".repeat(1000);
    assert_eq!(auto(&question, &long, 1.0, 0.6).correctness, Correctness::Unsure);
}
