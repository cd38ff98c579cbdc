//! The data set of a command, and the questions that it asks.

use crate::failure::Failure;
use ragtriage_core::types::{Dataset, Question};
use ragtriage_pipeline::settings::{Resolved, Settings};

/// Loads the data set, and settles its language.
pub fn load(resolved: &mut Resolved) -> Result<Dataset, Failure> {
    load_with(resolved, Vec::new())
}

/// As [`load`], with `more` questions, which have no labels yet.
pub fn load_with(resolved: &mut Resolved, more: Vec<Question>) -> Result<Dataset, Failure> {
    let dataset = ragtriage_data::dataset::load_with(&resolved.dataset(), more)?;
    resolved.detect_language(&dataset.documents);
    Ok(dataset)
}

/// Draws the sample that `dataset.limit` asks for.
pub fn sample(dataset: &mut Dataset, settings: &Settings) -> Result<(), Failure> {
    if let Some(limit) = settings.dataset.limit {
        let questions = std::mem::take(&mut dataset.questions);
        dataset.questions = ragtriage_core::sample::sample(questions, limit, settings.dataset.seed);
    }
    if dataset.questions.is_empty() {
        return Err(Failure::new(
            "no questions selected",
            "check `dataset.split` and `dataset.limit`",
        ));
    }
    Ok(())
}
