//! Compile-time parser of rule documents: Markdown files that are the source of a rule.
//!
//! ````text
//! # NAME (CODE)
//!
//! - group: WORD
//! - severity: WORD, or `off`
//! - fix: WORD
//! - engine: WORD
//!
//! SUMMARY
//!
//! ## Why
//!
//! RATIONALE
//!
//! ## Bad
//!
//! ```mangle
//! PROGRAM
//! ```
//!
//! ## Finding
//!
//! ```text
//! REPORTED FINDING OF THE BAD EXAMPLE
//! ```
//!
//! ## Good
//! …
//!
//! ## Fix
//!
//! DESCRIPTION OF THE FIX
//! ````
//!
//! The line about the engine is optional. A test requires it for errors in Mangle texts. Summary,
//! rationale and the description of the fix are one line each. The examples, the finding and the
//! description of the fix are optional. The fence can be longer than three characters. A test
//! writes the finding.

use super::{EngineOutcome, FixKind, Group, Rule, Severity};

/// The rule of a document, given by its path relative to the calling file. Errors in the document
/// are compile errors.
#[macro_export]
macro_rules! rule {
    ($path:literal) => {
        $crate::lint::Rule::of_document(include_str!($path))
    };
}
pub use crate::rule;

/// Declares statics for rules, and the list `RULES` in the same order.
#[macro_export]
macro_rules! rules {
    ($($constant:ident = $rule:expr),* $(,)?) => {
        $(
            #[doc = concat!("The rule `", stringify!($constant), "`.")]
            pub static $constant: $crate::lint::Rule = $rule;
        )*

        /// All rules of this file, in the order of their codes.
        pub static RULES: &[&$crate::lint::Rule] = &[$(&$constant),*];
    };
}
pub use crate::rules;

impl Rule {
    /// Parses the document of a rule. The module documentation defines the format.
    ///
    /// # Panics
    /// If the format is invalid. In the initializer of a static, the panic is a compile error.
    #[must_use]
    pub const fn of_document(text: &'static str) -> Self {
        let mut rest = Rest(text);
        let (name, code) = split(rest.after("# "), " (");
        let code = without_end(code, ")");
        rest.blank();
        let group = group(rest.after("- group: "));
        let severity = severity(rest.after("- severity: "));
        let fix = fix(rest.after("- fix: "));
        let line = rest.line();
        let engine = if line.is_empty() {
            None
        } else {
            assert!(starts_with(line, ENGINE), "a line of the document begins otherwise");
            rest.blank();
            Some(engine_outcome(line.split_at(ENGINE.len()).1))
        };
        let summary = rest.line();
        rest.blank();
        rest.heading("## Why");
        let rationale = rest.line();
        let bad = rest.example("## Bad");
        let finding = rest.example("## Finding");
        let good = rest.example("## Good");
        let fix_text = rest.last_section("## Fix");
        assert!(rest.0.is_empty(), "there is more after the last section");
        Self { code, name, group, severity, summary, rationale, bad, finding, good, fix, fix_text, engine }
    }
}

/// The start of the line about the engine.
const ENGINE: &str = "- engine: ";

/// The unread part of a document.
struct Rest(&'static str);

impl Rest {
    /// Returns the next line without its line ending.
    const fn line(&mut self) -> &'static str {
        let bytes = self.0.as_bytes();
        let mut end = 0;
        while end < bytes.len() && bytes[end] != b'\n' {
            end += 1;
        }
        let (line, rest) = self.0.split_at(end);
        self.0 = if rest.is_empty() { rest } else { rest.split_at(1).1 };
        line
    }

    /// Returns the rest of the next line, which must start with `start`.
    const fn after(&mut self, start: &str) -> &'static str {
        let line = self.line();
        assert!(starts_with(line, start), "a line of the document begins otherwise");
        line.split_at(start.len()).1
    }

    const fn blank(&mut self) {
        assert!(self.line().is_empty(), "an empty line is missing");
    }

    /// Skips a heading and the empty line after it.
    const fn heading(&mut self, words: &str) {
        assert!(is_same(self.line(), words), "another heading is expected");
        self.blank();
    }

    /// Returns the line below the last heading, or an empty text if the heading is missing.
    const fn last_section(&mut self, heading: &str) -> &'static str {
        if self.0.is_empty() {
            return "";
        }
        self.blank();
        self.heading(heading);
        self.line()
    }

    /// Returns the content of the code block below a heading, or an empty text if the heading is
    /// missing.
    const fn example(&mut self, heading: &str) -> &'static str {
        if self.0.is_empty() || !starts_with(self.0.split_at(1).1, heading) {
            return "";
        }
        self.blank();
        self.heading(heading);
        let length = backticks(self.line());
        assert!(length >= 3, "a code block is missing");
        let start = self.0;
        loop {
            let before = start.len() - self.0.len();
            assert!(!self.0.is_empty(), "a code block does not end");
            let line = self.line();
            if line.len() == length && backticks(line) == length {
                return start.split_at(before).0;
            }
        }
    }
}

const fn group(word: &str) -> Group {
    let mut at = 0;
    while at < Group::ALL.len() {
        if is_same(Group::ALL[at].as_str(), word) {
            return Group::ALL[at];
        }
        at += 1;
    }
    panic!("there is no such group")
}

/// Parses a severity. `None` for `off`.
const fn severity(word: &str) -> Option<Severity> {
    let mut at = 0;
    while at < Severity::ALL.len() {
        if is_same(Severity::ALL[at].as_str(), word) {
            return Some(Severity::ALL[at]);
        }
        at += 1;
    }
    assert!(is_same(word, "off"), "there is no such severity");
    None
}

const fn fix(word: &str) -> FixKind {
    let mut at = 0;
    while at < FixKind::ALL.len() {
        if is_same(FixKind::ALL[at].as_str(), word) {
            return FixKind::ALL[at];
        }
        at += 1;
    }
    panic!("there is no such kind of fix")
}

const fn engine_outcome(word: &str) -> EngineOutcome {
    let mut at = 0;
    while at < EngineOutcome::ALL.len() {
        if is_same(EngineOutcome::ALL[at].as_str(), word) {
            return EngineOutcome::ALL[at];
        }
        at += 1;
    }
    panic!("there is no such outcome")
}

/// Splits a text at the first `separator`.
const fn split(text: &'static str, separator: &str) -> (&'static str, &'static str) {
    let mut at = 0;
    while at < text.len() {
        if text.is_char_boundary(at) && starts_with(text.split_at(at).1, separator) {
            let (before, rest) = text.split_at(at);
            return (before, rest.split_at(separator.len()).1);
        }
        at += 1;
    }
    panic!("the title is not of the form `# NAME (CODE)`")
}

const fn without_end(text: &'static str, end: &str) -> &'static str {
    assert!(text.len() >= end.len(), "the title is not of the form `# NAME (CODE)`");
    let (before, rest) = text.split_at(text.len() - end.len());
    assert!(is_same(rest, end), "the title is not of the form `# NAME (CODE)`");
    before
}

/// The number of backticks at the start of a line.
const fn backticks(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut count = 0;
    while count < bytes.len() && bytes[count] == b'`' {
        count += 1;
    }
    count
}

const fn starts_with(text: &str, start: &str) -> bool {
    let (text, start) = (text.as_bytes(), start.as_bytes());
    if text.len() < start.len() {
        return false;
    }
    let mut at = 0;
    while at < start.len() {
        if text[at] != start[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && starts_with(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_a_rule() {
        let text = "# a-name (MG299)\n\n- group: safety\n- severity: off\n- fix: safe\n- engine: depends\n\nWhat.\n\n## Why\n\nBecause.\n\n\
                    ## Bad\n\n````mangle\n```\np(1).\n````\n\n## Finding\n\n```text\nerror\n```\n\n## Good\n\n```mangle\np(2).\n```\n\n\
                    ## Fix\n\nReplaces it.\n";
        let rule = Rule::of_document(text);
        assert_eq!((rule.code, rule.name, rule.group), ("MG299", "a-name", Group::Safety));
        assert_eq!((rule.severity, rule.fix), (None, FixKind::Safe));
        assert_eq!(rule.engine, Some(EngineOutcome::Depends));
        assert_eq!((rule.summary, rule.rationale), ("What.", "Because."));
        assert_eq!((rule.bad, rule.good), ("```\np(1).\n", "p(2).\n"));
        assert_eq!(rule.finding, "error\n");
        assert_eq!(rule.fix_text, "Replaces it.");
    }

    #[test]
    fn examples_may_be_missing() {
        let text =
            "# n (MG299)\n\n- group: types\n- severity: error\n- fix: none\n\nWhat.\n\n## Why\n\nBecause.\n";
        let rule = Rule::of_document(text);
        assert_eq!((rule.bad, rule.good, rule.engine), ("", "", None));
    }

    #[test]
    #[should_panic(expected = "there is no such group")]
    fn mistakes_are_not_ignored() {
        let _ = Rule::of_document("# n (MG299)\n\n- group: typos\n");
    }
}
