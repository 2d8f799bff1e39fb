//! Syntax of new names, according to the lexer of the engine and the reserved words.

use super::RenameRefusal;
use crate::subject::Subject;
use mangle_engine::types::Base;
use mangle_syntax::text::Symbol;

/// Reserved words that cannot be predicate names.
const KEYWORDS: [&str; 8] = ["bound", "descr", "do", "inclusion", "let", "now", "opt", "temporal"];

/// Reserved words that cannot be variables.
const STATEMENTS: [&str; 3] = ["Package", "Use", "Decl"];

/// Returns the new name as a symbol.
///
/// # Errors
/// If the name is invalid for this kind of subject.
pub(super) fn check(subject: Subject, new: &str) -> Result<Symbol, RenameRefusal> {
    if new.trim().is_empty() {
        return Err(RenameRefusal::new("A name cannot be empty."));
    }
    let wrong = match subject {
        Subject::Predicate(_) => predicate(new),
        Subject::Variable(_) => variable(new),
        Subject::Name(_) => constant(new),
        Subject::Package(_) => package(new),
        Subject::Builtin(_) | Subject::Function(_) | Subject::Wildcard | Subject::Descriptor(_) => None,
    };
    match wrong {
        Some(reason) => Err(RenameRefusal::new(format!("`{}` {reason}", shown(new)))),
        None => Ok(Symbol::new(new)),
    }
}

/// Shortens the typed name to one line for messages.
fn shown(new: &str) -> String {
    let line = new.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(60).collect()
}

fn predicate(new: &str) -> Option<String> {
    let part = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == ':';
    if new.starts_with("fn:") || new.starts_with(':') {
        return Some("has a reserved prefix: `fn:` is for functions, `:` is for built-in predicates.".into());
    }
    if KEYWORDS.contains(&new) {
        return Some("is a keyword and cannot name a predicate.".into());
    }
    if new.contains('.') {
        return Some("has a dot, which separates packages. Enter only the name of the predicate.".into());
    }
    if new.ends_with("__tmp") {
        return Some("ends with `__tmp`, which the engine reserves for its own predicates.".into());
    }
    let fits = new.starts_with(|char: char| char.is_ascii_lowercase()) && new.chars().all(part);
    (!fits).then(|| "is not a predicate name: a lower-case letter, then letters, digits and `_`.".to_owned())
}

fn variable(new: &str) -> Option<String> {
    if new == "_" {
        return Some("would make each occurrence an independent wildcard.".into());
    }
    if STATEMENTS.contains(&new) {
        return Some("is a keyword and cannot be a variable.".into());
    }
    let fits = new.starts_with(|char: char| char.is_ascii_uppercase())
        && new.chars().all(|char| char.is_ascii_alphanumeric());
    (!fits).then(|| "is not a variable: a capital letter, then letters and digits, without `_`.".to_owned())
}

fn constant(new: &str) -> Option<String> {
    let part = |char: char| char.is_ascii_alphanumeric() || "._~%-".contains(char);
    let Some(parts) = new.strip_prefix('/') else {
        return Some(format!("is not a name constant: start it with a slash, `/{}`.", shown(new)));
    };
    if !parts.split('/').all(|it| !it.is_empty() && it.chars().all(part)) {
        return Some(
            "is not a name constant: each part follows a slash and has letters, digits and `. _ ~ % -`."
                .into(),
        );
    }
    if new.ends_with('.') {
        return Some("ends with a dot, which looks like the full stop of a clause.".into());
    }
    of_language(Symbol::new(new)).map(|reason| format!("{reason}. Choose another name."))
}

fn package(new: &str) -> Option<String> {
    let fits = |part: &str| {
        part.starts_with(|char: char| char.is_ascii_lowercase())
            && part.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
    };
    if KEYWORDS.contains(&new) {
        return Some("is a keyword and cannot name a package.".into());
    }
    (!new.split('.').all(fits)).then(|| {
        "is not a package name: lower-case letters, digits and `_`, in parts between dots.".to_owned()
    })
}

/// Returns the reserved meaning of a name, if any.
pub(super) fn of_language(name: Symbol) -> Option<&'static str> {
    match name.as_str() {
        "/any" | "/bot" => Some("is a type of the language"),
        "/true" | "/false" => Some("is a truth value of functions and `:filter`"),
        name if Base::named(name).is_some() => Some("is a type of the language"),
        _ => None,
    }
}
