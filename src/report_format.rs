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
    /// summary.json; with --compare both runs by the baseline's evaluation: `summary` and `comparison`.
    Json,
    /// The final ranking of documents, as a TREC run.
    Trec,
    /// The relevance judgments, as `trec_eval` reads them.
    Qrels,
    /// A table with one row per question.
    Csv,
    /// A record of every stage and answer, as `import` reads it.
    Record,
}
