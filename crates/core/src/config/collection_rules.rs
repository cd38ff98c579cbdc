//! Dependencies between the settings of an existing collection, and on those of `[retrieval]`.

use super::collection::CollectionSettings;
use super::out_of_range::OutOfRange;
use super::settings::Settings;
use crate::types::RetrieverName;

/// Checks the settings of the retriever `collection`, if it is used.
///
/// # Errors
/// A missing name, offsets without a document, or settings that contradict each other.
pub(super) fn check(settings: &Settings) -> Result<(), OutOfRange> {
    let retrieval = &settings.retrieval;
    if !retrieval.retrievers.contains(&RetrieverName::Collection) {
        return Ok(());
    }
    let CollectionSettings {
        name,
        mode,
        sparse_using,
        sparse_model,
        text,
        document,
        start,
        end,
        ..
    } = &retrieval.collection;
    let needs_sparse = "must be set in the modes `sparse` and `hybrid`";
    let empty = [
        ("name", name.is_empty(), "must name the collection"),
        ("sparse_using", mode.is_sparse() && sparse_using.is_empty(), needs_sparse),
        ("sparse_model", mode.is_sparse() && sparse_model.is_empty(), needs_sparse),
        ("text", text.is_empty() && start.is_none(), "must be set where there is no `start`"),
    ];
    if let Some((key, _, problem)) = empty.into_iter().find(|(_, is_empty, _)| *is_empty) {
        return refuse(&format!("retrieval.collection.{key}"), "empty", problem);
    }
    let offsets = [
        ("start", start.is_some() && end.is_none(), "`end`"),
        ("end", end.is_some() && start.is_none(), "`start`"),
        ("start", start.is_some() && document.is_none(), "`document`"),
    ];
    if let Some((key, _, other)) = offsets.into_iter().find(|(_, is_alone, _)| *is_alone) {
        let problem = format!("but offsets need {other} as well");
        return refuse(&format!("retrieval.collection.{key}"), "set", &problem);
    }
    if !retrieval.filter.is_empty() {
        let problem = "but the retriever `collection` has its own: set `retrieval.collection.filter`, which decides what is \
                       retrieved";
        return refuse("retrieval.filter", "set", problem);
    }
    Ok(())
}

fn refuse(key: &str, value: &str, problem: &str) -> Result<(), OutOfRange> {
    Err(OutOfRange {
        name: key.to_owned().into(),
        value: value.to_owned(),
        problem: problem.to_owned().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(table: &str) -> String {
        let text =
            format!("[retrieval]\nretrievers = [\"collection\"]\n[retrieval.collection]\n{table}");
        let settings: Settings = toml::from_str(&text).expect("settings");
        settings.validate().map_or_else(|e| e.to_string(), |()| String::new())
    }

    #[test]
    fn what_the_mode_needs_must_be_set() {
        assert_eq!(problem("name = \"docs\""), "");
        assert_eq!(problem(""), "`retrieval.collection.name` is empty, must name the collection");
        assert_eq!(
            problem("name = \"docs\"\nmode = \"hybrid\""),
            "`retrieval.collection.sparse_using` is empty, must be set in the modes `sparse` and `hybrid`"
        );
        assert_eq!(
            problem("name = \"docs\"\ntext = \"\""),
            "`retrieval.collection.text` is empty, must be set where there is no `start`"
        );
    }

    #[test]
    fn offsets_come_in_pairs_with_a_document() {
        assert_eq!(
            problem("name = \"docs\"\nstart = \"start\""),
            "`retrieval.collection.start` is set, but offsets need `end` as well"
        );
        assert_eq!(
            problem("name = \"docs\"\nstart = \"start\"\nend = \"end\""),
            "`retrieval.collection.start` is set, but offsets need `document` as well"
        );
        let all =
            "name = \"docs\"\ndocument = \"doc_id\"\nstart = \"start\"\nend = \"end\"\ntext = \"\"";
        assert_eq!(problem(all), "");
    }

    #[test]
    fn a_filter_of_documents_is_refused() {
        let refused = problem("name = \"docs\"\n[retrieval.filter]\nteam = \"ops\"");
        assert!(
            refused.starts_with("`retrieval.filter` is set, but the retriever `collection`"),
            "{refused}"
        );
    }
}
