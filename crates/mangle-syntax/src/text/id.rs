//! Ids of files and statements, the base of ranges.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::atomic::{self, AtomicU32};
use std::sync::{LazyLock, OnceLock};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

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

static PATHS: LazyLock<Paths> = LazyLock::new(Paths::default);

/// All paths with an id, as [`key`]s. Reads take no lock, because ids are compared often.
#[derive(Default)]
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
