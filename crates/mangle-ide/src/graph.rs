//! Dependency graph of the predicates of a program, or a selected part of it.
//!
//! The input is a program and a [`Selection`]; the output is a [`PredicateGraph`] that
//! `report::graph` renders.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use mangle_check::describe::documentation;
use mangle_engine::program::graph::{Edge as Premise, Graph};
use mangle_engine::program::{Predicate, PredicateId, PredicateInFile, Program};
use mangle_report::graph::{Component, Edge, EdgeKind, Node, NodeKind, NodePlace, PredicateGraph};
use mangle_syntax::text::{FileId, nearest};

/// Selects a part of the graph. Default: the whole graph.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// If set, only predicates that these files declare, define or use.
    pub files: Option<FxHashSet<FileId>>,
    /// If not empty, only these predicates and their surroundings.
    pub of: Vec<PredicateName>,
    /// Maximum distance from the predicates in `of`, in edges.
    pub depth: usize,
    pub direction: Direction,
    /// Only predicates that depend on themselves, directly or through a cycle.
    pub recursive: bool,
}

/// Direction of the followed edges, relative to a predicate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    Both,
    /// Dependencies of the predicate.
    Uses,
    /// Predicates that depend on it.
    Users,
}

/// A predicate name given by a user: `name` (any arity) or `name/arity`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicateName {
    name: String,
    arity: Option<u16>,
}

impl PredicateName {
    /// Parses `name` or `name/arity`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let split = text.rsplit_once('/').and_then(|(name, arity)| Some((name, arity.parse().ok()?)));
        match split {
            Some((name, arity)) => Self { name: name.into(), arity: Some(arity) },
            None => Self { name: text.into(), arity: None },
        }
    }

    fn matches(&self, predicate: &Predicate) -> bool {
        let key = predicate.key;
        key.name.as_str() == self.name && self.arity.is_none_or(|arity| arity == key.arity)
    }

    /// Returns an error message if no program mentions the predicate.
    #[must_use]
    pub fn missing_from<'p>(&self, programs: impl Iterator<Item = &'p Program> + Clone) -> Option<String> {
        let mut all = programs.flat_map(|program| program.predicates.iter());
        if all.clone().any(|predicate| self.matches(predicate)) {
            return None;
        }
        let same_name = all.clone().find(|predicate| predicate.key.name.as_str() == self.name);
        let near = same_name.map(|predicate| predicate.key.to_string()).or_else(|| {
            let name = nearest(&self.name, all.clone().map(|predicate| predicate.key.name.as_str()))?;
            all.find(|predicate| predicate.key.name.as_str() == name).map(|found| found.key.to_string())
        });
        let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let arity = self.arity.map_or_else(String::new, |arity| format!("/{arity}"));
        Some(format!("no predicate `{}{arity}` is mentioned here{hint}", self.name))
    }
}

/// Returns the selected graph of `program`. `name` is the title of the graph.
#[must_use]
pub fn predicate_graph(program: &Program, name: &str, selection: &Selection) -> PredicateGraph {
    Drawing::new(program, selection).draw(name)
}

struct Drawing<'p> {
    program: &'p Program,
    graph: &'p Graph,
    premises: Vec<&'p Premise>,
    strata: Vec<u32>,
    /// Shown predicates, sorted, and the position of each.
    shown: Vec<PredicateId>,
    position: FxHashMap<PredicateId, usize>,
}

impl<'p> Drawing<'p> {
    fn new(program: &'p Program, selection: &Selection) -> Self {
        let graph = program.graph();
        let in_files = |premise: &&Premise| {
            let file = program.files.get(premise.file as usize).map(|file| file.id);
            selection.files.as_ref().is_none_or(|files| file.is_some_and(|file| files.contains(&file)))
        };
        let premises: Vec<_> = graph.edges().iter().filter(in_files).collect();
        let mut shown = mentioned(program, &premises, selection.files.as_ref());
        if !selection.of.is_empty() {
            let around = around(program, &premises, selection);
            shown.retain(|id| around.contains(id));
        }
        if selection.recursive {
            shown.retain(|id| is_recursive(graph, *id));
        }
        let key = |id: &PredicateId| {
            let key = program.get(*id).key;
            (key.name.as_str(), key.arity)
        };
        let mut shown: Vec<_> = shown.into_iter().collect();
        shown.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        let position = shown.iter().copied().zip(0..).collect();
        Self { program, graph, premises, strata: graph.strata_of_predicates(), shown, position }
    }

    fn draw(&self, name: &str) -> PredicateGraph {
        PredicateGraph {
            name: name.to_owned(),
            predicates: self.shown.iter().map(|id| self.node(*id)).collect(),
            edges: self.edges(),
            components: self.components(),
        }
    }

    fn node(&self, id: PredicateId) -> Node {
        let predicate = self.program.get(id);
        let (facts, rules) = self.counts(predicate);
        let signature = &predicate.signature;
        let kind = match (rules, facts) {
            (1.., _) => NodeKind::Rules,
            (_, 1..) => NodeKind::Facts,
            _ if signature.host || signature.external => NodeKind::Host,
            _ if signature.declared.is_some() => NodeKind::Declared,
            _ => NodeKind::Undefined,
        };
        Node {
            key: predicate.key,
            kind,
            declared: signature.declared.is_some(),
            stratum: self.strata.get(id.0 as usize).copied().unwrap_or(0),
            facts,
            rules,
            place: self.place_of(predicate),
            declaration: self.declaration(predicate),
            documentation: documentation(self.program, predicate),
        }
    }

    /// Returns the number of facts and of rules.
    fn counts(&self, predicate: &Predicate) -> (usize, usize) {
        let files = predicate
            .files
            .iter()
            .filter_map(|(file, key)| self.program.files.get(*file as usize)?.predicates.get(key));
        files.fold((0, 0), |(facts, rules), there| (facts + there.facts.len(), rules + there.rules.len()))
    }

    fn declaration(&self, predicate: &Predicate) -> Option<String> {
        let site = self.program.declarations(predicate).next()?;
        Some(site.file.statement_text(site.item).to_owned())
    }

    fn place_of(&self, predicate: &Predicate) -> Option<NodePlace> {
        let mut declared = self.program.declarations(predicate);
        let site = declared.next().or_else(|| self.program.clauses(predicate).next())?;
        Some(NodePlace { file: site.file.id, range: site.range + site.item.start })
    }

    /// Returns the edges. Premises with the same predicates and kind are merged.
    fn edges(&self) -> Vec<Edge> {
        let mut edges: FxHashMap<(usize, usize, EdgeKind, bool), Edge> = FxHashMap::default();
        for premise in &self.premises {
            let ends = (self.position.get(&premise.from), self.position.get(&premise.to));
            let (Some(&from), Some(&to)) = ends else { continue };
            let (kind, temporal) = (kind_of(premise), premise.temporal);
            let edge = edges.entry((from, to, kind, temporal)).or_insert_with(|| Edge {
                from,
                to,
                kind,
                temporal,
                recursive: self.graph.is_recursive(premise),
                places: Vec::new(),
            });
            edge.places.extend(self.place(premise));
        }
        let mut edges: Vec<_> = edges.into_values().collect();
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind, edge.temporal));
        edges.iter_mut().for_each(|edge| {
            edge.places.sort_unstable_by_key(|place| (place.file, place.range.start()));
        });
        edges
    }

    fn place(&self, premise: &Premise) -> Option<NodePlace> {
        let file = self.program.files.get(premise.file as usize)?;
        let item = file.items.get(premise.item as usize)?;
        Some(NodePlace { file: file.id, range: premise.range + item.start })
    }

    /// Returns the cycles with at least one shown predicate, reduced to the shown members.
    fn components(&self) -> Vec<Component> {
        let mut components: FxHashMap<_, Component> = FxHashMap::default();
        for (at, id) in self.shown.iter().enumerate() {
            if is_recursive(self.graph, *id) {
                let number = self.graph.component(*id);
                let component = components
                    .entry(number)
                    .or_insert_with(|| Component { members: Vec::new(), stratified: true });
                component.members.push(at);
            }
        }
        for premise in self.graph.recursive_edges().filter(|premise| premise.is_negative()) {
            if let Some(component) = components.get_mut(&self.graph.component(premise.from)) {
                component.stratified = false;
            }
        }
        let mut components: Vec<_> = components.into_values().collect();
        components.sort_unstable_by(|a, b| a.members.cmp(&b.members));
        components
    }
}

fn kind_of(premise: &Premise) -> EdgeKind {
    match (premise.negated, premise.grouped) {
        (true, _) => EdgeKind::Negated,
        (false, true) => EdgeKind::Aggregated,
        (false, false) => EdgeKind::Positive,
    }
}

fn is_recursive(graph: &Graph, id: PredicateId) -> bool {
    graph.edges_from(id).iter().any(|premise| graph.is_recursive(premise))
}

/// Returns the predicates that the selected files declare, define or use.
fn mentioned(
    program: &Program,
    premises: &[&Premise],
    files: Option<&FxHashSet<FileId>>,
) -> FxHashSet<PredicateId> {
    let all = program.predicates.with_ids();
    let Some(files) = files else { return all.map(|(id, _)| id).collect() };
    let says = |predicate: &Predicate| {
        predicate.files.iter().any(|(file, key)| {
            let file = program.files.get(*file as usize).filter(|file| files.contains(&file.id));
            let there = file.and_then(|file| file.predicates.get(key));
            there.is_some_and(PredicateInFile::defines)
        })
    };
    let mut shown: FxHashSet<_> = all.filter(|(_, predicate)| says(predicate)).map(|(id, _)| id).collect();
    shown.extend(premises.iter().map(|premise| premise.to));
    shown
}

/// Returns the selected predicates, their dependencies and their dependents, up to the selected
/// depth.
fn around(program: &Program, premises: &[&Premise], selection: &Selection) -> FxHashSet<PredicateId> {
    let is_wanted = |predicate: &Predicate| selection.of.iter().any(|wanted| wanted.matches(predicate));
    let all = program.predicates.with_ids();
    let start: Vec<_> = all.filter(|(_, predicate)| is_wanted(predicate)).map(|(id, _)| id).collect();
    let (mut down, mut up) = (Steps::default(), Steps::default());
    for premise in premises {
        down.entry(premise.from).or_default().push(premise.to);
        up.entry(premise.to).or_default().push(premise.from);
    }
    let mut around: FxHashSet<_> = start.iter().copied().collect();
    if selection.direction != Direction::Users {
        around.extend(reached(&start, &down, selection.depth));
    }
    if selection.direction != Direction::Uses {
        around.extend(reached(&start, &up, selection.depth));
    }
    around
}

type Steps = FxHashMap<PredicateId, Vec<PredicateId>>;

fn reached(start: &[PredicateId], steps: &Steps, depth: usize) -> FxHashSet<PredicateId> {
    let mut reached: FxHashSet<_> = start.iter().copied().collect();
    let mut queue: VecDeque<_> = start.iter().map(|id| (*id, depth)).collect();
    while let Some((at, left)) = queue.pop_front() {
        let Some(left) = left.checked_sub(1) else { continue };
        for next in steps.get(&at).into_iter().flatten() {
            if reached.insert(*next) {
                queue.push_back((*next, left));
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests;
