//! An opened question: everything that its trace knows, with the gold where it stands and the prompt as it was sent.

use serde_json::{Value, json};
use wiremock::Request;

use crate::browser::Browser;
use crate::endpoint::user_message;
use crate::page::{Page, part};
use crate::sample::Sample;

#[test]
fn a_click_shows_what_the_trace_says() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    for id in ["depth", "builder", "boat", "windows", "wheel", "toll", "moon", "silent"] {
        let trace = sample.trace(id);
        page.ask(id);
        assert!(
            page.text("#rx-question h2")
                .contains(trace["question"]["text"].as_str().expect("text"))
        );
        let reason = page.part("reason");
        assert!(reason.contains(trace["reason"].as_str().expect("a sentence")), "{id}: {reason}");
        let golds = page.part("golds");
        let question = &trace["question"];
        let facts = [&question["required"], &question["forbidden"]]
            .into_iter()
            .flat_map(|facts| facts.as_array().expect("a list"));
        for gold in question["answers"]
            .as_array()
            .expect("a list")
            .iter()
            .chain(facts.flat_map(|fact| fact.as_array().expect("a list")))
        {
            assert!(golds.contains(gold.as_str().expect("text")), "{id}: {golds}");
        }
        let answer = page.part("answer");
        let attempt = &trace["conditions"][0]["attempts"][0];
        for said in ["raw", "extracted", "error"] {
            assert!(
                answer.contains(attempt[said].as_str().unwrap_or_default()),
                "{id}, {said}: {answer}"
            );
        }
        let evidence = page.part("evidence");
        for member in question["evidence"]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|group| group.as_array().expect("a list"))
        {
            assert!(evidence.contains(member["doc"].as_str().expect("text")), "{id}: {evidence}");
        }
        page.act("close");
        page.closes();
    }
    assert_eq!(browser.complaints(), []);
}

/// The highlighted text of a kind, passage by passage, pieces joined.
fn marked(browser: &Browser, kind: &str) -> Vec<String> {
    let found = browser.value_with(
        "[...document.querySelectorAll('#rx-question [data-passage]')]
            .map((body) => [...body.querySelectorAll('mark.' + arguments[0])].map((mark) => mark.textContent).join(''))
            .filter((text) => text !== '')",
        &[json!(kind)],
    );
    found
        .as_array()
        .expect("a list")
        .iter()
        .map(|text| text.as_str().expect("text").to_owned())
        .collect()
}

#[test]
fn gold_and_answer_strings_are_highlighted_to_the_letter() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    page.ask("depth");
    assert_eq!(marked(&browser, "gold"), ["fourteen metres deep"]);
    assert_eq!(marked(&browser, "answer"), ["fourteen metres"]);
    page.act("close");
    // Behind letters of two UTF-16 units and of several bytes, with one of them inside.
    page.closes();
    page.ask("gale");
    assert_eq!(marked(&browser, "gold"), ["two black cones 🏴 before a gale"]);
    assert_eq!(marked(&browser, "answer"), ["two black cones"]);
    page.act("close");
    page.closes();
    // A quote that two chunks share, in document order; what stands between chunks is white space.
    page.ask("sealed");
    let quote = "sealed in the year of the long frost by the abbot, the reeve and the widow Anselma, who gave the meadow, the orchard and both of the fish ponds to the hospital";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let pieces = marked(&browser, "gold");
    assert_eq!(pieces.len(), 2, "{pieces:?}");
    assert_eq!(words(&pieces.join(" ")), words(quote));
    page.act("close");
    page.closes();
    // An answer string where no gold is.
    page.ask("gate");
    assert_eq!(marked(&browser, "gold"), ["Three groats a head"]);
    assert_eq!(marked(&browser, "answer"), ["three groats", "three groats", "Three groats"]);
}

/// Both messages of a request.
fn messages(request: &Request) -> (String, String) {
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    (body["messages"][0]["content"].as_str().expect("text").to_owned(), user_message(request))
}

#[test]
fn prompts_are_shown_as_the_endpoint_received_them() {
    let sample = Sample::new();
    let received: Vec<(String, String)> = sample.endpoint.requests().iter().map(messages).collect();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    let mut n_shown = 0;
    for id in ["depth", "builder", "wheel", "gale", "sealed", "moon"] {
        let trace = sample.trace(id);
        page.ask(id);
        for condition in trace["conditions"].as_array().expect("a list") {
            let condition = condition["condition"].as_str().expect("a name");
            let button = format!(
                "{} [data-action=\"prompt\"][data-condition=\"{condition}\"]",
                part("prompt")
            );
            browser.click(&button);
            let opened =
                format!("document.querySelector({}).ariaExpanded === 'true'", json!(button));
            browser.until(&opened, "document.querySelector('[data-part=prompt]').outerHTML");
            let shown = page.all(&format!("{} .rx-message .rx-body", part("prompt")));
            let [system, user] =
                <[String; 2]>::try_from(shown).expect("a system message and a user message");
            assert!(
                received.contains(&(system, user.clone())),
                "{id}, {condition}: never sent: {user}"
            );
            let alone = condition == "closed_book";
            assert_eq!(
                user.contains("(no passages)"),
                alone,
                "{id}: the prompt of another condition"
            );
            n_shown += 1;
        }
        page.act("close");
        page.closes();
    }
    assert!(n_shown >= 15, "{n_shown} prompts are too few to show much");
}
