//! The contract of [`VectorStore`], clause by clause, over every implementation: the embedded store always, the server
//! if `RAGTRIAGE_QDRANT_URL` names one (and `RAGTRIAGE_QDRANT_API_KEY` its key, if it has one).

mod embedded_kind;
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

use super::{CollectionSpec, Error, Server, ServerStore, VectorStore};
use embedded_kind::embedded;
use oracle::DIMENSION;
use ragtriage_core::types::{Similarity, VectorShape};

/// Creates stores of one kind, all over the same cache or server.
#[async_trait]
trait StoreKind: Sync {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, Error>;

    /// Returns the environment variable that tells a child process where the collections are.
    fn environment(&self) -> (&'static str, String);

    /// Returns true if the points of a filling that was broken off are kept.
    fn keeps_points(&self) -> bool;

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

    fn environment(&self) -> (&'static str, String) {
        (URL, self.0.url.clone())
    }

    fn keeps_points(&self) -> bool {
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
    let timeout = Duration::from_secs(30);
    Some(Remote(Server { url, settings: "vector_store", api_key, timeout }))
}

/// Returns a collection that no other test uses, in this process or another.
fn spec(expected_points: usize) -> CollectionSpec {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let content = format!("{:08x}{:08x}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let vector = VectorShape { dimension: DIMENSION, similarity: Similarity::Cosine, many: false };
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
            storing::a_filling_that_was_broken_off_can_be_completed,
            storing::a_vector_that_does_not_fit_is_refused_and_nothing_written,
            searching::exact_search_is_the_order_of_comparing_with_all,
            searching::a_limit_beyond_the_size_gives_all_and_none_gives_none,
            searching::multivectors_are_compared_by_their_best_rows,
            searching::only_allowed_points_are_found,
            processes::two_processes_fill_one_collection,
            processes::a_killed_filling_can_be_completed,
        );)*
    };
}

contracts!(embedded (any(), ignore) remote (not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL"));
