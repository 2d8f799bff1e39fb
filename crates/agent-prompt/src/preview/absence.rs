//! Reasons why the rules of a prompt predicate do not produce a text for a shard.
//!
//! Each rule has the pattern of its lines and the failed premise. Failed premises are explained
//! recursively, down to the missing fact.

use rustc_hash::FxHashMap;

use super::pattern::{HeadPattern, VariableMatch};
use super::{PreviewState, PreviewedPrompt};
use crate::assembly::INJECTED;
use mangle_engine::kernel::{Datum, Gap, Obstacle, Restriction, RuleId, ValueId, Values};
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::text::Symbol;

/// The maximum number of values with the text to test.
const MAX_VALUES: usize = 5;

/// The maximum number of other lines of a rule to show.
const MAX_LINES: usize = 3;

/// A rule that did not produce a text, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleAbsence {
    /// The rule without a solution for the text.
    pub rule: RuleId,
    /// The text pattern of the lines of the rule.
    pub pattern: String,
    /// True if the text is similar to the lines of the rule.
    pub is_alike: bool,
    /// The reason.
    pub why: RuleAbsenceReason,
}

/// The reason why a rule did not produce a text.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleAbsenceReason {
    /// The rule produces other lines for the shard, for example these.
    OtherLines(Vec<String>),
    /// The rule produces lines for this other shard.
    OtherShard(String),
    /// A premise fails.
    FailedPremise(Box<Gap>),
}

type Cache = FxHashMap<(ValueId, Option<ValueId>), Vec<Gap>>;

impl PreviewState {
    /// The reasons why no rule produces a line with a text for a shard. Rules with similar lines
    /// come first.
    pub(super) fn rule_absences(
        &self,
        shown: &mut PreviewedPrompt,
        shard: &str,
        text: &str,
        depth: usize,
    ) -> Vec<RuleAbsence> {
        let Some(predicate) = self.evaluated.id(injected()) else { return Vec::new() };
        let values = containing(&shown.kernel.model().values, text);
        let keys = self.keys(shown, shard);
        let mut search = Search { common: self, shown, predicate, keys, depth, cache: Cache::default() };
        let rules = self.compiled.rules_of(predicate).into_iter();
        let mut all: Vec<(usize, RuleAbsence)> =
            rules.filter_map(|rule| search.absence(rule, text, &values)).collect();
        all.sort_by_key(|(likeness, _)| std::cmp::Reverse(*likeness));
        all.into_iter().map(|(_, absence)| absence).collect()
    }

    /// The gap of each rule that injects nothing for the shard of a prompt. Rules that inject for
    /// another shard are excluded.
    pub(crate) fn gaps_of_shard(&self, shown: &mut PreviewedPrompt) -> Vec<(RuleId, Gap)> {
        let shard = shown.request.context.shard_id.clone();
        let all = self.rule_absences(shown, &shard, "", 0).into_iter();
        let mut gaps: Vec<_> = all
            .filter_map(|absence| match absence.why {
                RuleAbsenceReason::FailedPremise(gap) => Some((absence.rule, *gap)),
                RuleAbsenceReason::OtherLines(_) | RuleAbsenceReason::OtherShard(_) => None,
            })
            .collect();
        gaps.sort_by_key(|(rule, _)| *rule);
        gaps
    }

    /// The first arguments that address a shard.
    fn keys(&self, shown: &mut PreviewedPrompt, shard: &str) -> Vec<ValueId> {
        let is_own = shard == shown.request.context.shard_id;
        let name = shown.derived.shard_id.clone();
        let is_compiled = is_own && shown.is_compiled();
        let values = &mut shown.kernel.model_mut().values;
        let mut keys =
            vec![values.string(shard), values.string("*"), values.name("/_all"), values.string("/_all")];
        if is_compiled {
            // The prompt compiler ignores a leading `/`, and also accepts the name without the
            // instance number.
            for word in [shard, &name].into_iter().filter(|word| !word.is_empty()) {
                keys.push(values.string(word));
                keys.push(values.name(&format!("/{word}")));
                keys.push(values.string(&format!("/{word}")));
            }
        }
        keys
    }

    /// The text pattern of the lines of a rule.
    fn pattern(&self, rule: RuleId) -> Option<HeadPattern> {
        let rule = self.compiled.rule(rule)?;
        let file = self.evaluated.file(rule.file)?;
        HeadPattern::from_item(file, file.items.get(rule.item as usize)?, 1)
    }
}

fn injected() -> PredicateKey {
    PredicateKey { name: Symbol::new(INJECTED), arity: 2 }
}

/// The shortest string values that contain a text.
fn containing(values: &Values, text: &str) -> Vec<ValueId> {
    if text.is_empty() {
        return Vec::new();
    }
    let all = (0..u32::try_from(values.len()).unwrap_or(u32::MAX)).map(ValueId);
    let with_text = all.filter_map(|id| match values.get(id) {
        Datum::String(found) if found.contains(text) => Some((found.len(), id)),
        _ => None,
    });
    let mut with_text: Vec<_> = with_text.collect();
    with_text.sort_unstable();
    with_text.truncate(MAX_VALUES);
    with_text.into_iter().map(|(_, id)| id).collect()
}

struct Search<'s> {
    common: &'s PreviewState,
    shown: &'s mut PreviewedPrompt,
    predicate: PredicateId,
    keys: Vec<ValueId>,
    depth: usize,
    cache: Cache,
}

impl Search<'_> {
    /// The reason why a rule does not produce a text, with the similarity of its lines to the text.
    fn absence(&mut self, rule: RuleId, text: &str, values: &[ValueId]) -> Option<(usize, RuleAbsence)> {
        let pattern = self.common.pattern(rule)?;
        let texts: Vec<Option<ValueId>> = match pattern.is_variable() && !text.is_empty() {
            true if values.is_empty() => vec![Some(self.shown.kernel.model_mut().values.string(text))],
            true => values.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let is_held = texts != [None] && !values.is_empty();
        let tried = texts.into_iter().map(|text| (self.gap(rule, text), text));
        // The candidate text that satisfies the most premises is the most plausible one.
        let (why, _) = tried.max_by_key(|(why, _)| progress(why))?;
        let likeness = match is_held && progress(&why) > 1 {
            true => text.len(),
            false => pattern.likeness(text),
        };
        // Values that the text assigns to variables explain more than values in other lines.
        let bound = match why {
            RuleAbsenceReason::OtherShard(_) => None,
            _ => self.bound(rule, &pattern.holes(text)),
        };
        let why = match (why, bound) {
            (why, None) => why,
            // The end of the text can be part of the name of this shard.
            (why @ RuleAbsenceReason::FailedPremise(_), Some(RuleAbsenceReason::OtherShard(_))) => why,
            (_, Some(bound)) => bound,
        };
        let (pattern, is_alike) = (pattern.to_string(), likeness > 0);
        Some((likeness, RuleAbsence { rule, pattern, is_alike, why }))
    }

    /// The reason why a rule does not produce a text (`None`: any text) under one of the keys.
    fn gap(&mut self, rule: RuleId, text: Option<ValueId>) -> RuleAbsenceReason {
        let mut other = None;
        for key in self.keys.clone() {
            let gaps = self.gaps(key, text);
            let Some(gap) = gaps.iter().find(|gap| gap.miss.rule == rule) else {
                return RuleAbsenceReason::OtherLines(self.lines(rule));
            };
            match &gap.miss.obstacle {
                Obstacle::Head { argument: 0, has } => other = other.or_else(|| Some(has.clone())),
                _ => return RuleAbsenceReason::FailedPremise(Box::new(gap.clone())),
            }
        }
        RuleAbsenceReason::OtherShard(other.unwrap_or_default())
    }

    /// The failed premise of a rule if its variables have the values from a text.
    fn bound(&mut self, rule: RuleId, holes: &[VariableMatch]) -> Option<RuleAbsenceReason> {
        if holes.is_empty() {
            return None;
        }
        let (common, depth) = (self.common, self.depth);
        let model = self.shown.kernel.model_mut();
        let restrictions: Vec<Restriction> =
            holes.iter().map(|hole| restriction(&mut model.values, hole)).collect();
        let mut furthest: Option<RuleAbsenceReason> = None;
        for key in &self.keys {
            let wanted = [Some(*key), None];
            let (compiled, clock, model) =
                (&*common.compiled, common.settings.clock, self.shown.kernel.model_mut());
            // If no premise fails under a key, the text is already a line, or its variables do not
            // produce it.
            let gap = model.gap_of_rule(compiled, clock, rule, &wanted, &restrictions, depth)?;
            let why = match &gap.miss.obstacle {
                Obstacle::TooMany => return None,
                Obstacle::Head { argument: 0, has } => RuleAbsenceReason::OtherShard(has.clone()),
                _ => RuleAbsenceReason::FailedPremise(Box::new(gap)),
            };
            if furthest.as_ref().is_none_or(|before| progress(before) < progress(&why)) {
                furthest = Some(why);
            }
        }
        furthest
    }

    fn gaps(&mut self, key: ValueId, text: Option<ValueId>) -> &[Gap] {
        let (common, shown) = (self.common, &mut *self.shown);
        let (predicate, depth) = (self.predicate, self.depth);
        self.cache.entry((key, text)).or_insert_with(|| {
            let model = shown.kernel.model_mut();
            model.gaps(&common.compiled, common.settings.clock, predicate, &[Some(key), text], depth)
        })
    }

    /// The lines that a rule produces for the shard.
    fn lines(&self, rule: RuleId) -> Vec<String> {
        let answers = self.common.facts(self.shown, INJECTED, 2).into_iter();
        let of_rule = answers.filter(|answer| answer.origin.rule == rule);
        let lines = of_rule.filter_map(|answer| answer.text(1).map(str::to_owned));
        lines.take(MAX_LINES).collect()
    }
}

/// The restriction of a variable to the values that a piece of text can stand for: a name, a number
/// or a string.
fn restriction(values: &mut Values, hole: &VariableMatch) -> Restriction {
    let text = &hole.text;
    let name = text.starts_with('/').then(|| values.name(text));
    let number = text.parse().ok().map(|number| values.number(number));
    let all = [name, number, Some(values.string(text))];
    Restriction {
        variable: Symbol::new(&hole.name),
        values: all.into_iter().flatten().collect(),
        // A truncated value can continue.
        part: hole.is_cut.then(|| text.clone()),
    }
}

/// The number of the failed premise, from 1, as a measure of progress.
fn progress(why: &RuleAbsenceReason) -> u32 {
    match why {
        RuleAbsenceReason::OtherLines(_) => u32::MAX,
        RuleAbsenceReason::OtherShard(_) => 0,
        RuleAbsenceReason::FailedPremise(gap) => match &gap.miss.obstacle {
            Obstacle::Premise { premise, .. } => premise.saturating_add(1),
            Obstacle::Head { .. } => 0,
            Obstacle::Groups { .. } | Obstacle::TooMany => 1,
        },
    }
}
