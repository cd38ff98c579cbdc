//! Duplicate texts: documents whose twin is unlabelled, questions that count twice.
//!
//! Documents are equal if they differ only in white space; questions also ignore case, punctuation and articles. Near
//! duplicates are candidates of `minhash` whose shingles are then compared exactly. Of a family of similar texts each is
//! reported once, paired with the most similar preceding one.

use std::collections::{BTreeMap, HashMap};

use super::finding::{Finding, Rule};
use super::minhash;
use super::subject::{LintSubject, used_documents};
use ragtriage_core::text::normalise;
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::text::shingles::{jaccard, shingles};
use ragtriage_core::types::Question;

/// Shingle length for documents: four words, as for passages in a run's diagnosis.
const DOCUMENT_WORDS: usize = 4;
/// The minimum similarity of duplicate documents: of 80 words two may differ.
const DOCUMENTS_ALIKE: f64 = 0.8;

/// Reports duplicate and near-duplicate documents. Empty ones have a separate rule.
#[must_use]
pub fn documents(subject: &LintSubject<'_>) -> Vec<Finding> {
    let texts: Vec<String> =
        subject.documents.iter().map(|document| one_spaced(&document.text)).collect();
    let with_text: Vec<usize> =
        (0..texts.len()).filter(|&number| !texts[number].is_empty()).collect();
    let (firsts, copies) = copies(&texts, &with_text);
    let documents = subject.documents;
    let mut found = Vec::new();
    for (first, copy) in copies {
        let (first, copy) = (&documents[first].id, &documents[copy].id);
        let message = format!("document `{copy}` has the same text as document `{first}`");
        let hint = "remove one, or label both as evidence of the questions that they answer";
        found.push(Finding::new(Rule::DuplicateDocument, message, hint).in_document(copy));
    }
    for (like, number, share) in alike(&texts, &firsts) {
        let (like, doc, percent) = (&documents[like].id, &documents[number].id, 100.0 * share);
        let message =
            format!("document `{doc}` shares {percent:.0} % of its wording with document `{like}`");
        let hint = "label both as evidence of the questions that both answer";
        found.push(Finding::new(Rule::NearDuplicateDocument, message, hint).in_document(doc));
    }
    found
}

/// Reports questions of one wording: duplicates, or conflicting ones if their gold answers differ.
#[must_use]
pub fn questions(subject: &LintSubject<'_>) -> Vec<Finding> {
    let texts: Vec<String> =
        subject.questions.iter().map(|question| normalise::official(&question.text)).collect();
    let (_, copies) = copies(&texts, &(0..texts.len()).collect::<Vec<_>>());
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

/// Returns the first of each text among `numbers`, and the others, each paired with the first of
/// equal text.
fn copies(texts: &[String], numbers: &[usize]) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut first_of: HashMap<&str, usize> = HashMap::new();
    let (mut firsts, mut copies) = (Vec::new(), Vec::new());
    for &number in numbers {
        let first = *first_of.entry(&texts[number]).or_insert(number);
        if first == number {
            firsts.push(number);
        } else {
            copies.push((first, number));
        }
    }
    (firsts, copies)
}

/// Returns the `numbers` whose text resembles an earlier one, each with the most similar (the first of equals) and the similarity.
fn alike(texts: &[String], numbers: &[usize]) -> Vec<(usize, usize, f64)> {
    let sets: Vec<Vec<u64>> =
        numbers.iter().map(|&number| shingles(&texts[number], DOCUMENT_WORDS)).collect();
    let mut best: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    for (earlier, later) in minhash::candidates(&sets) {
        let share = jaccard(&sets[earlier], &sets[later]);
        let (earlier, later) = (numbers[earlier], numbers[later]);
        let is_best = best.get(&later).is_none_or(|(_, other)| share > *other);
        if share >= DOCUMENTS_ALIKE && is_best {
            best.insert(later, (earlier, share));
        }
    }
    best.into_iter().map(|(later, (earlier, share))| (earlier, later, share)).collect()
}

/// Returns true if one answer would be right for both: a shared wording, or a shared relevant document where there are no
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

    fn words(n: usize) -> Vec<String> {
        (0..n).map(|at| format!("w{at}")).collect()
    }

    #[test]
    fn documents_that_differ_in_white_space_are_equal_and_in_a_word_nearly() {
        let text = words(80);
        let mut other = text.clone();
        other[40] = "changed".to_owned();
        let mut far = text.clone();
        (0..80).step_by(8).for_each(|at| far[at] = format!("x{at}"));
        let documents = vec![
            document("a", &text.join(" ")),
            document("copy", &text.join("\n")),
            document("near", &other.join(" ")),
            document("far", &far.join(" ")),
            document("empty", ""),
            document("blank", " "),
        ];
        let inspection = inspection(documents, Vec::new());
        // 80 words are 77 shingles; a changed one leaves 73 of 81 in common: .90.
        assert_eq!(
            told(&super::documents(&LintSubject::new(&inspection))),
            [
                "copy: document `copy` has the same text as document `a`",
                "near: document `near` shares 90 % of its wording with document `a`",
            ]
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
