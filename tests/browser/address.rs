//! Links to questions and views, the keys, and the browser's way back: the address always says what is shown.

use serde_json::json;

use crate::browser::Browser;
use crate::page::{ESCAPE, Page};
use crate::sample::{N_QUESTIONS, Sample};

#[test]
fn a_link_opens_its_question() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "#q=wheel");
    page.shows("wheel");
    assert!(page.part("reason").contains("did not fit the prompt"));
    // Another link, typed into the same page.
    browser.script("location.hash = '#q=gale'", &[]);
    page.shows("gale");
    page.act("copy-link");
    browser.until(
        "document.getElementById('rx-question').lastCopied !== undefined",
        "'nothing was copied'",
    );
    let link = browser.value("document.getElementById('rx-question').lastCopied");
    assert_eq!(link, json!(browser.address().as_str()));
    assert!(link.as_str().is_some_and(|link| link.ends_with("/report.html#q=gale")), "{link}");
}

#[test]
fn a_link_to_a_question_that_is_not_there_says_so() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "#q=nobody");
    page.counts(N_QUESTIONS, N_QUESTIONS);
    assert!(!page.is_open());
    assert!(page.text("main").contains("nobody"), "the page names what it does not have");
    assert_eq!(browser.complaints(), []);
}

#[test]
fn a_link_opens_its_view() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(
        &browser,
        &sample.report(),
        "#class=generation&sort=-AnswerF1&search=lighthouse&q=year",
    );
    page.shows("year");
    page.counts(2, N_QUESTIONS);
    for (control, value) in [("rx-class", "generation"), ("rx-search", "lighthouse")] {
        assert_eq!(browser.value(&format!("document.getElementById('{control}').value")), value);
    }
    browser.press(ESCAPE);
    page.closes();
    assert_eq!(page.hash(), "#class=generation&search=lighthouse&sort=-AnswerF1");
}

#[test]
fn j_and_k_go_through_what_is_listed() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "#tag=town");
    let listed = page.rows();
    assert!(listed.len() > 3, "{listed:?}");
    page.ask(&listed[0]);
    assert_eq!(page.hash(), format!("#tag=town&q={}", listed[0]));
    for id in &listed[1..] {
        browser.press("j");
        page.shows(id);
        assert_eq!(page.hash(), format!("#tag=town&q={id}"));
    }
    // The last stays; then back by the key and by the button, on by the button.
    let [.., before, last] = &listed[..] else { panic!("there are more than three") };
    browser.press("j");
    page.shows(last);
    browser.press("k");
    page.shows(before);
    page.act("next");
    page.shows(last);
    page.act("previous");
    page.shows(before);
    browser.press(ESCAPE);
    page.closes();
    assert_eq!(page.hash(), "#tag=town");
}

#[test]
fn a_slash_searches_and_letters_typed_there_are_letters() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    browser.press("/");
    browser.until(
        "document.activeElement.id === 'rx-search'",
        "document.activeElement.outerHTML.slice(0, 300)",
    );
    browser.press("jonas/k");
    page.counts(0, N_QUESTIONS);
    assert_eq!(browser.value("document.getElementById('rx-search').value"), "jonas/k");
    browser.press(ESCAPE);
    page.counts(N_QUESTIONS, N_QUESTIONS);
    assert!(!page.is_open());
}

#[test]
fn back_closes_a_question_and_forward_opens_it_again() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    page.ask("gale");
    browser.back();
    page.closes();
    assert_eq!(page.hash(), "");
    page.counts(N_QUESTIONS, N_QUESTIONS);
    browser.script("history.forward()", &[]);
    page.shows("gale");
    assert_eq!(browser.complaints(), []);
}
