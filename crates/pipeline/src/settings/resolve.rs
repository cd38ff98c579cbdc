//! Resolution of settings: default, then file, then override; the last one wins.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserializer;
use toml::{Table, Value};

use super::Settings;
use crate::error::SEE_SCHEMA;
use crate::{Error, Kind};
use ragtriage_core::config::{AUTO, DatasetSettings, keys_of, type_of};
use ragtriage_core::language::detect;
use ragtriage_core::text::address;
use ragtriage_core::types::Document;
use ragtriage_data::dataset::nearest;
use ragtriage_data::run::read_file;

/// Settings, and where they are from.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The values.
    pub settings: Settings,
    /// The settings file, if any.
    pub file: Option<PathBuf>,
}

impl Resolved {
    /// Reads `file` (if given) and applies `sets`, each `key=value` with a TOML value; a value that is not valid
    /// TOML is taken as a string.
    ///
    /// # Errors
    /// A file that cannot be read, TOML that cannot be parsed, an unknown key, a value of the wrong type.
    pub fn new(file: Option<&Path>, sets: &[String]) -> Result<Self, Error> {
        let mut table = Table::new();
        if let Some(path) = file {
            let text = read(path)?;
            let place = path.display().to_string();
            let _: Settings = toml::Deserializer::parse(&text)
                .map_err(|error| malformed(&place, Some(&text), "", &error))
                .and_then(|parsed| deserialized(parsed, &place, Some(&text)))?;
            table = text.parse().map_err(|error| malformed(&place, Some(&text), "", &error))?;
        }
        let settings = with_sets(table, sets)?;
        Ok(Self { settings, file: file.map(Path::to_owned) })
    }

    /// Returns the settings of a run's manifest, made from `file`, with the overrides `sets`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn recorded(settings: Settings, file: PathBuf, sets: &[String]) -> Result<Self, Error> {
        let settings = match sets {
            [] => settings,
            sets => with_sets(Table::try_from(&settings).expect(PLAIN), sets)?,
        };
        Ok(Self { settings, file: Some(file) })
    }

    /// Returns the folder that relative paths of the file start from.
    #[must_use]
    pub fn base(&self) -> PathBuf {
        self.file.as_deref().and_then(Path::parent).map(Path::to_owned).unwrap_or_default()
    }

    /// Returns the settings of the data set, with the path from the current folder.
    #[must_use]
    pub fn dataset(&self) -> DatasetSettings {
        let dataset = &self.settings.dataset;
        DatasetSettings {
            path: self.base().join(&dataset.path).components().collect(), // `docs/.` is `docs`
            questions: dataset.questions.as_ref().map(|file| self.base().join(file)),
            ..dataset.clone()
        }
    }

    /// Replaces the language `auto` by that of the documents.
    pub fn detect_language(&mut self, documents: &[Document]) {
        let language = &mut self.settings.dataset.language;
        if language == AUTO {
            *language = detect(documents.iter().map(|document| &*document.text));
        }
    }

    /// Returns every setting as TOML. Addresses are shown without user info and query, which may be keys.
    #[must_use]
    pub fn show(&self) -> String {
        let (shown, _) = self.settings.with_addresses(address::shown_url);
        toml::to_string(&Table::try_from(&shown).expect(PLAIN)).expect(PLAIN)
    }
}

const PLAIN: &str = "settings are plain TOML values";

/// Returns the settings of `table` with the overrides `sets`.
fn with_sets(mut table: Table, sets: &[String]) -> Result<Settings, Error> {
    for set in sets {
        let (key, value) = parse_set(set)?;
        // The message shows the override, whose address may hold a key.
        let shown = value
            .as_str()
            .map_or_else(|| set.clone(), |text| set.replace(text, &address::shown_url(text)));
        let place = format!("override `{shown}`");
        insert(&mut table, &key, value)
            .map_err(|error| Error::setting(format!("{place}: {error}")).with_hint(SEE_SCHEMA))?;
        deserialized(Value::Table(table.clone()), &place, None)?;
    }
    deserialized(Value::Table(table), "settings", None)
}

/// Reads the settings; an error names the key. `text`: that of the file `place`.
fn deserialized<'de>(
    toml: impl Deserializer<'de, Error = toml::de::Error>,
    place: &str,
    text: Option<&str>,
) -> Result<Settings, Error> {
    serde_path_to_error::deserialize(toml).map_err(|error| {
        let path = error.path().to_string();
        malformed(place, text, &path, error.inner())
    })
}

/// Converts an error at the key `path`: with its line, and the nearest known key for an unknown one.
fn malformed(place: &str, text: Option<&str>, path: &str, error: &toml::de::Error) -> Error {
    let start = error.span().zip(text).map(|(span, text)| &text[..span.start.min(text.len())]);
    let place = start.map_or_else(
        || place.to_owned(),
        |before| format!("{place}:{}", before.matches('\n').count() + 1),
    );
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    // An element of a list: `conditions[0]`.
    let key = key.split('[').next().unwrap_or_default();
    let known = keys_of(table);
    if !known.is_empty() && !key.is_empty() && !known.contains(&key) {
        let hint = nearest::word(key, known.iter().copied()).map_or_else(
            || format!("known settings: {}", known.join(", ")),
            |nearest| {
                let dot = if table.is_empty() { "" } else { "." };
                format!("did you mean `{table}{dot}{nearest}`?")
            },
        );
        return Error::setting(format!("{place}: unknown setting `{path}`")).with_hint(hint);
    }
    // In a table of free keys the key itself may be wrong.
    let message = match type_of(path).filter(|_| !known.is_empty()) {
        Some("integer") => "expected a whole number",
        Some("number") => "expected a number",
        _ => error.message().lines().next().unwrap_or_default(),
    };
    let key = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
    Error::setting(format!("{place}: {key}{message}")).with_hint(SEE_SCHEMA)
}

fn read(path: &Path) -> Result<String, Error> {
    let bytes = read_file(path).map_err(|error| unreadable(path, &error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        Error::setting(format!("{}: not UTF-8 at byte {byte}", path.display()))
            .with_hint(SEE_SCHEMA)
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// A file of the configuration that cannot be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let hint = match error.kind() {
        ErrorKind::NotFound => {
            "give the path of a configuration file; `ragtriage demo` runs on sample data, `ragtriage init DIR` writes a \
             configuration for your documents"
        }
        ErrorKind::InvalidInput => {
            "give the path of a TOML file; write piped settings to one first"
        }
        _ => "check the permissions of the file",
    };
    Error::new(Kind::Other, format!("cannot read settings `{}`: {error}", path.display()))
        .with_hint(hint)
}

fn parse_set(set: &str) -> Result<(String, Value), Error> {
    let bad = || {
        Error::setting(format!("invalid override `{set}`: expected KEY=VALUE"))
            .with_hint("for example `--set retrieval.k=3`, `--set chunking.strategy=fixed`")
    };
    let (key, value) = set.split_once('=').ok_or_else(bad)?;
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() || value.is_empty() {
        return Err(bad());
    }
    let parsed = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"));
    Ok((key.to_owned(), parsed.unwrap_or_else(|| Value::String(value.to_owned()))))
}

fn insert(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
            Ok(())
        }
        Some((head, rest)) => match table.entry(head).or_insert_with(|| Value::Table(Table::new()))
        {
            Value::Table(inner) => insert(inner, rest, value),
            _ => Err(format!("`{head}` is a value, not a table with `{rest}`")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::hint::Hint;

    fn sets(values: &[&str]) -> Result<Resolved, Error> {
        Resolved::new(None, &values.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_flag_wins() {
        let resolved = sets(&["retrieval.k=3", "chunking.strategy=fixed"]).expect("good");
        assert_eq!(resolved.settings.retrieval.k, 3);
        assert_eq!(resolved.settings.chunking.size, 200);
    }

    #[test]
    fn no_address_is_shown_with_what_may_be_a_key() {
        let url = "generation.base_url=https://me:hush-1@h/v1?api-version=hush-2";
        let shown = sets(&[url]).expect("good").show();
        assert!(
            shown.contains("base_url = \"https://h/v1\"") && !shown.contains("hush"),
            "{shown}"
        );
        let error =
            sets(&[&url.replace("base_url", "base_ulr")]).expect_err("no such key").to_string();
        assert_eq!(
            error,
            "override `generation.base_ulr=https://h/v1`: unknown setting `generation.base_ulr`"
        );
    }

    #[test]
    fn flags_stand_over_what_a_record_holds() {
        let recorded = sets(&["retrieval.k=3", "generation.max_usd=1.0"]).expect("good").settings;
        let over = ["generation.max_usd=2.0".to_owned()];
        let resolved = Resolved::recorded(recorded.clone(), PathBuf::new(), &over).expect("good");
        assert_eq!(
            (resolved.settings.retrieval.k, resolved.settings.generation.max_usd),
            (3, Some(2.0))
        );
        assert_eq!(
            Resolved::recorded(recorded.clone(), PathBuf::new(), &[]).expect("good").settings,
            recorded
        );
    }

    #[test]
    fn what_is_shown_reads_back_as_the_same_settings() {
        let resolved = sets(&["retrieval.bm25.k1=0.9", "gates.min.EM@5=0.8"]).expect("good");
        assert_eq!(resolved.settings.gates.min.len(), 1);
        assert_eq!(toml::from_str::<Settings>(&resolved.show()).expect("TOML"), resolved.settings);
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let error = sets(&["chunking.sise=3"]).expect_err("no such key");
        assert!(error.to_string().ends_with("unknown setting `chunking.sise`"), "{error}");
        assert_eq!(error.hint().as_deref(), Some("did you mean `chunking.size`?"));
    }

    #[test]
    fn a_wrong_type_in_a_file_names_file_and_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.toml");
        std::fs::write(&path, "[retrieval]\n\nk = \"five\"\n").expect("written");
        let error = Resolved::new(Some(&path), &[]).expect_err("not a number").to_string();
        assert!(error.ends_with("c.toml:3: `retrieval.k`: expected a whole number"), "{error}");
    }

    #[test]
    fn a_bad_element_of_a_list_is_named_with_its_setting() {
        let error = sets(&["evaluation.conditions=[\"oracel\"]"]).expect_err("unknown").to_string();
        let expected = "`evaluation.conditions[0]`: unknown variant `oracel`";
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_set_into_a_value_is_refused() {
        assert!(sets(&["retrieval.k=3", "retrieval.k.x=1"]).is_err());
        assert!(sets(&["retrieval.k"]).is_err());
    }
}
