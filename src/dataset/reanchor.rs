//! `ragtriage dataset lint --reanchor`: labels after an edit of the documents; `--changed`: the questions that it touches.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use ragtriage_core::config::{DatasetSettings, Format};
use ragtriage_core::text::numbers;
use ragtriage_core::types::Document;
use ragtriage_datasets::DocumentTexts;
use ragtriage_datasets::lint::changed::{self, Touched};
use ragtriage_datasets::lint::reanchor::{AnchorOutcome, Break, reanchor as place};
use ragtriage_datasets::{DatasetError, Earlier};
use ragtriage_report::anchors;

/// Finds each label's place; rewrites the questions' file where `write` says so. Whether every one was placed.
///
/// # Errors
/// A format without own quotes, files that cannot be read or written, a commit that git does not know.
pub fn reanchor(
    spec: &DatasetSettings,
    since: Option<&str>,
    write: bool,
    json: bool,
) -> Result<bool, Failure> {
    let mut lines = own_labels(spec)?;
    let now = ragtriage_datasets::documents(spec)?;
    let then = since.map(|reference| documents_then(spec, reference)).transpose()?;
    let then = then.as_deref().map(DocumentTexts::new);
    let anchored = place(&mut lines, &DocumentTexts::new(&now), then.as_ref());
    let view = anchors::view(&anchored);
    let writes = write && view.placed > 0;
    if writes {
        ragtriage_datasets::write_labels(&spec.path, &lines)?;
    }
    if json {
        output::data(&output::json(&view, "what became of the labels")?)?;
    } else {
        output::report(&anchors::report(&view, writes))?;
    }
    let needs_earlier = AnchorOutcome::Broken(Break::RangeUnknown);
    if anchored.iter().any(|piece| piece.outcome == needs_earlier) {
        output::talk(
            "hint: name the commit that byte ranges were made for with `--changed GITREF`",
        );
    }
    if view.placed > 0 && !write {
        output::talk(
            "nothing was written: `--write` rewrites questions.jsonl with the places found",
        );
    }
    Ok(view.broken == 0)
}

/// Lists the questions that a change of the documents since `reference` touches.
///
/// # Errors
/// As [`reanchor`].
pub fn changed(spec: &DatasetSettings, reference: &str, json: bool) -> Result<(), Failure> {
    let lines = own_labels(spec)?;
    let (now, then) = (ragtriage_datasets::documents(spec)?, documents_then(spec, reference)?);
    let (now, then) = (DocumentTexts::new(&now), DocumentTexts::new(&then));
    let (documents, touched) =
        (changed::documents(&then, &now), changed::questions(&lines, &then, &now));
    output::data(&if json {
        output::json(&ChangedJson::new(&documents, &touched), "what a change touches")?
    } else {
        anchors::render_changed(&touched)
    })?;
    let (questions, n) = (numbers::plural(touched.len(), "question", "questions"), documents.len());
    let since = numbers::plural(n, "document that differs", "documents that differ");
    output::talk(&format!("{questions} touched by {since} from `{reference}`"));
    Ok(())
}

#[derive(Serialize)]
struct ChangedJson<'a> {
    documents: &'a [&'a str],
    questions: Vec<TouchedJson<'a>>,
}

#[derive(Serialize)]
struct TouchedJson<'a> {
    id: &'a str,
    text: &'a str,
    documents: BTreeMap<&'a str, &'static str>,
}

impl<'a> ChangedJson<'a> {
    fn new(documents: &'a [&'a str], touched: &'a [Touched]) -> Self {
        Self {
            documents,
            questions: touched
                .iter()
                .map(|touched: &'a Touched| TouchedJson {
                    id: &touched.id,
                    text: &touched.text,
                    documents: touched
                        .documents
                        .iter()
                        .map(|(doc, touch)| (doc.as_str(), touch.name()))
                        .collect(),
                })
                .collect(),
        }
    }
}

fn own_labels(spec: &DatasetSettings) -> Result<Vec<ragtriage_datasets::LabelLine>, Failure> {
    match spec.format {
        Format::Files | Format::Jsonl => ragtriage_datasets::labels(&spec.path).map_err(|error| {
            let hint = matches!(error, DatasetError::Missing { .. }).then(|| {
                "there are no questions yet: create them with `ragtriage dataset label`".to_owned()
            });
            let failure = Failure::from(error);
            Failure { hint: hint.or(failure.hint), message: failure.message }
        }),
        other => {
            let hint = "`ragtriage dataset convert PATH --to jsonl FOLDER` converts it";
            Err(Failure::new(format!("format `{other}` has no questions.jsonl with labels"), hint))
        }
    }
}

/// The documents as a commit had them.
fn documents_then(spec: &DatasetSettings, reference: &str) -> Result<Vec<Document>, Failure> {
    let earlier: Earlier =
        ragtriage_datasets::earlier(&spec.path, reference, &std::env::temp_dir())?;
    Ok(ragtriage_datasets::documents(&DatasetSettings {
        path: earlier.path().to_owned(),
        ..spec.clone()
    })?)
}
