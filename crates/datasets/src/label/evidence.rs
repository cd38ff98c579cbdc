//! Collects evidence and answers from an annotator for a passage that answers the question.

use std::io;

use super::annotator::{Annotator, AnnotatorReply, Quote, Refused, ShownPassage, WantedAnswer};
use ragtriage_core::text::answers::AnswerMatcher;
use ragtriage_core::text::quote;
use ragtriage_core::types::{ByteRange, QuestionKind};

/// The evidence and the answer in a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evidence {
    /// The quote; `None` for the document as a whole.
    pub range: Option<ByteRange>,
    /// New wordings of the answer.
    pub answers: Vec<String>,
}

/// Asks for the quote and the answer. `known` are the known wordings of the answer; `is_first` is true if no earlier passage
/// answers.
pub(super) fn ask(
    annotator: &mut dyn Annotator,
    shown: &ShownPassage<'_>,
    known: &[String],
    is_first: bool,
) -> io::Result<AnnotatorReply<Evidence>> {
    let range = match ask_quote(annotator, shown)? {
        AnnotatorReply::Given(range) => range,
        AnnotatorReply::Back => return Ok(AnnotatorReply::Back),
        AnnotatorReply::Stop => return Ok(AnnotatorReply::Stop),
    };
    // Required facts already define the right answer; a question with a free-form answer is not asked for a
    // span later.
    let is_wanted = shown.question.required.is_empty() && (is_first || !known.is_empty());
    let text = range.map_or(shown.text(), |range| &shown.document.text[range.as_range()]);
    if !is_wanted || stands(known, text) {
        return Ok(AnnotatorReply::Given(Evidence { range, answers: Vec::new() }));
    }
    let mut refused: Option<Vec<String>> = None;
    loop {
        let said = refused.as_ref().map(|answers| answers.join(" | "));
        match annotator.answer(shown, WantedAnswer { known, refused: said.as_deref() })? {
            AnnotatorReply::Given(answers) => {
                if answers.is_empty()
                    || stands(&answers, text)
                    || refused.as_ref() == Some(&answers)
                {
                    return Ok(AnnotatorReply::Given(Evidence { range, answers }));
                }
                refused = Some(answers);
            }
            AnnotatorReply::Back => return Ok(AnnotatorReply::Back),
            AnnotatorReply::Stop => return Ok(AnnotatorReply::Stop),
        }
    }
}

/// Asks for the quote and locates it. Occurrences within the passage take precedence over others in the document.
///
/// `Whole` gives no range instead of the passage's: passage boundaries depend on the current chunking, and labels that
/// contain them would favour that chunking.
fn ask_quote(
    annotator: &mut dyn Annotator,
    shown: &ShownPassage<'_>,
) -> io::Result<AnnotatorReply<Option<ByteRange>>> {
    let text = &shown.document.text;
    let mut refused: Option<String> = None;
    loop {
        let why =
            refused.as_deref().map(|words| Refused { words, nearest: quote::nearest(text, words) });
        let words = match annotator.quote(shown, why)? {
            AnnotatorReply::Given(Quote::Whole) => return Ok(AnnotatorReply::Given(None)),
            AnnotatorReply::Given(Quote::Range(range)) => {
                let range = quote::trim(text, range);
                if !range.is_empty() {
                    return Ok(AnnotatorReply::Given(Some(range)));
                }
                String::new()
            }
            AnnotatorReply::Given(Quote::Words(words)) => words,
            AnnotatorReply::Back => return Ok(AnnotatorReply::Back),
            AnnotatorReply::Stop => return Ok(AnnotatorReply::Stop),
        };
        let at = shown.range.start;
        let here = quote::locate(shown.text(), &words)
            .map(|found| (found.range.start + at, found.range.end + at).into());
        let anywhere = here.or_else(|| quote::locate(text, &words).map(|found| found.range));
        if let Some(range) = anywhere {
            return Ok(AnnotatorReply::Given(Some(range)));
        }
        refused = Some(words);
    }
}

/// Returns true if one of `answers` occurs in `text`, or need not occur.
fn stands(answers: &[String], text: &str) -> bool {
    (!answers.is_empty() && are_yes_no(answers)) || AnswerMatcher::new(answers).found_in_text(text)
}

fn are_yes_no(answers: &[String]) -> bool {
    answers.iter().all(|answer| ["yes", "no"].iter().any(|word| answer.eq_ignore_ascii_case(word)))
}

/// Returns the kind of a question with these answers. `wanted` is its kind before labelling.
pub(super) fn kind(wanted: QuestionKind, answers: &[String], is_free: bool) -> QuestionKind {
    match wanted {
        _ if answers.is_empty() || is_free => QuestionKind::Free,
        QuestionKind::Span => QuestionKind::Span,
        _ if are_yes_no(answers) => QuestionKind::YesNo,
        _ => QuestionKind::Span,
    }
}
