//! Which statement of Rego or SQL some tokens begin.

use super::token::{Kind, Token};

/// A kind of statement that Mangle does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// `default allow := false`
    Default,
    /// `import rego.v1`
    Import,
    /// A rule with a body in braces; with the value that its head collects, if there is one.
    Rule(Option<usize>),
    /// `SELECT a FROM t`
    Select,
}

impl Foreign {
    /// What the tokens of a statement begin with.
    pub(super) fn of(tokens: &[Token<'_>]) -> Option<Self> {
        let at = |index: usize| tokens.get(index).map_or("", |token| token.text);
        let kind = |index: usize| tokens.get(index).map(|token| token.kind);
        if is_select(tokens) {
            return Some(Self::Select);
        }
        if kind(0) != Some(Kind::Word) {
            return None;
        }
        match (at(0), at(1)) {
            ("default", _) if kind(1) == Some(Kind::Word) && matches!(at(2), "=" | ":=") => {
                Some(Self::Default)
            }
            ("import", "rego" | "future" | "input" | "data") if at(2) == "." => Some(Self::Import),
            // `rego.v1` is one word, where the full stop is taken for a part of it.
            ("import", path) if path.starts_with("rego.") || path.starts_with("future.") => {
                Some(Self::Import)
            }
            (_, "contains") if is_operand(kind(2)) && opens(tokens, 3) => Some(Self::Rule(Some(2))),
            (_, "[") if at(3) == "]" && is_operand(kind(2)) && opens(tokens, 4) => Some(Self::Rule(Some(2))),
            (_, ":=" | "=") if is_operand(kind(2)) && opens(tokens, 3) => Some(Self::Rule(None)),
            _ if opens(tokens, 1) => Some(Self::Rule(None)),
            _ => None,
        }
    }

    /// Whether it ends with its line.
    pub(super) fn is_line(self) -> bool {
        matches!(self, Self::Default | Self::Import)
    }
}

fn is_operand(kind: Option<Kind>) -> bool {
    kind.is_some_and(|kind| !matches!(kind, Kind::Sign | Kind::Comment))
}

/// `{` or `if {`
fn opens(tokens: &[Token<'_>], index: usize) -> bool {
    let at = |index: usize| tokens.get(index).map_or("", |token| token.text);
    at(index) == "{" || (at(index) == "if" && at(index + 1) == "{")
}

fn is_select(tokens: &[Token<'_>]) -> bool {
    let is = |token: &Token<'_>, word: &str| token.text.eq_ignore_ascii_case(word);
    tokens.first().is_some_and(|first| is(first, "select")) && tokens.iter().any(|token| is(token, "from"))
}
