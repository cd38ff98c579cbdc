//! Secrets in documents and questions: keys, tokens, passwords.
//!
//! A finding shows the kind, the line and what stands before the secret begins (a token's public prefix, `password=`), never
//! a character of the secret itself; what quotes the data elsewhere is masked. Ids and paths are names, and are shown as they are.

mod mask;
mod pattern;

pub use mask::{Known, masked, masked_piece};
pub use pattern::{Secret, found_in};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::finding::{Finding, Rule};
use super::subject::Subject;
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::{Document, Question};

const HINT: &str = "take it out here and revoke it: it may have been copied already";
/// So many of a document's or question's are told: a log may have one a line.
const MOST_TOLD: usize = 20;

/// What a data set holds of them.
pub struct Found {
    /// What is told.
    pub findings: Vec<Finding>,
    /// Those of each document's text, by its number.
    pub in_documents: Vec<Vec<Secret>>,
    /// By what they are known again.
    pub known: Known,
}

/// Looks through documents (text and title) and questions (text, answers and facts).
#[must_use]
pub fn find(subject: &Subject<'_>) -> Found {
    let of_document = |document: &Document| (found_in(&document.text), found_in(&document.title));
    let in_documents: Vec<(Vec<Secret>, Vec<Secret>)> =
        subject.documents.par_iter().map(of_document).collect();
    let in_questions: Vec<Vec<(&str, Vec<Secret>)>> =
        subject.questions.par_iter().map(of_question).collect();
    let (mut findings, mut known) = (Vec::new(), Known::default());
    for (document, (in_text, in_title)) in subject.documents.iter().zip(&in_documents) {
        known.learn(&document.text, in_text);
        known.learn(&document.title, in_title);
        findings.extend(capped(in_document(document, in_text, in_title)));
    }
    for (number, texts) in in_questions.into_iter().enumerate() {
        let mut found = Vec::new();
        for (text, secrets) in texts {
            known.learn(text, &secrets);
            let finding = |secret: &Secret| {
                subject.finding(number, Rule::Secret, message(secret, text), HINT)
            };
            found.extend(secrets.iter().map(finding));
        }
        findings.extend(capped(found));
    }
    let in_documents = in_documents
        .into_iter()
        .map(|(in_text, _)| in_text)
        .collect();
    Found {
        findings,
        in_documents,
        known,
    }
}

fn message(secret: &Secret, text: &str) -> String {
    format!("{}, `{}…`", secret.kind, secret.shown(text))
}

/// The texts of a question that hold one.
fn of_question(question: &Question) -> Vec<(&str, Vec<Secret>)> {
    let facts = question
        .required
        .iter()
        .chain(&question.forbidden)
        .flatten();
    let texts = std::iter::once(&question.text)
        .chain(&question.answers)
        .chain(facts);
    texts
        .map(|text| (text.as_str(), found_in(text)))
        .filter(|(_, secrets)| !secrets.is_empty())
        .collect()
}

/// A title is mostly the first heading of the text: it is told where the text has none.
fn in_document(document: &Document, in_text: &[Secret], in_title: &[Secret]) -> Vec<Finding> {
    let finding = |secret: &Secret, text: &str| {
        Finding::new(Rule::Secret, message(secret, text), HINT).in_document(&document.id)
    };
    if in_text.is_empty() {
        return in_title
            .iter()
            .map(|secret| finding(secret, &document.title))
            .collect();
    }
    let (mut line, mut at) = (1, 0);
    let on_line = |secret: &Secret| {
        line += document.text[at..secret.start].matches('\n').count();
        at = secret.start;
        Finding {
            line: Some(line),
            ..finding(secret, &document.text)
        }
    };
    in_text.iter().map(on_line).collect()
}

/// The first of `found`, and how many there are beside them.
fn capped(mut found: Vec<Finding>) -> Vec<Finding> {
    let rest = found.get(MOST_TOLD).cloned();
    if let Some(rest) = rest {
        let message = format!("and {} more", thousands(found.len() - MOST_TOLD));
        found.truncate(MOST_TOLD);
        found.push(Finding { message, ..rest });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, told};
    use super::pattern::tests::made;
    use super::*;

    #[test]
    fn findings_say_where() {
        let token = made("ghp_", 36);
        let text = format!("one\ntwo\n{token}\n\nthree {token} {token}");
        let asked = vec![question("q", "What is it?", &[&token], &["a"])];
        let inspection = inspection(vec![document("a", &text)], asked);
        let found = find(&Subject::new(&inspection)).findings;
        let (here, there) = ("a: a GitHub token, `ghp_…`", "q: a GitHub token, `ghp_…`");
        assert_eq!(told(&found), [here, here, here, there]);
        let lines: Vec<Option<usize>> = found.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [Some(3), Some(5), Some(5), Some(1)]);
    }

    #[test]
    fn a_title_is_told_where_its_text_has_none() {
        let token = made("ghp_", 36);
        let titled = |id: &str, text: &str| Document {
            title: token.clone(),
            ..document(id, text)
        };
        let inspection = inspection(
            vec![titled("a", &token), titled("b", "nothing")],
            Vec::new(),
        );
        let found = find(&Subject::new(&inspection)).findings;
        let lines: Vec<(&str, Option<usize>)> = found
            .iter()
            .map(|finding| {
                (
                    finding.document.as_ref().expect("named").as_str(),
                    finding.line,
                )
            })
            .collect();
        assert_eq!(lines, [("a", Some(1)), ("b", None)]);
    }

    #[test]
    fn a_log_with_a_password_a_line_is_told_by_its_first_twenty() {
        let line = |n: usize| ["passw", &format!("ord=a1b2c3d4e5{n}\n")].concat();
        let inspection = inspection(
            vec![document("log", &(0..5000).map(line).collect::<String>())],
            Vec::new(),
        );
        let Found {
            findings,
            in_documents,
            ..
        } = find(&Subject::new(&inspection));
        assert_eq!(in_documents[0].len(), 5000);
        assert_eq!(
            told(&findings[..1]),
            ["log: a password or key, `password=…`"]
        );
        // The first that is not told for itself stands on line 21.
        assert_eq!(
            (
                findings.len(),
                findings[20].line,
                findings[20].message.as_str()
            ),
            (21, Some(21), "and 4,980 more")
        );
    }
}
