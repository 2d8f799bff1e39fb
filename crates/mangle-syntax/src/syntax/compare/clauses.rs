//! Comparison of heads and premises: each new clause must have all premises of its original clause.
//!
//! The comparison uses canonical texts of premises and heads, which are equal for equal meaning,
//! independent of layout, syntax and names of variables that occur once.

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Loss, Side, declared};
use crate::syntax::ast::{
    Atom, Clause, Comparison, Interval, Item, Literal, Operator, Premise, Term, TermKind, TimeBound,
    TimeBoundKind, Transform, TransformStatement,
};
use crate::syntax::literal::string_value;
use crate::text::{Symbol, TextRange, slice};

/// A clause in canonical form.
struct Form {
    premises: Vec<CanonicalPremise>,
    transforms: Vec<String>,
}

/// The clauses by head.
type ByHead = FxHashMap<String, Vec<Form>>;

/// Compares the clauses. Returns the predicates that have statements only after the change.
pub(super) fn compare(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<(Symbol, u16)>, Loss> {
    let mut gained = declarations(before, after)?;
    let mut known = SeenVariables::default();
    before.clauses().for_each(|(_, clause)| known.add(clause));
    let (mut old, mut new) = (ByHead::default(), ByHead::default());
    for (item, clause) in before.clauses() {
        let (head, form) = form(&CanonicalWriter::new(*before, item, clause), clause);
        old.entry(head).or_default().push(form);
    }
    for (item, clause) in after.clauses() {
        let (head, form) = form(&CanonicalWriter::after(*after, item, clause, &known), clause);
        if !old.contains_key(&head) {
            gained.push((clause.head.name.symbol, clause.head.arity()));
        }
        new.entry(head).or_default().push(form);
    }
    for (head, old) in &old {
        let Some(new) = new.get(head) else { return Err(Loss::Statement(head.clone())) };
        same_head(old, new)?;
    }
    Ok(gained)
}

/// The head and the parts of a clause.
fn form(writer: &CanonicalWriter<'_>, clause: &Clause) -> (String, Form) {
    let form = Form { premises: writer.premises(clause), transforms: writer.transforms(clause) };
    (writer.head(clause), form)
}

/// Compares the clauses of one head. Each new clause must correspond to an old clause, and each old
/// clause to a new one.
fn same_head(old: &[Form], new: &[Form]) -> Result<(), Loss> {
    for one in new {
        let losses: Vec<_> = old.iter().map(|old| lost(old, one, new)).collect();
        if losses.iter().all(Option::is_some) {
            return Err(losses.into_iter().flatten().next().unwrap_or(Loss::Premise(String::new())));
        }
    }
    for old in old {
        let losses: Vec<_> = new.iter().map(|one| lost(old, one, new)).collect();
        if losses.iter().all(Option::is_some) {
            return Err(losses.into_iter().flatten().next().unwrap_or(Loss::Premise(String::new())));
        }
    }
    Ok(())
}

/// The first part of `old` that `new` lacks. `new` is one of the clauses `all` of its head.
fn lost(old: &Form, new: &Form, all: &[Form]) -> Option<Loss> {
    let has = |form: &Form, text: &str| form.premises.iter().any(|premise| premise.text == text);
    let missing = old.premises.iter().filter(|premise| !has(new, &premise.text));
    for premise in missing {
        let elsewhere = || all.iter().any(|form| has(form, &premise.text));
        let instead =
            |other: &CanonicalPremise| other.is_negated == premise.is_negated && !has(old, &other.text);
        let replaced = || new.premises.iter().any(instead);
        if !(premise.is_declared && (elsewhere() || replaced())) {
            return Some(Loss::Premise(premise.text.clone()));
        }
    }
    let mut transforms = new.transforms.iter();
    // In order, because a transform uses the results of earlier ones.
    let gone = old.transforms.iter().find(|wanted| !transforms.any(|found| found == *wanted));
    gone.map(|transform| Loss::Transform(transform.clone()))
}

/// Compares packages and declarations by name. Repeated statements can disappear.
fn declarations(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<(Symbol, u16)>, Loss> {
    let of = |side: &Side<'_>| side.items.iter().filter_map(declared).collect::<Vec<_>>();
    let (old, new) = (of(before), of(after));
    for item in before.items {
        let Some(one) = declared(item) else { continue };
        let is_declared = before.is_declared(item.statement.range() + item.start);
        if !new.contains(&one) && !is_declared {
            return Err(Loss::Statement(format!("{} {}/{}", one.0, one.1, one.2)));
        }
    }
    let is_new = |one: &&(&str, Symbol, u16)| one.0 == "Decl" && !old.contains(one);
    Ok(new.iter().filter(is_new).map(|(_, name, arity)| (*name, *arity)).collect())
}

/// Maximum nesting of substituted variables.
const MAX_DEPTH: usize = 8;

/// Writes the parts of one clause in canonical form.
struct CanonicalWriter<'a> {
    side: Side<'a>,
    item: &'a Item,
    /// The variables that occur once, which are written as `_`.
    single: FxHashSet<Symbol>,
    /// Variables that are replaced by a term.
    values: FxHashMap<Symbol, &'a Term>,
    /// The range of the head, premise or transform statement that is being written.
    written: Cell<TextRange>,
    depth: Cell<usize>,
}

/// The variables of the original clauses.
#[derive(Debug, Default)]
struct SeenVariables {
    all: FxHashSet<Symbol>,
    /// The variables that occur once in a clause.
    single: FxHashSet<Symbol>,
}

impl SeenVariables {
    fn add(&mut self, clause: &Clause) {
        each_variable(clause, &mut |symbol| _ = self.all.insert(symbol));
        self.single.extend(single(clause));
    }
}

#[derive(Debug)]
struct CanonicalPremise {
    text: String,
    /// True for a negation. All other premises are one kind.
    is_negated: bool,
    /// True if the change declares that it rewrites the premise.
    is_declared: bool,
}

impl<'a> CanonicalWriter<'a> {
    /// Creates a writer for `clause`, the statement `item`.
    fn new(side: Side<'a>, item: &'a Item, clause: &'a Clause) -> Self {
        let single = single(clause).collect();
        Self::with(side, item, single, FxHashMap::default())
    }

    /// Creates a writer for a clause that results from others with the variables `known`. Variables
    /// that occur once in the original are written in the same way. A new variable with a value
    /// from an equation is written as that value.
    fn after(side: Side<'a>, item: &'a Item, clause: &'a Clause, known: &SeenVariables) -> Self {
        let is_new = |symbol: Symbol| !known.all.contains(&symbol);
        let single =
            single(clause).filter(|symbol| is_new(*symbol)).chain(known.single.iter().copied()).collect();
        let values = clause.premises.iter().filter_map(|premise| equation(premise, &is_new)).collect();
        Self::with(side, item, single, values)
    }

    fn with(
        side: Side<'a>,
        item: &'a Item,
        single: FxHashSet<Symbol>,
        values: FxHashMap<Symbol, &'a Term>,
    ) -> Self {
        Self { side, item, single, values, written: Cell::default(), depth: Cell::default() }
    }

    /// True if a range of the statement can differ between both sides. A part that contains
    /// everything that is being written is ignored, because nothing would be compared.
    fn is_free(&self, range: TextRange, is_name: bool) -> bool {
        let (range, written) = (range + self.item.start, self.written.get() + self.item.start);
        self.side.parts.iter().any(|part| {
            let counts = part.is_paired && !part.range.contains_range(written);
            counts && (part.is_declared || !is_name) && part.range.contains_range(range)
        })
    }

    /// Writes the head with its interval.
    fn head(&self, clause: &Clause) -> String {
        let end = clause.interval.as_ref().map_or(clause.head.range.end(), |interval| interval.range.end());
        self.written.set(TextRange::new(clause.head.range.start(), end.max(clause.head.range.end())));
        let interval = clause.interval.as_ref().map_or_else(String::new, |interval| self.interval(interval));
        self.atom(&clause.head) + &interval
    }

    /// The premises, without equations that define substituted variables.
    fn premises(&self, clause: &Clause) -> Vec<CanonicalPremise> {
        let is_definition =
            |premise: &&Premise| equation(premise, &|symbol| self.values.contains_key(&symbol)).is_some();
        clause
            .premises
            .iter()
            .filter(|premise| !is_definition(premise))
            .map(|one| self.premise(one))
            .collect()
    }

    fn premise(&self, premise: &Premise) -> CanonicalPremise {
        self.written.set(premise.range());
        let is_declared = self.side.is_declared(premise.range() + self.item.start);
        let (text, is_negated) = match premise {
            Premise::Literal(literal) => (self.literal(literal), literal.is_negated()),
            Premise::Comparison(comparison) => (self.comparison(comparison), false),
            Premise::Broken(range, _) => (format!("?{}", self.raw(*range)), false),
        };
        CanonicalPremise { text, is_negated, is_declared }
    }

    fn literal(&self, literal: &Literal) -> String {
        let mut text = String::from(if literal.is_negated() { "!" } else { "" });
        if let Some(operator) = &literal.operator {
            text += &format!("<{}{}{}>", operator.future, operator.always, self.bounds(&operator.bounds));
        }
        text += &self.atom(&literal.atom);
        text + &literal.interval.as_ref().map_or_else(String::new, |interval| self.interval(interval))
    }

    fn comparison(&self, Comparison { operator, left, right, .. }: &Comparison) -> String {
        let (left, right) = (self.term(left), self.term(right));
        let mirrored = matches!(operator, Operator::Equal | Operator::NotEqual) && right < left;
        let (left, right) = if mirrored { (right, left) } else { (left, right) };
        format!("{left} {} {right}", operator.as_str())
    }

    /// The statements of transforms, without those that the change rewrites.
    fn transforms(&self, clause: &Clause) -> Vec<String> {
        let declared = |transform: &&Transform| self.side.is_declared(transform.range + self.item.start);
        let kept = clause.transforms.iter().filter(|transform| !declared(transform));
        kept.flat_map(|transform| &transform.statements).map(|one| self.transform(one)).collect()
    }

    fn transform(&self, TransformStatement { range, variable, value }: &TransformStatement) -> String {
        self.written.set(*range);
        let variable = variable.as_ref().map_or_else(String::new, |variable| self.term(variable));
        format!("{variable} := {}", self.term(value))
    }

    fn interval(&self, interval: &Interval) -> String {
        if self.is_free(interval.range, false) {
            String::new()
        } else {
            format!("@{}", self.bounds(&interval.bounds))
        }
    }

    fn bounds(&self, bounds: &[TimeBound]) -> String {
        let kept = bounds.iter().filter(|bound| !self.is_free(bound.range, false));
        let all: Vec<_> = kept.map(|bound| self.bound(bound)).collect();
        format!("[{}]", all.join(","))
    }

    fn bound(&self, bound: &TimeBound) -> String {
        match &bound.kind {
            TimeBoundKind::Variable(symbol) => self.variable(*symbol),
            TimeBoundKind::Wildcard => "_".into(),
            TimeBoundKind::Broken => self.raw(bound.range),
            known => format!("{known:?}"),
        }
    }

    fn atom(&self, atom: &Atom) -> String {
        let name = if self.is_free(atom.name.range, true) { "" } else { atom.name.as_str() };
        format!("{name}({})", self.terms(&atom.args))
    }

    fn terms(&self, terms: &[Term]) -> String {
        let texts = terms.iter().map(|term| self.term(term)).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join(",")
    }

    /// Writes a term. Empty if its words can differ.
    fn term(&self, term: &Term) -> String {
        if self.is_free(term.range, false) {
            return String::new();
        }
        match &term.kind {
            TermKind::Variable(symbol) => self.variable(*symbol),
            TermKind::Wildcard => "_".into(),
            TermKind::Name(symbol) => self.name(*symbol, term.range).to_owned(),
            TermKind::Number(Some(number)) => number.to_string(),
            TermKind::Float(float) => format!("{float:?}f"),
            TermKind::String => string_value(self.text(term.range))
                .map_or_else(|| self.raw(term.range), |value| format!("{value:?}")),
            TermKind::Apply(apply) => {
                let function =
                    if self.is_free(apply.function.range, false) { "" } else { apply.function.as_str() };
                format!("{function}({})", self.terms(&apply.args))
            }
            TermKind::Number(None) | TermKind::Bytes | TermKind::Broken => self.raw(term.range),
        }
    }

    /// A name without the period that it absorbs at the end of the statement.
    fn name(&self, symbol: Symbol, range: TextRange) -> &'static str {
        let rest = self.text(TextRange::new(range.end(), self.item.statement.len.max(range.end())));
        let name = symbol.as_str();
        if rest.trim_matches(|c: char| c.is_whitespace() || c == ')').is_empty() {
            name.trim_end_matches('.')
        } else {
            name
        }
    }

    fn variable(&self, symbol: Symbol) -> String {
        match self.values.get(&symbol) {
            Some(value) if self.depth.get() < MAX_DEPTH => {
                self.depth.set(self.depth.get() + 1);
                let text = self.term(value);
                self.depth.set(self.depth.get() - 1);
                text
            }
            _ if self.single.contains(&symbol) => "_".into(),
            _ => format!("?{symbol}"),
        }
    }

    fn text(&self, range: TextRange) -> &'a str {
        slice(self.side.text, range + self.item.start)
    }

    /// A part of the text without its layout.
    fn raw(&self, range: TextRange) -> String {
        self.text(range).split_whitespace().collect()
    }
}

/// The variables that occur once in a clause. None in an aggregation, because variable names affect
/// the rows.
fn single(clause: &Clause) -> impl Iterator<Item = Symbol> {
    let mut counts: FxHashMap<Symbol, u32> = FxHashMap::default();
    each_variable(clause, &mut |symbol| *counts.entry(symbol).or_default() += 1);
    let aggregates = clause.aggregates();
    counts.into_iter().filter(move |(_, count)| *count == 1 && !aggregates).map(|(symbol, _)| symbol)
}

/// Visits each occurrence of a variable.
fn each_variable(clause: &Clause, visit: &mut impl FnMut(Symbol)) {
    let bound = |bounds: &[TimeBound], visit: &mut dyn FnMut(Symbol)| {
        for bound in bounds {
            if let TimeBoundKind::Variable(symbol) = bound.kind {
                visit(symbol);
            }
        }
    };
    let term = |term: &Term, visit: &mut dyn FnMut(Symbol)| term.variables(&mut |symbol, _| visit(symbol));
    clause.head.args.iter().for_each(|arg| term(arg, visit));
    clause.interval.iter().for_each(|interval| bound(&interval.bounds, visit));
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => {
                literal.atom.args.iter().for_each(|arg| term(arg, visit));
                literal.operator.iter().for_each(|operator| bound(&operator.bounds, visit));
                literal.interval.iter().for_each(|interval| bound(&interval.bounds, visit));
            }
            Premise::Comparison(comparison) => {
                [&comparison.left, &comparison.right].into_iter().for_each(|side| term(side, visit));
            }
            Premise::Broken(_, terms) => terms.iter().for_each(|inner| term(inner, visit)),
        }
    }
    for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
        statement.variable.iter().for_each(|variable| term(variable, visit));
        term(&statement.value, visit);
    }
}

/// The variable of `V = t` or `t = V` that `is_wanted`, and its value.
fn equation<'p>(premise: &'p Premise, is_wanted: &dyn Fn(Symbol) -> bool) -> Option<(Symbol, &'p Term)> {
    let Premise::Comparison(Comparison { operator: Operator::Equal, left, right, .. }) = premise else {
        return None;
    };
    let wanted = |term: &Term| term.variable().filter(|symbol| is_wanted(*symbol));
    wanted(left).map(|symbol| (symbol, right)).or_else(|| wanted(right).map(|symbol| (symbol, left)))
}
