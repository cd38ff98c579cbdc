//! Sets `has_qdrant_server` where `RAGTRIAGE_QDRANT_URL` names a server, and `has_qdrant_binary` where `RAGTRIAGE_QDRANT_BIN`
//! names its program, so that a test that needs one reports itself as ignored where it is missing.
#![allow(clippy::print_stdout, reason = "cargo reads its instructions there")]

fn main() {
    for (variable, name) in [
        ("RAGTRIAGE_QDRANT_URL", "has_qdrant_server"),
        ("RAGTRIAGE_QDRANT_BIN", "has_qdrant_binary"),
    ] {
        println!("cargo::rerun-if-env-changed={variable}");
        println!("cargo::rustc-check-cfg=cfg({name})");
        if std::env::var_os(variable).is_some() {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
