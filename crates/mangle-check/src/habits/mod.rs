//! Test suites of habits from other languages: typical snippets of newcomers with their findings,
//! and invariants of the fixes.
//!
//! Each suite is a Markdown file. A heading names the habit, a `mangle` block is the program, and
//! the `text` block after it contains the findings. `UPDATE_EXPECT=1` rewrites the findings.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::expect_file;

use crate::testing::CheckedFixture;
use mangle_syntax::lint::{Applicability, Diagnostic, Group, Severity};
use mangle_syntax::text::apply;

macro_rules! suite {
    ($name:ident) => {
        #[test]
        fn $name() {
            let path = concat!(stringify!($name), ".md");
            let suite = Suite::parse(include_str!(concat!(stringify!($name), ".md")));
            assert!(suite.habits.len() >= 12, "{path} has only {} habits", suite.habits.len());
            expect_file![path].assert_eq(&suite.render());
        }
    };
}

suite!(rego);
suite!(sql);
suite!(prolog);
suite!(cedar);
suite!(python);

const SUITES: [&str; 5] = [
    include_str!("rego.md"),
    include_str!("sql.md"),
    include_str!("prolog.md"),
    include_str!("cedar.md"),
    include_str!("python.md"),
];

/// A suite: the text before the first habit, and the habits.
struct Suite<'t> {
    preamble: &'t str,
    habits: Vec<Habit<'t>>,
}

/// A heading and the program below it.
struct Habit<'t> {
    title: &'t str,
    program: &'t str,
}

impl<'t> Suite<'t> {
    fn parse(text: &'t str) -> Self {
        let (preamble, rest) = text.split_once("\n## ").unwrap();
        let habit = |section: &'t str| {
            let (title, rest) = section.split_once('\n').unwrap();
            let program = rest.split("```mangle\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
            Habit { title, program }
        };
        Self { preamble, habits: rest.split("\n## ").map(habit).collect() }
    }

    /// Renders the suite with the current findings.
    fn render(&self) -> String {
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

fn diagnostics(program: &str) -> Vec<Diagnostic> {
    CheckedFixture::new(program).diagnostics.into_iter().flat_map(|(_, found)| found).collect()
}

/// The number of errors in a program.
fn errors(program: &str) -> usize {
    diagnostics(program).iter().filter(|found| found.severity == Severity::Error).count()
}

/// The program after the fix of a diagnostic.
fn fixed(program: &str, found: &Diagnostic) -> Option<String> {
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

/// Names and predicates that suggestions can contain although the program does not: truth values,
/// and Prolog constants in facts and arguments.
const CONVENTIONAL: [&str; 10] =
    ["/true", "/false", "/tom", "/bob", "/ann", "/admin", "/a", "/b", "/c", "/none"];

/// Calls `visit` with each program and each of its findings.
fn each_finding(mut visit: impl FnMut(&str, &str, &Diagnostic)) {
    for suite in SUITES.map(Suite::parse) {
        for habit in &suite.habits {
            diagnostics(habit.program).iter().for_each(|found| visit(habit.title, habit.program, found));
        }
    }
}

#[test]
fn safe_fixes_add_no_errors() {
    each_finding(|title, program, found| {
        let is_safe = found.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe);
        if let Some(fixed) = fixed(program, found).filter(|_| is_safe) {
            assert!(errors(&fixed) <= errors(program), "{title}: {}\n{fixed}", found.message);
        }
    });
}

#[test]
fn fixes_that_guess_add_no_syntax_errors() {
    // Other errors are reported only for statements without syntax errors.
    let syntax_errors = |text: &str| {
        let found = diagnostics(text);
        found.iter().filter(|found| found.rule.group == Group::Syntax).count()
    };
    each_finding(|title, program, found| {
        if let Some(fixed) = fixed(program, found).filter(|_| found.rule.group == Group::Syntax) {
            let (before, after) = (syntax_errors(program), syntax_errors(&fixed));
            assert!(after < before, "{title}: {}\n{fixed}", found.message);
        }
    });
}

#[test]
fn findings_are_short() {
    each_finding(|title, _, found| {
        let is_short = |text: &str, limit: usize| text.chars().count() <= limit;
        assert!(is_short(&found.message, 72), "{title}: {}", found.message);
        assert!(found.label.as_deref().is_none_or(|label| is_short(label, 40)), "{title}: {}", found.message);
        assert!(found.notes.len() <= 2, "{title}: {}", found.message);
    });
}

#[test]
fn every_finding_names_a_next_step() {
    each_finding(|title, _, found| {
        let has_step =
            found.fix.is_some() || found.help.is_some() || !found.notes.is_empty() || found.label.is_some();
        assert!(has_step, "{title}: {}", found.message);
    });
}

#[test]
fn suggestions_invent_no_names() {
    each_finding(|title, program, found| {
        let Some(fix) = &found.fix else { return };
        let texts = fix.edits.iter().map(|edit| edit.text.as_str()).chain([fix.title.as_str()]);
        let texts =
            texts.chain(fix.alternative.iter().flat_map(|other| &other.edits).map(|edit| edit.text.as_str()));
        for word in texts.flat_map(names_and_predicates) {
            let is_known = has_word(program, &word) || CONVENTIONAL.contains(&word.as_str());
            assert!(is_known, "{title}: `{word}` is invented by the fix `{}`", fix.title);
        }
    });
}

/// True if a program contains the word as a whole word.
fn has_word(program: &str, word: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.');
    let whole = |at: usize| {
        let (before, after) = (&program[..at], &program[at + word.len()..]);
        !before.ends_with(is_inside) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    program.match_indices(word).any(|(at, _)| whole(at))
}

/// The names and the predicates in Mangle source, without strings and comments.
fn names_and_predicates(text: &str) -> Vec<String> {
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n");
    let code: String = code.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '/');
    let mut found = Vec::new();
    let mut rest = code.as_str();
    while let Some(start) = rest.find(is_word) {
        let tail = &rest[start..];
        let end = tail.find(|c: char| !is_word(c)).unwrap_or(tail.len());
        let (word, behind) = tail.split_at(end);
        // A method is not a predicate.
        let is_method = rest[..start].ends_with('.');
        let is_predicate =
            !is_method && behind.starts_with('(') && word.starts_with(|c: char| c.is_ascii_lowercase());
        let is_name = word.starts_with('/') && word.len() > 1;
        if is_name || (is_predicate && !word.starts_with("fn:")) {
            found.push(word.to_owned());
        }
        rest = behind;
    }
    found
}

#[test]
fn names_and_predicates_are_found() {
    assert_eq!(names_and_predicates("p(X, /a), X = fn:f(\"q(/b)\"), :r(X)"), ["p", "/a"]);
    assert!(has_word("p(X) :- q(violations).", "violations") && !has_word("p(violations).", "/violations"));
}
