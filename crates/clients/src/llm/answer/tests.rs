//! Tables of raw answers and the short answers read from them.

use super::{read_answer, without_thinking};
use ragtriage_core::types::{Finish, Stance};

fn answered(raw: &str, expected: &str) {
    assert_eq!(read_answer(raw, Finish::Stop), (expected.to_owned(), Stance::Answered), "{raw:?}");
}

fn stance(raw: &str, expected: Stance) {
    assert_eq!(read_answer(raw, Finish::Stop), (String::new(), expected), "{raw:?}");
}

#[test]
fn the_last_answer_line_is_taken() {
    answered("Some reasoning.\nAnswer: Lyon\nNo, wait.\nAnswer: Paris", "Paris");
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
    answered("One line.\nAnother answer: here.", "One line.\nAnother answer: here.");
}

#[test]
fn a_json_field_is_the_answer() {
    answered("{\"answer\": \"Paris\", \"score\": 1}", "Paris");
    answered("```json\n{\n  \"Answer\": 42\n}\n```", "42");
    answered("{\"answer\": true}", "yes");
    answered("{\"answer\": null}", "unanswerable");
    answered("{\"city\": \"Paris\"}", "{\"city\": \"Paris\"}");
    answered("a } b { c", "a } b { c");
}

#[test]
fn thinking_is_dropped() {
    answered("<think>Answer: Lyon</think>Paris", "Paris");
    answered("<THINK>a</THINK>\n<think>b</think>\nAnswer: Paris", "Paris");
    answered("no opening tag here\nAnswer: Lyon\n</think>\nParis", "Paris");
    answered("<thinking>x</thinking> Paris", "Paris");
    stance("<think>never ends, Answer: Lyon", Stance::Unreadable);
    // DeepSeek V3.1 writes no line breaks, its template the opening tag; without thinking only the closing tag is left.
    answered("So it is Paris.</think>Paris", "Paris");
    answered("</think>\n\nParis", "Paris");
    answered("<think>\n\n</think>\n\nParis", "Paris");
    answered("<think>Is `</think>` meant?</think>Paris", "Paris");
    answered("<think>Never closed ` <b></think>Paris", "Paris");
}

#[test]
fn tags_in_an_answer_are_text() {
    for raw in [
        "Use the <thinking> tag",
        "Use the <thinking> tag before the answer, then close it.",
        "Wrap the plan in <think> and </think>, then answer.",
        "<think> and </think> delimit the plan",
        "<thinking> is the tag",
        "<think>",
        "Close it with </think>",
        "Close it with \"</think>\" on a line of its own",
        "Write `</think>` at the end",
        "Write:\n<think>\nplan\n</think>\nthen the answer",
        "Write:\n```\n</think>\n```\nthen the answer",
        "First <b>bold</b>, then <thinking>plan</thinking>, then <i>text</i>",
    ] {
        answered(raw, raw);
    }
    answered("<think>Which?</think>Use the <think> tag", "Use the <think> tag");
    answered("Reasons.\nAnswer: Use the <thinking> tag", "Use the <thinking> tag");
    answered("{\"answer\": \"the <think> tag\"}", "the <think> tag");
}

#[test]
fn yes_and_no_in_sentences_are_answers() {
    for raw in [
        "Yes, because the limit is 25 MB.",
        "The answer is no.",
        "No - it is not supported",
        "No, the passages name another limit.",
        "No, I cannot find it in version 2; version 3 has it.",
    ] {
        answered(raw, raw);
    }
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
    for mark in ["[^2]", "[#2]", "【2】", "[2; 3]", "[2 and 3]", "[Passage 2]", "(passage 2)."] {
        answered(&format!("Answer: Paris {mark}"), "Paris");
    }
    answered("Answer: 六分钟[2]", "六分钟");
    for kept in ["Paris ([1])", "call print(arr[1])", "Paris (see [1])", "list[2] of f(1)"] {
        answered(&format!("Answer: {kept}"), kept);
    }
    answered("Answer: `kubectl drain [1]`", "kubectl drain");
    answered("Answer: area 51 [1000]", "area 51 [1000]");
    answered("Answer: call close()", "call close()");
    for kept in ["list[1]", "list[1][2]", "foo()[1]", "get(a)[0]"] {
        answered(&format!("Answer: {kept}"), kept);
    }
    answered("Answer: Paris.[1][2]", "Paris.");
    answered("Answer: [1]", "[1]");
    answered("Answer: Dial [M]", "Dial [M]");
    answered("Answer: U.S.", "U.S.");
}

#[test]
fn control_tokens_and_other_channels_are_no_part_of_an_answer() {
    for raw in [
        "<|channel|>analysis<|message|>Perhaps 9 hours<|end|><|start|>assistant<|channel|>final<|message|>6 minutes",
        "<|channel|>final<|message|>6 minutes<|return|>",
        "6 minutes<|im_end|>",
        "6 minutes</s>",
        "6 minutes<|eot_id|>",
        "6 minutes<pad><pad>",
        "6 minutes<｜end▁of▁sentence｜>",
        "<reasoning>9 hours?</reasoning><answer>6 minutes</answer>",
        "<thought>9 hours?</thought>\n6 minutes",
    ] {
        answered(raw, "6 minutes");
    }
    // What a token separates stays apart.
    answered("20<|im_end|>24", "20\n24");
}

#[test]
fn the_finish_decides_where_there_is_nothing_to_read() {
    assert_eq!(read_answer("Par", Finish::Filtered), (String::new(), Stance::Refused));
    assert_eq!(read_answer("Paris", Finish::Error), (String::new(), Stance::Unreadable));
    for raw in ["Answer:", "\"\"", "**Answer:** "] {
        stance(raw, Stance::Unreadable);
    }
    for raw in ["", " \n"] {
        stance(raw, Stance::Empty);
    }
}

#[test]
fn a_reply_at_the_token_limit_has_an_answer_only_if_it_is_complete() {
    for raw in [
        "",
        "<think>",
        "<think>Passage 2 names Lyon",
        "Paris",
        "I don't know",
        "Passage 1 names the port. Passage 2",
        "Reasons.\nAnswer:",
        "Reasons.\nAnswer: Par",
        "Answer: Lyon\nNo, wait.\nAnswer: Par",
        "{\"answer\": \"Par",
        "{\"answer\": \"Paris\"",
        "{\"answer\": \"Paris, ",
        "{\"answer\": \"Paris\", \"source\": \"a, b",
    ] {
        let expected = (String::new(), Stance::Truncated);
        assert_eq!(read_answer(raw, Finish::Length), expected, "{raw:?}");
    }
    for raw in [
        "Reasons.\nAnswer: Paris\n",
        "Answer: Paris\n\nPassage 1 na",
        "Answer:\nParis\nin Fr",
        "**Answer: Paris**\n",
        "{\"answer\": \"Paris\"} and",
    ] {
        let expected = ("Paris".to_owned(), Stance::Answered);
        assert_eq!(read_answer(raw, Finish::Length), expected, "{raw:?}");
    }
}

#[test]
fn a_tool_call_has_an_answer_only_if_it_is_marked() {
    for raw in ["", "I will search for that."] {
        let expected = (String::new(), Stance::ToolCall);
        assert_eq!(read_answer(raw, Finish::ToolCall), expected, "{raw:?}");
    }
    let expected = ("Paris".to_owned(), Stance::Answered);
    assert_eq!(read_answer("Answer: Paris", Finish::ToolCall), expected);
}

proptest::proptest! {
    #[test]
    fn whatever_a_model_writes_is_read(raw in "\\PC{0,80}|(Answer:|<think>|</think>|\\[1\\]|\"|`|\\*\\*|\\{|\\}|\n| |.|é){0,30}") {
        let (answer, stance) = read_answer(&raw, Finish::Stop);
        proptest::prop_assert_eq!(answer.is_empty(), stance != Stance::Answered);
    }

    /// Neither the words of the thinking nor those of the answer begin a block or end one.
    #[test]
    fn text_behind_the_first_block_is_never_lost(
        block in "(<think>\n([A-Z][a-z ]{0,8}[.\n]){0,4}</think>\n?)?",
        answer in "[A-Z][a-z]{0,5}(( <think>| <thinking>| </think>| </thinking>|`</think>`|\n```\n</think>\n```\n)? [a-z]{1,5}){0,8}"
    ) {
        let raw = block + &answer;
        proptest::prop_assert_eq!(without_thinking(&raw, Finish::Stop).trim_start(), answer.clone());
        proptest::prop_assert_eq!(without_thinking(&raw, Finish::Length).trim_start(), answer);
    }
}
