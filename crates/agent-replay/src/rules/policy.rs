//! Findings about the facts of the policy, independent of requests: `PB511`, `PB512`, `PB515`.

use rustc_hash::FxHashSet;

use super::verdicts::quoted;
use crate::constitution::{Constitution, Roles};
use mangle_engine::kernel::{CompiledProgram, Datum, Fact, RuleId};
use mangle_engine::program::{PredicateId, PredicateKey, Program};
use mangle_settings::ReplaySettings;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{FileId, StatementId, Symbol};
use piggyback::envelope::atoms::contradicted_prose;

pub(super) const RULES: &[&Rule] = &[&UNMATCHABLE_PATTERN, &ALLOWLIST_DRIFT, &PROSE_REACHES_SINK];

static UNMATCHABLE_PATTERN: Rule = rule!("unmatchable-pattern.md");

static ALLOWLIST_DRIFT: Rule = rule!("allowlist-drift.md");

static PROSE_REACHES_SINK: Rule = rule!("prose-reaches-sink.md");

/// The predicate that exempts strings of other parties from a check.
const PROSE: &str = "prose_only";

/// A finding in the program.
#[derive(Debug, Clone)]
pub struct PolicyFinding {
    /// The file of the finding.
    pub file: FileId,
    /// The statement of the finding.
    pub statement: StatementId,
    /// The id of the clause in the compiled program.
    pub clause: RuleId,
    /// The finding, with ranges from the start of the statement.
    pub finding: Finding,
}

impl PolicyFinding {
    fn note(self, note: String) -> Self {
        Self { finding: self.finding.note(note), ..self }
    }
}

/// The findings about the facts of the program.
#[must_use]
pub fn policy_findings(constitution: &Constitution) -> Vec<PolicyFinding> {
    let Constitution { program, compiled, settings, roles, .. } = constitution;
    Policy { program, compiled, settings, roles }.findings()
}

/// The findings about a program that was compiled for another purpose. Empty if the program has no
/// predicates for requests and permissions.
#[must_use]
pub fn findings_of_program(
    program: &Program,
    compiled: &CompiledProgram,
    settings: &ReplaySettings,
) -> Vec<PolicyFinding> {
    let roles = &Roles::from_program(program, settings);
    match roles.permit.is_some() && roles.pending.is_some() {
        true => Policy { program, compiled, settings, roles }.findings(),
        false => Vec::new(),
    }
}

struct Policy<'p> {
    program: &'p Program,
    compiled: &'p CompiledProgram,
    settings: &'p ReplaySettings,
    roles: &'p Roles,
}

impl Policy<'_> {
    fn findings(&self) -> Vec<PolicyFinding> {
        let mut found = Vec::new();
        for (fact, text) in self.facts(self.roles.content) {
            if text.contains(['<', '>', '&']) {
                let message = format!("pattern {} never matches a payload", quoted(text));
                let found_here = self.place(fact, &UNMATCHABLE_PATTERN, message);
                found.extend(found_here.map(|found| {
                    found.note(
                        "payloads have `\\u003c`, `\\u003e` and `\\u0026` in place of `<`, `>` and `&`"
                            .to_owned(),
                    )
                }));
            }
        }
        found.extend(self.drift());
        found.extend(self.prose());
        found
    }

    /// Declarations of `prose_only` that contradict the rules.
    fn prose(&self) -> Vec<PolicyFinding> {
        let predicate = self.program.id(PredicateKey { name: Symbol::new(PROSE), arity: 1 });
        let facts = || self.compiled.facts().iter().filter(|fact| Some(fact.predicate) == predicate);
        let finding = |(name, sink): (&str, &str)| {
            let is_it = |fact: &&Fact| match fact.tuple.first().map(|value| self.compiled.values.get(*value))
            {
                Some(Datum::Name(text)) => text.trim_start_matches('/') == name,
                _ => false,
            };
            let message = format!("`{name}` is not prose: its facts reach the sink `{sink}`");
            let found = self.place(facts().find(is_it)?, &PROSE_REACHES_SINK, message)?;
            Some(found.note("the runtime ignores the declaration and checks the strings".to_owned()))
        };
        contradicted_prose(self.program).into_iter().filter_map(finding).collect()
    }

    fn drift(&self) -> Option<PolicyFinding> {
        let own: Vec<_> = self.facts(self.roles.domain).collect();
        let gate: FxHashSet<&str> = self.settings.domains.iter().map(String::as_str).collect();
        let (first, _) = own.first()?;
        let policy: FxHashSet<&str> = own.iter().map(|(_, domain)| *domain).collect();
        let list = |domains: Vec<&str>| {
            domains.iter().map(|domain| format!("`{domain}`")).collect::<Vec<_>>().join(", ")
        };
        let mut only_policy: Vec<_> = policy.difference(&gate).copied().collect();
        let mut only_gate: Vec<_> = gate.difference(&policy).copied().collect();
        only_policy.sort_unstable();
        only_gate.sort_unstable();
        let mut parts = Vec::new();
        if !only_policy.is_empty() {
            parts.push(format!("the gate rejects {}, which only the policy lists", list(only_policy)));
        }
        if !only_gate.is_empty() {
            parts.push(format!("the policy does not list {}", list(only_gate)));
        }
        if parts.is_empty() {
            return None;
        }
        let message = "policy and gate list different domains".to_owned();
        let found = self.place(first, &ALLOWLIST_DRIFT, message)?;
        Some(parts.into_iter().fold(found, PolicyFinding::note))
    }

    /// The facts of a predicate in the program, with the string in the first argument.
    fn facts(&self, predicate: Option<PredicateId>) -> impl Iterator<Item = (&Fact, &str)> {
        let own = self.compiled.facts().iter().filter(move |fact| Some(fact.predicate) == predicate);
        own.filter_map(|fact| match self.compiled.values.get(*fact.tuple.first()?) {
            Datum::String(text) => Some((fact, &**text)),
            _ => None,
        })
    }

    fn place(&self, fact: &Fact, rule: &'static Rule, message: String) -> Option<PolicyFinding> {
        let clause = self.compiled.rule(fact.rule)?;
        let item = self.program.file(clause.file)?.items.get(clause.item as usize)?;
        let finding = Finding::new(rule, item.statement.clause()?.head.range, message);
        Some(PolicyFinding { file: clause.file, statement: clause.statement, clause: fact.rule, finding })
    }
}
