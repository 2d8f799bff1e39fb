//! Semantic rules (`MG1xx` to `MG8xx`): checks of a [`Program`] that produce [`Finding`]s.
//!
//! Each rule family is a module with its rules, their checks and a [`Family`], which is listed in
//! [`FAMILIES`]. A check of a statement is cached until the statement or the signatures of its
//! predicates change. Other checks need the whole program, for example checks for duplicates and
//! cycles.

mod calls;
mod compatibility;
mod declarations;
pub(crate) mod flow;
mod inclusion;
mod packages;
mod predicates;
mod quality;
mod safety;
mod stores;
mod stratification;
mod temporal;
mod transforms;
mod types;
pub(crate) mod wording;

pub(crate) use predicates::Vocabulary;
pub(crate) use quality::Emptiness;
pub use safety::negation_helper;
pub(crate) use safety::{helper_fingerprint, negated_names, place_behind, with_other_helpers};
pub(crate) use stores::StorePossibility;
pub(crate) use types::{ColumnBounds, NAME_NEAR};

use std::cell::OnceCell;
use std::sync::Arc;

use mangle_engine::program::{FileSummary, Predicate, PredicateId, Program};
use mangle_engine::types::{ClauseTypes, ProgramTypes};
use mangle_syntax::lint::{Finding, Rule, Span};
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration, Item};
use mangle_syntax::text::{FileId, StatementId, TextRange};

/// A family of related rules and their checks. `None` if the family has no check of that kind.
#[derive(Debug)]
pub struct Family {
    /// Rules, in the order of their codes.
    pub rules: &'static [&'static Rule],
    /// Checks a clause without syntax errors. The check can read other statements only through the
    /// signatures of predicates in the clause.
    pub clause: Option<fn(&CheckContext<'_>, &Clause, &mut Vec<Finding>)>,
    /// Checks a declaration without syntax errors, with the same restriction.
    pub declaration: Option<fn(&CheckContext<'_>, &Declaration, &mut Vec<Finding>)>,
    /// Checks that span several statements.
    pub program: &'static [ProgramCheck],
}

/// A check that spans several statements. Each check covers one part of the program and is repeated
/// if that part changes. Its other inputs must be tracked by the module `program_checks`.
#[derive(Debug)]
pub enum ProgramCheck {
    /// Checks one file. Checks of files that name packages are repeated at every change.
    File(fn(&Program, &FileSummary, &mut ProgramFindings)),
    /// Checks one predicate: its declarations, definitions and uses, the signatures of predicates
    /// in its rules, and predicates of the same name.
    Predicate(fn(&ProgramContext<'_>, PredicateId, &mut ProgramFindings)),
    /// Checks predicates that depend on each other, or a predicate that depends on itself.
    Cycle(fn(&ProgramContext<'_>, &[PredicateId], &mut ProgramFindings)),
}

/// Input of a program check.
#[derive(Debug, Clone, Copy)]
pub struct ProgramContext<'p> {
    /// The program to check.
    pub program: &'p Program,
    pub(crate) emptiness: &'p Emptiness,
    pub(crate) bounds: &'p ColumnBounds,
    pub(crate) stores: &'p StorePossibility,
    pub(crate) vocabulary: &'p Vocabulary,
}

/// All families, in the order of their codes.
#[rustfmt::skip] // One row per family.
pub const FAMILIES: &[Family] = &[
    declarations::FAMILY,
    safety::FAMILY,
    predicates::FAMILY,
    predicates::FACTS,
    packages::FAMILY,
    transforms::FAMILY,
    stratification::FAMILY,
    types::FAMILY,
    temporal::FAMILY,
    safety::TEMPORAL,
    inclusion::FAMILY,
    calls::FAMILY,
    calls::SAFETY,
    calls::RECURSION,
    quality::FAMILY,
    stores::FAMILY,
    compatibility::TARGET,
    compatibility::EXTRACTOR,
];

/// Input of a statement check.
#[derive(Debug, Clone, Copy)]
pub struct CheckContext<'p> {
    /// The program of the statement.
    pub program: &'p Program,
    /// The inferred types of the program.
    pub types: &'p ProgramTypes,
    /// The file of the statement.
    pub file: &'p FileSummary,
    /// The statement.
    pub item: &'p Item,
    /// The text of the statement, the base of its ranges.
    pub text: &'p str,
    /// The types in the statement, computed on demand.
    pub inferred: &'p OnceCell<ClauseTypes>,
}

impl<'p> CheckContext<'p> {
    /// The types in `clause`, which must be this statement.
    #[must_use]
    pub fn clause_types(&self, clause: &Clause) -> &'p ClauseTypes {
        let of = || ClauseTypes::infer(clause, |atom| self.types.relation(self.program, self.file, atom));
        self.inferred.get_or_init(of)
    }

    /// The predicate of an atom in this statement. `None` for built-ins.
    #[must_use]
    pub fn predicate(&self, atom: &Atom) -> Option<&'p Predicate> {
        self.program.predicate_of(self.file, atom)
    }

    /// The text of a range of this statement.
    #[must_use]
    pub fn slice(&self, range: TextRange) -> &'p str {
        mangle_syntax::text::slice(self.text, range)
    }

    /// The source position of a predicate: its `Decl`, or its first clause.
    #[must_use]
    pub fn origin(predicate: &Predicate) -> Option<Span> {
        predicate.signature.origin().map(|(file, statement, range)| Span::new(file, statement, range))
    }
}

/// Collects the findings of program checks.
#[derive(Debug, Default)]
pub struct ProgramFindings {
    findings: Vec<(FileId, StatementId, Finding)>,
    off: Arc<[&'static Rule]>,
}

impl ProgramFindings {
    /// Creates a collection that drops findings of the disabled rules.
    #[must_use]
    pub fn with_disabled(off: Arc<[&'static Rule]>) -> Self {
        Self { findings: Vec::new(), off }
    }

    /// True if findings of `rule` are kept. An expensive check tests this first.
    #[must_use]
    pub fn is_enabled(&self, rule: &'static Rule) -> bool {
        !self.off.iter().any(|off| std::ptr::eq(*off, rule))
    }

    /// Adds a finding about a statement of a file. Its ranges are relative to the start of the
    /// statement.
    pub fn push(&mut self, file: FileId, statement: StatementId, finding: Finding) {
        self.findings.push((file, statement, finding));
    }

    /// Returns the findings of enabled rules.
    #[must_use]
    pub fn into_enabled(self) -> Vec<(FileId, StatementId, Finding)> {
        let Self { mut findings, off } = self;
        findings.retain(|(.., finding)| !off.contains(&finding.rule));
        findings
    }
}
