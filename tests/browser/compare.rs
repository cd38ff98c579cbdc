//! Two runs on one page: what `compare --json` says of them, which questions turned, and one question on both sides.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::page::{Page, part, row};
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
    let order = sample.ids(|_| true);
    for (turn, mut ids) in turned {
        ids.sort_by_key(|id| order.iter().position(|other| other == id));
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
fn only_different_leaves_out_what_both_runs_did_alike() {
    let (sample, file) = Sample::compared();
    // Class, fault, the answer, or a measure of the table: what was packed is not looked at, here it always differs.
    let told = |trace: &Value| {
        json!([trace["class"], trace["fault"], trace["arms"][0]["attempts"][0]["extracted"]])
    };
    let measured = |run: &str| {
        let names = [
            "EM@3",
            "EM@prompt",
            "EvidenceRecall@prompt",
            "RR",
            "nDCG@10",
            "AnswerEM",
            "AnswerF1",
            "FactRecall",
        ];
        names.map(|name| sample.column(run, name))
    };
    let (before, after) = (measured("first"), measured("second"));
    let moved = |row: usize| before.iter().zip(&after).any(|(one, other)| one[row] != other[row]);
    let (first, second) = (sample.project.traces("first"), sample.project.traces("second"));
    // A question that failed was not compared, so nothing says that it is the same.
    let differs = |row: usize, one: &Value, other: &Value| {
        told(one) != told(other)
            || moved(row)
            || [one, other].iter().any(|trace| trace["class"] == "failed")
    };
    let pairs = first.iter().zip(&second).enumerate();
    let differing =
        pairs.filter(|(row, (one, other))| differs(*row, one, other)).map(|(_, pair)| pair);
    let differing: Vec<String> = differing
        .map(|(one, _)| one["question"]["id"].as_str().expect("an id").to_owned())
        .collect();
    assert!(!differing.is_empty() && differing.len() < N_QUESTIONS, "{differing:?}");
    let browser = Browser::start();
    let page = Page::open(&browser, &file, "");
    browser.click("#rx-different");
    page.lists(&differing, N_QUESTIONS);
    browser.click("#rx-different");
    page.counts(N_QUESTIONS, N_QUESTIONS);
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

/// As the page writes a measure.
fn measured(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value.fract() == 0.0 => value.to_string(),
        Some(value) => format!("{value:.3}"),
    }
}

/// Two runs of another k, and two of which one has no answers: what stands under one head is one measure all the same.
#[test]
fn a_column_has_the_same_measure_of_both_runs() {
    let (sample, file) = Sample::compared();
    sample.project.good("silent", &["--set", "generation.generator=none"]);
    let told = sample.project.call(&[
        "report",
        "runs/silent",
        "--compare",
        "runs/first",
        "--out",
        "silent.html",
    ]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    let browser = Browser::start();
    for (run, file) in [("second", file), ("silent", sample.project.path("silent.html"))] {
        let page = Page::open(&browser, &file, "");
        page.show_all_columns();
        let measures: Vec<String> = page
            .sorts()
            .into_iter()
            .filter(|head| head.contains(['@', 'F']) || head == "RR")
            .collect();
        assert!(measures.len() >= 3, "{measures:?}");
        for measure in measures {
            let values =
                sample.column("first", &measure).into_iter().zip(sample.column(run, &measure));
            for ((id, before), (_, after)) in values {
                let cell = format!("{} [data-head={}] .rx-line", row(&id), json!(measure));
                let shown: Vec<String> =
                    page.all(&cell).iter().map(|line| line[1..].trim().to_owned()).collect();
                assert_eq!(shown, [measured(before), measured(after)], "{run}, {id}: {measure}");
            }
        }
    }
}

#[test]
fn differences_are_those_of_the_comparison() {
    let (sample, file) = Sample::compared();
    let pair = pair(&sample);
    let browser = Browser::start();
    let page = Page::open(&browser, &file, "");
    let verdict = pair["verdict"].as_str().expect("a sentence");
    assert!(page.text("main").contains(verdict), "the page does not say: {verdict}");
    let mut n_different = 0;
    for name in ["AnswerF1", "AnswerEM", "P@prompt", "EvidenceRecall@prompt"] {
        let measure =
            pair["measures"].as_array().expect("a list").iter().find(|row| row["measure"] == name);
        let measure = measure.unwrap_or_else(|| panic!("no {name}"));
        let figure = |value: &Value| value.as_f64().expect("a number");
        let delta = figure(&measure["delta"]);
        n_different += usize::from(delta != 0.0);
        let wanted = [
            format!("{:.3}", figure(&measure["baseline"])),
            format!("{:.3}", figure(&measure["run"])),
            format!("{delta:+.3}"),
        ];
        // A minus may be a hyphen or a sign of its own.
        let rows: Vec<Vec<String>> = page
            .figures(name)
            .into_iter()
            .map(|row| row.iter().map(|cell| cell.replace('−', "-")).collect())
            .collect();
        let has = |row: &Vec<String>| {
            wanted.iter().all(|figure| row.iter().any(|cell| cell.contains(figure.as_str())))
        };
        assert!(rows.iter().any(has), "{name}: {wanted:?} are not in {rows:?}");
    }
    assert!(n_different >= 2, "equal runs show nothing");
}

#[test]
fn a_count_of_flips_leads_to_its_questions() {
    let (sample, file) = Sample::compared();
    let browser = Browser::start();
    let page = Page::open(&browser, &file, "");
    let links = page.all("a[href^='#turn=']");
    assert_eq!(links, ["1", "1"], "one lost, one gained");
    for (turn, id) in [("gained", "builder"), ("lost", "sealed")] {
        browser.click(&format!("a[href^='#turn={turn}']"));
        page.lists(&[id.to_owned()], N_QUESTIONS);
        browser.back();
        page.counts(N_QUESTIONS, N_QUESTIONS);
    }
    drop(sample);
}
