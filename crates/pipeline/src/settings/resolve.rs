//! Resolution of settings: default, then file, then override; the last one wins, and each value has its origin.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::wrong_value::{DATE, in_words, key_at};
use super::{Settings, SettingsError};
use ragtriage_core::config::{AUTO, DatasetSettings};
use ragtriage_core::language::detect;
use ragtriage_core::text::address;
use ragtriage_core::types::Document;
use ragtriage_runs::read_file;

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The built-in default.
    Default,
    /// The configuration file.
    File,
    /// An override.
    Override,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Override => "override",
        }
    }
}

/// Settings with the origin of each.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The values.
    pub settings: Settings,
    /// The settings file, if any.
    pub file: Option<PathBuf>,
    origins: BTreeMap<String, Origin>,
}

impl Resolved {
    /// Reads `file` (if given) and applies `sets`, each `key=value` with a TOML value; a value that is not valid
    /// TOML is taken as a string.
    ///
    /// # Errors
    /// Any [`SettingsError`] except those of assembling.
    pub fn new(file: Option<&Path>, sets: &[String]) -> Result<Self, SettingsError> {
        let mut origins = BTreeMap::new();
        let mut table = Table::new();
        if let Some(path) = file {
            let text = read(path)?;
            let place = path.display().to_string();
            let parsed: Settings =
                toml::from_str(&text).map_err(|error| explain(&error, &place, Some(&text)))?;
            drop(parsed);
            table = text.parse().map_err(|error| explain(&error, &place, Some(&text)))?;
            mark(&table, "", Origin::File, &mut origins);
        }
        let settings = with_sets(&mut table, sets, &mut origins)?;
        Ok(Self { settings, file: file.map(Path::to_owned), origins })
    }

    /// Returns the settings of a run's manifest, made from `file`, with the overrides `sets`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn recorded(
        settings: Settings,
        file: PathBuf,
        sets: &[String],
    ) -> Result<Self, SettingsError> {
        let mut origins = BTreeMap::new();
        let settings = match sets {
            [] => settings,
            sets => with_sets(&mut Table::try_from(&settings).expect(PLAIN), sets, &mut origins)?,
        };
        Ok(Self { settings, file: Some(file), origins })
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

    /// Returns every setting as TOML, with its origin in a comment. User info and query values of addresses are redacted, because
    /// they may be keys.
    #[must_use]
    pub fn show(&self) -> String {
        let (shown, _) = self.settings.with_addresses(address::redacted_url);
        let table = Table::try_from(&shown).expect(PLAIN);
        let mut out = String::new();
        self.show_table(&table, "", &mut out);
        out
    }

    fn show_table(&self, table: &Table, prefix: &str, out: &mut String) {
        let (tables, values): (Vec<_>, Vec<_>) =
            table.iter().partition(|(_, value)| value.is_table());
        if !values.is_empty() && !prefix.is_empty() {
            let _ = writeln!(out, "{}[{prefix}]", if out.is_empty() { "" } else { "\n" });
        }
        for (key, value) in values {
            let line = format!("{} = {value}", quoted(key));
            let path = join(prefix, key);
            let origin = self.origins.get(&path).copied().unwrap_or(Origin::Default);
            let _ = writeln!(out, "{line:<48} # {}", origin.name());
        }
        for (key, value) in tables {
            if let Value::Table(inner) = value {
                self.show_table(inner, &join(prefix, key), out);
            }
        }
    }
}

const PLAIN: &str = "settings are plain TOML values";

/// Returns the settings of `table` with the overrides `sets`, and marks their origin.
fn with_sets(
    table: &mut Table,
    sets: &[String],
    origins: &mut BTreeMap<String, Origin>,
) -> Result<Settings, SettingsError> {
    for set in sets {
        let (key, value) = parse_set(set)?;
        // The message shows the override, whose address may hold a key.
        let shown = value
            .as_str()
            .map_or_else(|| set.clone(), |text| set.replace(text, &address::redacted_url(text)));
        let place = format!("override `{shown}`");
        insert(table, &key, value)
            .map_err(|message| SettingsError::Malformed { place: place.clone(), message })?;
        from_table(table).map_err(|error| {
            let written = shown.split_once('=').map_or("", |(_, value)| value.trim());
            in_words(&message(&error), &key, written).map_or_else(
                || explain(&error, &place, None),
                |message| SettingsError::Malformed { place: place.clone(), message },
            )
        })?;
        origins.insert(key, Origin::Override);
    }
    from_table(table).map_err(|error| explain(&error, "settings", None))
}

fn from_table(table: &Table) -> Result<Settings, toml::de::Error> {
    Value::Table(table.clone()).try_into()
}

/// Returns a key as TOML writes it: bare if possible.
fn quoted(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        Value::String(key.to_owned()).to_string()
    }
}

pub(super) fn read(path: &Path) -> Result<String, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { path: path.to_owned(), source };
    let bytes = read_file(path).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| SettingsError::Malformed {
        place: path.display().to_string(),
        message: format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()),
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

fn mark(table: &Table, prefix: &str, origin: Origin, origins: &mut BTreeMap<String, Origin>) {
    for (key, value) in table {
        let path = join(prefix, key);
        match value {
            Value::Table(inner) => mark(inner, &path, origin, origins),
            _ => drop(origins.insert(path, origin)),
        }
    }
}

fn join(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

fn parse_set(set: &str) -> Result<(String, Value), SettingsError> {
    let bad = || SettingsError::BadOverride { given: set.to_owned() };
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

/// Returns the first line of an error's message. A date looks like a table with one odd key to serde.
fn message(error: &toml::de::Error) -> String {
    let message = error.message().lines().next().unwrap_or_default();
    if message.starts_with(&format!("unknown field `{DATE}`")) {
        return "invalid type: date, expected a map".to_owned();
    }
    message.to_owned()
}

/// Converts a TOML error: with its line, and the nearest known key for an unknown one.
pub(super) fn explain(error: &toml::de::Error, place: &str, text: Option<&str>) -> SettingsError {
    let line = error
        .span()
        .zip(text)
        .map(|(span, text)| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let place = line.map_or_else(|| place.to_owned(), |line| format!("{place}:{line}"));
    let message = message(error);
    let value = error.span().zip(text).and_then(|(span, text)| {
        let written = text.get(span.clone())?;
        in_words(&message, &key_at(text, span.start)?, written)
    });
    if let Some(message) = value {
        return SettingsError::Malformed { place, message };
    }
    let Some(rest) = message.strip_prefix("unknown field ") else {
        return SettingsError::Malformed { place, message };
    };
    let mut names = rest.split('`').skip(1).step_by(2).map(str::to_owned);
    let key = names.next().unwrap_or_default();
    let known: Vec<String> = names.collect();
    let lower = key.to_lowercase();
    let distance = |name: &String| strsim::damerau_levenshtein(name, &lower);
    let nearest = known
        .iter()
        .min_by_key(|name| distance(name))
        .filter(|name| distance(name) <= 1 + key.len() / 4);
    SettingsError::UnknownKey { place, nearest: nearest.cloned(), key, known }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(values: &[&str]) -> Result<Resolved, SettingsError> {
        Resolved::new(None, &values.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_flag_wins_and_its_origin_is_told() {
        let resolved = sets(&["retrieval.k=3", "chunking.strategy=fixed"]).expect("good");
        assert_eq!(resolved.settings.retrieval.k, 3);
        let shown = resolved.show();
        assert!(
            shown.lines().any(|line| line.starts_with("k = 3 ") && line.ends_with("# override")),
            "{shown}"
        );
        assert!(
            shown
                .lines()
                .any(|line| line.starts_with("size = 200 ") && line.ends_with("# default")),
            "{shown}"
        );
    }

    #[test]
    fn no_address_is_shown_with_what_may_be_a_key() {
        let url = "generation.base_url=https://me:hush-1@h/v1?api-version=hush-2";
        let shown = sets(&[url]).expect("good").show();
        assert!(
            shown.contains("base_url = \"https://***@h/v1?api-version=***\"")
                && !shown.contains("hush"),
            "{shown}"
        );
        let error =
            sets(&[&url.replace("base_url", "base_ulr")]).expect_err("no such key").to_string();
        assert_eq!(
            error,
            "override `generation.base_ulr=https://***@h/v1?api-version=***`: unknown setting `base_ulr`"
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
        assert!(
            matches!(&error, SettingsError::UnknownKey { key, nearest: Some(nearest), .. } if key == "sise" && nearest == "size")
        );
    }

    #[test]
    fn a_wrong_type_in_a_file_names_file_and_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.toml");
        std::fs::write(&path, "[retrieval]\n\nk = \"five\"\n").expect("written");
        let error = Resolved::new(Some(&path), &[]).expect_err("not a number").to_string();
        assert!(error.contains("c.toml:3:") && error.contains(", must be "), "{error}");
    }

    #[test]
    fn a_set_into_a_value_is_refused() {
        assert!(matches!(
            sets(&["retrieval.k=3", "retrieval.k.x=1"]),
            Err(SettingsError::Malformed { .. })
        ));
        assert!(matches!(sets(&["retrieval.k"]), Err(SettingsError::BadOverride { .. })));
    }
}
