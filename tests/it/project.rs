//! A project in a temporary folder: settings, a corpus, questions; and the program run in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::endpoint::{Endpoint, reads, sets};

/// BM25 over the project's own `data/`.
pub const SETTINGS: &str =
    "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n\n[retrieval]\nretrievers = [\"bm25\"]\n";

/// Two documents of one chunk each.
pub const CORPUS: &str = r#"{"id": "a", "title": "A", "text": "Alpha waits six minutes."}
{"id": "b", "title": "B", "text": "Beta never waits."}
"#;

/// Two span questions.
pub const QUESTIONS: &str = r#"{"id": "q1", "text": "How long does alpha wait?", "answers": ["six minutes"], "evidence": [[{"doc": "a", "quotes": ["six minutes"]}]]}
{"id": "q2", "text": "Who never waits?", "answers": ["Beta"], "evidence": [[{"doc": "b", "quotes": ["Beta never waits."]}]]}
"#;

/// What one call of the program gave.
pub struct Outcome {
    /// Its exit status.
    pub code: i32,
    /// Its data.
    pub stdout: String,
    /// Its talk.
    pub stderr: String,
}

impl Outcome {
    /// Returns its talk after the line that names the run's folder.
    pub fn since_start(&self) -> &str {
        let (folder, rest) = self.stderr.split_once('\n').unwrap_or_default();
        assert!(folder.starts_with("run folder: "), "{}", self.stderr);
        rest
    }
}

/// A temporary folder with `c.toml` and a data set; gone at the end.
pub struct Project {
    folder: TempDir,
    /// Answers the prompts of [`Project::run`].
    reader: OnceLock<Endpoint>,
}

impl Project {
    /// [`SETTINGS`] over [`CORPUS`] and [`QUESTIONS`].
    pub fn new() -> Self {
        let files = [
            ("c.toml", SETTINGS),
            ("data/corpus.jsonl", CORPUS),
            ("data/questions.jsonl", QUESTIONS),
        ];
        Self::of(&files)
    }

    /// These files and no others.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Self { folder, reader: OnceLock::new() };
        for (name, content) in files {
            project.write(name, content);
        }
        project
    }

    /// The shipped runbooks' settings with their recorded responses, as `ragtriage.toml`; BM25 alone.
    pub fn runbooks() -> Self {
        let settings = repository("config/runbooks.toml");
        let settings = fs::read_to_string(settings)
            .expect("shipped")
            .replace("[\"bm25\", \"dense\"]", "[\"bm25\"]")
            .replace("\"../", "\"");
        let project = Self::of(&[("ragtriage.toml", &settings)]);
        assert!(settings.contains("retrievers = [\"bm25\"]"), "{settings}");
        copy_folder(&repository("datasets/runbooks"), &project.path("datasets/runbooks"));
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("inside the folder")).expect("made");
        fs::write(path, content).expect("written");
    }

    pub fn append(&self, name: &str, content: impl AsRef<[u8]>) {
        let mut bytes = fs::read(self.path(name)).expect("there");
        bytes.extend_from_slice(content.as_ref());
        self.write(name, bytes);
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The notes of a run's manifest, each on a line.
    pub fn notes(&self, run: &str) -> String {
        let notes = self.json(&format!("runs/{run}/run.json"))["notes"].clone();
        let notes: Vec<ragtriage_core::types::Note> = serde_json::from_value(notes).expect("notes");
        notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    /// The program in this folder, in an environment without keys, proxies and hubs: what would go to the network fails.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("ragtriage");
        command.env_clear().current_dir(self.folder.path()).args(args);
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        command
    }

    /// The variables of [`Project::command`].
    pub fn environment(&self) -> [(&'static str, String); 4] {
        let folder = |name| self.path(name).to_string_lossy().into_owned();
        [
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("HOME", folder("home")),
            ("RAGTRIAGE_CACHE", folder("cache")),
            ("HF_ENDPOINT", "http://127.0.0.1:9".to_owned()),
        ]
    }

    pub fn call(&self, args: &[&str]) -> Outcome {
        outcome(&self.command(args).output().expect("starts"))
    }

    /// `run c.toml --out runs` and `args`; where neither names a generator, an endpoint answers by a gold answer of
    /// `data/questions.jsonl` or `docs/questions.jsonl` if the prompt has it.
    pub fn run(&self, args: &[&str]) -> Outcome {
        let names = ["generation.", "external.", "--llm"];
        let is_named = args.iter().any(|arg| names.iter().any(|name| arg.contains(name)))
            || self.read("c.toml").contains("generator =");
        let reader = if is_named { Vec::new() } else { self.reader_sets() };
        let reader: Vec<&str> = reader.iter().map(String::as_str).collect();
        self.call(&[&["run", "c.toml", "--out", "runs"], args, &reader].concat())
    }

    /// `--set` arguments of the endpoint that answers the prompts of [`Project::run`].
    pub fn reader_sets(&self) -> Vec<String> {
        let reader = self.reader.get_or_init(|| {
            let questions = ["data", "docs"].map(|folder| format!("{folder}/questions.jsonl"));
            let questions =
                questions.iter().find_map(|file| fs::read_to_string(self.path(file)).ok());
            Endpoint::start(None, reads(&questions.unwrap_or_default()))
        });
        sets(&reader.base_url())
    }

    /// A run of that name that must succeed; prints the full report.
    pub fn good(&self, name: &str, args: &[&str]) -> Outcome {
        let outcome = self.run(&[&["--name", name], full(args), args].concat());
        assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
        outcome
    }

    pub fn summary(&self, name: &str) -> Value {
        self.json(&format!("runs/{name}/summary.json"))
    }

    /// The traces of a run by `index`, of several lines with one id the last; with class, fault, reason and flags of its
    /// `outcomes.jsonl`, where it was evaluated.
    pub fn traces(&self, name: &str) -> Vec<Value> {
        let mut last = BTreeMap::new();
        for line in self.read(&format!("runs/{name}/traces.jsonl")).lines() {
            let trace: Value = serde_json::from_str(line).expect("a whole line of JSON");
            last.insert(trace["index"].as_u64().expect("an index"), trace);
        }
        let outcomes = self.path(&format!("runs/{name}/outcomes.jsonl"));
        for line in fs::read_to_string(outcomes).unwrap_or_default().lines() {
            let outcome: Value = serde_json::from_str(line).expect("a whole line of JSON");
            let index = outcome["index"].as_u64().expect("an index");
            if let Some(trace) = last.get_mut(&index) {
                for field in ["class", "fault", "reason", "flags"] {
                    if let Some(value) = outcome.get(field) {
                        trace[field] = value.clone();
                    }
                }
            }
        }
        last.into_values().collect()
    }

    /// Every file under a folder with its bytes; empty without that folder.
    pub fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.path(folder), &mut found);
        found
    }

    /// A call that must be refused: exit 2, nothing on stdout, this and nothing else on stderr, no file of a run added or changed.
    pub fn refuses(&self, args: &[&str], stderr: &[&str]) {
        let outcome = self.refused(args);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert_eq!(lines, stderr);
    }

    /// The same, where the hint is there but its words are free: the first line whole.
    pub fn refuses_with_some_hint(&self, args: &[&str], error: &str) {
        let outcome = self.refused(args);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert_eq!(lines.first(), Some(&error), "{}", outcome.stderr);
        assert!(
            lines.len() == 2 && lines[1].len() > "hint: ".len() && lines[1].starts_with("hint: "),
            "{}",
            outcome.stderr
        );
    }

    /// A call that must be refused, whatever it says: an error and a hint.
    pub fn refused(&self, args: &[&str]) -> Outcome {
        let before = self.files("runs");
        let mut outcome = self.call(args);
        let folder = self.folder.path().to_string_lossy().into_owned();
        outcome.stderr = outcome.stderr.replace(&folder, "[FOLDER]");
        assert_eq!(outcome.code, 2, "{}{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.stdout, "");
        // A run names its folder when it starts, also one that then fails.
        let lines = outcome.stderr.split_inclusive('\n');
        outcome.stderr = lines.filter(|line| !line.starts_with("run folder: ")).collect();
        assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
        let after = self.files("runs");
        assert_eq!(
            after.keys().collect::<Vec<_>>(),
            before.keys().collect::<Vec<_>>(),
            "a refusal leaves no file"
        );
        assert!(after == before, "a refusal changes no file");
        outcome
    }
}

/// The flag that prints the full report, unless `args` ask for JSON.
pub fn full(args: &[&str]) -> &'static [&'static str] {
    if args.contains(&"--json") { &[] } else { &["--full"] }
}

/// `run c.toml --out runs --name r`, to which a refusal adds nothing but its own arguments.
pub const RUN: [&str; 6] = ["run", "c.toml", "--out", "runs", "--name", "r"];

/// [`RUN`] with one setting more.
pub fn run_with(set: &str) -> [&str; 8] {
    ["run", "c.toml", "--out", "runs", "--name", "r", "--set", set]
}

pub fn outcome(output: &std::process::Output) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    // A process ended by a signal has no code.
    let code = output.status.code().unwrap_or(-1);
    Outcome { code, stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// A path of this repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `--set` arguments that make a run use BM25 and the tiny BERT.
pub fn tiny_bert() -> [String; 2] {
    let folder = repository("tests/data/tiny-bert");
    [
        "retrieval.retrievers=[\"bm25\", \"dense\"]".to_owned(),
        format!("retrieval.dense.model='{}'", folder.display()),
    ]
}

pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("copied");
        }
    }
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
}
