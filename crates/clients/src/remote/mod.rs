//! The client that encoders and rerankers behind HTTP share.

#[cfg(test)]
pub(crate) mod faulty;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::calls::{CallPolicy, Pause};
use crate::http::{Backoff, EndpointSettings, JsonEndpoint, Kind, ServiceNames};
use crate::services::{bad_setting, check_positive};
use ragtriage_core::text::sanitize;
use ragtriage_core::types::ErrorKind;

/// Number of characters of a text shown in an error.
const START_CHARS: usize = 60;

pub(crate) struct RemoteClient {
    names: &'static ServiceNames,
    endpoint: JsonEndpoint,
    policy: CallPolicy,
}

impl RemoteClient {
    /// Checks the settings and creates the client, without making a call.
    pub(crate) fn new(
        endpoint: EndpointSettings,
        concurrency: usize,
        backoff: Backoff,
    ) -> Result<Self, Error> {
        let names = endpoint.names;
        if endpoint.timeout.is_zero() {
            return Err(bad_setting(names, "timeout_s", "must be above 0"));
        }
        check_positive(names, &[("concurrency", concurrency)])?;
        let policy = CallPolicy::new(concurrency, Pause::new(backoff.deadline), backoff);
        Ok(Self { names, endpoint: JsonEndpoint::new(endpoint)?, policy })
    }

    /// Returns the address without its secrets.
    pub(crate) fn shown_url(&self) -> &str {
        self.endpoint.shown_url()
    }

    /// Creates the error of an answer that is not what was asked for.
    pub(crate) fn wrong_answer(&self, what: &str) -> Error {
        let error = Error::contract(self.endpoint.shown_url(), what);
        Error { hint: self.names.hint(Kind::Unreadable).map(Into::into), ..error }
    }

    /// Posts a request about `texts` and reads the response; a call with too many texts is [`ErrorKind::TooLong`], with a
    /// message about the first text.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        request: &impl Serialize,
        texts: &[String],
    ) -> Result<T, Error> {
        let call = || async { Ok(self.endpoint.call(request).await?) };
        self.policy.run(call).await.map_err(|error| {
            if error.kind != ErrorKind::TooLong {
                return error;
            }
            let text = texts.first().map_or("", String::as_str);
            let (n_chars, start) =
                (text.chars().count(), sanitize::shortened(text, START_CHARS));
            let table = self.names.table;
            let message = format!(
                "a text of {n_chars} characters that begins with `{start}` is too long for the model of `{table}`: {error}"
            );
            let hint = "lower `chunking.size`, or let the server truncate texts";
            Error { kind: ErrorKind::TooLong, ..Error::new(message).hinting(hint) }
        })
    }
}

/// Makes calls concurrently; results are in the order of the calls.
pub(crate) async fn in_order<T>(
    calls: Vec<impl Future<Output = Result<Vec<T>, Error>>>,
    concurrency: usize,
) -> Result<Vec<T>, Error> {
    let results: Vec<Vec<T>> = stream::iter(calls).buffered(concurrency).try_collect().await?;
    Ok(results.into_iter().flatten().collect())
}

/// Returns true if a call with fewer texts may succeed.
pub(crate) fn is_too_large(error: &Error) -> bool {
    error.kind == ErrorKind::TooLong
}
