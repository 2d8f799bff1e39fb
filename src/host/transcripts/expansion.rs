//! Limits on the output of decompression, because a few bytes can expand to terabytes.
//! `docs/limits.md` has the same numbers.

use std::io;

use crate::host::disk::{Content, TooLong};

/// In bytes: output up to this size is always allowed.
const FREE: u64 = 256 << 20;

/// The maximum ratio of output to input beyond [`FREE`].
const MOST_TIMES: u64 = 500;

/// For the test of `docs/limits.md`.
#[cfg(test)]
pub(in crate::host) const EXPANSION: (u64, u64) = (FREE, MOST_TIMES);

/// Checks the ratio of `given` output bytes to `read` input bytes.
///
/// # Errors
///
/// If the ratio exceeds the limit.
pub(super) fn check(given: u64, read: u64) -> io::Result<()> {
    let limit = Content::Transcript.limit();
    if given > limit {
        return Err(TooLong { len: given, limit }.into());
    }
    if given > FREE && given / MOST_TIMES > read {
        return Err(io::Error::other(format!(
            "it grows to more than {MOST_TIMES} times its size when it is decompressed; decompress it to have it read"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_too_much_is_refused() {
        assert!(check(FREE, 1).is_ok());
        assert!(check(FREE + 1, 1).is_err());
        assert!(check(FREE * 4, FREE * 4 / MOST_TIMES).is_ok());
        assert!(check(FREE * 4, FREE * 4 / MOST_TIMES - 1).is_err());
        assert!(check(Content::Transcript.limit() + 1, u64::MAX).is_err());
    }
}
