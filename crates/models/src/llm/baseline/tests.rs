//! The baseline reader: kinds of questions, the score, candidates, odd input.

use proptest::prelude::*;

use super::*;
use ragtriage_core::prompt::PromptPassage;

fn prompt(question: &str, kind: QuestionKind, passages: &[(&str, &str)]) -> Prompt {
    let passages = passages
        .iter()
        .map(|&(title, text)| PromptPassage { title: title.to_owned(), text: text.to_owned() })
        .collect();
    Prompt {
        question: question.to_owned(),
        kind,
        passages,
        system: String::new(),
        user: String::new(),
    }
}

const RUNBOOKS: [(&str, &str); 2] = [
    (
        "Kafka lag",
        "# Symptoms\nThe alert fires at 10,000 messages.\n# Drain a broker\n\
         - Run `kafka-drain --id N` to drain a broker.\n\
         - Wait 15 minutes for the replicas.\n- Never restart two brokers at once.",
    ),
    (
        "Postgres",
        "The primary was moved to Frankfurt by Ada Brook on 3 May 2021. Its port is 5432.",
    ),
];

#[test]
fn the_question_kind_and_words_decide_what_is_answered() {
    for (question, kind, expected) in [
        ("Which command drains a broker?", QuestionKind::Span, "kafka-drain --id N"),
        ("How long do the replicas need?", QuestionKind::Span, "15 minutes"),
        ("At how many messages does the alert fire?", QuestionKind::Span, "10,000"),
        ("Who moved the Postgres primary?", QuestionKind::Span, "Ada Brook"),
        ("Where was the primary moved?", QuestionKind::Span, "Frankfurt"),
        ("In what year was the primary moved?", QuestionKind::Span, "2021"),
        ("What is the port of Postgres?", QuestionKind::Span, "5432"),
        ("Can I restart two brokers at once?", QuestionKind::YesNo, "no"),
        ("Was the primary moved to Frankfurt?", QuestionKind::YesNo, "yes"),
        (
            "How do I drain a broker?",
            QuestionKind::Free,
            "Run `kafka-drain --id N` to drain a broker.",
        ),
        ("Who wrote Hamlet?", QuestionKind::Span, ABSTENTION),
        ("", QuestionKind::Span, ABSTENTION),
    ] {
        assert_eq!(Baseline.answer(&prompt(question, kind, &RUNBOOKS)), expected, "{question}");
    }
}

#[test]
fn the_questions_of_the_programs_tests_are_answered() {
    let passages = [
        ("A", "Alpha waits six minutes."),
        ("B", "Beta never waits."),
        ("C", "Gamma restarts. Gamma restarts often. Gamma restarts."),
        ("D", "After a crash Gamma restarts in nine seconds, says the operator on duty."),
    ];
    for (question, expected) in [
        ("How long does alpha wait?", "six minutes"),
        ("Who never waits?", "Beta"),
        ("How long do Gamma restarts take?", "nine seconds"),
    ] {
        let asked = prompt(question, QuestionKind::Span, &passages);
        assert_eq!(Baseline.answer(&asked), expected, "{question}");
    }
}

#[test]
fn without_passages_it_abstains_whatever_the_kind() {
    for kind in QuestionKind::ALL {
        assert_eq!(Baseline.answer(&prompt("Who?", kind, &[])), ABSTENTION);
    }
}

#[test]
fn a_long_line_without_white_space_or_of_marks_only_is_answered() {
    for line in [
        "a".repeat(200_000),
        ".\"".repeat(100_000),
        "`A 1 in May ".repeat(20_000),
        "é.\n".repeat(50_000),
    ] {
        for kind in QuestionKind::ALL {
            let asked = prompt(&line, kind, &[(&line, &line)]);
            assert!(Baseline.answer(&asked).len() <= 1_000);
        }
    }
}

fn decided(question: &str, text: &str) -> bool {
    Baseline.answer(&prompt(question, QuestionKind::YesNo, &[("", text)])) == "yes"
}

fn texts<'a>(ranked: &[Sentence<'a>]) -> Vec<&'a str> {
    ranked.iter().map(|sentence| sentence.text).collect()
}

#[test]
fn the_score_is_the_documented_sum() {
    let asked = prompt(
        "kafka port",
        QuestionKind::Span,
        &[("On Kafka", "The port is 9092. It is slow."), ("Other", "Kafka has a port.")],
    );
    let mut terms = Terms::of(&asked.question);
    let ranked = ranked(&asked, &mut terms);
    // N = 3; kafka occurs in 1 sentence, port in 2.
    let (kafka, port) = (4.0_f64.ln(), 2.5_f64.ln());
    assert_eq!(terms.weights, [kafka, port]);
    assert_eq!(texts(&ranked), ["Kafka has a port.", "The port is 9092.", "It is slow."]);
    // 17 bytes each for the first two, 11 for the third.
    let expected = [
        (kafka + port) / (1.0 + 0.1 * 0.17),
        (port + 0.5 * kafka) / (1.0 + 0.1 * 0.17),
        0.5 * kafka / (1.0 + 0.1 * 0.11),
    ];
    for (sentence, expected) in ranked.iter().zip(expected) {
        let score = sentence.score;
        assert!((score - expected).abs() < 1e-12, "{}: {score}", sentence.text);
    }
}

#[test]
fn a_heading_counts_for_the_lines_under_it_and_ties_keep_the_prompts_order() {
    let passages = [("", "Wait.\n# Restart\nRun it.\n# Stop\nEnd it.")];
    let asked = prompt("restart kafka", QuestionKind::Span, &passages);
    let ranked = ranked(&asked, &mut Terms::of(&asked.question));
    assert_eq!(texts(&ranked), ["Run it.", "Wait.", "End it."]);
}

const TEXT: &str =
    "On 3 May 1998 Ada Brook, born in Leeds, moved 12 hosts with `drainctl` to Paris in 5 minutes.";

#[test]
fn the_question_chooses_the_form_and_the_nearest_candidate() {
    for (question, expected) in [
        ("Who moved them?", "Ada Brook"),
        ("When was it moved?", "3 May 1998"),
        ("In what year was it moved?", "1998"),
        ("How many were moved?", "12"),
        ("How long was it moved?", "5 minutes"),
        ("Which command moved them?", "drainctl"),
        // `born` is 2 words before `Leeds` and far from `Paris`; `drainctl` is 2 words before `Paris`.
        ("Where was she born?", "Leeds"),
        ("Where did the drainctl go?", "Paris"),
        // The question's own names are no answers.
        ("Where did Ada Brook of Leeds go?", "Paris"),
        // A clause: the whole sentence.
        ("Why were 12 hosts moved to Paris?", TEXT),
    ] {
        let asked = prompt(question, QuestionKind::Span, &[("", TEXT)]);
        assert_eq!(Baseline.answer(&asked), expected, "{question}");
    }
}

#[test]
fn a_negation_on_one_side_turns_the_answer_round() {
    assert!(decided("Is a restart safe?", "A restart is safe."));
    assert!(!decided("Is a restart safe?", "A restart isn't safe."));
    assert!(!decided("Is a restart safe?", "Never call a restart safe."));
    assert!(decided("Is it not safe to restart?", "It is not safe to restart."));
}

#[test]
fn a_sentence_that_holds_less_than_half_of_what_is_asked_is_a_no() {
    // A single sentence, so that every weight is ln 2: one of three terms is less than half, two are
    // more.
    assert!(!decided("Does the nightly backup replicate?", "The backup is full."));
    assert!(decided("Does the nightly backup replicate?", "The nightly backup is full."));
}

proptest! {
    #[test]
    fn whatever_it_is_given_it_answers_from_it(
        question in "\\PC{0,60}|(who|when|which|or|[A-Z][a-z]*|`|\"| |\\.){0,20}",
        text in "\\PC{0,200}|([A-Z][a-z]*|[a-z]+|[0-9]{1,4}|`|\"|[ .,!?\n#|>-]|é|🦀){0,60}",
        title in "\\PC{0,20}",
    ) {
        for kind in QuestionKind::ALL {
            let asked = prompt(&question, kind, &[(&title, &text), ("b", &text)]);
            let answer = Baseline.answer(&asked);
            prop_assert_eq!(&answer, &Baseline.answer(&asked));
            let given = text.contains(&answer) || question.contains(&answer) || answer == ABSTENTION;
            prop_assert!(given || (kind == QuestionKind::YesNo && ["yes", "no"].contains(&&*answer)));
        }
    }
}
