//! The rules about updates agree with what was recorded of the runtime.

use crate::support;

use std::fs;

use mangle_settings::{Profile, TranscriptSettings};
use mangle_syntax::lint::Finding;
use piggyback::envelope::atoms::{Update, UpdateContext, check};
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
    runtime::reason(atom, &caps).is_some() || ReadUpdate::new(atom, caps.runtime).fact().is_none()
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
