//! Random envelopes from an engine. Each one must parse as a whole and keep all updates.

use mangle_settings::{Consumer, Profile};
use mangle_syntax::lint::Severity;
use piggyback::envelope::runtime::{FilterVerdict, ReadUpdate, Stage, Warning, consumer_of, read};
use piggyback::envelope::{Reply, ReplyContext, check};

use crate::target::Dialect;
use crate::testing::{Engine, Random, Setup, declarations, written};

/// The variable with the number of envelopes for each policy. Use it with `cargo test --release`
/// for more samples.
const COUNT: &str = "REPLY_GRAMMAR_SAMPLES";

fn count() -> usize {
    std::env::var(COUNT).ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

const SMALL: &str = "# Status: /open, /done\nDecl task_status(Task, Status) bound [/string, /name].\n\
    Decl observation(A, B) bound [/string, /string].\n";

const TYPED: &str = "Decl note(A) bound [/string] bound [/number].\nDecl any_of(A, B).\nDecl ratio(A) bound [/float64].\n\
    Decl state(A) bound [/status].\nDecl mixed(A) bound [.Union</string, .Singleton</none>, .List</string>>].\n";

const ALLOWED: &str = "Decl diagnostic(S, F, L, C, M) bound [/name, /string, /number, /string, /string].\n\
    Decl modified(F) bound [/string].\nDecl secret(A).\n";

/// Samples envelopes of one policy, and checks each one.
#[track_caller]
fn sample(policy: &str, setup: &Setup, target: &str) {
    let declarations = declarations(policy);
    let set = setup.set(&declarations);
    let dialect = if target == "lark" { Dialect::Raw } else { Dialect::Decoded };
    let text = written(target, dialect, &set).text;
    let mut engine = if target == "lark" { Engine::of_lark(&text) } else { Engine::of_schema(&text) };
    let longest = set.json().longest();
    let mut settings = setup.transcripts.clone();
    settings.profile = Some(set.profile);
    let mut context = ReplyContext::new(&settings);
    context.declarations = Some(&declarations);
    for seed in 0..count() {
        let reply = engine.random(&mut Random::new(seed as u64 + 1));
        let shown = String::from_utf8_lossy(&reply);
        assert!(reply.len() <= longest, "{} bytes, not {longest}: {shown}", reply.len());
        assert!(set.json().accepts(&shown), "{target} allows {shown}");
        let caps = settings.limits_for(None, None);
        let reading = read(&reply, &caps).unwrap();
        assert_eq!(reading.stage, Stage::Whole, "{shown}");
        let kept = reading.accepted.unwrap().kept;
        assert!(kept.dropped.is_empty(), "{:?} in {shown}", reading.warnings);
        let is_cut = |warning: &&Warning| !matches!(warning, Warning::SelfCorrection(_));
        assert_eq!(reading.warnings.iter().find(is_cut), None, "{shown}");
        for (at, update) in kept.updates.iter().enumerate() {
            let verdict =
                ReadUpdate::new(update, caps.runtime).verdict(at, consumer_of(&settings), caps.runtime, None);
            assert_eq!(verdict, FilterVerdict::Accepted, "{update}");
        }
        let errors: Vec<_> = check(&Reply::new(&reply, &caps), &context)
            .into_iter()
            .filter(|finding| finding.severity.or(finding.rule.severity) == Some(Severity::Error))
            .map(|finding| finding.message)
            .collect();
        assert!(errors.is_empty(), "{errors:?} in {shown}");
    }
}

/// Limits the lengths of texts for fast tests.
fn short(mut setup: Setup) -> Setup {
    setup.decoding.surface = 60;
    setup.decoding.text = 20;
    setup.decoding.string = 12;
    setup.decoding.updates = 4;
    setup.decoding.elements = 2;
    setup
}

fn pinned(mut setup: Setup, consumer: &str) -> Setup {
    setup.transcripts.consumer = Some(consumer.to_owned());
    setup
}

#[test]
fn all_fields_of_the_running_version() {
    let fields = [
        "intent_classification",
        "memory_operations",
        "self_correction",
        "reasoning_trace",
        "knowledge_requests",
    ];
    sample(SMALL, &short(Setup::new(Profile::Current).with_fields(&fields)), "lark");
    sample(SMALL, &short(Setup::new(Profile::Current).with_fields(&fields)), "json-schema");
}

#[test]
fn types_of_all_kinds() {
    sample(TYPED, &short(Setup::new(Profile::Current).with_fields(&["tool_requests"])), "lark");
    sample(TYPED, &short(Setup::new(Profile::V1_2Go)), "json-schema");
}

#[test]
fn audit_objects() {
    sample(SMALL, &short(Setup::new(Profile::V1_2)), "lark");
    sample(SMALL, &short(Setup::new(Profile::V1_2)), "json-schema");
}

#[test]
fn surface_first() {
    sample(SMALL, &short(Setup::new(Profile::V1_1)), "lark");
    sample(SMALL, &short(Setup::new(Profile::V1_1Bnf)), "json-schema");
}

#[test]
fn a_consumer_with_a_list() {
    sample(ALLOWED, &short(pinned(Setup::new(Profile::Current), "session")), "lark");
    let own = Consumer { predicates: vec!["secret".into()], max_updates: 2, ..Consumer::default() };
    let mut setup = short(pinned(Setup::new(Profile::Draft1_3), "own"));
    setup.transcripts.consumers.insert("own".to_owned(), own);
    sample(ALLOWED, &setup, "json-schema");
}
