//! `config`: predicates that replies must not assert, with the reason.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::surroundings;
use mangle_engine::program::Program;
use mangle_host::{CheckCache, CheckTarget, ProgramFiles, Resolution, relative};
use mangle_report::sink::terminal;
use mangle_settings::Settings;
use piggyback::envelope::atoms::{Declarations, DeclaredPredicate, PermissionDependency, protected};

#[derive(Debug, Serialize)]
pub(super) struct ProtectedPredicate {
    predicate: String,
    /// The list that contains the predicate, or the predicate that depends on it.
    why: String,
    /// The position of a rule that uses the predicate: `policy.mg:12`.
    rule: Option<String>,
    /// True if an update that asserts the predicate is rejected. False if it is only reported.
    refused: bool,
}

impl ProtectedPredicate {
    /// Formats the predicate as a comment of a configuration file.
    fn text(&self) -> String {
        let Self { predicate, why, rule, refused } = self;
        let rule = rule.as_ref().map_or(String::new(), |rule| format!(" at {rule}"));
        let end = if *refused { "" } else { "; reported, not refused" };
        format!("# {}\n", terminal(&format!("{predicate}: {why}{rule}{end}")))
    }
}

/// Formats the predicates as comments of a configuration file.
pub(super) fn protected_text(all: &[ProtectedPredicate]) -> String {
    let lines: String = all.iter().map(ProtectedPredicate::text).collect();
    format!("\n# Predicates that no reply should assert, and why:\n{lines}")
}

/// The protected predicates for the programs of a project. `target` is the path that was resolved
/// to the project.
pub(super) fn protected_predicates(
    settings: &Settings,
    programs: &[&ProgramFiles],
    resolution: &Resolution,
    target: &CheckTarget,
    memory: &CheckCache,
    working: &Path,
) -> Vec<ProtectedPredicate> {
    let listed = protected(&settings.transcripts.atoms);
    let mut all: Vec<ProtectedPredicate> = listed
        .iter()
        .map(|one| ProtectedPredicate {
            predicate: one.predicate.to_owned(),
            why: one.why.to_owned(),
            rule: None,
            refused: true,
        })
        .collect();
    let (files, _) =
        mangle_host::load(resolution, std::slice::from_ref(target), &surroundings::disk(), memory, || {});
    for program in programs {
        let summaries = program.members.iter().filter_map(|member| files.get(&member.file).map(Arc::clone));
        let joined = Program::embedded(summaries.collect(), Arc::clone(&program.embedding));
        let declarations = Declarations::with(&joined, &settings.replay);
        let decisive = declarations.all().filter(|declared| declared.derived.is_none());
        for (declared, ground) in decisive.filter_map(|declared| Some((declared, declared.ground?))) {
            if !all.iter().any(|one| one.predicate == declared.name) {
                all.push(permission_dependency(declared, ground, &joined, memory, working));
            }
        }
    }
    all.sort_by(|a, b| a.predicate.cmp(&b.predicate));
    all
}

/// A predicate that permissions depend on.
fn permission_dependency(
    declared: &DeclaredPredicate,
    ground: PermissionDependency,
    program: &Program,
    memory: &CheckCache,
    working: &Path,
) -> ProtectedPredicate {
    let PermissionDependency { place, by, root, .. } = ground;
    let through = if by == root { String::new() } else { format!(" through `{by}`") };
    let rule = place.and_then(|(file, statement, range)| {
        let summary = program.file(file)?;
        let item = summary.items.iter().find(|item| item.statement.id == statement)?;
        let line = mangle_syntax::text::LineIndex::new(&summary.text).line_col(
            &summary.text,
            item.start + range.start(),
            mangle_syntax::text::Encoding::Utf8,
        );
        Some(format!("{}:{}", relative(working, &memory.table().path(file)), line.line + 1))
    });
    let why = format!("`{root}` depends on it{through}");
    ProtectedPredicate { predicate: declared.name.to_owned(), why, rule, refused: false }
}
