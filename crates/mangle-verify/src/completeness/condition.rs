//! Conditions on one text as finite automata, with their states and transitions.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::values::is_name_character;

/// A condition on the text of one value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Condition {
    Equals(Arc<str>),
    Prefix(Arc<str>),
    Suffix(Arc<str>),
    Contains(Arc<str>),
    /// The text starts with this prefix and is longer.
    Longer(Arc<str>),
    /// The name has at least this number of parts.
    Parts(u16),
    /// The first part of the name meets the condition.
    Root(Box<Condition>),
    /// The last part of the name meets the condition.
    Tip(Box<Condition>),
    /// The part of the name at this index, counted from 0, meets the condition.
    Part(u16, Box<Condition>),
    /// The text between these two texts meets the condition.
    Between(Arc<str>, Box<Condition>, Arc<str>),
    /// The text meets at least one of two or more conditions of the first five kinds.
    Any(Box<[Condition]>),
    /// The text is a name constant of Mangle.
    Name,
    /// The text is a 64-bit integer in the format of the engine.
    Integer,
}

/// The state of an automaton. The states of nested conditions are appended.
pub(super) type State = SmallVec<[u16; 6]>;

/// The maximum length of a compared text.
pub(super) const MAX_TEXT: usize = 200;

/// The state of alternatives after one is met, for any continuation of the text.
const ACCEPTED: u16 = u16::MAX - 1;

/// The rejecting state. No continuation is accepted.
const DEAD: u16 = u16::MAX;

/// The maximum number of digits, so that every such integer fits into 64 bits.
const MAX_DIGITS: u16 = 18;

impl Condition {
    /// Collects the texts of the program in the condition.
    pub(super) fn texts(&self, found: &mut Vec<Arc<str>>) {
        match self {
            Self::Equals(text)
            | Self::Prefix(text)
            | Self::Suffix(text)
            | Self::Contains(text)
            | Self::Longer(text) => found.push(Arc::clone(text)),
            Self::Root(inner) | Self::Tip(inner) | Self::Part(_, inner) => inner.texts(found),
            Self::Between(before, inner, after) => {
                found.extend([Arc::clone(before), Arc::clone(after)]);
                inner.texts(found);
            }
            Self::Any(all) => all.iter().for_each(|one| one.texts(found)),
            Self::Parts(_) | Self::Name | Self::Integer => {}
        }
    }

    /// The state before the first character.
    pub(super) fn start(&self) -> State {
        match self {
            Self::Root(inner) | Self::Part(_, inner) => with(0, inner.start()),
            Self::Tip(inner) => inner.start(),
            Self::Between(before, inner, _) => {
                before.chars().fold(inner.start(), |state, c| inner.step(&state, c))
            }
            Self::Any(all) => alternatives(all, all.iter().map(|one| one.start())),
            _ => smallvec::smallvec![0],
        }
    }

    /// Returns the state after one more character.
    pub(super) fn step(&self, state: &[u16], c: char) -> State {
        let first = state.first().copied().unwrap_or(DEAD);
        let one = |state: u16| smallvec::smallvec![state];
        match self {
            Self::Equals(text) => one(compared(text, first, c, DEAD)),
            // After the end of a prefix, all continuations are equivalent.
            Self::Prefix(text) => one(compared(text, first, c, count(text))),
            Self::Longer(text) => one(compared(text, first, c, count(text) + 1)),
            Self::Suffix(text) => one(overlap(text, first, c)),
            Self::Contains(text) if first == count(text) => one(first),
            Self::Contains(text) => one(overlap(text, first, c)),
            Self::Parts(most) => one(if c == '/' { (first + 1).min(*most) } else { first }),
            Self::Root(inner) => {
                let slashes = if c == '/' { (first + 1).min(2) } else { first };
                let rest = state.get(1..).unwrap_or_default();
                with(slashes, if slashes < 2 { inner.step(rest, c) } else { rest.into() })
            }
            Self::Part(at, inner) => {
                let slashes = if c == '/' { (first + 1).min(at + 2) } else { first };
                let rest = state.get(1..).unwrap_or_default();
                with(slashes, if slashes == at + 1 { inner.step(rest, c) } else { rest.into() })
            }
            Self::Tip(inner) if c == '/' => inner.step(&inner.start(), c),
            Self::Tip(inner) | Self::Between(_, inner, _) => inner.step(state, c),
            Self::Any(_) if first == ACCEPTED => one(ACCEPTED),
            Self::Any(all) => {
                alternatives(all, all.iter().zip(state).map(|(one, state)| one.step(&[*state], c)))
            }
            Self::Name => one(match (first, c) {
                (0 | 2, '/') => 1,
                (1 | 2, c) if is_name_character(c) => 2,
                _ => DEAD,
            }),
            Self::Integer => one(integer(first, c)),
        }
    }

    /// Returns the outcome for the text read so far: 0 for false, 1 for true, 2 for an error.
    pub(super) fn outcome(&self, state: &[u16]) -> u8 {
        let first = state.first().copied().unwrap_or(DEAD);
        let rest = state.get(1..).unwrap_or_default();
        match self {
            Self::Equals(text) | Self::Prefix(text) | Self::Suffix(text) | Self::Contains(text) => {
                u8::from(first == count(text))
            }
            Self::Longer(text) => u8::from(first != DEAD && first > count(text)),
            Self::Parts(most) => u8::from(first == *most),
            Self::Root(inner) => inner.outcome(rest),
            Self::Part(at, _) if first < at + 1 => 2,
            Self::Part(_, inner) => inner.outcome(rest),
            Self::Tip(inner) => inner.outcome(state),
            Self::Between(_, inner, after) => {
                let end = after.chars().fold(State::from(state), |state, c| inner.step(&state, c));
                inner.outcome(&end)
            }
            Self::Any(_) if first == ACCEPTED => 1,
            Self::Any(all) => u8::from(all.iter().zip(state).any(|(one, state)| one.outcome(&[*state]) == 1)),
            Self::Name => u8::from(first == 2),
            // A single digit, or several digits without a leading zero.
            Self::Integer => u8::from(first != DEAD && first >= 2),
        }
    }
}

/// Returns the state of alternatives. After a permanent match, there is only one state.
fn alternatives(all: &[Condition], states: impl Iterator<Item = State>) -> State {
    let states: State = states.filter_map(|state| state.first().copied()).collect();
    let is_met = all.iter().zip(&states).any(|(one, state)| {
        matches!(one, Condition::Prefix(_) | Condition::Contains(_) | Condition::Longer(_))
            && one.outcome(&[*state]) == 1
    });
    if is_met { smallvec::smallvec![ACCEPTED] } else { states }
}

fn with(first: u16, rest: State) -> State {
    std::iter::once(first).chain(rest).collect()
}

fn count(text: &str) -> u16 {
    u16::try_from(text.chars().count()).unwrap_or(DEAD - 2)
}

/// Returns the number of matched characters of `text` after `c`, or `behind` if all were already
/// matched.
fn compared(text: &str, known: u16, c: char, behind: u16) -> u16 {
    match text.chars().nth(usize::from(known)) {
        _ if known == DEAD => DEAD,
        Some(wanted) if wanted == c => known + 1,
        Some(_) => DEAD,
        None => behind,
    }
}

/// Returns the length of the longest prefix of `text` at the end of the input: its first `known`
/// characters and `c`.
fn overlap(text: &str, known: u16, c: char) -> u16 {
    let read: Vec<char> = text.chars().take(usize::from(known)).chain([c]).collect();
    let wanted: Vec<char> = text.chars().collect();
    let fits =
        |length: &usize| *length <= wanted.len() && read.ends_with(wanted.get(..*length).unwrap_or(&[]));
    let length = (0..=read.len()).rev().find(fits).unwrap_or(0);
    u16::try_from(length).unwrap_or(0)
}

/// Returns the next state of an integer.
///
/// The states are 0 at the start, 1 after the sign, and 2 after a lone zero. Other states are the
/// number of digits plus two.
fn integer(state: u16, c: char) -> u16 {
    match (state, c) {
        (0, '-') => 1,
        (0, '0') => 2,
        (0 | 1, '1'..='9') => 3,
        (3.., '0'..='9') if state != DEAD && state < MAX_DIGITS + 2 => state + 1,
        _ => DEAD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(condition: &Condition, text: &str) -> u8 {
        let end = text.chars().fold(condition.start(), |state, c| condition.step(&state, c));
        condition.outcome(&end)
    }

    #[test]
    fn automata_agree_with_text_functions() {
        let part = "aba";
        let conditions = [
            Condition::Equals(part.into()),
            Condition::Prefix(part.into()),
            Condition::Suffix(part.into()),
            Condition::Contains(part.into()),
            Condition::Longer(part.into()),
        ];
        let mut texts = vec![String::new()];
        for length in 0..6 {
            let longest: Vec<String> = texts.iter().filter(|text| text.len() == length).cloned().collect();
            texts.extend(longest.iter().flat_map(|text| ["a", "b"].map(|c| format!("{text}{c}"))));
        }
        for text in &texts {
            let expected = [
                text == part,
                text.starts_with(part),
                text.ends_with(part),
                text.contains(part),
                text.starts_with(part) && text.len() > part.len(),
            ];
            for (condition, expected) in conditions.iter().zip(expected) {
                assert_eq!(outcome(condition, text) == 1, expected, "{condition:?} of {text:?}");
            }
        }
    }

    #[test]
    fn alternatives_accept_what_one_of_them_accepts() {
        let conditions = [
            Condition::Contains("aba".into()),
            Condition::Prefix("bb".into()),
            Condition::Suffix("ab".into()),
            Condition::Equals("ba".into()),
        ];
        let mut texts = vec![String::new()];
        for length in 0..6 {
            let longest: Vec<String> = texts.iter().filter(|text| text.len() == length).cloned().collect();
            texts.extend(longest.iter().flat_map(|text| ["a", "b"].map(|c| format!("{text}{c}"))));
        }
        for pair in conditions.windows(2).chain([&conditions[..]]) {
            let any = Condition::Any(pair.into());
            for text in &texts {
                let expected = pair.iter().any(|one| outcome(one, text) == 1);
                assert_eq!(outcome(&any, text) == 1, expected, "{any:?} of {text:?}");
            }
        }
    }

    #[test]
    fn parts_of_names_are_read() {
        let is = |text: &str| Box::new(Condition::Equals(text.into()));
        assert_eq!(outcome(&Condition::Root(is("/a")), "/a/b"), 1);
        assert_eq!(outcome(&Condition::Root(is("/a")), "/ab"), 0);
        assert_eq!(outcome(&Condition::Tip(is("/b")), "/a/b"), 1);
        assert_eq!(outcome(&Condition::Tip(is("/b")), "/a/b/c"), 0);
        assert_eq!(outcome(&Condition::Part(1, is("/b")), "/a/b/c"), 1);
        assert_eq!(outcome(&Condition::Part(3, is("/b")), "/a/b/c"), 2);
        assert_eq!(outcome(&Condition::Parts(3), "/a/b"), 0);
        assert_eq!(outcome(&Condition::Parts(3), "/a/b/c/d"), 1);
    }

    #[test]
    fn only_legal_names_and_integers_are_accepted() {
        for (name, legal) in [("/a/b.c", 1), ("/", 0), ("//x", 0), ("/p/", 0), ("/a b", 0), ("a", 0)] {
            assert_eq!(outcome(&Condition::Name, name), legal, "{name}");
        }
        for (text, legal) in [("0", 1), ("-7", 1), ("10", 1), ("-", 0), ("-0", 0), ("01", 0), ("", 0)] {
            assert_eq!(outcome(&Condition::Integer, text), legal, "{text}");
        }
    }

    #[test]
    fn constant_parts_of_a_concatenation_count() {
        let inner = Box::new(Condition::Equals("a-x-b".into()));
        let between = Condition::Between("a-".into(), inner, "-b".into());
        assert_eq!(outcome(&between, "x"), 1);
        assert_eq!(outcome(&between, "y"), 0);
    }
}
