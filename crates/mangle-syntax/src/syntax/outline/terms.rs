//! Canonical form of values, calls and premises in a text with syntax errors.

use super::lex::{Kind, SIGILS, Token};
use super::split::{Doubt, Doubts, is_arrow};
use crate::syntax::lower::camel_case;

/// Maximum nesting of brackets.
pub(super) const MAX_DEPTH: usize = 40;

/// A value, a call, or a premise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) name: String,
    /// The arguments of a call.
    pub(super) args: Option<Vec<Term>>,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A variable, a literal, a list, arithmetic.
    Value,
    /// A single word.
    Word,
    /// A call whose name is not a function.
    Atom,
    /// A call of a function.
    Function,
    /// A list pattern `[H | T]`.
    Pattern,
    /// A negation, a comparison, a temporal atom.
    Premise,
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        let Some(args) = &self.args else { return Ok(()) };
        f.write_str("(")?;
        for (at, arg) in args.iter().enumerate() {
            write!(f, "{}{arg}", if at == 0 { "" } else { "," })?;
        }
        f.write_str(")")
    }
}

impl Term {
    fn value(name: impl Into<String>) -> Self {
        Self { name: name.into(), args: None, shape: Shape::Value }
    }

    fn call(name: impl Into<String>, args: Vec<Self>, shape: Shape) -> Self {
        Self { name: name.into(), args: Some(args), shape }
    }

    /// True if the term can be a premise, and not an argument.
    fn is_premise(&self) -> bool {
        matches!(self.shape, Shape::Atom | Shape::Premise)
    }
}

/// The parser of one statement.
pub(super) struct Parser<'t, 'd> {
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) doubts: &'d mut Doubts,
    /// The index of the last `|>`.
    pub(super) last_pipe: Option<usize>,
    /// The number of open brackets.
    depth: usize,
    /// The number of open groups of premises.
    pub(super) groups: usize,
    /// True in the head of a rule, where a list pattern constructs a list.
    pub(super) in_head: bool,
    /// Premises that follow an atom without its closing bracket, or that split a list pattern.
    pub(super) more: Vec<Term>,
}

impl<'t, 'd> Parser<'t, 'd> {
    pub(super) fn new(tokens: &'t [Token], range: std::ops::Range<usize>, doubts: &'d mut Doubts) -> Self {
        let (at, end) = (range.start, range.end);
        let last_pipe = range.rev().find(|at| tokens.get(*at).is_some_and(|token| token.is("|>")));
        Self { tokens, at, end, doubts, last_pipe, depth: 0, groups: 0, in_head: false, more: Vec::new() }
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<&'t Token> {
        let at = self.at + ahead;
        self.tokens.get(at).filter(|_| at < self.end)
    }

    pub(super) fn is(&self, ahead: usize, text: &str) -> bool {
        self.peek(ahead).is_some_and(|token| token.is(text))
    }

    pub(super) fn doubt(&mut self, doubt: Doubt) {
        self.doubts.add(doubt, self.at.min(self.tokens.len().saturating_sub(1)));
    }

    pub(super) fn kind(&self, ahead: usize) -> Option<Kind> {
        self.peek(ahead).map(|token| token.kind)
    }

    /// True if an atom or function starts here: a word with a parenthesis.
    pub(super) fn is_call(&self, ahead: usize) -> bool {
        self.kind(ahead) == Some(Kind::Word)
            && self.peek(ahead + 1).is_some_and(|next| next.is("(") && next.glued)
    }

    /// Parses a premise, or a value in the position of a premise.
    pub(super) fn element(&mut self) -> Term {
        let negations = self.negations();
        let group = self.open_group(negations > 0);
        let inner = if group.is_some() && negations == 0 { self.negations() } else { 0 };
        let term = self.unsigned(negations + inner);
        if let Some(close) = group {
            if self.at != close {
                self.doubt(Doubt::Unreadable);
            }
            self.at = self.at.max(close) + 1;
        }
        term
    }

    fn unsigned(&mut self, negations: usize) -> Term {
        let operator = self.operator_of_time();
        let mut left = self.expression(0);
        let interval = self.interval();
        if !operator.is_empty() || !interval.is_empty() {
            left.name = format!("{operator}{interval}{}", left.name);
            left.shape = Shape::Premise;
        }
        let Some(sign) = self.peek(0).and_then(comparison) else { return negated(left, negations) };
        self.at += 1;
        if self.peek(0).is_some_and(|next| next.after_comment) {
            self.doubt(Doubt::SignApart);
        }
        let right = self.expression(0);
        // `0 < X < 9`.
        if let Some(second) = self.peek(0).and_then(comparison) {
            if negations > 0 {
                self.doubt(Doubt::Unreadable);
            }
            self.at += 1;
            let last = self.expression(0);
            self.more.push(compared(second, right.clone(), last, 0));
        }
        compared(sign, left, right, negations)
    }

    /// The number of negation signs, each directly before its operand.
    fn negations(&mut self) -> usize {
        let mut count = 0;
        while let Some(sign) = self.peek(0).filter(|sign| is_negation(sign)) {
            let is_minus = sign.is("-");
            if is_minus && !self.is_call(1) {
                break;
            }
            let next = self.peek(1);
            if next.is_none_or(|next| next.first || next.after_comment) {
                self.doubt(Doubt::SignApart);
            }
            let is_glued = next.is_some_and(|next| next.glued);
            let is_marker = sign.kind == Kind::Sign && !sign.is("\\+") && (sign.first || is_minus);
            if is_marker && !is_glued || is_minus && sign.first {
                self.doubt(Doubt::Marker);
            }
            count += 1;
            self.at += 1;
        }
        if count > 1 {
            self.doubt(Doubt::Unreadable);
        }
        count
    }

    /// Skips `exists X:` and the parenthesis around one premise. Returns the index of the closing
    /// parenthesis.
    fn open_group(&mut self, is_negated: bool) -> Option<usize> {
        let is_word = ["exists", "exist", "EXISTS", "some", "∃"].iter().any(|word| self.is(0, word));
        let mut ahead = usize::from(is_word);
        let is_variable = |ahead: usize| self.kind(ahead) == Some(Kind::Variable);
        while is_word
            && (is_variable(ahead)
                || [",", ":", ".", "|"].iter().any(|sign| self.is(ahead, sign) && is_variable(ahead - 1)))
        {
            ahead += 1;
        }
        let is_group = (is_word || is_negated) && self.is(ahead, "(");
        if is_group && let Some(close) = self.close(self.at + ahead) {
            self.at += ahead + 1;
            return Some(close);
        }
        if self.is_call(ahead) {
            self.at += ahead;
        }
        None
    }

    pub(super) fn close(&self, open: usize) -> Option<usize> {
        super::split::close(self.tokens, open).filter(|close| *close < self.end)
    }

    /// Parses `<-[1d, 2d]`.
    fn operator_of_time(&mut self) -> String {
        let is_sign = ["<-", "<+", "[-", "[+"].iter().any(|sign| self.is(0, sign)) && self.is(1, "[");
        let Some(sign) = self.peek(0).filter(|_| is_sign) else { return String::new() };
        self.at += 1;
        let bounds = self.expression(2);
        format!("{}{bounds} ", sign.text)
    }

    /// Parses `@[2024-01-15, _]`.
    pub(super) fn interval(&mut self) -> String {
        if !(self.is(0, "@") && self.is(1, "[")) {
            return String::new();
        }
        self.at += 1;
        format!("@{} ", self.expression(2))
    }

    /// Parses arithmetic from a level of precedence on.
    fn expression(&mut self, level: usize) -> Term {
        const LEVELS: [&[&str]; 2] = [&["+", "-"], &["*", "/", "mod", "div", "%"]];
        let Some(signs) = LEVELS.get(level) else { return self.primary() };
        let mut left = self.expression(level + 1);
        while let Some(sign) = self.peek(0).filter(|token| signs.iter().any(|sign| token.is(sign))) {
            self.at += 1;
            let right = self.expression(level + 1);
            // Texts are concatenated, not added.
            let is_text =
                |term: &Term| term.name.starts_with(['"', '\'', '`']) || term.name == "string:concat";
            let joins = sign.is("+") && (is_text(&left) || is_text(&right));
            let name = if joins { "string:concat" } else { function_name(&sign.text) };
            left = arithmetic(name, vec![left, right]);
        }
        left
    }

    /// Parses one atom or value without a sign.
    pub(super) fn atom_alone(&mut self) -> Term {
        self.primary()
    }

    fn primary(&mut self) -> Term {
        let Some(token) = self.peek(0) else {
            self.doubt(Doubt::Missing);
            return Term::value("?");
        };
        if token.breaks {
            self.doubt(Doubt::Unreadable);
        }
        match token.kind {
            Kind::Word if self.is_call(0) => self.call(),
            Kind::Word => {
                self.at += 1;
                Term { shape: Shape::Word, ..Term::value(plain_name(&token.text)) }
            }
            Kind::Variable => {
                self.at += 1;
                if self.is(0, "(") {
                    self.doubt(Doubt::Words);
                }
                Term::value(variable(&token.text))
            }
            Kind::Name | Kind::Number | Kind::Text => {
                self.at += 1;
                Term::value(token.text.clone())
            }
            Kind::Open => self.bracket(&token.text),
            Kind::Sign if self.is_wildcard() => {
                self.at += 1;
                Term::value("_")
            }
            _ => {
                self.doubt(if matches!(token.kind, Kind::Comma | Kind::Close) {
                    Doubt::Missing
                } else {
                    Doubt::Unreadable
                });
                Term::value("?")
            }
        }
    }

    /// True for `*` and `...` in the position of an argument.
    fn is_wildcard(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_sign = ["*", "...", "?"].iter().any(|sign| self.is(0, sign));
        let opens = before.is_some_and(|before| matches!(before.kind, Kind::Open | Kind::Comma));
        is_sign && opens && matches!(self.kind(1), Some(Kind::Close | Kind::Comma))
    }

    fn call(&mut self) -> Term {
        let Some(word) = self.peek(0) else { return Term::value("?") };
        let is_function = word.text.starts_with("fn:");
        self.at += 2;
        let args: Vec<_> = self.items(")").into_iter().map(|arg| self.argument(arg)).collect();
        let name = function_name(&word.text);
        if matches!(name, "+" | "-" | "*" | "/" | "%") {
            return arithmetic(name, args);
        }
        // `:filter(fn:list:contains(L, X))` is the function as a premise.
        if name == "filter" && args.len() == 1 && args.iter().all(|arg| arg.shape == Shape::Function) {
            return args
                .into_iter()
                .next()
                .map_or_else(|| Term::value("?"), |arg| Term { shape: Shape::Atom, ..arg });
        }
        Term::call(name, args, if is_function { Shape::Function } else { Shape::Atom })
    }

    /// Parses a list, a map, a struct, or arithmetic in parentheses.
    fn bracket(&mut self, open: &str) -> Term {
        self.at += 1;
        let close = match open {
            "(" => ")",
            "[" => "]",
            _ => "}",
        };
        let mut items = self.items(close);
        if open == "(" {
            if items.len() != 1 {
                self.doubt(Doubt::Words);
            }
            return items.pop().unwrap_or_else(|| Term::value("?"));
        }
        if let [one] = items.as_slice()
            && one.shape == Shape::Pattern
        {
            return one.clone();
        }
        let items = items.into_iter().map(|item| self.argument(item)).collect();
        Term::call(open, items, Shape::Value)
    }

    /// Parses the elements up to a bracket, which is consumed.
    fn items(&mut self, close: &str) -> Vec<Term> {
        if self.depth > MAX_DEPTH {
            self.doubt(Doubt::Unreadable);
            self.at = self.end;
            return Vec::new();
        }
        self.depth += 1;
        let start = self.at;
        let mut items: Vec<(Term, bool)> = Vec::new();
        let mut more = std::mem::take(&mut self.more);
        let is_closed = loop {
            let Some(token) = self.peek(0).filter(|token| !token.is(":-") && !token.is("⟸")) else {
                break false;
            };
            match token.kind {
                Kind::Close => break token.is(close),
                Kind::Comma => {
                    self.doubt(Doubt::Missing);
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let from = self.at;
            let item = self.item();
            self.at = self.at.max(from + 1);
            let inner = self.tokens.get(from..self.at).unwrap_or_default();
            items.push((item, inner.iter().any(|token| token.kind == Kind::Open)));
            match self.peek(0) {
                Some(comma) if comma.kind == Kind::Comma => {
                    self.at += 1;
                    let is_last = self.peek(0).is_none_or(|next| next.kind == Kind::Close && !next.first);
                    if is_last {
                        self.doubt(Doubt::Missing);
                    }
                }
                Some(next) if next.kind == Kind::Close || is_arrow(next) => {}
                None => {}
                Some(_) => self.doubt(Doubt::Words),
            }
        };
        self.depth -= 1;
        let args = if is_closed {
            self.at += 1;
            if items.iter().any(|(item, _)| item.shape == Shape::Premise) {
                self.doubt(Doubt::Bracket);
            }
            items.into_iter().map(|(item, _)| item).collect()
        } else {
            self.without_bracket(items, start, close)
        };
        more.append(&mut self.more);
        self.more = more;
        args
    }

    /// Elements without a closing bracket: possible premises follow the bracket. Adds a doubt if
    /// several positions of the bracket are possible.
    fn without_bracket(&mut self, items: Vec<(Term, bool)>, start: usize, close: &str) -> Vec<Term> {
        let ends = self.peek(0).is_none();
        let first = items.iter().position(|(item, _)| item.is_premise()).unwrap_or(items.len());
        let (args, rest) = items.split_at(first);
        let is_nested = args.iter().any(|(item, is_nested)| *is_nested || item.shape == Shape::Word);
        // A function without its bracket can also lack arguments. The same applies to the end of a
        // statement with the premises after it.
        let word = start.checked_sub(2).and_then(|at| self.tokens.get(at));
        let is_cut = ends && rest.is_empty() || word.is_some_and(|word| word.text.starts_with("fn:"));
        let is_unclear = is_nested
            || is_cut
            || args.is_empty()
            || rest.iter().any(|(item, _)| !item.is_premise())
            || self.depth > 0
            || close != ")" && args.len() > 1
            || !ends && !rest.is_empty();
        if is_unclear {
            self.doubts.add(Doubt::Bracket, start.saturating_sub(1));
        }
        self.more.extend(rest.iter().map(|(item, _)| item.clone()));
        args.iter().map(|(item, _)| item.clone()).collect()
    }

    /// Parses an element of a bracket: a value, a pair `K : V`, or a pattern `H | T`.
    fn item(&mut self) -> Term {
        let key = self.element();
        if self.is(0, ":") {
            self.at += 1;
            let value = self.element();
            return Term::call(":", vec![key, value], Shape::Value);
        }
        if self.is(0, "|") {
            self.at += 1;
            let tail = self.element();
            return Term::call("list:cons", vec![key, tail], Shape::Pattern);
        }
        key
    }

    /// An argument. A pattern in a body becomes a list with a separate premise that splits it.
    fn argument(&mut self, term: Term) -> Term {
        if term.shape != Shape::Pattern || self.in_head {
            return term;
        }
        let parts = term.args.unwrap_or_default();
        let list = Term::value("\u{a7}");
        self.more.push(Term::call(
            "match_cons",
            std::iter::once(list.clone()).chain(parts).collect(),
            Shape::Atom,
        ));
        list
    }
}

/// The canonical sign of a comparison.
pub(super) fn comparison(token: &Token) -> Option<&'static str> {
    if token.kind == Kind::Text {
        return None;
    }
    Some(match token.text.as_str() {
        "=" | "==" | "===" | "=:=" | ":=" | "is" => "=",
        "!=" | "<>" | "\\=" | "≠" | "!==" | "\\==" | "=\\=" => "!=",
        "<=" | "=<" | "≤" | "⩽" => "<=",
        ">=" | "=>" | "≥" | "⩾" => ">=",
        "<" => "<",
        ">" => ">",
        _ => return None,
    })
}

pub(super) fn is_negation(token: &Token) -> bool {
    let words = ["!", "not", "Not", "NOT", "\\+", "~", "¬", "naf", "-"];
    token.kind != Kind::Text && words.contains(&token.text.as_str())
}

fn opposite(sign: &'static str) -> &'static str {
    match sign {
        "=" => "!=",
        "!=" => "=",
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        _ => "<",
    }
}

fn compared(sign: &'static str, left: Term, right: Term, negations: usize) -> Term {
    let sign = if negations % 2 == 1 { opposite(sign) } else { sign };
    // `L = [H | T]`.
    if sign == "=" && (left.shape == Shape::Pattern) != (right.shape == Shape::Pattern) {
        let (pattern, list) = if left.shape == Shape::Pattern { (left, right) } else { (right, left) };
        let parts = pattern.args.unwrap_or_default();
        return Term::call("match_cons", std::iter::once(list).chain(parts).collect(), Shape::Premise);
    }
    Term::call(sign, vec![left, right], Shape::Premise)
}

fn negated(term: Term, negations: usize) -> Term {
    if negations == 0 {
        return term;
    }
    let sign = if negations % 2 == 1 { "!" } else { "" };
    let args = term.args.or_else(|| (term.shape == Shape::Word).then(Vec::new));
    Term { name: format!("{sign}{}", term.name), args, shape: Shape::Premise }
}

/// Combines sums and products of more than two values into one call, regardless of their syntax.
fn arithmetic(name: &str, args: Vec<Term>) -> Term {
    let mut args = args.into_iter();
    // The arguments of the first call are moved, so that a long sum takes linear time.
    let mut all = match args.next() {
        Some(Term { name: inner, args: Some(inner_args), .. }) if inner == name => inner_args,
        first => first.into_iter().collect(),
    };
    all.extend(args);
    Term::call(name, all, Shape::Function)
}

/// A name without the colon of built-ins.
fn plain_name(word: &str) -> &str {
    let word = word.strip_prefix("fn:").unwrap_or(word);
    word.strip_prefix(':').unwrap_or(word)
}

fn function_name(word: &str) -> &str {
    match plain_name(word) {
        "plus" | "add" => "+",
        "minus" | "subtract" => "-",
        "mult" | "multiply" => "*",
        "div" => "/",
        "mod" => "%",
        name => name,
    }
}

/// A variable without a foreign sigil.
pub(super) fn variable(word: &str) -> String {
    match word.strip_prefix(SIGILS) {
        Some(name) => camel_case(name),
        None => word.to_owned(),
    }
}
