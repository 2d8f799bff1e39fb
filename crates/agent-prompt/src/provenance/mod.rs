//! Provenance of prompts, for lookups from source files.
//!
//! Each line of a prompt has the clauses, session values and atoms that it comes from. Each fact
//! that a prompt can show has the reason for its omission, if any.
//!
//! [`Provenance`] is built from a [`Preview`] and needs no kernel. A clause is identified by its
//! file and the digest of its statement, so it is found after edits that move it.

mod atoms;
mod facts;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use super::origin::{FactOrigin, FactOriginKind, LineOrigin};
use super::preview::{OriginPlace, Preview, PreviewState, PreviewedPrompt, SCORED};
use super::sections::SectionSource;
use mangle_engine::kernel::RuleId;
use mangle_engine::program::{PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, Symbol, TextRange};
use piggyback::transcript::Limits;

pub use atoms::{AtomOutcome, AtomProvenance, SelectorProvenance};
pub use facts::{FactProvenance, OmissionReason};

/// The maximum number of lines of a prompt with traced derivations.
const MAX_TRACED: usize = 400;

/// The maximum number of proofs of a line.
const MAX_DERIVATIONS: usize = 3;

/// The id of a clause: its file, and the digest of its statement.
pub type ClauseId = (FileId, u64);

/// The prompts of a sample kernel with their provenance.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// One entry for each requested prompt.
    pub prompts: Vec<PromptProvenance>,
    /// The predicates that prompts query, and their dependencies.
    pub dependencies: FxHashSet<PredicateKey>,
}

/// The provenance of a prompt of a sample kernel.
#[derive(Debug, Clone, Default)]
pub struct PromptProvenance {
    /// The name of the preview.
    pub name: String,
    /// The id and the type of the shard.
    pub shard: (String, String),
    /// The assembly mode: `legacy`, `section`, `jit`.
    pub mode: &'static str,
    /// The names of the sections, for example `context`.
    pub sections: Vec<String>,
    /// The lines of all sections, in the order of the prompt.
    pub lines: Vec<LineProvenance>,
    /// The number of tokens of the prompt.
    pub tokens: usize,
    /// The number of tokens available to the prompt compiler.
    pub available: u32,
    /// The limits of shards, if the agent has its own configuration.
    pub limits: Option<Arc<Limits>>,
    /// The source of the base (`kernel`, `builtin`, …) and the name of the text. `None` without a
    /// base.
    pub base: Option<(&'static str, Option<String>)>,
    /// The facts that the prompt can show.
    pub facts: Vec<FactProvenance>,
    /// The outcomes of the atoms of a compiled prompt.
    pub atoms: Vec<AtomProvenance>,
    /// The value of each placeholder `{{name}}`, by name.
    pub placeholders: Vec<(&'static str, String)>,
}

/// A line of a prompt.
#[derive(Debug, Clone, Default)]
pub struct LineProvenance {
    /// The index of the section.
    pub section: usize,
    /// The text of the line, possibly with line ends.
    pub text: String,
    /// The number of tokens of the line.
    pub tokens: usize,
    /// The clauses of the derivation, including facts.
    pub clauses: Vec<ClauseId>,
    /// The predicates of these clauses.
    pub predicates: Vec<PredicateKey>,
    /// The source range of a line without clauses: in a session file, a file of atoms, or the
    /// header of the kernel.
    pub place: Option<(FileId, TextRange)>,
}

/// True for predicates whose facts prompts show, and for the source predicate of injections in the
/// policy of the runtime.
#[must_use]
pub fn is_read(key: PredicateKey) -> bool {
    READ.contains(&key.name.as_str())
}

/// True if the facts of a predicate are templates of shards.
#[must_use]
pub fn is_template(key: PredicateKey) -> bool {
    key.name.as_str() == TEMPLATES
}

const READ: [&str; 4] = [INJECTED, KNOWLEDGE, TEMPLATES, SCORED];

impl Preview {
    /// The provenance of the prompts. `sessions` has the session file of each prompt.
    #[must_use]
    pub fn provenance(&mut self, sessions: &[Option<FileId>]) -> Provenance {
        let (common, shown) = self.parts();
        let sessions = sessions.iter().copied().chain(std::iter::repeat(None));
        let prompts = shown.iter_mut().zip(sessions).map(|(shown, session)| prompt(common, shown, session));
        Provenance { prompts: prompts.collect(), dependencies: feeding(common.program()) }
    }
}

fn prompt(common: &PreviewState, shown: &mut PreviewedPrompt, session: Option<FileId>) -> PromptProvenance {
    let estimator = common.settings().estimator;
    let all: Vec<_> = shown.prompt.lines().map(|(section, line)| (section, line.clone())).collect();
    let mut traced = 0;
    let lines = all.into_iter().map(|(section, line)| {
        let mut provenance =
            LineProvenance { section, tokens: estimator.count(&line.text), ..LineProvenance::default() };
        if let LineOrigin::Fact(held) = &line.origin {
            traced += 1;
            if traced <= MAX_TRACED {
                trace(common, shown, held, &mut provenance);
            }
        } else {
            provenance.place = match common.place(shown, &line.origin) {
                Some(OriginPlace::File(file, range)) => Some((file, range)),
                Some(OriginPlace::Session(range)) => session.map(|file| (file, range)),
                Some(OriginPlace::Header(range)) => common.sample().map(|file| (file, range)),
                None => None,
            };
        }
        provenance.text = line.text;
        provenance
    });
    let lines: Vec<LineProvenance> = lines.collect();
    let base = shown.prompt.sections.iter().find(|section| section.kind.as_str() == "base");
    let name = |from: &SectionSource| (from.as_str(), from.name().map(str::to_owned));
    PromptProvenance {
        name: shown.request.name.clone(),
        shard: (shown.request.context.shard_id.clone(), shown.request.context.shard_type.clone()),
        mode: shown.request.part.word().unwrap_or(shown.prompt.mode.as_str()),
        sections: shown.prompt.sections.iter().map(|section| section.kind.as_str().to_owned()).collect(),
        tokens: estimator.count(&shown.prompt.text()),
        available: shown.derived.available(),
        limits: shown.request.limits.clone(),
        base: base.map(|section| name(&section.from)),
        facts: facts::facts(common, shown, &lines),
        atoms: atoms::atoms(shown),
        placeholders: super::jit::placeholder_values(&shown.derived),
        lines,
    }
}

/// Adds the clauses and predicates of the derivation of a fact.
fn trace(
    common: &PreviewState,
    shown: &mut PreviewedPrompt,
    held: &FactOrigin,
    provenance: &mut LineProvenance,
) {
    let mut facts = vec![(held.fact.clone(), held.rule)];
    if held.kind == FactOriginKind::Derived {
        for proof in common.proofs(shown, held, MAX_DERIVATIONS) {
            facts.extend(proof.nodes.into_iter().map(|node| (node.fact, node.rule)));
        }
    }
    facts.sort_unstable();
    facts.dedup();
    for (fact, rule) in facts {
        match common.clause_of(shown, &fact, rule) {
            Some((clause, predicate)) => {
                provenance.clauses.push(clause);
                provenance.predicates.push(predicate);
            }
            // A fact that the preview added has no source location.
            None if rule == RuleId::ASSERTED => {
                let name = fact.split_once('(').map_or(fact.as_str(), |(name, _)| name);
                let named = common.program().named(Symbol::new(name));
                provenance.predicates.extend(named.map(|predicate| predicate.key));
            }
            None => {}
        }
    }
    provenance.clauses.sort_unstable();
    provenance.clauses.dedup();
    provenance.predicates.sort_unstable();
    provenance.predicates.dedup();
}

impl PreviewState {
    /// The clause that derived a fact, as a current statement.
    fn clause_of(
        &self,
        shown: &PreviewedPrompt,
        fact: &str,
        rule: RuleId,
    ) -> Option<(ClauseId, PredicateKey)> {
        let (file, item): (_, &Item) = if rule == RuleId::ASSERTED {
            let (file, start) = self.place_of_asserted(shown, fact)?;
            let file = self.program().file(file)?;
            (file, file.items.iter().find(|item| item.start == start)?)
        } else {
            let (file, range) = self.range_of_rule(rule)?;
            let file = self.program().file(file)?;
            (file, file.items.get(file.item_at(range.start())?)?)
        };
        let clause = item.statement.clause()?;
        Some(((file.id, item.statement.digest), self.program().meaning(file, key_of(&clause.head))))
    }
}

/// The predicates that prompts query, and their dependencies.
fn feeding(program: &Program) -> FxHashSet<PredicateKey> {
    let graph = program.dependencies();
    let named = READ.iter().flat_map(|name| program.named(Symbol::new(name)));
    let mut queue: VecDeque<PredicateId> = named.filter_map(|predicate| program.id(predicate.key)).collect();
    let mut seen: FxHashSet<PredicateId> = queue.iter().copied().collect();
    while let Some(at) = queue.pop_front() {
        let next = graph.edges_from(at).iter().map(|edge| edge.to);
        queue.extend(next.filter(|to| seen.insert(*to)));
    }
    seen.into_iter().map(|id| program.get(id).key).collect()
}
