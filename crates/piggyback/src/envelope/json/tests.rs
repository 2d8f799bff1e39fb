#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

/// Prints the tree on one line, then all problems with their bytes.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(text: &str, expected: Expect) {
    let json = Json::parse(text.as_bytes());
    let mut out = String::new();
    show(&json, json.root(), &mut out);
    for problem in &json.problems {
        let (start, end) = (usize::from(problem.range.start()), usize::from(problem.range.end()));
        let _ = write!(out, "\n{start}..{end} {:?} {:?}", problem.kind, text.get(start..end).unwrap_or("?"));
    }
    expected.assert_eq(&out);
}

fn show(json: &Json<'_>, node: NodeId, out: &mut String) {
    match json.kind(node) {
        JsonKind::Array => {
            out.push('[');
            for (at, element) in json.elements(node).enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                show(json, element, out);
            }
            out.push(']');
        }
        JsonKind::Object => {
            out.push('{');
            for (at, member) in json.members(node).enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                show(json, member.key, out);
                out.push_str(": ");
                show(json, member.value, out);
            }
            out.push('}');
        }
        JsonKind::Plain | JsonKind::Escaped => write!(out, "{:?}", json.string(node).unwrap()).unwrap(),
        JsonKind::Broken => write!(out, "<{}>", String::from_utf8_lossy(json.raw(node))).unwrap(),
        _ => out.push_str(&String::from_utf8_lossy(json.raw(node))),
    }
}

#[test]
fn what_json_allows() {
    check(
        r#" {"a": [1, -0.5e+3, null], "a": true, "": {}} tail"#,
        expect![[r#"{"a": [1, -0.5e+3, null], "a": true, "": {}}"#]],
    );
    check(r#""\u00e9\n\ud83d\ude00\ud83d \"é\"""#, expect![[r#""é\n😀� \"é\"""#]]);
}

#[test]
fn commas_and_colons() {
    check(
        r#"{"a": 1 "b": 2,}"#,
        expect![[r#"
        {"a": 1, "b": 2}
        8..8 NoComma ""
        14..15 ExtraComma ",""#]],
    );
    check(
        r#"[1 2,, 3,]"#,
        expect![[r#"
        [1, 2, 3]
        3..3 NoComma ""
        5..6 ExtraComma ","
        8..9 ExtraComma ",""#]],
    );
    check(
        r#"{"a" 1, "b":, "c"}"#,
        expect![[r#"
        {"a": 1, "b": <>, "c": <>}
        5..5 NoColon ""
        12..12 NoValue ""
        17..17 NoValue """#]],
    );
    check(
        r#"{, "a": 1}"#,
        expect![[r#"
        {"a": 1}
        1..2 ExtraComma ",""#]],
    );
}

#[test]
fn what_other_languages_write() {
    check(
        "{'a': True, b: NaN, /* c */ \"d\": +1, \"e\": 01 // end\n}",
        expect![[r#"
        {"a": <True>, <b>: <NaN>, "d": <+1>, "e": <01>}
        1..4 SingleQuotes "'a'"
        6..10 Word "True"
        12..13 Word "b"
        15..18 Word "NaN"
        20..27 Comment "/* c */"
        33..35 BadNumber "+1"
        42..44 BadNumber "01"
        45..51 Comment "// end""#]],
    );
    check(
        "{\"a\": \"two\nlines\", \"b\": \"\\q\"}",
        expect![[r#"
        {"a": "two\nlines", "b": "\\q"}
        10..11 RawControl "\n"
        25..27 BadEscape "\\q""#]],
    );
}

#[test]
fn brackets() {
    check(
        r#"{"a": [1, 2}, "b": 3}"#,
        expect![[r#"
        {"a": [1, 2]}
        11..12 WrongBracket "}""#]],
    );
    check(
        r#"{"a": [1, 2], "b": {"c": "#,
        expect![[r#"
        {"a": [1, 2], "b": {"c": <>}}
        19..25 Unclosed "{\"c\": "
        25..25 NoValue ""
        0..25 Unclosed "{\"a\": [1, 2], \"b\": {\"c\": ""#]],
    );
    check(
        r#"{"a": "cut o"#,
        expect![[r#"
        {"a": "cut o"}
        6..12 Unclosed "\"cut o"
        0..12 Unclosed "{\"a\": \"cut o""#]],
    );
    check(
        r#"{"a": 1]]"#,
        expect![[r#"
        {"a": 1}
        7..8 WrongBracket "]"
        8..9 WrongBracket "]"
        0..9 Unclosed "{\"a\": 1]]""#]],
    );
    check(
        "",
        expect![[r#"
        <>
        0..0 NoValue """#]],
    );
    check(
        "}",
        expect![[r#"
        <>
        0..0 NoValue """#]],
    );
    check(
        r#"{"a": @@ 1, % "b": 2}"#,
        expect![[r#"
        {"a": <>, <>: 1, "b": 2}
        6..6 NoValue ""
        6..8 Stray "@@"
        9..9 NoComma ""
        9..9 NoKey ""
        12..13 Stray "%""#]],
    );
    check(
        r#"{1: 2, {"x": 1}, : 4}"#,
        expect![[r#"
        {<>: 1, <>: 2, <>: {"x": 1}, <>: 4}
        1..1 NoKey ""
        2..3 Stray ":"
        4..4 NoComma ""
        4..4 NoKey ""
        7..7 NoKey ""
        17..17 NoKey """#]],
    );
}

#[test]
fn what_is_no_text_becomes_replacement_characters() {
    let json = Json::parse(b"[\"a\xe2\x82b\", \"\xff\"]");
    let strings: Vec<_> = json.elements(json.root()).map(|node| json.string(node).unwrap()).collect();
    assert_eq!(strings, ["a\u{fffd}\u{fffd}b", "\u{fffd}"]);
    let json = Json::parse(br#""\ud800\ud800\udc00""#);
    assert_eq!(json.string(json.root()).unwrap(), "\u{fffd}\u{10000}");
}

#[test]
fn deep_nesting_is_a_problem_and_no_danger() {
    let deep = "[".repeat(100_000);
    let json = Json::parse(deep.as_bytes());
    assert!(json.problems.iter().any(|problem| problem.kind == JsonProblemKind::TooDeep));
    let fine = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(Json::parse(fine.as_bytes()).problems.is_empty());
}

/// Converts a node to a `serde_json` value. The last of several equal keys is used.
fn value(json: &Json<'_>, node: NodeId) -> serde_json::Value {
    match json.kind(node) {
        JsonKind::Null | JsonKind::Broken => serde_json::Value::Null,
        JsonKind::Bool(bool) => bool.into(),
        JsonKind::Number => serde_json::from_slice(json.raw(node)).unwrap(),
        JsonKind::Plain | JsonKind::Escaped => json.string(node).unwrap().into(),
        JsonKind::Array => json.elements(node).map(|element| value(json, element)).collect(),
        JsonKind::Object => json
            .members(node)
            .map(|member| (json.string(member.key).unwrap().into_owned(), value(json, member.value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "\\PC{0,8}|[\\\\\"\\n\\t\u{1}é🦀]{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map("[a-c\"\\\\]{0,3}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_valid_is_read_as_it_is(wanted in any_value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&wanted) } else { serde_json::to_string(&wanted) }.unwrap();
        let json = Json::parse(text.as_bytes());
        prop_assert!(json.problems.is_empty());
        prop_assert_eq!(value(&json, json.root()), wanted);
        prop_assert_eq!(usize::from(json.end()), text.len());
    }

    #[test]
    fn problems_are_where_serde_json_has_some(text in "[\\[\\]{}:,\"\\\\ntrue1.e'/* -]{0,24}") {
        let json = Json::parse(text.as_bytes());
        let is_valid = serde_json::from_str::<serde::de::IgnoredAny>(text.get(..json.end().into()).unwrap()).is_ok();
        prop_assert_eq!(json.problems.is_empty(), is_valid, "{:?}", json.problems);
    }

    #[test]
    fn what_has_no_problem_is_what_go_takes(
        text in prop::collection::vec(prop::sample::select(&b"[]{}:,\"\\u0dntrue1.e- \n\x01\xc3\xa9\xe2"[..]), 0..24),
    ) {
        prop_assert_eq!(Json::parse(&text).is_valid_to_the_end(), whole(&text).is_ok());
        if let Ok(end) = value_end(&text) {
            prop_assert!(Json::parse_part(&text, 0..end).is_valid_to_the_end());
        }
    }

    #[test]
    fn any_bytes_can_be_read(text in prop::collection::vec(any::<u8>(), 0..64)) {
        let json = Json::parse(&text);
        check_nodes(&json, json.root());
    }

    #[test]
    fn a_value_that_is_cut_off_is_unclosed(wanted in any_value(), cut in 0usize..64) {
        let text = serde_json::to_string(&serde_json::json!({ "a": wanted })).unwrap();
        let text = &text.as_bytes()[..cut.min(text.len() - 1)];
        let json = Json::parse(text);
        prop_assert!(!json.problems.is_empty());
        check_nodes(&json, json.root());
    }

    #[test]
    fn the_bytes_of_a_string_come_from_where_the_map_says(wanted in "[a\\\\\"\\n\u{1}é🦀]{0,12}", ascii: bool) {
        let mut literal = serde_json::to_string(&wanted).unwrap();
        if ascii {
            literal = literal.chars().map(|char| match char {
                ' '..='~' => char.to_string(),
                _ => char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
            }).collect();
        }
        let text = format!("  {literal}");
        let json = Json::parse(text.as_bytes());
        let (value, map) = json.string_with_map(json.root()).unwrap();
        prop_assert_eq!(&value, &wanted);
        for (at, char) in wanted.char_indices() {
            let derived = TextRange::at(mangle_syntax::text::size(at), mangle_syntax::text::size(char.len_utf8()));
            let source = mangle_syntax::text::slice(&text, map.to_source(derived));
            let again: String = serde_json::from_str(&format!("\"{source}\"")).unwrap();
            prop_assert_eq!(again, char.to_string());
        }
    }
}

/// Checks that child ranges are ordered and inside the range of their parent.
fn check_nodes(json: &Json<'_>, node: NodeId) {
    let range = json.range(node);
    assert!(usize::from(range.end()) <= json.text().len());
    let members = json.members(node).flat_map(|member| [member.key, member.value]);
    let mut before = range.start();
    for inside in json.elements(node).chain(members).collect::<Vec<_>>() {
        let inner = json.range(inside);
        assert!(inner.start() >= before && inner.end() <= range.end(), "{inner:?} in {range:?}");
        before = inner.end();
        check_nodes(json, inside);
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let damaged = |text: &'static str| Json::parse_damaged(text.as_bytes(), 0..text.len());
    damaged(one.to_owned().leak()).has_content_of(&damaged(other.to_owned().leak()))
}

#[test]
fn spelling_may_change() {
    for (one, other) in [
        (r#"{"a": "x "y" z"}"#, r#"{"a": "x \"y\" z"}"#),
        (r#"{a: True, 'b': 'it\'s'}"#, r#"{"a": true, "b": "it's"}"#),
        (r#"[1 .5 +2]"#, r#"[1, 0.5, 2]"#),
        ("{\"a\":\u{a0}None}", r#"{"a": null}"#),
    ] {
        assert!(is_same(one, other), "{one} and {other}");
    }
}

#[test]
fn text_stays_in_its_place() {
    for (one, other) in [
        (r#"{"a": "x "y" z"}"#, r#"{"a": "x ", "y": " z"}"#),
        (r#"["a, b"]"#, r#"["a", "b"]"#),
        (r#"["a" "b"]"#, r#"["a\" \"b"]"#),
        (r#"[1,000.5]"#, r#"[1,0.5]"#),
        (r#"{"a": 1}"#, r#"{"a": "1"}"#),
        (r#"["a"] # note"#, r#"["a", "note"]"#),
    ] {
        assert!(!is_same(one, other), "{one} and {other}");
    }
}
