//! Whole outputs of the smaller reports, pinned as snapshots.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_core::types::{Document, Estimate, FailureClass, Interval, Recipient, RecipientRole};
use ragtriage_data::dataset::lint::finding::{Finding, Rule};
use ragtriage_data::dataset::lint::{Lint, content};
use ragtriage_data::dataset::{Inspection, Place};
use ragtriage_eval::audit::{Audit, Mistake};
use ragtriage_eval::files::{FilePlan, FileScores, MetricColumn, Warning};
use ragtriage_eval::summary::{MetricSummary, Share};

use crate::document::Report;
use crate::estimate::{self, DryRun};
use crate::render::terminal::Screen;
use crate::render::{markdown, terminal};
use crate::scores::{self, ScoredFile, ScoredFiles};
use crate::{audit, lint};

fn in_terminal(report: &Report) -> String {
    terminal::render(report, Screen::new(false))
}

fn interval(low: f64, high: f64) -> Interval {
    Interval { low, high }
}

fn document(id: &str, text: &str) -> Document {
    Document {
        id: id.into(),
        title: id.to_owned(),
        text: text.to_owned(),
        metadata: BTreeMap::new(),
    }
}

/// Two documents, one of them unused, and a question about the first.
fn inspection() -> Inspection {
    let question = serde_json::json!({
        "id": "q1", "text": "Where is the key?", "kind": "span", "answers": ["under the mat"],
        "evidence": [[{"doc": "a.md", "ranges": [[0, 28]]}]], "relevant": {"a.md": 1}, "tags": ["door"],
    });
    Inspection {
        documents: vec![
            document("a.md", "The key is under the mat now."),
            document("b.md", "The lamp is on."),
        ],
        questions: vec![serde_json::from_value(question).expect("a question")],
        places: vec![Place {
            path: std::path::Path::new("data/questions.jsonl").into(),
            line: Some(1),
            id: None,
        }],
        ..Inspection::default()
    }
}

fn linted() -> Lint {
    let mut lint = content("jsonl data".to_owned(), &inspection());
    lint.notes = vec!["3 lines without text".to_owned()];
    let at = |line: usize, question: &str| Finding {
        file: Some("data/questions.jsonl".to_owned()),
        line: Some(line),
        question: Some(question.into()),
        ..Finding::new(
            Rule::QuoteNotFound,
            format!("the quote `x{line}` is not in a.md"),
            "correct the quote",
        )
    };
    lint.add((1..=10).map(|line| at(line, &format!("q{line}"))));
    lint.add([Finding {
        document: Some("b.md".into()),
        line: Some(4),
        ..Finding::new(Rule::EmptyDocument, "it has no text", "remove it")
    }]);
    lint
}

#[test]
fn lint_with_and_without_findings() {
    insta::assert_snapshot!("lint_findings", in_terminal(&lint::report(&linted())));
    insta::assert_snapshot!("lint_markdown", markdown::render(&lint::report(&linted())));
    let mut clean = linted();
    clean.findings.clear();
    clean.notes.clear();
    (clean.errors, clean.warnings) = (0, 0);
    insta::assert_snapshot!("lint_clean", in_terminal(&lint::report(&clean)));
}

#[test]
fn an_audit() {
    let cell = |printed, correct, count| Mistake { printed, correct, count };
    let found = Audit {
        schema: 1,
        run: "nightly".to_owned(),
        n_questions: 275,
        n_sampled: 50,
        answers: None,
        n_audited: 48,
        wrong: Share { count: 3, share: 0.0625, ci95: Some(interval(0.0215, 0.1684)) },
        confusion: vec![
            cell(FailureClass::RankedLow, FailureClass::RankedLow, 20),
            cell(FailureClass::RankedLow, FailureClass::NotRetrieved, 3),
            cell(FailureClass::Correct, FailureClass::Correct, 25),
        ],
    };
    insta::assert_snapshot!("audit", in_terminal(&audit::report(&found)));
}

fn recipient(is_here: bool, what: &'static str) -> Recipient {
    let (address, role) = ("https://host/v1".to_owned(), RecipientRole::Generator);
    Recipient { address, role, is_here, what }
}

#[test]
fn what_a_run_would_cost() {
    let mut view = DryRun {
        config: "config/demo.toml".to_owned(),
        dataset: "runbooks data/runbooks".to_owned(),
        generator: "gpt, prompt `qa`".to_owned(),
        max_tokens: 256,
        is_priced: true,
        is_recorded: false,
        stand_in: Some("retrieval by bm25 alone".to_owned()),
        estimate: Estimate {
            questions: 275,
            failed: 2,
            chunks: 1311,
            prompts: 475,
            cached: 4,
            same_prompt: 2,
            calls: 469,
            prompt_tokens: 712_500,
            most_completion_tokens: 120_064,
            most_cost_usd: 1.5,
            most_judge_calls: 473,
            most_judge_cost_usd: 0.25,
        },
        sent: vec![
            recipient(false, "passages and questions"),
            recipient(false, "questions"),
            recipient(true, "questions"),
        ],
    };
    insta::assert_snapshot!("estimate", in_terminal(&estimate::report(&view)));
    (view.is_priced, view.stand_in) = (false, None);
    view.sent.clear();
    view.estimate.failed = 0;
    insta::assert_snapshot!("estimate_without_price", in_terminal(&estimate::report(&view)));
    view.estimate.prompts = 0;
    insta::assert_snapshot!("estimate_without_prompts", in_terminal(&estimate::report(&view)));
}

fn scored(name: &str, tag: Option<&str>, mean: f64) -> ScoredFile<'static> {
    let summary = |n, ci95| MetricSummary { mean, n, ci95 };
    let column = |metric: &str, values: &[Option<f64>], summary| MetricColumn {
        metric: metric.parse().expect("a metric"),
        values: values.to_vec(),
        summary,
    };
    ScoredFile {
        name: name.to_owned(),
        tag: tag.map(str::to_owned),
        scores: FileScores {
            ids: ["q1", "q2"].map(Cow::Borrowed).to_vec(),
            columns: vec![
                column(
                    "nDCG@10",
                    &[Some(mean), Some(mean)],
                    summary(2, Some(interval(mean - 0.1, mean + 0.1))),
                ),
                column("AP", &[None, None], summary(0, None)),
            ],
            warnings: vec![(Warning::QueriesMissing, 1)],
            n_clusters: 2,
        },
    }
}

#[test]
fn scores_of_files() {
    let all = ScoredFiles {
        plan: FilePlan {
            metrics: ["nDCG@10", "AP"].map(|name| name.parse().expect("a metric")).to_vec(),
            only_shared: false,
            level: 1,
            n_documents: None,
            scorer: Scorer::default(),
            language: Language::english(),
            resamples: 100,
            seed: 0,
        },
        files: vec![scored("runs/a.trec", Some("a"), 0.5), scored("runs/b.trec", Some("b"), 0.25)],
    };
    insta::assert_snapshot!("scores", in_terminal(&scores::report(&all, false)));
    insta::assert_snapshot!("scores_per_query", in_terminal(&scores::report(&all, true)));
    let json = serde_json::to_string_pretty(&scores::json(&all, true)).expect("JSON");
    insta::assert_snapshot!("scores_json", json + "\n");
    let warnings = [
        Warning::QueriesWithoutJudgments,
        Warning::QueriesMissing,
        Warning::QueriesWithoutRelevant,
        Warning::NoJudgedDocument,
        Warning::PredictionsMissing,
        Warning::PredictionsNull,
        Warning::PredictionsOfUnknownIds,
        Warning::RepeatedPredictions,
    ];
    let text = warnings.map(|warning| scores::warning(warning, 1, &all.plan) + "\n");
    insta::assert_snapshot!("scores_warnings", text.concat());
}
