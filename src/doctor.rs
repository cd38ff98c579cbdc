//! `ragtriage doctor`: checks what a configuration needs, before a run does. Exit 1 if a check fails.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::overrides::OverrideArgs;
use crate::run_folder;
use crate::runtime::block_on;
use crate::sample::load;
use ragtriage_clients::fetch::model::is_pinned;
use ragtriage_clients::llm::openai::{OpenAiSettings, ask_one_token};
use ragtriage_core::config::VectorStoreKind;
use ragtriage_core::text::address::shown_url;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{DocId, QuestionId, RecipientRole, RetrieverName};
use ragtriage_pipeline::Error;
use ragtriage_pipeline::index_check::{IndexCheck, check_index};
use ragtriage_pipeline::settings::assemble::probe::{self, LocalModel, local_models};
use ragtriage_pipeline::settings::assemble::recipients::{recipients, uses_vector_store};
use ragtriage_pipeline::settings::assemble::{self, Environment};
use ragtriage_pipeline::settings::{Resolved, Settings};
use ragtriage_report::document::{Fact, Report};

/// Maximum time that a check waits for a service.
const MOST_WAIT: Duration = Duration::from_secs(10);
/// Most documents or questions named in a line.
const MOST_NAMED: usize = 3;
const MADE_A_CALL: &str = " (made 1 call to check it)";

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Configuration file [default: ragtriage.toml, here or above].
    config: Option<PathBuf>,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Compare the index with documents and gold evidence too; nothing is written.
    #[arg(long)]
    index: bool,
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
    let (name, mut resolved) = match configuration(args) {
        Ok(found) => found,
        Err(failure) => return vec![Check::new("configuration", Err(failure))],
    };
    let mut checks = vec![Check::new("configuration", Ok::<_, Failure>(name))];
    let environment = environment(&resolved, args.offline, false);
    checks.push(Check::new("cache folder", writable(&environment.cache_dir)));
    for model in local_models(&resolved) {
        checks.push(model_files(&model, &resolved, &environment).await);
    }
    services(&resolved, &environment, &mut checks).await;
    if args.index {
        match index(&mut resolved, &environment).await {
            Ok(found) => checks.extend(index_checks(&found)),
            Err(failure) => checks.push(Check::new("index", Err(failure))),
        }
    }
    checks
}

/// Compares the index with the data set.
async fn index(resolved: &mut Resolved, environment: &Environment) -> Result<IndexCheck, Failure> {
    if resolved.settings.external.url.is_some() {
        let hint =
            "without `external.url`, `retrieval.collection` names the collection that it searches";
        return Err(Failure::new("the index of an external service cannot be seen", hint));
    }
    let dataset = load(resolved)?;
    let plan = assembled(resolved, environment, &ProgressBars::new()).await?.plan;
    Ok(check_index(dataset, &plan)?)
}

fn index_checks(found: &IndexCheck) -> Vec<Check> {
    let IndexCheck { n_documents, n_chunks, n_questions, .. } = *found;
    let ids = |ids: &[&str]| {
        let more = if ids.len() > MOST_NAMED { ", ..." } else { "" };
        format!(": {}{more}", ids[..ids.len().min(MOST_NAMED)].join(", "))
    };
    let row = |subject, n: usize, all: usize, what: &str, named: &[&str], hint: &str| {
        let named = if named.is_empty() { String::new() } else { ids(named) };
        let status = if n == 0 { Status::Ok } else { Status::Failed };
        let fact = format!("{} of {} {what}{named}", thousands(n), thousands(all));
        Check { status, subject, fact, hint: (n > 0).then(|| hint.to_owned()) }
    };
    let documents =
        |docs: &[&str], what, hint| row("documents", docs.len(), n_documents, what, docs, hint);
    let gold = [
        (&found.not_in_corpus, "in no document", "add the documents, or correct the labels"),
        (&found.not_chunked, "in no chunk of the index", "index their documents again"),
        (&found.truncated, "beyond the input limit of the encoder", "use smaller chunks"),
        (&found.filtered, "excluded by retrieval.filter", "correct filter or metadata"),
    ];
    let gold = gold.map(|(found, what, hint)| {
        let ids: Vec<&str> = found.iter().map(QuestionId::as_str).collect();
        row("gold evidence", ids.len(), n_questions, &format!("questions: {what}"), &ids, hint)
    });
    let missing: Vec<&str> = found.missing.iter().map(DocId::as_str).collect();
    let stale: Vec<&str> = found.stale.iter().map(String::as_str).collect();
    let chunks = |n, what, hint| row("chunks", n, n_chunks, what, &[], hint);
    let all = [
        documents(&missing, "are not in the index", "index them"),
        documents(&stale, "differ from their text in the index", "index them again"),
        chunks(found.n_doubled, "are in the index twice", "delete the copies"),
        chunks(found.n_truncated, "exceed the input limit of the encoder", "use smaller chunks"),
    ];
    all.into_iter().chain(gold).collect()
}

/// Reads and validates the configuration; with the text that names it.
fn configuration(args: &DoctorArgs) -> Result<(String, Resolved), Failure> {
    let file = run_folder::configuration(args.config.as_deref())?;
    let resolved = Resolved::new(Some(&file), &args.overrides.sets()?)?;
    assemble::check(&resolved.settings)?;
    Ok((file.display().to_string(), resolved))
}

fn writable(folder: &Path) -> Result<String, Failure> {
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
    let server = |url: &str| {
        let url = shown_url(url);
        move |version: String| format!("Qdrant {version} at {url}: key accepted")
    };
    if let Some(url) = &external.url {
        let fact = |()| {
            format!("{}: reachable; no question was asked, which may cost tokens", shown_url(url))
        };
        let found = probe::service(resolved, environment);
        checks.push(answered("external service", found, fact).await);
    } else {
        if vector_store.kind != VectorStoreKind::Embedded && uses_vector_store(&resolved.settings) {
            let found = probe::vector_server(resolved, environment);
            checks.push(answered("Qdrant server", found, server(&vector_store.url)).await);
        }
        if retrieval.retrievers.contains(&RetrieverName::Collection) {
            let found = probe::collection(resolved, environment);
            let fact = server(&retrieval.collection.url);
            checks.push(answered("Qdrant collection", found, fact).await);
        }
    }
    if let Some(url) = retrieval.dense.endpoint.as_ref().filter(|_| calls(RecipientRole::Encoder)) {
        let fact = |n| {
            let n = plural(n, "dimension", "dimensions");
            format!("{} at {}: {n}{MADE_A_CALL}", retrieval.dense.model, shown_url(url))
        };
        let found = probe::encoder(resolved, environment);
        checks.push(answered("embeddings endpoint", found, fact).await);
    }
    if let Some(url) = rerank.endpoint.as_ref().filter(|_| calls(RecipientRole::Reranker)) {
        let fact = |()| format!("{}: scores passages{MADE_A_CALL}", shown_url(url));
        let found = probe::reranker(resolved, environment);
        checks.push(answered("rerank endpoint", found, fact).await);
    }
    if calls(RecipientRole::Generator) {
        let settings = probe::generator(resolved, environment);
        checks.push(chat("generation endpoint", settings).await);
    }
    if calls(RecipientRole::Judge) {
        checks.push(chat("judge endpoint", probe::judge(resolved, environment)).await);
    }
}

/// Checks a model by a call with at most one answer token.
async fn chat(subject: &'static str, settings: Result<OpenAiSettings, Error>) -> Check {
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return Check::new(subject, Err(error)),
    };
    let OpenAiSettings { endpoint, model, .. } = &settings;
    let has_key = endpoint.api_key.is_some() || !endpoint.headers.is_empty();
    let key = if has_key { ", key accepted" } else { "" };
    let url = shown_url(&endpoint.url);
    let fact = |()| format!("{model} at {url}: answers{key}{MADE_A_CALL}");
    answered(subject, ask_one_token(&settings), fact).await
}

/// Waits for a service, no longer than a person does.
async fn answered<T, E: Into<Failure>>(
    subject: &'static str,
    answer: impl Future<Output = Result<T, E>>,
    fact: impl FnOnce(T) -> String,
) -> Check {
    let Ok(answer) = tokio::time::timeout(MOST_WAIT, answer).await else {
        let late = format!("no answer within {} s", MOST_WAIT.as_secs());
        let late = Failure::new(late, "check that the service is up");
        return Check::new::<Failure>(subject, Err(late));
    };
    Check::new(subject, answer.map(fact))
}
