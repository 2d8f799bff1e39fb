//! Statements of a text with syntax errors: heads, premises with their alternatives, transforms,
//! declarations.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::lex::{Kind, Token};
use super::split::{Doubt, Doubts, is_arrow, is_forward};
use super::terms::{MAX_DEPTH, Parser, Shape, Term, comparison, is_negation, variable};

/// Maximum number of rules that result from the alternatives of one rule.
const MAX_RULES: usize = 64;

/// Words that are not values and name no statement.
const RESERVED: [&str; 44] = [
    "Decl",
    "decl",
    "declare",
    "predicate",
    "pred",
    "relation",
    ".decl",
    "@decl",
    "Package",
    "package",
    "module",
    "namespace",
    "Use",
    "use",
    "using",
    "import",
    "rule",
    "fact",
    "def",
    "clause",
    "let",
    "do",
    "is",
    "in",
    "not",
    "Not",
    "NOT",
    "naf",
    "exists",
    "exist",
    "EXISTS",
    "if",
    "If",
    "IF",
    "when",
    "WHEN",
    "where",
    "Where",
    "WHERE",
    "and",
    "And",
    "AND",
    "or",
    "OR",
];
const AND: [&str; 10] = ["where", "Where", "WHERE", "and", "And", "AND", "&&", "&", "∧", "/\\"];
const OR: [&str; 8] = [";", "or", "Or", "OR", "|", "||", "∨", "\\/"];
/// Markers of lists, quotations, diffs and prompts.
const MARKERS: [&str; 10] = ["-", "+", "*", ">", "<", "%", "|", "~", "?", "•"];

/// Alternatives, each with its premises.
type Alternatives = Vec<Vec<String>>;

pub(super) fn is_reserved(token: &Token) -> bool {
    RESERVED.contains(&token.text.as_str())
}

fn is_one_of(token: &Token, words: &[&str]) -> bool {
    token.kind != Kind::Text && words.contains(&token.text.as_str())
}

/// True if the tokens read as premises without a doubt.
pub(super) fn is_body(tokens: &[Token], range: Range<usize>) -> bool {
    let mut doubts = Doubts::default();
    let end = range.end;
    let mut parser = Parser::new(tokens, range, &mut doubts);
    parser.body(false);
    parser.at == end && doubts.0.is_empty()
}

/// The clauses of a statement. `follows` is true if another statement precedes it.
pub(super) fn statement(
    tokens: &[Token],
    range: Range<usize>,
    follows: bool,
    doubts: &mut Doubts,
) -> Vec<String> {
    for at in range.clone().skip(1) {
        let Some(token) = tokens.get(at) else { continue };
        let is_glued_negation = token.is("~") && tokens.get(at + 1).is_some_and(|next| next.glued);
        if token.first && is_one_of(token, &MARKERS) && !is_glued_negation {
            doubts.add(Doubt::Marker, at);
        }
    }
    variables(tokens, range.clone(), doubts);
    let raw =
        || tokens.get(range.clone()).unwrap_or_default().iter().map(|token| token.text.as_str()).collect();
    let before = doubts.0.len();
    let mut parser = Parser::new(tokens, range.clone(), doubts);
    parser.skip_marker();
    let clauses = parser.clauses(follows);
    if parser.at < parser.end && parser.doubts.0.len() == before {
        parser.doubt(Doubt::Unreadable);
    }
    clauses.unwrap_or_else(|| vec![raw()])
}

/// Adds doubts about foreign variables that would become equal, and about `$_`.
fn variables(tokens: &[Token], range: Range<usize>, doubts: &mut Doubts) {
    let all = || range.clone().filter_map(|at| Some((at, tokens.get(at)?)));
    if !all().any(|(_, token)| token.has_sigil()) {
        return;
    }
    let mut spellings: FxHashMap<String, &str> = FxHashMap::default();
    for (at, token) in all().filter(|(_, token)| token.kind == Kind::Variable) {
        let spelling = spellings.entry(variable(&token.text)).or_insert(&token.text);
        let is_wildcard = token.has_sigil() && !token.text.contains(|c: char| c.is_ascii_alphanumeric());
        if *spelling != token.text || is_wildcard {
            doubts.add(Doubt::Variables, at);
        }
    }
}

impl Parser<'_, '_> {
    /// Skips a sign before a statement: a marker of a list, a quotation or a diff, or a negation.
    fn skip_marker(&mut self) {
        if self.peek(0).is_some_and(|sign| sign.first && is_one_of(sign, &MARKERS)) {
            self.doubt(Doubt::Marker);
            self.at += 1;
        }
    }

    fn clauses(&mut self, follows: bool) -> Option<Vec<String>> {
        let first = self.peek(0)?;
        if first.kind != Kind::Text && self.is_call(1) {
            match first.text.trim_start_matches(['.', '@']) {
                "Decl" | "decl" | "declare" | "predicate" | "pred" | "relation" => return self.declaration(),
                "rule" | "fact" | "def" | "clause" => self.at += 1,
                _ => {}
            }
        }
        match first.text.as_str() {
            "Decl" => return self.declaration(),
            "Package" | "package" | "module" | "namespace" => return self.package("Package"),
            "Use" | "use" | "using" | "import" => return self.package("Use"),
            _ => {}
        }
        let start = self.at;
        let is_head = self.kind(0) == Some(Kind::Word) && !is_negation(first) && !first.text.starts_with(':');
        let head = if is_head { self.head() } else { None };
        let next = self.peek(0);
        let Some(head) = head.filter(|_| next.is_none_or(is_arrow)) else {
            self.doubts.add(if follows { Doubt::CutOff } else { Doubt::Unreadable }, start);
            return None;
        };
        if next.is_none() {
            // A fact has no variables: such a premise belongs to the previous rule.
            let is_premise = self
                .tokens
                .get(start..self.at)
                .unwrap_or_default()
                .iter()
                .any(|token| token.kind == Kind::Variable && !token.is("_"));
            if is_premise && follows {
                self.doubts.add(Doubt::CutOff, start);
            }
            return Some(vec![head]);
        }
        Some(self.rules(&head))
    }

    /// Parses the head with its interval.
    fn head(&mut self) -> Option<String> {
        let at = self.at;
        let is_call = self.is_call(0);
        self.in_head = true;
        let mut term = self.atom_alone();
        self.in_head = false;
        if !self.more.is_empty() {
            self.doubts.add(Doubt::Bracket, at);
            self.more.clear();
        }
        if !is_call {
            term.args = Some(Vec::new());
        }
        let interval = self.interval();
        Some(format!("{term}{interval}"))
    }

    fn rules(&mut self, head: &str) -> Vec<String> {
        let arrow = self.at;
        let is_forward = self.peek(0).is_some_and(is_forward);
        self.at += 1;
        if self.tokens.get(arrow).is_some_and(|sign| sign.is(":")) && self.is(0, "-") {
            self.at += 1;
        }
        if self.peek(0).is_some_and(|word| is_one_of(word, &["if", "If", "IF", "when", "where"]))
            && !self.is(1, "(")
        {
            self.at += 1;
        }
        let bodies = self.body(false);
        // `danger(A) -> deny(A)` can have its head after the arrow.
        if is_forward && bodies.iter().all(|body| body.len() < 2) {
            self.doubts.add(Doubt::Unreadable, arrow);
        }
        let mut bound = Vec::new();
        let mut transforms = Vec::new();
        while self.is(0, "|>") || self.starts_transform() {
            if self.is(0, "|>") {
                self.at += 1;
            }
            self.transform(&mut transforms, &mut bound);
        }
        let rule = |mut body: Vec<String>| {
            body.extend(bound.iter().cloned());
            let end =
                if transforms.is_empty() { String::new() } else { format!(" |> {}", transforms.join(", ")) };
            format!("{head} :- {}{end}", body.join(", "))
        };
        bodies.into_iter().map(rule).collect()
    }

    /// Parses premises up to the end, the bracket of a group, or a transform.
    pub(super) fn body(&mut self, in_group: bool) -> Alternatives {
        let mut parts: Vec<(Alternatives, bool)> = Vec::new();
        let mut joined_by_or = false;
        let (mut has_and, mut has_or) = (false, false);
        loop {
            let from = self.at;
            parts.push((self.part(), joined_by_or));
            let evident = self.at > from;
            self.at = if evident { self.at } else { (from + 1).min(self.end) };
            let Some(next) = self.peek(0) else { break };
            joined_by_or = false;
            if next.kind == Kind::Comma || is_one_of(next, &AND) {
                has_and = true;
                self.at += 1;
                // A repeated comma, or a comma before `and`. With a blank in between, a premise can
                // be missing.
                let repeats =
                    |after: &Token| after.kind == Kind::Comma && after.glued || is_one_of(after, &AND);
                if next.kind == Kind::Comma && self.peek(0).is_some_and(repeats) {
                    self.at += 1;
                }
            } else if is_one_of(next, &OR) {
                (has_or, joined_by_or) = (true, true);
                self.at += 1;
            } else if next.is("|>") || self.starts_transform() || in_group && next.is(")") {
                break;
            } else if self.starts_premise() {
                has_and = true;
            } else {
                self.doubt(if next.kind == Kind::Close { Doubt::Bracket } else { Doubt::Words });
                self.at = self.end;
                break;
            }
        }
        if has_and && has_or {
            self.doubt(Doubt::Alternatives);
        }
        combine(parts).unwrap_or_else(|all| {
            self.doubt(Doubt::Alternatives);
            vec![all]
        })
    }

    /// Parses one premise, or a group in parentheses.
    fn part(&mut self) -> Alternatives {
        if self.is(0, "(") && self.is_group() {
            if self.groups == MAX_DEPTH {
                self.doubt(Doubt::Unreadable);
                self.at = self.end;
                return vec![Vec::new()];
            }
            self.at += 1;
            self.groups += 1;
            let inner = self.body(true);
            self.groups -= 1;
            if self.is(0, ")") {
                self.at += 1;
            } else {
                self.doubt(Doubt::Bracket);
            }
            return inner;
        }
        // `true` always holds.
        let is_alone = self.peek(1).is_none_or(|next| next.kind == Kind::Comma || next.is("|>"));
        if self.is(0, "true") && is_alone {
            self.at += 1;
            return vec![Vec::new()];
        }
        if self.is(0, "let") && self.kind(1) == Some(Kind::Variable) {
            self.at += 1;
        }
        let at = self.at;
        let term = self.element();
        let mut premises = vec![self.premise(term, at)];
        for more in std::mem::take(&mut self.more) {
            premises.push(self.premise(more, at));
        }
        vec![premises]
    }

    fn premise(&mut self, term: Term, at: usize) -> String {
        match term.shape {
            Shape::Word => format!("{}()", term.name),
            Shape::Value | Shape::Pattern => {
                self.doubts.add(Doubt::Missing, at);
                term.to_string()
            }
            Shape::Atom | Shape::Premise | Shape::Function => term.to_string(),
        }
    }

    /// True if a parenthesis contains premises, not arithmetic.
    fn is_group(&self) -> bool {
        let Some(close) = self.close(self.at) else { return false };
        let inner = self.tokens.get(self.at + 1..close).unwrap_or_default();
        let is_premise = |token: &Token| {
            comparison(token).is_some()
                || is_negation(token) && !token.is("-")
                || is_one_of(token, &OR)
                || is_one_of(token, &AND)
        };
        inner.iter().any(is_premise)
            || self.is_call(1) && !self.peek(1).is_some_and(|word| word.text.starts_with("fn:"))
    }

    /// True if a premise starts here without a comma before it.
    fn starts_premise(&self) -> bool {
        let Some(token) = self.peek(0) else { return false };
        let closes = self
            .at
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|before| before.kind == Kind::Close);
        let compares = token.is_operand() && self.peek(1).is_some_and(|next| comparison(next).is_some());
        (closes || token.first) && (self.is_call(0) || compares || is_negation(token) && !token.is("-"))
    }

    /// True if `do` or `let` starts a transform here without `|>`.
    fn starts_transform(&self) -> bool {
        let has_pipe = self.last_pipe.is_some_and(|pipe| pipe >= self.at);
        !has_pipe
            && (self.is(0, "do") && self.kind(1) == Some(Kind::Word)
                || self.is(0, "let") && self.kind(1) == Some(Kind::Variable))
    }

    /// Parses the statements of a transform. A `let` without a function is a premise.
    fn transform(&mut self, transforms: &mut Vec<String>, bound: &mut Vec<String>) {
        loop {
            let at = self.at;
            if self.is(0, "do") {
                self.at += 1;
                let term = self.element();
                transforms.push(format!("do {term}"));
            } else if self.is(0, "let") {
                self.at += 1;
                let term = self.element();
                let is_function =
                    term.args.as_ref().and_then(|sides| sides.get(1)).is_some_and(|side| side.args.is_some());
                if is_function || !transforms.is_empty() {
                    transforms.push(format!("let {term}"));
                } else {
                    bound.push(term.to_string());
                }
            } else if self.is_call(0)
                && self.peek(0).is_some_and(|word| word.text.starts_with("fn:"))
                && transforms.is_empty()
            {
                let term = self.element();
                transforms.push(format!("do {term}"));
            } else {
                self.doubts.add(Doubt::Missing, at);
            }
            self.more.clear();
            match self.peek(0) {
                Some(next) if next.kind == Kind::Comma || next.is(";") => self.at += 1,
                Some(next) if next.is("|>") => return,
                Some(_) => {
                    self.doubt(Doubt::Words);
                    self.at = self.end;
                    return;
                }
                None => return,
            }
        }
    }

    /// A declaration: its name and its arity. Declarations derive nothing.
    fn declaration(&mut self) -> Option<Vec<String>> {
        self.at += 1;
        let open = self.at;
        if self.kind(0) != Some(Kind::Word) {
            self.doubt(Doubt::Unreadable);
            return None;
        }
        let name = self.peek(0)?.text.clone();
        let mut depth = 0usize;
        for token in self.tokens.get(open..self.end).unwrap_or_default() {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close if depth == 0 => self.doubts.add(Doubt::Bracket, open),
                Kind::Close => depth -= 1,
                _ => {}
            }
        }
        if depth > 0 {
            self.doubts.add(Doubt::Bracket, open);
        }
        let close = self.close(open + 1).filter(|_| self.is(1, "("));
        let inner = close.map_or(&[][..], |close| self.tokens.get(open + 2..close).unwrap_or_default());
        let commas = inner.iter().filter(|token| token.kind == Kind::Comma).count();
        let arity = if inner.is_empty() { 0 } else { commas + 1 };
        self.at = self.end;
        Some(vec![format!("Decl {name}/{arity}")])
    }

    fn package(&mut self, keyword: &str) -> Option<Vec<String>> {
        let name =
            self.peek(1).filter(|name| matches!(name.kind, Kind::Word | Kind::Text | Kind::Variable))?;
        self.at = self.end;
        Some(vec![format!("{keyword} {}", name.text.trim_matches(['"', '\'', '`']))])
    }
}

/// Combines the alternatives of parts that are joined by commas or alternative signs. If the result
/// exceeds [`MAX_RULES`], the error has all premises in order.
fn combine(parts: Vec<(Alternatives, bool)>) -> Result<Alternatives, Vec<String>> {
    if !is_short(&parts) {
        return Err(parts.into_iter().flat_map(|(part, _)| part.into_iter().flatten()).collect());
    }
    let mut all: Alternatives = vec![Vec::new()];
    for (at, (mut part, joined_by_or)) in parts.into_iter().enumerate() {
        if joined_by_or && at > 0 {
            all.append(&mut part);
            continue;
        }
        // A copy for each premise would take quadratic time.
        match (all.as_mut_slice(), part.as_mut_slice()) {
            ([body], [more]) => body.append(more),
            (bodies, [more]) => bodies.iter_mut().for_each(|body| body.extend(more.iter().cloned())),
            (bodies, _) => {
                let extended =
                    |body: &Vec<String>| part.iter().map(|more| [body.as_slice(), more].concat()).collect();
                all = bodies.iter().flat_map(|body| -> Vec<_> { extended(body) }).collect();
            }
        }
    }
    Ok(all)
}

/// True if the parts have at most [`MAX_RULES`] alternatives in total.
fn is_short(parts: &[(Alternatives, bool)]) -> bool {
    let mut count = 1;
    parts.iter().enumerate().all(|(at, (part, joined_by_or))| {
        count = if *joined_by_or && at > 0 { count + part.len() } else { count * part.len() };
        count <= MAX_RULES
    })
}
