//! Facts, rules, bodies and transforms.

use tree_sitter::Node;

use super::super::ast::{
    Atom, Clause, Interval, Name, Premise, StatementKind, Term, TermKind, Transform, TransformStatement,
};
use super::super::foreign::NO_QUERY;
use super::super::kind::{SyntaxKind, kind_of};
use super::super::rules;
use super::{Commas, Lower};
use crate::lint::{Applicability, Finding, Fix};
use crate::text::{Symbol, TextRange};

/// What a clause consists of, while it is read.
#[derive(Default)]
struct Parts {
    head: Option<Atom>,
    interval: Option<Interval>,
    arrow: Option<TextRange>,
    body: Body,
}

/// What a body consists of.
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
                self.check_not_function(&head, "the head of a clause");
                parts.head = Some(head);
            }
            SyntaxKind::UnopenedAtom => parts.head = Some(self.unopened_atom(child)),
            SyntaxKind::Annotation => parts.interval = Some(self.interval(child)),
            SyntaxKind::Arrow | SyntaxKind::LongArrow => parts.arrow = Some(self.range(child)),
            SyntaxKind::WrongArrow => {
                let range = self.range(child);
                parts.arrow = Some(range);
                let written = self.source(child);
                let message = format!("A rule's arrow is `:-` (or `⟸`), not `{written}`.");
                let fix = Fix::safe("Write `:-`").replace(range, ":-");
                let finding = Finding::new(&rules::WRONG_ARROW, range, message);
                self.soft(match written {
                    "" => Finding { message: "The arrow `:-` is missing behind the head.".into(), ..finding },
                    _ => finding.fix(fix),
                });
            }
            SyntaxKind::Body => self.body(&mut parts.body),
            SyntaxKind::Dot => self.full_stop(child),
            _ => self.other(child, kind),
        }
    }

    /// `?p(X).` and `?- p(X).`: a query, which a file cannot hold.
    pub(super) fn query(&mut self, node: Node<'t>) -> StatementKind {
        let range = self.range(node);
        self.holes = true;
        let lines = self.slice(range).lines().map(|line| format!("# {line}"));
        let fix = Fix::guess("Turn it into a comment").replace(range, lines.collect::<Vec<_>>().join("\n"));
        let sign = TextRange::at(range.start(), 1.into());
        self.soft(Finding::new(&rules::QUERY_IN_FILE, sign, NO_QUERY).fix(fix));
        StatementKind::Broken
    }

    fn empty_body(&mut self, arrow: TextRange, body: &Body) {
        if body.transforms.is_empty() {
            let message =
                "This rule has no body. Write what it follows from, or drop the arrow to state a fact.";
            let finding = Finding::new(&rules::EMPTY_BODY, arrow, message);
            // A transform without a body is no fact either.
            let rest = self.text.get(self.base + usize::from(arrow.end())..).unwrap_or("");
            let is_transformed = rest.trim_start().starts_with("|>");
            let fix = || Fix::guess("Drop the arrow").replace(arrow, "");
            self.soft(if is_transformed { finding } else { finding.fix(fix()) });
            self.holes = true;
        }
    }

    /// The cursor is on a body.
    fn body(&mut self, body: &mut Body) {
        let mut commas = Commas::default();
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
        self.soft(Finding::new(
            &rules::DISJUNCTION,
            self.range(node),
            "Mangle has no `;`. Write one rule for each alternative, with the same head.",
        ));
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
        self.no_trailing_comma(&commas, "A transform");
        if commas.elements == 0 {
            self.empty_transform(range);
        }
        if body.premises.is_empty() {
            self.holes = true;
            let pipe = TextRange::at(range.start(), 2.into());
            let message = "A transform needs a body in front of it to transform.";
            self.soft(Finding::new(&rules::TRANSFORM_WITHOUT_BODY, pipe, message));
        }
        (!statements.is_empty()).then_some(Transform { range, statements })
    }

    fn second_do(&mut self, node: Node<'t>) {
        self.holes = true;
        let range = TextRange::at(self.range(node).start(), 2.into());
        let message = "Only the first statement of a transform can be a `do`; those after it are `let`s.";
        self.soft(Finding::new(&rules::NOT_A_TRANSFORM, range, message));
    }

    fn empty_transform(&mut self, range: TextRange) {
        self.holes = true;
        let pipe = TextRange::at(range.start(), 2.into());
        let fix = Fix::safe("Delete it").replace(pipe, "");
        let message = "Nothing stands behind this `|>`; `do` or `let` belongs there.";
        self.soft(Finding::new(&rules::NOT_A_TRANSFORM, pipe, message).fix(fix));
    }

    fn not_a_transform(&mut self, node: Node<'t>, kind: SyntaxKind, first: bool) {
        self.holes = true;
        let is_call = matches!(kind, SyntaxKind::Atom) && self.source(node).starts_with("fn:");
        let range = self.first_line(self.range(node));
        if first && is_call {
            let fix = Fix::safe("Insert `do`").insert(range.start(), "do ");
            let message = "A transform starts with `do` or `let`.";
            self.soft(Finding::new(&rules::NOT_A_TRANSFORM, range, message).fix(fix));
        } else {
            let message =
                "Behind `|>` stand `do` and `let` statements only; conditions belong in front of it.";
            self.soft(Finding::new(&rules::NOT_A_TRANSFORM, range, message));
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

    /// What `do` and `let` take: an application of a function.
    fn check_applies(&mut self, variable: Option<&Term>, value: &Term) {
        let applies = value.apply().is_some_and(|apply| !apply.is_atom());
        if applies || matches!(value.kind, TermKind::Broken) {
            return;
        }
        self.holes = true;
        let shown = super::shorten(self.slice(value.range));
        let message = match variable.map(|variable| self.slice(variable.range)) {
            None => format!("`do` takes a function, `fn:group_by(…)`; `{shown}` is none."),
            Some(name) => format!(
                "`let` takes a function; `{shown}` is none. To name a value, write `{name} = {shown}` in the body."
            ),
        };
        let mut finding = Finding::new(&rules::LET_NEEDS_FUNCTION, value.range, message);
        finding.fix = variable.and_then(|variable| self.name_in_body(variable, value));
        self.soft(finding);
    }

    /// `|> let Y = X` with nothing else in the transform: the value is named in the body instead.
    fn name_in_body(&self, variable: &Term, value: &Term) -> Option<Fix> {
        let before = self.slice(TextRange::up_to(variable.range.start()));
        let lead = before.trim_end().strip_suffix("let")?.trim_end().strip_suffix("|>")?.trim_end();
        let after = self.byte(self.base + usize::from(value.range.end()));
        let is_last = after == Some(b'.') && !lead.ends_with(',');
        let range = TextRange::new(super::size(lead.len()), variable.range.start());
        let transform = TextRange::new(range.start(), value.range.end());
        is_last.then(|| Fix::safe("Name the value in the body").replace(range, ", ").replacing(transform))
    }

    /// `X = Y.p(1).`: the engine reads `Y.p` as one word. A capital behind the full stop is told apart
    /// by the caller.
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
            let fix = Fix::safe("Start a new line behind the full stop").insert(range.end(), "\n");
            let message = format!(
                "A full stop between a variable and a letter ends nothing: `{word}.` and what follows are one word for the engine."
            );
            self.soft(Finding::new(&rules::TYPE_DOT_GLUED, range, message).fix(fix));
        }
    }

    pub(super) fn full_stop(&mut self, node: Node<'t>) {
        let next = self.byte(node.end_byte());
        self.check_glued_word(node, next);
        if next.is_some_and(|byte| byte.is_ascii_uppercase()) {
            let range = self.range(node);
            let fix = Fix::safe("Start a new line behind the full stop").insert(range.end(), "\n");
            let message = "A full stop glued to a capital letter starts a type (`.List`): this statement does not end for the engine.";
            self.soft(Finding::new(&rules::TYPE_DOT_GLUED, range, message).fix(fix));
        }
    }

    /// The full stop is missing. Usually a name constant has swallowed it: `X = /a.`
    pub(super) fn missing_dot(&mut self, node: Node<'t>) {
        let place = self.after_code(node);
        let range = self.before(place);
        let text = self.slice(TextRange::up_to(place.start())).trim_end();
        let word = last_word(text);
        if word.starts_with('/') && word.ends_with('.') {
            let dot = TextRange::new(super::size(text.len() - 1), super::size(text.len()));
            let fix = Fix::safe("Insert a space before the full stop").insert(dot.start(), " ");
            let message = format!(
                "The full stop is part of the name here: `{word}` is one constant, and the statement does not end."
            );
            self.soft(Finding::new(&rules::NAME_SWALLOWS_DOT, dot, message).fix(fix));
            return;
        }
        if let Some(comma) = text.strip_suffix(',') {
            let comma = TextRange::at(super::size(comma.len()), 1.into());
            let message = "A statement ends with a full stop, not with `,`.";
            let stop = full_stop_behind(text.trim_end_matches([',', ' ', '\t']));
            let fix = Fix::safe("Write a full stop").replace(comma, stop);
            self.soft(Finding::new(&rules::MISSING_DOT, comma, message).fix(fix));
            return;
        }
        let message = format!("A full stop is missing after `{}`.", self.line_before(range.end()));
        let finding = Finding::new(&rules::MISSING_DOT, range, message);
        let stop = full_stop_behind(text);
        let applicability =
            if self.may_go_on(range.end()) { Applicability::Unsafe } else { Applicability::Safe };
        let fix = Fix::new("Insert the full stop", applicability).insert(range.end(), stop);
        self.soft(if self.is_in_open_string(range.end()) { finding } else { finding.fix(fix) });
    }

    /// `pX, Y)`: an atom whose `(` is gone.
    fn unopened_atom(&mut self, node: Node<'t>) -> Atom {
        let range = self.range(node);
        let mut name = None;
        self.children(|this, child, kind| {
            if kind == SyntaxKind::Identifier {
                name = Some(this.range(child));
            }
        });
        let name = name.unwrap_or(range);
        let message = "The `(` behind the predicate is missing.";
        self.hard(Finding::new(&rules::UNMATCHED_PARENTHESIS, name, message));
        let name = Name { symbol: Symbol::new(self.slice(name)), range: name };
        Atom { name, args: Vec::new(), range }
    }

    pub(super) fn is_bare(node: Node<'_>) -> bool {
        kind_of(node) == SyntaxKind::BareAtom
    }
}

/// How a full stop is written behind `text`: glued to a name it would be a part of it.
pub(in crate::syntax) fn full_stop_behind(text: &str) -> &'static str {
    if last_word(text).starts_with('/') { " ." } else { "." }
}

/// The characters at the end of `text` that could be a name.
fn last_word(text: &str) -> &str {
    text.rfind(|c: char| !is_name_character(c)).map_or(text, |at| {
        let after = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        text.get(at + after..).unwrap_or("")
    })
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '%' | '-' | '/')
}
