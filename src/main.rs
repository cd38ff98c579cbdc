//! The `ragxray` binary: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ragxray::cli::main()
}
