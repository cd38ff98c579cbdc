//! Sets `has_data_NAME` for each public data set in `datasets/fetched`, so that a test that needs one reports itself as ignored
//! if it is missing.
#![allow(clippy::print_stdout, reason = "cargo reads its instructions there")]

use std::path::Path;

/// The data sets that tests read.
const NAMES: [&str; 7] = [
    "cisi",
    "hotpotqa",
    "qa_scores",
    "scifact",
    "squad",
    "squad2",
    "trec_eval",
];

fn main() {
    let fetched = Path::new("datasets/fetched");
    // A missing path would run this script on every build.
    let watched = if fetched.is_dir() {
        fetched
    } else {
        Path::new("datasets")
    };
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", watched.display());
    for name in NAMES {
        println!("cargo::rustc-check-cfg=cfg(has_data_{name})");
        if fetched.join(name).is_dir() {
            println!("cargo::rustc-cfg=has_data_{name}");
        }
    }
}
