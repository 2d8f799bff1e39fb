//! Detection of statement starts in Cedar, Python and SQL.

use super::token::{Lexeme, LexemeKind};

/// SQL words that start a command, each with the words that can follow.
const COMMANDS: [(&str, &[&str]); 8] = [
    ("insert", &["into"]),
    ("delete", &["from"]),
    ("create", &["table", "view", "or", "index", "function", "policy", "temporary", "unique"]),
    ("drop", &["table", "view", "index", "policy"]),
    ("alter", &["table", "view", "policy"]),
    ("truncate", &["table"]),
    ("merge", &["into"]),
    ("grant", &["select", "insert", "update", "delete", "all"]),
];

/// Python modules that scripts import. Other modules can be Mangle packages.
const MODULES: [&str; 16] = [
    "re",
    "os",
    "sys",
    "json",
    "math",
    "datetime",
    "time",
    "typing",
    "logging",
    "collections",
    "itertools",
    "functools",
    "dataclasses",
    "pathlib",
    "random",
    "requests",
];

fn at<'t>(tokens: &[Lexeme<'t>], index: usize) -> &'t str {
    tokens.get(index).map_or("", |token| token.text)
}

/// The index of the bracket that closes `open`.
fn close(tokens: &[Lexeme<'_>], open: usize) -> Option<usize> {
    let depth = tokens.get(open)?.depth;
    let closes = |token: &Lexeme<'_>| token.depth == depth && matches!(token.text, ")" | "]" | "}");
    tokens.iter().skip(open + 1).position(closes).map(|at| open + 1 + at)
}

/// The index of `permit` or `forbid` in a Cedar policy, which can have annotations before it.
pub(super) fn cedar_effect(tokens: &[Lexeme<'_>]) -> Option<usize> {
    let mut start = 0;
    while at(tokens, start) == "@" && at(tokens, start + 2) == "(" {
        start = close(tokens, start + 2)? + 1;
    }
    let is_effect = matches!(at(tokens, start), "permit" | "forbid") && at(tokens, start + 1) == "(";
    let close = close(tokens, start + 1).filter(|_| is_effect)?;
    let has_scope = at(tokens, start + 2) == "principal" && !matches!(at(tokens, close + 1), ":-" | "⟸");
    let has_conditions = matches!(at(tokens, close + 1), "when" | "unless") && at(tokens, close + 2) == "{";
    let is_empty = close == start + 2 && at(tokens, close + 1) == ";";
    (has_scope || has_conditions || is_empty).then_some(start)
}

/// True if the tokens are a grammar rule of Prolog: `greeting --> [hello], name.`
pub(super) fn is_grammar_rule(tokens: &[Lexeme<'_>]) -> bool {
    let end = if at(tokens, 1) == "(" { close(tokens, 1).map_or(0, |close| close + 1) } else { 1 };
    let is_word = tokens.first().is_some_and(|token| token.kind == LexemeKind::Word);
    let is_literal = |token: &Lexeme<'_>| token.is("[") || token.is("{") || token.kind == LexemeKind::Text;
    let body = tokens.iter().skip(end + 1).take_while(|token| !token.is("."));
    is_word && at(tokens, end) == "-->" && body.into_iter().any(|token| token.depth == 0 && is_literal(token))
}

/// True if the tokens are `if … then …` with a condition that is not a premise of Mangle.
pub(super) fn is_conditional(tokens: &[Lexeme<'_>]) -> bool {
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.text));
    let is_if = matches!(at(tokens, 0), "if" | "If" | "IF") && at(tokens, 1) != "(";
    is_if && has(&["then", "THEN"]) && has(&["in", "IN", "else", "ELSE", "."]) && !has(&[":-"]) && {
        let last = tokens.iter().position(|token| matches!(token.text, "then" | "THEN")).unwrap_or(0);
        let is_foreign = |token: &Lexeme<'_>| matches!(token.text, "in" | "IN") || token.text.contains('.');
        has(&["else", "ELSE"]) || tokens.iter().take(last).any(is_foreign)
    }
}

/// True if the tokens start a Python statement.
pub(super) fn is_python(tokens: &[Lexeme<'_>]) -> bool {
    let is_name = |index: usize| {
        tokens.get(index).is_some_and(|t| matches!(t.kind, LexemeKind::Word | LexemeKind::Variable))
    };
    let ends_line = |index: usize| tokens.get(index).is_none_or(|token| token.first);
    match at(tokens, 0) {
        "if" | "elif" | "while" | "with" | "except" | "match" => opens_block(tokens, 1),
        "for" => is_name(1) && tokens.iter().any(|token| token.is("in")) && opens_block(tokens, 1),
        "else" | "try" | "finally" => at(tokens, 1) == ":",
        "def" | "class" => is_name(1) && opens_block(tokens, 1),
        "async" => matches!(at(tokens, 1), "def" | "for" | "with"),
        "from" => is_name(1) && at(tokens, 2) == "import",
        "import" => {
            MODULES.contains(&at(tokens, 1).split('.').next().unwrap_or(""))
                && (ends_line(2) || matches!(at(tokens, 2), "as" | ","))
        }
        "@" => {
            let end = if at(tokens, 2) == "(" { close(tokens, 2).map_or(2, |close| close + 1) } else { 2 };
            is_name(1) && at(tokens, 1) != "decl" && ends_line(end)
        }
        "return" => !ends_line(1) && !matches!(at(tokens, 1), "(" | ":-" | "."),
        _ => false,
    }
}

/// True if the line has a colon outside of brackets.
fn opens_block(tokens: &[Lexeme<'_>], from: usize) -> bool {
    let line = tokens.iter().skip(from).take_while(|token| !token.first || token.depth > 0);
    line.into_iter().any(|token| token.is(":") && token.depth == 0)
}

/// True if the tokens start an SQL command, such as `INSERT INTO`.
pub(super) fn is_command(tokens: &[Lexeme<'_>]) -> bool {
    let [first, second, third] = [0, 1, 2].map(|index| at(tokens, index).to_ascii_lowercase());
    let is_known = |(word, next): &(&str, &[&str])| *word == first && next.contains(&second.as_str());
    COMMANDS.iter().any(is_known) || (first == "update" && third == "set")
}

/// True if the tokens are `name = value` with a value that is not an atom.
pub(super) fn is_assignment(tokens: &[Lexeme<'_>]) -> bool {
    let is_word = tokens.first().is_some_and(|token| token.kind == LexemeKind::Word);
    let Some(value) = tokens.get(2).filter(|_| is_word && at(tokens, 1) == "=") else { return false };
    let end = match value.text {
        "[" | "{" => close(tokens, 2).map_or(0, |close| close + 1),
        "True" | "False" | "None" => 3,
        _ if matches!(value.kind, LexemeKind::Text | LexemeKind::Number) => 3,
        // `p = q(X)` has a foreign arrow.
        _ if value.kind == LexemeKind::Word && at(tokens, 3) != "(" => {
            tokens.iter().skip(3).position(|token| token.first).map_or(tokens.len(), |line| line + 3)
        }
        _ => return false,
    };
    let ends_line = |index: usize| tokens.get(index).is_none_or(|token| token.first);
    ends_line(end) || (matches!(at(tokens, end), "." | ";") && ends_line(end + 1))
}
