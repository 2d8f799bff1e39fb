//! Generation of the shortest texts for each combination of outcomes of several text conditions.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::condition::{Condition, State};
use crate::obstacle::Budget;
use crate::values::is_name_character;

/// The maximum number of states of the product automaton.
const MAX_STATES: usize = 12_000;

/// The maximum number of considered characters outside of all conditions.
const MAX_LETTERS: usize = 80;

/// The maximum number of generated texts.
const MAX_WORDS: usize = 60_000;

/// The kind of value of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    Text,
    Name,
    Integer,
}

impl Alphabet {
    /// Returns the condition that all texts of the kind meet.
    fn condition(self) -> Option<Condition> {
        match self {
            Self::Text => None,
            Self::Name => Some(Condition::Name),
            Self::Integer => Some(Condition::Integer),
        }
    }
}

/// Returns `count` texts for each combination of outcomes, or all if there are fewer, shortest
/// first.
///
/// Texts of `known` are excluded. Returns `None` if the automaton of the conditions is too large.
pub(super) fn words(
    alphabet: Alphabet,
    conditions: &[Condition],
    known: &HashSet<&str, FxBuildHasher>,
    count: usize,
    budget: &Budget,
) -> Option<Vec<Vec<String>>> {
    let conditions: Vec<Condition> = conditions.iter().cloned().chain(alphabet.condition()).collect();
    let letters = letters(alphabet, &conditions, known, count);
    let mut search = WordSearch::new(&conditions, letters, known);
    let is_legal = |outcomes: &[u8]| alphabet == Alphabet::Text || outcomes.last() == Some(&1);
    let start = search.number((smallvec::smallvec![0; conditions.len()], Some(0)))?;
    let mut pending: VecDeque<(usize, String)> = VecDeque::from([(start, String::new())]);
    // Add one text, because the empty text is a poor example.
    let count = count + 1;
    // The number of texts per state that were queued.
    let mut of_state: Vec<usize> = vec![1];
    let mut classes: BTreeMap<Vec<u8>, Vec<String>> = BTreeMap::new();
    let mut built = 0;
    while let Some((state, word)) = pending.pop_front() {
        built += 1;
        if built > MAX_WORDS || budget.is_late() {
            return None;
        }
        let outcomes = search.outcomes(state);
        if !search.is_known(state) && is_legal(&outcomes) {
            let class = classes.entry(outcomes).or_default();
            if class.len() < count {
                class.push(word.clone());
            }
        }
        for at in 0..search.letters.len() {
            let Some(next) = search.next(state, at)? else { continue };
            of_state.resize(search.states.len().max(of_state.len()), 0);
            let queued = of_state.get_mut(next)?;
            if *queued < count {
                *queued += 1;
                let letter = search.letters.get(at)?;
                pending.push_back((next, format!("{word}{letter}")));
            }
        }
    }
    Some(classes.into_values().map(|class| without_empty(class, count)).collect())
}

/// Reduces a full class by one text: the empty text, or the last text.
fn without_empty(mut class: Vec<String>, count: usize) -> Vec<String> {
    if class.len() == count {
        let gone = if class.first().is_some_and(String::is_empty) { 0 } else { count - 1 };
        class.remove(gone);
    }
    class
}

/// Returns the alphabet of the texts: the characters of the conditions, and some representatives of
/// all other characters.
fn letters(
    alphabet: Alphabet,
    conditions: &[Condition],
    known: &HashSet<&str, FxBuildHasher>,
    count: usize,
) -> Vec<char> {
    let mut texts: Vec<Arc<str>> = Vec::new();
    conditions.iter().for_each(|condition| condition.texts(&mut texts));
    let mut special: Vec<char> = texts.iter().flat_map(|text| text.chars()).collect();
    let others: BTreeSet<char> = known.iter().flat_map(|text| text.chars()).collect();
    match alphabet {
        Alphabet::Text => {}
        Alphabet::Name => {
            special.push('/');
            special.retain(|c| *c == '/' || is_name_character(*c));
        }
        Alphabet::Integer => special = std::iter::once('-').chain('0'..='9').collect(),
    }
    special.sort_unstable();
    special.dedup();
    let mut all: Vec<char> = Vec::new();
    if alphabet != Alphabet::Integer {
        let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain("_-.~%".chars());
        // Texts may contain characters that are not allowed in names.
        let beyond = ('\u{4e00}'..'\u{5e00}').filter(|_| alphabet == Alphabet::Text);
        let is_other = |c: &char| !special.contains(c);
        let mut unused: Vec<char> = letters.chain(beyond).filter(is_other).take(MAX_LETTERS).collect();
        // Letters of excluded texts come last.
        unused.sort_by_key(|c| others.contains(c));
        unused.truncate(count.max(1));
        all.extend(unused);
    }
    all.extend(special);
    all
}

/// The state number of each automaton, and the position in the tree of excluded texts.
type WordState = (SmallVec<[u32; 8]>, Option<usize>);

/// The automaton of one condition, built on demand. The first state is the start.
struct Automaton<'c> {
    condition: &'c Condition,
    numbers: FxHashMap<State, u32>,
    states: Vec<State>,
    /// The state after each letter, if already computed.
    next: Vec<Vec<Option<u32>>>,
    letters: usize,
}

impl<'c> Automaton<'c> {
    fn new(condition: &'c Condition, letters: usize) -> Self {
        let mut automaton =
            Self { condition, numbers: FxHashMap::default(), states: Vec::new(), next: Vec::new(), letters };
        automaton.number(condition.start());
        automaton
    }

    fn number(&mut self, state: State) -> u32 {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        let number = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.next.push(vec![None; self.letters]);
        number
    }

    fn next(&mut self, state: u32, letter: usize, c: char) -> Option<u32> {
        if let Some(known) = *self.next.get(state as usize)?.get(letter)? {
            return Some(known);
        }
        let next = self.condition.step(self.states.get(state as usize)?, c);
        let next = self.number(next);
        *self.next.get_mut(state as usize)?.get_mut(letter)? = Some(next);
        Some(next)
    }

    /// True if no continuation of a state is a text of the kind.
    fn is_dead(&self, state: u32) -> bool {
        matches!(self.condition, Condition::Name | Condition::Integer)
            && self.states.get(state as usize).is_some_and(|state| state.first() == Some(&u16::MAX))
    }

    fn outcome(&self, state: u32) -> u8 {
        self.states.get(state as usize).map_or(0, |state| self.condition.outcome(state))
    }
}

/// A prefix tree of the excluded texts.
struct Known {
    next: Vec<FxHashMap<char, usize>>,
    is_end: Vec<bool>,
}

impl Known {
    fn new(texts: &HashSet<&str, FxBuildHasher>) -> Self {
        let mut known = Self { next: vec![FxHashMap::default()], is_end: vec![false] };
        for text in texts {
            let mut at = 0;
            for c in text.chars() {
                let count = known.next.len();
                let next = known.next.get_mut(at).map(|next| *next.entry(c).or_insert(count));
                at = next.unwrap_or(0);
                if at == count {
                    known.next.push(FxHashMap::default());
                    known.is_end.push(false);
                }
            }
            known.is_end.get_mut(at).into_iter().for_each(|is_end| *is_end = true);
        }
        known
    }

    fn step(&self, at: usize, c: char) -> Option<usize> {
        self.next.get(at)?.get(&c).copied()
    }
}

struct WordSearch<'c> {
    automata: Vec<Automaton<'c>>,
    letters: Vec<char>,
    known: Known,
    numbers: FxHashMap<WordState, usize>,
    states: Vec<WordState>,
    /// The state after each letter, if already computed. `Some(None)` if no valid text has this
    /// prefix.
    next: Vec<Vec<Option<Option<usize>>>>,
}

impl<'c> WordSearch<'c> {
    fn new(conditions: &'c [Condition], letters: Vec<char>, known: &HashSet<&str, FxBuildHasher>) -> Self {
        Self {
            automata: conditions.iter().map(|condition| Automaton::new(condition, letters.len())).collect(),
            letters,
            known: Known::new(known),
            numbers: FxHashMap::with_hasher(FxBuildHasher),
            states: Vec::new(),
            next: Vec::new(),
        }
    }

    fn number(&mut self, state: WordState) -> Option<usize> {
        if let Some(known) = self.numbers.get(&state) {
            return Some(*known);
        }
        let number = self.states.len();
        if number >= MAX_STATES {
            return None;
        }
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.next.push(vec![None; self.letters.len()]);
        Some(number)
    }

    fn next(&mut self, state: usize, letter: usize) -> Option<Option<usize>> {
        if let Some(known) = *self.next.get(state)?.get(letter)? {
            return Some(known);
        }
        let c = *self.letters.get(letter)?;
        let (from, known) = self.states.get(state)?;
        let known = known.and_then(|at| self.known.step(at, c));
        let mut to = SmallVec::new();
        for (automaton, state) in self.automata.iter_mut().zip(from) {
            to.push(automaton.next(*state, letter, c)?);
        }
        let is_dead = self.automata.iter().zip(&to).any(|(automaton, state)| automaton.is_dead(*state));
        let next = if is_dead { None } else { Some(self.number((to, known))?) };
        *self.next.get_mut(state)?.get_mut(letter)? = Some(next);
        Some(next)
    }

    /// True if the text of a state is excluded.
    fn is_known(&self, state: usize) -> bool {
        let place = self.states.get(state).and_then(|(_, place)| *place);
        place.is_some_and(|place| self.known.is_end.get(place) == Some(&true))
    }

    fn outcomes(&self, state: usize) -> Vec<u8> {
        let states = self.states.get(state).map_or(&[][..], |(states, _)| states.as_slice());
        self.automata.iter().zip(states).map(|(automaton, state)| automaton.outcome(*state)).collect()
    }
}

/// Creates a set of texts.
pub(super) fn set<'t>(texts: impl Iterator<Item = &'t str>) -> HashSet<&'t str, FxBuildHasher> {
    let mut set = HashSet::with_hasher(FxBuildHasher);
    set.extend(texts);
    set
}
