//! Dependency order of atoms (Kahn's algorithm). Among the ready atoms, mandatory atoms come first,
//! then higher scores.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::atom::PromptAtom;
use super::select::{OrderedScore, ScoredAtom};

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
