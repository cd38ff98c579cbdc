//! Answers missing from their evidence: a reader of the evidence cannot give the expected answer.

use super::finding::{Finding, Rule};
use super::subject::LintSubject;
use ragtriage_core::text::answers::AnswerMatcher;
use ragtriage_core::types::{Member, Question, QuestionKind};

/// Reports span questions none of whose aliases occurs in any member of any evidence group, by the
/// matcher of `EM@k`.
#[must_use]
pub fn check(subject: &LintSubject<'_>) -> Vec<Finding> {
    (0..subject.questions.len())
        .filter(|&number| subject.questions[number].has_spans())
        .filter_map(|number| of_question(subject, number))
        .collect()
}

/// Reports free questions without an answer or a required fact, in a set where other questions have one (retrieval-only sets have
/// none).
#[must_use]
pub fn unjudged(subject: &LintSubject<'_>) -> Vec<Finding> {
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

fn of_question(subject: &LintSubject<'_>, number: usize) -> Option<Finding> {
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

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, quoting, told};
    use super::*;

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
        let found = check(&LintSubject::new(&inspection));
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
        assert!(unjudged(&LintSubject::new(&alone)).is_empty());
        let mixed =
            inspection(vec![document("a", "a")], vec![free("one", &[]), free("two", &["because"])]);
        let found = unjudged(&LintSubject::new(&mixed));
        assert_eq!(
            told(&found),
            ["one: a free question without `required` facts and without answers"]
        );
    }
}
