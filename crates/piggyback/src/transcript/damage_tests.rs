//! Replies with damaged JSON structure. Each damage is one finding, no fix turns other text into a
//! value, and the result of the runtime is unchanged.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

use super::evidence;
use crate::envelope::{Reply, ReplyContext, check as findings, edits, runtime};
use mangle_settings::TranscriptSettings;
use mangle_syntax::lint::{Applicability, Finding};

/// Returns the findings of a reply, with fixes as in transcripts.
fn found(raw: &str) -> Vec<Finding> {
    let settings = TranscriptSettings::default();
    let reply = Reply::new(raw.as_bytes(), &settings.limits_for(None, None));
    let found = findings(&reply, &ReplyContext::new(&settings));
    found.into_iter().map(|finding| evidence::preserve(finding, raw.as_bytes())).collect()
}

fn syntax(raw: &str) -> Vec<Finding> {
    found(raw).into_iter().filter(|finding| finding.rule.name == "json-syntax").collect()
}

/// Applies fixes up to an applicability until none is left.
fn fixed(raw: &str, most: Applicability) -> String {
    let mut text = raw.to_owned();
    for _ in 0..8 {
        let allowed = |finding: &Finding| {
            let fix = finding.fix.clone()?;
            (fix.applicability == Applicability::Safe || most == Applicability::Unsafe).then_some(fix)
        };
        let Some(next) =
            syntax(&text).iter().filter_map(allowed).find_map(|fix| edits::applied(text.as_bytes(), &fix))
        else {
            break;
        };
        text = String::from_utf8(next).unwrap();
    }
    text
}

const SURFACE: &str = "All good.";

/// Creates an envelope with these packet members and surface.
fn envelope(category: &str, updates: &str, surface: &str) -> String {
    format!(
        r#"{{"control_packet": {{"intent_classification": {{"category": {category}, "verb": "/debug", "target": "lock.rs", "constraint": "none", "confidence": 0.9}}, "mangle_updates": {updates}, "memory_operations": [], "tool_requests": []}}, "surface_response": {surface}}}"#
    )
}

const UPDATES: &str = r#"["task_status(\"t1\", /running)."]"#;

fn plain() -> String {
    envelope("\"/query\"", UPDATES, "\"All good.\"")
}

/// Checks that a reply has one syntax finding with this message, and that its fix results in this
/// surface and these updates.
#[track_caller]
fn check_one(raw: &str, message: &str, surface: &str, updates: &[&str]) {
    let all = syntax(raw);
    let messages: Vec<_> = all.iter().map(|finding| finding.message.as_ref()).collect();
    assert_eq!(messages, [message], "{raw}");
    let fix = all[0].fix.as_ref().unwrap_or_else(|| panic!("no fix: {:?} in {raw}", all[0].help));
    assert_eq!(fix.applicability, Applicability::Safe, "{raw}");
    let new = String::from_utf8(edits::applied(raw.as_bytes(), fix).unwrap()).unwrap();
    let value: Value = serde_json::from_str(&new).unwrap_or_else(|why| panic!("{why}: {new}"));
    assert_eq!(value["surface_response"], surface, "{new}");
    assert_eq!(value["control_packet"]["mangle_updates"], serde_json::json!(updates), "{new}");
}

const UPDATE: &str = "task_status(\"t1\", /running).";

#[test]
fn quotes_inside_strings_are_one_finding() {
    for (surface, meant) in [
        (
            r#""Sent a message to the "dictator", waiting on a response.""#,
            "Sent a message to the \"dictator\", waiting on a response.",
        ),
        (r#""He said "hi" to me""#, "He said \"hi\" to me"),
        (r#"""hi" he said""#, "\"hi\" he said"),
        (r#""He said "hi"""#, "He said \"hi\""),
        (r#""The keys "a": "b", and "c" too""#, "The keys \"a\": \"b\", and \"c\" too"),
        (r#""use {"a": "b"} here""#, "use {\"a\": \"b\"} here"),
        (r#""one "two" three "four", five""#, "one \"two\" three \"four\", five"),
    ] {
        let count = meant.matches('"').count();
        let message = format!("{count} quotes inside a string are not escaped");
        check_one(&envelope("\"/query\"", UPDATES, surface), &message, meant, &[UPDATE]);
    }
    let one = envelope("\"/query\"", UPDATES, r#""a 5" pipe""#);
    check_one(&one, "quote inside a string is not escaped", "a 5\" pipe", &[UPDATE]);
}

#[test]
fn quotes_inside_updates_are_one_finding_each() {
    let raw = envelope("\"/query\"", r#"["task_status("t1", /running)."]"#, "\"All good.\"");
    check_one(&raw, "2 quotes inside a string are not escaped", SURFACE, &[UPDATE]);
    let raw = envelope("\"/query\"", r#"["p("a", "b").", "q(/c)."]"#, "\"All good.\"");
    check_one(&raw, "4 quotes inside a string are not escaped", SURFACE, &["p(\"a\", \"b\").", "q(/c)."]);
}

#[test]
fn quotes_over_several_lines_have_fixes_that_keep_the_text() {
    let raw = envelope("\"/query\"", UPDATES, "\"First \"a\" line,\nthen \"b\".\nEnd\"");
    let new = fixed(&raw, Applicability::Safe);
    let value: Value = serde_json::from_str(&new).unwrap_or_else(|why| panic!("{why}: {new}"));
    assert_eq!(value["surface_response"], "First \"a\" line,\nthen \"b\".\nEnd");
}

#[test]
fn comments_are_one_finding_each_and_never_values() {
    for comment in
        ["# what changed\n", "// what \"changed\"\n", "/* what, changed: {now} */", "# it's [one]\n"]
    {
        for raw in [
            plain().replace("[\"task", &format!("[ {comment} \"task")),
            plain().replace("{\"control", &format!("{{ {comment} \"control")),
            plain().replace(".\"]", &format!(".\" {comment} ]")),
            plain().replace(".\"}", &format!(".\" {comment} }}")),
            plain().replace("0.9}", &format!("0.9 {comment} }}")),
            plain().replace("\"/debug\",", &format!("\"/debug\", {comment}")),
        ] {
            let messages: Vec<_> = syntax(&raw).iter().map(|found| found.message.to_string()).collect();
            assert_eq!(messages, ["JSON has no comments"], "{raw}");
            assert_eq!(fixed(&raw, Applicability::Unsafe), raw);
        }
    }
}

#[test]
fn keys_without_quotes_are_named() {
    let raw = plain()
        .replace("\"control_packet\"", "control_packet")
        .replace("\"surface_response\"", "surface_response");
    let messages: Vec<_> = syntax(&raw).iter().map(|found| found.message.to_string()).collect();
    assert_eq!(messages, ["`control_packet` is not JSON", "`surface_response` is not JSON"]);
    assert_eq!(fixed(&raw, Applicability::Safe), plain());
}

#[test]
fn typographic_quotes_are_one_finding_a_kind() {
    check_one(
        &plain().replace("good.\"", "good.”"),
        "`”` (U+201D) is not a quote of JSON",
        SURFACE,
        &[UPDATE],
    );
    check_one(&plain().replace("\"All", "“All"), "`“` (U+201C) is not a quote of JSON", SURFACE, &[UPDATE]);
    check_one(
        &plain().replace("\"/debug\"", "“/debug“").replace("\"none\"", "“none“"),
        "`“` (U+201C) is not a quote of JSON",
        SURFACE,
        &[UPDATE],
    );
    for (open, close) in [("“", "”"), ("„", "“"), ("«", "»"), ("‘", "’")] {
        let raw = plain().replace("\"/debug\"", &format!("{open}/debug{close}"));
        let raw = raw.replace("\"surface_response\"", &format!("{open}surface_response{close}"));
        assert_eq!(syntax(&raw).len(), 2, "{raw}");
        assert_eq!(fixed(&raw, Applicability::Safe), plain(), "{raw}");
    }
    // Inside strings, these quotes are ordinary text.
    assert_eq!(syntax(&plain().replace("All good", "“All” ‘good’, „so“")), []);
}

#[test]
fn signs_of_other_scripts_are_one_finding_a_kind() {
    check_one(&plain().replace("\": ", "\"："), "`：` (U+FF1A) is not a sign of JSON", SURFACE, &[UPDATE]);
    check_one(
        &plain().replace("\", \"", "\"，\""),
        "`，` (U+FF0C) is not a sign of JSON",
        SURFACE,
        &[UPDATE],
    );
    check_one(
        &plain().replace("\"/debug\"", "`/debug`"),
        "U+0060 is not a quote of JSON",
        SURFACE,
        &[UPDATE],
    );
    assert_eq!(syntax(&plain().replace("All good", "All `good`，so：yes")), []);
}

#[test]
fn white_space_is_one_finding_a_kind() {
    for (space, name) in [
        ("\u{a0}", "U+00A0"),
        ("\u{200b}", "U+200B"),
        ("\u{feff}", "U+FEFF"),
        ("\u{2003}", "U+2003"),
        ("\u{3000}", "U+3000"),
    ] {
        let raw = plain().replace(": ", &format!(":{space}"));
        check_one(&raw, &format!("{name} is not white space of JSON"), SURFACE, &[UPDATE]);
    }
}

#[test]
fn literals_of_other_languages_are_one_finding_a_word() {
    let raw =
        plain().replace("\"tool_requests\": []", "\"tool_requests\": None, \"x_a\": None, \"x_b\": True");
    let messages: Vec<_> = syntax(&raw).iter().map(|found| found.message.to_string()).collect();
    assert_eq!(messages, ["`None` is not JSON", "`True` is not JSON"]);
    let raw = plain().replace('"', "'").replace("\\'", "\\\"");
    assert_eq!(syntax(&raw).len(), 1, "{:?}", syntax(&raw));
}

#[test]
fn numbers_with_separators_are_one_number() {
    for number in ["1,000.5", "1_000", "1 000", "1'000", "0,9", "95%", "0x1F", "NaN", "-Infinity", "1.000,5"]
    {
        let raw = plain().replace("0.9}", &format!("{number}}}"));
        let all = syntax(&raw);
        assert_eq!(all.len(), 1, "{number}: {all:?}");
        assert!(all[0].message.contains(number), "{number}: {}", all[0].message);
        assert_eq!(fixed(&raw, Applicability::Safe), raw);
    }
    for (number, plain_number) in [("+1", "1"), (".5", "0.5"), ("01", "1"), ("1.", "1")] {
        let raw = plain().replace("0.9}", &format!("{number}}}"));
        assert_eq!(fixed(&raw, Applicability::Safe), raw.replace(number, plain_number), "{number}");
    }
}

#[test]
fn brackets_that_are_missing_are_one_finding() {
    let raw = plain().replace(".\"]", ".\"");
    let messages: Vec<_> = syntax(&raw).iter().map(|found| found.message.to_string()).collect();
    assert_eq!(messages, ["list is not closed before the next key"]);
    assert_eq!(fixed(&raw, Applicability::Unsafe), plain());
}

#[test]
fn words_between_values_stay_words() {
    for raw in [
        plain().replace("[\"task", "[what changed \"task"),
        plain().replace(".\"]", ".\" what changed]"),
        plain().replace(".\"]", ".\", what changed, and why]"),
    ] {
        let new = fixed(&raw, Applicability::Unsafe);
        assert!(!new.contains("\"what") && !new.contains("changed\""), "{new}");
    }
}

/// Text that damage inserts.
const PIECES: [&str; 27] = [
    "\"",
    "\"",
    "'",
    "“",
    "”",
    "’",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    " # zznote zzhash\n",
    " // zznote, \"zzslash\"\n",
    " /* zznote: zzblock */ ",
    "`",
    "：",
    "，",
    "\u{a0}",
    "\u{200b}",
    "\u{2003}",
    "zzword",
    "\\",
    "\n",
    "1,000",
    "True",
    "…",
];

/// Splits a text into JSON tokens and the text between them.
fn tokens(text: &str) -> Vec<String> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, char)| {
                    let is_end = *char == '"' && !escaped;
                    escaped = *char == '\\' && !escaped;
                    is_end
                });
                end.map_or(rest.len(), |(at, _)| at + 1)
            }
            _ if first.is_alphanumeric() => {
                rest.find(|char: char| !char.is_alphanumeric() && char != '.').unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        out.push(rest[..len].to_owned());
        rest = &rest[len..];
    }
    out
}

/// Creates an envelope with unique words in updates, surface and notes.
fn source(updates: usize, surface: usize, is_pretty: bool) -> String {
    const SURFACES: [&str; 5] = [
        "ssone sstwo, ssthree.",
        "ssone: sstwo (ssthree) {ssfour}",
        "ssone \"sstwo\", ssthree: \"ssfour\"",
        "ssone\nsstwo, ssthree; 1,000 ssfour",
        "",
    ];
    let updates: Vec<_> = (0..updates).map(|at| format!("uu{at}(\"uua{at}\", /uub{at}).")).collect();
    let value = serde_json::json!({
        "control_packet": {
            "intent_classification": {"category": "/query", "verb": "/explain", "confidence": 0.9},
            "mangle_updates": updates,
            "memory_operations": [{"op": "note", "key": "kk:one", "value": "vvone vvtwo"}],
        },
        "surface_response": SURFACES[surface],
    });
    if is_pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() }
}

fn damaged(text: &str, damage: &[(u8, u16, u16, usize)]) -> String {
    let mut tokens = tokens(text);
    for (kind, place, other, piece) in damage {
        let at = usize::from(*place) % tokens.len().max(1);
        match kind % 6 {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at].clone()),
            2 => {
                let other = usize::from(*other) % tokens.len();
                tokens.swap(at, other);
            }
            3 => tokens.insert(at, PIECES[*piece].to_owned()),
            _ => {
                // Inside a token, for example a string.
                let token = &mut tokens[at];
                let inside = (0..=usize::from(*other) % (token.len() + 1))
                    .rev()
                    .find(|at| token.is_char_boundary(*at));
                token.insert_str(inside.unwrap(), PIECES[*piece]);
            }
        }
    }
    tokens.concat()
}

/// Counts the words of a text. Escapes count as spaces.
fn words(text: &str) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    let text = text.replace("\\n", " ").replace("\\u201", "").replace('\\', "");
    for word in text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_lowercase().trim_start_matches('0').to_owned()).or_default() += 1;
    }
    words.remove("");
    words
}

/// Returns a problem with a text after a fix, if any.
fn wrong(before: &str, after: &str) -> Option<String> {
    let (was, is) = (words(before), words(after));
    if was != is {
        let lost: Vec<_> = was.iter().filter(|(word, count)| is.get(*word) != Some(count)).collect();
        return Some(format!("words differ: {lost:?}"));
    }
    // An independent parser. If it fails, the runtime does not accept an envelope.
    let value: Value = serde_json::from_str(after).ok()?;
    let plain = |text: &str| text.replace('\\', "");
    let is_written = |text: &str| plain(&before.replace("\\n", "\n")).contains(&plain(text));
    for update in value["control_packet"]["mangle_updates"].as_array().into_iter().flatten() {
        let Some(update) = update.as_str() else { continue };
        if update.contains("zznote") && !is_quoted_note(before) || !is_written(update) {
            return Some(format!("update {update:?} was not written"));
        }
    }
    let surface = value["surface_response"].as_str().unwrap_or_default();
    (!is_written(surface)).then(|| format!("surface {surface:?} was not written"))
}

/// True if a note is inside a string, so that it is ordinary text.
fn is_quoted_note(text: &str) -> bool {
    tokens(text).iter().any(|token| token.starts_with('"') && token.contains("zznote"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, max_shrink_iters: 400, rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn fixes_of_damaged_envelopes_keep_every_word_in_its_place(
        updates in 0usize..4,
        surface in 0usize..5,
        is_pretty: bool,
        damage in prop::collection::vec((any::<u8>(), any::<u16>(), any::<u16>(), 0..PIECES.len()), 1..4),
    ) {
        let raw = damaged(&source(updates, surface, is_pretty), &damage);
        let caps = TranscriptSettings::default().limits_for(None, None);
        prop_assert_eq!(Reply::new(raw.as_bytes(), &caps).reading, runtime::read(raw.as_bytes(), &caps));
        for finding in syntax(&raw) {
            let Some(fix) = &finding.fix else { continue };
            let new = String::from_utf8(edits::applied(raw.as_bytes(), fix).unwrap()).unwrap();
            let wrong = wrong(&raw, &new);
            prop_assert!(wrong.is_none(), "{}: {}\n{raw}\nbecomes\n{new}", finding.message, wrong.unwrap_or_default());
        }
        let new = fixed(&raw, Applicability::Safe);
        let wrong = wrong(&raw, &new);
        prop_assert!(wrong.is_none(), "{}\n{raw}\nbecomes\n{new}", wrong.unwrap_or_default());
    }
}
