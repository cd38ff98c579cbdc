//! Errors of calling an encoder or reranker over HTTP.

use std::time::Duration;

use ragtriage_core::text::sanitize;
use ragtriage_core::types::ErrorKind;
use ragtriage_http::HttpError;

/// Number of characters of a text shown in an error.
const START_CHARS: usize = 60;

/// The kind of model behind an endpoint, which determines the wording of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteModel {
    /// Converts texts to vectors.
    Encoder,
    /// Scores passages for a question.
    Reranker,
}

impl RemoteModel {
    fn name(self) -> &'static str {
        match self {
            Self::Encoder => "encoder",
            Self::Reranker => "reranker",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Encoder => "text",
            Self::Reranker => "passage",
        }
    }

    fn section(self) -> &'static str {
        match self {
            Self::Encoder => "retrieval.dense",
            Self::Reranker => "rerank",
        }
    }

    /// Rejects an empty model name, a timeout of zero and counts of zero.
    pub(crate) fn check(
        self,
        is_named: bool,
        timeout: Duration,
        numbers: &[(&'static str, usize)],
    ) -> Result<(), RemoteError> {
        if !is_named {
            return Err(self.bad_setting("model", "is empty"));
        }
        if timeout.is_zero() {
            return Err(self.bad_setting("timeout_s", "must be above 0"));
        }
        match numbers.iter().find(|(_, number)| *number == 0) {
            Some((setting, _)) => Err(self.bad_setting(setting, "must be at least 1")),
            None => Ok(()),
        }
    }

    fn bad_setting(self, setting: &'static str, reason: impl Into<String>) -> RemoteError {
        RemoteError::BadSetting { model: self, setting, reason: reason.into() }
    }
}

/// An error of calling a model over HTTP.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The call failed.
    #[error(transparent)]
    Http(HttpError),
    /// A setting has an invalid value.
    #[error("`{}.{setting}` {reason}", .model.section())]
    BadSetting {
        /// The kind of model that the setting belongs to.
        model: RemoteModel,
        /// Its name.
        setting: &'static str,
        /// The reason it is invalid.
        reason: String,
    },
    /// The server answered with something else than what was asked for.
    #[error("`{url}` returned {what}")]
    WrongAnswer {
        /// The address without its secrets.
        url: String,
        /// The result, and the expected one.
        what: String,
    },
    /// The server rejects a text that is alone in its call.
    #[error(
        "a {} of {n_chars} characters that begins with `{start}` is too long for the {}: {source}",
        .model.text(), .model.name()
    )]
    TooLong {
        /// The model that rejects it.
        model: RemoteModel,
        /// The length of the text, prefix and title included.
        n_chars: usize,
        /// Its first words.
        start: String,
        /// The server's response.
        source: HttpError,
    },
}

impl RemoteError {
    /// Names the configuration key that caused the error, if any.
    pub(crate) fn new(model: RemoteModel, error: HttpError) -> Self {
        match error {
            HttpError::BadAddress { reason } => model.bad_setting("endpoint", reason),
            HttpError::BadKey => model.bad_setting(
                "api_key_env",
                "names a key with characters that are not allowed in a header",
            ),
            error => Self::Http(error),
        }
    }

    /// Creates the error of a call about `texts`; if a call with a single text was too large, the text is
    /// shown.
    pub(super) fn of_call(model: RemoteModel, texts: &[String], error: HttpError) -> Self {
        if !error.is_too_large() {
            return Self::new(model, error);
        }
        let text = texts.first().map_or("", String::as_str);
        Self::TooLong {
            model,
            n_chars: text.chars().count(),
            start: sanitize::shortened(text, START_CHARS),
            source: error,
        }
    }

    /// Returns its cause, as recorded in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Http(error) => error.kind(),
            Self::TooLong { .. } => ErrorKind::TooLong,
            Self::BadSetting { .. } | Self::WrongAnswer { .. } => ErrorKind::Permanent,
        }
    }

    /// Returns the hint, with the names of the settings of `model`.
    pub(crate) fn hint(&self, model: RemoteModel) -> Option<String> {
        match self {
            Self::Http(error) => http_hint(error.last(), model),
            Self::BadSetting { setting: "endpoint", .. } => Some(match model {
                RemoteModel::Encoder => {
                    "write it like `http://localhost:8080/v1`; `/embeddings` is added".to_owned()
                }
                RemoteModel::Reranker => {
                    "write it like `http://localhost:8080`; `/rerank` is added".to_owned()
                }
            }),
            Self::BadSetting { .. } => None,
            Self::WrongAnswer { .. } => Some(wrong_server(model)),
            Self::TooLong { .. } => {
                Some("lower `chunking.size`, or let the server truncate texts".to_owned())
            }
        }
    }
}

/// Returns the hint for a server whose answers are not those of such a model.
fn wrong_server(model: RemoteModel) -> String {
    match model {
        RemoteModel::Encoder => {
            "check that `retrieval.dense.model` at `retrieval.dense.endpoint` is an embedding model, and \
             `retrieval.dense.dimensions` if it is set"
        }
        RemoteModel::Reranker => {
            "check that `rerank.model` at `rerank.endpoint` is a reranker, and that `rerank.form` is its API"
        }
    }
    .to_owned()
}

fn http_hint(error: &HttpError, model: RemoteModel) -> Option<String> {
    let section = model.section();
    Some(match (error, model) {
        (HttpError::Unreachable { .. }, _) => {
            format!("start the server or correct `{section}.endpoint`")
        }
        (HttpError::TimedOut { .. } | HttpError::DeadlinePassed { .. }, _) => {
            format!("raise `{section}.timeout_s`, or check the server at `{section}.endpoint`")
        }
        (HttpError::Broken { .. } | HttpError::TooLarge { .. }, _) => {
            format!("check the server at `{section}.endpoint`")
        }
        (HttpError::Untrusted { .. }, _) => {
            format!(
                "name the PEM file of its certificate authority, or of a self-signed certificate without `CA:TRUE`, in `{section}.ca_file`"
            )
        }
        (HttpError::Redirected { .. }, _) => {
            format!("set `{section}.endpoint` to the target of the redirect, if you trust it")
        }
        (HttpError::Status { status: 401 | 403, .. }, _) => {
            format!("`{section}.api_key_env` names the variable with the key")
        }
        (HttpError::Status { status: 404 | 405, .. }, RemoteModel::Encoder) => {
            "`/embeddings` is appended to `retrieval.dense.endpoint`, which usually ends in `/v1`; check the model name as well"
                .to_owned()
        }
        (HttpError::Status { status: 404 | 405, .. }, RemoteModel::Reranker) => {
            "`/rerank` is appended to `rerank.endpoint`; check the model name as well".to_owned()
        }
        (HttpError::Unreadable { .. }, RemoteModel::Encoder) => {
            "check that an OpenAI-compatible server runs at `retrieval.dense.endpoint`".to_owned()
        }
        (
            HttpError::Unreadable { .. } | HttpError::Status { status: 400 | 422, .. },
            RemoteModel::Reranker,
        ) => {
            "check that `rerank.form` (`cohere`, `jina`, `tei`) is the API of the server at `rerank.endpoint`".to_owned()
        }
        (HttpError::Status { .. }, _) => format!("check the server at `{section}.endpoint`"),
        _ => return ragtriage_core::hint::Hint::hint(error),
    })
}
