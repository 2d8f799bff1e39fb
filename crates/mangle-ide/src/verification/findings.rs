//! Findings about properties, and search for rules and negations that have no effect in any small
//! world, with findings and report.

use std::time::Instant;

use super::{
    AnsweredProperty, NEGATION_WITHOUT_EFFECT, PROPERTY_NOT_DECIDED, PROPERTY_VIOLATED, RULE_FIRES_NOWHERE,
    RULE_WITHOUT_EFFECT, Surroundings, VerifyRun, default_inputs, facts_up_to, line_of, line_of_item,
};
use crate::evaluation::fact_count;
use crate::registry;
use mangle_check::diagnostics::place_in_files;
use mangle_check::policy_test::property::Restrictions;
use mangle_engine::kernel::{Ground, RuleId};
use mangle_engine::program::Program;
use mangle_report::verification::{IdleRuleReport, RuleSurveyReport};
use mangle_settings::SolverChoice;
use mangle_syntax::lint::{Diagnostic, Finding, Related, Span};
use mangle_syntax::text::{Cancel, FileId};
use mangle_verify::{
    AbortMemo, Answer, IdleKind, IdleRule, RuleSurvey, Setup, Solvers, Verdict, survey_rules,
};

/// Maximum number of facts of a world in a note.
const SHOWN: usize = 4;

/// Returns the findings about the answered properties of a file, with ranges relative to the start
/// of the file.
#[must_use]
pub fn property_findings(program: &Program, answered: &[AnsweredProperty]) -> Vec<Finding> {
    let first = answered.first().map(|of| of.reading);
    let has_both = answered.iter().any(|of| Some(of.reading) != first);
    let read = |of: &AnsweredProperty| {
        let finding = finding(program, of, of.answer.as_deref()?)?;
        let reading = || format!("this is the answer in the reading `{}`", of.reading.as_str());
        Some(if has_both { finding.note(reading()) } else { finding })
    };
    answered.iter().filter_map(read).collect()
}

fn finding(program: &Program, of: &AnsweredProperty, answer: &Answer) -> Option<Finding> {
    let range = of.property.header;
    if answer.verdict.is_good() {
        return None;
    }
    if !answer.verdict.is_bad() {
        return not_decided(of, answer);
    }
    let headline = match answer.verdict {
        Verdict::Aborts => {
            let facts = answer.world.as_ref().map_or(0, Vec::len);
            format!("the engine stops with an error in a world of {}", fact_count(facts))
        }
        _ => format!("property is {}", answer.message.split(':').next().unwrap_or_default()),
    };
    let mut finding = Finding::new(&PROPERTY_VIOLATED, range, headline);
    if let Some(world) = &answer.world {
        finding = finding.note(shown(world));
    }
    match (answer.verdict, answer.other_reading) {
        (Verdict::Aborts, _) => {
            finding = finding.note(answer.message.clone());
        }
        (verdict, Some(other)) if other != verdict => {
            let reading = of.reading.other().as_str();
            let facts = facts_up_to(other, answer.covered.facts);
            let other = other.as_str().replace('_', " ");
            finding = finding.note(format!("in the reading `{reading}` the answer is: {other}{facts}"));
        }
        _ => {}
    }
    finding.related.extend(deriving(program, answer));
    Some(finding)
}

fn not_decided(of: &AnsweredProperty, answer: &Answer) -> Option<Finding> {
    // Malformed properties are reported without a search.
    if of.property.claim.is_err() {
        return None;
    }
    let (headline, range) = match &answer.error {
        Some(error) => ("property cannot be checked", error.range),
        None if answer.verdict == Verdict::Vacuous => ("property is vacuous", of.property.header),
        None => ("property is not decided", of.property.header),
    };
    let why = answer
        .message
        .strip_prefix("not decided: ")
        .or_else(|| answer.message.strip_prefix("vacuous: "))
        .unwrap_or(&answer.message);
    Some(Finding::new(&PROPERTY_NOT_DECIDED, range, headline).note(why.to_owned()))
}

/// For example `the world is: p(1), q(2)`.
fn shown(world: &[String]) -> String {
    let listed: Vec<String> = world.iter().take(SHOWN).map(|fact| format!("`{fact}`")).collect();
    let more = match world.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {}", fact_count(more)),
    };
    match listed.is_empty() {
        true => "the world has no facts".to_owned(),
        false => format!("the world is: {}{more}", listed.join(", ")),
    }
}

/// Returns the rule that derives the first conclusion of the solution.
fn deriving(program: &Program, answer: &Answer) -> Option<Related> {
    let (proof, compiled) = answer.proof.as_ref()?;
    let nodes = proof.nodes.first()?.steps.iter().filter_map(|step| match step.ground {
        Ground::Fact(fact) => proof.nodes.get(fact),
        _ => None,
    });
    let mut derived = nodes.filter(|node| node.rule != RuleId::ASSERTED);
    let rule = derived.find_map(|node| compiled.rule(node.rule))?;
    let item = program.file(rule.file)?.items.get(rule.item as usize)?;
    let clause = item.statement.clause()?;
    let span = Span::new(rule.file, item.statement.id, clause.head.range);
    Some(Related { span, message: "this rule derives it".into() })
}

/// Returns the findings about idle rules by file, with ranges relative to the start of each file.
#[must_use]
pub fn survey_findings(idle: &[IdleRule]) -> Vec<(FileId, Finding)> {
    idle.iter().map(|idle| (idle.file, idle_finding(idle))).collect()
}

fn idle_finding(idle: &IdleRule) -> Finding {
    let predicate = idle.predicate;
    let (rule, headline) = match &idle.kind {
        IdleKind::NeverFires => (&RULE_FIRES_NOWHERE, format!("rule of `{predicate}` fires in no world")),
        IdleKind::WithoutEffect => (&RULE_WITHOUT_EFFECT, format!("rule of `{predicate}` changes nothing")),
        IdleKind::Negation(_) => {
            (&NEGATION_WITHOUT_EFFECT, format!("negation changes nothing of `{predicate}`"))
        }
    };
    let finding = Finding::new(rule, idle.range, headline);
    match idle.facts {
        Some(facts) => finding.note(format!("all worlds of up to {} were checked", fact_count(facts))),
        None => finding.note("so it is in worlds of any size"),
    }
}

/// Converts findings of a program to diagnostics, with their files.
#[must_use]
pub fn placed(run: &VerifyRun<'_>, findings: Vec<(FileId, Finding)>) -> Vec<(FileId, Diagnostic)> {
    let placed = place_in_files(run.program, &run.settings.rules, registry::all(), findings);
    placed.into_iter().flat_map(|(file, found)| found.into_iter().map(move |one| (file, one))).collect()
}

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
