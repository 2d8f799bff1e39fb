//! Names of the files whose changes outside of an editor matter: as patterns for clients that watch files, and for looks at the
//! disk.

use std::path::Path;

use super::agents::is_agent_settings;
use super::ignore_rules::is_ignore_file;
use mangle_settings::FILE_NAME;

/// Endings of names: policies, transcripts, grammars, session files and prompt atoms, tables of facts.
const EXTENSIONS: [&[&str]; 5] = [
    &["mg", "gl"],
    &["json", "jsonl", "ndjson", "md", "markdown", "txt", "log", "out", "traj", "sse", "gz", "zst"],
    &["gbnf", "ebnf", "lark", "regex"],
    &["yaml", "yml"],
    &["csv"],
];

/// Patterns for names that say more than an ending. Any file in a folder of transcripts may be one.
const PATTERNS: [&str; 6] = [
    "**/mangle-ls.toml",
    "**/go.mod",
    "**/.nerd/config.json",
    "**/.gitignore",
    "**/.ignore",
    "**/transcripts/**",
];

/// Glob patterns for a client that watches files.
pub fn patterns() -> impl Iterator<Item = String> {
    let extensions = EXTENSIONS.iter().map(|endings| format!("**/*.{{{}}}", endings.join(",")));
    extensions.chain(PATTERNS.map(String::from))
}

/// True if a change of a file with this path may change findings.
pub(super) fn is_watched(path: &Path) -> bool {
    let has_ending = |end: &str| EXTENSIONS.iter().any(|endings| endings.contains(&end));
    let in_transcripts = || path.iter().rev().skip(1).any(|folder| folder == "transcripts");
    path.extension().and_then(|end| end.to_str()).is_some_and(|end| has_ending(&end.to_lowercase()))
        || path.ends_with(FILE_NAME)
        || path.ends_with("go.mod")
        || is_agent_settings(path)
        || is_ignore_file(path)
        || in_transcripts()
}
