//! Annotator agreement as data: kappa, the table of grades, the pairs that differ most.

use std::collections::BTreeSet;

use crate::document::{Align, Element, Report, Table};
use ragtriage_core::stats::kappa::Kappa;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_data::dataset::label::agreement::{AnnotatorAgreement, Apart};

/// Builds the report.
#[must_use]
pub fn report(agreement: &AnnotatorAgreement) -> Report {
    let mut report = Report::new(format!(
        "ragtriage: agreement of {} and {}",
        agreement.first, agreement.second
    ));
    report.elements.push(Element::Verdict(judged(agreement)));
    report.warnings(&warnings(agreement));
    report.table(kappas(agreement));
    report.table(grades(agreement));
    report.table(farthest(&agreement.farthest));
    report
}

fn judged(agreement: &AnnotatorAgreement) -> String {
    let left_out = match agreement.n_judged_by_one {
        (0, 0) => String::new(),
        (first, second) => {
            let [first, second] = [first, second].map(thousands);
            format!("; left out, judged by one only: {first} and {second}")
        }
    };
    let documents = plural(agreement.n_pairs, "document", "documents");
    let questions = plural(agreement.n_questions, "question", "questions");
    format!("{documents} judged by both, for {questions}{left_out}.")
}

fn warnings(agreement: &AnnotatorAgreement) -> Vec<String> {
    let mut warnings = Vec::new();
    if agreement.n_other_text > 0 {
        let ids = plural(agreement.n_other_text, "id names", "ids name");
        let text = "different questions in the two: joined by text where possible";
        warnings.push(format!("{ids} {text}"));
    }
    if !agreement.answerable.is_empty() {
        warnings.push(format!("unanswerable to one only: {}", agreement.answerable.join(", ")));
    }
    warnings
}

fn kappas(agreement: &AnnotatorAgreement) -> Table {
    let mut table = Table::new("Cohen's kappa", &["", "kappa", "95% CI", "observed", "by chance"]);
    let all = [
        ("grades", agreement.grades),
        ("grades, squared distance", agreement.squared),
        ("relevant or not", agreement.relevant),
    ];
    for (name, kappa) in all {
        let Some(Kappa { value, observed, expected, ci95 }) = kappa else {
            table.row([name, "not defined", "", "", ""]);
            continue;
        };
        let ci95 = ci95.map_or(String::new(), |ci| ci.to_string());
        let [value, observed, expected] = [value, observed, expected].map(|it| format!("{it:.3}"));
        table.row([name.to_owned(), value, ci95, observed, expected]);
    }
    let notes = [
        (
            all.iter().any(|(_, kappa)| kappa.is_none()),
            "not defined: both gave the same grade throughout, so that chance alone would give full agreement",
        ),
        (
            all.iter().any(|(_, kappa)| kappa.is_some_and(|kappa| kappa.ci95.is_none())),
            "no interval: fewer than two questions, or no disagreement",
        ),
        (
            true,
            "observed: agreement of the pairs; by chance: agreement expected from the annotators' marginals; intervals by t over \
             questions",
        ),
    ];
    table
        .notes
        .extend(notes.iter().filter(|(holds, _)| *holds).map(|(_, note)| (*note).to_owned()));
    table
}

fn grades(agreement: &AnnotatorAgreement) -> Table {
    let AnnotatorAgreement { first, second, table: counts, .. } = agreement;
    let firsts: BTreeSet<i32> = counts.iter().map(|(first, ..)| *first).collect();
    let seconds: BTreeSet<i32> = counts.iter().map(|(_, second, _)| *second).collect();
    let seconds: Vec<i32> = seconds.into_iter().collect();
    let title = format!("Grades of {first} (rows) by grades of {second} (columns)");
    Table::of_counts(title, firsts, &seconds, |first, second| {
        let cell = counts.iter().find(|cell| (cell.0, cell.1) == (*first, *second));
        cell.map_or(0, |cell| cell.2)
    })
}

fn farthest(pairs: &[Apart]) -> Table {
    let mut table =
        Table::new("Largest disagreements", &["question", "document", "first", "second"]);
    table.columns[1].align = Align::Left;
    for pair in pairs {
        table.row([
            pair.question.clone(),
            pair.document.clone(),
            pair.first.to_string(),
            pair.second.to_string(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::terminal::{self, Screen};
    use ragtriage_data::dataset::label::agreement::{AnnotatorLabels, LabelledQuestion, agreement};

    fn in_terminal(agreement: &AnnotatorAgreement) -> String {
        terminal::render(&report(agreement), Screen::new(false))
    }

    fn labels(name: &str, grades: &[(&str, &str, i32)]) -> AnnotatorLabels {
        let questions = grades.iter().map(|(id, doc, grade)| LabelledQuestion {
            id: (*id).to_owned(),
            text: None,
            kind: None,
            grades: [((*doc).to_owned(), *grade)].into(),
        });
        AnnotatorLabels { name: name.to_owned(), questions: questions.collect() }
    }

    #[test]
    fn kappa_stands_with_its_interval_and_the_grades_it_is_of() {
        let first = labels("a", &[("1", "x", 3), ("2", "x", 0), ("3", "y", 1), ("4", "z", 0)]);
        let second = labels("b", &[("1", "x", 3), ("2", "x", 0), ("3", "y", 0), ("4", "z", 0)]);
        let found = agreement(&first, &second, 10).expect("shared");
        // Equal: 3 of 4; by chance 2/4 * 3/4 + 1/4 * 1/4 = 7/16: (12 - 7) / (16 - 7) = .556.
        insta::assert_snapshot!(in_terminal(&found), @r"
        ragtriage: agreement of a and b
          4 documents judged by both, for 4 questions.

        Cohen's kappa
                                    kappa           95% CI  observed  by chance
          grades                    0.556  [-0.631, 1.000]     0.750      0.438
          grades, squared distance  0.923   [0.594, 1.000]     0.972      0.639
          relevant or not           0.500  [-0.878, 1.000]     0.750      0.500
          - observed: agreement of the pairs; by chance: agreement expected from the annotators' marginals; intervals
            by t over questions

        Grades of a (rows) by grades of b (columns)
             0  3
          0  2  0
          1  1  0
          3  0  1

        Largest disagreements
          question  document  first  second
          3         y             1       0
        ");
    }

    #[test]
    fn ids_that_stand_for_different_questions_are_told() {
        let mut first = labels("a", &[("1", "x", 3), ("2", "x", 0)]);
        let mut second = first.clone();
        first.questions[0].text = Some("why?".to_owned());
        second.questions[0].text = Some("how?".to_owned());
        let text = in_terminal(&agreement(&first, &second, 10).expect("shared"));
        assert!(text.contains("  1 document judged by both, for 1 question.\n"), "{text}");
        assert!(
            text.contains(
                "  ! 1 id names different questions in the two: joined by text where possible\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_is_not_defined_is_said_and_no_number() {
        let same = labels("a", &[("1", "x", 0), ("2", "x", 0)]);
        let text = in_terminal(&agreement(&same, &same, 10).expect("shared"));
        assert_eq!(text.matches("not defined").count(), 4, "{text}");
        assert!(!text.contains("NaN") && !text.contains("Largest"), "{text}");
    }

    #[test]
    fn annotators_who_disagree() {
        let grades = [("1", "x", 3), ("2", "x", 0), ("3", "x", 1), ("4", "x", 0), ("5", "x", 2)];
        let second = [("1", "x", 3), ("2", "x", 0), ("3", "x", 0), ("4", "x", 0)];
        let mut found =
            agreement(&labels("a", &grades), &labels("b", &second), 10).expect("shared");
        found.n_other_text = 2;
        found.answerable = vec!["7".to_owned()];
        insta::assert_snapshot!("disagreement", in_terminal(&found));
    }
}
