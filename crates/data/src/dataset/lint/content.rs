//! The checks that need only the data.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, Rule};
use super::subject::{LintSubject, used_documents};
use crate::dataset::error::{Error, Kind};
use ragtriage_core::hint::Hint;
use ragtriage_core::text::answers::AnswerMatcher;
use ragtriage_core::types::{DocId, Member, Question, QuestionKind, Split};

/// Reports each error and warning of loading, in order.
pub(super) fn load_errors(subject: &LintSubject<'_>) -> Vec<Finding> {
    let inspection = subject.inspection;
    let found = inspection.errors.iter().chain(&inspection.warnings).map(|error| {
        let place = error.place.as_ref();
        Finding {
            question: place.and_then(|place| place.id.as_deref()).map(Into::into),
            document: error.document.as_deref().map(DocId::from),
            file: place.map(|place| place.path.display().to_string()),
            line: place.and_then(|place| place.line),
            ..Finding::new(rule(error), error.message(), error.hint().unwrap_or_default())
        }
    });
    found.collect()
}

fn rule(error: &Error) -> Rule {
    match error.kind {
        Kind::Data(rule) => rule,
        Kind::Missing => Rule::NoQuestions, // the corpus was loaded: it is the questions file
        Kind::NotText | Kind::Unusable => Rule::Unreadable,
    }
}

/// Reports span questions none of whose aliases occurs in any member of any evidence group, by the
/// matcher of `EM@k`: a reader of the evidence cannot give the expected answer.
pub(super) fn answers_not_in_evidence(subject: &LintSubject<'_>) -> Vec<Finding> {
    (0..subject.questions.len())
        .filter(|&number| subject.questions[number].has_spans())
        .filter_map(|number| answer_not_in_evidence(subject, number))
        .collect()
}

/// Reports free questions without an answer or a required fact, in a set where other questions have one (retrieval-only sets have
/// none).
pub(super) fn without_facts(subject: &LintSubject<'_>) -> Vec<Finding> {
    if !subject.questions.iter().any(has_gold_answer) {
        return Vec::new();
    }
    let asked = subject.questions.iter().enumerate();
    asked
        .filter(|(_, question)| question.kind == QuestionKind::Free && !has_gold_answer(question))
        .map(|(number, _)| {
            let message = "a free question without `required` facts and without answers";
            let hint = "list the facts that a right answer must state in `required`, and those it must not state in `forbidden`";
            subject.finding(number, Rule::NoFacts, message, hint)
        })
        .collect()
}

fn has_gold_answer(question: &Question) -> bool {
    !question.answers.is_empty() || !question.required.is_empty()
}

fn answer_not_in_evidence(subject: &LintSubject<'_>, number: usize) -> Option<Finding> {
    let question = &subject.questions[number];
    let members: Vec<&Member> = question.evidence.iter().flatten().collect();
    let texts: Vec<String> =
        members.iter().filter_map(|member| subject.evidence_text(member)).collect();
    let matcher = AnswerMatcher::new(&question.answers);
    if texts.is_empty() || texts.iter().any(|text| matcher.found_in_text(text)) {
        return None;
    }
    let near = members
        .iter()
        .filter_map(|member| subject.document(&member.doc))
        .find(|doc| matcher.found_in_text(&doc.text));
    let hint = match near {
        Some(document) => format!("`{}` contains it elsewhere: quote that place", document.id),
        None => "quote the passage that states it, or add the wording of the evidence to `answers`"
            .to_owned(),
    };
    let answers: Vec<String> =
        question.answers.iter().map(|answer| format!("`{answer}`")).collect();
    let what = match &answers[..] {
        [one] => format!("its answer {one} does not occur"),
        many => format!("none of its answers {} occurs", many.join(", ")),
    };
    Some(subject.finding(
        number,
        Rule::AnswerNotInEvidence,
        format!("{what} in its evidence"),
        hint,
    ))
}

/// Reports documents without text.
pub(super) fn empty_documents(subject: &LintSubject<'_>) -> Vec<Finding> {
    subject
        .documents
        .iter()
        .filter(|document| document.text.trim().is_empty())
        .map(|document| {
            let message = format!("document `{}` has no text", document.id);
            let hint = "add its text or remove it; check why nothing was extracted from its source";
            Finding::new(Rule::EmptyDocument, message, hint).in_document(&document.id)
        })
        .collect()
}

/// Reports documents that both parts of a split use: as evidence, or in questions without it as relevant documents.
pub(super) fn across_split(subject: &LintSubject<'_>) -> Vec<Finding> {
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

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, quoting, told};
    use super::*;
    use crate::dataset::error::Place;

    #[test]
    fn an_alias_in_any_group_will_do_and_one_elsewhere_in_the_document_will_not() {
        let documents =
            vec![document("a", "It waits six minutes. Then it stops."), document("b", "Nothing.")];
        let of = |id: &str, answers: &[&str], quote: &str| {
            quoting(question(id, "How long?", answers, &["a", "b"]), &documents[0], &[quote])
        };
        let mut yes = of("yes", &["yes"], "Then it stops.");
        yes.kind = QuestionKind::YesNo;
        let questions = vec![
            of("good", &["360 s", "Six minutes"], "It waits six minutes."),
            of("outside", &["six minutes"], "Then it stops."),
            of("nowhere", &["7 minutes", "seven minutes"], "It waits six minutes."),
            yes,
            question("gone", "How long?", &["six"], &["c"]),
        ];
        let inspection = inspection(documents, questions);
        let found = answers_not_in_evidence(&LintSubject::new(&inspection));
        assert_eq!(
            told(&found),
            [
                "outside: its answer `six minutes` does not occur in its evidence",
                "nowhere: none of its answers `7 minutes`, `seven minutes` occurs in its evidence",
            ]
        );
        assert_eq!(found[0].hint, "`a` contains it elsewhere: quote that place");
    }

    #[test]
    fn a_free_question_with_nothing_to_judge_by_is_told_unless_the_set_is_for_retrieval_alone() {
        let free = |id: &str, required: &[&str]| Question {
            kind: QuestionKind::Free,
            required: required.iter().map(|&fact| vec![fact.to_owned()]).collect(),
            ..question(id, "Why?", &[], &["a"])
        };
        let alone = inspection(vec![document("a", "a")], vec![free("one", &[]), free("two", &[])]);
        assert!(without_facts(&LintSubject::new(&alone)).is_empty());
        let mixed =
            inspection(vec![document("a", "a")], vec![free("one", &[]), free("two", &["because"])]);
        let found = without_facts(&LintSubject::new(&mixed));
        assert_eq!(
            told(&found),
            ["one: a free question without `required` facts and without answers"]
        );
    }

    #[test]
    fn a_document_on_both_sides_is_told_with_its_questions() {
        let documents = ["a", "b"].map(|id| document(id, "text")).to_vec();
        let of = |id: &str, doc: &str, split| Question {
            split: Some(split),
            ..question(id, "?", &["x"], &[doc])
        };
        let mut asked = vec![
            of("1", "a", Split::Tune),
            of("2", "a", Split::Heldout),
            of("3", "b", Split::Tune),
        ];
        // A document that only helps is no evidence.
        asked[1].relevant.insert("b".into(), 1);
        let inspection = inspection(documents, asked);
        assert_eq!(
            told(&across_split(&LintSubject::new(&inspection))),
            ["a: document `a` is evidence in both splits: tune `1`, held out `2`"]
        );
    }

    #[test]
    fn an_error_is_a_finding_with_its_place_apart_from_its_message() {
        let place = |line, id: Option<&str>| Place {
            path: std::path::Path::new("data/questions.jsonl").into(),
            line: Some(line),
            id: id.map(Into::into),
        };
        let mut inspection = inspection(vec![document("a", "a")], Vec::new());
        inspection.errors = vec![
            Error::unknown_document(&place(3, Some("q")), &"c".into(), None),
            Error::record(&place(4, None), "missing field `id`"),
        ];
        let found = load_errors(&LintSubject::new(&inspection));
        let seen: Vec<(Rule, Option<usize>, &str)> =
            found.iter().map(|it| (it.rule, it.line, it.message.as_str())).collect();
        assert_eq!(
            seen,
            [
                (Rule::UnknownDocument, Some(3), "document `c` is not in the corpus"),
                (Rule::BadField, Some(4), "missing field `id`"),
            ]
        );
        assert_eq!(found[0].file.as_deref(), Some("data/questions.jsonl"));
        assert_eq!(
            (&found[0].question, &found[0].document),
            (&Some("q".into()), &Some("c".into()))
        );
    }
}
