//! Syntax of new names, according to the lexer of the engine and the reserved words.

use super::RenameRefusal;
use crate::ide::subject::Subject;
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
        return Some(
            "would be built into the language: `fn:` begins functions, `:` built-in predicates.".into(),
        );
    }
    if KEYWORDS.contains(&new) {
        return Some("is a word of the language and cannot name a predicate.".into());
    }
    if new.contains('.') {
        return Some(
            "has a dot, which would put the predicate into a package. Give only its own name.".into(),
        );
    }
    if new.ends_with("__tmp") {
        return Some("ends like the predicates that the engine makes for itself.".into());
    }
    let fits = new.starts_with(|char: char| char.is_ascii_lowercase()) && new.chars().all(part);
    (!fits)
        .then(|| "is no name of a predicate: a lower-case letter, then letters, digits and `_`.".to_owned())
}

fn variable(new: &str) -> Option<String> {
    if new == "_" {
        return Some("would make each occurrence stand for something else.".into());
    }
    if STATEMENTS.contains(&new) {
        return Some("is a word of the language and cannot be a variable.".into());
    }
    let fits = new.starts_with(|char: char| char.is_ascii_uppercase())
        && new.chars().all(|char| char.is_ascii_alphanumeric());
    (!fits).then(|| "is no variable: a capital letter, then letters and digits, no `_`.".to_owned())
}

fn constant(new: &str) -> Option<String> {
    let part = |char: char| char.is_ascii_alphanumeric() || "._~%-".contains(char);
    let Some(parts) = new.strip_prefix('/') else {
        return Some(format!("is no name: names begin with a slash, `/{}`.", shown(new)));
    };
    if !parts.split('/').all(|it| !it.is_empty() && it.chars().all(part)) {
        return Some(
            "is no name: parts of letters, digits and `. _ ~ % -`, each behind a slash, none of them empty."
                .into(),
        );
    }
    if new.ends_with('.') {
        return Some("ends in a dot, which nobody can tell from the full stop of a clause.".into());
    }
    of_language(Symbol::new(new)).map(|reason| format!("{reason}. Choose another name."))
}

fn package(new: &str) -> Option<String> {
    let fits = |part: &str| {
        part.starts_with(|char: char| char.is_ascii_lowercase())
            && part.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
    };
    if KEYWORDS.contains(&new) {
        return Some("is a word of the language and cannot name a package.".into());
    }
    (!new.split('.').all(fits)).then(|| {
        "is no name of a package: lower-case letters, digits and `_`, in parts between dots.".to_owned()
    })
}

/// Returns the reserved meaning of a name, if any.
pub(super) fn of_language(name: Symbol) -> Option<&'static str> {
    match name.as_str() {
        "/any" | "/bot" => Some("is a type of the language"),
        "/true" | "/false" => Some("is what functions answer and `:filter` asks for"),
        name if Base::named(name).is_some() => Some("is a type of the language"),
        _ => None,
    }
}
