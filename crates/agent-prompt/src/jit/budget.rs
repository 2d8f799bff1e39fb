//! Order and budget of the chosen atoms.
//!
//! Dependencies determine the order (Kahn's algorithm). Among the ready atoms, mandatory atoms come
//! first, then higher scores. The budget has a share for each category, then the remaining tokens.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rustc_hash::FxHashMap;

use super::atom::{Category, CategoryClass, PromptAtom, Variant};
use super::select::{OrderedScore, ScoredAtom};
use crate::context::{DerivedContext, folded};

/// The available tokens that the runtime keeps free.
const HEADROOM: i64 = 500;

/// The available tokens if the context has no valid budget.
pub(super) const DEFAULT: i64 = 200_000;

/// An atom that fits into the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FittedAtom {
    pub(super) selection: ScoredAtom,
    /// The position in the dependency order.
    pub(super) order: usize,
    /// The variant that the budget uses.
    pub(super) variant: Variant,
    pub(super) tokens: i64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct BudgetFit {
    /// Sorted by [`FittedAtom::order`].
    pub(super) fitted: Vec<FittedAtom>,
    pub(super) left_out: Vec<ScoredAtom>,
    /// The number of usable tokens.
    pub(super) usable: i64,
    /// The number of tokens of mandatory atoms.
    pub(super) mandatory: i64,
    /// The maximum deviation of a category share between runs of the runtime, in tokens.
    pub(super) deviation: i64,
}

/// Fits ordered atoms into a budget.
///
/// # Errors
///
/// If the budget does not exceed [`HEADROOM`].
pub(super) fn fit(
    atoms: &[&PromptAtom],
    ordered: &[ScoredAtom],
    available: i64,
) -> Result<BudgetFit, String> {
    if ordered.is_empty() {
        return Ok(BudgetFit::default());
    }
    let usable = available - HEADROOM;
    if usable <= 0 {
        return Err(format!("total budget {available} is less than reserved headroom {HEADROOM}"));
    }
    let mut by_category: BTreeMap<(CategoryClass, &str), Vec<(usize, ScoredAtom)>> = BTreeMap::new();
    for (order, chosen) in ordered.iter().enumerate() {
        if let Some(atom) = atoms.get(chosen.atom) {
            let key = (atom.category.share().class, atom.category.as_str());
            by_category.entry(key).or_default().push((order, *chosen));
        }
    }
    let present: Vec<Category> = by_category.keys().filter_map(|(_, name)| Category::parse(name)).collect();
    let parts = allocate(usable, &present);
    let mut fit =
        BudgetFit { usable, deviation: deviation(usable, &present, &parts), ..BudgetFit::default() };
    let mut left: Vec<(usize, ScoredAtom)> = Vec::new();
    for ((_, name), mut atoms_here) in by_category {
        atoms_here.sort_by_key(|(_, chosen)| std::cmp::Reverse(OrderedScore(chosen.score)));
        let part = Category::parse(name).and_then(|category| parts.get(&category)).copied().unwrap_or(0);
        fit.category(atoms, atoms_here, part, &mut left);
    }
    let used: i64 = fit.fitted.iter().map(|fitted| fitted.tokens).sum();
    fit.rest(atoms, left, usable - used);
    fit.fitted.sort_by_key(|fitted| fitted.order);
    Ok(fit)
}

impl BudgetFit {
    /// Takes all mandatory atoms of a category, and optional atoms within its share.
    fn category(
        &mut self,
        atoms: &[&PromptAtom],
        here: Vec<(usize, ScoredAtom)>,
        part: i64,
        left: &mut Vec<(usize, ScoredAtom)>,
    ) {
        let mut used = 0;
        for (order, chosen) in here {
            let Some(atom) = atoms.get(chosen.atom) else { continue };
            let fits = |(_, tokens): &(Variant, i64)| used + tokens <= part;
            let variant = if atom.is_mandatory {
                self.mandatory += atom.tokens;
                Some((Variant::Standard, atom.tokens))
            } else {
                atom.variants().find(fits)
            };
            match variant {
                Some((variant, tokens)) => {
                    used += tokens;
                    self.fitted.push(FittedAtom { selection: chosen, order, variant, tokens });
                }
                None => left.push((order, chosen)),
            }
        }
    }

    /// Fills the remaining tokens with the atoms that have the highest scores.
    fn rest(&mut self, atoms: &[&PromptAtom], mut left: Vec<(usize, ScoredAtom)>, mut remaining: i64) {
        left.sort_by_key(|(_, chosen)| std::cmp::Reverse(OrderedScore(chosen.score)));
        let has_room = remaining > 0;
        for (order, chosen) in left {
            let mut variants = atoms.get(chosen.atom).into_iter().flat_map(|atom| atom.variants());
            match variants.find(|(_, tokens)| has_room && *tokens <= remaining) {
                Some((variant, tokens)) => {
                    remaining -= tokens;
                    self.fitted.push(FittedAtom { selection: chosen, order, variant, tokens });
                }
                None => self.left_out.push(chosen),
            }
        }
    }
}

/// The share of each category. Within a class, the runtime uses the order of a hash table; this
/// function sorts by name.
fn allocate(usable: i64, present: &[Category]) -> BTreeMap<Category, i64> {
    let mut parts = BTreeMap::new();
    let mut remaining = usable;
    for stage in 0..4 {
        let mut here: Vec<Category> =
            present.iter().copied().filter(|category| stage_of(*category) == stage).collect();
        here.sort_by_key(|category| category.as_str());
        for category in here {
            let part = part(category, usable, remaining);
            parts.insert(category, part);
            remaining -= part;
        }
    }
    parts
}

/// The stage of allocation. The last two classes share a stage.
fn stage_of(category: Category) -> usize {
    (category.share().class as usize).min(3)
}

fn part(category: Category, usable: i64, remaining: i64) -> i64 {
    let share = category.share();
    let of = match (share.class, remaining > 0) {
        (CategoryClass::Mandatory, _) => usable,
        (CategoryClass::Low | CategoryClass::Conditional, false) => return 0,
        (_, true) => remaining,
        (_, false) => 0,
    };
    // Same arithmetic as the runtime. Budgets are far below the limit of exact integers in floats.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    let part = (of as f64 * (share.percent / 100.0)) as i64;
    part.clamp(share.min_tokens, share.max_tokens)
}

/// The maximum difference between a share and the shares of the same category as the first or last
/// of its class.
fn deviation(usable: i64, present: &[Category], parts: &BTreeMap<Category, i64>) -> i64 {
    let mut largest = 0;
    for (&category, &given) in parts {
        let before = |other: &Category| stage_of(*other) < stage_of(category);
        let taken: i64 = parts.iter().filter(|(other, _)| before(other)).map(|(_, part)| part).sum();
        let first = part(category, usable, usable - taken);
        let beside = |other: &&Category| stage_of(**other) == stage_of(category) && **other != category;
        let mut remaining = usable - taken;
        for &other in present.iter().filter(beside) {
            remaining -= part(other, usable, remaining);
        }
        let last = part(category, usable, remaining);
        largest = largest.max((first - given).abs()).max((given - last).abs());
    }
    largest
}

/// The number of tokens available to the prompt.
///
/// # Errors
///
/// If the budget of the context is invalid.
pub(super) fn available(derived: &DerivedContext) -> Result<i64, String> {
    let (budget, reserved) = (i64::from(derived.token_budget), i64::from(derived.reserved));
    if budget == 0 {
        return Err(format!("invalid compilation context: token budget must be positive, got {budget}"));
    }
    if reserved >= budget {
        return Err(format!(
            "invalid compilation context: reserved tokens ({reserved}) must be less than budget ({budget})"
        ));
    }
    Ok(budget - reserved)
}

/// True if the compiler excludes the atom because the shard replies only with structured output.
pub(super) fn is_left_out(atom: &PromptAtom, derived: &DerivedContext) -> bool {
    let is_structured = matches!(&*folded(&derived.shard_type), "mangle_repair" | "legislator");
    let id = &atom.id.text;
    is_structured && (id.starts_with("protocol/piggyback/") || id.starts_with("protocol/reasoning/"))
}

/// Sorts atoms by dependency. Dependencies on absent atoms are ignored.
///
/// # Errors
///
/// If the dependencies have a cycle: its ids, with the first id repeated at the end.
pub(super) fn order(atoms: &[&PromptAtom], chosen: &[ScoredAtom]) -> Result<Vec<ScoredAtom>, Vec<String>> {
    let atom_of = |at: usize| chosen.get(at).and_then(|chosen| atoms.get(chosen.atom)).copied();
    let id_of = |at: usize| atom_of(at).map_or("", |atom| &*atom.id.text);
    // The runtime counts open dependencies by id. Atoms with the same id therefore share a counter,
    // and only the atom that brings it to zero is released.
    let mut open: FxHashMap<&str, usize> = FxHashMap::default();
    for at in 0..chosen.len() {
        open.entry(id_of(at)).or_default();
    }
    let mut dependents: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for at in 0..chosen.len() {
        for need in atom_of(at).into_iter().flat_map(|atom| &atom.depends_on) {
            if open.contains_key(&*need.text) {
                open.entry(id_of(at)).and_modify(|count| *count += 1);
                dependents.entry(&need.text).or_default().push(at);
            }
        }
    }
    let rank = |at: usize, arrival: usize| {
        let score = chosen.get(at).map_or(0.0, |chosen| chosen.score);
        (atom_of(at).is_some_and(|atom| atom.is_mandatory), OrderedScore(score), Reverse(arrival), at)
    };
    let mut arrivals = 0..;
    let mut ready: BinaryHeap<_> = (0..chosen.len())
        .filter(|&at| open.get(id_of(at)) == Some(&0))
        .zip(&mut arrivals)
        .map(|(at, n)| rank(at, n))
        .collect();
    let mut ordered = Vec::with_capacity(chosen.len());
    let mut is_done = vec![false; chosen.len()];
    while let Some((.., at)) = ready.pop() {
        ordered.extend(chosen.get(at));
        is_done.get_mut(at).into_iter().for_each(|done| *done = true);
        for &dependent in dependents.get(id_of(at)).into_iter().flatten() {
            let Some(count) = open.get_mut(id_of(dependent)) else { continue };
            *count = count.saturating_sub(1);
            if *count == 0 {
                ready.extend(arrivals.next().map(|arrival| rank(dependent, arrival)));
            }
        }
    }
    if ordered.len() == chosen.len() {
        return Ok(ordered);
    }
    let stuck: Vec<&PromptAtom> =
        (0..chosen.len()).filter(|&at| is_done.get(at) == Some(&false)).filter_map(atom_of).collect();
    Err(circle(&stuck))
}

/// The ids of a dependency cycle. If no cycle is found because atoms share an id, all remaining
/// ids.
fn circle(atoms: &[&PromptAtom]) -> Vec<String> {
    let by_id: FxHashMap<&str, &PromptAtom> = atoms.iter().map(|atom| (&*atom.id.text, *atom)).collect();
    let mut path: Vec<&str> = Vec::new();
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    // A stuck atom without stuck dependencies is not part of a cycle.
    for start in atoms {
        let mut at = *start;
        loop {
            if let Some(&first) = seen.get(&*at.id.text) {
                let on_path = path.get(first..).filter(|rest| rest.first() == Some(&&*at.id.text));
                if let Some(circle) = on_path {
                    return circle.iter().copied().chain([&*at.id.text]).map(str::to_owned).collect();
                }
                break;
            }
            seen.insert(&at.id.text, path.len());
            path.push(&at.id.text);
            match at.depends_on.iter().find_map(|need| by_id.get(&*need.text)) {
                Some(next) => at = next,
                None => break,
            }
        }
    }
    atoms.iter().map(|atom| atom.id.text.clone()).collect()
}
