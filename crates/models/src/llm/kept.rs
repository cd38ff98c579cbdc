//! A cached response.

use serde::{Deserialize, Serialize};

use super::completion::Completion;
use ragtriage_core::types::{Finish, Origin};

/// A cached response with metadata of its call, without the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptReply {
    /// The unmodified text.
    pub text: String,
    /// The reason it ended.
    pub finish: Finish,
    /// Prompt tokens as billed, if reported by the endpoint.
    pub prompt_tokens: Option<u64>,
    /// Answer tokens as billed, if reported by the endpoint.
    pub completion_tokens: Option<u64>,
    /// The data set it was requested for, as named in a run's manifest.
    pub dataset: String,
    /// Time of the response, in seconds of Unix time.
    pub at: u64,
}

impl KeptReply {
    /// Parses a cached response; `None` for other bytes.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Serialises it for [`Self::read`].
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers serialise")
    }

    /// Converts it to a reply whose origin is a cache.
    pub(super) fn into_reply(self) -> Completion {
        let Self { text, finish, prompt_tokens, completion_tokens, .. } = self;
        Completion { text, finish, origin: Origin::Cached, prompt_tokens, completion_tokens }
    }
}
