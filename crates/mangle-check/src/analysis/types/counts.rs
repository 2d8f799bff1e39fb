//! Check for premises that compare a count with an impossible number (`MG610`).
//!
//! A group has at least one row, so a count is at least 1, and a collected list is never empty. The
//! analysis follows columns that rules fill with counts, collections, and values computed from
//! them.

use rustc_hash::FxHashMap;

use crate::analysis::flow::IncrementalAnalysis;
use crate::analysis::wording::code;
use crate::analysis::{ProgramContext, ProgramFindings};
use mangle_engine::program::{Members, Predicate, PredicateId, Program, Site, UseKind};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Comparison, Operator, Premise, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange};

/// For example `cnt(S, 0)`.
pub(super) static COUNT_NEVER: Rule = rule!("count-never.md");

/// A property of all values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnBound {
    /// Integers with this lower bound (inclusive).
    AtLeast(i64),
    /// Lists or maps with at least one element.
    Filled,
}

impl ColumnBound {
    /// The property of a value that has one of the two properties.
    fn or(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::AtLeast(one), Self::AtLeast(other)) => Some(Self::AtLeast(one.min(other))),
            (Self::Filled, Self::Filled) => Some(Self::Filled),
            _ => None,
        }
    }
}

/// Properties of the columns that aggregations fill.
#[derive(Debug, Default)]
pub(crate) struct ColumnBounds {
    known: FxHashMap<(PredicateId, usize), ColumnBound>,
}

pub(super) fn check(context: &ProgramContext<'_>, predicate: PredicateId, out: &mut ProgramFindings) {
    if !out.is_enabled(&COUNT_NEVER) || !context.bounds.has_any(context.program, predicate) {
        return;
    }
    let columns = Columns { program: context.program, known: &context.bounds.known };
    for (site, kind) in context.program.uses(context.program.get(predicate)) {
        if let Some(clause) = site.item.statement.clause().filter(|_| kind != UseKind::Temporal) {
            columns.check_use(predicate, site, clause, kind == UseKind::Negated, out);
        }
    }
}

impl ColumnBounds {
    fn has_any(&self, program: &Program, id: PredicateId) -> bool {
        let arity = usize::from(program.get(id).key.arity);
        !self.known.is_empty() && (0..arity).any(|at| self.known.contains_key(&(id, at)))
    }

    /// The predicates with known properties.
    pub(crate) fn predicates(&self) -> Vec<PredicateId> {
        self.known.keys().map(|(id, _)| *id).collect()
    }

    /// Removes all properties, for a program without aggregations.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}

impl IncrementalAnalysis for ColumnBounds {
    fn update(&mut self, program: &Program, members: &[PredicateId]) -> Members {
        let dependencies = program.dependencies();
        let mut changed = Members::new();
        for &id in members {
            let is_recursive = dependencies.edges_from(id).iter().any(|edge| dependencies.is_recursive(edge));
            let columns = Columns { program, known: &self.known };
            // The values that a predicate derives from itself are unrestricted.
            let new = if is_recursive { Vec::new() } else { columns.predicate(id) };
            let mut is_changed = false;
            for at in 0..usize::from(program.get(id).key.arity) {
                let now = new.get(at).copied().flatten();
                let before = match now {
                    Some(now) => self.known.insert((id, at), now),
                    None => self.known.remove(&(id, at)),
                };
                is_changed |= before != now;
            }
            if is_changed {
                changed.push(id);
            }
        }
        changed
    }
}

/// The column properties that are known so far.
struct Columns<'p> {
    program: &'p Program,
    known: &'p FxHashMap<(PredicateId, usize), ColumnBound>,
}

impl Columns<'_> {
    /// The properties of each column of a predicate.
    fn predicate(&self, id: PredicateId) -> Vec<Option<ColumnBound>> {
        let predicate = self.program.get(id);
        let signature = &predicate.signature;
        let is_open = signature.host || signature.external || signature.extensional || signature.synthetic;
        if is_open || !signature.has_rules {
            return Vec::new();
        }
        (0..usize::from(predicate.key.arity)).map(|at| self.column(predicate, at)).collect()
    }

    /// The property that all clauses of a predicate share for a column. `None` if no clause
    /// aggregates.
    fn column(&self, predicate: &Predicate, at: usize) -> Option<ColumnBound> {
        let mut all: Option<ColumnBound> = None;
        let mut is_computed = false;
        for site in self.program.clauses(predicate) {
            let clause = site.item.statement.clause().filter(|_| !site.item.statement.damaged)?;
            let term = clause.head.args.get(at)?;
            is_computed |= term.variable().is_some();
            let known = self.value(site, clause, term, 0)?;
            all = Some(all.map_or(Some(known), |before| before.or(known))?);
        }
        all.filter(|_| is_computed)
    }

    /// The property of a term of a clause. `depth` counts the definitions that were followed.
    fn value(&self, site: Site<'_>, clause: &Clause, term: &Term, depth: usize) -> Option<ColumnBound> {
        const MAX_DEPTH: usize = 8;
        match &term.kind {
            TermKind::Number(Some(number)) => Some(ColumnBound::AtLeast(*number)),
            TermKind::Variable(name) if depth < MAX_DEPTH => self.variable(site, clause, *name, depth + 1),
            TermKind::Apply(apply) => {
                let of = |term: &Term| self.value(site, clause, term, depth);
                match (apply.function.as_str(), apply.args.as_slice()) {
                    ("fn:plus", args) => {
                        let least = |term: &Term| match of(term)? {
                            ColumnBound::AtLeast(least) => Some(least),
                            ColumnBound::Filled => None,
                        };
                        let sum = args.iter().try_fold(0i64, |sum, term| sum.checked_add(least(term)?));
                        sum.map(ColumnBound::AtLeast)
                    }
                    ("fn:list:len" | "fn:len", [list]) => {
                        (of(list)? == ColumnBound::Filled).then_some(ColumnBound::AtLeast(1))
                    }
                    ("fn:list", [_, ..]) => Some(ColumnBound::Filled),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn variable(&self, site: Site<'_>, clause: &Clause, name: Symbol, depth: usize) -> Option<ColumnBound> {
        let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
        let mut lets =
            statements.filter(|statement| statement.variable.as_ref().and_then(Term::variable) == Some(name));
        if let Some(statement) = lets.next() {
            return match clause.aggregates() {
                true => self.reduced(site, clause, &statement.value, depth),
                false => self.value(site, clause, &statement.value, depth),
            };
        }
        clause.premises.iter().find_map(|premise| match premise {
            Premise::Literal(literal) if !literal.is_negated() && !literal.is_temporal() => {
                let at = literal.atom.args.iter().position(|term| term.variable() == Some(name))?;
                let predicate = self.program.id_of(site.file, &literal.atom)?;
                self.known.get(&(predicate, at)).copied()
            }
            Premise::Comparison(Comparison { operator: Operator::Equal, left, right, .. }) => {
                let value = [(left, right), (right, left)].into_iter();
                let mut value = value.filter(|(one, _)| one.variable() == Some(name)).map(|(_, other)| other);
                self.value(site, clause, value.next()?, depth)
            }
            _ => None,
        })
    }

    /// The property of the result of a reducer.
    fn reduced(&self, site: Site<'_>, clause: &Clause, value: &Term, depth: usize) -> Option<ColumnBound> {
        let apply = value.apply()?;
        match (apply.function.as_str(), apply.args.as_slice()) {
            ("fn:count", []) => Some(ColumnBound::AtLeast(1)),
            // The engine drops a row if its expression fails, so only plain values are guaranteed.
            ("fn:collect" | "fn:collect_distinct" | "fn:collect_to_map", args) if !args.is_empty() => {
                args.iter().all(|term| term.variable().is_some()).then_some(ColumnBound::Filled)
            }
            ("fn:max" | "fn:min", [only]) => self.value(site, clause, only, depth),
            // A sum of several rows is at least the value of one row if no value is negative.
            ("fn:sum", [only]) => self.value(site, clause, only, depth).filter(|known| match known {
                ColumnBound::AtLeast(least) => *least >= 0,
                ColumnBound::Filled => false,
            }),
            _ => self.value(site, clause, value, depth),
        }
    }

    /// Reports a premise that requires an impossible value of a column.
    fn check_use(
        &self,
        predicate: PredicateId,
        site: Site<'_>,
        clause: &Clause,
        negated: bool,
        out: &mut ProgramFindings,
    ) {
        let Some(literal) = site.literal() else { return };
        for (at, term) in literal.atom.args.iter().enumerate() {
            let Some(known) = self.known.get(&(predicate, at)).copied() else { continue };
            if never_holds(known, Operator::Equal, term) {
                let found = ImpossibleUse { predicate, column: at, known, range: literal.range, negated };
                self.report(&found, site, out);
            }
            for (range, operator, other) in comparisons(clause, term).filter(|_| !negated) {
                if never_holds(known, operator, other) {
                    let found = ImpossibleUse { predicate, column: at, known, range, negated: false };
                    self.report(&found, site, out);
                }
            }
        }
    }

    fn report(&self, found: &ImpossibleUse, site: Site<'_>, out: &mut ProgramFindings) {
        let ImpossibleUse { predicate, column, known, range, negated } = *found;
        let key = self.program.get(predicate).key;
        let text = mangle_syntax::text::slice(site.file.statement_text(site.item), range);
        let holds = if negated { "always holds" } else { "never holds" };
        let because = match known {
            ColumnBound::AtLeast(least) => format!("is at least {least}"),
            ColumnBound::Filled => "is never empty".to_owned(),
        };
        let message = format!("{} {holds}: argument {} of `{key}` {because}", code(text, 24), column + 1);
        let mut finding = Finding::new(&COUNT_NEVER, range, message)
            .note("an empty group does not exist, so there is no count of 0 and no empty collection");
        if let Some(rule) = self.program.rules(self.program.get(predicate)).next() {
            let place = Span::new(rule.file.id, rule.item.statement.id, rule.range);
            finding = finding.related(place, "aggregated here");
        }
        out.push(site.file.id, site.item.statement.id, finding);
    }
}

/// A premise that requires an impossible value of a column.
struct ImpossibleUse {
    predicate: PredicateId,
    /// The index of the argument.
    column: usize,
    known: ColumnBound,
    range: TextRange,
    negated: bool,
}

/// The comparisons of a variable with another term, with the variable on the left.
fn comparisons<'c>(
    clause: &'c Clause,
    term: &Term,
) -> impl Iterator<Item = (TextRange, Operator, &'c Term)> + use<'c> {
    let name = term.variable();
    clause.premises.iter().filter_map(move |premise| {
        let Premise::Comparison(comparison) = premise else { return None };
        let Comparison { range, operator, left, right, .. } = comparison;
        let name = Some(name?);
        if left.variable() == name {
            Some((*range, *operator, right))
        } else if right.variable() == name {
            Some((*range, mirrored(*operator), left))
        } else {
            None
        }
    })
}

/// The operator for swapped operands.
fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterEqual => Operator::LessEqual,
        same => same,
    }
}

/// True if no value of a column satisfies the comparison with a constant.
fn never_holds(known: ColumnBound, operator: Operator, other: &Term) -> bool {
    match (known, &other.kind) {
        (ColumnBound::AtLeast(least), TermKind::Number(Some(number))) => match operator {
            Operator::Equal | Operator::LessEqual => *number < least,
            Operator::Less => *number <= least,
            _ => false,
        },
        (ColumnBound::Filled, TermKind::Apply(apply)) => {
            let is_empty = apply.args.is_empty() && matches!(apply.function.as_str(), "fn:list" | "fn:map");
            operator == Operator::Equal && is_empty
        }
        _ => false,
    }
}
