//! A RAG over HTTP: `POST` of `{"id", "question"}`, answered with the object that
//! [`ragtriage_runs::external::recorded`] describes.
//!
//! Transient failures are retried, after [`Backoff`]'s waits or the delay that the service requests.

mod error;

use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;

pub use error::ServiceError;

use ragtriage_core::types::Question;
use ragtriage_http::{
    Abandoned, Backoff, EndpointSettings, HttpError, JsonEndpoint, Retry, Secret, address,
};
use ragtriage_runs::external::Position;
use ragtriage_runs::external::join::Joined;
use ragtriage_runs::external::recorded::{self, Recorded, RecordedAnswer, RecordedError};

/// Total time for waits between the attempts of one question.
const WAITS: Duration = Duration::from_mins(1);

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
        self.line(&question.id)
            .cloned()
            .ok_or(ServiceError::NotRecorded)
    }
}

/// The settings of a service. Not `Debug`: they hold a key, and the URL may contain one.
#[derive(Clone)]
pub struct ServiceSettings {
    /// The address that questions are posted to.
    pub url: String,
    /// Sent as a bearer token.
    pub api_key: Option<String>,
    /// Timeout of one call.
    pub timeout: Duration,
    /// The number of retries of a transient failure.
    pub retries: u32,
    /// True if a response must contain an answer in addition to contexts.
    pub answers: bool,
}

/// A service, one call per question.
pub struct Service {
    endpoint: JsonEndpoint,
    backoff: Backoff,
    answers: bool,
}

impl Service {
    /// Checks the settings and creates the client. Makes no calls.
    ///
    /// # Errors
    /// `BadUrl`, `BadKey`, and `Http` for a key sent unencrypted or a client that cannot be
    /// created.
    pub fn new(settings: ServiceSettings) -> Result<Self, ServiceError> {
        let ServiceSettings {
            url,
            api_key,
            timeout,
            retries,
            answers,
        } = settings;
        let tries = retries.saturating_add(1);
        let api_key = api_key.map(Secret::new);
        let endpoint = EndpointSettings {
            api_key,
            timeout,
            ..EndpointSettings::new(address(&url, "")?)
        };
        let backoff = Backoff::new(tries, timeout.saturating_mul(tries).saturating_add(WAITS));
        Ok(Self {
            endpoint: JsonEndpoint::new(endpoint)?,
            backoff,
            answers,
        })
    }

    /// Makes one call.
    async fn call(&self, question: &Question) -> Result<Recorded, ServiceError> {
        let answer = self
            .endpoint
            .send(&json!({ "id": question.id, "question": question.text }))
            .await?;
        if !answer.is_success() {
            return Err(self.endpoint.status(&answer).into());
        }
        self.read(question, &answer.body)
    }

    fn read(&self, question: &Question, body: &[u8]) -> Result<Recorded, ServiceError> {
        let position = Position {
            file: self.endpoint.shown_url().to_owned(),
            line: None,
        };
        let recorded =
            recorded::object(&position, &String::from_utf8_lossy(body)).map_err(|error| {
                ServiceError::Unreadable {
                    reason: self.endpoint.excerpt(&error.to_string()),
                }
            })?;
        let recorded = Recorded {
            error: recorded.error.map(|error| RecordedError {
                message: self.endpoint.excerpt(&error.message),
                ..error
            }),
            ..recorded
        };
        let url = self.endpoint.shown_url().to_owned();
        if let Some(id) = recorded
            .id
            .as_deref()
            .filter(|id| *id != question.id.as_str())
        {
            let (asked, answered) = (question.id.to_string(), self.endpoint.excerpt(id));
            return Err(ServiceError::OtherQuestion {
                url,
                asked,
                answered,
            });
        }
        if self.answers && recorded.error.is_none() && recorded.answer == RecordedAnswer::Unsaid {
            return Err(ServiceError::NoAnswer { url });
        }
        Ok(recorded)
    }
}

#[async_trait]
impl Rag for Service {
    async fn ask(&self, question: &Question) -> Result<Recorded, ServiceError> {
        self.backoff
            .run(|| self.call(question), verdict)
            .await
            .map_err(|failure| match failure {
                Abandoned::Final(error) | Abandoned::GaveUp { last: error, .. } => error,
                Abandoned::OutOfTime => {
                    let (url, deadline) =
                        (self.endpoint.shown_url().to_owned(), self.backoff.deadline);
                    HttpError::DeadlinePassed { url, deadline }.into()
                }
            })
    }
}

fn verdict(error: &ServiceError) -> Retry {
    match error {
        ServiceError::Http(error) => error.verdict(),
        _ => Retry::Stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::QuestionKind;

    fn made(url: &str, api_key: Option<&str>) -> Result<Service, ServiceError> {
        let api_key = api_key.map(str::to_owned);
        let timeout = Duration::from_secs(1);
        Service::new(ServiceSettings {
            url: url.to_owned(),
            api_key,
            timeout,
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
        assert_eq!(
            refused("https://example.com", Some("a\nb")),
            ServiceError::BadKey.to_string()
        );
    }

    #[test]
    fn what_the_service_says_in_an_answer_is_hidden_and_cut_as_well() {
        let Ok(service) = made("http://127.0.0.1:1/ask", Some("sk-123")) else {
            panic!("refused")
        };
        let question = Question {
            kind: QuestionKind::Span,
            ..Question::new("q".into(), "which?".to_owned())
        };
        let long = format!("{{\"error\": \"Bearer sk-123 {}\"}}", "x".repeat(1000));
        let error = service
            .read(&question, long.as_bytes())
            .expect("reads")
            .error
            .expect("one")
            .message;
        assert!(
            error.starts_with("Bearer *** xxx") && error.chars().count() == 300,
            "{error}"
        );
        for body in [
            "\"sk-123\"",
            "{\"contexts\": [], \"arms\": {\"sk-123\": 1}}",
        ] {
            let refused = service
                .read(&question, body.as_bytes())
                .expect_err("no answer")
                .to_string();
            assert!(!refused.contains("sk-123"), "{refused}");
        }
    }
}
