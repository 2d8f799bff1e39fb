//! Budget of the chosen atoms: a share for each category, then the remaining tokens.

use std::collections::BTreeMap;

use super::atom::{PromptAtom, Variant};
use super::category::{Category, CategoryClass};
use super::select::{OrderedScore, ScoredAtom};

/// The available tokens that the runtime keeps free.
pub(super) const HEADROOM: i64 = 500;

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
