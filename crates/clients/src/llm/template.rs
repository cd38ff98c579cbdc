//! Loads prompt templates from files.

use ragtriage_core::prompt::Template;
use ragtriage_data::run::read_text;

use crate::Error;

/// Returns the built-in template of that name, else the one in the file at that path.
pub fn load_template(name: &str) -> Result<Template, Error> {
    let text = match Template::built_in(name) {
        Some(text) => text.to_owned(),
        None => read_text(name.as_ref()).map_err(|source| {
            Error::new(format!("cannot read the prompt template `{name}`"))
                .hinting("`generation.prompt` is `short-answer`, `free`, or a file's path")
                .caused_by(source)
        })?,
    };
    Template::parse(&text)
        .map_err(|source| Error::new(format!("prompt template `{name}`: {source}")))
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
