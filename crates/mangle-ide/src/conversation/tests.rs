//! Tests of conversations of small transcripts. General properties: every finding is shown, and
//! byte positions map to the text and back.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::window::{ConversationWindow, window};
use crate::transcripts::{Records, TranscriptContext, TranscriptView, diagnostics};
use mangle_report::conversation::{ConversationText, PieceKind};
use mangle_settings::{RuleSettings, TranscriptSettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, TextSize, slice};
use piggyback::envelope::ReplyContext;
use piggyback::transcript::Limits;

#[path = "../../../piggyback/src/transcript/testing.rs"]
mod generated;

/// A transcript, its findings, and its conversation.
struct Shown {
    text: String,
    found: Vec<Diagnostic>,
    window: ConversationWindow,
}

impl Shown {
    fn new(name: &str, text: &str) -> Self {
        let (settings, rules, limits) =
            (TranscriptSettings::default(), RuleSettings::default(), Limits::default());
        let records = Records::read(text.into(), name, &settings);
        let context = ReplyContext::new(&settings);
        let judge = TranscriptContext { rules: &rules, context, limits: &limits, programs: &[] };
        let found = diagnostics(FileId(0), name, text.as_bytes(), judge);
        let window = window(TranscriptView::new(&records, &settings), &found, 0, usize::MAX);
        Self { text: text.to_owned(), found, window }
    }

    fn conversation(&self) -> &ConversationText {
        &self.window.text
    }

    /// Checks the properties of every conversation.
    fn check(&self) {
        let made = self.conversation();
        assert!(!made.text.starts_with('\n'));
        self.check_links(made);
        for found in &self.found {
            let range = found.range;
            for byte in u32::from(range.start())..u32::from(range.end()) {
                let byte = TextSize::new(byte);
                let Some(shown) = made.to_text(byte) else { continue };
                let back = made.to_source(shown.start()).unwrap();
                assert!(back.contains(byte), "{byte:?} {shown:?} {back:?}");
            }
        }
        let lines = made.text.lines().filter(|line| is_finding(line)).count();
        assert_eq!(lines, self.found.len(), "{}\n{:#?}", made.text, self.found);
        for found in &self.found {
            let is_linked = |kind| matches!(kind, PieceKind::Finding(_));
            let mut links = made.links.iter().filter(|link| is_linked(link.kind));
            assert!(links.any(|link| link.source.range == found.range), "{found:?}");
        }
    }

    /// Checks that links are sorted, and that copied pieces equal their source.
    fn check_links(&self, made: &ConversationText) {
        let mut end = TextSize::new(0);
        for link in &made.links {
            assert!(link.range.start() >= end, "{link:?}");
            end = link.range.end();
            if link.source.is_copied {
                assert_eq!(slice(&made.text, link.range), slice(&self.text, link.source.range));
            }
            if link.kind.is_transcript() {
                // No byte is shown twice.
                let shown = made.to_text(link.source.range.start()).unwrap();
                assert!(link.range.contains_range(shown), "{link:?} {shown:?}");
            }
        }
    }
}

fn is_finding(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("↳ ") else { return false };
    ["error[", "warning[", "information[", "hint["].iter().any(|severity| {
        rest.find(severity).is_some_and(|at| {
            let front = &rest[..at];
            front.is_empty() || front == "the file: " || front.starts_with("record ")
        })
    })
}

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(name: &str, text: &str, expected: Expect) {
    let shown = Shown::new(name, text);
    shown.check();
    expected.assert_eq(&shown.conversation().text);
}

fn example(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path)).unwrap()
}

#[test]
fn lost_atoms_are_struck_out() {
    check(
        "lost-atoms.json",
        &example("transcripts/failures/lost-atoms.json"),
        expect![[r#"
        ── turn 1 · assistant · record 1 ──
          Renewal in core/lease.rs is a single compare-and-swap now: whoever comes second sees that the row
          has changed and tries again. The public interface is as it was.
            {
              ↳ information[PB105 profile-inferred]: checked as `current`: has `tool_requests`, has
                `knowledge_requests`, …
                help: insert `piggyback_version` with `current`
              "control_packet": {
                "intent_classification": {
                  "category": "/mutation",
                  "verb": "/fix",
                  "target": "core/lease.rs",
                  "constraint": "public interface stays",
                  "confidence": 0.9
                },
                "mangle_updates": [
              ↳ information[PB032 atoms-dropped]: runtime ignores 1 of 6 updates
                  - ~~task_status("lease-twice", /done)~~  (dropped by the cap filter: no parenthesis, or no
                      full stop at its end)
              ↳ warning[PB203 no-period]: update does not end with a full stop
                help: add the full stop
                  + modified("core/lease.rs").
                  - ~~observation("shell", "cargo test; echo $?").~~  (dropped by the cap filter: it has one of
                      ` $ ; | in it)
              ↳ error[PB206 metachar]: `;` makes the runtime ignore the update
                help: write it as an escape, which the runtime accepts
                  - ~~task_status("lease-twice", done).~~  (blocked by the update filter: it cannot be read)
              ↳ error[PB202 atom-syntax]: `done` is not a term
                help: write `/done`
                  + file_state("core/lease.rs", /changed).
                  - ~~permitted(/write_file, "core/lease.rs", "{}").~~  (blocked by the update filter: no reply
                      may assert this predicate)
              ↳ error[PB205 protected-head]: a reply may not assert `permitted`
                help: delete the update
                ],
                "memory_operations": [],
                "self_correction": {"triggered": false, "hypothesis": ""},
                "reasoning_trace": "A compare-and-swap on the version column closes the window between read
                  and write. Callers get the same result type, so the interface stays. The retry is bounded
                  by the lease time.",
                "knowledge_requests": [],
                "context_feedback": {
                  "overall_usefulness": 0.7,
                  "helpful_facts": [],
                  "noise_facts": [],
                  "missing_context": ""
                },
                "tool_requests": [
                  {
                    "id": "req_2",
                    "tool_name": "edit_file",
                    "tool_args": {"path": "core/lease.rs", "edits": 2},
                    "purpose": "make renewal one step",
                    "required": true
                  }
                ]
              },
              "surface_response": "… shown above …"
            }
    "#]],
    );
}

#[test]
fn an_envelope_that_the_runtime_ignores_is_struck_out() {
    check(
        "decoy.txt",
        &example("transcripts/failures/decoy.txt"),
        expect![[r#"
        ── turn 1 · assistant · record 1 ──
          This is what the file says.
          before the envelope, ignored by the runtime
          ~~The file holds~~
              ↳ warning[PB002 leading-text]: 14 bytes of text before the envelope
                help: delete the text
            {
              ↳ warning[PB007 multiple-envelopes]: reply contains 2 envelopes
              ↳ error[PB021 decoy-accepted]: earlier envelope is used instead of the last one
              ↳ information[PB105 profile-inferred]: checked as `current`: has `tool_requests`, has
                `knowledge_requests`, …
                help: insert `piggyback_version` with `current`
              "control_packet": {
                "intent_classification": {
                  "category": "/query",
                  "verb": "/read",
                  "target": "core/lease.rs",
                  "constraint": "none",
                  "confidence": 0.9
                },
                "mangle_updates": [
                  + observation("lease", "quoted from a file").
                ],
                "memory_operations": [],
                "self_correction": {"triggered": false, "hypothesis": ""},
                "reasoning_trace": "Echo of the file that was read.",
                "knowledge_requests": [],
                "context_feedback": {
                  "overall_usefulness": 0.7,
                  "helpful_facts": [],
                  "noise_facts": [],
                  "missing_context": ""
                },
                "tool_requests": []
              },
              "surface_response": "… shown above …"
            }
          after the envelope, ignored by the runtime
          ~~So my answer is:~~
          ~~{"control_packet": {"intent_classification": {"category": "/mutation", "verb": "/fix", "target":~~
          ~~"core/lease.rs", "constraint": "public interface stays", "confidence": 0.9}, "mangle_updates":~~
          ~~["task_status(\"lease-twice\", /done).", "modified(\"core/lease.rs\").",~~
          ~~"observation(\"lease-twice\", \"renewal is one compare-and-swap now\")."], "memory_operations":~~
          ~~[], "self_correction": {"triggered": false, "hypothesis": ""}, "reasoning_trace": "A~~
          ~~compare-and-swap on the version column closes the window between read and write. Callers get the~~
          ~~same result type, so the interface stays. The retry is bounded by the lease time.",~~
          ~~"knowledge_requests": [], "context_feedback": {"overall_usefulness": 0.7, "helpful_facts": [],~~
          ~~"noise_facts": [], "missing_context": ""}, "tool_requests": [{"id": "req_2", "tool_name":~~
          ~~"edit_file", "tool_args": {"path": "core/lease.rs", "edits": 2}, "purpose": "make renewal one~~
          ~~step", "required": true}]}, "surface_response": "Renewal in core/lease.rs is a single~~
          ~~compare-and-swap now: whoever comes second sees that the row has changed and tries again. The~~
          ~~public interface is as it was."}~~
    "#]],
    );
}

#[test]
fn duplicate_keys_lose_the_first() {
    check(
        "duplicate-keys.json",
        &example("transcripts/failures/duplicate-keys.json"),
        expect![[r#"
            ── turn 1 · assistant · record 1 ──
              All 214 tests pass, the flaky one 200 times in a row.
                {
                  ↳ information[PB105 profile-inferred]: checked as `current`: has `tool_requests`, has
                    `knowledge_requests`, …
                    help: insert `piggyback_version` with `current`
                  "control_packet": {
                    "intent_classification": {
                      "category": "/mutation",
                      "verb": "/test",
                      "target": "core/lease.rs",
                      "constraint": "none",
                      "confidence": 0.9
                    },
                    ~~"mangle_updates": ["test_state(/passing).", "failing_test_count(0)."],~~
                    "mangle_updates": [
                  ↳ error[PB012 duplicate-member]: duplicate field `mangle_updates`
                      + test_state(/failing).
                    ],
                    "memory_operations": [],
                    "self_correction": {"triggered": false, "hypothesis": ""},
                    "reasoning_trace": "The test that failed once in thirty runs is the one to repeat. Two
                      hundred runs without a failure make an accident unlikely, and the rest of the tests pass
                      as well.",
                    "knowledge_requests": [],
                    "context_feedback": {
                      "overall_usefulness": 0.7,
                      "helpful_facts": [],
                      "noise_facts": [],
                      "missing_context": ""
                    },
                    "tool_requests": [
                      {
                        "id": "req_3",
                        "tool_name": "run_tests",
                        "tool_args": {"package": "core", "repeat": 200},
                        "purpose": "repeat the flaky test",
                        "required": true
                      }
                    ]
                  },
                  "surface_response": "… shown above …"
                }
        "#]],
    );
}

#[test]
fn a_truncated_reply_is_shown_as_it_is() {
    check(
        "truncated.json",
        &example("transcripts/failures/truncated.json"),
        expect![[r#"
            ── turn 1 · assistant · record 1 ──
              no envelope: the raw text is shown
              {"control_packet": {"intent_classification": {"category": "/mutation", "verb": "/fix", "target":
                  ↳ error[PB110 control-leak]: control packet is visible to the user
              "core/lease.rs", "constraint": "public interface stays", "confidence": 0.9}, "mangle_updates":
              ["task_status(\"lease-twice\", /done).", "modifi
                  ↳ error[PB026 truncated]: reply truncated inside the text `/control_packet/mangle_updates/1`
        "#]],
    );
}

#[test]
fn hidden_characters_and_credentials_are_replaced() {
    let reply = r#"{"control_packet":{"mangle_updates":["p(\"a\u202eb\")."]},"surface_response":"The key is AKIAIOSFODNN7EXAMPLQ,\n\u001b[31mred\tthe password: hunter2x9."}"#;
    check(
        "a.json",
        reply,
        expect![[r#"
            ── turn 1 · assistant · record 1 ──
              The key is [redacted],
                  ↳ error[PB137 surface-secret]: user-visible text contains what looks like an AWS key
                    help: revoke the credential and issue a new one
              ␛[31mred    the password: [redacted].
                  ↳ error[PB137 surface-secret]: user-visible text contains what looks like a password
                    help: revoke the credential and issue a new one
                {
                  "control_packet": {
                  ↳ error[PB121 intent-missing]: control packet has no `intent_classification`
                    help: insert `intent_classification`
                  ↳ warning[PB124 memory-missing]: control packet has no `memory_operations`
                    help: insert `memory_operations`
                  ↳ hint[PB130 trace-missing]: packet with changes has no reasoning trace
                    "mangle_updates": [
                      + p("a�b").
                    ]
                  },
                  "surface_response": "… shown above …"
                }
        "#]],
    );
}

#[test]
fn a_chat_is_shown_turn_by_turn() {
    let chat = concat!(
        "{\"role\": \"user\", \"content\": \"Fix it,\\nplease. This is a long line that has to be wrapped, since no terminal is that wide as far as we know.\"}\n",
        "{\"role\": \"assistant\", \"content\": \"\"}\n",
        "{\"role\": \"assistant\", \"content\": \"{\\\"control_packet\\\": {}, \\\"surface_response\\\": \\\"Fixed.\\\"}\"}\n",
    );
    check(
        "a.jsonl",
        chat,
        expect![[r#"
            ── user · record 1 ──
              Fix it,
              please. This is a long line that has to be wrapped, since no terminal is that wide as far as we
              know.

            ── assistant, an empty reply · record 2 ──
              ↳ record 2: warning[PB046 empty-reply]: reply is empty

            ── turn 1 · assistant · record 3 ──
              Fixed.
                {
                  "control_packet": {
                  ↳ warning[PB103 updates-missing]: control packet has no `mangle_updates`
                    help: insert `mangle_updates`
                  ↳ error[PB121 intent-missing]: control packet has no `intent_classification`
                    help: insert `intent_classification`
                  ↳ warning[PB124 memory-missing]: control packet has no `memory_operations`
                    help: insert `memory_operations`
                  },
                  "surface_response": "… shown above …"
                }
        "#]],
    );
}

#[test]
fn every_example_maps_there_and_back() {
    let mut seen = 0;
    for folder in ["transcripts/failures", "transcripts/clean", "shift", "jailbreak", "incident"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
        let mut entries: Vec<_> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_transcript = ["json", "jsonl", "txt", "log"].iter().any(|end| name.ends_with(end));
            if let Some(text) = std::fs::read_to_string(&path).ok().filter(|_| is_transcript) {
                Shown::new(&name, &text).check();
                seen += 1;
            }
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn a_window_says_which_records_it_has() {
    let line = "{\"role\": \"user\", \"content\": \"Go.\"}\n";
    let text = line.repeat(5);
    let settings = TranscriptSettings::default();
    let records = Records::read(text.as_str().into(), "a.jsonl", &settings);
    let made = window(TranscriptView::new(&records, &settings), &[], 1, 2);
    assert_eq!((made.first, made.count, made.total), (1, 2, 5));
    let numbers: Vec<u64> = made.records.iter().map(|(_, _, number)| *number).collect();
    assert_eq!(numbers, [2, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn every_finding_maps_there_and_back(
        kind in 0..generated::CONTAINERS,
        surface in r#"[a\\"/é🦀\n\t\r{}, ]{0,40}"#,
        updates in prop::collection::vec(r#"[a\\"/é🦀;$`\n\t\r{}, ]{0,12}"#, 0..4),
        choices in prop::collection::vec(any::<u8>(), 16..64),
    ) {
        let mut choices = generated::Choices(choices, 0);
        let envelope = choices.envelope(&surface, &updates);
        let (name, file) = generated::wrap(kind, &envelope, &mut choices);
        let shown = Shown::new(name, &file);
        shown.check();
    }
}
