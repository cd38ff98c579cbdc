//! Bytes as letters that may stand in a page: 13 bits in two of 91 printable ASCII characters (91 x 91 = 8,281, 2^13 = 8,192).
//!
//! 1.23 letters a byte, where base64 takes 1.33. The alphabet leaves out the space and `<`, `"` and `\`, so nothing encoded can be an
//! end tag, a comment or an attribute's end. In the spirit of Henke's basE91, without its 14th bit, so that every pair stands alone.

/// Digits 0 to 90.
const ALPHABET: &[u8; 91] =
    b"!#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// Bits of a pair, and of a letter alone at the end.
const BITS: u32 = 13;
const LAST: u32 = 6;

/// `bytes`, first bits first; up to six bits at the end are one letter. Bits that the end lacks are zero, fewer than eight of them:
/// a reader takes whole bytes and leaves the rest.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 16 / 13 + 2);
    let (mut held, mut n_held) = (0_u32, 0);
    let mut pair = |value: u32| {
        out.push(char::from(ALPHABET[(value / 91) as usize]));
        out.push(char::from(ALPHABET[(value % 91) as usize]));
    };
    for &byte in bytes {
        held = held << 8 | u32::from(byte);
        n_held += 8;
        if n_held >= BITS {
            n_held -= BITS;
            pair(held >> n_held);
            held &= (1 << n_held) - 1;
        }
    }
    match n_held {
        0 => {}
        1..=LAST => out.push(char::from(ALPHABET[(held << (LAST - n_held)) as usize])),
        _ => pair(held << (BITS - n_held)),
    }
    out
}

/// What [`encode`] was given; `None` for a text that it does not write.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |letter: u8| {
        ALPHABET
            .iter()
            .position(|known| *known == letter)
            .map(|digit| digit as u32)
    };
    let mut bytes = Vec::with_capacity(text.len() * 13 / 16);
    let (mut held, mut n_held) = (0_u32, 0);
    for pair in text.as_bytes().chunks(2) {
        let (value, bits) = match pair {
            [first, second] => (digit(*first)? * 91 + digit(*second)?, BITS),
            last => (digit(last[0])?, LAST),
        };
        held = held << bits | Some(value).filter(|value| *value < 1 << bits)?;
        n_held += bits;
        while n_held >= 8 {
            n_held -= 8;
            bytes.push((held >> n_held) as u8);
        }
        held &= (1 << n_held) - 1;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirteen_bits_are_two_letters() {
        // 0x00 0x08 is 0000000000001 and three zero bits: 1 = 0 * 91 + 1, then 0 alone.
        assert_eq!(encode(&[0x00, 0x08]), "!#!");
        // Thirteen ones are 8,191 = 90 * 91 + 1; the rest of 0xff 0xff is 111, with three zero bits 56.
        assert_eq!(encode(&[0xff, 0xff]), "~#[");
        // The rest of 0xff is eight bits: with five zero bits 8,160 = 89 * 91 + 61.
        assert_eq!(encode(&[0xff]), "}a");
        assert_eq!(encode(&[]), "");
    }

    #[test]
    fn no_letter_means_anything_to_html() {
        let mut letters = ALPHABET.to_vec();
        letters.dedup();
        assert_eq!(letters.len(), 91);
        assert!(letters.is_sorted() && letters.iter().all(u8::is_ascii_graphic));
        assert!(!letters.iter().any(|letter| b"<\"\\".contains(letter)));
    }

    #[test]
    fn what_encode_does_not_write_is_refused() {
        for text in ["~", "!<", "~~", "é"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn bytes_come_back(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..100)) {
            proptest::prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
