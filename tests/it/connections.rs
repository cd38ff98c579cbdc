//! Where connections go and where not: proxies, certificates, `--offline`.

use serde_json::json;

use crate::endpoint::sets;
use crate::project::{Outcome, Project, RUN, outcome, tiny_bert};
use crate::run_files::class;
use crate::tls::TlsServer;

/// A completion that is correct for the second question.
fn beta() -> String {
    json!({"choices": [{"message": {"content": "Answer: Beta"}, "finish_reason": "stop"}]})
        .to_string()
}

/// A run with the endpoint at `base_url`, these variables and these arguments.
fn run(project: &Project, base_url: &str, variables: &[(&str, &str)], more: &[&str]) -> Outcome {
    let sets = sets(base_url);
    let args: Vec<&str> = RUN
        .into_iter()
        .chain(sets.iter().map(String::as_str))
        .chain(more.iter().copied())
        .collect();
    outcome(&project.command(&args).envs(variables.iter().copied()).output().expect("starts"))
}

#[test]
fn an_unknown_authority_is_refused_and_a_private_one_taken_where_it_is_named() {
    let server = TlsServer::start("localhost", &beta());
    let base_url = format!("https://localhost:{}/v1", server.port);
    let project = Project::new();
    let refused = run(&project, &base_url, &[], &[]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(
        refused.stderr.contains(&format!(
            "the certificate of `{base_url}/chat/completions` is not trusted: invalid peer certificate: UnknownIssuer"
        )),
        "{}",
        refused.stderr
    );
    assert!(server.requests().is_empty());

    project.write("ca.pem", &server.authority);
    let args = ["--set", "http.ca_file=ca.pem", "--resume", "r"];
    let sets = sets(&base_url);
    let args: Vec<&str> = sets.iter().map(String::as_str).chain(args).collect();
    let good = project.run(&args);
    assert_eq!(good.code, 0, "{}", good.stderr);
    assert_eq!(class(&project.summary("r"), "correct"), 1);
}

#[test]
fn the_reason_for_refusing_a_certificate_is_told() {
    let mine = |is_ca| TlsServer::self_signed("localhost", &beta(), is_ca);
    for (server, outcome) in [
        (
            TlsServer::start("elsewhere.example", &beta()),
            "is not trusted: invalid peer certificate: certificate not valid",
        ),
        (
            mine(true),
            "is not trusted: invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
        ),
        (mine(false), "run folder: "),
    ] {
        let project = Project::new();
        project.write("ca.pem", &server.authority);
        let base_url = format!("https://localhost:{}/v1", server.port);
        let done = run(&project, &base_url, &[], &["--set", "http.ca_file=ca.pem"]);
        assert!(done.stderr.contains(outcome), "{outcome}: {}", done.stderr);
        assert_eq!(done.code == 0, outcome.starts_with("run"), "{}", done.stderr);
    }
}

#[test]
fn https_goes_through_the_proxy_of_the_environment_and_nowhere_else() {
    // The name is nobody's: only the proxy can lead there.
    let server = TlsServer::behind_proxy("llm.example", &beta());
    let project = Project::new();
    project.write("ca.pem", &server.authority);
    let proxy = format!("http://127.0.0.1:{}", server.port);
    let good = run(
        &project,
        "https://llm.example/v1",
        &[("HTTPS_PROXY", &proxy)],
        &["--set", "http.ca_file=ca.pem"],
    );
    assert_eq!(good.code, 0, "{}", good.stderr);
    assert_eq!(class(&project.summary("r"), "correct"), 1);
    let begin =
        |with: &str| server.requests().iter().filter(|request| request.starts_with(with)).count();
    let (tunnels, calls) =
        ("CONNECT llm.example:443 HTTP/1.1\r\n", "POST /v1/chat/completions HTTP/1.1\r\n");
    assert!(begin(tunnels) > 0 && begin(tunnels) == begin(calls), "{:?}", server.requests());
    assert_eq!(begin(tunnels) + begin(calls), server.requests().len());
}

#[test]
fn offline_names_whatever_it_refuses() {
    let bert = tiny_bert();
    let elsewhere = "https://elsewhere.example";
    let with = |key: &str| format!("{key}={elsewhere}/v1");
    let (base_url, dense, rerank, external) = (
        with("generation.base_url"),
        with("retrieval.dense.endpoint"),
        with("rerank.endpoint"),
        with("external.url"),
    );
    let store = format!("vector_store.url={elsewhere}:6334");
    let dense_only = "retrieval.retrievers=[\"dense\"]";
    for (key, sets) in [
        (
            "generation.base_url",
            &["generation.generator=openai", "generation.model=m", &base_url][..],
        ),
        ("retrieval.dense.endpoint", &[dense_only, "retrieval.dense.model=m", &dense]),
        ("rerank.endpoint", &["rerank.model=m", &rerank]),
        ("external.url", &[&external]),
        ("vector_store.url", &[&bert[0], &bert[1], "vector_store.kind=server", &store]),
    ] {
        let args: Vec<&str> =
            RUN.into_iter().chain(sets.iter().flat_map(|set| ["--set", set])).collect();
        let outcome = Project::new().refused(&[&args[..], &["--offline"]].concat());
        let error = format!("error: `{key}`: `{elsewhere}");
        assert!(outcome.stderr.starts_with(&error), "{key}: {}", outcome.stderr);
    }
    // A model that is not there is not fetched.
    let args: Vec<&str> = RUN.into_iter().chain(["--set", dense_only, "--offline"]).collect();
    let outcome = Project::new().refused(&args);
    assert!(
        outcome.stderr.contains("the network: not tried in offline mode"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_key_goes_unencrypted_to_no_other_machine() {
    let bert = tiny_bert();
    let elsewhere = "http://elsewhere.example";
    let with = |key: &str| format!("{key}={elsewhere}/v1");
    let (base_url, dense, rerank, external) = (
        with("generation.base_url"),
        with("retrieval.dense.endpoint"),
        with("rerank.endpoint"),
        with("external.url"),
    );
    let store = format!("vector_store.url={elsewhere}:6334");
    let collection = format!("retrieval.collection.url={elsewhere}:6334");
    let openai = ["generation.generator=openai", "generation.model=m", &base_url];
    let dense_only = "retrieval.retrievers=[\"dense\"]";
    for sets in [
        &[&openai[..], &["generation.api_key_env=KEY"]].concat()[..],
        &[&openai[..], &["generation.headers_env={ \"api-key\" = \"KEY\" }"]].concat(),
        &[dense_only, "retrieval.dense.model=m", "retrieval.dense.api_key_env=KEY", &dense],
        &["rerank.model=m", "rerank.api_key_env=KEY", &rerank],
        &["external.api_key_env=KEY", &external],
        &[&bert[0], &bert[1], "vector_store.kind=server", "vector_store.api_key_env=KEY", &store],
        &[
            "retrieval.retrievers=[\"collection\"]",
            "retrieval.collection.name=docs",
            "retrieval.collection.mode=sparse",
            "retrieval.collection.sparse_using=text",
            "retrieval.collection.sparse_model=bm25",
            "retrieval.collection.text=text",
            "retrieval.collection.api_key_env=KEY",
            &collection,
        ],
    ] {
        let args: Vec<&str> =
            RUN.into_iter().chain(sets.iter().flat_map(|set| ["--set", set])).collect();
        let refused = outcome(
            &Project::new().command(&args).env("KEY", "hush-0123456789").output().expect("starts"),
        );
        assert_eq!(refused.code, 2, "{sets:?}: {}", refused.stdout);
        assert!(
            refused.stderr.contains("key would be sent unencrypted to `"),
            "{sets:?}: {}",
            refused.stderr
        );
        assert!(
            refused.stderr.contains("hint: use `https`") && !refused.stderr.contains("hush"),
            "{}",
            refused.stderr
        );
        for (setting, address) in
            [("vector_store.url", &store), ("retrieval.collection.url", &collection)]
        {
            let is_named = refused.stderr.contains(&format!("`{setting}`: "));
            assert_eq!(is_named, sets.contains(&address.as_str()), "{}", refused.stderr);
        }
    }
}
