//! Baseline: a file with the known findings of a project, which are not reported again.
//!
//! The file has one JSON object for each line, sorted so that branches merge line by line. Findings
//! are identified by their [`Identity`] and counted.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Identity;

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use expect_test::expect;
    use proptest::prelude::*;

    use super::*;

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
}
