//! Short texts as numbers, which a hash table holds in its slots and compares at once.

/// Maximum length in bytes of a short text: with its length it fills 16 bytes.
const LONGEST: usize = 15;

/// Returns the bytes of `text` with their number in the last byte, lowest first: no two texts have the same, and only that of
/// the empty text is 0. `None` beyond 15 bytes.
#[must_use]
pub fn short_key(text: &[u8]) -> Option<u128> {
    let n = text.len();
    if n > LONGEST {
        return None;
    }
    // The bytes in order, lowest first. Two reads that overlap cover a half of any length without a loop.
    let (low, high) = match n {
        8.. => (eight(text, 0), (eight(text, n - 8) >> 8) >> (8 * (LONGEST - n))),
        4.. => (four(text, 0) | four(text, n - 4) << (8 * (n - 4)), 0),
        1.. => {
            let byte = |at: usize| u64::from(text[at]) << (8 * at);
            (byte(0) | byte(n / 2) | byte(n - 1), 0)
        }
        0 => (0, 0),
    };
    let high = high | (n as u64) << 56;
    Some(u128::from(high) << 64 | u128::from(low))
}

fn eight(text: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(text[at..at + 8].try_into().expect("eight bytes"))
}

fn four(text: &[u8], at: usize) -> u64 {
    let bytes = text[at..at + 4].try_into().expect("four bytes");
    u64::from(u32::from_le_bytes(bytes))
}

/// Hashes a key: multiplies its halves together (the step of wyhash).
#[must_use]
pub fn hash(key: u128) -> u64 {
    // The fractional digits of pi and of e: odd numbers without a pattern.
    const FACTORS: [u64; 2] = [0x243f_6a88_85a3_08d3, 0xb7e1_5162_8aed_2a6b];
    let (low, high) = (key as u64 ^ FACTORS[0], (key >> 64) as u64 ^ FACTORS[1]);
    let product = u128::from(low) * u128::from(high);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_holds_every_byte_in_its_place_and_the_length() {
        let text: [u8; LONGEST + 1] = std::array::from_fn(|n| 0x11 * (n as u8 + 1) % 251);
        for length in 0..=LONGEST {
            let mut bytes = [0; LONGEST + 1];
            bytes[..length].copy_from_slice(&text[..length]);
            bytes[LONGEST] = length as u8;
            assert_eq!(
                short_key(&text[..length]),
                Some(u128::from_le_bytes(bytes)),
                "{length} bytes"
            );
        }
        assert_eq!(short_key(&text), None);
    }
}
