//! The README and the book show what the program prints: every command of a ```` ```console ```` block is run in a folder with the files
//! that the page shows, and its output compared. `UPDATE_DOCS=1` writes the output into the pages instead.
//!
//! A block under a line that has nothing but a name in backticks and a colon is the file of that name. A command begins with `$ ` and
//! goes on after `\`; `cd` holds for those after it. A line `...` leaves out lines. Progress on stderr is not shown, errors, hints and warnings are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{Project, repository};

/// A page's text with the output that its commands have now, and the number of commands.
fn refreshed(page: &str) -> (String, usize) {
    let project = Project::of(&[]);
    let (mut lines, mut out, mut n_commands) = (page.lines(), String::new(), 0);
    let (mut file, mut folder) = (None, project.path(""));
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let Some(language) = line.strip_prefix("```") else {
            if !line.is_empty() {
                file = line.strip_prefix('`').and_then(|line| line.strip_suffix("`:"));
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some(name) = file.take() {
            project.write(name, block.join("\n") + "\n");
        }
        let mut block = block.into_iter().peekable();
        while let Some(line) = block.next() {
            out += line;
            out.push('\n');
            let Some(command) = line.strip_prefix("$ ").filter(|_| language == "console") else {
                continue;
            };
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                let line = block.next().expect("a line after `\\`");
                out += line;
                out.push('\n');
                command.push('\n');
                command += line;
            }
            let mut shown = Vec::new();
            while let Some(line) = block.next_if(|line| !line.starts_with("$ ")) {
                shown.push(line);
            }
            if let Some(name) = command.strip_prefix("cd ") {
                folder.push(name);
            }
            out.push_str(&elided(&output(&project, &folder, &command), &shown));
            n_commands += 1;
        }
        out.push_str("```\n");
    }
    (out, n_commands)
}

/// What a command prints in a folder of the project, as a shell shows it.
fn output(project: &Project, folder: &Path, command: &str) -> Vec<String> {
    let program = assert_cmd::cargo::cargo_bin!("ragtriage").parent().expect("a folder");
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env_clear();
    shell.envs(project.environment());
    let path = std::env::var("PATH").unwrap_or_default();
    shell.env("PATH", format!("{}:{path}", program.display()));
    let printed = shell.output().expect("starts");
    let [data, talk] = [printed.stdout, printed.stderr].map(String::from_utf8);
    let talk = talk.expect("UTF-8");
    let kinds = ["error: ", "hint: ", "warning: "];
    let talk = talk.lines().filter(|line| kinds.iter().any(|kind| line.starts_with(kind)));
    let data = data.expect("UTF-8");
    data.lines().chain(talk).map(|line| line.trim_end().to_owned()).collect()
}

/// `lines`, of which those are left out for which `shown` has `...`: as many are there before and after as in `shown`.
fn elided(lines: &[String], shown: &[&str]) -> String {
    let gap = shown.iter().position(|line| *line == "...");
    let (n_first, n_last) = match gap {
        Some(gap) => (gap, shown.len() - gap - 1),
        None => (lines.len(), 0),
    };
    let mut kept: Vec<&str> = lines.iter().map(String::as_str).collect();
    if n_first + n_last < kept.len() {
        kept.splice(n_first..kept.len() - n_last, ["..."]);
    }
    kept.iter().flat_map(|line| [line, "\n"]).collect()
}

fn pages() -> Vec<PathBuf> {
    let book = fs::read_dir(repository("docs/src")).expect("a folder");
    let book = book.map(|entry| entry.expect("an entry").path());
    let pages = book.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.chain([repository("README.md")]).collect()
}

#[test]
fn the_pages_show_what_their_commands_print() {
    let check = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page");
        let (now, n_commands) = refreshed(&text);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, now).expect("written");
        } else {
            let name = path.display();
            assert!(now == text, "{name} is out of date, see `UPDATE_DOCS` in guide.rs:\n{now}");
        }
        n_commands
    };
    let n_commands: usize = std::thread::scope(|scope| {
        let pages: Vec<_> =
            pages().into_iter().map(|path| scope.spawn(move || check(path))).collect();
        pages.into_iter().map(|page| page.join().expect("as shown")).sum()
    });
    assert!(n_commands >= 20, "{n_commands} commands");
}

#[test]
fn output_that_a_command_does_not_print_is_replaced() {
    let page = "`a/b.txt`:\n\n```text\nx\ny\nz\n```\n\n```console\n$ cat \\\n  a/b.txt\nx\n...\n$ cd a\n$ ls\nnothing\n```\n";
    let (now, n_commands) = refreshed(page);
    assert_eq!(now, page.replace("nothing", "b.txt"));
    assert_eq!(n_commands, 3);
}
