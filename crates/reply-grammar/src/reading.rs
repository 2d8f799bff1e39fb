//! Parsers for grammars: the notations that this library writes, without recursion.

use std::sync::Arc;

use regex_syntax::hir::{Class, Hir, HirKind, Look};
use rustc_hash::FxHashMap;

use crate::class::CharClass;
use crate::expr::{Expr, Rule};

/// An error in a grammar, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The byte offset of the error.
    pub at: usize,
    /// The reason, as the end of a sentence.
    pub why: String,
    /// True if the grammar is valid in its notation but uses unsupported features.
    pub is_beyond: bool,
}

impl ReadError {
    fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into(), is_beyond: false }
    }

    fn beyond(at: usize, why: impl Into<String>) -> Self {
        Self { is_beyond: true, ..Self::new(at, why) }
    }
}

/// A part of a grammar with unresolved rule names.
#[derive(Debug, Clone)]
enum Part {
    Expr(Expr),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat(Box<Part>, u32, u32),
    Name(String, usize),
}

/// The rules of a grammar by name.
type Rules = FxHashMap<String, Part>;

/// The maximum nesting depth.
const MAX_LEVELS: usize = 200;

/// The expression of a rule with resolved names.
fn resolve(root: &str, rules: &Rules) -> Result<Expr, ReadError> {
    let mut resolver = Resolver { rules, done: FxHashMap::default(), open: Vec::new() };
    resolver.rule(root, 0)
}

struct Resolver<'r> {
    rules: &'r Rules,
    done: FxHashMap<&'r str, Arc<Rule>>,
    open: Vec<&'r str>,
}

impl<'r> Resolver<'r> {
    fn rule(&mut self, name: &str, at: usize) -> Result<Expr, ReadError> {
        let Some((name, part)) = self.rules.get_key_value(name) else {
            return Err(ReadError::new(at, format!("there is no rule `{name}`")));
        };
        if let Some(done) = self.done.get(name.as_str()) {
            return Ok(Expr::Rule(Arc::clone(done)));
        }
        if self.open.contains(&name.as_str()) || self.open.len() > MAX_LEVELS {
            return Err(ReadError::beyond(at, format!("rule `{name}` is recursive")));
        }
        self.open.push(name);
        let body = self.part(part)?;
        self.open.pop();
        let rule = Arc::new(Rule { name: name.clone(), body, is_terminal: false });
        self.done.insert(name, Arc::clone(&rule));
        Ok(Expr::Rule(rule))
    }

    fn part(&mut self, part: &'r Part) -> Result<Expr, ReadError> {
        Ok(match part {
            Part::Expr(expr) => expr.clone(),
            Part::Sequence(parts) => Expr::Sequence(self.parts(parts)?),
            Part::Choice(parts) => Expr::choice(self.parts(parts)?),
            Part::Repeat(part, least, most) => self.part(part)?.repeat(*least, *most),
            Part::Name(name, at) => self.rule(name, *at)?,
        })
    }

    fn parts(&mut self, parts: &'r [Part]) -> Result<Vec<Expr>, ReadError> {
        parts.iter().map(|part| self.part(part)).collect()
    }
}

enum Bnf {}

impl Notation for Bnf {
    const DEFINES: &'static str = "::=";
    const COMMENTS: &'static [&'static str] = &["#"];

    fn special(scanner: &mut Scanner<'_>) -> Option<Result<Expr, ReadError>> {
        if scanner.take("[") {
            return Some(scanner.class());
        }
        scanner.take(".").then(|| Ok(Expr::Class(CharClass::chars("").complement())))
    }
}

/// Parses a grammar. Returns the expression of the rule `root`.
///
/// # Errors
///
/// If the grammar is invalid or recursive.
pub fn read_bnf(text: &str) -> Result<Expr, ReadError> {
    let mut scanner = Scanner::new(text);
    let mut rules = Rules::default();
    loop {
        scanner.skip::<Bnf>();
        if scanner.rest().is_empty() {
            return resolve("root", &rules);
        }
        let Some(name) = scanner.name() else { return scanner.error("a rule has no name") };
        scanner.skip::<Bnf>();
        if !scanner.take(Bnf::DEFINES) {
            return scanner.error(format!("there is no `::=` after `{name}`"));
        }
        let body = scanner.alternatives::<Bnf>()?;
        rules.insert(name.to_owned(), body);
    }
}

enum Lark {}

impl Notation for Lark {
    const DEFINES: &'static str = ":";
    const COMMENTS: &'static [&'static str] = &["//", "#"];

    fn special(scanner: &mut Scanner<'_>) -> Option<Result<Expr, ReadError>> {
        if scanner.take("/") {
            return Some(delimited_pattern(scanner));
        }
        let sign = scanner.peek().filter(|char| BEYOND.contains(char))?;
        Some(Err(beyond_lark(scanner, sign)))
    }
}

/// First characters of unsupported Lark syntax: directives, optional groups, aliases, counts,
/// inlined rules.
const BEYOND: [char; 6] = ['%', '[', '-', '~', '?', '!'];

/// The line that identifies the notation for llama.cpp.
const NOTATION: &str = "%llguidance {}";

fn beyond_lark(scanner: &Scanner<'_>, sign: char) -> ReadError {
    ReadError::beyond(scanner.at, format!("mangle-ls does not read `{sign}` in a Lark grammar"))
}

/// Parses a regular expression after its opening slash.
fn delimited_pattern(scanner: &mut Scanner<'_>) -> Result<Expr, ReadError> {
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
            return Err(beyond_lark(&scanner, sign));
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

/// The texts that a regular expression matches as a whole. Anchors are assumed to be at its ends.
///
/// # Errors
///
/// If the expression does not compile or has look-around.
pub fn read_pattern(text: &str) -> Result<Expr, ReadError> {
    let parsed = regex_syntax::Parser::new().parse(text);
    let hir = parsed.map_err(|error| ReadError::new(0, reason_line(&error.to_string())))?;
    pattern_expression(&hir)
}

/// The last line of an error message, which has the reason without a copy of the expression.
fn reason_line(message: &str) -> String {
    message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn pattern_expression(hir: &Hir) -> Result<Expr, ReadError> {
    let all = |parts: &[Hir]| parts.iter().map(pattern_expression).collect::<Result<Vec<_>, _>>();
    Ok(match hir.kind() {
        HirKind::Empty | HirKind::Look(Look::Start | Look::End) => Expr::literal(""),
        HirKind::Literal(literal) => Expr::Literal(String::from_utf8_lossy(&literal.0).into_owned()),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges: Vec<_> = class.ranges().iter().map(|range| range.start()..=range.end()).collect();
            Expr::Class(CharClass::from_ranges(&ranges))
        }
        HirKind::Repetition(repetition) => {
            pattern_expression(&repetition.sub)?.repeat(repetition.min, repetition.max.unwrap_or(u32::MAX))
        }
        HirKind::Capture(capture) => pattern_expression(&capture.sub)?,
        HirKind::Concat(parts) => Expr::Sequence(all(parts)?),
        HirKind::Alternation(parts) => Expr::Choice(all(parts)?),
        HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => {
            return Err(ReadError::beyond(0, "mangle-ls does not read look-around"));
        }
    })
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    levels: usize,
}

/// The differences between notations.
trait Notation {
    /// The token between the name of a rule and its body.
    const DEFINES: &'static str;
    /// The prefixes of comments.
    const COMMENTS: &'static [&'static str];

    /// Parses notation-specific syntax; `None` if none is at this position.
    fn special(scanner: &mut Scanner<'_>) -> Option<Result<Expr, ReadError>>;
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, levels: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        self.at += if is_here { text.len() } else { 0 };
        is_here
    }

    fn error<T>(&self, why: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError::new(self.at, why))
    }

    /// Skips white space and comments.
    fn skip<N: Notation>(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            if !N::COMMENTS.iter().any(|start| rest.starts_with(start)) {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Parses a name, if present.
    fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let end = rest.find(|char: char| !(char.is_ascii_alphanumeric() || "_-.".contains(char)));
        let name = rest.get(..end.unwrap_or(rest.len())).filter(|name| !name.is_empty())?;
        self.at += name.len();
        Some(name)
    }

    /// True at the start of a rule.
    fn is_at_rule<N: Notation>(&self) -> bool {
        let mut ahead = Scanner { text: self.text, at: self.at, levels: 0 };
        ahead.name().is_some() && {
            ahead.skip::<N>();
            ahead.take(N::DEFINES)
        }
    }

    /// Parses the alternatives of a rule or group.
    fn alternatives<N: Notation>(&mut self) -> Result<Part, ReadError> {
        self.levels += 1;
        if self.levels > MAX_LEVELS {
            return self.error("groups nest too deep");
        }
        let mut alternatives = vec![self.sequence::<N>()?];
        while self.take("|") {
            alternatives.push(self.sequence::<N>()?);
        }
        self.levels -= 1;
        Ok(match alternatives.len() {
            1 => alternatives.remove(0),
            _ => Part::Choice(alternatives),
        })
    }

    fn sequence<N: Notation>(&mut self) -> Result<Part, ReadError> {
        let mut parts = Vec::new();
        loop {
            self.skip::<N>();
            if matches!(self.peek(), None | Some('|' | ')')) || self.is_at_rule::<N>() {
                return Ok(Part::Sequence(parts));
            }
            let part = self.item::<N>()?;
            parts.push(self.times(part)?);
        }
    }

    fn item<N: Notation>(&mut self) -> Result<Part, ReadError> {
        if self.take("(") {
            let inner = self.alternatives::<N>()?;
            return if self.take(")") { Ok(inner) } else { self.error("a group has no end") };
        }
        if self.take("\"") {
            return Ok(Part::Expr(Expr::Literal(self.quoted('"')?)));
        }
        if let Some(special) = N::special(self) {
            return Ok(Part::Expr(special?));
        }
        let at = self.at;
        match self.name() {
            Some(name) => Ok(Part::Name(name.to_owned(), at)),
            None => self.error("a rule has an unknown sign"),
        }
    }

    /// Parses a quoted text after its opening quote.
    fn quoted(&mut self, quote: char) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some('\n') => return self.error("a quoted text has no end"),
                Some(char) if char == quote => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(_) => text.push(self.character()?),
            }
        }
    }

    /// Parses a character or an escape.
    fn character(&mut self) -> Result<char, ReadError> {
        match self.next() {
            Some('\\') => self.escape(),
            Some(char) => Ok(char),
            None => self.error("the text ends too early"),
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let digits = match self.next() {
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(char) => return Ok(char),
            None => return self.error("the text ends too early"),
        };
        let code = self.rest().get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(char) => {
                self.at += digits;
                Ok(char)
            }
            None => self.error("an escape is no character"),
        }
    }

    /// Parses a character class after its opening bracket.
    fn class(&mut self) -> Result<Expr, ReadError> {
        let is_negative = self.take("^");
        let mut ranges = Vec::new();
        while !self.take("]") {
            let start = self.character()?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            self.at += usize::from(is_range);
            let end = if is_range { self.character()? } else { start };
            ranges.push(start..=end);
        }
        let class = CharClass::from_ranges(&ranges);
        Ok(Expr::Class(if is_negative { class.complement() } else { class }))
    }

    /// Parses the repetition suffix of a part.
    fn times(&mut self, part: Part) -> Result<Part, ReadError> {
        let (least, most) = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, u32::MAX),
            Some('+') => (1, u32::MAX),
            Some('{') => return self.counted(part),
            _ => return Ok(part),
        };
        self.at += 1;
        Ok(Part::Repeat(Box::new(part), least, most))
    }

    fn counted(&mut self, part: Part) -> Result<Part, ReadError> {
        let body = self.rest().split_once('}').map(|(body, _)| body);
        let Some(body) = body else { return self.error("a repetition has no end") };
        let times = body.trim_start_matches('{');
        let (least, most) = times.split_once(',').unwrap_or((times, times));
        let number = |text: &str, usual| match text.trim() {
            "" => Some(usual),
            text => text.parse().ok(),
        };
        let (Some(least), Some(most)) = (number(least, 0), number(most, u32::MAX)) else {
            return self.error("a repetition has no number");
        };
        self.at += body.len() + 1;
        Ok(Part::Repeat(Box::new(part), least, most))
    }
}
