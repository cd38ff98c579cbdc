//! Reads a whole data set, lists every error that [`load`](super::load) would return, and returns the valid records.
//!
//! Uses the readers of `load` with a draft that collects errors instead of returning the first. A question without a
//! usable id, text, kind or answers is omitted; otherwise only its invalid part is. A quote that is not found is
//! replaced by its whole document. The split of native questions is ignored: both parts are read.

use super::draft::Draft;
use crate::error::DatasetError;
use crate::inspection::Inspection;
use crate::load::{read_documents, read_questions};
use crate::questions;
use crate::spec::own_split;
use ragtriage_core::config::DatasetSettings;

/// Reads as much as possible of the data set that `spec` names.
///
/// # Errors
/// Errors that leave nothing to inspect: a missing path, a folder that cannot be read or has another format's layout, an invalid
/// split or pattern. A missing questions file is collected as an error.
pub fn inspect(spec: &DatasetSettings) -> Result<Inspection, DatasetError> {
    own_split(spec)?;
    let mut draft = Draft::lenient(spec.missing_evidence()).limited_to(spec.max_document_bytes);
    match read_documents(spec, &mut draft) {
        Err(error) if leaves_nothing(&error) => return Err(error),
        read => draft.settle(read)?,
    };
    let before = draft.counts();
    let read = read_questions(spec, &mut draft);
    draft.settle(read)?;
    if draft.counts() == before && before.0 == 0 {
        let path =
            if spec.format.is_own() { spec.path.join(questions::FILE) } else { spec.path.clone() };
        draft.settle::<()>(Err(DatasetError::NoQuestions { path, split: None }))?;
    }
    draft.inspected(&spec.path)
}

fn leaves_nothing(error: &DatasetError) -> bool {
    matches!(
        error,
        DatasetError::Missing { .. }
            | DatasetError::Read { .. }
            | DatasetError::Layout { .. }
            | DatasetError::UnknownSplit { .. }
            | DatasetError::Glob { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, spec::tests::with_files};
    use ragtriage_core::config::Format;

    const CORPUS: &str = "{\"id\": \"a\", \"text\": \"It waits 6 minutes. It waits.\"}\n";

    fn inspected(corpus: &str, questions: &str) -> Inspection {
        let files = [("corpus.jsonl", corpus), ("questions.jsonl", questions)];
        with_files(&files, Format::Jsonl, |spec| inspect(spec)).expect("inspected")
    }

    /// Error messages without the file name.
    fn slips(inspection: &Inspection) -> Vec<String> {
        let without_file = |slip: &DatasetError| {
            let said = slip.to_string();
            said.split_once("` ").map_or(said.clone(), |(_, rest)| rest.to_owned())
        };
        inspection.slips.iter().map(without_file).collect()
    }

    #[test]
    fn every_slip_is_listed_and_the_rest_is_kept() {
        let corpus = format!(
            "{CORPUS}{{\"id\": 1\n{{\"id\": \"a\", \"text\": \"again\"}}\n{{\"id\": \"b\", \"text\": \"b\"}}\n"
        );
        let questions = [
            r#"{"id": "1", "text": "?", "answers": ["6"], "evidence": [{"doc": "a", "quotes": ["It waits 7", "6 minutes", "gone"]}]}"#,
            r#"{"id": "2", "tag": [], "txt": "?", "text": "?", "relevant": ["c", "b"]}"#,
            r#"{"id": "3", "text": "?", "kind": "span", "evidence": [{"doc": "b", "quotes": ["c"]}]}"#,
            r#"{"id": "4" "text": "?"}"#,
            r#"{"id": "1", "text": "again?"}"#,
            r#"{"id": "5", "text": " "}"#,
        ];
        let inspection = inspected(&corpus, &questions.join("\n"));
        assert_eq!(
            slips(&inspection),
            [
                "line 2 column 8: invalid JSON: EOF while parsing an object",
                "line 3: duplicate document `a`",
                "line 1 (`1`): the quote `It waits 7` is not in document `a`",
                "line 1 (`1`): the quote `gone` is not in document `a`",
                "line 2: unknown key `tag`",
                "line 2: unknown key `txt`",
                "line 3 (`3`): a `span` question needs at least one answer",
                "line 3 (`3`): the quote `c` is not in document `b`",
                "line 4 column 12: invalid JSON: expected `,` or `}`",
                "line 5 (`1`): duplicate question `1`",
                "line 6 (`5`): the question is empty",
                "line 2 (`2`): document `c` is not in the corpus",
            ]
        );
        let kept: Vec<&str> =
            inspection.questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(kept, ["1", "2"]);
        assert_eq!(inspection.questions[0].evidence[0][0].ranges, [(9, 18).into()], "`6 minutes`");
        let documents: Vec<&str> =
            inspection.documents.iter().map(|document| document.text.as_str()).collect();
        assert_eq!(documents, ["It waits 6 minutes. It waits.", "b"]);
    }

    #[test]
    fn what_is_listed_first_is_what_loading_refuses() {
        let questions = "{\"id\": \"1\", \"text\": \"?\", \"txt\": 1}\n{\"id\": \"2\"}\n";
        let files = [("corpus.jsonl", CORPUS), ("questions.jsonl", questions)];
        let (refused, listed) =
            with_files(&files, Format::Jsonl, |spec| (load(spec), inspect(spec)));
        assert_eq!(
            refused.unwrap_err().to_string(),
            listed.expect("inspected").slips[0].to_string()
        );
    }

    #[test]
    fn a_quote_that_stands_twice_is_told_with_its_question() {
        let question =
            r#"{"id": "q", "text": "?", "evidence": [{"doc": "a", "quotes": ["It waits"]}]}"#;
        let inspection = inspected(CORPUS, question);
        let [repeated] = &inspection.repeated_quotes[..] else {
            panic!("{:?}", inspection.repeated_quotes)
        };
        assert_eq!((repeated.place.id.as_deref(), repeated.n_found), (Some("q"), 2));
        assert!(inspection.slips.is_empty());
    }

    #[test]
    fn no_questions_and_an_empty_corpus_are_slips() {
        assert_eq!(slips(&inspected(CORPUS, "\n")), ["has no questions"]);
        assert_eq!(
            slips(&inspected("{\"id\": \"a\", \"text\": \" \"}", "{\"id\": 1, \"text\": \"?\"}"))
                .len(),
            1
        );
        let alone = with_files(&[("corpus.jsonl", CORPUS)], Format::Jsonl, |spec| inspect(spec))
            .expect("inspected");
        assert!(matches!(&alone.slips[..], [DatasetError::Missing { .. }]), "{:?}", alone.slips);
        assert_eq!(alone.documents.len(), 1);
        let nothing = with_files(&[("questions.jsonl", "")], Format::Jsonl, |spec| inspect(spec));
        assert!(matches!(nothing, Err(DatasetError::Missing { .. })));
    }

    #[test]
    fn a_line_and_a_document_that_are_no_utf_8_cost_only_themselves() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("corpus")).expect("made");
        std::fs::write(folder.path().join("corpus/a.md"), b"caf\xe9").expect("written");
        std::fs::write(folder.path().join("corpus/b.md"), "tea").expect("written");
        std::fs::write(
            folder.path().join("questions.jsonl"),
            b"\xff\n{\"id\": 1, \"text\": \"?\"}\n",
        )
        .expect("written");
        let spec = DatasetSettings::new(Format::Files, folder.path());
        let inspection = inspect(&spec).expect("inspected");
        assert_eq!((inspection.documents.len(), inspection.questions.len()), (1, 1));
        assert!(matches!(
            inspection.slips[..],
            [DatasetError::Utf8 { .. }, DatasetError::Utf8 { .. }]
        ));
    }

    #[test]
    fn both_parts_of_a_split_are_read() {
        let lines = "{\"id\": 1, \"text\": \"?\", \"split\": \"tune\"}\n{\"id\": 2, \"text\": \"?\", \"split\": \"heldout\"}\n";
        let files = [("corpus.jsonl", CORPUS), ("questions.jsonl", lines)];
        let inspection = with_files(&files, Format::Jsonl, |spec| {
            spec.split = Some("tune".into());
            inspect(spec)
        });
        assert_eq!(inspection.expect("inspected").questions.len(), 2);
    }
}
