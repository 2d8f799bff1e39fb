//! Tests of editor features with small transcripts.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::symbols::DocumentSymbol;
use mangle_syntax::text::{TextRange, size, slice, text_len};

const PRETTY: &str = r#"{
  "control_packet": {
    "intent_classification": { "category": "/mutation", "verb": "/fix" },
    "mangle_updates": [
      "task_status(\"t1\", /done).",
      "lost(/x)"
    ],
    "memory_operations": [{ "op": "forget", "key": "task_status" }]
  },
  "surface_response": "Fixed the bug."
}
"#;

/// A transcript with the offset of `$0`.
struct Fixture {
    records: Records,
    settings: TranscriptSettings,
    cursor: Option<usize>,
}

impl Fixture {
    fn new(name: &str, marked: &str) -> Self {
        let settings = TranscriptSettings::default();
        let text = marked.replacen("$0", "", 1);
        let records = Records::read(text.into(), name, &settings);
        Self { records, settings, cursor: marked.find("$0") }
    }

    fn opened(&self) -> TranscriptView<'_> {
        TranscriptView::new(&self.records, &self.settings)
    }

    fn whole(&self) -> TextRange {
        TextRange::up_to(text_len(self.records.text()))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_hover(name: &str, marked: &str, expected: Expect) {
    let fixture = Fixture::new(name, marked);
    let found = hover::hover(fixture.opened(), size(fixture.cursor.unwrap()));
    let shown = found.map_or_else(
        || "nothing".to_owned(),
        |found| format!("{}\n{}", slice(fixture.records.text(), found.range), found.markup.to_plain()),
    );
    expected.assert_eq(&shown);
}

fn at(word: &str) -> String {
    PRETTY.replacen(word, &format!("$0{word}"), 1)
}

#[test]
fn hovers() {
    check_hover(
        "a.json",
        &at("{"),
        expect![[r#"
            {
            The runtime accepts this envelope.

            Method json, confidence 1.00: the reply contains only an envelope.

            Updates: 1 passed the filters, not checked by a policy, 1 lost.

            Warnings: an update was dropped: no parenthesis, or no full stop.

            About 4 tokens of surface and 71 of control: 20.1 to 1."#]],
    );
    check_hover(
        "a.json",
        &at("mangle_updates"),
        expect![[r#"
            "mangle_updates"
            mangle_updates

            Atoms for the kernel. The runtime applies two filters to each atom and asserts the remaining atoms.

            Profiles: 1.1 required, 1.1-bnf required, 1.2 required, 1.2-go required, current required by the strict schema, 1.3-draft required."#]],
    );
    check_hover(
        "a.json",
        &at("/fix"),
        expect![[r#"
        "/fix"
        Verb /fix

        Category /mutation, shard coder, priority 90."#]],
    );
    check_hover(
        "a.json",
        &at("/mutation"),
        expect![[r#"
        "/mutation"
        Category /mutation

        A change to make, for example in the code."#]],
    );
    check_hover(
        "a.json",
        r#"{"control_packet":{},"surface_response":"a","$0[x](y)":1}"#,
        expect![[r#"
        "[x](y)"
        The runtime ignores this member: it is not in any profile.

        [x](y)"#]],
    );
}

#[test]
fn hints_say_how_a_reply_is_read() {
    let fixture = Fixture::new("a.json", PRETTY);
    let mut shown = String::new();
    for hint in hover::hints(fixture.opened(), fixture.whole()) {
        let behind = TextRange::new(hint.offset, hint.offset + size(1));
        let _ = writeln!(shown, "{} before {:?}", hint.label, slice(fixture.records.text(), behind));
    }
    expect![[r#"
        json 1.00 · 1 not judged, 1 lost before "{"
        lost: dropped before "\""
    "#]]
    .assert_eq(&shown);
}

fn tree(symbols: &[DocumentSymbol], depth: usize, out: &mut String) {
    for symbol in symbols {
        let _ = writeln!(out, "{:depth$}{} ({})", "", symbol.name, symbol.detail, depth = depth * 2);
        tree(&symbol.children, depth + 1, out);
    }
}

#[test]
fn the_outline_goes_from_turns_to_atoms() {
    let mut shown = String::new();
    tree(&symbols::symbols(Fixture::new("a.json", PRETTY).opened()), 0, &mut shown);
    expect![[r#"
        1 assistant (json 1.00)
          envelope ()
            control_packet (3 members)
              intent_classification (2 members)
              mangle_updates (2 elements)
                task_status("t1", /done). ()
                lost(/x) (lost)
              memory_operations (1 element)
            surface_response (Fixed the bug.)
    "#]]
    .assert_eq(&shown);
}

#[test]
fn what_lies_in_strings_has_symbols_inside_of_its_turn() {
    let inner = serde_json::to_string(PRETTY).unwrap();
    let line =
        format!("{{\"role\":\"user\",\"content\":\"hi\"}}\n{{\"role\":\"assistant\",\"content\":{inner}}}\n");
    let fixture = Fixture::new("a.jsonl", &line);
    let mut shown = String::new();
    tree(&symbols::symbols(fixture.opened()), 0, &mut shown);
    expect![[r#"
        1 user (prompt)
        2 assistant (json 1.00)
          envelope ()
            control_packet (3 members)
              intent_classification (2 members)
              mangle_updates (2 elements)
                task_status("t1", /done). ()
                lost(/x) (lost)
              memory_operations (1 element)
            surface_response (Fixed the bug.)
    "#]]
    .assert_eq(&shown);
    let text = fixture.records.text();
    let words: Vec<_> = symbols::tokens(fixture.opened(), fixture.whole())
        .iter()
        .map(|token| slice(text, token.range).to_owned())
        .collect();
    expect![[r#"task_status \\\"t1\\\" /done lost /x"#]].assert_eq(&words.join(" "));
}

#[test]
fn folds_are_nested() {
    let fixture = Fixture::new("a.json", PRETTY);
    let folds = symbols::folds(fixture.opened());
    let text = fixture.records.text();
    let shown: Vec<_> =
        folds.iter().map(|fold| slice(text, fold.range).lines().next().unwrap().trim()).collect();
    expect![[r#"
        {
        "control_packet": {
        "mangle_updates": ["#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn both_channels_stand_side_by_side() {
    let reply = r#"{"control_packet":{"mangle_updates":["p(1).","q(2)"]},"surface_response":"One line that is so long that it has to be broken where there is a blank.\n\u202eTwo."}"#;
    let text = format!(
        "{{\"role\":\"user\",\"content\":\"hi\"}}\n{{\"role\":\"assistant\",\"content\":{}}}\n",
        serde_json::Value::from(reply)
    );
    let fixture = Fixture::new("a.jsonl", &text);
    let made = split::split(fixture.opened());
    expect![[r#"
        no policy is loaded, so neither its declarations nor its verdict about the reply are considered

        turn │ surface                                                      │ updates
        ──── │ ──────────────────────────────────────────────────────────── │ ───────
           1 │ One line that is so long that it has to be broken where      │ + p(1).
             │ there is a blank.                                            │ - q(2)  (dropped by the cap filter: no parenthesis, or no full stop at its end)
             │ ·Two.                                                        │
    "#]]
    .assert_eq(&made.text);
    let part = |part: &split::Part| {
        format!("{} {:?} {:?}", part.kind, slice(&made.text, part.range), slice(&text, part.source))
    };
    let parts: Vec<_> = made.parts.iter().filter(|part| part.kind == "atom").map(part).collect();
    expect![[r#"
        atom "+ p(1)." "p(1)."
        atom "- q(2)  (dropped by the cap filter: no parenthesis, or no full stop at its end)" "q(2)""#]]
    .assert_eq(&parts.join("\n"));
}

#[test]
fn every_offset_of_damaged_text_has_an_answer() {
    let text = PRETTY.replace("updates\": [", "updates\": [ \"é\\ud800\", ");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let fixture = Fixture::new("a.json", text.get(..end).unwrap());
        let opened = fixture.opened();
        for offset in (0..=end).step_by(7) {
            let _ = hover::hover(opened, size(offset));
        }
        let whole = fixture.whole();
        assert!(symbols::tokens(opened, whole).iter().all(|token| whole.contains_range(token.range)));
        assert!(symbols::folds(opened).iter().all(|fold| whole.contains_range(fold.range)));
        assert!(split::split(opened).parts.iter().all(|part| whole.contains_range(part.source)));
    }
}

/// Returns the findings of a fresh text, and of the same text after an edit.
fn found(records: &Records, settings: &TranscriptSettings, key: u64) -> [Vec<String>; 2] {
    let (rules, limits) =
        (mangle_settings::RuleSettings::default(), piggyback::transcript::Limits::default());
    let context = piggyback::envelope::ReplyContext::new(settings);
    let judge = TranscriptContext { rules: &rules, context, limits: &limits, programs: &[] };
    let file = mangle_syntax::text::FileId(0);
    let shown = |found: Vec<mangle_syntax::lint::Diagnostic>| {
        let one = |one: &mangle_syntax::lint::Diagnostic| {
            format!("{:?} {} {}", one.range, one.rule.name, one.message)
        };
        found.iter().map(one).collect::<Vec<_>>()
    };
    let anew = diagnostics(file, "a.jsonl", records.text().as_bytes(), judge);
    [
        shown(anew),
        shown(diagnostics_of(
            file,
            records,
            judge,
            key,
            &mangle_check::diagnostics::FindingCache::new(crate::registry::all()),
        )),
    ]
}

#[test]
fn what_is_silenced_stays_so_from_edit_to_edit() {
    let reply = |ignored: &str, update: &str| {
        format!(
            r#"{{"control_packet":{{"mangle_updates":["{update}"],"x_mangle_ls_ignore":"{ignored}"}},"surface_response":"a"}}"#
        )
    };
    let chat =
        |reply: &str| format!(r#"{{"role":"assistant","content":{}}}"#, serde_json::Value::from(reply));
    let lines = |update: &str| {
        let replies = [reply("no-period", update), reply("PB203", "q(/a)"), reply("no-perio", "q(/a).")];
        replies.iter().map(|reply| chat(reply) + "\n").collect::<String>()
    };
    let settings = TranscriptSettings::default();
    let mut records = Records::read(lines("p(/a)").into(), "a.jsonl", &settings);
    let [anew, kept] = found(&records, &settings, 1);
    assert_eq!(anew, kept);
    assert!(!anew.iter().any(|one| one.contains(" no-period ")), "{anew:?}");
    assert!(anew.iter().any(|one| one.contains("unknown-suppression")), "{anew:?}");
    for update in ["p(/a).", "p(/a)", "p(/b)", "p(/a)."] {
        let before = records.list().last().cloned();
        records = records.with_text(lines(update).into());
        let [anew, kept] = found(&records, &settings, 1);
        assert_eq!(anew, kept);
        assert_eq!(anew.iter().any(|one| one.contains("unused-suppression")), update == "p(/a).", "{anew:?}");
        let is_kept =
            before.zip(records.list().last()).is_some_and(|(a, b)| std::sync::Arc::ptr_eq(&a.body, &b.body));
        assert!(is_kept);
    }
}
