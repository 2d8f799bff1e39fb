//! Suggests corrections for queries that are not valid atoms, such as text typed by hand.

use crate::program::{Predicate, PredicateKey, Program, key_of};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, Clause};
use mangle_syntax::text::{Symbol, slice};

/// The error message for a `text` that is not an atom, with a correction if one is known.
pub(super) fn no_atom(text: &str, program: &Program) -> String {
    if let Some(written) = bare_name(text, program) {
        return format!("a query is an atom: write `{written}`");
    }
    if let Some(written) = undecorated(text) {
        return format!("a query is an atom alone: write `{written}`");
    }
    if let Some(written) = with_values(text, program) {
        return other_arity(&written, program).unwrap_or_else(|| {
            format!("names begin with a slash and strings have quotes: write `{written}`")
        });
    }
    let closed = format!("{text})");
    if is_atom(&closed) {
        return format!("a `)` is missing: write `{closed}`");
    }
    if is_body(text) {
        return "a query is one atom; put several premises into a rule, and query its head".to_owned();
    }
    let example = program.predicates.iter().find(|predicate| predicate.exists());
    let example = example.map_or_else(|| "permitted(Action, /alice)".to_owned(), |it| any_fact(it.key));
    format!("`{text}` is not an atom, such as `{example}`")
}

/// The atom with `_` for its missing arguments, if it has fewer than `arity`.
pub(super) fn with_arity(atom: &Atom, text: &str, arity: usize) -> Option<String> {
    let missing = arity.checked_sub(atom.args.len()).filter(|missing| *missing > 0)?;
    let mut args: Vec<&str> = atom.args.iter().map(|arg| slice(text, arg.range)).collect();
    args.extend(std::iter::repeat_n("_", missing));
    Some(format!("{}({})", atom.name.as_str(), args.join(", ")))
}

/// The error message if the corrected atom has the wrong number of arguments.
fn other_arity(text: &str, program: &Program) -> Option<String> {
    let terminated = format!("{text}.");
    let source = SourceFile::parse(terminated.as_str().into());
    let head = &source.items().first()?.statement.clause()?.head;
    program.id(key_of(head)).is_none().then(|| super::unknown(head, &terminated, program))
}

fn is_atom(text: &str) -> bool {
    let source = SourceFile::parse(format!("{text}.").as_str().into());
    let [item] = &source.items()[..] else { return false };
    !item.statement.damaged && item.statement.clause().is_some_and(Clause::is_fact)
}

/// True if a text consists of several premises.
fn is_body(text: &str) -> bool {
    let source = SourceFile::parse(format!("e() :- {text}.").as_str().into());
    let [item] = &source.items()[..] else { return false };
    let premises = item.statement.clause().map_or(0, |clause| clause.premises.len());
    !item.statement.damaged && premises > 1
}

/// Corrects `permitted` and `permitted/3`.
fn bare_name(text: &str, program: &Program) -> Option<String> {
    let (name, arity) = match text.split_once('/') {
        Some((name, arity)) => (name, Some(arity.parse::<u16>().ok()?)),
        None => (text, None),
    };
    let fits = |predicate: &&Predicate| arity.is_none_or(|arity| arity == predicate.key.arity);
    let mut named = program.named(Symbol::new(name.trim())).filter(|predicate| predicate.exists());
    named.find(fits).map(|predicate| any_fact(predicate.key))
}

/// Corrects `?- p(X)`, `p(X)?` and `!p(X)`.
fn undecorated(text: &str) -> Option<String> {
    let signs = |char: char| char.is_whitespace() || matches!(char, '?' | '!' | ':' | '-' | '.' | ';');
    let inner = text.trim_matches(signs);
    (inner != text && is_atom(inner)).then(|| inner.to_owned())
}

/// Replaces plain words in an atom by names or strings, according to the bounds of the predicate.
fn with_values(text: &str, program: &Program) -> Option<String> {
    let (name, rest) = text.split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    let args: Vec<&str> = inner.split(',').collect();
    let is_word = |arg: &str| {
        let arg = arg.trim();
        arg.starts_with(|char: char| char.is_ascii_lowercase())
            && arg.chars().all(|char| char.is_ascii_alphanumeric() || "_-./".contains(char))
    };
    if !args.iter().any(|arg| is_word(arg)) {
        return None;
    }
    let mut written = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let word = arg.trim();
        let value = match is_word(arg) {
            true if is_text(program, name.trim(), at, word) => format!("\"{word}\""),
            true => format!("/{word}"),
            false => word.to_owned(),
        };
        written.push(arg.replacen(word, &value, 1));
    }
    let written = format!("{name}({})", written.join(","));
    is_atom(&written).then_some(written)
}

/// True if a word stands for a string. Either the argument is declared as a string, or it is
/// undeclared and the word cannot be a name.
fn is_text(program: &Program, name: &str, at: usize, word: &str) -> bool {
    let declared = program.named(Symbol::new(name)).find_map(|predicate| {
        let (file, statement, _) = predicate.signature.declared?;
        let ty = program.declaration(predicate)?.bounds.first()?.types.get(at)?.range;
        let file = program.file(file)?;
        let item = file.items.iter().find(|item| item.statement.id == statement)?;
        Some(slice(file.statement_text(item), ty) == "/string")
    });
    declared.unwrap_or_else(|| word.ends_with('.') || word.contains("//"))
}

/// A pattern for any fact, for example `permitted(_, _)`.
fn any_fact(key: PredicateKey) -> String {
    let args = vec!["_"; usize::from(key.arity)];
    format!("{}({})", key.name, args.join(", "))
}
