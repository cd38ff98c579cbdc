//! An interrupt (Ctrl-C) ends a run; what is finished is kept, and the message says how to resume.

use std::process;

use crate::output;
use ragtriage_data::run::RunFolder;

/// Exit status of a program that an interrupt ended, by the convention of shells: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// Ends the process at the next interrupt, naming the command that resumes the run in `folder`. A line that is being written is
/// completed or cut off on resume.
pub fn watch(folder: RunFolder, resume: String) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            if output::talk_width().is_some() {
                output::show("\n"); // after the progress bar
            }
            output::talk(&format!(
                "interrupted: finished questions are kept in {}",
                folder.path().display()
            ));
            output::talk(&format!("hint: resume with `{resume}`"));
            process::exit(INTERRUPTED);
        }
    });
}
