//! Damaged bytes in files that the program reads.

use std::fs;
use std::path::{Path, PathBuf};

use ragtriage_core::stats::random::Random;

/// The files that are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Cache,
    Index,
    UnfinishedRun,
    FinishedRun,
    DataSet,
}

impl Place {
    pub fn kind(self) -> &'static str {
        match self {
            Self::Cache => "damage: cache",
            Self::Index => "damage: index",
            Self::UnfinishedRun => "damage: unfinished run",
            Self::FinishedRun => "damage: finished run",
            Self::DataSet => "damage: data set, before a resume",
        }
    }

    /// Lists the files of a project that are damaged: those that are read again.
    fn files(self, project: &Path) -> Vec<PathBuf> {
        let (folder, names): (&str, &[&str]) = match self {
            Self::Cache => ("cache", &[]),
            Self::Index => ("cache/indexes", &[]),
            Self::UnfinishedRun => {
                ("runs/r", &["run.json", "traces.jsonl", "passages.jsonl", "replies.jsonl"])
            }
            Self::FinishedRun => ("runs/r", &["run.json", "traces.jsonl", "passages.jsonl"]),
            Self::DataSet => ("data", &[]),
        };
        let entries = walkdir::WalkDir::new(project.join(folder)).into_iter();
        let mut files: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.metadata().is_ok_and(|it| it.is_file() && it.len() > 0))
            .filter(|entry| names.is_empty() || names.iter().any(|name| entry.file_name() == *name))
            .map(walkdir::DirEntry::into_path)
            .collect();
        files.sort();
        files
    }
}

/// How bytes change.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// One bit.
    Bit,
    /// A letter or digit becomes another, which leaves most formats readable.
    Letter,
    /// A run of zeros.
    Zeros(usize),
    /// The end is missing.
    Cut,
}

/// One change of one file.
#[derive(Clone, Debug)]
pub struct Damage {
    pub place: Place,
    form: Form,
    random: Random,
    /// Call at which an unfinished run is killed.
    pub moment: usize,
}

impl Damage {
    pub fn new(place: Place, random: &mut Random) -> Self {
        let form = match random.below(8) {
            0..=2 => Form::Bit,
            3..=5 => Form::Letter,
            6 => Form::Zeros(1 << random.below(17)),
            _ => Form::Cut,
        };
        Self { place, form, moment: 20 + random.below(60), random: random.clone() }
    }

    /// Damages a file of the project; returns which and where, `None` if there is none.
    pub fn strike(&self, project: &Path) -> Option<String> {
        let mut random = self.random.clone();
        let files = self.place.files(project);
        let path = files.get(random.below(files.len().max(1)))?;
        let mut bytes = fs::read(path).expect("a file");
        let at = self.change(&mut bytes, &mut random);
        fs::write(path, &bytes).expect("written");
        let name = path.strip_prefix(project).expect("inside").display();
        Some(format!("{name}, byte {at}"))
    }

    fn change(&self, bytes: &mut Vec<u8>, random: &mut Random) -> usize {
        let at = random.below(bytes.len());
        match self.form {
            Form::Bit => bytes[at] ^= 1 << random.below(8),
            Form::Letter => return change_letter(bytes, at, random),
            Form::Zeros(n) => {
                let end = bytes.len().min(at + n);
                bytes[at..end].fill(0);
            }
            Form::Cut => bytes.truncate(at),
        }
        at
    }
}

/// Replaces the next letter or digit by another of its kind.
fn change_letter(bytes: &mut [u8], from: usize, random: &mut Random) -> usize {
    let n = bytes.len();
    let is_plain = |at: &usize| bytes[*at].is_ascii_digit() || bytes[*at].is_ascii_lowercase();
    let Some(at) = (from..n).chain(0..from).find(is_plain) else {
        return from;
    };
    let (base, n_kinds) = if bytes[at].is_ascii_digit() { (b'0', 10) } else { (b'a', 26) };
    let shift = 1 + random.below(n_kinds - 1);
    bytes[at] = base + ((usize::from(bytes[at] - base) + shift) % n_kinds) as u8;
    at
}
