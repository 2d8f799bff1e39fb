//! Variables that a caller shares with the rules of a deferred predicate.

use rustc_hash::FxHashMap;

use crate::analysis::{ProgramContext, ProgramFindings};
use mangle_engine::program::{Mode, Predicate, PredicateId, Program, Site, UseKind};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Comparison, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static DEFERRED_VARIABLE_CLASH: Rule = rule!("deferred-variable-clash.md");

/// Maximum number of rules of a deferred predicate to check.
const RULES: usize = 50;

pub(super) fn check(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    if predicate.signature.deferred {
        let inside = variables_inside(program, predicate);
        for (site, kind) in program.uses(predicate).filter(|_| !inside.is_empty()) {
            let statement = &site.item.statement;
            let Some(clause) = statement.clause().filter(|_| !statement.damaged) else { continue };
            // Recursion has its own finding.
            let head = program.predicate_of(site.file, &clause.head);
            let own = head.is_some_and(|head| are_mutually_recursive(program, head, predicate));
            if kind == UseKind::Positive && !own {
                check_call(predicate, &site, clause, &inside, out);
            }
        }
    }
}

/// True if two predicates depend on each other.
fn are_mutually_recursive(program: &Program, one: &Predicate, other: &Predicate) -> bool {
    let component =
        |predicate: &Predicate| Some(program.dependencies().component(program.id(predicate.key)?));
    component(one) == component(other)
}

/// A variable of a called rule: its range, and its argument index in the head, if any.
#[derive(Clone, Copy)]
struct CalleeVariable<'p> {
    site: Site<'p>,
    range: TextRange,
    argument: Option<usize>,
}

fn variables_inside<'p>(
    program: &'p Program,
    predicate: &'p Predicate,
) -> FxHashMap<Symbol, CalleeVariable<'p>> {
    let mut inside = FxHashMap::default();
    for site in program.rules(predicate).take(RULES) {
        let statement = &site.item.statement;
        let Some(clause) = statement.clause().filter(|_| !statement.damaged) else { continue };
        for (at, term) in clause.head.args.iter().enumerate() {
            if let Some(symbol) = term.variable() {
                inside.entry(symbol).or_insert(CalleeVariable {
                    site,
                    range: term.range,
                    argument: Some(at),
                });
            }
        }
        for term in clause.premises.iter().flat_map(terms) {
            term.variables(&mut |symbol, range| {
                inside.entry(symbol).or_insert(CalleeVariable { site, range, argument: None });
            });
        }
    }
    inside
}

fn terms(premise: &Premise) -> Vec<&Term> {
    match premise {
        Premise::Literal(literal) => literal.atom.args.iter().collect(),
        Premise::Comparison(Comparison { left, right, .. }) => vec![left, right],
        Premise::Broken(_, terms) => terms.iter().collect(),
    }
}

fn check_call(
    predicate: &Predicate,
    site: &Site<'_>,
    clause: &Clause,
    inside: &FxHashMap<Symbol, CalleeVariable<'_>>,
    out: &mut ProgramFindings,
) {
    let mut before: Vec<(Symbol, TextRange)> = Vec::new();
    for premise in &clause.premises {
        if let Premise::Literal(literal) = premise
            && literal.atom.name.range == site.range
        {
            let modes = &predicate.signature.modes;
            let clash = before.iter().find_map(|&(symbol, range)| {
                let other = inside.get(&symbol)?;
                (!is_same_argument(&literal.atom, modes, symbol, *other)).then_some((symbol, range, *other))
            });
            if let Some((symbol, range, other)) = clash {
                report(predicate, site, symbol, range, other, out);
            }
            return;
        }
        for term in terms(premise) {
            term.variables(&mut |symbol, range| before.push((symbol, range)));
        }
    }
}

/// True if the caller passes the variable at the same argument position that it has in the called
/// rule.
fn is_same_argument(call: &Atom, modes: &[Mode], symbol: Symbol, other: CalleeVariable<'_>) -> bool {
    other.argument.is_some_and(|at| {
        let handed = call.args.get(at).and_then(Term::variable) == Some(symbol);
        handed && modes.get(at) == Some(&Mode::Input)
    })
}

fn report(
    predicate: &Predicate,
    site: &Site<'_>,
    symbol: Symbol,
    range: TextRange,
    other: CalleeVariable<'_>,
    out: &mut ProgramFindings,
) {
    let name = predicate.key.name;
    let message = format!("variable `{symbol}` clashes with one in a rule of deferred `{name}`");
    let (file, statement) = (other.site.file.id, other.site.item.statement.id);
    let finding = Finding::new(&DEFERRED_VARIABLE_CLASH, range, message)
        .related(Span::new(file, statement, other.range), "variable of the called rule")
        .note("the engine passes the value of this variable into the called rule and loses solutions")
        .help("rename one of the two variables");
    out.push(site.file.id, site.item.statement.id, finding);
}
