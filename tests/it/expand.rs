//! Small-to-big retrieval: small chunks are retrieved, and packed with the text around them.

use serde_json::{Value, json};

use crate::project::Project;

/// Chunks of six words. The evidence of `cut` lies in two chunks, that of `next` in the chunk after the one with the question's
/// terms, that of `own` in the chunk that is found.
fn project() -> Project {
    let document = |id: &str, text: &str| json!({"id": id, "text": text}).to_string() + "\n";
    let question = |id: &str, text: &str, doc: &str, quote: &str| {
        json!({"id": id, "text": text, "answers": [quote], "evidence": [[{"doc": doc, "quotes": [quote]}]]})
            .to_string()
            + "\n"
    };
    let corpus = [
        document(
            "pump",
            "The pump in hall seven starts at nine hours and stops later. Filters need oil twice a year.",
        ),
        document(
            "boiler",
            "# Valves\n\nThe boiler valve is painted. Dark green all over, no rust.\n\n# Doors\n\nThey are never left open overnight.",
        ),
    ];
    let questions = [
        question("cut", "When does the pump in hall seven start?", "pump", "starts at nine hours"),
        question("next", "What colour has the boiler valve?", "boiler", "Dark green"),
        question("own", "What do filters need?", "pump", "oil twice a year"),
    ];
    let settings = "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n[chunking]\nstrategy = \"fixed\"\nsize = 6\noverlap = 0\n\
         tokenizer = \"words\"\ntitle_prefix = false\n[retrieval]\nretrievers = [\"bm25\"]\nk = 1\n\
         [evaluation]\nclosed_book_sample = 0\nresamples = 200\n[tune]\nheldout = false\n";
    Project::of(&[
        ("c.toml", settings),
        ("data/corpus.jsonl", &corpus.concat()),
        ("data/questions.jsonl", &questions.concat()),
    ])
}

/// The failure class of each question, in the order of the data set.
fn classes(project: &Project, name: &str, sets: &[&str]) -> Vec<String> {
    let mut args: Vec<&str> = vec!["--set", "generation.generator=none"];
    args.extend(sets.iter().flat_map(|set| ["--set", *set]));
    project.good(name, &args);
    let outcomes = project.read(&format!("runs/{name}/outcomes.jsonl"));
    let class = |line: &str| -> String {
        let outcome: Value = serde_json::from_str(line).expect("JSON");
        outcome["class"].as_str().expect("a class").to_owned()
    };
    outcomes.lines().map(class).collect()
}

fn trace(project: &Project, name: &str, id: &str) -> Value {
    let traces = project.read(&format!("runs/{name}/traces.jsonl"));
    let mut traces = traces.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    traces.find(|trace| trace["question"]["id"] == id).expect("the question")
}

const NEIGHBOURS: &str = "packing.expand=neighbours";
const PARENT: &str = "packing.expand=parent";

#[test]
fn evidence_around_the_retrieved_chunks_is_delivered() {
    let project = project();
    assert_eq!(classes(&project, "none", &[]), ["chunking", "retrieval", "supported"]);
    assert_eq!(classes(&project, "n", &[NEIGHBOURS]), ["supported"; 3]);
    assert_eq!(classes(&project, "p", &[PARENT]), ["supported"; 3]);
    // Without headings the parent of a chunk in `pump` is the document.
    let [steps, parent] =
        [("n", "cut"), ("p", "cut")].map(|(run, id)| trace(&project, run, id)["stages"].clone());
    let stages: Vec<&Value> = steps.as_array().expect("stages").iter().collect();
    let names: Vec<&Value> = stages.iter().map(|stage| &stage["stage"]).collect();
    assert_eq!(names, ["bm25", "expanded", "packed"]);
    // Chunks 0 and 1 end before ` Filters`: `The pump in hall seven starts` has 29 bytes, `at nine hours and stops later.` 30.
    assert_eq!(stages[2]["hits"][0]["id"], "pump#0-60");
    assert_eq!(parent[2]["hits"][0]["id"], "pump#0-91");
    let passages = project.read("runs/n/passages.jsonl");
    let expanded = passages
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .find(|passage| passage["id"] == "pump#0-60")
        .expect("it is stored");
    assert_eq!(expanded["text"], "The pump in hall seven starts at nine hours and stops later.");
}

#[test]
fn a_prompt_without_room_for_the_expanded_passage_is_lost_by_packing() {
    let project = project();
    // The passage takes more than ten tokens of the prompt, so nothing is packed.
    let sets = [NEIGHBOURS, "generation.context_tokens=10"];
    assert_eq!(classes(&project, "small", &sets), ["packing"; 3]);
}

#[test]
fn conditions_and_reports_take_expanded_passages() {
    let project = project();
    let arms = "evaluation.arms=[\"retrieved\", \"oracle\", \"gold_in_noise\"]";
    project.good("a", &["--set", NEIGHBOURS, "--set", arms]);
    let trace = trace(&project, "a", "next");
    let passages = |arm: usize| trace["arms"][arm]["attempts"][0]["passages"].clone();
    // The gold chunk is in the packed passage: it is not added again. The oracle has it alone.
    assert_eq!(passages(0), json!([trace["stages"][2]["hits"][0]["id"]]));
    assert_eq!(passages(2), passages(0));
    assert_eq!(passages(1), json!(["boiler#1"]));
    let alternatives = project.summary("a")["what_if"]["alternatives"].clone();
    let alternatives = alternatives.as_array().expect("a list").clone();
    // Other prompts would need the text around other chunks.
    let changes: Vec<&Value> = alternatives.iter().map(|one| &one["change"]).collect();
    assert!(
        !changes.iter().any(|change| ["k", "budget", "ranking", "perfect_reranker"]
            .contains(&change.as_str().unwrap_or(""))),
        "{changes:?}"
    );
    let report = project
        .good("text", &["--set", "packing.expand=neighbours", "--set", "packing.neighbours=2"]);
    assert!(report.stdout.contains("k = 1; packed with 2 chunks before and"), "{}", report.stdout);
}

#[test]
fn a_question_asked_alone_shows_the_expanded_prompt() {
    let project = project();
    let question = "What colour has the boiler valve?";
    let outcome = project.call(&["ask", question, "c.toml", "--json", "--set", NEIGHBOURS]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let view: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(view["passages"][0]["packed"], true);
    let prompt = view["prompt"]["user"].as_str().expect("a message");
    assert!(prompt.contains("Dark green all over"), "{prompt}");
}

#[test]
fn a_sweep_compares_expansions_by_their_prompts_and_tries_each_once() {
    let project = project();
    project.append(
        "c.toml",
        "[sweep]\npacking.expand = [\"none\", \"neighbours\"]\npacking.neighbours = [1, 2]\n",
    );
    let outcome = project.call(&["tune", "c.toml", "--out", "tunes"]);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    let tune = project.json("tunes/c/tune.json");
    let rows = tune["ranking"]["rows"].as_array().expect("rows").clone();
    // `neighbours` has no effect without expansion: three trials, not four.
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["values"]["packing.expand"], "\"neighbours\"");
    let plain = rows.last().expect("a row");
    assert_eq!(plain["values"]["packing.expand"], "\"none\"");
    assert_eq!(plain["values"]["packing.neighbours"], "not used");
}

#[test]
fn a_parent_larger_than_the_prompt_is_refused() {
    let set = crate::project::run_with("packing.parent_tokens=5000");
    project().refuses_with_some_hint(
        &[&set[..], &["--set", PARENT]].concat(),
        "error: `packing.parent_tokens` is 5000, must be at most `generation.context_tokens`, which is 3000",
    );
}
