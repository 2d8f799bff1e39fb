//! Parser of atoms in comments of test files.

use mangle_engine::program::{PredicateKey, key_of};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Symbol, TextRange};

/// Parses the predicate of an atom and the range of its name in the text.
pub(super) fn read_atom(text: &str) -> Option<(PredicateKey, TextRange)> {
    let text = format!("{}.", text.trim_end_matches('.'));
    let source = SourceFile::parse(text.as_str().into());
    let [item] = &source.items()[..] else { return None };
    let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged)?;
    let name = clause.head.name.range + item.start;
    clause.interval.is_none().then(|| (key_of(&clause.head), name))
}

/// Parses `name/arity`.
pub(super) fn name_and_arity(text: &str) -> Option<PredicateKey> {
    let (name, arity) = text.rsplit_once('/')?;
    let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | ':');
    let fits = name.starts_with(char::is_lowercase) && name.chars().all(is_name);
    Some(PredicateKey { name: Symbol::new(name), arity: arity.parse().ok().filter(|_| fits)? })
}
