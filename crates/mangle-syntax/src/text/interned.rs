//! Interned words, and ids of files and statements.
//!
//! Words are predicate names, variables and constants. Equal words are one pointer, so that comparing
//! and hashing cost the same as for integers. Words are kept for the life of the process. The
//! vocabulary of a session is small: a 24,000-line program has about 6,000 words, and typing adds a
//! few bytes per keystroke. Untrusted texts can have an unlimited vocabulary and are read by
//! [`without_new_words`].

use std::borrow::Borrow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{self, AtomicU32};

use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

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

static WORDS: RwLock<FxHashSet<&'static Word>> = RwLock::new(FxHashSet::with_hasher(FxBuildHasher));

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

/// The id of a file. Stable for the life of the process, never reused for another path.
///
/// Ids of paths ([`FileId::from_path`]) are ordered like the paths: by component, each by its
/// bytes. Sorting by id therefore does not depend on the order of registration. Other ids are
/// ordered by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The id of a path, which is kept for the life of the process.
    #[must_use]
    pub fn from_path(path: &Path) -> Self {
        PATHS.id(key(path))
    }
}

impl PartialOrd for FileId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FileId {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        match (PATHS.key(*self), PATHS.key(*other)) {
            (Some(one), Some(another)) => one.cmp(another),
            _ => self.0.cmp(&other.0),
        }
    }
}

/// Compares two `/`-separated paths in the order of their [`FileId`]s.
#[must_use]
pub fn compare_paths(one: &str, another: &str) -> Ordering {
    one.split('/').cmp(another.split('/'))
}

/// The number of the first path. Paths have a separate block of numbers: ids that count up from 0,
/// or down from the highest number, are never ids of paths.
const FIRST: u32 = 1 << 30;

/// Maximum number of paths.
const MAX_PATHS: u32 = 1 << 30;

static PATHS: Paths = Paths {
    numbers: RwLock::new(FxHashMap::with_hasher(FxBuildHasher)),
    chunks: [const { OnceLock::new() }; 31],
};

/// All paths with an id, as [`key`]s. Reads take no lock, because ids are compared often.
struct Paths {
    numbers: RwLock<FxHashMap<&'static [u8], u32>>,
    /// Each chunk has twice the size of the previous one, starting with one path.
    chunks: [OnceLock<Box<[Slot]>>; 31],
}

/// A slot for a path.
type Slot = OnceLock<&'static [u8]>;

impl Paths {
    fn id(&self, key: Vec<u8>) -> FileId {
        if let Some(&number) = self.numbers.read().get(&*key) {
            return FileId(FIRST + number);
        }
        let mut numbers = self.numbers.write();
        // Another thread can have added the path between the two locks.
        if let Some(&number) = numbers.get(&*key) {
            return FileId(FIRST + number);
        }
        let number = u32::try_from(numbers.len()).unwrap_or(MAX_PATHS).min(MAX_PATHS - 1);
        let key: &'static [u8] = Box::leak(key.into_boxed_slice());
        let (chunk, at) = place(number);
        let room = || (0..1_usize << chunk).map(|_| OnceLock::new()).collect();
        let slot = self.chunks.get(chunk).and_then(|slots| slots.get_or_init(room).get(at));
        if let Some(slot) = slot {
            let _ = slot.set(key);
        }
        numbers.insert(key, number);
        FileId(FIRST + number)
    }

    fn key(&self, id: FileId) -> Option<&'static [u8]> {
        let number = id.0.checked_sub(FIRST).filter(|number| *number < MAX_PATHS)?;
        let (chunk, at) = place(number);
        self.chunks.get(chunk)?.get()?.get(at)?.get().copied()
    }
}

/// The chunk of a path, and the index in it.
fn place(number: u32) -> (usize, usize) {
    let chunk = (number + 1).ilog2();
    (chunk as usize, (number + 1 - (1 << chunk)) as usize)
}

/// The bytes of a path with the lowest byte as separator: comparing keys compares components. No
/// path contains this byte.
fn key(path: &Path) -> Vec<u8> {
    let is_separator = |byte: u8| char::from(byte) == '/' || char::from(byte) == std::path::MAIN_SEPARATOR;
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().map(|&byte| if is_separator(byte) { 0 } else { byte }).collect()
}

/// The id of a lowered statement. A statement outside of an edit keeps its id and content while its
/// position changes; a changed statement gets a new id. Ids are not reused before 2³² statements
/// were lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(u32);

impl StatementId {
    /// Returns an id that no living statement has.
    #[must_use]
    pub fn fresh() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, atomic::Ordering::Relaxed))
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

    #[test]
    fn ids_are_ordered_as_paths() {
        let paths =
            ["/o/a-b.mg", "/o/z.mg", "/o/a/b.mg", "/o/a.mg", "/o", "/o/a/é.mg", "/o/a/b/c.mg", "untitled:1"];
        let mut ids = paths.map(|path| (FileId::from_path(Path::new(path)), path));
        ids.sort_unstable();
        let mut sorted = paths;
        sorted.sort_unstable_by(|one, another| Path::new(one).cmp(Path::new(another)));
        assert_eq!(ids.map(|(_, path)| path), sorted);
        let mut compared = paths;
        compared.sort_unstable_by(|one, another| compare_paths(one, another));
        assert_eq!(compared, sorted);
    }

    #[test]
    fn a_path_has_one_id() {
        let ids: Vec<_> = (0..1000).map(|n| FileId::from_path(Path::new(&format!("/one/id/{n}")))).collect();
        let again: Vec<_> =
            (0..1000).map(|n| FileId::from_path(Path::new(&format!("/one/id/{n}")))).collect();
        assert_eq!(ids, again);
        let number = |text: &str| text.parse::<u32>().unwrap_or_default();
        let names: Vec<_> = (0..1000).map(|n: u32| n.to_string()).collect();
        let mut by_name: Vec<_> = names.iter().collect();
        by_name.sort_unstable();
        let mut by_id: Vec<_> = names.iter().collect();
        by_id.sort_unstable_by_key(|name| ids.get(number(name) as usize));
        assert_eq!(by_id, by_name);
    }

    #[test]
    fn other_ids_are_ordered_by_number() {
        let path = FileId::from_path(Path::new("/p"));
        assert!(FileId(0) < FileId(1) && FileId(1) < path && path < FileId(u32::MAX - 1));
    }
}
