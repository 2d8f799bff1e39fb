//! Verification of a rename. Damaged text must not mention the subject. The changed files are
//! parsed again and must have the same meaning except for the name. Detects, for example, merged
//! tokens, and predicates that shadow others in a package.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{RenameRefusal, name_of, renamed_key};
use crate::mention::{Entity, Mention, StatementPart, each};
use crate::subject::{Subject, SubjectSearch, merge_target};
use crate::{Analysis, directives};
use mangle_engine::program::{FileSummary, PredicateKey, Program};
use mangle_syntax::lint::FileEdit;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::syntax::{SourceFile, TokenKind};
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize, apply, slice, text_len};

/// Parses the program after the edits.
///
/// # Errors
/// If anything other than the name would change.
pub(super) fn check(
    program: &Program,
    subject: Subject,
    new: Symbol,
    edits: &[FileEdit],
) -> Result<(), RenameRefusal> {
    let renaming = Renaming { program, subject, new };
    let mut changed: FxHashMap<FileId, Arc<FileSummary>> = FxHashMap::default();
    for edits in edits.chunk_by(|one, other| one.file == other.file) {
        let Some(old) = edits.first().and_then(|edit| program.file(edit.file)) else { continue };
        let changes = edits.iter().map(|edit| (edit.range, edit.text.as_str()));
        let text = apply(&old.text, changes).ok_or_else(|| meaning_changes(subject, new))?;
        let file = Arc::new(FileSummary::new(old.id, &SourceFile::parse(text.into())));
        renaming.compare_files(old, &file)?;
        changed.insert(old.id, file);
    }
    if matches!(subject, Subject::Predicate(_) | Subject::Package(_)) {
        renaming.compare_meanings(changed)?;
    }
    Ok(())
}

fn meaning_changes(subject: Subject, new: Symbol) -> RenameRefusal {
    RenameRefusal::new(format!(
        "With `{new}` instead of `{}`, this text would have a different meaning.",
        name_of(subject)
    ))
}

struct Renaming<'p> {
    program: &'p Program,
    subject: Subject,
    new: Symbol,
}

impl Renaming<'_> {
    /// Checks that a file has the same statements except for the new name.
    fn compare_files(&self, old: &FileSummary, new: &FileSummary) -> Result<(), RenameRefusal> {
        let sought = SubjectSearch::new(self.subject, self.program, old);
        for (index, before) in old.items.iter().enumerate() {
            let same = new.items.get(index).is_some_and(|after| {
                before.statement.damaged == after.statement.damaged
                    && before.statement.findings.len() == after.statement.findings.len()
                    && self.mentions(&sought, old, before) == mentions_of(new, after)
            });
            if !same {
                let range = TextRange::at(before.start, before.statement.len);
                return Err(meaning_changes(self.subject, self.new).at(old.id, range));
            }
        }
        self.compare_comments(&sought, old, new)?;
        let complete = old.items.len() == new.items.len() && old.findings.len() == new.findings.len();
        if complete { Ok(()) } else { Err(meaning_changes(self.subject, self.new)) }
    }

    /// Checks that the comments of a test or sample have the same mentions except for the new name.
    fn compare_comments(
        &self,
        sought: &SubjectSearch<'_>,
        old: &FileSummary,
        new: &FileSummary,
    ) -> Result<(), RenameRefusal> {
        let own = match self.subject {
            Subject::Variable(variable) => Some(directives::comment_of_variable(old, variable)),
            _ => None,
        };
        let (before, after) =
            (directives::directives(self.program, old), directives::directives(self.program, new));
        for (number, comment) in before.iter().enumerate() {
            let mut expected = Vec::new();
            comment.mentions(&mut |mention| {
                let is_it = own.is_none_or(|own| own == Some(number)) && sought.matches(mention).is_some();
                expected.push(if is_it { self.renamed(mention) } else { mention.entity });
            });
            let mut found = Vec::new();
            after
                .get(number)
                .into_iter()
                .for_each(|item| item.mentions(&mut |mention| found.push(mention.entity)));
            if expected != found {
                return Err(meaning_changes(self.subject, self.new).at(old.id, comment.bytes()));
            }
        }
        if before.len() == after.len() { Ok(()) } else { Err(meaning_changes(self.subject, self.new)) }
    }

    /// Returns the mentions of a statement after the rename.
    fn mentions(
        &self,
        sought: &SubjectSearch<'_>,
        file: &FileSummary,
        item: &Item,
    ) -> Vec<(Entity, StatementPart)> {
        let mut mentions = Vec::new();
        each(item, &mut |mention| {
            let is_it = match self.subject {
                Subject::Variable(variable) => {
                    file.items.get(variable.item as usize).is_some_and(|own| own.start == item.start)
                }
                _ => true,
            };
            let is_it = is_it && sought.matches(mention).is_some();
            mentions.push((if is_it { self.renamed(mention) } else { mention.entity }, mention.part));
        });
        if let Some(target) = merge_target(file, item) {
            mentions.push((Entity::Predicate(self.meaning(target.key)), StatementPart::Descriptor));
        }
        mentions
    }

    fn renamed(&self, mention: Mention) -> Entity {
        match mention.entity {
            Entity::Predicate(key) => Entity::Predicate(renamed_key(self.subject, key, self.new)),
            Entity::Variable(_) => Entity::Variable(self.new),
            Entity::Name(_) => Entity::Name(self.new),
            Entity::Type(_) => Entity::Type(self.new),
            Entity::Package(_) => Entity::Package(self.new),
            entity => entity,
        }
    }

    /// Returns the qualified key of a predicate after the rename.
    fn meaning(&self, key: PredicateKey) -> PredicateKey {
        let is_it = match self.subject {
            Subject::Predicate(own) => key == own,
            Subject::Package(package) => key.package() == package.as_str(),
            _ => false,
        };
        if is_it { renamed_key(self.subject, key, self.new) } else { key }
    }

    /// Checks that every predicate name in every file refers to the same predicate.
    fn compare_meanings(
        &self,
        mut changed: FxHashMap<FileId, Arc<FileSummary>>,
    ) -> Result<(), RenameRefusal> {
        let files = self.program.files.iter();
        let files = files.map(|file| changed.remove(&file.id).unwrap_or_else(|| Arc::clone(file)));
        let after = Program::embedded(files.collect(), Arc::clone(&self.program.embedding));
        for (old, new) in self.program.files.iter().zip(after.files.iter()) {
            let sought = SubjectSearch::new(self.subject, self.program, old);
            let mut wrong = None;
            let mut compare = |mention: Mention| {
                let Entity::Predicate(key) = mention.entity else { return };
                let written = match sought.matches(mention) {
                    Some(_) => renamed_key(self.subject, key, self.new),
                    None => key,
                };
                let expected = self.meaning(self.program.meaning(old, key));
                if after.meaning(new, written) != expected {
                    wrong.get_or_insert(mention.range);
                }
            };
            old.items.iter().for_each(|item| each(item, &mut compare));
            let comments = directives::directives(self.program, old);
            comments.iter().for_each(|comment| comment.mentions(&mut compare));
            if let Some(range) = wrong {
                let message = format!("Here, `{}` would refer to another predicate.", self.new);
                return Err(RenameRefusal::new(message).at(old.id, range));
            }
        }
        Ok(())
    }
}

fn mentions_of(file: &FileSummary, item: &Item) -> Vec<(Entity, StatementPart)> {
    let mut mentions = Vec::new();
    each(item, &mut |mention| mentions.push((mention.entity, mention.part)));
    if let Some(target) = merge_target(file, item) {
        mentions.push((Entity::Predicate(target.key), StatementPart::Descriptor));
    }
    mentions
}

/// Checks that the old name occurs neither in statements with syntax errors nor in unparsed text.
///
/// # Errors
/// The first occurrence.
pub(super) fn check_damage(
    analysis: &dyn Analysis,
    subject: Subject,
    old: Symbol,
) -> Result<(), RenameRefusal> {
    let program = analysis.program();
    if let Subject::Variable(variable) = subject {
        let Some(file) = program.file(variable.file) else { return Ok(()) };
        let item = file.items.get(variable.item as usize).filter(|item| item.statement.damaged);
        return item.map_or(Ok(()), |item| {
            let message = "This statement has a syntax error, so the occurrences of the variable are uncertain. Fix it \
                           first.";
            Err(RenameRefusal::new(message).at(file.id, TextRange::at(item.start, TextSize::new(0))))
        });
    }
    if let Subject::Name(name) = subject {
        full_stops(program, name)?;
    }
    for file in program.files.iter() {
        let comment = directives::malformed_directives(program, file).into_iter();
        if let Some(range) =
            comment.into_iter().find(|range| directives::has_word(slice(&file.text, *range), old))
        {
            let message = format!("`{old}` is in a test comment with a syntax error. Fix it first.");
            return Err(RenameRefusal::new(message).at(file.id, range));
        }
        for region in unread(file) {
            if !slice(&file.text, region).contains(old.as_str()) {
                continue;
            }
            let place = analysis.source(file.id).and_then(|source| mention(source, region, old));
            if let Some(place) = place {
                let message = format!(
                    "`{old}` occurs in text with a syntax error, so its meaning is uncertain. Fix it first."
                );
                return Err(RenameRefusal::new(message).at(file.id, place));
            }
        }
    }
    Ok(())
}

/// Returns an error if a name includes the full stop of its clause. In `X = /a.` the name is `/a.`,
/// which is probably unintended.
fn full_stops(program: &Program, name: Symbol) -> Result<(), RenameRefusal> {
    let with_dot = Symbol::new(&format!("{name}."));
    let found = Subject::Name(with_dot).occurrences(program);
    found.first().map_or(Ok(()), |first| {
        let message = format!(
            "Here the name is `{with_dot}`: it includes the full stop. Insert a space before the full stop first."
        );
        Err(RenameRefusal::new(message).at(first.file, first.range))
    })
}

/// Returns the ranges of a file outside of intact statements: damaged statements and text between
/// statements.
fn unread(file: &FileSummary) -> Vec<TextRange> {
    let mut regions = Vec::new();
    let mut from = TextSize::new(0);
    for item in file.items.iter().filter(|item| !item.statement.damaged) {
        if item.start > from {
            regions.push(TextRange::new(from, item.start));
        }
        from = from.max(item.start + item.statement.len);
    }
    let end = text_len(&file.text);
    if end > from {
        regions.push(TextRange::new(from, end));
    }
    regions
}

/// Returns the first token of a region that equals the name, with or without package.
fn mention(source: &SourceFile, region: TextRange, name: Symbol) -> Option<TextRange> {
    let text = source.text();
    let tokens = source.tokens(region);
    if tokens.is_empty() {
        // The region is too damaged to tokenize. A region of comments would contain tokens.
        let said = slice(text, region);
        let at = said.find(name.as_str())?;
        return Some(TextRange::at(region.start() + mangle_syntax::text::size(at), text_len(name.as_str())));
    }
    let is_it = |written: &str| {
        written == name.as_str()
            || written.strip_suffix(name.as_str()).is_some_and(|before| before.ends_with('.'))
            || written.strip_prefix(name.as_str()).is_some_and(|behind| behind.starts_with('.'))
    };
    let mut tokens = tokens.into_iter().filter(|token| token.kind != TokenKind::Comment);
    tokens
        .find(|token| region.contains_range(token.range) && is_it(token.text(text)))
        .map(|token| token.range)
}
