//! Agreement of two annotators on the documents that both judged.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::dataset::error::Error;
use crate::run::external::input::Input;
use crate::run::external::qrels::Qrels;
use ragtriage_core::stats::kappa::{Kappa, kappa};
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::types::QuestionKind;

/// The judgments of one annotator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatorLabels {
    /// The file.
    pub name: String,
    /// The labelled questions.
    pub questions: Vec<LabelledQuestion>,
}

/// A question with its judgments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledQuestion {
    /// Its id.
    pub id: String,
    /// Its text, with normalised white space; `None` if only the id is known.
    pub text: Option<String>,
    /// Its kind, if known.
    pub kind: Option<QuestionKind>,
    /// Grades by document; 0 for all non-relevant ones.
    pub grades: BTreeMap<String, i32>,
}

/// Reads the labels in the file `path`: native questions, or judgments in TREC's or BEIR's columns.
///
/// # Errors
/// Errors of its reader.
pub fn labels(path: &Path) -> Result<AnnotatorLabels, Error> {
    let input = Input::read(path).map_err(|error| Error::of(&error))?;
    let name = input.name().to_owned();
    if input.text().trim_start().starts_with('{') {
        let questions = crate::dataset::load::questions_alone(path)?.into_iter().map(|question| {
            LabelledQuestion {
                id: question.id.to_string(),
                text: Some(one_spaced(&question.text)),
                kind: Some(question.kind),
                grades: question
                    .relevant
                    .iter()
                    .map(|(doc, grade)| (doc.to_string(), (*grade).max(0)))
                    .collect(),
            }
        });
        return Ok(AnnotatorLabels { name, questions: questions.collect() });
    }
    let qrels = Qrels::parse(&input).map_err(|error| Error::of(&error))?;
    let questions = qrels.queries().map(|(id, judged)| LabelledQuestion {
        id: id.to_owned(),
        text: None,
        kind: None,
        grades: judged.iter().map(|(doc, grade)| ((*doc).to_owned(), (*grade).max(0))).collect(),
    });
    Ok(AnnotatorLabels { name, questions: questions.collect() })
}

/// Agreement of two annotators.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnnotatorAgreement {
    /// The first annotator's file.
    pub first: String,
    /// The second annotator's file.
    pub second: String,
    /// Questions labelled by both.
    pub n_questions: usize,
    /// Ids with questions of different texts on the two sides; these are joined by text, if at all.
    pub n_other_text: usize,
    /// Question-document pairs that both judged.
    pub n_pairs: usize,
    /// Pairs of those questions judged only by the first annotator, and only by the second:
    /// omitted.
    pub n_judged_by_one: (usize, usize),
    /// Agreement of grades, unweighted.
    pub grades: Option<Kappa>,
    /// Agreement on relevance (a grade above 0).
    pub relevant: Option<Kappa>,
    /// The confusion matrix: `(first grade, second grade, pairs)`, ascending.
    pub table: Vec<(i32, i32, usize)>,
    /// The pairs with the largest difference of grades, largest first, then in the order of the first file.
    pub farthest: Vec<Apart>,
    /// Questions that only one annotator calls unanswerable.
    pub answerable: Vec<String>,
}

/// A pair with different grades.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Apart {
    /// The question's id in the first file.
    pub question: String,
    /// The document.
    pub document: String,
    /// The first annotator's grade.
    pub first: i32,
    /// The second annotator's grade.
    pub second: i32,
}

/// Joins two annotators' questions by an id with equal text, else by text, and their judgments by document; documents judged
/// by only one do not count. Intervals are over questions. At most `n_farthest` pairs are listed.
///
/// # Errors
/// No pair was judged by both.
pub fn agreement(
    first: &AnnotatorLabels,
    second: &AnnotatorLabels,
    n_farthest: usize,
) -> Result<AnnotatorAgreement, Error> {
    let (joined, n_other_text) = joined(first, second);
    let (mut pairs, mut question_of, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    let mut n_judged_by_one = (0, 0);
    let mut answerable = Vec::new();
    for (number, (one, other)) in joined.iter().enumerate() {
        for (document, grade) in &one.grades {
            let Some(theirs) = other.grades.get(document) else {
                continue;
            };
            pairs.push((*grade, *theirs));
            question_of.push(number);
            if grade != theirs {
                let (question, document) = (one.id.clone(), document.clone());
                apart.push(Apart { question, document, first: *grade, second: *theirs });
            }
        }
        let n_shared =
            one.grades.keys().filter(|document| other.grades.contains_key(*document)).count();
        n_judged_by_one.0 += one.grades.len() - n_shared;
        n_judged_by_one.1 += other.grades.len() - n_shared;
        if let (Some(kind), Some(theirs)) = (one.kind, other.kind)
            && (kind == QuestionKind::Unanswerable) != (theirs == QuestionKind::Unanswerable)
        {
            answerable.push(one.id.clone());
        }
    }
    if pairs.is_empty() {
        return Err(Error::unusable(
            format!(
                "`{}` and `{}` have no judged document of a common question",
                first.name, second.name
            ),
            "questions are matched by an `id` with the same text, else by text; documents by id: let both annotators judge the same questions (`--queries`)",
        ));
    }
    apart.sort_by_key(|pair| std::cmp::Reverse(pair.first.abs_diff(pair.second))); // stable
    apart.truncate(n_farthest);
    let is_relevant: Vec<(i32, i32)> =
        pairs.iter().map(|(a, b)| (i32::from(*a > 0), i32::from(*b > 0))).collect();
    let mut table: BTreeMap<(i32, i32), usize> = BTreeMap::new();
    for pair in &pairs {
        *table.entry(*pair).or_default() += 1;
    }
    Ok(AnnotatorAgreement {
        first: first.name.clone(),
        second: second.name.clone(),
        n_questions: joined.len(),
        n_other_text,
        n_pairs: pairs.len(),
        n_judged_by_one,
        grades: kappa(&pairs, &question_of),
        relevant: kappa(&is_relevant, &question_of),
        table: table.into_iter().map(|((a, b), count)| (a, b, count)).collect(),
        farthest: apart,
        answerable,
    })
}

/// Returns the questions that both have, in the order of the first file, and the number of ids with different questions.
///
/// Questions with one id are equal unless both texts are known and differ: files numbered from 1 may contain different
/// questions. The remaining ones are joined by text. Each question of the second file is used at most once.
fn joined<'a>(
    first: &'a AnnotatorLabels,
    second: &'a AnnotatorLabels,
) -> (Vec<(&'a LabelledQuestion, &'a LabelledQuestion)>, usize) {
    let mut left: Vec<&LabelledQuestion> = second.questions.iter().collect();
    let mut take = |is_same: &dyn Fn(&LabelledQuestion) -> bool| {
        left.iter().position(|other| is_same(other)).map(|at| left.remove(at))
    };
    let same_id: Vec<Option<&LabelledQuestion>> = first
        .questions
        .iter()
        .map(|one| {
            take(&|other| {
                let texts = one.text.as_ref().zip(other.text.as_ref());
                one.id == other.id && texts.is_none_or(|(one, other)| one == other)
            })
        })
        .collect();
    let (mut both, mut n_other_text) = (Vec::new(), 0);
    for (one, same) in first.questions.iter().zip(same_id) {
        let has_id = || second.questions.iter().any(|other| other.id == one.id);
        n_other_text += usize::from(same.is_none() && has_id());
        let same = same.or_else(|| {
            one.text.as_ref().and_then(|text| take(&|other| other.text.as_ref() == Some(text)))
        });
        both.extend(same.map(|other| (one, other)));
    }
    (both, n_other_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Id, text and grades of a question.
    type Given<'a> = (&'a str, &'a str, &'a [(&'a str, i32)]);

    fn judged(name: &str, questions: &[Given<'_>]) -> AnnotatorLabels {
        let questions = questions.iter().map(|(id, text, grades)| LabelledQuestion {
            id: (*id).to_owned(),
            text: Some((*text).to_owned()),
            kind: Some(if *id == "u" { QuestionKind::Unanswerable } else { QuestionKind::Span }),
            grades: grades.iter().map(|(doc, grade)| ((*doc).to_owned(), *grade)).collect(),
        });
        AnnotatorLabels { name: name.to_owned(), questions: questions.collect() }
    }

    #[test]
    fn pairs_that_both_judged_are_joined_by_id_else_by_text() {
        let first = judged(
            "a",
            &[
                ("1", "why?", &[("x", 3), ("y", 0), ("z", 1)]),
                ("2", "how?", &[("x", 2)]),
                ("9", "who?", &[("x", 1)]),
            ],
        );
        let second = judged(
            "b",
            &[("u", "how?", &[("x", 0), ("w", 1)]), ("1", "why?", &[("x", 3), ("y", 1)])],
        );
        let found = agreement(&first, &second, 1).expect("shared");
        assert_eq!((found.n_questions, found.n_pairs, found.n_judged_by_one), (2, 3, (1, 1)));
        assert_eq!(found.table, [(0, 1, 1), (2, 0, 1), (3, 3, 1)]);
        let farthest = Apart { question: "2".into(), document: "x".into(), first: 2, second: 0 };
        assert_eq!((found.farthest, found.answerable), (vec![farthest], vec!["2".to_owned()]));
        // Equal: 1 of 3. By chance: grades 3, 0, 2 against 3, 1, 0, each a third: 3 and 0 can agree, 2 / 9. (3/9 - 2/9) /
        // (7/9).
        let grades = found.grades.expect("defined");
        assert!((grades.value - 1.0 / 7.0).abs() < 1e-12, "{grades:?}");
        // Relevant or not: yes yes, no yes, yes no. Equal 1/3; by chance 2/3 * 2/3 + 1/3 * 1/3 = 5/9. (3/9 - 5/9) / (4/9).
        let relevant = found.relevant.expect("defined");
        assert!((relevant.value + 0.5).abs() < 1e-12, "{relevant:?}");
    }

    #[test]
    fn an_id_that_stands_for_two_questions_joins_nothing() {
        // Numbered from 1 on both sides. `1` to `3` differ: the texts of `1` and `3` occur once, under `5`; that of `2` does not
        // occur. `4` is equal.
        let first = judged(
            "a",
            &[
                ("1", "why?", &[("x", 3)]),
                ("2", "how?", &[("x", 3)]),
                ("3", "why?", &[("x", 3)]),
                ("4", "who?", &[("x", 2)]),
            ],
        );
        let second = judged(
            "b",
            &[
                ("1", "when?", &[("x", 0)]),
                ("2", "where?", &[("x", 0)]),
                ("3", "Why?", &[("x", 0)]),
                ("4", "who?", &[("x", 2)]),
                ("5", "why?", &[("x", 1)]),
            ],
        );
        let found = agreement(&first, &second, 9).expect("shared");
        assert_eq!((found.n_questions, found.n_pairs, found.n_other_text), (2, 2, 3));
        assert_eq!(found.table, [(2, 2, 1), (3, 1, 1)]);
        assert_eq!(found.farthest[0].question, "1", "the first of equal texts takes it");
        // If one side has no texts, the id alone decides.
        let mut bare = second.clone();
        bare.questions.iter_mut().for_each(|question| question.text = None);
        let found = agreement(&first, &bare, 9).expect("shared");
        assert_eq!((found.n_questions, found.n_other_text), (4, 0));
    }

    #[test]
    fn a_shared_id_comes_before_a_shared_text() {
        let first = judged("a", &[("1", "why?", &[("x", 3)]), ("2", "why?", &[("x", 2)])]);
        let second = judged("b", &[("2", "why?", &[("x", 2)]), ("7", "why?", &[("x", 1)])]);
        assert_eq!(agreement(&first, &second, 9).expect("shared").table, [(2, 2, 1), (3, 1, 1)]);
    }

    #[test]
    fn annotators_who_judged_nothing_in_common_have_no_agreement() {
        let first = judged("a", &[("1", "why?", &[("x", 3)])]);
        for second in [judged("b", &[]), judged("b", &[("1", "why?", &[("y", 3)])])] {
            let error = agreement(&first, &second, 1).expect_err("nothing");
            assert_eq!(
                error.to_string(),
                "`a` and `b` have no judged document of a common question"
            );
        }
    }
}
