//! Two annotators beside one another: kappa, the table of their grades, where they differ most.

use std::collections::BTreeSet;

use super::section::Section;
use super::terminal::Page;
use ragtriage_core::stats::kappa::Kappa;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_datasets::label::agreement::{AnnotatorAgreement, Apart};

/// The agreement in a terminal; `color` turns on ANSI bold for headings.
#[must_use]
pub fn render(agreement: &AnnotatorAgreement, color: bool) -> String {
    let mut out = Page::new(color);
    out.heading(&format!(
        "ragtriage: agreement of {} and {}",
        agreement.first, agreement.second
    ));
    out.wrapped("  ", &joined(agreement));
    if agreement.n_other_text > 0 {
        let ids = plural(agreement.n_other_text, "id stands", "ids stand");
        out.wrapped(
            "  ! ",
            &format!("{ids} for different questions in the two: joined by text, if at all"),
        );
    }
    if !agreement.answerable.is_empty() {
        out.wrapped(
            "  ! ",
            &format!(
                "unanswerable to one only: {}",
                agreement.answerable.join(", ")
            ),
        );
    }
    out.section(&kappas(agreement));
    out.section(&table(agreement));
    if !agreement.farthest.is_empty() {
        out.section(&farthest(agreement));
    }
    out.text
}

fn joined(agreement: &AnnotatorAgreement) -> String {
    let AnnotatorAgreement {
        n_questions,
        n_pairs,
        n_judged_by_one: (first, second),
        ..
    } = agreement;
    let left_out = match (first, second) {
        (0, 0) => String::new(),
        (first, second) => format!(
            "; judged by one only, left out: {} and {}",
            thousands(*first),
            thousands(*second)
        ),
    };
    let documents = plural(*n_pairs, "document", "documents");
    format!(
        "{documents} judged by both, for {}{left_out}.",
        plural(*n_questions, "question", "questions")
    )
}

fn kappas(agreement: &AnnotatorAgreement) -> Section {
    let mut section = Section::new(
        "Cohen's kappa",
        &["", "kappa", "95 %", "observed", "by chance"],
    );
    let AnnotatorAgreement {
        grades,
        squared,
        relevant,
        ..
    } = agreement;
    let all = [
        ("grades", grades),
        ("grades, squared distance", squared),
        ("relevant or not", relevant),
    ];
    section.rows = all.iter().map(|(name, kappa)| row(name, **kappa)).collect();
    if all.iter().any(|(_, kappa)| kappa.is_none()) {
        section.notes.push(
            "not defined: both gave one and the same grade throughout, so that chance alone would give full agreement"
                .to_owned(),
        );
    }
    if all
        .iter()
        .any(|(_, kappa)| kappa.is_some_and(|kappa| kappa.ci95.is_none()))
    {
        section
            .notes
            .push("no interval: under two questions, or no disagreement was seen".to_owned());
    }
    section.notes.push(
        "observed: agreement of the pairs; by chance: of two who give these grades as often, without regard to the document; \
         intervals over questions"
            .to_owned(),
    );
    section
}

fn row(name: &str, kappa: Option<Kappa>) -> Vec<String> {
    let Some(Kappa {
        value,
        observed,
        expected,
        ci95,
    }) = kappa
    else {
        return vec![
            name.to_owned(),
            "not defined".to_owned(),
            String::new(),
            String::new(),
            String::new(),
        ];
    };
    let ci95 = ci95.map_or(String::new(), |ci| ci.to_string());
    vec![
        name.to_owned(),
        format!("{value:.3}"),
        ci95,
        format!("{observed:.3}"),
        format!("{expected:.3}"),
    ]
}

fn table(agreement: &AnnotatorAgreement) -> Section {
    let firsts: BTreeSet<i32> = agreement.table.iter().map(|(first, _, _)| *first).collect();
    let seconds: BTreeSet<i32> = agreement
        .table
        .iter()
        .map(|(_, second, _)| *second)
        .collect();
    let names: Vec<String> = seconds.iter().map(i32::to_string).collect();
    let head: Vec<&str> = [""]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    let title = format!(
        "Grades of {} (down) by those of {} (across)",
        agreement.first, agreement.second
    );
    let mut section = Section::new(title, &head);
    let count = |first: i32, second: i32| {
        let cell = agreement
            .table
            .iter()
            .find(|(a, b, _)| (*a, *b) == (first, second));
        cell.map_or(0, |(_, _, count)| *count).to_string()
    };
    section.rows = firsts
        .iter()
        .map(|first| {
            [first.to_string()]
                .into_iter()
                .chain(seconds.iter().map(|second| count(*first, *second)))
                .collect()
        })
        .collect();
    section
}

fn farthest(agreement: &AnnotatorAgreement) -> Section {
    let mut section = Section::new(
        "Farthest apart",
        &["question", "document", "first", "second"],
    );
    section.rows = agreement
        .farthest
        .iter()
        .map(
            |Apart {
                 question,
                 document,
                 first,
                 second,
             }| {
                vec![
                    question.clone(),
                    document.clone(),
                    first.to_string(),
                    second.to_string(),
                ]
            },
        )
        .collect();
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_datasets::label::agreement::{AnnotatorLabels, LabelledQuestion, agreement};

    fn labels(name: &str, grades: &[(&str, &str, i32)]) -> AnnotatorLabels {
        let questions = grades.iter().map(|(id, doc, grade)| LabelledQuestion {
            id: (*id).to_owned(),
            text: None,
            kind: None,
            grades: [((*doc).to_owned(), *grade)].into(),
        });
        AnnotatorLabels {
            name: name.to_owned(),
            questions: questions.collect(),
        }
    }

    #[test]
    fn kappa_stands_with_its_interval_and_the_grades_it_is_of() {
        let first = labels(
            "a",
            &[("1", "x", 3), ("2", "x", 0), ("3", "y", 1), ("4", "z", 0)],
        );
        let second = labels(
            "b",
            &[("1", "x", 3), ("2", "x", 0), ("3", "y", 0), ("4", "z", 0)],
        );
        let found = agreement(&first, &second, 10).expect("shared");
        // Equal: 3 of 4; by chance 2/4 * 3/4 + 1/4 * 1/4 = 7/16: (12 - 7) / (16 - 7) = .556.
        insta::assert_snapshot!(render(&found, false), @r"
        ragtriage: agreement of a and b
          4 documents judged by both, for 4 questions.

        Cohen's kappa
                                    kappa             95 %  observed  by chance
          grades                    0.556  [-0.631, 1.000]     0.750      0.438
          grades, squared distance  0.923   [0.594, 1.000]     0.972      0.639
          relevant or not           0.500  [-0.878, 1.000]     0.750      0.500
          - observed: agreement of the pairs; by chance: of two who give these grades as often, without regard to the
            document; intervals over questions

        Grades of a (down) by those of b (across)
             0  3
          0  2  0
          1  1  0
          3  0  1

        Farthest apart
          question  document  first  second
          3                y      1       0
        ");
    }

    #[test]
    fn ids_that_stand_for_different_questions_are_told() {
        let mut first = labels("a", &[("1", "x", 3), ("2", "x", 0)]);
        let mut second = first.clone();
        first.questions[0].text = Some("why?".to_owned());
        second.questions[0].text = Some("how?".to_owned());
        let text = render(&agreement(&first, &second, 10).expect("shared"), false);
        assert!(
            text.contains("  1 document judged by both, for 1 question.\n"),
            "{text}"
        );
        assert!(
            text.contains(
                "  ! 1 id stands for different questions in the two: joined by text, if at all\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_is_not_defined_is_said_and_no_number() {
        let same = labels("a", &[("1", "x", 0), ("2", "x", 0)]);
        let text = render(&agreement(&same, &same, 10).expect("shared"), false);
        assert_eq!(text.matches("not defined").count(), 4, "{text}");
        assert!(
            !text.contains("NaN") && !text.contains("Farthest"),
            "{text}"
        );
    }
}
