//! Duplicate texts: documents whose twin is unlabelled, questions that count twice.
//!
//! Documents are equal if they differ only in white space; questions also ignore case, punctuation and articles.

use std::collections::HashMap;

use super::finding::{Finding, Rule};
use super::subject::{LintSubject, used_documents};
use ragtriage_core::text::normalise;
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::types::Question;

/// Reports duplicate documents. Empty ones have a separate rule.
#[must_use]
pub fn documents(subject: &LintSubject<'_>) -> Vec<Finding> {
    let texts: Vec<String> =
        subject.documents.iter().map(|document| one_spaced(&document.text)).collect();
    let with_text: Vec<usize> =
        (0..texts.len()).filter(|&number| !texts[number].is_empty()).collect();
    let copies = copies(&texts, &with_text);
    let documents = subject.documents;
    let mut found = Vec::new();
    for (first, copy) in copies {
        let (first, copy) = (&documents[first].id, &documents[copy].id);
        let message = format!("document `{copy}` has the same text as document `{first}`");
        let hint = "remove one, or label both as evidence of the questions that they answer";
        found.push(Finding::new(Rule::DuplicateDocument, message, hint).in_document(copy));
    }
    found
}

/// Reports questions of one wording: duplicates, or conflicting ones if their gold answers differ.
#[must_use]
pub fn questions(subject: &LintSubject<'_>) -> Vec<Finding> {
    // The same words after other turns ask for something else.
    let asked = |it: &Question| normalise::official(&(it.conversation() + "\n" + &it.text));
    let texts: Vec<String> = subject.questions.iter().map(asked).collect();
    let copies = copies(&texts, &(0..texts.len()).collect::<Vec<_>>());
    let asked = subject.questions;
    let found = copies.into_iter().map(|(first, copy)| {
        let name = subject.name(first);
        if same_answer(&asked[first], &asked[copy]) {
            let message = format!("it asks the same as question {name}");
            return subject.finding(copy, Rule::DuplicateQuestion, message, "remove one of them");
        }
        let message = format!("it asks the same as question {name}, with different gold");
        let hint = "make the two distinct, or give both all answers and evidence";
        subject.finding(copy, Rule::ConflictingQuestions, message, hint)
    });
    found.collect()
}

/// Returns those of `numbers` whose text an earlier one has, each after the first of that text.
fn copies(texts: &[String], numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut first_of: HashMap<&str, usize> = HashMap::new();
    let pairs = numbers.iter().map(|&at| (*first_of.entry(&texts[at]).or_insert(at), at));
    pairs.filter(|(first, at)| first != at).collect()
}

/// Returns true if one answer would be correct for both: a shared wording, or a shared relevant document where there are no
/// answers.
fn same_answer(a: &Question, b: &Question) -> bool {
    if a.kind != b.kind {
        return false;
    }
    if a.answers.is_empty() && b.answers.is_empty() {
        let (docs, others) = (used_documents(a), used_documents(b));
        return docs == others || docs.iter().any(|doc| others.contains(doc));
    }
    let others: Vec<String> = b.answers.iter().map(|it| normalise::official(it)).collect();
    a.answers.iter().any(|wording| others.contains(&normalise::official(wording)))
}

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, told};
    use super::*;
    use ragtriage_core::types::QuestionKind;

    #[test]
    fn documents_that_differ_in_white_space_are_equal() {
        let texts = [("a", "one two"), ("copy", "one\n two"), ("near", "one too"), ("empty", "")];
        let texts = texts.into_iter().chain([("blank", " ")]);
        let documents = texts.map(|(id, text)| document(id, text)).collect();
        let inspection = inspection(documents, Vec::new());
        assert_eq!(
            told(&super::documents(&LintSubject::new(&inspection))),
            ["copy: document `copy` has the same text as document `a`"]
        );
    }

    #[test]
    fn equal_questions_conflict_when_their_golds_do() {
        let asked = "How many minutes does the old checkout wait before it gives up?";
        let mut refused = question("refused", asked, &[], &[]);
        refused.kind = QuestionKind::Unanswerable;
        let questions = vec![
            question("first", asked, &["six"], &["a"]),
            question("copy", &asked.to_uppercase(), &["6", "Six"], &["b"]),
            question("conflict", asked, &["nine"], &["a"]),
            refused,
        ];
        let inspection = inspection(vec![document("a", "a"), document("b", "b")], questions);
        assert_eq!(
            told(&super::questions(&LintSubject::new(&inspection))),
            [
                "copy: it asks the same as question `first`",
                "conflict: it asks the same as question `first`, with different gold",
                "refused: it asks the same as question `first`, with different gold",
            ]
        );
    }

    #[test]
    fn without_answers_a_good_document_in_common_is_the_same_gold() {
        let free =
            |docs: &[&str]| Question { kind: QuestionKind::Free, ..question("q", "?", &[], docs) };
        assert!(
            same_answer(&free(&["a", "b"]), &free(&["b"])) && same_answer(&free(&[]), &free(&[]))
        );
        assert!(
            !same_answer(&free(&["a"]), &free(&["b"])) && !same_answer(&free(&["a"]), &free(&[]))
        );
    }
}
