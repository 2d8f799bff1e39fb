//! Tests of editor views of transcripts with small policies.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::markup::Link;
use crate::transcripts::split::split;
use crate::transcripts::{Records, TranscriptContext, TranscriptView};
use agent_replay::{Constitution, ConstitutionConfig, Event, Prefill, Replay, ReplayOptions, Turn};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, TextRange, TextSize};
use piggyback::envelope::ReplyContext;
use piggyback::envelope::atoms::Declarations;
use piggyback::transcript;

const TRANSCRIPT: FileId = FileId(7);

/// Permits reading. Permits deletion for approved targets, and any packet can assert the approval.
const POLICY: &str = r#"Decl pending_action(Id, Action, Target, Payload, At) bound [/string, /name, /string, /string, /number].
Decl permitted(Action, Target, Payload) bound [/name, /string, /string].
Decl task(T) bound [/string].
Decl approved(T) bound [/string].
safe_action(/read_file).
permitted(A, T, P) :- pending_action(_, A, T, P, _), safe_action(A).
permitted(A, T, P) :- pending_action(_, A, T, P, _), approved(T).
"#;

/// A transcript with its replay input.
struct Case {
    program: Arc<Program>,
    constitution: Constitution,
    settings: Settings,
    limits: transcript::Limits,
}

impl Case {
    fn new(policy: &str, settings: &str) -> Self {
        let file = SourceFile::parse(policy.into());
        let program = Arc::new(Program::new(vec![FileSummary::new(FileId(0), &file).into()]));
        let vocabulary = mangle_settings::Vocabulary { rules: &[] };
        let settings = mangle_settings::parse(settings, vocabulary).settings;
        let basis = ConstitutionConfig {
            program: Arc::clone(&program),
            reading: Reading::Engine,
            settings: settings.replay.clone(),
            limits: Limits { derived: 10_000, ..Limits::default() },
            clock: Clock { now_ns: 0 },
        };
        let constitution = Constitution::new(basis, &Cancel::new());
        Self { program, constitution, settings, limits: transcript::Limits::default() }
    }

    fn records(&self, name: &str, text: &str) -> Records {
        Records::read(text.into(), name, &self.settings.transcripts)
    }

    fn judge<'a>(&'a self, rules: &'a RuleSettings) -> TranscriptContext<'a> {
        let context = ReplyContext::new(&self.settings.transcripts);
        TranscriptContext {
            rules,
            context,
            limits: &self.limits,
            programs: std::slice::from_ref(&self.program),
        }
    }

    fn options<'a>(&'a self, prefill: &'a Prefill, cancel: &'a Cancel) -> ReplayOptions<'a> {
        ReplayOptions {
            transcript: &self.settings.transcripts,
            runtime: &self.limits,
            clock: Clock { now_ns: 0 },
            abduce: false,
            show_permits: false,
            coverage: false,
            until: None,
            end: None,
            prefill,
            cancel,
        }
    }

    fn verdicts(&self, records: &Records, cancel: &Cancel) -> Option<Arc<Verdicts>> {
        let (prefill, rules) = (Prefill::default(), RuleSettings::default());
        let options = self.options(&prefill, cancel);
        Verdicts::replay(records, &self.constitution, self.judge(&rules), options).map(Arc::new)
    }

    /// Replays a transcript like the command line.
    fn each_turn(&self, records: &Records, each: &mut dyn FnMut(Turn)) {
        let (prefill, cancel) = (Prefill::default(), Cancel::new());
        let mut replay = Replay::new(&self.constitution, self.options(&prefill, &cancel));
        for entry in records.transcript().entries() {
            replay.record(&entry.record(records.text().as_bytes()), &mut |_, event| {
                if let Event::Turn(turn) = event {
                    each(*turn);
                }
            });
        }
    }

    /// Renders all editor views with the texts at their positions.
    fn shown(&self, records: &Records, known: &TranscriptVerdicts) -> String {
        let text = records.text();
        let line = |at: TextSize| text[..at.into()].matches('\n').count() + 1;
        let to_clause = |file, statement| {
            let file = self.program.file(file)?;
            let start = file.items.iter().find(|item| item.statement.id == statement)?.start;
            let line = file.text[..start.into()].matches('\n').count() + 1;
            Some(Link { label: format!("policy.mg:{line}"), target: String::new() })
        };
        let mut out = String::new();
        let whole = TextRange::up_to(mangle_syntax::text::text_len(text));
        for hint in hints(known, records, whole, &to_clause) {
            let _ = writeln!(out, "{}: [{}] {}", line(hint.offset), hint.label, hint.full.unwrap());
        }
        let rules = RuleSettings::default();
        for found in known.diagnostics(TRANSCRIPT, records, self.judge(&rules)) {
            let at = &text[found.range];
            let _ = writeln!(
                out,
                "{}: {} at {at}: {}",
                line(found.range.start()),
                found.rule.name,
                found.message
            );
        }
        for lens in lenses(Some(known), records) {
            let _ = writeln!(out, "{}: {}", line(lens.range.start()), lens.title);
        }
        out
    }
}

/// Returns an answer with updates and a request.
fn line(updates: &[&str], tool: &str, path: &str) -> String {
    let updates = serde_json::to_string(updates).unwrap();
    format!(
        "{{\"control_packet\":{{\"mangle_updates\":{updates},\"tool_requests\":[{{\"id\":\"r1\",\"tool_name\":\"{tool}\",\
         \"tool_args\":{{\"path\":\"{path}\"}}}}]}},\"surface_response\":\"I am asking.\"}}\n"
    )
}

#[track_caller]
fn check(policy: &str, settings: &str, name: &str, text: &str, expected: Expect) {
    let case = Case::new(policy, settings);
    let records = case.records(name, text);
    let verdicts = case.verdicts(&records, &Cancel::new()).unwrap();
    expected.assert_eq(&case.shown(&records, &verdicts.in_records(&records)));
}

#[test]
fn verdicts_stand_at_requests() {
    let text = line(&["task(\"t\")."], "read_file", "a.go") + &line(&[], "delete_file", "a.go");
    check(
        POLICY,
        "",
        "a.jsonl",
        &text,
        expect![[r#"
            1: [permitted] /read_file on a.go is permitted by the constitution.

            Order: 1. the filter (passed), 2. the gate's own lists (no match), 3. the constitution (permits).

            Because:

            permitted(/read_file,"a.go","{\"path\":\"a.go\"}") (policy.mg:6)
              pending_action("r1",/read_file,"a.go","{\"path\":\"a.go\"}",0) (turn 1, the request)
              safe_action(/read_file) (policy.mg:5)
            2: [denied] /delete_file on a.go is denied: no rule permits it, because no fact matches `approved("a.go")`.

            Order: 1. the filter (passed), 2. the gate's own lists (no match), 3. the constitution (denies).

            Missing premises of each rule that could permit it:

            safe_action(/delete_file) has no solution (policy.mg:6)
              safe_action(/read_file) is there
            approved("a.go") has no solution (policy.mg:7)
            2: denied at "delete_file": `/delete_file` on `a.go` is denied
            1: Turn 1: 1 permitted
            2: Turn 2: 1 denied
        "#]],
    );
}

#[test]
fn a_model_that_permits_itself_is_told() {
    let text = line(&["approved(\"a.go\")."], "delete_file", "a.go");
    check(
        POLICY,
        "",
        "a.jsonl",
        &text,
        expect![[r#"
            1: [permitted by itself] /delete_file on a.go is permitted by the constitution.

            Order: 1. the filter (passed), 2. the gate's own lists (no match), 3. the constitution (permits).

            Because:

            permitted(/delete_file,"a.go","{\"path\":\"a.go\"}") (policy.mg:7)
              pending_action("r1",/delete_file,"a.go","{\"path\":\"a.go\"}",0) (turn 1, the request)
              approved("a.go") (turn 1, update 1)

            It depends on approved("a.go"), which a reply asserted (turn 1, update 1).

            Without that: no rule permits it, because no fact matches `approved("a.go")`.
            1: self-granted at "delete_file": `/delete_file` on `a.go` is permitted by facts of replies
            1: Turn 1: 1 permitted
        "#]],
    );
}

#[test]
fn in_markdown_and_silenced_by_comments() {
    let reply = line(&[], "delete_file", "a.go");
    let text =
        format!("# One\n\n```json\n{reply}```\n\n<!-- mangle-ls: ignore denied -->\n```json\n{reply}```\n");
    check(
        POLICY,
        "",
        "a.md",
        &text,
        expect![[r#"
            4: [denied] /delete_file on a.go is denied: no rule permits it, because no fact matches `approved("a.go")`.

            Order: 1. the filter (passed), 2. the gate's own lists (no match), 3. the constitution (denies).

            Missing premises of each rule that could permit it:

            safe_action(/delete_file) has no solution (policy.mg:6)
              safe_action(/read_file) is there
            approved("a.go") has no solution (policy.mg:7)
            9: [denied] /delete_file on a.go is denied: no rule permits it, because no fact matches `approved("a.go")`.

            Order: 1. the filter (passed), 2. the gate's own lists (no match), 3. the constitution (denies).

            Missing premises of each rule that could permit it:

            safe_action(/delete_file) has no solution (policy.mg:6)
              safe_action(/read_file) is there
            approved("a.go") has no solution (policy.mg:7)
            4: denied at "delete_file": `/delete_file` on `a.go` is denied
            4: Turn 1: 1 denied
            9: Turn 2: 1 denied
        "#]],
    );
    let text = format!("{text}\n<!-- mangle-ls: ignore-file denied -->\n");
    let case = Case::new(POLICY, "");
    let records = case.records("a.md", &text);
    let known = case.verdicts(&records, &Cancel::new()).unwrap().in_records(&records);
    let rules = RuleSettings::default();
    assert_eq!(known.diagnostics(TRANSCRIPT, &records, case.judge(&rules)), []);
}

#[test]
fn policies_that_permit_nothing_to_anybody_judge_nobody() {
    let text = line(&["unknown(\"t\")."], "read_file", "a.go");
    check(
        "Decl task(T) bound [/string].\n",
        "",
        "a.jsonl",
        &text,
        expect![[r#"
        1: Turn 1
    "#]],
    );
}

#[test]
fn a_reply_that_is_denied_as_a_whole() {
    let policy = format!("{POLICY}blocked_action(\"a\", \"not in tests\") :- task(\"bad\").\n");
    let text = line(&["task(\"bad\")."], "read_file", "a.go");
    check(
        &policy,
        "[replay]\noverride = \"replace\"\n",
        "a.jsonl",
        &text,
        expect![[r#"
            1: [reply denied] the whole reply is denied: the policy derives `blocked_action("a","not in tests")`.

            Because:

            blocked_action("a","not in tests") (policy.mg:8)
              task("bad") (turn 1, update 1)
            1: [denied] /read_file on a.go is denied: the whole reply is denied.

            Order: 1. the filter (passed), 2. the gate's own lists (no match), 3. the constitution (denies).
            1: denied at {: the whole reply is denied
            1: denied at "read_file": `/read_file` on `a.go` is denied
            1: override at "I am asking.": text replaced by a refusal; 1 update ignored
            1: Turn 1: the whole reply is denied
        "#]],
    );
}

#[test]
fn what_is_known_of_records_outlives_edits_elsewhere() {
    let text: String = ["a", "b", "c"].iter().map(|name| line(&[], "delete_file", name)).collect();
    let case = Case::new(POLICY, "");
    let records = case.records("x.jsonl", &text);
    let verdicts = case.verdicts(&records, &Cancel::new()).unwrap();
    let after = |new: &str| {
        let records = records.with_text(new.into());
        let known = verdicts.in_records(&records);
        let rules = RuleSettings::default();
        let found = known.diagnostics(TRANSCRIPT, &records, case.judge(&rules));
        found.iter().map(|one| format!("{} at {}", one.message, &new[one.range])).collect::<Vec<_>>()
    };
    let all = after(&text);
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|one| one.ends_with(" at \"delete_file\"")), "{all:?}");
    let [first, second, third] = all.try_into().unwrap();
    assert_eq!(after(&text.replace("\"b\"", "\"bb\"")), [first.clone(), third.clone()]);
    let grown = format!("{}{text}", line(&[], "read_file", "z"));
    assert_eq!(after(&grown), [first.clone(), second.clone(), third.clone()]);
    let grown = format!("{text}{}", line(&[], "read_file", "z"));
    assert_eq!(after(&grown), [first.clone(), second.clone(), third.clone()]);
    let rest = text.split_once('\n').unwrap().1;
    assert_eq!(after(rest), [second, third]);
    assert_eq!(after(""), <[String; 0]>::default());
}

#[test]
fn records_that_are_read_anew_are_known_by_their_bytes() {
    let text = format!("```json\n{}```\n", line(&[], "delete_file", "a"));
    let case = Case::new(POLICY, "");
    let records = case.records("x.md", &text);
    let verdicts = case.verdicts(&records, &Cancel::new()).unwrap();
    let count = |new: &str| {
        let records = records.with_text(new.into());
        let rules = RuleSettings::default();
        verdicts.in_records(&records).diagnostics(TRANSCRIPT, &records, case.judge(&rules)).len()
    };
    assert_eq!(count(&format!("# Words\n\n{text}And more.\n")), 1);
    assert_eq!(count(&text.replace("\"a\"", "\"b\"")), 0);
}

#[test]
fn nothing_leaks_from_one_replay_to_the_next() {
    let case = Case::new(POLICY, "");
    let granted = case.records("a.jsonl", &line(&["approved(\"a.go\")."], "delete_file", "a.go"));
    let asking = case.records("b.jsonl", &line(&[], "delete_file", "a.go"));
    let shown = |records: &Records| {
        let verdicts = case.verdicts(records, &Cancel::new()).unwrap();
        case.shown(records, &verdicts.in_records(records))
    };
    let before = shown(&asking);
    assert!(before.contains("[denied]"), "{before}");
    assert!(shown(&granted).contains("[permitted by itself]"));
    assert_eq!(shown(&asking), before);
    let raised = Cancel::new();
    raised.cancel();
    assert!(case.verdicts(&granted, &raised).is_none());
    assert_eq!(shown(&asking), before);
}

#[test]
fn hovers_have_the_proof_and_lead_to_its_rules() {
    let case = Case::new(POLICY, "");
    let text = line(&["approved(\"`<b>`\")."], "delete_file", "`<b>`");
    let records = case.records("a.jsonl", &text);
    let known = case.verdicts(&records, &Cancel::new()).unwrap().in_records(&records);
    let to_clause =
        |_, _| Some(Link { label: "policy.mg:7".to_owned(), target: "file:///p.mg#L7".to_owned() });
    let at = |word: &str| mangle_syntax::text::size(text.find(word).unwrap());
    let found = hover(&known, &records, at("delete_file"), false, &to_clause).unwrap();
    assert!(text[found.range].starts_with("{\"id\""));
    expect![[r#"
        Before the last edit:

        /delete_file on \`\<b\>\` is denied\: no rule permits it, because no fact matches \`approved("\`\<b\>\`")\`.

        Order: 1. the filter (passed), 2. the gate's own lists (no match), 3. the constitution (denies).

        Missing premises of each rule that could permit it:

        - `safe_action(/delete_file)` has no solution [policy.mg\:7](file:///p.mg#L7)
          - `safe_action(/read_file)` is there
        - ``approved("`<b>`")`` has no solution [policy.mg\:7](file:///p.mg#L7)"#]].assert_eq(&found.markup.to_markdown());
    assert!(hover(&known, &records, at("surface_response"), true, &to_clause).is_none());
}

/// A gate that was silenced by an appeal had a reason to deny.
#[test]
fn a_hover_knows_of_an_appeal() {
    let policy =
        format!("{POLICY}Decl has_active_override(A) bound [/name].\nhas_active_override(/read_file).\n");
    let text = line(&[], "read_file", "mkfs");
    check(
        &policy,
        "",
        "a.jsonl",
        &text,
        expect![[r#"
            1: [permitted] /read_file on mkfs is permitted by the constitution; an appeal overrides the gate, which rejects it.

            Order: 1. the filter (passed), 2. the gate's own lists (deny, overridden by an appeal), 3. the constitution (permits).

            The appeal is has_active_override(/read_file).

            Because:

            permitted(/read_file,"mkfs","{\"path\":\"mkfs\"}") (policy.mg:6)
              pending_action("r1",/read_file,"mkfs","{\"path\":\"mkfs\"}",0) (turn 1, the request)
              safe_action(/read_file) (policy.mg:5)
            1: Turn 1: 1 permitted
        "#]],
    );
}

#[test]
fn turns_by_place() {
    let case = Case::new(POLICY, "");
    let user = "{\"role\":\"user\",\"content\":\"hi\"}\n";
    let says = |path: &str| {
        let reply = line(&[], "read_file", path);
        format!("{}\n", serde_json::json!({ "role": "assistant", "content": reply.trim_end() }))
    };
    let text = format!("{user}{}{user}{}{user}", says("a.go"), says("b.go"));
    let records = case.records("a.jsonl", &text);
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let turns: Vec<_> = starts[..5]
        .iter()
        .map(|start| turn_at(&records, mangle_syntax::text::size(*start)).unwrap())
        .collect();
    assert_eq!(turns, [1, 1, 1, 2, 2]);
    assert_eq!(turn_at(&case.records("a.jsonl", ""), TextSize::new(0)), None);
    let lens: Vec<_> = lenses(None, &records).into_iter().map(|lens| lens.title).collect();
    assert_eq!(lens, ["Turn 1", "Turn 2"]);
}

/// The outcomes of updates in editor views (hovers, hints, and both channels side by side) equal
/// the outcomes of the replay.
#[test]
fn updates_are_shown_as_they_are_replayed() {
    let policy = format!("{POLICY}blocked_action(T) :- task(T), precious(T).\nprecious(\"prod\").\n");
    let updates = [
        vec!["task(\"a\").", "", "task(\"b\")", "permitted(/x, \"a\", \"b\").", "unknown(1)."],
        vec!["task(\"prod\").", "approved(\"a.go\").", "task(1, 2).", "p(X) :- q(X)."],
        vec!["approved(\"b.go\").", "task(\"a;b\").", "admin_override(\"me\")."],
    ];
    let text: String = updates.iter().map(|updates| line(updates, "read_file", "a.go")).collect();
    let styles = ["", "[replay]\noverride = \"replace\"\n", "[transcripts]\nconsumer = \"compressor\"\n"];
    let mut withdrawn = 0;
    for settings in styles {
        let case = Case::new(&policy, settings);
        let records = case.records("a.jsonl", &text);
        let declarations = Declarations::with(&case.program, &case.settings.replay);
        let verdicts = case.verdicts(&records, &Cancel::new()).unwrap().in_records(&records);
        let opened = TranscriptView {
            declarations: Some(&declarations),
            verdicts: Some(&verdicts),
            ..TranscriptView::new(&records, &case.settings.transcripts)
        };
        let mut turns = Vec::new();
        case.each_turn(&records, &mut |turn| turns.push(turn));
        let shown = split(opened).text;
        for (entry, turn) in records.list().iter().zip(&turns) {
            let outline = &records.outlines(entry, opened.settings)[0];
            let atoms = &outline.envelopes[0].atoms;
            let fates: Vec<_> = atoms.iter().map(|atom| opened.outcome(entry, outline, atom)).collect();
            assert_eq!(fates, turn.atoms.iter().map(|entry| entry.fate.clone()).collect::<Vec<_>>());
            for (atom, fate) in atoms.iter().zip(&fates) {
                let mark = if fate.is_kept() { '+' } else { '-' };
                assert!(shown.contains(&format!("{mark} {}", atom.text.embedded.text)), "{shown}");
            }
            withdrawn += fates.iter().filter(|fate| fate.word() == "withdrawn").count();
        }
    }
    assert_eq!(withdrawn, 2);
}
