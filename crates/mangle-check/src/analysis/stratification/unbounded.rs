//! Check for recursion that builds a new value in each round and never ends.

use rustc_hash::FxHashSet;

use crate::analysis::ProgramFindings;
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{FileSummary, PredicateId, Program};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Comparison, Item, Literal, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static UNBOUNDED_RECURSION: Rule = rule!("unbounded-recursion.md");

/// The functions that can generate values without limit. Other functions take values apart, measure
/// or round them.
const BUILDERS: [&str; 18] = [
    "fn:plus",
    "fn:minus",
    "fn:mult",
    "fn:float:plus",
    "fn:float:mult",
    "fn:string:concat",
    "fn:list",
    "fn:list:cons",
    "fn:list:append",
    "fn:pair",
    "fn:tuple",
    "fn:map",
    "fn:struct",
    "fn:some",
    "fn:time:add",
    "fn:time:sub",
    "fn:duration:add",
    "fn:duration:mult",
];

/// Reports rules of a component with unbounded recursion.
pub(super) fn check(program: &Program, members: &[PredicateId], out: &mut ProgramFindings) {
    let edges = program.dependencies().recursive_edges(members);
    let mut edges: Vec<&Edge> = edges.filter(|edge| !edge.is_negative()).collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    for edges in edges.chunk_by(|a, b| (a.file, a.item) == (b.file, b.item)) {
        let Some(edge) = edges.first() else { continue };
        let signature = &program.get(edge.from).signature;
        // A call with arguments can terminate even if the predicate alone does not.
        if signature.deferred || signature.external {
            continue;
        }
        let Some(file) = program.files.get(edge.file as usize) else { continue };
        let Some(item) = file.items.get(edge.item as usize) else { continue };
        if let Some(clause) = item.statement.clause()
            && let Some((range, function)) = endless(clause, edges)
        {
            report(program, file, item, edge, (range, function), out);
        }
    }
}

fn report(
    program: &Program,
    file: &FileSummary,
    item: &Item,
    edge: &Edge,
    (range, function): (TextRange, Symbol),
    out: &mut ProgramFindings,
) {
    let what = match function.as_str() {
        "fn:list" | "fn:map" | "fn:struct" => "a larger value".to_owned(),
        name => format!("a new value (`{name}`)"),
    };
    let name = program.get(edge.from).key.name;
    let finding = Finding::new(&UNBOUNDED_RECURSION, range, format!("recursion of `{name}` never ends"))
        .label("a new value in each round")
        .note(format!("each round makes {what} from an earlier one, and no comparison bounds it"))
        .note("the engine derives facts until it reaches the limit")
        .help("compare the value with a limit");
    let step = mangle_syntax::lint::Span::here(edge.range);
    out.push(file.id, item.statement.id, finding.related(step, "made from this value"));
}

/// The application that builds a new value of the head from a recursive value. `None` if the body
/// limits it.
fn endless(clause: &Clause, recursive: &[&Edge]) -> Option<(TextRange, Symbol)> {
    let is_recursive = |literal: &Literal| recursive.iter().any(|edge| edge.range == literal.atom.name.range);
    let mut flow = Flow::default();
    for literal in clause.literals().filter(|literal| is_recursive(literal)) {
        flow.add_all(&literal.atom.args);
    }
    // Premises can occur in any order, so a value can pass through as many premises as exist.
    for _ in &clause.premises {
        clause.premises.iter().for_each(|premise| flow.pass(premise));
    }
    for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
        if let Some(variable) = statement.variable.as_ref().and_then(Term::variable) {
            flow.assign(variable, &statement.value);
        }
    }
    let bounded = clause.premises.iter().any(|premise| match premise {
        Premise::Literal(literal) => !is_recursive(literal) && flow.is_bounded_by(literal),
        Premise::Comparison(comparison) => flow.is_compared(comparison),
        Premise::Broken(..) => true,
    });
    if bounded {
        return None;
    }
    clause.head.args.iter().find_map(|arg| flow.made_in(arg))
}

/// Variables with recursive values, and variables with new values that are built from recursive
/// values.
#[derive(Default)]
struct Flow {
    recursive: FxHashSet<Symbol>,
    /// The variable and the application that builds its value.
    made: Vec<(Symbol, (TextRange, Symbol))>,
}

impl Flow {
    fn add_all(&mut self, terms: &[Term]) {
        for term in terms {
            term.variables(&mut |variable, _| {
                self.recursive.insert(variable);
            });
        }
    }

    fn has_recursive(&self, term: &Term) -> bool {
        let mut found = false;
        term.variables(&mut |variable, _| found |= self.recursive.contains(&variable));
        found
    }

    fn made(&self, variable: Symbol) -> Option<(TextRange, Symbol)> {
        self.made.iter().find(|(made, _)| *made == variable).map(|(_, by)| *by)
    }

    fn pass(&mut self, premise: &Premise) {
        let Premise::Comparison(Comparison { operator: Operator::Equal, left, right, .. }) = premise else {
            return;
        };
        for (target, value) in [(left, right), (right, left)] {
            if let Some(variable) = target.variable() {
                self.assign(variable, value);
            }
        }
    }

    fn assign(&mut self, variable: Symbol, value: &Term) {
        if self.made(variable).is_some() {
            return;
        }
        if let Some(by) = self.made_in(value) {
            self.made.push((variable, by));
        } else if value.variable().is_some_and(|from| self.recursive.contains(&from)) {
            self.recursive.insert(variable);
        }
    }

    /// The application in a term that builds a new value from a recursive value.
    fn made_in(&self, term: &Term) -> Option<(TextRange, Symbol)> {
        if let Some(variable) = term.variable() {
            return self.made(variable);
        }
        let apply = term.apply()?;
        if !BUILDERS.contains(&apply.function.as_str()) {
            return None;
        }
        let inner = apply.args.iter().find_map(|arg| self.made_in(arg));
        inner.or_else(|| self.has_recursive(term).then_some((term.range, apply.function.symbol)))
    }

    fn concerns(&self, term: &Term) -> bool {
        let mut found = false;
        term.variables(&mut |variable, _| {
            found |= self.recursive.contains(&variable) || self.made(variable).is_some();
        });
        found
    }

    /// True if the comparison has such a value. Any comparison can stop the recursion.
    fn is_compared(&self, comparison: &Comparison) -> bool {
        comparison.operator != Operator::Equal
            && (self.concerns(&comparison.left) || self.concerns(&comparison.right))
    }

    /// True for a premise that only holds for existing values, and for built-ins that test a value
    /// or take it apart.
    fn is_bounded_by(&self, literal: &Literal) -> bool {
        let mut args = literal.atom.args.iter();
        if literal.atom.is_builtin() {
            return args.any(|arg| self.concerns(arg));
        }
        !literal.is_negated() && args.any(|arg| arg.variable().is_some_and(|arg| self.made(arg).is_some()))
    }
}
