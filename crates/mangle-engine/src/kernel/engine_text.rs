//! Text that equals the output of the engine: the facts of a model, within a size limit, and the
//! error message for a rule with an unbound variable.

use std::fmt::{Display, Write as _};

use rustc_hash::FxHashSet;

use super::plan::{BEGINNING, CompiledProgram, END, NOW_NAME, nanos};
use super::values::shares;
use super::{Bound, Datum, Interval, Model, PRINTED_BYTES, ValueId, Values, evaluate};
use crate::program::PredicateId;
use crate::program::rewrite::Rewriting;
use mangle_syntax::syntax::ast::{Atom, Clause, Literal, Operator, Premise, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, slice};

/// A limit for the size of printed facts.
///
/// If all facts fit, they are printed in full. Otherwise each fact is shortened, and facts that
/// still do not fit are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextBudget {
    /// The maximum number of bytes per fact if not all facts fit. The arguments share them.
    pub each: usize,
    /// The remaining number of bytes for all facts.
    pub left: usize,
}

impl TextBudget {
    /// For facts in command output: 128 MiB in total. If not all fit, 4 KiB per fact.
    pub const ANSWER: Self = Self { each: PRINTED_BYTES, left: 1 << 27 };

    /// For facts with proofs or missing premises: 32 MiB in total. If not all fit, 4 KiB per fact.
    pub const EXPLAINED: Self = Self { each: PRINTED_BYTES, left: 1 << 25 };

    /// For a document of an editor: 16 MiB in total. If not all fit, 4 KiB per fact.
    pub const DOCUMENT: Self = Self { each: PRINTED_BYTES, left: 1 << 24 };

    /// The budget for facts with a total size of `bytes`.
    #[must_use]
    pub fn for_size(self, bytes: u64) -> Self {
        let fits = bytes <= self.left as u64;
        Self { each: if fits { usize::MAX } else { self.each }, ..self }
    }

    /// Subtracts the size of a text and its container.
    pub fn take(&mut self, text: &str) {
        /// The overhead of a string and its surrounding value, in memory and in a response.
        const AROUND: usize = 32;
        self.left = self.left.saturating_sub(text.len() + AROUND);
    }
}

/// Printed facts, and the number of omitted facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dump {
    /// The facts, sorted by bytes.
    pub facts: Vec<Box<str>>,
    /// The number of facts that exceed the budget.
    pub omitted: usize,
}

impl Default for TextBudget {
    /// [`TextBudget::DOCUMENT`]
    fn default() -> Self {
        Self::DOCUMENT
    }
}

impl Model {
    /// Prints all facts of the program, sorted by bytes: `p(/a,1)`,
    /// `q(2)@[2024-01-01T00:00:00Z, _]`. Intended for small models.
    #[must_use]
    pub fn dump(&self, compiled: &CompiledProgram) -> Vec<String> {
        let budget = TextBudget { each: PRINTED_BYTES, left: TextBudget::ANSWER.left };
        self.dump_within(compiled, budget).facts.into_iter().map(String::from).collect()
    }

    /// Prints all facts of the program within a budget, sorted by bytes.
    #[must_use]
    pub fn dump_within(&self, compiled: &CompiledProgram, budget: TextBudget) -> Dump {
        let mut dump = Dump::default();
        let relations =
            (0..compiled.predicates()).filter_map(|predicate| self.relation(PredicateId(predicate)));
        let sizes = relations.flat_map(|relation| relation.tuples()).map(|tuple| self.printed_bytes(tuple));
        let mut budget = budget.for_size(sizes.fold(0, u64::saturating_add));
        for predicate in (0..compiled.predicates()).map(PredicateId) {
            let Some(relation) = self.relation(predicate) else { continue };
            for tuple in relation.tuples() {
                if budget.left == 0 {
                    dump.omitted += 1;
                    continue;
                }
                let fact = self.fact_within(compiled, predicate, tuple, budget.each);
                budget.take(&fact);
                dump.facts.push(fact.into());
            }
        }
        dump.facts.sort_unstable();
        dump
    }

    /// The approximate number of bytes of a printed fact.
    #[must_use]
    pub fn printed_bytes(&self, tuple: &[ValueId]) -> u64 {
        let sizes = tuple.iter().map(|value| self.values.printed_bytes(*value));
        sizes.fold(0, u64::saturating_add)
    }

    /// Prints the facts of one predicate, in the order of derivation.
    pub fn facts_of<'m>(
        &'m self,
        compiled: &'m CompiledProgram,
        predicate: PredicateId,
    ) -> impl Iterator<Item = String> + use<'m> {
        let tuples = self.relation(predicate).into_iter().flat_map(|relation| relation.tuples());
        tuples.map(move |tuple| self.fact(compiled, predicate, tuple))
    }

    /// Prints a tuple of a predicate as a fact of about [`PRINTED_BYTES`] bytes. Longer arguments
    /// are shortened in the middle.
    #[must_use]
    pub fn fact(&self, compiled: &CompiledProgram, predicate: PredicateId, tuple: &[ValueId]) -> String {
        self.fact_within(compiled, predicate, tuple, PRINTED_BYTES)
    }

    /// Prints a tuple of a predicate as a fact of about `bytes` bytes, shared by the arguments.
    #[must_use]
    pub fn fact_within(
        &self,
        compiled: &CompiledProgram,
        predicate: PredicateId,
        tuple: &[ValueId],
        bytes: usize,
    ) -> String {
        let (args, interval) = match tuple {
            [args @ .., start, end] if compiled.is_temporal(predicate) => (args, Some((*start, *end))),
            _ => (tuple, None),
        };
        let mut text = self.values.atom(compiled.name(predicate), args, bytes);
        if let Some((start, end)) = interval {
            let is_forgotten = self.values.get(start) == &Datum::Time(END)
                && self.values.get(end) == &Datum::Time(BEGINNING);
            // The engine loses the intervals of some facts, see `plan::temporal`.
            if !is_forgotten {
                let interval = Interval { start: self.end(start, BEGINNING), end: self.end(end, END) };
                let _ = write!(text, "{interval}");
            }
        }
        text
    }

    /// An end of an interval. The instant `open` stands for an unbounded end.
    fn end(&self, value: ValueId, open: i64) -> Bound {
        match self.values.get(value) {
            Datum::Time(instant) if *instant == open => Bound::Infinite,
            Datum::Name(name) if &**name == NOW_NAME => Bound::Now,
            _ => Bound::At(nanos(&self.values, value)),
        }
    }
}

impl Values {
    /// Prints an atom in the notation of the engine in about `bytes` bytes, shared by the
    /// arguments. Longer arguments are shortened in the middle.
    #[must_use]
    pub fn atom(&self, name: impl Display, args: &[ValueId], bytes: usize) -> String {
        let share = shares(args.iter().map(|value| self.printed_bytes(*value)), bytes);
        let mut text = format!("{name}(");
        for (at, value) in args.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}", self.display_within(*value, share));
        }
        text.push(')');
        text
    }
}

/// The message for the variable or wildcard at `range`, for example
/// `variable Y is not bound in q(X) :- p(X), !r(X,Y).`.
///
/// The engine names wildcards `X0`, `X1` and so on. `text` is the text of the clause. If several
/// variables are unbound, the engine names any one of them.
#[must_use]
pub fn unbound_variable_message(
    clause: &Clause,
    text: &str,
    rewriting: &Rewriting,
    range: TextRange,
) -> String {
    let used = used_variables(clause);
    let mut printer = Printer { text, used, values: Values::new(), wildcards: 0, range, named: None };
    let head = printer.atom(&clause.head, true);
    let mut premises = Vec::new();
    for step in &rewriting.order {
        let premise = clause.premises.get(step.premise as usize);
        premises.extend(premise.map(|premise| printer.premise(premise, step.reflected)));
    }
    let mut out = format!("{head} :- {}", premises.join(", "));
    for transform in &clause.transforms {
        let statements = transform.statements.iter().map(|statement| {
            let value = printer.term(&statement.value, true);
            match statement.variable.as_ref().and_then(Term::variable) {
                Some(name) => format!("let {name} = {value}"),
                None => format!("do {value}"),
            }
        });
        let _ = write!(out, " |> {}", statements.collect::<Vec<_>>().join(", "));
    }
    let named = printer.named.unwrap_or_else(|| slice(text, range).to_owned());
    format!("variable {named} is not bound in {out}.")
}

/// The variables of the head and of the premises.
fn used_variables(clause: &Clause) -> FxHashSet<Symbol> {
    let mut used = FxHashSet::default();
    let mut note = |term: &Term| {
        term.variables(&mut |name, _| {
            used.insert(name);
        })
    };
    clause.head.args.iter().for_each(&mut note);
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => literal.atom.args.iter().for_each(&mut note),
            Premise::Comparison(comparison) => {
                [&comparison.left, &comparison.right].into_iter().for_each(&mut note)
            }
            Premise::Broken(..) => {}
        }
    }
    used
}

/// Prints the parts of one clause.
struct Printer<'t> {
    text: &'t str,
    /// The variables of the clause.
    used: FxHashSet<Symbol>,
    values: Values,
    /// The number in the next wildcard name.
    wildcards: usize,
    /// The range of the variable or wildcard of the message.
    range: TextRange,
    /// The name of the wildcard at `range`.
    named: Option<String>,
}

impl Printer<'_> {
    fn premise(&mut self, premise: &Premise, reflected: Option<Symbol>) -> String {
        match premise {
            Premise::Literal(Literal { atom, .. }) if reflected.is_some() => {
                let scrutinee = atom.args.first().map(|term| self.term(term, false)).unwrap_or_default();
                format!(":match_prefix({scrutinee},{})", reflected.map_or("", |prefix| prefix.as_str()))
            }
            Premise::Literal(literal) if !literal.is_temporal() => {
                let sign = if literal.is_negated() { "!" } else { "" };
                format!("{sign}{}", self.atom(&literal.atom, false))
            }
            Premise::Comparison(comparison) => {
                let (left, right) = (self.term(&comparison.left, false), self.term(&comparison.right, false));
                match comparison.operator {
                    Operator::Equal => format!("{left} = {right}"),
                    Operator::NotEqual => format!("{left} != {right}"),
                    Operator::Less => format!(":lt({left},{right})"),
                    Operator::LessEqual => format!(":le({left},{right})"),
                    Operator::Greater => format!(":gt({left},{right})"),
                    Operator::GreaterEqual => format!(":ge({left},{right})"),
                }
            }
            other => slice(self.text, other.range()).to_owned(),
        }
    }

    fn atom(&mut self, atom: &Atom, keeps_wildcards: bool) -> String {
        let args: Vec<_> = atom.args.iter().map(|term| self.term(term, keeps_wildcards)).collect();
        format!("{}({})", atom.name.as_str(), args.join(","))
    }

    fn term(&mut self, term: &Term, keeps_wildcards: bool) -> String {
        match &term.kind {
            TermKind::Variable(name) => name.as_str().to_owned(),
            TermKind::Wildcard if keeps_wildcards => "_".to_owned(),
            TermKind::Wildcard => {
                let name = self.fresh();
                if term.range == self.range {
                    self.named = Some(name.clone());
                }
                name
            }
            TermKind::Apply(apply) => {
                let args: Vec<_> = apply.args.iter().map(|term| self.term(term, keeps_wildcards)).collect();
                format!("{}({})", apply.function.as_str(), args.join(","))
            }
            _ => match evaluate(term, self.text, &mut self.values, None) {
                Ok(Some(value)) => self.values.display(value).to_string(),
                _ => slice(self.text, term.range).to_owned(),
            },
        }
    }

    /// The next wildcard name that is not a variable of the clause.
    fn fresh(&mut self) -> String {
        loop {
            let name = format!("X{}", self.wildcards);
            self.wildcards += 1;
            if !self.used.contains(&Symbol::new(&name)) {
                return name;
            }
        }
    }
}
