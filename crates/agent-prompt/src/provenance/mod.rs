//! What feeds prompts: for each line of a prompt the clauses, session values and atoms that it comes from, and for each
//! fact that a prompt might show whether it does, and if not, why. Kept beside a preview, to be looked up from the places
//! where these stand.
//!
//! Takes a [`Preview`]; gives [`Provenance`], which needs no kernel any more. Clauses are known by their file and what they say,
//! so that it stays right wherever they stand by then.

mod atoms;
mod facts;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use super::origin::{FactOrigin, FactOriginKind, LineOrigin};
use super::preview::{Common, OriginPlace, Preview, PreviewedPrompt, SCORED};
use super::sections::SectionSource;
use mangle_engine::kernel::RuleId;
use mangle_engine::program::{PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, Symbol, TextRange};
use piggyback::transcript::Limits;

pub use atoms::{AtomOutcome, AtomProvenance, SelectorProvenance};
pub use facts::{FactProvenance, OmissionReason};

/// How many lines of a prompt are traced through the rules.
const MOST_TRACED: usize = 400;

/// How many ways in which a line follows are looked at.
const MOST_WAYS: usize = 3;

/// A clause: its file, and what tells its statement from others.
pub type ClauseId = (FileId, u64);

/// The prompts of a sample kernel, and what feeds them.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// One entry for each prompt that the kernel asks for.
    pub prompts: Vec<PromptProvenance>,
    /// The predicates that prompts read, and those that their facts come from.
    pub feeding: FxHashSet<PredicateKey>,
}

/// What one prompt of a sample kernel is made of.
#[derive(Debug, Clone, Default)]
pub struct PromptProvenance {
    /// What it is called.
    pub name: String,
    /// The id of its shard, and its type.
    pub shard: (String, String),
    /// How it is assembled: `legacy`, `section`, `jit`.
    pub mode: &'static str,
    /// What each of its sections is called: `context`, `session`, …
    pub sections: Vec<String>,
    /// The lines of all sections, in the order of the prompt.
    pub lines: Vec<LineProvenance>,
    /// How many tokens it has.
    pub tokens: usize,
    /// How many tokens the prompt compiler may give it.
    pub available: u32,
    /// The limits of shards, where the agent has a configuration of its own.
    pub limits: Option<Arc<Limits>>,
    /// Who gave its base: `kernel`, `builtin`, …, and the name of the text. `None` where it has none.
    pub base: Option<(&'static str, Option<String>)>,
    /// The facts that it might show.
    pub facts: Vec<FactProvenance>,
    /// What became of the atoms, where it is compiled of some.
    pub atoms: Vec<AtomProvenance>,
    /// What `{{name}}` stands for, by name.
    pub placeholders: Vec<(&'static str, String)>,
}

/// A line of a prompt.
#[derive(Debug, Clone, Default)]
pub struct LineProvenance {
    /// The index of its section.
    pub section: usize,
    /// The line. It may hold line ends.
    pub text: String,
    /// How many tokens it has.
    pub tokens: usize,
    /// The clauses that it follows from, those of facts included.
    pub clauses: Vec<ClauseId>,
    /// The predicates of these.
    pub predicates: Vec<PredicateKey>,
    /// Where its words stand that no clause gave: in a session file, a file of atoms, the header of the kernel.
    pub place: Option<(FileId, TextRange)>,
}

/// The predicates whose facts prompts show, and the one that the runtime's policy injects from; with the number of
/// arguments that are read.
#[must_use]
pub fn is_read(key: PredicateKey) -> bool {
    READ.contains(&key.name.as_str())
}

/// Whether facts of a predicate are the templates of shards.
#[must_use]
pub fn is_template(key: PredicateKey) -> bool {
    key.name.as_str() == TEMPLATES
}

const READ: [&str; 4] = [INJECTED, KNOWLEDGE, TEMPLATES, SCORED];

impl Preview {
    /// What feeds its prompts. `sessions`: the session file of each.
    #[must_use]
    pub fn provenance(&mut self, sessions: &[Option<FileId>]) -> Provenance {
        let (common, shown) = self.parts();
        let sessions = sessions.iter().copied().chain(std::iter::repeat(None));
        let prompts = shown.iter_mut().zip(sessions).map(|(shown, session)| prompt(common, shown, session));
        Provenance { prompts: prompts.collect(), feeding: feeding(common.program()) }
    }
}

fn prompt(common: &Common, shown: &mut PreviewedPrompt, session: Option<FileId>) -> PromptProvenance {
    let estimator = common.settings().estimator;
    let all: Vec<_> = shown.prompt.lines().map(|(section, line)| (section, line.clone())).collect();
    let mut traced = 0;
    let lines = all.into_iter().map(|(section, line)| {
        let mut provenance =
            LineProvenance { section, tokens: estimator.count(&line.text), ..LineProvenance::default() };
        if let LineOrigin::Fact(held) = &line.origin {
            traced += 1;
            if traced <= MOST_TRACED {
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
        name: shown.wanted.name.clone(),
        shard: (shown.wanted.context.shard_id.clone(), shown.wanted.context.shard_type.clone()),
        mode: shown.wanted.part.word().unwrap_or(shown.prompt.mode.as_str()),
        sections: shown.prompt.sections.iter().map(|section| section.kind.as_str().to_owned()).collect(),
        tokens: estimator.count(&shown.prompt.text()),
        available: shown.derived.available(),
        limits: shown.wanted.limits.clone(),
        base: base.map(|section| name(&section.from)),
        facts: facts::facts(common, shown, &lines),
        atoms: atoms::atoms(shown),
        placeholders: super::jit::placeholder_values(&shown.derived),
        lines,
    }
}

/// Notes the clauses that a fact follows from, and the predicates.
fn trace(common: &Common, shown: &mut PreviewedPrompt, held: &FactOrigin, provenance: &mut LineProvenance) {
    let mut facts = vec![(held.fact.clone(), held.rule)];
    if held.kind == FactOriginKind::Derived {
        for proof in common.proofs(shown, held, MOST_WAYS) {
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
            // What the preview added stands nowhere.
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

impl Common {
    /// The clause that gave a fact, as the statement that it is by now.
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

/// The predicates that prompts read, and those that their facts come from.
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
