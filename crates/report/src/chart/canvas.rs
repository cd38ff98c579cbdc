//! The sheet that pictures are drawn on: its frame with title and description, its colours, and text on it.
//!
//! Colours are Okabe and Ito's ("Color Universal Design", 2008), of which those are used that have a contrast of 3 to 1 with the
//! paper. No script, no reference, no style attribute, nothing that data says is markup.

use std::fmt::Write as _;

use super::labels::px;
use crate::render::html::escape;

/// Blue, vermillion, bluish green, reddish purple and ink; in dark mode sky blue and orange replace the first two. On paper,
/// pictures are light.
pub const STYLE: &str = "\
.rx-chart{font:12px system-ui,sans-serif}.rx-chart text{fill:#1b1f24}.rx-chart a text{fill:#0072b2;text-decoration:underline}.rx-chart .soft{fill:#57606a}\
.rx-chart .paper{fill:#fff}.rx-chart .grid{stroke:#d8dee4}.rx-chart .halo{stroke:#fff}.rx-chart .ink{stroke:#1b1f24}\
.rx-chart .c0{color:#0072b2}.rx-chart .c1{color:#d55e00}.rx-chart .c2{color:#009e73}.rx-chart .c3{color:#cc79a7}.rx-chart .c4{color:#1b1f24}\
@media screen and (prefers-color-scheme:dark){.rx-chart text{fill:#e6edf3}.rx-chart a text{fill:#56b4e9}.rx-chart .soft{fill:#9da7b3}\
.rx-chart .paper{fill:#0d1117}.rx-chart .grid{stroke:#30363d}.rx-chart .halo{stroke:#0d1117}.rx-chart .ink{stroke:#e6edf3}\
.rx-chart .c0{color:#56b4e9}.rx-chart .c1{color:#e69f00}.rx-chart .c4{color:#e6edf3}}";

/// The place of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartPlacement {
    /// In a file of its own, which needs nothing else: style and title are in it.
    File,
    /// In a page that has [`STYLE`] once and writes the title over the picture.
    Page,
}

/// Height of the title above a picture in its own file, in pixels; left out in a page.
const HEAD: f64 = 32.0;

/// A picture: its frame is opened by [`Sheet::new`] and closed by [`Sheet::closed`].
pub(super) struct Sheet {
    /// The elements drawn so far.
    pub out: String,
}

/// The frame of a sheet.
pub(super) struct Opening<'a> {
    pub place: ChartPlacement,
    /// Width and height with the title's line.
    pub size: (f64, f64),
    pub title: &'a str,
    /// A description for screen readers.
    pub description: &'a str,
    /// True if it holds links: it is then a group, because nothing inside an image can be reached.
    pub has_links: bool,
}

impl Sheet {
    /// An empty picture.
    pub fn new(opening: &Opening<'_>) -> Self {
        let Opening { place, size: (width, height), title, description, has_links } = *opening;
        let (top, shown) =
            if place == ChartPlacement::File { (0.0, height) } else { (HEAD, height - HEAD) };
        let namespace = if place == ChartPlacement::File {
            "xmlns=\"http://www.w3.org/2000/svg\" "
        } else {
            ""
        };
        let role = if has_links { "group" } else { "img" };
        let mut out = format!(
            "<svg {namespace}class=\"rx-chart\" viewBox=\"0 {top} {width} {shown}\" width=\"{width}\" height=\"{shown}\" \
             role=\"{role}\">\n<title>{}</title>\n<desc>{}</desc>\n",
            svg_text(title),
            svg_text(description)
        );
        if place == ChartPlacement::File {
            let _ = writeln!(out, "<style>{STYLE}</style>");
        }
        let _ = writeln!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>");
        Self { out }
    }

    /// Writes `words` with the left end of their base line at `x`, `y`, or where `attributes` say.
    pub fn text(&mut self, words: &str, x: f64, y: f64, attributes: &str) {
        let space = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(
            self.out,
            "<text x=\"{}\" y=\"{}\"{space}{attributes}>{}</text>",
            px(x),
            px(y),
            svg_text(words)
        );
    }

    /// Draws what `element` says; it holds nothing that data gave.
    pub fn draw(&mut self, element: &str) {
        self.out.push_str(element);
        self.out.push('\n');
    }

    /// The picture, ending in a line feed.
    pub fn closed(self) -> String {
        self.out + "</svg>\n"
    }
}

/// Escapes text from data inside an element, without the two Unicode characters that XML 1.0 cannot hold.
pub(super) fn svg_text(text: &str) -> String {
    escape(&text.replace(['\u{fffe}', '\u{ffff}'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(place: ChartPlacement, has_links: bool) -> String {
        let opening =
            Opening { place, size: (640.0, 360.0), title: "<T>", description: "d", has_links };
        Sheet::new(&opening).closed()
    }

    #[test]
    fn a_file_has_its_style_and_a_page_has_it_elsewhere() {
        let (file, page) = (sheet(ChartPlacement::File, false), sheet(ChartPlacement::Page, false));
        assert!(
            file.contains("viewBox=\"0 0 640 360\"")
                && file.contains("<style>")
                && file.contains("xmlns="),
            "{file}"
        );
        // The line of the title, 32 px, is cut off at the top.
        assert!(page.contains("viewBox=\"0 32 640 328\" width=\"640\" height=\"328\""), "{page}");
        assert!(!page.contains("style") && !page.contains("http"), "{page}");
        assert!(
            [file, page]
                .iter()
                .all(|drawn| drawn.contains("<title>&lt;T&gt;</title>\n<desc>d</desc>"))
        );
    }

    #[test]
    fn what_holds_links_is_no_image() {
        assert!(
            sheet(ChartPlacement::Page, false).contains("role=\"img\"")
                && sheet(ChartPlacement::Page, true).contains("role=\"group\"")
        );
    }
}
