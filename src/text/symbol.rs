//! Interned words: predicate names, variables, constants. Equal words are one pointer, so that
//! comparing and hashing them costs the same as for an integer.
//!
//! Words are kept for the life of the process. A session's vocabulary is small (a 24,000-line
//! program has some 6,000 words), and typing adds a few bytes a keystroke at most.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use parking_lot::RwLock;
use rustc_hash::FxHashSet;

/// An interned word. `==` and hashing look at the address; ordering looks at the text, so that
/// sorted output does not depend on the order of interning.
#[derive(Clone, Copy)]
pub struct Symbol(&'static Word);

/// A leaked word: sized, so that a symbol is one thin pointer.
#[derive(PartialEq, Eq, Hash)]
struct Word(Box<str>);

impl Borrow<str> for &'static Word {
    fn borrow(&self) -> &str {
        &self.0
    }
}

static WORDS: LazyLock<RwLock<FxHashSet<&'static Word>>> = LazyLock::new(RwLock::default);

impl Symbol {
    /// The symbol for `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let known = WORDS.read().get(text).copied();
        Self(known.unwrap_or_else(|| intern(text)))
    }

    /// The word itself.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        &self.0.0
    }

    fn address(self) -> usize {
        std::ptr::from_ref(self.0) as usize
    }
}

fn intern(text: &str) -> &'static Word {
    let mut words = WORDS.write();
    // Another thread may have been faster between the two locks.
    if let Some(word) = words.get(text) {
        return word;
    }
    let word: &'static Word = Box::leak(Box::new(Word(text.into())));
    words.insert(word);
    word
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.address());
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_are_one_symbol() {
        let (a, b) = (Symbol::new("permitted"), Symbol::new(&["permit", "ted"].concat()));
        assert_eq!(a, b);
        assert_ne!(a, Symbol::new("Permitted"));
        assert_eq!(b.as_str(), "permitted");
    }

    #[test]
    fn order_is_that_of_the_text() {
        let later = Symbol::new("zz_order");
        assert!(Symbol::new("aa_order") < later);
    }
}
