//! Groundedness and unsupported values.

use crate::rightness::{groundedness, unsupported_values};

#[test]
fn groundedness_is_the_share_of_tokens_in_the_passages() {
    // Tokens without article: "war ended in 1946"; 3 of 4 occur.
    assert_eq!(groundedness("The war ended in 1946.", &["the war", "ended in 1945"]), Some(0.75));
    assert_eq!(groundedness("the", &["the"]), None);
}

#[test]
fn values_that_no_passage_contains_are_unsupported() {
    let passages =
        ["Built in 1889, it is 330 m high and stands in Paris.", "Set TXT-16 within 6 minutes."];
    assert_eq!(
        unsupported_values("It is 0.33 km high, in Paris, since 1889.", &passages),
        Vec::<String>::new()
    );
    assert_eq!(
        unsupported_values("It took 7 minutes in Berlin; use TXT-17, not TXT-16.", &passages),
        ["7 minutes", "Berlin", "TXT-17"]
    );
}

#[test]
fn an_answer_at_the_end_of_a_sentence_is_supported() {
    let passages = ["The key is code5. Wait 6 minutes, then restart."];
    for answer in ["code5", "6 minutes"] {
        assert_eq!(unsupported_values(answer, &passages), Vec::<String>::new());
    }
    assert_eq!(unsupported_values("code5.1", &passages), ["code5.1"]);
}
