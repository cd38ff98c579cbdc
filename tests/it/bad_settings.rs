//! Settings that cannot be used: refused with file and line or the flag, and what to do.

use crate::project::{Project, RUN, SETTINGS, run_with};

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
fn an_unknown_key_of_a_flag_is_named_with_the_flag() {
    Project::new().refuses(
        &run_with("chunking.sise=3"),
        &[
            "error: override `chunking.sise=3`: unknown setting `sise`",
            "hint: did you mean `size`?",
        ],
    );
}

#[test]
fn a_value_of_the_wrong_type_is_named_with_its_line() {
    let outcome = with("[chunking]\noverlap = 3\nsize = \"big\"\n").refused(&RUN);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(
        lines[0],
        "error: c.toml:10: `chunking.size`: invalid type: string \"big\", expected usize"
    );
    assert!(lines.len() == 2 && lines[1].starts_with("hint: "), "{}", outcome.stderr);
}

#[test]
fn a_flag_of_the_wrong_type_is_named_with_the_flag() {
    let outcome = Project::new().refused(&run_with("chunking.size=big"));
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(
        lines[0],
        "error: override `chunking.size=big`: `chunking.size`: invalid type: string \"big\", expected usize"
    );
    assert!(lines.len() == 2 && lines[1].starts_with("hint: "), "{}", outcome.stderr);
}

#[test]
fn toml_that_does_not_parse_is_named_with_its_line() {
    with("[chunking\nsize = 3\n")
        .refuses_with_some_hint(&RUN, "error: c.toml:8: unclosed table, expected `]`");
}

#[test]
fn a_settings_file_that_is_not_utf_8_is_named_with_its_byte() {
    let project = Project::new();
    project.append("c.toml", b"# caf\xe9\n");
    // Behind the settings come `# caf`, five bytes.
    let byte = SETTINGS.len() + 5;
    project.refuses_with_some_hint(&RUN, &format!("error: c.toml: not UTF-8 at byte {byte}"));
}

#[test]
fn a_flag_without_a_value_is_answered_with_an_example() {
    Project::new().refuses(
        &run_with("retrieval.k"),
        &[
            "error: `retrieval.k` is not `key=value`",
            "hint: for example `--set retrieval.k=3`, `--set chunking.strategy=fixed`",
        ],
    );
}

#[test]
fn a_k_of_zero_is_refused() {
    Project::new().refuses_with_some_hint(
        &run_with("retrieval.k=0"),
        "error: `retrieval.k` is 0, must be at least 1",
    );
}

#[test]
fn an_overlap_as_large_as_the_size_is_refused() {
    let outcome = with("[chunking]\nsize = 40\noverlap = 40\n").refused(&RUN);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert!(
        lines[0].ends_with("`chunking.overlap` = 40 is not smaller than `chunking.size` = 40"),
        "{}",
        outcome.stderr
    );
    assert_eq!(lines[1..], ["hint: set `chunking.overlap` below 40; a fifth of the size is usual"]);
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
fn an_endpoint_without_a_model_is_refused_by_the_settings_full_name() {
    let outcome = Project::new().refused(&run_with("generation.generator=openai"));
    assert!(outcome.stderr.starts_with("error: `generation.model` "), "{}", outcome.stderr);
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
