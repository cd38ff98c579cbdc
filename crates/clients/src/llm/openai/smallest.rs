//! The smallest call: whether a configured model can be used.

use super::OpenAi;
use super::settings::{MAX_COMPLETION_TOKENS, OpenAiSettings};
use crate::Error;
use crate::llm::Generator;
use ragtriage_core::prompt::Prompt;

/// Makes one call, of a few prompt tokens and at most one answer token.
///
/// # Errors
/// A failed call.
pub async fn ask_one_token(settings: &OpenAiSettings) -> Result<(), Error> {
    let mut settings = OpenAiSettings { max_tokens: Some(1), ..settings.clone() };
    for name in [MAX_COMPLETION_TOKENS, "max_tokens"] {
        if let Some(most) = settings.extra_body.get_mut(name) {
            *most = 1.into();
        }
    }
    let prompt = Prompt {
        question: String::new(),
        passages: Vec::new(),
        system: String::new(),
        user: "Hi".to_owned(),
    };
    OpenAi::new(&settings)?.generate(&prompt).await.map(|_| ())
}
