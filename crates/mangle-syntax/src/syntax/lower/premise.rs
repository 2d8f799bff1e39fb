//! Lowering of premises: atoms, negations, temporal atoms, comparisons.

use tree_sitter::Node;

use super::super::ast::{
    Comparison, Interval, Literal, Operator, Premise, TemporalOperator, Term, TermKind, TimeBound,
    TimeBoundKind,
};
use super::super::foreign::{NEGATION_SIGN, does_not_negate, only_atoms_are_negated};
use super::super::rules;
use super::{Lower, MAX_NESTING};
use crate::lint::{Finding, Fix};
use crate::syntax::{SyntaxKind, kind_of};
use crate::text::TextRange;

/// The reason that a comparison has neither an interval nor a temporal operator.
const ONLY_ATOMS_HAVE_TIMES: &str = "only atoms hold at some times and not at others";

impl<'t> Lower<'_, 't> {
    pub(super) fn premise(&mut self, node: Node<'t>, kind: SyntaxKind) -> Option<Premise> {
        match kind {
            SyntaxKind::Atom | SyntaxKind::BareAtom => Some(Premise::Literal(self.plain_literal(node))),
            SyntaxKind::TemporalPremise => Some(self.temporal_premise(node)),
            SyntaxKind::Negation => Some(self.negation(node)),
            SyntaxKind::Comparison => Some(Premise::Comparison(self.comparison(node))),
            SyntaxKind::BareTerm => Some(self.bare_term(node)),
            _ => {
                self.other(node, kind);
                None
            }
        }
    }

    fn plain_literal(&mut self, node: Node<'t>) -> Literal {
        let atom = self.atom(node);
        if self.is_function(&atom) {
            self.function_as_premise(&atom);
        }
        Literal { range: atom.range, negation: None, operator: None, atom, interval: None }
    }

    /// Lowers a term in the position of a premise.
    fn bare_term(&mut self, node: Node<'t>) -> Premise {
        let range = self.range(node);
        let mut terms = Vec::new();
        self.children(|this, child, kind| match kind {
            SyntaxKind::Error => this.other(child, kind),
            _ => {
                let term = this.term(child);
                terms.push(term);
            }
        });
        self.holes = true;
        let shown = super::shorten(self.slice(range));
        let message = format!("`{shown}` is a value, not a premise");
        let finding = Finding::new(&rules::NOT_A_PREMISE, range, message);
        self.soft(finding.note("a premise is an atom or a comparison"));
        Premise::Broken(range, terms)
    }

    fn negation(&mut self, node: Node<'t>) -> Premise {
        let range = self.range(node);
        if self.depth >= MAX_NESTING {
            self.too_deep(range);
            return Premise::Broken(range, Vec::new());
        }
        self.depth += 1;
        let premise = self.negated_premise(range);
        self.depth -= 1;
        premise
    }

    fn negated_premise(&mut self, range: TextRange) -> Premise {
        let mut operator = None;
        let mut inner = None;
        self.children(|this, child, kind| match kind {
            SyntaxKind::Bang | SyntaxKind::Token => operator = Some(this.range(child)),
            SyntaxKind::Error => this.other(child, kind),
            _ => inner = this.premise(child, kind),
        });
        let operator = operator.unwrap_or(TextRange::at(range.start(), 1.into()));
        if !matches!(inner, Some(Premise::Comparison(_))) {
            self.check_negation_sign(operator);
        }
        match inner {
            Some(Premise::Literal(literal)) => self.negated_literal(range, operator, literal),
            Some(Premise::Comparison(comparison)) => self.negated_comparison(operator, comparison),
            Some(Premise::Broken(_, terms)) => Premise::Broken(range, terms),
            None => {
                self.holes = true;
                Premise::Broken(range, Vec::new())
            }
        }
    }

    /// Reports `not`, `\+`, `~` instead of `!`.
    fn check_negation_sign(&mut self, operator: TextRange) {
        let written = self.slice(operator);
        if written == "!" {
            return;
        }
        let spaced = TextRange::new(operator.start(), operator.end() + self.blanks_after(operator));
        let fix = Fix::safe("write `!`").replace(spaced, "!");
        let finding = Finding::new(&rules::NOT_KEYWORD, operator, does_not_negate(written));
        self.soft(finding.label(NEGATION_SIGN).fix(fix));
    }

    fn blanks_after(&self, range: TextRange) -> crate::text::TextSize {
        let rest = self.text.get(self.base + usize::from(range.end())..).unwrap_or("");
        super::size(rest.len() - rest.trim_start_matches([' ', '\t']).len())
    }

    fn negated_literal(&mut self, range: TextRange, operator: TextRange, literal: Literal) -> Premise {
        if literal.negation.is_some() {
            self.holes = true;
            let finding = Finding::new(&rules::DOUBLE_NEGATION, operator, "negation of a negation")
                .note("the engine accepts at most one `!` before an atom")
                .help("delete both negations");
            self.soft(finding);
        }
        if literal.is_temporal() {
            self.holes = true;
            let finding = Finding::new(&rules::NEGATED_TEMPORAL, range, "negation of a temporal premise")
                .note("the engine negates only atoms without interval and temporal operator")
                .help("define a helper rule with this premise and negate its head");
            self.soft(finding);
        }
        Premise::Literal(Literal { range, negation: Some(operator), ..literal })
    }

    fn negated_comparison(&mut self, operator: TextRange, comparison: Comparison) -> Premise {
        let flipped = comparison.operator.negated();
        let fix = Fix::safe(format!("write `{}`", flipped.as_str()))
            .replace(TextRange::new(operator.start(), operator.end() + self.blanks_after(operator)), "")
            .replace(comparison.operator_range, flipped.as_str());
        let note = only_atoms_are_negated(comparison.operator.as_str(), flipped.as_str());
        let finding = Finding::new(&rules::NEGATED_COMPARISON, operator, "negation of a comparison");
        self.soft(finding.note(note).fix(fix));
        Premise::Comparison(Comparison { operator: flipped, ..comparison })
    }

    fn temporal_premise(&mut self, node: Node<'t>) -> Premise {
        let range = self.range(node);
        let (mut operator, mut literal, mut interval, mut comparison) = (None, None, None, None);
        self.children(|this, child, kind| match kind {
            SyntaxKind::TemporalOperator => operator = Some(Box::new(this.temporal_operator(child))),
            SyntaxKind::Comparison => comparison = Some(this.comparison(child)),
            SyntaxKind::Annotation => interval = Some(Box::new(this.interval(child))),
            SyntaxKind::Atom | SyntaxKind::BareAtom => literal = Some(this.plain_literal(child)),
            _ => this.other(child, kind),
        });
        if let (Some(operator), Some(comparison)) = (&operator, comparison) {
            self.operator_before_comparison(operator.range);
            return Premise::Comparison(comparison);
        }
        match literal {
            Some(literal) => {
                Premise::Literal(Literal { range, negation: None, operator, atom: literal.atom, interval })
            }
            None => {
                self.unreadable(node);
                Premise::Broken(range, Vec::new())
            }
        }
    }

    fn temporal_operator(&mut self, node: Node<'t>) -> TemporalOperator {
        let range = self.range(node);
        let sign = self.source(node);
        let bounds = self.time_bounds();
        if bounds.len() != 2 {
            self.operator_bounds(range, &bounds);
        }
        TemporalOperator { range, future: sign.get(1..2) == Some("+"), always: sign.starts_with('['), bounds }
    }

    fn operator_bounds(&mut self, range: TextRange, bounds: &[TimeBound]) {
        self.holes = true;
        let message = match bounds.len() {
            0 => "temporal operator has no bounds".to_owned(),
            1 => "temporal operator has one bound instead of two".to_owned(),
            count => format!("temporal operator has {count} bounds instead of two"),
        };
        let mut finding = Finding::new(&rules::OPERATOR_NEEDS_TWO_BOUNDS, range, message)
            .note("`<-[0d, 30d]` means within the last 30 days");
        if let [only] = bounds {
            finding =
                finding.fix(Fix::guess("insert `0d` as the first bound").insert(only.range.start(), "0d, "));
        }
        self.soft(finding);
    }

    pub(super) fn interval(&mut self, node: Node<'t>) -> Interval {
        let range = self.range(node);
        let bounds = self.time_bounds();
        if !(1..=2).contains(&bounds.len()) {
            self.holes = true;
            let message = match bounds.len() {
                0 => "interval has no bounds".to_owned(),
                count => format!("interval has {count} bounds"),
            };
            let finding = Finding::new(&rules::BAD_INTERVAL, range, message);
            self.soft(finding.note("an interval has one or two bounds, as in `@[2024-05-01, _]`"));
        }
        Interval { range, bounds }
    }

    fn time_bounds(&mut self) -> Vec<TimeBound> {
        let (bounds, commas) = self.read_list(Self::time_bound);
        self.no_trailing_comma(&commas, "an interval");
        bounds
    }

    fn time_bound(&mut self, node: Node<'t>, kind: SyntaxKind) -> TimeBound {
        let range = self.range(node);
        let kind = match kind {
            SyntaxKind::Now => TimeBoundKind::Now,
            SyntaxKind::Timestamp => TimeBoundKind::Timestamp(self.timestamp(node)),
            SyntaxKind::Duration => TimeBoundKind::Duration(self.duration(node)),
            SyntaxKind::Variable => match self.term(node).kind {
                TermKind::Variable(symbol) => TimeBoundKind::Variable(symbol),
                _ => TimeBoundKind::Wildcard,
            },
            _ => {
                self.holes = true;
                let shown = super::shorten(self.source(node));
                let message = format!("`{shown}` is not a bound of an interval");
                let finding = Finding::new(&rules::BAD_INTERVAL, range, message);
                self.soft(finding.note("bounds are dates, durations as `7d`, `now`, variables and `_`"));
                TimeBoundKind::Broken
            }
        };
        TimeBound { range, kind }
    }

    fn comparison(&mut self, node: Node<'t>) -> Comparison {
        let range = self.range(node);
        let mut sides = Vec::new();
        let mut operator = None;
        let is_literal = |side| node.child_by_field_name(side).is_some_and(|side| is_literal(kind_of(side)));
        let has_literal = is_literal("left") || is_literal("right");
        self.children(|this, child, kind| match kind {
            SyntaxKind::Annotation => this.annotation_on_comparison(child),
            SyntaxKind::Error => this.other(child, kind),
            SyntaxKind::Token => operator = Some(this.range(child)),
            SyntaxKind::BareName if has_literal => {
                let range = this.range(child);
                sides.push(Term { range, kind: this.compared_name(child, range) });
            }
            _ => {
                let term = this.term(child);
                sides.push(term);
            }
        });
        let operator_range = operator.unwrap_or(TextRange::empty(range.end()));
        let operator = self.operator(operator_range);
        let hole = || Term { range: TextRange::empty(range.end()), kind: TermKind::Broken };
        let right = sides.pop().unwrap_or_else(hole);
        let left = sides.pop().unwrap_or_else(hole);
        for side in [&left, &right] {
            self.check_not_atom(side);
        }
        Comparison { range, operator, operator_range, left, right }
    }

    fn annotation_on_comparison(&mut self, node: Node<'t>) {
        let range = self.range(node);
        let fix = Fix::guess("delete the interval").replace(range, "");
        let message = "engine ignores this interval: it is on a comparison";
        let finding = Finding::new(&rules::ANNOTATION_ON_COMPARISON, range, message);
        self.soft(finding.note(ONLY_ATOMS_HAVE_TIMES).fix(fix));
    }

    fn operator_before_comparison(&mut self, range: TextRange) {
        let spaced = TextRange::new(range.start(), range.end() + self.blanks_after(range));
        let fix = Fix::guess("delete the operator").replace(spaced, "");
        let message = "engine ignores this operator: it is before a comparison";
        let finding = Finding::new(&rules::ANNOTATION_ON_COMPARISON, range, message);
        self.soft(finding.note(ONLY_ATOMS_HAVE_TIMES).fix(fix));
    }

    fn operator(&mut self, range: TextRange) -> Operator {
        let written = self.slice(range);
        let meant = match written {
            "=" => return Operator::Equal,
            "!=" => return Operator::NotEqual,
            "<" => {
                self.check_glued_sign(range);
                return Operator::Less;
            }
            "<=" => return Operator::LessEqual,
            ">" => return Operator::Greater,
            ">=" => return Operator::GreaterEqual,
            "<>" => Operator::NotEqual,
            "=<" => Operator::LessEqual,
            _ => Operator::Equal,
        };
        let fix = Fix::safe(format!("write `{}`", meant.as_str())).replace(range, meant.as_str());
        let message = format!("`{written}` is not an operator of Mangle");
        let label = format!("expected `{}`", meant.as_str());
        self.soft(Finding::new(&rules::WRONG_OPERATOR, range, message).label(label).fix(fix));
        meant
    }

    /// Reports `X <-1`, where the engine reads the operator `<-`.
    fn check_glued_sign(&mut self, operator: TextRange) {
        let after = self.byte(self.base + usize::from(operator.end()));
        if let Some(sign @ (b'-' | b'+')) = after {
            let sign = char::from(sign);
            let fix = Fix::safe("insert a space after `<`").insert(operator.end(), " ");
            let message = format!("missing space after `<`: `<{sign}` parses as a temporal operator");
            let range = TextRange::new(operator.start(), operator.end() + super::size(1));
            let finding = Finding::new(&rules::LT_MINUS, range, message);
            self.soft(finding.label("not a comparison").fix(fix));
        }
    }

    /// Reports `X = p(1)`, an atom in the position of a value.
    fn check_not_atom(&mut self, term: &Term) {
        if matches!(term.kind, TermKind::Broken) {
            self.holes = true;
        }
    }
}

/// True for a literal value.
fn is_literal(kind: SyntaxKind) -> bool {
    use SyntaxKind::{Bytes, Constant, Float, Number, String};
    matches!(kind, Bytes | Constant | Float | Number | String)
}
