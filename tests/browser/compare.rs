//! Two runs on one page: what `compare --json` says of them, which questions turned, and one question on both sides.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::browser::Browser;
use crate::page::{Page, part};
use crate::sample::{N_QUESTIONS, Sample};

/// What `compare` says of the two runs.
fn pair(sample: &Sample) -> Value {
    let told = sample.project.call(&["compare", "runs/first", "runs/second", "--json"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    let comparison: Value = serde_json::from_str(&told.stdout).expect("JSON");
    comparison["pairs"][0].clone()
}

/// Ids by turn, in the order of the runs.
fn turned(pair: &Value) -> BTreeMap<String, Vec<String>> {
    let mut turned: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for group in pair["flips"].as_array().expect("a list") {
        let ids = group["questions"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|flip| flip["id"].as_str().expect("an id").to_owned());
        turned.entry(group["turn"].as_str().expect("a turn").to_owned()).or_default().extend(ids);
    }
    turned
}

#[test]
fn turned_questions_are_those_of_the_comparison() {
    let (sample, file) = Sample::compared();
    let turned = turned(&pair(&sample));
    // One passage a prompt: the keeper distracts no longer, the charter's second half is gone.
    for (turn, id) in [("gained", "builder"), ("lost", "sealed")] {
        assert!(
            turned.get(turn).is_some_and(|ids| ids.iter().any(|other| other == id)),
            "{id} is not {turn}: {turned:?}"
        );
    }
    let browser = Browser::start();
    let page = Page::open(&browser, &file, "");
    page.counts(N_QUESTIONS, N_QUESTIONS);
    for (turn, ids) in turned {
        let ids = sample.worst_first("second", &ids);
        page.filter("turn", &turn);
        page.lists(&ids, N_QUESTIONS);
        assert_eq!(page.hash(), format!("#turn={turn}"));
    }
    page.filter("turn", "");
    page.counts(N_QUESTIONS, N_QUESTIONS);
    browser.picture("compare-table");
    assert_eq!(browser.strangers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), []);
}

#[test]
fn a_question_shows_both_runs_side_by_side() {
    let (sample, file) = Sample::compared();
    let browser = Browser::start();
    let page = Page::open(&browser, &file, "#q=builder");
    page.shows("builder");
    browser.picture("compare-question");
    let sides = |name: &str| page.all(&format!("{} .rx-side", part(name)));
    let [before, after] = <[String; 2]>::try_from(sides("answer")).expect("two sides");
    assert!(
        before.contains("first")
            && before.contains("Tomas Reik")
            && !before.contains("Ilse Brandt"),
        "{before}"
    );
    assert!(
        after.contains("second") && after.contains("Ilse Brandt") && !after.contains("Tomas Reik"),
        "{after}"
    );
    let [before, after] = <[String; 2]>::try_from(sides("reason")).expect("two sides");
    let reason = |name: &str| {
        sample.project.traces(name)[1]["reason"].as_str().expect("a sentence").to_owned()
    };
    assert!(
        before.contains(&reason("first")) && after.contains(&reason("second")),
        "{before} {after}"
    );
    // What both have is said once.
    assert_eq!(sides("golds"), Vec::<String>::new());
    assert!(page.part("golds").contains("Ilse Brandt"));
    // In the same place on a telephone, below one another, without scrolling sideways.
    browser.width(390);
    let width = browser.value("[document.documentElement.scrollWidth, innerWidth]");
    assert!(width[0].as_u64() <= width[1].as_u64(), "{width}");
    browser.picture("narrow-compare-question");
    assert_eq!(browser.complaints(), []);
}
