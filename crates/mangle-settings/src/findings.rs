//! The rules about configuration files, and about files that cannot be read as text.

use mangle_syntax::lint::{Rule, rule};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &CONFIG_SYNTAX,
    &CONFIG_UNKNOWN_KEY,
    &CONFIG_BAD_VALUE,
    &CONFIG_UNKNOWN_RULE,
    &INVALID_UTF8,
    &BINARY_FILE,
    &FILE_TOO_LARGE,
    &UNREADABLE_FILE,
    &EMPTY_PROGRAM,
    &TRANSCRIPT_LEFT_OUT,
    &REQUIRED_VERSION,
    &UNMATCHED_PATTERN,
    &DOCUMENT_OUT_OF_SYNC,
    &SCAN_LIMIT,
];

/// The file is no TOML, or no JSON.
pub static CONFIG_SYNTAX: Rule = rule!("config-syntax.md");

/// A key that means nothing.
pub static CONFIG_UNKNOWN_KEY: Rule = rule!("config-unknown-key.md");

/// A value of the wrong type, a word that is not offered, a glob that does not compile.
pub static CONFIG_BAD_VALUE: Rule = rule!("config-bad-value.md");

/// A rule that does not exist.
pub static CONFIG_UNKNOWN_RULE: Rule = rule!("config-unknown-rule.md");

/// Bytes that are no UTF-8.
pub static INVALID_UTF8: Rule = rule!("invalid-utf8.md");

/// A file that is no text.
pub static BINARY_FILE: Rule = rule!("binary-file.md");

/// A file beyond the size limit.
pub static FILE_TOO_LARGE: Rule = rule!("file-too-large.md");

/// A file of a folder that cannot be read.
pub static UNREADABLE_FILE: Rule = rule!("unreadable-file.md");

/// A `[[program]]` without files.
pub static EMPTY_PROGRAM: Rule = rule!("empty-program.md");

/// A transcript that an editor does not look at.
pub static TRANSCRIPT_LEFT_OUT: Rule = rule!("transcript-left-out.md");

/// A version of this tool that the project does not want.
pub static REQUIRED_VERSION: Rule = rule!("required-version.md");

/// A pattern of `include`, `hybrid` or `sample` that matches no file.
pub static UNMATCHED_PATTERN: Rule = rule!("unmatched-pattern.md");

/// An open document of which an edit was lost.
pub static DOCUMENT_OUT_OF_SYNC: Rule = rule!("document-out-of-sync.md");

/// A folder with more than is scanned.
pub static SCAN_LIMIT: Rule = rule!("scan-limit.md");
