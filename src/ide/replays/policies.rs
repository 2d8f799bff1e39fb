//! What a replay finds in the policies, whatever the session does, in its places: with the command `replay`, and in an editor
//! whenever a program is evaluated.

use crate::ide::evaluation::{self, Readings};
use crate::ide::registry;
use agent_replay::{Constitution, findings_of_program, policy_findings};
use mangle_check::diagnostics::place;
use mangle_engine::program::Program;
use mangle_settings::{Reading, ReplaySettings, RuleSettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;

/// What is found in the policies, less what their comments silence, by file and place.
#[must_use]
pub fn of_policies(constitution: &Constitution, rules: &RuleSettings) -> Vec<(FileId, Diagnostic)> {
    let found = policy_findings(constitution).into_iter();
    let found: Vec<_> = found.map(|one| (one.file, one.statement, one.finding)).collect();
    let placed = place(&constitution.program, (rules, registry::all()), &found).into_iter();
    let mut all: Vec<_> =
        placed.flat_map(|(file, found)| found.into_iter().map(move |one| (file, one))).collect();
    all.sort_by_key(|(file, one)| (*file, one.range.start()));
    all
}

/// The same of a program that was evaluated, in its statements as they are by now.
#[must_use]
pub fn of_evaluated(
    readings: &Readings,
    program: &Program,
    settings: &ReplaySettings,
) -> Vec<evaluation::ClauseFinding> {
    let evaluated = readings.of(Reading::Engine);
    let found = findings_of_program(evaluated.program(), evaluated.compiled(), settings).into_iter();
    let now = |one: agent_replay::PolicyFinding| {
        let (file, item) = evaluated.current(one.clause, program)?;
        Some((file.id, item.statement.id, one.finding))
    };
    found.filter_map(now).collect()
}
