//! What is not in the file: with `--no-text` nothing that the corpus or an answer says, and never a key, a header's value or anything
//! else of the environment. The blocks of data are unpacked here, without the page's own script.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use wiremock::{Request, ResponseTemplate};

use crate::browser::Browser;
use crate::endpoint::{Endpoint, says, sets, user_message};
use crate::page::Page;
use crate::project::{Project, outcome};
use crate::sample::{N_QUESTIONS, Sample};

/// Before a block's id and its base64.
const BLOCK: &str = "<script type=\"application/octet-stream\" id=\"";

/// A file's blocks by id, unpacked; and under the empty name the file itself.
fn contents(file: &Path) -> BTreeMap<String, String> {
    let page = std::fs::read_to_string(file).expect("there");
    let mut contents: BTreeMap<String, String> = page.split(BLOCK).skip(1).map(block).collect();
    assert!(contents.contains_key("rx-index") && contents.len() >= 2, "{:?}", contents.keys());
    contents.insert(String::new(), page);
    contents
}

fn block(rest: &str) -> (String, String) {
    let (id, rest) = rest.split_once("\">").expect("the tag's end");
    let (base64, _) = rest.split_once("</script>").expect("the element's end");
    let bytes = STANDARD.decode(base64.trim()).expect("base64");
    let mut text = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("gzip of UTF-8");
    (id.to_owned(), text)
}

/// Of these words those that stand somewhere in the file, with the block.
fn found<'a>(contents: &BTreeMap<String, String>, words: &[&'a str]) -> Vec<(&'a str, String)> {
    let holds = |word: &'a str| {
        let blocks = contents.iter().filter(move |(_, text)| text.contains(word));
        blocks.map(move |(id, _)| (word, id.clone()))
    };
    words.iter().flat_map(|word| holds(word)).collect()
}

/// Words of the documents, their titles, golds and answers that stand in no question.
const TEXTS: [&str; 13] = [
    "fourteen",
    "Ilse",
    "Brandt",
    "Tomas",
    "Reik",
    "forty-one",
    "eleven ells",
    "Anselma",
    "groats",
    "black cones",
    "Annals",
    "Keepers",
    "Jonas",
];

#[test]
fn a_report_without_texts_has_none_and_works() {
    let sample = Sample::new();
    let whole = contents(&sample.report());
    let told: Vec<&str> = found(&whole, &TEXTS).into_iter().map(|(word, _)| word).collect();
    for word in TEXTS {
        assert!(
            told.contains(&word),
            "{word} is not in the whole report: its absence elsewhere shows nothing"
        );
    }
    let outcome = sample.project.call(&["report", "runs/first", "--no-text"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let file = sample.project.path("runs/first/report-no-text.html");
    assert_eq!(found(&contents(&file), &TEXTS), []);

    let browser = Browser::start();
    let page = Page::open(&browser, &file, "");
    page.filter("class", "wrong_answer");
    page.counts(2, N_QUESTIONS);
    page.ask("builder");
    let trace = sample.trace("builder");
    assert!(page.part("reason").contains(trace["reason"].as_str().expect("a sentence")));
    assert!(page.part("passages").contains("lighthouse#0"), "ids stay");
    browser.picture("without-texts");
    assert_eq!(browser.complaints(), []);
}

/// What a careless program could put into its report.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("TEST_KEY", "sk-hush-0123456789abcdef"),
    ("TEST_HEADER", "tenant-secret-4711"),
    ("AWS_SECRET_ACCESS_KEY", "aws-hush-99"),
    ("RX_CANARY", "canary-7f3a"),
];

/// Correct for one question; to the others the server complains by repeating what it was sent.
fn complain(request: &Request) -> ResponseTemplate {
    if user_message(request).contains("alpha") {
        return says("Answer: six minutes");
    }
    let headers: Vec<String> =
        request.headers.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
    ResponseTemplate::new(400).set_body_string(headers.join("\n"))
}

#[test]
fn no_key_header_or_environment_is_in_the_file() {
    let endpoint = Endpoint::start(None, complain);
    let project = Project::new();
    let address =
        endpoint.base_url().replace("http://", "http://me:password-hush@") + "?token=token-hush";
    let mut arguments = vec!["run", "c.toml", "--out", "runs", "--name", "r"];
    let sets = sets(&address);
    arguments.extend(sets.iter().map(String::as_str));
    arguments.extend([
        "--set",
        "generation.api_key_env=TEST_KEY",
        "--set",
        "generation.headers_env={\"x-tenant\" = \"TEST_HEADER\"}",
    ]);
    let run = outcome(&project.command(&arguments).envs(ENVIRONMENT).output().expect("starts"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let sent = endpoint.requests();
    assert!(sent.iter().all(|request| {
        request.headers.get("x-tenant").is_some_and(|value| value == "tenant-secret-4711")
    }));

    let home = project.path("home").to_string_lossy().into_owned();
    let mut secrets: Vec<&str> = ENVIRONMENT.iter().map(|(_, value)| *value).collect();
    secrets.extend(["password-hush", "token-hush", &home]);
    let contents = contents(&project.path("runs/r/report.html"));
    // The complaint is there, without what was secret in it.
    assert!(contents.values().any(|text| text.contains("status 400")), "{:?}", contents.keys());
    assert_eq!(found(&contents, &secrets), []);
}
