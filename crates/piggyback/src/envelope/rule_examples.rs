//! The examples of the rules about replies are tried: `bad` has its finding and no other error, `good` has neither it nor
//! anything grave, and fixes mend. An example is one reply; a line `#- NAME` begins a file that goes with it.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::atoms::Declarations;
use super::testing::severity;
use super::{Catalogue, Reply, ReplyContext, check, edits, rules};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::TranscriptSettings;
use mangle_syntax::lint::{Finding, FixKind, Rule, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// A reply, and what it is judged by.
pub(crate) struct Example {
    pub(crate) reply: String,
    settings: TranscriptSettings,
    declarations: Option<Declarations>,
    tools: Option<Catalogue>,
}

impl Example {
    pub(crate) fn new(text: &str) -> Self {
        let (mut reply, mut files) = (String::new(), Vec::<(String, String)>::new());
        for line in text.split_inclusive('\n') {
            match (line.strip_prefix("#- "), files.last_mut()) {
                (Some(name), _) => files.push((name.trim().to_owned(), String::new())),
                (None, Some((_, text))) => text.push_str(line),
                (None, None) => reply.push_str(line),
            }
        }
        let file = |wanted: &str| files.iter().find(|(name, _)| name == wanted).map(|(_, text)| text);
        let vocabulary = mangle_settings::Vocabulary { rules: &[], releases: &[] };
        let settings = file("mangle-ls.toml").map(|text| mangle_settings::parse(text, vocabulary));
        let is_policy = |name: &str| name.ends_with(".mg") || name.ends_with(".gl");
        let policies = files.iter().filter(|(name, _)| is_policy(name)).zip(0..);
        let summaries: Vec<_> = policies
            .map(|((_, text), id)| {
                Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())))
            })
            .collect();
        let declarations = (!summaries.is_empty()).then(|| Declarations::of(&Program::new(summaries)));
        let tools = file("tools.json").map(|text| Catalogue::parse(text.as_bytes()).unwrap());
        let settings = settings.inspect(|parsed| assert!(parsed.findings.is_empty(), "{text}"));
        let settings = settings.map(|parsed| parsed.settings.transcripts).unwrap_or_default();
        Self { reply, settings, declarations, tools }
    }

    pub(crate) fn context(&self) -> ReplyContext<'_> {
        ReplyContext {
            declarations: self.declarations.as_ref(),
            tools: self.tools.as_ref(),
            ..ReplyContext::new(&self.settings)
        }
    }

    pub(super) fn found(&self) -> Vec<Finding> {
        check(&Reply::new(self.reply.as_bytes(), &self.settings.caps_of(None, None)), &self.context())
    }

    /// The same with the first fix of a rule.
    pub(super) fn mended(mut self, rule: &Rule) -> Option<Self> {
        let found = self.found();
        let fix = found.iter().filter(|found| found.rule == rule).find_map(|found| found.fix.as_ref())?;
        self.reply = String::from_utf8(edits::applied(self.reply.as_bytes(), fix)?).unwrap();
        Some(self)
    }
}

/// What follows from other findings by itself: what the user sees when there is no envelope, and that the end is missing.
const CONSEQUENCES: [&str; 4] = ["PB006", "PB110", "PB026", "PB101"];

fn told(found: &[Finding]) -> String {
    let line = |found: &Finding| format!("  {} {:?}: {}\n", found.rule.code, severity(found), found.message);
    found.iter().map(line).collect()
}

/// The rules whose examples are one reply.
pub(super) fn rules_of_replies() -> impl Iterator<Item = &'static Rule> {
    rules().filter(|rule| !rule.bad.starts_with("#- "))
}

#[test]
fn bad_examples_have_their_finding_and_no_other_error() {
    let mut wrong = String::new();
    for rule in rules_of_replies() {
        let found = Example::new(rule.bad).found();
        let has_it = found.iter().any(|found| found.rule == rule);
        let is_other = |found: &Finding| {
            found.rule != rule
                && severity(found) == Some(Severity::Error)
                && !CONSEQUENCES.contains(&found.rule.code)
        };
        if !has_it || found.iter().any(is_other) {
            wrong += &format!("{} {}:\n{}", rule.code, rule.name, told(&found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn good_examples_have_nothing_grave() {
    let mut wrong = String::new();
    for rule in rules_of_replies() {
        let example = Example::new(rule.good);
        let found = example.found();
        let is_bad = |found: &Finding| found.rule == rule || severity(found) >= Some(Severity::Warning);
        if example.reply.is_empty() || found.iter().any(is_bad) {
            wrong += &format!("{} {}:\n{}", rule.code, rule.name, told(&found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn fixes_mend_their_bad_example() {
    let mut wrong = String::new();
    for rule in rules_of_replies().filter(|rule| rule.fix != FixKind::None) {
        let before = Example::new(rule.bad).found();
        let Some(mended) = Example::new(rule.bad).mended(rule) else {
            wrong += &format!("{} {}: no fix\n", rule.code, rule.name);
            continue;
        };
        let left = mended.found();
        let count = |found: &[Finding]| found.iter().filter(|found| found.rule == rule).count();
        let is_grave = |found: &Finding| severity(found) == Some(Severity::Error) && found.rule != rule;
        if count(&left) >= count(&before) || left.iter().any(is_grave) {
            wrong += &format!("{} {}:\n{}{}", rule.code, rule.name, mended.reply, told(&left));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_that_offers_a_fix_says_so() {
    for rule in rules_of_replies().filter(|rule| rule.fix == FixKind::None) {
        let found = Example::new(rule.bad).found();
        let fix = found.iter().filter(|found| found.rule == rule).find_map(|found| found.fix.as_ref());
        assert!(fix.is_none(), "{}: {fix:?}", rule.name);
    }
}
