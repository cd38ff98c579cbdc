//! The formats that `ragtriage report` writes.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One self-contained HTML file.
    Html,
    /// Text for a terminal.
    Terminal,
    /// Markdown, for a pull request.
    #[value(alias = "markdown")]
    Md,
    /// summary.json; with --compare `summary` and `comparison`.
    Json,
    /// Final ranking of documents, as a TREC run.
    Trec,
    /// Relevance judgments, as `trec_eval` reads them.
    Qrels,
    /// Table with one row per question.
    Csv,
    /// Every stage and answer, as `import` reads it.
    Record,
}
