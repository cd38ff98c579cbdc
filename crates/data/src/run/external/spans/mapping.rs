//! Where each source and convention of spans holds what: the table `mapping.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Paths or keys by field, by section.
type Table = BTreeMap<String, BTreeMap<String, Vec<String>>>;

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("mapping.toml")).expect("a table of paths"));

/// Returns the paths of a field, the first of which that has a value counts; none if the section lacks the field.
pub(super) fn paths(section: &str, field: &str) -> &'static [String] {
    TABLE[section].get(field).map_or(&[], Vec::as_slice)
}
