//! The examples of the rules are tried: `bad` has its finding and no other error, `good` has neither it nor anything
//! grave, and fixes mend.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::envelope::ReplyContext;
use mangle_settings::TranscriptSettings;
use mangle_syntax::lint::{FixKind, Severity};

/// The file of an example, and what it is judged by.
struct Example {
    name: String,
    bytes: Vec<u8>,
    settings: TranscriptSettings,
    limits: Limits,
}

impl Example {
    /// An example in parts; the first is the transcript. Its name may say that `\xHH` is a byte.
    fn new(text: &str) -> Self {
        let mut parts: Vec<(&str, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("#- ") {
                Some(name) => parts.push((name.trim(), String::new())),
                None => parts.last_mut().unwrap().1.push_str(line),
            }
        }
        let find = |name: &str| parts.iter().find(|(part, _)| *part == name).map(|(_, text)| text.as_str());
        let settings = find("mangle-ls.toml").map(settings).unwrap_or_default();
        let limits =
            find(".nerd/config.json").map(|text| Limits::of_config(text.as_bytes())).unwrap_or_default();
        let (name, text) = &parts[0];
        let bytes = match name.contains("\\xHH") {
            true => with_bytes(text),
            false => text.clone().into_bytes(),
        };
        Self { name: name.split(' ').next().unwrap().to_owned(), bytes, settings, limits }
    }

    fn found(&self) -> Vec<TranscriptFinding> {
        let mut out = Vec::new();
        let mut checker = Checker::new(ReplyContext::new(&self.settings), self.limits.clone());
        let mut reader = TranscriptReader::new(TranscriptOptions {
            name: self.name.clone(),
            ..TranscriptOptions::default()
        });
        let mut each = |record: &Record<'_>| checker.record(record, &mut out);
        reader.feed(&self.bytes, &mut each);
        let summary = reader.finish(&mut each);
        checker.finish(&summary, &mut out);
        out
    }

    /// The file with the fixes of a rule.
    fn mended(&self, rule: &Rule) -> Self {
        let found = self.found();
        let fixes = found.iter().filter(|found| found.finding.rule == rule);
        let mut edits: Vec<_> = fixes
            .flat_map(|found| {
                let edits = found.finding.fix.iter().flat_map(|fix| &fix.edits);
                edits.map(move |edit| {
                    let start = usize::try_from(found.start).unwrap();
                    (
                        start + usize::from(edit.span.range.start())
                            ..start + usize::from(edit.span.range.end()),
                        &edit.text,
                    )
                })
            })
            .collect();
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut bytes = self.bytes.clone();
        for (range, text) in edits {
            bytes.splice(range, text.bytes());
        }
        let Self { name, settings, limits, .. } = self;
        Self { name: name.clone(), bytes, settings: settings.clone(), limits: limits.clone() }
    }
}

fn settings(text: &str) -> TranscriptSettings {
    mangle_settings::parse(text, mangle_settings::Vocabulary { rules: &[], releases: &[] })
        .settings
        .transcripts
}

/// A text in which `\xHH` is a byte.
fn with_bytes(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

fn severity(found: &TranscriptFinding) -> Option<Severity> {
    found.finding.severity.or(found.finding.rule.severity)
}

fn told(found: &[TranscriptFinding]) -> String {
    let lines = found.iter().map(|found| {
        format!(
            "  {} {} {}: {}\n",
            found.finding.rule.code, found.record, found.address, found.finding.message
        )
    });
    lines.collect()
}

/// The rules whose examples are transcripts; those about configurations of the runtime are tried in [`settings`].
fn rules_of_transcripts() -> impl Iterator<Item = &'static Rule> {
    rules().filter(|rule| !rule.bad.starts_with(&format!("#- {}", settings::PATH)))
}

#[test]
fn bad_examples_have_their_finding_and_no_other_error() {
    let mut wrong = String::new();
    for rule in rules_of_transcripts() {
        let found = Example::new(rule.bad).found();
        let has_it = found.iter().any(|found| found.finding.rule == rule);
        let is_other = |found: &&TranscriptFinding| {
            found.finding.rule != rule && severity(found) == Some(Severity::Error)
        };
        if !has_it || (found.iter().any(|found| is_other(&found)) && !is_about_repair(rule)) {
            wrong += &format!("{} {}:\n{}", rule.code, rule.name, told(&found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A reply that is sent back has errors.
fn is_about_repair(rule: &Rule) -> bool {
    matches!(rule.code, "PB018" | "PB019")
}

#[test]
fn good_examples_have_nothing_grave() {
    let mut wrong = String::new();
    for rule in rules_of_transcripts() {
        let found = Example::new(rule.good).found();
        let is_bad = |found: &TranscriptFinding| {
            found.finding.rule == rule || severity(found) >= Some(Severity::Warning)
        };
        if found.iter().any(is_bad) {
            wrong += &format!("{} {}:\n{}", rule.code, rule.name, told(&found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn fixes_mend_their_bad_example() {
    let mut wrong = String::new();
    for rule in rules_of_transcripts().filter(|rule| is_fixed(rule)) {
        let bad = Example::new(rule.bad);
        let mended = bad.mended(rule);
        let left = mended.found();
        let is_left = |found: &TranscriptFinding| {
            found.finding.rule == rule || severity(found) == Some(Severity::Error)
        };
        if mended.bytes == bad.bytes || left.iter().any(is_left) {
            wrong += &format!("{} {}:\n{}", rule.code, String::from_utf8_lossy(&mended.bytes), told(&left));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Whether a rule says that it has a fix that edits.
fn is_fixed(rule: &Rule) -> bool {
    matches!(rule.fix, FixKind::Safe | FixKind::Unsafe)
}

#[test]
fn captures_keep_every_word_and_rules_declare_it() {
    let mut wrong = String::new();
    let of_replies = crate::envelope::rules().filter(|rule| !rule.bad.starts_with("#- "));
    let examples = of_replies.map(|rule| (rule, format!("#- reply.txt\n{}", rule.bad)));
    let all = examples.chain(rules_of_transcripts().map(|rule| (rule, rule.bad.to_owned())));
    for (rule, bad) in all {
        let found = Example::new(&bad).found();
        let own: Vec<_> = found.iter().filter(|found| found.finding.rule == rule).collect();
        let (has_fix, has_help) = (
            own.iter().any(|found| found.finding.fix.is_some()),
            own.iter().any(|found| found.finding.help.is_some()),
        );
        // A rule without a fix may say what to do as well.
        let lacks_help = rule.fix == FixKind::Suggestion && (has_fix || !has_help);
        if !own.is_empty() && (has_fix != is_fixed(rule) || lacks_help) {
            wrong += &format!("{} {}: fix {has_fix}, help {has_help}\n", rule.code, rule.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn texts_of_findings_have_their_form() {
    let of_replies = crate::envelope::rules().filter(|rule| !rule.bad.starts_with("#- "));
    let examples = of_replies.map(|rule| format!("#- reply.txt\n{}", rule.bad));
    let all = examples.chain(rules_of_transcripts().map(|rule| rule.bad.to_owned()));
    let found = all.flat_map(|bad| Example::new(&bad).found());
    let faults: std::collections::BTreeSet<_> =
        found.flat_map(|found| mangle_syntax::lint::wording::faults(&found.finding)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn codes_are_unique() {
    let mut codes: Vec<_> = rules().map(|rule| rule.code).collect();
    codes.sort_unstable();
    let before = codes.len();
    codes.dedup();
    assert_eq!(codes.len(), before);
}
