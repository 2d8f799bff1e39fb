//! Checks of deferred predicates that need the program: shared variables and recursion.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Mode, Predicate, PredicateId, Program, Site, UseKind};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Comparison, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static DEFERRED_VARIABLE_CLASH: Rule = rule!("deferred-variable-clash.md");

/// Maximum number of rules of a deferred predicate to check.
const RULES: usize = 50;

/// Reports variables that a caller shares with the rules of a deferred predicate.
pub(super) fn check_clashes(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
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

pub(super) static DEFERRED_RECURSION: Rule = rule!("deferred-recursion.md");

/// Reports the calls that close a cycle, one per rule.
pub(super) fn check_recursion(
    context: &ProgramContext<'_>,
    members: &[PredicateId],
    out: &mut ProgramFindings,
) {
    let program = context.program;
    let calls = |edge: &&Edge| {
        let deferred = |id| program.get(id).signature.deferred;
        !edge.negated && !edge.temporal && deferred(edge.from) && deferred(edge.to)
    };
    let mut edges: Vec<&Edge> = program.dependencies().recursive_edges(members).filter(calls).collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    let mut seen = FxHashSet::default();
    for edge in edges {
        if !seen.insert((edge.file, edge.item)) {
            continue;
        }
        let Some(file) = program.files.get(edge.file as usize) else { continue };
        let Some(item) = file.items.get(edge.item as usize) else { continue };
        let predicate = program.get(edge.from);
        let message = format!(
            "deferred predicate `{}` calls itself{}",
            predicate.key.name,
            if edge.from == edge.to { "" } else { " indirectly" },
        );
        let mut finding = Finding::new(&DEFERRED_RECURSION, edge.range, message)
            .note("the engine mixes up the variables of nested calls and silently loses solutions")
            .help("use a recursive predicate that is not deferred");
        if let Some((file, statement, range)) = predicate.signature.declared {
            finding = finding.related(Span::new(file, statement, range), "declared here");
        }
        out.push(file.id, item.statement.id, finding);
    }
}
