//! The rules about updates: they agree with what was recorded of the runtime, their examples show them and nothing
//! else, and their fixes mend.

use crate::support;

use std::fs;

use mangle_settings::{Profile, TranscriptSettings, Vocabulary};
use mangle_syntax::lint::{Finding, Severity};
use piggyback::envelope::atoms::rules::RULES;
use piggyback::envelope::atoms::{Declarations, Update, UpdateContext, check};
use piggyback::envelope::json::Json;
use piggyback::envelope::runtime::{self, Caps, ReadUpdate};
use proptest::prelude::*;
use serde_json::Value;

/// What stands against one update, with nothing declared.
fn found(atom: &str) -> Vec<Finding> {
    let raw = serde_json::to_string(&[atom]).unwrap();
    let json = Json::parse(raw.as_bytes());
    let settings = TranscriptSettings::default();
    let judge = UpdateContext { settings: &settings, declarations: None, profile: Profile::Current };
    let mut out = Vec::new();
    check(&Update::all(&json, json.root()), &judge, &mut out);
    out
}

/// What the runtime does with an update, as a finding would have it.
fn is_lost(atom: &str) -> bool {
    let caps = Caps::default();
    runtime::reason(atom, &caps).is_some() || ReadUpdate::new(atom).fact().is_none()
}

/// Rules of which a finding says that the runtime loses the update.
const LOSSES: [&str; 9] = ["PB201", "PB202", "PB203", "PB206", "PB215", "PB217", "PB226", "PB227", "PB228"];

/// What is wrong with the findings of an update, given what the runtime does with it.
fn disagreement(atom: &str) -> Option<String> {
    let found = found(atom);
    let codes: Vec<_> = found.iter().map(|finding| finding.rule.code).collect();
    let says_lost = codes.iter().any(|code| LOSSES.contains(code));
    // A rule with the long arrow is asserted, which is worse.
    let is_rule = codes.contains(&"PB215");
    // Statements in front of a fact are read; nobody who means a fact writes them.
    let is_statement = codes.contains(&"PB226");
    (says_lost != is_lost(atom) && !is_rule && !is_statement)
        .then(|| format!("{atom:?}: lost: {}, found: {codes:?}", is_lost(atom)))
}

#[test]
fn what_the_runtime_loses_has_a_finding_and_what_it_keeps_has_none_of_these() {
    let path = support::root().join("tests/conformance/envelopes/atoms.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let atoms = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["atom"].clone());
    let wrong: Vec<_> = atoms.filter_map(|atom| disagreement(atom.as_str().unwrap())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn the_same_for_whatever_is_written(
        atom in r#"[ ]?[a-z_:A-Z]{1,5}( ?\()?(/[a-z/.]{1,5}|"[a-z/\\nx27cu{}é:|;-]{0,6}"|[A-Z_a-z]{1,3}|[0-9.e-]{1,5}|\[1\]|fn:f\(1\)|[,'"] ?){0,5}\)?(\.| |# x|@\[now\]|:-|⟸){0,3}"#
    ) {
        prop_assert_eq!(disagreement(&atom), None);
    }
}

/// The parts of an example: the reply, files of a program, settings.
fn parts(example: &str) -> (String, Vec<String>, TranscriptSettings) {
    let mut pieces = example.split("#- ");
    let reply = pieces.next().unwrap().to_owned();
    let (mut files, mut settings) = (Vec::new(), TranscriptSettings::default());
    for piece in pieces {
        let (name, text) = piece.split_once('\n').unwrap();
        match name {
            "mangle-ls.toml" => {
                let parsed = mangle_settings::parse(text, Vocabulary { rules: &[], releases: &[] });
                assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
                settings = parsed.settings.transcripts;
            }
            _ => files.push(text.to_owned()),
        }
    }
    (reply, files, settings)
}

/// What an example has against its updates.
fn judged(reply: &str, files: &[String], settings: &TranscriptSettings) -> Vec<Finding> {
    let json = Json::parse(reply.as_bytes());
    assert!(json.problems.is_empty(), "{reply}");
    let member = |object, name: &str| {
        let is_it = |key| json.string(key).is_some_and(|key| key == name);
        json.members(object).find(|member| is_it(member.key)).unwrap().value
    };
    let updates = Update::all(&json, member(member(json.root(), "control_packet"), "mangle_updates"));
    let declarations = Declarations::of(&support::program(files));
    let judge = UpdateContext { settings, declarations: Some(&declarations), profile: Profile::Current };
    let mut out = Vec::new();
    check(&updates, &judge, &mut out);
    out
}

#[test]
fn examples_show_their_rule_and_fixes_mend() {
    for rule in RULES {
        let (bad, files, settings) = parts(rule.bad);
        let found = judged(&bad, &files, &settings);
        let own: Vec<_> = found.iter().filter(|finding| finding.rule == *rule).collect();
        assert!(!own.is_empty(), "{}: the bad example does not show it: {found:?}", rule.code);
        let others = found.iter().filter(|finding| {
            finding.rule != *rule && finding.severity.or(finding.rule.severity) == Some(Severity::Error)
        });
        assert_eq!(others.count(), 0, "{}: {found:?}", rule.code);
        let (good, good_files, good_settings) = parts(rule.good);
        let left = judged(&good, &good_files, &good_settings);
        assert!(left.is_empty(), "{}: the good example has {left:?}", rule.code);
        for fix in own.iter().filter_map(|finding| finding.fix.as_ref()) {
            let mut edits: Vec<_> =
                fix.edits.iter().map(|edit| (edit.span.range, edit.text.as_str())).collect();
            edits.sort_by_key(|(range, _)| range.start());
            let mended = mangle_syntax::text::apply(&bad, edits).unwrap();
            let left = judged(&mended, &files, &settings);
            assert!(left.iter().all(|finding| finding.rule != *rule), "{}: {mended}", rule.code);
        }
    }
}
