//! The trials of a sweep: the default and every combination, resolved and named by a hash of their configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::space::Combination;
use crate::Error;
use crate::settings::{Resolved, Settings};
use ragtriage_core::config::{GatesSettings, GeneratorName, TuneSettings};
use ragtriage_core::text::address;
use ragtriage_core::text::hex::hex;
use ragtriage_data::run::deciding;

/// Length of a trial's id: among 10,000 trials two hashes share this prefix once in 20,000 sweeps.
const ID_BYTES: usize = 5;

/// The default's name in tables.
pub const DEFAULT: &str = "default";

/// One configuration of a sweep.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Its name in tables: `default`, else [`Self::id`].
    pub name: String,
    /// The start of its configuration's hash: the name of its run.
    pub id: String,
    /// The varied settings' values, on one line as both JSON and TOML write them.
    pub values: BTreeMap<String, String>,
    /// Its whole configuration.
    pub resolved: Resolved,
}

/// Returns the trials: the default of `base`, then each of
/// `points` applied to it, each trial once. They retrieve only.
///
/// # Errors
/// An unknown key, a value of the wrong type. A combination that is out of range is a failed trial.
pub fn trials(base: &Resolved, points: &[Combination]) -> Result<Vec<Trial>, Error> {
    let plain = without_sweep(&base.settings);
    let file = base.file.clone().unwrap_or_default();
    let keys: BTreeSet<&String> = points.iter().flat_map(Combination::keys).collect();
    let default = Trial {
        name: DEFAULT.to_owned(),
        ..Trial::new(&plain, &file, &Combination::new(), &keys)?
    };
    let made: Vec<Trial> = points
        .iter()
        .map(|point| Trial::new(&plain, &file, point, &keys))
        .collect::<Result<_, _>>()?;
    let mut seen = BTreeSet::new();
    let mut trials: Vec<Trial> = [default].into_iter().chain(made).collect();
    trials.retain(|trial| seen.insert(trial.id.clone()));
    Ok(trials)
}

impl Trial {
    fn new(
        plain: &Settings,
        file: &Path,
        point: &Combination,
        keys: &BTreeSet<&String>,
    ) -> Result<Self, Error> {
        // Except for tables, which no value here is, JSON syntax is valid TOML.
        let sets: Vec<String> = point.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let resolved =
            Resolved::recorded(plain.clone(), file.to_owned(), &sets).map_err(Error::in_sweep)?;
        // An address may contain a secret.
        let shown = resolved.settings.with_addresses(address::shown_url).0;
        let shown = serde_json::to_value(shown).expect("settings are plain JSON values");
        let values = keys.iter().map(|key| ((*key).clone(), value_at(&shown, key))).collect();
        let id = hex(&Sha256::digest(deciding(&resolved.settings).to_string())[..ID_BYTES]);
        Ok(Self { name: id.clone(), id, values, resolved })
    }
}

/// Returns the configuration without `[sweep]`, `[tune]`, `[gates]` and generator, which trials do not depend on.
fn without_sweep(settings: &Settings) -> Settings {
    let mut plain = settings.clone();
    plain.sweep.clear();
    plain.tune = TuneSettings::default();
    plain.gates = GatesSettings::default();
    plain.generation.generator = GeneratorName::None;
    plain
}

/// Returns the value of `key` in `all`; `not set` if it has none.
fn value_at(all: &Value, key: &str) -> String {
    let found = key.split('.').try_fold(all, |value, name| value.get(name));
    found.map_or_else(|| "not set".to_owned(), Value::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::hint::Hint;

    fn points(list: &str) -> Vec<Combination> {
        serde_json::from_str(list).expect("points")
    }

    fn base() -> Resolved {
        Resolved::new(None, &["generation.generator=recorded".to_owned()]).expect("settings")
    }

    #[test]
    fn the_default_stands_first_and_takes_the_place_of_the_combination_that_equals_it() {
        let points =
            points(r#"[{"chunking.size": 64}, {"chunking.size": 200}, {"chunking.size": 100}]"#);
        let list = trials(&base(), &points).expect("a list");
        let values: Vec<&str> =
            list.iter().map(|trial| trial.values["chunking.size"].as_str()).collect();
        assert_eq!(values, ["200", "64", "100"]);
        assert_eq!(list[0].name, DEFAULT);
        assert!(
            list.iter().all(|s| s.resolved.settings.generation.generator == GeneratorName::None)
        );
    }

    #[test]
    fn a_list_setting_takes_lists_and_a_wrong_key_or_type_refuses_the_sweep() {
        let list =
            trials(&base(), &points(r#"[{"retrieval.retrievers": ["dense"]}]"#)).expect("a list");
        assert_eq!(list[1].values["retrieval.retrievers"], r#"["dense"]"#);
        for wrong in [r#"[{"chunking.sise": 3}]"#, r#"[{"retrieval.retrievers": "dense"}]"#] {
            let error = trials(&base(), &points(wrong)).expect_err("refused");
            assert!(
                error.to_string().starts_with("`[sweep]`: ") && error.hint().is_some(),
                "{error}"
            );
        }
    }

    #[test]
    fn names_are_those_of_the_settings_alone() {
        let of = |list: &str| trials(&base(), &points(list)).expect("a list")[1].id.clone();
        let one = of(r#"[{"chunking.size": 64}]"#);
        assert_eq!(
            one,
            of(r#"[{"chunking.size": 64, "chunking.overlap": 40}, {"chunking.size": 128}]"#)
        );
        assert_ne!(one, of(r#"[{"chunking.size": 65}]"#));
    }
}
