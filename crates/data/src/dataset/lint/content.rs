//! The checks that need only the data.

use super::finding::{Finding, Rule};
use super::subject::LintSubject;
use crate::error::{Error, Kind};
use ragtriage_core::hint::Hint;
use ragtriage_core::text::answers::AnswerMatcher;
use ragtriage_core::types::{DocId, Member, Question, QuestionKind};

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
        _ => Rule::Unreadable,
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
        None => "quote the passage that states it, or add the wording of the evidence to `answers`, as whole words (`a.b/c` is one)"
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

/// Reports answerable questions without evidence and relevance judgments.
pub(super) fn questions_without_evidence(subject: &LintSubject<'_>) -> Vec<Finding> {
    let is_labelled = |question: &Question| {
        question.kind == QuestionKind::Unanswerable
            || !question.evidence.is_empty()
            || question.relevant.values().any(|grade| *grade > 0)
    };
    let numbers = 0..subject.questions.len();
    let found = numbers.filter(|&number| !is_labelled(&subject.questions[number])).map(|number| {
        let hint = "quote it, or find it with `ragtriage dataset label`";
        subject.finding(number, Rule::NoEvidence, "it has no evidence".to_owned(), hint.to_owned())
    });
    found.collect()
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

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, quoting, told};
    use super::*;
    use crate::error::Place;
    use ragtriage_core::types::QuestionKind;

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
