//! Rules about recursion (`MG5xx`): cycles through negation, which have no stratification, and
//! recursion that builds new values forever.

mod recursion;

use rustc_hash::FxHashSet;

use super::{Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Dependencies, PredicateId, Program};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Premise};
use mangle_syntax::text::TextRange;

static UNSTRATIFIED: Rule = rule!("unstratified.md");

pub(super) const FAMILY: Family = Family {
    rules: &[&UNSTRATIFIED, &recursion::UNBOUNDED_RECURSION, &recursion::RECURSION_MISSES_FACTS],
    clause: None,
    declaration: None,
    program: &[ProgramCheck::Cycle(check)],
};

/// Maximum number of reported rules per component. Further findings would repeat the first ones,
/// and each costs a search.
const PER_COMPONENT: usize = 20;

fn check(context: &ProgramContext<'_>, members: &[PredicateId], out: &mut ProgramFindings) {
    let program = context.program;
    let dependencies = program.dependencies();
    // Edges of reported cycles. Breaking one of them is sufficient.
    let mut covered = FxHashSet::default();
    for edge in closing_edges(program, members) {
        if !covered.contains(&step(&edge)) {
            let cycle = report(program, dependencies, &edge, out);
            covered.extend(cycle.iter().flat_map(Cycle::steps).map(step));
        }
    }
    for part in program.dependencies().parts_for_engine(members) {
        recursion::check_missed_facts(program, &part, out);
    }
    recursion::check_unbounded(program, members, out);
}

/// The negative edges of a component that lie on a cycle, one per rule, in file order.
fn closing_edges(program: &Program, members: &[PredicateId]) -> Vec<Edge> {
    let dependencies = program.dependencies();
    let edges = dependencies.recursive_edges(members).filter(|edge| edge.is_negative() && !edge.dropped);
    let mut edges: Vec<Edge> = edges.copied().collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, !edge.negated, edge.range.start()));
    edges.dedup_by_key(|edge| (edge.file, edge.item));
    edges.truncate(PER_COMPONENT);
    // If the cycle only exists through temporal premises, the recursion between temporal predicates
    // is the mistake, which has its own finding.
    if members.len() > 1 && members.iter().any(|id| program.get(*id).signature.temporal) {
        edges.retain(|edge| Cycle::seen_by_engine(dependencies, edge).is_some());
    }
    edges
}

/// Identifies a step by the location of its premise.
fn step(edge: &Edge) -> (u32, u32, TextRange) {
    (edge.file, edge.item, edge.range)
}

/// Reports a cycle that the engine rejects or evaluates in an arbitrary order. Returns the cycle.
fn report<'g>(
    program: &Program,
    dependencies: &'g Dependencies,
    edge: &'g Edge,
    out: &mut ProgramFindings,
) -> Option<Cycle<'g>> {
    let cycle = Cycle::through(dependencies, edge)?;
    let file = program.files.get(edge.file as usize)?;
    let item = file.items.get(edge.item as usize)?;
    let clause = item.statement.clause()?;
    let head = label(program, edge.from);
    let (kind, label) = match edge.negated {
        true => ("negative", "negation on the cycle"),
        false => ("aggregation", "aggregation on the cycle"),
    };
    let (problem, consequence) = if cycle.is_seen_by_engine() {
        ("program cannot be stratified", "the engine rejects the whole program when it evaluates it")
    } else {
        (
            "result depends on evaluation order",
            "the engine ignores temporal premises when it computes strata, and does not reject this",
        )
    };
    let headline = format!("{problem}: {kind} cycle through `{head}`");
    let finding = Finding::new(&UNSTRATIFIED, closing_range(clause, edge), headline)
        .label(label)
        .note(cycle.describe(program))
        .note(consequence)
        .help(help(program, edge));
    out.push(file.id, item.statement.id, cycle.relate(program, finding));
    Some(cycle)
}

/// Help text that shows how to break such a cycle, with an example.
fn help(program: &Program, edge: &Edge) -> String {
    let (head, target) = (label(program, edge.from), label(program, edge.to));
    let example = |text: &str| format!("`{text}`");
    match (edge.negated, edge.from == edge.to) {
        (true, true) => format!(
            "negate a predicate that does not depend on `{head}`, as in {}",
            example("waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).")
        ),
        (true, false) => format!(
            "derive `{target}` without `{head}`, or negate a predicate that does not depend on `{head}`, as in {}",
            example("waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).")
        ),
        (false, _) => format!(
            "aggregate a predicate that does not depend on `{head}`, as in {}",
            example("total(N) :- parcel(_) |> do fn:group_by(), let N = fn:count().")
        ),
    }
}

/// The range of the negated premise or the `do` statement.
fn closing_range(clause: &Clause, edge: &Edge) -> TextRange {
    if edge.negated {
        let mut literals = clause.premises.iter().filter_map(|premise| match premise {
            Premise::Literal(literal) => Some(literal),
            _ => None,
        });
        let literal = literals.find(|literal| literal.atom.name.range == edge.range);
        return literal.map_or(edge.range, |literal| literal.range);
    }
    let transform = clause.transforms.iter().find(|transform| transform.is_do());
    let statement = transform.and_then(|transform| transform.statements.first());
    statement.map_or(edge.range, |statement| statement.range)
}

/// Maximum number of steps in the text of a cycle.
const SHOWN: usize = 8;

/// A cycle: an edge, and a shortest path from its end back to its start.
#[derive(Debug)]
pub(super) struct Cycle<'g> {
    steps: Vec<&'g Edge>,
}

impl<'g> Cycle<'g> {
    /// A shortest cycle through `edge`. Prefers a cycle that the engine detects.
    pub(super) fn through(graph: &'g Dependencies, edge: &'g Edge) -> Option<Self> {
        Self::seen_by_engine(graph, edge).or_else(|| Self::closed(graph, edge, |edge| !edge.dropped))
    }

    /// A shortest cycle through `edge` that the engine detects: without temporal premises and
    /// ignored negations.
    fn seen_by_engine(graph: &'g Dependencies, edge: &'g Edge) -> Option<Self> {
        let visible = |edge: &Edge| !edge.temporal && !edge.dropped;
        visible(edge).then(|| Self::closed(graph, edge, visible)).flatten()
    }

    fn closed(graph: &'g Dependencies, edge: &'g Edge, allowed: impl Fn(&Edge) -> bool) -> Option<Self> {
        let back = graph.path(edge.to, edge.from, allowed)?;
        Some(Self { steps: std::iter::once(edge).chain(back).collect() })
    }

    /// The steps, starting with the reported edge.
    fn steps(&self) -> impl Iterator<Item = &'g Edge> {
        self.steps.iter().copied()
    }

    /// True if the engine detects every step.
    fn is_seen_by_engine(&self) -> bool {
        self.steps.iter().all(|edge| !edge.temporal && !edge.dropped)
    }

    /// Formats the cycle as `a → !b → c → a`. `|> b` is an aggregation, and the middle of a long
    /// cycle is omitted.
    pub(super) fn describe(&self, program: &Program) -> String {
        let start = self.steps.first().map_or_else(String::new, |edge| label(program, edge.from));
        let mut words = vec![start];
        let (shown, cut) = match self.steps.len() {
            length if length > SHOWN + 1 => (SHOWN - 1, true),
            length => (length, false),
        };
        words.extend(self.steps.iter().take(shown).map(|edge| marked(program, edge)));
        if cut {
            words.push("…".to_owned());
            words.extend(self.steps.last().map(|edge| marked(program, edge)));
        }
        format!("`{}`", words.join(" → "))
    }

    /// Adds a related location for each step except the first, which is the location of the
    /// finding.
    pub(super) fn relate(&self, program: &Program, finding: Finding) -> Finding {
        let shown = self.steps.iter().skip(1).take(SHOWN);
        shown.fold(finding, |finding, edge| match place(program, edge) {
            Some(span) => finding.related(span, describe_step(program, edge)),
            None => finding,
        })
    }
}

fn describe_step(program: &Program, edge: &Edge) -> String {
    let (from, to) = (label(program, edge.from), label(program, edge.to));
    match (edge.negated, edge.grouped) {
        (true, _) => format!("`{from}` negates `{to}`"),
        (false, true) => format!("`{from}` aggregates `{to}`"),
        (false, false) => format!("`{from}` depends on `{to}`"),
    }
}

fn marked(program: &Program, edge: &Edge) -> String {
    let mark = match (edge.negated, edge.grouped) {
        (true, _) => "!",
        (false, true) => "|> ",
        (false, false) => "",
    };
    format!("{mark}{}", label(program, edge.to))
}

/// The location of the premise of an edge.
fn place(program: &Program, edge: &Edge) -> Option<Span> {
    let file = program.files.get(edge.file as usize)?;
    let item = file.items.get(edge.item as usize)?;
    Some(Span::new(file.id, item.statement.id, edge.range))
}

/// The name of a predicate, with its arity if the name alone is ambiguous.
pub(super) fn label(program: &Program, id: PredicateId) -> String {
    let key = program.get(id).key;
    match program.named(key.name).nth(1) {
        Some(_) => key.to_string(),
        None => key.name.to_string(),
    }
}

#[cfg(test)]
mod tests;
