//! Completions of user-defined and built-in predicates, as premises and as heads of facts and
//! rules.

use rustc_hash::FxHashMap;

use super::items::CandidateCollector;
use super::{Completion, CompletionKind, CompletionSubject, Insertion, Request};
use crate::cursor::CursorPart;
use mangle_check::describe;
use mangle_engine::program::builtins::PREDICATES;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Site, key_of};
use mangle_syntax::syntax::ast::{Clause, Item, StatementKind};
use mangle_syntax::text::Symbol;

/// Number of statements before and after the cursor whose predicates are preferred.
const NEARBY_STATEMENTS: usize = 40;

/// Maximum number of clauses examined for predicates that occur together.
const MAX_SITES: usize = 120;

/// Adds predicates with argument snippets, and built-ins.
pub(super) fn premises(request: &Request<'_>, items: &mut Vec<Completion>) {
    let scan = &request.cursor.before;
    let weights = weights(request);
    let program = request.place.program();
    let mut candidates = CandidateCollector::new(request.typed);
    for predicate in
        program.predicates.iter().filter(|predicate| !scan.temporal || predicate.signature.temporal)
    {
        if !candidates.may_let_through(predicate.letters) {
            continue;
        }
        let Some(name) = local_name(request, predicate).filter(|name| candidates.accepts(name)) else {
            continue;
        };
        if exists(request, predicate) {
            candidates.add(name, predicate);
        }
    }
    push(request, candidates, |name, predicate| weights.score(request, predicate, name), items);
    if !scan.temporal {
        builtins(request, items);
    }
}

/// Adds items for the predicates with the highest `score`.
pub(super) fn push<'p>(
    request: &Request<'_>,
    candidates: CandidateCollector<'_, &'p Predicate>,
    score: impl Fn(&str, &'p Predicate) -> f64,
    items: &mut Vec<Completion>,
) {
    let (best, sifted) = candidates.best(|name, predicate| score(name, predicate));
    request.is_truncated.set(request.is_truncated.get() || sifted);
    for (name, predicate, score) in best {
        items.push(predicate_item(request, predicate, name, score));
    }
}

/// Adds atoms of `inclusion […]`.
pub(super) fn included(request: &Request<'_>, items: &mut Vec<Completion>) {
    for predicate in request.place.program().predicates.iter().filter(|predicate| exists(request, predicate))
    {
        let Some(name) = local_name(request, predicate) else { continue };
        // A predicate always includes itself.
        if request.cursor.before.head.is_some_and(|head| head.name.as_str() == name) {
            continue;
        }
        let score = shared_names(request, predicate);
        items.push(predicate_item(request, predicate, name, score));
    }
}

/// True if the host, a declaration, or a clause other than the one at the cursor defines a
/// predicate. Inside the body of its own rule, a defined predicate exists.
fn exists(request: &Request<'_>, predicate: &Predicate) -> bool {
    if !predicate.exists() {
        return false;
    }
    if predicate.signature.host || predicate.signature.declared.is_some() {
        return true;
    }
    if request.cursor.before.part == CursorPart::Body
        && request.cursor.before.head.is_some_and(|head| head.name == predicate.key.name)
    {
        return true;
    }
    request.place.program().clauses(predicate).any(|site| !is_here(request, site.file, site.item))
}

/// True if a statement is the one at the cursor.
pub(super) fn is_here(request: &Request<'_>, file: &FileSummary, item: &Item) -> bool {
    let offset = request.place.offset;
    file.id == request.place.file.id && item.start <= offset && offset <= item.start + item.statement.len
}

/// Returns the name of a predicate as written in this file. `None` if this file may not use the
/// predicate.
fn local_name(request: &Request<'_>, predicate: &Predicate) -> Option<&'static str> {
    let (key, file) = (predicate.key, request.place.file);
    let package = key.package();
    let name = key.name.as_str();
    if package.is_empty() || file.package.is_some_and(|own| own.as_str() == package) {
        let prefix = if package.is_empty() { 0 } else { package.len() + 1 };
        return name.get(prefix..);
    }
    let usable = request.place.program().missing_use(file, key).is_none() && !predicate.signature.private;
    usable.then_some(name)
}

/// Returns the key of a predicate under the name written in this file.
fn local_key(predicate: &Predicate, name: &str) -> PredicateKey {
    let is_qualified = predicate.key.name.as_str() != name;
    if is_qualified { PredicateKey { name: Symbol::new(name), ..predicate.key } } else { predicate.key }
}

fn predicate_item(request: &Request<'_>, predicate: &Predicate, name: &str, score: f64) -> Completion {
    let names = arguments(request, predicate);
    let insertion = if request.is_called() { Insertion::plain(name) } else { Insertion::call(name, &names) };
    let signature = format!("({})", names.join(", "));
    let uses: usize = uses(request, predicate);
    let mut item = Completion::new(name, CompletionKind::Predicate, score)
        .inserting(insertion)
        .about(CompletionSubject::Predicate(predicate.key));
    item.signature = Some(signature);
    if uses > 0 {
        item.note = Some(if uses == 1 { "1 use".to_owned() } else { format!("{uses} uses") });
    }
    item
}

fn uses(request: &Request<'_>, predicate: &Predicate) -> usize {
    let files = predicate
        .files
        .iter()
        .filter_map(|(file, key)| request.place.program().files.get(*file as usize)?.predicates.get(key));
    files.map(|there| there.uses.len()).sum()
}

/// Returns the argument names of a predicate. Unnamed arguments are numbered.
pub(super) fn arguments(request: &Request<'_>, predicate: &Predicate) -> Vec<String> {
    let program = request.place.program();
    let arity = usize::from(predicate.key.arity);
    let name = |at| describe::parameter_name(program, predicate, at).map(str::to_owned);
    (0..arity)
        .map(|at| name(at).unwrap_or_else(|| if arity == 1 { "X".into() } else { format!("X{}", at + 1) }))
        .collect()
}

/// Returns the number of parameters whose names equal variables of the statement.
fn shared_names(request: &Request<'_>, predicate: &Predicate) -> f64 {
    let program = request.place.program();
    let variables = &request.cursor.whole.variables;
    if variables.is_empty() {
        return 0.0;
    }
    let shared = (0..usize::from(predicate.key.arity)).filter(|at| {
        describe::parameter_name(program, predicate, *at)
            .is_some_and(|name| variables.iter().any(|occurrence| occurrence.variable.as_str() == name))
    });
    f64::from(u32::try_from(shared.count()).unwrap_or(u32::MAX))
}

fn builtins(request: &Request<'_>, items: &mut Vec<Completion>) {
    let asked_for = request.typed.starts_with(':');
    let used = builtins_used(request);
    for builtin in PREDICATES.iter().filter(|builtin| request.has(builtin.since)) {
        // Integer comparisons are usually written with operators.
        let rare = if builtin.is_integer_ordering() { 0.2 } else { 1.0 };
        let uses = used.get(builtin.name).copied().unwrap_or(0.0);
        let score = if asked_for { 0.5 * rare } else { 0.004 * rare } * (1.0 + uses);
        let arguments: Vec<_> = (1..=builtin.arity()).map(|at| format!("X{at}")).collect();
        let insertion = match request.is_called() {
            true => Insertion::plain(builtin.name),
            false => Insertion::call(builtin.name, &arguments),
        };
        let types: Vec<_> = builtin.parameters.iter().map(|parameter| parameter.ty).collect();
        let mut item = Completion::new(builtin.name, CompletionKind::Builtin, score)
            .inserting(insertion)
            .about(CompletionSubject::Builtin(builtin.name.to_owned()));
        item.signature = Some(format!("({})", types.join(", ")));
        items.push(item);
    }
}

/// Returns the number of uses of each built-in predicate in nearby statements.
fn builtins_used(request: &Request<'_>) -> FxHashMap<&'static str, f64> {
    let items = &request.place.file.items;
    let at = items.partition_point(|item| item.start < request.cursor.start);
    let mut used = FxHashMap::default();
    for item in items.iter().skip(at.saturating_sub(NEARBY_STATEMENTS)).take(2 * NEARBY_STATEMENTS) {
        let clause = item.statement.clause().filter(|_| !is_here(request, request.place.file, item));
        for literal in
            clause.into_iter().flat_map(Clause::literals).filter(|literal| literal.atom.is_builtin())
        {
            *used.entry(literal.atom.name.as_str()).or_default() += 1.0;
        }
    }
    used
}

/// Likelihood of predicates, from the context of the cursor.
struct Weights {
    /// Used by other rules with the same head.
    of_head: FxHashMap<PredicateKey, f64>,
    /// Used together with existing premises of the body.
    together: FxHashMap<PredicateKey, f64>,
    /// Used by nearby statements.
    near: FxHashMap<PredicateKey, f64>,
}

fn weights(request: &Request<'_>) -> Weights {
    let file = request.place.file;
    let mut weights =
        Weights { of_head: FxHashMap::default(), together: FxHashMap::default(), near: FxHashMap::default() };
    let program = request.place.program();
    for predicate in request.cursor.before.head.into_iter().flat_map(|head| called(request, head.name)) {
        for site in program.rules(predicate).take(MAX_SITES) {
            note(request, &mut weights.of_head, &site, 1.0);
        }
    }
    for predicate in request.cursor.whole.asked.iter().flat_map(|asked| called(request, asked.name)) {
        let sites: Vec<_> = program.uses(predicate).take(MAX_SITES).collect();
        let share = 1.0 / (f64::from(u32::try_from(sites.len()).unwrap_or(u32::MAX)) + 2.0);
        for (site, _) in &sites {
            note(request, &mut weights.together, site, share);
        }
    }
    let at = file.items.partition_point(|item| item.start < request.cursor.start);
    for (index, item) in
        file.items.iter().enumerate().skip(at.saturating_sub(NEARBY_STATEMENTS)).take(2 * NEARBY_STATEMENTS)
    {
        let distance = f64::from(u32::try_from(index.abs_diff(at)).unwrap_or(u32::MAX));
        let site = Site { file, item, range: item.statement.range() };
        note(request, &mut weights.near, &site, 4.0 / (distance + 4.0));
    }
    weights
}

/// Returns the predicates with a name and any arity, in this file's package and outside of
/// packages.
fn called<'a>(request: &Request<'a>, name: Symbol) -> impl Iterator<Item = &'a Predicate> {
    let program = request.place.program();
    let within = request.place.file.package.map(|package| Symbol::new(&format!("{package}.{name}")));
    std::iter::once(name).chain(within).flat_map(|name| program.named(name))
}

/// Adds the predicates that a clause uses to `map`.
fn note(request: &Request<'_>, map: &mut FxHashMap<PredicateKey, f64>, site: &Site<'_>, weight: f64) {
    let Some(clause) = site.item.statement.clause().filter(|_| !is_here(request, site.file, site.item))
    else {
        return;
    };
    for literal in clause.literals().filter(|literal| !literal.atom.is_builtin()) {
        // After `!`, predicates that are negated elsewhere are likelier.
        let alike = if literal.is_negated() == request.cursor.before.negated { 1.0 } else { 0.2 };
        let key = request.place.program().meaning(site.file, key_of(&literal.atom));
        *map.entry(key).or_default() += weight * alike;
    }
}

impl Weights {
    fn score(&self, request: &Request<'_>, predicate: &Predicate, name: &str) -> f64 {
        let get = |map: &FxHashMap<PredicateKey, f64>| map.get(&predicate.key).copied().unwrap_or(0.0);
        let uses = f64::from(u32::try_from(uses(request, predicate)).unwrap_or(u32::MAX));
        let here = request.place.file.predicates.get(&local_key(predicate, name));
        let at_home = here.map_or(0.0, |there| if there.defines() { 0.35 } else { 0.25 });
        let mut score = 0.02 * (1.0 + uses).ln() + at_home;
        score += 0.5 * get(&self.of_head).min(4.0);
        score += 3.0 * get(&self.together);
        score += 0.35 * get(&self.near).min(4.0);
        score += 0.12 * shared_names(request, predicate).min(3.0);
        let head = request.cursor.before.head.is_some_and(|head| head.name.as_str() == name);
        let asked = request.cursor.whole.asked.iter().any(|asked| asked.name.as_str() == name);
        if asked || head {
            score *= 0.25;
        }
        score *= request.fit(predicate.key.arity);
        // Scales to the range 0 to 1, like the scores of other kinds.
        score / (score + 1.0)
    }
}

/// Number of statements before and after the cursor that are examined.
const AROUND: usize = 40;

/// Adds all predicates that can have clauses.
pub(super) fn heads(request: &Request<'_>, items: &mut Vec<Completion>) {
    let program = request.place.program();
    let weights = around(request);
    let mut candidates = CandidateCollector::new(request.typed);
    // Clauses belong to the package of their file.
    let own = request.place.file.package.map_or("", |package| package.as_str());
    for predicate in program.predicates.iter() {
        if !candidates.may_let_through(predicate.letters) || predicate.key.package() != own {
            continue;
        }
        let is_meant = |name: &&str| candidates.accepts(name) && request.is_wanted(name);
        let Some(name) = local_name(request, predicate).filter(is_meant) else { continue };
        if !is_only_here(request, predicate) {
            candidates.add(name, predicate);
        }
    }
    push(request, candidates, |name, predicate| likelihood(request, &weights, name, predicate), items);
}

/// Returns the likelihood of a clause. `weights` contains the nearby predicates.
fn likelihood(
    request: &Request<'_>,
    weights: &FxHashMap<PredicateKey, f64>,
    name: &str,
    predicate: &Predicate,
) -> f64 {
    let signature = &predicate.signature;
    let near = weights.get(&predicate.key).copied().unwrap_or(0.0);
    let here = request.place.file.predicates.get(&local_key(predicate, name));
    let mut score = near;
    score += here.map_or(0.0, |there| if there.defines() { 0.3 } else { 0.15 });
    score += match (signature.declared.is_some(), signature.defined.is_some()) {
        (true, false) => 0.1,
        (true, true) => 0.05,
        (false, _) => 0.02,
    };
    // Premises use the predicate, but no clause defines it yet.
    if signature.defined.is_none() {
        score *= 1.5;
    }
    score *= request.fit(predicate.key.arity);
    // External facts have no clauses in the program.
    if signature.external || signature.host || signature.extensional && near == 0.0 {
        score *= 0.3;
    }
    score / (score + 1.0)
}

/// True if only the statement at the cursor mentions a predicate: the name is probably unfinished.
fn is_only_here(request: &Request<'_>, predicate: &Predicate) -> bool {
    let program = request.place.program();
    let signature = &predicate.signature;
    !signature.host
        && signature.declared.is_none()
        && program.clauses(predicate).all(|site| is_here(request, site.file, site.item))
        && program.uses(predicate).all(|(site, _)| is_here(request, site.file, site.item))
}

/// Returns the weighted predicates of nearby statements.
fn around(request: &Request<'_>) -> FxHashMap<PredicateKey, f64> {
    let (program, file) = (request.place.program(), request.place.file);
    let at = file.items.partition_point(|item| item.start < request.cursor.start);
    let mut weights: FxHashMap<PredicateKey, f64> = FxHashMap::default();
    for (index, item) in file.items.iter().enumerate().skip(at.saturating_sub(AROUND)).take(2 * AROUND) {
        if is_here(request, file, item) {
            continue;
        }
        let distance = f64::from(u32::try_from(index.abs_diff(at)).unwrap_or(u32::MAX));
        // Earlier statements weigh more than later ones.
        let weight =
            if index < at { 6.0 / (distance * distance + 1.0) } else { 4.0 / (distance * distance + 2.0) };
        match &item.statement.kind {
            StatementKind::Clause(clause) => {
                *weights.entry(program.meaning(file, key_of(&clause.head))).or_default() += weight;
                for literal in clause.literals() {
                    let key = program.meaning(file, key_of(&literal.atom));
                    *weights.entry(key).or_default() += 0.12 * weight;
                }
            }
            StatementKind::Declaration(declaration) => {
                let key = program.meaning(file, key_of(&declaration.atom));
                *weights.entry(key).or_default() += 0.3 * weight;
            }
            _ => {}
        }
    }
    weights
}
