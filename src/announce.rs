//! The data that leaves this machine.

use crate::output;
use ragtriage_pipeline::settings::Settings;
use ragtriage_pipeline::settings::assemble::recipients::{
    Recipient, RecipientRole, import_recipients, recipients,
};
use ragtriage_report::estimate::Sending;

/// Returns what a run of these settings sends to each service.
pub fn sent(settings: &Settings) -> Vec<Sending> {
    recipients(settings).iter().map(|recipient| sending(recipient, settings)).collect()
}

/// Returns what an import sends to the judge, and to the generator if conditions are asked.
pub fn sent_by_import(settings: &Settings, asks_conditions: bool) -> Vec<Sending> {
    import_recipients(settings, asks_conditions)
        .iter()
        .map(|recipient| sending(recipient, settings))
        .collect()
}

/// Reports on stderr what goes to other machines, each once.
pub fn announce(all: impl IntoIterator<Item = Sending>) {
    let mut lines: Vec<String> = Vec::new();
    // What is no address at all is refused a moment later.
    for Sending { to, purpose, what, .. } in
        all.into_iter().filter(|it| !it.here && it.to.contains("://"))
    {
        let line = format!("{what} go to {to} ({purpose})");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        output::talk(&format!("leaves this machine: {}; `--dry-run` counts it", lines.join("; ")));
    }
}

fn sending(recipient: &Recipient, settings: &Settings) -> Sending {
    let Recipient { role, address, is_here } = recipient;
    let (purpose, what) = match role {
        RecipientRole::Encoder => ("encoder", "passages and questions"),
        RecipientRole::VectorStore => {
            ("vector store", "the vectors (no text) of passages and questions")
        }
        RecipientRole::Collection if settings.retrieval.collection.mode.is_sparse() => {
            ("existing collection", "questions")
        }
        RecipientRole::Collection => ("existing collection", "the vectors (no text) of questions"),
        RecipientRole::Reranker => ("reranker", "passages and questions"),
        RecipientRole::Generator => ("generator", "passages and questions"),
        RecipientRole::Judge => ("judge", "questions, answers and gold answers"),
        RecipientRole::Service => ("service", "questions"),
        RecipientRole::ServiceWithContexts => ("service", "passages and questions"),
    };
    Sending { to: address.clone(), purpose, here: *is_here, what }
}
