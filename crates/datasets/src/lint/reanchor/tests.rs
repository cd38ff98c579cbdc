//! Relocation of labels after typical edits of documents.

use std::collections::BTreeMap;

use super::*;
use crate::lint::changed::{self, Touch};
use crate::{labels, write_labels};
use ragtriage_core::types::Document;

const THEN: [(&str, &str); 2] = [
    (
        "a.md",
        "# Silences\n\nA silence lasts 4 hours at most and may be renewed once. Ask obs first.\n",
    ),
    ("b.md", "One. Two. One.\n"),
];

fn documents(texts: &[(&str, &str)]) -> Vec<Document> {
    let document = |(id, text): &(&str, &str)| Document {
        id: (*id).into(),
        title: String::new(),
        text: (*text).to_owned(),
        metadata: BTreeMap::new(),
    };
    texts.iter().map(document).collect()
}

/// The outcomes for one question with `evidence` and `answers`, and its line afterwards.
fn outcomes(
    evidence: &str,
    answers: &str,
    now: &[(&str, &str)],
    with_then: bool,
) -> (Vec<AnchorOutcome>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let line = format!(
        r#"{{"id":"q","text":"?","answers":{answers},"evidence":{evidence},"relevant":{{"a.md":3}}}}"#
    );
    std::fs::write(folder.path().join("questions.jsonl"), format!("{line}\n")).expect("written");
    let mut lines = labels(folder.path()).expect("reads");
    let (then, now) = (documents(&THEN), documents(now));
    let then = DocumentTexts::new(&then);
    let found = reanchor(&mut lines, &DocumentTexts::new(&now), with_then.then_some(&then));
    write_labels(folder.path(), &lines).expect("written");
    let after = std::fs::read_to_string(folder.path().join("questions.jsonl")).expect("reads");
    (found.into_iter().map(|anchored| anchored.outcome).collect(), after)
}

const QUOTE: &str =
    r#"[{"doc":"a.md","quotes":["lasts 4 hours at most and may be renewed once"]}]"#;

#[test]
fn a_quote_that_still_stands_is_left_alone() {
    let now =
        [("a.md", "# New title\n\nA silence lasts\n4 hours at most and may be renewed once.")];
    let (found, after) = outcomes(QUOTE, r#"["4 hours"]"#, &now, false);
    assert_eq!(found, [AnchorOutcome::Kept]);
    assert!(after.contains(QUOTE), "{after}");
}

#[test]
fn an_edited_quote_follows_its_words_while_the_answer_stands() {
    // Of 10 words `at` and `most` are removed and `only` is new: 3 edits on 10, the stretch has 9
    // words.
    let now = [(
        "a.md",
        "# Silences\n\nA silence lasts 4 hours and may be renewed only once. Ask obs first.\n",
    )];
    let (found, after) = outcomes(QUOTE, r#"["4 hours"]"#, &now, false);
    let [AnchorOutcome::Edited { quote, likeness, .. }] = &found[..] else { panic!("{found:?}") };
    assert_eq!(quote, "lasts 4 hours and may be renewed only once");
    assert!((likeness - 7.0 / 10.0).abs() < 1e-12, "{likeness}");
    assert!(
        after.contains(r#""quotes": ["lasts 4 hours and may be renewed only once"]"#),
        "{after}"
    );
}

#[test]
fn a_changed_figure_breaks_the_question_that_asked_for_it() {
    let now = [(
        "a.md",
        "# Silences\n\nA silence lasts 6 hours at most and may be renewed once. Ask obs first.\n",
    )];
    let (found, after) = outcomes(QUOTE, r#"["4 hours"]"#, &now, false);
    let nearest = "lasts 6 hours at most and may be renewed once".to_owned();
    assert_eq!(found, [AnchorOutcome::Broken(Break::AnswerGone { nearest })]);
    assert!(after.contains(QUOTE), "a broken label is left as it is: {after}");
    let (found, _) = outcomes(QUOTE, r#"["yes"]"#, &now, false);
    assert!(
        matches!(found[..], [AnchorOutcome::Edited { .. }]),
        "no answer stood in it: {found:?}"
    );
}

#[test]
fn a_renamed_document_is_followed_in_evidence_and_grades() {
    let now = [("silences.md", THEN[0].1), THEN[1]];
    let (found, after) = outcomes(QUOTE, r#"["4 hours"]"#, &now, false);
    assert_eq!(found, [AnchorOutcome::Moved { doc: "silences.md".into() }]);
    assert!(
        after.contains(r#""doc": "silences.md""#)
            && after.contains(r#""relevant": {"silences.md": 3}"#),
        "{after}"
    );
    // Half of the quotes identify the new name, and the edited one is searched there: one additional word
    // on four.
    let both = r#"[{"doc":"a.md","quotes":["may be renewed once"]},{"doc":"a.md","quotes":["Ask obs first."]}]"#;
    let now = [(
        "silences.md",
        "A silence lasts 4 hours at most and may be renewed once. Ask the obs first.\n",
    )];
    let (found, _) = outcomes(both, "[]", &now, false);
    let (doc, quote) = ("silences.md".into(), "Ask the obs first".to_owned());
    let edited = AnchorOutcome::Edited { doc, quote, likeness: 1.0 - 1.0 / 4.0 };
    assert_eq!(found, [AnchorOutcome::Moved { doc: "silences.md".into() }, edited]);
}

#[test]
fn a_changed_figure_is_not_looked_for_in_other_documents() {
    let quote = r#"[{"doc":"a.md","quotes":["4 hours"]}]"#;
    let now = [("a.md", "A silence lasts 6 hours at most."), ("b.md", "A shift has 4 hours.")];
    let (found, _) = outcomes(quote, r#"["4 hours"]"#, &now, false);
    assert!(matches!(found[..], [AnchorOutcome::Broken(_)]), "{found:?}");
    // A match inside a longer number does not count.
    let now = [("a.md", "A silence lasts 24 hours at most."), THEN[1]];
    let (found, _) = outcomes(quote, r#"["4 hours"]"#, &now, false);
    assert!(matches!(found[..], [AnchorOutcome::Broken(_)]), "{found:?}");
}

#[test]
fn text_that_moved_to_another_document_is_followed_there_with_its_grade() {
    let now = [("a.md", "Nothing of it."), ("b.md", THEN[0].1)];
    let (found, after) = outcomes(QUOTE, r#"["4 hours"]"#, &now, false);
    assert_eq!(found, [AnchorOutcome::Moved { doc: "b.md".into() }]);
    assert!(after.contains(r#""relevant": {"a.md": 3, "b.md": 3}"#), "{after}");
}

#[test]
fn a_quote_that_stands_twice_now_is_told_unless_it_always_did() {
    let sentence = "It lasts 4 hours at most and may be renewed once.";
    let (found, _) =
        outcomes(QUOTE, "[]", &[("a.md", &format!("{sentence} Yes. {sentence}"))], true);
    assert_eq!(found, [AnchorOutcome::Broken(Break::Several)]);
    let always = r#"[{"doc":"b.md","quotes":["One."]}]"#;
    let (found, _) = outcomes(always, "[]", &[THEN[0], ("b.md", "One. Three. One.")], true);
    assert_eq!(found, [AnchorOutcome::Kept]);
}

#[test]
fn of_a_member_with_a_lost_quote_nothing_is_rewritten() {
    let member = r#"[{"doc":"a.md","quotes":["and may be renewed once","Ask obs first."]}]"#;
    let now = [
        ("a.md", "A silence lasts 4 hours at most and may be renewed only once. Good luck."),
        THEN[1],
    ];
    let (found, after) = outcomes(member, "[]", &now, false);
    assert_eq!(found[0], AnchorOutcome::Broken(Break::Beside));
    assert!(matches!(found[1], AnchorOutcome::Broken(Break::Gone { .. })), "{found:?}");
    assert!(after.contains(member), "{after}");
}

#[test]
fn a_changed_command_breaks_the_free_question_that_requires_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = r#"{"id":"q","text":"?","required":[["restart now","restart at once"]],"evidence":[{"doc":"a.md","quotes":["Then restart now and wait for the light"]}]}"#;
    std::fs::write(folder.path().join("questions.jsonl"), line).expect("written");
    let mut lines = labels(folder.path()).expect("reads");
    let now = documents(&[("a.md", "Then reload now and wait for the light.")]);
    let found = reanchor(&mut lines, &DocumentTexts::new(&now), None);
    assert!(
        matches!(found[0].outcome, AnchorOutcome::Broken(Break::AnswerGone { .. })),
        "{found:?}"
    );
}

#[test]
fn what_is_gone_is_broken_with_its_reason() {
    let (found, _) = outcomes(QUOTE, "[]", &[THEN[1]], false);
    assert_eq!(found, [AnchorOutcome::Broken(Break::DocumentGone)]);
    let (found, _) = outcomes(
        QUOTE,
        "[]",
        &[("a.md", "Nothing is left of what it said at all."), THEN[1]],
        false,
    );
    assert!(matches!(found[..], [AnchorOutcome::Broken(Break::Gone { .. })]), "{found:?}");
    let parted = r#"[{"doc":"a.md","quotes":["may be renewed once","Ask obs first."]}]"#;
    let now = [("c.md", "It may be renewed once."), ("d.md", "Ask obs first.")];
    let (found, _) = outcomes(parted, "[]", &now, false);
    assert!(
        found.iter().all(|outcome| *outcome == AnchorOutcome::Broken(Break::Parted)),
        "{found:?}"
    );
}

#[test]
fn byte_ranges_follow_the_text_that_stood_there() {
    // `4 hours` is bytes 28 to 35 of the first text: 12 of heading and blank line, `A silence lasts ` is 16.
    let range = r#"[{"doc":"a.md","ranges":[[28,35]]}]"#;
    let now = [("a.md", "A silence lasts 4 hours.")];
    let (found, after) = outcomes(range, r#"["4 hours"]"#, &now, true);
    assert_eq!(found, [AnchorOutcome::Moved { doc: "a.md".into() }]);
    assert!(after.contains(r#""ranges": [[16, 23]]"#), "{after}");
    let (found, _) = outcomes(range, "[]", &now, false);
    assert_eq!(found, [AnchorOutcome::Broken(Break::RangeUnknown)]);
    // The second `One.` of `One. Two. One.` is still the second of two.
    let range = r#"[{"doc":"b.md","ranges":[[10,14]]}]"#;
    let (_, after) = outcomes(range, "[]", &[THEN[0], ("b.md", "Nil. One. Two. One.")], true);
    assert!(after.contains(r#""ranges": [[15, 19]]"#), "{after}");
    let (found, _) = outcomes(range, "[]", &[THEN[0], ("b.md", "One. One. Two. One.")], true);
    assert_eq!(found, [AnchorOutcome::Broken(Break::Several)]);
}

#[test]
fn a_change_names_the_questions_it_touches_and_how() {
    let folder = tempfile::tempdir().expect("a folder");
    let questions = [
        r#"{"id":"gone","text":"?","evidence":[{"doc":"b.md","quotes":["Two."]}]}"#,
        r#"{"id":"edited","text":"?","evidence":[{"doc":"a.md","quotes":["Ask obs first."]}]}"#,
        r#"{"id":"lost","text":"?","evidence":[{"doc":"a.md","quotes":["lasts 4 hours"]}]}"#,
        r#"{"id":"new","text":"?","evidence":[{"doc":"a.md","quotes":["lasts 6 hours"]}]}"#,
        r#"{"id":"judged","text":"?","relevant":{"b.md":0}}"#,
        r#"{"id":"untouched","text":"?","evidence":[{"doc":"c.md","quotes":["Same."]}]}"#,
    ];
    std::fs::write(folder.path().join("questions.jsonl"), questions.join("\n")).expect("written");
    let lines = labels(folder.path()).expect("reads");
    let then = documents(&[THEN[0], THEN[1], ("c.md", "Same.")]);
    let now =
        documents(&[("a.md", "A silence lasts 6 hours. Ask obs first.\n"), ("c.md", "Same.")]);
    let (then, now) = (DocumentTexts::new(&then), DocumentTexts::new(&now));
    assert_eq!(changed::documents(&then, &now), ["a.md", "b.md"]);
    let touched: Vec<(String, Touch)> = changed::questions(&lines, &then, &now)
        .into_iter()
        .map(|touched| (touched.id, touched.documents[0].1))
        .collect();
    let expected = [
        ("gone", Touch::DocumentGone),
        ("edited", Touch::DocumentEdited),
        ("lost", Touch::EvidenceGone),
        ("new", Touch::EvidenceNew),
        ("judged", Touch::JudgedEdited),
    ];
    assert_eq!(touched, expected.map(|(id, touch)| (id.to_owned(), touch)));
}
