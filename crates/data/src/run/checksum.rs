//! Checksums in JSON objects: the last field is the CRC-32 of all bytes before it.
//!
//! A changed byte that leaves the JSON readable would otherwise change metrics silently. Objects without the field are accepted:
//! runs of earlier versions, and lines edited by hand.

/// A layout of the field in serialized JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Between the previous field and the hexadecimal digits.
    before: &'static str,
    /// After the digits.
    after: &'static str,
    /// The end of an object without the field.
    end: &'static str,
}

/// The layout of compact JSON.
pub(crate) const COMPACT: Layout = Layout { before: ",\"crc32\":\"", after: "\"}", end: "}" };

/// The layout of JSON indented by two spaces.
pub(crate) const INDENTED: Layout =
    Layout { before: ",\n  \"crc32\": \"", after: "\"\n}", end: "\n}" };

const N_DIGITS: usize = 8;

/// Adds the field to the object that `json` holds from byte `start` on. Other values, and empty objects, remain as they are.
pub(crate) fn seal(layout: Layout, json: &mut Vec<u8>, start: usize) {
    if json.len() - start <= "{}".len() || !json.ends_with(layout.end.as_bytes()) {
        return;
    }
    json.truncate(json.len() - layout.end.len());
    let digits = digits(&json[start..]);
    for part in [layout.before, &digits, layout.after] {
        json.extend_from_slice(part.as_bytes());
    }
}

/// Returns true unless `json` has the field with another checksum than that of its bytes.
pub(crate) fn holds(layout: Layout, json: &[u8]) -> bool {
    let found = json
        .strip_suffix(layout.after.as_bytes())
        .and_then(|rest| rest.split_last_chunk::<N_DIGITS>())
        .and_then(|(rest, found)| Some((rest.strip_suffix(layout.before.as_bytes())?, found)));
    found.is_none_or(|(content, found)| digits(content).as_bytes() == found)
}

fn digits(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(layout: Layout, json: &str) -> String {
        let mut bytes = b"earlier".to_vec();
        bytes.extend_from_slice(json.as_bytes());
        seal(layout, &mut bytes, "earlier".len());
        String::from_utf8(bytes.split_off("earlier".len())).expect("UTF-8")
    }

    #[test]
    fn the_field_is_the_last_and_the_object_stays_json() {
        // Python: f"{zlib.crc32(bytes):08x}" of the bytes before the field.
        assert_eq!(sealed(COMPACT, r#"{"a":1}"#), r#"{"a":1,"crc32":"a702fc6e"}"#);
        assert_eq!(
            sealed(INDENTED, "{\n  \"a\": 1\n}"),
            "{\n  \"a\": 1,\n  \"crc32\": \"476d1ee6\"\n}"
        );
    }

    #[test]
    fn every_changed_bit_of_the_content_is_found() {
        let line = sealed(COMPACT, r#"{"a":1,"text":"six minutes"}"#).into_bytes();
        assert!(holds(COMPACT, &line));
        let content = line.len() - COMPACT.before.len() - N_DIGITS - COMPACT.after.len();
        for bit in 0..content * 8 {
            let mut damaged = line.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(!holds(COMPACT, &damaged), "bit {bit}");
        }
    }

    #[test]
    fn values_without_the_field_are_accepted_and_those_that_cannot_have_it_stay() {
        for json in ["7", "{}", "[1]"] {
            assert_eq!(sealed(COMPACT, json), json);
            assert!(holds(COMPACT, json.as_bytes()));
        }
        assert!(holds(COMPACT, br#"{"a":1}"#));
        assert!(holds(COMPACT, b"\"}"));
    }
}
