//! Rules about configuration files and about files that are not readable text.

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

/// The file is not valid TOML or JSON.
pub static CONFIG_SYNTAX: Rule = rule!("config-syntax.md");

/// An unknown key.
pub static CONFIG_UNKNOWN_KEY: Rule = rule!("config-unknown-key.md");

/// A value of the wrong type, an unknown word, or a glob that does not compile.
pub static CONFIG_BAD_VALUE: Rule = rule!("config-bad-value.md");

/// A rule that does not exist.
pub static CONFIG_UNKNOWN_RULE: Rule = rule!("config-unknown-rule.md");

/// Bytes that are not UTF-8.
pub static INVALID_UTF8: Rule = rule!("invalid-utf8.md");

/// A binary file.
pub static BINARY_FILE: Rule = rule!("binary-file.md");

/// A file that exceeds the size limit.
pub static FILE_TOO_LARGE: Rule = rule!("file-too-large.md");

/// A file in a folder that cannot be read.
pub static UNREADABLE_FILE: Rule = rule!("unreadable-file.md");

/// A `[[program]]` without files.
pub static EMPTY_PROGRAM: Rule = rule!("empty-program.md");

/// A transcript that editors do not check.
pub static TRANSCRIPT_LEFT_OUT: Rule = rule!("transcript-left-out.md");

/// The configuration requires another version of this tool.
pub static REQUIRED_VERSION: Rule = rule!("required-version.md");

/// A pattern of `include`, `hybrid` or `sample` that matches no file.
pub static UNMATCHED_PATTERN: Rule = rule!("unmatched-pattern.md");

/// An open document that lost an edit.
pub static DOCUMENT_OUT_OF_SYNC: Rule = rule!("document-out-of-sync.md");

/// A folder that exceeds a limit of the scan.
pub static SCAN_LIMIT: Rule = rule!("scan-limit.md");
