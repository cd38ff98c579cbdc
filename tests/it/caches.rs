//! Damaged and read-only caches: the results of a run stay those of a clean one, and a notice says what happened.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

use crate::endpoint::{Endpoint, knows, sets};
use crate::project::{Outcome, Project, copy_folder, outcome, repository, tiny_bert};

const READ_ONLY: &str = "the cache is read-only: new entries are not stored";

/// A project whose runs use every cache but those of vectors: index, scores of a reranker, responses.
struct Cached {
    project: Project,
    endpoint: Endpoint,
    sets: Vec<String>,
}

impl Cached {
    fn new() -> Self {
        let endpoint = Endpoint::start(None, knows);
        let mut sets = sets(&endpoint.base_url());
        let model = repository("tests/data/tiny-models/cross-encoder");
        let rerank = format!("rerank.model='{}'", model.display());
        let conditions = "evaluation.conditions=[\"retrieved\", \"oracle\"]";
        sets.extend(["--set".to_owned(), rerank]);
        sets.extend(["--set".to_owned(), conditions.to_owned()]);
        Self { project: Project::new(), endpoint, sets }
    }

    /// The same with the vectors of the tiny BERT.
    fn dense() -> Self {
        let mut cached = Self::new();
        for set in tiny_bert() {
            cached.sets.extend(["--set".to_owned(), set]);
        }
        cached
    }

    fn args<'a>(&'a self, name: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec!["run", "c.toml", "--out", "runs", "--name", name];
        args.extend(self.sets.iter().map(String::as_str));
        args.extend(more);
        args
    }

    /// A run that must succeed, and its results.
    fn run(&self, name: &str, more: &[&str]) -> (Outcome, Value) {
        let outcome = self.project.call(&self.args(name, more));
        assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
        (outcome, results(&self.project, name))
    }

    /// Damages each of `files` in each way; each time a run must report it once and have the results of a clean run, and
    /// another must find nothing to report.
    fn survives(&self, is_damaged: impl Fn(&Path) -> bool) {
        let (_, clean) = self.run("clean", &[]);
        let (cache, pristine) = (self.project.path("cache"), self.project.path("pristine"));
        copy_folder(&cache, &pristine);
        let files = self.project.files("pristine").into_keys();
        let files: Vec<PathBuf> = files.filter(|path| is_damaged(path)).collect();
        assert!(!files.is_empty());
        for file in &files {
            let name = file.strip_prefix(&pristine).expect("a file of the folder");
            for (way, damage) in DAMAGES.into_iter().enumerate() {
                fs::remove_dir_all(&cache).expect("there");
                copy_folder(&pristine, &cache);
                let mut bytes = fs::read(file).expect("there");
                damage(&mut bytes);
                fs::write(cache.join(name), bytes).expect("written");
                let run = format!("r-{way}-{}", name.display().to_string().replace('/', "-"));
                let (outcome, damaged) = self.run(&run, &[]);
                let notices: Vec<&str> = notices(&outcome);
                assert!(!notices.is_empty(), "{run}: {}", outcome.stderr);
                assert_eq!(damaged, clean, "{run}: {notices:?}");
                let (outcome, healed) = self.run(&format!("{run}-again"), &[]);
                assert_eq!(self::notices(&outcome), Vec::<&str>::new(), "{run}");
                assert_eq!(healed, clean, "{run}");
            }
        }
    }
}

/// A flipped bit, a zeroed block of 64 KiB, half of the file, and nothing.
const DAMAGES: [fn(&mut Vec<u8>); 4] = [
    |bytes| {
        // The end of the last page of a database is in use, the middle may not be.
        let last = bytes.iter().rposition(|byte| *byte != 0);
        bytes[last.expect("not all zero")] ^= 1;
    },
    |bytes| {
        let length = bytes.len().min(1 << 16);
        bytes[..length].fill(0);
    },
    |bytes| bytes.truncate(bytes.len() / 2),
    Vec::clear,
];

fn notices(outcome: &Outcome) -> Vec<&str> {
    let lines = outcome.stderr.lines();
    let words = ["damaged", "unusable", "rebuilt"];
    lines.filter(|line| words.iter().any(|word| line.contains(word))).collect()
}

/// The rankings and answers of a run.
fn results(project: &Project, name: &str) -> Value {
    let traces = project.traces(name);
    let each = traces.iter().map(|trace| {
        let conditions = trace["conditions"].as_array().expect("conditions").iter();
        let attempts =
            conditions.flat_map(|condition| condition["attempts"].as_array().expect("attempts"));
        let answers: Vec<&Value> = attempts.map(|attempt| &attempt["raw"]).collect();
        let stages = trace["stages"].as_array().expect("stages");
        let hits: Vec<&Value> = stages.iter().map(|stage| &stage["hits"]).collect();
        serde_json::json!({"answers": answers, "hits": hits, "class": trace["class"]})
    });
    each.collect()
}

#[test]
fn every_damaged_file_is_rebuilt_and_changes_no_result() {
    let cached = Cached::new();
    cached.survives(|_| true);
    let names: Vec<String> = fs::read_dir(cached.project.path("cache"))
        .expect("made")
        .map(|entry| entry.expect("read").file_name().into_string().expect("UTF-8"))
        .collect();
    for name in ["indexes", "chunks", "scores.sqlite", "replies.sqlite"] {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
}

#[test]
fn damaged_vectors_are_computed_again_and_change_no_result() {
    Cached::dense().survives(|path| path.ends_with("vectors.sqlite"));
}

#[test]
fn a_damaged_response_is_asked_for_again_alone() {
    let cached = Cached::new();
    cached.run("one", &[]);
    let path = cached.project.path("cache/replies.sqlite");
    let mut bytes = fs::read(&path).expect("written");
    let at = bytes.windows(11).position(|part| part == b"six minutes");
    bytes[at.expect("cached")] = b'S';
    fs::write(&path, bytes).expect("written");
    let n_before = cached.endpoint.requests().len();
    let (outcome, _) = cached.run("two", &[]);
    let notice = "the cached responses had 1 damaged entry, treated as missing";
    assert_eq!(notices(&outcome), [notice]);
    assert_eq!(cached.endpoint.requests().len(), n_before + 1);
}

/// The modes of everything under a folder, and of itself.
fn modes(path: &Path, found: &mut BTreeMap<PathBuf, u32>) {
    let metadata = fs::symlink_metadata(path).expect("there");
    found.insert(path.to_owned(), metadata.permissions().mode() & 0o7777);
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            modes(&entry.expect("an entry").path(), found);
        }
    }
}

fn are_private(project: &Project, folder: &str) {
    let mut found = BTreeMap::new();
    modes(&project.path(folder), &mut found);
    assert!(found.len() > 2, "{found:?}");
    for (path, mode) in found {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}: {mode:o}", path.display());
    }
}

#[test]
fn caches_are_their_owners_alone() {
    let cached = Cached::new();
    cached.run("one", &[]);
    are_private(&cached.project, "cache");
    are_private(&cached.project, "runs/one");
}

/// Calls the program while nothing under `folder` can be written. Root may write whatever the modes are: then `folder` is
/// a read-only mount, which needs `unshare` and unprivileged user namespaces.
fn call_read_only(project: &Project, folder: &str, args: &[&str]) -> Outcome {
    let folder = project.path(folder);
    let mut found = BTreeMap::new();
    modes(&folder, &mut found);
    let change = |mode_of: &dyn Fn(&PathBuf, u32) -> u32| {
        for (path, mode) in &found {
            fs::set_permissions(path, Permissions::from_mode(mode_of(path, *mode))).expect("set");
        }
    };
    change(&|path, _| if path.is_dir() { 0o555 } else { 0o444 });
    let probe = folder.join("probe");
    let is_root = fs::write(&probe, "").is_ok();
    let called = if is_root {
        fs::remove_file(&probe).expect("written");
        let program = project.command(args);
        let script =
            "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script, "sh"]).arg(&folder);
        command.arg(program.get_program()).args(args).env_clear();
        command.current_dir(project.path(".")).envs(project.environment());
        outcome(&command.output().expect("`unshare` is installed"))
    } else {
        project.call(args)
    };
    change(&|_, mode| mode);
    called
}

#[test]
fn a_complete_read_only_cache_serves_a_run() {
    let cached = Cached::new();
    let (_, clean) = cached.run("one", &[]);
    let (before, n_before) = (cached.project.files("cache"), cached.endpoint.requests().len());
    let called = call_read_only(&cached.project, "cache", &cached.args("two", &[]));
    assert_eq!(called.code, 0, "{}{}", called.stdout, called.stderr);
    assert!(!called.stderr.contains("cache"), "{}", called.stderr);
    assert_eq!(results(&cached.project, "two"), clean);
    assert_eq!(cached.endpoint.requests().len(), n_before);
    assert!(cached.project.files("cache") == before);
}

#[test]
fn a_cache_that_cannot_be_created_is_said_once_and_the_run_goes_on() {
    let cached = Cached::new();
    fs::create_dir(cached.project.path("home")).expect("made");
    let set = format!("cache.dir='{}'", cached.project.path("home/cache").display());
    let args = cached.args("one", &["--set", &set]);
    let called = call_read_only(&cached.project, "home", &args);
    assert_eq!(called.code, 0, "{}{}", called.stdout, called.stderr);
    assert_eq!(called.stderr.matches(READ_ONLY).count(), 1, "{}", called.stderr);
}

#[test]
fn without_a_cache_none_is_needed_and_none_is_made() {
    let cached = Cached::new();
    let (_, clean) = cached.run("one", &[]);
    let before = cached.project.files("cache");
    let (_, uncached) = cached.run("two", &["--no-cache"]);
    assert_eq!(uncached, clean);
    assert!(cached.project.files("cache") == before);
    fs::remove_dir_all(cached.project.path("cache")).expect("there");
    // Neither HOME nor another folder that a cache could be in.
    let temporary = cached.project.path("temporary");
    fs::create_dir(&temporary).expect("made");
    let mut command = cached.project.command(&cached.args("three", &["--no-cache"]));
    command.env_remove("HOME").env_remove("RAGTRIAGE_CACHE");
    let ran = outcome(&command.env("TMPDIR", &temporary).output().expect("starts"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(results(&cached.project, "three"), clean);
    assert!(!cached.project.path("cache").exists() && !cached.project.path("home").exists());
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0);
}
