//! Comparison of the recognizer of clean envelopes with all rules and the digests of sessions. The
//! envelopes combine correct and incorrect parts under all kinds of settings.

#![allow(clippy::unwrap_used)]

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::envelope::atoms::Declarations;
use crate::envelope::clean::Recogniser;
use crate::envelope::json::Json;
use crate::envelope::{Catalogue, PROFILE_INFERRED, Reply, ReplyContext};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{RuleSettings, TranscriptSettings};
use mangle_syntax::lint::Severity;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// Declarations of the program.
const SCHEMAS: &str = "Decl modified(Path) bound [/string].
# Status: /open, /done
Decl task_status(Task, Status) bound [/string, /name].
Decl observation(What, Text) bound [/string, /string].
Decl retry_count(Count) bound [/number].
Decl test_state(State) bound [/name].
Decl next_step(Task) bound [/string].
Decl campaign(Id, Kind, Title, Source, Status) bound [/string, /name, /string, /string, /name].
next_step(Task) :- task_status(Task, /done), modified(Task).
";

/// A program with a taxonomy of verbs.
const VERBS: &str = "Decl verb_def(Verb, Category, Shard, Priority) bound [/name, /name, /name, /number].
verb_def(/fix, /mutation, /coder, 90). verb_def(/explain, /odd, /coder, 90). verb_def(/explain, /query, /none, 80).
";

/// Declarations of the program without and with a taxonomy.
static DECLARATIONS: LazyLock<[Declarations; 2]> = LazyLock::new(|| {
    [SCHEMAS.to_owned(), format!("{SCHEMAS}{VERBS}")].map(|text| {
        let source = SourceFile::parse(text.as_str().into());
        Declarations::from_program(&Program::new(vec![Arc::new(FileSummary::new(FileId(0), &source))]))
    })
});

static TOOLS: LazyLock<Catalogue> = LazyLock::new(|| {
    Catalogue::parse(br#"[{"name": "read_file", "input_schema": {"required": ["path"]}}, {"name": "run"}]"#)
        .unwrap()
});

/// Updates, as JSON, with recorded results of the runtime.
static RECORDED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lines = include_str!("../../../../tests/conformance/envelopes/atoms.jsonl").lines();
    let atom = |line: &str| serde_json::from_str::<Value>(line).unwrap()["atom"].to_string();
    lines.map(atom).collect()
});

/// Settings; the first are the most common ones.
const SETTINGS: &[&str] = &[
    "profile = \"current\"",
    "",
    "profile = \"1.2-go\"",
    "profile = \"1.3-draft\"",
    "profile = \"1.2\"",
    "profile = \"1.1\"",
    "profile = \"current\"\nstrict = \"schema\"",
    "profile = \"current\"\nrequire_valid_json = true",
    "profile = \"current\"\nconsumer = \"session\"",
    "profile = \"current\"\nconsumer = \"planner\"",
    "profile = \"current\"\nspecialists = [\"ada\"]",
    "profile = \"current\"\nsuccess_phrases = [\"it works\", \"x\", \"\"]",
    "profile = \"current\"\nmin_trace_words = 5",
    "profile = \"current\"\nmin_trace_words = 0",
    "profile = \"current\"\n[transcripts.atoms]\ntrailing_period = \"forbidden\"",
    "profile = \"current\"\n[transcripts.atoms]\nprotected = [\"modified\"]\nsensitive = []\ntypes = \"error\"",
    "profile = \"current\"\n[transcripts.caps]\nmax_surface_length = 40\nmax_update_length = 30",
    "profile = \"current\"\n[transcripts.caps]\nmax_updates = 2\nmax_memory_operations = 1\nmax_tool_requests = 1",
];

/// Alternatives for a part of an envelope. Correct ones come first.
type Pool = &'static [&'static str];

const INTENTS: Pool = &[
    r#"{"category":"/mutation","verb":"/fix","target":"src/auth.go","constraint":"none","confidence":0.9}"#,
    r#"{"category": "/query", "verb": "/explain", "target": "", "constraint": "", "confidence": 1}"#,
    r#"{"confidence":0.5,"category":"/query","verb":"/review","target":"a..b","constraint":"none"}"#,
    r#"{"category":"/odd","verb":"/explain","target":"none","constraint":"none","confidence":0.9}"#,
    r#"{"category":"/mutation","verb":"/explain","target":"/auth","constraint":"none","confidence":0.9}"#,
    r#"{"category":"/mutation","verb":"//fix","target":"none","constraint":"none","confidence":0.9}"#,
    r#"{"category":"/mutation","verb":"/fix","target":"a\\..\\b","constraint":"none","confidence":0}"#,
    r#"{"category":"mutation","verb":"/fix","target":"C:/x","constraint":null,"confidence":1e0}"#,
    r#"{"category":"/mutation","verb":"/fix","target":"none","confidence":1.5,"shard":1}"#,
    "null",
];

const UPDATES: Pool = &[
    r#""modified(\"src/auth.go\").""#,
    r#""modified(\"src/b.go\").""#,
    r#""task_status(\"t1\", /done).""#,
    r#""task_status(\"t1\", /open).""#,
    r#""task_status ( 't2' , /open ) .""#,
    r#""observation(\"t\u0031\", \"gr\u00fcn, \\\"x\\\" — 5:1\").""#,
    r#""retry_count(3).""#,
    r#""test_state(/passing).""#,
    r#""campaign(\"c\", /plan, \"t\", \"s\", /active).""#,
    r#""observation(\"a\", \"\\n/b\").""#,
    r#""observation(\"/a\", \"b\").""#,
    r#""observation(\"\\/a\", \"b\").""#,
    r#""observation(\"main.go\", \"/a/b/c/d\").""#,
    r#""task_status(\"t1\", /gone).""#,
    r#""task_status(\"t1\").""#,
    r#""retry_count(0.5).""#,
    r#""retry_count(\"3\").""#,
    r#""test_state(/a/b/c).""#,
    r#""test_state(/main.go).""#,
    r#""modified(\"a\")""#,
    r#""modified(\"a\"). ""#,
    r#"" modified(\"a\").""#,
    r#""modified(\"a\")..""#,
    r#""modified(\"a;b\").""#,
    r#""modified(\"a:-b\").""#,
    r#""modified(\"a⟸b\").""#,
    r#""modified(\"a\").\u000a""#,
    r#""modifie(\"a\").""#,
    r#""next_step(\"a\").""#,
    r#""decl (\"a\").""#,
    r#""include (\"a\").""#,
    r#""permitted(\"a\").""#,
    r#""activation(\"a\", 1).""#,
    r#""campaign_x(/a).""#,
    r#""""#,
    "3",
    "null",
];

const MEMORY: Pool = &[
    "[]",
    r#"[{"op":"note","key":"user:style","value":"terse"}]"#,
    r#"[{"op":"promote_to_long_term","key":"a:b","value":"c:\\d e"},{"op":"store_vector","key":"a:c","value":"naïve 12"}]"#,
    r#"[{"op":"note","key":"a:b","value":"x"},{"op":"note","key":"a:b","value":"y"}]"#,
    r#"[{"op":"note","key":"style","value":"x"}]"#,
    r#"[{"op":"note","key":"a:b","value":" "}]"#,
    r#"[{"op":"note","key":"a:b","value":"password: 7hXq-9vTz-2Lm4"}]"#,
    r#"[{"op":"note","key":"a:b","value":"see ghp_abcdefghij0123456789ABCD"}]"#,
    r#"[{"op":"archive","key":"a:b"}]"#,
    r#"[{"op":"forget","key":"modified"}]"#,
    r#"[{"op":"Note","key":"a:b","value":"x"}]"#,
    r#"[{"op":"note","key":"a:b","value":null}]"#,
    r#"{"op":"note","key":"a:b","value":"x"}"#,
    "null",
];

const CORRECTIONS: Pool = &[
    r#"{"triggered":false,"hypothesis":""}"#,
    r#"{"triggered":true,"hypothesis":"a"}"#,
    r#"{"triggered":false,"hypothesis":" "}"#,
    r#"{"triggered":false}"#,
    r#"{"triggered":false,"hypothesis":"","recovery_action":"x"}"#,
    "null",
];

const TRACES: Pool = &[
    r#""The token is checked before the clock is set, so that each login in the first second fails. The tests never saw it because they set the clock themselves before anything else happens, and so nobody noticed it until the servers were moved to the other site and were started there for the first time again.""#,
    r#""One two three src/auth.go five six.""#,
    r#""One two three main.go five six.""#,
    r#""Über den Wolken \u2014 a.\u0067o b""#,
    r#""Short.""#,
    r#"" \n""#,
    r#""""#,
    "7",
];

const KNOWLEDGE: Pool = &[
    "[]",
    r#"[{"specialist":"researcher","query":"why","purpose":"p","priority":"optional"}]"#,
    r#"[{"specialist":"ada","query":"why"},{"specialist":"researcher","query":"why","priority":""}]"#,
    r#"[{"specialist":"ada","query":"why"},{"query":"why","specialist":"ada"}]"#,
    r#"[{"specialist":"ada","query":" "}]"#,
    r#"[{"specialist":"bob","query":"a","priority":"high"}]"#,
    "null",
];

const FEEDBACK: Pool = &[
    r#"{"overall_usefulness":0.5,"helpful_facts":["modified"],"noise_facts":["retry_count"],"missing_context":""}"#,
    r#"{"overall_usefulness":0.5,"helpful_facts":[],"noise_facts":[],"missing_context":"the tests"}"#,
    r#"{"overall_usefulness":0.95,"helpful_facts":[],"noise_facts":[],"missing_context":"the tests"}"#,
    r#"{"overall_usefulness":0.05,"helpful_facts":["modified"],"noise_facts":[]}"#,
    r#"{"overall_usefulness":0.5,"helpful_facts":["modified"],"noise_facts":["modified"],"missing_context":""}"#,
    r#"{"overall_usefulness":0.5,"helpful_facts":[" modified"],"noise_facts":["a(1)"],"missing_context":""}"#,
    r#"{"overall_usefulness":1e400,"helpful_facts":[],"noise_facts":[null]}"#,
    "null",
];

const TOOLS_ASKED: Pool = &[
    "[]",
    r#"[{"id":"r1","tool_name":"read_file","tool_args":{"path":"a","more":[1,{"b":null}]},"purpose":"look","required":true}]"#,
    r#"[{"id":"r1","tool_name":"/run","tool_args":{"command":"ls -l"}},{"id":"r2","tool_name":"run","tool_args":{}}]"#,
    r#"[{"id":"r1","tool_name":"run","tool_args":{}},{"id":"r1","tool_name":"run","tool_args":{}}]"#,
    r#"[{"id":"r1","tool_name":"run","tool_args":{"cmd":"rm  -rf /"}}]"#,
    r#"[{"id":"r1","tool_name":"run","tool_args":{"c\u006dd":"rm  -rf /"}}]"#,
    r#"[{"id":"r1","tool_name":"run","tool_args":{"a":1,"a":2}}]"#,
    r#"[{"id":"r1","tool_name":"run","tool_args":{"a":{"a":12345678901234567890}}}]"#,
    r#"[{"id":"r1","tool_name":"run","tool_args":{"a":1e999}}]"#,
    r#"[{"id":"r1","tool_name":"read_file","tool_args":{}}]"#,
    r#"[{"id":"r1","tool_name":"other","tool_args":null}]"#,
    r#"[{"id":"","tool_name":"run","tool_args":{},"required":1}]"#,
    "null",
];

const SURFACES: Pool = &[
    r#""I am looking at src/auth.go and main.go now.""#,
    r#""I abandoned\nthat, \"undone\" \\ \u2014 and look.""#,
    r#""A line.\nDone: it works.""#,
    r#""I don't know.""#,
    r#""x""#,
    r#"" ""#,
    r#""a \ud83d\ude00 b""#,
    r#""a \uD83D b""#,
    "null",
];

/// Additional members.
const MORE: Pool = &[
    r#""safety_gates":{}"#,
    r#""abductive_hypothesis":"a""#,
    r#""test_coverage_delta":1"#,
    r#""verdict":1"#,
    r#""x_mangle_ls_ignore":"PB111""#,
    r#""reasoning_trace":"again""#,
    r#""Mangle_Updates":[]"#,
];

/// Source of choices.
struct Choices(Vec<u8>, usize);

impl Choices {
    fn next(&mut self, below: usize) -> usize {
        let found = self.0.get(self.1).copied().unwrap_or(0);
        self.1 += 1;
        usize::from(found) % below
    }

    /// Chooses an element of a list, usually one of the first.
    fn pick<'t>(&mut self, pool: &[&'t str]) -> &'t str {
        let among = if self.next(24) > 0 { pool.len().min(2) } else { pool.len() };
        pool[self.next(among)]
    }

    fn updates(&mut self) -> String {
        let one = |choices: &mut Self| match choices.next(24) {
            0 => UPDATES[choices.next(UPDATES.len())].to_owned(),
            1 => RECORDED[choices.next(255) * 255 % RECORDED.len()].clone(),
            _ => UPDATES[choices.next(9)].to_owned(),
        };
        let all: Vec<_> = (0..self.next(5)).map(|_| one(self)).collect();
        format!("[{}]", all.join(", "))
    }

    fn envelope(&mut self) -> String {
        let updates = self.updates();
        let mut members = vec![
            format!("\"intent_classification\":{}", self.pick(INTENTS)),
            format!("\"mangle_updates\": {updates}"),
            format!("\"memory_operations\":{}", self.pick(MEMORY)),
            format!("\"self_correction\":{}", self.pick(CORRECTIONS)),
            format!("\"reasoning_trace\" : {}", self.pick(TRACES)),
            format!("\"knowledge_requests\":{}", self.pick(KNOWLEDGE)),
            format!("\"context_feedback\":{}", self.pick(FEEDBACK)),
            format!("\"tool_requests\":{}", self.pick(TOOLS_ASKED)),
        ];
        match self.next(16) {
            0 => drop(members.remove(self.next(8))),
            1 => members.insert(self.next(9), MORE[self.next(MORE.len())].to_owned()),
            2 => members.swap(self.next(8), self.next(8)),
            3 => members.truncate(5),
            _ => {}
        }
        let control = format!("\"control_packet\":{{{}}}", members.join(","));
        let surface = format!("\"surface_response\": {}", self.pick(SURFACES));
        match self.next(24) {
            0 => format!("{{{surface}, {control}}}"),
            1 => format!("{{{control}}}"),
            2 => format!("{{\"piggyback_version\":\"1.2\",{control},{surface}}}"),
            3 => format!("> {{{control},{surface}}}"),
            _ => format!("{{{control}, {surface}}}"),
        }
    }

    /// Removes or inserts one byte of a text.
    fn damaged(&mut self, mut text: Vec<u8>) -> Vec<u8> {
        if self.next(8) > 0 {
            return text;
        }
        let at = (self.next(256) * 256 + self.next(256)) % text.len();
        match self.next(3) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, b"\"\\{}[],:.;$ /(u\xff\n0"[self.next(18)]),
            _ => text[at] = b"\"\\{}[],:.;$ /(u\xff\t0"[self.next(18)],
        }
        text
    }
}

/// Context of a check.
struct Terms {
    settings: TranscriptSettings,
    rules: Option<RuleSettings>,
    program: Option<usize>,
    has_tools: bool,
}

impl Terms {
    fn new(choices: &mut Choices) -> Self {
        let at = if choices.next(2) > 0 { 0 } else { choices.next(SETTINGS.len()) };
        let vocabulary = mangle_settings::Vocabulary { rules: &[] };
        let parsed = mangle_settings::parse(&format!("[transcripts]\n{}\n", SETTINGS[at]), vocabulary);
        assert!(parsed.findings.is_empty(), "{}", SETTINGS[at]);
        let mut rules = RuleSettings::default();
        if choices.next(4) == 0 {
            rules.set(&digest::LOSSY_TURN, Some(Severity::Hint));
        }
        let rules = (choices.next(3) > 0).then_some(rules);
        Self {
            settings: parsed.settings.transcripts,
            rules,
            program: [Some(0), Some(0), Some(1), None][choices.next(4)].filter(|_| choices.next(8) > 0),
            has_tools: choices.next(4) == 0,
        }
    }

    fn context(&self) -> ReplyContext<'_> {
        ReplyContext {
            declarations: self.program.and_then(|at| DECLARATIONS.get(at)),
            tools: self.has_tools.then_some(&*TOOLS),
            rules: self.rules.as_ref(),
            ..ReplyContext::new(&self.settings)
        }
    }
}

/// Creates a record that is one reply.
fn record(bytes: &[u8]) -> Record<'_> {
    let mut record = Record::new(1, 0, bytes);
    record.turns.push(Turn::part(TurnRole::Assistant, TextKind::Reply, record.range()));
    record
}

/// Returns true if the recognizer calls a reply clean. In that case, compares it with the rules and
/// with the usual digest.
fn agrees(bytes: &[u8], context: ReplyContext<'_>) -> bool {
    let record = record(bytes);
    let (mut recogniser, json) = (Recogniser::new(context), Json::parse(bytes));
    let Some(clean) = recogniser.recognise(&json) else { return false };
    let text = String::from_utf8_lossy(bytes);
    let mut digest = Digest::from_clean(&record, &record.turns[0], &clean, &context);
    let (requests, lacks_fields) = (clean.requests, clean.lacks_fields);
    let inferred = recogniser.inferred(requests);
    let checked = check(&record, &context);
    for found in &checked.found {
        let is_inferred =
            found.finding.rule == &PROFILE_INFERRED && Some(found.finding.message.as_str()) == inferred;
        let is_lacking = lacks_fields && found.finding.rule.name == "schema-member";
        assert!(is_inferred || is_lacking, "{text}\n{:?}", found.finding);
    }
    assert_eq!(
        lacks_fields,
        checked.found.iter().any(|one| one.finding.rule.name == "schema-member"),
        "{text}"
    );
    if lacks_fields {
        let same = RecordChecker::new(context).record(&record).found;
        let known = checked.found.iter().filter(|one| one.finding.rule != &PROFILE_INFERRED);
        assert_eq!(format!("{same:?}"), format!("{:?}", known.collect::<Vec<_>>()), "{text}");
        digest.add_errors(&same);
    }
    assert_eq!(format!("{digest:?}"), format!("{:?}", checked.digests[0]), "{text}");
    true
}

/// Returns the findings of a session, with the recognizer and the rules, or with the rules only.
fn session_of(file: &[u8], name: &str, context: ReplyContext<'_>, recognises: bool) -> (String, u64) {
    let mut out = Vec::new();
    let mut checker = Checker::new(context, Limits::default());
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
    let mut each = |record: &Record<'_>| match recognises {
        true => checker.record(record, &mut out),
        false => checker.record_with(record, &mut out, &mut |_, _| {}),
    };
    reader.feed(file, &mut each);
    let summary = reader.finish(&mut each);
    let envelopes = checker.envelopes();
    checker.finish(&summary, &mut out);
    (format!("{out:#?}"), envelopes)
}

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 160)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_called_clean_has_no_finding_and_the_same_digest(choices in choices()) {
        let mut choices = Choices(choices, 0);
        let terms = Terms::new(&mut choices);
        let envelope = choices.envelope().into_bytes();
        agrees(&choices.damaged(envelope), terms.context());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn sessions_are_judged_the_same_either_way(choices in prop::collection::vec(any::<u8>(), 600)) {
        let mut choices = Choices(choices, 0);
        let terms = Terms::new(&mut choices);
        let mut file = Vec::new();
        for _ in 0..6 {
            let line = choices.envelope().into_bytes();
            file.extend(choices.damaged(line));
            file.push(b'\n');
        }
        let (one, other) = (true, false);
        prop_assert_eq!(
            session_of(&file, "a.jsonl", terms.context(), one),
            session_of(&file, "a.jsonl", terms.context(), other)
        );
    }
}

#[test]
fn enough_of_what_is_tried_is_called_clean() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = choices();
    let tried = (0..500).filter(|_| {
        let mut choices = Choices(strategy.new_tree(&mut runner).unwrap().current(), 0);
        let terms = Terms::new(&mut choices);
        let envelope = choices.envelope().into_bytes();
        agrees(&choices.damaged(envelope), terms.context())
    });
    let clean = tried.count();
    assert!(clean > 40, "{clean} of 500");
}

/// A deterministic sequence of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[path = "../../../../benches/transcripts/replies.rs"]
mod replies;

/// Returns the number of clean lines and the number of all lines.
fn clean_lines(text: &str, schemas: &str) -> (usize, usize) {
    let source = SourceFile::parse(schemas.into());
    let program = Program::new(vec![Arc::new(FileSummary::new(FileId(0), &source))]);
    let (declarations, rules) = (Declarations::from_program(&program), RuleSettings::default());
    let settings = TranscriptSettings {
        profile: Some(mangle_settings::Profile::Current),
        ..TranscriptSettings::default()
    };
    let context = ReplyContext {
        declarations: Some(&declarations),
        rules: Some(&rules),
        ..ReplyContext::new(&settings)
    };
    (text.lines().filter(|line| agrees(line.as_bytes(), context)).count(), text.lines().count())
}

#[test]
fn lines_of_the_benchmark_and_of_the_examples_are_called_clean() {
    let schemas = "Decl task_completed(Task) bound [/string]. Decl modified(Path) bound [/string].
        Decl observation(What, Text) bound [/string, /string]. Decl failing_test(Test, Text) bound [/string, /string].
        Decl git_history(File, Commit, Author, Age, Message) bound [/string, /string, /string, /number, /string].
        Decl diagnostic(Path) bound [/string].";
    let text = replies::lines(1 << 17, &mut 0, &mut Random(5));
    let (clean, all) = clean_lines(&text, schemas);
    assert!(all > 30 && clean == all, "{clean} of {all}");
    let (clean, all) = clean_lines(&replies::spoiled(&text), schemas);
    assert!(clean < all && clean >= all * 8 / 10, "{clean} of {all}");
    let (clean, all) = clean_lines(
        include_str!("../../../../examples/transcripts/clean/envelopes.jsonl"),
        include_str!("../../../../examples/transcripts/schemas.gl"),
    );
    assert!(all > 3 && clean == all, "{clean} of {all}");
}

#[test]
fn recorded_replies_are_called_clean_only_if_nothing_is_found() {
    let settings = TranscriptSettings {
        profile: Some(mangle_settings::Profile::Current),
        ..TranscriptSettings::default()
    };
    let files = tests::files_of("tests/conformance/envelopes/cases");
    let mut seen = 0;
    for bytes in files {
        for context in [
            ReplyContext::new(&settings),
            ReplyContext { declarations: DECLARATIONS.first(), ..ReplyContext::new(&settings) },
        ] {
            agrees(&bytes, context);
            seen += 1;
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn examples_of_rules_are_judged_the_same_either_way() {
    for rule in rules().filter(|rule| !rule.bad.starts_with(&format!("#- {}", settings::PATH))) {
        for text in [rule.bad, rule.good] {
            let (first, rest) = text.split_once('\n').unwrap();
            let name = first.trim_start_matches("#- ").split(' ').next().unwrap();
            let file = rest.split("\n#- ").next().unwrap().as_bytes();
            for at in [0, 1] {
                let vocabulary = mangle_settings::Vocabulary { rules: &[] };
                let parsed =
                    mangle_settings::parse(&format!("[transcripts]\n{}\n", SETTINGS[at]), vocabulary);
                let context = ReplyContext::new(&parsed.settings.transcripts);
                assert_eq!(
                    session_of(file, name, context, true),
                    session_of(file, name, context, false),
                    "{}",
                    rule.name
                );
            }
        }
    }
}

#[test]
fn a_tree_that_is_at_hand_makes_the_same_reply() {
    for text in [
        "{\"surface_response\":\"a\"}",
        "{\"surface_response\":\"\"}",
        " {\"surface_response\":\"a\"}",
        "{\"surface_response\":1}",
        "a {}",
    ] {
        let caps = mangle_settings::Caps::default();
        let (one, other) =
            (Reply::from_json(Json::parse(text.as_bytes()), &caps), Reply::new(text.as_bytes(), &caps));
        assert_eq!(format!("{one:?}"), format!("{other:?}"), "{text}");
    }
}
