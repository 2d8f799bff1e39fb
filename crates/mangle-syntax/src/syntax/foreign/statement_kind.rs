//! Detection of statements of other languages by their first tokens.

use std::ops::Range;

use super::token::{Lexeme, LexemeKind};

/// A kind of statement that Mangle does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Foreign {
    /// `default allow := false`.
    Default,
    /// `import rego.v1`.
    Import,
    /// `package policy` without an end. The keywords have a separate recognizer.
    Package,
    /// A rule of Rego.
    Rule(RegoRule),
    /// `SELECT a FROM t`.
    Select,
    /// `INSERT INTO t VALUES (1)`.
    Command,
    /// `permit(principal, action, resource) when { … };` with the index of `permit`.
    Cedar(usize),
    /// `if x in allowed: permit(x)`.
    Python,
    /// `allowed = ["ann", "bob"]`.
    Assignment,
    /// `greeting --> [hello], name.`
    GrammarRule,
    /// `if x in allowed then permit(x)`.
    Conditional,
}

/// A rule of Rego, with a body in braces or without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegoRule {
    /// The tokens of the collected values in the head, or of the parameters of a function.
    pub(super) argument: Option<Range<usize>>,
    /// True if the body is in braces. Otherwise the rule ends with its line.
    pub(super) is_braced: bool,
}

impl Foreign {
    /// The kind of foreign statement at the start of the tokens.
    pub(super) fn parse(tokens: &[Lexeme<'_>]) -> Option<Self> {
        if is_select(tokens) {
            return Some(Self::Select);
        }
        if let Some(effect) = cedar_effect(tokens) {
            return Some(Self::Cedar(effect));
        }
        match () {
            () if is_command(tokens) => Some(Self::Command),
            () if is_python(tokens) => Some(Self::Python),
            () if is_python_assignment(tokens) => Some(Self::Assignment),
            () if is_conditional(tokens) => Some(Self::Conditional),
            () if is_grammar_rule(tokens) => Some(Self::GrammarRule),
            () => Self::rego(tokens),
        }
    }

    /// The kind of Rego statement at the start of the tokens.
    pub(super) fn rego(tokens: &[Lexeme<'_>]) -> Option<Self> {
        let tokens = Tokens(tokens);
        if tokens.kind(0) != Some(LexemeKind::Word) || NO_HEADS.contains(&tokens.at(0)) {
            return None;
        }
        match tokens.at(0) {
            "default"
                if tokens.kind(1) == Some(LexemeKind::Word) && is_assignment(tokens.at(tokens.skip(1))) =>
            {
                Some(Self::Default)
            }
            "import" if tokens.is_rego_path(1) => Some(Self::Import),
            "package" if tokens.kind(1) == Some(LexemeKind::Word) && tokens.ends_line(2) => {
                Some(Self::Package)
            }
            _ => tokens.rule().map(Self::Rule),
        }
    }

    /// True if the statement ends with its line.
    pub(super) fn is_line(&self) -> bool {
        match self {
            Self::Default
            | Self::Import
            | Self::Package
            | Self::Python
            | Self::Assignment
            | Self::Conditional => true,
            Self::Rule(rule) => !rule.is_braced,
            Self::Select | Self::Command | Self::Cedar(_) | Self::GrammarRule => false,
        }
    }

    /// True if indented lines after the first one belong to the statement.
    pub(super) fn has_indented_lines(&self) -> bool {
        matches!(self, Self::Python | Self::Conditional)
            || matches!(self, Self::Rule(rule) if !rule.is_braced)
    }

    /// The number of tokens that no other statement can start within.
    pub(super) fn beginning(&self) -> usize {
        match self {
            Self::Cedar(effect) => *effect + 1,
            _ => 0,
        }
    }

    /// True if the statement ends with a semicolon.
    pub(super) fn ends_with_semicolon(&self) -> bool {
        matches!(self, Self::Select | Self::Command | Self::Cedar(_))
    }

    /// True if the statement ends with a brace at the end of a line.
    pub(super) fn is_braced(&self) -> bool {
        matches!(self, Self::Rule(rule) if rule.is_braced)
    }
}

/// Words that start no rule of Rego.
const NO_HEADS: [&str; 4] = ["if", "unless", "when", "else"];

fn is_assignment(sign: &str) -> bool {
    matches!(sign, "=" | ":=")
}

fn is_select(tokens: &[Lexeme<'_>]) -> bool {
    let is = |token: &Lexeme<'_>, word: &str| token.text.eq_ignore_ascii_case(word);
    let has = |word: &str| tokens.iter().any(|token| is(token, word));
    let begins = |index: usize, word: &str| tokens.get(index).is_some_and(|token| is(token, word));
    let is_with = begins(0, "with") && begins(2, "as") && has("select");
    (begins(0, "select") || is_with) && has("from")
}

/// The tokens of a statement.
struct Tokens<'a, 't>(&'a [Lexeme<'t>]);

impl Tokens<'_, '_> {
    fn at(&self, index: usize) -> &str {
        self.0.get(index).map_or("", |token| token.text)
    }

    fn kind(&self, index: usize) -> Option<LexemeKind> {
        self.0.get(index).map(|token| token.kind)
    }

    /// True if a line ends before this token.
    fn ends_line(&self, index: usize) -> bool {
        self.0.get(index).is_none_or(|token| token.first)
    }

    /// True if a statement can end before this token: at the end of the line, or with a period.
    fn ends(&self, index: usize) -> bool {
        self.ends_line(index) || (self.at(index) == "." && self.ends_line(index + 1))
    }

    /// True at the start of a Rego path, for example `rego.v1`, `data.roles` or `input.user`. A
    /// path is one word if its period is read as a part of the word.
    fn is_rego_path(&self, index: usize) -> bool {
        let root = self.at(index).split('.').next().unwrap_or("");
        matches!(root, "rego" | "future" | "input" | "data")
            && (self.at(index).contains('.') || self.at(index + 1) == ".")
    }

    /// The index after the term at `index`: a value, a call, or brackets.
    fn skip(&self, index: usize) -> usize {
        let is_operand = self.0.get(index).is_some_and(Lexeme::is_operand);
        let mut end = match self.at(index) {
            "[" | "{" => self.close(index).map_or(index, |close| close + 1),
            _ => index + usize::from(is_operand),
        };
        let glued = |at: usize| self.0.get(at).is_some_and(|token| token.glued);
        while end > index && matches!(self.at(end), "(" | "[") && glued(end) {
            let Some(close) = self.close(end) else { return index };
            end = close + 1;
        }
        end
    }

    /// The index of the bracket that closes `open`.
    fn close(&self, open: usize) -> Option<usize> {
        let depth = self.0.get(open)?.depth;
        let closes = |token: &Lexeme<'_>| token.depth == depth && matches!(token.text, ")" | "]" | "}");
        self.0.iter().skip(open + 1).position(closes).map(|at| open + 1 + at)
    }

    /// The rule whose head starts the statement: `name`, `name(X)`, `name[X]`, `name contains X`,
    /// `name := X`.
    fn rule(&self) -> Option<RegoRule> {
        let head = self.skip(0);
        let brackets = (head > 1).then(|| 2..head - 1);
        let is_function = brackets.is_some() && self.at(1) == "(";
        let (argument, at, is_certain) = match self.at(head) {
            "contains" if brackets.is_none() => (Some(1 + head..self.skip(1 + head)), None, true),
            // `p := q(X)` has a foreign arrow.
            sign if is_assignment(sign) => (brackets, Some(self.skip(head + 1)), false),
            _ => (brackets, Some(head), false),
        };
        let end = at.or_else(|| argument.as_ref().map(|argument| argument.end)).unwrap_or(head);
        let is_value_missing = end == head + 1 && head < end;
        if is_value_missing {
            return None;
        }
        let (has_if, body) = match self.at(end) {
            "if" => (true, end + 1),
            _ => (false, end),
        };
        let is_braced = self.at(body) == "{" && !self.ends_line(body);
        let has_value = end > head;
        let is_rule = match () {
            () if is_braced => true,
            () if is_certain => has_if || self.ends(body),
            () if has_value && has_if => true,
            // `p(X) if q(X)` and `p if q(X).` are rules with a foreign arrow.
            () if has_if => (!is_function || self.is_function_of_rego(body)) && !self.goes_on_as_clause(body),
            () => has_value && self.at(head) == ":=" && self.is_plain_value(head + 1) && self.ends(body),
        };
        is_rule.then_some(RegoRule { argument, is_braced })
    }

    /// True if the parameter is in lower case, and the line of the body has an operator or a path
    /// of Rego.
    fn is_function_of_rego(&self, body: usize) -> bool {
        let line = self.0.iter().skip(body).take_while(|token| !token.first);
        let is_foreign = |token: &Lexeme<'_>| {
            matches!(token.text, "in" | "==" | ":=")
                || (token.kind == LexemeKind::Word && token.text.contains('.'))
        };
        self.kind(2) == Some(LexemeKind::Word) && line.into_iter().any(is_foreign)
    }

    /// True if a value that is not an atom is at `index`.
    fn is_plain_value(&self, index: usize) -> bool {
        let is_word = self.kind(index) == Some(LexemeKind::Word);
        !is_word || matches!(self.at(index), "true" | "false" | "null")
    }

    /// True if the line with the token at `from` ends like a line of a clause: with a period or a
    /// comma.
    fn goes_on_as_clause(&self, from: usize) -> bool {
        let last = (from..self.0.len()).find(|&at| self.ends_line(at + 1));
        last.is_some_and(|last| matches!(self.at(last), "." | ","))
    }
}

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
fn cedar_effect(tokens: &[Lexeme<'_>]) -> Option<usize> {
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
fn is_grammar_rule(tokens: &[Lexeme<'_>]) -> bool {
    let end = if at(tokens, 1) == "(" { close(tokens, 1).map_or(0, |close| close + 1) } else { 1 };
    let is_word = tokens.first().is_some_and(|token| token.kind == LexemeKind::Word);
    let is_literal = |token: &Lexeme<'_>| token.is("[") || token.is("{") || token.kind == LexemeKind::Text;
    let body = tokens.iter().skip(end + 1).take_while(|token| !token.is("."));
    is_word && at(tokens, end) == "-->" && body.into_iter().any(|token| token.depth == 0 && is_literal(token))
}

/// True if the tokens are `if … then …` with a condition that is not a premise of Mangle.
fn is_conditional(tokens: &[Lexeme<'_>]) -> bool {
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.text));
    let is_if = matches!(at(tokens, 0), "if" | "If" | "IF") && at(tokens, 1) != "(";
    is_if && has(&["then", "THEN"]) && has(&["in", "IN", "else", "ELSE", "."]) && !has(&[":-"]) && {
        let last = tokens.iter().position(|token| matches!(token.text, "then" | "THEN")).unwrap_or(0);
        let is_foreign = |token: &Lexeme<'_>| matches!(token.text, "in" | "IN") || token.text.contains('.');
        has(&["else", "ELSE"]) || tokens.iter().take(last).any(is_foreign)
    }
}

/// True if the tokens start a Python statement.
fn is_python(tokens: &[Lexeme<'_>]) -> bool {
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
fn is_command(tokens: &[Lexeme<'_>]) -> bool {
    let [first, second, third] = [0, 1, 2].map(|index| at(tokens, index).to_ascii_lowercase());
    let is_known = |(word, next): &(&str, &[&str])| *word == first && next.contains(&second.as_str());
    COMMANDS.iter().any(is_known) || (first == "update" && third == "set")
}

/// True if the tokens are `name = value` with a value that is not an atom.
fn is_python_assignment(tokens: &[Lexeme<'_>]) -> bool {
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
