//! `ragtriage init`: a configuration in this folder, and a questions file for your own documents.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::run_folder::CONFIG;
use crate::shell::shell;
use crate::starter::{sentence, starter};
use ragtriage_core::text::numbers::plural;
use ragtriage_data::dataset::lint::finding::Rule;
use ragtriage_data::dataset::{Kind, Survey, survey};
use ragtriage_data::run::SHARED;

const QUESTIONS: &str = "questions.jsonl";
/// File for real questions; its extension keeps it from being read as a document.
const ASKED: &str = "asked.queries";

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Folder with the documents.
    #[arg(default_value = ".")]
    dir: PathBuf,
}

/// Runs the command. Existing files are left unchanged.
pub fn init(args: &InitArgs) -> Result<(), Failure> {
    let folder = &args.dir;
    let seen = survey(folder).map_err(|error| match error.kind {
        Kind::Data(Rule::EmptyCorpus) => {
            Failure::new(format!("`{}` has no document with text", folder.display()), NO_DOCUMENTS)
        }
        Kind::Missing => Failure::new(error.to_string(), "name the folder with your documents"),
        _ => error.into(),
    })?;
    if !create(Path::new(CONFIG), &starter(&seen, folder, None))? {
        let hint = "run it with `ragtriage run`, or move it away to create a new one";
        return Err(Failure::new(format!("`{CONFIG}` already exists"), hint));
    }
    let questions = folder.join(QUESTIONS);
    let is_new = create(&questions, "")?;
    // `questions.jsonl`, not `./questions.jsonl`.
    let questions = questions.strip_prefix(".").unwrap_or(&questions);
    output::talk(&sentence(&seen));
    told(folder, &seen);
    let (written, why, label) = if is_new {
        (
            format!("{CONFIG}, {} (empty)", questions.display()),
            format!("write real questions to {ASKED}, one per line; then label, check and run:"),
            format!("ragtriage dataset label --queries {ASKED}\n"),
        )
    } else {
        let why = format!("check the questions in {}, then run:", questions.display());
        (CONFIG.to_owned(), why, String::new())
    };
    output::talk(&format!("wrote {written}"));
    output::talk(&format!("next: {why}"));
    output::data(&format!("{label}ragtriage dataset lint\nragtriage run\n"))
}

const NO_DOCUMENTS: &str = "documents are Markdown, text, reStructuredText, AsciiDoc, Org, TeX or source code; convert PDF, DOCX, PPTX, \
                            HTML and EPUB first: `python -m ragtriage.documents FOLDER OUT`";

/// Reports files that a run will not read as they are.
fn told(folder: &Path, seen: &Survey) {
    let converted = format!(
        "not read as text: `python -m ragtriage.documents {} OUT` writes PDF, DOCX, PPTX, HTML and EPUB as Markdown to OUT",
        shell(folder)
    );
    for (n, what) in [
        (seen.wrapped.values().sum(), &*converted),
        (
            seen.code.values().sum(),
            "of source code: add its endings to `dataset.globs` to include it",
        ),
    ] {
        if n > 0 {
            let files = plural(n, "file", "files");
            output::talk(&format!("skipped {files} {what}"));
        }
    }
    if seen.n_unreadable > 0 {
        output::talk(&format!(
            "{} not UTF-8: convert them (iconv) or move them away before a run; `ragtriage dataset lint` lists them",
            plural(seen.n_unreadable, "document is", "documents are")
        ));
    }
    if seen.language != "en" {
        output::talk("the text does not look English: check the encoder in the configuration");
    }
}

/// Writes a new file; returns false if it exists.
fn create(path: &Path, text: &str) -> Result<bool, Failure> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    output::file(path, SHARED, text.as_bytes()).map(|()| true)
}
