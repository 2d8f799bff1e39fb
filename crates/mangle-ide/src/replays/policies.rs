//! Replay findings in the policies that do not depend on a session. Reported by the `replay`
//! command, and by the language server after each evaluation.

use crate::evaluation::{self, Readings};
use crate::registry;
use agent_replay::{Constitution, findings_of_program, policy_findings};
use mangle_check::diagnostics::place;
use mangle_engine::program::Program;
use mangle_settings::{Reading, ReplaySettings, RuleSettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;

/// Returns the findings in the policies, sorted by file and position. Silenced findings are
/// removed.
#[must_use]
pub fn policy_diagnostics(constitution: &Constitution, rules: &RuleSettings) -> Vec<(FileId, Diagnostic)> {
    let found = policy_findings(constitution).into_iter();
    let found: Vec<_> = found.map(|one| (one.file, one.statement, one.finding)).collect();
    let placed = place(&constitution.program, rules, registry::all(), &found).into_iter();
    let mut all: Vec<_> =
        placed.flat_map(|(file, found)| found.into_iter().map(move |one| (file, one))).collect();
    all.sort_by_key(|(file, one)| (*file, one.range.start()));
    all
}

/// Returns these findings for an evaluated program, at the current positions of its statements.
#[must_use]
pub fn evaluated_policy_findings(
    readings: &Readings,
    program: &Program,
    settings: &ReplaySettings,
) -> Vec<evaluation::ClauseFinding> {
    let evaluated = readings.get(Reading::Engine);
    let found = findings_of_program(evaluated.program(), evaluated.compiled(), settings).into_iter();
    let now = |one: agent_replay::PolicyFinding| {
        let (file, item) = evaluated.current(one.clause, program)?;
        Some((file.id, item.statement.id, one.finding))
    };
    found.filter_map(now).collect()
}
