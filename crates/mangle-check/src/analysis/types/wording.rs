//! Texts about types and their origins.

use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::program::Predicate;
use mangle_engine::types::{Base, Type, TypeOrigin, TypeProblem};
use mangle_syntax::lint::{Finding, Fix, Severity, Span};
use mangle_syntax::syntax::ast::{Atom, Clause, Premise, Term, TermKind};

/// A noun for the values of a type: "a string", "one of the names `/a`, `/b`".
pub(super) fn noun(ty: &Type) -> String {
    match ty {
        Type::Base(base) => base_noun(*base).to_owned(),
        Type::Prefix(name) => format!("a name below `{name}`"),
        Type::Singleton(name) | Type::Literal(name) => format!("the name `{name}`"),
        Type::List(element) if element.is_bottom() => "the empty list".to_owned(),
        Type::List(element) if element.is_any() => "a list".to_owned(),
        Type::List(_) => format!("a list (`{ty}`)"),
        Type::Struct(fields) if fields.is_empty() => "a struct".to_owned(),
        Type::Pair(_) => format!("a pair (`{ty}`)"),
        Type::Map(_) => format!("a map (`{ty}`)"),
        Type::Struct(_) => format!("a struct (`{ty}`)"),
        Type::Union(members) if members.iter().all(|member| member.constant().is_some()) => names(members),
        _ => format!("`{ty}`"),
    }
}

/// The kind of values of a type, without an article.
pub(super) fn kind(ty: &Type) -> &'static str {
    let base = |base: Base| base_noun(base).split_once(' ').map_or("value", |(_, kind)| kind);
    match ty {
        Type::Base(ty) => base(*ty),
        Type::Prefix(_) | Type::Singleton(_) | Type::Literal(_) => "name",
        Type::List(_) => "list",
        Type::Pair(_) => "pair",
        Type::Map(_) => "map",
        Type::Struct(_) => "struct",
        Type::Union(members) if members.iter().all(|member| member.constant().is_some()) => "name",
        _ => "value",
    }
}

/// The headline for a `place` that is declared as `wanted` and contains `found`, and a note with
/// the declared names.
pub(super) fn undeclared(place: &str, wanted: &Type, found: &str) -> (String, Option<String>) {
    if wanted.members().iter().all(|member| member.constant().is_some()) {
        let message = format!("{found} is not declared for {place}");
        return (message, Some(format!("the declaration admits {}", noun(wanted))));
    }
    (format!("{place} is declared {}, found {found}", code(&wanted.to_string(), QUOTED)), None)
}

/// Maximum number of quoted characters of code.
pub(super) const QUOTED: usize = 28;

/// A noun for the values of a base type.
pub(super) fn base_noun(base: Base) -> &'static str {
    match base {
        Base::Number => "an integer",
        Base::Float => "a float",
        Base::String => "a string",
        Base::Bytes => "a byte string",
        Base::Name => "a name",
        Base::Time => "an instant",
        Base::Duration => "a duration",
    }
}

fn names(members: &[Type]) -> String {
    match members {
        [a, b, c, d, _, ..] => format!("one of {} names, such as {}", members.len(), listed(&[a, b, c, d])),
        few => format!("one of the names {}", listed(&few.iter().collect::<Vec<_>>())),
    }
}

fn listed(types: &[&Type]) -> String {
    let text = |ty: &Type| ty.constant().map_or_else(|| ty.to_string(), |name| name.to_string());
    let texts: Vec<_> = types.iter().map(|ty| format!("`{}`", text(ty))).collect();
    texts.join(", ")
}

/// The faulty value: "string `X`".
pub(super) fn found(context: &CheckContext<'_>, problem: &TypeProblem) -> String {
    let kind = kind(&problem.found);
    match (problem.variable, &problem.found) {
        (Some(name), _) => format!("{kind} `{name}`"),
        (None, Type::Literal(name)) => format!("{kind} `{name}`"),
        (None, _) => format!("{kind} {}", code(context.slice(problem.range), QUOTED)),
    }
}

/// The source of the inferred type of the faulty variable.
fn source(context: &CheckContext<'_>, clause: &Clause, problem: &TypeProblem) -> Option<String> {
    let (name, noun) = (problem.variable?, noun(&problem.found));
    Some(match problem.origin? {
        TypeOrigin::Argument { premise, argument } => {
            let atom = atom_of(clause, premise)?;
            let (at, place) = (argument + 1, described(context, atom));
            let Some(id) = context.program.id_of(context.file, atom) else {
                return Some(format!("argument {at} of {place} binds `{name}` to {noun}"));
            };
            let rows = context.types.rows(id);
            match (rows.declared && !lists_names(&problem.found), rows.alternatives.len()) {
                (true, 0 | 1) => format!("argument {at} of {place} is declared as {noun}"),
                (true, _) => format!("a `bound` row of {place} declares argument {at} as {noun}"),
                (false, 0 | 1) => format!("all clauses of {place} have {noun} as argument {at}"),
                (false, _) => format!("some clauses of {place} have {noun} as argument {at}"),
            }
        }
        TypeOrigin::Value(range) => format!("`{name}` is the value of {}", code(context.slice(range), 40)),
        TypeOrigin::Interval(_) => format!("`{name}` bounds an interval"),
        TypeOrigin::Head(argument) => format!("argument {} of the head is declared as {noun}", argument + 1),
    })
}

/// The name for messages: `p/2`, or the name of a built-in.
pub(super) fn described(context: &CheckContext<'_>, atom: &Atom) -> String {
    match context.predicate(atom) {
        Some(predicate) => format!("`{}`", predicate.key),
        None => format!("`{}`", atom.name.symbol),
    }
}

pub(super) fn atom_of(clause: &Clause, premise: u32) -> Option<&Atom> {
    match clause.premises.get(premise as usize)? {
        Premise::Literal(literal) => Some(&literal.atom),
        _ => None,
    }
}

/// True if the predicate has a `Decl` with bounds.
pub(super) fn is_declared(context: &CheckContext<'_>, predicate: &Predicate) -> bool {
    let id = context.program.id(predicate.key);
    id.is_some_and(|id| context.types.rows(id).declared)
}

/// The expected type of an argument according to its `Decl`. The inferred type is narrower if all
/// clauses fill the column with names.
pub(super) fn declared_type(
    context: &CheckContext<'_>,
    predicate: Option<&Predicate>,
    problem: &TypeProblem,
    argument: u32,
) -> Type {
    let declared = || {
        let declaration = context.program.declaration(predicate?)?;
        declaration.bounds.first()?.types.get(argument as usize).map(Type::read)
    };
    match lists_names(&problem.wanted) {
        true => declared().unwrap_or_else(|| problem.wanted.clone()),
        false => problem.wanted.clone(),
    }
}

/// True if the type was inferred from names in clauses.
fn lists_names(ty: &Type) -> bool {
    ty.members().iter().any(|member| matches!(member, Type::Literal(_)))
}

/// The location of a column's type: row `row` of the `Decl`, or the first clause.
pub(super) fn place(
    context: &CheckContext<'_>,
    predicate: &Predicate,
    row: usize,
    argument: u32,
) -> Option<(Span, &'static str)> {
    let at = argument as usize;
    if is_declared(context, predicate) {
        let (file, statement, _) = predicate.signature.declared?;
        let bounds = &context.program.declaration(predicate)?.bounds;
        let ty = bounds.get(row).or(bounds.first())?.types.get(at)?;
        return Some((Span::new(file, statement, ty.range), "declared here"));
    }
    let (file, statement, _) = predicate.signature.defined?;
    let value = context.program.first_clause(predicate)?.head.args.get(at)?;
    Some((Span::new(file, statement, value.range), "first value here"))
}

/// True if the type of the variable comes from an argument whose declaration is confirmed by facts
/// of the program. The engine does not check bounds, so a declaration alone proves nothing.
pub(super) fn is_confirmed(context: &CheckContext<'_>, clause: &Clause, problem: &TypeProblem) -> bool {
    let Some(TypeOrigin::Argument { premise, argument }) = problem.origin else { return false };
    atom_of(clause, premise).is_some_and(|atom| is_column_confirmed(context, atom, argument))
}

/// True if facts of the program confirm the declaration of an argument.
pub(super) fn is_column_confirmed(context: &CheckContext<'_>, atom: &Atom, argument: u32) -> bool {
    let id = context.program.id_of(context.file, atom);
    id.is_some_and(|id| context.types.rows(id).is_confirmed(argument))
}

/// True if the evaluation certainly aborts at the problem. Either the declaration of the variable's
/// column is confirmed, or a fact of the program has a value that does not match `wanted`.
pub(super) fn stops(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    wanted: &Type,
) -> bool {
    let is_bad = |ty: &Type| !ty.is_bottom() && !ty.overlaps(wanted);
    is_confirmed(context, clause, problem) || has_fact(context, clause, problem, is_bad)
}

/// True if the variable gets its type from a column with a fact of the program that has a type that
/// `is_bad`.
pub(super) fn has_fact(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    is_bad: impl Fn(&Type) -> bool,
) -> bool {
    let Some(TypeOrigin::Argument { premise, argument }) = problem.origin else { return false };
    let id = atom_of(clause, premise).and_then(|atom| context.program.id_of(context.file, atom));
    let has = |row: &Vec<Type>| row.get(argument as usize).is_some_and(&is_bad);
    id.is_some_and(|id| context.types.rows(id).facts.iter().any(has))
}

/// Raises the finding to an error if `is_certain`.
pub(super) fn error_if(is_certain: bool, finding: Finding) -> Finding {
    if is_certain { finding.severity(Severity::Error) } else { finding }
}

/// Adds the source of the faulty variable's type, and its location.
pub(super) fn with_origin(
    finding: Finding,
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
) -> Finding {
    let finding = match source(context, clause, problem) {
        Some(source) if finding.notes.len() < 2 => finding.note(source),
        _ => finding,
    };
    let (Some(TypeOrigin::Argument { premise, argument }), Some(name)) = (problem.origin, problem.variable)
    else {
        return finding;
    };
    let place = atom_of(clause, premise)
        .and_then(|atom| context.predicate(atom))
        .and_then(|predicate| place(context, predicate, 0, argument));
    match place {
        Some((span, _)) => finding.related(span, format!("type of `{name}` comes from here")),
        None => finding,
    }
}

/// Words for missing values in other languages.
const NULLS: [&str; 5] = ["null", "none", "nil", "undefined", "None"];

/// A fix that rewrites the literal as a value of the expected type, if only quotes, a decimal point
/// or spelling must change.
pub(super) fn rewrite_literal(context: &CheckContext<'_>, term: &Term, wanted: &Type) -> Option<Fix> {
    let written = context.slice(term.range);
    // A rewritten null value would still match nothing.
    if NULLS.contains(&written.trim_matches(['"', '\'', '`', '/'])) {
        return None;
    }
    let text = match (&term.kind, wanted) {
        (TermKind::Name(name), Type::Base(Base::String)) => {
            format!("\"{}\"", name.as_str().strip_prefix('/')?)
        }
        (
            TermKind::String,
            Type::Base(Base::Name) | Type::Prefix(_) | Type::Singleton(_) | Type::Union(_),
        ) => name_of(written)
            .filter(|name| Type::Literal(mangle_syntax::text::Symbol::new(name)).is_subtype(wanted))?,
        (TermKind::Number(Some(_)), Type::Base(Base::Float)) => format!("{written}.0"),
        (TermKind::Name(name), _) => {
            let names = wanted.members().iter().filter_map(|member| Some(member.constant()?.as_str()));
            mangle_syntax::text::nearest(name.as_str(), names)?.to_owned()
        }
        _ => return None,
    };
    let title = format!("write `{text}`");
    // A period directly after a name would become part of the name.
    let glued = text.starts_with('/') && context.text.get(usize::from(term.range.end())..)?.starts_with('.');
    Some(Fix::guess(title).replace(term.range, if glued { text + " " } else { text }))
}

/// The name that a string literal contains.
fn name_of(literal: &str) -> Option<String> {
    let inner = literal.get(1..literal.len().checked_sub(1)?)?;
    let bare = inner.strip_prefix('/').unwrap_or(inner);
    let sound = !bare.is_empty()
        && bare.split('/').all(|part| {
            !part.is_empty()
                && !part.ends_with('.')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._~%-".contains(&byte))
        });
    sound.then(|| format!("/{bare}"))
}
