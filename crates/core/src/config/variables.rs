//! Names of environment variables that hold keys.

use super::out_of_range::OutOfRange;
use super::settings::Settings;

/// Refuses a text that is not the name of an environment variable, such as a key in place of its name.
pub(super) fn check(settings: &Settings) -> Result<(), OutOfRange> {
    let Settings {
        retrieval,
        rerank,
        vector_store,
        generation,
        judge,
        external,
        ..
    } = settings;
    let keys = [
        ("retrieval.dense.api_key_env", &retrieval.dense.api_key_env),
        (
            "retrieval.collection.api_key_env",
            &retrieval.collection.api_key_env,
        ),
        ("rerank.api_key_env", &rerank.api_key_env),
        ("vector_store.api_key_env", &vector_store.api_key_env),
        ("generation.api_key_env", &generation.api_key_env),
        ("judge.api_key_env", &judge.api_key_env),
        ("external.api_key_env", &external.api_key_env),
    ];
    let keys = keys.into_iter();
    let keys = keys.flat_map(|(key, name)| name.iter().map(move |name| (key, name)));
    let headers = [
        ("generation.headers_env", &generation.headers_env),
        ("judge.headers_env", &judge.headers_env),
        ("external.headers_env", &external.headers_env),
    ];
    let headers = headers.into_iter();
    let headers = headers.flat_map(|(key, names)| names.values().map(move |name| (key, name)));
    let is_name = |name: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    match keys.chain(headers).find(|(_, name)| !is_name(name)) {
        // The text may be the key itself, so it is not shown.
        Some((key, _)) => Err(OutOfRange {
            name: key.into(),
            value: "not the name of an environment variable".to_owned(),
            problem: "must name the variable that holds the key, never the key".into(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_place_of_a_name_is_refused_without_being_shown() {
        let mut settings = Settings::default();
        settings.generation.api_key_env = Some("OPENAI_API_KEY".to_owned());
        assert_eq!(check(&settings), Ok(()));
        settings.generation.api_key_env = Some("sk-top/secret".to_owned());
        let error = check(&settings).expect_err("a key").to_string();
        assert_eq!(
            error,
            "`generation.api_key_env` is not the name of an environment variable, must name the variable that holds the key, \
             never the key"
        );
        settings.generation.api_key_env = None;
        let header = ("x-key".to_owned(), "sk-top/secret".to_owned());
        settings.judge.headers_env.extend([header]);
        let error = check(&settings).expect_err("a key").to_string();
        assert!(error.starts_with("`judge.headers_env` is not"), "{error}");
    }
}
