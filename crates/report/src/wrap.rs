//! Text broken between words for a terminal.

use ragtriage_core::text::sanitize::one_line;

/// Most columns of a line.
pub(crate) const WIDTH: usize = 110;

/// Breaks `text` into lines of at most `width` columns behind `lead`, later lines indented under the first. Escape sequences, control
/// and bidirectional characters are removed. Ends in a line feed.
#[must_use]
pub fn wrapped_to(width: usize, lead: &str, text: &str) -> String {
    let indent = lead.chars().count();
    let mut out = String::new();
    let mut line = lead.to_owned();
    let mut empty = true;
    for word in one_line(text).split(' ').filter(|word| !word.is_empty()) {
        if line.chars().count() + word.chars().count() > width && !empty {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(indent);
        }
        line.push_str(word);
        line.push(' ');
        empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_lines_stand_under_the_first() {
        let text = ["word"; 30].join(" ");
        let lines: Vec<String> =
            wrapped_to(WIDTH, "  lead  ", &text).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  lead  word") && lines[1].starts_with("        word"));
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn a_word_longer_than_the_line_stands_alone_and_nothing_is_only_the_lead() {
        assert_eq!(wrapped_to(WIDTH, "a ", &"x".repeat(300)).lines().count(), 1);
        assert_eq!(wrapped_to(WIDTH, "a ", ""), "a\n");
    }
}
