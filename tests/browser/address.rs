//! Links to questions and views, the keys, and the browser's way back: the address always says what is shown.

use serde_json::json;

use crate::browser::Browser;
use crate::page::Page;
use crate::sample::Sample;

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
