//! Names that are spelled like a missing one.

use mangle_engine::program::{FileSummary, Program};

/// How many names a message lists at most.
const LISTED: usize = 3;

/// Missing names longer than this are not compared: nobody typed them.
const LONGEST: usize = 80;

/// How many names are looked at in one run over the program, and how many edit distances computed:
/// a program of which a part is missing has very many undefined predicates. What comes later in it
/// gets no suggestion.
const LOOKED_AT: usize = 4_000_000;
const COMPUTED: usize = 4_000;

/// The predicates that exist, ready to be searched for a similar name.
pub(in crate::analysis) struct Vocabulary<'p> {
    program: &'p Program,
    words: Vec<Word>,
    looked_at: usize,
    computed: usize,
}

struct Word {
    name: &'static str,
    package: &'static str,
    arity: u16,
    letters: Letters,
}

/// Similar names, the most similar first.
pub(in crate::analysis) struct Near {
    found: Vec<Candidate>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Twice the edit distance, and one more where the arity differs: of two names that are equally
    /// near, the one with the right arity is meant.
    score: usize,
    name: &'static str,
}

impl<'p> Vocabulary<'p> {
    /// The predicates of `program` that exist.
    pub(in crate::analysis) fn new(program: &'p Program) -> Self {
        let existing = program.predicates.iter().filter(|predicate| predicate.exists());
        let words = existing.map(|predicate| {
            let (name, package) = (predicate.key.name.as_str(), predicate.key.package());
            Word { name, package, arity: predicate.key.arity, letters: Letters::of(name) }
        });
        Self { program, words: words.collect(), looked_at: 0, computed: 0 }
    }

    /// The names near `name` that a clause of `file` may use, as it has to write them.
    pub(in crate::analysis) fn near(&mut self, file: &FileSummary, name: &str, arity: u16) -> Near {
        let limit = distance_limit(name);
        if limit == 0 || self.looked_at > LOOKED_AT || self.computed > COMPUTED {
            return Near { found: Vec::new() };
        }
        self.looked_at += self.words.len();
        let own = file.package.map_or("", |package| package.as_str());
        let letters = Letters::of(name);
        let mut found = Vec::new();
        for word in &self.words {
            // Inside its own package a name is written without the package.
            let is_own = !own.is_empty() && word.package == own;
            let written = if is_own { own_name(word) } else { word.name };
            if written.len().abs_diff(name.len()) > limit
                || (!is_own && !letters.may_be_near(word.letters, limit))
            {
                continue;
            }
            self.computed += 1;
            let distance = strsim::osa_distance(name, written);
            if distance <= limit && (is_own || self.is_visible(file, word)) {
                found.push(Candidate {
                    score: 2 * distance + usize::from(word.arity != arity),
                    name: written,
                });
            }
        }
        found.sort_unstable();
        found.dedup_by(|later, first| later.name == first.name);
        Near { found }
    }

    fn is_visible(&self, file: &FileSummary, word: &Word) -> bool {
        word.package.is_empty()
            || self.program.uses_of(file.package).any(|used| used.as_str() == word.package)
    }
}

fn own_name(word: &Word) -> &'static str {
    word.name.get(word.package.len() + 1..).unwrap_or(word.name)
}

impl Near {
    /// The names for a message: `` `a`, `b` or `c` ``. `None` when there are none.
    pub(in crate::analysis) fn list(&self) -> Option<String> {
        let names: Vec<_> = self.found.iter().take(LISTED).map(|near| format!("`{}`", near.name)).collect();
        let (last, rest) = names.split_last()?;
        Some(if rest.is_empty() { last.clone() } else { format!("{} or {last}", rest.join(", ")) })
    }

    /// The name that has the right arity and is nearer than all others that have.
    pub(in crate::analysis) fn certain(&self) -> Option<&'static str> {
        let (first, rest) = self.found.split_first()?;
        let right_arity = first.score.is_multiple_of(2);
        let alone = rest.iter().all(|other| other.score > first.score);
        (right_arity && alone).then_some(first.name)
    }
}

/// How many edits two names may be apart. Names of one or two letters are near to everything.
fn distance_limit(name: &str) -> usize {
    match name.len() {
        0..3 => 0,
        3..6 => 1,
        len if len > LONGEST => 0,
        len => (len / 4).clamp(2, 4),
    }
}

/// Which letters occur in a name. Each edit changes two of them at most, which rules most names out
/// without computing a distance.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    fn of(name: &str) -> Self {
        Self(name.bytes().fold(0, |letters, byte| letters | 1 << (byte & 63)))
    }

    fn may_be_near(self, other: Self, limit: usize) -> bool {
        (self.0 ^ other.0).count_ones() as usize <= 2 * limit
    }
}
