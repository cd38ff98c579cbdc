//! A data set as a BEIR folder, which other tools read: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.
//!
//! Documents keep id, title, text and metadata, judgments their grades. Answers and evidence have no place there.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::json;

use super::DatasetError;
use crate::types::{Dataset, Question};

/// Writes `dataset` to the folder `to`, made beside its place and renamed at the end. Gives how many questions nothing is
/// judged for: BEIR's readers leave them out.
///
/// # Errors
/// `Occupied` when something stands there, `NoColumn` for an id that a table parted by tabs cannot hold, `Write`.
pub fn to_beir(dataset: &Dataset, to: &Path, split: &str) -> Result<usize, DatasetError> {
    if to.exists() {
        return Err(DatasetError::Occupied { path: to.to_owned() });
    }
    if split.is_empty() || split.contains(['/', '\\']) || split.starts_with('.') {
        return Err(DatasetError::NoColumn { what: "the split", id: split.into() });
    }
    for question in &dataset.questions {
        check("question", question.id.as_str())?;
        question.relevant.keys().try_for_each(|doc| check("document", doc.as_str()))?;
    }
    let mut partial = to.as_os_str().to_owned();
    partial.push(format!(".partial-{}", std::process::id()));
    let partial = Path::new(&partial);
    let written = write(dataset, partial, split).and_then(|()| fs::rename(partial, to));
    written.map_err(|source| {
        let _ = fs::remove_dir_all(partial); // half a data set is worth nothing; the error is told below
        DatasetError::Write { path: to.to_owned(), source }
    })?;
    Ok(dataset.questions.iter().filter(|question| question.relevant.is_empty()).count())
}

fn write(dataset: &Dataset, folder: &Path, split: &str) -> io::Result<()> {
    fs::create_dir_all(folder.join("qrels"))?;
    let mut corpus = BufWriter::new(fs::File::create(folder.join("corpus.jsonl"))?);
    for document in &dataset.documents {
        let line = json!({
            "_id": document.id, "title": document.title, "text": document.text, "metadata": document.metadata,
        });
        writeln!(corpus, "{line}")?;
    }
    corpus.flush()?;
    let mut queries = BufWriter::new(fs::File::create(folder.join("queries.jsonl"))?);
    for Question { id, text, .. } in &dataset.questions {
        writeln!(queries, "{}", json!({ "_id": id, "text": text }))?;
    }
    queries.flush()?;
    let mut qrels = BufWriter::new(fs::File::create(folder.join("qrels").join(format!("{split}.tsv")))?);
    writeln!(qrels, "query-id\tcorpus-id\tscore")?;
    for question in &dataset.questions {
        for (doc, grade) in &question.relevant {
            writeln!(qrels, "{}\t{doc}\t{grade}", question.id)?;
        }
    }
    qrels.flush()
}

/// Whether `id` comes back from a table as it went in.
fn check(what: &'static str, id: &str) -> Result<(), DatasetError> {
    let is_whole = !id.is_empty() && id.trim() == id && !id.contains(['\t', '\n', '\r']);
    if is_whole { Ok(()) } else { Err(DatasetError::NoColumn { what, id: id.into() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Format, LoadSpec, load, spec::tests::with_files};

    const CORPUS: &str = "{\"id\": \"a b\", \"title\": \"T\", \"text\": \"one\u{2028}\\nline \", \"year\": 1998}\n{\"id\": \"c\", \"text\": \"\"}\n";
    const QUESTIONS: &str = "{\"id\": \"q\", \"text\": \"why?\", \"relevant\": {\"a b\": 2, \"c\": 0}}\n{\"id\": \"u\", \"text\": \"who?\"}\n";

    fn loaded() -> Dataset {
        let files = [("corpus.jsonl", CORPUS), ("questions.jsonl", QUESTIONS)];
        with_files(&files, Format::Jsonl, |spec| load(spec)).expect("loads")
    }

    #[test]
    fn what_is_written_loads_as_the_same_documents_texts_and_grades() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("deep/set");
        let before = loaded();
        assert_eq!(to_beir(&before, &to, "dev").expect("written"), 1, "nothing is judged for `u`");
        let spec = LoadSpec {
            format: Format::Beir,
            path: to.clone(),
            split: Some("dev".to_owned()),
            missing_evidence: None,
            globs: Vec::new(),
        };
        let after = load(&spec).expect("loads");
        assert_eq!(after.documents, before.documents);
        let [question] = &after.questions[..] else { panic!("one is judged") };
        assert_eq!((&question.id, &question.text), (&before.questions[0].id, &before.questions[0].text));
        assert_eq!(question.relevant, before.questions[0].relevant);
        assert!(matches!(to_beir(&before, &to, "dev"), Err(DatasetError::Occupied { .. })), "nothing is overwritten");
        assert_eq!(fs::read_dir(folder.path().join("deep")).expect("a folder").count(), 1, "no scratch is left");
    }

    #[test]
    fn an_id_that_a_table_cannot_hold_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("set");
        for (id, split) in [("a\tb", "test"), (" a", "test"), ("a", "../x")] {
            let mut dataset = loaded();
            dataset.questions[0].id = id.into();
            assert!(matches!(to_beir(&dataset, &to, split), Err(DatasetError::NoColumn { .. })), "{id:?}");
        }
        assert!(!to.exists());
    }
}
