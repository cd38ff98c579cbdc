//! Duplicate and near-duplicate texts: documents whose twin is unlabelled, questions that count twice.
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
use ragtriage_core::types::{KeyFact, Question, QuestionKind};

/// Shingle length for documents: four words, as for passages in a run's diagnosis.
const DOCUMENT_WORDS: usize = 4;
/// The minimum similarity of duplicate documents: of 80 words two may differ.
const DOCUMENTS_ALIKE: f64 = 0.8;
/// Shingle length for questions, which have about a dozen words: with runs of four, one changed word
/// would leave too few in common.
const QUESTION_WORDS: usize = 2;
/// The least similarity of duplicate questions: of twelve words (11 pairs) one inside may differ: 9 pairs in common of 13 are
/// .69; two apart make 7 of 15, .47.
const QUESTIONS_ALIKE: f64 = 0.6;

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
    let any = &|_, _| true;
    for (like, number, share) in alike(&texts, &firsts, DOCUMENT_WORDS, DOCUMENTS_ALIKE, any) {
        let (like, doc, percent) = (&documents[like].id, &documents[number].id, 100.0 * share);
        let message =
            format!("document `{doc}` shares {percent:.0} % of its wording with document `{like}`");
        let hint = "label both as evidence of the questions that both answer";
        found.push(Finding::new(Rule::NearDuplicateDocument, message, hint).in_document(doc));
    }
    found
}

/// Reports duplicate and near-duplicate questions. Near duplicates with different gold answers are
/// reported as a pair.
#[must_use]
pub fn questions(subject: &LintSubject<'_>) -> Vec<Finding> {
    let texts: Vec<String> =
        subject.questions.iter().map(|question| normalise::official(&question.text)).collect();
    let (firsts, copies) = copies(&texts, &(0..texts.len()).collect::<Vec<_>>());
    let asked = subject.questions;
    let mut found: Vec<Finding> = copies
        .into_iter()
        .map(|(first, copy)| {
            let name = subject.name(first);
            if same_answer(&asked[first], &asked[copy]) {
                let message = format!("it asks the same as question {name}");
                let hint = "remove one of them";
                return subject.finding(copy, Rule::DuplicateQuestion, message, hint);
            }
            let message = format!("it asks the same as question {name}, with different gold");
            let hint = "make the two distinct, or give both all answers and evidence";
            subject.finding(copy, Rule::ConflictingQuestions, message, hint)
        })
        .collect();
    let one_gold = &|a: usize, b: usize| same_gold(&asked[a], &asked[b]);
    for (like, number, share) in alike(&texts, &firsts, QUESTION_WORDS, QUESTIONS_ALIKE, one_gold) {
        let (like, percent) = (subject.name(like), 100.0 * share);
        let message =
            format!("it shares {percent:.0} % of its wording and its gold with question {like}");
        let hint = "remove one of them, or rephrase one";
        found.push(subject.finding(number, Rule::NearDuplicateQuestion, message, hint));
    }
    found
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
fn alike(
    texts: &[String],
    numbers: &[usize],
    width: usize,
    least: f64,
    counts: &dyn Fn(usize, usize) -> bool,
) -> Vec<(usize, usize, f64)> {
    let sets: Vec<Vec<u64>> =
        numbers.iter().map(|&number| shingles(&texts[number], width)).collect();
    let mut best: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    for (earlier, later) in minhash::candidates(&sets) {
        let share = jaccard(&sets[earlier], &sets[later]);
        let (earlier, later) = (numbers[earlier], numbers[later]);
        let is_best = best.get(&later).is_none_or(|(_, other)| share > *other);
        if share >= least && is_best && counts(earlier, later) {
            best.insert(later, (earlier, share));
        }
    }
    best.into_iter().map(|(later, (earlier, share))| (earlier, later, share)).collect()
}

/// Returns true if two questions of different wording ask the same thing: one answer is right for both, and if that is `yes` or
/// `no`, which unrelated questions may share, a relevant document is shared too.
fn same_gold(a: &Question, b: &Question) -> bool {
    same_answer(a, b) && (a.kind != QuestionKind::YesNo || share_documents(a, b))
}

/// Returns true if one answer would be right for both: by key facts if both require some, else by a shared alias, or, if answers
/// are not used for scoring, by a shared relevant document.
fn same_answer(a: &Question, b: &Question) -> bool {
    if a.kind != b.kind {
        return false;
    }
    if a.kind == QuestionKind::Free && !a.required.is_empty() && !b.required.is_empty() {
        return agree_in_facts(a, b);
    }
    if a.answers.is_empty() && b.answers.is_empty() {
        return share_documents(a, b);
    }
    have_common_wording(&a.answers, &b.answers)
}

/// Returns true if they share a relevant document, or neither has any.
fn share_documents(a: &Question, b: &Question) -> bool {
    let (docs, others) = (used_documents(a), used_documents(b));
    docs == others || docs.iter().any(|doc| others.contains(doc))
}

/// Returns true if the facts required by one include those of the other, and neither forbids what the other
/// requires.
fn agree_in_facts(a: &Question, b: &Question) -> bool {
    (requires_all(a, b) || requires_all(b, a)) && !forbids(a, b) && !forbids(b, a)
}

fn requires_all(a: &Question, of: &Question) -> bool {
    of.required.iter().all(|fact| is_among(fact, &a.required))
}

fn forbids(a: &Question, of: &Question) -> bool {
    of.required.iter().any(|fact| is_among(fact, &a.forbidden))
}

fn is_among(fact: &KeyFact, others: &[KeyFact]) -> bool {
    others.iter().any(|other| have_common_wording(fact, other))
}

fn have_common_wording(one: &[String], other: &[String]) -> bool {
    let others: Vec<String> = other.iter().map(|it| normalise::official(it)).collect();
    one.iter().any(|wording| others.contains(&normalise::official(wording)))
}

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, told};
    use super::*;

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
    fn equal_questions_conflict_when_their_golds_do_and_near_ones_are_told_when_they_agree() {
        let asked = "How many minutes does the old checkout wait before it gives up?";
        let near = "How many minutes does the new checkout wait before it gives up?";
        let mut refused = question("refused", asked, &[], &[]);
        refused.kind = QuestionKind::Unanswerable;
        let questions = vec![
            question("first", asked, &["six"], &["a"]),
            question("copy", &asked.to_uppercase(), &["6", "Six"], &["b"]),
            question("conflict", asked, &["nine"], &["a"]),
            refused,
            question("near", near, &["six"], &["a"]),
            question("contrast", &near.replace("minutes", "hours"), &["nine"], &["a"]),
        ];
        let inspection = inspection(vec![document("a", "a"), document("b", "b")], questions);
        // Without articles 11 words, 10 pairs: a changed one leaves 8 of 12, .67. `contrast` is .67 like `near`, with another gold
        // answer.
        assert_eq!(
            told(&super::questions(&LintSubject::new(&inspection))),
            [
                "copy: it asks the same as question `first`",
                "conflict: it asks the same as question `first`, with different gold",
                "refused: it asks the same as question `first`, with different gold",
                "near: it shares 67 % of its wording and its gold with question `first`",
            ]
        );
    }

    #[test]
    fn yes_is_one_gold_only_where_a_good_document_is() {
        let asked = "Does the old checkout wait for the bank before it gives up at night?";
        let near = asked.replace("old", "new");
        let yes = |id: &str, text: &str, doc: &str| Question {
            kind: QuestionKind::YesNo,
            ..question(id, text, &["yes"], &[doc])
        };
        let questions = vec![
            yes("first", asked, "a"),
            yes("contrast", &near, "b"),
            yes("near", &asked.replace("bank", "shop"), "a"),
            yes("copy", asked, "b"),
        ];
        let inspection = inspection(vec![document("a", "a"), document("b", "b")], questions);
        // Without articles 12 words, 11 pairs: a changed one leaves 9 of 13, .69. `contrast` and `near` are less similar; `copy` is
        // excluded as a copy.
        assert_eq!(
            told(&super::questions(&LintSubject::new(&inspection))),
            [
                "copy: it asks the same as question `first`",
                "near: it shares 69 % of its wording and its gold with question `first`",
            ]
        );
    }

    #[test]
    fn free_questions_with_other_facts_conflict_and_with_more_of_them_do_not() {
        let free = |id: &str, required: &[&[&str]], forbidden: &[&[&str]]| {
            let facts = |facts: &[&[&str]]| -> Vec<KeyFact> {
                facts
                    .iter()
                    .map(|fact| fact.iter().map(|&wording| wording.to_owned()).collect())
                    .collect()
            };
            let (required, forbidden) = (facts(required), facts(forbidden));
            Question {
                kind: QuestionKind::Free,
                required,
                forbidden,
                ..question(id, "Why does it wait?", &[], &["a"])
            }
        };
        let questions = vec![
            free("first", &[&["six minutes", "360 s"]], &[]),
            free("same", &[&["Six minutes."]], &[]),
            free("more", &[&["the bank"], &["360 s"]], &[]),
            free("other", &[&["nine minutes"]], &[]),
            free("forbids", &[&["six minutes"]], &[&["360 s"]]),
        ];
        let inspection = inspection(vec![document("a", "a")], questions);
        assert_eq!(
            told(&super::questions(&LintSubject::new(&inspection))),
            [
                "same: it asks the same as question `first`",
                "more: it asks the same as question `first`",
                "other: it asks the same as question `first`, with different gold",
                "forbids: it asks the same as question `first`, with different gold",
            ]
        );
    }

    #[test]
    fn without_answers_a_good_document_in_common_is_the_same_gold() {
        let free =
            |docs: &[&str]| Question { kind: QuestionKind::Free, ..question("q", "?", &[], docs) };
        assert!(same_gold(&free(&["a", "b"]), &free(&["b"])) && same_gold(&free(&[]), &free(&[])));
        assert!(!same_gold(&free(&["a"]), &free(&["b"])) && !same_gold(&free(&["a"]), &free(&[])));
    }
}
