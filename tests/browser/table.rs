//! The table of questions: filters, search and order, against what the run's own files say.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::page::Page;
use crate::project::{Project, SETTINGS};
use crate::sample::{N_QUESTIONS, Sample, holds};

#[test]
fn every_class_flag_tag_and_kind_lists_its_questions() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    let lists = |name: &str, value: &str, expected: Vec<String>| {
        assert!(!expected.is_empty(), "no question has {name} {value}: that would show nothing");
        page.filter(name, value);
        page.lists(&expected, N_QUESTIONS);
        page.filter(name, "");
        page.counts(N_QUESTIONS, N_QUESTIONS);
    };
    for class in [
        "retrieval",
        "ranking",
        "packing",
        "generation",
        "correct",
        "correct_unsupported",
        "correct_abstention",
    ] {
        lists("class", class, sample.ids(|trace| trace["class"] == class));
    }
    for class in ["hallucinated", "failed"] {
        lists("class", class, sample.ids(|trace| trace["class"] == class));
    }
    for flag in ["cut", "misled", "answer_elsewhere"] {
        lists("flag", flag, sample.ids(|trace| holds(&trace["flags"], flag)));
    }
    for tag in ["sea", "town", "number", "person"] {
        lists("tag", tag, sample.ids(|trace| holds(&trace["question"]["tags"], tag)));
    }
    for kind in ["span", "yes_no", "free", "unanswerable"] {
        lists("kind", kind, sample.ids(|trace| trace["question"]["kind"] == kind));
    }
    assert_eq!(browser.complaints(), []);
}

#[test]
fn search_reads_ids_questions_golds_and_answers() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    for (text, ids) in [
        // In two questions' texts, in whatever letters.
        ("VELLMAR", &["depth"][..]),
        ("brim windows", &["windows"]),
        // An id; a gold answer that nobody gave; an answer that is no gold.
        ("sealed", &["sealed"]),
        ("eleven ells", &["wheel"]),
        ("jonas vett", &["mayor"]),
        ("no such words", &[]),
    ] {
        page.search(text);
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        page.lists(&ids, N_QUESTIONS);
    }
    let fits = "(() => { const box = document.querySelector('[role=grid]'); return box.scrollHeight <= box.clientHeight; })()";
    assert_eq!(browser.value(fits), true, "what says that nothing was found is hidden");
    browser.picture("nothing-found");
}

/// So many questions, each about a document of its own.
const MANY: usize = 2_000;

#[test]
fn of_two_thousand_questions_those_on_screen_are_in_the_page() {
    let (mut corpus, mut questions) = (String::new(), String::new());
    for number in 0..MANY {
        let document = json!({"id": format!("d{number}"), "text": format!("Crate {number} holds item{number}.")});
        let evidence =
            json!([[{"doc": format!("d{number}"), "quotes": [format!("item{number}")]}]]);
        let question = json!({"id": format!("q{number}"), "text": format!("What does crate {number} hold?"), "answers": [format!("item{number}")], "evidence": evidence});
        writeln!(corpus, "{document}").expect("a string takes all");
        writeln!(questions, "{question}").expect("a string takes all");
    }
    let project = Project::of(&[
        ("c.toml", SETTINGS),
        ("data/corpus.jsonl", &corpus),
        ("data/questions.jsonl", &questions),
    ]);
    project.good("r", &["--set", "evaluation.arms=[\"retrieved\"]"]);
    let browser = Browser::start();
    let page = Page::open(&browser, &project.path("runs/r/report.html"), "");
    page.counts(MANY, MANY);
    let first = page.rows();
    assert!((5..100).contains(&first.len()) && first[0] == "q0", "{first:?}");

    // To its end, as somebody with a wheel would go.
    let to_end = "let box = document.querySelector('[data-row]');
        while (box.scrollHeight <= box.clientHeight || getComputedStyle(box).overflowY === 'visible') box = box.parentElement;
        box.scrollTop = box.scrollHeight;";
    browser.script(to_end, &[]);
    browser.until(
        "document.querySelector('[data-row][data-id=\"q1999\"]') !== null",
        "document.querySelectorAll('[data-row]').length",
    );
    let last = page.rows();
    assert!((5..100).contains(&last.len()) && !last.contains(&"q0".to_owned()), "{last:?}");

    // The text of the last one alone; its row is at the top again.
    page.search("item1999");
    page.lists(&["q1999".to_owned()], MANY);
    page.ask("q1999");
    assert_eq!(browser.complaints(), []);
}
