//! Markdown suite of habits: its programs, and the text with the current findings.

use std::fmt::Write as _;

use mangle_syntax::lint::{Applicability, Diagnostic, Severity};
use mangle_syntax::text::apply;

use crate::testing::CheckedFixture;

/// A suite: the text before the first habit, and the habits.
pub(super) struct Suite<'t> {
    preamble: &'t str,
    pub(super) habits: Vec<Habit<'t>>,
}

/// A heading and the program below it.
pub(super) struct Habit<'t> {
    pub(super) title: &'t str,
    pub(super) program: &'t str,
}

impl<'t> Suite<'t> {
    pub(super) fn parse(text: &'t str) -> Self {
        let (preamble, rest) = text.split_once("\n## ").unwrap();
        let habit = |section: &'t str| {
            let (title, rest) = section.split_once('\n').unwrap();
            let program = rest.split("```mangle\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
            Habit { title, program }
        };
        Self { preamble, habits: rest.split("\n## ").map(habit).collect() }
    }

    /// Renders the suite with the current findings.
    pub(super) fn render(&self) -> String {
        let mut out = format!("{}\n", self.preamble);
        for Habit { title, program } in &self.habits {
            let found = findings(program);
            write!(out, "## {title}\n\n```mangle\n{program}```\n\n```text\n{found}```\n\n").unwrap();
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

pub(super) fn diagnostics(program: &str) -> Vec<Diagnostic> {
    CheckedFixture::new(program).diagnostics.into_iter().flat_map(|(_, found)| found).collect()
}

/// The number of errors in a program.
pub(super) fn errors(program: &str) -> usize {
    diagnostics(program).iter().filter(|found| found.severity == Severity::Error).count()
}

/// The program after the fix of a diagnostic.
pub(super) fn fixed(program: &str, found: &Diagnostic) -> Option<String> {
    let edits = found.fix.as_ref()?.edits.iter();
    Some(apply(program, edits.map(|edit| (edit.range, edit.text.as_str()))).unwrap())
}

/// The findings as text. A fix is followed by the fixed program.
fn findings(program: &str) -> String {
    let mut out = String::new();
    for found in diagnostics(program) {
        let quoted = &program[usize::from(found.range.start())..usize::from(found.range.end())];
        let quoted = quoted.lines().next().unwrap_or("");
        writeln!(out, "{}: {}", found.rule.name, found.message).unwrap();
        writeln!(out, "  at: {quoted}").unwrap();
        let label = found.label.iter().map(|label| ("label", label));
        let notes = found.notes.iter().map(|note| ("note", note));
        let help = found.help.iter().filter(|_| found.fix.is_none()).map(|help| ("help", help));
        for (part, text) in label.chain(notes).chain(help) {
            writeln!(out, "  {part}: {text}").unwrap();
        }
        if let (Some(fix), Some(fixed)) = (&found.fix, fixed(program, &found)) {
            let safe = if fix.applicability == Applicability::Safe { "safe" } else { "unsafe" };
            writeln!(out, "  {safe} fix: {}", fix.title).unwrap();
            for line in fixed.lines() {
                writeln!(out, "    | {line}").unwrap();
            }
        }
    }
    if out.is_empty() { "no findings\n".to_owned() } else { out }
}
