//! Limits on what decompressing may give: a few bytes can stand for terabytes. `docs/limits.md` has the same numbers.

use std::io;

use crate::host::disk::{Content, TooLong};

/// So many bytes are given whatever they are made of.
const FREE: u64 = 256 << 20;

/// Beyond that, a file may stand for so many times as many bytes as were read of it.
const MOST_TIMES: u64 = 500;

/// Both, for the page about limits.
#[cfg(test)]
pub(in crate::host) const EXPANSION: (u64, u64) = (FREE, MOST_TIMES);

/// Whether a file of which `read` bytes were read may have given so many.
///
/// # Errors
/// When that is more than is allowed.
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
