//! `ragtriage doctor`: checks what a configuration needs, before a run does. Exit 1 if a check fails.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use clap::Args;
use rustix::fs::statvfs;
use serde::Serialize;
use serde_json::json;

use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::overrides::OverrideArgs;
use crate::run::DEFAULT_CONFIG;
use crate::runtime::block_on;
use ragtriage_clients::fetch::model::is_pinned;
use ragtriage_clients::llm::openai::{OpenAiSettings, ask_one_token};
use ragtriage_core::config::VectorStoreKind;
use ragtriage_core::text::address::shown_url;
use ragtriage_core::text::numbers::{bytes, plural};
use ragtriage_core::types::RetrieverName;
use ragtriage_pipeline::settings::assemble::probe::{self, LocalModel, local_models};
use ragtriage_pipeline::settings::assemble::recipients::{
    RecipientRole, recipients, uses_vector_store,
};
use ragtriage_pipeline::settings::assemble::{self, Environment};
use ragtriage_pipeline::settings::{Resolved, Settings};
use ragtriage_report::document::{Fact, Report};

/// Maximum time in seconds that a check waits for a service.
const MOST_S: f64 = 10.0;
/// Holds the default embedding model (90 MB), the vectors of 100,000 chunks (150 MB), a run and its report.
const LEAST_FREE: u64 = 500_000_000;
const MADE_A_CALL: &str = " (made 1 call to check it)";

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Configuration file [default: config/runbooks.toml if it exists].
    config: Option<PathBuf>,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Refuse connections to other machines.
    #[arg(long)]
    offline: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// A run will repair it by itself, or can do without.
    Note,
    /// A run will fail.
    Failed,
}

#[derive(Serialize)]
struct Check {
    status: Status,
    subject: &'static str,
    fact: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    fn new<E: Into<Failure>>(subject: &'static str, result: Result<String, E>) -> Self {
        match result.map_err(Into::into) {
            Ok(fact) => Self { status: Status::Ok, subject, fact, hint: None },
            Err(Failure { message, hint }) => {
                Self { status: Status::Failed, subject, fact: message, hint }
            }
        }
    }

    /// Returns the line of the check, and one of its hint.
    fn facts(&self) -> Vec<Fact> {
        let status = match self.status {
            Status::Ok => "ok    ",
            Status::Note => "note  ",
            Status::Failed => "failed",
        };
        let mut facts = vec![Fact::new(format!("{status}  {}", self.subject), self.fact.clone())];
        facts.extend(self.hint.iter().map(|hint| Fact::new("", format!("hint: {hint}"))));
        facts
    }
}

/// Runs the command; returns true if no check failed.
pub fn doctor(args: &DoctorArgs) -> Result<bool, Failure> {
    let checks = block_on(async { Ok(checks(args).await) })?;
    let passed = checks.iter().all(|check| check.status != Status::Failed);
    if args.json {
        let found = json!({"passed": passed, "checks": checks});
        output::data(&output::json(&found, "the checks")?)?;
    } else {
        let mut report = Report::default();
        report.facts(checks.iter().flat_map(Check::facts).collect());
        output::report(&report)?;
    }
    Ok(passed)
}

async fn checks(args: &DoctorArgs) -> Vec<Check> {
    let (name, resolved) = match configuration(args) {
        Ok(found) => found,
        Err(failure) => return vec![Check::new("configuration", Err(failure))],
    };
    let mut checks = vec![Check::new("configuration", Ok::<_, Failure>(name))];
    let environment = match environment(&resolved, args.offline, false) {
        Ok(environment) => environment,
        Err(failure) => {
            checks.push(Check::new("cache folder", Err(failure)));
            return checks;
        }
    };
    checks.push(Check::new("cache folder", writable(&environment.cache_dir)));
    checks.push(Check::new("disk", space(&environment.cache_dir)));
    for model in local_models(&resolved) {
        checks.push(model_files(&model, &resolved, &environment).await);
    }
    services(&resolved, &environment, &mut checks).await;
    checks
}

/// Reads and validates the configuration; with the text that names it. The timeout is no longer than a person waits.
fn configuration(args: &DoctorArgs) -> Result<(String, Resolved), Failure> {
    let default = Path::new(DEFAULT_CONFIG);
    let file = args.config.as_deref().or(default.exists().then_some(default));
    let mut resolved = Resolved::new(file, &args.overrides.sets()?)?;
    let timeout = &mut resolved.settings.http.timeout_s;
    *timeout = timeout.min(MOST_S);
    assemble::check(&resolved.settings)?;
    let name = file.map_or("built-in defaults".to_owned(), |file| file.display().to_string());
    Ok((name, resolved))
}

fn writable(folder: &Path) -> Result<String, Failure> {
    if folder.as_os_str().is_empty() {
        return Ok(
            "none: neither XDG_CACHE_HOME nor HOME is set, and nothing here is cached".into()
        );
    }
    let probe = folder.join(format!(".ragtriage-doctor-{}", std::process::id()));
    let mut private = DirBuilder::new();
    let written = private
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .and_then(|()| fs::write(&probe, "x"))
        .and_then(|()| fs::remove_file(&probe));
    match written {
        Ok(()) => Ok(format!("{}: writable", folder.display())),
        Err(error) => Err(Failure::new(
            format!("`{}` cannot be written: {error}", folder.display()),
            "set `cache.dir` or RAGTRIAGE_CACHE to a folder that can be written",
        )),
    }
}

fn space(folder: &Path) -> Result<String, Failure> {
    // A cache folder that is not writable need not exist.
    let existing = folder.ancestors().find(|it| it.exists()).unwrap_or(Path::new("."));
    let found = statvfs(existing).map_err(|error| {
        Failure::bare(format!("cannot read the free space of `{}`: {error}", existing.display()))
    })?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let fact = format!("{} free for {}", bytes(free), folder.display());
    if free < LEAST_FREE {
        let hint = "free some space, or set `cache.dir` to a folder on another disk; the cache folder can be deleted";
        return Err(Failure::new(fact, hint));
    }
    Ok(fact)
}

/// Opens the files of a model that runs in this process, with the hashes of a pinned one.
async fn model_files(
    model: &LocalModel<'_>,
    resolved: &Resolved,
    environment: &Environment,
) -> Check {
    const SUBJECT: &str = "model files";
    let LocalModel { key, name } = model;
    if name.is_empty() {
        let hint = "name a model of the hub or the folder of a checkpoint";
        return Check::new::<Failure>(
            SUBJECT,
            Err(Failure::new(format!("`{key}` is not set"), hint)),
        );
    }
    match probe::checkpoint(model, resolved, environment).await {
        Ok(checkpoint) => {
            let verified = if is_pinned(name) { " with the expected hashes" } else { "" };
            let files = plural(checkpoint.files.len(), "file", "files");
            let folder = checkpoint.folder.display();
            Check::new::<Failure>(SUBJECT, Ok(format!("{name}: {files}{verified}, in {folder}")))
        }
        // A pinned model is downloaded and verified by the first run that needs it.
        Err(_) if is_pinned(name) && !environment.offline => {
            let fact = format!("{name}: not on this machine; the first run downloads it");
            Check { status: Status::Note, subject: SUBJECT, fact, hint: None }
        }
        Err(error) => Check::new(SUBJECT, Err(error)),
    }
}

/// Calls each service that the configuration names, once at most.
async fn services(resolved: &Resolved, environment: &Environment, checks: &mut Vec<Check>) {
    let Settings { retrieval, rerank, vector_store, external, .. } = &resolved.settings;
    let roles: Vec<RecipientRole> =
        recipients(&resolved.settings).iter().map(|it| it.role).collect();
    let calls = |role| roles.contains(&role);
    if let Some(url) = &external.url {
        let found = probe::service(resolved, environment).await.map(|()| {
            format!("{}: reachable; no question was asked, which may cost tokens", shown_url(url))
        });
        checks.push(Check::new("external service", found));
    } else {
        let server = |url: &str, version: String| {
            format!("Qdrant {version} at {}: key accepted", shown_url(url))
        };
        if vector_store.kind != VectorStoreKind::Embedded && uses_vector_store(&resolved.settings) {
            let found = probe::vector_server(resolved, environment).await;
            let found = found.map(|version| server(&vector_store.url, version));
            checks.push(Check::new("Qdrant server", found));
        }
        if retrieval.retrievers.contains(&RetrieverName::Collection) {
            let found = probe::collection(resolved, environment).await;
            let found = found.map(|version| server(&retrieval.collection.url, version));
            checks.push(Check::new("Qdrant collection", found));
        }
    }
    if let Some(url) = retrieval.dense.endpoint.as_ref().filter(|_| calls(RecipientRole::Encoder)) {
        let found = probe::encoder(resolved, environment).await.map(|n| {
            let n = plural(n, "dimension", "dimensions");
            format!("{} at {}: {n}{MADE_A_CALL}", retrieval.dense.model, shown_url(url))
        });
        checks.push(Check::new("embeddings endpoint", found));
    }
    if let Some(url) = rerank.endpoint.as_ref().filter(|_| calls(RecipientRole::Reranker)) {
        let found = probe::reranker(resolved, environment).await;
        let found = found.map(|()| format!("{}: scores passages{MADE_A_CALL}", shown_url(url)));
        checks.push(Check::new("rerank endpoint", found));
    }
    if calls(RecipientRole::Generator) {
        let settings = probe::generator(resolved, environment);
        checks.push(Check::new("generation endpoint", chat(settings).await));
    }
    if calls(RecipientRole::Judge) {
        let settings = probe::judge(resolved, environment);
        checks.push(Check::new("judge endpoint", chat(settings).await));
    }
}

/// Checks address, key and model by a call with one answer token.
async fn chat(
    settings: Result<OpenAiSettings, ragtriage_pipeline::Error>,
) -> Result<String, Failure> {
    let settings = settings?;
    ask_one_token(&settings).await?;
    let OpenAiSettings { endpoint, model, .. } = &settings;
    let has_key = endpoint.api_key.is_some() || !endpoint.headers.is_empty();
    let key = if has_key { ", key accepted" } else { "" };
    Ok(format!("{model} at {}: answers{key}{MADE_A_CALL}", shown_url(&endpoint.url)))
}
