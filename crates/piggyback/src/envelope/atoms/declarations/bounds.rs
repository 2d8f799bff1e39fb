//! The types of parameters, from `bound […]` or, if it is missing, from type words in the parameter
//! list.

use mangle_engine::types::{Base, Type};
use mangle_syntax::syntax::ast::{Declaration, Term, TermKind};
use mangle_syntax::text::slice;

/// Type words that are recognized if all parameters of a declaration are type words, with their
/// types.
const WORDS: [(&str, Option<Base>); 8] = [
    ("Any", None),
    ("Bool", Some(Base::Name)),
    ("Float", Some(Base::Float)),
    ("Float64", Some(Base::Float)),
    ("Int", Some(Base::Number)),
    ("Name", Some(Base::Name)),
    ("Number", Some(Base::Number)),
    ("String", Some(Base::String)),
];

/// Returns the alternatives for the facts of a declared predicate, each with one type per
/// parameter.
///
/// `text` is the text of the statement.
pub(super) fn rows(declaration: &Declaration, text: &str) -> Vec<Vec<Type>> {
    let arity = declaration.atom.args.len();
    if !declaration.bounds.is_empty() {
        let rows = declaration.bounds.iter().map(|row| row.types.iter().map(Type::read).collect::<Vec<_>>());
        return rows.filter(|row| row.len() == arity).collect();
    }
    let args = declaration.atom.args.as_slice();
    let words: Option<Vec<_>> = args.iter().map(typed_by_word).collect();
    words.or_else(|| dotted(args, text)).filter(|row| !row.is_empty()).into_iter().collect()
}

/// Returns the name and type of a parameter such as `Path.Type<string>`, which is not valid Mangle.
pub(super) fn dotted_parameter<'t>(term: &Term, text: &'t str) -> Option<(&'t str, &'t str)> {
    let (name, ty) = slice(text, term.range).split_once(".Type<")?;
    Some((name, ty.strip_suffix('>')?.trim().trim_start_matches('/')))
}

/// Returns the type of a parameter that is a type word, for example `String`.
fn typed_by_word(term: &Term) -> Option<Type> {
    match &term.kind {
        // A parameter in uppercase, for example `STRING`, is not a type word.
        TermKind::Variable(word) if WORDS.iter().any(|(known, _)| *known == word.as_str()) => {
            named(word.as_str())
        }
        _ => None,
    }
}

/// Returns the types of parameters with a type suffix. Parameters without a suffix may have any
/// type.
fn dotted(args: &[Term], text: &str) -> Option<Vec<Type>> {
    let found: Vec<_> = args.iter().map(|term| dotted_parameter(term, text)).collect();
    let ty = |found: Option<(&str, &str)>| found.and_then(|(_, word)| named(word)).unwrap_or(Type::Any);
    found.iter().any(Option::is_some).then(|| found.into_iter().map(ty).collect())
}

/// Returns the type of a type word, in any case.
fn named(word: &str) -> Option<Type> {
    let (_, base) = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word))?;
    Some(base.map_or(Type::Any, Type::Base))
}
