//! What the rules of a predicate that feeds prompts lack to give a text to a shard: for each rule the pattern of its
//! lines, and the premise that fails, within rules down to the fact that is missing.

use rustc_hash::FxHashMap;

use super::pattern::{HeadPattern, VariableMatch};
use super::{Common, PreviewedPrompt};
use crate::assembly::INJECTED;
use mangle_engine::kernel::{Datum, Gap, Obstacle, Restriction, RuleId, ValueId, Values};
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::text::Symbol;

/// How many values that contain a text are tried out.
const MOST_VALUES: usize = 5;

/// How many lines that a rule gives instead are shown.
const MOST_LINES: usize = 3;

/// Why a rule did not give a text.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleAbsence {
    /// The rule whose body has no solution.
    pub rule: RuleId,
    /// The pattern of its lines.
    pub pattern: String,
    /// Whether the text may be one of its lines.
    pub is_alike: bool,
    /// Why it did not give the text.
    pub why: RuleAbsenceReason,
}

/// Why a rule did not give a text.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleAbsenceReason {
    /// It gives the shard other lines, the first of them these.
    Others(Vec<String>),
    /// It gives lines for another shard.
    OtherShard(String),
    /// Something is missing.
    Lacks(Box<Gap>),
}

/// The gaps of all rules for one key and one text.
type Cache = FxHashMap<(ValueId, Option<ValueId>), Vec<Gap>>;

impl Common {
    /// Why no rule gives a line with a text to a shard; first the rules whose lines are like it.
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

    /// What each rule lacks to inject anything for the shard of a prompt; rules that inject for another shard are left out.
    pub(crate) fn gaps_of_shard(&self, shown: &mut PreviewedPrompt) -> Vec<(RuleId, Gap)> {
        let shard = shown.wanted.context.shard_id.clone();
        let all = self.rule_absences(shown, &shard, "", 0).into_iter();
        let mut gaps: Vec<_> = all
            .filter_map(|absence| match absence.why {
                RuleAbsenceReason::Lacks(gap) => Some((absence.rule, *gap)),
                RuleAbsenceReason::Others(_) | RuleAbsenceReason::OtherShard(_) => None,
            })
            .collect();
        gaps.sort_by_key(|(rule, _)| *rule);
        gaps
    }

    /// The first arguments that reach a shard.
    fn keys(&self, shown: &mut PreviewedPrompt, shard: &str) -> Vec<ValueId> {
        let is_own = shard == shown.wanted.context.shard_id;
        let name = shown.derived.shard_id.clone();
        let is_compiled = is_own && shown.is_compiled();
        let values = &mut shown.kernel.model_mut().values;
        let mut keys =
            vec![values.string(shard), values.string("*"), values.name("/_all"), values.string("/_all")];
        if is_compiled {
            // The prompt compiler compares without a `/` in front, and takes the name without its number, too.
            for word in [shard, &name].into_iter().filter(|word| !word.is_empty()) {
                keys.push(values.string(word));
                keys.push(values.name(&format!("/{word}")));
                keys.push(values.string(&format!("/{word}")));
            }
        }
        keys
    }

    /// The pattern of the lines of a rule.
    fn pattern(&self, rule: RuleId) -> Option<HeadPattern> {
        let rule = self.compiled.rule(rule)?;
        let file = self.evaluated.file(rule.file)?;
        HeadPattern::of(file, file.items.get(rule.item as usize)?, 1)
    }
}

fn injected() -> PredicateKey {
    PredicateKey { name: Symbol::new(INJECTED), arity: 2 }
}

/// The shortest strings among values that contain a text.
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
    with_text.truncate(MOST_VALUES);
    with_text.into_iter().map(|(_, id)| id).collect()
}

/// A search for what the rules of a predicate lack.
struct Search<'s> {
    common: &'s Common,
    shown: &'s mut PreviewedPrompt,
    predicate: PredicateId,
    keys: Vec<ValueId>,
    depth: usize,
    cache: Cache,
}

impl Search<'_> {
    /// Why a rule does not give a text, and how like its lines are to it.
    fn absence(&mut self, rule: RuleId, text: &str, values: &[ValueId]) -> Option<(usize, RuleAbsence)> {
        let pattern = self.common.pattern(rule)?;
        let texts: Vec<Option<ValueId>> = match pattern.is_variable() && !text.is_empty() {
            true if values.is_empty() => vec![Some(self.shown.kernel.model_mut().values.string(text))],
            true => values.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let is_held = texts != [None] && !values.is_empty();
        let tried = texts.into_iter().map(|text| (self.gap(rule, text), text));
        // The text that gets furthest is the one that the rule could give.
        let (why, _) = tried.max_by_key(|(why, _)| progress(why))?;
        let likeness = match is_held && progress(&why) > 1 {
            true => text.len(),
            false => pattern.likeness(text),
        };
        // What the text has in place of its variables says more than what they hold in other lines.
        let bound = match why {
            RuleAbsenceReason::OtherShard(_) => None,
            _ => self.bound(rule, &pattern.holes(text)),
        };
        let why = match (why, bound) {
            (why, None) => why,
            // The end of a text may be a part of the name of this shard.
            (why @ RuleAbsenceReason::Lacks(_), Some(RuleAbsenceReason::OtherShard(_))) => why,
            (_, Some(bound)) => bound,
        };
        let (pattern, is_alike) = (pattern.to_string(), likeness > 0);
        Some((likeness, RuleAbsence { rule, pattern, is_alike, why }))
    }

    /// What a rule lacks to give a text (`None`: any) under one of the keys.
    fn gap(&mut self, rule: RuleId, text: Option<ValueId>) -> RuleAbsenceReason {
        let mut other = None;
        for key in self.keys.clone() {
            let gaps = self.gaps(key, text);
            let Some(gap) = gaps.iter().find(|gap| gap.miss.rule == rule) else {
                return RuleAbsenceReason::Others(self.lines(rule));
            };
            match &gap.miss.obstacle {
                Obstacle::Head { argument: 0, has } => other = other.or_else(|| Some(has.clone())),
                _ => return RuleAbsenceReason::Lacks(Box::new(gap.clone())),
            }
        }
        RuleAbsenceReason::OtherShard(other.unwrap_or_default())
    }

    /// What stops a rule under one of the keys when its variables hold what a text has in their place.
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
            let (plans, model) = ((&*common.compiled, common.settings.clock), self.shown.kernel.model_mut());
            // Under a key that nothing stops the text is one of its lines, or its variables do not make it.
            let gap = model.gap_of_rule(plans, rule, &wanted, &restrictions, depth)?;
            let why = match &gap.miss.obstacle {
                Obstacle::TooMany => return None,
                Obstacle::Head { argument: 0, has } => RuleAbsenceReason::OtherShard(has.clone()),
                _ => RuleAbsenceReason::Lacks(Box::new(gap)),
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

    /// The lines that a rule gives the shard.
    fn lines(&self, rule: RuleId) -> Vec<String> {
        let answers = self.common.facts(self.shown, INJECTED, 2).into_iter();
        let of_rule = answers.filter(|answer| answer.held.rule == rule);
        let lines = of_rule.filter_map(|answer| answer.text(1).map(str::to_owned));
        lines.take(MOST_LINES).collect()
    }
}

/// What a variable is to hold for a line to have a text in its place, whatever kind of value the text stands for.
fn restriction(values: &mut Values, hole: &VariableMatch) -> Restriction {
    let text = &hole.text;
    let name = text.starts_with('/').then(|| values.name(text));
    let number = text.parse().ok().map(|number| values.number(number));
    let all = [name, number, Some(values.string(text))];
    Restriction {
        variable: Symbol::new(&hole.name),
        values: all.into_iter().flatten().collect(),
        // What is cut may go on.
        part: hole.is_cut.then(|| text.clone()),
    }
}

/// How far a rule got: the number of the premise that failed, from 1.
fn progress(why: &RuleAbsenceReason) -> u32 {
    match why {
        RuleAbsenceReason::Others(_) => u32::MAX,
        RuleAbsenceReason::OtherShard(_) => 0,
        RuleAbsenceReason::Lacks(gap) => match &gap.miss.obstacle {
            Obstacle::Premise { premise, .. } => premise.saturating_add(1),
            Obstacle::Head { .. } => 0,
            Obstacle::Groups { .. } | Obstacle::TooMany => 1,
        },
    }
}
