//! `ragtriage init`: a configuration and a questions file for your own documents.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::shell::shell;
use crate::starter::{sentence, starter};
use ragtriage_core::config::Format;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::text::sanitize::one_line;
use ragtriage_data::dataset::lint::finding::Rule;
use ragtriage_data::dataset::{Kind, Survey, survey};
use ragtriage_data::run::SHARED;

pub(super) const SETTINGS: &str = "ragtriage.toml";
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
        Kind::Data(Rule::EmptyCorpus) => Failure::new(error.to_string(), NO_DOCUMENTS),
        Kind::Missing => Failure::new(error.to_string(), "name the folder with your documents"),
        _ => error.into(),
    })?;
    let settings = folder.join(SETTINGS);
    if !create(&settings, &starter(&seen, Format::Files))? {
        let hint = format!(
            "run it with `ragtriage run {}`, or move it away to create a new one",
            shell(&settings)
        );
        return Err(Failure::new(format!("`{}` already exists", settings.display()), hint));
    }
    let is_new = create(&folder.join(QUESTIONS), "")?;
    output::talk(&sentence(&seen));
    told(folder, &seen);
    output::talk(&format!(
        "wrote {}{}",
        settings.display(),
        if is_new { ", questions.jsonl (empty)" } else { "" }
    ));
    let file = shell(&settings);
    let next = if is_new {
        format!(
            "next: write real questions to {ASKED}, one per line; then label, check and run:\n\
             ragtriage dataset label {file} --queries {ASKED}\n\
             ragtriage dataset lint {file}\nragtriage run {file}\n"
        )
    } else {
        format!(
            "next: check the existing questions, then run:\nragtriage dataset lint {file}\nragtriage run {file}\n"
        )
    };
    let (why, commands) = next.split_once('\n').unwrap_or_default();
    output::talk(why);
    output::data(&commands.lines().map(|line| one_line(line) + "\n").collect::<String>())
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
    if seen.n_empty > 0 {
        output::talk(&format!("{} without text", plural(seen.n_empty, "document", "documents")));
    }
    if seen.language != "en" {
        output::talk("the text does not look English: check the encoder in the configuration");
    }
}

/// Writes a new file; returns false if it exists.
pub(super) fn create(path: &Path, text: &str) -> Result<bool, Failure> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    output::file(path, SHARED, text.as_bytes()).map(|()| true)
}
