//! A wrapper that stores any generator's replies in a cache file, so that no prompt is paid for twice.
//!
//! A reply's key is the sha256 of the generator's fingerprint and the prompt's two messages: it does not depend on the arm
//! or run, and a stale hit is impossible unless the server changes the model behind a name. Prompts are not stored. Failures
//! are not stored either; truncated and filtered replies are. Concurrent requests with the same prompt result in one call.
//!
//! A file that cannot be opened is an error before any call: a run believed to be cached would be paid for again. A
//! damaged file is recreated, with a notice. A later failure of the file costs no question its reply: the first failure is
//! recorded ([`CachedReplies::failure`]).

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use tokio::sync::OnceCell;

use super::{Completion, Generator, KeptReply, LlmError};
use crate::cache::{CacheError, CacheTable, ContentKey, Database, key};
use ragtriage_core::notices::Notices;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::Origin;

/// The table of cached responses.
pub const REPLIES: CacheTable = CacheTable { name: "replies", value: "reply", label: "responses" };

/// A [`Generator`] that calls another only for prompts not in the cache.
pub struct CachedReplies {
    inner: Arc<dyn Generator>,
    database: Database,
    dataset: String,
    /// The keys of the calls in progress.
    asking: Mutex<HashMap<ContentKey, Arc<OnceCell<Completion>>>>,
    failure: OnceLock<CacheError>,
}

impl CachedReplies {
    /// Opens or creates the database at `path`, and its folder; a new file is readable only by its owner. New replies are
    /// labelled with `dataset`.
    pub fn open(
        inner: Arc<dyn Generator>,
        path: &Path,
        dataset: String,
        notices: &Notices,
    ) -> Result<Self, CacheError> {
        let database = Database::open(path, &[REPLIES], notices)?;
        Ok(Self { inner, database, dataset, asking: Mutex::default(), failure: OnceLock::new() })
    }

    /// Returns the first error of reading or storing a reply, if any.
    pub fn failure(&self) -> Option<&CacheError> {
        self.failure.get()
    }

    /// Returns `None` if the generator's replies are not cached.
    fn key(&self, prompt: &Prompt) -> Option<ContentKey> {
        Some(key(&[self.inner.fingerprint()?, &prompt.system, &prompt.user]))
    }

    async fn read(&self, key: ContentKey) -> Option<KeptReply> {
        match self.database.read(REPLIES, vec![key], KeptReply::read).await {
            Ok(mut found) => found.pop().flatten(),
            Err(error) => {
                let _ = self.failure.set(error); // only the first is reported
                None
            }
        }
    }

    async fn keep(&self, key: ContentKey, reply: &Completion) {
        let Completion { text, finish, origin: _, prompt_tokens, completion_tokens } =
            reply.clone();
        let at = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let dataset = self.dataset.clone();
        let kept = KeptReply { text, finish, prompt_tokens, completion_tokens, dataset, at };
        if let Err(error) = self.database.write(REPLIES, vec![(key, kept.to_bytes())]).await {
            let _ = self.failure.set(error); // only the first is reported
        }
    }

    fn asking(&self) -> MutexGuard<'_, HashMap<ContentKey, Arc<OnceCell<Completion>>>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Generator for CachedReplies {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fingerprint(&self) -> Option<&str> {
        self.inner.fingerprint()
    }

    async fn is_cached(&self, prompt: &Prompt) -> bool {
        match self.key(prompt) {
            Some(key) => self.read(key).await.is_some(),
            None => false,
        }
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        let Some(key) = self.key(prompt) else {
            return self.inner.generate(prompt).await;
        };
        let cell = Arc::clone(self.asking().entry(key).or_default());
        let mut origin = Origin::Cached;
        let ask = async {
            if let Some(kept) = self.read(key).await {
                return Ok(kept.into_reply());
            }
            let reply = self.inner.generate(prompt).await?;
            self.keep(key, &reply).await;
            origin = reply.origin;
            Ok(reply)
        };
        // After a failure, each waiting caller makes its call.
        let reply: Result<Completion, LlmError> = cell.get_or_try_init(|| ask).await.cloned();
        self.asking().remove(&key);
        Ok(Completion { origin, ..reply? })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use ragtriage_core::types::{Finish, QuestionKind};

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

        async fn generate(&self, _: &Prompt) -> Result<Completion, LlmError> {
            let n = self.n_calls.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            if n < self.n_failures {
                return Err(LlmError::Busy {
                    url: "u".into(),
                    status: 503,
                    excerpt: String::new(),
                    retry_after: None,
                });
            }
            Ok(Completion {
                text: n.to_string(),
                finish: Finish::Length,
                origin: Origin::Called,
                prompt_tokens: Some(7),
                completion_tokens: None,
            })
        }
    }

    fn prompt(system: &str, user: &str) -> Prompt {
        let (system, user) = (system.to_owned(), user.to_owned());
        Prompt {
            question: "q".into(),
            kind: QuestionKind::Span,
            passages: Vec::new(),
            system,
            user,
        }
    }

    fn open(path: &Path, inner: &Arc<Counting>) -> CachedReplies {
        let (inner, dataset) = (Arc::clone(inner) as _, "files here".to_owned());
        CachedReplies::open(inner, path, dataset, &Notices::default()).unwrap()
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
        let kept = later.read(key).await.unwrap();
        assert_eq!((kept.text.as_str(), kept.dataset.as_str()), ("0", "files here"));
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
    async fn a_file_that_breaks_later_costs_no_reply_and_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.sqlite");
        let cached = open(&path, &counting("a"));
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute("CREATE TRIGGER broken BEFORE INSERT ON replies BEGIN SELECT RAISE(FAIL, 'broken'); END", [])
            .unwrap();
        assert_eq!(cached.generate(&prompt("s", "u")).await.unwrap().text, "0");
        assert!(cached.failure().unwrap().to_string().contains("broken"));
    }

    #[tokio::test]
    async fn what_is_no_reply_is_asked_for_again_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.sqlite");
        let inner = counting("a");
        let cached = open(&path, &inner);
        cached.generate(&prompt("s", "u")).await.unwrap();
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute("UPDATE replies SET reply = x'00'", [])
            .unwrap();
        for expected in [Origin::Called, Origin::Cached] {
            assert_eq!(cached.generate(&prompt("s", "u")).await.unwrap().origin, expected);
        }
    }
}
