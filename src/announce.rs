//! Announces the data that leaves this machine.

use crate::output;
use ragtriage_core::types::Dataset;
use ragtriage_pipeline::settings::Settings;
use ragtriage_pipeline::settings::assemble::recipients::{Recipient, RecipientRole, recipients};

/// Reports on stderr what a run sends to other machines, if anything.
pub fn announce(settings: &Settings, dataset: &Dataset) {
    announce_all([settings], dataset.questions.len(), dataset.documents.len());
}

/// Reports it for several configurations, each service once.
pub fn announce_all<'a>(
    all: impl IntoIterator<Item = &'a Settings>,
    questions: usize,
    documents: usize,
) {
    announce_to(all.into_iter().flat_map(recipients), questions, documents);
}

/// Reports what goes to these recipients.
pub fn announce_to(
    recipients: impl IntoIterator<Item = Recipient>,
    questions: usize,
    documents: usize,
) {
    // What is no address at all is refused a moment later.
    let elsewhere = recipients
        .into_iter()
        .filter(|recipient| !recipient.is_here && recipient.address.contains("://"));
    let mut lines: Vec<String> = Vec::new();
    for line in elsewhere.map(|recipient| transfer(&recipient, questions, documents)) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        output::talk(&format!("leaves this machine: {}; `--dry-run` counts it", lines.join("; ")));
    }
}

fn transfer(recipient: &Recipient, questions: usize, documents: usize) -> String {
    let Recipient { role, address, .. } = recipient;
    let asked = format!("{questions} questions");
    let what = match role {
        RecipientRole::Encoder => format!("{asked} and all passages of {documents} documents"),
        RecipientRole::VectorStore => {
            format!("vectors, ids and metadata of all passages of {documents} documents")
        }
        RecipientRole::Collection | RecipientRole::Service => asked,
        RecipientRole::Reranker => format!("{asked} and their candidates"),
        RecipientRole::Judge => format!("{asked} with gold answers and answers"),
        RecipientRole::Generator | RecipientRole::ServiceWithContexts => {
            format!("{asked} with passages of {documents} documents")
        }
    };
    format!("{what} go to {address} ({})", purpose(*role))
}

/// Names a service.
pub fn purpose(role: RecipientRole) -> &'static str {
    match role {
        RecipientRole::Encoder => "encoder",
        RecipientRole::VectorStore => "vector store",
        RecipientRole::Collection => "existing collection",
        RecipientRole::Reranker => "reranker",
        RecipientRole::Generator => "generator",
        RecipientRole::Judge => "judge",
        RecipientRole::Service | RecipientRole::ServiceWithContexts => "service",
    }
}
