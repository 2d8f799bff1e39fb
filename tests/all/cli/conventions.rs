//! Conventions of codeNERD are expected only of agents that use it.

use super::support::{folder, run};

/// A reply that breaks four conventions: no declared version, changes without a trace, a command that the second gate
/// refuses, and updates that are longer than the text.
const REPLIES: &str = "{\"control_packet\":{\"intent_classification\":{\"category\":\"/mutation\",\"verb\":\"/fix\",\
    \"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[\"note(\\\"first\\\").\"],\
    \"memory_operations\":[],\"tool_requests\":[{\"id\":\"r1\",\"tool_name\":\"bash\",\
    \"tool_args\":{\"command\":\"rm -rf build\"}}]},\"surface_response\":\"Done.\"}\n";

const CONVENTIONS: [&str; 3] = ["profile-inferred", "trace-missing", "shell-danger"];

/// The conventions that are reported about [`REPLIES`], beside `policy`.
fn reported(policy: &str, settings: &str, options: &[&str]) -> Vec<&'static str> {
    let mut files = vec![("session.piggyback.jsonl", REPLIES), ("mangle-ls.toml", settings)];
    if !policy.is_empty() {
        files.push(("policy.mg", policy));
    }
    let arguments =
        [&["check", "--format", "json", "--fail-on", "never", "--max-findings", "0"], options].concat();
    let output = run(folder(&files).path(), &arguments);
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("session.piggyback.jsonl"), "{out}");
    CONVENTIONS.into_iter().filter(|rule| out.contains(&format!("\"{rule}\""))).collect()
}

const OTHER_POLICY: &str = "Decl note(Text) bound [/string].\n";

const POLICY_OF_CODENERD: &str = "Decl note(Text) bound [/string].\nDecl permitted(Action, Target, Payload) bound [/name, /string, /string].\n";

#[test]
fn a_policy_of_codenerd_turns_them_on() {
    assert_eq!(reported(POLICY_OF_CODENERD, "", &[]), CONVENTIONS);
}

#[test]
fn another_policy_or_none_leaves_them_off() {
    assert!(reported(OTHER_POLICY, "", &[]).is_empty());
    assert!(reported("", "", &[]).is_empty());
}

#[test]
fn a_setting_or_an_option_decides() {
    assert_eq!(reported("", "[transcripts]\nruntime = \"codenerd-2026-09\"\n", &[]), CONVENTIONS);
    assert!(reported(POLICY_OF_CODENERD, "[transcripts]\nruntime = \"none\"\n", &[]).is_empty());
    assert_eq!(reported("", "", &["--runtime", "codenerd-2026-03"]), CONVENTIONS);
    assert!(reported(POLICY_OF_CODENERD, "", &["--runtime", "none"]).is_empty());
}
