//! The rule of correct answers: question, answer, gold answers and key facts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::{Scorer, groundedness};
use ragtriage_core::correctness::{JudgeVerdict, unsupported_values};
use ragtriage_core::types::{Question, QuestionKind, Stance};

fuzz_target!(|text: &str| {
    let mut parts = text.split("\n====\n");
    let mut part = || parts.next().unwrap_or_default();
    let (asked, answer, golds, facts) = (part(), part(), part(), part());
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for kind in QuestionKind::ALL {
        let mut question = Question::new("q".into(), asked.to_owned());
        question.kind = kind;
        question.answers = lines(golds);
        for (n, fact) in facts.lines().enumerate() {
            let wordings = fact.split('|').map(str::to_owned).collect();
            [&mut question.required, &mut question.forbidden][n % 2].push(wordings);
        }
        for stance in Stance::ALL {
            let judge = ragtriage_core::correctness::Judge {
                scorer: Scorer::default(),
                language: Language::english(),
            };
            let judgment = judge.judge(&question, answer, stance);
            assert_eq!(judgment, judge.judge(&question, answer, stance));
        }
    }
    let share = groundedness(answer, &[asked, golds]);
    assert!(share.is_none_or(|share| (0.0..=1.0).contains(&share)), "{share:?}");
    assert!(unsupported_values(answer, &[answer], Language::english()).is_empty(), "an answer supports its own values");
    let _ = JudgeVerdict::read(answer);
});
