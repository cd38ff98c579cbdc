//! Tables of raw answers and the short answers read from them.

use super::read_answer;
use ragtriage_core::types::{Finish, Stance};

fn answered(raw: &str, expected: &str) {
    assert_eq!(
        read_answer(raw, Finish::Stop),
        (expected.to_owned(), Stance::Answered),
        "{raw:?}"
    );
}

fn stance(raw: &str, expected: Stance) {
    assert_eq!(
        read_answer(raw, Finish::Stop),
        (String::new(), expected),
        "{raw:?}"
    );
}

#[test]
fn the_last_answer_line_is_taken() {
    answered(
        "Some reasoning.\nAnswer: Lyon\nNo, wait.\nAnswer: Paris",
        "Paris",
    );
    answered("**Answer:** Paris", "Paris");
    answered("**Answer: Paris**", "Paris");
    answered("### Final answer: Paris\n", "Paris");
    answered("answer : 10:30", "10:30");
    answered("Answer:\n\nParis\nin France", "Paris");
    answered("- Answer： Paris", "Paris");
    answered("The answer is below.\nAnswer: **Paris**", "Paris");
}

#[test]
fn a_text_without_label_is_taken_whole() {
    answered("  Paris\n", "Paris");
    answered(
        "One line.\nAnother answer: here.",
        "One line.\nAnother answer: here.",
    );
}

#[test]
fn a_json_field_is_the_answer() {
    answered("{\"answer\": \"Paris\", \"score\": 1}", "Paris");
    answered("```json\n{\n  \"Answer\": 42\n}\n```", "42");
    answered("{\"answer\": true}", "yes");
    stance("{\"answer\": null}", Stance::Abstained);
    answered("{\"city\": \"Paris\"}", "{\"city\": \"Paris\"}");
    answered("a } b { c", "a } b { c");
}

#[test]
fn thinking_is_dropped() {
    answered("<think>Answer: Lyon</think>Paris", "Paris");
    answered("<THINK>a</THINK>\n<think>b</think>\nAnswer: Paris", "Paris");
    answered(
        "no opening tag here\nAnswer: Lyon\n</think>\nParis",
        "Paris",
    );
    answered("<thinking>x</thinking> Paris", "Paris");
    stance("<think>never ends, Answer: Lyon", Stance::Unreadable);
}

#[test]
fn citation_marks_and_one_pair_of_quotes_go() {
    answered("Answer: Paris [1]", "Paris");
    answered("Answer: in Paris[1][2, 3].", "in Paris");
    answered("Answer: \"Paris\" [1].", "Paris");
    answered("Answer: \"Paris [1]\"", "Paris");
    answered("Answer: `kubectl drain`", "kubectl drain");
    answered("Answer: “Paris”.", "Paris");
    answered("Answer: \"Tar\" and \"Creek\"", "\"Tar\" and \"Creek\"");
    answered("Answer: list[1]", "list[1]");
    answered("Answer: [1]", "[1]");
    answered("Answer: Dial [M]", "Dial [M]");
    answered("Answer: U.S.", "U.S.");
}

#[test]
fn listed_abstentions_are_told_from_answers_that_look_alike() {
    for raw in [
        "I don't know",
        "Answer: I don’t know.",
        "I do not know based on the passages.",
        "I don't know, but it is 42",
        "Unanswerable",
        "Unknown.",
        "N/A",
        "No answer",
        "Not in the context.",
        "not in the provided passages",
        "Cannot be determined",
        "It cannot be determined from the passages who wrote it.",
        "The passages do not mention a port.",
        "The provided context doesn't say.",
        "The context provided does not contain the answer.",
        "Based on the passages, it is unclear.",
        "I'm sorry, but I can't find the answer in the passages.",
        "Unfortunately, the passages do not say.",
        "I'm sorry, I don't know.",
    ] {
        stance(raw, Stance::Abstained);
    }
    for raw in [
        "I Don't Know How to Love Him",
        "Unknown Pleasures",
        "Not in the Mood",
        "The Text",
        "The text says 42.",
        "None",
        "No",
        "Based on the passages, Paris",
        "Nothing is said, so I don't know",
    ] {
        answered(raw, raw);
    }
}

#[test]
fn listed_refusals_are_told_from_abstentions() {
    for raw in [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t do this.",
        "I cannot assist with this request.",
        "Sorry, I cannot.",
    ] {
        stance(raw, Stance::Refused);
    }
    answered("I Can't Help Myself", "I Can't Help Myself");
}

#[test]
fn the_finish_decides_where_there_is_nothing_to_read() {
    assert_eq!(
        read_answer("Par", Finish::Filtered),
        (String::new(), Stance::Refused)
    );
    assert_eq!(
        read_answer("Paris", Finish::Error),
        (String::new(), Stance::Unreadable)
    );
    assert_eq!(
        read_answer("Paris", Finish::Length),
        ("Paris".to_owned(), Stance::Answered)
    );
    for raw in ["", " \n", "Answer:", "\"\"", "**Answer:** "] {
        stance(raw, Stance::Unreadable);
    }
}

proptest::proptest! {
    #[test]
    fn whatever_a_model_writes_is_read(raw in "\\PC{0,80}|(Answer:|<think>|</think>|\\[1\\]|\"|`|\\*\\*|\\{|\\}|\n| |.|é){0,30}") {
        let (answer, stance) = read_answer(&raw, Finish::Stop);
        proptest::prop_assert_eq!(answer.is_empty(), stance != Stance::Answered);
    }
}
