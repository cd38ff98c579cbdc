//! Checks of the models that run in this process: cached, with the files of their hashes.

use super::check::Check;
use crate::failure::Failure;
use ragtriage_core::text::numbers::plural;
use ragtriage_fetch::model::is_pinned;
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::Environment;
use ragtriage_pipeline::settings::assemble::probe::{self, LocalModel, local_models};

const SUBJECT: &str = "model files";

pub async fn checks(resolved: &Resolved, environment: &Environment) -> Vec<Check> {
    let mut checks = Vec::new();
    for model in local_models(resolved) {
        checks.push(check(&model, resolved, environment).await);
    }
    checks
}

async fn check(model: &LocalModel<'_>, resolved: &Resolved, environment: &Environment) -> Check {
    let LocalModel { key, name } = model;
    if name.is_empty() {
        let failure = Failure::new(
            format!("`{key}` is not set"),
            "name a model of the hub or the folder of a checkpoint",
        );
        return Check::new(SUBJECT, Err(failure));
    }
    let error = match probe::checkpoint(model, resolved, environment).await {
        Ok(checkpoint) => {
            let verified = if is_pinned(name) { " with the expected hashes" } else { "" };
            let files = plural(checkpoint.files.len(), "file", "files");
            let folder = checkpoint.folder.display();
            return Check::new(SUBJECT, Ok(format!("{name}: {files}{verified}, in {folder}")));
        }
        Err(error) => error,
    };
    // A pinned model is downloaded and verified by the first run that needs it.
    if is_pinned(name) && !environment.offline {
        let fact = format!("{name}: not on this machine; the first run downloads it");
        return Check::note(SUBJECT, fact);
    }
    Check::new(SUBJECT, Err(error.into()))
}
