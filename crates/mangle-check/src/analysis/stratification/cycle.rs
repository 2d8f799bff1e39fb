//! A cycle of the dependency graph, in words and as related places.

use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Dependencies, PredicateId, Program};
use mangle_syntax::lint::{Finding, Span};

/// How many steps of a cycle are spelt out.
const SHOWN: usize = 8;

/// A cycle: the edge that it is about, and a shortest way back to where that edge starts.
#[derive(Debug)]
pub(in crate::analysis) struct Cycle<'g> {
    steps: Vec<&'g Edge>,
}

impl<'g> Cycle<'g> {
    /// A shortest cycle through `edge`: one that the engine sees, if there is one.
    pub(in crate::analysis) fn through(graph: &'g Dependencies, edge: &'g Edge) -> Option<Self> {
        Self::seen_by_engine(graph, edge).or_else(|| Self::closed(graph, edge, |edge| !edge.dropped))
    }

    /// A shortest cycle through `edge` without temporal premises and ignored negations, which the engine does not see.
    pub(in crate::analysis) fn seen_by_engine(graph: &'g Dependencies, edge: &'g Edge) -> Option<Self> {
        let visible = |edge: &Edge| !edge.temporal && !edge.dropped;
        visible(edge).then(|| Self::closed(graph, edge, visible)).flatten()
    }

    fn closed(graph: &'g Dependencies, edge: &'g Edge, allowed: impl Fn(&Edge) -> bool) -> Option<Self> {
        let back = graph.path(edge.to, edge.from, allowed)?;
        Some(Self { steps: std::iter::once(edge).chain(back).collect() })
    }

    /// The steps, the one that it is about first.
    pub(in crate::analysis) fn steps(&self) -> impl Iterator<Item = &'g Edge> {
        self.steps.iter().copied()
    }

    /// Whether the engine sees every step.
    pub(in crate::analysis) fn is_seen_by_engine(&self) -> bool {
        self.steps.iter().all(|edge| !edge.temporal && !edge.dropped)
    }

    /// `a → !b → c → a` in code quotes; `|> b` is a group, and a long cycle is cut in the middle.
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

    /// Adds a related place for each step but the first, which the finding itself is about.
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

/// Where the premise of an edge stands.
fn place(program: &Program, edge: &Edge) -> Option<Span> {
    let file = program.files.get(edge.file as usize)?;
    let item = file.items.get(edge.item as usize)?;
    Some(Span::of(file.id, item.statement.id, edge.range))
}

/// The name of a predicate, with its arity where the name alone would not say which.
pub(in crate::analysis) fn label(program: &Program, id: PredicateId) -> String {
    let key = program.get(id).key;
    match program.named(key.name).nth(1) {
        Some(_) => key.to_string(),
        None => key.name.to_string(),
    }
}
