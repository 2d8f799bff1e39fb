//! Lowering of terms and type expressions.

use tree_sitter::Node;

use super::super::ast::{Apply, ApplyForm, Name, Term, TermKind};
use super::super::foreign::{
    MATCH_CONS, NO_LIST_PATTERN, TYPES_FOLLOW, as_functions, no_infix, typed_argument, value_advice,
};
use super::super::rules;
use super::{Commas, Lower, MAX_NESTING};
use crate::lint::{Finding, Fix};
use crate::syntax::{SyntaxKind, kind_of};
use crate::text::{Symbol, TextRange};

impl<'t> Lower<'_, 't> {
    /// Lowers a term. The cursor must be on it.
    pub(super) fn term(&mut self, node: Node<'t>) -> Term {
        let range = self.range(node);
        if self.depth >= MAX_NESTING {
            self.too_deep(range);
            return Term { range, kind: TermKind::Broken };
        }
        self.depth += 1;
        let kind = self.term_kind(node, range);
        self.depth -= 1;
        if matches!(kind, TermKind::Broken) {
            self.holes = true;
        }
        Term { range, kind }
    }

    fn term_kind(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        match kind_of(node) {
            SyntaxKind::Variable => self.variable(node, range),
            SyntaxKind::Constant => TermKind::Name(Symbol::new(self.source(node))),
            SyntaxKind::Number => self.number(node),
            SyntaxKind::Float => self.float(node),
            SyntaxKind::String => self.string(node, false),
            SyntaxKind::Bytes => self.string(node, true),
            SyntaxKind::Timestamp | SyntaxKind::Duration => self.time_literal_as_term(node),
            SyntaxKind::Atom => self.application(node),
            SyntaxKind::List => self.list(node, range),
            SyntaxKind::Map => self.pairs(node, range, "fn:map", ApplyForm::Map),
            SyntaxKind::Struct => self.pairs(node, range, "fn:struct", ApplyForm::Struct),
            SyntaxKind::DotType => self.dot_type(),
            SyntaxKind::OptionalField => self.optional_field(range),
            SyntaxKind::BareName => self.bare_name(node, range),
            SyntaxKind::BareMode => self.bare_mode(range),
            SyntaxKind::TypedArgument => self.typed_argument(node, range),
            SyntaxKind::Arithmetic => self.arithmetic(node, range),
            kind => {
                self.other(node, kind);
                TermKind::Broken
            }
        }
    }

    pub(super) fn too_deep(&mut self, range: TextRange) {
        let message = format!("nesting is deeper than {MAX_NESTING} levels");
        let start = TextRange::at(range.start(), range.len().min(1.into()));
        let finding = Finding::new(&rules::NESTED_TOO_DEEP, start, message);
        self.hard(finding.note("this statement is not checked any further"));
    }

    /// Lowers `fn:f(…)`, or `p(…)` in the position of a value.
    fn application(&mut self, node: Node<'t>) -> TermKind {
        self.applications += 1;
        let atom = self.atom(node);
        self.applications -= 1;
        if !self.is_function(&atom) {
            let name = self.slice(atom.name.range);
            let message = format!("atom `{}(…)` is used as a value", super::shorten(name));
            self.holes = true;
            let finding = Finding::new(&rules::PREDICATE_AS_VALUE, atom.name.range, message)
                .note("an atom is true or false; only a function returns a value")
                .help(value_advice(name));
            self.soft(finding);
        }
        TermKind::Apply(Box::new(Apply { function: atom.name, form: ApplyForm::Call, args: atom.args }))
    }

    fn list(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        self.check_glued_bracket(node);
        let mut tail = None;
        let args = self.elements(|this, child, kind| {
            if kind == SyntaxKind::Bar {
                tail = Some(this.range(child));
            }
            kind == SyntaxKind::Bar
        });
        if let Some(bar) = tail {
            self.holes = true;
            let finding = Finding::new(&rules::CONS_BAR, bar, NO_LIST_PATTERN)
                .note(MATCH_CONS)
                .help("write a variable for the list and add the premise");
            self.soft(finding);
        }
        self.sugar("fn:list", ApplyForm::List, range, args)
    }

    /// Reports `[-1]`, where the engine reads the operator `[-`.
    pub(super) fn check_glued_bracket(&mut self, node: Node<'t>) {
        if let Some(sign @ (b'-' | b'+')) = self.byte(node.start_byte() + 1) {
            let range = TextRange::at(self.range(node).start(), 2.into());
            let sign = char::from(sign);
            let fix = Fix::safe("insert a space after `[`").insert(range.start() + super::size(1), " ");
            let message = format!("missing space after `[`: `[{sign}` parses as a temporal operator");
            let finding = Finding::new(&rules::NEGATIVE_LIST_HEAD, range, message);
            self.soft(finding.label("not the start of a list").fix(fix));
        }
    }

    /// Lowers the terms among the children. `skip` sees each child first and returns true if it
    /// handled the child.
    fn elements(&mut self, mut skip: impl FnMut(&mut Self, Node<'t>, SyntaxKind) -> bool) -> Vec<Term> {
        let mut args = Vec::new();
        let mut commas = Commas::default();
        self.children(|this, child, kind| {
            if skip(this, child, kind) {
                return;
            }
            match kind {
                SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
                SyntaxKind::Token => {}
                SyntaxKind::Error
                | SyntaxKind::MissingBracket
                | SyntaxKind::MissingBrace
                | SyntaxKind::MissingAngle
                | SyntaxKind::MissingComma => {
                    this.other(child, kind);
                }
                SyntaxKind::Pair => {
                    this.element(&mut commas);
                    this.pair(child, &mut args);
                }
                _ => {
                    this.element(&mut commas);
                    let term = this.term(child);
                    args.push(term);
                }
            }
        });
        self.end_of_list(&commas);
        args.shrink_to_fit();
        args
    }

    /// Lowers a map or a struct.
    fn pairs(
        &mut self,
        node: Node<'t>,
        range: TextRange,
        function: &'static str,
        form: ApplyForm,
    ) -> TermKind {
        self.check_glued_bracket(node);
        let mut lonely = None;
        let args = self.elements(|this, child, kind| {
            let known = matches!(
                kind,
                SyntaxKind::Pair
                    | SyntaxKind::Comma
                    | SyntaxKind::DoubleComma
                    | SyntaxKind::Token
                    | SyntaxKind::Error
            );
            if !known && !child.is_extra() {
                lonely.get_or_insert(this.range(child));
            }
            false
        });
        if let (Some(range), false) = (lonely, self.hard.is_some()) {
            self.holes = true;
            let finding = Finding::new(&rules::NOT_A_PAIR, range, "entry of a map or struct has no key");
            self.soft(finding.label("expected `key : value`"));
        }
        self.sugar(function, form, range, args)
    }

    /// Lowers a pair, whose key and value become two arguments. The cursor must be on it.
    fn pair(&mut self, node: Node<'t>, args: &mut Vec<Term>) {
        self.check_glued_colon(node);
        self.children(|this, child, kind| match kind {
            SyntaxKind::Token => {}
            SyntaxKind::Error => this.other(child, kind),
            _ => {
                let term = this.term(child);
                args.push(term);
            }
        });
    }

    /// Reports `X:2`, which is a type name for the engine, and `:fn:list()`, which is a predicate
    /// name.
    fn check_glued_colon(&mut self, node: Node<'t>) {
        let Some(key) = node.named_child(0) else { return };
        let source = self.source(node);
        let after_key = key.end_byte() - node.start_byte();
        let Some(colon) = source.get(after_key..).and_then(|rest| rest.find(':')).map(|at| at + after_key)
        else {
            return;
        };
        let key_glued = colon == after_key && kind_of(key) == SyntaxKind::Variable;
        let value_glued = source.as_bytes().get(colon + 1).is_some_and(u8::is_ascii_lowercase);
        if !key_glued && !value_glued {
            return;
        }
        let start = self.range(node).start() + super::size(colon);
        let range = TextRange::at(start, 1.into());
        let fix = Fix::safe("insert spaces around `:`").replace(range, " : ");
        let before = if key_glued { source.get(..colon).unwrap_or("") } else { "" };
        let after = source.get(colon..).unwrap_or(":");
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '_')));
        let word = format!("{before}{}", after.get(..end.unwrap_or(after.len())).unwrap_or(after));
        let message = format!("missing space at `:`: `{}` parses as one word", super::shorten(&word));
        let finding = Finding::new(&rules::COLON_GLUED, range, message);
        self.soft(finding.label("part of the word").fix(fix));
    }

    fn sugar(&self, function: &'static str, form: ApplyForm, range: TextRange, args: Vec<Term>) -> TermKind {
        let function =
            Name { symbol: Symbol::of_language(function), range: TextRange::at(range.start(), 1.into()) };
        TermKind::Apply(Box::new(Apply { function, form, args }))
    }

    /// Lowers `.List</number>`. The cursor must be on it.
    fn dot_type(&mut self) -> TermKind {
        let mut name = None;
        let args = self.elements(|this, child, kind| {
            if kind == SyntaxKind::TypeName && name.is_none() {
                name = Some((this.source(child), this.range(child)));
                return true;
            }
            kind == SyntaxKind::TypeName
        });
        let Some((written, range)) = name else { return TermKind::Broken };
        let symbol = Symbol::new(&format!("fn:{}", written.trim_start_matches('.')));
        TermKind::Apply(Box::new(Apply { function: Name { symbol, range }, form: ApplyForm::DotType, args }))
    }

    /// Lowers `opt /note : /string` in a struct type.
    fn optional_field(&mut self, range: TextRange) -> TermKind {
        let args = self.elements(|_, _, _| false);
        self.sugar("fn:opt", ApplyForm::Optional, range, args)
    }

    /// Lowers `mode(+, -)`.
    fn bare_mode(&mut self, range: TextRange) -> TermKind {
        let sign = self.slice(range);
        let fix = Fix::safe(format!("write `\"{sign}\"`")).replace(range, format!("\"{sign}\""));
        let finding = Finding::new(&rules::MODE_UNQUOTED, range, format!("mode `{sign}` is not quoted"));
        self.soft(finding.label("expected a string").fix(fix));
        TermKind::Broken
    }

    /// Lowers `A.Type<string>`, which no released engine accepts.
    fn typed_argument(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        let variable = node.named_child(0).map_or(range, |name| self.range(name));
        let types = TextRange::new(variable.end(), range.end());
        let fix = Fix::guess("delete the type").replace(types, "");
        let finding = Finding::new(&rules::LEGACY_TYPED_ARG, range, typed_argument(self.slice(range)));
        self.soft(finding.note(TYPES_FOLLOW).fix(fix));
        TermKind::Broken
    }

    /// Lowers `X + 1`.
    fn arithmetic(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        let operator =
            node.child_by_field_name("operator").map_or("", |operator| self.source(operator).trim_end());
        let function = match operator {
            "+" => "fn:plus",
            "-" => "fn:minus",
            "*" => "fn:mult",
            _ => "fn:div",
        };
        if node.has_error() {
            self.unreadable(node);
            return TermKind::Broken;
        }
        let mut finding = Finding::new(&rules::INFIX_ARITHMETIC, self.first_line(range), no_infix(operator))
            .note(format!("arithmetic uses functions, as in `{function}(…)`"));
        if let Some(call) = as_functions(self.source(node)) {
            finding =
                finding.fix(Fix::safe(format!("write `{}`", super::shorten(&call))).replace(range, call));
        }
        self.soft(finding);
        TermKind::Broken
    }
}
