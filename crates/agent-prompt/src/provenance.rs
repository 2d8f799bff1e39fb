//! Provenance of prompts, for lookups from source files.
//!
//! Each line of a prompt has the clauses, session values and atoms that it comes from. Each fact
//! that a prompt can show has the reason for its omission, if any.
//!
//! [`Provenance`] is built from a [`Preview`] and needs no kernel. A clause is identified by its
//! file and the digest of its statement, so it is found after edits that move it.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::answers::{Answer, Arg};
use super::assembly::{INJECTED, KNOWLEDGE, TEMPLATES, template_for};
use super::jit::{Dimension, Word, situation_values};
use super::origin::{FactOrigin, FactOriginKind, LineOrigin};
use super::preview::{OriginPlace, Preview, PreviewState, PreviewedPrompt, SCORED, THRESHOLD};
use super::sections::{Mode, SectionSource};
use mangle_engine::kernel::RuleId;
use mangle_engine::program::{PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, Symbol, TextRange};
use piggyback::transcript::Limits;

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
        facts: fact_provenance(common, shown, &lines),
        atoms: atom_provenance(shown),
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

/// A fact that a prompt can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactProvenance {
    /// The clause that first derived the fact; `None` for a fact that the preview added.
    pub clause: Option<ClauseId>,
    /// The reason for the omission; `None` if the prompt shows the fact.
    pub missing: Option<OmissionReason>,
}

/// The reason why a prompt omits a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OmissionReason {
    /// The fact has this key, which does not address the shard.
    Key(String),
    /// The fact has this score, which does not exceed the threshold.
    Score(i64),
    /// No rule injects the fact.
    NotInjected,
    /// The fact is a template for this other type of shard.
    Type(String),
    /// The fact is an unused template. An earlier template is used, or none because the first one
    /// is empty.
    OtherTemplate,
    /// The fact is specialist knowledge, and this mode shows only injected facts.
    NoKnowledge,
    /// The mode has no section for the fact.
    Mode,
    /// An argument is not a text, so the runtime skips the fact.
    Skipped,
}

/// The maximum number of facts per predicate.
const MAX_FACTS: usize = 2_000;

/// The facts that a prompt can show.
fn fact_provenance(
    common: &PreviewState,
    shown: &PreviewedPrompt,
    lines: &[LineProvenance],
) -> Vec<FactProvenance> {
    let mut all = Vec::new();
    for predicate in READ {
        let least = if matches!(predicate, KNOWLEDGE | SCORED) { 3 } else { 2 };
        for answer in common.facts(shown, predicate, least).into_iter().take(MAX_FACTS) {
            let clause = common.clause_of(shown, &answer.origin.fact, answer.origin.rule);
            let clause = clause.map(|(clause, _)| clause);
            let is_shown =
                clause.is_some_and(|clause| lines.iter().any(|line| line.clauses.contains(&clause)));
            let missing = if is_shown && is_in(&answer, lines) {
                None
            } else {
                omission_reason(shown, predicate, &answer)
            };
            all.push(FactProvenance { clause, missing });
        }
    }
    all
}

/// True if a line contains the text of a fact.
fn is_in(answer: &Answer, lines: &[LineProvenance]) -> bool {
    let texts: Vec<String> = answer.args.iter().skip(1).map(Arg::printed).collect();
    let mut texts = texts.iter().filter_map(|text| text.lines().next().filter(|text| !text.is_empty()));
    texts.any(|text| lines.iter().any(|line| line.text.contains(text)))
}

/// The effective mode of a prompt, after a fallback of the compiler.
fn effective_mode(shown: &PreviewedPrompt) -> Mode {
    match shown.prompt.mode {
        Mode::Jit if !shown.is_compiled() => Mode::Legacy,
        mode => mode,
    }
}

fn omission_reason(shown: &PreviewedPrompt, predicate: &str, answer: &Answer) -> Option<OmissionReason> {
    let (context, mode) = (&shown.request.context, effective_mode(shown));
    let is_read = |at: usize| mode == Mode::Jit || answer.text(at).is_some();
    let key = answer.args.first().filter(|_| is_read(0) && is_read(1)).map(Arg::printed);
    let Some(key) = key else { return Some(OmissionReason::Skipped) };
    Some(match predicate {
        TEMPLATES if template_for(answer, &context.shard_type, context.runtime).is_none() => {
            OmissionReason::Type(key)
        }
        TEMPLATES if mode != Mode::Legacy => OmissionReason::Mode,
        TEMPLATES => OmissionReason::OtherTemplate,
        _ if !shown.takes(&key) => OmissionReason::Key(key),
        SCORED => match answer.args.get(2).and_then(Arg::whole) {
            Some(score) if score <= THRESHOLD => OmissionReason::Score(score),
            _ => OmissionReason::NotInjected,
        },
        KNOWLEDGE if mode == Mode::Legacy => OmissionReason::NoKnowledge,
        _ => OmissionReason::Mode,
    })
}

/// A prompt atom of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct AtomProvenance {
    /// The file of the atom.
    pub file: FileId,
    /// The range of the atom in the file.
    pub range: TextRange,
    /// The id of the atom with its range.
    pub id: Word,
    /// The selector values of the atom.
    pub selectors: Vec<SelectorProvenance>,
    /// The outcome.
    pub outcome: AtomOutcome,
}

/// A selector value of an atom.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectorProvenance {
    /// The key of the selector.
    pub key: &'static str,
    /// The value with its range.
    pub word: Word,
    /// The values of the situation in this dimension.
    pub situation_values: Vec<String>,
}

/// The outcome of an atom.
#[derive(Debug, Clone, PartialEq)]
pub enum AtomOutcome {
    /// Included, at this position (from 1) and with this number of tokens.
    In(usize, usize),
    /// Excluded, for this reason.
    Out(String),
}

/// The outcomes of the atoms of a compiled prompt.
fn atom_provenance(shown: &PreviewedPrompt) -> Vec<AtomProvenance> {
    let Some(compilation) = &shown.prompt.compilation else { return Vec::new() };
    let manifest = &compilation.manifest;
    let fate = |id: &str| {
        let selected = manifest.selected.iter().position(|atom| atom.id == id);
        let tokens = |at: usize| manifest.selected.get(at).map_or(0, |atom| atom.tokens.1);
        match selected {
            Some(at) => AtomOutcome::In(at + 1, tokens(at)),
            None => {
                let dropped = manifest.dropped.iter().find(|atom| atom.id == id);
                AtomOutcome::Out(dropped.map_or_else(String::new, |atom| atom.reason.clone()))
            }
        }
    };
    let of = |atom: &std::sync::Arc<crate::jit::PromptAtom>| {
        let selectors = Dimension::ALL.into_iter().flat_map(|dimension| {
            let here = situation_values(&shown.derived, dimension);
            atom.selector(dimension).iter().map(move |word| SelectorProvenance {
                key: dimension.key(),
                word: word.clone(),
                situation_values: here.clone(),
            })
        });
        let selectors = selectors.collect();
        let (id, range) = (atom.id.clone(), atom.range);
        Some(AtomProvenance { file: atom.file?, range, outcome: fate(&id.text), id, selectors })
    };
    compilation.atoms.iter().filter_map(of).collect()
}
