//! Errors of loading, and ambiguous quotes, as findings.

use super::finding::{Finding, Rule};
use crate::{DatasetError, Place, RepeatedQuote};
use ragtriage_core::hint::Hint;

/// Reports each loading error, in order.
#[must_use]
pub fn check(slips: &[DatasetError], repeated: &[RepeatedQuote]) -> Vec<Finding> {
    slips.iter().map(of_slip).chain(repeated.iter().map(of_repeated)).collect()
}

fn of_slip(slip: &DatasetError) -> Finding {
    let said = slip.to_string();
    let Some(place) = slip.place() else {
        return Finding::new(rule(slip), said, slip.hint().unwrap_or_default());
    };
    let message = said.strip_prefix(&place.to_string()).unwrap_or(&said);
    let message = message.strip_prefix(": ").unwrap_or(message).trim_start();
    at(
        place,
        Finding {
            document: document(slip),
            ..Finding::new(rule(slip), message, slip.hint().unwrap_or_default())
        },
    )
}

fn of_repeated(repeated: &RepeatedQuote) -> Finding {
    let RepeatedQuote { place, doc, quote, n_found } = repeated;
    let message = format!("the quote `{quote}` occurs {n_found} times in document `{doc}`");
    let hint = "extend the quote with the surrounding text, or give its byte range";
    at(place, Finding::new(Rule::RepeatedQuote, message, hint).in_document(doc))
}

/// Adds a record's place to a finding; a document's record names no question.
fn at(place: &Place, finding: Finding) -> Finding {
    let is_document = finding.rule == Rule::DuplicateId && finding.document.is_some();
    let question = place.id.as_deref().filter(|_| !is_document).map(Into::into);
    Finding { question, file: Some(place.path.display().to_string()), line: place.line, ..finding }
}

fn document(slip: &DatasetError) -> Option<ragtriage_core::types::DocId> {
    match slip {
        DatasetError::DuplicateDocument { id: doc, .. }
        | DatasetError::UnknownDocument { doc, .. }
        | DatasetError::QuoteNotFound { doc, .. }
        | DatasetError::Range { doc, .. }
        | DatasetError::Sentence { doc, .. }
        | DatasetError::AnswerNotFound { doc, .. } => Some(doc.clone()),
        _ => None,
    }
}

fn rule(slip: &DatasetError) -> Rule {
    match slip {
        DatasetError::Json { .. } | DatasetError::Line { .. } => Rule::BrokenLine,
        DatasetError::Field { .. } | DatasetError::Grade { .. } => Rule::BadField,
        DatasetError::UnknownKey { .. } => Rule::UnknownKey,
        DatasetError::DuplicateDocument { .. } | DatasetError::DuplicateQuestion { .. } => {
            Rule::DuplicateId
        }
        DatasetError::UnknownDocument { .. } => Rule::UnknownDocument,
        DatasetError::UnknownQuestion { .. } => Rule::UnknownQuestion,
        DatasetError::QuoteNotFound { .. }
        | DatasetError::Sentence { .. }
        | DatasetError::AnswerNotFound { .. } => Rule::QuoteNotFound,
        DatasetError::Range { .. } => Rule::RangeOutside,
        DatasetError::EmptyQuestion { .. } => Rule::EmptyQuestion,
        DatasetError::NoAnswers { .. } => Rule::NoAnswers,
        // The corpus was loaded: the missing file is the questions file.
        DatasetError::NoQuestions { .. } | DatasetError::Missing { .. } => Rule::NoQuestions,
        DatasetError::EmptyCorpus { .. } => Rule::EmptyCorpus,
        // The other errors concern no record: a file that is not text or is unreadable.
        _ => Rule::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;

    fn place(line: Option<usize>, id: Option<&str>) -> Place {
        Place { path: Arc::from(Path::new("data/questions.jsonl")), line, id: id.map(Into::into) }
    }

    #[test]
    fn the_place_stands_apart_from_what_is_said() {
        let (here, broken) = (place(Some(3), Some("q")), place(Some(4), None));
        let slips = [
            DatasetError::UnknownDocument { place: here.clone(), doc: "c".into(), nearest: None },
            DatasetError::Json { place: broken, column: 7, message: "expected `:`".to_owned() },
            DatasetError::DuplicateDocument { place: place(Some(5), None), id: "d".into() },
            DatasetError::EmptyCorpus { path: "data".into() },
        ];
        let repeated =
            [RepeatedQuote { place: here, doc: "d".into(), quote: "It waits".into(), n_found: 2 }];
        let found = check(&slips, &repeated);
        let said: Vec<(Rule, Option<usize>, &str)> = found
            .iter()
            .map(|finding| (finding.rule, finding.line, finding.message.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                (Rule::UnknownDocument, Some(3), "document `c` is not in the corpus"),
                (Rule::BrokenLine, Some(4), "column 7: invalid JSON: expected `:`"),
                (Rule::DuplicateId, Some(5), "duplicate document `d`"),
                (Rule::EmptyCorpus, None, "the corpus of `data` is empty"),
                (
                    Rule::RepeatedQuote,
                    Some(3),
                    "the quote `It waits` occurs 2 times in document `d`"
                ),
            ]
        );
        assert_eq!(found[0].file.as_deref(), Some("data/questions.jsonl"));
        assert_eq!(found[0].question, Some("q".into()));
        assert_eq!(
            (found[2].question.clone(), found[2].document.clone()),
            (None, Some("d".into()))
        );
    }
}
