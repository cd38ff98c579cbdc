//! A list of published figures with the settings that should give them: what `ragtriage reproduce` reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SettingsError;
use super::resolve::{explain, read};
use ragtriage_core::measure::Measure;

/// The whole file. Paths are relative to its folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reproduction {
    /// The Markdown file to write.
    pub output: PathBuf,
    /// What stands above the table.
    #[serde(default)]
    pub introduction: String,
    /// The systems, in the table's order.
    #[serde(rename = "system")]
    pub systems: Vec<System>,
}

/// One published system on one data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// The data, as the table shows it.
    pub data: String,
    /// The system, as the table shows it.
    pub name: String,
    /// Who published the figures.
    pub source: String,
    /// The settings file that runs it; none for what cannot be run here.
    pub config: Option<PathBuf>,
    /// `key=value`, over the file.
    #[serde(default)]
    pub set: Vec<String>,
    /// Measure to figure.
    pub published: BTreeMap<Measure, f64>,
    /// How far ours may be from it to count as met.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// Why ours differ, or why it cannot be run.
    #[serde(default)]
    pub why: String,
}

impl Reproduction {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// A file that cannot be read, is no such list, or names no system.
    pub fn load(path: &Path) -> Result<Self, SettingsError> {
        let text = read(path)?;
        let place = path.display().to_string();
        let list: Self =
            toml::from_str(&text).map_err(|error| explain(&error, &place, Some(&text)))?;
        let wrong = |message: String| {
            Err(SettingsError::Malformed {
                place: place.clone(),
                message,
            })
        };
        if list.output.file_name() == path.file_name() {
            return wrong("`output` is this list itself".to_owned());
        }
        for system in &list.systems {
            let in_range = |figure: &f64| figure.is_finite() && *figure >= 0.0;
            if system.published.is_empty()
                || !system
                    .published
                    .values()
                    .chain(&system.tolerance)
                    .all(in_range)
            {
                let what =
                    "needs published figures, and no figure or tolerance below 0 or infinite";
                return wrong(format!("`{}` on `{}` {what}", system.name, system.data));
            }
        }
        if list.systems.is_empty() {
            let message = "it lists no `[[system]]`".to_owned();
            return Err(SettingsError::Malformed { place, message });
        }
        Ok(list)
    }
}
