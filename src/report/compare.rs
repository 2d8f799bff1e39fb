//! Which findings of a program are new against those of an older version of it.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::{Identity, ReportEntry, Sources};

/// A finding that waits for its counterpart in the other version.
struct Candidate<'a> {
    identity: Identity,
    message: &'a str,
    is_matched: bool,
}

/// The entries of `new` that have no counterpart in `old`. Each finding of the old version has one
/// counterpart at most: the same finding of the same statement of the same file, else of another file, since
/// files are renamed and rules move.
#[must_use]
pub fn brought(
    new: Vec<ReportEntry>,
    sources: &Sources,
    old: &[ReportEntry],
    old_sources: &Sources,
) -> Vec<ReportEntry> {
    let (mut found, mut before) = (candidates(&new, sources), candidates(old, old_sources));
    pair(&mut found, &mut before, |one| (one.identity.clone(), one.message.to_owned()));
    pair(&mut found, &mut before, |one| (one.identity.clone(), String::new()));
    pair(&mut found, &mut before, |one| (anywhere(&one.identity), one.message.to_owned()));
    pair(&mut found, &mut before, |one| (anywhere(&one.identity), String::new()));
    let is_new: Vec<_> = found.iter().map(|one| !one.is_matched).collect();
    new.into_iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|(entry, _)| entry).collect()
}

fn candidates<'a>(entries: &'a [ReportEntry], sources: &Sources) -> Vec<Candidate<'a>> {
    let candidate = |entry: &'a ReportEntry| Candidate {
        identity: Identity::of(entry, sources, sources.name(entry.file).into()),
        message: &entry.diagnostic.message,
        is_matched: false,
    };
    entries.iter().map(candidate).collect()
}

fn anywhere(identity: &Identity) -> Identity {
    Identity { file: String::new(), ..identity.clone() }
}

/// Matches those with equal keys, one by one.
fn pair<K: Eq + Hash>(
    new: &mut [Candidate<'_>],
    old: &mut [Candidate<'_>],
    key: impl Fn(&Candidate<'_>) -> K,
) {
    let mut waiting: FxHashMap<K, Vec<&mut Candidate<'_>>> = FxHashMap::default();
    for candidate in old.iter_mut().filter(|candidate| !candidate.is_matched) {
        waiting.entry(key(candidate)).or_default().push(candidate);
    }
    for candidate in new.iter_mut().filter(|candidate| !candidate.is_matched) {
        if let Some(counterpart) = waiting.get_mut(&key(candidate)).and_then(Vec::pop) {
            counterpart.is_matched = true;
            candidate.is_matched = true;
        }
    }
}
