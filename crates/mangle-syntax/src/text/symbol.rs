//! Interned words: predicate names, variables, constants. Equal words are one pointer, so that
//! comparing and hashing cost the same as for integers.
//!
//! Words are kept for the life of the process. The vocabulary of a session is small: a 24,000-line
//! program has about 6,000 words, and typing adds a few bytes per keystroke. Untrusted texts have
//! an unlimited vocabulary and are read by [`without_new_words`].

use std::borrow::Borrow;
use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use parking_lot::RwLock;
use rustc_hash::FxHashSet;

/// An interned word. `==` and hashing use the address. Ordering uses the text, so that sorted
/// output does not depend on the order of interning.
#[derive(Clone, Copy)]
pub struct Symbol(&'static Word);

/// A leaked word. Sized, so that a symbol is one thin pointer.
#[derive(PartialEq, Eq, Hash)]
struct Word(Box<str>);

impl Borrow<str> for &'static Word {
    fn borrow(&self) -> &str {
        &self.0
    }
}

static WORDS: LazyLock<RwLock<FxHashSet<&'static Word>>> = LazyLock::new(RwLock::default);

/// The text of all words that are not kept.
const UNKNOWN: &str = "…";

thread_local! {
    /// True if new words are interned.
    static KEEPS: Cell<bool> = const { Cell::new(true) };
}

/// Runs `work` without interning new words. All unknown words share one symbol, so code that must
/// distinguish them has to compare the text.
pub fn without_new_words<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            KEEPS.set(self.0);
        }
    }
    let _restore = Restore(KEEPS.replace(false));
    work()
}

impl Symbol {
    /// Interns `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let known = WORDS.read().get(text).copied();
        known.map_or_else(|| if KEEPS.get() { Self(intern(text)) } else { Self(intern(UNKNOWN)) }, Self)
    }

    /// Interns a word of the language, which is always kept.
    #[must_use]
    pub fn of_language(word: &'static str) -> Self {
        let known = WORDS.read().get(word).copied();
        Self(known.unwrap_or_else(|| intern(word)))
    }

    /// True if the text already has a symbol.
    #[must_use]
    pub fn is_known(text: &str) -> bool {
        WORDS.read().contains(text)
    }

    /// The text of the word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        &self.0.0
    }

    /// The address of the word: equal for equal words, and different in every process.
    #[must_use]
    pub fn address(self) -> usize {
        std::ptr::from_ref(self.0) as usize
    }
}

fn intern(text: &str) -> &'static Word {
    let mut words = WORDS.write();
    // Another thread can have added the word between the two locks.
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
    fn words_of_strangers_are_not_kept() {
        let known = Symbol::new("known_before");
        let (one, other, again, language) = without_new_words(|| {
            let [one, other] = ["stranger_1", "stranger_2"].map(Symbol::new);
            (one, other, Symbol::new("known_before"), Symbol::of_language("fn:of_a_test"))
        });
        assert_eq!((one, again), (other, known));
        assert_eq!(language.as_str(), "fn:of_a_test");
        assert!(!Symbol::is_known("stranger_1"));
        assert_eq!(Symbol::new("stranger_1").as_str(), "stranger_1");
    }

    #[test]
    fn order_is_that_of_the_text() {
        let later = Symbol::new("zz_order");
        assert!(Symbol::new("aa_order") < later);
    }
}
