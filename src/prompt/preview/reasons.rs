//! Why a line is in a prompt, and why a text is not.

use super::places::line_of;
use super::{Common, Shown};
use crate::kernel::{Miss, Proof, RuleId};
use crate::program::{PredicateId, PredicateKey};
use crate::prompt::answers::{Answer, Arg, KernelAnswers, Querier};
use crate::prompt::assembly::{INJECTED, is_for};
use crate::prompt::origin::{Held, HeldKind, Origin};
use crate::text::{FileId, Symbol};

/// How many ways in which a fact follows are given.
pub const MOST_PROOFS: usize = 8;

/// A score that a context atom has to be above to be injected, in the runtime's policy.
pub(in crate::prompt) const THRESHOLD: i64 = 50;

/// The predicate of context atoms with their scores.
pub(in crate::prompt) const SCORED: &str = "shard_context_atom";

/// Why a line is there: its index in the prompt and the ways in which its fact follows.
#[derive(Debug, Clone)]
pub struct Why {
    /// The index of its section.
    pub section: usize,
    /// Its index in the section.
    pub line: usize,
    /// The ways in which its fact follows; empty for a line that comes from no fact.
    pub proofs: Vec<Proof>,
}

/// Why a text is not in a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum WhyNot {
    /// It is there.
    Shown,
    /// Facts have it for others.
    WrongKey {
        /// The keys that they have.
        keys: Vec<String>,
        /// The keys that reach the shard.
        wanted: Vec<String>,
    },
    /// It has scores, and none is above the threshold of the policy.
    BelowThreshold(Vec<i64>),
    /// The prompt has no section that would show it.
    NotInMode,
    /// The prompt compiler leaves out the atom that it is in: why, in words.
    Dropped(String),
    /// It does not follow: what each rule lacks.
    NotDerived(Vec<Miss>),
}

impl Common {
    /// The ways in which a fact follows, the first one first, no more than `most`.
    #[must_use]
    pub fn proofs(&self, shown: &mut Shown, held: &Held, most: usize) -> Vec<Proof> {
        let Some((predicate, number)) = held.key else { return Vec::new() };
        if held.kind != HeldKind::Derived {
            return Vec::new();
        }
        let (compiled, clock) = (&self.compiled, self.settings.clock);
        let model = shown.kernel.model_mut();
        let mut all = vec![model.explain(compiled, clock, predicate, number)];
        if most > 1 {
            all.extend(model.other_proofs(compiled, clock, predicate, number, most - 1));
        }
        all
    }

    /// The lines that contain a text, each with the ways in which it follows.
    #[must_use]
    pub fn why(&self, shown: &mut Shown, text: &str) -> Vec<Why> {
        let mut found = Vec::new();
        for (at, section) in shown.prompt.sections.iter().enumerate() {
            let lines = section.lines.iter().enumerate().filter(|(_, line)| line.text.contains(text));
            found.extend(lines.map(|(line, of)| (at, line, of.origin.clone())));
        }
        let why = |(section, line, origin)| {
            let proofs = match &origin {
                crate::prompt::Origin::Fact(held) => self.proofs(shown, held, MOST_PROOFS),
                _ => Vec::new(),
            };
            Why { section, line, proofs }
        };
        found.into_iter().map(why).collect()
    }

    /// Why a context atom is not in the prompt of a shard.
    #[must_use]
    pub fn why_not(&self, shown: &mut Shown, shard: &str, atom: &str) -> WhyNot {
        let injected = self.facts(shown, INJECTED, 2);
        let of_text = |answers: &[Answer]| -> Vec<Answer> {
            answers.iter().filter(|answer| answer.text(1) == Some(atom)).cloned().collect()
        };
        let with_text = of_text(&injected);
        let is_own = shard == shown.wanted.context.shard_id;
        let takes = |key: &str| is_for(key, shard) || (is_own && shown.takes(key));
        let is_meant = |answer: &&Answer| answer.text(0).is_some_and(takes);
        if let Some(answer) = with_text.iter().find(is_meant) {
            let is_it =
                |origin: &Origin| matches!(origin, Origin::Fact(held) if held.fact == answer.held.fact);
            let is_there = shown.prompt.lines().any(|(_, line)| is_it(&line.origin));
            return match shown.prompt.compilation.as_ref().and_then(|made| made.dropped_context()) {
                _ if is_there => WhyNot::Shown,
                Some(reason) => WhyNot::Dropped(reason.words()),
                None => WhyNot::NotInMode,
            };
        }
        let mut keys: Vec<String> =
            with_text.iter().filter_map(|answer| answer.text(0).map(String::from)).collect();
        let scored = of_text(&self.facts(shown, SCORED, 3));
        let scores = scored.iter().filter(is_meant);
        let scores: Vec<i64> = scores
            .filter_map(|answer| match answer.args.get(2) {
                Some(Arg::Number(score)) => Some(*score),
                _ => None,
            })
            .collect();
        if !scores.is_empty() && scores.iter().all(|score| *score <= THRESHOLD) {
            return WhyNot::BelowThreshold(scores);
        }
        if !keys.is_empty() {
            keys.dedup();
            let name = is_own.then_some(&shown.derived.shard_id).filter(|name| *name != shard);
            let name = name.filter(|_| shown.is_compiled()).cloned();
            let wanted =
                [shard.to_owned()].into_iter().chain(name).chain(["*".to_owned(), "/_all".to_owned()]);
            return WhyNot::WrongKey { keys, wanted: wanted.collect() };
        }
        WhyNot::NotDerived(self.misses(shown, shard, atom))
    }

    /// The facts that a query finds for a shard.
    pub(in crate::prompt) fn facts(&self, shown: &Shown, predicate: &str, least: usize) -> Vec<Answer> {
        let (program, model) = (&self.evaluated, shown.kernel.model());
        let mut querier =
            KernelAnswers::new(program, &self.compiled, model, &shown.marks, self.settings.order);
        querier.query(predicate, least).unwrap_or_default()
    }

    /// What each rule lacks to inject a text for a shard.
    fn misses(&self, shown: &mut Shown, shard: &str, atom: &str) -> Vec<Miss> {
        let Some(predicate) = self.injected() else { return Vec::new() };
        let model = shown.kernel.model_mut();
        let wanted = [Some(model.values.string(shard)), Some(model.values.string(atom))];
        model.why_not(&self.compiled, self.settings.clock, predicate, &wanted)
    }

    /// What each rule lacks to inject anything for a shard.
    pub(in crate::prompt) fn misses_of_shard(&self, shown: &mut Shown) -> Vec<Miss> {
        let Some(predicate) = self.injected() else { return Vec::new() };
        let model = shown.kernel.model_mut();
        let wanted = [Some(model.values.string(&shown.wanted.context.shard_id)), None];
        model.why_not(&self.compiled, self.settings.clock, predicate, &wanted)
    }

    fn injected(&self) -> Option<PredicateId> {
        self.evaluated.id(PredicateKey { name: Symbol::new(INJECTED), arity: 2 })
    }

    /// File and line of a clause, counted from 1; `None` for what no clause gave.
    #[must_use]
    pub fn line_of_rule(&self, rule: RuleId) -> Option<(FileId, usize)> {
        let (file, range) = self.place_of_rule(rule, None)?;
        Some((file, line_of(&self.current, file, range)))
    }
}
