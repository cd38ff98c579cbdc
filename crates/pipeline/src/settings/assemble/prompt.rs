//! The prompt template and the counter of its budget.

use std::sync::Arc;

use crate::Error;
use crate::error::SEE_DEFAULTS;
use crate::settings::Resolved;
use ragtriage_clients::Error as ModelError;
use ragtriage_clients::llm::load_template;
use ragtriage_core::hint::Hint;
use ragtriage_core::prompt::Template;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};

pub(super) fn template(resolved: &Resolved) -> Result<Template, ModelError> {
    let name = &resolved.settings.generation.prompt;
    if Template::built_in(name).is_some() {
        return load_template(name);
    }
    load_template(&resolved.base().join(name).to_string_lossy())
}

pub(super) fn prompt_counter() -> Result<Arc<dyn TokenCounter>, Error> {
    tokens::counter(Tokenizer::Cl100kBase, None).map_err(|error| {
        Error::setting(format!("`generation.context_tokens`: {error}"))
            .with_hint(error.hint().unwrap_or_else(|| SEE_DEFAULTS.to_owned()))
    })
}
