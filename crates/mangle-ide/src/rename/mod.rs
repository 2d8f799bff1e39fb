//! Rename of a predicate (name and arity), a variable within its statement, a name constant, or a
//! package.
//!
//! A rename is complete or refused with a reason. The checks are:
//! - syntax of the new name, according to the lexer of the engine and the reserved words
//! - `collision`: name collisions
//! - `verify`: unparsable mentions, and comparison of the changed files with their previous meaning

mod collision;
#[cfg(test)]
mod tests;
mod verify;

use super::subject::{Occurrence, Subject};
use super::{Analysis, Place};
use mangle_engine::program::{PredicateKey, Program};
use mangle_engine::types::Base;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::text::{FileId, Symbol, TextRange, size, slice};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameRefusal {
    /// Reason, in complete sentences.
    pub message: String,
    /// Location of the problem.
    pub at: Option<(FileId, TextRange)>,
}

impl RenameRefusal {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: None }
    }

    fn at(self, file: FileId, range: TextRange) -> Self {
        Self { at: Some((file, range)), ..self }
    }
}

/// A name that can be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamable {
    /// Range of the name. For a qualified name, the part after the package.
    pub range: TextRange,
    pub name: String,
}

/// Returns the name at a place. `None` if the place has no name.
///
/// # Errors
/// If the name was not chosen by the author of the program.
pub fn prepare(place: Place<'_>) -> Result<Option<Renamable>, RenameRefusal> {
    let Some((subject, range)) = Subject::at(place) else { return Ok(None) };
    check_is_user_defined(place.program(), subject)?;
    let range = own_part(subject, place.text(), range);
    Ok(Some(Renamable { range, name: slice(place.text(), range).to_owned() }))
}

/// Returns the sorted edits of a rename, in the program of the place and in `others`, the programs
/// that share files with it.
///
/// # Errors
/// If the new name is invalid or in use, or if a mention cannot be parsed or would change its
/// meaning.
pub fn rename(place: Place<'_>, others: &[&dyn Analysis], new: &str) -> Result<Vec<FileEdit>, RenameRefusal> {
    let (subject, _) = Subject::at(place).ok_or_else(|| RenameRefusal::new("No name at this position."))?;
    check_is_user_defined(place.program(), subject)?;
    let old = name_of(subject);
    let new = check_name(subject, new)?;
    if old == new {
        return Ok(Vec::new());
    }
    let mut analyses: Vec<&dyn Analysis> = vec![place.analysis];
    if !matches!(subject, Subject::Variable(_)) {
        analyses.extend(others);
    }
    let mut edits = Vec::new();
    for analysis in &analyses {
        let program = analysis.program();
        check_is_user_defined(program, subject)?;
        verify::check_damage(*analysis, subject, old)?;
        collision::check(program, subject, new)?;
        let found = subject.occurrences(program);
        edits.extend(found.iter().filter_map(|occurrence| edit(program, subject, occurrence, new)));
    }
    edits.sort_by_key(|edit| (edit.file, edit.range.start(), edit.range.end()));
    edits.dedup();
    for analysis in &analyses {
        verify::check(analysis.program(), subject, new, &edits)?;
    }
    Ok(edits)
}

fn edit(program: &Program, subject: Subject, occurrence: &Occurrence, new: Symbol) -> Option<FileEdit> {
    let file = program.file(occurrence.file)?;
    let range = own_part(subject, &file.text, occurrence.range);
    let new = new.as_str();
    // Shard types in comments have no slash.
    let is_bare = matches!(subject, Subject::Name(_)) && !slice(&file.text, range).starts_with('/');
    let text = if is_bare { new.trim_start_matches('/') } else { new };
    Some(FileEdit { file: occurrence.file, range, text: text.to_owned() })
}

/// Returns the range of a name after its package.
fn own_part(subject: Subject, text: &str, range: TextRange) -> TextRange {
    let written = slice(text, range);
    match (subject, written.rfind('.')) {
        (Subject::Predicate(_), Some(dot)) => TextRange::new(range.start() + size(dot + 1), range.end()),
        _ => range,
    }
}

/// Returns an error if the name was not chosen by an author of the program.
fn check_is_user_defined(program: &Program, subject: Subject) -> Result<(), RenameRefusal> {
    let refuse = |message: String| Err(RenameRefusal::new(message));
    match subject {
        Subject::Predicate(key) if program.predicate(key).is_some_and(|found| found.signature.host) => {
            refuse(format!(
                "`{key}` is supplied by the host under this name (`host_predicates` in mangle-ls.toml). Rename it there first."
            ))
        }
        Subject::Builtin(name) | Subject::Function(name) => {
            refuse(format!("`{name}` is built into the language and cannot be renamed."))
        }
        Subject::Descriptor(name) => refuse(format!("`{name}` is a keyword and cannot be renamed.")),
        Subject::Wildcard => refuse("Each `_` is an independent wildcard and cannot be renamed.".to_owned()),
        Subject::Name(name) if name.as_str().ends_with('.') => {
            refuse(format!("`{name}` includes a full stop. Insert a space before the full stop first."))
        }
        Subject::Name(name) => reserved_meaning(name)
            .map_or(Ok(()), |reason| refuse(format!("`{name}` {reason} and cannot be renamed."))),
        Subject::Predicate(_) | Subject::Variable(_) | Subject::Package(_) => Ok(()),
    }
}

/// Returns the name without its package.
fn name_of(subject: Subject) -> Symbol {
    match subject {
        Subject::Predicate(key) => Symbol::new(split(key.name).1),
        Subject::Variable(variable) => variable.symbol,
        Subject::Builtin(name)
        | Subject::Function(name)
        | Subject::Name(name)
        | Subject::Package(name)
        | Subject::Descriptor(name) => name,
        Subject::Wildcard => Symbol::new("_"),
    }
}

/// Splits a name after its last dot.
fn split(name: Symbol) -> (&'static str, &'static str) {
    let name = name.as_str();
    name.split_at(name.rfind('.').map_or(0, |dot| dot + 1))
}

/// Returns the key of a predicate after the rename of its name or its package.
fn renamed_key(subject: Subject, key: PredicateKey, new: Symbol) -> PredicateKey {
    let (package, own) = split(key.name);
    let name = match subject {
        Subject::Predicate(_) => format!("{package}{new}"),
        Subject::Package(_) => format!("{new}.{own}"),
        _ => return key,
    };
    PredicateKey { name: Symbol::new(&name), ..key }
}

/// Reserved words that cannot be predicate names.
const KEYWORDS: [&str; 8] = ["bound", "descr", "do", "inclusion", "let", "now", "opt", "temporal"];

/// Reserved words that cannot be variables.
const STATEMENTS: [&str; 3] = ["Package", "Use", "Decl"];

/// Returns the new name as a symbol.
///
/// # Errors
/// If the name is invalid for this kind of subject.
fn check_name(subject: Subject, new: &str) -> Result<Symbol, RenameRefusal> {
    if new.trim().is_empty() {
        return Err(RenameRefusal::new("A name cannot be empty."));
    }
    let wrong = match subject {
        Subject::Predicate(_) => predicate_error(new),
        Subject::Variable(_) => variable_error(new),
        Subject::Name(_) => constant_error(new),
        Subject::Package(_) => package_error(new),
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

fn predicate_error(new: &str) -> Option<String> {
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

fn variable_error(new: &str) -> Option<String> {
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

fn constant_error(new: &str) -> Option<String> {
    let part = |char: char| char.is_ascii_alphanumeric() || "._~%-".contains(char);
    let Some(parts) = new.strip_prefix('/') else {
        return Some(format!("is not a name constant: start it with a slash, `/{}`.", shown(new)));
    };
    if !parts.split('/').all(|segment| !segment.is_empty() && segment.chars().all(part)) {
        return Some(
            "is not a name constant: each part follows a slash and has letters, digits and `. _ ~ % -`."
                .into(),
        );
    }
    if new.ends_with('.') {
        return Some("ends with a dot, which looks like the full stop of a clause.".into());
    }
    reserved_meaning(Symbol::new(new)).map(|reason| format!("{reason}. Choose another name."))
}

fn package_error(new: &str) -> Option<String> {
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
fn reserved_meaning(name: Symbol) -> Option<&'static str> {
    match name.as_str() {
        "/any" | "/bot" => Some("is a type of the language"),
        "/true" | "/false" => Some("is a truth value of functions and `:filter`"),
        name if Base::named(name).is_some() => Some("is a type of the language"),
        _ => None,
    }
}
