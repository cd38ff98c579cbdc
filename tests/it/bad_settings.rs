//! Settings that cannot be used: refused with file and line or the flag, and what to do.

use crate::project::{Project, RUN, SETTINGS};

/// A project whose settings file ends with `more`, from line 8 on.
fn with(more: &str) -> Project {
    let project = Project::new();
    project.write("c.toml", format!("{SETTINGS}\n{more}"));
    project
}

#[test]
fn a_settings_file_that_is_not_there_is_named() {
    Project::new().refuses(
        &["run", "gone.toml", "--out", "runs"],
        &[
            "error: cannot read settings `gone.toml`: No such file or directory (os error 2)",
            "hint: give the path of a configuration file; `ragtriage demo` runs on sample data, `ragtriage init DIR` writes a configuration for your documents",
        ],
    );
}

#[test]
fn an_unknown_key_in_a_file_is_named_with_line_and_nearest_key() {
    with("[chunking]\nsise = 3\n")
        .refuses(&RUN, &["error: c.toml:9: unknown setting `sise`", "hint: did you mean `size`?"]);
}

#[test]
fn a_key_that_the_environment_does_not_have_is_named_with_its_setting() {
    let sets =
        ["generation.generator=openai", "generation.model=m", "generation.api_key_env=NO_SUCH_KEY"];
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> = RUN.into_iter().chain(sets).collect();
    Project::new().refuses(
        &args,
        &[
            "error: the environment variable `NO_SUCH_KEY` named by `generation.api_key_env` is not set",
            "hint: set NO_SUCH_KEY, or remove the setting for a server without keys",
        ],
    );
}

#[test]
fn a_settings_file_that_is_a_device_or_a_fifo_is_refused() {
    let project = Project::new();
    let fifo = project.path("fifo.toml");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("starts").success());
    std::fs::create_dir(project.path("folder.toml")).expect("made");
    for file in ["/dev/null", "fifo.toml", "folder.toml"] {
        project.refuses(
            &["run", file, "--out", "runs"],
            &[
                &format!("error: cannot read settings `{file}`: not a regular file"),
                "hint: give the path of a TOML file; write piped settings to one first",
            ],
        );
    }
}

#[test]
fn a_run_is_resumed_by_name_and_never_by_path() {
    let project = Project::new();
    for name in [".", "..", "../elsewhere", "a/b", "/tmp"] {
        project.refuses(
            &["run", "--out", "runs", "--resume", name],
            &[
                &format!("error: invalid run name `{name}`: use letters, digits, `.`, `_` and `-`"),
                "hint: give the name of a run in runs, not its path; `--out` names another folder",
            ],
        );
    }
}
