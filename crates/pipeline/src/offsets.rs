//! The range of a passage whose place in its document is recorded: bytes, or code points where the text shows it.

use ragtriage_core::chunk::code_points;
use ragtriage_core::text::quote;
use ragtriage_core::types::{ByteRange, Document};
use ragtriage_runs::external::recorded::RecordedHit;

/// The place that a record gives for a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offsets {
    /// Bytes.
    Bytes(ByteRange),
    /// Code points, as the range of their bytes.
    CodePoints(ByteRange),
    /// Neither holds the recorded text.
    Neither,
}

/// Reads the recorded range of `hit` in `document`; `None` if none is recorded. A range without a text is in bytes, unless
/// one of its ends is inside a character.
pub(super) fn offsets(document: &Document, hit: &RecordedHit) -> Option<Offsets> {
    let text = hit.text.as_deref();
    let start = hit.start?;
    let end_after = |length: usize| hit.end.unwrap_or_else(|| start.saturating_add(length));
    let bytes = ByteRange::new(start, end_after(text.map_or(0, str::len)));
    let points = (start, end_after(text.map_or(0, |text| text.chars().count())));
    let is_right = |range: ByteRange| match (document.text.get(range.as_range()), text) {
        (None | Some(""), _) => false,
        (Some(_), None) => true,
        (Some(found), Some(text)) => is_same(found, text, document, hit),
    };
    if is_right(bytes) {
        return Some(Offsets::Bytes(bytes));
    }
    let (start, end) = points;
    let points = code_points(&document.text, start, end).map(ByteRange::from);
    let points = points.filter(|range| is_right(*range));
    Some(points.map_or(Offsets::Neither, Offsets::CodePoints))
}

/// Compares texts with all runs of white space treated as equal, with or without a title line.
fn is_same(found: &str, text: &str, document: &Document, hit: &RecordedHit) -> bool {
    let found = quote::one_spaced(found);
    if found == quote::one_spaced(text) {
        return true;
    }
    let is_title = |line: &str| {
        let titles = [Some(document.title.as_str()), hit.title.as_deref()];
        titles.iter().flatten().any(|title| title.trim() == line.trim())
    };
    let below_title = text.trim_start().split_once('\n');
    below_title.is_some_and(|(first, rest)| is_title(first) && found == quote::one_spaced(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `zwölf` is bytes 4..10 and code points 4..9; `Türen` bytes 11..17 and code points 10..15.
    const TEXT: &str = "The zwölf Türen.";

    fn read(text: Option<&str>, start: usize, end: Option<usize>) -> Option<Offsets> {
        let document = Document {
            id: "d".into(),
            title: "T".to_owned(),
            text: TEXT.to_owned(),
            metadata: [].into(),
        };
        let hit = RecordedHit {
            text: text.map(str::to_owned),
            start: Some(start),
            end,
            ..RecordedHit::default()
        };
        offsets(&document, &hit)
    }

    #[test]
    fn the_text_tells_bytes_from_code_points() {
        let doors = ByteRange::new(11, 17);
        for text in ["Türen", "T\nTüren"] {
            assert_eq!(read(Some(text), 11, Some(17)), Some(Offsets::Bytes(doors)));
            assert_eq!(read(Some(text), 10, Some(15)), Some(Offsets::CodePoints(doors)));
            assert_eq!(read(Some(text), 9, Some(14)), Some(Offsets::Neither));
        }
        assert_eq!(read(Some("Türen"), 11, None), Some(Offsets::Bytes(doors)));
        assert_eq!(read(Some("Türen"), 10, None), Some(Offsets::CodePoints(doors)));
    }

    #[test]
    fn without_a_text_offsets_are_bytes_where_they_can_be() {
        let range = ByteRange::new(10, 15);
        assert_eq!(read(None, 10, Some(15)), Some(Offsets::Bytes(range)));
        // Byte 7 is inside `ö`: code points 4..7 are `zwö`, bytes 4..8.
        let points = Offsets::CodePoints(ByteRange::new(4, 8));
        assert_eq!(read(None, 4, Some(7)), Some(points));
        // 18 bytes, 16 code points.
        assert_eq!(read(None, 4, Some(18)), Some(Offsets::Bytes(ByteRange::new(4, 18))));
        assert_eq!(read(None, 4, Some(19)), Some(Offsets::Neither));
        assert_eq!(read(None, 4, Some(4)), Some(Offsets::Neither));
    }
}
