//! A RAG over HTTP: a question by `POST`, answered with the object that [`ragtriage_data::run::external::recorded`] describes,
//! or with another one that pointers map to it.
//!
//! A service may also be asked to answer from contexts that it is sent. Transient failures are retried and calls limited by
//! the generators' policy (`CallPolicy`).

mod mapping;
mod pointer;
mod request;
mod stream;

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};

pub use mapping::MappingSettings;

use self::mapping::Mapping;
use self::request::{Asked, RequestTemplate};
use crate::Error;
use crate::calls::{CallPolicy, Pause};
use crate::http::{Backoff, EndpointSettings, JsonEndpoint, Retry, Secret};
use crate::services::{EXTERNAL, bad_setting, check_positive};
use ragtriage_core::types::{ArmName, Question};
use ragtriage_data::Place;
use ragtriage_data::run::external::join::Joined;
use ragtriage_data::run::external::recorded::{
    self, Recorded, RecordedAnswer, RecordedAttempt, RecordedError,
};

/// Total time for waits between the attempts of one question.
const WAITS: Duration = Duration::from_mins(1);
/// Maximum size of a response: 32 MiB hold thousands of contexts.
const LARGEST_ANSWER_BYTES: usize = 32 << 20;

/// An external RAG: its record, or the service itself.
///
/// Contract: a failure concerns the one question; transient failures are retried by the implementation.
#[async_trait]
pub trait Rag: Send + Sync {
    /// Asks `question` and returns the response.
    async fn ask(&self, question: &Question) -> Result<Recorded, Error>;
}

#[async_trait]
impl Rag for Joined {
    async fn ask(&self, question: &Question) -> Result<Recorded, Error> {
        self.line(&question.id)
            .cloned()
            .ok_or_else(|| Error::new("no recorded answer for this question"))
    }
}

/// The settings of a service. Not `Debug`: they hold a key, and the URL may contain one.
#[derive(Clone)]
pub struct ServiceSettings {
    /// The address that questions are posted to.
    pub url: String,
    /// Sent as a bearer token.
    pub api_key: Option<String>,
    /// Further headers; one named `authorization` replaces the key's.
    pub headers: Vec<(String, Secret)>,
    /// The body of a request, with placeholders; empty for the default.
    pub request: Map<String, Value>,
    /// The places of contexts and answer in a response.
    pub mapping: MappingSettings,
    /// True if the service is also sent contexts to answer from.
    pub answers_contexts: bool,
    /// Timeout of one call.
    pub timeout: Duration,
    /// Maximum number of concurrent calls.
    pub concurrency: usize,
    /// The number of retries of a transient failure.
    pub retries: u32,
    /// True if a response must contain an answer in addition to contexts.
    pub answers: bool,
}

/// A request to answer from given contexts alone.
pub struct ContextsCall<'a> {
    /// The question's id.
    pub id: &'a str,
    /// Its text.
    pub question: &'a str,
    /// The condition that the contexts belong to.
    pub arm: ArmName,
    /// The contexts; empty for none.
    pub contexts: &'a [String],
}

/// A service, one call per question and condition.
pub struct Service {
    endpoint: JsonEndpoint,
    request: RequestTemplate,
    mapping: Option<Mapping>,
    policy: CallPolicy,
    pause: Pause,
    answers: bool,
}

impl Service {
    /// Checks the settings and creates the client. Makes no calls.
    pub fn new(settings: ServiceSettings) -> Result<Self, Error> {
        let tries = settings.retries.saturating_add(1);
        let endpoint = EndpointSettings {
            api_key: settings.api_key.map(Secret::new),
            headers: settings.headers,
            timeout: settings.timeout,
            most_bytes: LARGEST_ANSWER_BYTES,
            ..EndpointSettings::new(&settings.url, &EXTERNAL)?
        };
        check_positive(&EXTERNAL, &[("concurrency", settings.concurrency)])?;
        let deadline = settings.timeout.saturating_mul(tries).saturating_add(WAITS);
        let (backoff, pause) = (Backoff::new(tries, deadline), Pause::new(deadline));
        Ok(Self {
            request: RequestTemplate::new(settings.request, settings.answers_contexts)?,
            mapping: Mapping::new(settings.mapping)?,
            endpoint: JsonEndpoint::new(endpoint)?,
            policy: CallPolicy::new(settings.concurrency, pause.clone(), backoff),
            pause,
            answers: settings.answers,
        })
    }

    /// Asks for an answer from these contexts alone. Of the response only the answer is read.
    ///
    /// # Errors
    /// As [`Rag::ask`], and where the response reports an error.
    pub async fn answer_from(&self, call: &ContextsCall<'_>) -> Result<RecordedAttempt, Error> {
        let Recorded { answer, error, .. } = self
            .asked(&Asked {
                id: call.id,
                question: call.question,
                condition: Some((call.arm, call.contexts)),
            })
            .await?;
        let answer = match answer {
            RecordedAnswer::Given(attempts) => attempts.into_iter().next(),
            RecordedAnswer::Unsaid => None,
        };
        let error = error.or_else(|| answer.as_ref()?.error.clone());
        match (error, answer) {
            (Some(RecordedError { message, .. }), _) => {
                let (url, reason) = (self.endpoint.shown_url(), self.endpoint.excerpt(&message));
                Err(Error::new(format!("`{url}` failed: {reason}")))
            }
            (None, Some(answer)) => Ok(answer),
            (None, None) => Err(self.no_answer()),
        }
    }

    /// Calls with retries.
    async fn asked(&self, asked: &Asked<'_>) -> Result<Recorded, Error> {
        self.policy.run(|| self.call(asked)).await
    }

    /// Makes one call.
    async fn call(&self, asked: &Asked<'_>) -> Result<Recorded, Error> {
        let answer = self.endpoint.send(&self.request.body(asked)).await?;
        self.pause.after(&answer);
        if answer.is_success() {
            return self.read(asked, &answer.body);
        }
        let error = Error::from(self.endpoint.status(&answer));
        Err(match answer.status {
            429 => Error { retry: Retry::Limited(answer.retry_after), ..error },
            _ => error,
        })
    }

    fn no_answer(&self) -> Error {
        let url = self.endpoint.shown_url();
        Error::new(format!("`{url}` gave contexts and no `answer`")).hinting(
            "for a service that only retrieves, leave out `generation.generator`, `external.answer`, `external.stream` and \
             `external.answers_contexts`",
        )
    }

    fn read(&self, asked: &Asked<'_>, body: &[u8]) -> Result<Recorded, Error> {
        let retrieves = asked.condition.is_none();
        let record = match &self.mapping {
            Some(mapping) => {
                let record =
                    if retrieves { mapping.record(body) } else { mapping.answer_record(body) };
                record.map_err(|reason| {
                    let (url, reason) = (self.endpoint.shown_url(), self.endpoint.excerpt(&reason));
                    let hint = "compare the pointers of `external` with a response of the service";
                    Error::new(format!("the response of `{url}` {reason}")).hinting(hint)
                })?
            }
            None if retrieves => return self.recorded(asked, &String::from_utf8_lossy(body)),
            None => without_contexts(body),
        };
        // The pieces of a stream may spell a key together.
        self.recorded(asked, &self.endpoint.hide(record.to_string()))
    }

    /// Reads a record.
    fn recorded(&self, asked: &Asked<'_>, record: &str) -> Result<Recorded, Error> {
        let url = self.endpoint.shown_url();
        let position = Place::new(url, None);
        let recorded = recorded::object(&position, record).map_err(|error| {
            Error::new(format!("the answer of {}", self.endpoint.excerpt(&error.to_string())))
        })?;
        let recorded = Recorded {
            error: recorded.error.map(|error| RecordedError {
                message: self.endpoint.excerpt(&error.message),
                ..error
            }),
            ..recorded
        };
        if let Some(id) = recorded.id.as_deref().filter(|id| *id != asked.id) {
            let (asked, answered) = (asked.id, self.endpoint.excerpt(id));
            return Err(Error::new(format!(
                "`{url}` was asked `{asked}` and answered `{answered}`"
            )));
        }
        if self.answers && recorded.error.is_none() && recorded.answer == RecordedAnswer::Unsaid {
            return Err(self.no_answer());
        }
        Ok(recorded)
    }
}

/// Returns the record in the response to given contexts, without its own, which it need not have; what is no object is left to
/// the reader of records.
fn without_contexts(body: &[u8]) -> Value {
    let mut record: Value = serde_json::from_slice(body)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
    if let Value::Object(fields) = &mut record {
        fields.remove("contexts");
        fields.insert("stages".to_owned(), Value::Object(Map::new()));
    }
    record
}

/// Creates the error of a setting of `external` with an invalid value.
fn wrong_setting(setting: &str, problem: &str) -> Error {
    bad_setting(&EXTERNAL, setting, problem)
        .hinting("the documentation shows requests and responses of common servers")
}

impl Service {
    /// Connects without asking a question: any status but a refused key or a failure of the server is good.
    pub async fn reach(&self) -> Result<(), Error> {
        let response = self.endpoint.get().await?;
        match response.status {
            401 | 403 | 500.. => Err(self.endpoint.status(&response).into()),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Rag for Service {
    async fn ask(&self, question: &Question) -> Result<Recorded, Error> {
        self.asked(&Asked { id: question.id.as_str(), question: &question.text, condition: None })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(url: &str, api_key: Option<&str>) -> Result<Service, Error> {
        let api_key = api_key.map(str::to_owned);
        let timeout = Duration::from_secs(1);
        Service::new(ServiceSettings {
            url: url.to_owned(),
            api_key,
            headers: Vec::new(),
            request: Map::new(),
            mapping: MappingSettings::default(),
            answers_contexts: false,
            timeout,
            concurrency: 1,
            retries: 0,
            answers: true,
        })
    }

    fn refused(url: &str, api_key: Option<&str>) -> String {
        made(url, api_key).err().expect("refused").to_string()
    }

    #[test]
    fn an_address_that_is_none_and_a_key_in_clear_are_refused() {
        assert_eq!(
            refused("ftp://h/x", None),
            "`external.url` must begin with `http://` or `https://`"
        );
        assert!(refused("nonsense", None).starts_with("`external.url` is not a URL"));
        assert_eq!(
            refused("http://example.com/ask", Some("k")),
            "the key would be sent unencrypted to `example.com`"
        );
        assert!(made("http://127.0.0.1:1/ask", Some("k")).is_ok());
        assert!(made("https://example.com/ask", Some("k")).is_ok());
        assert!(
            refused("https://example.com", Some("a\nb")).starts_with("`external.api_key_env` ")
        );
    }

    #[test]
    fn what_the_service_says_in_an_answer_is_hidden_and_cut_as_well() {
        let Ok(service) = made("http://127.0.0.1:1/ask", Some("sk-123")) else { panic!("refused") };
        let question = Asked { id: "q", question: "which?", condition: None };
        let long = format!("{{\"error\": \"Bearer sk-123 {}\"}}", "x".repeat(1000));
        let error =
            service.read(&question, long.as_bytes()).expect("reads").error.expect("one").message;
        assert!(error.starts_with("Bearer *** xxx") && error.chars().count() == 300, "{error}");
        for body in ["\"sk-123\"", "{\"contexts\": [], \"arms\": {\"sk-123\": 1}}"] {
            let refused =
                service.read(&question, body.as_bytes()).expect_err("no answer").to_string();
            assert!(!refused.contains("sk-123"), "{refused}");
        }
    }
}
