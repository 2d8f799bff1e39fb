//! The rules about what a program means: `MG1xx` to `MG8xx`.
//!
//! Takes a [`Program`]; gives [`Finding`]s. Each family is one module with its rules, the checks
//! that apply them and a [`Family`] that a row in [`FAMILIES`] names. A check looks at one
//! statement (its findings are cached while the statement and the signatures it refers to stay the
//! same) or at the whole program (duplicates, cycles).

mod calls;
mod declarations;
mod edits;
mod extractor;
mod facts;
pub(crate) mod flow;
mod inclusion;
mod packages;
mod predicates;
mod quality;
mod safety;
mod stores;
mod stratification;
mod target;
mod temporal;
mod transforms;
mod types;
mod wording;

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

/// Rules that belong together, and the checks that apply them. A check that a family does not
/// have is `None`.
#[derive(Debug)]
pub struct Family {
    /// The rules, in the order of their codes.
    pub rules: &'static [&'static Rule],
    /// Looks at one clause that could be read whole. May read other statements only through
    /// signatures of the predicates that the clause mentions.
    pub clause: Option<fn(&CheckContext<'_>, &Clause, &mut Vec<Finding>)>,
    /// Looks at one declaration that could be read whole, under the same restriction.
    pub declaration: Option<fn(&CheckContext<'_>, &Declaration, &mut Vec<Finding>)>,
    /// Look at what several statements say together.
    pub program: &'static [ProgramCheck],
}

/// A check of what several statements say together. Each looks at one part of the program and is run again when that part
/// changes, so what else it reads has to be among what the module `program_checks` follows.
#[derive(Debug)]
pub enum ProgramCheck {
    /// Looks at one file. Those of files that name packages are run at every change.
    File(fn(&Program, &FileSummary, &mut ProgramFindings)),
    /// Looks at one predicate: what declares, defines and uses it, the signatures of what its rules use, and predicates of
    /// the same name.
    Predicate(fn(&ProgramContext<'_>, PredicateId, &mut ProgramFindings)),
    /// Looks at predicates that depend on each other, or at one that depends on itself.
    Cycle(fn(&ProgramContext<'_>, &[PredicateId], &mut ProgramFindings)),
}

/// What a check of a program may look at.
#[derive(Debug, Clone, Copy)]
pub struct ProgramContext<'p> {
    /// The program.
    pub program: &'p Program,
    pub(crate) emptiness: &'p Emptiness,
    pub(crate) bounds: &'p ColumnBounds,
    pub(crate) stores: &'p StorePossibility,
    pub(crate) vocabulary: &'p Vocabulary,
}

/// All families, in the order of their codes.
#[rustfmt::skip] // One row a family.
pub const FAMILIES: &[Family] = &[
    declarations::FAMILY,
    safety::FAMILY,
    predicates::FAMILY,
    facts::FAMILY,
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
    target::FAMILY,
    extractor::FAMILY,
];

/// What a check of one statement may look at.
#[derive(Debug, Clone, Copy)]
pub struct CheckContext<'p> {
    /// The program that the statement is part of.
    pub program: &'p Program,
    /// What its relations hold.
    pub types: &'p ProgramTypes,
    /// The statement's file.
    pub file: &'p FileSummary,
    /// The statement.
    pub item: &'p Item,
    /// The statement's text: what its ranges index.
    pub text: &'p str,
    /// The types in the statement, once a check has asked for them.
    pub inferred: &'p OnceCell<ClauseTypes>,
}

impl<'p> CheckContext<'p> {
    /// The types in `clause`, which is this statement.
    #[must_use]
    pub fn clause_types(&self, clause: &Clause) -> &'p ClauseTypes {
        let of = || ClauseTypes::infer(clause, |atom| self.types.relation(self.program, self.file, atom));
        self.inferred.get_or_init(of)
    }

    /// The predicate that an atom of this statement means; `None` for built-ins.
    #[must_use]
    pub fn predicate(&self, atom: &Atom) -> Option<&'p Predicate> {
        self.program.predicate_of(self.file, atom)
    }

    /// The text of a range of this statement.
    #[must_use]
    pub fn slice(&self, range: TextRange) -> &'p str {
        mangle_syntax::text::slice(self.text, range)
    }

    /// Where a predicate comes from: its `Decl`, else its first clause.
    #[must_use]
    pub fn origin(predicate: &Predicate) -> Option<Span> {
        predicate.signature.origin().map(|(file, statement, range)| Span::of(file, statement, range))
    }
}

/// Collects the findings of checks that look at the whole program.
#[derive(Debug, Default)]
pub struct ProgramFindings {
    findings: Vec<(FileId, StatementId, Finding)>,
    off: Arc<[&'static Rule]>,
}

impl ProgramFindings {
    /// A collection for a run in which findings of the rules that are `off` are not shown.
    #[must_use]
    pub fn without(off: Arc<[&'static Rule]>) -> Self {
        Self { findings: Vec::new(), off }
    }

    /// Whether findings of `rule` are shown. An expensive check tests this first.
    #[must_use]
    pub fn wants(&self, rule: &'static Rule) -> bool {
        !self.off.iter().any(|off| std::ptr::eq(*off, rule))
    }

    /// Adds a finding about a statement of a file; its ranges count from that statement's start.
    pub fn push(&mut self, file: FileId, statement: StatementId, finding: Finding) {
        self.findings.push((file, statement, finding));
    }

    /// The findings so far, without those of rules that are off.
    #[must_use]
    pub fn into_wanted(self) -> Vec<(FileId, StatementId, Finding)> {
        let Self { mut findings, off } = self;
        findings.retain(|(.., finding)| !off.contains(&finding.rule));
        findings
    }
}
