//! The only place that prints: data to stdout, talk to stderr.

use std::io::{IsTerminal, Write};

use super::Failure;
use crate::text::sanitize::one_line;

/// Whether headings may be bold: stdout is a terminal and `NO_COLOR` is not set (no-color.org).
pub fn color() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints data. A reader that went away (`| head`) is no failure.
///
/// # Errors
/// What the operating system says otherwise: a full disk behind a redirection, say.
pub fn data(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}"), None))
        }
        _ => Ok(()),
    }
}

/// Says something beside the data, one line.
pub fn talk(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", one_line(text));
}

/// Says why the program could not do its job.
pub fn complain(failure: &Failure) {
    talk(&format!("error: {}", failure.message));
    if let Some(hint) = &failure.hint {
        talk(&format!("hint: {hint}"));
    }
}
