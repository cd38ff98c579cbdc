//! Marks on settings, declared on the fields of [`Settings`](super::Settings) and read from its JSON Schema:
//! `x-resume`, `x-affects` and `x-private`. A mark on a table holds for every setting in it.

use super::schema::{definition, settings_schema};

/// The marks of one setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettingMarks {
    /// Changes no trace: speed, cost limits, keys, caches, gates. A resumed run may set it differently.
    pub may_change_on_resume: bool,
    /// Changes the summary of a run, not its traces.
    pub affects_summary_only: bool,
    /// Names an environment variable, and is left out of reports and comparisons.
    pub is_private: bool,
}

/// Returns the marks of `key` (`retrieval.k`), and the rest of the key that the schema does not define because it
/// lies in a free table (`generation.extra_body.x` gives `x`).
#[must_use]
pub fn marks(key: &str) -> (SettingMarks, &str) {
    let mut marks = SettingMarks::default();
    let (mut table, mut rest) = (definition(settings_schema()), key);
    while !rest.is_empty() {
        let (name, behind) = rest.split_once('.').unwrap_or((rest, ""));
        let Some(field) = table["properties"].get(name) else {
            break;
        };
        marks.may_change_on_resume |= field["x-resume"] == "may change";
        marks.affects_summary_only |= field["x-affects"] == "summary";
        marks.is_private |= field["x-private"] == true;
        (table, rest) = (definition(field), behind);
    }
    (marks, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_from_fields_and_from_the_tables_around_them() {
        let of = |key| marks(key).0;
        assert_eq!(of("retrieval.k"), SettingMarks::default());
        assert!(of("generation.price.prompt").may_change_on_resume);
        assert!(of("cache.dir").may_change_on_resume && of("gates.min.EM@5").may_change_on_resume);
        assert!(of("vector_store.timeout_s").may_change_on_resume);
        assert!(of("evaluation.resamples").affects_summary_only);
        assert!(of("generation.headers_env.x").is_private);
        assert!(of("retrieval.dense.api_key_env").is_private);
    }

    #[test]
    fn what_the_schema_does_not_define_is_the_rest() {
        assert_eq!(marks("generation.extra_body.a.b").1, "a.b");
        assert_eq!(marks("sweep.retrieval.k").1, "retrieval.k");
        assert_eq!(marks("retrieval.k").1, "");
        assert_eq!(marks("nonsense.x").1, "nonsense.x");
    }
}
