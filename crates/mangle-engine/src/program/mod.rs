//! Programs: files that are analyzed together, joined by predicate.
//!
//! - [`FileSummary`] has the parsed statements of one file, and is kept while the file is
//!   unchanged.
//! - [`Program`] has the predicates with their declarations, heads and uses, the packages, and the
//!   dependency graph with its strata.
//! - [`Signature`] has the properties of a predicate outside its clauses.
//! - [`binding`] computes the order in which a body binds its variables, and [`rewrite`] reproduces
//!   the clause rewriting of the Go implementation.
//! - [`ProgramEnvironment`] is the environment of a program, and [`builtins`] has the tables of
//!   built-ins.
//!
//! The module has no message texts. Problems of programs are reported in `analysis`.

pub mod binding;
pub mod builtins;
mod dependencies;
mod file;
pub mod graph;
mod influence;
mod inputs;
mod join;
pub mod rewrite;
pub(crate) mod shared;
mod signature;
mod update;

pub use dependencies::{Dependencies, Members, PendingComponents};
pub use file::{FileSummary, PredicateInFile, PredicateIndex, Use, UseKind, key_of};
pub use influence::{Influence, Influences};
pub use inputs::{NeededInput, needed_input};
pub use join::{Predicate, PredicateId, Predicates, Program, Site};
pub use signature::{Merge, Mode, Signature, functional_dependencies};
pub use update::Difference;

use std::sync::Arc;

use mangle_settings::versions::EngineCapabilities;
use mangle_settings::{EngineVersion, Stores};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, StatementId, Symbol, TextRange, TextSize, size};

/// The identity of a predicate: its name, qualified by its package, and its number of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateKey {
    /// The name, `package.name` inside a named package.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: u16,
}

impl PredicateKey {
    /// The same predicate inside `package`.
    #[must_use]
    pub fn within(self, package: Symbol) -> Self {
        Self { name: Symbol::new(&format!("{package}.{}", self.name)), ..self }
    }

    /// The part of the name before the last dot, which the Go implementation treats as the package.
    /// Empty for the root package.
    #[must_use]
    pub fn package(self) -> &'static str {
        self.name.as_str().rsplit_once('.').map_or("", |(package, _)| package)
    }
}

impl std::fmt::Display for PredicateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.name, self.arity)
    }
}

/// The environment of a program, from its configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramEnvironment {
    /// Predicates of the host program, which are considered declared and defined.
    pub predicates: Vec<PredicateKey>,
    /// The engine version.
    pub engine: EngineVersion,
    /// The fact stores. `None` if all facts are in one place.
    pub stores: Option<Arc<Stores>>,
    /// The files with directives that a loader removes before the engine parses them, sorted.
    pub files_with_directives: Vec<FileId>,
    /// The files with test cases in comments, sorted.
    pub tests: Vec<FileId>,
    /// The files with prompt previews in comments, sorted.
    pub kernels: Vec<FileId>,
    /// The files that are analyzed with a program without being part of it: tests, kernels and
    /// other files of the sample, sorted.
    pub separate_files: Vec<FileId>,
}

impl ProgramEnvironment {
    /// Adds files with facts that the host asserts. A store loads only the facts that it keeps from
    /// such files. Without stores, nothing changes.
    #[must_use]
    pub fn with_asserted(self: &Arc<Self>, files: impl IntoIterator<Item = FileId>) -> Arc<Self> {
        if self.stores.is_none() {
            return Arc::clone(self);
        }
        let mut separate_files = self.separate_files.clone();
        separate_files.extend(files);
        separate_files.sort_unstable();
        separate_files.dedup();
        Arc::new(Self { separate_files, ..(**self).clone() })
    }

    /// True if a file may contain directives.
    #[must_use]
    pub fn is_hybrid(&self, file: FileId) -> bool {
        self.files_with_directives.binary_search(&file).is_ok()
    }

    /// True if the comments of a file contain test cases.
    #[must_use]
    pub fn is_test(&self, file: FileId) -> bool {
        self.tests.binary_search(&file).is_ok()
    }

    /// True if the comments of a file request prompt previews.
    #[must_use]
    pub fn is_kernel(&self, file: FileId) -> bool {
        self.kernels.binary_search(&file).is_ok()
    }

    /// The sort key of a file: by path, with the separately analyzed files last. If such a file
    /// repeats a declaration, the duplicate is reported in that file.
    #[must_use]
    pub fn order(&self, file: FileId) -> (bool, FileId) {
        (self.separate_files.binary_search(&file).is_ok(), file)
    }

    /// True if the engine includes the additions of the day `since`, `YYYY-MM-DD`.
    #[must_use]
    pub fn has(&self, since: &str) -> bool {
        self.engine.has(since)
    }

    /// The behavior that differs between engine versions.
    #[must_use]
    pub fn capabilities(&self) -> &'static EngineCapabilities {
        self.engine.capabilities()
    }
}

/// The end of the line of the last `Decl` of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclarationHome {
    /// The file, its last `Decl`, and an empty range at the end of the line of the `Decl`. The
    /// range is relative to the start of the statement.
    pub place: (FileId, StatementId, TextRange),
    /// The line ending of the file, `\n` or `\r\n`.
    pub line_end: &'static str,
}

impl DeclarationHome {
    /// Returns the position after the last `Decl` of the file with the most declarations, or the
    /// first of several such files. Only files accepted by `is_fit` are searched. Returns `None` if
    /// no `Decl` of that file ends its line outside damaged text.
    #[must_use]
    pub fn find(program: &Program, is_fit: impl Fn(&FileSummary) -> bool) -> Option<Self> {
        let files = program.files.iter().filter(|file| is_fit(file));
        let counted = files.map(|file| (file.declarations, file));
        let (_, file) = counted.rev().filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count)?;
        let (last, end) = last_declaration(file)?;
        let rest = file.text.get(usize::from(end)..)?;
        let line_end = if rest.starts_with("\r\n") { "\r\n" } else { "\n" };
        Some(Self {
            place: (file.id, last.statement.id, TextRange::empty(end.checked_sub(last.start)?)),
            line_end,
        })
    }
}

/// The last `Decl` of a file whose line contains only complete statements, and the end of the line.
fn last_declaration(file: &FileSummary) -> Option<(&Item, TextSize)> {
    let end_of = |item: &Item| item.statement.range().end() + item.start;
    let mut line_start = None;
    for (at, item) in file.items.iter().enumerate().rev() {
        // Each line is examined once, for its last `Decl`.
        let is_known = line_start.is_some_and(|start| end_of(item) >= start);
        if is_known || item.statement.declaration().is_none() {
            continue;
        }
        let end = end_of(item);
        let line = file.text.get(usize::from(end)..)?.split(['\r', '\n']).next().unwrap_or_default();
        let line_end = end + size(line.len());
        let on_line = file.items.get(at..)?.iter().take_while(|item| item.start < line_end);
        if on_line.into_iter().all(|item| !item.statement.damaged && end_of(item) <= line_end) {
            return Some((item, line_end));
        }
        let before = file.text.get(..usize::from(end))?;
        line_start = Some(size(before.rfind('\n').map_or(0, |at| at + 1)));
    }
    None
}

#[cfg(test)]
mod tests;
