//! Limits on the output of decompression, because a few bytes can expand to terabytes.
//! `docs/limits.md` has the same numbers.

use std::io;

use crate::disk::{Content, TooLong};

/// In bytes: output up to this size is always allowed.
const ALWAYS_ALLOWED_BYTES: u64 = 256 << 20;

/// The maximum ratio of output to input beyond [`ALWAYS_ALLOWED_BYTES`].
const MAX_RATIO: u64 = 500;

/// For the test of `docs/limits.md`.
#[cfg(test)]
pub(crate) const EXPANSION: (u64, u64) = (ALWAYS_ALLOWED_BYTES, MAX_RATIO);

/// Checks the ratio of `given` output bytes to `read` input bytes.
///
/// # Errors
///
/// If the output exceeds the size limit of transcripts. Also if it exceeds [`ALWAYS_ALLOWED_BYTES`]
/// and [`MAX_RATIO`].
pub(super) fn check(given: u64, read: u64) -> io::Result<()> {
    let limit = Content::Transcript.limit();
    if given > limit {
        return Err(TooLong { len: given, limit }.into());
    }
    if given > ALWAYS_ALLOWED_BYTES && given / MAX_RATIO > read {
        return Err(io::Error::other(format!(
            "it grows to more than {MAX_RATIO} times its size when it is decompressed; decompress it to have it read"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_too_much_is_refused() {
        assert!(check(ALWAYS_ALLOWED_BYTES, 1).is_ok());
        assert!(check(ALWAYS_ALLOWED_BYTES + 1, 1).is_err());
        assert!(check(ALWAYS_ALLOWED_BYTES * 4, ALWAYS_ALLOWED_BYTES * 4 / MAX_RATIO).is_ok());
        assert!(check(ALWAYS_ALLOWED_BYTES * 4, ALWAYS_ALLOWED_BYTES * 4 / MAX_RATIO - 1).is_err());
        assert!(check(Content::Transcript.limit() + 1, u64::MAX).is_err());
    }
}
