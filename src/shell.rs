//! Paths as a shell takes them.

use std::path::Path;

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
