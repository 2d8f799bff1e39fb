//! Tests of the recognizer against the rules: a valid envelope and, for each rule, an envelope with
//! one difference.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use super::*;
use crate::envelope::testing::{Example, rules_of_replies};
use crate::envelope::{PROFILE_INFERRED, edits};
use mangle_settings::Runtime;
use mangle_syntax::lint::Finding;

/// An envelope without findings.
const CLEAN: &str = r#"{"control_packet": {"intent_classification": {"category": "/mutation", "verb": "/fix", "target": "src/auth.go", "constraint": "none", "confidence": 0.9}, "mangle_updates": ["modified(\"src/auth.go\").", "task_status(\"t1\", /done).", "observation(\"gr\u00fcn\", \"a\\\"b\\\" 5:1 — c\")."], "memory_operations": [{"op": "note", "key": "user:style", "value": "terse"}], "self_correction": {"triggered": false, "hypothesis": ""}, "reasoning_trace": "The token is checked before the clock is set, so that each login in the first second fails; src/auth.go has to wait for the clock. The tests never saw it because they set the clock themselves before anything else happens, and so nobody noticed it until the servers were moved to the other site.", "knowledge_requests": [{"specialist": "researcher", "query": "why", "purpose": "to know", "priority": "optional"}], "context_feedback": {"overall_usefulness": 0.5, "helpful_facts": ["modified"], "noise_facts": [], "missing_context": ""}, "tool_requests": [{"id": "req_1", "tool_name": "read_file", "tool_args": {"path": "src/auth.go", "lines": [1, 2.5], "command": "ls"}, "purpose": "look", "required": true}]}, "surface_response": "I am looking at the login now."}"#;

/// The declarations of the program.
const SCHEMAS: &str = "Decl modified(Path) bound [/string].
# Status: /open, /done
Decl task_status(Task, Status) bound [/string, /name].
Decl observation(What, Text) bound [/string, /string].
Decl next_step(Task) bound [/string].
Decl recovery_action(Name) bound [/name].
Decl abductive_hypothesis(Text) bound [/string].
Decl taskState(Task) bound [/string].
Decl activation(Task) bound [/string].
Decl permitted(Task) bound [/string].
Decl reviewed(Path) bound [/string].
Decl pending_action(Id, Action, Target, Payload, At).
permitted(Action, Target, Payload) :- pending_action(_, Action, Target, Payload, _), reviewed(Target).
next_step(Task) :- task_status(Task, /done), modified(Task).
recovery_action(/fix_imports) :- abductive_hypothesis(\"missing import\").
";

/// The settings of the valid envelope.
const USUAL: &str = "[transcripts]\nprofile = \"current\"\n";

/// Settings like [`USUAL`], for the newest runtime. [`example`] inserts its name.
const NEWEST: &str = "[transcripts]\nprofile = \"current\"\nruntime = \"$newest\"\n";

/// Replies with `E` for the valid envelope and `S` for the envelope as a string.
const WHOLE: &[(&str, &str)] = &[
    ("PB001", "Sure."),
    ("PB002", "Here: E"),
    ("PB003", "E Bye."),
    ("PB004", "```json\nE\n```"),
    ("PB005", "Set {name} first. E"),
    ("PB006", "Please set {name}."),
    ("PB007", "E\nE"),
    ("PB015", "S"),
    ("PB016", "[E]"),
    ("PB017", "{\"a\": E}"),
    ("PB021", "E\nE"),
    ("PB022", "{x} E E"),
    ("PB023", "> E"),
    ("PB024", "A 5\" pipe: E"),
    ("PB025", "{ a E"),
    ("PB109", "{\"surface_response\": \"I look.\", \"control_packet\": {\"mangle_updates\": ["),
    ("PB110", "{\"control_packet\": {\"mangle_updates\": ["),
];

/// Edits of the valid envelope.
#[rustfmt::skip] // One row a rule.
const EDITS: &[(&str, &str, &str)] = &[
    ("PB010", r#""tool_requests": ["#, r#","tool_requests": ["#),
    ("PB011", "login now", r"login \ud83d now"),
    ("PB012", r#""verb": "/fix""#, r#""verb": "/fix", "verb": "/fix""#),
    ("PB013", r#""purpose": "look""#, r#""purpose": null"#),
    ("PB014", r#""required": true"#, r#""required": "true""#),
    ("PB026", r#"now."}"#, "now."),
    ("PB032", "/done).", "/done;)."),
    ("PB101", "I am looking at the login now.", ""),
    ("PB102", "control_packet", "x_control"),
    ("PB103", "mangle_updates", "x_updates"),
    ("PB104", "surface_response", "surface"),
    ("PB106", r#"{"control"#, r#"{"surface_response": "I look.", "control"#),
    ("PB108", "I am looking at the login now.", r" \n"),
    ("PB111", r#""tool_requests""#, r#""verdict": 1, "tool_requests""#),
    ("PB112", r#""tool_requests""#, r#""safety_gates": {}, "tool_requests""#),
    ("PB113", "mangle_updates", "Mangle_Updates"),
    ("PB114", "mangle_updates", "mangleUpdates"),
    ("PB121", "intent_classification", "x_intent"),
    ("PB122", r#""category": "/mutation""#, r#""category": """#),
    ("PB124", "memory_operations", "x_memory"),
    ("PB126", r#""/mutation""#, r#""mutation""#),
    ("PB127", r#""/mutation""#, r#""/mutatoin""#),
    ("PB128", r#""/fix""#, r#""/fixx""#),
    ("PB129", r#""/fix""#, r#""fix""#),
    ("PB130", "reasoning_trace", "x_trace"),
    ("PB131", "The tests never saw it because they set the clock themselves before anything else", "Nothing"),
    ("PB132", "The tests never", "The tests of main.go never"),
    ("PB133", r#""/mutation""#, r#""/query""#),
    ("PB134", "0.9", "95"),
    ("PB135", "0.9", "0.0"),
    ("PB136", r#""target": "src/auth.go""#, r#""target": "../src/auth.go""#),
    ("PB137", "login now", "password: 7hXq-9vTz-2Lm4"),
    ("PB138", "login now", r#"\"mangle_updates\": []"#),
    ("PB139", "t1", "password: 7hXq-9vTz-2Lm4"),
    ("PB202", "/done", "done"),
    ("PB203", "/done).", "/done)"),
    ("PB205", "observation(", "permitted("),
    ("PB206", "t1", "t$1"),
    ("PB207", "t1", r"\\x24"),
    ("PB208", "/done", "Status"),
    ("PB209", "/done", "fn:plus(1, 2)"),
    ("PB210", "modified(", "modifie("),
    ("PB211", "modified(", "modified(1, "),
    ("PB212", "/done", "3"),
    ("PB214", "/done).", "/done). modified(1)."),
    ("PB215", "/done).", "/done) :- modified(1)."),
    ("PB216", r#"modified(\"src/auth.go\")"#, r#"activation(\"a\")"#),
    ("PB217", "t1", "a :- b"),
    ("PB218", r#"modified(\"src/auth.go\")"#, r#"taskState(\"a\")"#),
    ("PB219", r#"modified(\"src/auth.go\")"#, r#"next_step(\"a\")"#),
    ("PB224", "/done", "/donee"),
    ("PB225", "t1", "/t1"),
    ("PB226", r#"modified(\"src/auth.go\")"#, "Decl modified(X)"),
    ("PB227", r#""modified(\"src/auth.go\").""#, r#""modified(\"src/auth.go\").", "modified(\"src/auth.go\").""#),
    ("PB228", r#""modified(\"src/auth.go\").""#, r#""""#),
    ("PB229", r#""modified("#, r#"" modified("#),
    ("PB508", "modified(", "reviewed("),
    ("PB220", r#""note", "key": "user:style""#, r#""promote_to_long_term", "key": "next_action""#),
    ("PB301", r#""note""#, r#""nota""#),
    ("PB302", r#""note", "key": "user:style", "value": "terse""#, r#""archive", "key": "user:style", "value": """#),
    ("PB303", r#""user:style""#, r#""""#),
    ("PB304", r#""terse""#, r#"" ""#),
    ("PB305", r#""note", "key": "user:style""#, r#""forget", "key": "observation""#),
    ("PB306", "user:style", "style"),
    ("PB307", r#""note", "key": "user:style", "value": "terse""#, r#""forget", "key": "modified", "value": """#),
    ("PB308", r#""note", "key": "user:style", "value": "terse""#, r#""forget", "key": "user:style", "value": """#),
    ("PB309", r#"[{"op""#, r#"[{"op": "note", "key": "user:style", "value": "long"}, {"op""#),
    ("PB311", "terse", "password: 7hXq-9vTz-2Lm4"),
    ("PB401", r#""triggered": false"#, r#""triggered": true"#),
    ("PB402", r#""hypothesis": """#, r#""hypothesis": "missing import""#),
    ("PB403", r#""triggered": false, "#, ""),
    ("PB406", r#"false, "hypothesis": """#, r#"true, "hypothesis": "missing imports""#),
    ("PB408", r#""self_correction": {"triggered": false, "hypothesis": """#, r#""abductive_hypothesis": "b", "self_correction": {"triggered": true, "hypothesis": "a""#),
    ("PB420", r#""req_1""#, r#""""#),
    ("PB421", r#""read_file""#, r#"" ""#),
    ("PB424", "2.5", "9007199254740993"),
    ("PB425", r#"{"path": "src/auth.go", "lines": [1, 2.5], "command": "ls"}"#, "null"),
    ("PB426", r#""ls""#, r#""rm  -rf /""#),
    ("PB427", "login now", "login, done"),
    ("PB430", r#""why""#, r#"" ""#),
    ("PB431", r#""optional""#, r#""high""#),
    ("PB433", r#"[{"specialist""#, r#"[{"specialist": "researcher", "query": "why"}, {"specialist""#),
    ("PB440", r#""overall_usefulness": 0.5"#, r#""overall_usefulness": 80"#),
    ("PB441", r#"["modified"]"#, r#"["modifies"]"#),
    ("PB442", r#""noise_facts": []"#, r#""noise_facts": ["modified"]"#),
    ("PB443", r#"["modified"]"#, r#"["modified(1)"]"#),
    ("PB444", "0.5", "0.1"),
];

/// Settings, a tool catalog and an edit that cause a finding for the valid envelope.
#[rustfmt::skip] // One row a rule.
const SETTINGS: &[(&str, &str, &str, &str)] = &[
    ("PB027", "[transcripts.caps]\nmax_depth = 2\n", "{\"control", "{x} {\"control"),
    ("PB028", "[transcripts.caps]\nmax_candidate = 100\n", "{\"control", "{x} {\"control"),
    ("PB030", "[transcripts.caps]\nmax_surface_length = 10\n", "", ""),
    ("PB031", "[transcripts.caps]\nmax_updates = 1\n", "", ""),
    ("PB033", "[transcripts.caps]\nmax_reasoning_trace = 10\n", "", ""),
    ("PB034", "[transcripts.caps]\nmax_memory_operations = 0\n", "", ""),
    ("PB035", "[transcripts.caps]\nmax_tool_requests = 0\n", "", ""),
    ("PB036", "[transcripts.caps]\nmax_knowledge_requests = 0\n", "", ""),
    ("PB037", NEWEST, "I am looking at the login now.", "<SURFACE_RESPONSE: your reply to the user>"),
    ("PB038", NEWEST, r#""surface_response": "#, r#""surface_response": "First.", "surface_response": "#),
    ("PB105", "[transcripts]\n", "", ""),
    ("PB115", "[transcripts]\nprofile = \"current\"\nstrict = \"schema\"\n", r#""tool_requests""#, r#""verdict": 1, "tool_requests""#),
    ("PB116", "[transcripts]\n", "{\"control", "{\"piggyback_version\": \"2.0\", \"control"),
    ("PB125", "[transcripts]\nprofile = \"current\"\nstrict = \"schema\"\n", "self_correction", "x_correction"),
    ("PB120", "[transcripts]\nprofile = \"1.3-draft\"\n", r#""tool_requests""#, r#""test_coverage_delta": "two", "tool_requests""#),
    ("PB123", "[transcripts]\nprofile = \"1.2-go\"\n", r#""constraint": "none""#, r#""constraint": """#),
    ("PB201", "[transcripts.caps]\nmax_update_length = 10\n", "", ""),
    ("PB204", "[transcripts.atoms]\ntrailing_period = \"forbidden\"\n", "", ""),
    ("PB213", "[transcripts]\nconsumer = \"perception\"\n", "", ""),
    ("PB230", NEWEST, r#"modified(\"src/auth.go\")"#, "test_state(/passing)"),
    ("PB404", "[transcripts]\nprofile = \"1.3-draft\"\n", r#""hypothesis": """#, r#""hypothesis": "", "recovery_action": "wait""#),
    ("PB432", "[transcripts]\nspecialists = [\"ada\"]\n", "\"researcher\"", "\"bob\""),
];

/// Rules that need more than one difference. For these rules, the tests use the examples of the
/// rules.
const RULES_WITH_OWN_EXAMPLE: &[&str] = &[
    "PB029", "PB117", "PB150", "PB151", "PB152", "PB153", "PB154", "PB155", "PB156", "PB157", "PB158",
    "PB159", "PB160", "PB161", "PB422", "PB423", "PB434",
];

/// Creates an example from a reply and settings.
fn example(reply: &str, settings: &str) -> Example {
    let settings =
        if settings.contains("[transcripts]") { settings.to_owned() } else { format!("{USUAL}{settings}") };
    let settings = settings.replace("$newest", &Runtime::newest().to_string());
    let mut example =
        Example::new(&format!("{reply}\n#- schemas.gl\n{SCHEMAS}#- mangle-ls.toml\n{settings}"));
    // Remove the line break that the example adds.
    example.reply.pop();
    example
}

/// Returns an envelope with one difference for each rule.
fn witnesses() -> Vec<(&'static str, Example)> {
    let string = edits::quoted(CLEAN);
    let whole = |text: &str| match text {
        "S" => string.clone(),
        text => text.replace('E', CLEAN),
    };
    let edited = |from: &str, to: &str| {
        assert!(CLEAN.contains(from), "{from}");
        CLEAN.replacen(from, to, 1)
    };
    let all = WHOLE.iter().map(|(code, text)| (*code, example(&whole(text), USUAL)));
    let all = all.chain(EDITS.iter().map(|(code, from, to)| (*code, example(&edited(from, to), USUAL))));
    let all = all.chain(
        SETTINGS.iter().map(|(code, settings, from, to)| (*code, example(&edited(from, to), settings))),
    );
    let far = rules_of_replies().filter(|rule| RULES_WITH_OWN_EXAMPLE.contains(&rule.code));
    all.chain(far.map(|rule| (rule.code, Example::new(rule.bad.trim_end())))).collect()
}

/// True if the recognizer accepts an envelope and it lacks no fields.
fn is_recognised(example: &Example) -> bool {
    let mut recogniser = Recogniser::new(example.context());
    let json = Json::parse(example.reply.as_bytes());
    recogniser.recognise(&json).is_some_and(|clean| !clean.lacks_fields)
}

/// True if the only finding is the inferred profile.
fn is_only_inferred(found: &[Finding], example: &Example) -> bool {
    let mut recogniser = Recogniser::new(example.context());
    let json = Json::parse(example.reply.as_bytes());
    let requests = recogniser.recognise(&json).unwrap().requests;
    let inferred = recogniser.inferred(requests);
    found.iter().all(|found| found.rule == &PROFILE_INFERRED && Some(found.message.as_str()) == inferred)
}

#[test]
fn a_clean_envelope_is_recognised() {
    let clean = example(CLEAN, USUAL);
    assert_eq!(
        clean.found().iter().map(|found| &found.message).collect::<Vec<_>>(),
        Vec::<&mangle_syntax::lint::SharedText>::new()
    );
    assert!(is_recognised(&clean));
    assert!(is_recognised(&example(CLEAN, NEWEST)));
    // Add new rules to `COVERED_CODES` and to the envelopes below.
    let unknown: Vec<_> =
        rules().filter(|rule| !super::COVERED_CODES.contains(&rule.code)).map(|rule| rule.name).collect();
    assert!(unknown.is_empty(), "the recogniser does not know {unknown:?}, and recognises nothing");
}

#[test]
fn fields_that_only_the_strict_schema_requires_may_be_missing() {
    let bare = r#"{"control_packet": {"intent_classification": {"category": "/query", "verb": "/explain", "target": "src/auth.go", "constraint": "none", "confidence": 0.9}, "mangle_updates": [], "memory_operations": []}, "surface_response": "I am looking at the login now."}"#;
    for settings in [USUAL, "[transcripts]\n"] {
        let bare = example(bare, settings);
        assert!(bare.found().is_empty(), "{:?}", bare.found());
        assert!(is_recognised(&bare));
    }
    let strict = example(bare, &format!("{USUAL}strict = \"schema\"\n"));
    assert!(strict.found().iter().any(|found| found.rule.name == "schema-member"), "{:?}", strict.found());
    assert!(!is_recognised(&strict));
}

#[test]
fn each_rule_has_a_witness_that_is_not_called_clean() {
    let witnesses = witnesses();
    let mut wrong = String::new();
    for (code, example) in &witnesses {
        let found = example.found();
        if !found.iter().any(|found| found.rule.code == *code) {
            let codes: Vec<_> = found.iter().map(|found| found.rule.code).collect();
            writeln!(wrong, "{code} is not found, but {codes:?}: {}", example.reply).unwrap();
        }
        if is_recognised(example) && !is_only_inferred(&found, example) {
            writeln!(wrong, "{code} is called clean: {}", example.reply).unwrap();
        }
    }
    for rule in rules().filter(|rule| !witnesses.iter().any(|(code, _)| *code == rule.code)) {
        writeln!(wrong, "{} {} has no witness", rule.code, rule.name).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn examples_of_rules_are_called_clean_only_if_nothing_is_found() {
    for rule in rules_of_replies() {
        for text in [rule.bad, rule.good] {
            let mut example = Example::new(text);
            example.reply.truncate(example.reply.trim_end().len());
            let found = example.found();
            assert!(
                !is_recognised(&example) || is_only_inferred(&found, &example),
                "{}: {found:?}",
                rule.name
            );
        }
    }
}
