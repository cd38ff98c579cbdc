//! A page timed by its own clock, in a browser that has just started.

use std::fmt;
use std::path::Path;

use serde_json::{Value, json};

use crate::TURNS;
use crate::browser::Browser;

/// The middle of several values, with the least and the most.
pub struct Median {
    values: Vec<f64>,
}

impl fmt::Display for Median {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        let last = self.values.len() - 1;
        let [middle, least, most] = [self.values[last / 2], self.values[0], self.values[last]];
        write!(f, "{middle:.decimals$} ({least:.decimals$} to {most:.decimals$})")
    }
}

/// Of `n` turns.
pub fn median(n: usize, mut turn: impl FnMut() -> f64) -> Median {
    let mut values: Vec<f64> = (0..n).map(|_| turn()).collect();
    values.sort_by(f64::total_cmp);
    Median { values }
}

/// Noted by the page itself as it is parsed: when the first row came into the tree, and when it was next painted.
const WATCH: &str = "
    new MutationObserver((_, observer) => {
        if (!document.querySelector('[data-row]')) return;
        window.rowsAt = performance.now();
        requestAnimationFrame(() => setTimeout(() => (window.rowsPainted = performance.now())));
        observer.disconnect();
    }).observe(document, { childList: true, subtree: true });";

/// Opens the page in browsers of its own and prints its times.
pub fn page(file: &Path) {
    let mut loads = Vec::new();
    for _ in 0..TURNS {
        let browser = Browser::start();
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": WATCH}));
        browser.open(file, "");
        browser.until("window.rowsPainted !== undefined", "document.body.innerText.slice(0, 500)");
        let paint = "performance.getEntriesByType('paint').find((entry) => entry.name === 'first-contentful-paint').startTime";
        let times = format!(
            "[{paint}, window.rowsPainted, performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart]"
        );
        loads.push(numbers(&browser.value(&times)));
    }
    for (what, at) in
        [("first paint with content", 0), ("table painted", 1), ("whole file read", 2)]
    {
        let mut values: Vec<f64> = loads.iter().map(|load| load[at]).collect();
        values.sort_by(f64::total_cmp);
        println!("{what}: {:.0} ms", Median { values });
    }
    interactions(file);
}

fn interactions(file: &Path) {
    let browser = Browser::start();
    browser.open(file, "");
    browser.until(
        "document.querySelector('[data-row]') !== null && document.readyState === 'complete'",
        "document.body.innerText.slice(0, 500)",
    );
    // What the page prepares when it has nothing to do.
    browser.promised("requestIdleCallback(() => requestIdleCallback(() => done(true)))", &[]);
    let filter = |name: &str, values: [&str; 2]| {
        let mut next = values.into_iter().cycle();
        let set = "const control = document.getElementById(arguments[0]);
            control.value = arguments[1];
            control.dispatchEvent(new Event('input', { bubbles: true }));
            control.dispatchEvent(new Event('change', { bubbles: true }));";
        median(2 * TURNS, || {
            laid_out(&browser, set, &[json!(name), json!(next.next().expect("a cycle"))])
        })
    };
    println!("class filter: {:.1} ms", filter("rx-class", ["generation", "ranking"]));
    println!("class filter on and off: {:.1} ms", filter("rx-class", ["", "generation"]));
    filter("rx-class", ["", ""]);
    println!("search of one word: {:.1} ms", filter("rx-search", ["film", "the"]));
    println!("search of two: {:.1} ms", filter("rx-search", ["born in", "who was"]));
    filter("rx-search", ["", ""]);
    let sort = "document.querySelector('[data-sort=\"' + arguments[0] + '\"]').click();";
    let mut columns = ["class", "question", "seconds"].into_iter().cycle();
    println!(
        "order: {:.1} ms",
        median(3 * TURNS, || laid_out(&browser, sort, &[json!(columns.next().expect("a cycle"))]))
    );
    println!("scroll to another place: {:.1} ms", scrolls(&browser));
    println!("open a question, its block to be unpacked: {:.1} ms", opens(&browser));
}

/// Milliseconds of a script and of laying out what it changed.
fn laid_out(browser: &Browser, script: &str, arguments: &[Value]) -> f64 {
    let timed = format!(
        "const start = performance.now(); {script} document.body.offsetHeight; document.querySelector('[data-row]')?.getBoundingClientRect();
        return performance.now() - start;"
    );
    browser.script(&timed, arguments).as_f64().expect("milliseconds")
}

/// From setting the box's place until the rows there are in the tree.
fn scrolls(browser: &Browser) -> Median {
    let mut place = 0.0;
    median(TURNS, || {
        place += 0.19;
        let scroll = "let box = document.querySelector('[data-row]');
            while (getComputedStyle(box).overflowY === 'visible') box = box.parentElement;
            const before = document.querySelector('[data-row]').dataset.id;
            const start = performance.now();
            box.scrollTop = arguments[0] * box.scrollHeight;
            const look = () => document.querySelector('[data-row]')?.dataset.id !== before ? done(performance.now() - start) : requestAnimationFrame(look);
            look();";
        browser.promised(scroll, &[json!(place)]).as_f64().expect("milliseconds")
    })
}

/// From a click on a row until its sheet is laid out; each row is of another block.
fn opens(browser: &Browser) -> Median {
    let mut place = 0.0;
    median(TURNS, || {
        place += 0.17;
        let open = "let box = document.querySelector('[data-row]');
            while (getComputedStyle(box).overflowY === 'visible') box = box.parentElement;
            box.scrollTop = arguments[0] * box.scrollHeight;
            const sheet = document.getElementById('rx-question');
            const click = () => {
                const rows = [...document.querySelectorAll('[data-row]')];
                const row = rows[rows.length >> 1];
                const start = performance.now();
                row.click();
                const look = () => {
                    if (sheet.dataset.id !== row.dataset.id || !sheet.checkVisibility()) return setTimeout(look);
                    sheet.getBoundingClientRect();
                    const taken = performance.now() - start;
                    document.querySelector('[data-action=close]').click();
                    done(taken);
                };
                look();
            };
            setTimeout(click, 100);";
        browser.promised(open, &[json!(place)]).as_f64().expect("milliseconds")
    })
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array()
        .expect("a list")
        .iter()
        .map(|number| number.as_f64().expect("a number"))
        .collect()
}
