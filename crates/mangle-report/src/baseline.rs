//! Known findings, which are not reported again: the findings of a baseline file, and the findings of an
//! older version of the program.
//!
//! A baseline has one JSON object for each line, sorted so that branches merge line by line. Findings
//! are identified by their [`Identity`] and counted.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{ReportEntry, Sources};
use mangle_syntax::syntax::digest_into;

/// The version of the file format and of the identities.
const VERSION: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    counts: BTreeMap<Identity, u32>,
}

/// Error: a text is not a baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct BaselineError {
    /// The line, from 1.
    pub line: usize,
    /// The reason, as the end of a sentence.
    pub why: String,
}

#[derive(Serialize, Deserialize)]
struct Head {
    mangle_ls_baseline: u32,
}

#[derive(Serialize, Deserialize)]
struct Row {
    file: String,
    code: String,
    /// Hexadecimal, because some tools do not preserve 64-bit numbers.
    statement: Hex,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Hex(u64);

impl TryFrom<String> for Hex {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u64::from_str_radix(&text, 16).map(Self).map_err(|_| "`statement` has to be hexadecimal digits")
    }
}

impl From<Hex> for String {
    fn from(hex: Hex) -> Self {
        format!("{:016x}", hex.0)
    }
}

impl Clone for Hex {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_one(count: &u32) -> bool {
    *count == 1
}

impl FromIterator<Identity> for Baseline {
    fn from_iter<I: IntoIterator<Item = Identity>>(identities: I) -> Self {
        let mut counts = BTreeMap::new();
        for identity in identities {
            let count: &mut u32 = counts.entry(identity).or_default();
            *count = count.saturating_add(1);
        }
        Self { counts }
    }
}

impl Baseline {
    /// Parses a baseline. Blank lines are ignored. If a merge duplicated a line, the larger count
    /// is used.
    ///
    /// # Errors
    ///
    /// If a line is invalid, or the version is unknown.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let (head, line) = lines.next().unwrap_or(("", 1));
        let Ok(head) = serde_json::from_str::<Head>(head) else {
            let why = "this is not the first line of a baseline".into();
            return Err(BaselineError { line, why });
        };
        if head.mangle_ls_baseline != VERSION {
            let why = format!("version {} is not known, only {VERSION} is", head.mangle_ls_baseline);
            return Err(BaselineError { line, why });
        }
        let mut counts = BTreeMap::new();
        for (text, line) in lines {
            let row: Row = serde_json::from_str(text).map_err(|error| bad_row(text, line, &error))?;
            let identity = Identity { file: row.file, code: row.code, statement: row.statement.0 };
            let count: &mut u32 = counts.entry(identity).or_default();
            *count = row.count.max(*count);
        }
        Ok(Self { counts })
    }

    /// Removes one occurrence of a finding. Returns true if the baseline had it.
    pub fn take(&mut self, identity: &Identity) -> bool {
        match self.counts.get_mut(identity) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    pub fn count(&self, is_checked: impl Fn(&str) -> bool) -> usize {
        let counted = self.counts.iter().filter(|(identity, _)| is_checked(&identity.file));
        counted.map(|(_, count)| *count as usize).sum()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.count(|_| true)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", to_json(&Head { mangle_ls_baseline: VERSION }))?;
        for (identity, &count) in &self.counts {
            let Identity { file, code, statement } = identity.clone();
            writeln!(f, "{}", to_json(&Row { file, code, statement: Hex(statement), count }))?;
        }
        Ok(())
    }
}

fn bad_row(text: &str, line: usize, error: &serde_json::Error) -> BaselineError {
    let is_mark = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().any(|mark| text.starts_with(mark));
    let why = if is_mark {
        "a merge left its marks; keep the lines of both sides".into()
    } else {
        // The column is useless, since the file is generated.
        error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
    };
    BaselineError { line, why }
}

/// Serialization of strings and numbers cannot fail. The fallback is an empty line.
fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The identity of a finding across versions: rule, file and statement. Line numbers, layout,
/// comments and message texts can change. Several findings of a file can share it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The file, with `/` as path separator.
    pub file: String,
    pub code: String,
    /// A digest of the statement, stable across machines and releases.
    pub statement: u64,
}

impl Identity {
    /// The identity of `entry`. `file` is the path in the identity.
    #[must_use]
    pub fn new(entry: &ReportEntry, sources: &Sources, file: String) -> Self {
        let (source, start) = (sources.get(entry.file), entry.diagnostic.range.start());
        let mut hasher = Fnv::default();
        match source.and_then(|source| source.statement(start)) {
            Some(statement) => digest_into(statement, &mut hasher),
            // Comments and settings are not statements; the digest covers their line.
            None => hasher.write(source.map_or("", |source| source.line(start)).as_bytes()),
        }
        Self { file, code: entry.diagnostic.rule.code.into(), statement: hasher.finish() }
    }
}

/// The 64-bit FNV-1a hash. Unlike the hashes of the standard library, its values never change.
#[derive(Debug)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

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
pub fn finding_changes(
    new: &[ReportEntry],
    sources: &Sources,
    old: &[ReportEntry],
    old_sources: &Sources,
) -> FindingChanges {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;

    fn identity(file: &str, code: &str, statement: u64) -> Identity {
        Identity { file: file.into(), code: code.into(), statement }
    }

    #[test]
    fn the_file_is_sorted_and_counts() {
        let found =
            [("b.mg", "MG301", 7), ("a b.mg", "MG301", 9), ("b.mg", "MG202", 8), ("b.mg", "MG301", 7)];
        let baseline: Baseline = found.into_iter().map(|(f, c, s)| identity(f, c, s)).collect();
        expect![[r#"
            {"mangle_ls_baseline":1}
            {"file":"a b.mg","code":"MG301","statement":"0000000000000009"}
            {"file":"b.mg","code":"MG202","statement":"0000000000000008"}
            {"file":"b.mg","code":"MG301","statement":"0000000000000007","count":2}
        "#]]
        .assert_eq(&baseline.to_string());
    }

    #[test]
    fn findings_are_taken_as_often_as_they_are_there() {
        let mut baseline: Baseline =
            [identity("a", "MG301", 1), identity("a", "MG301", 1)].into_iter().collect();
        let taken = [(); 3].map(|()| baseline.take(&identity("a", "MG301", 1)));
        assert_eq!((taken, baseline.take(&identity("a", "MG302", 1))), ([true, true, false], false));
        assert!(baseline.is_empty());
    }

    #[test]
    fn what_a_merge_leaves() {
        let row = r#"{"file":"a.mg","code":"MG301","statement":"1"}"#;
        let twice = format!("{{\"mangle_ls_baseline\":1}}\r\n{row}\r\n\r\n{row}\r\n");
        assert_eq!(Baseline::parse(&twice).unwrap().len(), 1);
        let marked = format!("{{\"mangle_ls_baseline\":1}}\n{row}\n<<<<<<< ours\n");
        let error = Baseline::parse(&marked).unwrap_err();
        assert_eq!(error.to_string(), "line 3: a merge left its marks; keep the lines of both sides");
    }

    #[test]
    fn what_is_no_baseline() {
        let why = |text: &str| Baseline::parse(text).unwrap_err().to_string();
        assert_eq!(why(""), "line 1: this is not the first line of a baseline");
        assert_eq!(why("{\"mangle_ls_baseline\":2}"), "line 1: version 2 is not known, only 1 is");
        let row = |row: &str| why(&format!("{{\"mangle_ls_baseline\":1}}\n{row}"));
        assert_eq!(row("{\"file\":\"a\"}"), "line 2: missing field `code`");
        let bad = row(r#"{"file":"a","code":"MG301","statement":"x"}"#);
        assert_eq!(bad, "line 2: `statement` has to be hexadecimal digits");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec((".{0,9}", "MG[0-9]{3}", 0..4u64), 0..12)) {
            let baseline: Baseline =
                rows.iter().map(|(file, code, statement)| identity(file, code, *statement)).collect();
            prop_assert_eq!(Baseline::parse(&baseline.to_string()), Ok(baseline.clone()));
            prop_assert_eq!(baseline.len(), rows.len());
        }
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        let hash = |text: &str| {
            let mut hasher = Fnv::default();
            hasher.write(text.as_bytes());
            hasher.finish()
        };
        // The test vectors of the hash's authors.
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
