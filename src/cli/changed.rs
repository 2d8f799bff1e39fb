//! Rules whose severity is set by a configuration file, with the line that sets it.

use std::path::Path;

use serde::Serialize;

use mangle_host::{Project, relative};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{LineIndex, slice};

/// A rule with a non-default severity.
#[derive(Debug, Serialize)]
pub(super) struct Changed {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) severity: &'static str,
    pub(super) default: &'static str,
    pub(super) file: String,
    /// The line number, starting at 1.
    pub(super) line: u32,
    /// The text of the line.
    pub(super) text: String,
}

/// The rules that a project configures, in the order of its file.
pub(super) fn changed(project: &Project, working: &Path) -> Vec<Changed> {
    let lines = LineIndex::new(&project.text);
    let settings = &project.settings.rules;
    let differing = project.rules.iter().filter(|(rule, _)| settings.severity(rule) != rule.severity);
    let one = |&(rule, place): &(&'static mangle_syntax::lint::Rule, mangle_syntax::text::TextRange)| {
        let line = lines.line_of(place.start());
        Changed {
            code: rule.code,
            name: rule.name,
            severity: settings.severity(rule).map_or("off", Severity::as_str),
            default: rule.default_word(),
            file: relative(working, &project.path),
            line: line + 1,
            text: slice(&project.text, lines.line_range(line)).trim().to_owned(),
        }
    };
    differing.map(one).collect()
}
