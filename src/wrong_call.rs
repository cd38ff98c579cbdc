//! Errors of the command line, printed as all others: an error and a hint.

use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;

use crate::failure::Failure;
use crate::output;

/// Prints help and version as data, and an error with its hint; returns the exit code. `program`: its commands.
pub fn answer(error: &clap::Error, program: Command) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
        }
        _ => output::complain(&failure(&error.render().to_string(), &called(program))),
    }
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

/// Returns the program and the commands that it was called with.
fn called(mut command: Command) -> String {
    let mut path = command.get_name().to_owned();
    for argument in std::env::args().skip(1) {
        let Some(inner) = command.find_subcommand(&argument).cloned() else {
            break;
        };
        path = format!("{path} {argument}");
        command = inner;
    }
    path
}

/// Splits what clap writes: the message up to the first empty line, tips, and a usage that `--help` shows as well.
fn failure(text: &str, called: &str) -> Failure {
    let mut parts = text.split("\n\n");
    let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = words(parts.next().unwrap_or_default());
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let mut hint = String::new();
    for tip in parts.flat_map(str::lines).filter_map(|line| line.trim().strip_prefix("tip: ")) {
        hint += tip;
        hint += "; ";
    }
    Failure::new(message, format!("{hint}see `{called} --help`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_become_the_hint() {
        let text = "error: unexpected argument '--limt' found\n\n  tip: a similar argument exists: '--limit'\n\n\
                    Usage: ragtriage run --limit <N> [CONFIG]\n\nFor more information, try '--help'.\n";
        let Failure { message, hint } = failure(text, "ragtriage run");
        assert_eq!(message, "unexpected argument '--limt' found");
        assert_eq!(
            hint.as_deref(),
            Some("a similar argument exists: '--limit'; see `ragtriage run --help`")
        );
    }

    #[test]
    fn a_list_in_the_message_stays_in_it() {
        let text = "error: the following required arguments were not provided:\n  <BASELINE>\n  <RUN>...\n\n\
                    Usage: ragtriage compare <BASELINE> <RUN>...\n";
        let Failure { message, hint } = failure(text, "ragtriage compare");
        assert_eq!(
            message,
            "the following required arguments were not provided: <BASELINE> <RUN>..."
        );
        assert_eq!(hint.as_deref(), Some("see `ragtriage compare --help`"));
    }
}
