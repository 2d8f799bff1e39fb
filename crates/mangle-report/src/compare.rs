//! Matching of the findings of two versions of a program.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::{Identity, ReportEntry, Sources};

/// A finding without or with a counterpart in the other version.
struct Candidate<'a> {
    identity: Identity,
    message: &'a str,
    /// The index of the counterpart.
    counterpart: Option<usize>,
}

/// The differences between the findings of two versions, as indexes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingChanges {
    /// The findings of only the new version.
    pub appear: Vec<usize>,
    /// The findings of only the old version.
    pub disappear: Vec<usize>,
    /// The findings of both versions with different severities: old, new.
    pub regraded: Vec<(usize, usize)>,
}

/// The entries of `new` without a counterpart in `old`.
///
/// Each old finding has at most one counterpart: the same finding of the same statement, preferably
/// in the same file. Other files are considered because files are renamed and rules move.
#[must_use]
pub fn new_findings(
    new: Vec<ReportEntry>,
    sources: &Sources,
    old: &[ReportEntry],
    old_sources: &Sources,
) -> Vec<ReportEntry> {
    let (found, _) = matched(&new, sources, old, old_sources);
    let is_new: Vec<_> = found.iter().map(|one| one.counterpart.is_none()).collect();
    new.into_iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|(entry, _)| entry).collect()
}

#[must_use]
pub fn finding_changes(new: &[ReportEntry], sources: &Sources, old: &[ReportEntry], old_sources: &Sources) -> FindingChanges {
    let (found, before) = matched(new, sources, old, old_sources);
    let lone = |all: &[Candidate<'_>]| {
        let lone = all.iter().enumerate().filter(|(_, one)| one.counterpart.is_none());
        lone.map(|(at, _)| at).collect()
    };
    let severity =
        |entries: &[ReportEntry], at: usize| entries.get(at).map(|entry| entry.diagnostic.severity);
    let pairs = found.iter().enumerate().filter_map(|(at, one)| Some((one.counterpart?, at)));
    let regraded = pairs.filter(|(there, here)| severity(old, *there) != severity(new, *here));
    FindingChanges { appear: lone(&found), disappear: lone(&before), regraded: regraded.collect() }
}

/// The findings of both versions with their counterparts.
fn matched<'a>(
    new: &'a [ReportEntry],
    sources: &Sources,
    old: &'a [ReportEntry],
    old_sources: &Sources,
) -> (Vec<Candidate<'a>>, Vec<Candidate<'a>>) {
    let (mut found, mut before) = (candidates(new, sources), candidates(old, old_sources));
    pair(&mut found, &mut before, |one| (one.identity.clone(), one.message.to_owned()));
    pair(&mut found, &mut before, |one| (one.identity.clone(), String::new()));
    pair(&mut found, &mut before, |one| (anywhere(&one.identity), one.message.to_owned()));
    pair(&mut found, &mut before, |one| (anywhere(&one.identity), String::new()));
    (found, before)
}

fn candidates<'a>(entries: &'a [ReportEntry], sources: &Sources) -> Vec<Candidate<'a>> {
    let candidate = |entry: &'a ReportEntry| Candidate {
        identity: Identity::new(entry, sources, sources.name(entry.file).into()),
        message: &entry.diagnostic.message,
        counterpart: None,
    };
    entries.iter().map(candidate).collect()
}

fn anywhere(identity: &Identity) -> Identity {
    Identity { file: String::new(), ..identity.clone() }
}

/// Pairs candidates with equal keys one to one.
fn pair<K: Eq + Hash>(
    new: &mut [Candidate<'_>],
    old: &mut [Candidate<'_>],
    key: impl Fn(&Candidate<'_>) -> K,
) {
    let mut waiting: FxHashMap<K, Vec<(usize, &mut Candidate<'_>)>> = FxHashMap::default();
    for (at, candidate) in old.iter_mut().enumerate().filter(|(_, candidate)| candidate.counterpart.is_none())
    {
        waiting.entry(key(candidate)).or_default().push((at, candidate));
    }
    let open = new.iter_mut().enumerate().filter(|(_, candidate)| candidate.counterpart.is_none());
    for (here, candidate) in open {
        if let Some((there, counterpart)) = waiting.get_mut(&key(candidate)).and_then(Vec::pop) {
            counterpart.counterpart = Some(here);
            candidate.counterpart = Some(there);
        }
    }
}
