//! The prompt template and the counter of its budget.

use std::sync::Arc;

use super::error::unusable;
use crate::settings::{Resolved, SettingsError};
use ragtriage_core::hint::Hint;
use ragtriage_core::prompt::Template;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};
use ragtriage_models::Error as ModelError;
use ragtriage_models::llm::load_template;

pub(super) fn template(resolved: &Resolved) -> Result<Template, ModelError> {
    let name = &resolved.settings.generation.prompt;
    if Template::built_in(name).is_some() {
        return load_template(name);
    }
    load_template(&resolved.base().join(name).to_string_lossy())
}

pub(super) fn prompt_counter() -> Result<Arc<dyn TokenCounter>, SettingsError> {
    tokens::counter(Tokenizer::Cl100kBase, None)
        .map_err(|error| unusable(&format!("`generation.context_tokens`: {error}"), error.hint()))
}
