//! `--llm` and `--set`: which keys they set, and in which order.

use crate::endpoint::{Endpoint, knows};
use crate::project::{Outcome, Project, full, outcome};

/// What `config show` prints of the generator's endpoint.
fn endpoint_of(project: &Project, args: &[&str]) -> Vec<String> {
    let shown = project.call(&[&["config", "show", "c.toml"], args].concat());
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    let keys = ["api_key_env", "base_url", "generator", "model"];
    let lines = shown.stdout.lines().skip_while(|line| *line != "[generation]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let lines = lines.filter(|line| keys.contains(&line.split(" = ").next().unwrap_or_default()));
    lines.map(str::to_owned).collect()
}

#[test]
fn set_wins_over_llm_wherever_it_stands() {
    let project = Project::new();
    for args in [
        ["--set", "generation.model=b", "--llm", "ollama:a"],
        ["--llm", "ollama:a", "--set", "generation.model=b"],
    ] {
        let shown = endpoint_of(&project, &args);
        assert!(shown.contains(&"model = \"b\"".to_owned()), "{shown:?}");
    }
}

/// Runs with keys of the configuration's endpoint in the environment.
fn run(project: &Project, args: &[&str]) -> Outcome {
    let all = [&["run", "c.toml", "--out", "runs", "--name", "r"], full(args), args].concat();
    let mut command = project.command(&all);
    command.env("OTHER_KEY", "sk-hush");
    outcome(&command.output().expect("starts"))
}

#[test]
fn another_endpoint_gets_no_key_of_the_configured_one() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    project.append(
        "c.toml",
        "[generation]\napi_key_env = \"OTHER_KEY\"\nheaders_env = { \"x-api-key\" = \"OTHER_KEY\" }\n",
    );
    let outcome = run(&project, &["--llm", &format!("{}#tiny", endpoint.base_url())]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let requests = endpoint.requests();
    assert!(!requests.is_empty());
    for request in requests {
        let headers = &request.headers;
        assert!(!headers.contains_key("authorization") && !headers.contains_key("x-api-key"));
    }
    let settings = project.json("runs/r/run.json")["settings"]["generation"].clone();
    assert_eq!(settings["model"], "tiny");
}
