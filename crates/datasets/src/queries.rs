//! Unlabelled questions in a separate file: tickets, chat, a search log.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Map, Value};

use super::draft::Draft;
use super::questions::{self, KINDS};
use super::record::JsonRecord;
use crate::anchor::UNRESOLVED;
use crate::error::DatasetError;
use crate::place::Place;
use crate::question_id::id_of;
use crate::read;
use ragtriage_core::types::Question;

/// Reads the file `path` into `draft`, which already has the whole corpus. JSON lines are detected by the first line's
/// brace.
pub(super) fn read(path: &Path, draft: &mut Draft) -> Result<(), DatasetError> {
    let mut is_json = None;
    let mut seen = HashSet::new();
    read::lines(path, |place, line| {
        if *is_json.get_or_insert_with(|| line.trim_start().starts_with('{')) {
            return match recorded(&place, line, draft)? {
                Some(question) => draft.push_question(&place, question),
                None => Ok(()),
            };
        }
        let text = line.trim();
        if !seen.insert(text.to_owned()) {
            draft.note(1, "repeated [question|questions], left out");
            return Ok(());
        }
        let question = Question::new(id_of(text).into(), text.to_owned());
        draft.push_question(&place, question)
    })
}

/// Reads a native question whose labels may be missing: `kind` may require answers that do not
/// exist yet.
fn recorded(
    place: &Place,
    line: &str,
    draft: &mut Draft,
) -> Result<Option<Question>, DatasetError> {
    let mut fields: Map<String, Value> = read::json(place, line)?;
    fields.remove("metadata"); // present in BEIR's queries; not a label
    for name in UNRESOLVED {
        fields.remove(name); // candidate places, for labelling
    }
    let wanted =
        if is_given(&fields, &["answers", "answer"]) { None } else { fields.remove("kind") };
    let text = questions::TEXT.iter().find_map(|name| fields.get(*name)?.as_str());
    if let Some(id) = text.map(id_of).filter(|_| !is_given(&fields, &questions::ID)) {
        fields.insert("id".to_owned(), id.into());
    }
    let mut record = JsonRecord::inside(place, "question", Value::Object(fields))?;
    let mut question = questions::question(&mut record, draft)?;
    if let (Some(question), Some(kind)) = (&mut question, wanted.filter(|kind| !kind.is_null())) {
        question.kind = serde_json::from_value(kind).map_err(|_| record.wrong("kind", KINDS))?;
    }
    Ok(question)
}

fn is_given(fields: &Map<String, Value>, names: &[&str]) -> bool {
    names.iter().any(|name| fields.get(*name).is_some_and(|value| !value.is_null()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{asked, spec::tests::with_files};
    use ragtriage_core::config::Format;
    use ragtriage_core::types::{Dataset, QuestionKind};

    const CORPUS: &str = "{\"id\": \"a\", \"text\": \"It waits 6 minutes.\"}\n";

    fn read(queries: &str) -> Result<Dataset, DatasetError> {
        with_files(&[("corpus.jsonl", CORPUS), ("asked", queries)], Format::Jsonl, |spec| {
            asked(spec, &spec.path.join("asked"))
        })
    }

    #[test]
    fn a_line_is_a_question_whose_id_is_its_texts_alone() {
        let set = read("\u{feff}How long?\r\n\r\n  Why so? \r\nHow long?\r\n").expect("reads");
        let texts: Vec<&str> =
            set.questions.iter().map(|question| question.text.as_str()).collect();
        assert_eq!(texts, ["How long?", "Why so?"]);
        assert_eq!(set.notes[0].to_string(), "1 repeated question, left out");
        // printf 'How long?' | sha256sum | cut -c1-10
        assert_eq!(set.questions[0].id.as_str(), "q-82f333e6f7");
        assert_eq!(read("Why so?").expect("reads").questions[0].id, set.questions[1].id);
    }

    #[test]
    fn json_lines_keep_what_is_known_of_a_question() {
        let set = read(concat!(
            r#"{"_id": "7", "text": "How long?", "metadata": {"url": "x"}}"#,
            "\n",
            r#"{"text": "Does it wait?", "kind": "yes_no", "tags": ["chat"], "split": "tune", "_from": "ticket 12"}"#,
            "\n",
            r#"{"id": 3, "query": "For how many?", "answers": ["6"], "evidence": [{"doc": "a", "quotes": ["6 minutes"]}]}"#,
        ))
        .expect("reads");
        let [first, second, third] = &set.questions[..] else { panic!("three") };
        assert_eq!((first.id.as_str(), first.kind), ("7", QuestionKind::Free));
        assert_eq!(
            (second.kind, &second.tags[..]),
            (QuestionKind::YesNo, &["chat".to_owned()][..])
        );
        assert!(second.id.as_str().starts_with("q-") && second.split.is_some());
        assert_eq!(
            (third.kind, third.evidence[0][0].ranges[0]),
            (QuestionKind::Span, (9, 18).into())
        );
    }

    #[test]
    fn a_slip_of_the_pen_is_refused() {
        for (queries, expected) in [
            (
                r#"{"text": "?", "kind": "spam"}"#,
                "`kind` must be `span`, `yes_no`, `free` or `unanswerable`",
            ),
            (r#"{"text": "?", "tag": ["x"]}"#, "unknown key `tag`"),
            (r#"{"id": "q"}"#, "`text` must be a string"),
            ("{\"text\": \"?\"}\nplain?", "expected value"),
            ("\n \n", "has no questions"),
        ] {
            let error = read(queries).expect_err("refused").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
