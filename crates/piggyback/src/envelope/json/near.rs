//! Finds a byte that is near: eight bytes at once, without the start of a search over many.

/// How many bytes are looked at before a search over many begins.
const NEAR: usize = 32;

/// Each byte of it is 1, or 128.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// How far it is to the first byte that is one or the other; the length where there is none.
#[inline]
pub(super) fn find(bytes: &[u8], one: u8, other: u8) -> usize {
    let (ones, others) = (ONES * u64::from(one), ONES * u64::from(other));
    let mut at = 0;
    while at < NEAR
        && let Some(word) = bytes.get(at..at + 8).and_then(|word| word.try_into().ok())
    {
        let word = u64::from_le_bytes(word);
        // The lowest bit that is set is that of the first byte that is zero.
        let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
        let found = zeros(word ^ ones) | zeros(word ^ others);
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or(&[]);
    if rest.len() < 8 {
        return at + rest.iter().position(|byte| *byte == one || *byte == other).unwrap_or(rest.len());
    }
    at + memchr::memchr2(one, other, rest).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_place_is_found() {
        for len in 0..70 {
            for at in 0..=len {
                let mut bytes = vec![b'!'; len];
                bytes.iter_mut().skip(at).step_by(3).for_each(|byte| *byte = b'"');
                bytes.iter_mut().skip(at + 1).step_by(5).for_each(|byte| *byte = b'\\');
                assert_eq!(find(&bytes, b'"', b'\\'), at, "{len}");
                bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1) | 0x80);
                assert_eq!(find(&bytes, b'"', b'\\'), len);
            }
        }
    }
}
