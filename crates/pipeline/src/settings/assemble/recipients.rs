//! Services that receive data from a run; it sends data to no others.

use crate::settings::Settings;
use ragtriage_core::config::{
    CollectionSettings, DenseSettings, ExternalSettings, RerankSettings, RetrievalSettings,
    VectorStoreKind, VectorStoreSettings,
};
use ragtriage_core::fuse::Fusion;
use ragtriage_core::text::address;
use ragtriage_core::types::{Recipient, RecipientRole, RetrieverName};

/// Returns the services that a run of these settings calls, in call order.
#[must_use]
pub fn recipients(settings: &Settings) -> Vec<Recipient> {
    let Settings { retrieval, rerank, vector_store, generation, judge, external, .. } = settings;
    let to = |role, url: &str, what| Recipient {
        role,
        address: address::shown_url(url),
        is_here: address::is_on_this_machine(url),
        what,
    };
    let texts = "passages and questions";
    let judge = judge
        .is_on()
        .then(|| to(RecipientRole::Judge, &judge.base_url, "questions, answers and gold answers"));
    if let Some(url) = &external.url {
        let what = if external.answers_contexts { texts } else { "questions" };
        let service = to(RecipientRole::Service, url, what);
        return [service].into_iter().chain(judge).collect();
    }
    let asks_collection = retrieval.retrievers.contains(&RetrieverName::Collection);
    let encoder = retrieval
        .dense
        .endpoint
        .iter()
        .filter(|_| uses_encoder(settings))
        .map(|url| to(RecipientRole::Encoder, url, texts));
    let is_server = vector_store.kind == VectorStoreKind::Server && uses_vector_store(settings);
    let store = is_server.then(|| {
        let what = "the vectors (no text) of passages and questions";
        to(RecipientRole::VectorStore, &vector_store.url, what)
    });
    let collection = asks_collection.then(|| {
        let is_sparse = retrieval.collection.mode.is_sparse();
        let what = if is_sparse { "questions" } else { "the vectors (no text) of questions" };
        to(RecipientRole::Collection, &retrieval.collection.url, what)
    });
    let reranker = rerank.endpoint.iter().map(|url| to(RecipientRole::Reranker, url, texts));
    let is_openai = generation.calls_endpoint();
    let generator = is_openai.then(|| to(RecipientRole::Generator, &generation.base_url, texts));
    encoder.chain(store).chain(collection).chain(reranker).chain(generator).chain(judge).collect()
}

/// Returns the services that an import calls: the judge, and the generator if conditions are asked.
#[must_use]
pub fn import_recipients(settings: &Settings, asks_conditions: bool) -> Vec<Recipient> {
    // The service that recorded the results is not called.
    let mut all =
        recipients(&Settings { external: ExternalSettings::default(), ..settings.clone() });
    let is_called = |role: RecipientRole| {
        role == RecipientRole::Judge || (role == RecipientRole::Generator && asks_conditions)
    };
    all.retain(|recipient| is_called(recipient.role));
    all
}

/// Returns true if any retriever needs the dense encoder.
pub(super) fn uses_encoder(settings: &Settings) -> bool {
    let retrieval = &settings.retrieval;
    let asks_collection = retrieval.retrievers.contains(&RetrieverName::Collection);
    retrieval.retrievers.contains(&RetrieverName::Dense)
        || (asks_collection && retrieval.collection.mode.is_dense())
}

/// Returns true if any retriever stores its vectors in the vector store.
#[must_use]
pub fn uses_vector_store(settings: &Settings) -> bool {
    settings.retrieval.retrievers.iter().any(|name| match name {
        RetrieverName::Bm25 | RetrieverName::Tfidf | RetrieverName::Collection => false,
        RetrieverName::Dense | RetrieverName::LateInteraction => true,
    })
}

/// Returns the settings without an external RAG, and with BM25 alone in place of a retrieval that calls a service.
#[must_use]
pub fn without_services(settings: &Settings) -> Settings {
    let mut local = settings.clone();
    local.external = ExternalSettings::default();
    let of_answers = [RecipientRole::Generator, RecipientRole::Judge];
    let calls = recipients(&local).iter().any(|it| !of_answers.contains(&it.role));
    if calls {
        local.rerank = RerankSettings::default();
        local.vector_store = VectorStoreSettings::default();
        local.retrieval = RetrievalSettings {
            retrievers: vec![RetrieverName::Bm25],
            min_score: None,
            dense: DenseSettings::default(),
            collection: CollectionSettings::default(),
            fusion: Fusion::default(),
            ..local.retrieval
        };
    }
    local
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(sets: &[&str]) -> Settings {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        crate::settings::Resolved::new(None, &sets).expect("valid").settings
    }

    fn roles(settings: &Settings) -> Vec<(RecipientRole, bool)> {
        recipients(settings).iter().map(|recipient| (recipient.role, recipient.is_here)).collect()
    }

    #[test]
    fn only_what_is_called_is_a_recipient() {
        assert_eq!(
            roles(&settings(&[
                "vector_store.url=http://h:6334",
                "generation.base_url=http://h/v1"
            ])),
            []
        );
        let all = settings(&[
            "retrieval.retrievers=[\"bm25\", \"dense\"]",
            "retrieval.dense.endpoint=https://e/v1?key=hush",
            "vector_store.kind=server",
            "rerank.endpoint=https://r",
            "generation.generator=openai",
        ]);
        let expected = [
            (RecipientRole::Encoder, false),
            (RecipientRole::VectorStore, true),
            (RecipientRole::Reranker, false),
            (RecipientRole::Generator, true),
        ];
        assert_eq!(roles(&all), expected);
        assert_eq!(recipients(&all)[0].address, "https://e/v1");
    }

    #[test]
    fn an_import_calls_the_generator_for_conditions_and_never_the_recorded_service() {
        let all = settings(&[
            "external.url=https://r",
            "generation.generator=openai",
            "generation.base_url=https://g/v1",
            "judge.model=j",
        ]);
        let roles =
            |asks| import_recipients(&all, asks).iter().map(|it| it.role).collect::<Vec<_>>();
        assert_eq!(roles(true), [RecipientRole::Generator, RecipientRole::Judge]);
        assert_eq!(roles(false), [RecipientRole::Judge]);
    }

    #[test]
    fn what_is_left_without_services_calls_none() {
        let mixed = settings(&[
            "retrieval.retrievers=[\"tfidf\", \"dense\"]",
            "retrieval.dense.endpoint=https://e/v1",
            "retrieval.fusion.weights={dense = 2.0}",
            "rerank.endpoint=https://r",
        ]);
        let local = without_services(&mixed);
        assert_eq!(
            (roles(&local), local.retrieval.retrievers),
            (Vec::new(), vec![RetrieverName::Bm25])
        );
        assert_eq!(without_services(&settings(&[])), settings(&[]));
    }
}
