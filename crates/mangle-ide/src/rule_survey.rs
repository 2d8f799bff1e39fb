//! Search for rules and negations that have no effect in any small world, with report.

use std::time::Instant;

use super::verification::{
    Surroundings, VerifyRun, default_inputs, line_of, line_of_item, placed, survey_findings,
};
use mangle_check::policy_test::property::Restrictions;
use mangle_report::verification::{IdleRuleReport, RuleSurveyReport};
use mangle_settings::SolverChoice;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Cancel, FileId};
use mangle_verify::{AbortMemo, RuleSurvey, Setup, Solvers, survey_rules};

/// Result of a rule survey, as report and as diagnostics.
#[derive(Debug, Default)]
pub struct SurveyedRules {
    pub report: RuleSurveyReport,
    /// Diagnostics with their files.
    pub diagnostics: Vec<(FileId, Diagnostic)>,
}

/// Surveys the rules of several programs. `wanted` selects files; `next` is called with the
/// location of each rule before its check.
#[must_use]
pub fn survey_all(
    runs: &[VerifyRun<'_>],
    surroundings: Surroundings<'_>,
    wanted: &dyn Fn(FileId) -> bool,
    next: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> SurveyedRules {
    let start = Instant::now();
    let mut surveyed = SurveyedRules::default();
    let report = &mut surveyed.report;
    for run in runs {
        let mut place = |file, item: u32| {
            let line = run.program.file(file).map_or(0, |file| line_of_item(file, item));
            next(&format!("{}:{line}", (surroundings.name)(file)));
        };
        let found = survey(run, surroundings.name, surroundings.solvers, wanted, &mut place, cancel);
        surveyed.diagnostics.extend(placed(run, survey_findings(&found.idle)));
        report.summary.rules += found.rules;
        report.summary.not_decided += found.undecided;
        report.rules.extend(found.idle.iter().map(|idle| {
            let line = line_of(run.program, idle.file, idle.range.start());
            let (file, predicate) = ((surroundings.name)(idle.file), idle.predicate.to_string());
            IdleRuleReport::new(file, line, predicate, &idle.kind, idle.facts)
        }));
    }
    report.summary.idle = report.rules.len();
    report.summary.elapsed_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    surveyed
}

/// Surveys the rules of one program. `wanted` selects files; `next` is called with the file and
/// index of each rule before its check.
#[must_use]
pub fn survey(
    run: &VerifyRun<'_>,
    name: &dyn Fn(FileId) -> String,
    solvers: &dyn Fn(SolverChoice) -> Solvers,
    wanted: &dyn Fn(FileId) -> bool,
    next: &mut dyn FnMut(FileId, u32),
    cancel: &Cancel,
) -> RuleSurvey {
    let inputs = default_inputs(&run.settings.verify);
    let mut all = RuleSurvey::default();
    for &reading in run.readings {
        let setup = Setup {
            program: run.program,
            file: run.file,
            restrictions: &Restrictions::default(),
            reading,
            limits: run.limits,
            clock: run.clock,
            inputs: &inputs,
            consumer: &|_, name| Err(format!("unknown consumer `{name}`")),
            aborts: &AbortMemo::default(),
            name,
            solvers: &solvers(run.settings.verify.solver),
            other: &|path| Err(format!("no other program at {path}")),
        };
        let found = survey_rules(setup, run.scope, wanted, next, cancel);
        all.idle.extend(found.idle);
        all.rules += found.rules;
        all.undecided += found.undecided;
    }
    all
}
