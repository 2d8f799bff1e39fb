//! Tests that the number of steps of each detector is linear in the length of the text, for any
//! repeated text.

use super::*;

/// Returns the number of steps of all detectors for a text.
fn steps_of(text: &str) -> usize {
    steps::take();
    let _ = (secrets(text), search(text), is_free(text));
    let context = SecretContext::from_text(text);
    let _ = context.occurs_in(text);
    steps::take()
}

/// The maximum number of steps per byte. A quadratic detector exceeds it.
const MAX_STEPS_A_BYTE: usize = 400;

fn check(unit: &str) {
    let text = |bytes: usize| unit.repeat(bytes / unit.len() + 1);
    let (small, large) = (steps_of(&text(1_000)), steps_of(&text(4_000)));
    assert!(large < 4_000 * MAX_STEPS_A_BYTE, "{large} steps for 4 kB of {unit:?}");
    assert!(large < 5 * small + 20_000, "{small} and {large} steps for 1 kB and 4 kB of {unit:?}");
}

/// Separators between the repetitions.
const BETWEEN: [&str; 12] = ["", ".", "/", "-", "_", "=", ":", "@", "a", "A1", "\\", " "];

#[test]
fn key_formats_are_linear() {
    for beginning in key_formats::beginnings() {
        for between in BETWEEN {
            check(&format!("{beginning}{between}"));
        }
        check(&format!("x{beginning}a1"));
        check(&format!("{beginning}ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        check(&format!("{beginning}{}/", "a1B".repeat(30)));
    }
}

#[test]
fn names_are_linear() {
    for name in labels::words() {
        for unit in [
            "{}: x ",
            "{}=",
            "{}:",
            "{}(\"a\", \"",
            "{} is ",
            "--{} ",
            "{}=x1!y2z3&",
            "\"{}\": \"",
            "{}{}{}=",
        ] {
            check(&unit.replace("{}", name));
        }
    }
}

#[test]
fn other_detectors_are_linear() {
    for unit in [
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- -----END ",
        "-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----\n",
        "://",
        "a://b:c@",
        "://a:",
        "://a:b/",
        "a://b:s3cret@h/x ",
        ":AA",
        "12345678:AA",
        "12345678:AAbcdefghijklmnopqrstuvwxyz01234/",
        "Q~",
        "abc1Q~",
        "abc1Q~abcdefghijklmnopqrstuvwxyz01234 ",
        "=",
        "a=",
        "a:",
        "q8Zt3kLw9XcV2bNm7RfY",
        "q8Zt3kLw9XcV2bNm7RfY=",
        "q8Zt3kLw9XcV2bNm7RfY:",
        "q8Zt3kLw9XcV2bNm7RfY ",
        "\\",
        "\\\\\"",
        "\\u0061",
        "\\u{61}",
        "\u{200b}",
        "\u{a0}",
        "'",
        "\"password\": \"",
        "é",
    ] {
        check(unit);
    }
}
