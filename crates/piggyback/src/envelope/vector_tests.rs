//! The test vectors of the protocol, with profile `current` and no declarations: the listed
//! findings and no other error.

#![allow(clippy::unwrap_used)]

use super::testing::{current, found, severity};
use mangle_syntax::lint::Severity;

/// Returns the minimal envelope.
fn envelope(surface: &str) -> String {
    format!(
        concat!(
            r#"{{"control_packet": {{"intent_classification": {{"category": "/query", "verb": "/explain", "target": "t", "#,
            r#""constraint": "", "confidence": 0.9}}, "mangle_updates": [], "memory_operations": [], "self_correction": "#,
            r#"{{"triggered": false, "hypothesis": ""}}, "reasoning_trace": "", "knowledge_requests": [], "#,
            r#""context_feedback": {{"overall_usefulness": 0.5, "helpful_facts": [], "noise_facts": [], "#,
            r#""missing_context": ""}}, "tool_requests": []}}, "surface_response": "{}"}}"#
        ),
        surface
    )
}

/// Returns the minimal envelope with these updates, as JSON.
fn with_updates(updates: &str) -> String {
    envelope("ok").replace("\"mangle_updates\": []", &format!("\"mangle_updates\": [{updates}]"))
}

#[track_caller]
fn vector(raw: &str, expected: &str) {
    let findings = found(raw.as_bytes(), &current());
    let codes: Vec<_> = findings.iter().map(|finding| finding.rule.code).collect();
    let mut rest = codes.clone();
    let short: String = raw.chars().take(60).collect();
    for code in expected.split_whitespace() {
        let at = rest.iter().position(|found| *found == code);
        rest.remove(at.unwrap_or_else(|| panic!("{short}: no {code} among {codes:?}")));
    }
    let is_error = |finding: &&mangle_syntax::lint::Finding| severity(finding) == Some(Severity::Error);
    let others: Vec<_> =
        findings.iter().filter(is_error).filter(|finding| !expected.contains(finding.rule.code)).collect();
    assert!(
        others.is_empty(),
        "{short}: {:?}",
        others.iter().map(|found| (found.rule.code, &found.message)).collect::<Vec<_>>()
    );
}

#[test]
fn whole_envelopes() {
    let e = envelope("ok");
    vector(&e, "");
    vector(&format!("```json\n{e}\n```"), "PB004");
    vector(&format!("prefix {e} suffix"), "PB002 PB003");
    vector(&format!("\u{feff}{e}"), "");
    vector(&format!("[{e}]"), "PB016");
    vector(&serde_json::to_string(&e).unwrap(), "PB015 PB006 PB110");
}

#[test]
fn several_objects() {
    let (e, decoy) = (envelope("ok"), envelope("decoy"));
    vector(&format!("{decoy} text {e}"), "PB007 PB021");
    vector(&format!("{{\"note\":1}} {e}"), "PB005");
    vector(&format!("{{bad {decoy} }} {e}"), "PB010 PB005");
    vector(&format!("say {{x}}: {e}"), "PB005 PB002");
}

#[test]
fn hidden_envelopes() {
    let e = envelope("ok");
    vector(&format!("say {{x}} and a 5\" bar: {e}"), "PB024 PB006 PB110");
    vector(&format!("a 5\" pipe {e}"), "PB002 PB024");
    vector(&format!("{{ oops {e}"), "PB025 PB006 PB110");
    let deep = format!("{}1{}", "{\"a\":".repeat(300), "}".repeat(300));
    vector(&deep, "PB027 PB101 PB006");
}

#[test]
fn nothing_at_all() {
    vector("", "PB001");
    vector("null", "PB001");
}

#[test]
fn members() {
    let e = envelope("ok");
    vector(&e.replace("0.9", "\"0.9\""), "PB014 PB110");
    vector(&e.replace("\"ok\"}", "\"ok\", \"surface_response\": \"second\"}"), "PB012");
    let first = "{\"control_packet\": {\"mangle_updates\": [\"a(1).\"]}, ";
    let second = "\"control_packet\": {\"intent_classification\": {\"category\": \"/query\", \"verb\": \"/explain\", \
                  \"target\": \"\", \"constraint\": \"\", \"confidence\": 1}}, \"surface_response\": \"ok\"}";
    vector(&format!("{first}{second}"), "PB012");
    vector("{\"control_packet\":{},\"surface_response\":\"hi\"}", "PB121 PB103 PB124");
    let upper = "{\"CONTROL_PACKET\": {\"INTENT_CLASSIFICATION\": {\"category\": \"/query\", \"verb\": \"/explain\", \"target\": \"\", \
                 \"constraint\": \"\", \"confidence\": 1}, \"MANGLE_UPDATES\": [], \"MEMORY_OPERATIONS\": []}, \"SURFACE_RESPONSE\": \"ok\"}";
    vector(upper, "PB113 PB113 PB113 PB113 PB113");
}

#[test]
fn updates() {
    vector(&with_updates(r#""v(/a).", "v(/a)", "v.", "", " ""#), "PB203 PB202 PB228 PB228");
    vector(&with_updates(r#""a(\"`\").", "a(\"$\").", "a(\";\").", "a(\"|\").""#), "PB206 PB206 PB206 PB206");
}

#[test]
fn limits() {
    let many: Vec<_> = (0..2001).map(|at| format!("\"a({at}).\"")).collect();
    vector(&with_updates(&many.join(", ")), "PB031");
    vector(&envelope(&"x".repeat(60_000)), "PB030");
    let cut = "{\"surface_response\": \"ok\", \"control_packet\": {\"mangle_updates\": [\"a(1).\", \"b(";
    vector(cut, "PB026 PB109 PB110");
}
