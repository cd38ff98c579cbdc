//! Rules between settings: what a value of one setting demands of another. The range of a single setting is declared on its field.

use std::borrow::Cow;

use super::collection::CollectionSettings;
use super::model::{Precision, RerankApi};
use super::schema::{OutOfRange, check_ranges};
use super::settings::{AUTO, GeneratorName, Settings};
use crate::chunk::Strategy;
use crate::text::tokens::Tokenizer;
use crate::types::{Condition, FieldCondition, Filter, NumberBounds, RetrieverName};

const ONLY_LOCAL: &str = "but only a model in this process uses it, not an endpoint";

impl Settings {
    /// Checks every range, and what one setting demands of another.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        check_ranges("", self)?;
        let language = &self.dataset.language;
        let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
        if language != AUTO && !is_code {
            let problem = "must be `auto` or a code of ISO 639-1, such as `de`";
            return refuse("dataset.language", language, problem);
        }
        let retrieval = &self.retrieval;
        at_least("retrieval.candidates", retrieval.candidates, ("retrieval.k", retrieval.k))?;
        if let Some((_, key, problem)) = self.without_effect().into_iter().find(|row| row.0) {
            return refuse(key, "set", problem);
        }
        if let Some(depth) = self.rerank.depth {
            at_least("rerank.depth", depth, ("retrieval.k", retrieval.k))?;
        }
        check_filter(&retrieval.filter)?;
        self.check_retrievers()?;
        check_collection(self)?;
        self.check_conditions()
    }

    /// Returns each setting that may have no effect because of another one, with true if it is set and has none.
    fn without_effect(&self) -> [(bool, &'static str, &'static str); 13] {
        let (chunking, dense, rerank) = (&self.chunking, &self.retrieval.dense, &self.rerank);
        let is_remote = dense.endpoint.is_some();
        let is_reranked = rerank.model.is_some() || rerank.endpoint.is_some();
        let by_endpoint = rerank.endpoint.is_some();
        let by_model = is_reranked && !by_endpoint;
        let of_file = "but only `chunking.strategy = \"file\"` uses it";
        let of_endpoint = "but only `retrieval.dense.endpoint` uses it";
        let of_rerank = "but only `rerank.endpoint` uses it";
        let is_silent = self.generation.generator == GeneratorName::None;
        let of_generator = "but no generator rewrites questions here: set `generation`; `tune` makes no call and needs `rewrite = false`";
        let nothing = "but nothing is reranked without `rerank.model` or `rerank.endpoint`";
        [
            (
                chunking.file.is_some() && chunking.strategy != Strategy::File,
                "chunking.file",
                of_file,
            ),
            (is_remote && dense.query_model.is_some(), "retrieval.dense.query_model", ONLY_LOCAL),
            (is_remote && dense.pooling.is_some(), "retrieval.dense.pooling", ONLY_LOCAL),
            (is_remote && dense.max_tokens.is_some(), "retrieval.dense.max_tokens", ONLY_LOCAL),
            (
                is_remote && dense.precision != Precision::default(),
                "retrieval.dense.precision",
                ONLY_LOCAL,
            ),
            (is_remote && chunking.tokenizer == Tokenizer::Model, "chunking.tokenizer", ONLY_LOCAL),
            (!is_remote && dense.api_key_env.is_some(), "retrieval.dense.api_key_env", of_endpoint),
            (!is_remote && dense.dimensions.is_some(), "retrieval.dense.dimensions", of_endpoint),
            (!is_reranked && rerank.depth.is_some(), "rerank.depth", nothing),
            (!by_endpoint && rerank.api_key_env.is_some(), "rerank.api_key_env", of_rerank),
            (!by_endpoint && rerank.form != RerankApi::default(), "rerank.form", of_rerank),
            (!by_model && rerank.max_tokens.is_some(), "rerank.max_tokens", ONLY_LOCAL),
            (is_silent && self.retrieval.rewrite, "retrieval.rewrite", of_generator),
        ]
    }

    fn check_retrievers(&self) -> Result<(), OutOfRange> {
        let (retrievers, weights) = (&self.retrieval.retrievers, &self.retrieval.fusion.weights);
        if let Some(name) = duplicate(retrievers) {
            return refuse("retrieval.retrievers", name.name(), "listed twice");
        }
        let key = "retrieval.fusion.weights";
        if let Some(name) = weights.keys().find(|name| !retrievers.contains(name)) {
            return refuse(key, name.name(), "which is not in `retrieval.retrievers`");
        }
        if weights.len() == retrievers.len() && weights.values().all(|weight| *weight == 0.0) {
            return refuse(key, "0 for all", "at least one must be above 0");
        }
        Ok(())
    }

    fn check_conditions(&self) -> Result<(), OutOfRange> {
        let conditions = &self.evaluation.conditions;
        if let Some(condition) = duplicate(conditions) {
            return refuse("evaluation.conditions", &format!("{condition:?}"), "listed twice");
        }
        if conditions.first() != Some(&Condition::Retrieved) {
            let value = format!("{conditions:?}");
            return refuse("evaluation.conditions", &value, "must begin with `retrieved`");
        }
        Ok(())
    }
}

/// A condition without a value would let everything through, or nothing.
fn check_filter(filter: &Filter) -> Result<(), OutOfRange> {
    let Some((field, _)) = filter.fields.iter().find(|(_, condition)| is_empty(condition)) else {
        return Ok(());
    };
    refuse(
        "retrieval.filter",
        &format!("`{field}` without a value"),
        "must have a value, a list of values, `not`, or one of `gt`, `gte`, `lt`, `lte`",
    )
}

fn is_empty(condition: &FieldCondition) -> bool {
    match condition {
        FieldCondition::Is(_) => false,
        FieldCondition::OneOf(values) => values.is_empty(),
        FieldCondition::Not(excluded) => excluded.not.is_empty(),
        FieldCondition::Within(bounds) => *bounds == NumberBounds::default(),
    }
}

fn duplicate<T: PartialEq>(items: &[T]) -> Option<&T> {
    let mut items_at = items.iter().enumerate();
    items_at.find(|(at, item)| items[..*at].contains(item)).map(|(_, item)| item)
}

/// `least`: another setting with its value.
fn at_least(
    key: &'static str,
    value: usize,
    (other, least): (&str, usize),
) -> Result<(), OutOfRange> {
    if value >= least {
        return Ok(());
    }
    let problem = format!("must be at least `{other}`, which is {least}");
    refuse(key, &value.to_string(), problem)
}

fn refuse(
    key: impl Into<Cow<'static, str>>,
    value: &str,
    problem: impl Into<Cow<'static, str>>,
) -> Result<(), OutOfRange> {
    Err(OutOfRange { name: key.into(), value: value.to_owned(), problem: problem.into() })
}

/// Checks the settings of the retriever `collection`, if it is used.
///
/// # Errors
/// A missing name, offsets without a document, or settings that contradict each other.
fn check_collection(settings: &Settings) -> Result<(), OutOfRange> {
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
        return refuse(format!("retrieval.collection.{key}"), "empty", problem);
    }
    let offsets = [
        ("start", start.is_some() && end.is_none(), "`end`"),
        ("end", end.is_some() && start.is_none(), "`start`"),
        ("start", start.is_some() && document.is_none(), "`document`"),
    ];
    if let Some((key, _, other)) = offsets.into_iter().find(|(_, is_alone, _)| *is_alone) {
        let problem = format!("but offsets need {other} as well");
        return refuse(format!("retrieval.collection.{key}"), "set", problem);
    }
    if !retrieval.filter.is_empty() {
        let problem = "but the retriever `collection` has its own: set `retrieval.collection.filter`, which decides what is \
                       retrieved";
        return refuse("retrieval.filter", "set", problem);
    }
    Ok(())
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

    #[test]
    fn a_file_of_chunks_belongs_to_its_strategy() {
        let read = |text: &str| toml::from_str::<Settings>(text).expect("settings");
        let settings = read("chunking.file = \"c.jsonl\"");
        assert_eq!(
            settings.validate().map_err(|error| error.to_string()),
            Err("`chunking.file` is set, but only `chunking.strategy = \"file\"` uses it"
                .to_owned())
        );
        let settings = read("chunking.file = \"c.jsonl\"\nchunking.strategy = \"file\"");
        assert_eq!(settings.validate(), Ok(()));
    }
}
