//! Conversion of findings to diagnostics: file positions, severities, suppression comments and the
//! safety of fixes.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::statements::FileFindings;
use crate::fix_checks::{Budget, Claim, Dependencies, FixChecks};
use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::ProgramTypes;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Applicability, Diagnostic, Finding, Placement, ResolvedFix, Severity};
use mangle_syntax::syntax::rules::DIRECTIVE_OUTSIDE_HYBRID;
use mangle_syntax::text::{FileId, StatementId, TextSize, with_line_ends};

/// Places findings in files.
pub(super) struct Placer<'p> {
    program: &'p Program,
    settings: &'p RuleSettings,
    /// Other files that the findings point into.
    pub(super) reads: SmallVec<[FileId; 2]>,
    /// The inputs that determine the safety of fixes.
    pub(super) dependencies: Dependencies,
    /// The checks of fixes. If `None`, no fix is safe.
    checks: Option<(&'p ProgramTypes, &'p FixChecks)>,
    effort: Budget,
    pub(super) thorough: bool,
}

impl<'p> Placer<'p> {
    pub(super) fn new(program: &'p Program, settings: &'p RuleSettings) -> Self {
        Self {
            program,
            settings,
            reads: SmallVec::new(),
            dependencies: Dependencies::default(),
            checks: None,
            effort: Budget::unlimited(),
            thorough: false,
        }
    }

    pub(super) fn checking(
        program: &'p Program,
        settings: &'p RuleSettings,
        types: &'p ProgramTypes,
        checks: &'p FixChecks,
    ) -> Self {
        Self { checks: Some((types, checks)), ..Self::new(program, settings) }
    }

    pub(super) fn place_all(
        &mut self,
        file: &'p FileSummary,
        of_statements: &FileFindings,
        of_program: Vec<(StatementId, Finding)>,
    ) -> Vec<Diagnostic> {
        self.effort = if self.thorough { Budget::unlimited() } else { Budget::for_file(file) };
        let suppressions = &of_statements.suppressions;
        let of_statements = of_statements
            .all
            .iter()
            .flat_map(|(statement, findings)| findings.iter().map(|finding| (*statement, finding.clone())));
        let of_program = of_program.into_iter().map(|(statement, finding)| (Some(statement), finding));
        let mut placed: Vec<_> = of_statements
            .chain(of_program)
            .filter_map(|(statement, finding)| self.place(file, statement, finding))
            .collect();
        keep_specific(&mut placed);
        let of_comments = suppressions.apply(&file.text, self.settings, &mut placed);
        placed.extend(of_comments.into_iter().filter_map(|finding| self.place(file, None, finding)));
        placed.sort_by(|a, b| order(a).cmp(&order(b)));
        placed
    }

    pub(super) fn place(
        &mut self,
        file: &'p FileSummary,
        statement: Option<StatementId>,
        finding: Finding,
    ) -> Option<Diagnostic> {
        let severity = self.settings.severity_of(&finding)?;
        self.place_as(severity, file, statement, finding)
    }

    /// The findings that make the engine reject the program, regardless of settings and comments.
    pub(super) fn place_rejected(
        &mut self,
        file: &'p FileSummary,
        of_statements: &FileFindings,
        of_program: &[(StatementId, Finding)],
    ) -> Vec<Diagnostic> {
        let of_statements = of_statements
            .all
            .iter()
            .flat_map(|(statement, findings)| findings.iter().map(|finding| (*statement, finding)));
        let of_program = of_program.iter().map(|(statement, finding)| (Some(*statement), finding));
        let rejected = of_statements.chain(of_program).filter(|(_, finding)| finding.is_rejected);
        let mut placed: Vec<_> = rejected
            .filter_map(|(statement, finding)| {
                self.place_as(Severity::Error, file, statement, finding.clone())
            })
            .collect();
        placed.sort_by(|a, b| order(a).cmp(&order(b)));
        placed
    }

    fn place_as(
        &mut self,
        severity: Severity,
        file: &'p FileSummary,
        statement: Option<StatementId>,
        finding: Finding,
    ) -> Option<Diagnostic> {
        if finding.rule == &DIRECTIVE_OUTSIDE_HYBRID && self.program.embedding.is_hybrid(file.id) {
            return None;
        }
        let start = match statement {
            Some(statement) => file.start_of(statement)?,
            None => TextSize::new(0),
        };
        let replaces = finding.fix.as_ref().map(|fix| fix.replaces.clone()).unwrap_or_default();
        let here = file;
        let mut start_of = |file, statement| {
            if file == here.id { here.start_of(statement) } else { self.start_elsewhere(file, statement) }
        };
        let mut placed = Placement::new(file.id, start, &mut start_of).diagnostic(finding, severity);
        if let Some(fix) = &mut placed.fix {
            self.keep_line_ends(fix);
            let claim =
                Claim { file: file.id, start, range: placed.range, replaces: &replaces, edits: &fix.edits };
            if fix.applicability == Applicability::Safe && !self.holds(claim) {
                fix.applicability = Applicability::Unsafe;
            }
        }
        Some(placed)
    }

    /// True if the fix passes its check. False if checks are disabled.
    fn holds(&mut self, claim: Claim<'_>) -> bool {
        let Some((types, checks)) = self.checks else { return false };
        checks.holds(self.program, types, claim, &mut self.effort, &mut self.dependencies)
    }

    /// Adapts the line endings of inserted text to the files.
    fn keep_line_ends(&self, fix: &mut ResolvedFix) {
        for edit in &mut fix.edits {
            edit.text = self.with_line_ends(edit.file, std::mem::take(&mut edit.text));
        }
        if let Some(other) = &mut fix.alternative {
            other.applicability = Applicability::Unsafe;
            self.keep_line_ends(other);
        }
    }

    fn with_line_ends(&self, file: FileId, text: String) -> String {
        match self.program.file(file) {
            Some(file) => with_line_ends(&file.text, text),
            None => text,
        }
    }

    fn start_elsewhere(&mut self, file: FileId, statement: StatementId) -> Option<TextSize> {
        if !self.reads.contains(&file) {
            self.reads.push(file);
        }
        self.program.file(file)?.start_of(statement)
    }
}

/// Two rules that can report the same position: the first one is less specific and is dropped.
const LESS_SPECIFIC: (&str, &str) = ("name-never-used", "name-near");

/// Drops findings if a more specific one has the same position.
fn keep_specific(placed: &mut Vec<Diagnostic>) {
    let (vague, specific) = LESS_SPECIFIC;
    let places: FxHashSet<_> = placed
        .iter()
        .filter(|diagnostic| diagnostic.rule.name == specific)
        .map(|diagnostic| diagnostic.range)
        .collect();
    placed.retain(|diagnostic| diagnostic.rule.name != vague || !places.contains(&diagnostic.range));
}

pub(super) fn order(diagnostic: &Diagnostic) -> (TextSize, TextSize, &str, &str) {
    let range = diagnostic.range;
    (range.start(), range.end(), diagnostic.rule.code, &diagnostic.message)
}
