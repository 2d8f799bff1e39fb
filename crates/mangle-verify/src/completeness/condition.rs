//! Conditions on one text that a finite automaton decides, and the states of these automata.

use std::sync::Arc;

use smallvec::SmallVec;

/// A condition on the text of one value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Condition {
    Equals(Arc<str>),
    Prefix(Arc<str>),
    Suffix(Arc<str>),
    Contains(Arc<str>),
    /// The text starts with this and has at least one character more.
    Longer(Arc<str>),
    /// The name has at least this many parts.
    Parts(u16),
    /// The first part of the name meets the condition.
    Root(Box<Condition>),
    /// The last part of the name meets the condition.
    Tip(Box<Condition>),
    /// The part of the name at this index, counted from 0, meets the condition.
    Part(u16, Box<Condition>),
    /// The text between these two texts meets the condition.
    Between(Arc<str>, Box<Condition>, Arc<str>),
    /// The text is a name of Mangle.
    Name,
    /// The text is a 64-bit integer as the engine prints it.
    Integer,
}

/// The state of an automaton; conditions inside of others add theirs.
pub(super) type State = SmallVec<[u16; 6]>;

/// The longest text that is compared.
pub(super) const MAX_TEXT: usize = 200;

/// The state from which no text is accepted.
const DEAD: u16 = u16::MAX;

/// The most digits of an integer, so that every such text fits into 64 bits.
const MAX_DIGITS: u16 = 18;

impl Condition {
    /// The texts of the program in the condition.
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
            _ => smallvec::smallvec![0],
        }
    }

    /// The state after one more character.
    pub(super) fn step(&self, state: &[u16], c: char) -> State {
        let first = state.first().copied().unwrap_or(DEAD);
        let one = |state: u16| smallvec::smallvec![state];
        match self {
            Self::Equals(text) | Self::Prefix(text) | Self::Longer(text) => {
                let length = count(text);
                let next = match text.chars().nth(usize::from(first)) {
                    _ if first == DEAD => DEAD,
                    Some(wanted) if wanted == c => first + 1,
                    Some(_) => DEAD,
                    None if matches!(self, Self::Equals(_)) => DEAD,
                    None => length + 1,
                };
                // Behind the end of a prefix everything is the same.
                one(if matches!(self, Self::Prefix(_)) && next != DEAD { next.min(length) } else { next })
            }
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
            Self::Name => one(match (first, c) {
                (0 | 2, '/') => 1,
                (1 | 2, c) if is_name_character(c) => 2,
                _ => DEAD,
            }),
            Self::Integer => one(integer(first, c)),
        }
    }

    /// The outcome of the condition for the text read so far: 0 for false, 1 for true, 2 for an error.
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
            Self::Name => u8::from(first == 2),
            // A digit, or digits behind one that is not zero.
            Self::Integer => u8::from(first != DEAD && first >= 2),
        }
    }
}

/// True for the characters between the slashes of a name.
pub(super) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '%' | '-')
}

fn with(first: u16, rest: State) -> State {
    std::iter::once(first).chain(rest).collect()
}

fn count(text: &str) -> u16 {
    u16::try_from(text.chars().count()).unwrap_or(DEAD - 2)
}

/// The length of the longest start of `text` at the end of the characters read: those of its first `known` and `c`.
fn overlap(text: &str, known: u16, c: char) -> u16 {
    let read: Vec<char> = text.chars().take(usize::from(known)).chain([c]).collect();
    let wanted: Vec<char> = text.chars().collect();
    let fits =
        |length: &usize| *length <= wanted.len() && read.ends_with(wanted.get(..*length).unwrap_or(&[]));
    let length = (0..=read.len()).rev().find(fits).unwrap_or(0);
    u16::try_from(length).unwrap_or(0)
}

/// The state of an integer: 0 at the start, 1 behind the sign, 2 behind a lone zero, else two more than its digits.
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
