//! `SQuAD` 1.1 (Rajpurkar et al. 2016) and 2.0 (Rajpurkar, Jia, Liang 2018), the official JSON.
//!
//! A paragraph is a document, `<article's title>/<its number from 0>`. Offsets in the files are code points; ours are
//! bytes. The annotators' spans are alternatives: any of them suffices. 2.0's `plausible_answers` are omitted.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::dataset::draft::Draft;
use crate::dataset::read;
use crate::error::{Error, Place};
use ragtriage_core::chunk::code_points;
use ragtriage_core::text::quote;
use ragtriage_core::types::{ByteRange, DocId, Document, Member, Question, QuestionKind};

#[derive(Deserialize)]
#[serde(expecting = "an object with a list `data`, as SQuAD publishes it")]
struct File {
    data: Vec<SquadArticle>,
}

#[derive(Deserialize)]
struct SquadArticle {
    title: String,
    paragraphs: Vec<SquadParagraph>,
}

#[derive(Deserialize)]
struct SquadParagraph {
    context: String,
    #[serde(default)]
    qas: Vec<SquadQuestion>,
}

#[derive(Deserialize)]
struct SquadQuestion {
    id: String,
    question: String,
    #[serde(default)]
    answers: Vec<SquadAnswer>,
    #[serde(default)]
    is_impossible: bool,
}

#[derive(Deserialize)]
struct SquadAnswer {
    text: String,
    answer_start: i64,
}

/// Reads `path` into `draft`.
pub(super) fn read(path: &Path, draft: &mut Draft) -> Result<(), Error> {
    let path = read::only_file(path, &["json"])?;
    let text = read::text(&path)?;
    let place = Place::file(&path);
    let file: File = read::json(&place, &text)?;
    for article in file.data {
        for (number, paragraph) in article.paragraphs.into_iter().enumerate() {
            let SquadParagraph { context, qas } = paragraph;
            let doc = DocId::from(format!("{}/{number}", article.title));
            for asked in qas {
                let question = question(asked, &doc, &context, draft);
                draft.push_question(&place, question);
            }
            let title = article.title.replace('_', " ");
            let document = Document { id: doc, title, text: context, metadata: BTreeMap::new() };
            draft.push_document(&place, document);
        }
    }
    Ok(())
}

fn question(asked: SquadQuestion, doc: &DocId, context: &str, draft: &mut Draft) -> Question {
    let golds = if asked.is_impossible { &[] } else { &asked.answers[..] };
    let answers = distinct(
        golds
            .iter()
            .map(|answer| answer.text.trim().to_owned())
            .filter(|answer| !answer.is_empty()),
    );
    draft.note(golds.len() - answers.len(), "repeated or empty gold [answer|answers], left out");
    let mut ranges = Vec::new();
    for answer in golds.iter().filter(|answer| !answer.text.trim().is_empty()) {
        ranges.extend(locate(answer, context, draft));
    }
    let mut places: Vec<Vec<ByteRange>> = distinct(ranges).into_iter().map(|it| vec![it]).collect();
    if places.is_empty() && !answers.is_empty() {
        places.push(Vec::new());
    }
    let members: Vec<Member> =
        places.into_iter().map(|ranges| Member { doc: doc.clone(), ranges }).collect();
    draft.note(
        usize::from(answers.is_empty() && !asked.is_impossible),
        "[question|questions] without an answer",
    );
    Question {
        kind: if asked.is_impossible { QuestionKind::Unanswerable } else { QuestionKind::Span },
        answers,
        relevant: members.iter().map(|member| (member.doc.clone(), 1)).collect(),
        evidence: if members.is_empty() { Vec::new() } else { vec![members] },
        ..Question::new(asked.id.into(), asked.question)
    }
}

/// Returns the bytes of an answer: at its given offset, else at its nearest occurrence, else `None`
/// (counted).
fn locate(answer: &SquadAnswer, context: &str, draft: &mut Draft) -> Option<ByteRange> {
    let text = answer.text.as_str();
    let given = usize::try_from(answer.answer_start)
        .ok()
        .and_then(|chars| code_points(context, chars, chars));
    let given = given.map(|at| at.start);
    let start = match given {
        Some(start) if context[start..].starts_with(text) => start,
        _ => {
            let given = given.unwrap_or(context.len());
            let starts = context.match_indices(text).map(|(start, _)| start);
            let Some(start) = starts.min_by_key(|start| start.abs_diff(given)) else {
                draft.note(
                    1,
                    "gold [answer that is not in its|answers that are not in their] paragraph",
                );
                return None;
            };
            draft.note(
                1,
                "gold [answer not at its|answers not at their] offset, taken at the nearest occurrence",
            );
            start
        }
    };
    Some(quote::trim(context, ByteRange::new(start, start + text.len())))
}

/// Removes duplicates, in order of first mention.
fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{load, testing::with_file};
    use ragtriage_core::config::Format;

    const FILE: &str = r#"{"version": "v2.0", "data": [{"title": "Aa_(Bb)", "paragraphs": [
      {"context": "Żelazowa Wola is near Łódź; near.", "qas": [
        {"id": "1", "question": "Where? ", "answers": [{"answer_start": 22, "text": "Łódź"}, {"answer_start": 22, "text": "Łódź"},
            {"answer_start": 17, "text": "near Łódź"}]},
        {"id": "2", "question": "How far?", "answers": [{"answer_start": 31, "text": "near"}]},
        {"id": "3", "question": "Why?", "is_impossible": true, "answers": [], "plausible_answers": [{"text": "near", "answer_start": 17}]}]},
      {"context": "Second.", "qas": [{"id": "4", "question": "What?", "answers": [{"answer_start": 0, "text": "third"}]}]}]}]}"#;

    #[test]
    fn offsets_in_code_points_become_bytes_and_distinct_spans_are_alternatives() {
        let set = with_file("dev.json", FILE, Format::Squad, |spec| load(spec)).expect("loads");
        assert_eq!(set.documents[1].id.as_str(), "Aa_(Bb)/1");
        assert_eq!(set.documents[0].title, "Aa (Bb)");
        let question = &set.questions[0];
        assert_eq!(
            (question.text.as_str(), &question.answers[..]),
            ("Where?", &["Łódź".into(), "near Łódź".into()][..])
        );
        // Before code point 22 only Ż has two bytes: Łódź starts at byte 23 and has 7 (Ł 2, ó 2, d 1, ź 2).
        let [group] = &question.evidence[..] else { panic!("one group") };
        let ranges: Vec<_> = group.iter().map(|member| member.ranges[0]).collect();
        assert_eq!(ranges, [(23, 30).into(), (18, 30).into()]);
        assert_eq!(set.questions[2].kind, QuestionKind::Unanswerable);
        assert!(set.questions[2].evidence.is_empty() && set.questions[2].answers.is_empty());
    }

    #[test]
    fn an_answer_off_its_place_is_taken_from_the_nearest_one_there_is() {
        let set = with_file("dev.json", FILE, Format::Squad, |spec| load(spec)).expect("loads");
        // Code point 31 is byte 35 (Ż, Ł, ó and ź have two bytes each); `near` occurs at bytes 18 and 32.
        assert_eq!(set.questions[1].evidence[0][0].ranges, [(32, 36).into()]);
        let moved = "1 gold answer not at its offset, taken at the nearest occurrence";
        assert!(set.notes.iter().any(|note| note.to_string() == moved), "{:?}", set.notes);
    }

    #[test]
    fn an_answer_that_is_nowhere_keeps_its_paragraph() {
        let set = with_file("dev.json", FILE, Format::Squad, |spec| load(spec)).expect("loads");
        assert_eq!(
            set.questions[3].evidence,
            [[Member { doc: "Aa_(Bb)/1".into(), ranges: Vec::new() }]]
        );
    }
}
