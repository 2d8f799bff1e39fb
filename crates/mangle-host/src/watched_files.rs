//! Names of the files whose external changes are relevant: as patterns for clients that watch
//! files, and for the detection of changes on disk.

use std::path::Path;

use super::agents::is_agent_settings;
use super::ignore_rules::is_ignore_file;
use mangle_settings::FILE_NAME;

/// File name extensions: policies, transcripts, grammars, session files and prompt atoms, fact
/// tables.
const EXTENSIONS: [&[&str]; 5] = [
    &["mg", "gl"],
    &["json", "jsonl", "ndjson", "md", "markdown", "txt", "log", "out", "traj", "sse", "gz", "zst"],
    &["gbnf", "ebnf", "lark", "regex"],
    &["yaml", "yml"],
    &["csv"],
];

/// Patterns other than extensions. Any file in a folder of transcripts may be a transcript.
const PATTERNS: [&str; 6] = [
    "**/mangle-ls.toml",
    "**/go.mod",
    "**/.nerd/config.json",
    "**/.gitignore",
    "**/.ignore",
    "**/transcripts/**",
];

pub fn patterns() -> impl Iterator<Item = String> {
    let extensions = EXTENSIONS.iter().map(|endings| format!("**/*.{{{}}}", endings.join(",")));
    extensions.chain(PATTERNS.map(String::from))
}

/// True if a change of the file at this path may change findings.
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
