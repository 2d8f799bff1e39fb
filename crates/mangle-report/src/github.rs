//! Workflow commands of GitHub Actions: annotations of changed lines.

use std::fmt::Write as _;
use std::path::Path;

use super::sink::{github_message as data, github_property as property};
use super::{ReportEntry, Sources, advice, redacted};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::FileId;

/// An entry as a workflow command without a line end. Paths are relative to `root`, the folder of
/// the checkout.
#[must_use]
pub fn github_command(entry: &ReportEntry, sources: &Sources, root: &Path) -> String {
    let entry = redacted(entry, sources);
    let (file, diagnostic) = (entry.file, &entry.diagnostic);
    let (start, end) =
        (sources.place(file, diagnostic.range.start()), sources.place(file, diagnostic.range.end()));
    let mut command =
        format!("::{} file={}", word(diagnostic.severity), property(&name(file, sources, root)));
    // Columns are supported only within a line.
    let place = if start.line == end.line {
        write!(command, ",line={},col={},endColumn={}", start.line, start.col, end.col.max(start.col + 1))
    } else {
        write!(command, ",line={},endLine={}", start.line, end.line)
    };
    let title = format!("{} {}", diagnostic.rule.code, diagnostic.rule.name);
    let mut message = diagnostic.headline_and_notes();
    if let Some(line) = advice(diagnostic) {
        message.push_str(&format!("\n{line}"));
    }
    let written = place.and_then(|()| write!(command, ",title={}::{}", property(&title), data(&message)));
    // Writing to a string cannot fail.
    let _ = written;
    command
}

/// A workflow command with a message about the whole run.
#[must_use]
pub fn github_notice(message: &str) -> String {
    format!("::notice title=mangle-ls::{}\n", data(message))
}

/// The path relative to `root`, with `/` as separator.
fn name(file: FileId, sources: &Sources, root: &Path) -> String {
    let below = sources.get(file).and_then(|source| source.path().strip_prefix(root).ok());
    match below.filter(|below| !below.as_os_str().is_empty()) {
        Some(below) => below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"),
        None => sources.name(file).into(),
    }
}

/// The command for a severity. GitHub has three commands.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    }
}
