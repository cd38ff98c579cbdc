//! The help pages of all commands, as one snapshot.
//!
//! After a changed text, `INSTA_UPDATE=always cargo test --test it help::` writes the snapshot again.

use crate::project::Project;

/// Columns of a page: a terminal that is wider, or none, shows no more.
const COLUMNS: usize = 100;
/// Characters that the first line of a command or an option may have.
const MOST_CHARS: usize = 80;

/// The help of a command, then of the commands in it.
fn pages(project: &Project, path: &[&str], out: &mut Vec<(String, String)>) {
    let help = project.call(&[path, &["--help"]].concat());
    assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{path:?}");
    out.push((format!("ragtriage {}", path.join(" ")), help.stdout.clone()));
    let (_, commands) = help.stdout.split_once("\nCommands:\n").unwrap_or_default();
    for line in commands.lines().take_while(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("  ").filter(|line| !line.starts_with(' ')) {
            let name = name.split(' ').next().expect("a name");
            pages(project, &[path, &[name]].concat(), out);
        }
    }
}

#[test]
fn every_page_is_pinned_and_fits_its_columns() {
    let project = Project::of(&[]);
    let mut found = Vec::new();
    pages(&project, &[], &mut found);
    let mut all = Vec::new();
    for (name, text) in found {
        for line in text.lines() {
            assert!(line.chars().count() <= COLUMNS, "{name}: {line}");
        }
        let text: Vec<&str> = text.lines().map(str::trim_end).collect();
        all.push(format!("## {}\n\n{}", name.trim_end(), text.join("\n")));
    }
    insta::assert_snapshot!("help", all.join("\n\n"));
}

#[test]
fn a_short_page_has_one_short_line_for_each_option() {
    let project = Project::of(&[]);
    for command in ["run", "ask", "tune", "import", "report", "compare", "check", "doctor"] {
        let help = project.call(&[command, "-h"]);
        let (_, options) = help.stdout.split_once("\nOptions:\n").expect("options");
        for line in options.lines() {
            let (_, text) = line.trim_start().split_once("  ").unwrap_or_default();
            let text = text.split(" [possible values").next().expect("a text");
            assert!(text.trim().chars().count() < MOST_CHARS, "{command}: {line}");
        }
    }
}
