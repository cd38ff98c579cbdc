//! The table of questions: filters, search and order, against what the run's own files say.

use crate::browser::Browser;
use crate::page::Page;
use crate::sample::{N_QUESTIONS, Sample, holds};

#[test]
fn every_class_flag_tag_and_kind_lists_its_questions() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    let lists = |name: &str, value: &str, expected: Vec<String>| {
        assert!(!expected.is_empty(), "no question has {name} {value}: that would show nothing");
        page.filter(name, value);
        page.lists(&sample.worst_first("first", &expected), N_QUESTIONS);
        assert_eq!(page.hash(), format!("#{name}={value}"));
        page.filter(name, "");
        page.counts(N_QUESTIONS, N_QUESTIONS);
    };
    for class in [
        "not_retrieved",
        "ranked_low",
        "not_packed",
        "wrong_answer",
        "correct",
        "correct_without_evidence",
        "declined",
    ] {
        lists("class", class, sample.ids(|trace| trace["class"] == class));
    }
    for class in ["hallucinated", "failed"] {
        lists("class", class, sample.ids(|trace| trace["class"] == class));
    }
    let flag = "answer_elsewhere";
    lists("flag", flag, sample.ids(|trace| holds(&trace["flags"], flag)));
    for tag in ["sea", "town", "number", "person"] {
        lists("tag", tag, sample.ids(|trace| holds(&trace["question"]["tags"], tag)));
    }
    for kind in ["span", "yes_no", "free", "unanswerable"] {
        lists("kind", kind, sample.ids(|trace| trace["question"]["kind"] == kind));
    }
    assert_eq!(browser.complaints(), []);
}
