//! Tests of the properties in the table of targets.

use mangle_settings::Profile;
use piggyback::envelope;
use serde_json::Value;

use crate::EnvelopeSet;
use crate::reading::{read_bnf, read_lark, read_pattern};
use crate::target::{Dialect, Order, TARGETS};
use crate::testing::{Setup, declarations, written};

const POLICY: &str = "# Status: /open, /done\nDecl task_status(Task, Status) bound [/string, /name].\n\
    Decl ratio(R) bound [/float64].\nDecl any_of(A, B).\nDecl mixed(A) bound [.Union</string, .List</string>>].\n";

/// The envelopes of the version with the most fields.
fn set() -> EnvelopeSet {
    Setup::new(Profile::Draft1_3).set(&declarations(POLICY))
}

#[test]
fn rules_that_remain_exist() {
    let set = set();
    let codes: Vec<_> = envelope::rules().map(|rule| rule.code).collect();
    let dropped = TARGETS.iter().flat_map(|target| {
        let of_dialect = |dialect: &Dialect| written(target.name, *dialect, &set).dropped;
        target.dialects.iter().flat_map(of_dialect).collect::<Vec<_>>()
    });
    let mut seen = 0;
    for remaining in dropped.chain(set.remaining.clone()) {
        assert!(codes.contains(&remaining.rule), "{remaining:?}");
        assert!(!remaining.what.ends_with('.'), "{remaining:?}");
        seen += 1;
    }
    assert!(seen > 40, "only {seen}");
}

/// The keywords of a schema: keys that are not names of properties.
fn keywords(schema: &Value, found: &mut Vec<String>) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        found.push(key.clone());
        match key.as_str() {
            "properties" | "patternProperties" => {
                value.as_object().into_iter().flatten().for_each(|(_, inner)| keywords(inner, found));
            }
            "items" => keywords(value, found),
            "anyOf" => value.as_array().into_iter().flatten().for_each(|inner| keywords(inner, found)),
            _ => {}
        }
    }
}

#[test]
fn schemas_have_only_their_keywords_and_stay_within_limits() {
    let set = set();
    for target in TARGETS.into_iter().filter(|target| target.is_schema()) {
        for dialect in target.dialects {
            let output = written(target.name, *dialect, &set);
            let mut found = Vec::new();
            keywords(&serde_json::from_str(&output.text).unwrap(), &mut found);
            let foreign: Vec<_> =
                found.into_iter().filter(|word| !target.keywords.contains(&word.as_str())).collect();
            assert!(foreign.is_empty(), "{}: {foreign:?}", target.name);
            assert_eq!(output.exceeded, Vec::<String>::new(), "{}", target.name);
            let has_ordering = output.text.contains("propertyOrdering");
            assert_eq!(has_ordering, target.order == Order::PropertyOrdering, "{}", target.name);
        }
    }
}

/// A generated file parses to the original set.
#[test]
fn notations_say_the_same() {
    let set = set();
    let (json, text) = (set.json(), |target| written(target, Dialect::Raw, &set).text);
    let read = [
        read_bnf(&text("gbnf")).unwrap(),
        read_bnf(&text("ebnf")).unwrap(),
        read_lark(&text("lark")).unwrap(),
        read_pattern(text("regex").trim_end()).unwrap(),
    ];
    let sample = json.sample();
    for grammar in read {
        assert_eq!((grammar.longest(), grammar.longest_chars()), (json.longest(), json.longest_chars()));
        assert!(grammar.accepts(&sample));
    }
    assert!(sample.len() <= json.longest());
}

/// The limits of `OpenAI` and Anthropic hold for the largest known policy, with 1,454 declarations.
#[test]
fn many_predicates_stay_within_limits() {
    let policy: String = (0..1_454)
        .map(|at| format!("Decl predicate_number_{at}(A, B, C) bound [/string, /name, /number].\n"))
        .collect();
    let set = Setup::new(Profile::Current).set(&declarations(&policy));
    assert_eq!((set.predicates.len(), set.omitted.len()), (100, 1_354));
    for target in TARGETS {
        assert_eq!(written(target.name, target.usual_dialect(), &set).exceeded, Vec::<String>::new());
    }
}
