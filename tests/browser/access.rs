//! The page for somebody who does not see it or has no mouse: what Chromium tells assistive tools, and where the focus is.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::page::Page;
use crate::sample::Sample;

/// Roles of what one can act on (WAI-ARIA 1.2, "widget roles"), as Chromium names them.
const CONTROLS: [&str; 10] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "tab",
    "DisclosureTriangle",
    "grid",
];

/// What Chromium hands to assistive tools, hidden nodes left out.
fn tree(browser: &Browser) -> Vec<Value> {
    browser.devtools("Accessibility.enable", &json!({}));
    let tree = browser.devtools("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes").iter();
    nodes.filter(|node| node["ignored"] != true).cloned().collect()
}

fn role(node: &Value) -> &str {
    node["role"]["value"].as_str().unwrap_or_default()
}

fn name(node: &Value) -> &str {
    node["name"]["value"].as_str().unwrap_or_default().trim()
}

fn has_names(browser: &Browser, at_least: usize) {
    let nodes = tree(browser);
    let controls: Vec<&Value> =
        nodes.iter().filter(|node| CONTROLS.contains(&role(node))).collect();
    assert!(controls.len() >= at_least, "{} controls are too few to show much", controls.len());
    let unnamed = |wanted: &[&str]| {
        let unnamed =
            nodes.iter().filter(|node| wanted.contains(&role(node)) && name(node).is_empty());
        unnamed.map(Value::to_string).collect::<Vec<_>>()
    };
    assert_eq!(unnamed(&CONTROLS), Vec::<String>::new(), "controls without a name");
    assert_eq!(
        unnamed(&["image", "img", "graphics-document", "dialog"]),
        Vec::<String>::new(),
        "pictures without a name"
    );
}

/// Levels of the headings that are read out, in order.
fn headings(browser: &Browser) -> Vec<u64> {
    let level = |node: &Value| {
        let properties = node["properties"].as_array()?;
        properties.iter().find(|property| property["name"] == "level")?["value"]["value"].as_u64()
    };
    tree(browser)
        .iter()
        .filter(|node| role(node) == "heading")
        .map(|node| level(node).expect("a level"))
        .collect()
}

fn skips_no_level(levels: &[u64]) {
    assert!(levels.len() > 3, "{levels:?}");
    for pair in levels.windows(2) {
        assert!(pair[1] <= pair[0] + 1, "a heading is skipped: {levels:?}");
    }
}

#[test]
fn every_control_and_picture_has_a_name_and_headings_skip_no_level() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    has_names(&browser, 20);
    let levels = headings(&browser);
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1, "{levels:?}");
    assert_eq!(levels[0], 1);
    skips_no_level(&levels);

    // The dialog alone is told while it is open.
    page.ask("windows");
    browser
        .script("document.querySelectorAll('#rx-question details summary').forEach((summary) => summary.click())", &[]);
    has_names(&browser, 8);
    skips_no_level(&headings(&browser));
    assert_eq!(browser.complaints(), []);
}
