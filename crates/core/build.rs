//! Compiles the crate again when a language's file changes, which `include_dir` does not tell cargo.
#![allow(clippy::print_stdout, reason = "cargo reads its instructions there")]

fn main() {
    println!("cargo::rerun-if-changed=languages");
}
