//! Finds rules that need the value of a head argument with mode `"+"`.
//!
//! The analysis of the engine considers such a variable bound. Its evaluation binds the variable
//! only in `deferred()` predicates, because other rules run without a caller.

use super::binding::{BindingPlace, Bindings, builtin_parameters};
use super::rewrite::{ClauseSignatures, Rewriting};
use super::{Mode, Predicate, Program, Signature, Site};
use mangle_syntax::syntax::ast::{Atom, Clause, Literal, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

/// A position in a rule that needs the value of an input of its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededInput {
    /// The index of the head argument, from 0.
    pub argument: usize,
    /// The variable of the head argument.
    pub variable: Symbol,
    /// The range that needs the value, relative to the start of the statement.
    pub range: TextRange,
    /// True if the evaluation aborts at this position. If false, a premise never holds, or a
    /// derived fact contains the variable.
    pub aborts: bool,
}

/// Returns the first position of the clause at `site` that needs an unbound input of `predicate`. A
/// position where the evaluation aborts has priority.
#[must_use]
pub fn needed_input(program: &Program, predicate: &Predicate, site: &Site<'_>) -> Option<NeededInput> {
    let clause = site.item.statement.clause().filter(|_| !site.item.statement.damaged)?;
    let lookup = |atom: &Atom| program.predicate_of(site.file, atom).map(|found| &found.signature);
    let signatures = ClauseSignatures::new(clause, lookup);
    let rewriting = Rewriting::new(clause, &signatures, program.embedding.capabilities());
    let without_caller = ClauseSignatures { head: None, premises: signatures.premises.clone() };
    let search = Search {
        inputs: inputs(clause, &predicate.signature),
        bindings: Bindings::new(clause, &without_caller, &rewriting),
        signatures,
        rewriting,
        found: Vec::new(),
    };
    let found = search.run(clause);
    found.iter().find(|needed| needed.aborts).or(found.first()).copied()
}

/// The variables in the input positions of a head.
fn inputs(clause: &Clause, signature: &Signature) -> Vec<(usize, Symbol)> {
    let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
    let computed: Vec<Symbol> =
        statements.filter_map(|statement| statement.variable.as_ref()?.variable()).collect();
    let positions = clause.head.args.iter().zip(&signature.modes).enumerate();
    let inputs = positions.filter(|(_, (_, mode))| **mode == Mode::Input);
    let inputs = inputs.filter_map(|(at, (term, _))| Some((at, term.variable()?)));
    inputs.filter(|(_, variable)| !computed.contains(variable)).collect()
}

struct Search<'p> {
    inputs: Vec<(usize, Symbol)>,
    bindings: Bindings,
    signatures: ClauseSignatures<'p>,
    rewriting: Rewriting,
    found: Vec<NeededInput>,
}

impl Search<'_> {
    fn run(mut self, clause: &Clause) -> Vec<NeededInput> {
        for (index, premise) in (0u32..).zip(&clause.premises) {
            match premise {
                Premise::Literal(literal) => self.literal(index, literal),
                Premise::Comparison(comparison) => {
                    let is_equality = comparison.operator == Operator::Equal;
                    for side in [&comparison.left, &comparison.right] {
                        let is_computed = side.apply().is_some();
                        if is_computed || !is_equality {
                            let aborts = is_computed || comparison.operator != Operator::NotEqual;
                            self.need(side, BindingPlace::Premise(index), aborts);
                        }
                    }
                }
                Premise::Broken(..) => {}
            }
        }
        let end = BindingPlace::Premise(u32::MAX);
        let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
        statements.for_each(|statement| self.need(&statement.value, end, true));
        clause.head.args.iter().for_each(|term| self.need(term, end, term.apply().is_some()));
        self.found
    }

    fn literal(&mut self, index: u32, literal: &Literal) {
        let (place, args) = (BindingPlace::Premise(index), &literal.atom.args);
        if self.rewriting.reflected(index).is_some() {
            args.first().into_iter().for_each(|term| self.need(term, place, true));
        } else if let Some(parameters) = builtin_parameters(&literal.atom) {
            let taken = args.iter().zip(parameters).filter(|(_, parameter)| parameter.mode == Mode::Input);
            taken.for_each(|(term, _)| self.need(term, place, true));
        } else {
            args.iter().filter(|term| term.apply().is_some()).for_each(|term| self.need(term, place, true));
            let called = self.signatures.premise(index);
            let called = called
                .filter(|signature| (signature.deferred || signature.external) && !literal.is_negated());
            let modes = called.map_or(&[][..], |signature| &signature.modes);
            let taken = args.iter().zip(modes).filter(|(_, mode)| **mode == Mode::Input);
            taken.for_each(|(term, _)| self.need(term, place, true));
        }
    }

    /// Records the inputs in `term` that have no value before `place`.
    fn need(&mut self, term: &Term, place: BindingPlace, aborts: bool) {
        let Self { inputs, bindings, found, .. } = self;
        term.variables(&mut |variable, range| {
            let input = inputs.iter().find(|(_, input)| *input == variable);
            let unbound = input.filter(|_| !bindings.has_value_before(variable, place));
            found.extend(unbound.map(|(argument, _)| NeededInput {
                argument: *argument,
                variable,
                range,
                aborts,
            }));
        });
    }
}
