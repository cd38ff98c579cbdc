//! Packs the runbooks for `ragtriage demo`, and sets `has_data_NAME` for each public data set in `datasets/fetched`, so that a
//! test that needs one reports itself as ignored if it is missing.
#![allow(clippy::print_stdout, reason = "cargo reads its instructions there")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

/// The data set of the demo, and the files of it that a run reads.
const RUNBOOKS: &str = "datasets/runbooks";
const RUNBOOK_FILES: [&str; 2] = ["questions.jsonl", "responses.jsonl"];

/// The data sets that tests read.
const NAMES: [&str; 8] =
    ["cisi", "hotpotqa", "qa_scores", "scifact", "squad", "squad2", "trec_eval", "xquad"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={RUNBOOKS}");
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
    pack_runbooks(&out.ok_or(io::ErrorKind::NotFound)?.join("runbooks.tar.gz"))?;
    let fetched = Path::new("datasets/fetched");
    // A missing path would run this script on every build.
    let watched = if fetched.is_dir() { fetched } else { Path::new("datasets") };
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", watched.display());
    for name in NAMES {
        println!("cargo::rustc-check-cfg=cfg(has_data_{name})");
        if fetched.join(name).is_dir() {
            println!("cargo::rustc-cfg=has_data_{name}");
        }
    }
    Ok(())
}

/// Writes documents, questions and responses into one archive, the same bytes on every machine.
fn pack_runbooks(archive: &Path) -> io::Result<()> {
    let folder = Path::new(RUNBOOKS);
    let corpus = fs::read_dir(folder.join("corpus"))?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = corpus.collect::<io::Result<_>>()?;
    files.extend(RUNBOOK_FILES.map(|name| folder.join(name)));
    files.sort();
    let mut tar = Builder::new(GzEncoder::new(File::create(archive)?, Compression::best()));
    for file in files {
        let content = fs::read(&file)?;
        let mut header = Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let name = file.strip_prefix("datasets").map_err(io::Error::other)?;
        tar.append_data(&mut header, name, content.as_slice())?;
    }
    tar.into_inner()?.finish()?;
    Ok(())
}
