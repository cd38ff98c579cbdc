//! The contract of [`VectorStore`], clause by clause, over every implementation: the embedded store always, the server
//! if `RAGTRIAGE_QDRANT_URL` names one (and `RAGTRIAGE_QDRANT_API_KEY` its key, if it has one).

#![cfg_attr(
    not(feature = "embedded"),
    allow(
        dead_code,
        reason = "some clauses run on the embedded engine and on a real server alone"
    )
)]

#[cfg(feature = "embedded")]
mod embedded_kind;
mod existing;
mod filtering;
mod oracle;
mod processes;
mod program;
mod searching;
mod server;
mod storing;

use std::env;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use qdrant_client::Qdrant;
use qdrant_client::qdrant::{DeletePointsBuilder, PointStruct, PointsIdsList, UpsertPointsBuilder};

use super::{CollectionSpec, Error, Server, ServerStore, VectorSpec, VectorStore};
#[cfg(feature = "embedded")]
use embedded_kind::embedded;
use oracle::DIMENSION;
use ragtriage_core::types::Similarity;

/// Creates stores of one kind, all over the same cache or server, and modifies collections as other programs might.
#[async_trait]
trait StoreKind: Sync {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, Error>;

    /// Deletes points of a closed collection.
    async fn lose(&self, spec: &CollectionSpec, numbers: &[u32]);

    /// Adds a point, without a vector, to a closed collection.
    async fn plant(&self, spec: &CollectionSpec, number: u64);

    /// Returns the environment variable that tells a child process where the collections are.
    fn environment(&self) -> (&'static str, String);

    /// Returns true if stored points outlive the process that is killed while it stores more.
    fn keeps_after_a_kill(&self) -> bool;

    /// Removes the data that outlives the test.
    async fn clean(&self, spec: &CollectionSpec);
}

struct Remote(Server);

impl Remote {
    fn client(&self) -> Qdrant {
        let Server { url, api_key, .. } = &self.0;
        Qdrant::from_url(url)
            .api_key(api_key.clone())
            .skip_compatibility_check()
            .build()
            .expect("a client")
    }

    fn collection(spec: &CollectionSpec) -> String {
        format!("ragtriage_{}", spec.name())
    }
}

#[async_trait]
impl StoreKind for Remote {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, Error> {
        Ok(Box::new(ServerStore::open_or_create(&self.0, spec).await?))
    }

    async fn lose(&self, spec: &CollectionSpec, numbers: &[u32]) {
        let ids =
            PointsIdsList { ids: numbers.iter().map(|&number| u64::from(number).into()).collect() };
        let request = DeletePointsBuilder::new(Self::collection(spec)).points(ids).wait(true);
        self.client().delete_points(request).await.expect("deleted");
    }

    async fn plant(&self, spec: &CollectionSpec, number: u64) {
        let no_vectors = std::collections::HashMap::<String, Vec<f32>>::new();
        let point = PointStruct::new(number, no_vectors, qdrant_client::Payload::new());
        let request = UpsertPointsBuilder::new(Self::collection(spec), vec![point]).wait(true);
        self.client().upsert_points(request).await.expect("added");
    }

    fn environment(&self) -> (&'static str, String) {
        (URL, self.0.url.clone())
    }

    fn keeps_after_a_kill(&self) -> bool {
        true
    }

    async fn clean(&self, spec: &CollectionSpec) {
        self.client().delete_collection(Self::collection(spec)).await.expect("deleted");
    }
}

const URL: &str = "RAGTRIAGE_QDRANT_URL";

fn remote() -> Option<Remote> {
    let url = env::var(URL).ok()?;
    let api_key = env::var("RAGTRIAGE_QDRANT_API_KEY").ok();
    let (timeout, indexing_timeout) = (Duration::from_secs(30), Duration::from_mins(2));
    let server = Server { url, settings: "vector_store", api_key, timeout, indexing_timeout };
    Some(Remote(server))
}

/// Returns a collection that no other test uses, in this process or another.
fn spec(expected_points: usize) -> CollectionSpec {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let content = format!("{:08x}{:08x}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let vector = VectorSpec { dimension: DIMENSION, similarity: Similarity::Cosine, many: false };
    CollectionSpec::new(content, "dense", vector, expected_points)
}

macro_rules! contract {
    ($kind:ident $ignored:tt: $($file:ident::$clause:ident),* $(,)?) => {
        mod $kind {
            $(
                #[tokio::test]
                #[cfg_attr $ignored]
                async fn $clause() {
                    if let Some(kind) = super::$kind() {
                        super::$file::$clause(&kind).await;
                    }
                }
            )*
        }
    };
}

macro_rules! contracts {
    ($($kind:ident $ignored:tt)*) => {
        $(contract!(
            $kind $ignored:
            storing::an_empty_collection_misses_everything_and_has_no_neighbours,
            storing::upserting_twice_changes_nothing,
            storing::a_whole_collection_is_there_when_opened_again,
            storing::a_filling_that_was_broken_off_goes_on,
            storing::a_vector_that_does_not_fit_is_refused_and_nothing_written,
            storing::a_changed_layout_is_another_collection,
            storing::points_that_others_deleted_are_missing_and_filled_again,
            storing::a_point_that_is_not_ours_is_named,
            storing::two_may_fill_at_once,
            searching::exact_search_is_the_order_of_comparing_with_all,
            searching::a_limit_beyond_the_size_gives_all_and_none_gives_none,
            searching::the_graph_is_followed_as_its_settings_say,
            searching::a_small_collection_is_scanned_although_a_graph_is_asked_for,
            searching::quantized_copies_are_read_by_approximate_search_alone,
            searching::multivectors_are_compared_by_their_best_rows,
            searching::a_graph_over_multivectors_finds_what_comparing_finds,
            filtering::a_filter_lets_through_what_it_matches,
            filtering::a_filter_holds_for_the_graph_too,
            processes::two_processes_fill_one_collection,
            processes::a_killed_filling_can_be_completed,
        );)*
    };
}

#[cfg(feature = "embedded")]
contracts!(embedded (any(), ignore) remote (not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL"));
#[cfg(not(feature = "embedded"))]
contracts!(remote(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL"));
