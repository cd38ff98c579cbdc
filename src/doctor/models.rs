//! Checks of the models that run in this process: cached, with the files of their hashes.

use super::check::Check;
use crate::failure::Failure;
use ragtriage_core::text::numbers::plural;
use ragtriage_fetch::model::{ListedModel, ModelState, is_pinned};
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::Environment;
use ragtriage_pipeline::settings::assemble::probe::{self, LocalModel, local_models};

const SUBJECT: &str = "model files";

pub async fn checks(resolved: &Resolved, environment: &Environment) -> Vec<Check> {
    let models = local_models(resolved);
    if models.is_empty() {
        return Vec::new();
    }
    let listed = match probe::models(resolved, environment) {
        Ok(listed) => listed,
        Err(error) => return vec![Check::new(SUBJECT, Err(error.into()))],
    };
    let mut checks = Vec::new();
    for model in models {
        checks.push(check(&model, &listed, resolved, environment).await);
    }
    checks
}

async fn check(
    model: &LocalModel<'_>,
    listed: &[ListedModel],
    resolved: &Resolved,
    environment: &Environment,
) -> Check {
    let LocalModel { key, name } = model;
    if name.is_empty() {
        let failure = Failure::new(
            format!("`{key}` is not set"),
            "name a model of the hub or the folder of a checkpoint",
        );
        return Check::new(SUBJECT, Err(failure));
    }
    let state = listed.iter().find(|it| it.name == *name);
    let state = state.map(|it| &it.state);
    let error = match probe::checkpoint(model, resolved, environment).await {
        Ok(checkpoint) => {
            let verified = match state {
                Some(ModelState::Verified) => "as locked in models.lock",
                _ if is_pinned(name) => "with the expected hashes",
                _ => "not locked",
            };
            let files = plural(checkpoint.files.len(), "file", "files");
            let folder = checkpoint.folder.display();
            return Check::new(SUBJECT, Ok(format!("{name}: {files} {verified}, in {folder}")));
        }
        Err(error) => error,
    };
    // A locked or pinned model is downloaded and verified by the first run that needs it.
    let is_fetched = match state {
        Some(ModelState::Missing) => true,
        Some(_) => false,
        None => is_pinned(name),
    };
    if is_fetched && !environment.offline {
        let fact = format!("{name}: not on this machine; the first run downloads it");
        return Check::note(SUBJECT, fact);
    }
    Check::new(SUBJECT, Err(error.into()))
}
