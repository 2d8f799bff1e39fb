//! Updates with recorded results of the runtime: valid ones are generated, invalid ones are not,
//! and all notations agree.

use mangle_settings::{DecodingSettings, Profile, TranscriptSettings};
use mangle_syntax::syntax::literal::string_value;
use mangle_syntax::text::slice;
use piggyback::envelope::atoms::{Declarations, Update, UpdateContext, check};
use piggyback::envelope::json::Json;
use piggyback::envelope::plain::{self, Argument, ArgumentKind};
use serde_json::Value;

use crate::testing::{Notations, Setup, declarations, envelope};

/// The predicates of these updates, without types, so that no update is rejected because of a type.
const POLICY: &str = "Decl task_status(A, B).\nDecl observation(A, B).\nDecl modified(A).\nDecl p(A).\nDecl p(A, B).\n\
    Decl n(A).\nDecl s(A).\nDecl l(A).\nDecl flag(A).\nDecl diagnostic(A, B, C, D, E).\nDecl task_completed(A).\n\
    Decl failing_test(A, B).\nDecl x().\nDecl test_state().\nDecl test_state(A).\nDecl missing_tool_for(A, B).\n\
    Decl modified_function(A, B).\nDecl review_finding(A, B, C, D).\n";

/// A valid update that is not generated: integers have at most 18 digits.
const NOT_GENERATED: &str = "n(9223372036854775807).";

fn updates() -> Vec<String> {
    let text = include_str!("../../../../tests/conformance/envelopes/atoms.jsonl");
    let atom = |line: &str| serde_json::from_str::<Value>(line).unwrap()["atom"].as_str().unwrap().to_owned();
    text.lines().map(atom).collect()
}

/// True if an update has no findings.
fn is_good(update: &str, declarations: &Declarations) -> bool {
    let settings = TranscriptSettings::default();
    let context =
        UpdateContext { settings: &settings, declarations: Some(declarations), profile: Profile::Current };
    let literal = serde_json::to_string(update).unwrap();
    let json = Json::parse(literal.as_bytes());
    let mut found = Vec::new();
    check(&[Update::new(&json, json.root(), 0).unwrap()], &context, &mut found);
    found.is_empty()
}

/// The update in the single spelling that is generated.
pub(super) fn respelled(update: &str) -> Option<String> {
    let fact = plain::read(update)?;
    let argument = |argument: &Argument| {
        let text = slice(update, argument.range);
        match argument.kind {
            ArgumentKind::Number(number) => number.to_string(),
            ArgumentKind::String | ArgumentKind::Escaped => {
                let value = string_value(text).unwrap().replace('\\', "\\\\").replace('"', "\\\"");
                format!("\"{}\"", value.replace('\n', "\\n").replace('\t', "\\t"))
            }
            _ => text.to_owned(),
        }
    };
    let arguments: Vec<_> = fact.args.iter().map(argument).collect();
    Some(format!("{}({}).", fact.predicate, arguments.join(", ")))
}

#[test]
fn good_updates_are_generated_and_bad_ones_are_not() {
    let declarations = declarations(POLICY);
    let mut setup = Setup::new(Profile::Current).with_fields(&[]);
    setup.decoding = DecodingSettings { digits: 18, ..setup.decoding };
    let set = setup.set(&declarations);
    let mut notations = Notations::new(&set);
    let (mut good, mut wrong) = (0, Vec::new());
    let mut all = updates();
    all.extend(updates().iter().filter_map(|update| respelled(update)));
    for update in all {
        let envelope = envelope(&Value::from(update.as_str()).to_string());
        let accepted = notations.accept(&envelope);
        let is_good = is_good(&update, &declarations);
        good += usize::from(is_good);
        let is_spelled = respelled(&update).is_some_and(|respelled| respelled == update);
        let want = is_good && is_spelled && update != NOT_GENERATED;
        if accepted.iter().any(|(_, accepted)| *accepted != want) {
            wrong.push(format!("{update:?}: {accepted:?}, want {want}, good {is_good}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(good > 100, "only {good} good updates");
}
