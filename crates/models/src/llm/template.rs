//! Loads prompt templates from files.

use ragtriage_core::prompt::Template;
use ragtriage_runs::read_text;

use super::LlmError;

/// Returns the built-in template of that name, else the one in the file at that path.
pub fn load_template(name: &str) -> Result<Template, LlmError> {
    let text = match Template::built_in(name) {
        Some(text) => text.to_owned(),
        None => read_text(name.as_ref())
            .map_err(|source| LlmError::TemplateFile { name: name.to_owned(), source })?,
    };
    Template::parse(&text).map_err(|source| LlmError::Template { name: name.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::hint::Hint;

    #[test]
    fn a_name_that_is_neither_built_in_nor_a_file_is_an_error_with_a_hint() {
        let error = load_template("no-such-template").expect_err("no such file");
        assert_eq!(error.to_string(), "cannot read the prompt template `no-such-template`");
        assert!(error.hint().expect("a hint").contains("`short-answer`"));
    }
}
