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
fn without_an_argument_the_default_settings_file_is_missed_by_name() {
    let outcome = Project::new().refused(&["run"]);
    assert!(
        outcome.stderr.starts_with("error: cannot read settings `config/runbooks.toml`: "),
        "{}",
        outcome.stderr
    );
}

#[test]
fn an_unknown_key_in_a_file_is_named_with_line_and_nearest_key() {
    with("[chunking]\nsise = 3\n")
        .refuses(&RUN, &["error: c.toml:9: unknown setting `sise`", "hint: did you mean `size`?"]);
}

#[test]
fn an_unknown_table_is_named_with_line_and_nearest_table() {
    with("[chunkin]\nsize = 3\n").refuses(
        &RUN,
        &["error: c.toml:8: unknown setting `chunkin`", "hint: did you mean `chunking`?"],
    );
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
fn a_key_unlike_any_other_is_answered_with_all_that_there_are() {
    let outcome = with("[cache]\nzzzzzzzz = 3\n").refused(&RUN);
    assert_eq!(
        outcome.stderr,
        "error: c.toml:9: unknown setting `zzzzzzzz`\nhint: known settings: dir\n"
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
fn a_name_that_is_no_member_is_answered_with_the_members() {
    let outcome = Project::new().refused(&run_with("chunking.strategy=fixd"));
    for member in ["`fixd`", "`fixed`", "`paragraph`", "`recursive`", "`markdown`", "`document`"] {
        assert!(outcome.stderr.contains(member), "{}", outcome.stderr);
    }
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
    with("[evaluation]\nks = [1, 0]\n")
        .refuses_with_some_hint(&RUN, "error: `evaluation.ks` is 0, must be at least 1");
}

#[test]
fn fewer_candidates_than_k_are_refused() {
    let error = "error: `retrieval.candidates` is 4, must be at least `retrieval.k`, which is 5";
    Project::new().refuses_with_some_hint(&run_with("retrieval.candidates=4"), error);
}

#[test]
fn a_limit_of_zero_is_refused() {
    let args = [&RUN[..], &["--limit", "0"]].concat();
    Project::new().refuses_with_some_hint(&args, "error: `dataset.limit` is 0, must be at least 1");
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
fn a_chunk_size_of_zero_is_refused() {
    let outcome = with("[chunking]\nsize = 0\noverlap = 0\n").refused(&RUN);
    assert!(outcome.stderr.contains("`chunking.size` is 0"), "{}", outcome.stderr);
    assert!(
        outcome
            .stderr
            .ends_with("\nhint: `ragtriage config show` shows every key with its default\n"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn numbers_outside_their_range_are_refused_by_key() {
    let project = Project::new();
    for (set, key) in [
        ("retrieval.bm25.b=2", "`retrieval.bm25.b`"),
        ("retrieval.bm25.k1=nan", "`retrieval.bm25.k1`"),
        ("retrieval.fusion.k=-1", "`retrieval.fusion.k`"),
        ("evaluation.correct_f1=nan", "`evaluation.correct_f1`"),
        ("evaluation.correct_f1=1.5", "`evaluation.correct_f1`"),
        ("evaluation.resamples=0", "`evaluation.resamples`"),
        ("generation.context_tokens=0", "`generation.context_tokens`"),
        ("retrieval.retrievers=[]", "`retrieval.retrievers`"),
        ("retrieval.retrievers=[\"bm25\", \"bm25\"]", "`retrieval.retrievers`"),
        ("evaluation.arms=[\"oracle\"]", "`evaluation.arms`"),
    ] {
        let outcome = project.refused(&run_with(set));
        assert!(outcome.stderr.contains(key), "{set}: {}", outcome.stderr);
    }
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
fn an_endpoints_address_that_is_none_is_refused_by_the_settings_full_name() {
    let sets =
        ["generation.generator=openai", "generation.model=m", "generation.base_url=nonsense"];
    let args: Vec<&str> =
        RUN.into_iter().chain(sets.iter().flat_map(|set| ["--set", set])).collect();
    let outcome = Project::new().refused(&args);
    assert!(outcome.stderr.starts_with("error: `generation.base_url` "), "{}", outcome.stderr);
}

#[test]
fn a_table_in_another_case_is_answered_with_the_one_meant_or_with_all() {
    with("[Chunking]\nsize = 3\n").refuses(
        &RUN,
        &["error: c.toml:8: unknown setting `Chunking`", "hint: did you mean `chunking`?"],
    );
    let outcome = with("[Oracle]\nx = 1\n").refused(&RUN);
    assert!(
        outcome.stderr.starts_with(
            "error: c.toml:8: unknown setting `Oracle`\nhint: known settings: dataset, "
        ),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_k_above_the_default_candidates_is_refused_by_its_own_name() {
    Project::new().refuses_with_some_hint(
        &run_with("retrieval.k=99999999999"),
        "error: `retrieval.k` is 99999999999, must be at most `retrieval.candidates`, which is 100: raise that, or lower k",
    );
}

#[test]
fn a_temperature_that_is_none_is_refused() {
    for (value, shown) in [("-1", "is -1"), ("nan", "is not a finite number")] {
        Project::new().refuses_with_some_hint(
            &run_with(&format!("generation.temperature={value}")),
            &format!("error: `generation.temperature` {shown}, must be at least 0"),
        );
    }
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
