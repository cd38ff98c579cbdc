//! Balance of questions across tags and kinds, the split, documents, and yes/no answers.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, Rule};
use super::subject::{LintSubject, used_documents};
use ragtriage_core::stats::fisher::fisher;
use ragtriage_core::stats::holm::holm;
use ragtriage_core::stats::wilson::wilson;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{DocId, Question, QuestionKind, Split};

/// The minimum size of a group: with five of ten right the interval is 24% to 76% (Wilson), half the
/// scale.
const LEAST_QUESTIONS: usize = 10;
/// Significance level for differences between the parts of a split, over all groups together (Holm).
const SIGNIFICANT: f64 = 0.05;
/// The minimum number of yes/no questions, and the maximum share of one answer, the success rate of
/// constant guessing.
const LEAST_YES_NO: usize = 8;
const MOST_ALIKE: f64 = 0.75;
/// A document is overused above this share of all questions and twice an even share (in a corpus of three
/// documents a third each is even). Applied from `LEAST_CROWD` questions on; shares of fewer are not meaningful.
const MOST_CROWDED: f64 = 0.2;
const LEAST_CROWD: usize = 20;

/// Runs all balance checks.
#[must_use]
pub fn check(subject: &LintSubject<'_>) -> Vec<Finding> {
    let groups = groups(subject.questions);
    let mut found = few(&groups);
    found.extend(uneven(subject.questions, &groups));
    found.extend(across(subject));
    found.extend(one_sided(subject.questions));
    found.extend(crowded(subject));
    found
}

/// Returns the questions of each tag and kind, by their name in reports.
fn groups(questions: &[Question]) -> BTreeMap<String, Vec<&Question>> {
    let mut groups: BTreeMap<String, Vec<&Question>> = BTreeMap::new();
    for question in questions {
        let tags: BTreeSet<&String> = question.tags.iter().collect();
        let names = tags.into_iter().map(|tag| format!("tag `{tag}`"));
        for name in names.chain([format!("kind `{}`", question.kind)]) {
            groups.entry(name).or_default().push(question);
        }
    }
    groups
}

fn few(groups: &BTreeMap<String, Vec<&Question>>) -> Vec<Finding> {
    groups
        .iter()
        .map(|(name, questions)| (name, questions.len()))
        .filter(|(_, n)| *n < LEAST_QUESTIONS)
        .map(|(name, n)| {
            let width = wilson(n / 2, n).map_or(1.0, |ci| ci.high - ci.low);
            let (has, wide) = (plural(n, "question", "questions"), 100.0 * width);
            let message =
                format!("{name} has {has}: a 95% CI up to {wide:.0} percentage points wide");
            let hint =
                format!("write at least {LEAST_QUESTIONS}, or do not report the slice separately");
            Finding::new(Rule::FewQuestions, message, hint)
        })
        .collect()
}

/// Counts the questions of each part of the split: tuning, held-out.
fn parts<'a>(questions: impl IntoIterator<Item = &'a Question>) -> (usize, usize) {
    let splits: Vec<Split> = questions.into_iter().filter_map(|it| it.split).collect();
    let n_tune = splits.iter().filter(|split| **split == Split::Tune).count();
    (n_tune, splits.len() - n_tune)
}

fn uneven(questions: &[Question], groups: &BTreeMap<String, Vec<&Question>>) -> Vec<Finding> {
    let (n_tune, n_heldout) = parts(questions);
    if n_tune == 0 || n_heldout == 0 {
        return Vec::new();
    }
    let counts: Vec<(&String, (usize, usize))> =
        groups.iter().map(|(name, group)| (name, parts(group.iter().copied()))).collect();
    let p_values: Vec<f64> = counts
        .iter()
        .map(|(_, (tune, heldout))| fisher((*tune, n_tune), (*heldout, n_heldout)))
        .collect();
    let all = plural(n_tune, "tune question", "tune questions");
    let judged = counts.into_iter().zip(holm(&p_values));
    judged
        .filter(|(_, p)| *p < SIGNIFICANT)
        .map(|((name, (tune, heldout)), p)| {
            let message = format!(
                "{name} has {tune} of {all} and {heldout} of {} held out (p = {p:.3})",
                thousands(n_heldout)
            );
            let hint = "split the questions again, stratified by kind and tag";
            Finding::new(Rule::UnevenSplit, message, hint)
        })
        .collect()
}

/// Checks evidence; questions without it count if they have a relevant document.
fn across(subject: &LintSubject<'_>) -> Vec<Finding> {
    let mut sides: BTreeMap<&DocId, [Vec<&str>; 2]> = BTreeMap::new();
    for question in subject.questions {
        let Some(split) = question.split else {
            continue;
        };
        let evidence: BTreeSet<&DocId> =
            question.evidence.iter().flatten().map(|member| &member.doc).collect();
        let docs = if evidence.is_empty() {
            used_documents(question).into_iter().collect()
        } else {
            evidence
        };
        for doc in docs {
            sides.entry(doc).or_default()[usize::from(split == Split::Heldout)]
                .push(question.id.as_str());
        }
    }
    sides
        .into_iter()
        .filter(|(_, sides)| sides.iter().all(|ids| !ids.is_empty()))
        .map(|(doc, [tune, heldout])| {
            let (tune, heldout) = (some(&tune), some(&heldout));
            let message = format!(
                "document `{doc}` is evidence in both splits: tune {tune}, held out {heldout}"
            );
            let hint = "put all questions about a document into the same split";
            Finding::new(Rule::AcrossSplit, message, hint).in_document(doc)
        })
        .collect()
}

/// Returns the first few ids.
fn some(ids: &[&str]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("`{id}`")).collect();
    match ids.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn one_sided(questions: &[Question]) -> Option<Finding> {
    let golds: Vec<bool> = questions
        .iter()
        .filter(|question| question.kind == QuestionKind::YesNo)
        .filter_map(|question| question.answers.first())
        .map(|answer| answer.eq_ignore_ascii_case("yes"))
        .collect();
    let (n, yes) = (golds.len(), golds.iter().filter(|yes| **yes).count());
    let (most, word) = if 2 * yes >= n { (yes, "yes") } else { (n - yes, "no") };
    let alike = n >= LEAST_YES_NO && most as f64 > MOST_ALIKE * n as f64;
    alike.then(|| {
        let message = format!("{most} of {n} yes/no questions have the answer `{word}`");
        let hint = "rephrase some of them so that the other answer is right";
        Finding::new(Rule::OneSidedAnswers, message, hint)
    })
}

fn crowded(subject: &LintSubject<'_>) -> Vec<Finding> {
    let n = subject.questions.len();
    let mut counts: BTreeMap<&DocId, usize> = BTreeMap::new();
    subject
        .questions
        .iter()
        .flat_map(used_documents)
        .for_each(|doc| *counts.entry(doc).or_default() += 1);
    let even = n as f64 / subject.documents.len().max(1) as f64;
    let limit = (MOST_CROWDED * n as f64).max(2.0 * even);
    counts
        .into_iter()
        .filter(|(_, count)| n >= LEAST_CROWD && *count as f64 > limit)
        .map(|(doc, count)| {
            let message = format!("{count} of {n} questions are about document `{doc}`");
            Finding::new(Rule::CrowdedDocument, message, "add questions about other documents")
                .in_document(doc)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, told};
    use super::*;

    fn checked(questions: Vec<Question>, n_documents: usize) -> Vec<String> {
        let documents = (0..n_documents).map(|at| document(&format!("d{at}"), "text")).collect();
        let inspection = inspection(documents, questions);
        told(&check(&LintSubject::new(&inspection)))
    }

    /// `n` span questions with these tags, each on a separate document, alternating between the parts.
    fn plain(n: usize, tags: &[&str]) -> Vec<Question> {
        let one = |at: usize| Question {
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            split: Some(if at.is_multiple_of(2) { Split::Tune } else { Split::Heldout }),
            ..question(&format!("q{at}"), "?", &["a"], &[&format!("d{at}")])
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn groups_under_ten_are_small() {
        let mut questions = plain(12, &["big"]);
        questions[3].tags.extend(["rare".to_owned(), "rare".to_owned()]);
        // Wilson of 0 in 1: [0, .793].
        assert_eq!(
            checked(questions, 12),
            [": tag `rare` has 1 question: a 95% CI up to 79 percentage points wide"]
        );
    }

    #[test]
    fn a_tag_on_one_side_is_uneven_and_one_more_on_a_side_is_chance() {
        let mut questions = plain(40, &[]);
        for (at, question) in questions.iter_mut().enumerate() {
            if at.is_multiple_of(2) && at < 24 {
                question.tags.push("lone".to_owned()); // 12 of 20 tune, none held out
            }
            if at < 21 {
                question.tags.push("fair".to_owned()); // 11 and 10
            }
        }
        let found = checked(questions, 40);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with(
                ": tag `lone` has 12 of 20 tune questions and 0 of 20 held out (p = 0.00"
            ),
            "{found:?}"
        );
    }

    #[test]
    fn a_document_on_both_sides_is_told_with_its_questions() {
        let mut questions = plain(10, &[]);
        questions[1].evidence = questions[0].evidence.clone();
        questions[4].relevant.insert("d5".into(), 1);
        assert_eq!(
            checked(questions, 10),
            ["d0: document `d0` is evidence in both splits: tune `q0`, held out `q1`"],
            "a document that only helps is no evidence"
        );
    }

    #[test]
    fn golds_over_three_quarters_alike_are_one_sided() {
        let yes_no = |n_yes: usize, n: usize| {
            let mut questions = plain(n, &[]);
            for (at, question) in questions.iter_mut().enumerate() {
                question.kind = QuestionKind::YesNo;
                question.answers = vec![if at < n_yes { "Yes" } else { "no" }.to_owned()];
            }
            checked(questions, n)
        };
        assert_eq!(yes_no(9, 12), [""; 0]);
        assert_eq!(yes_no(10, 12), [": 10 of 12 yes/no questions have the answer `yes`"]);
        assert_eq!(yes_no(2, 12), [": 10 of 12 yes/no questions have the answer `no`"]);
    }

    #[test]
    fn one_document_of_a_quarter_of_the_questions_is_crowded() {
        let mut questions = plain(24, &[]);
        for question in &mut questions {
            question.split = None;
        }
        for question in &mut questions[1..6] {
            question.evidence = Vec::new();
            question.relevant = [("d0".into(), 1)].into();
        }
        assert_eq!(
            checked(questions.clone(), 24),
            ["d0: 6 of 24 questions are about document `d0`"]
        );
        assert_eq!(checked(questions, 4), [""; 0], "six each is an even share of four documents");
    }
}
