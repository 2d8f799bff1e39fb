//! Incremental whole-program checks: each covers one predicate, one cycle or one file, and is
//! repeated if its inputs change.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::analysis::flow::{begin, update};
use crate::analysis::{
    ColumnBounds, Emptiness, FAMILIES, Family, NAME_NEAR, ProgramCheck, ProgramContext, ProgramFindings,
    StorePossibility, Vocabulary,
};
use crate::declaration_text::{Homes, UNDECLARED_HEAD, add_fixes};
use mangle_engine::program::{Difference, FileSummary, Members, PredicateId, Program};
use mangle_engine::types::ProgramTypes;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{EngineOutcome, Finding, Rule};
use mangle_syntax::parallel;
use mangle_syntax::text::{FileId, StatementId};

/// A finding with the statement that its ranges are relative to.
pub(crate) type Located = (FileId, StatementId, Finding);

/// Minimum number of parts per thread.
const MIN_PARTS_PER_THREAD: usize = 256;

/// Minimum number of files for a second thread in the first check of a program.
const MANY_FILES: usize = 256;

/// The part of a program that a check covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Part {
    /// A file: an index into [`Program::files`].
    File(u32),
    Predicate(PredicateId),
    /// A component, identified by one of its members.
    Cycle(PredicateId),
}

/// The files whose findings changed.
#[derive(Debug)]
pub(crate) enum Changed {
    All,
    Files(FxHashSet<FileId>),
}

/// The findings of the program checks, and their additional inputs.
#[derive(Debug)]
pub(crate) struct ProgramChecks {
    program: Program,
    types: ProgramTypes,
    off: Arc<[&'static Rule]>,
    emptiness: Emptiness,
    stores: StorePossibility,
    bounds: ColumnBounds,
    /// The files with a rule that aggregates: indices into [`Program::files`].
    aggregating: BTreeSet<u32>,
    vocabulary: Vocabulary,
    /// The predicates that are used but do not exist.
    missing: BTreeSet<PredicateId>,
    /// The files that name packages.
    packaged: BTreeSet<u32>,
    homes: Homes,
    /// The cycles, each identified by one of its members.
    cycles: FxHashMap<PredicateId, Members>,
    found: FxHashMap<Part, Vec<Located>>,
    by_file: FxHashMap<FileId, BTreeSet<Part>>,
    /// The files whose findings changed since the last call.
    changed: FxHashSet<FileId>,
}

impl ProgramChecks {
    /// Runs all checks except those of the disabled rules `off`.
    pub(crate) fn new(program: &Program, types: &ProgramTypes, off: Arc<[&'static Rule]>) -> Self {
        let strata = program.dependencies().strata();
        let aggregating = indices(program, |file| file.aggregates);
        let emptiness = || {
            let mut emptiness = Emptiness::default();
            begin(&mut emptiness, program, &strata);
            emptiness
        };
        let beside = || {
            let mut bounds = ColumnBounds::default();
            if !aggregating.is_empty() {
                begin(&mut bounds, program, &strata);
            }
            (bounds, Vocabulary::new(program), indices(program, FileSummary::names_packages))
        };
        let (emptiness, (bounds, vocabulary, packaged)) = match program.files.len() >= MANY_FILES {
            true => parallel::both(emptiness, beside),
            false => (emptiness(), beside()),
        };
        let mut stores = StorePossibility::default();
        if program.embedding.stores.is_some() {
            begin(&mut stores, program, &strata);
        }
        let missing = program.predicates.with_ids().filter(|(_, predicate)| !predicate.exists());
        let missing = missing.map(|(id, _)| id).collect();
        let mut checks = Self {
            program: program.clone(),
            types: types.clone(),
            off,
            emptiness,
            stores,
            bounds,
            aggregating,
            vocabulary,
            missing,
            packaged,
            homes: Homes::default(),
            cycles: FxHashMap::default(),
            found: FxHashMap::default(),
            by_file: FxHashMap::default(),
            changed: FxHashSet::default(),
        };
        let files = (0u32..).take(program.files.len()).map(Part::File);
        let predicates = program.predicates.with_ids().map(|(id, _)| Part::Predicate(id));
        let dependencies = program.dependencies();
        checks.cycles = dependencies.cyclic().map(|id| (id, dependencies.members(id))).collect();
        let cycles = checks.cycles.keys().copied().map(Part::Cycle);
        checks.run(files.chain(predicates).chain(cycles).collect());
        checks
    }

    /// Updates the findings for a later revision of the program.
    pub(crate) fn follow(
        known: &mut Option<Self>,
        program: &Program,
        types: &ProgramTypes,
        settings: &RuleSettings,
    ) -> Changed {
        let off = off(settings, &|_| true);
        if let Some(checks) = known.as_mut().filter(|checks| checks.off == off)
            && let Some(difference) = Difference::between(&checks.program, program)
            && checks.program.declares_any() == program.declares_any()
            && checks.update(program, types, &difference)
        {
            return Changed::Files(std::mem::take(&mut checks.changed));
        }
        *known = Some(Self::new(program, types, off));
        Changed::All
    }

    /// Repeats the checks that a difference affects. Returns false if all checks must be repeated.
    fn update(&mut self, program: &Program, types: &ProgramTypes, difference: &Difference) -> bool {
        let old = std::mem::replace(&mut self.program, program.clone());
        let retyped = types.different_from(&self.types);
        self.types = types.clone();
        if !self.update_vocabulary(&old, difference) {
            return false;
        }
        let mut affected: FxHashSet<PredicateId> = difference.touched.iter().copied().collect();
        for &id in &difference.signatures {
            affected.extend(program.users(program.get(id)));
        }
        affected.extend(retyped);
        self.update_flows(&mut affected, difference);
        for &id in &difference.touched {
            let alike = program.named(program.get(id).key.name);
            affected.extend(alike.filter_map(|predicate| program.id(predicate.key)));
        }
        affected.extend(self.suggesting(difference));
        affected.extend(self.missing_sources(difference));
        affected.extend(program.special().map(|(id, _)| id));
        // The range that a fix deletes depends on the text around a statement.
        let files = difference.files.iter().filter_map(|at| program.files.get(*at as usize));
        let in_files: Vec<_> =
            files.filter_map(|file| self.by_file.get(&file.id)).flatten().copied().collect();
        affected.extend(in_files.into_iter().filter_map(|part| match part {
            Part::Predicate(id) => Some(id),
            _ => None,
        }));
        if self.homes.update(program) {
            let undeclared = self.found.iter().filter(|(_, found)| found.iter().any(is_undeclared));
            let undeclared = undeclared.filter_map(|(part, _)| match part {
                Part::Predicate(id) => Some(*id),
                _ => None,
            });
            affected.extend(undeclared);
        }
        let mut parts = self.affected_cycles(&affected, difference);
        parts.extend(self.affected_files(difference).into_iter().map(Part::File));
        parts.extend(affected.into_iter().map(Part::Predicate));
        self.run(parts);
        true
    }

    fn update_vocabulary(&mut self, old: &Program, difference: &Difference) -> bool {
        for &id in &difference.touched {
            let (before, after) = (old.mentioned(id), self.program.mentioned(id));
            if self.vocabulary.update(before, after) {
                return false;
            }
            if after.is_some_and(|predicate| !predicate.exists()) {
                self.missing.insert(id);
            } else {
                self.missing.remove(&id);
            }
        }
        true
    }

    /// Updates the incremental analyses of predicates, and adds the predicates with changed
    /// results.
    fn update_flows(&mut self, affected: &mut FxHashSet<PredicateId>, difference: &Difference) {
        let program = self.program.clone();
        let touched: Vec<_> = affected.iter().chain(&difference.heads).copied().collect();
        let emptied = update(&mut self.emptiness, &program, touched.iter().copied());
        for id in emptied {
            affected.insert(id);
            affected.extend(program.users(program.get(id)));
        }
        if program.embedding.stores.is_some() {
            for id in update(&mut self.stores, &program, touched.iter().copied()) {
                affected.insert(id);
                affected.extend(program.users(program.get(id)));
            }
        }
        let had_any = !self.aggregating.is_empty();
        for &at in &difference.files {
            set(
                &mut self.aggregating,
                at,
                program.files.get(at as usize).is_some_and(|file| file.aggregates),
            );
        }
        match (had_any, !self.aggregating.is_empty()) {
            (true, true) => affected.extend(update(&mut self.bounds, &program, touched)),
            (false, true) => {
                begin(&mut self.bounds, &program, &program.dependencies().strata());
                affected.extend(self.bounds.predicates());
            }
            (true, false) => {
                affected.extend(self.bounds.predicates());
                self.bounds.clear();
            }
            (false, false) => {}
        }
    }

    /// The missing predicates whose suggestions can change.
    fn suggesting(&self, difference: &Difference) -> Vec<PredicateId> {
        let appeared: Vec<_> = difference.existence.iter().map(|id| self.program.get(*id).key).collect();
        let missing = self.missing.iter().copied().filter(|id| {
            let key = self.program.get(*id).key;
            appeared.iter().any(|other| Vocabulary::may_suggest(key, *other))
        });
        missing.collect()
    }

    /// The missing predicates in rules of changed predicates. The suggestion of such a rule's name
    /// depends on the number of its rules.
    fn missing_sources(&self, difference: &Difference) -> Vec<PredicateId> {
        let program = &self.program;
        let mut missing = Vec::new();
        for &id in &difference.heads {
            let clauses: Vec<_> = program.clauses(program.get(id)).take(3).collect();
            for site in clauses.iter().filter(|_| clauses.len() < 3) {
                let literals = site.item.statement.clause().into_iter().flat_map(|clause| clause.literals());
                let used = literals.filter_map(|literal| program.id_of(site.file, &literal.atom));
                missing.extend(used.filter(|used| !program.get(*used).exists()));
            }
        }
        missing
    }

    fn affected_cycles(&mut self, affected: &FxHashSet<PredicateId>, difference: &Difference) -> Vec<Part> {
        let program = self.program.clone();
        let dependencies = program.dependencies();
        let heads: FxHashSet<_> = difference.heads.iter().copied().collect();
        let mut cycles: FxHashMap<PredicateId, Members> = FxHashMap::default();
        let mut parts = Vec::new();
        for id in dependencies.cyclic() {
            let members = dependencies.members(id);
            let is_affected = |id: &PredicateId| affected.contains(id) || heads.contains(id);
            if self.cycles.get(&id) != Some(&members) || members.iter().any(is_affected) {
                parts.push(Part::Cycle(id));
            }
            cycles.insert(id, members);
        }
        let before = std::mem::replace(&mut self.cycles, cycles);
        parts.extend(before.into_keys().filter(|id| !self.cycles.contains_key(id)).map(Part::Cycle));
        parts
    }

    fn affected_files(&mut self, difference: &Difference) -> BTreeSet<u32> {
        for &at in &difference.files {
            let names_packages =
                self.program.files.get(at as usize).is_some_and(|file| file.names_packages());
            set(&mut self.packaged, at, names_packages);
        }
        self.packaged.iter().chain(&difference.files).copied().collect()
    }

    /// Runs the checks of these parts and stores the findings.
    fn run(&mut self, parts: Vec<Part>) {
        let this = &*self;
        let found = parallel::map(&parts, MIN_PARTS_PER_THREAD, |part| (*part, this.check(*part)));
        found.into_iter().for_each(|(part, found)| self.keep(part, found));
    }

    /// Runs the checks of one part.
    fn check(&self, part: Part) -> Vec<Located> {
        let program = &self.program;
        let context = ProgramContext {
            program,
            emptiness: &self.emptiness,
            stores: &self.stores,
            bounds: &self.bounds,
            vocabulary: &self.vocabulary,
        };
        let mut out = ProgramFindings::with_disabled(Arc::clone(&self.off));
        for check in FAMILIES.iter().filter(|family| self.is_on(family)).flat_map(|family| family.program) {
            match (check, part) {
                (ProgramCheck::File(check), Part::File(at)) => {
                    program
                        .files
                        .get(at as usize)
                        .into_iter()
                        .for_each(|file| check(program, file, &mut out));
                }
                (ProgramCheck::Predicate(check), Part::Predicate(id)) if program.mentioned(id).is_some() => {
                    check(&context, id, &mut out);
                }
                (ProgramCheck::Cycle(check), Part::Cycle(id)) => {
                    self.cycles.get(&id).into_iter().for_each(|members| check(&context, members, &mut out));
                }
                _ => {}
            }
        }
        let mut found = out.into_enabled();
        add_fixes(&mut found, program, &self.types, &self.homes);
        found
    }

    /// True if a rule of the family is enabled.
    fn is_on(&self, family: &Family) -> bool {
        family.rules.iter().any(|rule| !self.off.contains(rule))
    }

    fn keep(&mut self, part: Part, found: Vec<Located>) {
        let before = self.found.remove(&part).unwrap_or_default();
        if before != found {
            for (file, ..) in &before {
                self.changed.insert(*file);
                self.by_file.get_mut(file).into_iter().for_each(|parts| _ = parts.remove(&part));
            }
            for (file, ..) in &found {
                self.changed.insert(*file);
                self.by_file.entry(*file).or_default().insert(part);
            }
        }
        if !found.is_empty() {
            self.found.insert(part, found);
        }
    }

    /// The findings of a file.
    pub(crate) fn of_file(&self, file: FileId) -> Vec<(StatementId, Finding)> {
        let mut parts: Vec<Part> = self.by_file.get(&file).into_iter().flatten().copied().collect();
        // The ids of predicates depend on earlier edits.
        parts.sort_by_cached_key(|part| match part {
            Part::File(at) => (0, None, *at),
            Part::Predicate(id) => (1, Some(self.program.get(*id).key), 0),
            Part::Cycle(id) => (2, Some(self.program.get(*id).key), 0),
        });
        let found = parts.iter().filter_map(|part| self.found.get(part)).flatten();
        let here = found.filter(|(of, ..)| *of == file);
        let mut near = HashSet::with_hasher(FxBuildHasher);
        let is_first = |(_, statement, finding): &&Located| {
            !std::ptr::eq(finding.rule, &raw const NAME_NEAR) || near.insert((*statement, finding.range))
        };
        here.filter(is_first).map(|(_, statement, finding)| (*statement, finding.clone())).collect()
    }
}

/// The disabled rules.
pub(crate) fn off(settings: &RuleSettings, is_wanted: &dyn Fn(&Rule) -> bool) -> Arc<[&'static Rule]> {
    let is_off = |rule: &&Rule| (settings.severity(rule).is_none() && !may_reject(rule)) || !is_wanted(rule);
    let rules = FAMILIES.iter().flat_map(|family| family.rules).copied();
    rules.filter(is_off).collect()
}

/// True if a finding of the rule can make the engine reject a program. Settings cannot disable such
/// a check.
pub(crate) fn may_reject(rule: &Rule) -> bool {
    matches!(rule.engine, Some(EngineOutcome::Rejects | EngineOutcome::Depends))
}

fn is_undeclared((.., finding): &Located) -> bool {
    finding.rule.name == UNDECLARED_HEAD
}

fn indices(program: &Program, is_one: impl Fn(&FileSummary) -> bool) -> BTreeSet<u32> {
    (0u32..).zip(program.files.iter()).filter(|(_, file)| is_one(file)).map(|(at, _)| at).collect()
}

fn set(indices: &mut BTreeSet<u32>, at: u32, is_one: bool) {
    if is_one {
        indices.insert(at)
    } else {
        indices.remove(&at)
    };
}
