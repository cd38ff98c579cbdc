//! `ragtriage dataset anchor`: questions with reference answers become labelled questions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::source::{self, SourceArgs};
use crate::failure::Failure;
use crate::output;
use crate::shell::shell;
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{Document, Question};
use ragtriage_data::dataset::anchor::{self, Anchored, Unresolved};
use ragtriage_data::dataset::{Appended, documents, question_line};

const UNRESOLVED: &str = "unresolved.jsonl";

#[derive(Debug, Args)]
pub struct AnchorArgs {
    /// Question-answer pairs, JSON lines.
    ///
    /// The question is `question`, `query`, `user_input` or `input`; the answer `reference`, `ground_truth`, `golden_answers`,
    /// `expected_output` or `answer`; `id`, `doc` and `source` are optional.
    #[arg(value_name = "QA")]
    pairs: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
}

pub fn anchor(args: &AnchorArgs) -> Result<(), Failure> {
    let resolved = source::resolve(&args.source)?;
    let spec = resolved.dataset();
    let pairs = anchor::pairs(&args.pairs)?;
    let documents = documents(&spec)?;
    let anchored = anchor::anchor(&pairs, &documents)?;
    for note in &anchored.notes {
        output::talk(&format!("{}: {}", note.label(), thousands(note.count)));
    }
    add(&spec, args.source.config.as_deref(), anchored, &documents)
}

/// Adds the questions to the data set's own file.
fn add(
    spec: &DatasetSettings,
    config: Option<&Path>,
    mut anchored: Anchored,
    documents: &[Document],
) -> Result<(), Failure> {
    let path = source::questions_file(spec)?;
    let mut file = Appended::open(&path)?;
    let asked = || {
        let unresolved = anchored.unresolved.iter().map(|it| &it.question);
        anchored.questions.iter().chain(unresolved)
    };
    let n_pairs = asked().count();
    for question in asked() {
        refuse_other(&file, question)?;
    }
    anchored.questions.retain(|question| !file.holds(question));
    anchored.unresolved.retain(|it| !file.holds(&it.question));
    let n_left = n_pairs - anchored.questions.len() - anchored.unresolved.len();
    source::tell_known(&path, n_left, n_pairs);
    let texts: HashMap<&str, &str> =
        documents.iter().map(|it| (it.id.as_str(), it.text.as_str())).collect();
    file.make()?;
    for question in &anchored.questions {
        file.append(question, &question_line(question, |doc| texts.get(doc.as_str()).copied()))?;
    }
    conclude(anchored.questions.len(), &spec.path, config, &anchored.unresolved)
}

/// Refuses a question whose id another one has.
fn refuse_other(file: &Appended, question: &Question) -> Result<(), Failure> {
    let Some(known) = file.other_text(question) else {
        return Ok(());
    };
    let (path, id) = (file.path().display(), &question.id);
    Err(Failure::new(
        format!("{path} has question `{id}` as `{known}`, not `{}`", question.text),
        "give one of the two another id",
    ))
}

/// Writes the unresolved questions, reports the counts, and prints the next commands.
fn conclude(
    n_anchored: usize,
    folder: &Path,
    config: Option<&Path>,
    unresolved: &[Unresolved],
) -> Result<(), Failure> {
    let path = folder.join(UNRESOLVED);
    if !unresolved.is_empty() || path.exists() {
        anchor::write_unresolved(&path, unresolved)?;
    }
    output::talk(&format!(
        "{} anchored in {}",
        plural(n_anchored, "question", "questions"),
        folder.join("questions.jsonl").display()
    ));
    let config = config.map_or(String::new(), |config| format!(" {}", shell(config)));
    let mut next = String::new();
    if !unresolved.is_empty() {
        output::talk(&format!(
            "{} unresolved in {}",
            plural(unresolved.len(), "question", "questions"),
            path.display()
        ));
        next = format!("ragtriage dataset label{config} --queries {}\n", shell(&path));
    }
    if n_anchored > 0 {
        next = format!("{next}ragtriage run{config}\n");
    }
    output::talk("next:");
    output::data(&next)
}
