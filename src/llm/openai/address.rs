//! Where the calls go.

use reqwest::Url;

use crate::llm::LlmError;

const PATH: &str = "/chat/completions";

/// The URL of the calls: `base_url` with `/chat/completions` behind its path, unless it ends so already. A query stays.
pub(super) fn endpoint(base_url: &str) -> Result<Url, LlmError> {
    let bad = |reason: String| LlmError::BadSetting { setting: "base_url", reason };
    let mut url = Url::parse(base_url.trim()).map_err(|error| bad(format!("is no URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad("must begin with `http://` or `https://`".into()));
    }
    let path = url.path().trim_end_matches('/');
    let path = if path.ends_with(PATH) { path.to_owned() } else { format!("{path}{PATH}") };
    url.set_path(&path);
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_appended_once_and_the_query_kept() {
        for (base, expected) in [
            ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:8080/", "http://localhost:8080/chat/completions"),
            ("https://h/v1/chat/completions/", "https://h/v1/chat/completions"),
            ("https://h/openai/d?api-version=1", "https://h/openai/d/chat/completions?api-version=1"),
        ] {
            assert_eq!(endpoint(base).expect(base).as_str(), expected);
        }
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        for base in ["", "localhost:8080", "ftp://h/v1", "http://"] {
            assert!(matches!(endpoint(base), Err(LlmError::BadSetting { setting: "base_url", .. })), "{base}");
        }
    }
}
