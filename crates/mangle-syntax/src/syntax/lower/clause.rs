//! Lowering of facts, rules, bodies and transforms, and classification of the context of a missing
//! comma or period: evident or ambiguous.

use tree_sitter::Node;

use super::{Commas, Gap, Lower};
use crate::lint::{Applicability, Finding, Fix};
use crate::syntax::ast::{
    Atom, Clause, Interval, Name, Premise, StatementKind, Term, TermKind, Transform, TransformStatement,
};
use crate::syntax::foreign::{IN_A_FILE, Lexeme, LexemeKind, NO_DISJUNCTION, NO_QUERY, arrow_note, tokens};
use crate::syntax::{SyntaxKind, kind_of, rules};
use crate::text::{Symbol, TextRange, TextSize};

/// The parts of a clause during lowering.
#[derive(Default)]
struct Parts {
    head: Option<Atom>,
    interval: Option<Box<Interval>>,
    arrow: Option<TextRange>,
    body: Body,
}

/// The parts of a body.
#[derive(Default)]
struct Body {
    premises: Vec<Premise>,
    transforms: Vec<Transform>,
}

impl<'t> Lower<'_, 't> {
    pub(super) fn clause(&mut self, node: Node<'t>) -> StatementKind {
        let mut parts = Parts::default();
        self.children(|this, child, kind| this.clause_part(&mut parts, child, kind));
        if let (Some(arrow), true) = (parts.arrow, parts.body.premises.is_empty()) {
            self.empty_body(arrow, &parts.body);
        }
        parts.body.premises.shrink_to_fit();
        parts.body.transforms.shrink_to_fit();
        let Some(head) = parts.head else {
            self.unreadable(node);
            return StatementKind::Broken;
        };
        StatementKind::Clause(Box::new(Clause {
            head,
            interval: parts.interval,
            arrow: parts.arrow,
            premises: parts.body.premises,
            transforms: parts.body.transforms,
        }))
    }

    fn clause_part(&mut self, parts: &mut Parts, child: Node<'t>, kind: SyntaxKind) {
        match kind {
            SyntaxKind::Atom | SyntaxKind::BareAtom if parts.head.is_none() => {
                let head = self.atom(child);
                self.check_not_function(&head, "be the head of a clause");
                parts.head = Some(head);
            }
            SyntaxKind::UnopenedAtom => parts.head = Some(self.unopened_atom(child)),
            SyntaxKind::Annotation => parts.interval = Some(Box::new(self.interval(child))),
            SyntaxKind::Arrow | SyntaxKind::LongArrow => parts.arrow = Some(self.range(child)),
            SyntaxKind::WrongArrow => {
                let range = self.range(child);
                parts.arrow = Some(range);
                let written = self.source(child);
                let fix = Fix::safe("write `:-`").replace(range, ":-");
                let finding = |message: String| Finding::new(&rules::WRONG_ARROW, range, message);
                self.soft(match written {
                    "" => finding("missing `:-` after the head".to_owned()),
                    _ => finding(format!("`{written}` is not the arrow of a rule"))
                        .label("expected `:-`")
                        .note(arrow_note(written))
                        .fix(fix),
                });
            }
            SyntaxKind::Body => self.body(&mut parts.body),
            SyntaxKind::Dot => self.full_stop(child),
            _ => self.other(child, kind),
        }
    }

    /// Reports `?p(X).` and `?- p(X).`, queries that a file cannot contain.
    pub(super) fn query(&mut self, node: Node<'t>) -> StatementKind {
        let range = self.range(node);
        self.holes = true;
        let lines = self.slice(range).lines().map(|line| format!("# {line}"));
        let fix = Fix::guess("turn it into a comment").replace(range, lines.collect::<Vec<_>>().join("\n"));
        let sign = TextRange::at(range.start(), 1.into());
        self.soft(Finding::new(&rules::QUERY_IN_FILE, sign, NO_QUERY).note(IN_A_FILE).fix(fix));
        StatementKind::Broken
    }

    fn empty_body(&mut self, arrow: TextRange, body: &Body) {
        if body.transforms.is_empty() {
            let finding = Finding::new(&rules::EMPTY_BODY, arrow, "rule has no body")
                .label("expected premises after this")
                .help("add premises after the arrow");
            // A transform without a body is not a fact either.
            let rest = self.text.get(self.base + usize::from(arrow.end())..).unwrap_or("");
            let is_transformed = rest.trim_start().starts_with("|>");
            let fix = || Fix::guess("delete the arrow").replace(arrow, "");
            self.soft(if is_transformed { finding } else { finding.fix(fix()) });
            self.holes = true;
        }
    }

    /// Lowers a body. The cursor must be on it.
    fn body(&mut self, body: &mut Body) {
        let mut commas = Commas { is_body: true, ..Commas::default() };
        self.children(|this, child, kind| match kind {
            SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
            SyntaxKind::Transform => {
                let transform = this.transform(child, body);
                body.transforms.extend(transform);
            }
            SyntaxKind::Disjunction => {
                this.disjunction(child);
                commas.after_element = false;
            }
            SyntaxKind::Error | SyntaxKind::StrayParen | SyntaxKind::MissingComma => this.other(child, kind),
            _ => {
                this.element(&mut commas);
                let premise = this.premise(child, kind);
                body.premises.extend(premise);
            }
        });
        self.end_of_list(&commas);
    }

    fn disjunction(&mut self, node: Node<'t>) {
        self.holes = true;
        let finding = Finding::new(&rules::DISJUNCTION, self.range(node), "Mangle has no disjunction `;`");
        self.soft(finding.note(NO_DISJUNCTION).help("write one rule for each alternative"));
    }

    fn transform(&mut self, node: Node<'t>, body: &Body) -> Option<Transform> {
        let range = self.range(node);
        let mut statements = Vec::new();
        let mut commas = Commas::default();
        self.children(|this, child, kind| match kind {
            SyntaxKind::Do | SyntaxKind::Let => {
                this.element(&mut commas);
                if kind == SyntaxKind::Do && !statements.is_empty() {
                    this.second_do(child);
                }
                statements.push(this.transform_statement(child));
            }
            SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
            SyntaxKind::Error | SyntaxKind::StrayParen | SyntaxKind::MissingComma => this.other(child, kind),
            SyntaxKind::Token => {}
            _ => {
                this.element(&mut commas);
                this.not_a_transform(child, kind, statements.is_empty());
            }
        });
        self.end_of_list(&commas);
        self.no_trailing_comma(&commas, "a transform");
        if commas.elements == 0 {
            self.empty_transform(range);
        }
        if body.premises.is_empty() {
            self.holes = true;
            let pipe = TextRange::at(range.start(), 2.into());
            let finding = Finding::new(&rules::TRANSFORM_WITHOUT_BODY, pipe, "transform without a body")
                .note("a transform applies to the solutions of a body")
                .help("add a premise before `|>`");
            self.soft(finding);
        }
        (!statements.is_empty()).then_some(Transform { range, statements })
    }

    fn second_do(&mut self, node: Node<'t>) {
        self.holes = true;
        let range = TextRange::at(self.range(node).start(), 2.into());
        let message = "`do` is not the first statement of its transform";
        let finding = Finding::new(&rules::NOT_A_TRANSFORM, range, message);
        self.soft(
            finding.label("expected `let`").note("only the first statement of a transform can be `do`"),
        );
    }

    fn empty_transform(&mut self, range: TextRange) {
        self.holes = true;
        let pipe = TextRange::at(range.start(), 2.into());
        let fix = Fix::safe("delete `|>`").replace(pipe, "");
        let finding = Finding::new(&rules::NOT_A_TRANSFORM, pipe, "no statement after `|>`");
        self.soft(finding.label("expected `do` or `let` after this").fix(fix));
    }

    fn not_a_transform(&mut self, node: Node<'t>, kind: SyntaxKind, first: bool) {
        self.holes = true;
        let is_call = matches!(kind, SyntaxKind::Atom) && self.source(node).starts_with("fn:");
        let range = self.first_line(self.range(node));
        if first && is_call {
            let fix = Fix::safe("insert `do`").insert(range.start(), "do ");
            let message = "missing `do` before the first function after `|>`";
            let finding = Finding::new(&rules::NOT_A_TRANSFORM, range, message);
            self.soft(finding.label("expected `do` or `let`").fix(fix));
        } else {
            let message =
                format!("`{}` is not a statement of a transform", super::shorten(self.slice(range)));
            let finding = Finding::new(&rules::NOT_A_TRANSFORM, range, message)
                .label("expected `do` or `let`")
                .note("the engine accepts only `do` and `let` after `|>`")
                .help("move premises before `|>`");
            self.soft(finding);
        }
    }

    fn transform_statement(&mut self, node: Node<'t>) -> TransformStatement {
        let range = self.range(node);
        let mut terms = Vec::new();
        self.children(|this, child, kind| match kind {
            SyntaxKind::Token => {}
            SyntaxKind::Error => this.other(child, kind),
            _ => {
                let term = this.term(child);
                terms.push(term);
            }
        });
        let value = terms.pop().unwrap_or(Term { range, kind: TermKind::Broken });
        let variable = terms.pop();
        if matches!(value.kind, TermKind::Broken) {
            self.holes = true;
        }
        self.check_applies(variable.as_ref(), &value);
        TransformStatement { range, variable, value }
    }

    /// Checks that `do` and `let` have a function application.
    fn check_applies(&mut self, variable: Option<&Term>, value: &Term) {
        let applies = value.apply().is_some_and(|apply| !apply.is_atom());
        if applies || matches!(value.kind, TermKind::Broken) {
            return;
        }
        self.holes = true;
        let shown = super::shorten(self.slice(value.range));
        let (word, note) = match variable {
            None => ("do", "`do` applies a function, as in `do fn:group_by(…)`"),
            Some(_) => ("let", "`let` applies a function; a value is bound by `=` in the body"),
        };
        let message = format!("`{word}` requires a function, found `{shown}`");
        let mut finding = Finding::new(&rules::LET_NEEDS_FUNCTION, value.range, message).note(note);
        finding.help = variable
            .map(|variable| format!("write `{} = {shown}` in the body", self.slice(variable.range)).into());
        finding.fix = variable.and_then(|variable| self.name_in_body(variable, value));
        self.soft(finding);
    }

    /// The fix for `|> let Y = X` without further statements: a premise in the body.
    fn name_in_body(&self, variable: &Term, value: &Term) -> Option<Fix> {
        let before = self.slice(TextRange::up_to(variable.range.start()));
        let lead = before.trim_end().strip_suffix("let")?.trim_end().strip_suffix("|>")?.trim_end();
        let after = self.byte(self.base + usize::from(value.range.end()));
        let is_last = after == Some(b'.') && !lead.ends_with(',');
        let range = TextRange::new(super::size(lead.len()), variable.range.start());
        let transform = TextRange::new(range.start(), value.range.end());
        is_last.then(|| Fix::safe("bind the value in the body").replace(range, ", ").replacing(transform))
    }

    /// Reports `X = Y.p(1).`, where the engine reads `Y.p` as one word. The caller handles a
    /// capital letter after the period.
    fn check_glued_word(&mut self, stop: Node<'t>, next: Option<u8>) {
        let goes_on =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b':' | b'_');
        let range = self.range(stop);
        let before = self.slice(TextRange::up_to(range.start()));
        let word = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let word = before.get(word.len()..).unwrap_or("");
        let is_name_constant = before.trim_end_matches(is_name_character).ends_with('/');
        let is_variable = word.starts_with(|c: char| c.is_ascii_uppercase()) && !is_name_constant;
        if is_variable && next.is_some_and(goes_on) {
            let parsed = super::shorten(&format!("{word}.{}", self.word_after(range.end())));
            self.glued_dot(range, format!("missing space after `.`: `{parsed}` parses as one word"));
        }
    }

    fn glued_dot(&mut self, stop: TextRange, message: String) {
        let fix = Fix::safe("insert a line break after `.`").insert(stop.end(), "\n");
        let finding = Finding::new(&rules::TYPE_DOT_GLUED, stop, message);
        self.soft(finding.label("does not end the statement").fix(fix));
    }

    /// The characters of a word directly after `at`.
    fn word_after(&self, at: TextSize) -> &str {
        let rest = self.text.get(self.base + usize::from(at)..).unwrap_or("");
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '_')));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest)
    }

    pub(super) fn full_stop(&mut self, node: Node<'t>) {
        let next = self.byte(node.end_byte());
        self.check_glued_word(node, next);
        if next.is_some_and(|byte| byte.is_ascii_uppercase()) {
            let range = self.range(node);
            let parsed = super::shorten(&format!(".{}", self.word_after(range.end())));
            self.glued_dot(range, format!("missing space after `.`: `{parsed}` parses as a type"));
        }
    }

    /// Reports a missing period. Usually a name constant has absorbed it: `X = /a.`
    pub(super) fn missing_dot(&mut self, node: Node<'t>) {
        let place = self.after_code(node);
        let range = self.before(place);
        let text = self.slice(TextRange::up_to(place.start())).trim_end();
        let word = last_word(text);
        if word.starts_with('/') && word.ends_with('.') {
            let dot = TextRange::new(super::size(text.len() - 1), super::size(text.len()));
            let fix = Fix::safe("insert a space before `.`").insert(dot.start(), " ");
            let message = format!("missing space before `.`: `{}` parses as one name", super::shorten(word));
            let finding = Finding::new(&rules::NAME_SWALLOWS_DOT, dot, message);
            self.soft(finding.label("part of the name").note(DOES_NOT_END).fix(fix));
            return;
        }
        if let Some(comma) = text.strip_suffix(',') {
            let comma = TextRange::at(super::size(comma.len()), 1.into());
            let stop = full_stop_behind(text.trim_end_matches([',', ' ', '\t']));
            let fix = Fix::guess("replace `,` by `.`").replace(comma, stop);
            let finding = Finding::new(&rules::MISSING_DOT, comma, "statement ends with `,` instead of `.`");
            self.soft(finding.note(DOES_NOT_END).fix(fix));
            return;
        }
        let message = format!("missing `.` after `{}`", self.line_before(range.end()));
        let finding = Finding::new(&rules::MISSING_DOT, range, message).note(DOES_NOT_END);
        let stop = full_stop_behind(text);
        let applicability =
            if self.may_go_on(range.end()) { Applicability::Unsafe } else { Applicability::Safe };
        let fix = Fix::new("insert `.`", applicability).insert(range.end(), stop);
        // A period in a string or in a foreign comment ends nothing.
        let is_text = self.is_in_open_string(range.end()) || is_commented(text);
        self.soft(if is_text { finding } else { finding.fix(fix) });
    }

    /// Lowers `pX, Y)`, an atom without its `(`.
    fn unopened_atom(&mut self, node: Node<'t>) -> Atom {
        let range = self.range(node);
        let mut name = None;
        self.children(|this, child, kind| {
            if kind == SyntaxKind::Identifier {
                name = Some(this.range(child));
            }
        });
        let name = name.unwrap_or(range);
        let finding = Finding::new(&rules::UNMATCHED_PARENTHESIS, name, "missing `(` after the predicate");
        self.hard(finding.label("expected `(` after this"));
        let name = Name { symbol: Symbol::new(self.slice(name)), range: name };
        Atom { name, args: Vec::new(), range }
    }

    pub(super) fn is_bare(node: Node<'_>) -> bool {
        kind_of(node) == SyntaxKind::BareAtom
    }
}

/// The consequence of a missing period.
pub(in crate::syntax) const DOES_NOT_END: &str = "the engine reads what follows as part of this statement";

/// The period after `text`, with a blank if a name would absorb it.
pub(in crate::syntax) fn full_stop_behind(text: &str) -> &'static str {
    if last_word(text).starts_with('/') { " ." } else { "." }
}

/// True if `text` ends with a name and a period that the engine reads as a part of the name.
pub(super) fn ends_with_name_and_dot(text: &str) -> bool {
    let word = last_word(text);
    word.len() > 2 && word.starts_with('/') && word.ends_with('.')
}

/// The characters at the end of `text` that can be a name.
fn last_word(text: &str) -> &str {
    text.rfind(|c: char| !is_name_character(c)).map_or(text, |at| {
        let after = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        text.get(at + after..).unwrap_or("")
    })
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '%' | '-' | '/')
}

/// True if the last line of a text ends in a foreign comment, `// …`.
fn is_commented(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or(text);
    line.trim_start().starts_with("//") || line.contains(" // ")
}

/// Maximum length of the text after a position to inspect.
const AHEAD: usize = 400;

const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];
const NEGATIONS: [&str; 4] = ["!", "not", "\\+", "~"];

impl<'c> Lower<'c, '_> {
    /// The context of `at`.
    pub(super) fn gap(&self, at: TextSize) -> Gap {
        let (before, behind) = (tokens(self.before_place(at)), tokens(self.behind_place(at)));
        let (Some(left), Some(right)) = (before.last(), behind.first()) else { return Gap::Unclear };
        let next = behind.get(1);
        let is_call = is_call(right, next);
        let is_bare = right.kind == LexemeKind::Word && !is_call && !NEGATIONS.contains(&right.text);
        if left.kind == LexemeKind::Word || is_bare {
            return Gap::Words;
        }
        let closes = matches!(left.text, ")" | "]" | "}");
        let opens = matches!(left.text, "(" | "[" | "{");
        if left.depth + u32::from(opens) > 0 {
            let starts = matches!(right.text, "[" | "{") || is_call;
            return if closes && starts { Gap::Evident } else { Gap::Unclear };
        }
        let compares = right.is_operand() && next.is_some_and(|next| COMPARISONS.contains(&next.text));
        let starts = is_call || compares || NEGATIONS.contains(&right.text);
        if starts && (closes || right.first) { Gap::Evident } else { Gap::Unclear }
    }

    /// True if a statement without its period can continue after `at`: the next text starts no
    /// statement. For a rule, the next text can also resemble both a fact and a premise.
    fn may_go_on(&self, at: TextSize) -> bool {
        let rest = self.behind_place(at);
        let code = rest.trim_start();
        let blank = rest.get(..rest.len() - code.len()).unwrap_or("");
        let is_comment = ["#", "//", "/*", "%", "--"].iter().any(|sign| code.starts_with(sign));
        if code.is_empty() || is_comment || blank.matches('\n').count() > 1 {
            return false;
        }
        let behind = tokens(code);
        let (Some(first), next) = (behind.first(), behind.get(1)) else { return false };
        let is_keyword = matches!(first.text, "Decl" | "Package" | "Use");
        let is_head = is_call(first, next) || next.is_some_and(|next| matches!(next.text, ":-" | "⟸" | "."));
        if !blank.contains('\n') || !(is_keyword || is_head) {
            return true;
        }
        let is_rule = tokens(self.before_place(at)).iter().any(|token| matches!(token.text, ":-" | "⟸"));
        let end = behind.iter().skip(2).position(|token| token.is(")") && token.depth == first.depth);
        let stop = end.and_then(|end| behind.get(end + 3));
        is_rule && !is_keyword && stop.is_some_and(|stop| matches!(stop.text, "." | ","))
    }

    fn before_place(&self, at: TextSize) -> &'c str {
        self.text.get(self.base..self.base + usize::from(at)).unwrap_or("")
    }

    fn behind_place(&self, at: TextSize) -> &'c str {
        let start = self.base + usize::from(at);
        let mut end = self.text.len().min(start + AHEAD);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.get(start..end).unwrap_or("")
    }
}

/// True if a word has a parenthesis.
fn is_call(word: &Lexeme<'_>, next: Option<&Lexeme<'_>>) -> bool {
    word.kind == LexemeKind::Word && next.is_some_and(|next| next.is("(") && next.glued)
}
