//! The prompt template and the counter of its budget.

use std::sync::Arc;

use crate::Error;
use crate::error::SEE_SCHEMA;
use crate::settings::Resolved;
use ragtriage_core::hint::Hint;
use ragtriage_core::prompt::Template;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};
use ragtriage_data::run::read_text;

/// Returns the built-in template of the configured name, else the one in the file at that path.
pub(super) fn template(resolved: &Resolved) -> Result<Template, Error> {
    let name = &resolved.settings.generation.prompt;
    let path = resolved.base().join(name);
    let text = match Template::built_in(name) {
        Some(text) => text.to_owned(),
        None => read_text(&path).map_err(|source| {
            Error::io("read the prompt template", &path, &source)
                .with_hint("`generation.prompt` is `short-answer`, `free`, or a file's path")
        })?,
    };
    Template::parse(&text).map_err(|source| {
        Error::setting(format!("prompt template `{name}`: {source}")).with_hint(SEE_SCHEMA)
    })
}

pub(crate) fn prompt_counter() -> Result<Arc<dyn TokenCounter>, Error> {
    tokens::counter(Tokenizer::Cl100kBase, None).map_err(|error| {
        Error::setting(format!("`generation.context_tokens`: {error}"))
            .with_hint(error.hint().unwrap_or_else(|| SEE_SCHEMA.to_owned()))
    })
}
