//! Completions of types in `bound […]`: base types, constructors, and name prefixes used as types.

use rustc_hash::FxHashMap;

use super::{Completion, CompletionKind, CompletionSubject, Insertion, Request};
use crate::vocabulary::{CONSTRUCTORS, TYPES};
use mangle_check::describe::bound;
use mangle_engine::program::{FileSummary, PredicateKey, builtins};
use mangle_engine::types::{Type, TypeState};
use mangle_syntax::syntax::ast::{Clause, Term, TermKind};
use mangle_syntax::text::Symbol;

/// Maximum number of clauses examined to infer a column type.
const CLAUSES: usize = 200;

/// Engine dates that introduced type notations.
const DOT_TYPES: &str = "2025-01-21";
const TAGGED_UNION: &str = "2026-03-11";

/// Adds types. `column` is set for the type of a whole parameter.
pub(super) fn types(request: &Request<'_>, column: Option<usize>, items: &mut Vec<Completion>) {
    let used = used(request);
    let most = used.values().copied().max().unwrap_or(1).max(1);
    let share = |name: Symbol| f64::from(used.get(&name).copied().unwrap_or(0)) / f64::from(most);
    let inferred = column.and_then(|column| inferred(request, column));
    for known in TYPES.iter().filter(|known| known.word != "/bot") {
        let score = 0.2 + 0.5 * share(Symbol::new(known.word));
        items.push(
            Completion::new(known.word, CompletionKind::Type, score)
                .about(CompletionSubject::Word(known.word.into())),
        );
    }
    for name in used.keys().filter(|name| !TYPES.iter().any(|known| known.word == name.as_str())) {
        items.push(
            Completion::new(name.as_str(), CompletionKind::Type, 0.15 + 0.5 * share(*name)).note("prefix"),
        );
    }
    constructors(request, items);
    if let Some(inferred) = inferred {
        match items.iter_mut().find(|item| item.label == inferred) {
            Some(item) => {
                item.score += 1.0;
                item.note = Some("inferred".into());
            }
            None => items.push(Completion::new(inferred, CompletionKind::Type, 1.5).note("inferred")),
        }
    }
}

fn constructors(request: &Request<'_>, items: &mut Vec<Completion>) {
    let spelled = request.typed.starts_with("fn:");
    let dots = request.has(DOT_TYPES) && !spelled;
    for known in CONSTRUCTORS.iter().filter(|known| !matches!(known.word, ".Fun" | ".Rel")) {
        if known.word == ".TaggedUnion" && !request.has(TAGGED_UNION) {
            continue;
        }
        let function = known.word.replacen('.', "fn:", 1);
        debug_assert!(builtins::is_type_constructor(&function), "{function}");
        let (label, open, close) =
            if dots { (known.word.to_owned(), "<", ">") } else { (function, "(", ")") };
        let insides: &[&str] = match known.word {
            ".Map" | ".Pair" => &["/any", ", ", "/any"],
            ".Tuple" => &["/any", ", ", "/any", ", ", "/any"],
            ".Struct" if dots => &["/label", " : ", "/any"],
            ".Struct" => &["/label", ", ", "/any"],
            ".TaggedUnion" => &["/kind", ", ", "/tag", if dots { " : " } else { ", " }, ".Struct<>"],
            ".Singleton" => &["/name"],
            _ => &["/any"],
        };
        let begin = format!("{label}{open}");
        let mut parts = vec![begin.as_str()];
        parts.extend(insides);
        parts.push(close);
        let item = Completion::new(label.clone(), CompletionKind::Constructor, 0.1)
            .inserting(Insertion::snippet(begin.clone(), &parts))
            .about(CompletionSubject::Word(known.word.into()));
        items.push(item);
    }
}

/// Returns the inferred type of a column of the declared predicate.
fn inferred(request: &Request<'_>, column: usize) -> Option<String> {
    let place = request.place;
    let head = request.cursor.before.head?;
    let scan = &request.cursor.before;
    let count = scan.variables.iter().filter(|it| it.argument.is_some_and(|(of, _)| of.range == head.range));
    let arity = u16::try_from(count.count()).ok()?;
    let predicate = place.predicate(PredicateKey { name: head.name, arity })?;
    // The predicate at the cursor counts as declared, so its type is inferred from clauses only.
    let clauses = place.program().clauses(predicate).take(CLAUSES);
    let shown = clauses.filter_map(|site| {
        let clause = site.item.statement.clause().filter(|_| !site.item.statement.damaged)?;
        type_in(request, site.file, clause, clause.head.args.get(column)?)
    });
    let text = bound(&Type::union(shown));
    (text != "/any").then_some(text)
}

/// Returns the type of a head argument: of a constant, or of the body column that binds the
/// variable.
fn type_in(request: &Request<'_>, file: &FileSummary, clause: &Clause, term: &Term) -> Option<Type> {
    let Some(variable) = term.variable() else {
        return Some(TypeState::default().type_of(term)).filter(|ty| !ty.is_any());
    };
    let program = request.place.program();
    let types = request.place.analysis.types();
    let columns = clause.literals().filter(|literal| !literal.is_negated()).filter_map(|literal| {
        let at = literal.atom.args.iter().position(|term| term.variable() == Some(variable))?;
        Some(types.rows(program.id_of(file, &literal.atom)?).column(at)).filter(|ty| !ty.is_any())
    });
    columns.reduce(|one, other| one.meet(&other))
}

/// Returns the names used as types, with their number of uses.
fn used(request: &Request<'_>) -> FxHashMap<Symbol, u32> {
    let program = request.place.program();
    let mut used: FxHashMap<Symbol, u32> = FxHashMap::default();
    for declaration in program.predicates.iter().filter_map(|predicate| program.declaration(predicate)) {
        for ty in declaration.bounds.iter().flat_map(|row| &row.types) {
            mangle_engine::types::visit_types(ty, &mut |term| {
                if let TermKind::Name(name) = term.kind {
                    *used.entry(name).or_default() += 1;
                }
            });
        }
    }
    used
}

/// Adds names in type expressions that are not types: labels, tags, singleton constants.
pub(super) fn names(request: &Request<'_>, items: &mut Vec<Completion>) {
    let program = request.place.program();
    let mut names = rustc_hash::FxHashSet::default();
    for declaration in program.predicates.iter().filter_map(|predicate| program.declaration(predicate)) {
        for ty in declaration.bounds.iter().flat_map(|row| &row.types) {
            let mut types = rustc_hash::FxHashSet::default();
            mangle_engine::types::visit_types(ty, &mut |term| {
                types.insert(term.range);
            });
            ty.walk(&mut |term| {
                if let TermKind::Name(name) = term.kind
                    && !types.contains(&term.range)
                {
                    names.insert(name);
                }
            });
        }
    }
    items.extend(names.iter().map(|name| Completion::new(name.as_str(), CompletionKind::Name, 0.5)));
}
