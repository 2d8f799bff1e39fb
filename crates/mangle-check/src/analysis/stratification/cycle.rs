//! Description of a dependency cycle as text and related locations.

use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Dependencies, PredicateId, Program};
use mangle_syntax::lint::{Finding, Span};

/// Maximum number of steps in the text of a cycle.
const SHOWN: usize = 8;

/// A cycle: an edge, and a shortest path from its end back to its start.
#[derive(Debug)]
pub(in crate::analysis) struct Cycle<'g> {
    steps: Vec<&'g Edge>,
}

impl<'g> Cycle<'g> {
    /// A shortest cycle through `edge`. Prefers a cycle that the engine detects.
    pub(in crate::analysis) fn through(graph: &'g Dependencies, edge: &'g Edge) -> Option<Self> {
        Self::seen_by_engine(graph, edge).or_else(|| Self::closed(graph, edge, |edge| !edge.dropped))
    }

    /// A shortest cycle through `edge` that the engine detects: without temporal premises and
    /// ignored negations.
    pub(in crate::analysis) fn seen_by_engine(graph: &'g Dependencies, edge: &'g Edge) -> Option<Self> {
        let visible = |edge: &Edge| !edge.temporal && !edge.dropped;
        visible(edge).then(|| Self::closed(graph, edge, visible)).flatten()
    }

    fn closed(graph: &'g Dependencies, edge: &'g Edge, allowed: impl Fn(&Edge) -> bool) -> Option<Self> {
        let back = graph.path(edge.to, edge.from, allowed)?;
        Some(Self { steps: std::iter::once(edge).chain(back).collect() })
    }

    /// The steps, starting with the reported edge.
    pub(in crate::analysis) fn steps(&self) -> impl Iterator<Item = &'g Edge> {
        self.steps.iter().copied()
    }

    /// True if the engine detects every step.
    pub(in crate::analysis) fn is_seen_by_engine(&self) -> bool {
        self.steps.iter().all(|edge| !edge.temporal && !edge.dropped)
    }

    /// Formats the cycle as `a → !b → c → a`. `|> b` is an aggregation, and the middle of a long
    /// cycle is omitted.
    pub(in crate::analysis) fn describe(&self, program: &Program) -> String {
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
    pub(in crate::analysis) fn relate(&self, program: &Program, finding: Finding) -> Finding {
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
pub(in crate::analysis) fn label(program: &Program, id: PredicateId) -> String {
    let key = program.get(id).key;
    match program.named(key.name).nth(1) {
        Some(_) => key.to_string(),
        None => key.name.to_string(),
    }
}
