//! Identity of a finding across versions of its program: rule, file and statement. Line numbers,
//! layout, comments and message texts can change.

use std::hash::Hasher;

use super::{ReportEntry, Sources};
use mangle_syntax::syntax::digest_into;

/// The identity of a finding across versions. Several findings of a file can share it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The file, with `/` as path separator.
    pub file: String,
    pub code: String,
    /// A digest of the statement, stable across machines and releases.
    pub statement: u64,
}

impl Identity {
    /// The identity of `entry`. `file` is the path in the identity.
    #[must_use]
    pub fn new(entry: &ReportEntry, sources: &Sources, file: String) -> Self {
        let (source, start) = (sources.get(entry.file), entry.diagnostic.range.start());
        let mut hasher = Fnv::default();
        match source.and_then(|source| source.statement(start)) {
            Some(statement) => digest_into(statement, &mut hasher),
            // Comments and settings are not statements; the digest covers their line.
            None => hasher.write(source.map_or("", |source| source.line(start)).as_bytes()),
        }
        Self { file, code: entry.diagnostic.rule.code.into(), statement: hasher.finish() }
    }
}

/// The 64-bit FNV-1a hash. Unlike the hashes of the standard library, its values never change.
#[derive(Debug)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let hash = |text: &str| {
            let mut hasher = Fnv::default();
            hasher.write(text.as_bytes());
            hasher.finish()
        };
        // The test vectors of the hash's authors.
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
