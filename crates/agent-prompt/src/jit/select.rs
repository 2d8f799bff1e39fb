//! Selection of atoms: the rules of `jit_compiler.mg` in the reference runtime, as operations on
//! sets.
//!
//! The selection runs twice: first with the skeleton atoms, then with all atoms. If several atoms
//! share an id, the last one is printed; selectors, dependencies and conflicts of all of them
//! apply.

use rustc_hash::FxHashMap;

use super::atom::{Dimension, PromptAtom, Word};
use super::situation::{Residue, Situation};

/// The reason for the exclusion of an atom from a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExclusionReason {
    /// The selector of this dimension does not match the situation.
    Blocked(Dimension),
    /// The atom or one of its dependencies conflicts with this mandatory atom.
    Prohibited(String),
    /// The atom conflicts with this search hit, which is preferred.
    Suppressed(String),
    /// This dependency is not available.
    Invalid(String),
    /// The atom is not mandatory, not a dependency, and not a search hit.
    NotACandidate,
    /// The atom does not fit into the budget.
    Budget,
    /// The shard replies only with structured output, so the compiler excludes protocol atoms.
    StructuredOutput,
    /// An evolved atom is collected only if all its selectors match; this one does not.
    NotCollected(Dimension),
    /// The atom belongs to this other agent.
    OtherAgent(String),
    /// A later atom has the same id.
    Replaced,
}

impl ExclusionReason {
    /// The reason as text.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Blocked(dimension) => format!("blocked: no value of its `{}` holds here", dimension.key()),
            Self::Prohibited(by) => {
                format!("prohibited: it, or what it needs, conflicts with the mandatory `{by}`")
            }
            Self::Suppressed(by) => format!("suppressed: it conflicts with `{by}`, which the search prefers"),
            Self::Invalid(needs) => format!("invalid: it needs `{needs}`, which is not in"),
            Self::NotACandidate => {
                "not a candidate: not mandatory, not needed, not found by a search".to_owned()
            }
            Self::Budget => "budget: there is no room for it".to_owned(),
            Self::StructuredOutput => "left out: this shard answers with structured output alone".to_owned(),
            Self::NotCollected(dimension) => {
                format!("not collected: no value of its `{}` holds here", dimension.key())
            }
            Self::OtherAgent(agent) => format!("not collected: it is for shards called `{agent}`"),
            Self::Replaced => "replaced: a later atom has the same id".to_owned(),
        }
    }
}

/// An excluded atom with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// The index of the atom in the input.
    pub atom: usize,
    /// The reason for the exclusion.
    pub reason: ExclusionReason,
}

/// A selected atom with its scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoredAtom {
    /// The index of the atom in the input.
    pub(super) atom: usize,
    /// The score of the rules.
    pub(super) logic: f64,
    /// The score of the search.
    pub(super) vector: f64,
    /// The combined score.
    pub(super) score: f64,
}

/// The selected atoms, and the reasons for the exclusion of the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Selection {
    /// In the resolution order of dependencies.
    pub(super) chosen: Vec<ScoredAtom>,
    pub(super) dropped: Vec<Exclusion>,
    /// Pairs of conflicting search hits with scores that the engine of the runtime cannot compare.
    pub(super) compared: Vec<(usize, usize)>,
}

/// Selects atoms in a kernel with the residue of earlier selections.
///
/// # Errors
///
/// If no skeleton atom exists. The runtime reports this as a broken corpus.
pub(super) fn select(
    atoms: &[&PromptAtom],
    situation: &Situation,
    vectors: &FxHashMap<&str, f64>,
    left: &Residue,
) -> Result<Selection, String> {
    let is_skeleton = |atom: &PromptAtom| atom.category.is_skeleton();
    if !atoms.iter().any(|atom| is_skeleton(atom)) {
        return Err("CRITICAL: no skeleton atoms found in corpus".to_owned());
    }
    let found_before: FxHashMap<&str, f64> = left.vectors.iter().map(|(id, score)| (&**id, *score)).collect();
    let mut found = found_before.clone();
    for (&id, &score) in vectors {
        let best = found.entry(id).or_insert(score);
        *best = best.max(score);
    }
    let skeleton = Rules::new(atoms, situation, &found_before, left, is_skeleton);
    let all = Rules::new(atoms, situation, &found, left, |_| true);
    let mut selection = Selection { compared: all.compared(), ..Selection::default() };
    for (at, atom) in atoms.iter().enumerate() {
        let rules = if is_skeleton(atom) { &skeleton } else { &all };
        match rules.verdict(at, &atom.id.text) {
            None => selection.chosen.push(chosen(at, atom, vectors)),
            Some(reason) => selection.dropped.push(Exclusion { atom: at, reason }),
        }
    }
    selection.chosen.sort_by(|one, other| {
        let key = |chosen: &ScoredAtom| {
            let atom = atoms.get(chosen.atom);
            (
                atom.map(|atom| (!is_skeleton(atom), !atom.is_mandatory)),
                std::cmp::Reverse(OrderedScore(chosen.score)),
                atom.map(|atom| (std::cmp::Reverse(atom.priority), &atom.id.text)),
            )
        };
        key(one).cmp(&key(other))
    });
    Ok(selection)
}

fn chosen(at: usize, atom: &PromptAtom, vectors: &FxHashMap<&str, f64>) -> ScoredAtom {
    if atom.category.is_skeleton() {
        return ScoredAtom { atom: at, logic: 1.0, vector: 0.0, score: 1.0 };
    }
    let vector = vectors.get(&*atom.id.text).copied().unwrap_or(0.0);
    ScoredAtom { atom: at, logic: 1.0, vector, score: 0.7 + 0.3 * vector }
}

/// A score with a total order.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderedScore(pub(super) f64);

impl PartialEq for OrderedScore {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OrderedScore {}

impl PartialOrd for OrderedScore {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedScore {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The state of an id.
#[derive(Debug, Clone, Default)]
struct AtomState {
    /// The last atom with this id; `None` if the id is only referenced.
    atom: Option<usize>,
    is_mandatory: bool,
    blocked: Option<Dimension>,
    needs: Vec<usize>,
    conflicts: Vec<usize>,
    score: Option<f64>,
}

/// The rules applied to a set of atoms. All lists are indexed by id number.
struct Rules<'a> {
    ids: FxHashMap<&'a str, usize>,
    names: Vec<&'a str>,
    known: Vec<AtomState>,
    /// The mandatory atom that conflicts with the id or with one of its dependencies.
    prohibited: Vec<Option<usize>>,
    /// The search hit that is preferred to the id.
    suppressed: Vec<Option<usize>>,
    tentative: Vec<bool>,
    /// The missing dependency of the id.
    invalid: Vec<Option<usize>>,
}

impl<'a> Rules<'a> {
    fn new(
        atoms: &[&'a PromptAtom],
        situation: &Situation,
        vectors: &FxHashMap<&'a str, f64>,
        left: &'a Residue,
        counts: impl Fn(&PromptAtom) -> bool,
    ) -> Self {
        let mut rules = Self {
            ids: FxHashMap::default(),
            names: Vec::new(),
            known: Vec::new(),
            prohibited: Vec::new(),
            suppressed: Vec::new(),
            tentative: Vec::new(),
            invalid: Vec::new(),
        };
        let mut by_id: FxHashMap<usize, Vec<&PromptAtom>> = FxHashMap::default();
        let before = left.atoms.iter().map(|atom| (None, &**atom));
        let now = atoms.iter().enumerate().filter(|(_, atom)| counts(atom));
        for (at, atom) in before.chain(now.map(|(at, &atom)| (Some(at), atom))) {
            let id = rules.id(&atom.id.text);
            by_id.entry(id).or_default().push(atom);
            let words =
                |words: &'a [Word]| words.iter().map(|word| &*word.text).filter(|word| !word.is_empty());
            let needs: Vec<usize> = words(&atom.depends_on).map(|word| rules.id(word)).collect();
            let conflicts: Vec<usize> = words(&atom.conflicts_with).map(|word| rules.id(word)).collect();
            if let Some(known) = rules.known.get_mut(id) {
                known.atom = at.or(known.atom);
                known.is_mandatory |= atom.is_mandatory;
                known.needs.extend(needs);
                known.conflicts.extend(conflicts);
            }
        }
        for (&id, &score) in vectors {
            let id = rules.id(id);
            rules.known.get_mut(id).into_iter().for_each(|known| known.score = Some(score));
        }
        for (id, atoms) in by_id {
            let blocked = situation.blocked(&atoms);
            rules.known.get_mut(id).into_iter().for_each(|known| known.blocked = blocked);
        }
        let count = rules.known.len();
        rules.prohibited = vec![None; count];
        rules.suppressed = vec![None; count];
        rules.tentative = vec![false; count];
        rules.invalid = vec![None; count];
        rules.prohibit();
        rules.suppress();
        rules.admit();
        rules.invalidate();
        rules
    }

    fn id(&mut self, name: &'a str) -> usize {
        *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.known.push(AtomState::default());
            self.known.len() - 1
        })
    }

    fn is_skeleton(&self, id: usize) -> bool {
        self.known.get(id).is_some_and(|known| known.is_mandatory && known.blocked.is_none())
    }

    /// Pairs of conflicting search hits, as atom indexes, that make the evaluation fail. The engine
    /// compares only integers; it rejects fractional scores, and ids for a tie.
    fn compared(&self) -> Vec<(usize, usize)> {
        let atom = |id: usize| self.known.get(id).and_then(|known| known.atom);
        let score = |id: usize| self.known.get(id).and_then(|known| known.score).unwrap_or(0.0);
        let is_whole = |id: usize| score(id).fract() == 0.0;
        let fails = |one: usize, other: usize| {
            let is_ordered = is_whole(one) && is_whole(other) && score(one).total_cmp(&score(other)).is_ne();
            self.is_candidate(other) && !is_ordered
        };
        let candidates = self.known.iter().enumerate().filter(|(id, _)| self.is_candidate(*id));
        let pairs = candidates.flat_map(|(id, known)| known.conflicts.iter().map(move |&other| (id, other)));
        pairs
            .filter(|&(id, other)| fails(id, other))
            .filter_map(|(id, other)| atom(id).zip(atom(other)))
            .collect()
    }

    fn is_candidate(&self, id: usize) -> bool {
        let known = self.known.get(id);
        known.is_some_and(|known| known.score.is_some() && known.blocked.is_none())
            && self.prohibited.get(id) == Some(&None)
    }

    /// The ids that depend on each id.
    fn needed_by(&self) -> Vec<Vec<usize>> {
        let mut by = vec![Vec::new(); self.known.len()];
        for (id, known) in self.known.iter().enumerate() {
            for &need in &known.needs {
                by.get_mut(need).into_iter().for_each(|by: &mut Vec<usize>| by.push(id));
            }
        }
        by
    }

    /// Prohibits ids that conflict with a mandatory atom, and all ids that depend on them.
    fn prohibit(&mut self) {
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for (id, known) in self.known.iter().enumerate().filter(|(id, _)| self.is_skeleton(*id)) {
            waiting.extend(known.conflicts.iter().map(|&other| (other, id)));
        }
        waiting.reverse();
        self.spread(waiting, |rules| &mut rules.prohibited);
    }

    /// Marks ids, and all ids that depend on them, with a cause.
    fn spread(&mut self, mut waiting: Vec<(usize, usize)>, marks: fn(&mut Self) -> &mut Vec<Option<usize>>) {
        let needed_by = self.needed_by();
        while let Some((id, cause)) = waiting.pop() {
            let Some(mark @ None) = marks(self).get_mut(id) else { continue };
            *mark = Some(cause);
            waiting.extend(needed_by.get(id).into_iter().flatten().map(|&needing| (needing, cause)));
        }
    }

    /// Of two conflicting hits, the hit with the higher score stays; for equal scores, the smaller
    /// id.
    fn suppress(&mut self) {
        let score = |id: usize| self.known.get(id).and_then(|known| known.score).unwrap_or(0.0);
        let beats = |one: usize, other: usize| {
            let is_first = self.names.get(one) < self.names.get(other);
            score(one) > score(other) || (score(one) == score(other) && is_first)
        };
        let mut beaten = Vec::new();
        for (id, known) in self.known.iter().enumerate().filter(|(id, _)| self.is_candidate(*id)) {
            let others =
                known.conflicts.iter().filter(|&&other| self.is_candidate(other) && beats(id, other));
            beaten.extend(others.map(|&other| (other, id)));
        }
        for (other, id) in beaten {
            self.suppressed.get_mut(other).into_iter().for_each(|mark| *mark = mark.or(Some(id)));
        }
    }

    /// Admits mandatory atoms, search hits that are not suppressed, and their dependencies, even
    /// blocked ones.
    fn admit(&mut self) {
        let is_first = |rules: &Self, id: usize| {
            rules.is_skeleton(id) || (rules.is_candidate(id) && rules.suppressed.get(id) == Some(&None))
        };
        let mut waiting: Vec<usize> = (0..self.known.len()).filter(|&id| is_first(self, id)).collect();
        while let Some(id) = waiting.pop() {
            let Some(mark @ false) = self.tentative.get_mut(id) else { continue };
            *mark = true;
            let needs = self.known.get(id).map(|known| &known.needs).into_iter().flatten();
            waiting.extend(needs.filter(|&&need| self.prohibited.get(need) == Some(&None)));
        }
    }

    /// Invalidates ids with a dependency that is not admitted, and all ids that depend on them.
    fn invalidate(&mut self) {
        let mut waiting = Vec::new();
        for (id, known) in self.known.iter().enumerate() {
            let missing = known.needs.iter().find(|&&need| self.tentative.get(need) == Some(&false));
            if let (Some(&missing), Some(true)) = (missing, self.tentative.get(id)) {
                waiting.push((id, missing));
            }
        }
        let needed_by = self.needed_by();
        while let Some((id, missing)) = waiting.pop() {
            let is_tentative = self.tentative.get(id) == Some(&true);
            let Some(mark @ None) = self.invalid.get_mut(id) else { continue };
            if is_tentative {
                *mark = Some(missing);
                waiting.extend(needed_by.get(id).into_iter().flatten().map(|&needing| (needing, id)));
            }
        }
    }

    /// The reason for the exclusion of an atom; `None` if it is selected.
    fn verdict(&self, at: usize, id: &str) -> Option<ExclusionReason> {
        let id = *self.ids.get(id)?;
        let name = |id: usize| self.names.get(id).copied().unwrap_or_default().to_owned();
        let known = self.known.get(id)?;
        if known.atom != Some(at) {
            return Some(ExclusionReason::Replaced);
        }
        let marked = |marks: &[Option<usize>]| marks.get(id).copied().flatten().map(name);
        if self.tentative.get(id) == Some(&true) {
            return marked(&self.invalid).map(ExclusionReason::Invalid);
        }
        if let Some(dimension) = known.blocked.filter(|_| known.is_mandatory || known.score.is_some()) {
            return Some(ExclusionReason::Blocked(dimension));
        }
        let prohibited = marked(&self.prohibited).map(ExclusionReason::Prohibited);
        let suppressed = || marked(&self.suppressed).map(ExclusionReason::Suppressed);
        Some(prohibited.or_else(suppressed).unwrap_or(ExclusionReason::NotACandidate))
    }
}
