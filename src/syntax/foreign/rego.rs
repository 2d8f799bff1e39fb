//! Statements of Rego (`default allow := false`, `deny[msg] { … }`, `deny contains msg if { … }`) and queries of SQL.

use super::hit::{Hit, Hits};
use super::region::Region;
use super::statements::as_comment;
use super::token::{Kind, Token};
use crate::syntax::rules;

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

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(foreign) = Foreign::of(&region.tokens) else { return };
    let whole = 0..region.text.len();
    let line = region.text.lines().next().map_or(0, |line| line.trim_end().len());
    let hit = match foreign {
        Foreign::Default => directive(
            region,
            "`default` is Rego. In Mangle a fact that no rule derives does not hold, so there is nothing to declare",
        ),
        Foreign::Import => directive(region, "`import` is Rego. In Mangle all built-ins are there"),
        Foreign::Rule(value) => Hit::new(&rules::FOREIGN_RULE, 0..line, rule_message(region, value)),
        Foreign::Select => Hit::new(
            &rules::FOREIGN_RULE,
            0..line,
            "`SELECT` is SQL. In Mangle a rule derives the rows: `result(X) :- table(X, Y), Y > 1.`",
        ),
    };
    hits.add(hit.read(whole, ""));
}

fn directive(region: &Region<'_>, message: &str) -> Hit {
    let whole = 0..region.text.len();
    let end = region.token(1).map_or(whole.end, |token| token.end);
    let hit = Hit::new(&rules::FOREIGN_DIRECTIVE, 0..end, format!("{message}."));
    hit.mend(whole, as_comment(region.text)).title("Turn it into a comment").guess()
}

/// What the head is in Mangle.
fn rule_message(region: &Region<'_>, value: Option<usize>) -> String {
    let argument = match value.map(|at| (region.kind(at), region.at(at))) {
        Some((Some(Kind::Text), text)) => text.to_owned(),
        Some((_, word)) => capitalised(word),
        None => String::new(),
    };
    format!(
        "This is a rule of Rego. In Mangle it is `{}({argument}) :- …, ….`, with commas between the premises.",
        region.at(0)
    )
}

/// A name as a variable of Mangle.
fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
