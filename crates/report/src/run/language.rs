//! The language of a run's texts, and what is unknown of it.

use crate::document::{Fact, Notice};
use ragtriage_core::config::{AUTO, DatasetSettings};

/// Returns the language unless it is English.
pub(super) fn language(dataset: &DatasetSettings) -> Option<Fact> {
    let (language, code) = (dataset.language(), &dataset.language);
    let name =
        if language.has_data() { format!("{} ({code})", language.name) } else { code.clone() };
    (code != AUTO && !language.is_english()).then(|| Fact::new("language", name))
}

/// Warns of a language without data.
pub(super) fn unknown(dataset: &DatasetSettings) -> Vec<Notice> {
    if dataset.language().has_data() {
        return Vec::new();
    }
    let stemming = if dataset.language().stemmer.is_empty() { "stemming, " } else { "" };
    let text = format!(
        "the language `{}` has no data file: {stemming}stop words and the rule of correct answers do not know it",
        dataset.language
    );
    let hint =
        "judge answers with a model (`[judge]`); if the language is wrong, set dataset.language";
    vec![Notice::warning(text).with_hint(hint)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_english_goes_without_saying_and_only_the_unknown_is_warned_of() {
        let of = |code: &str| {
            let dataset =
                DatasetSettings { language: code.to_owned(), ..DatasetSettings::default() };
            let shown = language(&dataset).map(|fact| fact.to_string());
            (shown.unwrap_or_default(), unknown(&dataset).len())
        };
        assert_eq!([of("auto"), of("en")], [(String::new(), 0), (String::new(), 0)]);
        assert_eq!(of("de"), ("language: German (de)".to_owned(), 0));
        assert_eq!([of("tr"), of("xx")].map(|(_, n)| n), [1, 1]);
    }
}
