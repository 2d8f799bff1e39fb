//! Completions of name constants and strings: values seen in the same argument, and values listed
//! in its type. The usage statistics of an argument exclude the statement at the cursor.

use rustc_hash::FxHashMap;

use super::context::TermSlot;
use super::predicates::is_here;
use super::{Completion, CompletionKind, Request};
use crate::cursor::{Callee, CursorPart};
use crate::mention::{self, Entity};
use mangle_engine::program::{Predicate, Program, Site};
use mangle_engine::types::Type;
use mangle_syntax::syntax::ast::{Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, slice};

/// Longer strings are rarely repeated.
const STRING_LENGTH: usize = 40;

/// Maximum number of names proposed from types, in addition to the names seen in the program.
const MAX_TYPE_NAMES: usize = 100;

pub(super) fn terms(
    request: &Request<'_>,
    hole: TermSlot,
    seen: Option<&ArgumentUsage>,
    items: &mut Vec<Completion>,
) {
    let Some(seen) = seen else { return };
    push(request, seen, items);
    let Some(callee) = hole.callee else { return };
    let ty = column_as_written(request, callee.name, hole.index);
    for name in
        ty.iter().flat_map(singleton_names).filter(|name| !seen.names.contains_key(name)).take(MAX_TYPE_NAMES)
    {
        let score = 0.5 / (seen.total + 1.0);
        items.push(Completion::new(name.as_str(), CompletionKind::Name, score).note("declared"));
    }
    for prefix in ty.iter().flat_map(prefixes) {
        let score = 0.2 / (seen.total + 1.0);
        items.push(Completion::new(format!("{prefix}/"), CompletionKind::Name, score).note("prefix"));
    }
}

pub(super) fn compared(request: &Request<'_>, left: Option<Symbol>, items: &mut Vec<Completion>) {
    let Some(left) = left else { return };
    push(request, &usage_of_variable(request, left), items);
}

fn push(request: &Request<'_>, seen: &ArgumentUsage, items: &mut Vec<Completion>) {
    let total = seen.total + 1.0;
    for (name, count) in &seen.names {
        let item = Completion::new(name.as_str(), CompletionKind::Name, count.weight / total);
        items.push(item.note(times(*count)));
    }
    // After a slash, only names are possible.
    if seen.strings.len() <= STRINGS && !request.typed.starts_with('/') {
        for (text, count) in seen.strings.iter().filter(|(text, _)| text.len() <= STRING_LENGTH) {
            let item = Completion::new(text.clone(), CompletionKind::String, count.weight / total);
            items.push(item.note(times(*count)));
        }
    }
}

fn times(count: UsageCount) -> String {
    match count.places {
        0 => "from a joined argument".to_owned(),
        1 => "1 use".to_owned(),
        places => format!("{places} uses"),
    }
}

/// Adds all other names of the file and of the program's types. Used if the user typed a slash,
/// because the name may be missing from the same argument.
pub(super) fn others(request: &Request<'_>, items: &mut Vec<Completion>) {
    if !request.typed.starts_with('/') {
        return;
    }
    let mut names = rustc_hash::FxHashSet::default();
    for item in request.place.file.items.iter().filter(|item| !is_here(request, request.place.file, item)) {
        mention::each(item, &mut |mention| {
            if let Entity::Name(name) = mention.entity {
                names.insert(name);
            }
        });
    }
    let program = request.place.program();
    let types = request.place.analysis.types();
    for id in program.predicates.iter().filter_map(|predicate| program.id(predicate.key)) {
        for ty in types.rows(id).alternatives.iter().flatten() {
            names.extend(singleton_names(ty));
        }
    }
    items.extend(names.iter().map(|name| Completion::new(name.as_str(), CompletionKind::Name, 1e-5)));
}

/// Returns the type of a column of the predicates with this name.
pub(super) fn column(
    request: &Request<'_>,
    name: Symbol,
    index: usize,
    arity: Option<usize>,
) -> Option<Type> {
    let program = request.place.program();
    let types = request.place.analysis.types();
    let predicates = predicates_named(request, name, index, arity);
    let columns = predicates.into_iter().filter_map(|predicate| {
        let id = program.id(predicate.key)?;
        Some(types.rows(id).column(index).generalised())
    });
    Some(Type::union(columns)).filter(|ty| !ty.is_any() && !ty.is_bottom())
}

/// Returns the type of a column, including its listed names.
fn column_as_written(request: &Request<'_>, name: Symbol, index: usize) -> Option<Type> {
    // Cheap check that type information exists.
    column(request, name, index, request.cursor.arguments)?;
    let program = request.place.program();
    let types = request.place.analysis.types();
    let predicates = predicates_named(request, name, index, request.cursor.arguments);
    let columns = predicates.into_iter().filter_map(|predicate| program.id(predicate.key));
    Some(Type::union(columns.map(|id| types.rows(id).column(index))))
}

/// Returns the names listed in a type.
fn singleton_names(ty: &Type) -> impl Iterator<Item = Symbol> {
    ty.members().iter().filter_map(Type::constant)
}

/// Returns the name prefixes of a type.
fn prefixes(ty: &Type) -> impl Iterator<Item = Symbol> {
    ty.members().iter().filter_map(|member| match member {
        Type::Prefix(name) => Some(*name),
        _ => None,
    })
}

/// Adds the labels of all struct types of the program.
pub(super) fn labels(request: &Request<'_>, items: &mut Vec<Completion>) {
    let program = request.place.program();
    let mut labels = rustc_hash::FxHashSet::default();
    for declaration in program.predicates.iter().filter_map(|predicate| program.declaration(predicate)) {
        for ty in declaration.bounds.iter().flat_map(|row| &row.types) {
            ty.walk(&mut |term| {
                if let Some(apply) = term.apply().filter(|apply| apply.function.as_str() == "fn:Struct") {
                    labels.extend(apply.args.iter().step_by(2).filter_map(|label| match label.kind {
                        mangle_syntax::syntax::ast::TermKind::Name(name) => Some(name),
                        _ => None,
                    }));
                }
            });
        }
    }
    items.extend(labels.iter().map(|label| Completion::new(label.as_str(), CompletionKind::Name, 0.5)));
}

/// Maximum number of clauses and uses examined per predicate.
const SITES: usize = 1_500;

/// Maximum number of clauses and uses examined for joins. `MAX_JOINED_ARGUMENTS` limits the number
/// of joined arguments, `MAX_SITES_PER_JOINED_ARGUMENT` the clauses examined per joined argument.
const MAX_JOINS: usize = 60;
const MAX_JOINED_ARGUMENTS: usize = 8;
const MAX_SITES_PER_JOINED_ARGUMENT: usize = 300;

/// Weight of a name from a joined argument.
const JOINED_NAME_WEIGHT: f64 = 0.05;

/// Strings are proposed only if the argument has at most this many distinct strings.
const STRINGS: usize = 12;

/// Maximum distance, in statements, of places with a higher weight.
const NEAR_DISTANCE: usize = 12;

/// Usage statistics of one predicate argument. The statement at the cursor is excluded.
#[derive(Debug, Default)]
pub(super) struct ArgumentUsage {
    /// Weight by variable name; nearby uses weigh more.
    pub(super) variables: FxHashMap<Symbol, f64>,
    pub(super) names: FxHashMap<Symbol, UsageCount>,
    /// Strings as written in the source.
    pub(super) strings: FxHashMap<String, UsageCount>,
    /// Weight of `_`.
    pub(super) wildcards: f64,
    pub(super) all_variables: f64,
    /// Weight of all terms.
    pub(super) total: f64,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct UsageCount {
    pub(super) places: u32,
    /// Number of places weighted by distance.
    pub(super) weight: f64,
}

impl UsageCount {
    fn add(&mut self, weight: f64) {
        self.places += 1;
        self.weight += weight;
    }
}

/// Returns the predicates with this name and more than `index` arguments. Prefers predicates with
/// `arity` arguments if any exist.
pub(super) fn predicates_named<'a>(
    request: &Request<'a>,
    name: Symbol,
    index: usize,
    arity: Option<usize>,
) -> Vec<&'a Predicate> {
    let program = request.place.program();
    let within = request.place.file.package.map(|package| Symbol::new(&format!("{package}.{name}")));
    let names = std::iter::once(name).chain(within);
    let mut found: Vec<_> = names
        .flat_map(|name| program.named(name))
        .filter(|predicate| usize::from(predicate.key.arity) > index)
        .collect();
    if found.iter().any(|predicate| Some(usize::from(predicate.key.arity)) == arity && predicate.exists()) {
        found.retain(|predicate| Some(usize::from(predicate.key.arity)) == arity);
    } else if found.iter().any(|predicate| predicate.exists()) {
        found.retain(|predicate| predicate.exists());
    }
    found
}

/// Returns the usage of the argument at the cursor. `None` if the cursor is not in an argument of a
/// predicate.
pub(super) fn usage_at(request: &Request<'_>, hole: TermSlot) -> Option<ArgumentUsage> {
    let callee = hole.callee?;
    let name = callee.name.as_str();
    if name.starts_with("fn:") || name.starts_with(':') {
        return None;
    }
    let part = request.cursor.before.part;
    let mut seen = ArgumentUsage::default();
    for predicate in predicates_named(request, callee.name, hole.index, request.cursor.arguments) {
        seen.add(request, predicate, hole.index, part);
        seen.add_joined(request, predicate, hole.index);
    }
    Some(seen)
}

/// Returns the usage of all arguments where a variable of the statement occurs.
fn usage_of_variable(request: &Request<'_>, variable: Symbol) -> ArgumentUsage {
    let mut seen = ArgumentUsage::default();
    for (callee, index) in arguments(request, variable) {
        for predicate in predicates_named(request, callee.name, index, None) {
            seen.add(request, predicate, index, CursorPart::Body);
        }
    }
    seen
}

/// Returns the predicate arguments where a variable of the statement occurs.
fn arguments(request: &Request<'_>, variable: Symbol) -> Vec<(Callee, usize)> {
    let occurrences = request.cursor.whole.variables.iter();
    let mut found: Vec<(Callee, usize)> = Vec::new();
    for occurrence in occurrences.filter(|occurrence| occurrence.variable == variable) {
        let Some((callee, index)) = occurrence.argument else { continue };
        if !found.iter().any(|(known, at)| known.name == callee.name && *at == index) {
            found.push((callee, index));
        }
    }
    found
}

impl ArgumentUsage {
    fn add(&mut self, request: &Request<'_>, predicate: &Predicate, index: usize, part: CursorPart) {
        let program: &Program = request.place.program();
        let (of_heads, of_uses) = match part {
            CursorPart::Head => (1.0, 0.2),
            _ => (0.2, 1.0),
        };
        let is_fact = request.cursor.whole.part == CursorPart::Head;
        for site in program.clauses(predicate).take(SITES) {
            let Some(clause) = site.item.statement.clause() else { continue };
            let Some(term) = clause.head.args.get(index) else { continue };
            // Rule heads contain variables where facts contain constants.
            let alike = if part == CursorPart::Head && clause.is_fact() != is_fact { 0.1 } else { 1.0 };
            self.term(request, &site, term, of_heads * alike);
        }
        for (site, _) in program.uses(predicate).take(SITES) {
            let Some(term) = site.literal().and_then(|literal| literal.atom.args.get(index)) else {
                continue;
            };
            self.term(request, &site, term, of_uses);
        }
    }

    /// Adds the names in arguments that rules join with this one, because joined arguments contain
    /// the same entities.
    fn add_joined(&mut self, request: &Request<'_>, predicate: &Predicate, index: usize) {
        let program = request.place.program();
        for (joined, at) in joined(program, predicate, index) {
            for site in program.clauses(joined).take(MAX_SITES_PER_JOINED_ARGUMENT) {
                let term = site.item.statement.clause().and_then(|clause| clause.head.args.get(at));
                if let Some(TermKind::Name(name)) = term.map(|term| &term.kind)
                    && !is_here(request, site.file, site.item)
                {
                    self.names.entry(*name).or_default().weight += JOINED_NAME_WEIGHT;
                }
            }
        }
    }

    fn term(&mut self, request: &Request<'_>, site: &Site<'_>, term: &Term, weight: f64) {
        if is_here(request, site.file, site.item) {
            return;
        }
        let here = site.file.id == request.place.file.id;
        let weight = weight * nearness(request, site, here);
        self.total += weight;
        match term.kind {
            TermKind::Variable(name) => {
                *self.variables.entry(name).or_default() += weight;
                self.all_variables += weight;
            }
            TermKind::Wildcard => self.wildcards += weight,
            TermKind::Name(name) => self.names.entry(name).or_default().add(weight),
            TermKind::String if self.strings.len() <= STRINGS => {
                let text = slice(site.file.statement_text(site.item), term.range);
                if literal::string_value(text).is_some() {
                    self.strings.entry(text.to_owned()).or_default().add(weight);
                }
            }
            _ => {}
        }
    }
}

/// Returns the arguments that share a variable with an argument of a predicate in some rule.
fn joined<'p>(program: &'p Program, predicate: &'p Predicate, index: usize) -> Vec<(&'p Predicate, usize)> {
    let mut found: Vec<(&Predicate, usize)> = Vec::new();
    let heads = program.rules(predicate).map(|site| (site, None));
    let uses = program.uses(predicate).map(|(site, _)| (site, Some(site.range)));
    for (site, range) in heads.take(MAX_JOINS).chain(uses.take(MAX_JOINS)) {
        let Some(clause) = site.item.statement.clause() else { continue };
        let atom = match range {
            Some(range) => clause.literal_at(range).map(|literal| &literal.atom),
            None => Some(&clause.head),
        };
        let Some(variable) = atom.and_then(|atom| atom.args.get(index)?.variable()) else { continue };
        let atoms = clause.literals().map(|literal| &literal.atom).chain([&clause.head]);
        for other in atoms {
            let Some(at) = other.args.iter().position(|term| term.variable() == Some(variable)) else {
                continue;
            };
            let Some(joined) = program.predicate_of(site.file, other) else { continue };
            let known = found.iter().any(|(known, known_at)| known.key == joined.key && *known_at == at);
            let is_same = joined.key == predicate.key && at == index;
            if !known && !is_same && found.len() < MAX_JOINED_ARGUMENTS {
                found.push((joined, at));
            }
        }
    }
    found
}

/// Returns the weight of a place.
fn nearness(request: &Request<'_>, site: &Site<'_>, here: bool) -> f64 {
    if !here {
        return 1.0;
    }
    let items = &site.file.items;
    let index = |start| items.partition_point(|item| item.start < start);
    let distance = index(site.item.start).abs_diff(index(request.cursor.start));
    if distance <= NEAR_DISTANCE { 6.0 } else { 2.0 }
}
