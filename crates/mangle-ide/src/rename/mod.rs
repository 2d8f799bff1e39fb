//! Rename of a predicate (name and arity), a variable within its statement, a name constant, or a
//! package.
//!
//! A rename is complete or refused with a reason. The checks are:
//! - [`name`]: syntax of the new name
//! - `collision`: name collisions
//! - `damage`: unparsable mentions
//! - `verify`: comparison of the changed files with their previous meaning

mod collision;
mod damage;
mod name;
mod verify;

use super::subject::{Occurrence, Subject};
use super::{Analysis, Place};
use mangle_engine::program::{PredicateKey, Program};
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
    let new = name::check(subject, new)?;
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
        damage::check(*analysis, subject, old)?;
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
        Subject::Name(name) => name::of_language(name)
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

#[cfg(test)]
mod tests;
