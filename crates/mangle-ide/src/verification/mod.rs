//! Verification of policy properties.
//!
//! The input is a list of programs with their test files; the output is a [`VerifyReport`], or
//! findings (`findings`). An [`AnswerMemo`] caches answers, so that editors can show them without
//! a search ([`known_answers`]).

mod findings;
mod memo;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::evaluation::fact_count;
use mangle_check::diagnostics::{FindingCache, diagnostics_of_files};
use mangle_check::policy_test::TestFile;
use mangle_check::policy_test::property::{Claim, Properties, Property, Restrictions};
use mangle_engine::kernel::{Clock, Limits, Reading, RuleId};
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program};
use mangle_report::proof;
use mangle_report::verification::{PropertyPlace, PropertyReport, VerifyReport};
use mangle_settings::{BUILT_IN_CONSUMERS, Settings, SolverChoice, TranscriptSettings, VerifySettings};
use mangle_syntax::lint::{Diagnostic, Rule, Severity, rule};
use mangle_syntax::text::{Cancel, FileId, TextSize, listed};
use mangle_verify::{AbortMemo, Answer, Scope, Setup, Solvers, Verdict, verify};
use memo::{AnswerBasis, FileParts, hash_of_texts};
use piggyback::envelope::atoms::is_delicate;
use piggyback::envelope::runtime::{accepts, built_in};

pub use findings::{SurveyedRules, placed, property_findings, survey, survey_all, survey_findings};
pub use memo::AnswerMemo;

/// Properties to check.
#[derive(Clone, Copy)]
pub struct VerifyRun<'p> {
    /// Program, including the test file if any.
    pub program: &'p Program,
    /// File with the properties. `None` for a property given on the command line.
    pub file: Option<FileId>,
    /// Property given on the command line.
    pub property: Option<&'p Property>,
    /// Readings of the program, each checked separately.
    pub readings: &'p [Reading],
    /// Limits for the evaluation of one world.
    pub limits: Limits,
    pub clock: Clock,
    /// Bounds of the search.
    pub scope: Scope,
    /// Settings for inputs of worlds, consumers, and rule severities.
    pub settings: &'p Settings,
    /// Cached answers.
    pub memo: Option<&'p AnswerMemo>,
}

/// A program that a property compares with.
#[derive(Clone)]
pub struct OtherProgram {
    pub program: Program,
    /// Display names of its files.
    pub names: FxHashMap<FileId, String>,
}

/// Loads the program at a path. The path is relative to the folder of a test file, or to the
/// working directory. The error is a message for users.
pub type ProgramLoader<'o> = dyn Fn(Option<FileId>, &str) -> Result<OtherProgram, String> + Sync + 'o;

/// Callbacks for access to file names, other programs and solvers.
#[derive(Clone, Copy)]
pub struct Surroundings<'s> {
    /// Returns the display name of a file.
    pub name: &'s (dyn Fn(FileId) -> String + Sync),
    /// Loads the programs that properties compare with.
    pub other: &'s ProgramLoader<'s>,
    /// Returns the solvers of a choice.
    pub solvers: &'s (dyn Fn(SolverChoice) -> Solvers + Sync),
}

/// Results of properties as report, and violations as diagnostics.
#[derive(Debug, Default)]
pub struct VerifiedProperties {
    pub report: VerifyReport,
    /// Diagnostics with their files.
    pub diagnostics: Vec<(FileId, Diagnostic)>,
}

/// Checks properties sequentially. `next` is called with the name of each property before its
/// check.
#[must_use]
pub fn verify_all(
    runs: &[VerifyRun<'_>],
    surroundings: Surroundings<'_>,
    next: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> VerifiedProperties {
    let start = Instant::now();
    let mut verified = VerifiedProperties::default();
    let report = &mut verified.report;
    for run in runs {
        let mut wanted = |name: &str| {
            next(name);
            true
        };
        let all = check_properties(run, surroundings, &mut wanted, cancel);
        if !all.is_empty() {
            report.program_errors += errors(run);
        }
        if let Some(file) = run.file.filter(|_| run.property.is_none()) {
            let findings = property_findings(run.program, &all).into_iter().map(|finding| (file, finding));
            verified.diagnostics.extend(placed(run, findings.collect()));
        }
        all.into_iter().filter_map(|of| of.report).for_each(|property| report.add(property));
    }
    report.summary.elapsed_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    verified
}

/// Checks the properties of a file, or the property from the command line, if `wanted` accepts the
/// name.
pub fn check_properties(
    run: &VerifyRun<'_>,
    surroundings: Surroundings<'_>,
    wanted: &mut dyn FnMut(&str) -> bool,
    cancel: &Cancel,
) -> Vec<AnsweredProperty> {
    let verification = Verification::new(run, surroundings);
    let mut all = Vec::new();
    for property in verification.properties.all.iter().filter(|property| wanted(&property.name)) {
        for &reading in run.readings {
            let answer = verification.answer(property, reading, cancel);
            all.push(verification.with_report(property, reading, Some(answer)));
        }
    }
    all
}

/// Like [`check_properties`], as reports.
pub(super) fn report_properties(
    run: &VerifyRun<'_>,
    surroundings: Surroundings<'_>,
    wanted: &mut dyn FnMut(&str) -> bool,
    cancel: &Cancel,
) -> Vec<PropertyReport> {
    check_properties(run, surroundings, wanted, cancel).into_iter().filter_map(|of| of.report).collect()
}

#[derive(Debug)]
pub struct AnsweredProperty {
    pub property: Property,
    pub reading: Reading,
    /// `None` if the answer is not known yet.
    pub answer: Option<Arc<Answer>>,
    /// Report of the answer.
    pub report: Option<PropertyReport>,
}

/// Returns the suffix ` 5 facts` for answers that hold up to a bound, otherwise an empty string.
pub(super) fn facts_up_to(verdict: Verdict, facts: usize) -> String {
    let is_bounded = matches!(verdict, Verdict::HoldsUpTo | Verdict::ImpossibleUpTo);
    if is_bounded { format!(" {}", fact_count(facts)) } else { String::new() }
}

/// Returns the properties of a test file with cached answers, without a search.
#[must_use]
pub fn known_answers(run: &VerifyRun<'_>, surroundings: Surroundings<'_>) -> Vec<AnsweredProperty> {
    let verification = Verification::new(run, surroundings);
    let of = |property: &Property, reading| {
        verification.with_report(property, reading, verification.known(property, reading))
    };
    let properties = verification.properties.all.iter();
    properties.flat_map(|property| run.readings.iter().map(|&reading| of(property, reading))).collect()
}

/// Properties of a file or command, with the context for their verification.
struct Verification<'r> {
    run: &'r VerifyRun<'r>,
    surroundings: Surroundings<'r>,
    properties: Properties,
    inputs: Vec<PredicateKey>,
    aborts: AbortMemo,
    others: OtherPrograms,
    /// Start offsets of the cases in the file.
    cases: Vec<TextSize>,
}

impl<'r> Verification<'r> {
    fn new(run: &'r VerifyRun<'r>, surroundings: Surroundings<'r>) -> Self {
        let properties = match (run.file, run.property) {
            (_, Some(property)) => {
                Properties { all: vec![property.clone()], restrictions: Restrictions::default() }
            }
            (Some(file), None) => mangle_verify::properties(run.program, file),
            (None, None) => Properties::default(),
        };
        let inputs = default_inputs(&run.settings.verify);
        let (aborts, others) = (AbortMemo::default(), OtherPrograms::default());
        let file = run.file.and_then(|file| run.program.file(file));
        let cases = file.map_or_else(Vec::new, |file| TestFile::read(file).cases);
        let cases = cases.iter().map(|case| case.header.start()).collect();
        Self { run, surroundings, properties, inputs, aborts, others, cases }
    }

    /// Returns the display name of a file.
    fn name(&self, file: FileId) -> String {
        self.others.name(file).unwrap_or_else(|| (self.surroundings.name)(file))
    }

    fn other(&self, path: &str) -> Result<Program, String> {
        self.others.load(path, &|path| (self.surroundings.other)(self.run.file, path))
    }

    /// Returns the dependencies of an answer.
    fn basis(&self, property: &Property) -> AnswerBasis {
        let run = self.run;
        let file = run.file.filter(|_| run.property.is_none()).and_then(|file| run.program.file(file));
        let other = match &property.claim {
            Ok(Claim::Comparison { path, .. }) => self.other(path).ok().map(|other| hash_of_texts(&other)),
            _ => None,
        };
        let parts = FileParts { properties: &self.properties.all, cases: &self.cases };
        AnswerBasis::new(run.program, file.map(AsRef::as_ref), parts, property, other, run.scope)
    }

    /// Returns the cached answer of a property.
    fn known(&self, property: &Property, reading: Reading) -> Option<Arc<Answer>> {
        self.run.memo?.get(reading, &self.basis(property))
    }

    /// Returns the answer of a property, from the cache or by a search.
    fn answer(&self, property: &Property, reading: Reading, cancel: &Cancel) -> Arc<Answer> {
        if let Some(known) = self.known(property, reading) {
            return known;
        }
        let run = self.run;
        let setup = Setup {
            program: run.program,
            file: run.file,
            restrictions: &self.properties.restrictions,
            reading,
            limits: run.limits,
            clock: run.clock,
            inputs: &self.inputs,
            consumer: &|program, name| of_consumer(program, &run.settings.transcripts, name),
            aborts: &self.aborts,
            name: &|file| self.name(file),
            solvers: &(self.surroundings.solvers)(run.settings.verify.solver),
            other: &|path| self.other(path),
        };
        let answer = Arc::new(verify(setup, property, run.scope, cancel));
        if let Some(memo) = run.memo.filter(|_| !cancel.is_cancelled()) {
            memo.put(reading, self.basis(property), &answer);
        }
        answer
    }

    fn with_report(
        &self,
        property: &Property,
        reading: Reading,
        answer: Option<Arc<Answer>>,
    ) -> AnsweredProperty {
        let report = answer.as_ref().map(|answer| self.report(property, reading, answer));
        AnsweredProperty { property: property.clone(), reading, answer, report }
    }

    /// Converts an answer to a report.
    fn report(&self, property: &Property, reading: Reading, answer: &Answer) -> PropertyReport {
        let run = self.run;
        let file = run.file.filter(|_| run.property.is_none());
        let at = answer.error.as_ref().map_or(property.header, |error| error.range);
        let place = PropertyPlace {
            file: &file.map(|file| self.name(file)).unwrap_or_default(),
            line: file.map_or(0, |file| line_of(run.program, file, at.start())),
            name: &property.name,
            kind: property.kind.as_str(),
            reading: reading.as_str(),
        };
        PropertyReport::new(place, answer, shown_proof(run.program, answer, &|file| self.name(file)))
    }
}

/// Other programs of properties, each loaded once.
#[derive(Default)]
struct OtherPrograms {
    loaded: RefCell<FxHashMap<String, Result<OtherProgram, String>>>,
}

impl OtherPrograms {
    fn load(
        &self,
        path: &str,
        load: &dyn Fn(&str) -> Result<OtherProgram, String>,
    ) -> Result<Program, String> {
        let mut loaded = self.loaded.borrow_mut();
        let other = loaded.entry(path.to_owned()).or_insert_with(|| load(path));
        other.as_ref().map(|other| other.program.clone()).map_err(String::clone)
    }

    /// Returns the display name of a file in one of the programs.
    fn name(&self, file: FileId) -> Option<String> {
        let loaded = self.loaded.borrow();
        loaded.values().flatten().find_map(|other| other.names.get(&file).cloned())
    }
}

/// Formats the proof of an answer. The rule of the property is labeled `the property`.
fn shown_proof(program: &Program, answer: &Answer, name: &dyn Fn(FileId) -> String) -> Option<String> {
    let (found, compiled) = answer.proof.as_ref()?;
    let place = |rule: RuleId| {
        if rule == RuleId::ASSERTED {
            return "the world".to_owned();
        }
        let Some(rule) = compiled.rule(rule) else { return String::new() };
        match answer.originals.get(&rule.file).or_else(|| program.file(rule.file)) {
            Some(file) => format!("{}:{}", name(file.id), line_of_item(file, rule.item)),
            None => "the property".to_owned(),
        }
    };
    Some(proof::proof(found, &place))
}

/// Returns the predicates whose facts a consumer accepts from replies.
fn of_consumer(
    program: &Program,
    settings: &TranscriptSettings,
    name: &str,
) -> Result<Vec<PredicateKey>, String> {
    let consumer = settings.consumers.get(name).or_else(|| built_in(name, settings.caps.runtime));
    let Some(consumer) = consumer else {
        let own = settings.consumers.keys().map(String::as_str);
        return Err(format!(
            "unknown consumer `{name}`; the consumers are {}",
            listed(BUILT_IN_CONSUMERS.into_iter().chain(own))
        ));
    };
    let is_taken = |predicate: &&Predicate| {
        let name = predicate.key.name.as_str();
        predicate.exists()
            && accepts(consumer, name)
            && !(consumer.protected && is_delicate(name, &settings.atoms))
    };
    Ok(program.predicates.iter().filter(is_taken).map(|predicate| predicate.key).collect())
}

/// Returns the input predicates of worlds from the settings.
#[must_use]
pub fn default_inputs(settings: &VerifySettings) -> Vec<PredicateKey> {
    settings.inputs.iter().map(|(name, arity)| PredicateKey { name: *name, arity: *arity }).collect()
}

/// Returns the default bounds of a search from the settings.
#[must_use]
pub fn default_scope(settings: &VerifySettings) -> Scope {
    let facts = usize::try_from(settings.facts).unwrap_or(usize::MAX);
    Scope { facts, time: Duration::from_secs(settings.seconds) }
}

/// Returns the number of errors in the program.
fn errors(run: &VerifyRun<'_>) -> usize {
    let is_error = |rule: &Rule| run.settings.rules.severity(rule) == Some(Severity::Error);
    let cache = FindingCache::new(crate::registry::all());
    let files: Vec<FileId> =
        run.program.files.iter().map(|file| file.id).filter(|file| Some(*file) != run.file).collect();
    let all = diagnostics_of_files(run.program, &files, &run.settings.rules, &cache, &is_error);
    all.iter().flat_map(|(_, found)| found).filter(|found| found.severity == Severity::Error).count()
}

/// Returns the one-based line of the start of a statement.
pub(super) fn line_of_item(file: &FileSummary, item: u32) -> usize {
    let item = file.items.get(item as usize);
    line_in(&file.text, item.map_or(TextSize::new(0), |item| item.start))
}

/// Returns the one-based line of an offset.
pub(super) fn line_of(program: &Program, file: FileId, offset: TextSize) -> usize {
    line_in(program.file(file).map_or("", |file| &file.text), offset)
}

fn line_in(text: &str, offset: TextSize) -> usize {
    let before = text.get(..usize::from(offset)).unwrap_or_default();
    memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1
}

/// All rules of this module, sorted by code.
pub const RULES: &[&Rule] = &[
    &RULE_FIRES_NOWHERE,
    &RULE_WITHOUT_EFFECT,
    &NEGATION_WITHOUT_EFFECT,
    &PROPERTY_VIOLATED,
    &PROPERTY_NOT_DECIDED,
];

/// A rule whose body has no solution in any world.
static RULE_FIRES_NOWHERE: Rule = rule!("rule-fires-nowhere.md");

/// A rule whose removal changes nothing.
static RULE_WITHOUT_EFFECT: Rule = rule!("rule-without-effect.md");

/// A negation whose removal changes nothing.
static NEGATION_WITHOUT_EFFECT: Rule = rule!("negation-without-effect.md");

pub static PROPERTY_VIOLATED: Rule = rule!("property-violated.md");

/// A property without a decision.
static PROPERTY_NOT_DECIDED: Rule = rule!("property-not-decided.md");
