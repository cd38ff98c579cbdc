//! Content Security Policy of the HTML report: its own style and script, no request, no form, no style attribute.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The text between `<style>` and `</style>`. The policy forbids `style` attributes.
#[must_use]
pub fn style() -> String {
    [include_str!("assets/page.css"), include_str!("assets/questions.css")].concat()
}

/// The page's policy (Content Security Policy level 3): what is not named is forbidden; style and script are known by their hashes.
#[must_use]
pub fn policy(style: &str, script: Option<&str>) -> String {
    let script = script.map_or_else(|| "none".to_owned(), source);
    let style = source(style);
    format!(
        "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'"
    )
}

/// A text's hash as a policy names it.
#[must_use]
pub fn source(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_written_as_the_standard_has_it() {
        // FIPS 180-4's example: sha256("abc") is ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad.
        assert_eq!(source("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    /// `--name: #rrggbb;` in a block of the style.
    fn color(block: &str, name: &str) -> [f64; 3] {
        let at = block.find(&format!("--{name}: #")).expect("the color") + name.len() + 5;
        [0, 2, 4].map(|i| {
            f64::from(u8::from_str_radix(&block[at + i..at + i + 2], 16).expect("hex")) / 255.0
        })
    }

    /// WCAG 2.2's contrast ratio: (lighter + 0.05) / (darker + 0.05) of relative luminances.
    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let linear = |c: f64| {
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let luminance =
            |c: [f64; 3]| 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_text_can_be_read_in_light_and_in_dark() {
        let style = include_str!("assets/page.css");
        let (light, rest) =
            style.split_once("@media screen and (prefers-color-scheme: dark)").expect("two themes");
        let dark = rest.split_once("\n}\n").expect("its end").0;
        for theme in [light, dark] {
            for paper in ["paper", "panel"] {
                for text in ["ink", "soft", "accent", "good", "bad"] {
                    let found = contrast(color(theme, text), color(theme, paper));
                    assert!(found >= 4.5, "{text} on {paper}: {found}");
                }
            }
            for marked in ["gold", "answer"] {
                let found = contrast(color(theme, "ink"), color(theme, marked));
                assert!(found >= 4.5, "ink on {marked}: {found}");
            }
        }
    }
}
