//! `ragtriage tune`: settings tried once, ranked on the same evidence, confirmed, reported; what fails is a row.

use serde_json::Value;

use super::project::{Outcome, Project};

const WORDS: [&str; 16] = [
    "red", "blue", "green", "black", "white", "brown", "gold", "gray", "north", "south", "east",
    "west", "river", "hill", "lake", "road",
];

/// Forty documents of four blocks of sixteen words, a token each. A question names the word that begins the second block of its own
/// document, and all of that block is its evidence. So a chunk of sixteen words is all evidence; half of it at most lies in a
/// smaller one that holds the word, and in a larger one what stands before it takes the place in a budget of 24 tokens.
fn planted(sweep: &str) -> Project {
    let (mut corpus, mut questions) = (String::new(), String::new());
    for n in 0..40 {
        let block = |at: usize| -> Vec<String> {
            (0..16).map(|i| WORDS[(i * 7 + at * 3 + n) % 16].to_owned()).collect()
        };
        let mut second = block(1);
        second[0] = format!("key{n}");
        let blocks: Vec<String> =
            [block(0), second.clone(), block(2), block(3)].iter().map(|b| b.join(" ")).collect();
        corpus += &serde_json::json!({"id": format!("d{n}"), "text": blocks.join(" ")}).to_string();
        corpus.push('\n');
        let evidence =
            [[serde_json::json!({"doc": format!("d{n}"), "quotes": [second.join(" ")]})]];
        let question = serde_json::json!({"id": format!("q{n}"), "text": format!("key{n}?"), "answers": ["gold"], "evidence": evidence});
        questions += &question.to_string();
        questions.push('\n');
    }
    let settings = format!(
        "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n[chunking]\nstrategy = \"fixed\"\nsize = 64\noverlap = 0\n\
         tokenizer = \"words\"\ntitle_prefix = false\n[retrieval]\nretrievers = [\"bm25\"]\n\
         [tune]\ntokens = 24\n{sweep}"
    );
    Project::of(&[
        ("c.toml", &settings),
        ("data/corpus.jsonl", &corpus),
        ("data/questions.jsonl", &questions),
    ])
}

fn tune(project: &Project, args: &[&str]) -> Outcome {
    project.call(&[&["tune", "c.toml", "--out", "tunes"], args].concat())
}

/// A sweep that must succeed, and its `tune.json`.
fn tuned(project: &Project, args: &[&str]) -> (Outcome, Value) {
    let outcome = tune(project, args);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    (outcome, project.json("tunes/c/tune.json"))
}

/// The value of `key` in the best row.
fn best<'a>(json: &'a Value, key: &str) -> &'a str {
    json["ranking"]["rows"][0]["values"][key].as_str().expect("a value")
}

/// The arguments of the command that the report proposes.
fn proposed(outcome: &Outcome) -> Option<Vec<&str>> {
    let (_, command) = outcome.stdout.split_once("ragtriage run ")?;
    let words = command.split_whitespace().filter(|word| *word != "\\");
    let end = |word: &&str| *word != "best";
    Some(["run"].into_iter().chain(words.take_while(end)).chain(["best"]).collect())
}

const SIZES: &str = "[sweep]\nchunking.size = [4, 8, 16, 32, 64]\n";

#[test]
fn a_planted_optimum_is_found_by_a_grid() {
    let project = planted(SIZES);
    let (outcome, json) = tuned(&project, &[]);
    assert_eq!(best(&json, "chunking.size"), "16");
    // All of the evidence, for every question: 24 tokens hold a chunk of 16 words and the prompt's number.
    assert_eq!(json["ranking"]["rows"][0]["mean"], 1.0);
    assert_eq!(json["verdict"]["claimed"], json["ranking"]["winner"]);
    assert!(outcome.stdout.contains("EvidenceRecall@24t"), "{}", outcome.stdout);
    // Without a split the questions that chose it test it.
    assert_eq!(json["confirmation"], serde_json::json!({"by": "holm"}));
}

#[test]
fn what_was_run_is_not_run_again_and_its_runs_are_runs() {
    let project = planted("[sweep]\nchunking.size = [16, 32]\nretrieval.bm25.k1 = [0.9, 1.2]\n");
    let (first, json) = tuned(&project, &[]);
    // The default and four: 64, 16, 16, 32, 32.
    assert_eq!(json["n_reused"], 0);
    let (second, again) = tuned(&project, &[]);
    assert_eq!(again["n_reused"], 5);
    assert_eq!(again["ranking"], json["ranking"]);
    assert!(!first.stderr.contains("finished before") && second.stderr.contains("finished before"));
    // More values: only what is new is run.
    let wider = project.read("c.toml").replace("[16, 32]", "[16, 32, 8]");
    project.write("c.toml", wider);
    assert_eq!(tuned(&project, &[]).1["n_reused"], 5);

    let run = |name: &Value| format!("tunes/c/{}", name.as_str().expect("a path"));
    let (default, winner) = (
        &json["runs"]["default"],
        &json["runs"][json["ranking"]["winner"].as_str().expect("a name")],
    );
    let compared = project.call(&["compare", &run(default), &run(winner), "--json"]);
    assert_eq!(compared.code, 0, "{}", compared.stderr);
    assert!(compared.stdout.contains("chunking.size"), "{}", compared.stdout);
    let reported = project.call(&["report", &run(winner)]);
    assert_eq!(reported.code, 0, "{}", reported.stderr);
    // The command as it is printed.
    let best = project.call(&proposed(&second).expect("a command"));
    assert_eq!(best.code, 0, "{}", best.stderr);
    let settings = &project.json("ragtriage-runs/best/run.json")["settings"];
    assert_eq!(settings["chunking"]["size"], 16);
    // A prompt has the one chunk with the question's word: 20 to 24 tokens for k = 5, so that 24 / (T / 5), rounded up, is 5 or 6.
    assert!(matches!(settings["retrieval"]["k"].as_u64(), Some(5 | 6)));
    assert_eq!(settings["generation"]["context_tokens"], 24);
    assert!(project.read("tunes/c/report.md").contains("--set chunking.size=16"));
}

#[test]
fn where_packing_is_varied_the_packed_passages_rank() {
    let project = planted("[sweep]\nretrieval.k = [1, 2]\n");
    let (_, json) = tuned(&project, &[]);
    assert_eq!(json["metric"], "EvidenceRecall@prompt");
}

#[test]
fn a_setting_that_cannot_be_is_a_row_and_the_others_are_ranked() {
    let project = planted("[sweep]\nchunking.size = [16, 32]\nchunking.overlap = [0, 20]\n");
    let (outcome, json) = tuned(&project, &[]);
    let rows = json["ranking"]["rows"].as_array().expect("rows");
    let failed: Vec<&Value> = rows.iter().filter(|row| row["error"].is_string()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0], rows.last().expect("rows"), "what failed stands last");
    assert_eq!(
        failed[0]["error"],
        "`chunking.overlap` = 20 is not smaller than `chunking.size` = 16"
    );
    assert!(outcome.stdout.contains("is not smaller than"), "{}", outcome.stdout);
    assert_eq!(best(&json, "chunking.size"), "16");
    // It generates nothing.
    assert_eq!(tune(&project, &["--llm", "ollama:m"]).code, 2);
}

/// What fails may have changed the choice: exit 2 and no command.
#[test]
fn a_sweep_of_which_something_failed_is_not_concluded() {
    let check = |project: &Project, args: &[&str], error: &str| {
        let outcome = tune(project, args);
        assert_eq!(outcome.code, 2, "{}", outcome.stdout);
        assert!(outcome.stderr.contains(&format!("error: {error}")), "{}", outcome.stderr);
        let text = project.json("tunes/c/tune.json")["verdict"]["text"].to_string();
        assert!(text.starts_with(&format!("\"Incomplete: {error}")), "{text}");
        assert_eq!(proposed(&outcome), None);
    };
    let project = parted("[sweep]\nchunking.size = [16]\n");
    assert!(proposed(&tuned(&project, &[]).0).is_some());
    let sweep = "[sweep]\nchunking.size = [16]\nretrieval.retrievers = [[\"bm25\"], [\"dense\"]]\n";
    project.write("c.toml", parted(sweep).read("c.toml"));
    let nowhere = ["--set", "retrieval.dense.endpoint=http://127.0.0.1:9/v1"];
    check(&project, &nowhere, "1 of 3 trials failed");
}

/// The planted questions with every second one held out.
fn parted(sweep: &str) -> Project {
    let project = planted(sweep);
    let questions = project.read("data/questions.jsonl");
    let split = |(n, line): (usize, &str)| {
        let split = if n % 2 == 0 { "tune" } else { "heldout" };
        line.replacen('{', &format!("{{\"split\": \"{split}\", "), 1) + "\n"
    };
    project.write(
        "data/questions.jsonl",
        questions.lines().enumerate().map(split).collect::<String>(),
    );
    project
}

#[test]
fn the_winner_alone_is_looked_at_on_held_out_questions() {
    let project = parted(SIZES);
    let (outcome, json) = tuned(&project, &[]);
    assert_eq!((&json["n_choosing"], &json["n_held_out"]), (&20.into(), &20.into()));
    let confirmation = &json["confirmation"];
    assert_eq!(confirmation["by"], "held_out");
    // At 64 words the budget of 24 tokens ends within the first 24 words, of which the evidence is those from the 17th on.
    assert_eq!(confirmation["winner"], 1.0);
    assert!(confirmation["default"].as_f64() < Some(0.6), "{confirmation}");
    assert_eq!(json["verdict"]["claimed"], json["ranking"]["winner"]);
    let held_out = |project: &Project| {
        let runs = std::fs::read_dir(project.path("tunes/c/runs")).expect("runs");
        runs.filter(|run| {
            run.as_ref().expect("a run").file_name().to_string_lossy().ends_with("-heldout")
        })
        .count()
    };
    assert_eq!(held_out(&project), 2, "{}", outcome.stderr);
}

#[test]
fn what_a_sweep_cannot_be_is_said_before_anything_is_run() {
    let refused = |sweep: &str, args: &[&str]| {
        let outcome = tune(&planted(sweep), args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
        outcome.stderr
    };
    assert!(refused("", &[]).contains("`[sweep]` varies nothing"));
    assert!(
        refused("[sweep]\nchunking.sise = [1, 2]\n", &[]).contains("did you mean `chunking.size`?")
    );
    assert!(
        refused("[sweep]\nretrieval.retrievers = [\"bm25\", \"tfidf\"]\n", &[])
            .contains("a list of lists")
    );
    assert!(refused("[sweep]\ndataset.limit = [1, 2]\n", &[]).contains("cannot be varied"));
    assert!(
        refused("[sweep]\ngeneration.generator = [\"openai\"]\n", &[])
            .contains("`generation.generator` cannot be varied")
    );
    assert!(
        refused(SIZES, &["--set", "tune.tokens=0"])
            .contains("`tune.tokens` is 0, must be at least 1")
    );
    assert!(
        refused(SIZES, &["--set", "tune.metric=MedianRank"]).contains("no mean over questions")
    );
    assert!(refused(SIZES, &["--set", "tune.metric=AnswerF1"]).contains("which scores answers"));
}

#[test]
fn a_run_that_lacks_questions_is_run_again() {
    let project = planted("[sweep]\nchunking.size = [16]\n");
    let (_, json) = tuned(&project, &[]);
    let traces =
        format!("tunes/c/{}/traces.jsonl", json["runs"]["default"].as_str().expect("a run"));
    let first: String = project.read(&traces).split_inclusive('\n').take(3).collect();
    project.write(&traces, first);
    let (_, again) = tuned(&project, &[]);
    // What is asked again takes another time.
    let timeless = |json: &Value| {
        let mut ranking = json["ranking"].clone();
        for row in ranking["rows"].as_array_mut().expect("rows") {
            row["seconds"] = Value::Null;
        }
        ranking
    };
    assert_eq!((&again["n_reused"], timeless(&again)), (&1.into(), timeless(&json)));
}
