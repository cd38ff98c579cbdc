//! Announces the data that leaves this machine.

use std::collections::BTreeSet;

use crate::output;
use ragtriage_core::types::Dataset;
use ragtriage_pipeline::settings::Settings;
use ragtriage_pipeline::settings::assemble::recipients::{
    Recipient, RecipientRole, condition_recipients, recipients,
};

/// Reports on stderr what a run sends to other machines, if anything.
pub fn announce(settings: &Settings, dataset: &Dataset) {
    announce_all([settings], dataset.questions.len(), dataset.documents.len());
}

/// Reports it for an import whose conditions are asked.
pub fn announce_conditions(settings: &Settings, dataset: &Dataset) {
    let (questions, documents) = (dataset.questions.len(), dataset.documents.len());
    announce_to(condition_recipients(settings), questions, documents);
}

/// Reports it for several configurations, each service once.
pub fn announce_all<'a>(
    all: impl IntoIterator<Item = &'a Settings>,
    questions: usize,
    documents: usize,
) {
    let recipients = all.into_iter().flat_map(recipients);
    announce_to(recipients.collect(), questions, documents);
}

fn announce_to(recipients: Vec<Recipient>, questions: usize, documents: usize) {
    // What is no address at all is refused a moment later.
    let mut elsewhere: Vec<String> = recipients
        .into_iter()
        .filter(|recipient| !recipient.is_here && recipient.address.contains("://"))
        .map(|recipient| transfer(&recipient, questions, documents))
        .collect();
    let mut seen = BTreeSet::new();
    elsewhere.retain(|line| seen.insert(line.clone()));
    if !elsewhere.is_empty() {
        output::talk(&format!(
            "leaves this machine: {}; `--dry-run` counts it",
            elsewhere.join("; ")
        ));
    }
}

fn transfer(recipient: &Recipient, questions: usize, documents: usize) -> String {
    let Recipient { role, address, .. } = recipient;
    match role {
        RecipientRole::Encoder => {
            format!(
                "{questions} questions and all passages of {documents} documents go to {address} (encoder)"
            )
        }
        RecipientRole::VectorStore => {
            format!(
                "vectors, ids and metadata of all passages of {documents} documents go to {address} (vector store)"
            )
        }
        RecipientRole::Collection => {
            format!("{questions} questions go to {address} (existing collection)")
        }
        RecipientRole::Reranker => {
            format!("{questions} questions and their candidates go to {address} (reranker)")
        }
        RecipientRole::Generator => {
            format!(
                "{questions} questions with passages of {documents} documents go to {address} (generator)"
            )
        }
        RecipientRole::Judge => {
            format!("{questions} questions with gold answers and answers go to {address} (judge)")
        }
        RecipientRole::Service => format!("{questions} questions go to {address} (service)"),
        RecipientRole::ServiceWithContexts => {
            format!(
                "{questions} questions with passages of {documents} documents go to {address} (service)"
            )
        }
    }
}
