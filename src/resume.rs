//! `ragtriage run --resume`: checks that a run can be resumed, and merges its manifest.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::run::RunArgs;
use ragtriage_core::config::{GenerationSettings, Settings};
use ragtriage_core::types::Note;
use ragtriage_data::run::{ExternalSource, Manifest, RunFolder, SavedRun};
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::settings::Resolved;

/// The record of run `name` under `out`; refused where its questions cannot be asked, only imported. `None` where the folder is
/// all there is: the run was killed before it wrote its manifest, and begins.
pub(super) fn earlier(out: &Path, name: &str) -> Result<Option<Manifest>, Failure> {
    let folder = RunFolder::named(out, name).map_err(|error| {
        Failure::new(
            error.to_string(),
            format!(
                "give the name of a run in {}, not its path; `--out` names another folder",
                out.display()
            ),
        )
    })?;
    if folder.is_unused() {
        return Ok(None);
    }
    let manifest = Manifest::load(&folder)?;
    match &manifest.external {
        Some(ExternalSource { kind, from, .. }) if manifest.is_imported() => Err(Failure::new(
            format!("run `{name}` was imported from the {kind} `{from}`: there is nothing to ask"),
            "delete the folder, or choose another name, and import the file again",
        )),
        _ => Ok(Some(manifest)),
    }
}

/// Returns the recorded settings with the overrides `sets`; an error if an address was recorded without a part that selects whom to ask.
pub(super) fn recorded(manifest: Manifest, sets: &[String]) -> Result<Resolved, Failure> {
    let given: Vec<&str> =
        sets.iter().filter_map(|set| Some(set.split_once('=')?.0.trim())).collect();
    let mut shortened = manifest.shortened.iter();
    if let Some(key) = shortened.find(|key| !given.contains(&key.as_str())) {
        let (name, config) = (&manifest.name, &manifest.config);
        return Err(Failure::new(
            format!(
                "run `{name}` records `{key}` without its user info and query, which may hold keys"
            ),
            format!(
                "pass the configuration again: `ragtriage run {config} --resume {name}`, with the same overrides"
            ),
        ));
    }
    Ok(Resolved::recorded(manifest.settings, PathBuf::from(manifest.config), sets)?)
}

/// Returns what the resumed run has, and the questions and passages that need no further work; `None` where it begins.
pub(super) fn done(args: &RunArgs, has_earlier: bool) -> Result<Option<(SavedRun, Done)>, Failure> {
    let Some(name) = args.resume.as_ref().filter(|_| has_earlier) else {
        return Ok(None);
    };
    let old = SavedRun::load_incomplete(&RunFolder::existing(&args.out.join(name)), 0)?;
    let finished = old.traces.iter().filter(|trace| !trace.failed());
    let questions = finished.map(|trace| trace.question.id.clone()).collect();
    let passages = old.passages.keys().cloned().collect();
    Ok(Some((old, Done { questions, passages, replies: Vec::new() })))
}

/// Makes `new` the manifest of the resumed run, so far `old`; an error if other questions or settings would be used.
pub(super) fn go_on(old: &SavedRun, new: &mut Manifest) -> Result<(), Failure> {
    let name = &new.name;
    let differences = differences(&old.manifest, new);
    if !differences.is_empty() {
        return Err(Failure::new(
            format!("run `{name}` was made with another configuration: {}", differences.join("; ")),
            "pass the same configuration, or start a new run",
        ));
    }
    if let Some(limit) = dropped_limit(&old.manifest, new) {
        return Err(Failure::new(
            format!("run `{name}` was made with `{limit}`, which is not set now"),
            format!(
                "set it again (`--set {limit}=...`), or leave the configuration file out to use the recorded one"
            ),
        ));
    }
    new.started.clone_from(&old.manifest.started);
    let kept = old
        .manifest
        .notes
        .iter()
        .filter(|note| !new.notes.contains(note))
        .cloned()
        .collect::<Vec<_>>();
    new.notes.extend(kept);
    // What was counted of contexts is written when a run ends.
    if old.manifest.external.is_some() && old.manifest.finished.is_none() && !old.traces.is_empty()
    {
        let what =
            "[interruption|interruptions]: counts of contexts leave out the questions asked before";
        Note::add(&mut new.notes, what, 1);
    }
    Ok(())
}

/// Returns a cost limit of the run that is not set any more: limits may be changed, not dropped.
fn dropped_limit(old: &Manifest, new: &Manifest) -> Option<&'static str> {
    let (old, new) = (limits(&old.settings), limits(&new.settings));
    old.into_iter()
        .zip(new)
        .find(|((_, old), (_, new))| *old > 0.0 && *new <= 0.0)
        .map(|((key, _), _)| key)
}

/// The settings that limit the cost of a run; 0: no limit.
fn limits(settings: &Settings) -> [(&'static str, f64); 4] {
    let GenerationSettings { max_usd, price, .. } = &settings.generation;
    [
        ("generation.max_usd", max_usd.unwrap_or(0.0)),
        ("judge.max_usd", settings.judge.max_usd.unwrap_or(0.0)),
        ("generation.price.prompt", price.prompt),
        ("generation.price.completion", price.completion),
    ]
}

/// Returns the differences between a run's manifest and the present configuration, as `key: then -> now`.
fn differences(old: &Manifest, new: &Manifest) -> Vec<String> {
    let changed = old.answer_differences(new);
    let mut out: Vec<String> =
        changed.iter().map(|it| format!("`{}`: {} -> {}", it.key, it.from, it.to)).collect();
    let [then, now] = [old, new].map(|it| it.external.as_ref().map(|source| &source.kind));
    if then != now {
        out.push("the evaluated pipeline".to_owned());
    }
    if old.models != new.models {
        out.push("the content of a model or a file of chunks".to_owned());
    }
    let parts =
        old.versions.iter().filter(|(part, version)| new.versions.get(*part) != Some(version));
    out.extend(parts.map(|(part, _)| format!("the {part}")));
    if old.dataset_digest != new.dataset_digest {
        out.push("the data set's content".to_owned());
    }
    out
}
