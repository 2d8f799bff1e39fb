//! Tests of the configuration reader and its findings.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::schema::schema;
use super::{
    Caps, Consumer, Container, FailOn, ParsedConfig, Period, Profile, ProgramSettings, RULES, Reading,
    Select, SettingTable as _, Settings, Strictness, TypeSeverity, Vocabulary, keys, parse,
};
use mangle_syntax::lint::{FixKind, Group, Rule, Severity};
use mangle_syntax::text::slice;

static SAFETY: Rule = rule("MG202", "negation-wildcard", Group::Safety);
static ORDER: Rule = rule("MG214", "comparison-before-binding", Group::Safety);
static IDIOM: Rule = rule("MG801", "long-clause", Group::Quality);
static UNDEFINED: Rule = rule("MG301", "undefined-predicate", Group::Predicates);
static SYNTAX: Rule = rule("MG001", "syntax-error", Group::Syntax);

const fn rule(code: &'static str, name: &'static str, group: Group) -> Rule {
    Rule {
        code,
        name,
        group,
        severity: Some(Severity::Warning),
        summary: "",
        rationale: "",
        fix_text: "",
        bad: "",
        finding: "",
        good: "",
        fix: FixKind::None,
        engine: None,
    }
}

fn read(text: &str) -> ParsedConfig {
    let rules: Vec<_> = [&SAFETY, &ORDER, &IDIOM].into_iter().chain(RULES.iter().copied()).collect();
    parse(text, Vocabulary { rules: &rules })
}

fn check(text: &str, expected: Expect) {
    let findings = read(text).findings.into_iter().map(|finding| {
        let there = slice(text, finding.range);
        let fix = finding.fix.map_or(String::new(), |fix| format!(" [{}]", fix.title));
        format!("{} at {there:?}: {}{fix}\n", finding.rule.name, finding.message)
    });
    expected.assert_eq(&findings.collect::<String>());
}

#[test]
fn a_full_file() {
    let parsed = read(
        r#"
fail_on = "warning"
[[program]]
name = "guardian"
include = ["policy", "schemas.gl"]
exclude = ["policy/old"]
host_predicates = ["now/1", "fs.size/2"]
[[program]]
"#,
    );
    assert!(parsed.findings.is_empty());
    let [guardian, rest] = &parsed.settings.programs[..] else { panic!("two programs") };
    let belongs = ["policy/a.mg", "schemas.gl", "policy/old/b.mg", "other.mg"].map(|f| guardian.includes(f));
    assert_eq!(belongs, [true, true, false, false]);
    assert_eq!(guardian.name.as_deref(), Some("guardian"));
    let host: Vec<_> = guardian.host_predicates.iter().map(|(name, arity)| (name.as_str(), *arity)).collect();
    assert_eq!(host, [("now", 1), ("fs.size", 2)]);
    assert!(rest.name.is_none() && rest.includes("other.mg") && !rest.includes("README.md"));
    assert_eq!(parsed.settings.fail_on, FailOn::AtLeast(Severity::Warning));
}

#[test]
fn the_layout_of_files() {
    let format = |text: &str| read(text).settings.format;
    assert_eq!((format("").indent, format("").width), (4, 100));
    let both = format("[format]\nindent = 2\nwidth = 140\n");
    assert_eq!((both.indent, both.width), (2, 140));
    check(
        "indent = 3\n[format]\nindent = 0\nwidth = \"wide\"\ntabs = true\n",
        expect![[r#"
            config-unknown-key at "indent": unknown setting `indent`
            config-bad-value at "0": `indent` is out of range: 0
            config-bad-value at "wide": expected a whole number for `width`, found a string
            config-unknown-key at "tabs": unknown setting `tabs` in `format`
        "#]],
    );
    check(
        "format = 4\n",
        expect![[r#"
            config-bad-value at "4": expected a table for `format`, found a number
        "#]],
    );
}

#[test]
fn the_evaluation() {
    let kernel = read(
        "[kernel]\nsample = ['samples', 'door.csv']\nreading = 'intended'\nmax_facts = 10\nmax_derived = 5\n\
         max_steps = 1000000000000\ntimeout_ms = 250\nnow = '2026-01-31T12:00:00+01:00'\n",
    );
    assert!(kernel.findings.is_empty());
    assert_eq!(kernel.sample.len(), 2);
    let kernel = kernel.settings.kernel;
    assert!(kernel.sample.matches("samples/a/door.jsonl") && !kernel.sample.matches("doors.csv"));
    assert_eq!(kernel.reading, Reading::Intended);
    let limits = [kernel.max_facts, kernel.max_derived, kernel.max_steps, kernel.timeout_ms];
    assert_eq!(limits, [10, 5, 1_000_000_000_000, 250]);
    assert_eq!(kernel.now, Some(1_769_857_200_000_000_000));
    check(
        "[kernel]\nsample = ['../x.mg', 'facts.yaml', 'facts/*.csv', 'facts', 3]\nreading = 'both'\nmax_facts = 0\n\
         max_step = 10\ntimeout_ms = '1s'\nnow = 'today'\n",
        expect![[r#"
            config-bad-value at "../x.mg": unusable glob `../x.mg`
            config-bad-value at "facts.yaml": `facts.yaml` is not a file of facts
            config-bad-value at "3": expected a string for an entry of `sample`, found a number
            config-bad-value at "both": unknown value `both` for `reading`
            config-bad-value at "0": `max_facts` is out of range: 0
            config-unknown-key at "max_step": unknown setting `max_step` in `kernel` [write `max_steps`]
            config-bad-value at "1s": expected a whole number for `timeout_ms`, found a string
            config-bad-value at "today": `today` is not an instant such as `2026-01-31T12:00:00Z`
        "#]],
    );
    check(
        "kernel = 'go'\nreading = 'engine'\n",
        expect![[r#"
            config-bad-value at "go": expected a table for `kernel`, found a string
            config-unknown-key at "reading": unknown setting `reading`
        "#]],
    );
}

#[test]
fn narrower_keys_of_rules_win_in_any_order() {
    let text = r#"
[rules]
negation-wildcard = "error"
"MG2*" = "off"
safety = "hint"
"MG*" = "information"
MG801 = "off"
"#;
    let parsed = read(text);
    assert!(parsed.findings.is_empty());
    let severity = |rule| parsed.settings.rules.severity(rule);
    assert_eq!(severity(&SAFETY), Some(Severity::Error));
    assert_eq!(severity(&ORDER), Some(Severity::Hint));
    assert_eq!(severity(&IDIOM), None);
    assert_eq!(severity(RULES[0]), Some(Severity::Information));
}

#[test]
fn a_severity_of_rules_that_is_not_set_is_the_rules_own() {
    assert_eq!(read("").settings.rules.severity(&SAFETY), Some(Severity::Warning));
}

#[test]
fn unknown_keys() {
    check(
        "fail_om = 'error'\ncolour = 1\n[[program]]\ninculde = []\n[[programs]]\n[rule]\na = 1\n",
        expect![[r#"
            config-unknown-key at "fail_om": unknown setting `fail_om` [write `fail_on`]
            config-unknown-key at "colour": unknown setting `colour`
            config-unknown-key at "inculde": unknown setting `inculde` in `program` [write `include`]
            config-unknown-key at "programs": unknown setting `programs` [write `program`]
            config-unknown-key at "rule": unknown setting `rule` [write `rules`]
        "#]],
    );
}

#[test]
fn bad_values() {
    check(
        "fail_on = 'warnings'\nrules = 3\n[program]\nname = 'x'\n",
        expect![[r#"
            config-bad-value at "warnings": unknown value `warnings` for `fail_on` [write `warning`]
            config-bad-value at "3": expected a table for `rules`, found a number
            config-bad-value at "[program]": expected `[[program]]`, with two pairs of brackets
        "#]],
    );
    check(
        "[[program]]\nname = 1\ninclude = '*.mg'\nexclude = ['[a', '../x', 'ok', 7]\n\
         host_predicates = ['now', 'Now/1', 'now/1', 'now/99999']\n[rules]\nsafety = 'warn'\nMG202 = true\n",
        expect![[r#"
            config-bad-value at "1": expected a string for `name`, found a number
            config-bad-value at "*.mg": expected a list of strings for `include`, found a string
            config-bad-value at "[a": unusable glob `[a`
            config-bad-value at "../x": unusable glob `../x`
            config-bad-value at "7": expected a string for an entry of `exclude`, found a number
            config-bad-value at "now": `now` is not a predicate with its arity
            config-bad-value at "Now/1": `Now/1` is not a predicate with its arity
            config-bad-value at "now/99999": `now/99999` is not a predicate with its arity
            config-bad-value at "warn": unknown value `warn` for the severity of a rule
            config-bad-value at "true": expected a string for the severity of a rule, found a boolean
        "#]],
    );
    check(
        "[[program]]\nname = 'a'\n[[program]]\nname = 'a'\n",
        expect![[r#"
            config-bad-value at "a": second program with the name `a`
        "#]],
    );
}

#[test]
fn a_glob_that_cannot_be_used_leaves_the_others() {
    let parsed = read("[[program]]\ninclude = ['[a', 'b.mg']\n");
    let program = &parsed.settings.programs[0];
    assert!(program.includes("b.mg") && !program.includes("c.mg"));
}

/// A configuration from another author can have 30,000 entries in each list. Reading stays fast,
/// and unused entries are reported.
#[test]
fn lists_have_limits() {
    let lines = |line: &dyn Fn(usize) -> String| (0..30_000).map(line).collect::<String>();
    let texts = [
        format!("[rules]\n{}", lines(&|n| format!("\"M*{n}*\" = \"error\"\n"))),
        format!("[rules]\n{}", lines(&|n| format!("\"M[{n}]*\" = \"error\"\n"))),
        format!("[[program]]\ninclude = [{}]\n", lines(&|n| format!("\"a{n}/*.mg\",\n"))),
        format!("[[program]]\nexclude = [{}]\n", lines(&|n| format!("\"../{n}\",\"a{n}*\",\n"))),
        lines(&|n| format!("[[transcripts.override]]\nglob = \"a{n}\"\n")),
        lines(&|n| format!("[[program]]\nname = \"a{n}\"\n")),
    ];
    let limits = texts.map(|text| {
        let parsed = read(&text);
        let limits = parsed.findings.into_iter().filter(|finding| finding.message.contains("too many"));
        limits
            .map(|finding| {
                format!("{}: {}\n", finding.message, finding.notes.first().unwrap_or(&finding.message))
            })
            .collect::<String>()
    });
    expect![[r#"
        `[rules]` has 28000 keys too many: the table has at most 2000 keys; the ones after them are ignored
        `[rules]` has 28000 keys too many: the table has at most 2000 keys; the ones after them are ignored
        `include` has 28000 globs too many: a list has at most 2000 different globs; the ones after them are ignored
        `exclude` has 56000 globs too many: a list has at most 2000 different globs; the ones after them are ignored
        file has 29500 tables `[[transcripts.override]]` too many: a file has at most 500 of them; the ones after them are ignored
        file has 29500 tables `[[program]]` too many: a file has at most 500 of them; the ones after them are ignored
    "#]]
    .assert_eq(&limits.concat());
}

#[test]
fn unknown_rules() {
    check(
        "[rules]\nnegation-wildcrad = 'off'\nMG203 = 'off'\n\"MG7*\" = 'off'\nsafty = 'off'\nxyzzy = 'off'\n",
        expect![[r#"
            config-unknown-rule at "negation-wildcrad": unknown rule or group `negation-wildcrad` [write `negation-wildcard`]
            config-unknown-rule at "MG203": unknown rule or group `MG203`
            config-unknown-rule at "MG7*": `MG7*` matches no rule
            config-unknown-rule at "safty": unknown rule or group `safty` [write `safety`]
            config-unknown-rule at "xyzzy": unknown rule or group `xyzzy`
        "#]],
    );
}

#[test]
fn what_is_no_toml() {
    for (text, expected) in [
        (
            "fail_on = ",
            expect![[r#"
                config-syntax at "": file ends in the middle of an entry
            "#]],
        ),
        (
            "fail_on = error",
            expect![[r#"
                config-syntax at "error": string has no quotes
            "#]],
        ),
        (
            "a = 1\nb = 2\na = 3",
            expect![[r#"
                config-syntax at "a": duplicate key `a`
            "#]],
        ),
        (
            "[[program]]\nname = \"x",
            expect![[r#"
                config-syntax at "\"": string has no closing quote
            "#]],
        ),
        (
            "[rules]\n[rules]\n",
            expect![[r#"
                config-syntax at "[rules]": duplicate table `[rules]`
            "#]],
        ),
        (
            "{",
            expect![[r#"
                config-syntax at "{": expected a table key, found a left brace
            "#]],
        ),
        (
            "a = \"\\q\"",
            expect![[r#"
                config-syntax at "q": unknown escape `\q`
            "#]],
        ),
        (
            "\u{0}",
            expect![[r#"
                config-syntax at "\0": unexpected character `\0`
            "#]],
        ),
    ] {
        check(text, expected);
    }
    check(
        &format!("a = {}", "[".repeat(100_000)),
        expect![[r#"
            config-syntax at "[": values are nested too deeply
        "#]],
    );
}

#[test]
fn a_byte_order_mark_is_no_error() {
    let parsed = read("\u{feff}fail_on = 'never'\n");
    assert_eq!((parsed.settings.fail_on, parsed.findings.len()), (FailOn::Never, 0));
}

#[test]
fn findings_point_behind_a_byte_order_mark() {
    check(
        "\u{feff}fail_om = 'never'\n",
        expect![[r#"
            config-unknown-key at "fail_om": unknown setting `fail_om` [write `fail_on`]
        "#]],
    );
}

/// Writes the documented defaults into a file.
fn written_defaults() -> String {
    let mut text = String::new();
    for (header, section) in keys::sections(Settings::SECTION) {
        text.push_str(&format!("{header}\n"));
        match section.name {
            "transcripts.override" => text.push_str("glob = '**'\n"),
            "transcripts.shape" => text.push_str("text = '/text'\n"),
            _ => {}
        }
        for (key, default) in section.keys.iter().filter_map(|key| Some((key, key.default_text()?))) {
            text.push_str(&format!("{} = {default}\n", key.name));
        }
    }
    text
}

#[test]
fn documented_defaults_are_the_defaults() {
    let text = written_defaults();
    let parsed = read(&text);
    assert!(parsed.findings.is_empty(), "{text}\n{:?}", parsed.findings);
    let mut settings = parsed.settings;
    let transcripts = &mut settings.transcripts;
    assert_eq!(transcripts.consumers.remove("NAME"), Some(Consumer::default()));
    // Writing the default of `consumer` sets its name.
    assert_eq!(transcripts.consumer.take().as_deref(), Some("open"));
    (transcripts.overrides, transcripts.shapes) = (Vec::new(), Default::default());
    assert_eq!(std::mem::take(&mut settings.programs), [ProgramSettings::default()]);
    assert_eq!(settings, Settings::default());
}

/// Printed settings can be read back without change.
#[test]
fn printed_settings_are_read_back() {
    let text = "[kernel]\nengine = '0.4.0'\nnow = '2026-01-31T12:00:00Z'\n[transcripts]\nprofile = '1.2'\nspecialists = []\n\
        target_compression_ratio = 2.5\nrequire_valid_json = true\n[transcripts.atoms]\ntrailing_period = true\n\
        types = 'error'\n[transcripts.consumers.\"a b\"]\nprefixes = ['x']\n[[transcripts.shape]]\ntext = '/said'\n\
        glob = 'a'\nrecords = '/log/*'\n[[transcripts.override]]\nglob = ['old']\n\
        strict = 'schema'\n[prompt]\nshards = ['coder-7 coder', 'tester']\nmode = 'legacy'\n[prompt.templates]\n\
        coder = \"You \\\"code\\\".\\nWell.\"\n[replay]\noverride = 'replace'\npatterns = ['rm\\s+-rf']\n[[program]]\n\
        name = 'x'\nhost_predicates = ['now/1']\n";
    let parsed = read(text);
    assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
    let printed = parsed.settings.rows().text();
    let again = read(&printed);
    assert!(again.findings.is_empty(), "{printed}\n{:?}", again.findings);
    let mut settings = parsed.settings;
    settings.transcripts.consumer = Some("open".to_owned());
    assert_eq!(again.settings, settings, "{printed}");
}

#[test]
fn every_key_has_a_sentence() {
    for (_, section) in keys::sections(Settings::SECTION) {
        let unfinished = section.keys.iter().filter(|key| key.doc.contains("  ") || !key.doc.ends_with('.'));
        assert_eq!(unfinished.map(|key| key.name).collect::<Vec<_>>(), [""; 0], "{}", section.name);
    }
}

#[test]
fn transcripts() {
    let parsed = read(
        r#"
[transcripts]
include = ["logs/**/*.jsonl"]
profile = "1.2"
consumer = "mine"
strict = "schema"
require_valid_json = true
envelope_select = "last"
container = "chat-lines"
turn_separator = "^-- "
tools = "tools/catalogue.json"
specialists = ["historian"]
success_phrases = []
target_compression_ratio = 20
min_trace_words = 5
[transcripts.atoms]
trailing_period = "optional"
types = "error"
allow_escaped_metachars = true
protected = ["permitted"]
sensitive = []
[transcripts.caps]
allow_markdown_wrapped = false
max_updates = 3
[transcripts.consumers.mine]
prefixes = ["task_"]
max_updates = 9
protected = false
[[transcripts.override]]
glob = "logs/old/**"
profile = "1.1"
require_valid_json = false
[[transcripts.override]]
glob = ["logs/old/raw", "logs/raw"]
profile = "auto"
container = "raw"
consumer = "open"
"#,
    );
    assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
    let settings = parsed.settings.transcripts;
    assert!(settings.include.matches("logs/a/b.jsonl") && !settings.include.matches("transcripts/b.jsonl"));
    assert_eq!((settings.profile, settings.strict), (Some(Profile::V1_2), Strictness::Schema));
    assert_eq!((settings.select, settings.container), (Select::Last, Some(Container::ChatLines)));
    assert_eq!(settings.turn_separator.as_deref(), Some("^-- "));
    assert_eq!(settings.specialists, Some(vec!["historian".to_owned()]));
    assert!(settings.success_phrases.is_empty() && settings.min_trace_words == 5);
    assert_eq!(
        (settings.atoms.trailing_period, settings.atoms.types),
        (Some(Period::Optional), TypeSeverity::Error)
    );
    assert_eq!(settings.atoms.sensitive, Some(Vec::new()));
    assert_eq!(settings.caps, Caps { strict: true, fenced: false, updates: Some(3), ..Caps::default() });
    let mine =
        Consumer { prefixes: vec!["task_".into()], max_updates: 9, protected: false, ..Consumer::default() };
    assert_eq!(settings.consumers.get("mine"), Some(&mine));
    let old = settings.for_file("logs/old/a.jsonl");
    assert_eq!(
        (old.profile, old.caps.strict, old.consumer.as_deref()),
        (Some(Profile::V1_1), false, Some("mine"))
    );
    // Later entries override earlier ones, except for settings that they leave to detection.
    let raw = settings.for_file("logs/old/raw/a");
    assert_eq!((raw.profile, raw.container), (Some(Profile::V1_1), Some(Container::Raw)));
    assert_eq!(parsed.tools.map(|tools| tools.is_empty()), Some(false));
}

#[test]
fn settings_of_transcripts_that_cannot_be() {
    check(
        "[transcripts]\ninclude = 'a'\nprofile = '1.4'\nconsumer = 'opn'\nstrict = true\nrequire_valid_json = 'yes'\n\
         container = 'jsonl'\nturn_separator = '('\ntools = '../x'\ntarget_compression_ratio = 0\nmax_updates = 1\n\
         [transcripts.atoms]\ntypes = 'hint'\nperiod = 1\n[transcripts.caps]\nmax_updates = -1\n\
         [transcripts.consumers.open]\n[transcripts.consumers.x]\npredicate = []\n[transcripts.overrides]\n",
        expect![[r#"
            config-bad-value at "a": expected a list of strings for `include`, found a string
            config-bad-value at "1.4": unknown value `1.4` for `profile` [write `1.1`]
            config-bad-value at "opn": unknown consumer `opn` [write `open`]
            config-bad-value at "true": expected a string for `strict`, found a boolean
            config-bad-value at "yes": expected `true` or `false` for `require_valid_json`, found a string
            config-bad-value at "jsonl": unknown value `jsonl` for `container`
            config-bad-value at "(": `turn_separator` is not a regular expression
            config-bad-value at "../x": unusable path `../x` for `tools`
            config-bad-value at "0": `target_compression_ratio` is out of range: 0
            config-unknown-key at "max_updates": unknown setting `max_updates` in `transcripts`
            config-bad-value at "hint": unknown value `hint` for `types`
            config-unknown-key at "period": unknown setting `period` in `transcripts.atoms`
            config-bad-value at "-1": `max_updates` is out of range: -1
            config-bad-value at "open": consumer `open` is built in
            config-unknown-key at "predicate": unknown setting `predicate` in `transcripts.consumers` [write `predicates`]
            config-unknown-key at "overrides": unknown setting `overrides` in `transcripts` [write `override`]
        "#]],
    );
    check(
        "[[transcripts.override]]\nprofile = '1.2'\nconsumer = 'nobody'\n[[transcripts.override]]\nglob = '../x'\n",
        expect![[r#"
            config-bad-value at "[[transcripts.override]]": override has no `glob`
            config-bad-value at "nobody": unknown consumer `nobody`
            config-bad-value at "../x": unusable glob `../x`
        "#]],
    );
    check(
        "[transcripts.override]\nglob = 'x'\n",
        expect![[r#"
            config-bad-value at "[transcripts.override]": expected `[[transcripts.override]]`, with two pairs of brackets
        "#]],
    );
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(\\[|\\]|=|\"|'|\n| |\\{|\\}|\\.|,|#|\\\\|a|program|rules|fail_on|1|é|\r|\t|\0){0,30}") {
        for finding in read(&text).findings {
            prop_assert!(text.get(usize::from(finding.range.start())..usize::from(finding.range.end())).is_some());
        }
    }
}

/// Converts a TOML document to JSON.
fn json(value: &toml_span::Value<'_>) -> serde_json::Value {
    use toml_span::value::ValueInner;
    match value.as_ref() {
        ValueInner::String(text) => text.as_ref().into(),
        ValueInner::Integer(number) => (*number).into(),
        ValueInner::Float(number) => (*number).into(),
        ValueInner::Boolean(flag) => (*flag).into(),
        ValueInner::Array(values) => values.iter().map(json).collect(),
        ValueInner::Table(table) => {
            table.iter().map(|(key, value)| (key.name.to_string(), json(value))).collect()
        }
    }
}

/// The schema and the reader agree, except for problems that only the reader can detect.
#[test]
fn the_schema_agrees_with_the_reader() {
    let rules: Vec<_> = [&SAFETY, &ORDER, &IDIOM].into_iter().chain(RULES.iter().copied()).collect();
    let schema = schema(Vocabulary { rules: &rules });
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let examples = RULES.iter().flat_map(|rule| [rule.bad, rule.good]);
    let examples = examples.filter_map(|example| example.strip_prefix("#- mangle-ls.toml\n"));
    let cases = [
        "",
        "[format]\nindent = 2\nwidth = 140\n",
        "[format]\nindent = 0\n",
        "[format]\nwidth = '100'\n",
        "[format]\nwidth = 80.5\n",
        "fail_on = 'never'\nrequired_version = '>=0.1, <99'\n[[program]]\nname = 'x'\ninclude = ['a', '**/*.mg']\n\
         exclude = []\nhybrid = ['intents.mg']\nhost_predicates = ['now/1', 'fs.size/2']\n[rules]\nsafety = 'off'\nMG202 = 'hint'\n'MG8*' = 'error'\nlong-clause = 'information'\n",
        "[kernel]\nsample = ['a.csv', 'b']\nreading = 'engine'\nmax_facts = 1\nmax_derived = 1\nmax_steps = 1\ntimeout_ms = 1\n\
         now = '2026-01-31T12:00:00Z'\n",
        "[kernel]\nsample = ['../a.csv']\n",
        "[kernel]\nreading = 'both'\n",
        "[kernel]\nengine = 'auto'\n",
        "[kernel]\nengine = '2026-09'\n",
        "[kernel]\nengine = 'v0.4.0'\n",
        "[kernel]\nengine = '2026-06-30'\n",
        "[kernel]\nmax_facts = 0\n",
        "[kernel]\ntimeout_ms = '10s'\n",
        "[kernel]\nnow = '2026-01-31'\n",
        "[kernel]\nfacts = 3\n",
        "[kernel]\nengine = 'newest'\n",
        "[kernel]\nengine = 5\n",
        "[[program]]\ntarget = '0.4.0'\n",
        "[[program]]\nhybrid = 'a.mg'\n",
        "[[program]]\ninclude = ['../a.mg']\n",
        "[[program]]\ninclude = ['/a.mg']\n",
        "[[program]]\ninclude = ['']\n",
        "[[program]]\nhost_predicates = ['now']\n",
        "[program]\nname = 'x'\n",
        "required_version = 'new'\n",
        "required_version = 1\n",
        "rules = 'off'\n",
        "[rules]\nsafety = 'warn'\n",
        "[rules]\nMG999 = 'off'\n",
        "[rule]\nsafety = 'off'\n",
        "[format]\nindent = 4\n",
        "[transcripts]\ninclude = ['a']\nprofile = '1.2-go'\nconsumer = 'open'\nstrict = 'simple'\n\
         require_valid_json = true\nenvelope_select = 'error'\ncontainer = 'raw'\nturn_separator = '^='\ntools = 't.json'\n\
         specialists = []\nsuccess_phrases = ['ok']\ntarget_compression_ratio = 2.5\nmin_trace_words = 0\n\
         [transcripts.atoms]\ntypes = 'error'\n[transcripts.caps]\nmax_depth = 3\n[transcripts.consumers.x]\n\
         predicates = ['a']\n[[transcripts.override]]\nglob = 'x'\n[[transcripts.override]]\nglob = ['x']\n",
        "[transcripts]\nprofile = '2'\n",
        "[transcripts]\ncolour = 2\n",
        "[transcripts]\ntools = '/x'\n",
        "[transcripts]\ntarget_compression_ratio = 'x'\n",
        "[transcripts]\nrequire_valid_json = 1\n",
        "[transcripts.atoms]\nprotected = 1\n",
        "[transcripts.caps]\nmax_depth = -1\n",
        "[transcripts.consumers]\nx = 1\n",
        "[transcripts.consumers.x]\ny = 1\n",
        "[transcripts.override]\nglob = 'x'\n",
        "[[transcripts.override]]\nprofile = 'auto'\n",
    ];
    for text in examples.chain(cases) {
        // A schema cannot check version numbers.
        let Ok(document) = toml_span::parse(text) else { continue };
        let is_right = read(text).findings.is_empty() || text.contains("99\"");
        assert_eq!(validator.is_valid(&json(&document)), is_right, "{text}");
    }
}

#[test]
fn a_version_that_does_not_fit_is_the_one_finding() {
    check(
        "required_version = '>=99'\ncolour = 1\n[rules]\nnew-rule = 'off'\nsafety = 'fatal'\n",
        expect![[r#"
            required-version at ">=99": project requires mangle-ls >=99, this is 0.1.0
        "#]],
    );
    check(
        "required_version = 'latest'\n",
        expect![[r#"
            config-bad-value at "latest": `latest` is not a version requirement
        "#]],
    );
    assert!(!read("required_version = '>=99'\n").settings.accepts_this_version());
    assert!(read("required_version = '>=0.1'\n").settings.accepts_this_version());
}

#[test]
fn versions_of_the_engine() {
    check(
        "[kernel]\nengine = '2026-6'\n[[program]]\ntarget = 'v0.4.0'\n",
        expect![[r#"
            config-bad-value at "2026-6": unknown engine version `2026-6` [write `2026-06`]
            config-unknown-key at "target": unknown setting `target` in `program`
        "#]],
    );
}

#[test]
fn keys_in_the_wrong_table() {
    check(
        "include = ['a']\n[[program]]\nname = 'x'\nfail_on = 'never'\nrules = 1\n[rules]\n[rule]\n",
        expect![[r#"
            config-unknown-key at "include": unknown setting `include`
            config-unknown-key at "fail_on": unknown setting `fail_on` in `program`
            config-unknown-key at "rules": unknown setting `rules` in `program`
            config-unknown-key at "rule": unknown setting `rule`
        "#]],
    );
}

#[test]
fn the_example_of_the_documentation_is_right() {
    let page = include_str!("../../../docs/configuration.md");
    let example = page.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let registered: Vec<_> = [&SAFETY, &ORDER, &IDIOM, &UNDEFINED, &SYNTAX].into_iter().collect();
    let vocabulary = Vocabulary { rules: &registered };
    assert_eq!(parse(example, vocabulary).findings.len(), 0);
}

#[test]
fn shapes_of_transcripts() {
    let parsed = read(
        "[[transcripts.shape]]\nname = 'x'\nglob = ['a/**']\nrecords = '/log/*'\ntext = ['/said', '/note.text']\n\
         [[transcripts.shape]]\npattern = '^(?<role>.*): '\n",
    );
    assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
    let of = |path: &str| parsed.settings.transcripts.for_file(path).shapes.len();
    assert_eq!((of("a/b.json"), of("b.json")), (2, 1));
}

#[test]
fn shapes_that_cannot_be() {
    check(
        "[[transcripts.shape]]\nrecords = 'a/b'\ntext = '/t'\nrole = '/r~2'\n\
         [[transcripts.shape]]\nrole = '/r'\n\
         [[transcripts.shape]]\npattern = '('\n\
         [[transcripts.shape]]\npattern = '(?<rol>.)'\ntext = '/x'\n\
         [[transcripts.shape]]\ntext = 5\ntexts = '/y'\n\
         [transcripts]\n",
        expect![[r#"
            config-bad-value at "a/b": `records` is not a JSON pointer
            config-bad-value at "/r~2": `role` is not a JSON pointer
            config-bad-value at "[[transcripts.shape]]": shape has neither `text` nor `pattern`
            config-bad-value at "(": `pattern` is not a regular expression
            config-bad-value at "[[transcripts.shape]]": shape has both pointers and a `pattern`
            config-bad-value at "(?<rol>.)": unknown group `rol` in `pattern` [write `role`]
            config-bad-value at "5": expected a list of strings for `text`, found a number
            config-unknown-key at "texts": unknown setting `texts` in `transcripts.shape`
        "#]],
    );
    check(
        "[transcripts]\nshape = { text = '/x' }\n",
        expect![[r#"
            config-bad-value at "{ text = '/x' }": expected `[[transcripts.shape]]`, with two pairs of brackets
        "#]],
    );
}
