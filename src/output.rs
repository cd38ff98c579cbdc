//! The only place that prints: data to stdout, messages to stderr.

use std::io::{IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;
use ragtriage_core::text::sanitize::{escaped_json, one_line};
use ragtriage_data::run::write_file;
use ragtriage_report::document::Report;
use ragtriage_report::render::terminal::{self, Screen};
use ragtriage_report::wrap::wrapped_to;

/// Columns that tables need.
const LEAST_WIDTH: usize = 60;

/// Returns true if `NO_COLOR` is not set (no-color.org): headings on a terminal may be bold.
fn may_color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints data. A reader that went away (`| head`) is no failure.
///
/// # Errors
/// Any other error of the operating system, such as a full disk.
pub fn data(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let hint = "check the free space and the permissions where the output goes";
            Err(Failure::new(format!("cannot write to standard output: {error}"), hint))
        }
        _ => Ok(()),
    }
}

/// Writes a file that the user named, whole or not at all; `mode` is that of a new file.
///
/// # Errors
/// Errors of the operating system.
pub fn file(path: &Path, mode: u32, bytes: &[u8]) -> Result<(), Failure> {
    write_file(path, mode, |file| file.write_all(bytes)).map_err(|error| cannot_write(path, &error))
}

/// Returns the failure to write a file that the user named.
pub fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let hint = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            "free some disk space"
        }
        _ => "check that its folder exists and can be written",
    };
    Failure::new(format!("cannot write `{}`: {error}", path.display()), hint)
}

/// Returns the screen that reports are laid out for: the terminal, at most the width of reports elsewhere.
pub fn screen() -> Screen {
    let screen = Screen::new(std::io::stdout().is_terminal() && may_color());
    let width = comfy_table::Table::new().width().map(usize::from);
    Screen {
        width: width.map_or(screen.width, |width| width.clamp(LEAST_WIDTH, screen.width)),
        ..screen
    }
}

/// Prints a report for people.
pub fn report(report: &Report) -> Result<(), Failure> {
    data(&terminal::render(report, screen()))
}

/// `value` as indented JSON with a line feed behind it, control and bidi characters of its strings escaped; `what` names it in the
/// error.
pub fn json(value: &impl Serialize, what: &str) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map(|json| escaped_json(&json) + "\n")
        .map_err(|error| Failure::bare(format!("cannot write {what}: {error}")))
}

/// Prints a message next to the data, on one line.
pub fn talk(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", one_line(text));
}

/// Returns true if talk may be coloured: stderr is a terminal and `NO_COLOR` is not set.
pub fn talk_color() -> bool {
    std::io::stderr().is_terminal() && may_color()
}

/// Returns the columns of the terminal on stderr, if it is one.
pub fn talk_width() -> Option<usize> {
    comfy_table::Table::new().use_stderr().width().map(usize::from)
}

/// Prints `text` to stderr as it is, without a line feed; untrusted parts are sanitized by the caller.
pub fn show(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Most characters of an error, which may quote data.
const LONGEST_MESSAGE: usize = 2000;

/// Reports why the program could not do its job.
pub fn complain(failure: &Failure) {
    let message: String = failure.message.chars().take(LONGEST_MESSAGE).collect();
    let cut = if message.len() < failure.message.len() { "…" } else { "" };
    let lines = [("error: ", Some(message + cut)), ("hint: ", failure.hint.clone())];
    for (lead, text) in lines {
        match (talk_width(), text) {
            (Some(width), Some(text)) => show(&wrapped_to(width, lead, &text)),
            (None, Some(text)) => talk(&format!("{lead}{text}")),
            (_, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_drives_no_terminal_and_reads_back_the_same() {
        let value = vec!["a\u{9b}31m\u{202e}\u{7f}\u{2028}é\n\u{1b}"];
        let json = json(&value, "a list").expect("JSON");
        assert_eq!(json, "[\n  \"a\\u009b31m\\u202e\\u007f\\u2028é\\n\\u001b\"\n]\n");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).expect("reads"), value);
    }
}
