//! Regular expressions in settings, including Go patterns of the runtime's gate in front of the
//! constitution.
//!
//! In Go, `\s`, `\d`, `\w` and `\b` match ASCII only. A `[` in brackets and `\<` are literal, and
//! `\Q` quotes up to `\E`.

use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

use super::keys::Kind;
use super::kinds::Text;
use super::value::{KeyPath, ValueError, shorten};

/// Compiles a pattern with the semantics of Go.
///
/// # Errors
/// Returns an error if the pattern is invalid.
pub fn gate_pattern(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&to_regex_syntax(pattern))
}

/// The reason that a pattern is invalid.
fn fault(error: &regex::Error) -> String {
    // The last line is the message; the lines before it show the pattern.
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// A regular expression.
pub(super) enum Pattern {}

impl Text for Pattern {
    type Value = String;

    const KIND: Kind = Kind::Pattern;

    fn parse(text: &str, at: KeyPath) -> Result<String, ValueError> {
        let headline = || format!("{} is not a regular expression", at.label());
        let wrong = |error| ValueError::new(headline()).note(fault(&error));
        Regex::new(text).map(|_| text.to_owned()).map_err(wrong)
    }

    fn print(value: &String) -> String {
        value.clone()
    }
}

/// A regular expression of Go.
pub(super) enum GatePattern {}

impl Text for GatePattern {
    type Value = String;

    fn parse(text: &str, _: KeyPath) -> Result<String, ValueError> {
        let headline = || format!("`{}` is not a regular expression of Go", shorten(text));
        let wrong = |error| ValueError::new(headline()).note(fault(&error));
        gate_pattern(text).map(|_| text.to_owned()).map_err(wrong)
    }

    fn print(value: &String) -> String {
        value.clone()
    }
}

/// Translates a Go pattern to the syntax of the crate `regex`.
fn to_regex_syntax(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            '\\' => escape(&mut rest, &mut out),
            '[' => brackets(&mut rest, &mut out),
            _ => out.push(char),
        }
    }
    out
}

/// Translates the characters after a backslash outside of brackets.
fn escape(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    match rest.next() {
        Some('b') => out.push_str(r"(?-u:\b)"),
        Some('B') => out.push_str(r"(?-u:\B)"),
        Some('Q') => {
            let text: String = rest.clone().collect();
            let quoted = text.split_once(r"\E").map_or(text.as_str(), |(quoted, _)| quoted);
            out.push_str(&regex::escape(quoted));
            let end = if quoted.len() < text.len() { 2 } else { 0 };
            rest.by_ref().take(quoted.chars().count() + end).for_each(|_| ());
        }
        char => escaped(char, out),
    }
}

/// Translates the character after a backslash.
fn escaped(char: Option<char>, out: &mut String) {
    match char {
        Some('s') => out.push_str(r"[\t\n\f\r ]"),
        Some('S') => out.push_str(r"[^\t\n\f\r ]"),
        Some('d') => out.push_str("[0-9]"),
        Some('D') => out.push_str("[^0-9]"),
        Some('w') => out.push_str("[0-9A-Za-z_]"),
        Some('W') => out.push_str("[^0-9A-Za-z_]"),
        Some(char @ ('<' | '>')) => out.push(char),
        char => {
            out.push('\\');
            out.extend(char);
        }
    }
}

/// Translates a character class, starting after its opening bracket. Set operators of the crate are
/// escaped.
fn brackets(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('[');
    out.extend(rest.next_if_eq(&'^'));
    out.extend(rest.next_if_eq(&']').map(|_| r"\]"));
    let mut before = '[';
    while let Some(char) = rest.next() {
        match char {
            '\\' => escaped(rest.next(), out),
            '[' if rest.peek() == Some(&':') => out.push('['),
            '[' | '&' | '~' => out.extend(['\\', char]),
            '-' if before == '-' => out.push_str(r"\-"),
            _ => out.push(char),
        }
        // `[:alpha:]` contains a bracket.
        if char == ']' && before != ':' {
            return;
        }
        before = char;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, is_in: &[&str], is_not_in: &[&str]) {
        let found = gate_pattern(pattern).ok().map(|regex| {
            let all = is_in.iter().chain(is_not_in);
            all.map(|text| regex.is_match(text)).collect::<Vec<_>>()
        });
        let wanted = is_in.iter().map(|_| true).chain(is_not_in.iter().map(|_| false)).collect();
        assert_eq!(found, Some(wanted), "{pattern} as {}", to_regex_syntax(pattern));
    }

    #[test]
    fn classes_know_ascii_alone() {
        check(r"rm\s+-rf", &["rm -rf", "rm \t\n\r\u{c}-rf"], &["rm\u{a0}-rf", "rm\u{2003}-rf", "rm\u{b}-rf"]);
        check(r"^\S$", &["a", "\u{a0}", "\u{b}"], &[" ", "\t"]);
        check(r"^\d\D$", &["1a", "1\u{661}"], &["\u{661}a", "11"]);
        check(r"^\w\W$", &["_\u{e9}", "a-"], &["\u{e9}-", "ab"]);
        check(r"\bsu\b", &["su x", "\u{e9}su", "su\u{e9}"], &["sudo", "_su"]);
        check(r"a\Bb", &["ab"], &["a b"]);
        check(r"^[\s\d]+$", &["1 2"], &["1\u{a0}2", "\u{661}"]);
        check(r"^[^\s\w]$", &["\u{e9}", "-", "\u{a0}"], &["a", " "]);
        check(r"^[x\S]$", &["y", "\u{a0}"], &[" "]);
    }

    #[test]
    fn letters_of_any_case_are_those_of_unicode() {
        check(r"(?i)^mk$", &["MK", "m\u{212a}"], &["mc"]);
        check(r"(?i)^\w$", &["\u{212a}", "\u{17f}"], &["\u{e9}"]);
        check("^.$", &["\u{e9}", "\u{1f600}"], &["\n", "ab"]);
    }

    #[test]
    fn brackets_hold_characters() {
        check("^[a[b]$", &["a", "[", "b"], &["]"]);
        check("^[a&&b]$", &["a", "&", "b"], &["c"]);
        check("^[a~~b]$", &["~"], &["c"]);
        check("^[]a]$", &["]", "a"], &["["]);
        check("^[^]a]$", &["["], &["]", "a"]);
        check("^[+--]$", &["+", ",", "-"], &["a"]);
        check("^[[:alpha:]-]+$", &["a-b"], &["a1", ":"]);
        check("^[[:^alpha:]]$", &["1", "\u{e9}"], &["a"]);
    }

    #[test]
    fn quotes_and_escapes() {
        check(r"^\Qa.b[\E+$", &["a.b[", "a.b[["], &["axb["]);
        check(r"x\Q.\d", &[r"x.\d"], &["xy1"]);
        check(r">.*\/etc\/", &["> /etc/passwd"], &["/etc/passwd"]);
        check(r"\>\s*\<", &["> <"], &["a b"]);
        check(r"\x41\x{1F600}\.", &["A\u{1f600}."], &["A"]);
        assert!(gate_pattern("a(").is_err());
        assert!(gate_pattern(r"(a)\1").is_err());
        assert!(gate_pattern("\\").is_err());
    }
}
