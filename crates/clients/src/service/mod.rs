//! A RAG over HTTP: a question by `POST`, answered with the object that [`ragtriage_data::run::external::recorded`] describes,
//! or with another one that pointers map to it.
//!
//! A service may also be asked to answer from contexts that it is sent.

mod mapping;
mod request;

use async_trait::async_trait;
use serde_json::{Map, Value};

use self::mapping::Mapping;
use self::request::{Asked, RequestTemplate};
use crate::Error;
use crate::http::{Client, EXTERNAL, Endpoint};
use ragtriage_core::config::ExternalSettings;
use ragtriage_core::types::{Condition, Question};
use ragtriage_data::Place;
use ragtriage_data::run::external::join::Joined;
use ragtriage_data::run::external::recorded::{self, Recorded, RecordedAttempt, RecordedError};

/// An external RAG: its record, or the service itself.
///
/// Contract: a failure concerns the one question; transient failures are retried by the implementation.
#[async_trait]
pub trait Rag: Send + Sync {
    /// Asks `question` and returns the response, with the seconds of the call that gave it: 0 for a record.
    async fn ask(&self, question: &Question) -> Result<(Recorded, f64), Error>;
}

#[async_trait]
impl Rag for Joined {
    async fn ask(&self, question: &Question) -> Result<(Recorded, f64), Error> {
        let line = self.line(&question.id).cloned();
        let line = line.ok_or_else(|| Error::new("no recorded answer for this question"))?;
        Ok((line, 0.0))
    }
}

/// A request to answer from given contexts alone.
pub struct ContextsCall<'a> {
    /// The question's id.
    pub id: &'a str,
    /// Its text.
    pub question: &'a str,
    /// The condition that the contexts belong to.
    pub condition: Condition,
    /// The contexts; empty for none.
    pub contexts: &'a [String],
}

/// A service, one call per question and condition.
pub struct Service {
    client: Client,
    request: RequestTemplate,
    mapping: Option<Mapping>,
    answers: bool,
}

impl Service {
    /// Checks the settings and creates the client. Makes no calls. `answers`: a response must contain an answer in addition to
    /// contexts.
    pub fn new(
        endpoint: &Endpoint,
        settings: &ExternalSettings,
        answers: bool,
    ) -> Result<Self, Error> {
        Ok(Self {
            client: Client::new(endpoint)?,
            request: RequestTemplate::new(settings.request.clone(), settings.answers_contexts)?,
            mapping: Mapping::new(settings)?,
            answers,
        })
    }

    /// Asks for an answer from these contexts alone. Of the response only the answer is read.
    ///
    /// # Errors
    /// As [`Rag::ask`], and where the response reports an error.
    pub async fn answer_from(&self, call: &ContextsCall<'_>) -> Result<RecordedAttempt, Error> {
        let (Recorded { answer, error, .. }, seconds) = self
            .asked(&Asked {
                id: call.id,
                question: call.question,
                condition: Some((call.condition, call.contexts)),
            })
            .await?;
        let error = error.or_else(|| answer.as_ref()?.error.clone());
        match (error, answer) {
            (Some(RecordedError { message, .. }), _) => {
                let (url, reason) = (self.client.shown_url(), self.client.excerpt(&message));
                Err(Error::new(format!("`{url}` failed: {reason}")))
            }
            (None, Some(mut answer)) => {
                answer.usage.seconds.get_or_insert(seconds);
                Ok(answer)
            }
            (None, None) => Err(self.no_answer()),
        }
    }

    /// Calls with retries; with the seconds of the last call.
    async fn asked(&self, asked: &Asked<'_>) -> Result<(Recorded, f64), Error> {
        let call = || async {
            let answer = self.client.send(&self.request.body(asked)).await?;
            if answer.is_success() {
                Ok((self.read(asked, &answer.body)?, answer.seconds))
            } else {
                Err(self.client.status(&answer))
            }
        };
        self.client.retried(call).await
    }

    fn no_answer(&self) -> Error {
        let url = self.client.shown_url();
        Error::new(format!("`{url}` gave contexts and no `answer`")).hinting(
            "for a service that only retrieves, leave out `generation.generator`, `external.answer` and `external.answers_contexts`",
        )
    }

    fn read(&self, asked: &Asked<'_>, body: &[u8]) -> Result<Recorded, Error> {
        let retrieves = asked.condition.is_none();
        let url = self.client.shown_url();
        let record = if let Some(mapping) = &self.mapping {
            mapping.record(body, retrieves).map_err(|reason| {
                let reason = self.client.excerpt(&reason);
                let hint = "compare the pointers of `external` with a response of the service";
                Error::new(format!("the response of `{url}` {reason}")).hinting(hint)
            })?
        } else {
            let text = std::str::from_utf8(body)
                .map_err(|error| Error::new(format!("the answer of `{url}` is {error}")))?;
            let keys = recorded::keys(&Place::new(url, None), text);
            // A response to given contexts need not have its own, whatever they are.
            let Some(mut record) = keys.ok().filter(|_| !retrieves) else {
                return self.recorded(asked, text);
            };
            record.remove("contexts");
            record.insert("stages".to_owned(), Value::Object(Map::new()));
            Value::Object(record)
        };
        self.recorded(asked, &record.to_string())
    }

    /// Reads a record.
    fn recorded(&self, asked: &Asked<'_>, record: &str) -> Result<Recorded, Error> {
        let url = self.client.shown_url();
        let position = Place::new(url, None);
        let recorded = recorded::object(&position, record).map_err(|error| {
            Error::new(format!("the answer of {}", self.client.excerpt(&error.to_string())))
        })?;
        let recorded = Recorded {
            error: recorded.error.map(|error| RecordedError {
                message: self.client.excerpt(&error.message),
                ..error
            }),
            ..recorded
        };
        if let Some(id) = recorded.id.as_deref().filter(|id| *id != asked.id) {
            let (asked, answered) = (asked.id, self.client.excerpt(id));
            return Err(Error::new(format!(
                "`{url}` was asked `{asked}` and answered `{answered}`"
            )));
        }
        if self.answers && recorded.error.is_none() && recorded.answer.is_none() {
            return Err(self.no_answer());
        }
        Ok(recorded)
    }
}

/// Creates the error of a setting of `external` with an invalid value.
fn wrong_setting(setting: &str, problem: &str) -> Error {
    EXTERNAL
        .bad_setting(setting, problem)
        .hinting("the documentation shows requests and responses of common servers")
}

impl Service {
    /// Connects without asking a question: any status but a refused key or a failure of the server is good.
    pub async fn reach(&self) -> Result<(), Error> {
        let response = self.client.get().await?;
        match response.status {
            401 | 403 | 500.. => Err(self.client.status(&response)),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Rag for Service {
    async fn ask(&self, question: &Question) -> Result<(Recorded, f64), Error> {
        self.asked(&Asked { id: question.id.as_str(), question: &question.text, condition: None })
            .await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::Secret;

    #[test]
    fn what_the_service_says_in_an_answer_is_hidden_and_cut_as_well() {
        let url = "http://127.0.0.1:1/ask".to_owned();
        let api_key = Some(Secret::new("sk-123".to_owned()));
        let endpoint = Endpoint::new(&EXTERNAL, url, Duration::from_secs(1), 1);
        let endpoint = Endpoint { api_key, ..endpoint };
        let service = Service::new(&endpoint, &ExternalSettings::default(), true);
        let service = service.unwrap_or_else(|error| panic!("{error}"));
        let question = Asked { id: "q", question: "which?", condition: None };
        let long = format!("{{\"error\": \"Bearer sk-123 {}\"}}", "x".repeat(1000));
        let error =
            service.read(&question, long.as_bytes()).expect("reads").error.expect("one").message;
        assert!(error.starts_with("Bearer *** xxx") && error.chars().count() == 300, "{error}");
        for body in ["\"sk-123\"", "{\"contexts\": [], \"conditions\": {\"sk-123\": 1}}"] {
            let refused =
                service.read(&question, body.as_bytes()).expect_err("no answer").to_string();
            assert!(!refused.contains("sk-123"), "{refused}");
        }
    }
}
