//! A wrapper that stores any generator's responses in a cache file, so that no prompt is paid for twice.
//!
//! A response's key is the sha256 of the generator's fingerprint and the prompt's two messages: it does not depend on the
//! condition or run, and a stale hit is impossible unless the server changes the model behind a name. Prompts are not
//! stored. Failures are not stored either; truncated and filtered responses are. Concurrent requests with the same prompt
//! result in one call. A file that cannot be opened is an error before any call: a run believed to be cached would be paid
//! for again.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use super::{Completion, Generator};
use crate::Error;
use crate::cache::{CacheTable, Cached, CachedValue, ContentKey, Database, key};
use ragtriage_core::notices::Notices;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::{Finish, Origin};

/// The table of cached responses.
const REPLIES: CacheTable = CacheTable { name: "replies", value: "reply", label: "responses" };

/// A cached response with metadata of its call, without the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CachedResponse {
    /// The unmodified text.
    text: String,
    /// The reason it ended.
    finish: Finish,
    /// Prompt tokens as billed, if reported by the endpoint.
    prompt_tokens: Option<u64>,
    /// Answer tokens as billed, if reported by the endpoint.
    completion_tokens: Option<u64>,
}

impl CachedValue for CachedResponse {
    fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers serialise")
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// A [`Generator`] that calls another only for prompts not in the cache.
pub struct CachedGenerator {
    inner: Arc<dyn Generator>,
    responses: Cached<CachedResponse>,
    /// The keys of the calls in progress.
    asking: Mutex<HashMap<ContentKey, Arc<OnceCell<Completion>>>>,
}

impl CachedGenerator {
    /// Opens or creates the database at `path`, and its folder; a new file is readable only by its owner.
    pub fn open(inner: Arc<dyn Generator>, path: &Path, notices: &Notices) -> Result<Self, Error> {
        let responses = Cached::new(Database::open(path, &[REPLIES], notices)?, REPLIES);
        Ok(Self { inner, responses, asking: Mutex::default() })
    }

    /// Returns `None` if the generator's responses are not cached.
    fn key(&self, prompt: &Prompt) -> Option<ContentKey> {
        Some(key(&[self.inner.fingerprint()?, &prompt.system, &prompt.user]))
    }

    async fn find(&self, key: ContentKey) -> Option<CachedResponse> {
        self.responses.find(&[key]).await.pop().flatten()
    }

    async fn store(&self, key: ContentKey, completion: &Completion) {
        let Completion { text, finish, origin: _, prompt_tokens, completion_tokens, seconds: _ } =
            completion.clone();
        let response = CachedResponse { text, finish, prompt_tokens, completion_tokens };
        self.responses.store([(key, &response)].into_iter()).await;
    }

    fn asking(&self) -> MutexGuard<'_, HashMap<ContentKey, Arc<OnceCell<Completion>>>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Generator for CachedGenerator {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fingerprint(&self) -> Option<&str> {
        self.inner.fingerprint()
    }

    async fn is_cached(&self, prompt: &Prompt) -> bool {
        match self.key(prompt) {
            Some(key) => self.find(key).await.is_some(),
            None => false,
        }
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, Error> {
        let Some(key) = self.key(prompt) else {
            return self.inner.generate(prompt).await;
        };
        let cell = Arc::clone(self.asking().entry(key).or_default());
        let mut origin = Origin::Cached;
        let ask = async {
            if let Some(found) = self.find(key).await {
                let CachedResponse { text, finish, prompt_tokens, completion_tokens } = found;
                let seconds = 0.0;
                return Ok(Completion {
                    text,
                    finish,
                    origin,
                    prompt_tokens,
                    completion_tokens,
                    seconds,
                });
            }
            let completion = self.inner.generate(prompt).await?;
            self.store(key, &completion).await;
            origin = completion.origin;
            Ok(completion)
        };
        // After a failure, each waiting caller makes its call.
        let completion: Result<Completion, Error> = cell.get_or_try_init(|| ask).await.cloned();
        self.asking().remove(&key);
        Ok(Completion { origin, ..completion? })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers with the number of the call, or fails the first calls.
    #[derive(Default)]
    struct Counting {
        fingerprint: Option<&'static str>,
        n_failures: usize,
        n_calls: AtomicUsize,
    }

    #[async_trait]
    impl Generator for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn fingerprint(&self) -> Option<&str> {
            self.fingerprint
        }

        async fn generate(&self, _: &Prompt) -> Result<Completion, Error> {
            let n = self.n_calls.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            if n < self.n_failures {
                return Err(Error::new("status 503"));
            }
            Ok(Completion {
                text: n.to_string(),
                finish: Finish::Length,
                origin: Origin::Called,
                prompt_tokens: Some(7),
                completion_tokens: None,
                seconds: 0.0,
            })
        }
    }

    fn prompt(system: &str, user: &str) -> Prompt {
        let (system, user) = (system.to_owned(), user.to_owned());
        Prompt { question: "q".into(), passages: Vec::new(), system, user }
    }

    fn open(path: &Path, inner: &Arc<Counting>) -> CachedGenerator {
        CachedGenerator::open(Arc::clone(inner) as _, path, &Notices::default()).unwrap()
    }

    fn counting(fingerprint: &'static str) -> Arc<Counting> {
        Arc::new(Counting { fingerprint: Some(fingerprint), ..Counting::default() })
    }

    #[tokio::test]
    async fn a_reply_is_kept_as_it_came_for_whoever_asks_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.sqlite");
        let inner = counting("a");
        let first = open(&path, &inner).generate(&prompt("s", "u")).await.unwrap();
        let later = open(&path, &inner);
        let second = later.generate(&prompt("s", "u")).await.unwrap();
        assert_eq!((first.origin, second.origin), (Origin::Called, Origin::Cached));
        assert_eq!(second, Completion { origin: Origin::Cached, ..first });
        let key = later.key(&prompt("s", "u")).unwrap();
        let kept = later.find(key).await.unwrap();
        assert_eq!(kept.text, "0");
        assert!(later.is_cached(&prompt("s", "u")).await);
        assert!(!later.is_cached(&prompt("s", "v")).await);
        assert_eq!(inner.n_calls.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn another_message_or_generator_is_another_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.sqlite");
        let (a, b) = (counting("a"), counting("b"));
        let of_a = open(&path, &a);
        for prompt in [prompt("s", "u"), prompt("su", ""), prompt("", "su"), prompt("s", "u")] {
            of_a.generate(&prompt).await.unwrap();
        }
        open(&path, &b).generate(&prompt("s", "u")).await.unwrap();
        assert_eq!((a.n_calls.load(Ordering::SeqCst), b.n_calls.load(Ordering::SeqCst)), (3, 1));
    }

    #[tokio::test]
    async fn a_generator_without_a_fingerprint_is_asked_every_time() {
        let folder = tempfile::tempdir().unwrap();
        let inner = Arc::new(Counting::default());
        let cached = open(&folder.path().join("replies.sqlite"), &inner);
        for _ in 0..2 {
            assert_eq!(cached.generate(&prompt("s", "u")).await.unwrap().origin, Origin::Called);
        }
        assert_eq!(inner.n_calls.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn the_same_prompt_asked_at_once_is_called_for_once() {
        let folder = tempfile::tempdir().unwrap();
        let inner = counting("a");
        let cached = open(&folder.path().join("replies.sqlite"), &inner);
        let prompt = prompt("s", "u");
        let replies =
            futures_util::future::join_all((0..8).map(|_| cached.generate(&prompt))).await;
        let called =
            replies.iter().filter(|reply| reply.as_ref().unwrap().origin == Origin::Called).count();
        assert_eq!((called, inner.n_calls.load(Ordering::SeqCst)), (1, 1));
        assert!(cached.asking().is_empty());
    }

    #[tokio::test]
    async fn a_failure_is_not_kept_and_those_who_waited_ask_for_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let inner =
            Arc::new(Counting { fingerprint: Some("a"), n_failures: 2, ..Counting::default() });
        let cached = open(&folder.path().join("replies.sqlite"), &inner);
        let prompt = prompt("s", "u");
        let replies =
            futures_util::future::join_all((0..4).map(|_| cached.generate(&prompt))).await;
        assert_eq!(replies.iter().filter(|reply| reply.is_err()).count(), 2);
        assert_eq!(inner.n_calls.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn a_file_that_breaks_later_costs_no_response_and_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.sqlite");
        let notices = Notices::default();
        let inner = counting("a");
        let cached = CachedGenerator::open(inner, &path, &notices).unwrap();
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute("CREATE TRIGGER broken BEFORE INSERT ON replies BEGIN SELECT RAISE(FAIL, 'broken'); END", [])
            .unwrap();
        for expected in ["0", "1"] {
            assert_eq!(cached.generate(&prompt("s", "u")).await.unwrap().text, expected);
        }
        let shown = notices.shown();
        assert!(shown.len() == 1 && shown[0].ends_with(": broken"), "{shown:?}");
    }
}
