//! Conversations with planted losses, rewritten by a model that drops the name in some of them: each loss must be named.

use serde_json::{Value, json};
use wiremock::{Request, Respond};

use crate::endpoint::{Endpoint, says, sets, user_message};
use crate::project::{Outcome, Project};

/// Turns; every third is planted to be lost by rewriting, every third one to be ranked low.
const N: usize = 60;

const SETTINGS: &str = "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n\n[retrieval]\nretrievers = [\"bm25\"]\nk = 1\ncandidates = 3\nrewrite = true\n\n[evaluation]\nconditions = [\"retrieved\"]\n";

fn name(n: usize) -> String {
    format!("Quor{n}ax")
}

/// Documents with a port each, ten without a name, and those that outrank the ones to be ranked low.
fn project() -> Project {
    let (mut corpus, mut questions) = (String::new(), String::new());
    let document = |id: String, text: String| json!({"id": id, "text": text}).to_string() + "\n";
    for n in 0..N {
        let name = name(n);
        let filler = "It was written by the platform team in spring. ".repeat(3);
        corpus += &document(
            format!("d{n}"),
            format!("The service {name} listens there: port {}. {filler}", 7000 + n),
        );
        if n % 3 == 1 {
            corpus += &document(format!("near{n}"), format!("Port of {name}: {name}."));
        }
        let history = json!([{"role": "user", "text": format!("What is {name}?")}, {"role": "assistant", "text": format!("{name} is a service.")}]);
        let question = json!({
            "id": format!("q{n}"), "history": history, "text": "Which port does it use?",
            "standalone": format!("Which port does the service {name} use?"), "kind": "span",
            "answers": [(7000 + n).to_string()], "evidence": [[{"doc": format!("d{n}"), "quotes": [format!("port {}", 7000 + n)]}]],
        });
        questions += &(question.to_string() + "\n");
    }
    for n in 0..10 {
        corpus +=
            &document(format!("any{n}"), "Which port the system has is said elsewhere.".to_owned());
    }
    Project::of(&[
        ("c.toml", SETTINGS),
        ("data/corpus.jsonl", &corpus),
        ("data/questions.jsonl", &questions),
    ])
}

/// Rewrites a turn, without its name in every third conversation, and answers from the first passage.
fn model() -> impl Respond {
    |request: &Request| {
        let prompt = user_message(request);
        if !prompt.starts_with("Conversation:\n\n") {
            let port = prompt
                .split("port ")
                .filter_map(|rest| rest.get(..4))
                .find(|it| it.parse::<u32>().is_ok());
            return says(&format!("Answer: {}", port.unwrap_or("I don't know")));
        }
        let n = (0..N).find(|n| prompt.contains(&name(*n))).expect("a name");
        let named = if n % 3 == 0 { "the system".to_owned() } else { name(n) };
        says(&format!("Answer: Which port does {named} use?"))
    }
}

fn call(project: &Project, endpoint: &Endpoint, more: &[&str]) -> Outcome {
    let sets = sets(&endpoint.base_url());
    let mut args = vec!["run", "c.toml", "--out", "runs", "--name", "r"];
    args.extend(sets.iter().map(String::as_str));
    args.extend(more);
    project.call(&args)
}

#[test]
fn a_turn_is_lost_by_rewriting_or_after_it() {
    let (project, endpoint) = (project(), Endpoint::start(None, model()));
    let dry = call(&project, &endpoint, &["--dry-run", "--json"]);
    let estimate: Value = serde_json::from_str(&dry.stdout).expect(&dry.stderr);
    // A rewriting and an answer for each turn.
    assert_eq!((&estimate["calls"], endpoint.requests().len()), (&json!(2 * N), 0));

    let outcome = call(&project, &endpoint, &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(endpoint.requests().len(), 2 * N);
    let answers = endpoint.requests().into_iter().map(|request| user_message(&request));
    let mut answers = answers.filter(|prompt| prompt.contains("Passages:"));
    assert!(answers.all(|prompt| prompt.starts_with("Conversation so far:\n\nUser: What is Quor")));

    let outcomes = project.read("runs/r/outcomes.jsonl");
    let outcomes: Vec<Value> =
        outcomes.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let is_named = |(n, outcome): &(usize, &Value)| {
        let (class, reason) = (&outcome["class"], outcome["reason"].as_str().expect("a reason"));
        match n % 3 {
            0 => {
                class == "not_retrieved"
                    && outcome["cause"] == "query"
                    && reason.ends_with("not with the rewritten query")
            }
            1 => class == "ranked_low",
            _ => class == "correct",
        }
    };
    let n_named = outcomes.iter().enumerate().filter(is_named).count();
    assert_eq!(n_named, N, "{outcomes:#?}");
    let full = project.call(&["report", "runs/r", "--format", "terminal"]).stdout;
    let words = full.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("correct the rewriting: of 20 not_retrieved, 20 [17, 20] by query"),
        "{full}"
    );

    let traces = project.traces("r");
    assert_eq!(traces[0]["stages"][0]["query"], "Which port does the system use?");
    assert_eq!(project.summary("r")["tokens"]["rewrite"]["calls"], N);
    // Everything is in the cache, the rewritten queries too.
    std::fs::remove_dir_all(project.path("runs")).expect("removed");
    let dry = call(&project, &endpoint, &["--dry-run", "--json"]);
    let estimate: Value = serde_json::from_str(&dry.stdout).expect(&dry.stderr);
    assert_eq!((&estimate["calls"], &estimate["cached"]), (&json!(0), &json!(2 * N)));
}

#[test]
fn a_rewriting_that_fails_is_a_failure_of_its_question() {
    let project = project();
    let refuses = |request: &Request| match user_message(request) {
        prompt if prompt.contains("What is Quor7ax?") && prompt.starts_with("Conversation:") => {
            wiremock::ResponseTemplate::new(400).set_body_string("no")
        }
        prompt if prompt.starts_with("Conversation:") => says("Answer: Which port?"),
        _ => says("Answer: I don't know"),
    };
    let outcome = call(&project, &Endpoint::start(None, refuses), &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let trace = &project.traces("r")[7];
    assert_eq!((&trace["error"]["part"], &trace["stages"]), (&json!("generator"), &json!([])));
    let refused = project.refused(&["run", "c.toml", "--set", "generation.generator=none"]);
    assert!(refused.stderr.contains("`retrieval.rewrite`"), "{}", refused.stderr);
}
