//! Vectorized search for special bytes in string literals, 16 bytes per step.

use wide::u8x16;

/// The number of bytes per step.
pub(super) const BLOCK: usize = 16;

/// Returns a bit mask of quotes, backslashes and control characters. The lowest bit is the first
/// byte.
#[inline]
fn marks_in(block: [u8; BLOCK], quote: u8) -> u32 {
    let block = u8x16::new(block);
    let are = |byte: u8| block.simd_eq(u8x16::splat(byte));
    let are_controls = block.min(u8x16::splat(0x1f)).simd_eq(block);
    (are(quote) | are(b'\\') | are_controls).to_bitmask()
}

/// Returns [`marks_in`] for the block at an offset. Bytes after the end of the text have no marks.
#[inline]
pub(super) fn marks(text: &[u8], at: usize, quote: u8) -> u32 {
    let rest = text.get(at..).unwrap_or(&[]);
    if let Some(block) = rest.first_chunk::<BLOCK>() {
        return marks_in(*block, quote);
    }
    let mut block = [b' '; BLOCK];
    block.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    marks_in(block, quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_each_byte() {
        for quote in [b'"', b'\''] {
            for byte in 0..=u8::MAX {
                for at in 0..20 {
                    let mut text = [b'x'; 20];
                    text[at] = byte;
                    let is_mark = byte == quote || byte == b'\\' || byte < 0x20;
                    let expected = if is_mark && at < BLOCK { 1 << at } else { 0 };
                    assert_eq!(marks(&text, 0, quote), expected, "{byte} at {at}");
                    let behind = if is_mark && at >= 10 { 1 << (at - 10) } else { 0 };
                    assert_eq!(marks(&text, 10, quote), behind, "{byte} at {at}");
                }
            }
        }
        assert_eq!(marks(b"", 0, b'"'), 0);
    }
}
