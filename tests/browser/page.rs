//! The report as a page: its table, its filters, its questions, by the names that the page gives its parts.
//!
//! The names are the page's promise to these tests: `rx-...` for what there is once, `data-...` for what there is often.

use std::path::Path;

use serde_json::{Value, json};

use crate::browser::Browser;

/// How many questions the table has, and how many there are.
const COUNT: &str = "document.getElementById('rx-count').textContent";

/// Whether a question's sheet is on screen, as a condition.
const OPEN: &str = "(document.getElementById('rx-question')?.checkVisibility() ?? false)";

/// A report in a browser.
pub struct Page<'a> {
    browser: &'a Browser,
}

impl<'a> Page<'a> {
    /// Opens the file, with what stands behind its name, and waits for its table.
    pub fn open(browser: &'a Browser, file: &Path, hash: &str) -> Self {
        browser.open(file, hash);
        let page = Self { browser };
        page.ready();
        page
    }

    /// Waits until the questions are there: they are unpacked after the page is shown.
    pub fn ready(&self) {
        let there =
            "/ questions?$/.test(document.getElementById('rx-count')?.textContent.trim() ?? '')";
        self.browser.until(there, "document.body.innerText.slice(0, 2000)");
    }

    /// Waits until the live line says that so many of all questions are listed.
    pub fn counts(&self, listed: usize, all: usize) {
        let of = format!("{} question{}", grouped(all), if all == 1 { "" } else { "s" });
        let line = if listed == all { of } else { format!("{} of {of}", grouped(listed)) };
        self.browser.until(&format!("{COUNT}.trim() === {}", json!(line)), COUNT);
    }

    /// Waits until exactly these rows are listed, in this order; they must be few enough to be all in the tree.
    pub fn lists(&self, ids: &[String], all: usize) {
        self.counts(ids.len(), all);
        assert_eq!(self.rows(), ids);
    }

    /// The ids of the rows in the tree, from the top.
    pub fn rows(&self) -> Vec<String> {
        let ids = self
            .browser
            .value("[...document.querySelectorAll('[data-row]')].map((row) => row.dataset.id)");
        texts(&ids)
    }

    /// Sets one of the filters `class`, `flag`, `tag`, `kind`; the empty value takes it off.
    pub fn filter(&self, name: &str, value: &str) {
        self.browser.choose(&format!("#rx-{name}"), value);
    }

    /// Types into the search field, in place of what stands there.
    pub fn search(&self, text: &str) {
        self.browser.write("#rx-search", text);
    }

    /// Clicks on a question's row and waits for its sheet.
    pub fn ask(&self, id: &str) {
        self.browser.click(&row(id));
        self.shows(id);
    }

    /// Waits until the sheet of that question is on screen, filled and at rest.
    pub fn shows(&self, id: &str) {
        let sheet = "document.getElementById('rx-question')";
        let filled = format!("{sheet}.querySelector('[data-part=\"passages\"]') !== null");
        let rests = "document.getAnimations().length === 0";
        let condition =
            format!("{OPEN} && {sheet}.dataset.id === {} && {filled} && {rests}", json!(id));
        self.browser.until(&condition, &format!("{sheet}?.outerHTML.slice(0, 2000)"));
    }

    /// Waits until no sheet is on screen.
    pub fn closes(&self) {
        self.browser.until(
            &format!("!{OPEN}"),
            "document.getElementById('rx-question').outerHTML.slice(0, 500)",
        );
    }

    /// Presses a button of the sheet.
    pub fn act(&self, action: &str) {
        self.browser.click(&format!("#rx-question [data-action=\"{action}\"]"));
    }

    /// The text of a part of the sheet, whatever of it is folded.
    pub fn part(&self, name: &str) -> String {
        self.text(&part(name))
    }

    /// The text of the first element of a selector.
    pub fn text(&self, selector: &str) -> String {
        let found = self
            .browser
            .value_with("document.querySelector(arguments[0])?.textContent", &[json!(selector)]);
        found.as_str().unwrap_or_else(|| panic!("the page has no {selector}")).to_owned()
    }

    /// The texts of all elements of a selector, in order.
    pub fn all(&self, selector: &str) -> Vec<String> {
        let every =
            "[...document.querySelectorAll(arguments[0])].map((element) => element.textContent)";
        texts(&self.browser.value_with(every, &[json!(selector)]))
    }

    /// The cells of every row, in any table, that begins with this label; the primary metric's has a star.
    pub fn figures(&self, label: &str) -> Vec<Vec<String>> {
        let rows = self.browser.value_with(
            "[...document.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))
                .filter((cells) => cells[0].replace(/^\\* /, '') === arguments[0]).map((cells) => cells.slice(1))",
            &[json!(label)],
        );
        rows.as_array().expect("a list").iter().map(texts).collect()
    }

    /// The JSON that was copied last.
    pub fn copied(&self) -> Value {
        let text = self.browser.value("document.getElementById('rx-question').lastCopied");
        serde_json::from_str(text.as_str().expect("something was copied")).expect("JSON")
    }

    /// What stands behind the file's name in the address, percent signs undone.
    pub fn hash(&self) -> String {
        self.browser.value("decodeURIComponent(location.hash)").as_str().expect("text").to_owned()
    }
}

/// The selector of a question's row. A CSS string escapes as JSON does what ids in tests hold.
fn row(id: &str) -> String {
    format!("[data-row][data-id={}]", json!(id))
}

/// The selector of a part of the sheet.
pub fn part(name: &str) -> String {
    format!("#rx-question [data-part=\"{name}\"]")
}

/// As the page writes whole numbers: commas between thousands.
fn grouped(number: usize) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array()
        .expect("a list")
        .iter()
        .map(|text| text.as_str().expect("text").to_owned())
        .collect()
}
