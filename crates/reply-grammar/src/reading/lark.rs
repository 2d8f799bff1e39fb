//! Parser for Lark grammars.

use super::pattern::read_pattern;
use super::scanner::{Notation, Scanner};
use super::{ReadError, Rules, resolve};
use crate::expr::Expr;

enum Lark {}

impl Notation for Lark {
    const DEFINES: &'static str = ":";
    const COMMENTS: &'static [&'static str] = &["//", "#"];

    fn special(scanner: &mut Scanner<'_>) -> Option<Result<Expr, ReadError>> {
        if scanner.take("/") {
            return Some(expression(scanner));
        }
        let sign = scanner.peek().filter(|char| BEYOND.contains(char))?;
        Some(Err(beyond(scanner, sign)))
    }
}

/// First characters of unsupported Lark syntax: directives, optional groups, aliases, counts,
/// inlined rules.
const BEYOND: [char; 6] = ['%', '[', '-', '~', '?', '!'];

/// The line that identifies the notation for llama.cpp.
const NOTATION: &str = "%llguidance {}";

fn beyond(scanner: &Scanner<'_>, sign: char) -> ReadError {
    ReadError::beyond(scanner.at, format!("mangle-ls does not read `{sign}` in a Lark grammar"))
}

/// Parses a regular expression after its opening slash.
fn expression(scanner: &mut Scanner<'_>) -> Result<Expr, ReadError> {
    let start = scanner.at;
    let mut is_escaped = false;
    while let Some(char) = scanner.next() {
        match char {
            '/' if !is_escaped => {
                let body = scanner.text.get(start..scanner.at - 1).unwrap_or_default();
                return read_pattern(&body.replace("\\/", "/"))
                    .map_err(|error| ReadError { at: start, ..error });
            }
            '\n' => break,
            _ => is_escaped = char == '\\' && !is_escaped,
        }
    }
    scanner.error("an expression has no end")
}

/// Parses a grammar. Returns the expression of the rule `start`.
///
/// # Errors
///
/// If the grammar is invalid or recursive, or uses directives.
pub fn read_lark(text: &str) -> Result<Expr, ReadError> {
    let mut scanner = Scanner::new(text);
    let mut rules = Rules::default();
    loop {
        scanner.skip::<Lark>();
        if scanner.rest().is_empty() {
            return resolve("start", &rules);
        }
        if scanner.take(NOTATION) {
            continue;
        }
        if let Some(sign) = scanner.peek().filter(|char| BEYOND.contains(char)) {
            return Err(beyond(&scanner, sign));
        }
        let Some(name) = scanner.name() else { return scanner.error("a rule has no name") };
        scanner.skip::<Lark>();
        if !scanner.take(Lark::DEFINES) {
            return scanner.error(format!("there is no `:` after `{name}`"));
        }
        let body = scanner.alternatives::<Lark>()?;
        rules.insert(name.to_owned(), body);
    }
}
