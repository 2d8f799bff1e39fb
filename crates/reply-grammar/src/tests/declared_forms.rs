//! Tests of declarations of all forms, including unusual ones.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use mangle_settings::{Consumer, Profile};

use crate::EnvelopeSet;
use crate::pattern::{PatternStyle, pattern};
use crate::target::{Dialect, TARGETS};
use crate::testing::{Setup, declarations, written};
use crate::value::Value;

/// The updates of a set, with placeholders for strings, names and integers.
fn updates(set: &EnvelopeSet) -> String {
    let Value::Object(channels) = &set.value else { panic!("no object") };
    let control = channels.iter().find(|channel| channel.name == "control_packet").unwrap();
    let Value::Object(fields) = &control.value else { panic!("no object") };
    let updates = fields.iter().find(|field| field.name == "mangle_updates").unwrap();
    let Value::List(element, _, most) = &updates.value else { panic!("no list") };
    let Value::Text(_, expr) = &**element else { panic!("no text") };
    let mut out = if *most == 0 { "none".to_owned() } else { pattern(expr, PatternStyle::default()) };
    for rule in expr.rules() {
        out = out.replace(&pattern(&rule.body, PatternStyle::default()), &format!("<{}>", rule.name));
    }
    out.replace("\\)\\.|", "\\)\\.\n")
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(policy: &str, setup: &Setup, expect: Expect) {
    let set = setup.set(&declarations(policy));
    let mut out = updates(&set) + "\n";
    for omitted in &set.omitted {
        writeln!(out, "omitted {}/{}: {}", omitted.predicate.name, omitted.predicate.arity, omitted.why)
            .unwrap();
    }
    for remaining in set.remaining.iter().filter(|one| one.what.contains('/')) {
        writeln!(out, "{}: {}", remaining.rule, remaining.what).unwrap();
    }
    expect.assert_eq(&out);
    for target in TARGETS {
        for dialect in target.dialects {
            assert!(!written(target.name, *dialect, &set).text.is_empty(), "{}", target.name);
        }
    }
}

fn current() -> Setup {
    Setup::new(Profile::Current).with_fields(&[])
}

#[test]
fn bounds_become_expressions() {
    check(
        "Decl a(X, Y) bound [/string, /name].\nDecl b(X) bound [/number].\nDecl c(X) bound [/float64].\n\
         Decl d(X) bound [/status].\nDecl e(X).\nDecl f().\n",
        &current(),
        expect![[r#"
            a\(<string>, <name>\)\.
            b\((<integer>)\)\.
            c\(<float>\)\.
            d\(/status/<name_part>\)\.
            e\((<name>|<string>|<integer>)\)\.
            f\(\)\.
            PB225: the runtime stores some arguments of `c/1` as values of another kind
        "#]],
    );
}

#[test]
fn unions_and_alternatives() {
    check(
        "Decl a(X) bound [.Union</string, /number, .Singleton</none>>].\nDecl b(X, Y) bound [/string, /name] bound [/number, /name].\n\
         Decl c(X) bound [.Union</string, .List</string>>].\n",
        &current(),
        expect![[r#"
            a\((/none|<integer>|<string>)\)\.
            b\((<string>, <name>|(<integer>), <name>)\)\.
            c\(<string>\)\.
            PB212: some values of the declared types of `c/1` are not generated
        "#]],
    );
}

#[test]
fn what_no_update_can_hold_is_omitted() {
    check(
        "Decl a(X) bound [.List</string>].\nDecl b(X) bound [.Struct</k : /string>].\nDecl c(X, Y) bound [/name, .Option</name>].\n\
         Decl d(X) bound [/time].\nDecl e(X) bound [.Map</name, .List<.List</any>>>].\nDecl g(X) bound [.Pair</a, /b>].\n",
        &current(),
        expect![[r#"
            none
            omitted a/1: no update can hold a value of `.List</string>` in argument 1 (`X`)
            omitted b/1: no update can hold a value of `.Struct</k : /string>` in argument 1 (`X`)
            omitted c/2: no update can hold a value of `.Option</name>` in argument 2 (`Y`)
            omitted d/1: no update can hold a value of `/time` in argument 1 (`X`)
            omitted e/1: no update can hold a value of `.Map</name, .List<.List</any>>>` in argument 1 (`X`)
            omitted g/1: no update can hold a value of `.Pair</a, /b>` in argument 1 (`X`)
        "#]],
    );
}

#[test]
fn listed_names() {
    check(
        "# Status: /open, /done, /a/b/c, /x.json\nDecl a(Status) bound [/name].\n# Kind: /status/open, /other\nDecl b(Kind) bound [/status].\n\
         # Kind: /nothing, /else\nDecl c(Kind) bound [/status].\n# Kind: /x, /y\nDecl d(Kind).\n# Kind: /x, /y\nDecl e(Kind) bound [/string].\n",
        &current(),
        expect![[r#"
            a\((/x\.json|/a/b/c|/done|/open)\)\.
            b\(/status/open\)\.
            c\(/status/<name_part>\)\.
            d\((/x|/y)\)\.
            e\(<string>\)\.
            PB225: the runtime stores some arguments of `a/1` as values of another kind
        "#]],
    );
}

#[test]
fn names_with_dots_and_packages() {
    check(
        "Package a.b!\nDecl c(X) bound [/name].\nDecl deep(X) bound [/one/two/three].\n",
        &current(),
        expect![[r#"
            a\.b\.c\(<name>\)\.
            a\.b\.deep\(/one/two/three/<name_part>\)\.
            PB225: the runtime stores some arguments of `a.b.deep/1` as values of another kind
        "#]],
    );
}

#[test]
fn contradicting_declarations_and_derived_predicates() {
    check(
        "Decl a(X) bound [/string].\nDecl a(X) bound [/number].\nDecl a(X, Y) bound [/string, /string].\nDecl b(X).\nb(X) :- a(X).\n\
         Decl permitted(A, B, C).\n",
        &current(),
        expect![[r#"
            a\(<string>\)\.
            a\(<string>, <string>\)\.
        "#]],
    );
}

#[test]
fn long_lists_of_names_become_any_name() {
    let names: Vec<_> = (0..10_000).map(|number| format!("/name_of_number_{number}")).collect();
    let policy = format!("# Kind: {}\nDecl a(Kind) bound [/name].\n", names.join(", "));
    check(
        &policy,
        &current(),
        expect![[r#"
        a\(<name>\)\.
        PB224: `a/1` may have names that its declaration does not list
    "#]],
    );
    let mut setup = current();
    setup.decoding.max_names = 20_000;
    let set = setup.set(&declarations(&policy));
    for target in TARGETS {
        let output = written(target.name, target.usual_dialect(), &set);
        assert_eq!(
            output.text.contains("/name_of_number_9999"),
            target.usual_dialect() != Dialect::None,
            "{}",
            target.name
        );
        assert_eq!(output.exceeded.is_empty(), target.name != "openai", "{:?}", output.exceeded);
    }
}

#[test]
fn the_most_relevant_predicates_are_taken() {
    let mut policy: String = (0..120).map(|number| format!("Decl p{number}(X) bound [/string].\n")).collect();
    policy += "Decl task_status(A, B) bound [/string, /name].\nDecl used(X) bound [/string].\nDecl d(X).\nd(X) :- used(X).\n";
    let mut setup = current();
    setup.decoding.predicates = vec!["p77".to_owned()];
    let set = setup.set(&declarations(&policy));
    let first: Vec<_> = set.predicates.iter().take(4).map(|one| one.name.as_str()).collect();
    assert_eq!(first, ["p77", "task_status", "used", "p0"]);
    assert_eq!((set.predicates.len(), set.omitted.len()), (100, 22));
    assert_eq!(set.omitted[0].why, "`max_predicates` is 100");
}

#[test]
fn protected_predicates_are_never_generated() {
    let mut setup = current();
    let own = Consumer {
        predicates: vec!["permitted".into(), "a".into()],
        protected: false,
        ..Consumer::default()
    };
    setup.transcripts.consumers.insert("own".to_owned(), own);
    setup.transcripts.consumer = Some("own".to_owned());
    check(
        "Decl permitted(A, B, C).\nDecl a(X) bound [/name].\n",
        &setup,
        expect![[r#"
        a\(<name>\)\.
    "#]],
    );
}

#[test]
fn a_consumer_that_accepts_nothing_leaves_no_update() {
    let mut setup = current();
    setup.transcripts.consumer = Some("perception".to_owned());
    check(
        "Decl a(X) bound [/string].\n",
        &setup,
        expect![[r#"
        none
    "#]],
    );
    setup.profile = Some(Profile::V1_1Bnf);
    let error = setup.try_set(&declarations("Decl a(X) bound [/string].\n")).unwrap_err();
    expect!["version 1.1-bnf requires an update, and consumer `perception` accepts no declared predicate"]
        .assert_eq(&error.to_string());
}

#[test]
fn unknown_fields_are_an_error() {
    let error =
        Setup::new(Profile::V1_1).with_fields(&["tool_requests"]).try_set(&declarations("")).unwrap_err();
    expect!["version 1.1 has no field `tool_requests`"].assert_eq(&error.to_string());
}

/// The fields of the control packet of each version, in order.
#[test]
fn each_version_has_its_fields() {
    let mut out = String::new();
    for profile in Profile::ALL {
        let set = Setup::new(profile).set(&declarations("Decl a(X) bound [/string].\n"));
        let Value::Object(channels) = &set.value else { panic!("no object") };
        for channel in channels {
            let fields = match &channel.value {
                Value::Object(fields) => fields.iter().map(|field| field.name).collect::<Vec<_>>().join(" "),
                _ => String::new(),
            };
            writeln!(out, "{profile} {}: {fields}", channel.name).unwrap();
        }
    }
    expect![[r#"
        1.1 surface_response: 
        1.1 control_packet: intent_classification mangle_updates memory_operations self_correction
        1.1-bnf surface_response: 
        1.1-bnf control_packet: mangle_updates memory_operations
        1.2 control_packet: intent_classification mangle_updates memory_operations self_correction reasoning_trace execution_metadata state_transitions impact_analysis safety_gates learning_signals
        1.2 surface_response: 
        1.2-go control_packet: intent_classification mangle_updates memory_operations self_correction reasoning_trace
        1.2-go surface_response: 
        current control_packet: intent_classification mangle_updates memory_operations self_correction reasoning_trace knowledge_requests context_feedback tool_requests
        current surface_response: 
        1.3-draft control_packet: intent_classification mangle_updates memory_operations self_correction reasoning_trace knowledge_requests context_feedback tool_requests execution_metadata state_transitions impact_analysis safety_gates learning_signals
        1.3-draft surface_response: 
    "#]].assert_eq(&out);
}

/// Modes affect queries and do not restrict facts.
#[test]
fn external_predicates_cannot_be_asserted() {
    check(
        "Decl a(X) descr [external(), mode(\"+\")] bound [/string].\n\
         Decl b(X, Y) descr [mode(\"+\", \"-\")] bound [/string, /string].\n",
        &current(),
        expect![[r#"
            b\(<string>, <string>\)\.
        "#]],
    );
}
