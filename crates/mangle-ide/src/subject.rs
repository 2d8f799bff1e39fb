//! Subject of a place and its occurrences. Basis of references, highlights, linked editing and
//! rename.

use std::sync::Arc;

use memchr::memmem;
use smallvec::SmallVec;

use super::Place;
use super::directives::{self, Directive};
use super::mention::{Entity, Mention, StatementPart, Variable, each};
use mangle_engine::program::{FileSummary, PredicateKey, Program};
use mangle_syntax::parallel;
use mangle_syntax::syntax::ast::{Item, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize, size, slice};

/// Minimum number of files per thread.
const MIN_FILES_PER_THREAD: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A predicate, by qualified name.
    Predicate(PredicateKey),
    /// A built-in predicate, by name only, because uses may have a wrong arity.
    Builtin(Symbol),
    /// A function or type constructor, with its `fn:` prefix.
    Function(Symbol),
    Variable(Variable),
    /// `_`: each occurrence is a different variable.
    Wildcard,
    /// A name constant, as value and as type.
    Name(Symbol),
    Package(Symbol),
    /// An atom of `descr […]`.
    Descriptor(Symbol),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Occurrence {
    pub file: FileId,
    /// Range of the name as written.
    pub range: TextRange,
    /// Part of the statement, which determines the kind of reference.
    pub part: StatementPart,
}

impl Subject {
    /// Returns the subject at a place, with its range.
    #[must_use]
    pub fn at(place: Place<'_>) -> Option<(Self, TextRange)> {
        if let Some(mention) = place.mention() {
            return Some((Self::from_mention(place, mention), mention.range));
        }
        let target = merge_target(place.file, place.item()?)?;
        let name = target.range.contains_inclusive(place.offset).then_some(target)?;
        Some((Self::Predicate(name.key), name.range))
    }

    fn from_mention(place: Place<'_>, mention: Mention) -> Self {
        match mention.entity {
            Entity::Predicate(key) => Self::Predicate(place.program().meaning(place.file, key)),
            Entity::Builtin(key) => Self::Builtin(key.name),
            Entity::Function(symbol) | Entity::Constructor(symbol) => Self::Function(symbol),
            Entity::Variable(symbol) => {
                let (file, of_types) = (place.file.id, mention.part == StatementPart::Bound);
                let item = match mention.part {
                    StatementPart::Comment => directives::mention_at(place)
                        .map(|(comment, _)| directives::number_of_item(place.file, comment)),
                    _ => place.file.item_at(place.offset).and_then(|item| u32::try_from(item).ok()),
                };
                Self::Variable(Variable { symbol, file, item: item.unwrap_or(0), of_types })
            }
            Entity::Wildcard => Self::Wildcard,
            Entity::Name(symbol) | Entity::Type(symbol) => Self::Name(symbol),
            Entity::Package(symbol) => Self::Package(symbol),
            Entity::Descriptor(key) => Self::Descriptor(key.name),
        }
    }

    /// Returns all occurrences in a program, in file and source order.
    #[must_use]
    pub fn occurrences(self, program: &Program) -> Vec<Occurrence> {
        match self {
            Self::Variable(variable) => {
                program.file(variable.file).map_or_else(Vec::new, |file| self.occurrences_in(program, file))
            }
            _ => {
                let Some(word) = self.word().map(memmem::Finder::new) else { return Vec::new() };
                let of_file = |file: &Arc<FileSummary>| match word.find(file.text.as_bytes()) {
                    Some(_) => self.occurrences_in(program, file),
                    None => Vec::new(),
                };
                parallel::map(&program.files, MIN_FILES_PER_THREAD, of_file).concat()
            }
        }
    }

    /// Returns a substring of every text that mentions the subject. `None` for subjects without a
    /// name in the program.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Predicate(key) => key.name.as_str().rsplit('.').next(),
            Self::Function(name) => {
                let name = name.as_str();
                Some(name.strip_prefix("fn:").unwrap_or(name))
            }
            Self::Builtin(name) | Self::Name(name) | Self::Package(name) | Self::Descriptor(name) => {
                Some(name.as_str())
            }
            Self::Variable(_) | Self::Wildcard => None,
        }
    }

    /// Returns the occurrences in a file, in source order.
    #[must_use]
    pub fn occurrences_in(self, program: &Program, file: &FileSummary) -> Vec<Occurrence> {
        let mut found = Vec::new();
        let sought = SubjectSearch::new(self, program, file);
        let mut add = |range, part| found.push(Occurrence { file: file.id, range, part });
        match self {
            Self::Wildcard => {}
            Self::Variable(variable) if variable.file != file.id => {}
            Self::Variable(variable) => match directives::comment_of_variable(file, variable) {
                Some(comment) => {
                    let all = directives::directives(program, file);
                    all.get(comment)
                        .into_iter()
                        .for_each(|directive| sought.visit_comment(directive, &mut add));
                }
                None => {
                    let item = file.items.get(variable.item as usize);
                    item.into_iter().for_each(|item| sought.visit(item, &mut add));
                }
            },
            _ => {
                file.items.iter().for_each(|item| sought.visit(item, &mut add));
                let comments = directives::directives(program, file);
                comments.iter().for_each(|comment| sought.visit_comment(comment, &mut add));
            }
        }
        found.sort_by_key(|occurrence| (occurrence.range.start(), occurrence.range.end()));
        found
    }
}

/// Search for a subject in one file.
pub(super) struct SubjectSearch<'p> {
    subject: Subject,
    file: &'p FileSummary,
    program: &'p Program,
    /// Names of the predicate in this file.
    local_names: SmallVec<[PredicateKey; 2]>,
}

impl<'p> SubjectSearch<'p> {
    pub(super) fn new(subject: Subject, program: &'p Program, file: &'p FileSummary) -> Self {
        let mut written = SmallVec::new();
        if let Subject::Predicate(key) = subject {
            let local = file.package.and_then(|package| {
                let name = key.name.as_str().strip_prefix(package.as_str())?.strip_prefix('.')?;
                Some(PredicateKey { name: Symbol::new(name), ..key })
            });
            let ways = [Some(key), local].into_iter().flatten();
            written.extend(ways.filter(|way| program.meaning(file, *way) == key));
        }
        Self { subject, file, program, local_names: written }
    }

    fn visit(&self, item: &Item, add: &mut impl FnMut(TextRange, StatementPart)) {
        each(item, &mut |mention| {
            if let Some(range) = self.matches(mention) {
                add(range, mention.part);
            }
        });
        if matches!(self.subject, Subject::Predicate(_) | Subject::Package(_))
            && let Some(target) = merge_target(self.file, item)
        {
            let range = match self.subject {
                Subject::Predicate(key) => (target.key == key).then_some(target.range),
                Subject::Package(package) => prefix(target.key.name, target.range, package),
                _ => None,
            };
            range.into_iter().for_each(|range| add(range, StatementPart::Descriptor));
        }
    }

    fn visit_comment(&self, comment: &Directive, add: &mut impl FnMut(TextRange, StatementPart)) {
        comment.mentions(&mut |mention| {
            if let Some(range) = self.matches(mention) {
                add(range, mention.part);
            }
        });
    }

    /// Returns the range that mentions the subject, if any.
    pub(super) fn matches(&self, mention: Mention) -> Option<TextRange> {
        let is_it = match (self.subject, mention.entity) {
            (Subject::Predicate(_), Entity::Predicate(key)) => self.local_names.contains(&key),
            (Subject::Builtin(name), Entity::Builtin(key))
            | (Subject::Descriptor(name), Entity::Descriptor(key)) => key.name == name,
            (Subject::Function(name), Entity::Function(other) | Entity::Constructor(other))
            | (Subject::Name(name), Entity::Name(other) | Entity::Type(other))
            | (Subject::Package(name), Entity::Package(other)) => name == other,
            (Subject::Variable(variable), Entity::Variable(other)) => {
                variable.symbol == other && variable.of_types == (mention.part == StatementPart::Bound)
            }
            (Subject::Package(package), Entity::Predicate(key)) => {
                let of_it = self.program.meaning(self.file, key).package() == package.as_str();
                return prefix(key.name, mention.range, package).filter(|_| of_it);
            }
            _ => false,
        };
        is_it.then_some(mention.range)
    }
}

/// Returns the range of the package in a qualified name, if it is this package.
fn prefix(name: Symbol, range: TextRange, package: Symbol) -> Option<TextRange> {
    let (qualifier, _) = name.as_str().rsplit_once('.')?;
    (qualifier == package.as_str()).then(|| TextRange::at(range.start(), size(qualifier.len())))
}

/// The predicate named in `merge([…], "name")`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeTarget {
    /// Predicate with arguments for the old values, the new values and the results.
    pub key: PredicateKey,
    /// Range of the name between the quotes.
    pub range: TextRange,
}

/// Returns the merge predicate of a declaration. `None` if the string contains escapes.
#[must_use]
pub fn merge_target(file: &FileSummary, item: &Item) -> Option<MergeTarget> {
    let declaration = item.statement.declaration()?;
    let merge = declaration.descriptors.iter().find(|atom| atom.name.as_str() == "merge")?;
    let [targets, name] = merge.args.as_slice() else { return None };
    let written = slice(file.statement_text(item), name.range);
    let content = literal::string_content(written).filter(|_| matches!(name.kind, TermKind::String))?;
    if content.is_empty() || content.contains(['\\', '\r']) {
        return None;
    }
    let columns = targets.apply().map_or(1, |list| list.args.len());
    let arity = u16::try_from(2 * columns + 1).ok()?;
    let quote = TextSize::new(1);
    let range = TextRange::new(name.range.start() + quote, name.range.end() - quote) + item.start;
    Some(MergeTarget { key: PredicateKey { name: Symbol::new(content), arity }, range })
}
