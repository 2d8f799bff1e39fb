//! Policy (constitution) for the replay of sessions, with the predicates that affect verdicts, and
//! the coverage of its rules over all sessions.

use std::sync::Arc;

use parking_lot::Mutex;
use regex::Regex;
use rustc_hash::FxHashSet;

use mangle_engine::kernel::{
    Clock, CompiledProgram, Datum, Kernel, Limits, Model, Reading, RuleId, ValueId, compile,
};
use mangle_engine::program::{Influences, PredicateId, PredicateKey, Program};
use mangle_settings::{ReplaySettings, gate_pattern};
use mangle_syntax::text::{Cancel, Symbol};
use piggyback::envelope::atoms::{Declarations, PERMISSION, Roots};

/// The arity of a request: id, action, target, payload, time.
const REQUEST: u16 = 5;

/// The parts of a [`Constitution`].
#[derive(Debug, Clone)]
pub struct ConstitutionConfig {
    /// The program with the rules that permit and deny requests.
    pub program: Arc<Program>,
    /// The reading of the program.
    pub reading: Reading,
    /// The names of the predicates.
    pub settings: ReplaySettings,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// The time of the first evaluation, before any session.
    pub clock: Clock,
}

/// A compiled and evaluated program for the replay of any number of sessions.
#[derive(Debug)]
pub struct Constitution {
    /// The program with the rules that permit and deny requests.
    pub program: Arc<Program>,
    /// The execution plans of the program.
    pub compiled: Arc<CompiledProgram>,
    /// The names of the predicates.
    pub settings: ReplaySettings,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// The time of the first evaluation.
    pub clock: Clock,
    pub(super) declarations: Declarations,
    pub(super) roles: Roles,
    /// The predicates that permissions and denials depend on.
    pub(super) consulted: Influences,
    /// The blocked patterns of the gate: as written, and as compiled regular expressions.
    pub(super) patterns: Vec<(String, Regex)>,
    /// True if rules or facts permit requests.
    pub(super) permits: bool,
    /// True if rules or facts block replies.
    blocks: bool,
    base: Mutex<Kernel>,
}

/// The predicates of the program that affect verdicts, if declared or defined.
#[derive(Debug, Default)]
pub(super) struct Roles {
    pub(super) pending: Option<PredicateId>,
    pub(super) permit: Option<PredicateId>,
    pub(super) deny: Vec<PredicateId>,
    pub(super) block: Vec<PredicateId>,
    pub(super) safe: Option<PredicateId>,
    pub(super) dangerous: Option<PredicateId>,
    pub(super) content: Option<PredicateId>,
    pub(super) domain: Option<PredicateId>,
    pub(super) overrides: Vec<PredicateId>,
    pub(super) appeals: Vec<PredicateId>,
    pub(super) hypothesis: Option<PredicateId>,
    pub(super) action: Option<PredicateId>,
    pub(super) intent: Option<PredicateId>,
    pub(super) rejections: Vec<PredicateId>,
}

impl Roles {
    pub(super) fn from_program(program: &Program, settings: &ReplaySettings) -> Self {
        let Roots { permit, appeals, block, deny } = Roots::from_program(program, settings);
        let one = |name: &str, arity: u16| program.id(PredicateKey { name: Symbol::new(name), arity });
        let all = |name: &str| {
            let named = program.named(Symbol::new(name));
            named.filter_map(|predicate| program.id(predicate.key)).collect::<Vec<_>>()
        };
        let any = |names: &[String]| names.iter().flat_map(|name| all(name)).collect();
        Self {
            pending: one(&settings.pending, REQUEST),
            permit,
            deny,
            block,
            safe: one(&settings.safe, 1),
            dangerous: one(&settings.dangerous, 1),
            content: one(&settings.content, 1),
            domain: one(&settings.domain, 1),
            overrides: any(&settings.overrides),
            appeals,
            hypothesis: one(&settings.abduction.predicate, 1),
            action: one(&settings.abduction.action, 1),
            intent: one("user_intent", 5),
            rejections: all("rejection_count"),
        }
    }
}

/// True if one of these predicates has clauses, is provided by the host, or has facts in the
/// kernel.
fn is_derived(predicates: &[PredicateId], program: &Program, kernel: &Kernel) -> bool {
    predicates.iter().any(|id| {
        let predicate = program.get(*id);
        program.clauses(predicate).next().is_some()
            || program.embedding.predicates.contains(&predicate.key)
            || kernel.model().relation(*id).is_some_and(|relation| relation.tuples().next().is_some())
    })
}

impl Constitution {
    /// Compiles and evaluates a program. If `cancel` is raised during the evaluation,
    /// [`stopped`](Self::stopped) returns the reason.
    #[must_use]
    pub fn new(basis: ConstitutionConfig, cancel: &Cancel) -> Self {
        Self::with_facts(basis, |_, _| {}, cancel)
    }

    /// Like [`Constitution::new`]. `give` asserts facts in addition to the facts of the program.
    #[must_use]
    pub fn with_facts(
        basis: ConstitutionConfig,
        give: impl FnOnce(&mut Kernel, &Program),
        cancel: &Cancel,
    ) -> Self {
        let ConstitutionConfig { program, reading, settings, limits, clock } = basis;
        let compiled = compile(&program, reading);
        let mut base = Kernel::new(Arc::clone(&compiled));
        give(&mut base, &program);
        base.evaluate(limits, clock, cancel);
        let declarations = Declarations::with(&program, &settings);
        let roles = Roles::from_program(&program, &settings);
        let consulted = Roots::from_program(&program, &settings).consulted(&program);
        let pattern = |pattern: &String| Some((pattern.clone(), gate_pattern(pattern).ok()?));
        let patterns = settings.patterns.iter().filter_map(pattern).collect();
        let permits = is_derived(roles.permit.as_slice(), &program, &base);
        let blocks = is_derived(&roles.block, &program, &base);
        let base = Mutex::new(base);
        Self {
            program,
            compiled,
            settings,
            limits,
            clock,
            declarations,
            roles,
            consulted,
            patterns,
            permits,
            blocks,
            base,
        }
    }

    /// The predicates whose facts can override a denial.
    pub(super) fn lifting(&self) -> FxHashSet<PredicateId> {
        let all = (0u32..).map(PredicateId).take(self.program.predicates.count());
        all.filter(|id| self.consulted.get(*id).is_some_and(|consult| consult.removes_obstacle)).collect()
    }

    pub(super) fn begin(&self) -> Kernel {
        self.base.lock().fork()
    }

    /// The reason for an incomplete evaluation.
    #[must_use]
    pub fn stopped(&self) -> Option<mangle_engine::kernel::Stop> {
        self.base.lock().model().stopped.clone()
    }

    /// The missing parts of a policy that gives verdicts, each as a sentence.
    #[must_use]
    pub fn missing_parts(&self) -> Vec<String> {
        let ReplaySettings { pending, permit, .. } = &self.settings;
        let mut lacks = Vec::new();
        if !self.permits && self.blocks {
            lacks.push(format!(
                "requests that nothing blocks have no verdict: no rule derives `{permit}/{PERMISSION}`"
            ));
        }
        if self.roles.pending.is_none() && self.permits {
            lacks.push(format!("no rule looks at requests: there is no `{pending}/{REQUEST}`"));
        }
        lacks
    }

    /// The reason why the program gives no verdicts. `None` if it permits requests or blocks
    /// replies.
    #[must_use]
    pub fn no_verdicts(&self) -> Option<String> {
        let ReplaySettings { permit, block, .. } = &self.settings;
        let why = || {
            format!(
                "no rule permits or blocks anything: there is no rule for `{permit}/{PERMISSION}` or `{block}`"
            )
        };
        (!self.permits && !self.blocks).then(why)
    }

    /// True if the program can give verdicts about replies.
    #[must_use]
    pub fn has_verdicts(&self) -> bool {
        self.blocks || self.permits && self.roles.pending.is_some()
    }

    /// The location of a clause: its file, and the offset of its first byte.
    #[must_use]
    pub fn place(
        &self,
        rule: mangle_engine::kernel::RuleId,
    ) -> Option<(mangle_syntax::text::FileId, mangle_syntax::text::TextSize)> {
        let rule = self.compiled.rule(rule)?;
        let item = self.program.file(rule.file)?.items.get(rule.item as usize)?;
        Some((rule.file, item.start))
    }
}

/// The text of a name or string value, in the form that the runtime compares.
pub(super) fn text(model: &Model, value: ValueId) -> Option<&str> {
    match model.values.get(value) {
        Datum::Name(text) | Datum::String(text) => Some(text),
        _ => None,
    }
}

/// The number of the first tuple whose leading arguments have these texts.
pub(super) fn find(model: &Model, predicate: PredicateId, texts: &[&str]) -> Option<u32> {
    let relation = model.relation(predicate)?;
    let fits = |tuple: &[ValueId]| {
        tuple.len() >= texts.len()
            && tuple.iter().zip(texts).all(|(value, wanted)| text(model, *value) == Some(wanted))
    };
    let found = (0u32..).zip(relation.tuples()).find(|(_, tuple)| fits(tuple));
    found.map(|(number, _)| number)
}

/// The rules that fired.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    fired: FxHashSet<RuleId>,
}

impl Coverage {
    /// Adds the coverage of other sessions under the same constitution.
    pub fn add(&mut self, other: &Self) {
        self.fired.extend(&other.fired);
    }

    /// Records the rules that fire during the verdict about a request.
    pub(super) fn take(&mut self, constitution: &Constitution, kernel: &mut Kernel, clock: Clock) {
        for predicate in predicates(constitution) {
            let rules: Vec<RuleId> = rules_of(constitution, predicate).collect();
            if rules.iter().all(|rule| self.fired.contains(rule)) {
                continue;
            }
            let arity = constitution.program.get(predicate).key.arity;
            let any = vec![None; usize::from(arity)];
            let misses = kernel.model_mut().why_not(&constitution.compiled, clock, predicate, &any);
            let holds = |rule: &RuleId| !misses.iter().any(|miss| miss.rule == *rule);
            self.fired.extend(rules.into_iter().filter(holds));
        }
    }

    /// All rules that permit or deny, in program order, with true for each rule that fired.
    pub fn rules<'c>(&'c self, constitution: &'c Constitution) -> impl Iterator<Item = (RuleId, bool)> + 'c {
        let mut all: Vec<RuleId> =
            predicates(constitution).flat_map(|predicate| rules_of(constitution, predicate)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|rule| (rule, self.fired.contains(&rule)))
    }
}

fn predicates(constitution: &Constitution) -> impl Iterator<Item = PredicateId> + '_ {
    let roles = &constitution.roles;
    roles.permit.iter().chain(&roles.deny).chain(&roles.block).copied()
}

/// The rules of a predicate that can be evaluated, without facts.
fn rules_of(constitution: &Constitution, predicate: PredicateId) -> impl Iterator<Item = RuleId> + '_ {
    let compiled = &constitution.compiled;
    let rules =
        (0u32..).map(RuleId).zip(compiled.rules.iter()).filter(move |(_, rule)| rule.predicate == predicate);
    let is_rule = |(id, rule): &(RuleId, &mangle_engine::kernel::Rule)| {
        let item = constitution.program.file(rule.file).and_then(|file| file.items.get(rule.item as usize));
        let clause = item.and_then(|item| item.statement.clause());
        clause.is_some_and(|clause| !clause.is_fact())
            && !compiled.faults.iter().any(|fault| fault.rule == *id)
    };
    rules.filter(is_rule).map(|(id, _)| id)
}
