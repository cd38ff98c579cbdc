//! A RAG over HTTP: a question by `POST`, answered with the object that [`ragtriage_runs::external::recorded`] describes,
//! or with another one that pointers map to it.
//!
//! A service may also be asked to answer from contexts that it is sent. Transient failures are retried and calls limited by
//! the generators' policy (`llm::policy`).

mod error;
mod mapping;
mod pointer;
mod request;
mod stream;

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};

pub use error::ServiceError;
pub use mapping::MappingSettings;

use self::mapping::Mapping;
use self::request::{Asked, RequestTemplate};
use crate::llm::pause::Pause;
use crate::llm::policy::CallPolicy;
use ragtriage_core::types::{ArmName, Question};
use ragtriage_http::{
    Abandoned, Backoff, EndpointSettings, HttpError, JsonEndpoint, Secret, address,
};
use ragtriage_runs::external::Position;
use ragtriage_runs::external::join::Joined;
use ragtriage_runs::external::recorded::{
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
    async fn ask(&self, question: &Question) -> Result<Recorded, ServiceError>;
}

#[async_trait]
impl Rag for Joined {
    async fn ask(&self, question: &Question) -> Result<Recorded, ServiceError> {
        self.line(&question.id).cloned().ok_or(ServiceError::NotRecorded)
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
    ///
    /// # Errors
    /// `BadUrl`, `BadKey`, `BadSetting`, and `Http` for a key sent unencrypted or a client that cannot be created.
    pub fn new(settings: ServiceSettings) -> Result<Self, ServiceError> {
        let ServiceSettings {
            url,
            api_key,
            headers,
            request,
            mapping,
            answers_contexts,
            timeout,
            concurrency,
            retries,
            answers,
        } = settings;
        let tries = retries.saturating_add(1);
        let api_key = api_key.map(Secret::new);
        let endpoint = EndpointSettings {
            api_key,
            headers,
            timeout,
            most_bytes: LARGEST_ANSWER_BYTES,
            ..EndpointSettings::new(address(&url, "")?)
        };
        let deadline = timeout.saturating_mul(tries).saturating_add(WAITS);
        let (backoff, pause) = (Backoff::new(tries, deadline), Pause::new(deadline));
        let policy = CallPolicy::new(concurrency, pause.clone(), backoff)
            .map_err(|bad| ServiceError::bad_setting(bad.setting, bad.reason))?;
        Ok(Self {
            request: RequestTemplate::new(request, answers_contexts)?,
            mapping: Mapping::new(mapping)?,
            endpoint: JsonEndpoint::new(endpoint)?,
            policy,
            pause,
            answers,
        })
    }

    /// Asks for an answer from these contexts alone. Of the response only the answer is read.
    ///
    /// # Errors
    /// As [`Rag::ask`], and `Failed` where the response reports an error.
    pub async fn answer_from(
        &self,
        call: &ContextsCall<'_>,
    ) -> Result<RecordedAttempt, ServiceError> {
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
        let url = self.url();
        match (error, answer) {
            (Some(RecordedError { message, .. }), _) => {
                Err(ServiceError::Failed { url, reason: self.endpoint.excerpt(&message) })
            }
            (None, Some(answer)) => Ok(answer),
            (None, None) => Err(ServiceError::NoAnswer { url }),
        }
    }

    /// Calls with retries.
    async fn asked(&self, asked: &Asked<'_>) -> Result<Recorded, ServiceError> {
        let done = self.policy.run(|| self.call(asked)).await;
        done.map_err(|failure| match failure {
            Abandoned::Final(error) | Abandoned::GaveUp { last: error, .. } => error,
            Abandoned::OutOfTime => {
                let (url, deadline) = (self.url(), self.policy.deadline());
                HttpError::DeadlinePassed { url, deadline }.into()
            }
        })
    }

    /// Makes one call.
    async fn call(&self, asked: &Asked<'_>) -> Result<Recorded, ServiceError> {
        let answer = self.endpoint.send(&self.request.body(asked)).await?;
        // A refusal concerns this call first of all.
        if let Some(wait) = answer.retry_after.filter(|_| answer.status != 429) {
            self.pause.ask(wait);
        }
        if !answer.is_success() {
            return Err(self.endpoint.status(&answer).into());
        }
        self.read(asked, &answer.body)
    }

    fn url(&self) -> String {
        self.endpoint.shown_url().to_owned()
    }

    fn read(&self, asked: &Asked<'_>, body: &[u8]) -> Result<Recorded, ServiceError> {
        let retrieves = asked.condition.is_none();
        let record = match &self.mapping {
            Some(mapping) => {
                let record =
                    if retrieves { mapping.record(body) } else { mapping.answer_record(body) };
                record.map_err(|reason| ServiceError::Unmapped {
                    url: self.url(),
                    reason: self.endpoint.excerpt(&reason),
                })?
            }
            None if retrieves => return self.recorded(asked, &String::from_utf8_lossy(body)),
            None => without_contexts(body),
        };
        // The pieces of a stream may spell a key together.
        self.recorded(asked, &self.endpoint.hide(record.to_string()))
    }

    /// Reads a record.
    fn recorded(&self, asked: &Asked<'_>, record: &str) -> Result<Recorded, ServiceError> {
        let position = Position { file: self.url(), line: None };
        let recorded = recorded::object(&position, record).map_err(|error| {
            ServiceError::Unreadable { reason: self.endpoint.excerpt(&error.to_string()) }
        })?;
        let recorded = Recorded {
            error: recorded.error.map(|error| RecordedError {
                message: self.endpoint.excerpt(&error.message),
                ..error
            }),
            ..recorded
        };
        let url = self.url();
        if let Some(id) = recorded.id.as_deref().filter(|id| *id != asked.id) {
            let (asked, answered) = (asked.id.to_owned(), self.endpoint.excerpt(id));
            return Err(ServiceError::OtherQuestion { url, asked, answered });
        }
        if self.answers && recorded.error.is_none() && recorded.answer == RecordedAnswer::Unsaid {
            return Err(ServiceError::NoAnswer { url });
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

impl Service {
    /// Connects without asking a question: any status but a refused key or a failure of the server is good.
    pub async fn reach(&self) -> Result<(), ServiceError> {
        let response = self.endpoint.get().await?;
        match response.status {
            401 | 403 | 500.. => Err(self.endpoint.status(&response).into()),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Rag for Service {
    async fn ask(&self, question: &Question) -> Result<Recorded, ServiceError> {
        self.asked(&Asked { id: question.id.as_str(), question: &question.text, condition: None })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(url: &str, api_key: Option<&str>) -> Result<Service, ServiceError> {
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
        assert_eq!(refused("https://example.com", Some("a\nb")), ServiceError::BadKey.to_string());
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
