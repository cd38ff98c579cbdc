//! Light and dark, paper, and the width of a telephone. Contrast is computed from what Chromium computed.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::page::Page;
use crate::sample::Sample;

/// The contrast of every text that is on screen or could be scrolled there, where it is below what WCAG 2.2 asks for at level AA
/// (success criterion 1.4.3: 4.5, or 3 for text of at least 24 px, or 18.66 px in bold). Colours are read back from a canvas, which
/// knows every way of writing them; backgrounds are laid over one another up to the page's.
const FAINT: &str = r"
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (color) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = (top, bottom) => [0, 1, 2].map((i) => top[i] * top[3] + bottom[i] * (1 - top[3])).concat(1);
    const linear = (channel) => { const c = channel / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0, 1] : [255, 255, 255, 1];
    const behind = (element) => {
        const layers = [];
        for (let one = element; one; one = one.parentElement) {
            const color = rgba(getComputedStyle(one).backgroundColor);
            if (color[3] > 0) layers.unshift(color);
        }
        return layers.reduce((bottom, top) => over(top, bottom), canvas);
    };
    const root = document.querySelector('dialog[open]') ?? document.body;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const faint = [];
    let n = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        const style = getComputedStyle(element);
        if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        if (element.closest('script, style, noscript, option, :disabled, .rx-unseen')) continue;
        n += 1;
        const ink = element instanceof SVGElement ? style.fill : style.color;
        const paper = behind(element);
        const [a, b] = [luminance(over(rgba(ink), paper)), luminance(paper)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)} ${element.tagName}.${element.getAttribute('class')}: ${node.data.trim().slice(0, 40)}`);
    }
    return [n, [...new Set(faint)]];
";

fn is_legible(browser: &Browser, where_to: &str) {
    let found = browser.script(FAINT, &[]);
    assert!(
        found[0].as_u64().is_some_and(|n| n > 50),
        "{where_to}: {} texts are too few to show much",
        found[0]
    );
    assert_eq!(found[1], json!([]), "{where_to}: too faint");
}

fn paper(browser: &Browser) -> Value {
    browser.value("getComputedStyle(document.body).backgroundColor")
}

#[test]
fn light_and_dark_differ_and_both_can_be_read() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        browser.media("screen", scheme);
        papers.push(paper(&browser));
        is_legible(&browser, scheme);
        browser.picture(&format!("{scheme}-page"));
        page.ask("depth");
        browser.script("document.querySelectorAll('#rx-question details summary, #rx-question [data-action=prompt]').forEach((one) => one.click())", &[]);
        is_legible(&browser, &format!("{scheme}, a question"));
        let marks = browser.value("[...document.querySelectorAll('#rx-question [data-passage] mark')].map((mark) => getComputedStyle(mark).backgroundColor)");
        assert!(
            marks.as_array().is_some_and(
                |marks| !marks.is_empty() && !marks.contains(&json!("rgba(0, 0, 0, 0)"))
            ),
            "{marks}"
        );
        browser.picture(&format!("{scheme}-question"));
        page.act("close");
        page.closes();
    }
    assert_ne!(papers[0], papers[1]);
    assert_eq!(browser.complaints(), []);
}
