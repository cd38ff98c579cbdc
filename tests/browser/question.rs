//! An opened question: everything that its trace knows, with the gold where it stands and the prompt as it was sent.

use serde_json::{Value, json};
use wiremock::Request;

use crate::browser::Browser;
use crate::endpoint::user_message;
use crate::page::{ENTER, Page, part};
use crate::sample::Sample;

/// The hits of a stage of a trace: id, score, parts.
fn hits<'a>(trace: &'a Value, stage: &str) -> Vec<&'a Value> {
    let stages = trace["stages"].as_array().expect("a list");
    let stage = stages.iter().find(|entry| entry["stage"] == stage).expect("the stage");
    stage["hits"].as_array().expect("a list").iter().collect()
}

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
        let attempt = &trace["arms"][0]["attempts"][0];
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

#[test]
fn passages_stand_in_the_order_of_the_ranking_with_their_scores() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    let trace = sample.trace("windows");
    page.ask("windows");
    browser.picture("question");
    let shown = page.all(&format!("{} [data-passage]", part("passages")));
    let ranking = hits(&trace, "bm25");
    assert!(ranking.len() >= 5, "the sample's question finds that many");
    for (place, hit) in ranking.iter().enumerate() {
        let score = rounded(hit["score"].as_f64().expect("a score"));
        let has = shown[place].contains(hit["id"].as_str().expect("an id"))
            && shown[place].contains(&score);
        assert!(has, "rank {}: {hit} is not in {:?}", place + 1, shown[place]);
    }
    let ranks = page.all(&format!("{} [data-passage] b", part("passages")));
    // The first three were packed as well, at the same rank; the gold came last.
    assert_eq!(ranks, ["1", "1", "2", "2", "3", "3", "4", "5"]);
}

/// To four digits, as the page writes scores.
fn rounded(score: f64) -> String {
    let digits = 3 - score.abs().log10().floor() as i32;
    let rounded = format!("{score:.*}", digits.max(0) as usize);
    rounded.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[test]
fn the_terms_of_a_score_add_up_to_it() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    let trace = sample.trace("windows");
    page.ask("windows");
    for hit in hits(&trace, "bm25") {
        let id = hit["id"].as_str().expect("an id");
        let parts = hit["parts"].as_object().expect("bm25 says what its scores are made of");
        let score = hit["score"].as_f64().expect("a score");
        let explained = browser.script(
            "const bodies = [...document.querySelectorAll('#rx-question [data-passage]')];
            const body = bodies.find((one) => one.querySelector('th').textContent.includes(arguments[0]));
            body.querySelector('details summary').click();
            return body.querySelector('details').textContent === '' ? [] : [...body.querySelectorAll('details')].length;",
            &[json!(id)],
        );
        assert_eq!(explained, 1, "{id}");
        let rows = format!(
            "[...document.querySelectorAll('#rx-question [data-passage]')]
                .find((one) => one.querySelector('th').textContent.includes({})).querySelectorAll('details table tr')",
            json!(id)
        );
        browser.until(
            &format!("{rows}.length > 0"),
            "document.querySelector('#rx-question').textContent",
        );
        let shown = browser.value(&format!(
            "[...{rows}].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
        ));
        let shown: Vec<(String, f64)> =
            shown.as_array().expect("a list").iter().map(term).collect();
        let mut names: Vec<&str> = shown.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, parts.keys().map(String::as_str).collect::<Vec<_>>(), "{id}");
        // Three digits of a number are wrong by at most half a unit of the last: 1 in 200 of it.
        let sum: f64 = shown.iter().map(|(_, value)| value).sum();
        let unsure: f64 = shown.iter().map(|(_, value)| value.abs() / 200.0).sum();
        assert!((sum - score).abs() <= unsure, "{id}: {shown:?} add up to {sum}, not {score}");
    }
}

/// A row of an explanation: the term, a bar, its part.
fn term(row: &Value) -> (String, f64) {
    let cells: Vec<&str> =
        row.as_array().expect("cells").iter().map(|cell| cell.as_str().expect("text")).collect();
    (cells[0].to_owned(), cells.last().expect("a part").parse().expect("a number"))
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
        for arm in trace["arms"].as_array().expect("a list") {
            let arm = arm["arm"].as_str().expect("a name");
            let button = format!("{} [data-action=\"prompt\"][data-arm=\"{arm}\"]", part("prompt"));
            browser.click(&button);
            let opened =
                format!("document.querySelector({}).ariaExpanded === 'true'", json!(button));
            browser.until(&opened, "document.querySelector('[data-part=prompt]').outerHTML");
            let shown = page.all(&format!("{} .rx-message .rx-body", part("prompt")));
            let [system, user] =
                <[String; 2]>::try_from(shown).expect("a system message and a user message");
            assert!(received.contains(&(system, user.clone())), "{id}, {arm}: never sent: {user}");
            let alone = arm == "closed_book";
            assert_eq!(user.contains("(no passages)"), alone, "{id}: the prompt of another arm");
            n_shown += 1;
        }
        page.act("close");
        page.closes();
    }
    assert!(n_shown >= 15, "{n_shown} prompts are too few to show much");
}

#[test]
fn the_other_arms_say_what_they_answered() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    page.ask("builder");
    let rows = page.all(&format!("{} tbody tr", part("arms")));
    let of = |arm: &str| {
        rows.iter()
            .find(|row| row.starts_with(arm))
            .unwrap_or_else(|| panic!("no {arm} in {rows:?}"))
    };
    // Distracted by what was retrieved, right with the gold alone and without any.
    assert!(
        of("retrieved").contains("Tomas Reik") && !of("retrieved").contains("Ilse Brandt"),
        "{rows:?}"
    );
    for arm in ["oracle", "closed book"] {
        assert!(of(arm).contains("Ilse Brandt") && !of(arm).contains("Tomas Reik"), "{rows:?}");
    }
}

#[test]
fn a_question_is_copied_as_json_with_its_texts_raw() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    page.ask("gale");
    page.act("copy-json");
    browser.until(
        "document.getElementById('rx-question').lastCopied !== undefined",
        "'nothing was copied'",
    );
    let copied = page.copied();
    let text = copied.to_string();
    let trace = sample.trace("gale");
    for raw in
        [&trace["question"]["text"], &trace["reason"], &trace["arms"][0]["attempts"][0]["raw"]]
    {
        assert!(text.contains(&raw.to_string()), "{raw} is not in {text}");
    }
    let passage = "⚓🚢𝒱 é — the signal mast of Nord shows two black cones 🏴 before a gale, and one after it.";
    assert!(text.contains(&json!(passage).to_string()), "{text}");
}

#[test]
fn enter_opens_the_selected_question() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    browser.press("jj");
    browser.press(ENTER);
    // The first `j` may select the first row or step beyond one selected already.
    browser
        .until("location.hash.startsWith('#q=')", "document.activeElement.outerHTML.slice(0, 500)");
    let id = page.hash().trim_start_matches("#q=").to_owned();
    assert!(["builder", "year"].contains(&id.as_str()), "{id}");
    page.shows(&id);
}
