//! Rename: of a predicate (a name and a number of arguments) over all files, of a variable in its statement, of a name
//! over the program, of a package. Complete, or refused with a reason: the new name must be one ([`name`]), nothing
//! that is there may change its meaning (`collision`), all that mentions it must be readable (`damage`), and in the end
//! the changed files are read again and compared with what they said before (`verify`).

mod collision;
mod damage;
mod name;
mod verify;

use super::subject::{Occurrence, Subject};
use super::{Analysis, Place};
use mangle_engine::program::{PredicateKey, Program};
use mangle_syntax::lint::FileEdit;
use mangle_syntax::text::{FileId, Symbol, TextRange, size, slice};

/// Why something is not renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameRefusal {
    /// The reason: whole sentences.
    pub message: String,
    /// The place that shows it.
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

/// What can be renamed at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamable {
    /// The bytes of the name; of a qualified one, those behind the package.
    pub range: TextRange,
    pub name: String,
}

/// What can be renamed at a place; `None` where there is no name at all.
///
/// # Errors
/// When the name there is not the author's to change.
pub fn prepare(place: Place<'_>) -> Result<Option<Renamable>, RenameRefusal> {
    let Some((subject, range)) = Subject::at(place) else { return Ok(None) };
    authors(place.program(), subject)?;
    let range = own_part(subject, place.text(), range);
    Ok(Some(Renamable { range, name: slice(place.text(), range).to_owned() }))
}

/// The edits that give what stands at a place a new name, sorted, in its program and in `others`: those that share files
/// with it.
///
/// # Errors
/// When the new name is no name, or already means something; when a place cannot be read, or would be read otherwise.
pub fn rename(place: Place<'_>, others: &[&dyn Analysis], new: &str) -> Result<Vec<FileEdit>, RenameRefusal> {
    let (subject, _) = Subject::at(place).ok_or_else(|| RenameRefusal::new("There is no name here."))?;
    authors(place.program(), subject)?;
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
        authors(program, subject)?;
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
    // The type of a shard in a comment has no slash.
    let is_bare = matches!(subject, Subject::Name(_)) && !slice(&file.text, range).starts_with('/');
    let text = if is_bare { new.trim_start_matches('/') } else { new };
    Some(FileEdit { file: occurrence.file, range, text: text.to_owned() })
}

/// The bytes of a written name that are its own: what stands behind the package.
fn own_part(subject: Subject, text: &str, range: TextRange) -> TextRange {
    let written = slice(text, range);
    match (subject, written.rfind('.')) {
        (Subject::Predicate(_), Some(dot)) => TextRange::new(range.start() + size(dot + 1), range.end()),
        _ => range,
    }
}

/// Whether a name was given by authors of the program.
fn authors(program: &Program, subject: Subject) -> Result<(), RenameRefusal> {
    let refuse = |message: String| Err(RenameRefusal::new(message));
    match subject {
        Subject::Predicate(key) if program.predicate(key).is_some_and(|found| found.signature.host) => {
            refuse(format!(
                "`{key}` is supplied by the host under this name (`host_predicates` in mangle-ls.toml). Rename it there first."
            ))
        }
        Subject::Builtin(name) | Subject::Function(name) => {
            refuse(format!("`{name}` is built into the language and keeps its name."))
        }
        Subject::Descriptor(name) => {
            refuse(format!("`{name}` is a word of the language and keeps its name."))
        }
        Subject::Wildcard => {
            refuse("Each `_` stands for something else, so there is nothing to rename.".to_owned())
        }
        Subject::Name(name) if name.as_str().ends_with('.') => {
            refuse(format!("`{name}` has taken in a full stop. Put a space before the full stop first."))
        }
        Subject::Name(name) => name::of_language(name)
            .map_or(Ok(()), |reason| refuse(format!("`{name}` {reason}, and keeps its name."))),
        Subject::Predicate(_) | Subject::Variable(_) | Subject::Package(_) => Ok(()),
    }
}

/// What it is called, without its package.
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

/// What is before the last dot of a name, that included, and what is behind it.
fn split(name: Symbol) -> (&'static str, &'static str) {
    let name = name.as_str();
    name.split_at(name.rfind('.').map_or(0, |dot| dot + 1))
}

/// A predicate after its own name, or the name of its package, has changed.
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
