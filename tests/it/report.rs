//! The page's data: what `report` packs into the file, read back as a browser reads it.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::project::Project;

/// A question whose gold is two chunks long, one without evidence, one that nothing answers.
const QUESTIONS: &str = r#"{"id": "q1", "text": "How long does alpha wait?", "answers": ["six minutes"], "evidence": [[{"doc": "a", "quotes": ["𝄞 six minutes"]}]], "tags": ["t"]}
{"id": "q/2 <b>", "text": "Who never waits?", "answers": ["Beta"], "evidence": [[{"doc": "b", "quotes": ["Beta never waits."]}]]}
{"id": "q3", "text": "What colour is gamma?", "kind": "unanswerable"}
"#;
const CORPUS: &str = r#"{"id": "a", "title": "A\n title", "text": "Alpha: é 𝄞 six minutes."}
{"id": "b", "title": "B", "text": "Beta never waits. Not Alpha, who waits \"six minutes\"."}
{"id": "c", "title": "", "text": "Nothing to see, no wait."}
"#;

fn project() -> Project {
    let project = Project::new();
    project.write("data/corpus.jsonl", CORPUS);
    project.write("data/questions.jsonl", QUESTIONS);
    project
}

/// A block of a page by its element's id.
fn block(page: &str, id: &str) -> Value {
    let open = format!("<script type=\"application/octet-stream\" id=\"{id}\">");
    let from = page.find(&open).unwrap_or_else(|| panic!("no block {id}")) + open.len();
    let base64 = &page[from..from + page[from..].find('<').expect("the element ends")];
    let bytes = STANDARD.decode(base64).expect("base64");
    let mut json = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut json).expect("gzip of UTF-8");
    serde_json::from_str(&json).expect("JSON")
}

/// All blocks' JSON behind one another.
fn decoded(page: &str) -> String {
    let ids = page.split("<script type=\"application/octet-stream\" id=\"").skip(1);
    ids.map(|rest| block(page, rest.split('"').next().expect("an id")).to_string()).collect()
}

/// The part of `text` between two offsets in UTF-16 units.
fn cut(text: &str, range: &Value) -> String {
    let [from, to] = [0, 1].map(|at| range[at].as_u64().expect("an offset") as usize);
    String::from_utf16(&text.encode_utf16().collect::<Vec<u16>>()[from..to])
        .expect("whole characters")
}

#[test]
fn the_page_is_written_beside_the_run_and_its_path_is_all_that_is_printed() {
    let project = project();
    project.good("r", &[]);
    let of_run = project.read("runs/r/report.html");
    let outcome = project.call(&["report", "runs/r"]);
    assert_eq!((outcome.code, &*outcome.stdout, &*outcome.stderr), (0, "runs/r/report.html\n", ""));
    assert!(project.read("runs/r/report.html") == of_run, "the run wrote the same page");
    assert_eq!(project.call(&["report", "runs/r", "--out", "-"]).stdout, of_run);
    let outcome = project.call(&["report", "runs/r", "--format", "md", "-o", "r.md"]);
    assert_eq!((outcome.code, &*outcome.stdout), (0, "r.md\n"));
    assert_eq!(project.read("r.md"), project.call(&["report", "runs/r", "--format", "md"]).stdout);
    let gone = "error: cannot write `gone/x.html`: No such file or directory (os error 2)";
    project.refuses_with_some_hint(&["report", "runs/r", "--out", "gone/x.html"], gone);
    project.refuses_with_some_hint(
        &["report", "runs/r", "-o", "runs"],
        "error: cannot write `runs`: Is a directory (os error 21)",
    );
    // A link is followed, and what is no file stays what it is.
    std::os::unix::fs::symlink("r.md", project.path("link")).expect("made");
    assert_eq!(project.call(&["report", "runs/r", "--format", "json", "-o", "link"]).code, 0);
    assert_eq!(project.read("r.md"), project.read("runs/r/summary.json"));
    assert!(project.path("link").is_symlink());
    let pipe = project.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("starts").success());
    let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).expect("UTF-8"));
    assert_eq!(project.call(&["report", "runs/r", "--format", "json", "-o", "pipe"]).code, 0);
    assert_eq!(reader.join().expect("read"), project.read("runs/r/summary.json"));
}

#[test]
fn the_index_holds_every_question_with_its_class_scores_and_answer() {
    let project = project();
    let reader = project.reader_sets();
    let mut sets: Vec<&str> = reader.iter().map(String::as_str).collect();
    sets.extend(["--set", "generation.prompt=free"]);
    project.good("r", &sets);
    let index = block(&project.read("runs/r/report.html"), "rx-index");
    let run = &index["runs"][0];
    assert_eq!(
        (&run["name"], &run["label"], &run["generator"]),
        (&json!("r"), &json!(""), &json!("tiny"))
    );
    let rows = run["rows"].as_array().expect("rows");
    let traces = project.traces("r");
    assert_eq!(rows.len(), 3);
    for (row, trace) in rows.iter().zip(&traces) {
        for (name, expected) in [
            ("class", &trace["class"]),
            ("id", &trace["question"]["id"]),
            ("kind", &trace["question"]["kind"]),
        ] {
            assert_eq!(&row[name], expected);
        }
    }
    assert_eq!((&rows[0]["gold"], &rows[0]["tags"]), (&json!("six minutes"), &json!(["t"])));
    let measures = run["measures"].as_array().expect("measures");
    let csv = project.call(&["report", "runs/r", "--format", "csv"]).stdout;
    let head: Vec<&str> = csv.lines().next().expect("a head").split(',').collect();
    for (at, measure) in measures.iter().enumerate() {
        let column = head
            .iter()
            .position(|name| Some(*name) == measure.as_str())
            .expect("a measure of the run");
        for (row, line) in rows.iter().zip(csv.lines().skip(1)) {
            // No text here has a comma but one gold, which is quoted whole before the measures.
            let cell = line.rsplit(',').nth(head.len() - 1 - column).expect("a cell");
            // Six digits are kept.
            let (shown, exact) = (row["scores"][at].as_f64(), cell.parse::<f64>().ok());
            let is_near =
                shown.zip(exact).is_none_or(|(shown, exact)| (shown - exact).abs() <= 5e-6 * exact);
            assert!(
                shown.is_some() == exact.is_some() && is_near,
                "{measure} of {line}: {shown:?}"
            );
        }
    }
    assert!(
        measures.contains(&json!("EM@5")) && measures.contains(&json!("AnswerF1")),
        "{measures:?}"
    );
}

#[test]
fn a_detail_holds_ranks_terms_and_what_is_highlighted() {
    let project = project();
    project.good("r", &["--set", "retrieval.k=1"]);
    let page = project.read("runs/r/report.html");
    let (details, passages) = (block(&page, "rx-q0-0"), block(&page, "rx-p0"));
    let traces = project.traces("r");
    let passage = |number: &Value| {
        &passages[number.as_str().and_then(|it| it.parse::<usize>().ok()).expect("a number")]
    };
    for (detail, trace) in details.as_array().expect("details").iter().zip(&traces) {
        assert_eq!(detail["reason"], trace["reason"]);
        for (stage, recorded) in detail["stages"]
            .as_array()
            .expect("stages")
            .iter()
            .zip(trace["stages"].as_array().expect("stages"))
        {
            assert_eq!(stage["stage"], recorded["stage"]);
            for (hit, kept) in stage["hits"]
                .as_array()
                .expect("hits")
                .iter()
                .zip(recorded["hits"].as_array().expect("hits"))
            {
                assert_eq!(passage(&hit["id"])["id"], kept["id"]);
                let sum: f64 = hit["parts"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(_, part)| part.as_f64().expect("a number"))
                    .sum();
                let score = hit["score"].as_f64().expect("a score");
                // Six digits of a score and three of each part are kept: at most half a unit of the last is lost.
                assert!((kept["score"].as_f64().expect("a score") - score).abs() <= 5e-6 * score);
                assert!(
                    stage["stage"] == "packed" || (sum - score).abs() <= 0.005 * score,
                    "{hit}"
                );
            }
        }
    }
    // `𝄞 six minutes` is highlighted in the gold passage, the answer there and where it stands without being gold.
    let marks = |id: &str| {
        let number = passages
            .as_array()
            .expect("passages")
            .iter()
            .position(|passage| passage["id"] == id)
            .expect("shown");
        let text = passages[number]["text"].as_str().expect("a text").to_owned();
        let marked = details[0]["marks"][number.to_string()].clone();
        let cut = |which: &str| {
            marked[which]
                .as_array()
                .into_iter()
                .flatten()
                .map(|range| cut(&text, range))
                .collect::<Vec<_>>()
        };
        (cut("gold"), cut("answer"))
    };
    assert_eq!(marks("a#0"), (vec!["𝄞 six minutes".to_owned()], vec!["six minutes".to_owned()]));
    assert_eq!(marks("b#0"), (vec![], vec!["six minutes".to_owned()]));
    assert_eq!(passage(&details[0]["gold"]["groups"][0][0]["chunks"][0])["title"], "A title");
}

#[test]
fn ranks_of_gold_behind_the_shown_hits_are_told() {
    let project = project();
    // `Not Alpha, who waits` has more of the words than the gold passage of the first question has.
    project.append("data/questions.jsonl", "{\"id\": \"q4\", \"text\": \"Who waits? Beta? Not Alpha, who never waits?\", \"answers\": [\"six minutes\"], \"evidence\": [[{\"doc\": \"a\"}]]}\n");
    project.good("r", &[]);
    assert_eq!(project.call(&["report", "runs/r", "--depth", "1"]).code, 0);
    let page = project.read("runs/r/report.html");
    let (index, details, passages) =
        (block(&page, "rx-index"), block(&page, "rx-q0-0"), block(&page, "rx-p0"));
    assert_eq!(index["depth"], 1);
    let bm25 = &details[3]["stages"][0];
    let facts = &details[3]["by_stage"][0];
    assert_eq!((bm25["hits"].as_array().expect("hits").len(), &facts["n_hits"]), (1, &json!(3)));
    let hits = project.traces("r")[3]["stages"][0]["hits"].as_array().expect("hits").clone();
    let rank = hits.iter().position(|hit| hit["id"] == "a#0").expect("found") + 1;
    assert!(rank > 1, "{hits:?}");
    assert_eq!(facts["gold"][0][0], rank);
    let number = facts["gold"][0][1].as_u64().expect("a number") as usize;
    assert_eq!(passages[number]["id"], "a#0");
    // What was packed is there whole.
    let packed = details[3]["stages"]
        .as_array()
        .expect("stages")
        .iter()
        .find(|stage| stage["stage"] == "packed")
        .expect("packed");
    assert_eq!(packed["hits"].as_array().expect("hits").len(), 3);
}

#[test]
fn without_texts_no_word_of_corpus_golds_or_answers_is_left() {
    let project = project();
    project.good("r", &[]);
    project.good("s", &["--set", "retrieval.k=1"]);
    for (args, file) in [
        (&["report", "runs/r", "--no-text"][..], "runs/r/report-no-text.html"),
        (
            &["report", "runs/r", "--no-text", "--compare", "runs/s"],
            "runs/r/compare-s-no-text.html",
        ),
        (&["report", "runs/r", "--no-text", "--format", "md", "--out", "x"], "x"),
        (&["report", "runs/r", "--no-text", "--format", "csv", "--out", "x"], "x"),
        (
            &[
                "report",
                "runs/r",
                "--no-text",
                "--format",
                "json",
                "--compare",
                "runs/s",
                "--out",
                "x",
            ],
            "x",
        ),
        (
            &[
                "report",
                "runs/r",
                "--no-text",
                "--format",
                "terminal",
                "--compare",
                "runs/s",
                "--out",
                "x",
            ],
            "x",
        ),
    ] {
        let outcome = project.call(args);
        assert_eq!((outcome.code, outcome.stdout.trim()), (0, file), "{}", outcome.stderr);
        let page = project.read(file);
        let all = decoded(&page) + &page;
        for word in ["minutes", "Beta", "see, no", "𝄞"] {
            assert!(!all.contains(word), "{word} is in {file} of {args:?}");
        }
        assert!(
            !file.contains("html") || all.contains("How long does alpha wait?"),
            "questions stay"
        );
    }
    assert!(
        decoded(&project.read("runs/r/report.html")).contains("minutes"),
        "the page with texts is still there"
    );
}

#[test]
fn two_runs_lie_side_by_side_with_what_flipped() {
    let project = project();
    project.good("base", &["--set", "retrieval.k=1", "--set", "retrieval.candidates=1"]);
    project.good("none", &["--set", "generation.generator=none"]);
    project.good("r", &[]);
    let outcome = project.call(&["report", "runs/r", "--compare", "runs/base"]);
    assert_eq!(
        (outcome.code, &*outcome.stdout),
        (0, "runs/r/compare-base.html\n"),
        "{}",
        outcome.stderr
    );
    let page = project.read("runs/r/compare-base.html");
    let index = block(&page, "rx-index");
    let [own, theirs] = [0, 1].map(|run| &index["runs"][run]);
    assert_eq!(
        [&own["label"], &own["name"], &theirs["label"], &theirs["name"]],
        ["B", "r", "A", "base"]
    );
    let both: Value =
        serde_json::from_str(&project.call(&["compare", "runs/base", "runs/r", "--json"]).stdout)
            .expect("JSON");
    let mut flips = 0;
    for group in both["pairs"][0]["flips"].as_array().expect("groups") {
        for question in group["questions"].as_array().expect("questions") {
            let row = own["rows"]
                .as_array()
                .expect("rows")
                .iter()
                .find(|row| row["id"] == question["id"])
                .expect("there");
            assert_eq!(
                (&row["other"]["turn"], &row["other"]["differs"]),
                (&group["turn"], &json!(true))
            );
            flips += 1;
        }
    }
    let turned = own["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| !row["other"]["turn"].is_null())
        .count();
    assert_eq!(turned, flips);
    for row in own["rows"].as_array().expect("rows") {
        assert_eq!(
            theirs["rows"][row["other"]["row"].as_u64().expect("a row") as usize]["id"],
            row["id"]
        );
    }
    // Both runs have the same chunks: each stands in the file once.
    assert_eq!(block(&page, "rx-p0").as_array().expect("passages").len(), 3);
    let json: Value = serde_json::from_str(
        &project.call(&["report", "runs/r", "--compare", "base", "--format", "json"]).stdout,
    )
    .unwrap_or_default();
    assert_eq!(json, Value::Null, "a name is looked for under evals/runs");
    let json: Value = serde_json::from_str(
        &project.call(&["report", "runs/r", "--compare", "runs/base", "--format", "json"]).stdout,
    )
    .expect("JSON");
    assert_eq!(json["comparison"], both);
    assert_eq!(json["summary"], project.summary("r"));
    project.refuses_with_some_hint(
        &["report", "runs/r", "--compare", "runs/base", "--format", "csv"],
        "error: unsupported `--format csv` with --compare",
    );
}

#[test]
fn gold_of_a_document_as_a_whole_is_known_wherever_it_ranks() {
    let project = Project::new();
    let sentences: Vec<String> = (0..30).map(|n| format!("Delta {n} waits long.")).collect();
    project.write(
        "data/corpus.jsonl",
        format!("{{\"id\": \"long\", \"text\": \"{}\"}}\n", sentences.join(" ")),
    );
    let question = r#"{"id": "q", "text": "Who waits like delta 29?", "answers": ["nobody"], "evidence": [[{"doc": "long"}]]}"#;
    project.write("data/questions.jsonl", question);
    let chunks = [
        "--set",
        "chunking.size=4",
        "--set",
        "chunking.overlap=0",
        "--set",
        "chunking.tokenizer=words",
    ];
    project.good("r", &chunks);
    for depth in ["0", "10"] {
        assert_eq!(project.call(&["report", "runs/r", "--depth", depth]).code, 0);
        let page = project.read("runs/r/report.html");
        let detail = &block(&page, "rx-q0-0")[0];
        let n_chunks = project.json("runs/r/run.json")["n_chunks"].as_u64().expect("a count");
        let place = &detail["gold"]["groups"][0][0];
        assert_eq!(
            (&detail["n_gold"][0][0], place["chunks"].as_array().expect("held").len()),
            (&json!(n_chunks), 10)
        );
        assert!(n_chunks > 10, "{n_chunks}");
        for stage in detail["by_stage"].as_array().expect("stages") {
            // Every chunk is of the document.
            assert_eq!(json!(stage["gold"].as_array().expect("ranks").len()), stage["n_hits"]);
        }
    }
}

#[test]
fn a_question_that_failed_in_one_run_is_beside_its_other_and_said_not_to_be_compared() {
    let project = project();
    project.good("a", &[]);
    project.good("b", &["--set", "retrieval.k=1"]);
    let mut traces = project.traces("a");
    let error = json!({"part": "retrieval", "kind": "transient", "message": "no answer"});
    (traces[1]["error"], traces[1]["stages"], traces[1]["arms"]) = (error, json!([]), json!([]));
    project.write(
        "runs/a/traces.jsonl",
        traces.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n",
    );
    assert_eq!(project.call(&["report", "runs/b", "--compare", "runs/a"]).code, 0);
    let index = block(&project.read("runs/b/compare-a.html"), "rx-index");
    let other = |run: usize, row: usize| index["runs"][run]["rows"][row]["other"].clone();
    assert_eq!(other(0, 1)["not_compared"], "failed in one of the runs");
    assert_eq!(
        (&other(0, 1)["row"], &other(0, 1)["differs"], &other(1, 1)["row"]),
        (&json!(1), &json!(true), &json!(1))
    );
    assert!(other(0, 0)["not_compared"].is_null());
    // B packs one hit, so EM@1 stands beside the baseline's EM@5.
    let shown =
        project.call(&["report", "runs/b", "--compare", "runs/a", "--format", "json"]).stdout;
    let json: Value = serde_json::from_str(&shown).expect("JSON");
    assert!(
        json["summary"]["measures"]["EM@1"]["n"].as_u64() > Some(0)
            && json["summary"]["two_by_two"]["k"] == 1
    );
}
