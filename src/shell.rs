//! Paths and commands as a shell takes them.

use std::path::Path;

/// Columns of a command, which fits a narrow terminal.
const COLUMNS: usize = 76;

/// A command of this program that a reader can paste.
pub struct Command(Vec<String>);

impl Command {
    /// Makes `ragtriage COMMAND`.
    pub fn new(command: &str) -> Self {
        Self(vec![format!("ragtriage {command}")])
    }

    /// Adds flags, each with its value.
    pub fn flags(mut self, flags: impl IntoIterator<Item = String>) -> Self {
        self.0.extend(flags);
        self
    }

    /// Returns it broken before flags into lines that a shell joins.
    pub fn lines(&self) -> Vec<String> {
        let (command, flags) = self.0.split_first().expect("a command has its name");
        let mut lines = vec![command.clone()];
        for flag in flags {
            let line = lines.last_mut().expect("the first line");
            if line.chars().count() + flag.chars().count() + 3 <= COLUMNS {
                *line += " ";
                *line += flag;
            } else {
                *line += " \\";
                lines.push(format!("  {flag}"));
            }
        }
        lines
    }
}

/// Returns a path as a shell takes it, quoted where needed.
pub fn shell(path: &Path) -> String {
    let shown = path.display().to_string();
    let text = if shown.starts_with('-') { format!("./{shown}") } else { shown };
    let mut characters = text.chars();
    if characters.all(|it| it.is_ascii_alphanumeric() || "/._-+,@%:=".contains(it)) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
